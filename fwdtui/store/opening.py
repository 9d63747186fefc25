"""Opening files in or beside a session: regular files only, never through a link, and of bounded size.

A session may come from anybody: a named pipe in it would block the reader for ever, a device would never end,
and a link would make another file look like part of the session. All reading in the store goes through here.
What a user names on the command line may be a link or a pipe and is opened elsewhere.
"""

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

MIB = 1 << 20
TEXT_MOST = MIB
"""Largest session.toml, annotations.toml or iteration.json, in bytes."""
LOG_MOST = 256 * MIB
"""Largest raw log that is verified, in bytes."""
SAMPLES_MOST = 512 * MIB
"""Bytes of samples.jsonl or a recording that are read: about a day of three hosts sampled each second."""
PIECE = MIB
"""Bytes that `pieces` yields at once by default."""

_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_KINDS = {
    stat.S_IFLNK: "a link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def open_file(path: Path | str, *, within: int | None = None) -> int:
    """Open the regular file `path` for reading; returns its descriptor.

    `within` is a descriptor of the folder that `path` is relative to. Raises OSError; if `path` is not a
    regular file, `strerror` says what it is.
    """
    return _opened(path, within)[0]


def _opened(path: Path | str, within: int | None) -> tuple[int, int]:
    """As open_file, and the size of the file."""
    # checked before it is opened: opening a device may already have an effect
    _refuse(os.stat(path, dir_fd=within, follow_symlinks=False).st_mode, path)
    descriptor = os.open(path, _FILE, dir_fd=within)
    try:
        status = os.fstat(descriptor)
        _refuse(status.st_mode, path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, status.st_size


def open_folder(path: Path | str, *, within: int | None = None) -> int:
    """Open the folder `path`, which must not be a link; returns its descriptor. Raises OSError."""
    try:
        return os.open(path, _FOLDER, dir_fd=within)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENOTDIR):
            raise
        kind = stat.S_IFMT(os.stat(path, dir_fd=within, follow_symlinks=False).st_mode)
        what = _KINDS.get(kind, "a file")
        raise NotADirectoryError(errno.ENOTDIR, f"{what}, not a folder", str(path)) from None


def read(path: Path | str, most: int = TEXT_MOST, *, within: int | None = None) -> bytes:
    """The content of a regular file of at most `most` bytes. Raises OSError."""
    descriptor, size = _opened(path, within)
    try:
        parts: list[bytes] = []
        have = 0
        while have <= most and size <= most:
            part = os.read(descriptor, min(size + 1, PIECE))
            have += len(part)
            if not parts and part and have == size:  # nearly always: all of it, and not a byte more
                return part
            if not part:
                return b"".join(parts)
            parts.append(part)
    finally:
        os.close(descriptor)
    raise OSError(errno.EFBIG, f"larger than the {shown(most)} that fwdtui reads of such a file", str(path))


def pieces(
    path: Path | str, most: int, *, within: int | None = None, at_once: int = PIECE
) -> Iterator[bytes]:
    """The first `most` bytes of a regular file, `at_once` at a time. Raises OSError."""
    descriptor = open_file(path, within=within)
    try:
        while part := os.read(descriptor, min(at_once, most)):
            yield part
            most -= len(part)
    finally:
        os.close(descriptor)


def is_file(path: Path | str, *, within: int | None = None) -> bool:
    """Whether `path` is a regular file, not a link to one. Never raises."""
    try:
        return stat.S_ISREG(os.stat(path, dir_fd=within, follow_symlinks=False).st_mode)
    except (OSError, ValueError):  # ValueError: a NUL in the name
        return False


def leads_to_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry of a folder is itself a folder, or a link to one that can be reached. Never raises."""
    try:
        return entry.is_dir()
    except OSError:  # a link that leads in a circle, has an impossible target, or goes where we may not
        return False


def names(folder: int) -> list[str]:
    """The names in the folder with this descriptor. Raises OSError."""
    return os.listdir(folder)


def shown(size: int) -> str:
    """``1 MiB``; `size` is in bytes."""
    for unit, name in ((1 << 30, "GiB"), (MIB, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.4g} {name}"  # four digits, as there may be 1023 of a unit
    return f"{size} bytes"


def _refuse(mode: int, path: Path | str) -> None:
    if not stat.S_ISREG(mode):
        what = _KINDS.get(stat.S_IFMT(mode), "something else")
        raise OSError(errno.EINVAL, f"{what}, not a regular file", str(path))
