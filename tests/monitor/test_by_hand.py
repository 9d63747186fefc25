"""What is saved by hand: only where there is something to save, and it can be taken back."""

import pytest
from machines import LAB, Machines, blast

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import parse
from fwdtui.core.model import RateSample
from fwdtui.monitor.live.last_result import last_result
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.run.beginning import open_session
from fwdtui.monitor.run.recorder import Recorder
from fwdtui.store import read_session

RATE = 10_000


def fed(seconds: int, begin: int = 5, end: int = 90, rate: float = RATE, **options) -> Monitor:
    monitor = Monitor(parse(LAB), **options)
    for sample in Machines(blast(begin, end, rate)).run(seconds):
        monitor.push(sample)
    return monitor


@pytest.mark.parametrize(
    ("seconds", "begin", "end", "rate"),
    [(30, 90, 99, RATE), (30, 5, 28, 60.0), (60, 5, 30, RATE)],
    ids=["nothing was ever sent", "background noise", "the blast ended long ago"],
)
def test_without_traffic_nothing_is_saved_and_the_reason_is_told(seconds, begin, end, rate):
    kept = []
    monitor = fed(seconds, begin, end, rate, finished=lambda one, samples, began: kept.append(one) or one)
    before, automatic = monitor.snapshot().iterations, len(kept)
    with pytest.raises(FwdtuiError, match="no traffic in the last 10 s"):
        monitor.save_by_hand()
    assert monitor.snapshot().iterations == before and len(kept) == automatic


def test_before_any_sample_there_is_nothing_to_save():
    with pytest.raises(FwdtuiError, match="no traffic"):
        Monitor(parse(LAB)).save_by_hand()


def test_a_blast_that_has_just_begun_has_no_value_yet_so_nothing_is_saved_and_nothing_is_written():
    kept = []
    monitor = Monitor(parse(LAB), finished=lambda one, samples, began: kept.append(one) or one)
    for sample in Machines(blast(5, 90, RATE)).run(20):
        monitor.push(sample)
        if monitor.snapshot().blast is not None:
            break
    with pytest.raises(FwdtuiError, match="these samples give no value"):
        monitor.save_by_hand()
    assert kept == [] and monitor.snapshot().iterations == () and monitor.saved_by_hand is None


def test_a_blast_that_has_just_ended_becomes_an_iteration_by_itself_and_is_not_saved_twice():
    monitor = Monitor(parse(LAB))
    for sample in Machines(blast(5, 30, RATE)).run(36):
        if sample.host != "sink" or sample.at < 30:  # its last samples are still under way
            monitor.push(sample)
    assert monitor.ending
    with pytest.raises(FwdtuiError, match="becomes an iteration automatically"):
        monitor.save_by_hand()


def test_in_a_blast_the_window_so_far_is_saved():
    monitor = fed(25)
    iteration = monitor.save_by_hand()
    assert iteration.value == pytest.approx(RATE, rel=1e-3)
    assert monitor.snapshot().iterations == (iteration,) and monitor.saved_by_hand is iteration


def test_in_a_blast_the_lines_of_tools_are_no_account_of_packets_and_no_loss():
    """The generator has told of a second more than the receiver: the packets of that second are not lost."""
    tools = LAB.replace('interface = "g0"', 'interface = "g0"\ntool = "netmap-pkt-gen"')
    tools = tools.replace('interface = "s0"', 'interface = "s0"\ntool = "netmap-pkt-gen"')
    monitor = Monitor(parse(tools), uncounted=["netmap-pkt-gen"])
    told = {"gen": "generator", "sink": "receiver"}
    for sample in Machines(blast(5, 90, RATE)).run(16):
        monitor.push(sample)
        if sample.host in told and 6 < sample.at < 15.5:
            role, at = told[sample.host], sample.at
            monitor.push(RateSample(role, at, 1.0, RATE, packets=RATE, host=sample.host, at=at))
    iteration = monitor.save_by_hand()
    assert iteration.value == RATE and iteration.packets is None
    result = last_result([iteration])
    assert result is not None and result.loss_share == 0.0


def test_what_was_saved_by_hand_is_taken_back_the_newest_first_and_stays_in_sight():
    monitor = fed(25)
    first, second = monitor.save_by_hand(), monitor.save_by_hand()
    assert monitor.saved_by_hand is second
    assert monitor.take_back(second, "a slip").dropped == "a slip"
    assert [one.dropped for one in monitor.snapshot().iterations] == ["", "a slip"]
    assert monitor.saved_by_hand is first
    assert "was taken back" in monitor.snapshot().events[-1].text


def test_what_became_an_iteration_by_itself_is_not_taken_back():
    monitor = fed(60, 5, 30)
    assert len(monitor.snapshot().iterations) == 1 and monitor.saved_by_hand is None


def test_the_session_says_that_it_does_not_count_and_keeps_what_was_recorded(tmp_path):
    recorder = Recorder(open_session(tmp_path, "a session"), "v4")
    monitor = Monitor(parse(LAB), finished=recorder.finished)
    for sample in Machines(blast(5, 90, RATE)).run(25):
        recorder.take(sample)
        monitor.push(sample)
    saved = monitor.save_by_hand()
    recorder.drop(saved, "a slip")
    (found,) = read_session(recorder.folder).cases[0].iterations
    recorder.close()
    assert (found.index, found.value, found.dropped) == (saved.index, saved.value, "a slip")


def test_a_blast_that_is_interrupted_before_its_first_whole_sample_saves_nothing_then_or_when_it_ends():
    saved = []
    monitor = Monitor(parse(LAB), finished=lambda one, samples, began: saved.append(one) or one)
    machines = Machines(blast(5, 7, RATE))
    interrupted = False
    for sample in machines.run(40):
        monitor.push(sample)
        if monitor.snapshot(0).blast is not None and not interrupted:
            interrupted = True
            assert monitor.save_early() is None
            assert any("no whole sample yet" in event.text for event in monitor.snapshot().events)
    assert interrupted and saved == []


def test_a_blast_that_is_interrupted_later_saves_what_there_is():
    iteration = fed(30).save_early()
    assert iteration is not None and iteration.value == pytest.approx(RATE, rel=0.01)
    assert "ended-early" in {caution.code for caution in iteration.warnings}


def test_a_blast_that_was_saved_early_is_not_saved_again_when_it_ends():
    """Stopping the tools may take longer than the end of the blast is waited for."""
    monitor = Monitor(parse(LAB))
    early = None
    for sample in Machines(blast(5, 40, RATE)).run(60):
        monitor.push(sample)
        if sample.at > 30 and early is None:
            early = monitor.save_early()
    assert monitor.snapshot(0).blast is None and not monitor.ending
    assert monitor.snapshot(0).iterations == (early,)
