"""Which session `--resume` goes on with if none is named, and what damaged ones have to do with it."""

from pathlib import Path

import pytest
from experimental import LAB, plan_of, sysctl
from msgspec.structs import replace

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Plan
from fwdtui.core.factors import FactorValue
from fwdtui.core.lab import Run, plain
from fwdtui.monitor.experiment.opening import check_lab, check_unchanged, find_begun
from fwdtui.monitor.experiment.subject import Subject
from fwdtui.store import SessionWriter
from fwdtui.store.experiment_journal import JOURNAL, PLAN, Journal

MINE = plan_of([sysctl("direct")], (0,))
ANOTHER = plan_of([sysctl("direct")], (0,), digest="e" * 64)


def begun(into: Path, name: str, second: int, plan: Plan = MINE) -> Path:
    """A session in which the experiment was begun at that second."""
    writer = SessionWriter.create(into / name, label=name, created=f"2026-01-01T00:00:{second:02d}+00:00")
    writer.close()
    Journal.begin(into / name, plan, "").close()
    return into / name


def damage(folder: Path, name: str = JOURNAL) -> None:
    (folder / name).write_bytes(b"{}\n" + (folder / name).read_bytes())


def found(into: Path) -> tuple[str, list[str]]:
    said: list[str] = []
    return find_begun(into, Subject(Path("lab.toml"), MINE, ""), said.append), said


def test_the_newest_of_this_experiment_is_gone_on_with(tmp_path: Path) -> None:
    begun(tmp_path, "b", 1)
    begun(tmp_path, "a", 2)
    begun(tmp_path, "c", 3, ANOTHER)
    assert found(tmp_path) == ("a", [])


@pytest.mark.parametrize("name", [JOURNAL, PLAN, "session.toml"])
def test_a_damaged_session_is_named_and_the_only_other_one_is_gone_on_with(name: str, tmp_path: Path) -> None:
    begun(tmp_path, "good", 1)
    damage(begun(tmp_path, "bad", 2), name)
    session, said = found(tmp_path)
    assert session == "good"
    (line,) = said
    assert line.startswith(f"{tmp_path / 'bad'}/{name}") and line.endswith("; going on with good instead")


def test_a_damaged_session_of_another_experiment_is_not_spoken_of(tmp_path: Path) -> None:
    begun(tmp_path, "good", 1)
    damage(begun(tmp_path, "other", 2, ANOTHER))
    assert found(tmp_path) == ("good", [])


def test_where_several_are_left_beside_a_damaged_one_the_user_has_to_name_one(tmp_path: Path) -> None:
    begun(tmp_path, "one", 1)
    begun(tmp_path, "two", 2)
    damage(begun(tmp_path, "bad", 3))
    with pytest.raises(FwdtuiError, match=r"name one by --session: two or one \(.*bad/experiment.jsonl"):
        found(tmp_path)


def test_where_only_damaged_ones_are_left_each_is_named_with_its_damage(tmp_path: Path) -> None:
    damage(begun(tmp_path, "bad", 3))
    begun(tmp_path, "other", 2, ANOTHER)
    with pytest.raises(
        FwdtuiError, match=r"no session .* can be gone on with: .*bad/experiment.jsonl: line 1"
    ):
        found(tmp_path)
    with pytest.raises(FwdtuiError, match=r"no session was begun with this experiment\.toml"):
        found(tmp_path / "empty")


IMAGE = {"image": "n311215", "flows": 2000}


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (IMAGE, ""),
        (IMAGE | {"flows": "2000"}, ""),
        (IMAGE | {"image": "n320000"}, "factors.image"),
        (IMAGE | {"af": "inet6"}, "factors.af"),
        ({}, "factors.flows, factors.image"),
    ],
)
def test_a_lab_whose_factors_have_changed_is_not_gone_on_with(
    now: dict[str, FactorValue], told: str, tmp_path: Path
) -> None:
    """What is measured now would be filed under those of the session."""
    SessionWriter.create(tmp_path / "s", label="s", created="", lab=plain(LAB), factors=IMAGE).close()
    refused = ""
    try:
        check_lab(tmp_path / "s", replace(LAB, factors=now))
    except FwdtuiError as error:
        refused = str(error)
    assert f"since it was begun ({told}):" in refused if told else not refused


def test_factors_that_were_corrected_in_the_session_and_in_the_lab_are_no_change(tmp_path: Path) -> None:
    SessionWriter.create(tmp_path / "s", label="s", created="", lab=plain(LAB), factors=IMAGE).close()
    corrected = IMAGE | {"image": "n320000"}
    (tmp_path / "s" / "annotations.toml").write_text('[factors]\nimage = "n320000"\n')
    for one in (IMAGE, corrected):
        check_lab(tmp_path / "s", replace(LAB, factors=one))


def test_what_is_measured_is_the_lab_that_was_planned_for_and_shown() -> None:
    """Commands of lab.toml start the generators, and its hosts are those on which levels are entered."""
    subject = Subject(Path("lab.toml"), MINE, "", read=LAB)
    check_unchanged(subject, LAB)
    check_unchanged(subject, replace(LAB, run=Run(warmup=1.0)))  # the plan has the times
    check_unchanged(Subject(Path("lab.toml"), MINE, ""), replace(LAB, name="any"))
    elsewhere = replace(LAB, dut=replace(LAB.dut, host="another"))
    started = replace(LAB, generators=tuple(replace(one, start="flood") for one in LAB.generators))
    for changed in (elsewhere, started):
        with pytest.raises(FwdtuiError, match=r"^lab\.toml: has changed since the experiment was read"):
            check_unchanged(subject, changed)
