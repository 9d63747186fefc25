"""Detects when a blast begins and ends, from the rates of the generator and of the DUT together.

One of them alone misleads: a DUT that drops out in the middle would end the blast, and a generator whose
packets bypass the kernel's counters would never begin one. So a blast begins when every side with rates is
busy, and ends when none has been busy for a while.
"""

from copy import copy

import msgspec

from fwdtui.core.arrived import QUIET

ABANDONED = 60.0  # seconds without a rate from any side after which a blast is given up
_SILENCE = 1.5  # seconds beyond `settle`: tools print their lines every one or two
OFFERED = "offered"  # the generators' side


def quiet_after(interval: float) -> float:
    """Seconds of quiet on all sides that end a blast; `interval`: seconds between two samples of a host."""
    return max(1.0, 3 * interval)


class Blast(msgspec.Struct, frozen=True):
    """When a blast began and ended, in seconds on the recording's axis. `ended` is None while it goes on.

    `unseen`: its end was not observed; `ended` is when it was last seen.
    """

    began: float
    ended: float | None = None
    unseen: bool = False


class _Side:
    """One side's activity. Busy: above the noise, and above a tenth of its peak."""

    def __init__(self) -> None:
        self.busy = False
        self.began = 0.0
        self.surely = 0.0  # busy from here on, and perhaps for part of the interval before
        self.last_busy = 0.0
        self.seen = 0.0
        self._peak = 0.0

    def feed(self, begin: float, end: float, rate: float) -> None:
        self.seen = end
        if rate >= max(QUIET, 0.1 * self._peak):
            if not self.busy:
                self.busy, self.began, self.surely = True, begin, end
            self._peak = max(self._peak, rate)
            self.last_busy = end
        else:
            self.busy = False

    def forget(self) -> None:
        """Reset after a blast: a tool that ended while busy never reports zero."""
        self.busy = False
        self._peak = 0.0


class BlastDetector:
    """Feed it each side's rates as they arrive; it returns the blast when one begins or ends."""

    def __init__(self, settle: float = 2.0) -> None:
        self._settle = settle  # seconds of quiet on all sides that end a blast
        self._sides: dict[str, _Side] = {}
        self.current: Blast | None = None
        self.over = False  # whether the generator is known to have ended, although it prints no zeros
        self.all_said = False  # whether no line of any generator is still to come: all have ended
        self.absent: frozenset[str] = frozenset()  # sides of which nothing is heard: a host is lost or silent
        self._surely: float | None = None

    def fork(self) -> "BlastDetector":
        """A copy of this detector."""
        twin = BlastDetector(self._settle)
        twin._sides = {name: copy(side) for name, side in self._sides.items()}
        twin.current = self.current
        twin.over, twin.all_said, twin.absent = self.over, self.all_said, self.absent
        twin._surely = self._surely
        return twin

    @property
    def surely(self) -> float | None:
        """Since when there has certainly been traffic: the interval in which a side began is partly quiet.

        For the current blast, else for the sides that are busy; None if none is.
        """
        if self.current is not None:
            return self._surely
        return min((side.surely for side in self._sides.values() if side.busy), default=None)

    @property
    def longest_end(self) -> float:
        """Seconds after which an end is detected at the latest: a tool that has ended prints no zeros."""
        return self._settle + _SILENCE

    def _quiet(self, name: str, side: _Side, last: float, now: float) -> bool:
        """Whether the side is quiet. Long silence counts, too: a tool that has ended prints no zeros."""
        patience = 0.0 if self.all_said and name == OFFERED else _SILENCE
        if now >= side.seen + self._settle + patience:
            return True
        return not side.busy and side.seen >= last + self._settle

    def feed(self, side: str, begin: float, end: float, rate: float | None) -> Blast | None:
        """`side` was sending or receiving `rate` packets per second from `begin` to `end`; None: a gap.

        Returns the blast if this begins it (ended None) or ends it; else None.
        """
        state = self._sides.setdefault(side, _Side())
        if rate is None:
            return None
        state.feed(begin, end, rate)
        self.over = self.over and not state.busy
        if self.current is None:
            busy = [side for side in self._sides.values() if side.busy]
            if busy and all(one.busy or name in self.absent for name, one in self._sides.items()):
                self._surely = min(side.surely for side in busy)
                self.current = Blast(began=min(side.began for side in busy))
                return self.current
            return None
        last = max(side.last_busy for side in self._sides.values())
        if not all(self._quiet(name, other, last, end) for name, other in self._sides.items()):
            return None
        done = Blast(self.current.began, last)
        self.current = None
        for other in self._sides.values():
            other.forget()
        return done

    def passed(self, now: float) -> Blast | None:
        """Time has advanced to `now`; returns the blast if this ends it.

        A silent blast ends once all sides have been silent and the generator is known to have ended; without
        that, only after ABANDONED seconds of silence, with its end `unseen`.
        """
        silence = self.longest_end if self.over else ABANDONED
        if self.current is None or any(now < side.seen + silence for side in self._sides.values()):
            return None
        last = max(side.last_busy for side in self._sides.values())
        done = Blast(self.current.began, last, unseen=not self.over)
        self.current = None
        self.over = False
        for side in self._sides.values():
            side.forget()
        return done
