"""Grouped bars as an SVG: they begin at zero, so that their lengths are in proportion."""

from typing import Any

from fwdtui.core.units import si
from fwdtui.report import svgfile
from fwdtui.report.bars import Bars
from fwdtui.report.cells import shorten_apart
from fwdtui.report.svgfile import COLOURS

_WIDE, _HIGH = 9.6, 4.2  # inches: a README shows this without scaling
_LEGEND_ROW = 0.22
_NAME = 44  # columns of a label in the legend
_ROW = 110  # columns of text that fit below the axis
_SHARE = 0.8  # of a group's width that its bars take
_MOST_FIGURES = 16  # bars with their median written above
_HATCHES = ("", "//", "xx", "..")  # from the eighth series on, colours come again with another pattern


def draw(bars: Bars) -> bytes:
    """The SVG document: median (bar), least to greatest value (line). Same bars, same bytes."""
    labels = shorten_apart(bars.series, _NAME)
    named = [label for label in labels if label]
    with svgfile.style():
        figure = svgfile.figure(_WIDE, _HIGH + _LEGEND_ROW * ((len(named) + 1) // 2))
        axes = figure.subplots()
        handles = [_series(axes, bars, place) for place in range(len(bars.series))]
        _axes(axes, bars)
        if named:
            figure.legend(handles, labels, loc="outside upper left", ncols=2, frameon=False)
        axes.set_title(
            "median (bar), least to greatest value (line)" + (", ≥: a lower bound" * _any_capped(bars))
        )
        return svgfile.svg(figure, bars.about)


def _any_capped(bars: Bars) -> bool:
    return any(bar.capped for bar in bars.every)


def _series(axes: Any, bars: Bars, place: int) -> Any:
    count = len(bars.series)
    width = _SHARE / count
    colour, hatch = COLOURS[place % len(COLOURS)], _HATCHES[place // len(COLOURS) % len(_HATCHES)]
    handle = axes.bar([0], [0], width=0, color=colour, hatch=hatch, edgecolor="black", lw=0.5)
    for number, (_, group) in enumerate(bars.groups):
        bar, at = group[place], number + (place - (count - 1) / 2) * width
        if bar is None:
            axes.text(at, 0, "–", ha="center", va="bottom", color="#555555")
            continue
        one = bar.described
        if one.median is None or one.min is None or one.max is None:
            axes.text(at, 0, "no values", rotation=90, ha="center", va="bottom", color="#555555")
            continue
        axes.bar(
            [at], [one.median], width * 0.92, color=colour, hatch=hatch, edgecolor="black", lw=0.5, alpha=0.9
        )
        axes.vlines([at], one.min, one.max, color="black", lw=1.2)
        if len(bars.every) <= _MOST_FIGURES:
            shown = f"{'≥ ' if bar.capped else ''}{si(one.median)}"
            axes.annotate(
                shown, (at, one.max), xytext=(0, 3), textcoords="offset points", ha="center", va="bottom"
            )
    return handle


def _axes(axes: Any, bars: Bars) -> None:
    labels = shorten_apart([label for label, _ in bars.groups], max(_ROW // max(len(bars.groups), 1), 8))
    axes.set_xticks(range(len(labels)), labels)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(labels) - 0.5)
    lowest = min((bar.described.min or 0.0 for bar in bars.every), default=0.0)
    axes.set_ylim(min(0.0, lowest) * 1.05, bars.highest * 1.12 or 1.0)
    axes.grid(axis="x", visible=False)
    if bars.unit == "pps":
        svgfile.rates(axes.yaxis, bars.highest)
    else:
        axes.set_ylabel(bars.unit or "value")
