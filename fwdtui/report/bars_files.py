"""The data of grouped bars for those who redraw them: a CSV, and a gnuplot script with its data file.

The CSV (RFC 4180) has a row for each bar. The data file has a block for each series, two empty lines apart,
so that gnuplot's ``index`` chooses one; its columns are the group's place from 0, median, least, greatest, 1
where the median is a lower bound (0 elsewhere), and in quotation marks the group and what is written above
the bar: the median with the digits of the report's own chart.
"""

from collections.abc import Iterator, Sequence

from fwdtui.core.text import clean
from fwdtui.report.bars import Bar, Bars, figure
from fwdtui.report.plotting import MARK, as_csv, in_data, number, quoted, value_format
from fwdtui.report.svgfile import COLOURS

HEAD = ("group", "series", "n", "median", "min", "max", "unit", "capped", "metric")
_MOST_FIGURES = 16  # with more bars, the medians are not written above them
_SHARE = 0.8  # of a group's width that its bars take


def table(bars: Bars) -> bytes:
    """The CSV: figures in full, empty where there is none."""
    rows = [
        (
            *(clean(group), clean(series), str(bar.described.n)),
            *(number(one) for one in (bar.described.median, bar.described.min, bar.described.max)),
            *(bars.unit, "yes" if bar.capped else "", bars.metric),
        )
        for group, of_group in bars.groups
        for series, bar in zip(bars.series, of_group, strict=True)
        if bar is not None
    ]
    return as_csv(HEAD, rows)


def data(bars: Bars) -> bytes:
    """The data file of the script."""
    blocks = []
    for place in _drawn(bars):
        rows = [f"# {clean(bars.series[place])}"] if bars.series[place] else []
        rows += [
            " ".join(
                [str(at), *figures, str(int(bar.capped)), in_data(group), in_data(figure(bar, bars.unit))]
            )
            for at, (group, of_group) in enumerate(bars.groups)
            if (bar := of_group[place]) is not None and (figures := _figures(bar))
        ]
        blocks.append("\n".join(rows) + "\n")
    return (f"{MARK}# place median min max capped group shown\n" + "\n\n".join(blocks)).encode()


def _figures(bar: Bar) -> Sequence[str]:
    """Median, least and greatest value; nothing if no iteration counts."""
    one = bar.described
    return [] if one.median is None else [number(part) for part in (one.median, one.min, one.max)]


def script(bars: Bars, data_name: str, out_name: str) -> bytes:
    """The gnuplot script, which reads `data_name` and writes `out_name` beside it."""
    return (MARK + "".join(f"{line}\n" for line in _script(bars, data_name, out_name))).encode()


def _script(bars: Bars, data_name: str, out_name: str) -> Iterator[str]:
    yield f"# Run it in this folder: gnuplot {data_name.removesuffix('.dat')}.plt"
    yield "set terminal svg size 1200,640 noenhanced background rgb 'white'"
    yield "set encoding utf8"
    yield f"set output {quoted(out_name)}"
    yield f"set title {quoted(bars.about)}"
    yield f"set ylabel {quoted(bars.unit or 'value')}"
    yield "set key above left" if any(bars.series) else "unset key"
    yield "set border 3; set tics nomirror; set grid ytics lc rgb '#dddddd'"
    yield value_format(bars.unit)
    yield "set style fill solid 0.9 border lc rgb 'black'"
    yield f"set xtics ({', '.join(f'{quoted(group)} {at}' for at, (group, _) in enumerate(bars.groups))})"
    yield f"set xrange [-0.5:{len(bars.groups) - 0.5}]"
    yield f"set yrange [{_lowest(bars)}:{number(bars.highest * 1.12 or 1.0)}]"
    yield "plot \\"
    yield ", \\\n".join(_plots(bars, data_name)) or "  0 notitle"  # nothing to draw


def _lowest(bars: Bars) -> str:
    return number(min([0.0, *(bar.described.min or 0.0 for bar in bars.every)]) * 1.05)


def _plots(bars: Bars, data_name: str) -> Iterator[str]:
    width = _SHARE / len(bars.series)
    for block, place in enumerate(_drawn(bars)):
        at = f"($1{(place - (len(bars.series) - 1) / 2) * width:+.6g})"
        file = f"{quoted(data_name)} index {block}"
        colour = f"lc rgb '{COLOURS[place % len(COLOURS)]}'"
        name = quoted(bars.series[place])
        yield f"  {file} using {at}:2:({width * 0.92:.6g}) with boxes {colour} title {name}"
        yield f"  {file} using {at}:3:(0):($4-$3) with vectors nohead lw 1.5 lc rgb 'black' notitle"
        if len(bars.every) <= _MOST_FIGURES:
            yield f"  {file} using {at}:4:7 with labels offset 0,0.7 notitle"


def _drawn(bars: Bars) -> list[int]:
    """The places of the series that have a figure: gnuplot has no notation for an empty block."""
    return [
        place
        for place in range(len(bars.series))
        if any((bar := of_group[place]) is not None and _figures(bar) for _, of_group in bars.groups)
    ]
