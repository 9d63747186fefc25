"""The recorder's own bounds: how often it tries, how much it holds, what it asks room for, what it tells."""

import datetime
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.host_settings import HostSettings
from fwdtui.core.model import EventSample, Iteration, RateSample, Sample
from fwdtui.monitor.run import recorder as recording
from fwdtui.monitor.run import tape, unsaved
from fwdtui.monitor.run.beginning import open_session
from fwdtui.monitor.run.recorder import Recorder
from fwdtui.store import SessionWriter, read_samples, read_session
from fwdtui.store.records import Appender, line


class Clock:
    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        patch.setattr(recording.time, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def saved() -> list[tuple[Iteration, Iteration]]:
    return []


@pytest.fixture
def recorder(tmp_path: Path, clock: Clock, saved: list[tuple[Iteration, Iteration]]) -> Recorder:
    logs = {"generator.log": b"0123456789"}
    return Recorder(
        open_session(tmp_path, "s"), "v4", logs=lambda: logs, saved=lambda *pair: saved.append(pair)
    )


def sample(at: float) -> RateSample:
    return RateSample("receiver", at, 1.0, 1000.0, at=at)


def refuse(recorder: Recorder) -> Callable[[], None]:
    """No iteration can be saved until the returned function is called."""
    link = recorder.folder / "v4"
    outside = recorder.folder.parent / "outside"
    outside.mkdir(exist_ok=True)
    link.symlink_to(outside)
    return link.unlink


def codes(events: list[EventSample]) -> list[str]:
    return [event.code for event in events]


PROBLEM = "a link, not a folder: not everything is saved"


# when an iteration began


@pytest.mark.parametrize("at", [0.0, 500.0])
@pytest.mark.parametrize("before", [0.0, 100.0])
def test_an_iteration_began_when_it_did_by_the_clock_of_this_machine(
    recorder: Recorder, at: float, before: float
) -> None:
    """The first sample's time on the axis says what the axis's zero is."""
    recorder.take(sample(at))
    recorder.take(sample(at + 50.0))  # later ones change nothing
    told = recorder.finished(Iteration(0, 1.0), (), at - before)
    ago = datetime.datetime.now(datetime.UTC) - datetime.datetime.fromisoformat(told.began)
    assert ago.total_seconds() == pytest.approx(before, abs=5.0)
    recorder.close()


def test_without_a_sample_it_is_not_known_when_it_began(recorder: Recorder) -> None:
    recorder.take(RateSample("receiver", 1.0, 1.0, 1.0))  # a line that has no place on the axis
    assert recorder.finished(Iteration(0, 1.0), (), 3.0).began == ""
    recorder.close()


def test_the_kernels_messages_are_saved_with_it_and_no_other_events(recorder: Recorder) -> None:
    codes = ("dmesg", "link-down", "link-up", "host-lost", "note")
    events: tuple[Sample, ...] = tuple(
        EventSample(n + 0.25, code, f"the {code}", "dut") for n, code in enumerate(codes)
    )
    recorder.finished(Iteration(0, 1.0), (*events, sample(3.0)), 0.0)
    recorder.finished(Iteration(0, 1.0), events[3:], 0.0)
    recorder.close()
    assert (recorder.folder / "v4/001/dmesg.txt").read_text() == (
        "0.250 dut: the dmesg\n1.250 dut: the link-down\n2.250 dut: the link-up\n"
    )
    assert not (recorder.folder / "v4/002/dmesg.txt").exists()


# what waits


def test_what_could_not_be_saved_is_tried_again_once_a_second_and_then_saved_in_order(
    recorder: Recorder, clock: Clock, saved: list[tuple[Iteration, Iteration]]
) -> None:
    mend = refuse(recorder)
    first = recorder.finished(Iteration(0, 1.0), (sample(1.0),), 0.0)
    second = recorder.finished(Iteration(0, 2.0), (), 0.0)
    assert not first.saved and not second.saved and recorder.unsaved == 2
    assert PROBLEM in recorder.problem and recorder.unsaved_text == recorder.problem
    recorder.take(sample(2.0))
    mend()
    clock.now += 0.9
    recorder.take(sample(3.0))
    assert recorder.unsaved == 2 and saved == []
    clock.now += 0.11
    recorder.take(sample(4.0))
    assert recorder.unsaved == 0 and recorder.problem == ""
    assert [(told, kept.index, kept.saved) for told, kept in saved] == [(first, 1, True), (second, 2, True)]
    events = recorder.taken_news()
    assert codes(events) == ["not-saved", "saved"], "each is told once"
    assert events[1].text == f"{recorder.folder}: can be written again; what had waited is saved"
    assert events[1].at == 4.0 and recorder.taken_news() == []
    assert recorder.finished(Iteration(0, 3.0), (), 0.0).index == 3
    recorder.close()
    assert recorder.unsaved_text == "" and len(read_session(recorder.folder).cases[0].iterations) == 3


def test_a_recording_holds_what_was_told_without_the_path_of_its_folder(
    recorder: Recorder, clock: Clock
) -> None:
    mend = refuse(recorder)
    recorder.finished(Iteration(0, 1.0), (), 0.0)
    mend()
    recorder.close()
    texts = [one.text for one in read_samples(recorder.folder / "recording-001.jsonl").samples]
    assert [text.split(":")[0] for text in texts] == ["s", "s"] and str(recorder.folder.parent) not in str(
        texts
    )


@pytest.mark.parametrize(("spare", "waits"), [(0, 2), (-1, 1)])
def test_as_many_iterations_wait_as_memory_holds(
    recorder: Recorder, monkeypatch: pytest.MonkeyPatch, spare: int, waits: int
) -> None:
    """An iteration takes the bytes of its samples and of its logs."""
    size = len(line(sample(1.0))) + 10
    monkeypatch.setattr(unsaved, "MOST", 2 * size + spare)
    refuse(recorder)
    for value in (1.0, 2.0):
        recorder.finished(Iteration(0, value), (sample(1.0),), 0.0)
    assert recorder.unsaved == waits
    lost = ["an iteration of 2 pps, which began at "] if waits < 2 else []
    assert recorder.lost == lost
    recorder.close()
    order = (2, 1) if lost else (1, 2)
    assert recorder.lost == [f"an iteration of {n} pps, which began at " for n in order]


def test_what_is_lost_is_named_also_without_a_value(recorder: Recorder) -> None:
    refuse(recorder)
    recorder.finished(Iteration(0, None), (), 0.0)
    recorder.close()
    assert recorder.lost == ["an iteration of no value, which began at "]
    assert recorder.unsaved_text.endswith("; not saved: an iteration of no value, which began at ")


def test_an_iteration_after_the_end_is_lost(recorder: Recorder) -> None:
    refuse(recorder)
    recorder.close()
    recorder.finished(Iteration(0, 7.0), (), 0.0)
    assert recorder.unsaved == 0 and recorder.lost == ["an iteration of 7 pps, which began at "]


def test_closing_tries_once_more_without_waiting_for_its_second(recorder: Recorder) -> None:
    mend = refuse(recorder)
    recorder.finished(Iteration(0, 1.0), (), 0.0)
    mend()
    recorder.close()
    assert recorder.unsaved_text == "" and len(read_session(recorder.folder).cases[0].iterations) == 1
    recorder.take(sample(9.0))
    recorder.close()
    assert sample(9.0) not in read_samples(recorder.folder / "recording-001.jsonl").samples


def test_an_unsaved_iteration_cannot_be_dropped_yet(recorder: Recorder) -> None:
    mend = refuse(recorder)
    waiting = recorder.finished(Iteration(0, 1.0), (), 0.0)
    with pytest.raises(FwdtuiError, match=rf"not saved yet \(.*{PROBLEM}\); try again when it is"):
        recorder.drop(waiting, "a slip")
    mend()
    recorder.close()


# room for the next one


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes that room was asked for."""
    found: list[int] = []
    real = SessionWriter.check_room

    def check(self: SessionWriter, size: int) -> None:
        found.append(size)
        real(self, min(size, 1000))

    monkeypatch.setattr(SessionWriter, "check_room", check)
    return found


KIB, MIB = 1 << 10, 1 << 20


@pytest.mark.parametrize(
    ("recorded", "elapsed", "seconds", "expected"),
    [
        # two and a half times what was recorded a second, for as many seconds
        (1000 * KIB, 10.0, 60.0, 2.5 * 100 * KIB * 60),
        (1000 * KIB, 20.0, 60.0, 2.5 * 50 * KIB * 60),
        # in the first second nobody knows how much there will be
        (100 * KIB, 0.1, 60.0, 2.5 * 100 * KIB * 60),
        (1 * KIB, 10.0, 60.0, 256 * KIB),
        (0, 10.0, 60.0, 256 * KIB),
        (10_000 * KIB, 10.0, 3600.0, 64 * MIB),
    ],
)
def test_a_blast_is_expected_to_need_what_the_recording_so_far_says(
    recorder: Recorder, clock: Clock, asked: list[int],
    recorded: int, elapsed: float, seconds: float, expected: float,
) -> None:  # fmt: skip
    recorder._tape.size = recorded
    clock.now += elapsed
    assert recorder.ready(seconds)
    assert asked == [round(expected)]
    recorder.close()


def test_without_room_it_is_asked_for_again_once_a_second(
    recorder: Recorder, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, tries = SessionWriter.check_room, []

    def full(self: SessionWriter, size: int) -> None:
        tries.append(size)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(SessionWriter, "check_room", full)
    for _ in range(2):
        assert not recorder.ready(60.0)
    assert len(tries) == 1
    told = (
        f"{recorder.folder}: No space left on device: no room for the next iteration, which may need 256 KiB"
    )
    assert recorder.problem == told
    clock.now += 0.99
    assert not recorder.ready(60.0) and len(tries) == 1
    clock.now += 0.01
    assert not recorder.ready(60.0) and len(tries) == 2
    clock.now += 1.0
    monkeypatch.setattr(SessionWriter, "check_room", real)
    assert recorder.ready(60.0) and recorder.problem == ""
    assert [event.text for event in recorder.taken_news()] == [
        told,
        f"{recorder.folder}: there is room for the next iteration",
    ]
    recorder.close()


def test_while_something_waits_nothing_is_ready(recorder: Recorder, asked: list[int]) -> None:
    refuse(recorder)
    recorder.finished(Iteration(0, 1.0), (), 0.0)
    assert not recorder.ready(60.0) and asked == []
    recorder.close()


# where the session is


def test_the_folder_is_looked_for_once_a_second(recorder: Recorder, clock: Clock) -> None:
    recorder.folder.rename(recorder.folder.with_name("moved"))
    clock.now += 0.99
    recorder.take(sample(1.0))
    assert recorder.elsewhere == ""
    clock.now += 0.02
    recorder.take(sample(2.0))
    assert recorder.elsewhere.endswith("moved") and recorder.lost == []
    clock.now += 1.1
    recorder.take(sample(3.0))
    assert codes(recorder.taken_news()) == ["not-saved"], "it is told once"
    recorder.close()


def test_of_a_recording_that_was_removed_with_its_session_only_that_is_told(
    recorder: Recorder, clock: Clock
) -> None:
    import shutil

    shutil.rmtree(recorder.folder)
    clock.now += 1.1
    recorder.take(sample(1.0))
    assert len(recorder.lost) == 1 and "was deleted, with what was recorded in it" in recorder.lost[0]
    recorder.close()


def test_a_recording_that_was_removed_is_told_although_something_else_was_lost_or_fails(
    recorder: Recorder, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new file is begun, and nothing can be written into it for a second."""
    real = Appender.write

    def full(self: Appender, data: bytes) -> None:
        if b'"header"' not in data:
            raise OSError(28, "No space left on device")
        real(self, data)

    recorder.lost.append("1 sample of the recording (no memory was left for them)")
    (recorder.folder / "recording-001.jsonl").unlink()
    clock.now += 1.1
    with monkeypatch.context() as disk:
        disk.setattr(Appender, "write", full)
        recorder.take(sample(1.0))
    clock.now += 1.1
    recorder.take(sample(2.0))
    told = f"{recorder.folder}: the recording was deleted; it goes on in a new file"
    assert recorder.lost[1:] == [told] and told in [event.text for event in recorder.taken_news()]
    recorder.close()
    kept = read_samples(recorder.folder / "recording-001.jsonl").samples
    assert [one for one in kept if isinstance(one, RateSample)] == [sample(1.0), sample(2.0)]


def test_a_session_that_is_deleted_once_more_gets_its_settings_once_more(
    recorder: Recorder, clock: Clock
) -> None:
    import shutil

    recorder.take_settings(HostSettings("dut", "linux", ("dut",), "2026-01-01T00:00:00+00:00"))
    for _ in range(2):
        shutil.rmtree(recorder.folder)
        clock.now += 1.1
        recorder.take(sample(1.0))
        assert [path.name for path in (recorder.folder / "settings").iterdir()] == ["dut-001.json"]
    assert len(recorder.lost) == 1
    recorder.close()


# more of what waits, and what is lost


class Long(bytes):
    """Thirty-two mebibytes of a log, without the memory."""

    def __len__(self) -> int:
        return 32 << 20


def test_sixty_four_mebibytes_of_iterations_wait(tmp_path: Path, clock: Clock) -> None:
    logs = {"generator.log": Long()}
    recorder = Recorder(open_session(tmp_path, "s"), "v4", logs=lambda: logs)
    refuse(recorder)
    recorder.finished(Iteration(0, 1.0), (), 0.0)
    recorder.finished(Iteration(0, 2.0), (), 0.0)
    assert recorder.unsaved == 2 and recorder.lost == []
    logs["generator.log"] = b"x"  # type: ignore[assignment]
    recorder.finished(Iteration(0, 3.0), (), 0.0)
    assert recorder.unsaved == 2 and recorder.lost == ["an iteration of 3 pps, which began at "]
    recorder.close()


def test_exactly_a_second_after_a_failure_it_is_tried_again(recorder: Recorder, clock: Clock) -> None:
    mend = refuse(recorder)
    recorder.finished(Iteration(0, 1.0), (), 0.0)
    clock.now += 5.0
    recorder.take(sample(1.0))
    mend()
    clock.now += 0.5
    assert not recorder.ready(10.0), "it is not tried yet"
    clock.now += 0.5
    recorder.take(sample(2.0))
    assert recorder.unsaved == 0
    recorder.folder.rename(recorder.folder.with_name("moved"))
    clock.now += 1.0
    recorder.take(sample(3.0))
    assert recorder.elsewhere.endswith("moved")
    recorder.close()


def test_while_it_fails_it_is_not_ready_however_much_room_there_is(recorder: Recorder, clock: Clock) -> None:
    refuse(recorder)
    recorder.finished(Iteration(0, 1.0), (), 0.0)
    for _ in range(3):
        clock.now += 1.5
        assert not recorder.ready(10.0)
    recorder.close()


def test_an_iteration_that_cannot_be_written_whole_leaves_nothing(tmp_path: Path, clock: Clock) -> None:
    logs = {"generator.log": b"x", "samples.jsonl": b"x"}
    recorder = Recorder(open_session(tmp_path, "s"), "v4", logs=lambda: logs)
    recorder.finished(Iteration(0, 1.0), (sample(1.0),), 0.0)
    assert recorder.problem.endswith("a raw log cannot be named samples.jsonl: not everything is saved")
    assert list((recorder.folder / "v4").iterdir()) == []
    recorder.close()


class Full:
    """A disk that takes nothing until it is `emptied`."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._real, self.full = os.write, True
        patch.setattr(os, "write", self._write)

    def _write(self, descriptor: int, data: bytes) -> int:
        if self.full:
            raise OSError(28, "No space left on device")
        return self._real(descriptor, data)


def test_samples_that_memory_had_no_room_for_are_counted_once(
    recorder: Recorder, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tape, "WAITING_MOST", len(line(sample(1.0))))
    disk = Full(monkeypatch)
    for _ in range(2):
        clock.now += 2.0
        recorder.take(sample(1.0))
    disk.full = False
    clock.now += 2.0
    monkeypatch.setattr(tape, "WAITING_MOST", 1 << 20)
    recorder.take(sample(5.0))  # until the gap is marked, all is lost
    told = "3 samples"  # all but the first, and the event that said so
    assert [event.text for event in recorder.taken_news()] == [
        f"{recorder.folder}: No space left on device: not everything is saved",
        f"{recorder.folder}: can be written again; {told} are missing",
    ]
    lost = [f"{told} of the recording (no memory was left for them)"]
    assert recorder.lost == lost
    recorder.take(sample(6.0))
    clock.now += 2.0
    recorder.take(sample(7.0))
    recorder.close()
    assert recorder.lost == lost and recorder.problem == ""


@pytest.mark.parametrize(("count", "said"), [(0, ""), (1, "2 samples"), (2, "3 samples")])
def test_samples_that_could_not_be_written_at_the_end_are_lost_with_what_was_said_of_it(
    recorder: Recorder, clock: Clock, monkeypatch: pytest.MonkeyPatch, count: int, said: str
) -> None:
    disk = Full(monkeypatch)
    for _ in range(count):
        recorder.take(sample(1.0))
    recorder.close()
    problem = f"{recorder.folder}: No space left on device: not everything is saved"
    assert recorder.unsaved_text == (f"{problem}; not saved: {said} of the recording" if count else "")
    disk.full = False
    assert read_samples(recorder.folder / "recording-001.jsonl").samples == ()


def test_a_sample_that_comes_as_the_disk_fills_up_is_lost_by_itself(
    recorder: Recorder, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Full(monkeypatch)
    disk.full = False
    recorder.take(sample(1.0))
    recorder._tape.add(sample(2.0))
    disk.full = True
    recorder.close()
    assert recorder.lost == ["1 sample of the recording"]
