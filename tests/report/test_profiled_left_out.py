"""Whatever compares or lists values leaves a profile out, says so, and has the same numbers as without it."""

from pathlib import Path

import msgspec
import pytest
from fixtures import profiles
from hand_made import recorded
from planned import Measured, design

from fwdtui.cli import main
from fwdtui.core.model import Iteration
from fwdtui.core.parse.profile_text import read_profile
from fwdtui.report.bearing import codes
from fwdtui.report.comparison import judge_sides
from fwdtui.report.document import Document
from fwdtui.report.factor_view import FactorView
from fwdtui.report.markdown import render
from fwdtui.report.sides import load_sides
from fwdtui.store.profiles import add, described

TOLD = "was profiled, which costs packets, and does not count as a value"


def profile(folder: Path, case: str) -> None:
    reading = read_profile(profiles.call_graph(profiles.FORWARDING).encode())
    add(folder, case, reading.folded, described(reading))


def queues(folder: Path, count: int, *, own: bool) -> Path:
    """A session with this number of queues. `own`: each iteration says so itself."""
    factors = {"queues": count}
    values = [Iteration(0, value * count, factors=factors if own else {}) for value in (1e6, 1.01e6, 0.99e6)]
    recorded(folder, f"q{count}", {"inet4": values})
    if not own:
        text = (folder / "session.toml").read_text()
        (folder / "session.toml").write_text(f"{text}\n[factors]\nqueues = {count}\n")
    return folder


@pytest.mark.parametrize("own", [True, False])
def test_a_comparison_by_factors(tmp_path: Path, own: bool) -> None:
    folders = [queues(tmp_path / f"q{n}", n, own=own) for n in (1, 2)]
    view = FactorView(by=("queues",))
    before = judge_sides(load_sides([str(one) for one in folders]), view=view)
    profile(folders[1], "inet4")
    after = judge_sides(load_sides([str(one) for one in folders]), view=view)
    (was,), (now,) = before.judged, after.judged
    assert now.comparison.difference == was.comparison.difference and codes(now.comparison) == codes(
        was.comparison
    )
    told = [one.text for one in now.comparison.warnings if one.code == "profiled"]
    assert told == [f"2: iteration 4 {TOLD}."]


@pytest.mark.parametrize("own", [True, False])
def test_a_filter_leaves_the_profile_of_what_it_leaves(tmp_path: Path, own: bool) -> None:
    folders = [queues(tmp_path / name, 2, own=own) for name in ("a", "b")]
    profile(folders[1], "inet4")
    view = FactorView(filters=(("queues", "2"),))
    compared = judge_sides(load_sides([str(one) for one in folders]), view=view)
    assert [len(side.case("inet4").profiled) for side in compared.sides] == [0, 1]
    (judged,) = compared.judged
    (told,) = [one.text for one in judged.comparison.warnings if one.code == "profiled"]
    assert told.endswith(f"iteration 4 {TOLD}.")


def test_a_profile_of_a_case_with_several_levels_is_of_none_of_them(tmp_path: Path) -> None:
    values = [Iteration(0, 1e6 * n, factors={"queues": n}) for n in (1, 1, 2, 2)]
    recorded(tmp_path / "s", "r1", {"inet4": values})
    profile(tmp_path / "s", "inet4")
    (judged,) = judge_sides(load_sides([str(tmp_path / "s")]), view=FactorView(by=("queues",))).judged
    assert (judged.base.values, judged.other.values) == ((1e6, 1e6), (2e6, 2e6))


@pytest.mark.parametrize("own", [True, False])
def test_a_sweep(tmp_path: Path, own: bool, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [queues(tmp_path / f"q{n}", n, own=own) for n in (1, 2, 4)]
    pages = []
    for _ in range(2):
        out = tmp_path / "sweep.md"
        arguments = [*map(str, folders), "--x", "queues", "-o", str(out), "--without", "charts"]
        assert main(["report", *arguments]) == 0, capsys.readouterr().err
        pages.append(out.read_text())
        profile(folders[1], "inet4")
    was, now = ([line for line in page.splitlines() if line.startswith("| ")] for page in pages)
    assert now == was
    assert TOLD not in pages[0] and f"iteration 4 {TOLD} (queues=2)" in pages[1]


def test_an_experiment(tmp_path: Path) -> None:
    folder = Measured(design()).write(tmp_path / "night")
    before = judge_sides(load_sides([str(folder)]), view=FactorView(by=("rules",)))
    profile(folder, before.sides[0].sessions[0].cases[0].name)
    after = judge_sides(load_sides([str(folder)]), view=FactorView(by=("rules",)))
    assert after.judged[0].comparison.difference == before.judged[0].comparison.difference
    assert after.experiments == before.experiments, "no trial more, none repeated"
    assert TOLD in render(Document(after)) and TOLD not in render(Document(before))


def test_lists_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile(queues(tmp_path / "q2", 2, own=False), "inet4")
    assert main(["sessions", str(tmp_path / "q2")]) == 0
    assert "3  2.000 Mpps  1 profile\n" in capsys.readouterr().out
    assert main(["sessions", str(tmp_path / "q2"), "--json"]) == 0
    (session,) = msgspec.json.decode(capsys.readouterr().out)
    *_, last = session["cases"][0]["iterations"]
    assert (last["value"], last["complete"], last["profile"]["samples"]) == (None, False, 700)
    assert [one["code"] for one in last["warnings"]] == ["profiled"]
