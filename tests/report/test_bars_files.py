"""The data beside grouped bars: a CSV, and a gnuplot script that draws the same bars."""

import csv
import io
import shutil
import subprocess
from pathlib import Path

import pytest
from factored import cube
from swept import around, case, one, session

from fwdtui.core.units import si
from fwdtui.report import bars_files
from fwdtui.report.bars import Bars, of_judged, of_sweep
from fwdtui.report.comparison import judge_sides
from fwdtui.report.factor_view import FactorView
from fwdtui.report.placing import is_ours
from fwdtui.report.sides import of_session


@pytest.fixture
def bars() -> Bars:
    """Two groups of two, of which one bar is missing and one has no values."""
    cases = [
        case("off.inet4", around(1e6), config="off", af="inet4"),
        case("on.inet4", [None], config="on", af="inet4"),
        case("off.inet6", around(3e6), config="off", af="inet6"),
    ]
    return of_sweep(one(session("s", *cases), x="config", series="af"))


def test_the_csv_has_a_row_for_each_bar_and_nothing_where_there_is_no_figure(bars: Bars) -> None:
    rows = list(csv.DictReader(io.StringIO(bars_files.table(bars).decode(), newline="")))
    assert [(row["group"], row["series"], row["n"], row["median"], row["unit"]) for row in rows] == [
        ("off", "inet4", "5", "1000000", "pps"),
        ("off", "inet6", "5", "3000000", "pps"),
        ("on", "inet4", "0", "", "pps"),
    ]


def test_the_data_have_a_block_for_each_series(bars: Bars) -> None:
    assert bars_files.data(bars).decode() == (
        "# fwdtui report\n# place median min max capped group shown\n"
        '# inet4\n0 1000000 999000 1001000 0 "off" "1.000 M"\n\n\n'
        '# inet6\n0 3000000 2997000 3003000 0 "off" "3.000 M"\n'
    )


def test_a_series_without_a_figure_moves_no_other_one_to_its_block() -> None:
    cases = [
        case(af, [None] if af == "inet4" else around(1e6), config="on", af=af) for af in ("inet4", "inet6")
    ]
    both = [case("off", around(1e6), config="off", af="inet6")]
    lines = bars_files.script(
        of_sweep(one(session("s", *cases, *both), x="config", series="af")), "a.dat", "b"
    )
    boxes = [line for line in lines.decode().splitlines() if "with boxes" in line]
    assert len(boxes) == 1 and "index 0 using ($1+0.2):2" in boxes[0] and "'inet6'" in boxes[0]


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
def test_gnuplot_draws_them(tmp_path: Path, bars: Bars) -> None:
    found = judge_sides([of_session(each) for each in cube()], view=FactorView(("image",)))
    for place, drawn in enumerate((bars, of_judged(found.judged))):
        name = f"b{place}"
        (tmp_path / f"{name}.dat").write_bytes(bars_files.data(drawn))
        (tmp_path / f"{name}.plt").write_bytes(bars_files.script(drawn, f"{name}.dat", f"{name}.svg"))
        command = ["gnuplot", f"{name}.plt"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        svg = (tmp_path / f"{name}.svg").read_text()
        assert all(series in svg for series in drawn.series)
        assert all(group in svg for group, _ in drawn.groups)
        medians = [bar.described.median for bar in drawn.every if bar.described.median is not None]
        assert all(f">{si(median)}<" in svg for median in medians), "the digits of the report's own chart"


def test_a_later_report_may_replace_all_of_them(tmp_path: Path, bars: Bars) -> None:
    for name, data in (
        ("a.csv", bars_files.table(bars)),
        ("a.dat", bars_files.data(bars)),
        ("a.plt", bars_files.script(bars, "a.dat", "a.svg")),
    ):
        (tmp_path / name).write_bytes(data)
        assert is_ours(tmp_path / name)
