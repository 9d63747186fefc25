"""Leaving out an iteration without a usable value is a choice of values too: the verdict is marked for it."""

import json
from pathlib import Path

import pytest
from hand_made import recorded

from fwdtui.cli import main
from fwdtui.core.model import CEASED, PAUSED, Caution, Iteration
from fwdtui.report.comparison import judge_sides
from fwdtui.report.document import Document
from fwdtui.report.markdown import render
from fwdtui.report.sides import load_sides
from fwdtui.store import drop

VALUES = (1.000e6, 1.001e6, 0.999e6, 1.002e6, 1.000e6)
OTHER = (1.001e6, 1.000e6, 1.002e6, 1.001e6, 0.999e6)
NOTHING = Iteration(0, None, warnings=(Caution("no-traffic", "Nothing arrived: all 60 samples are zero."),))


def no_traffic(folder: Path) -> Path:
    return recorded(folder, "r2", {"inet4": [*OTHER, NOTHING, NOTHING]})


def incomplete(folder: Path) -> Path:
    short = Iteration(0, 1.0e6, complete=False, incomplete="broken off after 3 s")
    return recorded(folder, "r2", {"inet4": [*OTHER, short, short]})


def missing(folder: Path) -> Path:
    return recorded(folder, "r2", {"inet4": [*OTHER, None, None]})


def damaged(folder: Path) -> Path:
    made = recorded(folder, "r2", {"inet4": [*OTHER, 1.0e6, 1.0e6]})
    for index in ("006", "007"):
        (made / "inet4" / index / "iteration.json").write_bytes(b"\x00\xff")
    return made


def taken_out(folder: Path, why: str) -> Path:
    made = recorded(folder, "r2", {"inet4": [*OTHER, 1.0e6, 1.0e6]})
    for index in (6, 7):
        drop(made, "inet4", index, why)
    return made


def paused(folder: Path) -> Path:
    return taken_out(folder, PAUSED)


def ceased(folder: Path) -> Path:
    return taken_out(folder, CEASED)


@pytest.fixture(params=[no_traffic, incomplete, missing, damaged, paused, ceased])
def specs(request: pytest.FixtureRequest, tmp_path: Path) -> list[str]:
    base = recorded(tmp_path / "r1", "r1", {"inet4": VALUES})
    return [str(base), str(request.param(tmp_path / "r2"))]


def test_the_table_marks_the_verdict_and_tells_of_both_in_one_line(specs, capsys):
    assert main(["compare", *specs]) == 0
    out = capsys.readouterr().out
    row = next(line for line in out.splitlines() if line.startswith("inet4"))
    assert row.rstrip().endswith("equivalent !")
    assert "a warning bears on it (iteration-excluded)" in " ".join(out.split())
    assert out.count("! iteration-excluded") == 1
    assert "r2: iterations 6 and 7: " in " ".join(out.split())


def test_the_gates_say_it_on_stderr(specs, capsys):
    assert main(["compare", *specs, "--fail-unless", "equivalent"]) == 0
    assert "a warning bears on it (iteration-excluded)" in capsys.readouterr().err


def test_json_has_one_warning_a_side(specs, capsys):
    assert main(["compare", *specs, "--format", "json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert [w["code"] for w in one["warnings"]].count("iteration-excluded") == 1


def test_ministats_format_says_it_on_stderr(specs, capsys):
    assert main(["compare", *specs, "--format", "ministat"]) == 0
    assert "fwdtui: r2, inet4: not counted: iterations 6 and 7: " in capsys.readouterr().err


def test_the_report_marks_it_and_says_why(specs):
    text = render(Document(judge_sides(load_sides(specs))))
    assert "equivalent !" in text and "(`iteration-excluded`)" in text


def test_an_iteration_that_was_never_begun_is_nothing(tmp_path, capsys):
    base = recorded(tmp_path / "r1", "r1", {"inet4": [*VALUES, 1.001e6]})
    other = recorded(tmp_path / "r2", "r2", {"inet4": OTHER})
    assert main(["compare", str(base), str(other)]) == 0
    assert "!" not in capsys.readouterr().out
