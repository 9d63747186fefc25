"""A folder held open, and its current path: it may be renamed, moved or deleted meanwhile."""

import contextlib
import os
from pathlib import Path

_PROC = Path("/proc/self/fd")


class OpenFolder:
    """`descriptor` refers to the same folder whatever its name becomes."""

    def __init__(self, path: Path) -> None:
        """Open the folder at `path`. Raises OSError."""
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
        """The folder's current path; it was at `last` before. None: it is deleted, or the path is unknown.

        Linux knows the path of an open folder; elsewhere a renamed folder is found beside its old name.
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
        """Close the descriptor; a second call does nothing."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
