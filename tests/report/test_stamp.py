"""What is compared or reported is read again if its sessions have changed, and only then."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from planned import Measured, design

from fwdtui.core.model import Iteration, RateSample
from fwdtui.report.stamp import stamp
from fwdtui.store import SessionWriter, drop, rename


def _replaced(folder: Path) -> None:
    """As git checkout, or rsync, which sets the times of the folder to those that it has elsewhere."""
    place = next(folder.glob("*/002"))
    times = place.stat()
    (place / "new").write_bytes((place / "iteration.json").read_bytes()[:50])
    (place / "new").replace(place / "iteration.json")
    os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))


def _judged(folder: Path) -> None:
    with (folder / "experiment.jsonl").open("ab") as journal:
        journal.write(b"\n")


def _added(folder: Path) -> None:
    with SessionWriter(folder) as session:
        session.begin("rules=none").commit(Iteration(0, 1.0))


@pytest.mark.parametrize(
    "change",
    [
        _replaced,
        _judged,
        _added,
        lambda folder: rename(folder, "another"),
        lambda folder: drop(folder, "rules=none", 1, "why"),
    ],
    ids=["replaced", "judged", "added", "renamed", "dropped"],
)
def test_a_change_of_a_session_is_seen(tmp_path: Path, change: Callable[[Path], object]) -> None:
    folder = Measured(design()).write(tmp_path / "night")
    before = stamp([folder])
    assert stamp([folder]) == before
    time.sleep(0.02)  # longer than a tick of the clock of file systems
    change(folder)
    assert stamp([folder]) != before


def test_an_iteration_is_seen_when_it_is_committed_and_not_while_it_is_recorded(tmp_path: Path) -> None:
    with SessionWriter.create(tmp_path / "s", label="s", created="") as session:
        writing = session.begin("inet4")
        writing.append(RateSample("receiver", 1.0, 1.0, 1000.0))
        before = stamp([tmp_path / "s"])
        time.sleep(0.02)
        writing.append(RateSample("receiver", 2.0, 1.0, 1000.0))
        assert stamp([tmp_path / "s"]) == before
        writing.commit(Iteration(0, 999.0))
        assert stamp([tmp_path / "s"]) != before


def test_ten_thousand_iterations_take_no_time_that_somebody_notices(tmp_path: Path) -> None:
    for case in range(10):
        for number in range(1, 1001):
            (tmp_path / "s" / f"c{case}" / f"{number:03d}").mkdir(parents=True)
    (tmp_path / "s/session.toml").write_text("")
    began = time.process_time()
    stamp([tmp_path / "s"])
    assert time.process_time() - began < 0.5
