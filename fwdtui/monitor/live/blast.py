"""Detects when a blast begins and ends, from the rates of the generator and of the DUT together.

One of them alone misleads: a DUT that drops out in the middle would end the blast, and a generator whose
packets bypass the kernel's counters would never begin one. So a blast begins when every side with rates is
busy, and ends when none has been busy for a while.

The counters of some DUTs do not see the traffic at all: mlx5 counts packets of XDP in no counter of the
interface (mlx5e_fold_sw_stats64 in en_main.c), and what a card forwards by itself passes no CPU. There the
receiver stands in for the DUT's input. It hears others too, so only while a generator sends, only if its own
rate came up with the generator's, and only once the DUT has been seen idle meanwhile.
"""

from collections.abc import Sequence
from copy import copy

import msgspec

from fwdtui.core.arrived import QUIET

ABANDONED = 60.0  # seconds without a rate from any side after which a blast is given up
_SILENCE = 1.5  # seconds beyond `settle`: tools print their lines every one or two
OFFERED = "offered"  # the generators' side
DUT_IN = "dut in"
REFRESH = 1.25  # seconds within which a card brings its counters up to date: once a second, seen late
_ARRIVED = 0.01  # of what is offered: less at the receiver is no sign that the DUT forwards
_ROSE = 10.0  # the receiver's rate before a blast, times this, is none of the blast's


SLOWEST = 2.5  # seconds of quiet within which a card that counts every two seconds has counted all


def quiet_after(interval: float) -> float:
    """Seconds of quiet on all sides that end a blast; `interval`: seconds between two samples of a host."""
    return max(1.0, 3 * interval)


def stands_still(moved: Sequence[bool]) -> bool:
    """Whether a counter is brought up to date less often than it is read: it stood still between two moves.

    `moved`: of intervals that follow each other, within a blast.
    """
    places = [place for place, one in enumerate(moved) if one]
    return len(places) > 1 and places[-1] - places[0] >= len(places)


class Blast(msgspec.Struct, frozen=True):
    """When a blast began and ended, in seconds on the recording's axis. `ended` is None while it goes on.

    `unseen`: its end was not observed; `ended` is when it was last seen.
    """

    began: float
    ended: float | None = None
    unseen: bool = False


class _Side:
    """One side's activity. Busy: above the noise, and above a tenth of its peak.

    Some cards bring their counters up to date once a second (live/refreshes.py). Read more often than that,
    such a side shows no packet in most intervals, and stays busy from refresh to refresh.
    """

    def __init__(self) -> None:
        self.busy = False
        self.began = 0.0
        self.surely = 0.0  # busy from here on, and perhaps for part of the interval before
        self.last_busy = 0.0
        self.seen = 0.0
        self.rate = 0.0
        self._peak = 0.0

    def feed(self, begin: float, end: float, rate: float) -> None:
        self.seen, self.rate = end, rate
        if rate >= max(QUIET, 0.1 * self._peak):
            if not self.busy:
                self.busy, self.began, self.surely = True, begin, end
            self._peak = max(self._peak, rate)
            self.last_busy = end
        elif end - begin >= 1.0 or end > self.last_busy + REFRESH:
            self.busy = False

    def forget(self) -> None:
        """Reset after a blast: a tool that ended while busy never reports zero."""
        self.busy = False
        self._peak = 0.0


class _Receiver(_Side):
    """What the receiver hears: packets of others too, so its rate begins anew when it comes up from those."""

    def feed(self, begin: float, end: float, rate: float) -> None:
        if rate >= _ROSE * self._peak:
            self.busy = False
        super().feed(begin, end, rate)


class BlastDetector:
    """Feed it each side's rates as they arrive; it returns the blast when one begins or ends."""

    def __init__(self, settle: float = 2.0) -> None:
        self._settle = settle  # seconds of quiet on all sides that end a blast
        self._sides: dict[str, _Side] = {}
        self._receiver = _Receiver()
        self._in_place = False  # whether the receiver stands in for the DUT's input in this blast
        self.current: Blast | None = None
        self.over = False  # whether the generator is known to have ended, although it prints no zeros
        self.all_said = False  # whether no line of any generator is still to come: all have ended
        self.absent: frozenset[str] = frozenset()  # sides of which nothing is heard: a host is lost or silent
        self._surely: float | None = None

    def fork(self) -> "BlastDetector":
        """A copy of this detector."""
        twin = BlastDetector(self._settle)
        twin._sides = {name: copy(side) for name, side in self._sides.items()}
        twin._receiver, twin._in_place = copy(self._receiver), self._in_place
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

    def _stands_in(self, name: str, side: _Side) -> bool:
        """Whether the receiver shows that this idle side forwards what the generator sends."""
        offered, receiver = self._sides.get(OFFERED), self._receiver
        if name != DUT_IN or offered is None or not (offered.busy and receiver.busy):
            return False
        return (
            receiver.began >= offered.began - self.longest_end
            and receiver.rate >= _ARRIVED * offered.rate
            and side.seen >= max(offered.surely, receiver.surely) + self._settle
        )

    @property
    def _watched(self) -> dict[str, _Side]:
        """The sides that a blast ends with."""
        return {**self._sides, "received": self._receiver} if self._in_place else self._sides

    def received(self, begin: float, end: float, rate: float | None) -> None:
        """The receiver heard `rate` packets per second from `begin` to `end`; None: a gap.

        It begins and ends no blast by itself: the next rate of a side does.
        """
        if rate is not None:
            self._receiver.feed(begin, end, rate)

    def feed(self, side: str, begin: float, end: float, rate: float | None) -> Blast | None:
        """`side` was sending or receiving `rate` packets per second from `begin` to `end`; None: a gap.

        Returns the blast if this begins it (ended None) or ends it; else None.
        """
        if rate is None and side not in self._sides:  # a port that the kernel does not have: no side at all
            return None
        state = self._sides.setdefault(side, _Side())
        if rate is None:
            return None
        state.feed(begin, end, rate)
        self.over = self.over and not state.busy
        if self.current is None:
            busy = [side for side in self._sides.values() if side.busy]
            idle = {n: one for n, one in self._sides.items() if not one.busy and n not in self.absent}
            if busy and all(self._stands_in(name, one) for name, one in idle.items()):
                self._in_place = bool(idle)
                self._surely = min(side.surely for side in busy)
                self.current = Blast(began=min(side.began for side in busy))
                return self.current
            return None
        last = max(side.last_busy for side in self._watched.values())
        if not all(self._quiet(name, other, last, end) for name, other in self._watched.items()):
            return None
        done = Blast(self.current.began, last)
        self._forget()
        return done

    def passed(self, now: float) -> Blast | None:
        """Time has advanced to `now`; returns the blast if this ends it.

        A silent blast ends once all sides have been silent and the generator is known to have ended; without
        that, only after ABANDONED seconds of silence, with its end `unseen`.
        """
        silence = self.longest_end if self.over else ABANDONED
        if self.current is None or any(now < side.seen + silence for side in self._watched.values()):
            return None
        last = max(side.last_busy for side in self._watched.values())
        done = Blast(self.current.began, last, unseen=not self.over)
        self.over = False
        self._forget()
        return done

    def _forget(self) -> None:
        """Reset after a blast."""
        self.current, self._in_place = None, False
        for side in (*self._sides.values(), self._receiver):
            side.forget()
