"""Standard input, output and error that were closed by whoever started the program (`>&-`, `<&-`)."""

import errno
import os
import sys
from typing import BinaryIO, TextIO, cast


class _Closed:
    """Standard input that is not there: it is an error to read it, and nothing else."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        """It is no terminal."""
        return False

    def fileno(self) -> int:
        """It has no number."""
        raise OSError(errno.EBADF, "standard input is closed")

    @property
    def buffer(self) -> BinaryIO:
        """Nothing can be read."""
        raise OSError(errno.EBADF, "standard input is closed")

    def read(self, size: int = -1) -> str:
        """Nothing can be read."""
        raise OSError(errno.EBADF, "standard input is closed")


def opened() -> None:
    """Streams that can be asked as any other where Python has put None for a closed one.

    A closed standard output is an error, as a full one is: whatever the answer is, nobody would get it.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for the whole run
    if sys.stdin is None:
        sys.stdin = cast(TextIO, _Closed())
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        print("fwdtui: standard output is closed", file=sys.stderr)
        raise SystemExit(2)
