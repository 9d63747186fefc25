"""Charts for the report, as SVG.

The bars begin at zero, so that their lengths are in proportion. A difference of one percent is then too small
to see, so each difference is beside the bars, with its interval and the margin.
"""

import math
from collections.abc import Sequence
from itertools import chain
from statistics import median
from xml.etree.ElementTree import Element

from fwdtui.core.units import si
from fwdtui.report import bearing, svgaxes, svgfile
from fwdtui.report.cells import shorten_apart
from fwdtui.report.grouping import by_case, sets_of
from fwdtui.report.svgaxes import Axes, Scale
from fwdtui.report.svgfile import GREY, WIDE, style_of
from fwdtui.stats.caps import cap_of
from fwdtui.stats.figures import amount, in_percent, in_words
from fwdtui.stats.results import Judged, ResultSet
from fwdtui.stats.wording import verdict_word

_NAME = 34  # columns of a case or label that fit
_ROW = 21.0
_BAR = 0.8  # of a row
_HIGH = 216.0  # 3 inches
_APART = 16.0  # between the bars and the differences
_BARS = 0.6  # of what both have
_LOWER = "; ≥: a lower bound"


def overview(judged: Sequence[Judged]) -> bytes:
    """A bar per case and session: median, least to greatest, and each iteration; beside them differences."""
    cases = _by_case(judged)
    labels = _labels(judged)
    names, keys, columns = svgfile.sessions_legend(labels)
    rows = sum(len(sets) + 1 for _, sets, _ in cases) + 0.4
    top = svgfile.legend_height(len(labels), columns) + svgaxes.TITLE
    low = top + rows * _ROW
    root = svgfile.chart(low + svgaxes.BELOW, "Medians and differences, case by case")
    svgfile.legend(root, names, keys, columns)
    called = shorten_apart([name for name, _, _ in cases], _NAME)
    values = [v for _, sets, _ in cases for one in sets for v in _finite(one)]
    largest = max(map(abs, values), default=0.0) or 1.0
    left = svgfile.EDGE + max(map(svgfile.width_of, called), default=0.0) + 6
    said = [_said(one) for _, _, results in cases for one in results]
    right = WIDE - svgfile.EDGE - max(map(svgfile.width_of, said), default=0.0) - 4
    middle = left + (right - left - _APART) * _BARS
    y = Scale(rows - 1.2, -1.2, low, top)  # rows; the first bar is at 0
    bars = Axes(root, Scale(min([0.0, *values]) * 1.05, largest * 1.22, left, middle), y)
    scale, unit = svgaxes.scaled(largest, next((one.comparison.unit for one in judged), None))
    bars.numbers_below(7, scale)
    forest = _forest(root, judged, Scale(0, 0, middle + _APART, right), y)
    place = 0
    for name, (_, sets, results) in zip(called, cases, strict=True):
        svgfile.text(root, left - 6, y.at(place + (len(sets) - 1) / 2), name, "end")
        for number, one in enumerate(sets):
            style = labels.index(one.label)
            _bar(bars, one, place + number, style, largest)
            if number:
                _interval(forest, results[number - 1], place + number, style)
        place += len(sets) + 1
    capped = any(cap_of(one) is not None for _, sets, _ in cases for one in sets)
    bars.label_below(f"{unit}{_LOWER * capped}")
    bars.title("median (bar), least to greatest (line), iterations (points)")
    bars.frame()
    forest.frame()
    return svgfile.written(root)


def iterations(judged: Sequence[Judged]) -> bytes:
    """The values of one case in the order in which they were measured: the baseline's and the candidates'."""
    ((case, sets, _),) = _by_case(judged)
    names, keys, columns = svgfile.sessions_legend([one.label for one in sets])
    top = svgfile.legend_height(len(names), columns) + svgaxes.TITLE
    root = svgfile.chart(max(_HIGH, top + 120), f"{case}: iterations in order")
    svgfile.legend(root, names, keys, columns)
    values = [v for one in sets for v in _finite(one)]
    y = Scale(*svgaxes.around(values), max(_HIGH, top + 120) - svgaxes.BELOW, top)
    scale, unit = svgaxes.scaled(
        max(map(abs, values), default=0.0), next((s.unit for s in sets if s.unit), None)
    )
    longest = max(max(len(one.values) for one in sets), 1)
    left = svgfile.EDGE + svgfile.SIZE + svgaxes.widest(y, scale)
    axes = Axes(root, Scale(0.5, longest + 0.5, left, WIDE - svgfile.EDGE), y)
    axes.numbers_beside(scale)
    axes.below([(at, str(at)) for at in range(1, longest + 1, max(math.ceil(longest / 20), 1))])
    for number, one in enumerate(sets):
        if finite := _finite(one):
            axes.across(median(finite), style_of(number)[0], "dashed")
    for number, one in enumerate(sets):
        shift = (number - (len(sets) - 1) / 2) * 0.12
        points = [(i + 1 + shift, v) for i, v in enumerate(one.values) if math.isfinite(v)]
        colour, shape = style_of(number)
        for at in axes.points(points):
            svgfile.mark(root, shape, *at, fill=colour)
    axes.label_below("iterations with a value, in the order measured; dashed: median")
    axes.label_beside(unit, scale)
    if y.low > 0 or y.high < 0:
        axes.title("The vertical axis does not begin at zero.", GREY)
    axes.frame()
    return svgfile.written(root)


def _bar(axes: Axes, one: ResultSet, place: int, style: int, largest: float) -> None:
    root, y, values = axes.root, axes.y.at(place), _finite(one)
    if not values:
        svgfile.text(root, axes.x.at(largest * 0.01), y, "no values", fill=GREY)
        return
    colour, shape = style_of(style)
    middle, greatest = median(values), max(values)
    foot, end = sorted((axes.x.at(0), axes.x.at(middle)))
    svgfile.add(
        root,
        "rect",
        {"class": "bar", "fill": colour, "fill-opacity": "0.85"},
        x=foot,
        y=y - _ROW * _BAR / 2,
        width=end - foot,
        height=_ROW * _BAR,
    )
    svgfile.line(root, [(axes.x.at(min(values)), y), (axes.x.at(greatest), y)])
    for number, value in enumerate(values):
        spread = axes.y.at(place + 0.22 * ((number % 3) - 1))
        svgfile.mark(root, shape, axes.x.at(value), spread, 3.2, edge_width=0.6)
    shown = amount(middle, unit=one.unit) if in_words(one.unit) else si(middle)
    shown = f"{'≥ ' if cap_of(one) is not None else ''}{shown}"
    svgfile.text(root, axes.x.at(greatest + largest * 0.015), y, shown)


def _said(one: Judged) -> str:
    """The text beside a difference: the verdict, with the mark that it has in the table."""
    said = verdict_word(one.comparison) + bearing.mark(one.comparison)
    return said if one.comparison.difference.percent is not None else f"{said}, no percentage"


def _interval(axes: Axes, one: Judged, place: int, style: int) -> None:
    difference, y = one.comparison.difference, axes.y.at(place)
    colour, shape = style_of(style)
    if difference.ci_percent is not None:
        svgfile.line(axes.root, [(axes.x.at(end), y) for end in difference.ci_percent], colour, 2.5)
    if difference.percent is not None:
        at = axes.x.at(difference.percent)
        svgfile.mark(axes.root, shape, at, y, fill=colour, edge_width=0.6)
    svgfile.text(axes.root, axes.x.end + 4, y, _said(one))


def _forest(root: Element, judged: Sequence[Judged], place: Scale, y: Scale) -> Axes:
    """The axes of the differences, with the margin and a line at zero; nothing else is drawn there yet."""
    margins = {one.comparison.margin_percent for one in judged}
    confidences = {one.comparison.difference.confidence for one in judged}
    margin = max(margins) if len(margins) == 1 else 0.0
    differences = [one.comparison.difference for one in judged]
    reached = chain((0.0, -margin, margin), *(one.ci_percent or () for one in differences))
    drawn = [*reached, *(one.percent for one in differences if one.percent is not None)]
    axes = Axes(root, Scale(*svgaxes.around(drawn, 0.12), place.start, place.end), y)
    title = "difference in percent"
    if margin > 0:
        left, right = axes.x.at(-margin), axes.x.at(margin)
        svgfile.add(root, "rect", fill="#dddddd", x=left, y=y.end, width=right - left, height=y.start - y.end)
        title += f"; grey: the margin of ±{in_percent(margin)}"
    axes.numbers_below(6)
    zero = axes.x.at(0)
    svgfile.line(root, [(zero, y.start), (zero, y.end)], width=1)
    if len(confidences) == 1:
        axes.label_below(f"% of the baseline's mean, with its {in_percent(min(confidences))} interval")
    axes.title(title)
    return axes


def _by_case(judged: Sequence[Judged]) -> list[tuple[str, list[ResultSet], list[Judged]]]:
    """Case, the sets (the baseline's first), and the candidates' results."""
    return [(case, sets_of(results), results) for case, results in by_case(judged).items()]


def _labels(judged: Sequence[Judged]) -> list[str]:
    return list(dict.fromkeys(label for one in judged for label in (one.base.label, one.other.label)))


def _finite(one: ResultSet) -> list[float]:
    return [value for value in one.values if math.isfinite(value)]
