"""A sweep as an SVG: lines over numbers or names, with the range of the values and reference lines."""

import math
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from fwdtui.core.framing import line_rate
from fwdtui.core.imix import equity
from fwdtui.core.units import pps
from fwdtui.report import svgaxes, svgfile
from fwdtui.report import sweep_words as words
from fwdtui.report.cells import columns_of, shorten_apart
from fwdtui.report.svgaxes import Axes, Scale
from fwdtui.report.svgfile import GREY, WIDE, style_of
from fwdtui.report.sweep import Line, Sweep, any_line_rate, line_rate_fits, link_speed, lowest_of, top_of
from fwdtui.report.sweep_axis import Axis, thinned

_HIGH = 330.0
_NAME = 44  # columns of a label in the legend
_ROW = 110  # columns of text that fit below the axis
_TICK = 28  # columns of a name below the axis
_MOST_TICKS = 64  # names or numbers below the axis that can still be read
_CURVE = 200  # places of a reference line, which is a curve on a logarithmic axis
_SECOND = 55.0  # points for a second axis


def draw(sweep: Sweep) -> bytes:
    """The SVG document. The same sweep gives the same bytes."""
    labels = shorten_apart([words.series_label(sweep, line) for line in sweep.lines], _NAME)
    keys = _keys(sweep, labels)
    top = svgfile.legend_height(len(keys), 2) + (svgaxes.TITLE if sweep.fixed else 4)
    further = _room_below(sweep.axis)
    root = svgfile.chart(top + _HIGH + further, words.title(sweep))
    svgfile.legend(root, [name for _, name in keys], [key for key, _ in keys], 2)
    y = _scale_of_values(sweep, top + _HIGH - svgaxes.BELOW, top)
    rates = sweep.unit in ("pps", "")
    divided, unit = svgaxes.scaled(top_of(sweep) / 1.08) if rates else (1.0, sweep.unit)
    if sweep.unit == "":
        unit = unit.removesuffix("pps") or "value"
    left = svgfile.EDGE + svgfile.SIZE + svgaxes.widest(y, divided)
    left = max(left, _room_on_the_left(sweep.axis))
    right = WIDE - svgfile.EDGE - (_SECOND if sweep.has_imix else 0)
    axes = Axes(root, Scale(*sweep.axis.ends, left, right, sweep.axis.log), y)
    axes.numbers_beside(divided)
    axes.label_beside(unit, divided)
    _axis_of_levels(axes, sweep.axis, further)
    _line_rates(axes, sweep)
    for place, line in enumerate(sweep.lines):
        _linear(axes, sweep, line, place)
    for place, line in enumerate(sweep.lines):
        _line(axes, sweep, line, place)
    for place, line in enumerate(sweep.lines):
        _marks(axes, line, place)
    if sweep.has_imix:
        axes.second(equity, 1e9, f"{words.IMIX}, Gb/s")
    if sweep.fixed:
        axes.title(shorten_apart([words.fixed(sweep)], _ROW)[0])
    axes.frame()
    return svgfile.written(root)


def _scale_of_values(sweep: Sweep, low: float, top: float) -> Scale:
    return Scale(lowest_of(sweep), top_of(sweep), low, top)


def _line(axes: Axes, sweep: Sweep, line: Line, place: int) -> None:
    colour, _ = style_of(place)
    medians = axes.points([(point.at, point.described.median or 0.0) for point in line.measured])
    svgfile.line(axes.root, medians, colour, 1.4)
    for point in line.measured:
        ends = ((point.at, point.described.min or 0.0), (point.at, point.described.max or 0.0))
        # several lines may cross, so each range has its line's colour
        svgfile.line(axes.root, axes.points(ends), colour if len(sweep.lines) > 1 else "#000000", 1.4)


def _marks(axes: Axes, line: Line, place: int) -> None:
    colour, shape = style_of(place)
    for point in line.measured:
        at = axes.x.at(point.at), axes.y.at(point.described.median or 0.0)
        if point.cap is None:
            svgfile.mark(axes.root, shape, *at, fill=colour)
        else:
            svgfile.mark(axes.root, shape, *at, edge=colour, edge_width=1.4)


def _linear(axes: Axes, sweep: Sweep, line: Line, place: int) -> None:
    """Draw linear scaling of one line, as far as the values reach, so that it does not flatten them."""
    first = next((point for point in line.points if point.linear is not None), None)
    if first is None or first.linear is None:
        return
    slope = first.linear / first.at
    end = min(top_of(sweep) / slope, max(sweep.axis.places))
    start = min(first.at, end)
    step = (end - start) / _CURVE
    at = [start + step * number for number in range(_CURVE + 1)]
    svgfile.line(axes.root, axes.points([(x, slope * x) for x in at]), style_of(place)[0], 1.2, "dotted")


def _line_rates(axes: Axes, sweep: Sweep) -> None:
    """Draw line rate at each level that has one, if the axis reaches it; if it never changes, as one line.

    Lines may have different frames: each then has its own line rate.
    """
    by_line = [
        {point.at: point.line_rate for point in line.points if point.line_rate is not None}
        for line in sweep.lines
    ]
    rates = sorted({rate for of_line in by_line for rate in of_line.items()})
    if (speed := link_speed(sweep)) is not None:
        (first, _), (last, _) = rates[0], rates[-1]
        curve = [(length, line_rate(speed, length)) for length in range(int(first), int(last) + 1)]
        reached = [(length, rate) for length, rate in curve if axes.inside(rate)]
        svgfile.line(axes.root, axes.points(reached), GREY, 1.2, "dashed")
    elif all(len(set(of_line.values())) < 2 for of_line in by_line):
        for rate in sorted({rate for _, rate in rates}):
            axes.across(rate, GREY, "dashed")
    else:
        for x, y in axes.points([(at, rate) for at, rate in rates if axes.inside(rate)]):
            svgfile.line(axes.root, [(x - 6, y), (x + 6, y)], GREY)


def _axis_of_levels(axes: Axes, axis: Axis, further: float) -> None:
    labels = axis.named(_ROW) if axis.numeric else thinned(_ticks(axis), _MOST_TICKS)
    axes.below(list(zip(axis.places, labels, strict=True)), turned=_rotation(axis))
    some = "" if all(labels) else " (not every level is named)"
    axes.label_below(f"{axis.title}{', logarithmic' if axis.log else ''}{some}", further)


def _ticks(axis: Axis) -> list[str]:
    return list(axis.labels) if axis.numeric else shorten_apart(axis.labels, _TICK)


def _rotation(axis: Axis) -> int:
    """Degrees: 0 for numbers, and for names that fit beside each other; else 45, or 90 for many names."""
    labels = _ticks(axis)
    if axis.numeric or (max(map(columns_of, labels)) + 2) * len(labels) <= _ROW:
        return 0
    return 45 if len(labels) <= 16 else 90


def _room_below(axis: Axis) -> float:
    """How many points labels that are turned need below the axis."""
    turned = _rotation(axis)
    return math.sin(math.radians(turned)) * max(map(svgfile.width_of, _ticks(axis))) if turned else 0.0


def _room_on_the_left(axis: Axis) -> float:
    """How many points a slanted label of the first level needs on the left: it ends below its level."""
    return svgfile.width_of(_ticks(axis)[0]) * math.cos(math.radians(45)) if _rotation(axis) == 45 else 0.0


def _keys(sweep: Sweep, labels: Sequence[str]) -> list[tuple[svgfile.Key, str]]:
    keys: list[tuple[svgfile.Key, str]] = []
    for place, label in enumerate(labels):
        colour, shape = style_of(place)
        keys.append((svgfile.line_key(colour, shape=shape), label or "median"))
    keys.append((_range_key, "least to greatest value"))
    if any(point.cap is not None for point in sweep.points):
        keys.append((_hollow_key, "a lower bound: at line rate or the offered load"))
    if sweep.has_linear:
        keys.append((svgfile.line_key(GREY, "dotted"), "linear scaling from the first point"))
    rates = {point.line_rate for point in sweep.points if point.line_rate is not None}
    if rates and not any_line_rate(sweep):
        at = f" ({pps(min(rates))})" if len(rates) == 1 else ""
        keys.append((lambda *_: None, f"line rate is beyond the top{at}"))
    elif rates:
        beyond = "" if line_rate_fits(sweep) else "; beyond the top where it is not drawn"
        keys.append((svgfile.line_key(GREY, "dashed"), f"line rate{beyond}"))
    return keys


def _range_key(parent: Element, x: float, y: float) -> None:
    svgfile.line(parent, [(x + 10, y - 4.5), (x + 10, y + 4.5)])


def _hollow_key(parent: Element, x: float, y: float) -> None:
    svgfile.mark(parent, "o", x + 10, y, edge=GREY, edge_width=1.4)
