"""How long a session's recordings are, from the ends of their files alone."""

import os
from pathlib import Path

import pytest

from fwdtui.core.counters import InterruptRow
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import EventSample, HostSample, RateSample, Sample
from fwdtui.store import lock, opening, plain
from fwdtui.store.recordings import Recorded, recorded
from fwdtui.store.records import LINE_MOST, Appender, Header, index_samples, line, read_samples, samples_in


def sample(at: float | None) -> RateSample:
    return RateSample("receiver", 0.0, 1.0, 1000.0, at=at)


def write(folder: Path, number: int, *times: float | None) -> Path:
    path = folder / f"recording-{number:03d}.jsonl"
    appender = Appender(path)
    appender.append(*map(sample, times))
    appender.close()
    return path


def test_recordings_are_as_long_as_they_are_together(tmp_path: Path) -> None:
    assert recorded(tmp_path) is None and recorded(tmp_path / "none") is None
    write(tmp_path, 1, 10.0, 5.0, 12.5)
    assert recorded(tmp_path) == Recorded(7.5, False)
    write(tmp_path, 2, 100.0, 120.0)
    write(tmp_path, 3)  # nothing was recorded in it
    write(tmp_path, 4, None)
    (tmp_path / "recording-5.jsonl").write_bytes(line(sample(0.0)) + line(sample(99.0)))
    assert recorded(tmp_path) == Recorded(27.5, False)


def test_the_middle_of_a_long_one_is_not_read(tmp_path: Path) -> None:
    """The ends hold many samples each; what lies between is damaged here."""
    path = write(tmp_path, 1, 10.0)
    first, last, unread = line(sample(0.0)), line(sample(20.0)), line(sample(900.0))
    with path.open("ab") as file:
        file.write(b"x" * ((64 << 10) - path.stat().st_size - len(first) - 1) + b"\n" + first + unread)
        file.write(unread + last + b"x" * ((64 << 10) - len(last) - 1) + b"\n")
    assert recorded(tmp_path) == Recorded(20.0, False)


def of_a_large_host(at: float, *, cpus: int, queues: int) -> HostSample:
    """What a slow tick reads: an interrupt for each queue, with a count for each CPU."""
    totals = {cpu: 123_456_789 if cpu == 7 else 0 for cpu in range(cpus)}
    names = [(f"eth{port}", queue) for port in range(2) for queue in range(queues)]
    interrupts = tuple(
        InterruptRow(str(n), f"IR-PCI-MSI-0000:c1:00.0 {n}-edge ice-{name}-TxRx-{queue}", totals, name, queue)
        for n, (name, queue) in enumerate(names)
    )
    return HostSample("dut", 1, at, at, interrupts=interrupts)


def test_one_of_a_host_whose_samples_are_larger_than_the_ends_is_as_long(tmp_path: Path) -> None:
    appender = Appender(tmp_path / "recording-001.jsonl")
    appender.append(*(of_a_large_host(at, cpus=64, queues=64) for at in (0.0, 100.0, 200.0)))
    appender.append(EventSample(200.5, "note", "x"))
    appender.close()
    assert recorded(tmp_path) == Recorded(200.5, False)


def test_one_that_was_broken_off_left_its_lock_and_nobody_holds_it(tmp_path: Path) -> None:
    write(tmp_path, 1, 0.0, 10.0)
    (tmp_path / ".lock").touch()
    assert recorded(tmp_path) == Recorded(10.0, True)
    held = lock.take(tmp_path / ".lock")
    assert held is not None and recorded(tmp_path) == Recorded(10.0, False)
    held.release()
    assert recorded(tmp_path) == Recorded(10.0, False)


# the records of a file


def test_a_file_goes_back_to_what_was_sure_to_be_there(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    appender = Appender(path)
    appender.back()
    appender.append(sample(1.0))
    appender.sync()
    appender.append(sample(2.0))
    appender.back()
    appender.append(sample(3.0))
    appender.close()
    appender.close()
    log = read_samples(path)
    assert log.samples == (sample(1.0), sample(3.0)) and log.problems == ()
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        Appender(path)


def test_a_file_that_was_removed_says_so(tmp_path: Path) -> None:
    appender = Appender(tmp_path / "x")
    assert not appender.deleted
    (tmp_path / "x").unlink()
    assert appender.deleted
    appender.close()


def test_a_sample_of_the_largest_hosts_is_read_back(tmp_path: Path) -> None:
    """256 CPUs, and a queue for each of them at two ports: one line of more than a mebibyte."""
    one = of_a_large_host(1.0, cpus=256, queues=256)
    appender = Appender(tmp_path / "samples.jsonl")
    appender.append(sample(0.5), one, sample(2.0))
    appender.close()
    assert len(line(one)) > opening.MIB
    log = read_samples(tmp_path)
    assert log.samples == (sample(0.5), one, sample(2.0)) and log.problems == ()


@pytest.mark.parametrize(("beyond", "read"), [(0, True), (1, True), (LINE_MOST + 1, False)])
def test_a_line_that_is_longer_than_any_record_is_not_held_in_memory(
    tmp_path: Path, beyond: int, read: bool
) -> None:
    """A file is read in pieces: no more than a line is held of a line that has no end yet."""
    path = tmp_path / "samples.jsonl"
    empty = len(line(EventSample(0.0, "note", "")))
    long = EventSample(0.0, "note", "x" * (LINE_MOST - empty + beyond))
    path.write_bytes(line(long) + line(sample(2.0)))
    log = read_samples(path)
    assert (long in log.samples) is read and log.samples[-1] == sample(2.0)
    assert log.problems == (() if read else (f"{path}: line 1: longer than any record, skipped",))


@pytest.mark.parametrize(("bad", "told"), [(50, 50), (51, 51), (52, 51)])
def test_fifty_problems_are_told_and_the_others_counted(tmp_path: Path, bad: int, told: int) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_bytes(b"damaged\n" * bad + line(sample(1.0)))
    problems = read_samples(path).problems
    assert len(problems) == told
    assert problems[49] == f"{path}: line 50: checksum does not match, record skipped"
    assert problems[50:] == ((f"{path}: {bad - 50} more problems like these",) if bad > 50 else ())


def test_a_torn_last_line_is_told_with_its_length_and_no_sample(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_bytes(line(sample(1.0)) + line(sample(2.0))[:20])
    log = read_samples(path)
    assert log.samples == (sample(1.0),)
    assert log.problems == (f"{path}: line 2: torn last line dropped (20 bytes)",)
    endless = line(sample(1.0)) + b"x" * (2 * LINE_MOST + 5)
    path.write_bytes(endless)
    left = len(endless) - len(line(sample(1.0)))
    assert read_samples(path).problems == (f"{path}: line 2: torn last line dropped ({left} bytes)",)
    assert samples_in(path.read_bytes(), path) == [sample(1.0)]


def test_without_a_file_there_are_no_samples_and_no_problem(tmp_path: Path) -> None:
    assert read_samples(tmp_path).samples == () == read_samples(tmp_path / "none").problems


@pytest.mark.parametrize(("more", "problems"), [(0, 0), (1, 1)])
def test_a_file_is_read_up_to_its_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int, problems: int
) -> None:
    path = write(tmp_path, 1, 1.0, 2.0)
    monkeypatch.setattr(opening, "SAMPLES_MOST", path.stat().st_size)
    with path.open("ab") as file:
        file.write(b"\n" * more)
    log = read_samples(path)
    assert log.samples == (sample(1.0), sample(2.0))
    told = f"{path}: only the first {opening.shown(opening.SAMPLES_MOST)} are read"
    assert log.problems == (told,) * problems


def test_a_line_that_the_bound_cuts_was_not_torn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, 1, 1.0, 2.0, 3.0)
    monkeypatch.setattr(opening, "SAMPLES_MOST", path.stat().st_size - 10)
    log = read_samples(path)
    assert log.samples == (sample(1.0), sample(2.0))
    assert log.problems == (f"{path}: only the first {opening.shown(opening.SAMPLES_MOST)} are read",)


def test_what_is_no_file_is_told_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "samples.jsonl").symlink_to("other")
    with pytest.raises(FwdtuiError) as refused:
        read_samples(tmp_path)
    assert str(refused.value) == f"{tmp_path}/samples.jsonl: a link, not a regular file"


def test_a_file_that_cannot_be_begun_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(Path("/dev/fd").iterdir())

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken, pytest.raises(OSError, match="No space left"):
        broken.setattr(os, "write", full)
        Appender(tmp_path / "samples.jsonl")
    assert list(tmp_path.iterdir()) == [] and set(Path("/dev/fd").iterdir()) == before


@pytest.mark.parametrize(
    ("digits", "told"),
    [
        (str(2**64 - 1), None),
        (str(2**64), "a number of more than 64 bits"),
        (str(-(2**63)), None),
        (str(-(2**63) - 1), "a number of more than 64 bits"),
    ],
)
def test_an_integer_has_64_bits_at_most(digits: str, told: str | None) -> None:
    if told is None:
        assert plain.json(f"[{digits}]".encode(), "x") == [int(digits)]
    else:
        with pytest.raises(FwdtuiError, match="more than 64 bits"):
            plain.json(f"[{digits}]".encode(), "x")


# read again when it is asked for


def test_indexed_samples_are_those_that_reading_gives_damage_or_not(tmp_path: Path) -> None:
    path = tmp_path / "recording-001.jsonl"
    long = EventSample(0.0, "note", "x" * (LINE_MOST // 2))
    parts = [line(sample(1.0)), b"x" * (3 * LINE_MOST) + b"\n", line(long), b"damaged\n", line(sample(2.0))]
    path.write_bytes(line(Header()) + b"".join(parts) + line(sample(3.0))[:20])
    seen: list[Sample] = []
    log, whole = index_samples(path, seen.append), read_samples(path)
    assert tuple(log.samples) == tuple(seen) == whole.samples == (sample(1.0), long, sample(2.0))
    assert log.problems == whole.problems and len(log.problems) == 3
    assert log.samples[-1] == sample(2.0) and log.samples[1:] == (long, sample(2.0))
    assert log.samples[0] is not log.samples[0], "none of them is kept"


def test_an_indexed_file_may_grow_move_or_be_removed_but_not_change(tmp_path: Path) -> None:
    path = tmp_path / "recording-001.jsonl"
    path.write_bytes(line(Header()) + line(sample(1.0)) + line(sample(2.0)))
    samples = index_samples(path, lambda sample: None).samples
    with path.open("ab") as file:
        file.write(line(sample(3.0)))
    assert tuple(samples) == (sample(1.0), sample(2.0)), "as it was when it was indexed"
    moved = path.rename(tmp_path / "x")
    assert samples[1] == sample(2.0)
    whole = moved.read_bytes()
    moved.write_bytes(whole[: len(whole) - 2 * len(line(sample(3.0)))])
    assert samples[0] == sample(1.0)
    with pytest.raises(FwdtuiError, match=r"recording-001\.jsonl: byte \d+: checksum does not match"):
        samples[1]
    moved.write_bytes(whole)
    moved.unlink()
    assert tuple(samples) == (sample(1.0), sample(2.0))


def test_there_is_nothing_to_index_without_a_file_and_a_newer_one_is_refused(tmp_path: Path) -> None:
    assert index_samples(tmp_path / "none", lambda sample: None).samples == ()
    path = tmp_path / "recording-001.jsonl"
    path.write_bytes(line(Header(99)))
    with pytest.raises(FwdtuiError, match="please update fwdtui"):
        index_samples(path, lambda sample: None)
    path.unlink()
    path.mkdir()
    with pytest.raises(FwdtuiError, match="a folder, not a regular file"):
        index_samples(path, lambda sample: None)
