"""Sessions that are built under hidden names, and shown when they are whole and on disk.

Syncing each file of a thousand iterations takes minutes. A hidden session has no readers, so its files are
written without syncing, and everything is synced at once before it gets its name.
"""

import errno
import hashlib
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Iteration, Sample
from fwdtui.core.text import slug
from fwdtui.store.atomic import sync_folder, write_new
from fwdtui.store.records import NAME as SAMPLES
from fwdtui.store.records import Header, lines
from fwdtui.store.running_imports import hidden
from fwdtui.store.schema import ITERATION_FILE, encode_iteration

_APPEARED = "appeared during the import, which replaces nothing; import into another folder or remove it"
_EVERY = 5.0  # seconds after which whole sessions are shown: an import that is killed loses no more work
_FEW = 100  # files: so few are synced one by one, which does not wait for what other programs have written


class UnshownIteration:
    """An iteration of a hidden session, written as by IterationWriter, but not synced."""

    def __init__(self, folder: int, case: str, index: int) -> None:
        """Make its folder in that of the case, which has the descriptor `folder`. Raises OSError."""
        self.index = index
        self.written = 0
        """Files in its folder so far."""
        self._folder = folder
        self._case = case
        self._number = f"{index:03d}"
        self.checksums: dict[str, str] = {}
        """Of the raw logs, by the names of their files."""
        os.mkdir(self._number, 0o700, dir_fd=folder)

    def attach(self, name: str, data: bytes) -> str:
        """Save a raw log beside the result; returns the file's name (slugged). Raises OSError."""
        safe = slug(name)
        if safe in (SAMPLES, ITERATION_FILE):
            raise FwdtuiError(f"{self._case} {self._number}: a raw log cannot be named {safe}")
        self._write(safe, data)
        self.checksums[safe] = "sha256:" + hashlib.sha256(data).hexdigest()
        return safe

    def save_samples(self, samples: Sequence[Sample]) -> None:
        """Save all samples, in order; once. Raises OSError."""
        self._write(SAMPLES, lines([Header(), *samples]))

    def commit(self, iteration: Iteration) -> None:
        """Save the result. Its `index` and `files` are set from what was written here. Raises OSError."""
        files = dict(sorted(self.checksums.items()))
        record = msgspec.structs.replace(iteration, index=self.index, files=files)
        self._write(ITERATION_FILE, encode_iteration(self._case, record))

    def _write(self, name: str, data: bytes) -> None:
        write_new(f"{self._number}/{name}", data, within=self._folder, sync=False)
        self.written += 1


class Unshown:
    """The sessions that are built in one folder, each until it is whole and has its name."""

    def __init__(self, into: Path) -> None:
        """They are built in `into`. Raises OSError."""
        self._whole: list[tuple[Path, Path, Mapping[str, int]]] = []
        self._shown = time.monotonic()
        # opened before anything is written: syncfs reports what could not be written since then
        self._descriptor = os.open(into, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def whole(self, target: Path, files: Mapping[str, int]) -> None:
        """All of `target` is written: it is shown now or, with others, within seconds. Raises as `show`.

        `files`: how many files were written in each iteration's folder, such as ``inet4/001``.
        """
        self._whole.append((hidden(target), target, files))
        if time.monotonic() - self._shown > _EVERY:
            self.show()

    def show(self) -> None:
        """Make the whole sessions durable, and only then give them their names.

        Raises OSError, also if something has such a name by now, and FwdtuiError if something that was
        written is gone; the sessions that have not got their names by then are given up.
        """
        whole, self._whole = self._whole, []
        if not whole:
            return
        _sync([folder for folder, _, _ in whole], self._descriptor)
        try:
            for folder, target, files in whole:
                _check(folder, target, files)
                if os.path.lexists(target):  # since the import began; rename would replace an empty folder
                    raise FileExistsError(errno.EEXIST, _APPEARED, str(target))
                folder.rename(target)
        finally:
            os.fsync(self._descriptor)
        self._shown = time.monotonic()

    def close(self) -> None:
        os.close(self._descriptor)


def _check(folder: Path, target: Path, files: Mapping[str, int]) -> None:
    """Raises FwdtuiError if something has removed what was written: `target` would not be whole."""
    lost = [place for place, count in files.items() if _count(folder / place) < count]
    if lost:
        raise FwdtuiError(
            f"{target}: not imported: files of {len(lost)} of its {len(files)} iterations ({lost[0]}, for "
            "instance) were removed while the import was running; is another import, or something that "
            "cleans up, at work in this folder?"
        )


def _count(folder: Path) -> int:
    """The files in `folder`; 0 if it is gone. Raises OSError."""
    try:
        return sum(1 for _ in folder.iterdir())
    except FileNotFoundError:
        return 0


def _sync(folders: Sequence[Path], within: int) -> None:
    """Make `folders` and all in them durable; `within` is the descriptor of the folder that they are in."""
    few = []
    for path, is_folder in _all(folders):
        few.append((path, is_folder))
        if len(few) > _FEW:
            if _sync_file_system(within):
                return
            few = [*_all(folders)]
            break
    for path, is_folder in few:
        if is_folder:
            sync_folder(path)
            continue
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _all(folders: Iterable[Path | str]) -> Iterator[tuple[str, bool]]:
    """Every file and folder (True) at or below `folders`, a folder after what is in it."""
    for folder in folders:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    yield from _all([entry.path])
                else:
                    yield entry.path, False
        yield str(folder), True


def _sync_file_system(descriptor: int) -> bool:
    """syncfs(2) of Linux: writes all that the descriptor's file system has not written yet, and waits for it.

    Returns whether there is such a call. Raises OSError if something could not be written since the
    descriptor was opened, which Linux reports since 5.8.
    """
    if sys.platform != "linux":
        return False
    import ctypes  # takes as long as reading ten logs

    try:
        syncfs = ctypes.CDLL(None, use_errno=True).syncfs
    except AttributeError:  # a C library without it
        return False
    if syncfs(descriptor):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return True
