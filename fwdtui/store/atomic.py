"""Atomic writes: a crash or a full disk leaves the old file or the new one, never half a file.

`within` is a descriptor of the folder that a path is relative to. Writing through it reaches that folder even
if it is renamed meanwhile, and never goes through a link that was put in its place.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@contextlib.contextmanager
def naming(folder: Path) -> Iterator[None]:
    """An OSError within it names `folder`, unless it names a file and the folder that this is in.

    What is written to an open file does not say to which, and what is written within an open folder does not
    say in which. FileExistsError is passed on as it is: whoever catches it knows the name.
    """
    try:
        yield
    except FileExistsError:
        raise
    except OSError as error:
        named = isinstance(error.filename, str | Path) and len(Path(error.filename).parts) > 1
        if named:
            raise
        raise OSError(error.errno, error.strerror or str(error), str(folder)) from None


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of `data`: os.write may write less without raising (it does on a disk that fills up)."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def write_new(
    path: Path | str, data: bytes, *, within: int | None = None, sync: bool = True, mode: int = 0o600
) -> None:
    """Create a file and sync it to disk. Raises FileExistsError instead of changing an existing file.

    `sync` False: the caller syncs it later, with other files. `mode`: its permissions, less the umask.
    """
    descriptor = os.open(path, _NEW, mode, dir_fd=within)
    try:
        write_all(descriptor, data)
        if sync:
            os.fsync(descriptor)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path, dir_fd=within)
        raise
    finally:
        os.close(descriptor)


def replace(path: Path | str, data: bytes, *, within: int | None = None, sync: bool = True) -> None:
    """Put `data` at `path` in one step: temporary file, fsync, rename, fsync of the folder.

    `sync` False: without either fsync; the caller syncs it later, together with other files.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=within)
    write_new(temporary, data, within=within, sync=sync)
    try:
        os.rename(temporary, path, src_dir_fd=within, dst_dir_fd=within)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=within)
        raise
    if sync:
        sync_folder(path.parent, within=within)


def sync_folder(folder: Path | str, *, within: int | None = None) -> None:
    """Make a rename or a new name in `folder` durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=within)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
