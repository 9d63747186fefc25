"""The data beside a chart: a CSV that reads back, and a gnuplot script that runs and expands nothing."""

import csv
import io
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from swept import BENT, around, case, one, queues, session

from fwdtui.core.model import Iteration
from fwdtui.report import sweep_files
from fwdtui.report.link import Link
from fwdtui.report.sweep import Sweep


def rows(sweep: Sweep) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(sweep_files.table(sweep).decode(), newline="")))


@pytest.fixture
def bent() -> Sweep:
    return one(queues("s", BENT), x="queues", link=Link(10e9))


def test_the_csv_has_every_figure_and_every_value_of_a_level(bent: Sweep) -> None:
    read = rows(bent)
    assert [row["level"] for row in read] == ["1", "2", "4", "8", "16"]
    last = read[-1]
    assert (last["n"], last["median"], last["min"], last["max"]) == ("5", "7200000", "7192800", "7207200")
    assert (last["unit"], last["percent_of_linear"], last["line_rate"]) == ("pps", "30.00", "14880952")
    assert (last["frame"], last["imix_bps"]) == ("64", "20409600000")
    assert [float(value) for value in last["values"].split()] == around(7.2e6)


AT_LINE_RATE = 14.88e6  # of 64 bytes at 10 Gb/s


@pytest.mark.parametrize(
    ("medians", "expected"),
    [
        ((6e6, 9e6, AT_LINE_RATE), [("100.00", ""), ("75.00", ""), ("62.00", "at least")]),
        ((AT_LINE_RATE, 9e6, AT_LINE_RATE), [("100.00", ""), ("30.24", "at most"), ("", "")]),
    ],
)
def test_a_share_of_linear_scaling_that_is_only_a_bound_says_so(
    medians: tuple[float, ...], expected: list[tuple[str, str]]
) -> None:
    found = rows(one(queues("s", dict(zip((1, 2, 4), medians, strict=True))), x="queues", link=Link(10e9)))
    assert [(row["percent_of_linear"], row["percent_bound"]) for row in found] == expected


def test_what_is_not_known_is_empty_and_never_zero() -> None:
    cases = [case(str(q), [None] if q == 1 else [5.0], flows=q) for q in (1, 2)]
    first = rows(one(session("s", *cases), x="flows"))[0]
    assert (first["n"], first["median"], first["line_rate"], first["percent_of_linear"]) == ("0", "", "", "")


@pytest.mark.parametrize("name", ["=cmd()", "+1+1", "-x", "@SUM(A1)", 'say "hi", you', "a;b"])
def test_a_spreadsheet_reads_names_as_text(name: str) -> None:
    found = one(session("s", *(case(c, around(1.0), config=c) for c in (name, "other"))), x="config")
    read = {row["level"] for row in rows(found)}
    assert read == {f"'{name}" if name[0] in "=+-@" else name, "other"}


def test_the_data_file_has_a_block_for_each_line_and_a_mark_for_what_is_missing() -> None:
    both = queues("a", {1: 1e6, 2: 2e6}, image="old"), queues("b", {1: 3e6}, image="new")
    shown = sweep_files.data(one(*both, x="queues", series="image")).decode()
    assert shown == (
        "# fwdtui report\n# place median min max line_rate level capped\n"
        '# new\n1 3000000 2997000 3003000 ? "1" 0\n'
        "\n\n"
        '# old\n1 1000000 999000 1001000 ? "1" 0\n2 2000000 1998000 2002000 ? "2" 0\n'
    )


def over_frames(*rates: float, link: float = 1e9) -> Sweep:
    sizes = zip((64, 512, 1518), rates, strict=True)
    cases = [case(str(size), around(rate, 0.0001), frame_size=f"{size} B") for size, rate in sizes]
    return one(session("s", *cases), x="frame_size", link=Link(link))


def test_the_script_draws_line_rate_as_the_curve_that_it_is_and_lower_bounds_hollow() -> None:
    low = over_frames(150e3, 140e3, 81.2e3)
    script = sweep_files.script(low, "a.dat", "a.svg").decode()
    assert "1000000000/(8.0*(x+20)) with lines" in script
    assert "line rate; beyond the top where it is not drawn" in script
    assert "using 1:($7 > 0 ? $2 : NaN) with points" in script and "a lower bound" in script
    assert [row.split()[-1] for row in sweep_files.data(low).decode().splitlines()[2:]] == ["0", "0", "1"]
    free = sweep_files.script(over_frames(150e3, 140e3, 80e3), "a.dat", "a.svg").decode()
    assert "$7" not in free and "lower bound" not in free


def test_a_line_rate_that_is_nowhere_in_the_chart_is_not_in_its_legend() -> None:
    far = over_frames(150e3, 140e3, 80e3, link=100e9)
    assert "line rate" not in sweep_files.script(far, "a.dat", "a.svg").decode()


def test_the_scripts_axis_holds_levels_of_many_digits() -> None:
    days = (20260301, 20260315, 20260329)
    found = one(session("s", *(case(str(day), around(1e6), day=day) for day in days)), x="day")
    script = sweep_files.script(found, "a.dat", "a.svg").decode()
    (ends,) = re.findall(r"set xrange \[(.*):(.*)\]", script)
    low, high = map(float, ends)
    assert low < days[0] and days[-1] < high < 2 * days[-1] - low


def test_the_scripts_axis_holds_a_value_below_zero() -> None:
    drawn = one(queues("s", {1: 1e6, 2: -2e6, 4: 3e6}), x="queues")
    script = sweep_files.script(drawn, "s.dat", "s.svg").decode()
    low, high = map(float, re.findall(r"set yrange \[(.*):(.*)\]", script)[0])
    assert low < -2e6 and high > 3e6


def test_no_text_is_expanded_by_gnuplot() -> None:
    """Strings in single quotation marks: nothing but the mark itself means anything there."""
    name = """it's `touch x` $(y) "z" \\n @m {/=99 a}_b"""
    found = one(session("s", *(case(c, around(1.0), config=c) for c in (name, "other"))), x="config")
    script = sweep_files.script(found, "a.dat", "a.gnuplot.svg").decode()
    assert "'" + name.replace("'", "''") + "'" in script
    assert "noenhanced" in script
    assert "\"it's `touch x` $(y) 'z' /n @m {/=99 a}_b\"" in sweep_files.data(found).decode()


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
@pytest.mark.parametrize("x", ["queues", "config", "frame_size"])
def test_gnuplot_runs_the_script_and_draws_every_line(tmp_path: Path, x: str) -> None:
    levels = {"queues": (1, 2, 8, 64), "config": ("a`b", "it's", "c$d"), "frame_size": ("64 B", "256 B")}
    cases = [
        case(f"{q}.{c}", around(q * 0.45e6), **{x: level, "af": c})
        for q, level in enumerate(levels[x], 1)
        for c in ("inet4", "inet6")
    ]
    others = {} if x == "frame_size" else {"frame_size": 64}
    found = one(session("s", *cases, **others), x=x, series="af", link=Link(1e9))
    (tmp_path / "a.dat").write_bytes(sweep_files.data(found))
    (tmp_path / "a.plt").write_bytes(sweep_files.script(found, "a.dat", "a.gnuplot.svg"))
    done = subprocess.run(["gnuplot", "a.plt"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    drawn = (tmp_path / "a.gnuplot.svg").read_text()
    assert "inet4" in drawn and "inet6" in drawn
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.dat", "a.gnuplot.svg", "a.plt"]


def test_a_line_without_a_value_has_no_block_and_keeps_its_colour() -> None:
    cases = [
        case(f"{q}.{af}", [None] if af == "inet4" else around(q * 1e6), queues=q, af=af)
        for q in (1, 2)
        for af in ("inet4", "inet6")
    ]
    found = one(session("s", *cases), x="queues", series="af")
    assert "inet4" not in sweep_files.data(found).decode()
    script = sweep_files.script(found, "a.dat", "a.svg").decode()
    (drawn,) = [line for line in script.splitlines() if "linespoints" in line]
    assert "index 0 " in drawn and "#E69F00" in drawn and "'inet6'" in drawn


def test_without_any_value_the_script_draws_an_empty_chart() -> None:
    """gnuplot stops at a plot command without anything to plot."""
    found = one(session("s", *(case(str(q), [None], queues=q) for q in (1, 2))), x="queues")
    assert sweep_files.script(found, "a.dat", "a.svg").endswith(b"plot \\\n  NaN notitle\n")


def test_the_line_of_linear_scaling_has_all_digits_of_its_slope() -> None:
    """4 Gb/s of 3,000,000 flows are 0.00000133 of one: a rounded slope is another line."""
    rows = [Iteration(index, 4.0, unit="Gb/s") for index in range(1, 6)]
    cases = [case(str(flows), rows, flows=flows) for flows in (3_000_000, 6_000_000)]
    text = sweep_files.script(one(session("s", *cases), x="flows", linear=True), "a.dat", "a.svg").decode()
    (line,) = [line for line in text.splitlines() if "linear scaling" in line]
    assert float(line.split("*x")[0]) * 3_000_000 == pytest.approx(4.0)
