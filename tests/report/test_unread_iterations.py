"""An iteration that cannot be read has no factors: whatever a comparison chooses by factors, it is told."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from fwdtui.cli import main
from fwdtui.core.factors import FactorValue
from fwdtui.core.model import Iteration
from fwdtui.report import sweep_input
from fwdtui.report.comparison import Compared, judge_sides
from fwdtui.report.factor_view import AS_GIVEN, FactorView
from fwdtui.report.sides import load_sides
from fwdtui.report.sweep import Wanted, sweeps
from fwdtui.store import SessionWriter

Cases = list[tuple[str, float, dict[str, FactorValue]]]

TWO_RATES: Cases = [("inet4", 1000.0 * half, {"rate": f"{half} Mpps"}) for half in (1, 2)]
ONE_RATE = FactorView(filters=(("rate", "1 Mpps"),))


def recorded(folder: Path, cases: Cases, count: int = 7) -> Path:
    """A session with so many iterations of each: a case, its values' mean, and its factors."""
    with SessionWriter.create(folder, label=folder.name, created="2026-01-02T03:04:05+00:00") as session:
        for name, mean, factors in cases:
            for place in range(count):
                session.begin(name).commit(Iteration(0, mean + place % 3, factors=factors))
    return folder


def damage(folder: Path, *places: str) -> None:
    for place in places:
        (folder / place / "iteration.json").write_text("{")


def two_rates(tmp_path: Path) -> list[str]:
    """Two sessions of two rates; iterations 2 and 3 of the second one are damaged."""
    base = recorded(tmp_path / "a", TWO_RATES)
    other = recorded(tmp_path / "b", [(case, 0.9 * mean, factors) for case, mean, factors in TWO_RATES])
    damage(other, "inet4/002", "inet4/003")
    return [str(base), str(other)]


def compared(paths: Sequence[str], view: FactorView = AS_GIVEN) -> Compared:
    return judge_sides(load_sides(paths), view=view)


def excluded(found: Compared) -> set[str]:
    """What is said of iterations that are left out, in any case."""
    return {
        note.text
        for one in found.judged
        for note in one.comparison.warnings
        if note.code == "iteration-excluded"
    }


@pytest.mark.parametrize(
    "view",
    [ONE_RATE, FactorView(by=("session",)), FactorView(by=("session",), filters=(("rate", "1 Mpps"),))],
    ids=["filter", "by", "by and filter"],
)
def test_it_is_left_out_of_each_set_that_it_may_be_of(tmp_path: Path, view: FactorView) -> None:
    """With a filter it vanished, and --by said that rate is not known, to be said in annotations.toml."""
    found = compared(two_rates(tmp_path), view)
    assert [one.comparison.verdict for one in found.judged] == ["slower"] * len(found.judged)
    assert excluded(found) == {"b: iterations 2 and 3: iteration.json: the JSON ends too early"}
    assert all(note.code != "damage" for note in found.notes), "said once"


def test_a_gate_that_fails_for_warnings_fails_with_a_filter_as_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = two_rates(tmp_path)
    assert main(["compare", *paths, "--filter", "rate=1Mpps", "--fail-if", "marked"]) == 1
    assert "iteration-excluded" in capsys.readouterr().err


def test_the_levels_of_what_can_be_read_are_compared(tmp_path: Path) -> None:
    _, other = two_rates(tmp_path)
    found = compared([other], FactorView(by=("rate",)))
    assert [len(side.cases["inet4"].used) for side in found.sides] == [5, 7]
    assert len(excluded(found)) == 2


def test_a_case_of_which_all_is_damaged_and_no_level_is_known_is_damage(tmp_path: Path) -> None:
    cases: Cases = [*TWO_RATES, ("inet6", 1.0, {"rate": "1 Mpps"})]
    base, other = recorded(tmp_path / "a", cases, 5), recorded(tmp_path / "b", cases, 5)
    damage(other, *(f"inet6/{number:03d}" for number in range(1, 6)))
    for view in (ONE_RATE, FactorView(by=("session",), filters=(("case", "inet4"),))):
        found = compared([str(base), str(other)], view)
        assert [note.text.partition(":")[0] for note in found.notes if note.code == "damage"] == [
            f"{other}/inet6/{number:03d}/iteration.json" for number in range(1, 6)
        ]


def test_a_sweep_tells_it_as_damage_and_does_not_ask_for_its_level(tmp_path: Path) -> None:
    cases: Cases = [("inet4", 100.0 * rate, {"rate": f"{rate} Mpps"}) for rate in (1, 2, 3)]
    folder = recorded(tmp_path / "a", cases)
    damage(folder, "inet4/002")
    loaded = sweep_input.load([str(folder)], AS_GIVEN, None)
    assert [note.code for note in loaded.notes] == ["damage"]
    drawn = sweeps(loaded.trials, Wanted("rate"))
    assert [note.code for note in drawn.notes if note.code == "not-drawn"] == []
    assert [len(point.values.used) for point in drawn.charts[0].points] == [6, 7, 7]


def test_what_is_known_to_be_of_another_level_is_not_told(tmp_path: Path) -> None:
    """Incomplete, but its file says of which rate it was."""
    paths = [str(recorded(tmp_path / name, TWO_RATES)) for name in "ab"]
    with SessionWriter(Path(paths[1])) as session:
        session.begin("inet4").commit(
            Iteration(0, None, complete=False, incomplete="cut", factors={"rate": "2 Mpps"})
        )
    found = compared(paths, ONE_RATE)
    assert (excluded(found), found.notes) == (set(), ())


def test_a_case_of_which_only_the_folder_is_known_is_that_of_the_other_side(tmp_path: Path) -> None:
    """Its slug was shown as one more case, which only that side had, and nothing told the damage."""
    cases: Cases = [("udp 64 B", 100.0, {}), ("inet4", 100.0, {})]
    base, other = recorded(tmp_path / "a", cases, 5), recorded(tmp_path / "b", cases, 2)
    for file in other.glob("udp*/*/iteration.json"):
        file.write_text("{")
    found = compared([str(base), str(other)])
    assert found.cases == ["inet4", "udp 64 B"]
    assert not found.unpaired
    assert excluded(found) == {"b: iterations 1 and 2: iteration.json: the JSON ends too early"}
    assert compared([f"{base}:udp 64 B", f"{other}:udp 64 B"]).cases == ["udp 64 B"]


def test_damage_of_a_case_that_only_one_side_has_is_told(tmp_path: Path) -> None:
    base = recorded(tmp_path / "a", [("inet4", 100.0, {}), ("inet6", 100.0, {})], 5)
    other = recorded(tmp_path / "b", [("inet4", 100.0, {})], 5)
    damage(base, "inet6/002")
    found = compared([str(base), str(other)])
    assert {note.code for note in found.notes} == {"damage", "unpaired-case"}
    chosen = compared([f"{base}:inet4", f"{other}:inet4"])
    assert chosen.notes == (), "the other cases were not chosen"
