"""Iterations that are not on disk: they wait in memory until they can be written, in their order."""

from collections.abc import Callable, Mapping

import msgspec

from fwdtui.core.model import Iteration
from fwdtui.store import SessionWriter

MOST = 64 << 20
"""Most bytes of iterations that wait in memory."""

Saved = Callable[[Iteration, Iteration], None]
"""Called with an iteration as it was passed on last, and as it is now: saved, or spoilt."""


class Unsaved(msgspec.Struct, frozen=True):
    """An iteration that is not on disk: `told` as it was returned, the rest as it will be written.

    `spoilt`: what is written instead of `told`, because it was found meanwhile that it does not count.
    """

    told: Iteration
    case: str
    lines: bytes
    logs: Mapping[str, bytes]
    spoilt: Iteration | None = None

    @property
    def iteration(self) -> Iteration:
        """The iteration as it will be written."""
        return self.spoilt or self.told

    @property
    def size(self) -> int:
        """Bytes of its samples and logs."""
        return len(self.lines) + sum(map(len, self.logs.values()))

    def write(self, writer: SessionWriter) -> Iteration:
        """Write it; returns it with its number. Raises OSError or FwdtuiError, and leaves nothing of it."""
        writing = writer.begin(self.case)
        try:
            writing.write(self.lines)
            for name, data in self.logs.items():
                writing.attach(name, data)
            saved = msgspec.structs.replace(self.iteration, index=writing.index, saved=True)
            writing.commit(saved)
        except BaseException:
            writing.withdraw()
            raise
        return saved


class UnsavedIterations:
    """The iterations that wait, the oldest first."""

    def __init__(self) -> None:
        self._waiting: list[Unsaved] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, one: Unsaved) -> bool:
        """Let one more iteration wait; returns whether there is memory for it."""
        if one.size + sum(other.size for other in self._waiting) > MOST:
            return False
        self._waiting.append(one)
        return True

    def flush(self, writer: SessionWriter, saved: Saved) -> None:
        """Write all that wait. Raises OSError or FwdtuiError: the one that could not be written waits on."""
        while self._waiting:
            one = self._waiting[0]
            written = one.write(writer)
            del self._waiting[0]
            saved(one.iteration, written)

    def spoil(self, iteration: Iteration, spoilt: Iteration) -> None:
        """Write `spoilt` instead of this iteration, if it waits."""
        self._waiting = [
            msgspec.structs.replace(one, spoilt=spoilt)
            if (one.told.began, one.told.planned) == (iteration.began, iteration.planned)
            else one
            for one in self._waiting
        ]

    def taken(self) -> list[Unsaved]:
        """Remove and return all that wait."""
        taken, self._waiting = self._waiting, []
        return taken
