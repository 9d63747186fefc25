"""A second recording beside the one being played, with its blasts aligned to those of the first."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec

from fwdtui.core.arrived import QUIET
from fwdtui.core.roles import ATTACK
from fwdtui.core.units import counted
from fwdtui.monitor.live.averages import Bounds
from fwdtui.monitor.live.series import Point
from fwdtui.monitor.live.together import Present, together
from fwdtui.monitor.replay.replay import Replay
from fwdtui.ui.draw.view import lasting

FLOWS = ("offered", "forwarded", "received")
Pair = tuple[float, float]
"""When a blast of the first recording began, and when the blast of the second beside it did."""
_ALWAYS = float("-inf"), float("inf")
_STALE = 3.0  # intervals after which a rate is no longer current, as in the monitor


class Numbers(msgspec.Struct, frozen=True):
    """The second recording's rates at a moment, in packets per second; None: a gap, or not measured.

    `steady`: no rate is in the middle of a change, so that they can be subtracted. `receiver`: there is a
    receiver, so a gap in `received` is not filled by `forwarded`. `attacks`: a generator of its lab sends an
    attack, of rate `attack`.
    """

    offered: float | None = None
    forwarded: float | None = None
    received: float | None = None
    steady: bool = True
    receiver: bool = False
    attack: float | None = None
    attacks: bool = False
    unlike: bool = False  # packets are joined or split before they are counted: a difference is no loss

    @property
    def attacked(self) -> bool:
        """Whether an attack is sent, or may be: then the loss of wanted traffic is a lower bound."""
        return self.attacks and (self.attack is None or self.attack >= QUIET)

    @property
    def arrived(self) -> float | None:
        """The rate at the receiver if there is one, else at the DUT's output."""
        return self.received if self.receiver else self.forwarded

    @property
    def loss_share(self) -> float | None:
        """The share of the offered load that was lost, 0 to 1; under attack, a lower bound. None: unknown."""
        if self.offered is None or self.arrived is None or self.offered <= 0 or not self.steady:
            return None
        if self.unlike:
            return None
        share = (self.offered - self.arrived) / self.offered
        return None if self.attacks and share < 0 else share  # part of the attack arrived: it is not known


class _Played(NamedTuple):
    """A flow's points before the place `end`."""

    points: Sequence[Point]
    end: int

    @property
    def last(self) -> Point | None:
        return self.points[self.end - 1] if self.end else None

    def since(self, start: float) -> tuple[Point, ...]:
        return tuple(self.points[bisect_right(self.points, start, key=lambda point: point.at) : self.end])


class Beside(msgspec.Struct, frozen=True, eq=False):
    """The second recording, laid on the time axis of the first.

    `flows`: its points on that axis, in order; points that do not fit are left out. "attack" is one of the
    flows if a generator of its lab sends one. `interval`: its sampling interval in seconds. `note`: what is
    not shown, in words. `frame`: the length of its frames in bytes with FCS; None: not known.
    """

    name: str
    flows: dict[str, tuple[Point, ...]]
    interval: float
    blasts: int
    note: str = ""
    iterations: tuple[tuple[float, str], ...] = ()
    """The start of each of its blasts on the first recording's axis, and the iteration that it became.

    "" if it became none, and where the room for the blast ends.
    """
    frame: int | None = None
    ends: tuple[tuple[float, float | None], ...] = ()
    """The start of each of its blasts on the first recording's axis, and its end; None: not known.

    A blast that goes on when the recording ends has ended then.
    """
    unlike: tuple[Bounds, ...] = ()
    """The stretches in which a difference of counts is no loss, on the first recording's axis."""

    def over(self, now: float) -> bool:
        """Whether its blast at this moment has ended. Its last interval, partly quiet, counts as ended."""
        end = next((end for at, end in reversed(self.ends) if at <= now), None)
        return end is not None and now > end - self.interval

    def iteration(self, now: float) -> str:
        """The number of its iteration at this moment, such as ``3``; "" if there is none."""
        begun = [name for at, name in self.iterations if at <= now]
        return begun[-1] if begun else ""

    def series(self, start: float, end: float) -> tuple[Point, ...]:
        """The points of the rate received (else forwarded) from `start` to `end`."""
        points = self.flows["received"] or self.flows["forwarded"]
        first = max(bisect_left(points, start, key=lambda point: point.at) - 1, 0)
        return points[first : bisect_right(points, end, key=lambda point: point.at)]

    def at(self, now: float) -> Numbers:
        """Its rates at this moment of the first recording's axis, all of the same seconds."""
        present = self._present(now)
        rates = {name: None if one is None else one.point.value for name, one in present.items()}
        steady = all(one is None or one.steady for name, one in present.items() if name != ATTACK)
        attacks = ATTACK in self.flows
        unlike = any(begin < now <= end for begin, end in self.unlike)
        receiver = bool(self.flows["received"])
        return Numbers(**rates, steady=steady, receiver=receiver, attacks=attacks, unlike=unlike)

    def arrived_bps(self, now: float) -> float | None:
        """The rate received (else forwarded) at this moment, in bits per second."""
        one = self._present(now)["received" if self.flows["received"] else "forwarded"]
        return None if one is None else one.point.bps

    def _present(self, now: float) -> dict[str, Present | None]:
        played = {
            name: _Played(self.flows[name], bisect_right(self.flows[name], now, key=lambda point: point.at))
            for name in (*FLOWS, ATTACK)
            if name != ATTACK or name in self.flows
        }
        return together(played, now - _STALE * self.interval)


def mean(points: Sequence[Point], start: float, end: float) -> float | None:
    """The mean over the intervals between these moments, give or take a tenth of one; None: there is none.

    A longer interval counts for more: what a host missed is in the interval of its next sample.
    """
    known = [
        (p.value, p.seconds)
        for p in points[bisect_right(points, start, key=lambda point: point.at) :]
        if p.value is not None
        and start - 0.1 * p.seconds <= p.at - p.seconds
        and p.at <= end + 0.1 * p.seconds
    ]
    seconds = sum(length for _, length in known)
    return sum(value * length for value, length in known) / seconds if seconds > 0 else None


def beside(first: Replay, second: Replay) -> Beside:
    """Align blast n of the second with blast n of the first; without blasts, align the beginnings."""
    mine, its = first.beginnings(), second.beginnings()
    pairs = begun = list(zip(mine, its, strict=False))
    if pairs:
        # a stretch ends in the middle of the quiet before the next blast, in either recording
        here = _stretches(first, [pair[0] for pair in pairs])
        there = _stretches(second, [pair[1] for pair in pairs])
    else:
        pairs, here, there = [(first.start, second.start)], [_ALWAYS], [_ALWAYS]
        begun = [(began + first.start - second.start, began) for began in its]
    flows: dict[str, tuple[Point, ...]] = {}
    for name in (*FLOWS, ATTACK) if second.lab.attacked else FLOWS:
        points = tuple(second.surveyed.flows.get(name, ()))
        laid: list[Point] = []
        for (to, origin), (begin, end), (low, high) in zip(pairs, here, there, strict=True):
            shift = to - origin
            laid += [
                msgspec.structs.replace(point, at=point.at + shift)
                for point in points
                if low < point.at <= high and begin < point.at + shift <= end
            ]
        flows[name] = tuple(laid)
    note = _left_out(first, second, pairs, here)
    rooms = here if mine else [_ALWAYS] * len(begun)
    iterations = _iterations(second, list(zip(begun, rooms, strict=False)))
    blasts = len(pairs) if its else 0
    ended = {began: second.end if end is None else end for began, end in second.surveyed.blasts}
    ends = tuple(
        (to, None if (last := ended.get(origin)) is None else last + to - origin) for to, origin in begun
    )
    unlike = tuple(
        (begin + to - origin, end + to - origin)
        for (to, origin), (low, high) in zip(pairs, there, strict=True)
        for begin, end in second.surveyed.unlike
        if low < end <= high
    )
    lab, name = second.lab, second.recording.name
    return Beside(name, flows, lab.interval, blasts, note, iterations, lab.frame, ends, unlike)


def _iterations(second: Replay, begun: Sequence[tuple[Pair, Bounds]]) -> tuple[tuple[float, str], ...]:
    """See `Beside.iterations`. `begun`: its blasts, each with the stretch that is there for it."""
    found: list[tuple[float, str]] = []
    there = _stretches(second, [origin for (_, origin), _ in begun]) if begun else []
    for ((to, _), (_, end)), (low, high) in zip(begun, there, strict=True):
        made = [
            str(one.index) if one.saved else ""
            for one in second.surveyed.iterations
            if one.window is not None and one.window.start is not None and low < one.window.start <= high
        ]
        found.append((to, made[-1] if made else ""))
        if end < float("inf"):
            found.append((end, ""))  # there may be a blast here that none of its own is beside
    return tuple(found)


def _left_out(first: Replay, second: Replay, pairs: Sequence[Pair], here: Sequence[Bounds]) -> str:
    """What has no counterpart in the other recording, and what of the second is cut off; "" if nothing."""
    mine, its = len(first.beginnings()), len(second.beginnings())
    least = max(second.lab.interval, 0.5)  # seconds; what lasts no longer than a sample is no difference
    if not mine or not its:
        longer = (second.end - second.start) - (first.end - first.start)
        told = f"It is {lasting(longer)} longer than this recording: its end is not shown."
        return told if longer > least else ""
    notes = []
    if its < mine:
        notes.append(
            f"It has {counted(its, 'blast')}, this recording has {mine}: the others have no counterpart."
        )
    elif its > mine:
        rest = f"the last {its - mine} are" if its - mine > 1 else "the last one is"
        notes.append(f"It has {its} blasts, this recording has {mine}: {rest} not shown.")
    ends = dict(second.surveyed.blasts)
    cut = {}
    for number, ((to, origin), (_, end)) in enumerate(zip(pairs, here, strict=True), 1):
        ended = ends.get(origin)
        over = (second.end if ended is None else ended) + to - origin - min(end, first.end)
        if over > least:
            cut[number] = over
    if cut:
        longest = lasting(max(cut.values()))
        which, whose = f"{len(cut)} of its blasts last", f"up to {longest} of each are"
        if len(cut) == 1:
            which, whose = (
                f"Its blast {next(iter(cut))} lasts" if its > 1 else "Its blast lasts",
                f"its last part ({longest}) is",
            )
        notes.append(f"{which} longer than there is room for beside this recording: {whose} not shown.")
    return " ".join(notes)


def _stretches(replay: Replay, begins: Sequence[float]) -> list[tuple[float, float]]:
    """The stretch of time that belongs to each of these blasts."""
    ends = {began: began if ended is None else ended for began, ended in replay.surveyed.blasts}
    edges = [float("-inf")]
    edges += [(ends.get(one, one) + other) / 2 for one, other in pairwise(begins)]
    later = [began for began in replay.beginnings() if began > begins[-1]]
    edges.append((ends.get(begins[-1], begins[-1]) + later[0]) / 2 if later else float("inf"))
    return list(pairwise(edges))
