"""Grouped bars as an SVG: they begin at zero, so that their lengths are in proportion."""

from xml.etree.ElementTree import Element

from fwdtui.report import svgaxes, svgfile
from fwdtui.report.bars import Bar, Bars, figure
from fwdtui.report.cells import shorten_apart
from fwdtui.report.svgaxes import Axes, Scale
from fwdtui.report.svgfile import COLOURS, GREY, WIDE

_HIGH = 300.0
_NAME = 44  # columns of a label in the legend
_ROW = 110  # columns of text that fit below the axis
_SHARE = 0.8  # of a group's width that its bars take
_MOST_FIGURES = 16  # with more bars, the medians are not written above them
# from the eighth series on, colours are used again with another pattern: lines in a tile of 6 points
_HATCHES = ("", "M0 6L6 0", "M0 6L6 0M0 0L6 6", "M3 2.5V3.5")


def draw(bars: Bars) -> bytes:
    """The SVG document: median (bar), least to greatest value (line). Same bars, same bytes."""
    labels = shorten_apart(bars.series, _NAME)
    keys = [_key(place) for place in range(len(labels))] if any(labels) else []
    names = labels if keys else []
    top = svgfile.legend_height(len(names), 2) + svgaxes.TITLE
    root = svgfile.chart(top + _HIGH, bars.about)
    _patterns(root, len(bars.series))
    svgfile.legend(root, names, keys, 2)
    lowest = min((bar.described.min or 0.0 for bar in bars.every), default=0.0)
    y = Scale(min(0.0, lowest) * 1.05, bars.highest * 1.12 or 1.0, top + _HIGH - 20, top)
    scale, unit = svgaxes.scaled(bars.highest) if bars.unit == "pps" else (1.0, bars.unit or "value")
    left = svgfile.EDGE + svgfile.SIZE + svgaxes.widest(y, scale)
    axes = Axes(root, Scale(-0.5, len(bars.groups) - 0.5, left, WIDE - svgfile.EDGE), y)
    axes.numbers_beside(scale)
    for place in range(len(bars.series)):
        _series(axes, bars, place)
    texts = shorten_apart([label for label, _ in bars.groups], max(_ROW // max(len(bars.groups), 1), 8))
    for number, shown in enumerate(texts):
        svgfile.text(root, axes.x.at(number), y.start + 10, shown, "middle")
    axes.label_beside(unit, scale)
    capped = any(bar.capped for bar in bars.every)
    axes.title("median (bar), least to greatest value (line)" + ", ≥: a lower bound" * capped)
    axes.frame()
    return svgfile.written(root)


def _style(place: int) -> tuple[str, str]:
    """Colour and pattern of a series."""
    hatch = place // len(COLOURS) % len(_HATCHES)
    return COLOURS[place % len(COLOURS)], f"hatch{hatch}" if hatch else ""


def _patterns(root: Element, series: int) -> None:
    """Add the hatches that are used. On a page with several charts, one may get another's: all are equal."""
    for number in range(1, min((series - 1) // len(COLOURS) + 1, len(_HATCHES))):
        pattern = svgfile.add(
            root, "pattern", {"patternUnits": "userSpaceOnUse"}, id=f"hatch{number}", width=6, height=6
        )
        svgfile.add(pattern, "path", d=_HATCHES[number], stroke="#000000", stroke_width="0.8")


def _key(place: int) -> svgfile.Key:
    colour, hatch = _style(place)

    def drawn(parent: Element, x: float, y: float) -> None:
        box = {"x": svgfile.px(x), "y": svgfile.px(y - 3.5), "width": "20", "height": "7"}
        svgfile.add(parent, "rect", box, fill=colour, stroke="#000000", stroke_width="0.5")
        if hatch:
            svgfile.add(parent, "rect", box, fill=f"url(#{hatch})")

    return drawn


def _series(axes: Axes, bars: Bars, place: int) -> None:
    """The bars of one series, one in each group."""
    width = _SHARE / len(bars.series)
    for number, (_, group) in enumerate(bars.groups):
        at = axes.x.at(number + (place - (len(bars.series) - 1) / 2) * width)
        _one(axes, bars, group[place], at, axes.x.at(width * 0.92) - axes.x.at(0), place)


def _one(axes: Axes, bars: Bars, bar: Bar | None, at: float, width: float, place: int) -> None:
    foot = axes.y.at(0)
    if bar is None:
        svgfile.text(axes.root, at, foot - 7, "–", "middle", fill=GREY)
        return
    summary = bar.described
    if summary.median is None or summary.min is None or summary.max is None:
        svgfile.text(axes.root, at, foot - 4, "no values", turned=-90, fill=GREY)
        return
    axes.box(at - width / 2, width, 0, summary.median, *_style(place))
    svgfile.line(axes.root, [(at, axes.y.at(summary.min)), (at, axes.y.at(summary.max))])
    if len(bars.every) <= _MOST_FIGURES:
        svgfile.text(axes.root, at, axes.y.at(summary.max) - 8, figure(bar, bars.unit), "middle")
