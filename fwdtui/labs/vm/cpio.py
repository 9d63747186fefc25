"""Writes an initramfs: a cpio archive in the "newc" format.

Source: Documentation/driver-api/early-userspace/buffer-format.rst of the kernel.
"""

import stat
from collections.abc import Iterable
from dataclasses import dataclass

_MAGIC = "070701"
_TRAILER = "TRAILER!!!"


@dataclass(frozen=True)
class Entry:
    """A file, folder, symbolic link (`data` is its target) or character device; `mode` says which (stat.h).

    `path` is relative to the root, without a leading slash. `device` is (major, minor).
    """

    path: str
    mode: int
    data: bytes = b""
    device: tuple[int, int] = (0, 0)


def file(path: str, data: bytes | str, mode: int = 0o644) -> Entry:
    """A regular file; text is encoded as UTF-8."""
    return Entry(path, stat.S_IFREG | mode, data.encode() if isinstance(data, str) else data)


def folder(path: str, mode: int = 0o755) -> Entry:
    """A folder."""
    return Entry(path, stat.S_IFDIR | mode)


def link(path: str, target: str) -> Entry:
    """A symbolic link."""
    return Entry(path, stat.S_IFLNK | 0o777, target.encode())


def device(path: str, major: int, minor: int, mode: int = 0o600) -> Entry:
    """A character device."""
    return Entry(path, stat.S_IFCHR | mode, device=(major, minor))


def archive(entries: Iterable[Entry]) -> bytes:
    """The archive. Folders that are not listed are added before their contents; each path is there once."""
    wanted = {entry.path: entry for entry in entries}
    parts: list[bytes] = []
    written: set[str] = set()
    for path in sorted(wanted):
        above = path.split("/")[:-1]
        for depth in range(1, len(above) + 1):
            upper = "/".join(above[:depth])
            if upper not in written and upper not in wanted:
                parts.append(_member(len(written) + 1, folder(upper)))
                written.add(upper)
        parts.append(_member(len(written) + 1, wanted[path]))
        written.add(path)
    parts.append(_member(0, Entry(_TRAILER, 0)))
    return b"".join(parts)


def _member(inode: int, entry: Entry) -> bytes:
    """Thirteen fields of eight hexadecimal digits, then name and content, each padded to four bytes."""
    name = entry.path.encode() + b"\0"
    links = 2 if stat.S_ISDIR(entry.mode) else 1
    fields = (
        *(
            inode,
            entry.mode,
            0,
            0,
            links,
            0,
            len(entry.data),
        ),  # owner root, time 0: the same bytes every time
        *(0, 0, *entry.device, len(name), 0),
    )
    head = (_MAGIC + "".join(f"{field:08X}" for field in fields)).encode() + name
    return _padded(head) + _padded(entry.data)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
