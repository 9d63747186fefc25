"""Every text from a host or a file may be hostile: clean it where it comes in, and where it is shown.

This is the only place that defines which characters are not plain text. There are two kinds:

- *Acting*: a terminal obeys them. C0 except tab, DEL, C1, the bidirectional controls, the line and paragraph
  separators and the byte order mark move the cursor, forge a line or reorder what the reader sees.
- *Unseen*: they are invisible, so two different names can look the same: zero-width characters, variation
  selectors, tags, fillers, soft hyphens, and the lone surrogates that represent bytes that are not UTF-8.
  The zero-width joiner always counts as unseen: a composite emoji is shown in its parts.

Letters of every script, combining accents, East Asian characters, single emoji and Braille pass.
"""

import re

_ACTING = "\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff"
_UNSEEN = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164"
    "\ufe00-\ufe0f\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\ud800-\udfff"
)
# compiled by `re` when first used, and kept by it: that takes a millisecond, and most texts are plain ASCII
_ACTS = f"[{_ACTING}]"
_IS_UNSEEN = f"[{_UNSEEN}]"
_NOT_PLAIN = f"[{_ACTING}{_UNSEEN}]"
# line ends in a JSON document are its own: its writer escaped any C0 in its strings
_NOT_PLAIN_JSON = _NOT_PLAIN.replace("\x00-\x08\x0a-\x1f", "")
_NOT_SLUG = r"[^A-Za-z0-9._-]+"
_SLUG_MAX = 64


def clean(text: str) -> str:
    """One line of text: acting characters are removed (tab stays), unseen ones are escaped."""
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_IS_UNSEEN, _spelled, re.sub(_ACTS, "", text))


def clean_lines(text: str) -> str:
    """Text of many lines, each cleaned by `clean`; CR LF becomes LF."""
    text = text.replace("\r\n", "\n")
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "\n".join(map(clean, text.split("\n")))


def visible(text: str) -> str:
    """One line with nothing left out: each character that is not plain is escaped, ``\\x1b``, ``\\u202e``.

    For text in questions to the user, and for the last step before a terminal. Tab stays; a line end is ␊.
    """
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_NOT_PLAIN, _spelled, text.replace("\n", "␊"))


def visible_lines(text: str) -> str:
    """Text of many lines, each escaped like by `visible`, except that line ends stay."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "\n".join(re.sub(_NOT_PLAIN, _spelled, line) for line in text.split("\n"))


def visible_json(document: str) -> str:
    """An equivalent JSON document, with every character that is not plain as a ``\\u`` escape."""
    return re.sub(_NOT_PLAIN_JSON, _escaped, document)


def is_plain(text: str) -> bool:
    """Whether `visible` would leave one line of text as it is."""
    return re.search(_NOT_PLAIN, text) is None


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def decode(data: bytes) -> str:
    """Bytes of unknown origin as text; bytes that are not UTF-8 become backslash escapes."""
    return data.decode("utf-8", errors="backslashreplace")


def ended(sentence: str) -> str:
    """The sentence with a full stop, if nothing ends it."""
    return sentence if sentence.endswith((".", "?")) else f"{sentence}."


def slug(name: str) -> str:
    """A file name for `name`: itself if that is safe, else a safe form with a hash of the original.

    The result matches ``[A-Za-z0-9._-]{1,64}``, does not begin with a dot or a dash, and two different
    names never share a slug by accident (48 bits of SHA-256). The real name is stored inside the file.
    """
    if re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}", name):
        return name
    import hashlib  # it loads OpenSSL, and most names are safe

    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    stem = re.sub(_NOT_SLUG, "-", name).strip("-.")[: _SLUG_MAX - 13].rstrip("-.")
    return f"{stem}-{digest}" if stem else digest
