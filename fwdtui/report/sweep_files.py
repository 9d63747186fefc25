"""The data of a sweep for those who redraw it: a CSV, and a gnuplot script with its data file.

The CSV (RFC 4180) has a row for each point. The data file has a block for each line, two empty lines apart,
so that gnuplot's ``index`` chooses one; its columns are place on the axis, median, least, greatest, line rate
(or ?), and the level in quotation marks. Run ``gnuplot NAME.plt`` in the folder: it writes NAME.gnuplot.svg.
"""

import csv
import io
from collections.abc import Iterator, Sequence

from fwdtui.core.imix import BITS, equity
from fwdtui.core.text import clean
from fwdtui.report import sweep_words as words
from fwdtui.report.svgfile import COLOURS
from fwdtui.report.sweep import Line, Point, Sweep, top_of

MARK = "# fwdtui report\n"
"""How a script and its data begin, as value files do."""
HEAD = (
    *("chart", "series", "level", "place", "n", "median", "min", "max", "unit"),
    *("percent_of_linear", "line_rate", "capped", "frame", "imix_bps", "values"),
)
"""The columns of the CSV. `place` is the number of a level, or its place among names, from 0."""

_MISSING = "?"
_POINTS = (7, 5, 9, 13, 11, 6, 4)
"""gnuplot's point types that look like our shapes."""


def table(sweep: Sweep) -> bytes:
    """The CSV: figures in full, empty where there is none. No text is one that a spreadsheet would run."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n")
    write.writerow(HEAD)
    for line in sweep.lines:
        for point in line.points:
            write.writerow([_safe(cell) for cell in _row(sweep, line, point)])
    return out.getvalue().encode()


def _row(sweep: Sweep, line: Line, point: Point) -> Sequence[str]:
    one, efficiency = point.described, point.efficiency
    return (
        words.fixed(sweep),
        line.label,
        clean(point.level.text),
        _number(point.at),
        str(one.n),
        _number(one.median),
        _number(one.min),
        _number(one.max),
        sweep.unit,
        "" if efficiency is None else f"{100 * efficiency:.2f}",
        "" if point.line_rate is None else f"{point.line_rate:.0f}",
        words.cap(point),
        "" if point.frame is None else str(point.frame),
        f"{equity(one.median):.0f}" if sweep.has_imix and one.median is not None else "",
        " ".join(map(_number, point.values.result.values)),
    )


def _safe(cell: str) -> str:
    """A text that begins like a formula, after an apostrophe (OWASP, CSV injection); numbers stay numbers."""
    try:
        float(cell)
    except ValueError:
        return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t") else cell
    return cell


def _number(value: float | None) -> str:
    """The shortest digits that read back the same."""
    if value is None:
        return ""
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(value)


def data(sweep: Sweep) -> bytes:
    """The data file of the script."""
    blocks = []
    for line in sweep.lines:
        name = words.series_label(sweep, line)
        rows = [f"# {name}"] if name else []
        rows += [_data_row(sweep, point) for point in line.measured]
        blocks.append("\n".join(rows) + "\n")
    head = f"{MARK}# place median min max line_rate level\n"
    return (head + "\n\n".join(blocks)).encode()


def _data_row(sweep: Sweep, point: Point) -> str:
    one = point.described
    figures = [
        _number(figure) or _MISSING for figure in (point.at, one.median, one.min, one.max, point.line_rate)
    ]
    return " ".join([*figures, _in_data(sweep.axis.label(point.level))])


def script(sweep: Sweep, data_name: str, out_name: str) -> bytes:
    """The gnuplot script, which reads `data_name` and writes `out_name` beside it."""
    return (MARK + "".join(f"{line}\n" for line in _script(sweep, data_name, out_name))).encode()


def _script(sweep: Sweep, data_name: str, out_name: str) -> Iterator[str]:
    yield f"# Run it in this folder: gnuplot {data_name.removesuffix('.dat')}.plt"
    yield "set terminal svg size 1200,640 noenhanced background rgb 'white'"
    yield f"set output {_quoted(out_name)}"
    yield f"set title {_quoted(words.title(sweep))}"
    yield f"set xlabel {_quoted(sweep.axis.title)}"
    yield f"set ylabel {_quoted(sweep.unit or 'value')}"
    yield "set key above left"
    yield "set border 3; set tics nomirror; set grid ytics lc rgb '#dddddd'"
    yield "set format y '%.1s%c'"
    yield f"set datafile missing '{_MISSING}'"
    if sweep.axis.log:
        yield "set logscale x"
    if not sweep.axis.numeric and len(sweep.axis.levels) > 8:
        yield "set xtics rotate"
    ticks = ", ".join(
        f"{_quoted(label)} {_number(at)}"
        for label, at in zip(sweep.axis.labels, sweep.axis.places, strict=True)
    )
    yield f"set xtics ({ticks})"
    low, high = sweep.axis.ends
    yield f"set xrange [{low:.6g}:{high:.6g}]"
    yield f"set yrange [0:{_number(top_of(sweep))}]"
    if sweep.has_imix:
        yield f"# {words.IMIX}: (7*(40+14) + 4*(576+14) + (1500+14))/12*8 bits a packet"
        yield f"set link y2 via y*{BITS:.6f} inverse y/{BITS:.6f}"
        yield "set y2tics; set format y2 '%.1s%cb/s'"
        yield f"set y2label {_quoted(words.IMIX)}"
    yield "plot \\"
    yield ", \\\n".join(_plots(sweep, data_name))


def _plots(sweep: Sweep, data_name: str) -> Iterator[str]:
    for place, line in enumerate(sweep.lines):
        name = words.series_label(sweep, line) or "median"
        colour, shape = COLOURS[place % len(COLOURS)], _POINTS[(place + place // len(COLOURS)) % len(_POINTS)]
        file, style = f"{_quoted(data_name)} index {place}", f"lc rgb '{colour}'"
        yield f"  {file} using 1:2 with linespoints {style} lw 2 pt {shape} title {_quoted(name)}"
        yield f"  {file} using 1:2:3:4 with yerrorbars {style} pt {shape} notitle"
        slope = next((point.linear / point.at for point in line.points if point.linear is not None), None)
        if slope is not None:
            shown = f"linear scaling, {name}" if sweep.series else "linear scaling"
            yield f"  {slope:.6f}*x with lines {style} dt 3 title {_quoted(shown)}"
    for place in _line_rates(sweep):
        style = "with linespoints lc rgb '#555555' dt 2 pt 0 title 'line rate'"
        yield f"  {_quoted(data_name)} index {place} using 1:5 {style}"


def _line_rates(sweep: Sweep) -> list[int]:
    """The places of lines whose line rates are drawn: not the same ones again."""
    found: dict[tuple[tuple[float, float], ...], int] = {}
    for place, line in enumerate(sweep.lines):
        rates = tuple((point.at, point.line_rate) for point in line.measured if point.line_rate is not None)
        if rates and not any(set(rates) <= set(others) for others in found):
            found[rates] = place
    return list(found.values())


def _quoted(text: str) -> str:
    """A string of gnuplot in which nothing is expanded: only the quotation mark itself is special."""
    return "'" + clean(text).replace("'", "''") + "'"


def _in_data(text: str) -> str:
    return '"' + clean(text).replace('"', "'").replace("\\", "/") + '"'
