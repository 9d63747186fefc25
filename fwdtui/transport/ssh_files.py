"""Finds the files of an ssh_config and its host key files, without acting on anything in them.

ssh runs the commands of ``Match exec`` while it reads a configuration. So the files that the user has to see
before trusting them are found here without obeying them. `wire/ssh_config.py`, which does obey them, uses the
functions here for lines and includes.
"""

import contextlib
import glob
import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean

_MOST = 100  # files that one configuration may include: more than anyone would read
_LARGEST = 1 << 20  # bytes of a file: known_hosts of a large site have some 100 KiB
_SYSTEM = Path("/etc/ssh")
_BLANK = " \t"
_OF_HOST_KEYS = {"userknownhostsfile", "globalknownhostsfile", "revokedhostkeys"}


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
        """The lines without their LF. Carriage returns stay, and bytes that are not UTF-8 are escaped."""
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
    """An ssh_config, every file that it includes, and the host key files that these files name.

    The files for all hosts are meant. The user's own and the system's files are left out: see `is_own`.
    Raises FwdtuiError.
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
    named = [path for file in texts.values() for path in _host_key_files(file)]
    keys = {path: read(path) for path in named if path not in texts}
    return (*texts.values(), *keys.values())


def is_own(path: Path) -> bool:
    """Whether only the user, or the administrator of this machine, can have put the file there."""
    own = [Path.home() / ".ssh", Path.home() / ".config"]
    if configured := os.environ.get("XDG_CONFIG_HOME"):
        own.append(Path(configured))
    # a link in ~/.ssh to a file elsewhere was made by the user, but a path that leaves ~/.ssh by ".." was
    # written by the author of the configuration
    try:
        resolved = path.resolve()
    except RuntimeError:  # links that lead in a circle: there is no file
        return False
    as_written = Path(os.path.abspath(path)) if ".." not in path.parts else resolved  # noqa: PTH100
    if any(as_written.is_relative_to(folder) for folder in own):
        return True
    if any(resolved.is_relative_to(folder.resolve()) for folder in own):
        return True
    return resolved.is_relative_to(_SYSTEM) and resolved.is_file() and resolved.stat().st_uid == 0


def split(line: str) -> tuple[str, list[str]]:
    """The option of a line in lower case ("": there is none), and the words after it. Raises ValueError."""
    return _option(_words(line))


def lines(data: bytes) -> list[str]:
    """The lines of an ssh_config. They may end in CR LF, and comments may have any encoding."""
    return [line.strip() for line in data.decode("utf-8", "surrogateescape").split("\n")]


def included(pattern: str, folder: Path | None = None) -> list[Path]:
    """The files of an Include in ssh's order: sorted as by glob(3), and without hidden ones for a "*".

    `folder`: where a relative pattern is looked for; None is ~/.ssh. Raises ValueError.
    """
    try:
        path = (folder or Path.home() / ".ssh") / Path(pattern).expanduser()
    except RuntimeError as error:
        raise ValueError(str(error)) from None
    found = (Path(name) for name in sorted(glob.glob(str(path)), key=os.fsencode))  # noqa: PTH207
    return [one for one in found if one.is_file()]


def _options(file: TextFile) -> Iterator[tuple[str, list[str]]]:
    for line in lines(file.data):
        with contextlib.suppress(ValueError):  # because of such a line, a connection refuses the whole file
            yield split(line)


def _included(file: TextFile) -> Iterator[Path]:
    for option, patterns in _options(file):
        if option == "include":
            for pattern in patterns:
                try:
                    yield from included(pattern)
                except ValueError as error:
                    raise FwdtuiError(f"{file.path}: Include {clean(pattern)}: {error}") from None


def _host_key_files(file: TextFile) -> Iterator[Path]:
    """The files that say which host keys are believed or revoked. One that cannot be read is left out."""
    for option, names in _options(file):
        for name in names if option in _OF_HOST_KEYS else ():
            path = _of_host_keys(name)
            if path is None or is_own(path):
                continue
            if re.search(r"%[^%diu]", name.replace("%%", "")):
                raise FwdtuiError(
                    f"{file.path}: {clean(name)}: the name of this host key file depends on the host, so the"
                    " file cannot be shown before you trust it: write each name in full, several on one line"
                )
            if os.access(path, os.R_OK) and path.is_file():
                yield path


def _of_host_keys(name: str) -> Path | None:
    """The path of the file on this computer; None if no connection would read it.

    Tokens that depend on the host are left as they are.
    """
    import getpass  # late: few configurations name such files

    tokens = {"%%": "%", "%d": str(Path.home()), "%i": str(os.getuid()), "%u": getpass.getuser()}
    text = re.sub(r"%.", lambda found: tokens.get(found[0], found[0]), name)
    try:
        text = re.sub(r"\$\{([^}]*)\}", lambda found: os.environ[found[1]], text)
        return None if "\0" in text else Path(text).expanduser()
    except (KeyError, RuntimeError):  # a variable without a value, or ~NAME of a user who is not known
        return None


def _words(line: str) -> list[str]:
    """The words before a comment, as ssh divides a line (argv_split in its misc.c), not as a shell does.

    A comment may contain a single apostrophe, and a backslash stays unless a quote, a backslash or a blank
    follows: ``User LAB\\bench  # Bob's router``. Raises ValueError for a quote that is not closed.
    """
    words: list[str] = []
    word: str | None = None
    quote, place = "", 0
    while place < len(line):
        char, after = line[place], line[place + 1 : place + 2]
        place += 1
        if word is None:
            if char in _BLANK:
                continue
            if char == "#":
                break
            word = ""
        if char == "\\" and after and after in ("'\"\\" if quote else "'\"\\ "):
            word += after
            place += 1
        elif not quote and char in _BLANK:
            words.append(word)
            word = None
        elif not quote and char in "'\"":
            quote = char
        elif char == quote:
            quote = ""
        else:
            word += char
    if quote:
        raise ValueError("No closing quotation")
    return words if word is None else [*words, word]


def _option(words: list[str]) -> tuple[str, list[str]]:
    """The option and its words. As in ssh, "=" may be before, between or attached to the first two words."""
    if words[:1] == ["="]:
        words = words[1:]
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
