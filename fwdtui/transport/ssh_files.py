"""Finds the files that an ssh_config consists of, without acting on anything in them.

asyncssh runs the commands of ``Match exec`` while it reads a configuration (2.24), so it cannot be used to
inspect one beforehand. Lines are split here exactly as its reader splits them.
"""

import hashlib
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean

_MOST = 100  # files that one configuration may include: more than anyone would read
_LARGEST = 1 << 20  # bytes of a file: known_hosts of a large site have some 100 KiB
_SYSTEM = Path("/etc/ssh")


@dataclass(frozen=True)
class TextFile:
    """A file as it was read: the bytes that are shown are the bytes that are trusted."""

    path: Path
    data: bytes

    @cached_property
    def digest(self) -> str:
        """SHA-256 in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without their LF; a carriage return stays, and bytes that are not UTF-8 are escaped."""
        lines = self.data.decode("utf-8", "backslashreplace").split("\n")
        return tuple(lines[:-1] if lines[-1] == "" else lines)


def read(path: Path) -> TextFile:
    """Reads a file. Raises FwdtuiError if it is not a regular file, is unreadable, or too large to show."""
    try:
        if not path.is_file():
            raise FwdtuiError(f"{path}: not a regular file")
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise FwdtuiError(f"{path}: {error.strerror or error}") from None
    if len(data) > _LARGEST:
        raise FwdtuiError(f"{path}: larger than {_LARGEST >> 20} MiB: too long to read before trusting it")
    return TextFile(path, data)


def configuration(path: Path) -> tuple[TextFile, ...]:
    """An ssh_config and every file that an Include in it names, for any host. Raises FwdtuiError.

    The user's own and the system's files are left out: see `is_own`.
    """
    texts: dict[Path, TextFile] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop(0)
        if file in texts or is_own(file):
            continue
        if len(texts) >= _MOST:
            raise FwdtuiError(f"{path}: it includes more than {_MOST} files")
        texts[file] = read(file)
        waiting += _included(texts[file])
    return tuple(texts.values())


def is_own(path: Path) -> bool:
    """Whether only the user, or the administrator of this machine, can have put the file there."""
    own = [Path.home() / ".ssh", Path.home() / ".config"]
    if configured := os.environ.get("XDG_CONFIG_HOME"):
        own.append(Path(configured))
    # the user made any link in ~/.ssh to a file elsewhere, but a path out of it by ".." comes from its author
    as_written = Path(os.path.abspath(path)) if ".." not in path.parts else path.resolve()  # noqa: PTH100
    if any(as_written.is_relative_to(folder) for folder in own):
        return True
    resolved = path.resolve()
    if any(resolved.is_relative_to(folder.resolve()) for folder in own):
        return True
    return resolved.is_relative_to(_SYSTEM) and resolved.is_file() and resolved.stat().st_uid == 0


def _included(file: TextFile) -> Iterator[Path]:
    text = file.data.decode("utf-8", "surrogateescape").replace("\r\n", "\n").replace("\r", "\n")
    for line in map(str.strip, text.split("\n")):
        if not line or line[0] == "#":
            continue
        try:
            option, patterns = _option(shlex.split(line))
        except ValueError:
            continue  # asyncssh rejects the whole file because of this
        if option == "include":
            for pattern in patterns:
                yield from _matching(pattern, file.path)


def _option(words: list[str]) -> tuple[str, list[str]]:
    """Splits as asyncssh's SSHConfig.parse does: an "=" may be attached to or between the first two words."""
    option, rest = "", []
    for place, word in enumerate(words, 1):
        if word.startswith("="):
            rest += [word[1:]] if len(word) > 1 else []
        elif place > 1:
            rest += words[place - 1 :]
            break
        elif word.endswith("="):
            rest.append(word[:-1])
        else:
            rest += word.split("=", 1)
        if place == 1:
            option = rest.pop(0).lower() if rest else ""
    return option, rest


def _matching(pattern: str, where: Path) -> Iterator[Path]:
    """The files that match, found as asyncssh's SSHConfig._include does: relative to ~/.ssh."""
    try:
        path = Path(pattern).expanduser()
        root = Path(path.anchor) if path.anchor else Path.home() / ".ssh"
        relative = str(Path(*path.parts[1:])) if path.anchor else pattern
        yield from sorted(one for one in root.glob(relative) if one.is_file())
    except (ValueError, NotImplementedError, RuntimeError, OSError) as error:
        raise FwdtuiError(f"{where}: Include {clean(pattern)}: {error}") from None
