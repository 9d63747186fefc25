"""A disk that is full or fails: what is not saved is not announced, and it is saved as soon as it can be."""

import errno
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from machines import LAB, Machines, blast
from small_disk import as_nobody

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import parse
from fwdtui.core.model import Sample
from fwdtui.monitor.experiment.preparing import STOPPED
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.run import tape, unsaved
from fwdtui.monitor.run.beginning import open_session
from fwdtui.monitor.run.recorder import Recorder
from fwdtui.monitor.run.soundness import discard
from fwdtui.store import read_samples, read_session


class Run:
    """A recorded run of 45 s with one blast, fed by hand: `feed` until a second of it."""

    def __init__(self, into: Path, seconds: int = 45) -> None:
        self.into = into
        self.recorder = Recorder(
            open_session(into, "s"), "v4", logs=lambda: {"gen.log": b"x"}, saved=self._saved
        )
        self.monitor = Monitor(parse(LAB), finished=self.recorder.finished)
        self.samples = list(Machines(blast(5, 35, 10_000)).run(seconds))
        self.fed: list[Sample] = []

    def _saved(self, before, after) -> None:
        self.monitor.saved(before, after)

    def feed(self, until: float) -> None:
        while self.samples and self.samples[0].at < until:
            self.push(self.samples.pop(0))

    def push(self, sample: Sample) -> None:
        self.fed.append(sample)
        self.recorder.take(sample)
        self.monitor.push(sample)
        for event in self.recorder.taken_news():
            self.monitor.push(event)

    def feed_until(self, true: Callable[[], bool]) -> None:
        """The last samples slowly, as a lab's come: what failed is tried again once a second."""
        end = time.monotonic() + 20
        while not true():
            assert time.monotonic() < end and self.samples, "that did not happen"
            self.push(self.samples.pop(0))
            time.sleep(0.05)

    def events(self, code: str) -> list[str]:
        return [event.text for event in self.monitor.snapshot().events if event.code == code]

    def recorded(self, name: str = "recording-001.jsonl") -> list[Sample]:
        log = read_samples(self.recorder.folder / name)
        assert log.problems == ()
        return [sample for sample in log.samples if not hasattr(sample, "code")]


def test_an_iteration_that_cannot_be_saved_is_not_announced_and_is_saved_when_there_is_room(small_disk):
    run = Run(small_disk.folder, seconds=120)
    run.feed(20)
    small_disk.fill()
    run.feed(45)
    (waiting,) = run.monitor.snapshot().iterations
    assert waiting.value == pytest.approx(10_000, rel=1e-3)
    assert not waiting.saved and waiting.index == 0 and run.recorder.unsaved == 1
    assert run.events("iteration") == []
    assert run.recorder.problem == f"{run.recorder.folder}: No space left on device: not everything is saved"
    assert run.events("not-saved") == [run.recorder.problem]
    assert read_session(run.recorder.folder).cases == ()
    small_disk.empty()
    run.feed_until(lambda: not run.recorder.problem)
    (saved,) = run.monitor.snapshot().iterations
    assert saved.saved and saved.index == 1 and saved.value == waiting.value
    assert run.events("iteration") == ["Iteration 1 is complete."]
    run.feed(120)
    run.recorder.close()
    assert run.recorder.unsaved_text == ""
    session = read_session(run.recorder.folder, verify=True)
    assert session.problems == ()
    assert [one.value for one in session.cases[0].iterations] == [waiting.value]
    assert run.recorded() == run.fed  # nothing is missing, and in order


def test_a_blast_of_an_experiment_that_is_stopped_while_it_waits_for_room_does_not_count(small_disk):
    """There is room again before all is closed, so that it is saved then."""
    run = Run(small_disk.folder, seconds=120)
    run.feed(20)
    small_disk.fill()
    run.feed(45)
    (waiting,) = run.monitor.snapshot().iterations
    discard(run.recorder, waiting, STOPPED)
    small_disk.empty()
    run.recorder.close()
    (saved,) = read_session(run.recorder.folder).cases[0].iterations
    (told,) = run.monitor.snapshot().iterations
    for one in (saved, told):
        assert (one.index, one.value, one.incomplete) == (1, None, STOPPED)


def test_what_never_could_be_saved_is_told_at_the_end(small_disk):
    run = Run(small_disk.folder)
    run.feed(20)
    small_disk.fill()
    run.feed(45)
    run.recorder.close()
    assert re.search(
        r"No space left on device: not everything is saved; "
        r"not saved: an iteration of 10000 pps, which began at 20\S+; \d+ samples of the recording",
        run.recorder.unsaved_text,
    )
    whole = len(run.recorded())
    assert run.recorded() == run.fed[:whole] and whole >= 55


def test_an_iteration_that_was_begun_on_a_full_disk_leaves_no_unfinished_folder(small_disk):
    run = Run(small_disk.folder)
    run.feed(20)
    small_disk.fill()
    run.feed(45)
    assert [path.name for path in run.recorder.folder.glob("v4/*")] == []
    run.recorder.close()


def test_samples_beyond_what_memory_holds_are_missing_and_the_recording_says_so(small_disk, monkeypatch):
    monkeypatch.setattr(tape, "WAITING_MOST", 20_000)
    run = Run(small_disk.folder, seconds=120)
    run.feed(20)
    small_disk.fill()
    run.feed(45)
    small_disk.empty()
    run.feed_until(lambda: not run.recorder.problem)
    run.feed(120)
    run.recorder.close()
    log = read_samples(run.recorder.folder / "recording-001.jsonl")
    (hole,) = [sample for sample in log.samples if getattr(sample, "code", "") == tape.HOLE]
    match = re.fullmatch(
        r"Samples from (\S+) to (\S+) s are missing: they could not be saved \(No space left on device\).",
        hole.text,
    )
    first, last = map(float, match.groups())
    missing = [sample for sample in run.fed if sample not in run.recorded()]
    assert [round(missing[0].at, 1), round(missing[-1].at, 1)] == [first, last]
    assert f"{len(missing)} samples" in run.recorder.unsaved_text


def test_iterations_beyond_what_memory_holds_are_lost_by_name(small_disk, monkeypatch):
    monkeypatch.setattr(unsaved, "MOST", 1000)
    run = Run(small_disk.folder)
    run.feed(20)
    small_disk.fill()
    run.feed(45)
    assert run.recorder.unsaved == 0
    assert any("lost: an iteration of 10000 pps" in text for text in run.events("not-saved"))
    small_disk.empty()
    run.recorder.close()
    assert "not saved: an iteration of 10000 pps" in run.recorder.unsaved_text


def test_a_generator_is_not_ready_while_its_result_could_not_be_saved(small_disk):
    run = Run(small_disk.folder)
    run.feed(4)
    assert run.recorder.ready(10.0)
    small_disk.fill()
    assert not run.recorder.ready(10.0)
    assert "No space left on device: no room for the next iteration" in run.recorder.problem
    small_disk.empty()
    wait(lambda: run.recorder.ready(10.0))
    assert run.recorder.problem == ""
    assert not (run.recorder.folder / ".room").exists()
    run.recorder.close()


@pytest.fixture
def own_folder():
    """A folder that anybody may reach, which pytest's own are not."""
    folder = Path(tempfile.mkdtemp(prefix="fwdtui-"))
    yield folder
    for path in (folder, *folder.glob("*"), *folder.glob("*/*")):  # as it may be left forbidden
        if path.is_dir():
            path.chmod(0o755)
    shutil.rmtree(folder)


def test_an_iteration_whose_folder_may_not_be_written_is_saved_once_it_may(own_folder):
    with as_nobody(own_folder):
        run = Run(own_folder, seconds=120)
        run.feed(20)
        folders = [run.recorder.folder, *(path for path in run.recorder.folder.iterdir() if path.is_dir())]
        for path in folders:
            path.chmod(0o555)
        run.feed(45)
        (waiting,) = run.monitor.snapshot().iterations
        assert not waiting.saved and run.recorder.unsaved == 1 and run.events("iteration") == []
        assert re.fullmatch(
            rf"{own_folder}\S*: Permission denied: not everything is saved", run.recorder.problem
        )
        assert not run.recorder.ready(10.0)
        for path in folders:
            path.chmod(0o755)
        run.feed_until(lambda: not run.recorder.problem)
        run.feed(120)
        run.recorder.close()
        assert run.recorder.unsaved_text == ""
        session = read_session(run.recorder.folder, verify=True)
        assert session.problems == ()
        assert [one.value for one in session.cases[0].iterations] == [waiting.value]
        assert run.recorded() == run.fed


def test_what_may_never_be_written_is_told_at_the_end(own_folder):
    with as_nobody(own_folder):
        run = Run(own_folder)
        run.feed(20)
        for path in (run.recorder.folder, *run.recorder.folder.glob("v4")):
            path.chmod(0o555)
        run.feed(45)
        run.recorder.close()
        assert "Permission denied: not everything is saved; not saved: an iteration of 10000 pps" in (
            run.recorder.unsaved_text
        )
        assert run.recorded() == run.fed  # that file was open


def test_a_recording_where_nothing_may_be_written_is_not_begun(own_folder):
    with as_nobody(own_folder):
        own_folder.chmod(0o555)
        with pytest.raises(PermissionError):
            open_session(own_folder, "s")


def wait(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end, "that did not happen"
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("number", "text"), [(errno.EIO, "Input/output error"), (errno.EDQUOT, "Disk quota exceeded")]
)
def test_samples_whose_sync_failed_are_written_once_more(tmp_path, monkeypatch, number, text):
    """After a failed fsync(2) the kernel may have dropped what was written since the last one that worked."""
    run = Run(tmp_path, seconds=120)
    monkeypatch.setattr(tape, "SYNC", 0.0)
    sync = getattr(os, "fdatasync", os.fsync)

    def broken(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    run.feed(20)
    monkeypatch.setattr(os, sync.__name__, broken)
    run.feed(21)
    assert f"{text}: not everything is saved" in run.recorder.problem
    path = run.recorder.folder / "recording-001.jsonl"
    with path.open("r+b") as file:  # as if the disk had lost the newest
        file.truncate(path.stat().st_size - 100)
    monkeypatch.setattr(os, sync.__name__, sync)
    run.feed_until(lambda: not run.recorder.problem)
    run.feed(120)
    run.recorder.close()
    assert run.recorded() == run.fed


def test_a_disk_that_takes_what_is_written_and_then_fails_loses_nothing(small_disk, tmp_path):
    """A file system whose own disk has no room left: write(2) works, fsync(2) fails, as on a failing disk."""
    image, folder = small_disk.folder / "image", tmp_path / "thin"
    folder.mkdir()
    with image.open("wb") as file:
        file.truncate(16 << 20)
    for command in (
        ["mkfs.ext4", "-q", "-F", "-O", "^has_journal", str(image)],
        ["mount", "-o", "loop", str(image), str(folder)],
    ):
        if shutil.which(command[0]) is None or subprocess.run(command, check=False).returncode:
            pytest.skip(f"{command[0]} does not work here")
    try:
        run = Run(folder, seconds=240)
        run.feed(4)
        small_disk.fill()
        run.feed(45)
        run.feed_until(lambda: bool(run.recorder.problem))
        assert re.search("Input/output error|No space left|Read-only", run.recorder.problem)
        assert not run.recorder.ready(10.0)
        small_disk.empty()
        run.feed_until(lambda: not run.recorder.problem)
        run.feed(240)
        run.recorder.close()
        subprocess.run(["umount", str(folder)], check=True)
        subprocess.run(["mount", "-o", "loop", str(image), str(folder)], check=True)
        assert run.recorded() == run.fed  # read from the disk, not from memory
        session = read_session(run.recorder.folder, verify=True)
        assert session.cases[0].iterations[0].complete, session.problems
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)


# the folder itself


def test_a_session_that_is_renamed_is_written_to_where_it_is_and_the_user_learns_where(tmp_path):
    run = Run(tmp_path, seconds=120)
    run.feed(4)
    (tmp_path / "s").rename(tmp_path / "renamed")
    run.feed_until(lambda: bool(run.recorder.elsewhere))
    told = f"{tmp_path}/s was renamed; recording goes on in {tmp_path}/renamed"
    assert run.recorder.elsewhere == told and run.events("not-saved") == [told]
    run.feed(120)
    assert run.recorder.folder == tmp_path / "renamed"
    run.recorder.close()
    assert run.recorder.unsaved_text == ""
    assert [len(case.iterations) for case in read_session(tmp_path / "renamed").cases] == [1]
    assert run.recorded() == run.fed
    assert not (tmp_path / "s").exists() and not (tmp_path / "renamed/.lock").exists()


def test_an_iteration_does_not_say_where_its_session_was(tmp_path):
    """Who passes it on tells nobody the names of his folders; the screen needs them."""
    run = Run(tmp_path, seconds=120)
    run.feed(20)
    (tmp_path / "s").rename(tmp_path / "renamed")
    run.feed_until(lambda: bool(run.recorder.elsewhere))
    assert run.events("not-saved") == [f"{tmp_path}/s was renamed; recording goes on in {tmp_path}/renamed"]
    run.feed(120)
    run.recorder.close()
    for kept in ("recording-001.jsonl", "v4/001/samples.jsonl"):
        text = (tmp_path / "renamed" / kept).read_text()
        assert "s was renamed; recording goes on in renamed" in text and str(tmp_path) not in text


def test_a_session_that_is_moved_elsewhere_is_found(tmp_path):
    run = Run(tmp_path / "sessions", seconds=60)
    run.feed(4)
    (tmp_path / "sessions").rename(tmp_path / "moved")
    run.feed_until(lambda: bool(run.recorder.elsewhere))
    if sys.platform == "linux":
        assert run.recorder.folder == tmp_path / "moved/s"
    run.feed(60)
    run.recorder.close()
    assert [len(case.iterations) for case in read_session(tmp_path / "moved/s").cases] == [1]


def test_a_session_that_is_deleted_is_made_again_and_what_is_gone_is_told(tmp_path):
    run = Run(tmp_path, seconds=120)
    run.feed(4)
    shutil.rmtree(tmp_path / "s")
    run.feed_until(lambda: bool(run.recorder.elsewhere))
    told = f"{tmp_path}/s was deleted, with what was recorded in it; recording goes on in {tmp_path}/s"
    assert run.recorder.elsewhere == told
    run.feed(120)
    run.recorder.close()
    assert told in run.recorder.unsaved_text
    session = read_session(tmp_path / "s", verify=True)
    assert session.label == "s" and session.problems == ()
    assert [len(case.iterations) for case in session.cases] == [1]
    assert run.fed[-1] in run.recorded()


def test_what_bears_the_name_of_a_deleted_session_is_left_alone(tmp_path):
    run = Run(tmp_path, seconds=120)
    run.feed(4)
    shutil.rmtree(tmp_path / "s")
    other = open_session(tmp_path, "s")
    run.feed_until(lambda: bool(run.recorder.elsewhere))
    assert run.recorder.folder == tmp_path / "s-2"
    run.feed(120)
    run.recorder.close()
    with pytest.raises(FwdtuiError, match="another fwdtui is writing"):
        open_session(tmp_path, "s")
    other.close()
    assert [path.name for path in (tmp_path / "s").iterdir()] == ["session.toml"]
    assert [len(case.iterations) for case in read_session(tmp_path / "s-2").cases] == [1]


def test_the_end_of_a_recording_does_not_unlock_a_session_that_took_its_name(tmp_path):
    first = open_session(tmp_path, "s")
    (tmp_path / "s").rename(tmp_path / "old")
    second = open_session(tmp_path, "s")
    first.close()
    assert (tmp_path / "s/.lock").exists() and not (tmp_path / "old/.lock").exists()
    with pytest.raises(FwdtuiError, match="another fwdtui is writing"):
        open_session(tmp_path, "s")
    second.close()


def test_the_end_of_a_recording_does_not_unlock_a_lock_that_was_put_in_place_of_its_own(tmp_path):
    first = open_session(tmp_path, "s")
    (tmp_path / "s/.lock").unlink()
    second = open_session(tmp_path, "s")
    first.close()
    with pytest.raises(FwdtuiError, match="another fwdtui is writing"):
        open_session(tmp_path, "s")
    second.close()


def test_a_recording_file_that_is_deleted_is_told_and_a_new_one_begun(tmp_path, monkeypatch):
    monkeypatch.setattr(tape, "SYNC", 0.0)
    run = Run(tmp_path)
    run.feed(4)
    (tmp_path / "s/recording-001.jsonl").unlink()
    run.feed(45)
    run.recorder.close()
    assert "the recording was deleted; it goes on in a new file" in run.recorder.unsaved_text
    assert run.recorded()[-1] == run.fed[-1]


# links inside the session


def test_a_case_folder_that_is_a_link_is_refused_before_anything_is_measured(tmp_path):
    open_session(tmp_path, "s").close()
    (tmp_path / "outside").mkdir()
    (tmp_path / "s/v4").symlink_to(tmp_path / "outside")
    with pytest.raises(OSError, match="a link, not a folder"):
        Run(tmp_path)
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_case_folder_that_becomes_a_link_takes_nothing_outside(tmp_path):
    run = Run(tmp_path, seconds=120)
    run.feed(4)
    (tmp_path / "outside").mkdir()
    (tmp_path / "s/v4").symlink_to(tmp_path / "outside")
    run.feed(45)
    assert "a link, not a folder: not everything is saved" in run.recorder.problem
    assert list((tmp_path / "outside").iterdir()) == []
    (tmp_path / "s/v4").unlink()
    run.feed_until(lambda: not run.recorder.problem)
    run.recorder.close()
    assert run.monitor.snapshot().iterations[0].index == 1


@pytest.mark.parametrize("content", ["schema = 2\nlabel = 'x'\ncreated = 'x'\n", "label ="])
def test_nothing_is_added_to_a_session_that_could_not_be_read_back(tmp_path, content):
    open_session(tmp_path, "s").close()
    (tmp_path / "s/session.toml").write_text(content)
    with pytest.raises(FwdtuiError, match=r"session\.toml"):
        open_session(tmp_path, "s")
    assert (tmp_path / "s/session.toml").read_text() == content
