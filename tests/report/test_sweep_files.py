"""The data beside a chart: a CSV that reads back, and a gnuplot script that runs and expands nothing."""

import csv
import io
import shutil
import subprocess
from pathlib import Path

import pytest
from swept import BENT, around, case, one, queues, session

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
        "# fwdtui report\n# place median min max line_rate level\n"
        '# new\n1 3000000 2997000 3003000 ? "1"\n'
        "\n\n"
        '# old\n1 1000000 999000 1001000 ? "1"\n2 2000000 1998000 2002000 ? "2"\n'
    )


def test_no_text_is_expanded_by_gnuplot() -> None:
    """Strings in single quotation marks: nothing but the mark itself means anything there."""
    name = """it's `touch x` $(y) "z" \\n @m {/=99 a}_b"""
    found = one(session("s", *(case(c, around(1.0), config=c) for c in (name, "other"))), x="config")
    script = sweep_files.script(found, "a.dat", "a.gnuplot.svg").decode()
    assert "'" + name.replace("'", "''") + "'" in script
    assert "noenhanced" in script
    assert "\"it's `touch x` $(y) 'z' /n @m {/=99 a}_b\"" in sweep_files.data(found).decode()


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="gnuplot is not installed")
@pytest.mark.parametrize("x", ["queues", "config"])
def test_gnuplot_runs_the_script_and_draws_every_line(tmp_path: Path, x: str) -> None:
    cases = [
        case(f"{q}.{c}", around(q * 1e6), **{"queues" if x == "queues" else "config": level, "af": c})
        for q, level in enumerate((1, 2, 8, 64) if x == "queues" else ("a`b", "it's", "c$d"), 1)
        for c in ("inet4", "inet6")
    ]
    found = one(session("s", *cases, frame_size=64), x=x, series="af", link=Link(1e9))
    (tmp_path / "a.dat").write_bytes(sweep_files.data(found))
    (tmp_path / "a.plt").write_bytes(sweep_files.script(found, "a.dat", "a.gnuplot.svg"))
    done = subprocess.run(["gnuplot", "a.plt"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    drawn = (tmp_path / "a.gnuplot.svg").read_text()
    assert "inet4" in drawn and "inet6" in drawn
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.dat", "a.gnuplot.svg", "a.plt"]
