"""What the flows were at one moment, for the cursor of every chart and for every table of samples.

Values are those of the sample whose interval contains the moment; nothing is interpolated. Each host samples
at its own moments, so the intervals of two flows overlap without being the same.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from math import inf

import msgspec

from fwdtui.core.arrived import QUIET
from fwdtui.core.framing import layer2
from fwdtui.core.interval import JOINED, SLACK
from fwdtui.core.rates import SAID, Reason
from fwdtui.monitor.live.averages import Bounds
from fwdtui.monitor.live.series import CoreLoad, P, Point
from fwdtui.monitor.live.snapshot import Snapshot

FLOWS = ("offered", "attack", "forwarded", "received")
Flows = Mapping[str, Sequence[Point]]
"""The points of each flow of FLOWS, in order. A flow that is not measured at all is absent.

"attack" is present if a generator of the lab sends one. Loss is "offered" minus "received", or minus
"forwarded" if "received" is absent.
"""
NO_SAMPLE = "no sample"
NO_BITS = "bits are not counted"
_NOISE = 0.05  # share of the offered load: rates that differ by no more count as the same
_UNSURE = 0.5  # share of a loss: a loss that may be wrong by more than this counts as not known


class Reading(msgspec.Struct, frozen=True):
    """One flow at a moment, in packets and in bits per second. None: not known, and `why` is the cause.

    `bps` is what its source counts. `frame`, here and in a Moment: the frames' length in bytes with FCS; if
    it is known, bits are computed from packets, on layer 2.
    """

    pps: float | None
    bps: float | None = None
    why: str = ""

    def rate(self, bits: bool, frame: int | None = None) -> float | None:
        """The rate in the unit that is shown: packets per second, or bits per second if `bits`."""
        return self.bps if bits and frame is None else _in_bits(self.pps, frame if bits else None)

    def cause(self, bits: bool, frame: int | None = None) -> str:
        """Why `rate` is None, in words; "" if it is known."""
        if self.rate(bits, frame) is not None:
            return ""
        return self.why or NO_BITS


class Moment(msgspec.Struct, frozen=True):
    """All flows at `at` seconds of the recording's axis; the loss in packets per second and as a share.

    The loss is not known where both sides change, as at the edges of a blast, since their samples cover
    different times. It is not known either where packets are counted in bundles or fragmented by the DUT.
    `core`: the DUT's busiest core in the interval that contains the moment; None: not known.
    """

    at: float
    flows: Mapping[str, Reading]
    lost: float | None = None
    lost_share: float | None = None
    core: CoreLoad | None = None

    @property
    def attacked(self) -> bool:
        """Whether an attack was sent, as far as is known: the loss is a lower bound then."""
        attack = self.flows.get("attack")
        return attack is not None and (attack.pps is None or attack.pps >= QUIET)

    def loss(self, bits: bool, frame: int | None = None) -> float | None:
        """The loss in bits per second if bits are shown and the frames' length is known, else in packets."""
        return _in_bits(self.lost, frame if bits else None)

    def causes(self, bits: bool = False, frame: int | None = None) -> str:
        """Why values are missing, such as ``received: the host was rebooted``; "" if none is missing.

        If all flows are missing for one cause, that cause alone.
        """
        by_cause: dict[str, list[str]] = {}
        for name, reading in self.flows.items():
            if cause := reading.cause(bits, frame):
                by_cause.setdefault(cause, []).append(name)
        if len(by_cause) == 1 and len(self.flows) == len(next(iter(by_cause.values()))):
            return next(iter(by_cause))
        return "; ".join(f"{', '.join(names)}: {cause}" for cause, names in by_cause.items())


def _in_bits(pps: float | None, frame: int | None) -> float | None:
    return pps if pps is None or frame is None else layer2(pps, frame)


def flows_of(snapshot: Snapshot, *, receiver: bool) -> dict[str, tuple[Point, ...]]:
    """The flows of a snapshot. `receiver`: the lab has one."""
    by_name = {name: getattr(snapshot, name) for name in FLOWS}
    flows = {name: flow.points for name, flow in by_name.items() if flow is not None}
    if not receiver and not flows["received"]:
        del flows["received"]
    return flows


def covering(points: Sequence[P], at: float) -> P | None:
    """The point whose interval contains this moment, a gap or not; None: no sample covers it.

    An interval contains its end and not its beginning. A stretch between two intervals that is shorter than
    half of the second one belongs to that one (`JOINED`), so what is drawn as one line has no break here.
    """
    place = bisect_left(points, at, key=lambda point: point.at)
    return points[place] if place < len(points) and at > _begin(points, place) else None


def _begin(points: Sequence[P], place: int) -> float:
    """Where the stretch that this point covers begins."""
    point = points[place]
    begin = point.at - point.seconds
    if not place:
        return begin
    before = points[place - 1]
    if point.value is None:  # two readings with no rate between them: nothing else is known of that time
        return before.at
    near = before.value is not None and begin - before.at <= JOINED * point.seconds
    return before.at if near else max(begin, before.at)


def moment_at(
    flows: Flows, at: float, cores: Sequence[CoreLoad] = (), unlike: Sequence[Bounds] = ()
) -> Moment:
    """Everything that is known about this moment. `unlike`: times when a difference of counts is no loss."""
    points = {name: covering(flows[name], at) for name in FLOWS if name in flows}
    readings = {name: _reading(point) for name, point in points.items()}
    last = "received" if "received" in readings else "forwarded"
    offered, arrived = readings.get("offered"), readings.get(last)
    lost = None
    if offered and arrived and offered.pps is not None and arrived.pps is not None:
        lost = offered.pps - arrived.pps
        if _unsure(flows, points, "offered", last) > max(_NOISE * offered.pps, _UNSURE * abs(lost)):
            lost = None
        if "attack" in readings and lost is not None and lost < 0:
            lost = None  # part of the attack arrived: nothing is known of the wanted traffic
        if any(begin < at <= end for begin, end in unlike):
            lost = None
    share = lost / offered.pps if offered and offered.pps and lost is not None else None
    core = covering(cores, at)
    return Moment(at, readings, lost, share, core if core and core.value is not None else None)


def _unsure(flows: Flows, points: Mapping[str, Point | None], one: str, other: str) -> float:
    """By how much the difference of two flows' rates may be wrong, as their samples cover different times.

    0 if either flow keeps its rate throughout the interval of the other. At the edge of a blast both change.
    """
    first, second = points[one], points[other]
    assert first is not None and second is not None
    return min(_spread(flows[one], first, second), _spread(flows[other], second, first))


def _spread(points: Sequence[Point], mine: Point, other: Point) -> float:
    """How far apart a flow's rates are in all its intervals that overlap with the interval of `other`."""
    slack = SLACK * other.seconds
    rates = [mine.value or 0.0]
    place = bisect_right(points, other.at - other.seconds + slack, key=lambda point: point.at)
    while place < len(points) and points[place].at - points[place].seconds < other.at - slack:
        rate = points[place].value
        rates += [] if rate is None else [rate]
        place += 1
    return max(rates) - min(rates)


def _reading(point: Point | None) -> Reading:
    if point is None:
        return Reading(None, why=NO_SAMPLE)
    if point.value is not None:
        return Reading(point.value, point.bps)
    why = point.why or NO_SAMPLE
    if why == Reason.LATE:
        return Reading(None, point.bps, f"{NO_SAMPLE} for {point.seconds:.1f} s")
    return Reading(None, point.bps, SAID.get(why, why))


def sample_times(flows: Flows) -> list[float]:
    """A moment for each sample, in order: the middle of its interval, for a cursor's stop or a table's row.

    The DUT's samples come first. A sample of another flow that contains none of these moments gets its own,
    so that every sample of every flow is in some row.
    """
    names = [name for name in ("forwarded", "received", "offered", "attack") if flows.get(name)]
    times: list[float] = []
    for name in names:
        points = flows[name]
        missing = []
        for place, point in enumerate(points):
            begin = _begin(points, place)
            next_row = bisect_right(times, begin)
            if begin < point.at and (next_row == len(times) or times[next_row] > point.at):
                missing.append((begin + point.at) / 2)
        times = sorted([*times, *missing])
    return times


def sample_rows(
    flows: Flows,
    cores: Sequence[CoreLoad] = (),
    start: float = -inf,
    end: float = inf,
    unlike: Sequence[Bounds] = (),
) -> tuple[Moment, ...]:
    """The rows of a table: a moment for each sample from `start` to `end`."""
    return tuple(moment_at(flows, at, cores, unlike) for at in sample_times(flows) if start <= at <= end)


def stepped(times: Sequence[float], at: float | None, by: int) -> float | None:
    """The moment of the sample `by` samples later (earlier if negative), at most the last (first) one.

    If `at` is None, no moment is chosen yet, and the result is the last one. None if there is no sample.
    """
    if not times:
        return None
    if at is None:
        return times[-1]
    place = bisect_right(times, at) + by - 1 if by > 0 else bisect_left(times, at) + by
    return times[min(max(place, 0), len(times) - 1)]
