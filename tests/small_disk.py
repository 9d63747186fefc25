"""A disk of a few megabytes that a test can fill, empty and make read-only: a real one, in memory."""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NOBODY = 65534


class SmallDisk:
    """`folder` is where it is mounted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self) -> None:
        """Not one block is left."""
        descriptor = os.open(self._filler, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            while True:
                os.write(descriptor, b"x" * 4096)
        except OSError as error:
            assert error.errno == errno.ENOSPC
        finally:
            os.close(descriptor)

    def empty(self) -> None:
        """What `fill` took is there again."""
        self._filler.unlink()

    def read_only(self) -> None:
        """Nothing may be written until `writable`; nobody may have a file open to write."""
        subprocess.run(["mount", "-o", "remount,ro", str(self.folder)], check=True)

    def writable(self) -> None:
        """As at first."""
        subprocess.run(["mount", "-o", "remount,rw", str(self.folder)], check=True)


@contextmanager
def mounted(folder: Path, size: str = "4m") -> Iterator[SmallDisk]:
    """A small disk at `folder`, which is made; unmounted afterwards whatever happened. Skips without root."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk")
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip(f"a disk cannot be mounted here: {done.stderr.decode().strip()}")
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def as_nobody(folder: Path) -> Iterator[None]:
    """For root permissions do not count: within, a user whose `folder` it is and nothing else."""
    if os.geteuid() != 0:
        yield
        return
    os.chown(folder, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
