"""What a run leaves on disk: everything from the first sample on, and each iteration whole."""

from pathlib import Path

import pytest
import tomli_w
from machines import LAB, Machines, blast

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import parse, plain
from fwdtui.core.model import EventSample
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.run.beginning import open_session
from fwdtui.monitor.run.recorder import Recorder
from fwdtui.store import read_samples, read_session


def recorded(folder: Path, seconds: int = 45, **options) -> tuple[Recorder, list]:
    recorder = Recorder(open_session(folder, "a session"), "v4", **options)
    monitor = Monitor(parse(LAB), finished=recorder.finished)
    samples = list(Machines(blast(5, 35, 10_000), capacity=8_000).run(seconds))
    samples.insert(60, EventSample(20.0, "dmesg", "[rt_algo] inet.0: switching algo to radix4", "dut"))
    for sample in samples:
        recorder.take(sample)
        monitor.push(sample)
    recorder.close()
    return recorder, samples


def test_every_sample_is_recorded_as_it_came(tmp_path):
    recorder, samples = recorded(tmp_path)
    log = read_samples(recorder.folder / "recording-001.jsonl")
    assert log.problems == ()
    assert list(log.samples) == samples


def test_an_iteration_holds_its_own_samples_logs_messages_and_result(tmp_path):
    recorder, samples = recorded(tmp_path, logs=lambda: {"generator.log": b"Sent 300000 packets\n"})
    session = read_session(recorder.folder, verify=True)
    assert session.problems == ()
    (iteration,) = session.cases[0].iterations
    assert iteration.value == pytest.approx(8_000, rel=1e-3)
    assert iteration.packets is not None and iteration.packets.unaccounted in (-1, 0, 1)
    assert iteration.limit is not None and iteration.limit.code == "dut-limited"
    assert iteration.began.endswith("+00:00")
    folder = recorder.folder / "v4" / "001"
    assert (folder / "generator.log").read_bytes() == b"Sent 300000 packets\n"
    assert b"radix4" in (folder / "dmesg.txt").read_bytes()
    own = read_samples(folder)
    assert own.problems == () and all(sample in samples for sample in own.samples)
    assert min(s.at for s in own.samples) < 5 < 35 < max(s.at for s in own.samples)


def test_replaying_the_recording_gives_the_same_iteration(tmp_path):
    recorder, _ = recorded(tmp_path)
    (before,) = read_session(recorder.folder).cases[0].iterations
    monitor = Monitor(parse(LAB))
    for sample in read_samples(recorder.folder / "recording-001.jsonl").samples:
        monitor.push(sample)
    (again,) = monitor.snapshot().iterations
    assert (again.value, again.window, again.metrics, again.packets) == (
        before.value,
        before.window,
        before.metrics,
        before.packets,
    )


def test_a_second_run_adds_to_the_session(tmp_path):
    recorded(tmp_path)
    recorder, _ = recorded(tmp_path)
    session = read_session(recorder.folder)
    assert [iteration.index for iteration in session.cases[0].iterations] == [1, 2]
    assert (recorder.folder / "recording-002.jsonl").exists()


def test_two_runs_at_once_cannot_write_to_one_session(tmp_path):
    first = Recorder(open_session(tmp_path, "a session"), "v4")
    with pytest.raises(FwdtuiError, match="another fwdtui is writing"):
        open_session(tmp_path, "a session")
    first.close()


def test_a_folder_that_is_no_session_is_not_written_into(tmp_path):
    (tmp_path / "mine").mkdir()
    with pytest.raises(FwdtuiError, match="is not a session"):
        open_session(tmp_path, "mine")


def test_a_session_keeps_the_lab_that_it_was_first_recorded_with(tmp_path):
    lab = parse(LAB + '\n[ssh]\nconfig_file = "/home/me/.ssh/config"\n')
    Recorder(open_session(tmp_path, "s", lab=plain(lab)), "v4").close()
    kept = read_session(tmp_path / "s").lab
    assert kept is not None
    assert parse(tomli_w.dumps(kept)) == parse(LAB)
    Recorder(open_session(tmp_path, "s", lab=plain(parse(LAB.replace('"gen"', '"other"')))), "v4").close()
    assert read_session(tmp_path / "s").lab == kept


def test_a_session_recorded_without_a_lab_says_that_it_has_none(tmp_path):
    Recorder(open_session(tmp_path, "s"), "v4").close()
    assert read_session(tmp_path / "s").lab is None


def test_texts_of_the_recorded_lab_are_cleaned_when_they_are_read(tmp_path):
    open_session(tmp_path, "s", lab={"name": "a\x1b[2J", "generator": [{"start": "one\ntwo\x07"}]}).close()
    assert read_session(tmp_path / "s").lab == {"name": "a[2J", "generator": [{"start": "one\ntwo"}]}
