"""What a command prints passes here, so that a new command cannot forget: nothing in it acts on a terminal.

Names, labels, errors and the output of hosts are hostile text. Whatever is written to `sys.stdout` and
`sys.stderr` while a command runs, by `print` too, keeps its line ends and tabs; every other control character
and every unseen one is spelled out. What fwdtui itself says to a terminal (colours, the line of progress)
goes by `bare`, and whole documents and value files, which have rules of their own, by `buffer`.

Streams that were closed by whoever started the program (`>&-`, `<&-`) are replaced first.
"""

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO, TextIO, cast


class Outlet:
    """A text stream without surprises; everything but `write` is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self.bare = stream
        """For what acts on the terminal on purpose. Texts of others in it are cleaned before."""

    def write(self, text: str) -> int:
        """Returns the number of characters that it was given."""
        if text.isascii() and text.replace("\n", "").isprintable():
            self.bare.write(text)  # nearly always: nothing is loaded for it
        else:
            from fwdtui.core.text import visible_lines
            from fwdtui.report.terminal import encodable

            self.bare.write(encodable(visible_lines(text), self.bare))
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        """Each as `write` does."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.bare, name)


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Standard output and standard error as outlets while a command runs."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Outlet(before[0]), Outlet(before[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


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


def replace_closed() -> None:
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
