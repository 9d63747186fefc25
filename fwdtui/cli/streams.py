"""Filters everything that a command prints, so that no text acts on the terminal, in new commands too.

Names, labels, errors and the output of hosts are hostile text. Whatever is written to `sys.stdout` and
`sys.stderr` while a command runs, by `print` too, keeps its line ends and tabs; every other control character
and every invisible one is spelled out. fwdtui's own terminal controls (colours, the progress line) use
`bare`; whole documents and value files, which have rules of their own, use `buffer`.

Streams that were closed by whoever started the program (`>&-`, `<&-`) are replaced first.
"""

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO, TextIO, cast


class Outlet:
    """A text stream whose `write` filters; everything else is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self.bare = stream
        """The unfiltered stream, for our own terminal controls. Clean foreign text in them first."""

    def write(self, text: str) -> int:
        """Write `text` filtered; returns its length."""
        if text.isascii() and text.replace("\n", "").isprintable():
            self.bare.write(text)  # nearly always: nothing more is loaded
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
    """Make standard output and standard error outlets while a command runs."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Outlet(before[0]), Outlet(before[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


class _Closed:
    """A closed standard input: only reading it is an error."""

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
    """Replace a closed stream, for which Python has None, by one that can be used like any other.

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
