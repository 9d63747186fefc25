"""What is stated of a recording: where a session keeps it, and what a further recording changes."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from fwdtui.core.factors import FactorValue
from fwdtui.core.model import Iteration
from fwdtui.monitor.run.beginning import open_session
from fwdtui.monitor.run.recorder import Recorder
from fwdtui.report.cells_of import trials
from fwdtui.store import read_session
from fwdtui.store.annotations import set_factor

LAB: Mapping[str, FactorValue] = {"image": "r1", "flows": 2000}


def record(
    into: Path, case: str, lab: Mapping[str, FactorValue], given: Mapping[str, FactorValue]
) -> Recorder:
    writer = open_session(into, "s", factors=lab, case_factors={case: given})
    recorder = Recorder(writer, case, factors={**lab, **given})
    recorder.finished(Iteration(1, 1e6, "pps", "x"), (), 0.0)
    recorder.close()
    return recorder


def test_lab_toml_s_are_the_session_s_and_the_command_s_those_of_the_case(tmp_path: Path) -> None:
    recorder = record(tmp_path, "v4", LAB, {"af": "inet4", "flows": 5000})
    assert recorder.factors == {"image": "r1", "flows": 5000, "af": "inet4"}
    session = read_session(tmp_path / "s")
    assert session.factors == LAB
    (case,) = session.cases
    assert case.factors == {"af": "inet4", "flows": 5000} and case.iterations[0].factors == {}


def test_a_further_recording_says_in_its_iterations_what_session_toml_does_not(tmp_path: Path) -> None:
    record(tmp_path, "v4", LAB, {"af": "inet4"})
    before = (tmp_path / "s/session.toml").read_bytes()
    record(tmp_path, "v6", LAB, {"af": "inet6"})  # another case
    record(tmp_path, "v4", LAB, {"flows": "2000"})  # the same as before, written differently
    record(tmp_path, "v4", {"image": "r2"}, {})  # another image, against what the session says
    assert (tmp_path / "s/session.toml").read_bytes() == before
    session = read_session(tmp_path / "s")
    shown = [
        (trial.case.name, {name: level.text for name, level in trial.factors.items()})
        for trial in trials([session])
    ]
    assert shown == [
        ("v4", {"image": "r1", "flows": "2000", "af": "inet4"}),
        ("v4", {"image": "r1", "flows": "2000", "af": "inet4"}),
        ("v4", {"image": "r2", "flows": "2000", "af": "inet4"}),
        ("v6", {"image": "r1", "flows": "2000", "af": "inet6"}),
    ]


def test_what_was_corrected_is_what_a_further_recording_is_held_against(tmp_path: Path) -> None:
    record(tmp_path, "v4", {"image": "typo"}, {})
    set_factor(tmp_path / "s", "", "image", "r1")
    recorder = record(tmp_path, "v4", {"image": "r1"}, {})
    assert recorder.factors == {"image": "r1"}
    assert [one.factors for one in read_session(tmp_path / "s").cases[0].iterations] == [{}, {}]


@pytest.mark.parametrize(
    ("stated", "own"), [({"flows": 2000}, {}), ({"flows": 5000}, {}), ({"flows": 9000}, {"flows": 9000})]
)
def test_what_was_corrected_of_a_case_holds_for_what_the_same_recording_goes_on_with(
    tmp_path: Path, stated: Mapping[str, FactorValue], own: Mapping[str, FactorValue]
) -> None:
    """An experiment states in each trial what it began with; somebody may have corrected that meanwhile."""
    recorder = Recorder(open_session(tmp_path, "s", case_factors={"v4": {"flows": 2000}}), "v4")
    recorder.finished(Iteration(1, 1e6, "pps", "x"), (), 0.0)
    set_factor(tmp_path / "s", "v4", "flows", 5000)
    recorder.go_on("v4", stated)
    recorder.finished(Iteration(2, 1e6, "pps", "x"), (), 0.0)
    assert recorder.factors == {"flows": 5000, **own}
    recorder.close()
    assert [one.factors for one in read_session(tmp_path / "s").cases[0].iterations] == [{}, own]


@pytest.mark.parametrize("lab", [{}, LAB])
def test_a_session_without_factors_has_none_of_its_own(
    tmp_path: Path, lab: Mapping[str, FactorValue]
) -> None:
    record(tmp_path, "v4", lab, {})
    text = (tmp_path / "s/session.toml").read_text()
    assert "[cases" not in text and ("[factors]" in text) == bool(lab)
