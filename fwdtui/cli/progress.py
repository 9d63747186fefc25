"""Progress on stderr, for anything that takes longer than a second."""

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from fwdtui.core.text import clean, visible
from fwdtui.core.time_left import TimeLeft

_PATIENCE = 1.0  # seconds before the first line
_EVERY = 0.2
_MB = 1_000_000


class Progress:
    """Call it with (done, total, what) each time more is done. It draws at most five times a second.

    `done` items are finished; `what` is the next or the last one. `total` is 0 if it is not known. If stderr
    is not a terminal, it prints a plain line every ten seconds instead. As a context manager, it clears its
    line at the end.
    """

    def __init__(self, verb: str, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock`: seconds of any clock that does not jump."""
        self._verb = verb
        self._clock = clock
        self._next = clock() + _PATIENCE
        self._left = TimeLeft()
        self._terminal = sys.stderr.isatty()
        self._drawn = False

    def __call__(self, done: int, total: int, what: str) -> None:
        now = self._clock()
        self._left.step(done, total, now)
        if now < self._next:
            return
        text = f"{self._verb} {done}/{total}  {what}" if total else f"{self._verb} {done}  {what}"
        self.say("  ".join(filter(None, [text, self._left.text])))

    def say(self, text: str) -> None:
        """Draw `text` at once."""
        self._next = self._clock() + (_EVERY if self._terminal else 10.0)
        if self._terminal:
            _bare().write(f"\r\x1b[K{in_one_line(text)}")
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()
        self._drawn = self._terminal

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn:
            _bare().write("\r\x1b[K")
            sys.stderr.flush()


def in_one_line(text: str) -> str:
    """`text` as wide as the terminal at most: a line that wraps cannot be cleared."""
    from fwdtui.report.cells import shorten  # late: what takes less than a second draws no line

    return shorten(visible(text).replace("\t", " "), max(shutil.get_terminal_size().columns - 1, 1))


def _bare() -> TextIO:
    """Standard error, unfiltered, for terminal controls of our own."""
    return getattr(sys.stderr, "bare", sys.stderr)


class Reading:
    """Progress of reading value files, by their sizes. Call it with a path and the bytes read so far."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._sizes = {path: _size(path) for path in paths}
        self._done = dict.fromkeys(paths, 0)
        self._progress = Progress("reading")

    def __call__(self, path: str, done: int) -> None:
        self._done[path] = done
        total = sum(self._sizes.values()) if all(self._sizes.values()) else 0
        self._progress(sum(self._done.values()) // _MB, total // _MB, f"MB, {clean(path)}")

    def then(self, what: str) -> None:
        """Show what is done next: it takes a while with that many values."""
        self._progress.say(what)

    def close(self) -> None:
        """Clear the line."""
        self._progress.__exit__(None, None, None)


def _size(path: str) -> int:
    """The size in bytes; 0 if unknown, as for a pipe or a file that does not exist."""
    try:
        return Path(path).stat().st_size if path != "-" else 0
    except (OSError, ValueError):
        return 0
