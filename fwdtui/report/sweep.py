"""A sweep: medians over the levels of one factor, with a line for each level of another.

With them come line rates, linear scaling and knees. Nothing is pooled: if anything else differs, it makes
charts of its own, or is an error that names it. Nothing is dropped silently either: what cannot be placed is
in the notes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from fwdtui.core import imix
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import Level, levels_of
from fwdtui.core.framing import layer1
from fwdtui.core.metrics import MORE, better, is_cost, one_unit
from fwdtui.core.model import Caution
from fwdtui.core.offered import ABOVE_LINE_RATE, is_above
from fwdtui.core.text import clean
from fwdtui.report import hygiene, sweep_loads
from fwdtui.report.cells_of import Cell, Trial, cells, check_name
from fwdtui.report.factor_view import AS_GIVEN, FactorView, LevelTexts
from fwdtui.report.frames import FRAME_SIZE
from fwdtui.report.iterations import CaseSet, counts, units_of
from fwdtui.report.link import Link, frame_of, line_rate_of
from fwdtui.report.sides import case_on_boots
from fwdtui.report.sweep_axis import Axis, axis_of, in_order, labels_of
from fwdtui.report.sweep_split import Split, placed, split_of
from fwdtui.stats import scaling
from fwdtui.stats.caps import Cap, cap_of
from fwdtui.stats.describe import describe
from fwdtui.stats.design import Units, design_of
from fwdtui.stats.results import Description
from fwdtui.stats.scaling import Knee, Measured

RESOURCES = frozenset({"queues", "cores"})
"""The factors over which packets are spread: twice as many can at best forward twice as much.

Flows are not: more of them spread better, but no flow adds capacity. Neither are frame sizes and rates.
"""

AT_LEAST, AT_MOST = "≥ ", "≤ "
"""Written before an efficiency that is only a bound, as one of the two values in it is a lower bound."""


FRAMES_DIFFER = "frames-differ"
"""Why no knee is named, in addition to the reasons in scaling.py: longer frames have another line rate."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user asks for. `x` and `series` are factors; `series` empty: one line.

    `scale`: "linear", "log", or None: chosen according to the levels. `linear`: whether to refer to linear
    scaling; None: for the factors in RESOURCES.
    """

    x: str
    series: str = ""
    view: FactorView = AS_GIVEN
    scale: str | None = None
    linear: bool | None = None
    link: Link = field(default_factory=Link)


@dataclass(frozen=True, slots=True)
class Point:
    """One level of one line. Values are in the sweep's unit; those of `described` are None if nothing counts.

    `at` is its place on the axis; `linear` what linear scaling from the line's first point would give.
    `bound`: the efficiency is AT_LEAST or AT_MOST so much. `cap`: the link or the generator could not do
    more. `frame`: bytes with FCS. `line_rate`: pps of the link. `own`: warnings about its line rate, and
    those of its set that bear on the knee.
    """

    level: Level
    at: float
    cell: Cell
    values: CaseSet
    described: Description
    cap: Cap | None = None
    frame: int | None = None
    line_rate: float | None = None
    linear: float | None = None
    bound: str = ""
    own: tuple[Caution, ...] = ()

    @property
    def efficiency(self) -> float | None:
        """The share of linear scaling; 1 is linear."""
        median = self.described.median
        return None if self.linear is None or median is None else median / self.linear


@dataclass(frozen=True, slots=True)
class Line:
    """The points of one level of the series, in the order of the axis. `knee` None: not asked for."""

    level: Level | None
    label: str
    points: tuple[Point, ...]
    knee: Knee | None = None

    @property
    def measured(self) -> list[Point]:
        """The points that have a value."""
        return [point for point in self.points if point.described.median is not None]

    @property
    def judged(self) -> list[Point]:
        """The points that were compared for the knee; none if nothing is said of where the line bends."""
        if self.knee is None or self.knee.why_not not in ("", scaling.LAST):
            return []
        return [point for point in self.measured if point.cap is None]


@dataclass(frozen=True, slots=True)
class Sweep:
    """One chart. `fixed`: the factors, and their levels as shown, that tell it from the other charts.

    `along`: factors that change with x, one to one.
    """

    x: str
    series: str
    fixed: Mapping[str, str]
    axis: Axis
    unit: str
    lines: tuple[Line, ...]
    along: tuple[str, ...] = ()
    metric: str = ""  # what the values are; "": the rate

    @property
    def points(self) -> list[Point]:
        """All points, line by line."""
        return [point for line in self.lines for point in line.points]

    @property
    def has_linear(self) -> bool:
        """Whether there is linear scaling to refer to."""
        return any(point.linear is not None for point in self.points)

    @property
    def has_imix(self) -> bool:
        """Whether rates can be read as throughput on an IMIX: they are of the shortest frames."""
        return self.unit == "pps" and all(point.frame == imix.FRAME for point in self.points)


@dataclass(frozen=True, slots=True)
class Sweeps:
    """All charts of one request; `notes`: what was left out, and what else the reader must know."""

    wanted: Wanted
    charts: tuple[Sweep, ...]
    notes: tuple[Caution, ...] = field(default=())


def sweeps(all_trials: Sequence[Trial], wanted: Wanted, missing: Sequence[Caution] = ()) -> Sweeps:
    """Sort trials into charts and lines. Raises FwdtuiError if that is impossible, or pools what differs.

    `missing`: notes on what was to be measured but is not among the trials.
    """
    check_name(all_trials, wanted.x)
    if wanted.series:
        check_name(all_trials, wanted.series)
    if wanted.series == wanted.x:
        raise FwdtuiError(
            f"--series and --x are both {wanted.series}: give another factor to --series, or leave it out"
        )
    split = split_of(all_trials, wanted.x, wanted.series)
    names = [name for name in (*split.charts, wanted.series, wanted.x) if name]
    every = cells(split.trials, names)
    there = {name: levels_of(name, [cell.levels for cell in every]) for name in reversed(names)}
    texts = LevelTexts(wanted.view, there)
    charts = tuple(_chart(group, wanted, split, there, texts) for group in _grouped(every, split.charts))
    if all(chart.axis.numeric for chart in charts) and texts.ordered(wanted.x):
        others = [name for name in names if name != wanted.x and texts.ordered(name)]
        if not others:
            raise FwdtuiError(
                f"--order: the levels of {wanted.x} are numbers, which are always shown in numeric order"
            )
    if all(len(chart.axis.levels) < 2 for chart in charts):
        only = there[wanted.x][0].shown
        raise FwdtuiError(f"--x {wanted.x}: a sweep needs two levels of it, and there is only {only}")
    of_costs = dict.fromkeys(
        note
        for chart in charts
        for note in sweep_loads.cautions(
            chart.x, chart.unit, [[point.values for point in line.points] for line in chart.lines]
        )
    )
    return Sweeps(wanted, charts, (*missing, *split.notes, *of_costs, *_hosts_changed(split.trials)))


def _hosts_changed(trials: Sequence[Trial]) -> list[Caution]:
    """What changed on hosts while a session was recorded, each session once."""
    sessions = {trial.session.path: trial.session for trial in trials}
    return [
        Caution(one.code, f"in {clean(session.label)} {one.text}")
        for session in sessions.values()
        for one in hygiene.changes(session)
    ]


def line_rate_fits(sweep: Sweep) -> bool:
    """Whether a chart has room for line rate: not if the values would then take less than half of it."""
    highest = max((point.described.max or 0.0 for point in sweep.points), default=0.0)
    return all((point.line_rate or 0.0) <= 2 * highest for point in sweep.points)


def any_line_rate(sweep: Sweep) -> bool:
    """Whether there is a line rate within the axis of values."""
    top = top_of(sweep)
    return any(point.line_rate is not None and point.line_rate <= top for point in sweep.points)


def link_speed(sweep: Sweep) -> float | None:
    """The link's speed in bits per second, if line rate is a curve over an axis of frame sizes; else None.

    It is a curve if there are several line rates, and one speed explains them all.
    """
    if sweep.x != FRAME_SIZE or not sweep.axis.numeric:
        return None
    rates = {(point.at, point.line_rate) for point in sweep.points if point.line_rate is not None}
    speeds = {round(layer1(rate, int(length)), -3) for length, rate in rates}
    return speeds.pop() if len(speeds) == 1 and len(rates) > 1 else None


def top_of(sweep: Sweep) -> float:
    """The upper end of the axis of values: room for them, and for line rate if it is not far above them."""
    highest = [point.described.max or 0.0 for point in sweep.points]
    rates = [point.line_rate or 0.0 for point in sweep.points] if line_rate_fits(sweep) else []
    return max([*highest, *rates], default=0.0) * 1.08 or 1.0


def lowest_of(sweep: Sweep) -> float:
    """The lower end of the axis of values: zero, or room for a value below zero of a damaged recording."""
    return min([0.0, *(point.described.min or 0.0 for point in sweep.points)]) * 1.05


def _grouped(every: Sequence[Cell], names: Sequence[str]) -> list[list[Cell]]:
    """The cells by their levels of `names`, in their order."""
    groups: dict[tuple[tuple[str, float | str], ...], list[Cell]] = {}
    for cell in every:
        groups.setdefault(tuple(cell.levels[name].identity for name in names), []).append(cell)
    return list(groups.values())


def _chart(
    group: Sequence[Cell],
    wanted: Wanted,
    split: Split,
    there: Mapping[str, Sequence[Level]],
    texts: LevelTexts,
) -> Sweep:
    levels = levels_of(wanted.x, [cell.levels for cell in group])
    axis = axis_of(wanted.x, levels, texts, wanted.scale)
    by_line = _grouped(group, [wanted.series] if wanted.series else [])
    if wanted.series:
        order = in_order(wanted.series, [line[0].levels[wanted.series] for line in by_line], texts)
        by_line.sort(key=lambda line: order.index(line[0].levels[wanted.series]))
        labels = labels_of(wanted.series, order, texts)
    else:
        order, labels = [], [""]
    unit = one_unit(
        (placed(cell.levels), unit)
        for cell in group
        for unit in units_of(filter(counts, cell.case.iterations))
    )
    refers = _refers(wanted, axis, unit)
    lines = [
        _line(line, label, order[place] if order else None, axis, wanted, unit, refers=refers)
        for place, (line, label) in enumerate(zip(by_line, labels, strict=True))
    ]
    fixed = {name: _name_of(name, group[0], texts, there[name]) for name in split.charts}
    metric = wanted.view.metric
    warned = tuple(_with_cautions(lines))
    return Sweep(wanted.x, wanted.series, fixed, axis, unit, warned, split.along, metric)


def _with_cautions(lines: Sequence[Line]) -> list[Line]:
    """The lines; their judged points get the warnings that any comparison would give about their values.

    All these points share the rate of false warnings.
    """
    shown = sum(len(line.judged) for line in lines)
    if not shown:
        return list(lines)
    from fwdtui.report.own_warnings import of_the_set  # late: only a knee needs these tests

    def warned(point: Point) -> Point:
        # a point's median takes all its values, without pairs, so a trend from block to block concerns it
        alone = msgspec.structs.replace(point.values.result, placed=None)
        of_set = of_the_set(replace(point.values, result=alone), shown)
        # of line rate the point has said its share already
        further = [one for one in of_set if all(one.code != known.code for known in point.own)]
        return replace(point, own=(*point.own, *further))

    found = []
    for line in lines:
        judged = [id(point) for point in line.judged]
        points = (warned(point) if id(point) in judged else point for point in line.points)
        found.append(replace(line, points=tuple(points)))
    return found


def _name_of(name: str, cell: Cell, texts: LevelTexts, levels: Sequence[Level]) -> str:
    named = dict(zip((one.identity for one in levels), labels_of(name, levels, texts), strict=True))
    return named[cell.levels[name].identity]


def _refers(wanted: Wanted, axis: Axis, unit: str) -> bool:
    """Whether linear scaling means something on this axis."""
    if wanted.linear and not axis.numeric:
        why = f" ({axis.names_why})" if axis.names_why else ""
        raise FwdtuiError(f"--linear: {wanted.x} has levels that are names{why}")
    if wanted.linear and axis.numeric and axis.places[0] <= 0:
        shown = axis.levels[0].shown
        raise FwdtuiError(f"--linear: {wanted.x} has the level {shown}, from which nothing scales linearly")
    if wanted.linear and better(unit) != MORE:
        raise FwdtuiError(
            f"--linear: for values in {unit}, less is better, and they do not scale with {wanted.x}"
        )
    if wanted.linear and is_cost(unit):
        raise FwdtuiError(
            f"--linear: values in {unit} are those of a single core, and do not scale with {wanted.x}"
        )
    asked = wanted.x in RESOURCES if wanted.linear is None else wanted.linear
    scales = better(unit) == MORE and not is_cost(unit)  # with more cores, one forwards at best the same
    return asked and axis.numeric and scales and all(at > 0 for at in axis.places)


def _line(
    line: Sequence[Cell],
    label: str,
    level: Level | None,
    axis: Axis,
    wanted: Wanted,
    unit: str,
    *,
    refers: bool,
) -> Line:
    by_level = {cell.levels[wanted.x].identity: cell for cell in line}
    points = [
        _point(by_level[one.identity], one, at, unit, wanted.link)
        for one, at in zip(axis.levels, axis.places, strict=True)
        if one.identity in by_level
    ]
    if refers:
        points = _beside_linear(points)
    return Line(level, label, tuple(points), _knee(points) if refers else None)


def _beside_linear(points: Sequence[Point]) -> list[Point]:
    """The points with what linear scaling from the first one would give.

    If the first point is capped, the efficiencies of the others are only bounds.
    """
    first = next((point for point in points if point.described.median), None)
    if first is None or (first.described.median or 0.0) <= 0:
        return list(points)
    slope = (first.described.median or 0.0) / first.at
    beside = []
    for point in points:
        if point is first:
            point = replace(point, linear=slope * point.at)
        elif first.cap is None:
            point = replace(point, linear=slope * point.at, bound=AT_LEAST if point.cap else "")
        elif point.cap is None:
            point = replace(point, linear=slope * point.at, bound=AT_MOST)
        beside.append(point)  # nothing can be said about the ratio of two lower bounds
    return beside


def _point(cell: Cell, level: Level, at: float, unit: str, link: Link) -> Point:
    values = case_on_boots(cell.session, cell.case, placed(cell.levels))
    rate = line_rate_of(cell, link) if unit == "pps" else None
    result = msgspec.structs.replace(values.result, line_rate=rate)
    values = replace(values, result=result)
    described = describe(result)
    return Point(
        level,
        at,
        cell,
        values,
        described,
        cap_of(result) if values.used else None,
        frame_of(cell, link),
        rate,
        own=tuple(_above(described.median, rate)),
    )


def _above(median: float | None, line_rate: float | None) -> Iterator[Caution]:
    """The warning that the link or the frames are not what was said."""
    if median is not None and line_rate is not None and is_above(median, line_rate):
        text = (
            f"the median is {100 * median / line_rate:.0f} % of line rate, which is impossible: the speed of "
            "the link or the length of the frames is wrong, or there are more links"
        )
        yield Caution(ABOVE_LINE_RATE, text)


def by_boots(point: Point) -> bool:
    """Whether the mean of each boot is one value: the point's iterations are known to be of several boots."""
    return bool(_units(point).sizes)


def _units(point: Point) -> Units:
    alone = msgspec.structs.replace(point.values.result, placed=None)  # a median has no pairs
    return design_of(alone, alone).base


def measured(point: Point) -> Measured:
    """A point that has a value, for the arithmetic of scaling.

    Iterations on one boot share its level: with several boots, the interval is that of their means.
    """
    median = point.described.median
    assert median is not None
    values = _units(point).values
    low, high = scaling.median_interval(values)
    # if boots have different numbers of iterations, the median of all may lie outside the means' interval
    interval = min(low, median), max(high, median)
    return Measured(point.at, median, interval, len(values), point.cap is not None)


def _knee(points: Sequence[Point]) -> Knee:
    there = [point for point in points if point.described.median is not None]
    if len({point.frame for point in there if point.frame is not None}) > 1:
        return Knee(why_not=FRAMES_DIFFER)
    return scaling.knee([measured(point) for point in there])
