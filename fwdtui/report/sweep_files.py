"""The data of a sweep for those who redraw it: a CSV, and a gnuplot script with its data file.

The CSV (RFC 4180) has a row for each point. The data file has a block for each line, two empty lines apart,
so that gnuplot's ``index`` chooses one; its columns are place on the axis, median, least, greatest, line rate
(or ?), the level in quotation marks, and 1 where the median is a lower bound (0 elsewhere). Run
``gnuplot NAME.plt`` in the folder: it writes NAME.gnuplot.svg.
"""

import math
from collections.abc import Iterator, Sequence

from fwdtui.core.framing import BETWEEN
from fwdtui.core.imix import BITS, equity
from fwdtui.core.text import clean
from fwdtui.report import sweep_words as words
from fwdtui.report.plotting import MARK, as_csv, in_data, number, quoted, value_format
from fwdtui.report.svgfile import COLOURS
from fwdtui.report.sweep import (
    AT_LEAST,
    AT_MOST,
    Line,
    Point,
    Sweep,
    any_line_rate,
    line_rate_fits,
    link_speed,
    lowest_of,
    top_of,
)

HEAD = (
    *("chart", "series", "level", "place", "n", "median", "min", "max", "unit"),
    *("percent_of_linear", "line_rate", "capped", "frame", "imix_bps", "values", "metric"),
    "percent_bound",
)
"""The columns of the CSV. `place` is the number of a level, or its place among names, from 0.

`metric` is empty for the rate. `percent_bound`: whether percent_of_linear is "at least" or "at most" so much.
"""

_BOUND = {"": "", AT_LEAST: "at least", AT_MOST: "at most"}
_MISSING = "?"
_POINTS = (7, 5, 9, 13, 11, 6, 4)
"""gnuplot's point types that look like our shapes."""


def table(sweep: Sweep) -> bytes:
    """The CSV: figures in full, empty if there is none. It has no text that a spreadsheet would run."""
    return as_csv(HEAD, (_row(sweep, line, point) for line in sweep.lines for point in line.points))


def _row(sweep: Sweep, line: Line, point: Point) -> Sequence[str]:
    summary, efficiency = point.described, point.efficiency
    return (
        words.fixed(sweep),
        line.label,
        clean(point.level.text),
        number(point.at),
        str(summary.n),
        number(summary.median),
        number(summary.min),
        number(summary.max),
        sweep.unit,
        "" if efficiency is None else f"{100 * efficiency:.2f}",
        "" if point.line_rate is None else f"{point.line_rate:.0f}",
        words.cap(point),
        "" if point.frame is None else str(point.frame),
        f"{equity(summary.median):.0f}" if sweep.has_imix and summary.median is not None else "",
        " ".join(map(number, point.values.result.values)),
        sweep.metric,
        "" if efficiency is None else _BOUND[point.bound],
    )


def data(sweep: Sweep) -> bytes:
    """The data file of the script."""
    blocks = []
    for line in _drawn(sweep):
        name = words.series_label(sweep, line)
        rows = [f"# {name}"] if name else []
        rows += [_data_row(sweep, point) for point in line.measured]
        blocks.append("\n".join(rows) + "\n")
    head = f"{MARK}# place median min max line_rate level capped\n"
    return (head + "\n\n".join(blocks)).encode()


def _data_row(sweep: Sweep, point: Point) -> str:
    one = point.described
    figures = [
        number(figure) or _MISSING for figure in (point.at, one.median, one.min, one.max, point.line_rate)
    ]
    return " ".join([*figures, in_data(sweep.axis.label(point.level)), str(int(point.cap is not None))])


def _drawn(sweep: Sweep) -> list[Line]:
    """The lines that have a point: gnuplot warns of an empty block."""
    return [line for line in sweep.lines if line.measured]


def script(sweep: Sweep, data_name: str, out_name: str) -> bytes:
    """The gnuplot script, which reads `data_name` and writes `out_name` beside it."""
    return (MARK + "".join(f"{line}\n" for line in _script(sweep, data_name, out_name))).encode()


def _script(sweep: Sweep, data_name: str, out_name: str) -> Iterator[str]:
    yield f"# Run it in this folder: gnuplot {data_name.removesuffix('.dat')}.plt"
    yield "set terminal svg size 1200,640 noenhanced background rgb 'white'"
    yield f"set output {quoted(out_name)}"
    yield f"set title {quoted(words.title(sweep))}"
    yield f"set xlabel {quoted(sweep.axis.title)}"
    yield f"set ylabel {quoted(sweep.unit or 'value')}"
    yield "set key above left"
    yield "set border 3; set tics nomirror; set grid ytics lc rgb '#dddddd'"
    yield value_format(sweep.unit)
    yield f"set datafile missing '{_MISSING}'"
    if sweep.axis.log:
        yield "set logscale x"
    if not sweep.axis.numeric and len(sweep.axis.levels) > 8:
        yield "set xtics rotate"
    ticks = ", ".join(
        f"{quoted(label)} {number(at)}"
        for label, at in zip(sweep.axis.labels, sweep.axis.places, strict=True)
    )
    yield f"set xtics ({ticks})"
    low, high = sweep.axis.ends
    yield f"set xrange [{number(low)}:{number(high)}]"  # in full: levels may differ in their last digits
    yield f"set yrange [{number(lowest_of(sweep))}:{number(top_of(sweep))}]"
    if sweep.has_imix:
        yield f"# {words.IMIX}: (7*(40+14) + 4*(576+14) + (1500+14))/12*8 bits a packet"
        yield f"set link y2 via y*{BITS:.6f} inverse y/{BITS:.6f}"
        yield f"set y2tics {_round_step(equity(top_of(sweep)) / 5):.0f}; set format y2 '%.0s%cb/s'"
        yield f"set y2label {quoted(words.IMIX)}"
    yield "plot \\"
    yield ", \\\n".join(_plots(sweep, data_name)) or "  NaN notitle"  # nothing to draw


def _plots(sweep: Sweep, data_name: str) -> Iterator[str]:
    for block, line in enumerate(_drawn(sweep)):
        place = sweep.lines.index(line)
        name = words.series_label(sweep, line) or "median"
        colour, shape = COLOURS[place % len(COLOURS)], _POINTS[(place + place // len(COLOURS)) % len(_POINTS)]
        file, style = f"{quoted(data_name)} index {block}", f"lc rgb '{colour}'"
        yield f"  {file} using 1:2 with linespoints {style} lw 2 pt {shape} title {quoted(name)}"
        yield f"  {file} using 1:2:3:4 with yerrorbars {style} pt {shape} notitle"
        if any(point.cap is not None for point in line.measured):
            yield f"  {file} using 1:($7 > 0 ? $2 : NaN) with points pt {shape} ps 0.6 lc rgb 'white' notitle"
        slope = next((point.linear / point.at for point in line.points if point.linear is not None), None)
        if slope is not None:
            shown = f"linear scaling, {name}" if sweep.series else "linear scaling"
            yield f"  {number(slope)}*x with lines {style} dt 3 title {quoted(shown)}"
    if any(point.cap is not None for point in sweep.points):
        told = "a lower bound: at line rate or the offered load"
        yield f"  NaN with points pt 6 lc rgb '#555555' title {quoted(told)}"
    if not any_line_rate(sweep):
        return
    beyond = "" if line_rate_fits(sweep) else "; beyond the top where it is not drawn"
    style, named = "lc rgb '#555555' dt 2", f"title {quoted('line rate' + beyond)}"
    if (speed := link_speed(sweep)) is not None:
        yield f"  {speed:.0f}/(8.0*(x+{BETWEEN})) with lines {style} {named}"
        return
    for count, place in enumerate(_line_rates(sweep)):
        shown = "notitle" if count else named
        yield f"  {quoted(data_name)} index {place} using 1:5 with linespoints {style} pt 0 {shown}"


def _line_rates(sweep: Sweep) -> list[int]:
    """The places of the lines whose line rates are drawn: the same line rates are not drawn twice."""
    places: dict[tuple[tuple[float, float], ...], int] = {}
    for place, line in enumerate(_drawn(sweep)):
        rates = tuple((point.at, point.line_rate) for point in line.measured if point.line_rate is not None)
        if rates and not any(set(rates) <= set(others) for others in places):
            places[rates] = place
    return list(places.values())


def _round_step(least: float) -> float:
    """1, 2 or 5 times a power of ten, not below `least`."""
    decade: float = 10.0 ** math.floor(math.log10(least))
    return next(size * decade for size in (1.0, 2.0, 5.0, 10.0) if size * decade >= least)
