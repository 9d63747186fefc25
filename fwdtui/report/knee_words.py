"""Where a line stops scaling, in one sentence without a full stop; the rule is stats/scaling.py's."""

from collections.abc import Sequence

from fwdtui.report.bearing import MARK, MEANING
from fwdtui.report.sweep import FRAMES_DIFFER, Line, Point, by_boots, measured
from fwdtui.report.sweep_axis import Axis
from fwdtui.stats import scaling
from fwdtui.stats.figures import NONE, listing
from fwdtui.stats.results import EXCLUDED
from fwdtui.stats.scaling import Knee

KNEE_MEANS = (
    "The knee is the level with the greatest efficiency times speed-up (Eager, Zahorjan and Lazowska, 1989). "
    "Several levels are named where the intervals of their medians do not tell which."
)
"""The definition, for readers of a report."""

BOOTS_MEAN = (
    "If a level ran on several boots, the interval is that of the boots' means, because iterations on one "
    "boot are not independent."
)
"""What the intervals refer to if boots are known."""

_WHY_NOT = {
    scaling.FEW_LEVELS: f"no knee is named: that takes {scaling.FEWEST_LEVELS} levels that nothing caps",
    scaling.FIRST_CAPPED: "no knee is named: the first level is capped, so linear scaling is not known",
    scaling.NOT_POSITIVE: "no knee is named: not all rates are above zero",
    FRAMES_DIFFER: "no knee is named: the frames of its levels have different lengths",
}
_OPEN = "the spread does not say which"


def percent(share: float | None) -> str:
    """``93 %``; a dash for None."""
    return NONE if share is None else f"{100 * share:.0f} %"


def sentence(line: Line, axis: Axis, *, brief: bool = False) -> str:
    """``scales to 7 or 8 queues (93 or 84 % of linear; the spread does not say which) ...``

    `brief`: without what more of the resource adds. Warnings that bear on the sentence mark it:
    ``... ! (drift, one-boot)``.
    """
    knee, points = line.knee, line.measured
    assert knee is not None
    if knee.why_not == scaling.FEW_VALUES:
        return _few(points)
    if knee.why_not in _WHY_NOT:
        return _WHY_NOT[knee.why_not]
    able = [point for point in points[knee.first : knee.last + 1] if point.cap is None]
    if knee.why_not == scaling.LAST:
        told = _open_end(axis, able, points)
    elif knee.last == 0:
        told = _flat(axis, points)
    else:
        told = _up_to(axis, able, points) + ("" if brief else _beyond(axis, knee, points))
    capped = [axis.label(point.level) for point in points if point.cap is not None]
    told = f"{told}; capped and not judged: {listing(capped)}" if capped else told
    codes = _bearing(line)
    return f"{told} {MARK} ({', '.join(codes)})" if codes else told


def _bearing(line: Line) -> list[str]:
    """The codes of those warnings of the judged points that would mark a verdict on them, each once."""
    found: dict[str, None] = {}
    for point in line.judged:
        result = point.values.result
        codes = [one.code for one in (*result.cautions, *point.own)] + [EXCLUDED] * bool(result.excluded)
        found |= dict.fromkeys(code for code in codes if code in MEANING)
    return list(found)


def _few(points: Sequence[Point]) -> str:
    few = [point for point in points if point.cap is None and measured(point).n < scaling.FEWEST_VALUES]
    units = {"boots" if by_boots(point) else "iterations" for point in few}
    what = f"fewer than {scaling.FEWEST_VALUES} {' or '.join(sorted(units))} a level"
    shared = ", and iterations on one boot share its level" if "boots" in units else ""
    return f"no knee is named: {what} say too little about the spread{shared}"


def _flat(axis: Axis, points: Sequence[Point]) -> str:
    """The first level is the knee: no other has as much as the square root of the resource would give.

    It does not scale if no other level is above the first by more than the spread: not only the level with
    the greatest median, which may be the one that varies most.
    """
    first, *others = (point for point in points if point.cap is None)
    above = [one for one in others if measured(one).interval[0] > measured(first).interval[1]]
    most = max(above or others, key=_median)
    times = f"{_median(most) / _median(first):.2f} times what {axis.phrase(first.level)} does"
    if not above:
        return f"does not scale: {axis.phrase(most.level)} forward {times}"
    return (
        "scales worse than with the square root from the first level on: "
        f"{axis.phrase(most.level)} forward {times} ({percent(most.efficiency)} of linear)"
    )


def _up_to(axis: Axis, able: Sequence[Point], points: Sequence[Point]) -> str:
    first, last = able[0], able[-1]
    where = axis.phrase(last.level)
    if len(able) == 1:
        return f"scales to {where} ({percent(first.efficiency)} of linear{_range(points[0], first)})"
    joint = "or" if len(able) == 2 else "to"
    shares = f"{percent(first.efficiency).removesuffix(' %')} {joint} {percent(last.efficiency)} of linear"
    somewhere = "" if joint == "or" else "somewhere from "
    return f"scales to {somewhere}{axis.label(first.level)} {joint} {where} ({shares}; {_OPEN})"


def _range(first: Point, one: Point) -> str:
    """``, 71 to 94 % with the spread``; empty if the spread does not change the figure."""
    ends = scaling.efficiency_range(measured(first), measured(one))
    if ends is None or percent(ends[0]) == percent(ends[1]):
        return ""
    return f", {percent(ends[0]).removesuffix(' %')} to {percent(ends[1])} with the spread"


def _beyond(axis: Axis, knee: Knee, points: Sequence[Point]) -> str:
    """What more of the resource adds, from the last level that may be the knee to the last that is judged."""
    first, bend, last = points[0], points[knee.last], points[knee.judged]
    share = (_median(last) - _median(bend)) / (last.at - bend.at) / (_median(first) / first.at)
    if share <= 0:
        lasting = percent(_median(last) / _median(bend))
        return f"; {axis.phrase(last.level)} forward {lasting} of what {axis.phrase(bend.level)} do"
    of = "the first does" if first.at == 1 else f"one of the first {axis.label(first.level)} does"
    each = f"each further {axis.one} adds {percent(share)} of what {of}"
    return f"; from there to {axis.phrase(last.level)} {each}"


def _open_end(axis: Axis, able: Sequence[Point], points: Sequence[Point]) -> str:
    last = able[-1]
    if len(able) == 1:
        share = f"{percent(last.efficiency)} of linear there{_range(points[0], last)}"
        return f"no knee up to {axis.phrase(last.level)}: {share}"
    return f"no knee can be named: it may be at {axis.phrase(able[0].level)} or anywhere beyond, {_OPEN}"


def _median(point: Point) -> float:
    return point.described.median or 0.0
