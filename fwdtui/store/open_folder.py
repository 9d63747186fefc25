"""A folder held open, and where it lies now: somebody may rename, move or delete it meanwhile."""

import contextlib
import os
from pathlib import Path

_PROC = Path("/proc/self/fd")


class OpenFolder:
    """`descriptor` stays that of the same folder whatever it is called."""

    def __init__(self, path: Path) -> None:
        """Raises OSError."""
        self.descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def is_at(self, path: Path) -> bool:
        """Whether this is the folder at `path`. Never raises."""
        try:
            there = path.stat()
        except (OSError, ValueError):
            return False
        own = os.fstat(self.descriptor)
        return (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)

    def find(self, last: Path) -> Path | None:
        """Where it lies now, having been at `last`; None: it is deleted, or where cannot be told.

        Linux knows the path of what is open; elsewhere a renamed folder is found beside its old name.
        """
        if self.is_at(last):
            return last
        with contextlib.suppress(OSError):
            named = (_PROC / str(self.descriptor)).readlink()
            if self.is_at(named):
                return named
        with contextlib.suppress(OSError):
            return next((path for path in last.parent.iterdir() if self.is_at(path)), None)
        return None

    def close(self) -> None:
        """A second call does nothing."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
