"""Samples that stay away: numbers are old, sentences go without them, and an iteration says what it lacks."""

import re
from collections.abc import Iterable, Iterator

import msgspec
import pytest
from machines import LAB, Machines, blast

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.lab import parse
from fwdtui.core.model import TICK, EventSample, HostSample, Iteration, RateSample, Sample
from fwdtui.monitor.live.monitor import Monitor

NO_RECEIVER = LAB.replace('[receiver]\nhost = "sink"\ninterface = "s0"\n', "")


def without(
    samples: Iterable[Sample], host: str, start: float, end: float, lost: str = ""
) -> Iterator[Sample]:
    """The same samples, but for those of `host` in this time; `lost`: its connection was lost, and why."""
    told = False
    for sample in samples:
        assert isinstance(sample, HostSample)
        if lost and not told and sample.at > start + 1.0:
            told = True
            yield EventSample(sample.at, "host-lost", lost, host)
        if sample.host != host or not start < sample.at < end:
            yield sample


def after(samples: Iterable[Sample], lab: str = LAB, **options) -> Monitor:
    monitor = Monitor(parse(lab), **options)
    for sample in samples:
        monitor.push(sample)
    return monitor


def only(monitor: Monitor) -> Iteration:
    (iteration,) = monitor.snapshot().iterations
    return iteration


def text(iteration: Iteration, code: str) -> str:
    return " ".join(caution.text for caution in iteration.warnings if caution.code == code)


TWO = LAB.replace("[generator]", "[[generator]]").replace(
    "[dut]", '[[generator]]\nhost = "gen2"\ninterface = "g1"\n[dut]'
)


def of_two(samples: Iterable[Sample]) -> Iterator[Sample]:
    """The same load, half of it sent by a second generator."""
    for sample in samples:
        if not isinstance(sample, HostSample) or sample.host != "gen":
            yield sample
            continue
        half = (sample.interfaces[0].tx_packets or 0) // 2
        for host, port in (("gen", "g0"), ("gen2", "g1")):
            row = InterfaceCounters(port, tx_packets=half)
            yield msgspec.structs.replace(sample, host=host, boot=host, interfaces=(row,))


# what is shown


def test_numbers_are_old_after_three_intervals_and_tell_their_age():
    monitor = after(without(Machines(blast(2, 60, 10_000)).run(24), "dut", 20, 99))
    snapshot = monitor.snapshot()
    ages = {view.name: view.old for view in snapshot.hosts}
    assert ages["gen"] is None and ages["sink"] is None
    assert ages["dut"] == pytest.approx(4.3, abs=0.5)
    assert snapshot.dut is not None and snapshot.dut.old == ages["dut"] and snapshot.dut.up
    assert snapshot.forwarded.now is None
    assert snapshot.forwarded.old is not None and snapshot.forwarded.old.value == pytest.approx(
        10_000, rel=0.01
    )
    assert snapshot.offered.old is None and snapshot.offered.now is not None


def test_two_intervals_without_a_sample_are_no_silence():
    monitor = after(without(Machines(blast(2, 60, 10_000)).run(22), "dut", 20, 99))
    assert all(view.old is None for view in monitor.snapshot().hosts)
    assert monitor.snapshot().diagnosis.code == "generator-limited"


def test_the_sentence_goes_without_old_numbers_and_says_which_host_is_silent():
    found = after(without(Machines(blast(2, 60, 10_000)).run(30), "dut", 20, 99)).snapshot().diagnosis
    assert found.code == "host-silent"
    assert "dut" in found.sentence and "10 s" in found.sentence and "old" in found.sentence
    assert not any(line.startswith(("dut in", "forwarded")) for line in found.evidence)


def test_time_passes_for_a_lab_of_which_no_host_is_heard():
    monitor = after(Machines(blast(2, 60, 10_000)).run(20))
    for second in range(21, 33):
        monitor.push(EventSample(float(second), TICK, "nothing came from any host"))
    snapshot = monitor.snapshot()
    assert snapshot.now == 32.0
    assert [view.old for view in snapshot.hosts] == [pytest.approx(12.5, abs=0.5)] * 3
    assert snapshot.diagnosis.code == "host-silent" and "any host" in snapshot.diagnosis.sentence
    assert snapshot.offered.now is None and snapshot.loss is None
    assert all(event.code != TICK for event in snapshot.events)
    assert snapshot.blast is not None, "nobody has seen it end"


def test_a_host_that_is_not_sampled_any_more_is_lost():
    samples = list(Machines(blast(2, 60, 10_000)).run(20))
    failed = EventSample(20.0, "failed", "the sampler ended 4 times; it is not restarted", "dut")
    dut = after([*samples, failed]).snapshot().dut
    assert dut is not None and not dut.up and "4 times" in dut.reason


def test_it_is_well_again_with_its_next_sample():
    monitor = after(without(Machines(blast(2, 90, 10_000)).run(40), "dut", 20, 30))
    snapshot = monitor.snapshot()
    assert all(view.old is None and view.up for view in snapshot.hosts)
    assert snapshot.forwarded.now == pytest.approx(10_000, rel=0.01)


# what an iteration says of it


@pytest.mark.parametrize("lost", ["", "connection lost: no answer to keepalives"])
def test_the_dut_lost_to_beyond_the_end_leaves_a_sound_value_where_there_is_a_receiver(lost: str):
    iteration = only(after(without(Machines(blast(5, 35, 10_000)).run(75), "dut", 20, 99, lost)))
    assert iteration.complete and iteration.value == pytest.approx(10_000, rel=1e-3)
    assert iteration.window is not None and iteration.window.kept >= 20
    gap = text(iteration, "gap")
    assert "dut: no samples for 15" in gap and "up to its end" in gap
    assert (lost or "the cause is not known") in gap
    packets = iteration.packets
    assert packets is not None and packets.offered == pytest.approx(300_000, abs=2)
    assert packets.received == packets.offered and packets.forwarded is None and packets.unaccounted is None


@pytest.mark.parametrize("lost", ["", "connection lost: no answer to keepalives"])
def test_without_a_receiver_it_is_incomplete_and_keeps_what_was_seen(lost: str):
    iteration = only(after(without(Machines(blast(5, 35, 10_000)).run(75), "dut", 20, 99, lost), NO_RECEIVER))
    assert iteration.value is None and not iteration.complete
    assert "No samples from dut for the last 15" in iteration.incomplete
    assert (lost or "the cause is not known") in iteration.incomplete
    assert iteration.incomplete in text(iteration, "incomplete")
    assert iteration.metrics["forwarded"].median == pytest.approx(10_000, rel=1e-3)
    assert iteration.metrics["offered"].n > 5


def test_a_receiver_lost_to_beyond_the_end_is_not_replaced_by_the_dut():
    iteration = only(after(without(Machines(blast(5, 35, 10_000)).run(75), "sink", 20, 99, "gone")))
    assert iteration.value is None and "No samples from sink for the last 15" in iteration.incomplete


def test_a_receiver_that_was_away_for_the_whole_blast_is_not_replaced_either():
    samples = list(without(Machines(blast(10, 40, 10_000)).run(80), "sink", 4, 99, "gone"))
    iteration = only(after(samples))
    assert iteration.value is None and "during the blast (gone)" in iteration.incomplete


def test_a_hole_that_takes_more_than_half_is_not_made_up_for_by_the_rest():
    iteration = only(after(without(Machines(blast(5, 35, 10_000)).run(60), "sink", 10, 31)))
    assert iteration.value is None and "of the blast's 31" in iteration.incomplete


@pytest.mark.parametrize(("lasts", "code"), [(40, "value-gap"), (80, "gap")])
def test_a_small_hole_of_the_measured_flow_is_told_with_its_length_and_the_value_counts(
    lasts: int, code: str
):
    """One of a tenth of the blast or more bears on a verdict: what was not seen may have been otherwise."""
    iteration = only(after(without(Machines(blast(5, 5 + lasts, 10_000)).run(20 + lasts), "sink", 20, 26)))
    assert iteration.complete and iteration.value == pytest.approx(10_000, rel=1e-3)
    assert {c.code for c in iteration.warnings if "gap" in c.code} == {code}
    (gap,) = [c.text for c in iteration.warnings if c.code == code]
    assert (
        gap.startswith(("6.9 s of the blast", "7.0 s of the blast", "7.1 s of the blast")) and "late" in gap
    )


@pytest.mark.parametrize("host", ["sink", "dut"])
def test_the_hole_of_a_reboot_has_the_length_that_it_had(host: str):
    """The clocks of two boots have no difference."""

    def rebooted() -> Iterator[Sample]:
        import msgspec

        for sample in without(Machines(blast(5, 45, 10_000)).run(60), host, 20, 22):
            if isinstance(sample, HostSample) and sample.host == host and sample.at > 20:
                sample = msgspec.structs.replace(sample, t=sample.at - 19.0, boot="another")
            yield sample

    iteration = only(after(rebooted()))
    gap = text(iteration, "gap")
    assert re.search(r"\b(2\.9|3\.0|3\.1) s", gap)
    assert ("reboot" in gap) == (host == "sink")


@pytest.mark.parametrize("back", [0.4, 30.0])
def test_no_rate_reaches_across_a_clock_that_went_back(back: float):
    import msgspec

    monitor = Monitor(parse(LAB))
    told = False
    for sample in Machines(blast(5, 45, 10_000)).run(60):
        if isinstance(sample, HostSample) and sample.host == "sink" and sample.at > 20:
            if not told:
                told = True
                monitor.push(EventSample(sample.at - 0.01, "clock-step", "its clock went back", "sink"))
            sample = msgspec.structs.replace(sample, t=sample.t - back)
        monitor.push(sample)
    points = monitor.snapshot().received.points
    assert [p.why for p in points if p.value is None] == ["clock"]
    assert max(p.value for p in points if p.value) == pytest.approx(10_000, rel=0.01)
    gap = text(only(monitor), "gap")
    assert gap.startswith(("1.0 s", "0.9", "1.1 s")) and "clock" in gap


def test_a_blast_that_nobody_sees_end_is_kept_as_far_as_it_was_seen():
    monitor = after(Machines(blast(5, 99, 10_000)).run(30))
    second = 30.0
    while not monitor.snapshot(0).iterations:
        second += 1.0
        monitor.push(EventSample(second, TICK, "nothing came from any host"))
        assert second < 140
    iteration = only(monitor)
    assert iteration.value is None and "It is not known when the blast ended" in iteration.incomplete
    assert iteration.metrics["received"].median == pytest.approx(10_000, rel=1e-3)
    assert monitor.snapshot().blast is None


def test_it_goes_on_where_the_hosts_come_back_in_time():
    def gone(start: float, end: float) -> Iterator[Sample]:
        last = start
        for sample in Machines(blast(5, 85, 10_000)).run(100):
            if sample.at is not None and start < sample.at < end:
                if sample.at - last >= 1.0:
                    last = sample.at
                    yield EventSample(sample.at, TICK, "nothing came from any host")
                continue
            yield sample

    iteration = only(after(gone(30, 50)))
    assert iteration.complete and iteration.value == pytest.approx(10_000, rel=1e-3)
    assert re.search(r"\b(20\.9|21\.[01]) s", text(iteration, "gap"))


@pytest.mark.parametrize("hosts", [("gen", "dut", "sink"), ("gen", "dut")])
@pytest.mark.parametrize("ends", [30, 50])
def test_a_blast_that_ends_while_nobody_hears_it_is_not_one_that_ended_when_it_was_last_heard(
    hosts: tuple[str, ...], ends: int
) -> None:
    """The network between was down, or fwdtui itself stood still: they come back when all is quiet.

    The first seconds passed for the whole blast, with a value that counts.
    """
    samples: Iterable[Sample] = Machines(blast(5, ends, 10_000)).run(90)
    for host in hosts:
        samples = without(samples, host, 15, 60)
    monitor = after(samples)
    iteration = only(monitor)
    assert iteration.value is None and iteration.incomplete == (
        f"It is not known when the blast ended: no samples from {', '.join(hosts)} (the cause is not known)."
    )
    (told,) = (event.text for event in monitor.snapshot().events if event.code == "blast-ended")
    assert told.startswith("The end of the blast was not seen, only 10.")


def test_a_generator_that_is_known_to_have_ended_long_after_it_was_last_heard_shows_no_end() -> None:
    """Its tool may have run all the while: its end is heard together with the hosts' next samples."""
    samples = [one for one in Machines(blast(5, 45, 10_000)).run(60) if not 15 < one.at < 55]
    samples.insert(
        next(place for place, one in enumerate(samples) if one.at > 55) + 1,
        EventSample(55.3, "tool-ended", "pkt-gen reached its time limit", "gen", role="generator"),
    )
    iteration = only(after(samples))
    assert iteration.value is None and "It is not known when the blast ended" in iteration.incomplete


def test_that_all_hosts_are_late_when_the_generator_stops_hides_no_end() -> None:
    """Starting and stopping keeps hosts busy; a few seconds of a blast that nobody saw make no difference."""
    samples = [one for one in Machines(blast(5, 45, 10_000)).run(60) if not 44 < one.at < 48]
    iteration = only(after(samples))
    assert iteration.complete and iteration.value == pytest.approx(10_000, rel=1e-3)


def test_a_lost_host_is_not_waited_for_and_a_silent_one_is():
    """What is on the way from a silent one makes the account whole; from a lost one nothing comes."""

    def cut_at(lost: str) -> float:
        monitor = Monitor(parse(LAB))
        for sample in without(Machines(blast(5, 35, 10_000)).run(75), "dut", 20, 99, lost):
            monitor.push(sample)
            if monitor.snapshot(0).iterations:
                return monitor.snapshot(0).now
        raise AssertionError("never cut")

    assert cut_at("connection lost") < 40
    assert 50 < cut_at("") < 62


def test_what_came_while_a_silent_host_was_waited_for_is_recorded_with_the_iteration():
    recorded: list[tuple[Sample, ...]] = []

    def finished(iteration: Iteration, samples: tuple[Sample, ...], began: float) -> Iteration:
        recorded.append(samples)
        return iteration

    samples = list(without(Machines(blast(5, 35, 10_000)).run(75), "dut", 20, 99))
    whole = only(after(samples, finished=finished))
    again = only(after(recorded[0]))
    assert again.value == whole.value and again.warnings == whole.warnings


@pytest.mark.parametrize("known", [True, False])
def test_a_generator_that_prints_no_zeros_has_ended_when_its_tool_has(known: bool):
    """Its last line and the DUT's last sample tell of traffic: only the tool's end tells that it is over."""
    lab = LAB.replace('interface = "g0"', 'interface = "g0"\ntool = "netmap-pkt-gen"')
    monitor = Monitor(parse(lab), uncounted=["netmap-pkt-gen"])
    for sample in without(Machines(blast(5, 35, 10_000)).run(60), "dut", 20, 99, "gone"):
        monitor.push(sample)
        if isinstance(sample, HostSample) and sample.host == "gen" and 5 < sample.at < 35:
            rate = RateSample("generator", sample.at, 1.0, 1e4, packets=1e4, host="gen", at=sample.at)
            monitor.push(rate)
        elif known and isinstance(sample, HostSample) and sample.host == "gen" and 35 < sample.at < 36:
            monitor.push(EventSample(sample.at, "tool-ended", "pkt-gen has ended", "gen"))
    found = monitor.snapshot()
    assert (found.blast is None) == known
    if known:
        assert only(monitor).complete and only(monitor).value == pytest.approx(10_000, rel=1e-3)


def test_one_of_two_generators_that_is_lost_does_not_hold_the_blast_open() -> None:
    """Its last rate was added to the other one's zeros, for as long as it was away."""
    samples = without(of_two(Machines(blast(5, 35, 10_000)).run(50)), "gen2", 20, 99, "no route")
    found = only(after(samples, TWO))
    assert found.value == pytest.approx(10_000, rel=1e-3) and found.complete
    assert found.packets is not None and found.packets.offered is None
    assert "gen2: no samples for 1" in text(found, "gap") and "no route" in text(found, "host-lost")


def test_what_is_offered_is_not_known_while_one_of_two_generators_is_silent() -> None:
    monitor = after(without(of_two(Machines(blast(5, 60, 10_000)).run(30)), "gen2", 20, 99), TWO)
    offered = monitor.snapshot().offered
    assert offered.now is None and {point.why for point in offered.points if point.at > 24} == {
        "a generator is missing"
    }


def twice(second: int) -> float:
    return 10_000.0 if 5 <= second < 25 or 65 <= second < 85 else 0.0


@pytest.mark.parametrize(("host", "end"), [("gen", 99), ("gen", 75), ("dut", 99), ("dut", 75)])
@pytest.mark.parametrize("start", [15, 45])
def test_a_host_that_is_lost_does_not_keep_the_next_blast_from_being_seen(
    host: str, start: int, end: int
) -> None:
    """Lost in the first blast or after it; what the receiver counts is a value without it."""
    first, second = after(without(Machines(twice).run(100), host, start, end, "gone")).snapshot().iterations
    for found in (first, second):
        assert found.value == pytest.approx(10_000, rel=1e-3) and found.complete
    assert f"{host}: no samples for " in text(second, "gap")


@pytest.mark.parametrize("host", ["gen", "dut"])
def test_a_host_that_is_silent_does_not_keep_the_next_blast_from_being_seen(host: str) -> None:
    """Its sampler is held up, and is started again; nobody says that the host is lost."""
    _, found = after(without(Machines(twice).run(100), host, 55, 95)).snapshot().iterations
    assert found.value == pytest.approx(10_000, rel=1e-3) and found.complete
    assert f"{host}: no samples for " in text(found, "gap")


def test_one_of_two_generators_that_is_lost_does_not_keep_the_next_blast_from_being_seen() -> None:
    samples = without(of_two(Machines(twice).run(100)), "gen2", 45, 99, "gone")
    _, found = after(samples, TWO).snapshot().iterations
    assert found.value == pytest.approx(10_000, rel=1e-3) and "offered" not in found.metrics


@pytest.mark.parametrize("host", ["gen", "dut"])
def test_packets_of_a_blast_in_which_a_host_was_silent_are_not_counted_in_the_next_one(host: str) -> None:
    """Its last sample of a quiet is of the one before both: what it counted since is of both."""
    recorded: list[tuple[Sample, ...]] = []

    def finished(iteration: Iteration, samples: tuple[Sample, ...], began: float) -> Iteration:
        recorded.append(samples)
        return iteration

    def load(second: int) -> float:
        return 10_000.0 if 10 <= second < 20 or 28 <= second < 38 else 0.0

    samples = without(Machines(load, 8_000).run(55), host, 9, 31)
    _, found = after(samples, finished=finished).snapshot().iterations
    for one in (found, only(after(recorded[1]))):
        packets = one.packets
        assert packets is not None and packets.received == pytest.approx(80_000, abs=2)
        assert packets.unaccounted is None and "received-above-offered" not in {w.code for w in one.warnings}
        if host == "gen":
            assert packets.offered is None and packets.forwarded == packets.received
        else:
            assert packets.forwarded is None and not packets.drops
