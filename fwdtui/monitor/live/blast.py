"""Detects when a blast begins and ends, from the rates of the generator and of the DUT together.

The generator and the DUT's input are the two sides of a blast. One of them alone misleads: a DUT that drops
out in the middle would end the blast, and a generator whose packets bypass the kernel's counters would never
begin one. So a blast begins when every side with rates is busy, and ends when none has been busy for a while.

A port carries other traffic, too. A rate of less than a tenth of what a blast brings to the port does not
belong to the blast. That holds at its end and also at its beginning, where the detector waits until the
side's rate has risen. What a port carried while there was no blast sets no such limit once it has ceased.

A DUT may also receive an attack besides the wanted traffic: if the attack began long before the generator, or
goes on long after it, the generator alone decides when the blast began or ended.

The counters of some DUTs do not see the traffic at all: mlx5 counts packets of XDP in no counter of the
interface (mlx5e_fold_sw_stats64 in en_main.c), and what a card forwards by itself passes no CPU. In that case
the receiver stands in for the DUT's input. It receives other traffic too, so it does so only while a
generator sends, only if its own rate rose with the generator's, and only once the DUT has been seen idle
meanwhile.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from math import inf

import msgspec

from fwdtui.core.arrived import QUIET

ABANDONED = 60.0  # seconds without a rate from any side after which a blast is given up
_BLIND = 5.0  # seconds of a blast's end that may go unseen: hosts and networks are busy just then
_SILENCE = 1.5  # seconds beyond `settle`: tools print their lines every one or two
OFFERED = "offered"  # the generators' side
DUT_IN = "dut in"
REFRESH = 1.25  # seconds within which a card brings its counters up to date: once a second, seen late
_ARRIVED = 0.01  # share of what is offered: less at the receiver is no sign that the DUT forwards
_ROSE = 10.0  # a side whose rate rises this many times begins only then: the rate before was other traffic
SLOWEST = 2.5  # seconds of quiet within which a card that counts every two seconds has counted all


def quiet_after(interval: float) -> float:
    """Seconds of quiet on all sides that end a blast; `interval`: seconds between two samples of a host."""
    return max(1.0, 3 * interval)


def stands_still(moved: Sequence[bool]) -> bool:
    """Whether a counter stood still between two moves: it is brought up to date less often than it is read.

    `moved`: for each of the consecutive intervals of a blast, whether the counter moved in it.
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
    """One side's activity. It is busy if its rate is above the noise and above a tenth of its peak.

    If the rate rises to ten times the lowest rate so far, the side has begun only then: what it carried
    before was other traffic. The interval in which it began is not counted as a rate, since it may be partly
    quiet.

    Some cards bring their counters up to date once a second (live/refreshes.py). Read more often than that,
    such a side shows no packet in most intervals, and stays busy from refresh to refresh.
    """

    def __init__(self) -> None:
        self.busy = False
        self.rested = False  # whether it was ever seen idle; else it may have begun before its first sample
        self.began = 0.0
        self.surely = 0.0  # certainly busy from here on, and perhaps for part of the interval before
        self.last_busy = 0.0
        self.ceased: float | None = None  # when it was first seen less busy after that; None: not yet
        self.seen = 0.0
        self.rate = 0.0
        self._peak = 0.0
        self._least = inf  # lowest rate since it began, without the first interval

    def feed(self, begin: float, end: float, rate: float) -> None:
        self.seen, self.rate = end, rate
        if rate >= max(QUIET, 0.1 * self._peak):
            if not self.busy or rate >= _ROSE * self._least:
                self.busy, self.began, self.surely, self._least = True, begin, end, inf
            else:
                self._least = min(self._least, rate)
            self._peak = max(self._peak, rate)
            self.last_busy, self.ceased = end, None
            return
        self.ceased = begin if self.ceased is None else self.ceased
        if end - begin >= 1.0 or end > self.last_busy + REFRESH:
            self.busy, self.rested = False, True

    def forget(self) -> None:
        """Reset after a blast, or after traffic that was none: the next blast may have a tenth of its rate.

        A tool that ended while busy never reports zero.
        """
        self.busy = False
        self._peak = 0.0


class BlastDetector:
    """Feed it each side's rates as they arrive; it returns the blast when one begins or ends."""

    def __init__(self, settle: float = 2.0, *, attacked: bool = False) -> None:
        """`settle`: seconds of quiet that end a blast. `attacked`: the DUT may receive an attack, too."""
        self._settle = settle
        self._attacked = attacked
        self._sides: dict[str, _Side] = {}
        self._receiver = _Side()
        self._in_place = False  # whether the receiver stands in for the DUT's input in this blast
        self._early = False  # whether this blast began before every side had a rate
        self.current: Blast | None = None
        self.over = False  # whether the generator is known to have ended, although it prints no zeros
        self.all_said = False  # whether no line of any generator is still to come: all have ended
        self.absent: frozenset[str] = frozenset()  # sides without rates: a host or a port is away
        self._told = inf  # since when one of these two is known
        self._surely: float | None = None

    def fork(self) -> "BlastDetector":
        """A copy of this detector."""
        twin = BlastDetector(self._settle, attacked=self._attacked)
        twin._sides = {name: copy(side) for name, side in self._sides.items()}
        twin._receiver, twin._in_place, twin._early = copy(self._receiver), self._in_place, self._early
        twin.current = self.current
        twin.over, twin.all_said, twin.absent = self.over, self.all_said, self.absent
        twin._told, twin._surely = self._told, self._surely
        return twin

    @property
    def surely(self) -> float | None:
        """Since when there has certainly been traffic; the interval in which a side began is partly quiet.

        This is about the current blast, or without one about the busy sides; None if no side is busy.
        """
        if self.current is not None:
            return self._surely
        return min((side.surely for side in self._sides.values() if side.busy), default=None)

    @property
    def sending(self) -> float | None:
        """Since when a generator has been sending, in a detected blast or not; None if none is sending."""
        offered = self._sides.get(OFFERED)
        return offered.began if offered is not None and offered.busy else None

    @property
    def longest_end(self) -> float:
        """Seconds after which an end is detected at the latest: a tool that has ended prints no zeros."""
        return self._settle + _SILENCE

    @property
    def fading(self) -> bool:
        """Whether the current blast may be over: its generator is quiet, or the DUT if that is not heard."""
        if self.current is None:
            return False
        offered, newest = self._sides.get(OFFERED), max(side.seen for side in self._sides.values())
        if self.over or self.all_said:
            return True
        if offered is not None and offered.seen > max(self.current.began, newest - self._settle):
            return not offered.busy
        return not all(side.busy for side in self._sides.values() if side is not offered)

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
        """The receiver received `rate` packets per second from `begin` to `end`; None: a gap.

        This begins or ends no blast by itself: the next rate of a side does.
        """
        if rate is not None:
            self._feed(self._receiver, begin, end, rate)

    def _feed(self, side: _Side, begin: float, end: float, rate: float) -> None:
        """Feed a side. Once it is idle while there is no blast, what it carried was no blast."""
        side.feed(begin, end, rate)
        if self.current is None and not side.busy:
            side.forget()

    def feed(self, side: str, begin: float, end: float, rate: float | None) -> Blast | None:
        """`side` was sending or receiving `rate` packets per second from `begin` to `end`; None: a gap.

        Returns the blast if this begins it (with `ended` None), if it turns out to begin later than was
        returned before, or if this ends it; else None.
        """
        if rate is None and side not in self._sides:  # a port that the kernel does not have: no side at all
            return None
        state = self._sides.setdefault(side, _Side())
        if rate is None:
            return None
        self._feed(state, begin, end, rate)
        self.over = self.over and not state.busy
        self._tell(end)
        if self.current is None:
            return self._begun(end)
        return self._anew(self.current) or self._ended(self.current, end)

    def _begun(self, now: float) -> Blast | None:
        """The blast that has begun by `now`, if one has."""
        offered = self._sides.get(OFFERED)
        if offered is not None and self.all_said and now >= offered.last_busy + self.longest_end:
            offered.forget()  # its tool has ended, and what it sent was no blast
        busy = {name: side for name, side in self._sides.items() if side.busy}
        idle = {n: one for n, one in self._sides.items() if not one.busy and n not in self.absent}
        if not busy or not all(self._stands_in(name, one) for name, one in idle.items()):
            return None
        tell = self._without_attack(busy)
        if self._may_rise(tell):
            return None
        self._in_place, self._early = bool(idle), not self._sides.keys() >= {OFFERED, DUT_IN}
        return self._takes(tell)

    def _takes(self, sides: Mapping[str, _Side]) -> Blast:
        """Let the current blast begin with the earliest of these sides."""
        self._surely = min(side.surely for side in sides.values())
        self.current = Blast(began=min(side.began for side in sides.values()))
        return self.current

    def _anew(self, current: Blast) -> Blast | None:
        """The current blast, with a later beginning, if a side that had no rates before has become busy now.

        A tool that prints its own rate has no rates before it sends, while the DUT already receives other
        traffic, which may have been taken for the blast. None if the beginning does not change.
        """
        busy = {name: side for name, side in self._sides.items() if side.busy}
        if not self._early or not busy.keys() >= {OFFERED, DUT_IN}:
            return None
        tell = self._without_attack(busy)
        if self._may_rise(tell):
            return None
        self._early = False
        return self._takes(tell) if min(side.began for side in tell.values()) > current.began else None

    def _without_attack(self, busy: Mapping[str, _Side]) -> Mapping[str, _Side]:
        """The busy sides that show when a blast began: without those that an attack kept busy long before.

        A side that was never seen idle may have been busy for a long time: a recording, or what is saved with
        an iteration, may begin during the attack.
        """
        offered = busy.get(OFFERED)
        if not self._attacked or offered is None:
            return busy

        def long_before(side: _Side) -> bool:
            return side.began < offered.began - (self.longest_end if side.rested else SLOWEST)

        return {name: side for name, side in busy.items() if side is offered or not long_before(side)}

    def _may_rise(self, busy: Mapping[str, _Side]) -> bool:
        """Whether a side that was busy long before the last one may still rise: it is too early to tell.

        Either it was busy with the blast, and the last side came late, or it was busy with other traffic, and
        then its rate rises now as well. Which of the two it was shows only after a whole interval.
        """
        last = max(busy.values(), key=lambda side: side.began)
        until = last.surely + max(SLOWEST, last.surely - last.began)
        return any(
            side.surely < last.began - SLOWEST and side.seen < until and name not in self.absent
            for name, side in busy.items()
        )

    def _ended(self, current: Blast, now: float) -> Blast | None:
        """The current blast, if it has ended by `now`."""
        last = max(side.last_busy for side in self._watched.values())
        if self._attack_alone(current, last):
            offered = self._sides[OFFERED]
            done = self._done(current, offered.last_busy, [offered])
            self._forget(attacked=True)
            return done
        if not all(self._quiet(name, other, last, now) for name, other in self._watched.items()):
            return None
        done = self._done(current, last, self._watched.values())
        self._forget()
        return done

    def _done(self, current: Blast, last: float, sides: Iterable[_Side]) -> Blast:
        """The current blast, which has ended and was last seen at `last`.

        Its end was seen if one of these sides was still heard when the traffic ceased, or if the generator is
        known to have ended just then. A lab that is out of reach until the blast is over shows only that.
        """
        blind = max(_BLIND, self.longest_end)
        ends = [self._told, *(side.ceased for side in sides if side.ceased is not None)]
        return Blast(current.began, last, unseen=all(abs(end - last) > blind for end in ends))

    def _tell(self, now: float) -> None:
        """Note since when the generator is known to have ended."""
        self._told = min(self._told, now) if self.over or self.all_said else inf

    def _attack_alone(self, current: Blast, last: float) -> bool:
        """Whether the generator is known to be quiet, and the attack went on for long, until `last`."""
        offered = self._sides.get(OFFERED)
        if not self._attacked or offered is None:
            return False
        if not current.began < offered.last_busy <= last - self.longest_end:
            return False
        return self.all_said or (not offered.busy and offered.seen >= offered.last_busy + self._settle)

    def passed(self, now: float) -> Blast | None:
        """Time has advanced to `now`; returns the blast if this ends it.

        A silent blast ends once all sides have been silent and the generator is known to have ended; without
        that, only after ABANDONED seconds of silence, with its end `unseen`.
        """
        self._tell(now)
        silence = self.longest_end if self.over else ABANDONED
        if self.current is None or any(now < side.seen + silence for side in self._watched.values()):
            return None
        last = max(side.last_busy for side in self._watched.values())
        done = self._done(self.current, last, ())
        self.over = False
        self._forget()
        return done

    def _forget(self, attacked: bool = False) -> None:
        """Reset after a blast. `attacked`: an attack goes on, which keeps the other sides busy."""
        self.current, self._in_place, self._early = None, False, False
        for side in (*self._sides.values(), self._receiver):
            if not (attacked and side.busy and side is not self._sides.get(OFFERED)):
                side.forget()
