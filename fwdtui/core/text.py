"""Everything that comes from a host or a file is hostile text: clean it once, where it comes in."""

import hashlib
import re

# C0 except tab, DEL, C1, bidirectional controls and isolates, line and paragraph separators, BOM:
# each of them can move the cursor, forge a line or reorder what the reader sees.
_UNSAFE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]"
)
_NOT_SLUG = re.compile(r"[^A-Za-z0-9._-]+")
_SLUG_MAX = 64


def clean(text: str) -> str:
    """One line of text without control characters (tab stays)."""
    return _UNSAFE.sub("", text)


def clean_lines(text: str) -> str:
    """Text of many lines without control characters; any line ending becomes LF."""
    return "\n".join(clean(line) for line in text.replace("\r\n", "\n").split("\n"))


def decode(data: bytes) -> str:
    """Bytes of unknown origin as text; what is not UTF-8 stays visible as backslash escapes."""
    return data.decode("utf-8", errors="backslashreplace")


def slug(name: str) -> str:
    """A file name for `name`: itself where that is safe, else a safe form with a hash of the original.

    The result matches ``[A-Za-z0-9._-]{1,64}``, does not begin with a dot or a dash, and two different
    names never share a slug by accident (48 bits of SHA-256). The real name is kept inside the file.
    """
    if re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}", name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    stem = _NOT_SLUG.sub("-", name).strip("-.")[: _SLUG_MAX - 13].rstrip("-.")
    return f"{stem}-{digest}" if stem else digest
