"""Filters everything that a command prints, so that no text acts on the terminal, not even in new commands.

Names, labels, errors and the output of hosts are hostile text. What is written to `sys.stdout` and
`sys.stderr` while a command runs, also by `print`, keeps its newlines and tabs; all other control characters
and invisible characters are spelled out. fwdtui's own terminal controls (colours, the progress line) are
written to `bare`; whole documents and value files, which have rules of their own, to `buffer`.

Streams that were closed when the program was started (`>&-`, `<&-`) are replaced first.
"""

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO, TextIO, cast


class Outlet:
    """A text stream whose `write` filters. Everything else is that of the stream itself."""

    def __init__(self, stream: TextIO) -> None:
        self.bare = stream
        """The unfiltered stream, for our own terminal controls. Clean any foreign text among them first."""

    def write(self, text: str) -> int:
        """Write `text` filtered; returns its length."""
        if text.isascii() and text.replace("\n", "").isprintable():
            self.bare.write(text)  # the usual case, for which nothing more has to be imported
        else:
            from fwdtui.core.text import visible_lines
            from fwdtui.report.terminal import encodable

            self.bare.write(encodable(visible_lines(text), self.bare))
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        """Write each line as `write` does."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.bare, name)


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Replace standard output and standard error by outlets while a command runs."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Outlet(before[0]), Outlet(before[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


class _Closed:
    """Stands for a closed standard input. Only reading it is an error."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        """It is not a terminal."""
        return False

    def fileno(self) -> int:
        """It has no descriptor."""
        raise OSError(errno.EBADF, "standard input is closed")

    @property
    def buffer(self) -> BinaryIO:
        """Nothing can be read."""
        raise OSError(errno.EBADF, "standard input is closed")

    def read(self, size: int = -1) -> str:
        """Nothing can be read."""
        raise OSError(errno.EBADF, "standard input is closed")


def replace_closed() -> None:
    """Replace closed streams, for which Python has None, by streams that can be used like any other.

    A closed standard output is an error, like a full disk: the result could not be delivered.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for the whole run
    if sys.stdin is None:
        sys.stdin = cast(TextIO, _Closed())
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        print("fwdtui: standard output is closed", file=sys.stderr)
        raise SystemExit(2)
