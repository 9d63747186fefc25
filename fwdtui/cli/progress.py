"""A progress line on stderr for anything over a second; nothing for what is quicker or not on a terminal."""

import sys
import time
from types import TracebackType
from typing import Self

_PATIENCE = 1.0  # seconds before the first line
_EVERY = 0.2


class Progress:
    """Call it with (done, total, what); it draws at most five times a second and cleans up after itself.

    Where stderr is not a terminal it prints a plain line every ten seconds instead.
    """

    def __init__(self, verb: str) -> None:
        self._verb = verb
        self._started = time.monotonic()
        self._next = self._started + _PATIENCE
        self._terminal = sys.stderr.isatty()
        self._drawn = False

    def __call__(self, done: int, total: int, what: str) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (_EVERY if self._terminal else 10.0)
        left = (now - self._started) / done * (total - done) if done else 0.0
        text = f"{self._verb} {done}/{total}  {what}  {left:.0f} s left"
        if self._terminal:
            sys.stderr.write(f"\r\x1b[K{text}")
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
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
