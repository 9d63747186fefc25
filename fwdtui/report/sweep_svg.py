"""A sweep as an SVG: lines over numbers or names, with the range of the values and reference lines."""

from collections.abc import Callable, Sequence
from typing import Any

from fwdtui.core.framing import line_rate
from fwdtui.core.imix import BITS, equity
from fwdtui.core.units import si
from fwdtui.report import svgfile
from fwdtui.report import sweep_words as words
from fwdtui.report.cells import columns_of, shorten_apart
from fwdtui.report.svgfile import COLOURS, SHAPES
from fwdtui.report.sweep import Line, Sweep, any_line_rate, line_rate_fits, link_speed, top_of
from fwdtui.report.sweep_axis import Axis, thinned

_WIDE, _HIGH = 9.6, 5.0  # inches: a README shows this without scaling
_LEGEND_ROW = 0.22
_NAME = 44  # columns of a label in the legend
_ROW = 110  # columns of text that fit below the axis
_TICK = 28  # columns of a name below the axis
_MOST_TICKS = 64  # names or numbers below the axis that can still be read
_CURVE = 200  # places of a reference line, which is a curve on a logarithmic axis
_GREY = "#555555"


def draw(sweep: Sweep) -> bytes:
    """The SVG document. Same sweep, same bytes."""
    labels = shorten_apart([words.series_label(sweep, line) for line in sweep.lines], _NAME)
    with svgfile.style():
        keys = _keys(sweep, labels)
        figure = svgfile.figure(_WIDE, _HIGH + _LEGEND_ROW * ((len(keys) + 1) // 2) + _room_below(sweep.axis))
        axes = figure.subplots()
        for place, line in enumerate(sweep.lines):
            _line(axes, sweep, line, place)
        for place, line in enumerate(sweep.lines):
            _linear(axes, sweep, line, place)
        _line_rates(axes, sweep)
        _axis_of_levels(axes, sweep.axis)
        _axis_of_values(axes, sweep)
        handles, texts = [key[0] for key in keys], [key[1] for key in keys]
        figure.legend(handles, texts, loc="outside upper left", ncols=2, frameon=False)
        if sweep.fixed:
            axes.set_title(shorten_apart([words.fixed(sweep)], 110)[0])
        return svgfile.svg(figure, words.title(sweep))


def style_of(place: int) -> tuple[str, str]:
    """Colour and shape of a line: 49 lines differ in one or both."""
    return COLOURS[place % len(COLOURS)], SHAPES[(place + place // len(COLOURS)) % len(SHAPES)]


def _line(axes: Any, sweep: Sweep, line: Line, place: int) -> None:
    colour, shape = style_of(place)
    points = line.measured
    at = [point.at for point in points]
    medians = [point.described.median or 0.0 for point in points]
    least = [point.described.min or 0.0 for point in points]
    greatest = [point.described.max or 0.0 for point in points]
    # several lines cross: each range then has its line's colour
    axes.vlines(at, least, greatest, color=colour if len(sweep.lines) > 1 else "black", lw=1.4, zorder=2.2)
    axes.plot(at, medians, color=colour, lw=1.4, zorder=2.1)
    for capped in (False, True):
        chosen = [(point.at, point.described.median) for point in points if (point.cap is not None) == capped]
        axes.plot(
            [x for x, _ in chosen],
            [y for _, y in chosen],
            shape,
            color="white" if capped else colour,
            mec=colour if capped else "black",
            mew=1.4 if capped else 0.5,
            ms=6,
            zorder=2.5,
        )


def _linear(axes: Any, sweep: Sweep, line: Line, place: int) -> None:
    """Linear scaling of one line, as far as the values reach, so that it does not flatten them."""
    first = next((point for point in line.points if point.linear is not None), None)
    if first is None or first.linear is None:
        return
    slope = first.linear / first.at
    end = min(top_of(sweep) / slope, max(sweep.axis.places))
    start = min(first.at, end)
    step = (end - start) / _CURVE
    at = [start + step * number for number in range(_CURVE + 1)]
    axes.plot(at, [slope * x for x in at], color=style_of(place)[0], lw=1.2, ls=":", zorder=1.5)


def _line_rates(axes: Any, sweep: Sweep) -> None:
    """Line rate at each level that has one; the same everywhere is one line."""
    rates = {point.at: point.line_rate for point in sweep.points if point.line_rate is not None}
    if not rates:
        return
    at = sorted(rates)
    speed = link_speed(sweep)
    if len(set(rates.values())) == 1:
        axes.axhline(rates[at[0]], color=_GREY, lw=1.2, ls="--", zorder=1.4)
    elif speed is not None:
        lengths = range(int(at[0]), int(at[-1]) + 1)
        curve = [line_rate(speed, length) for length in lengths]
        axes.plot(lengths, curve, color=_GREY, lw=1.2, ls="--", zorder=1.4)
    else:
        axes.plot(at, [rates[x] for x in at], "_", color=_GREY, ms=12, mew=1.2, zorder=1.4)


def _axis_of_values(axes: Any, sweep: Sweep) -> None:
    lowest = min((point.described.min or 0.0 for point in sweep.points), default=0.0)
    axes.set_ylim(min(0.0, lowest) * 1.05, top_of(sweep))
    if sweep.unit in ("pps", ""):
        svgfile.rates(axes.yaxis, top_of(sweep) / 1.08)
    else:
        axes.set_ylabel(sweep.unit)
    if sweep.unit == "":
        axes.set_ylabel(axes.get_ylabel().removesuffix("pps") or "value")
    axes.grid(axis="x", visible=False)
    if sweep.has_imix:
        second = axes.secondary_yaxis("right", functions=(equity, lambda bits: bits / BITS))
        second.set_ylabel(f"{words.IMIX}, Gb/s")
        second.yaxis.set_major_formatter(_in(1e9))
        second.spines["right"].set_visible(True)


def _in(scale: float) -> Callable[[float, int], str]:
    return lambda value, _: f"{value / scale:.10g}".replace("-", "−")


def _axis_of_levels(axes: Any, axis: Axis) -> None:
    if axis.log:
        axes.set_xscale("log")
    turned = _rotation(axis)
    labels = axis.named(_ROW) if axis.numeric else thinned(_ticks(axis), _MOST_TICKS)
    axes.set_xticks(axis.places, labels, rotation=turned, ha="right" if turned == 45 else "center")
    axes.set_xticks([], minor=True)
    some = "" if all(labels) else " (not every level is named)"
    axes.set_xlabel(f"{axis.title}{', logarithmic' if axis.log else ''}{some}")
    axes.set_xlim(*axis.ends)


def _ticks(axis: Axis) -> list[str]:
    return list(axis.labels) if axis.numeric else shorten_apart(axis.labels, _TICK)


def _rotation(axis: Axis) -> int:
    """Upright numbers; names upright where all fit beside each other, else slanted, and vertical if many."""
    labels = _ticks(axis)
    if axis.numeric or (max(map(columns_of, labels)) + 2) * len(labels) <= _ROW:
        return 0
    return 45 if len(labels) <= 16 else 90


def _room_below(axis: Axis) -> float:
    """Inches for labels that are not upright."""
    turned = {0: 0.0, 45: 0.05, 90: 0.075}[_rotation(axis)]
    return turned * max(map(columns_of, _ticks(axis)))


def _keys(sweep: Sweep, labels: Sequence[str]) -> list[tuple[Any, str]]:
    from matplotlib.lines import Line2D

    keys = []
    for place, label in enumerate(labels):
        colour, shape = style_of(place)
        key = Line2D([], [], color=colour, marker=shape, lw=1.4, mec="black", mew=0.5)
        keys.append((key, label or "median"))
    keys.append((Line2D([], [], color="black", marker="|", ms=9, lw=0, mew=1.2), "least to greatest value"))
    if any(point.cap is not None for point in sweep.points):
        hollow = Line2D([], [], color="white", marker="o", mec=_GREY, mew=1.4, lw=0)
        keys.append((hollow, "a lower bound: at line rate or the offered load"))
    if sweep.has_linear:
        keys.append((Line2D([], [], color=_GREY, ls=":", lw=1.2), "linear scaling from the first point"))
    rates = {point.line_rate for point in sweep.points if point.line_rate is not None}
    if rates and not any_line_rate(sweep):
        at = f" ({si(min(rates))}pps)" if len(rates) == 1 else ""
        keys.append((Line2D([], [], lw=0), f"line rate is beyond the top{at}"))
    elif rates:
        beyond = "" if line_rate_fits(sweep) else "; beyond the top where it is not drawn"
        keys.append((Line2D([], [], color=_GREY, ls="--", lw=1.2), f"line rate{beyond}"))
    return keys
