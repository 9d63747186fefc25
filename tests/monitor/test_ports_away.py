"""A port that leaves the kernel while its host is watched: renamed, or given to another driver by a tool."""

import re
from collections.abc import Iterable, Iterator

import msgspec
import pytest
from machines import LAB, Machines, blast
from test_silence import NO_RECEIVER, TWO, after, of_two, text, twice

from fwdtui.core.lab import parse
from fwdtui.core.model import EventSample, HostSample, Sample
from fwdtui.monitor.live.monitor import Monitor


def away(samples: Iterable[Sample], port: str, start: float, end: float) -> Iterator[Sample]:
    """The same samples, but this port has another name in this time."""
    for sample in samples:
        if isinstance(sample, HostSample) and start < sample.at < end:
            rows = (
                msgspec.structs.replace(row, name="renamed") if row.name == port else row
                for row in sample.interfaces
            )
            sample = msgspec.structs.replace(sample, interfaces=tuple(rows))
        yield sample


@pytest.mark.parametrize("lab", [LAB, NO_RECEIVER])
@pytest.mark.parametrize("port", ["g0", "d0"])
def test_a_port_that_is_away_does_not_keep_a_blast_from_being_seen(port: str, lab: str) -> None:
    """It did not count before the first blast any more, and is there again within the second one."""
    first, second = after(away(Machines(twice).run(100), port, 2, 75), lab).snapshot().iterations
    for found in (first, second):
        assert found.value == pytest.approx(10_000, rel=1e-3) and found.complete
        packets = found.packets
        assert packets is not None and (packets.offered if port == "g0" else packets.dut_in) is None


def test_one_of_two_generators_ports_that_is_away_does_not_keep_a_blast_from_being_seen() -> None:
    monitor = after(away(of_two(Machines(twice).run(100)), "g1", 2, 99), TWO)
    assert [one.value for one in monitor.snapshot().iterations] == pytest.approx([10_000] * 2, rel=1e-3)


@pytest.mark.parametrize(("end", "begins"), [(21.0, False), (26.0, True)])
def test_one_reading_without_a_port_does_not_make_it_one_that_is_away(end: float, begins: bool) -> None:
    """The generator sends to a wrong MAC address, and a slow reading of the DUT is left out."""
    monitor = Monitor(parse(NO_RECEIVER))
    for sample in away(Machines(blast(5, 35, 10_000)).run(30), "d0", 20, end):
        if isinstance(sample, HostSample) and sample.host == "dut":
            still = (msgspec.structs.replace(row, rx_packets=0) for row in sample.interfaces)
            sample = msgspec.structs.replace(sample, interfaces=tuple(still))
        monitor.push(sample)
    assert (monitor.snapshot(0).blast is not None) is begins


@pytest.mark.parametrize(
    ("port", "what"),
    [("g0", "The offered load"), ("d0", "What the DUT took in"), ("d1", "What the DUT forwarded")],
)
def test_what_is_not_known_of_a_part_of_a_blast_is_told_with_the_cause(port: str, what: str) -> None:
    (found,) = after(away(Machines(blast(5, 35, 10_000)).run(60), port, 20, 99)).snapshot().iterations
    assert found.value == pytest.approx(10_000, rel=1e-3)
    told = text(found, "gap")
    assert re.match(f"{what} is not known for 1[56]", told)
    assert told.endswith(" s of the blast (no counter); its rate is of the rest.")


def test_of_one_of_two_generators_the_time_without_a_counter_is_told_once() -> None:
    (found,) = (
        after(away(of_two(Machines(blast(5, 35, 10_000)).run(60)), "g1", 20, 25.5), TWO).snapshot().iterations
    )
    assert text(found, "gap").count("The offered load is not known for 7.") == 1


def test_a_counter_that_was_reset_within_a_blast_is_told() -> None:
    def reset() -> Iterator[Sample]:
        for sample in Machines(blast(5, 35, 10_000)).run(60):
            if isinstance(sample, HostSample) and sample.host == "gen" and sample.at > 20:
                (row,) = sample.interfaces
                less = msgspec.structs.replace(row, tx_packets=(row.tx_packets or 0) - 100_000)
                sample = msgspec.structs.replace(sample, interfaces=(less,))
            yield sample

    (found,) = after(reset()).snapshot().iterations
    assert "(a counter was reset); its rate is of the rest." in text(found, "gap")


@pytest.mark.parametrize("start", [4, 20])
def test_a_receiver_that_was_not_read_is_not_told_as_one_that_received_nothing(start: int) -> None:
    """Its port goes away just before the blast, or within it."""
    (found,) = after(away(Machines(blast(5, 35, 10_000)).run(60), "s0", start, 99)).snapshot().iterations
    codes = {caution.code for caution in found.warnings}
    assert found.value is None and "no-traffic" not in codes
    assert ("no-value" in codes) == (start == 4)
    if start == 20:
        assert re.search(
            r"What was received is not known for the last 1[56]\.\d s of the blast \(no counter\)",
            found.incomplete,
        )


def test_the_diagnosis_says_which_port_is_gone() -> None:
    """Without a receiver nothing else says what came out."""
    monitor = Monitor(parse(NO_RECEIVER))
    found = []
    for sample in away(Machines(blast(5, 35, 10_000)).run(30), "d1", 2, 99):
        if isinstance(sample, HostSample) and sample.host == "dut" and sample.seq in (4, 28):
            code = "port-gone" if sample.seq == 4 else "port-back"
            monitor.push(EventSample(sample.at, code, "d1: the interface", "dut"))
        monitor.push(sample)
        found.append(monitor.snapshot(0).diagnosis.sentence)
    told = (
        "Not enough is known to say what limits this run: there is no interface d1 of dut, so what would be"
        " counted there is not known."
    )
    assert told in found and found[-1] == "Not enough is known to say what limits this run."
    twin = monitor.fork()
    twin.push(EventSample(30.0, "port-gone", "d1: the interface", "dut"))
    assert twin.snapshot(0).diagnosis.sentence == told
    assert monitor.snapshot(0).diagnosis.sentence == found[-1]
