"""The lab's folder: it is new, private, in the user's temporary folder, and removed with the lab."""

import fcntl
import os
import shutil
import stat
import tempfile
from importlib.resources import files
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.transport import trusted

_PREFIX = "fwdtui-simulated-"
_LOCK = "lock"
_SHELL, _QUICK = b"#!/bin/sh\n", Path("/usr/lib/klibc/bin/sh")
"""The first line of the stand-ins, and the shell that runs them instead if Debian's klibc-utils is installed.

That shell starts in a seventh of the time, and a host that is sampled starts a dozen of them a second.
"""


class Place:
    """One folder. It is locked while its lab is up, to distinguish it from what a killed lab left behind."""

    def __init__(self) -> None:
        """Raises FwdtuiError if programs cannot run from the temporary folder."""
        sweep()
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX)).resolve()
        self._lock = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        trusted.made(self.folder)
        self.bin = self.folder / "bin"
        try:
            self._install()
        except BaseException:
            self.remove()
            raise

    def _install(self) -> None:
        if ":" in str(self.folder):
            raise FwdtuiError(f"{self.folder.parent}: a colon in TMPDIR: programs there cannot be in PATH")
        self.bin.mkdir(mode=0o700)
        shell = b"#!%s\n" % os.fsencode(_QUICK) if os.access(_QUICK, os.X_OK) else _SHELL
        for source in files(__package__).joinpath("bin").iterdir():
            if not source.name.startswith((".", "_")):
                target = self.bin / source.name
                target.write_bytes(source.read_bytes().replace(_SHELL, shell, 1))
                target.chmod(0o700)
        if not os.access(self.bin / "netstat", os.X_OK):
            raise FwdtuiError(f"{self.folder.parent}: programs cannot run there (noexec); set TMPDIR")

    def remove(self) -> None:
        """Remove the folder. May be called again."""
        trusted.unmade(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def sweep() -> None:
    """Remove folders of ours whose lab was killed: no process holds their lock."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
                continue
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue  # another user's folder, or one that is being made
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            pass
        finally:
            os.close(lock)
