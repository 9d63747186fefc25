"""People rename folders: the case's real name stands in its files, and everything is found where it lies."""

import shutil
from pathlib import Path

import pytest

from fwdtui.core.model import Iteration, RateSample
from fwdtui.monitor.replay import recording as replay_recording
from fwdtui.monitor.replay import target as replay_target
from fwdtui.monitor.replay.iteration_series import read_series
from fwdtui.report.iterations import iteration_folder
from fwdtui.store import SessionWriter, read_session
from fwdtui.store.case_folders import Found, gone


def recorded(folder: Path, case: str) -> Path:
    with SessionWriter.create(folder, label="s", created="2026-01-02T03:04:05+00:00") as session:
        writing = session.begin(case)
        writing.append(*(RateSample("receiver", float(n), 1.0, 1000.0) for n in range(1, 20)))
        writing.commit(Iteration(0, 1000.0))
    return folder


def test_a_renamed_case_folder_still_shows_its_samples_and_is_played(tmp_path: Path) -> None:
    folder = recorded(tmp_path / "s", "forwarding.inet4")
    (folder / "forwarding.inet4").rename(folder / "forwarding inet4 [bold]IPsec")
    session = read_session(folder)
    (case,) = session.cases
    (iteration,) = case.iterations
    assert case.name == "forwarding.inet4" and iteration.folder == "forwarding inet4 [bold]IPsec/001"
    place = Path(iteration_folder(session, case, iteration))
    assert place.is_dir()
    series = read_series(place, session)
    assert len(series.flows["received"]) == 19 and series.problems == ()
    for target in (
        folder,
        folder / "forwarding inet4 [bold]IPsec",
        folder / "forwarding inet4 [bold]IPsec/1",
    ):
        recording = replay_recording.load(replay_target.find(target), lambda *told: None)
        assert len(recording.samples) == 19, target


def test_where_nothing_was_renamed_there_is_nothing_to_say(tmp_path: Path) -> None:
    (case,) = read_session(recorded(tmp_path / "s", "a b")).cases
    assert [one.folder for one in case.iterations] == [""]
    assert (tmp_path / "s" / case.iterations[0].place("a b")).is_dir()


def two_cases(folder: Path, first: str = "inet4", second: str = "inet6") -> Path:
    """Three iterations of 100, 101 and 102, and four of 50 to 53."""
    with SessionWriter.create(folder, label="s", created="2026-01-02T03:04:05+00:00") as session:
        for case, values in ((first, (100.0, 101.0, 102.0)), (second, (50.0, 51.0, 52.0, 53.0))):
            for value in values:
                session.begin(case).commit(Iteration(0, value))
    return folder


def values(folder: Path) -> dict[str, list[float | None]]:
    return {case.name: [one.value for one in case.iterations] for case in read_session(folder).cases}


def test_an_iteration_in_another_cases_folder_stays_one_of_its_own_case(tmp_path: Path) -> None:
    """It used to take all others of that folder into its case."""
    folder = two_cases(tmp_path / "s")
    (folder / "inet6/004").rename(folder / "inet4/004")
    assert values(folder) == {"inet4": [100.0, 101.0, 102.0], "inet6": [50.0, 51.0, 52.0, 53.0]}
    session = read_session(folder)
    moved = session.cases[1].iterations[3]
    assert moved.folder == "inet4/004"
    assert session.problems == (
        f"{folder}/inet4: holds iterations of several cases (3 of inet4, 1 of inet6): each counts for the "
        "case named in its own file; was a folder moved or merged?",
    )


def test_two_cases_in_one_folder_as_a_disk_that_ignores_case_has_them(tmp_path: Path) -> None:
    folder = two_cases(tmp_path / "s", "UDP", "udp")
    (folder / "udp/004").rename(folder / "UDP/004")
    for name in ("001", "002", "003"):
        (folder / "udp" / name / "iteration.json").unlink()
        (folder / "udp" / name).rmdir()
    (folder / "udp").rmdir()
    (folder / "UDP/002/iteration.json").write_text("{")
    assert values(folder) == {"UDP": [100.0, None, 102.0], "udp": [53.0]}  # damaged: by the folder's name


@pytest.mark.parametrize("damaged", [1, 3])
def test_what_cannot_be_read_is_of_the_case_that_its_folder_stands_for(tmp_path: Path, damaged: int) -> None:
    folder = tmp_path / "s"
    factors = {"udp 64 B": {"frame_size": "64 B"}}
    with SessionWriter.create(folder, label="s", created="", case_factors=factors) as session:
        for value in (1.0, 2.0, 3.0):
            session.begin("udp 64 B").commit(Iteration(0, value))
    for file in sorted(folder.glob("udp*/*/iteration.json"))[:damaged]:
        file.write_text("{")
    assert values(folder) == {"udp 64 B": [None] * damaged + [1.0, 2.0, 3.0][damaged:]}
    assert len(read_session(folder).problems) == damaged


def test_iterations_that_were_removed_are_named(tmp_path: Path) -> None:
    """A comparison judged a session by what was left of it, without a word."""
    folder = two_cases(tmp_path / "s")
    shutil.rmtree(folder / "inet6/002")
    assert read_session(folder).problems == (
        f"{folder}/inet6: iteration 2 is missing: its folder was removed",
    )
    shutil.rmtree(folder / "inet6/003")
    shutil.rmtree(folder / "inet4/001")
    assert read_session(folder).problems == (
        f"{folder}/inet4: iteration 1 is missing: its folder was removed",
        f"{folder}/inet6: iterations 2 to 3 are missing: their folders were removed",
    )


@pytest.mark.parametrize(
    ("left", "told"),
    [
        ((2, 4), "iterations 1 and 3 are missing"),
        ((2, 4, 7, 9, 11, 13, 15), "iterations 1, 3, 5 to 6, 8 and others are missing"),
    ],
)
def test_several_gaps_are_one_sentence(tmp_path: Path, left: tuple[int, ...], told: str) -> None:
    """It was "iterations 1, 3, 5 to 6, 8, 3 more gaps are missing"."""
    found = [Found("v4", f"{at:03d}", "v4", Iteration(at, 1.0)) for at in left]
    assert [*gone(found, {}, "s")] == [f"s/v4: {told}: their folders were removed"]


def test_cases_that_share_a_folder_or_were_moved_miss_nothing(tmp_path: Path) -> None:
    folder = two_cases(tmp_path / "s", "UDP", "udp")
    (folder / "udp/004").rename(folder / "UDP/004")
    shutil.rmtree(folder / "udp")
    assert not [one for one in read_session(folder).problems if "missing" in one]
    folder = two_cases(tmp_path / "t")
    (folder / "other").mkdir()
    (folder / "inet6/002").rename(folder / "other/002")
    (folder / "inet6/001").rename(folder / "other/001")
    assert not [one for one in read_session(folder).problems if "missing" in one]
