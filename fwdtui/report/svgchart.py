"""Charts for the report, as SVG.

The bars begin at zero, so that their lengths are in proportion. A difference of one percent is then too small
to see: beside the bars are each difference with its interval, and the margin.
"""

import math
from collections.abc import Sequence
from statistics import median
from typing import Any

from fwdtui.core.units import si
from fwdtui.report import svgfile
from fwdtui.report.cells import shorten_apart
from fwdtui.report.grouping import by_case, sets_of
from fwdtui.report.svgfile import COLOURS, SHAPES
from fwdtui.stats.figures import amount, in_words
from fwdtui.stats.results import Judged, ResultSet
from fwdtui.stats.wording import verdict_word

_NAME = 34  # columns of a case or label that fit
_WIDE = 9.6  # inches: a README shows this without scaling
_ROW = 0.27


def overview(judged: Sequence[Judged]) -> bytes:
    """A bar per case and session: median, least to greatest, and each iteration; beside them differences."""
    cases = _by_case(judged)
    labels = _labels(judged)
    with svgfile.style():
        figure = svgfile.figure(_WIDE, 1.5 + _ROW * sum(len(sets) + 1 for _, sets, _ in cases))
        bars, forest = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
        values = [v for _, sets, _ in cases for one in sets for v in _finite(one)]
        largest = max(map(abs, values), default=0.0) or 1.0
        place, middles = 0, []
        for _, sets, results in cases:
            middles.append(place + (len(sets) - 1) / 2)
            for number, one in enumerate(sets):
                style = labels.index(one.label)
                _bar(bars, _finite(one), place + number, style, largest, one.unit)
                if number:
                    _interval(forest, results[number - 1], place + number, style)
            place += len(sets) + 1
        bars.set_yticks(middles, shorten_apart([name for name, _, _ in cases], _NAME))
        bars.tick_params(axis="y", length=0)
        bars.set_ylim(place - 1.2, -0.8)
        bars.grid(axis="y", visible=False)
        bars.set_xlim(min([0.0, *values]) * 1.05, largest * 1.22)
        svgfile.rates(bars.xaxis, largest, next((one.comparison.unit for one in judged), None))
        bars.set_title("median (bar), least to greatest (line), iterations (points)")
        _finish_forest(forest, judged)
        svgfile.legend(figure, labels)
        return svgfile.svg(figure, "Medians and differences, case by case")


def iterations(judged: Sequence[Judged]) -> bytes:
    """The values of one case in the order in which they were measured: the baseline's and the candidates'."""
    ((case, sets, _),) = _by_case(judged)
    labels = [one.label for one in sets]
    with svgfile.style():
        figure = svgfile.figure(_WIDE, 3.0)
        axes = figure.subplots()
        for number, one in enumerate(sets):
            shift = (number - (len(sets) - 1) / 2) * 0.12
            points = [(i + 1 + shift, v) for i, v in enumerate(one.values) if math.isfinite(v)]
            x, y = [p[0] for p in points], [p[1] for p in points]
            axes.plot(x, y, SHAPES[number % 7], color=COLOURS[number % 7], ms=6, mec="black", mew=0.5)
            if y:
                axes.axhline(median(y), color=COLOURS[number % 7], lw=1.2, ls="--", zorder=1)
        longest = max(len(one.values) for one in sets)
        axes.set_xlim(0.5, max(longest, 1) + 0.5)
        axes.set_xticks(range(1, max(longest, 1) + 1, max(math.ceil(longest / 20), 1)))
        axes.set_xlabel("iterations with a value, in the order measured; dashed: median")
        axes.grid(axis="x", visible=False)
        unit = next((one.unit for one in sets if one.unit), None)
        svgfile.rates(axes.yaxis, max((abs(v) for one in sets for v in _finite(one)), default=0.0), unit)
        bottom, top = axes.get_ylim()
        if bottom > 0 or top < 0:
            axes.set_title("The vertical axis does not begin at zero.", color="#555555")
        svgfile.legend(figure, labels)
        return svgfile.svg(figure, f"{case}: iterations in order")


def _bar(axes: Any, values: Sequence[float], place: int, style: int, largest: float, unit: str) -> None:
    if not values:
        axes.text(largest * 0.01, place, "no values", va="center", color="#555555")
        return
    middle, greatest = median(values), max(values)
    axes.barh(place, middle, height=0.8, color=COLOURS[style % 7], alpha=0.85)
    axes.plot([min(values), greatest], [place, place], color="black", lw=1.2, solid_capstyle="butt")
    spread = [place + 0.22 * ((i % 3) - 1) for i in range(len(values))]
    axes.plot(values, spread, SHAPES[style % 7], ms=3.2, color="white", mec="black", mew=0.6)
    shown = amount(middle, unit=unit) if in_words(unit) else si(middle)
    axes.text(greatest + largest * 0.015, place, shown, va="center")


def _interval(axes: Any, one: Judged, place: int, style: int) -> None:
    difference = one.comparison.difference
    if difference.ci_percent is not None:
        axes.plot(
            difference.ci_percent, [place, place], color=COLOURS[style % 7], lw=2.5, solid_capstyle="butt"
        )
    if difference.percent is not None:
        axes.plot(
            difference.percent, place, SHAPES[style % 7], ms=6, color=COLOURS[style % 7], mec="black", mew=0.6
        )
    axes.annotate(
        verdict_word(one.comparison)
        if difference.percent is not None
        else f"{one.comparison.verdict}: no percentage",
        (1, place),
        xycoords=("axes fraction", "data"),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
    )


def _finish_forest(axes: Any, judged: Sequence[Judged]) -> None:
    axes.axvline(0, color="black", lw=1)
    margins = {one.comparison.margin_percent for one in judged}
    confidences = {one.comparison.difference.confidence for one in judged}
    title = "difference in percent"
    if len(margins) == 1 and max(margins) > 0:
        (margin,) = margins
        axes.axvspan(-margin, margin, color="#dddddd", zorder=0)
        title += f"; grey: the margin of ±{margin:g} %"
    if len(confidences) == 1:
        axes.set_xlabel(f"% of the baseline's mean, with its {min(confidences):g} % interval")
    axes.set_title(title)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.margins(x=0.12)


def _by_case(judged: Sequence[Judged]) -> list[tuple[str, list[ResultSet], list[Judged]]]:
    """Case, the sets (the baseline's first), and the candidates' results."""
    return [(case, sets_of(results), results) for case, results in by_case(judged).items()]


def _labels(judged: Sequence[Judged]) -> list[str]:
    return list(dict.fromkeys(label for one in judged for label in (one.base.label, one.other.label)))


def _finite(one: ResultSet) -> list[float]:
    return [value for value in one.values if math.isfinite(value)]
