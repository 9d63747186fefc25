"""What of the samples is on disk, what waits, and what there was no room for."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fwdtui.core.model import EventSample, RateSample
from fwdtui.monitor.run import tape
from fwdtui.monitor.run.tape import HOLE, Tape
from fwdtui.store import read_samples
from fwdtui.store.records import Appender, line


class Clock:
    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        patch.setattr(tape.time, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def syncs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How long the file was at each sync."""
    found: list[int] = []
    name = "fdatasync" if hasattr(os, "fdatasync") else "fsync"
    real: Callable[[int], None] = getattr(os, name)

    def counted(descriptor: int) -> None:
        real(descriptor)
        found.append(os.fstat(descriptor).st_size)

    monkeypatch.setattr(os, name, counted)
    return found


def sample(at: float) -> RateSample:
    return RateSample("receiver", at, 1.0, 1000.0, at=at)


def files(folder: Path) -> Callable[[], Appender]:
    return lambda: Appender(folder / f"recording-{len(list(folder.iterdir())) + 1:03d}.jsonl")


def recorded(folder: Path, number: int = 1) -> list[object]:
    log = read_samples(folder / f"recording-{number:03d}.jsonl")
    assert log.problems == ()
    return list(log.samples)


def test_what_is_added_waits_until_it_is_flushed(tmp_path: Path, clock: Clock) -> None:
    one = Tape(files(tmp_path))
    assert (one.waiting, one.size, one.again, one.lost, one.full) == (0, 0, 0, 0, False)
    one.add(sample(1.0))
    one.add(sample(2.0))
    assert one.waiting == 2 and recorded(tmp_path) == []
    assert one.size == len(line(sample(1.0))) + len(line(sample(2.0)))
    one.flush()
    assert one.waiting == 0 and recorded(tmp_path) == [sample(1.0), sample(2.0)]
    one.add(sample(3.0))
    assert one.waiting == 1
    one.flush()
    assert recorded(tmp_path) == [sample(1.0), sample(2.0), sample(3.0)], "nothing is written twice"
    one.close()


@pytest.mark.parametrize(("seconds", "durable"), [(0.99, False), (1.0, True)])
def test_it_is_durable_once_a_second(
    tmp_path: Path, clock: Clock, syncs: list[int], seconds: float, durable: bool
) -> None:
    one = Tape(files(tmp_path))
    syncs.clear()  # that of the header
    one.add(sample(1.0))
    clock.now += seconds
    one.flush()
    assert bool(syncs) is durable
    clock.now += 0.5
    one.flush()
    assert len(syncs) == 1, "a second after the last time"
    one.close()


def test_it_is_durable_at_once_if_asked(tmp_path: Path, clock: Clock, syncs: list[int]) -> None:
    one = Tape(files(tmp_path))
    syncs.clear()
    one.add(sample(1.0))
    one.flush(durable=True)
    assert syncs == [(tmp_path / "recording-001.jsonl").stat().st_size]
    one.close()


@pytest.mark.parametrize(("half", "durable"), [(0, False), (1, True)])
def test_half_of_what_memory_holds_is_made_durable_without_waiting(
    tmp_path: Path, clock: Clock, syncs: list[int], monkeypatch: pytest.MonkeyPatch, half: int, durable: bool
) -> None:
    """As many as are half of it wait for their second; one byte more does not."""
    size = len(line(sample(1.0)))
    monkeypatch.setattr(tape, "WAITING_MOST", 2 * (3 * size - half) + 1)
    one = Tape(files(tmp_path))
    syncs.clear()
    for at in (1.0, 2.0, 3.0):
        one.add(sample(at))
    one.flush()
    assert bool(syncs) is durable
    one.close()


@pytest.mark.parametrize(("room", "lost"), [(3, 0), (2, 1)])
def test_what_memory_has_no_room_for_is_lost_from_the_first_byte_too_many(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, room: int, lost: int
) -> None:
    size = len(line(sample(1.0)))
    monkeypatch.setattr(tape, "WAITING_MOST", room * size)
    one = Tape(files(tmp_path))
    for at in (1.0, 2.0, 3.0):
        one.add(sample(at))
    assert (one.lost, one.full, one.waiting) == (lost, bool(lost), 3 - lost)
    assert one.size == 3 * size, "it was measured all the same"
    one.close()


def test_after_the_first_loss_all_is_lost_until_the_gap_is_marked(
    tmp_path: Path, clock: Clock, syncs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shorter sample would still have room; it would stand before a gap that began earlier."""
    monkeypatch.setattr(tape, "WAITING_MOST", 3 * len(line(sample(1.0))))
    one = Tape(files(tmp_path))
    one.add(sample(1.0))
    one.add(EventSample(2.0, "dmesg", "x" * 500))
    one.add(sample(3.0))
    one.add(EventSample(4.0, "note", ""))
    assert one.lost == 3 and one.waiting == 1
    syncs.clear()
    one.flush("the disk was full")
    text = "Samples from 2.0 to 4.0 s are missing: they could not be saved (the disk was full)."
    assert recorded(tmp_path) == [sample(1.0), EventSample(4.0, HOLE, text)]
    assert syncs, "the mark is durable" and not one.full
    one.add(sample(5.0))
    one.flush()
    assert recorded(tmp_path)[2:] == [sample(5.0)]
    one.close()


def test_a_gap_whose_mark_is_not_sure_to_be_on_disk_is_marked_again(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written with it is written again, and what is lost meanwhile is of the same gap."""
    monkeypatch.setattr(tape, "WAITING_MOST", len(line(sample(1.0))))
    one = Tape(files(tmp_path))
    one.add(sample(1.0))
    one.add(sample(2.0))

    def fails(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as broken, pytest.raises(OSError, match="Input/output error"):
        broken.setattr(os, "fdatasync" if hasattr(os, "fdatasync") else "fsync", fails)
        one.flush("the disk was full")
    one.add(sample(3.0))
    assert (one.waiting, one.lost) == (1, 2)
    one.flush("the disk was full")
    text = "Samples from 2.0 to 3.0 s are missing: they could not be saved (the disk was full)."
    assert recorded(tmp_path) == [sample(1.0), EventSample(3.0, HOLE, text)]
    assert one.waiting == 0 and not one.full
    one.close()


def test_a_lost_line_without_a_time_has_that_of_the_one_before(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tape, "WAITING_MOST", 10)
    untimed = RateSample("receiver", 9.0, 1.0, 1.0)
    one, other = Tape(files(tmp_path)), Tape(files(tmp_path))
    for lost in (sample(7.0), sample(9.0), untimed):
        one.add(lost)
    one.flush()
    other.add(untimed)
    other.flush()
    (first,), (second,) = recorded(tmp_path, 1), recorded(tmp_path, 2)
    assert isinstance(first, EventSample) and "from 7.0 to 9.0 s" in first.text
    assert isinstance(second, EventSample) and "from 0.0 to 0.0 s" in second.text
    one.close()
    other.close()


def test_a_file_that_was_removed_is_noticed_when_it_should_be_durable(
    tmp_path: Path, clock: Clock, syncs: list[int]
) -> None:
    """What had been written since the last sync goes to the next file."""
    before = len(list(Path("/dev/fd").iterdir()))
    one = Tape(files(tmp_path))
    (tmp_path / "other").touch()  # so that the next file has another name
    one.add(sample(1.0))
    one.flush(durable=True)
    one.add(sample(2.0))
    one.flush()
    (tmp_path / "recording-001.jsonl").unlink()
    one.add(sample(3.0))
    one.flush()
    assert one.again == 0 and not list(tmp_path.glob("recording-*"))
    clock.now += 1.0
    one.flush()
    assert one.again == 1 and one.waiting == 0
    (path,) = tmp_path.glob("recording-*")
    assert list(read_samples(path).samples) == [sample(2.0), sample(3.0)]
    assert len(list(Path("/dev/fd").iterdir())) == before + 1, "the removed file is not open any more"
    syncs.clear()
    one.add(sample(4.0))
    one.flush()
    assert syncs == [], "it is as durable as before"
    one.close()


def test_what_was_written_but_is_not_sure_to_be_on_disk_waits_again(
    tmp_path: Path, clock: Clock, syncs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Tape(files(tmp_path))
    one.add(sample(1.0))
    one.flush(durable=True)
    one.add(sample(2.0))
    name = "fdatasync" if hasattr(os, "fdatasync") else "fsync"

    def fails(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as broken, pytest.raises(OSError, match="Input/output error"):
        broken.setattr(os, name, fails)
        one.flush(durable=True)
    assert one.waiting == 1, "nobody knows whether it is there"
    one.add(sample(3.0))
    assert one.waiting == 2
    one.flush()  # soon after: it is made durable all the same
    assert one.waiting == 0 and recorded(tmp_path) == [sample(1.0), sample(2.0), sample(3.0)]
    syncs.clear()
    one.add(sample(4.0))
    one.flush()
    assert syncs == [], "and then once a second again"
    one.close()


def test_closing_writes_what_waits_and_closes_the_file_even_if_that_fails(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = Tape(files(tmp_path)), Tape(files(tmp_path))
    for each in (one, other):
        each.add(sample(1.0))
    one.close()
    assert recorded(tmp_path, 1) == [sample(1.0)]

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken, pytest.raises(OSError, match="No space left"):
        broken.setattr(os, "write", full)
        other.close()
    assert other.waiting == 1 and other._file is not None and other._file._descriptor < 0


def test_what_is_not_sure_to_be_on_disk_at_the_end_is_lost(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Tape(files(tmp_path))
    one.add(sample(1.0))
    one.flush()
    assert one.waiting == 0

    def fails(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as broken, pytest.raises(OSError, match="Input/output error"):
        broken.setattr(os, "fdatasync" if hasattr(os, "fdatasync") else "fsync", fails)
        one.close()
    assert one.waiting == 1


class Long(bytes):
    """Sixteen mebibytes of a line, without the memory."""

    def __len__(self) -> int:
        return 16 << 20


def test_memory_holds_thirty_two_mebibytes(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tape, "line", lambda sample: Long(line(sample)))
    one = Tape(files(tmp_path))
    for lost in (0, 0, 1):
        one.add(sample(1.0))
        assert one.lost == lost
    one.flush()
    one.close()


def test_what_is_durable_takes_no_room(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def event(text: str) -> EventSample:
        return EventSample(1.0, "note", text)

    size = len(line(event("")))
    monkeypatch.setattr(tape, "WAITING_MOST", 2 * size)
    one = Tape(files(tmp_path))
    for _ in range(3):
        one.add(event(""))
        one.add(event(""))
        assert one.lost == 0
        one.flush(durable=True)
    one.add(event(""))
    one.add(event("x"))
    assert one.lost == 1, "a byte too many"
    one.close()
