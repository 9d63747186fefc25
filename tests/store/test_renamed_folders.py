"""People rename folders: the case's real name stands in its files, and everything is found where it lies."""

from pathlib import Path

from fwdtui.core.model import Iteration, RateSample
from fwdtui.monitor.replay import recording as replay_recording
from fwdtui.monitor.replay import target as replay_target
from fwdtui.monitor.replay.iteration_series import read_series
from fwdtui.report.iterations import iteration_folder
from fwdtui.store import SessionWriter, read_session


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
