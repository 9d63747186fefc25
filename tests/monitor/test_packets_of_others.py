"""A port hears others, too: what they send before a blast is neither its begin nor any of its warm-up."""

from collections.abc import Iterator

import msgspec
import pytest
from machines import LAB, Machines
from recorded import recorded

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.lab import parse
from fwdtui.core.model import HostSample, Iteration, Sample
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.replay.replay import Replay

WARM = parse(LAB.replace('warmup = "2s"', 'warmup = "5s"'))
COLD, USUAL = 6_000.0, 10_000.0


def offered(second: int) -> float:
    """Two blasts of 20 s, in the first nine seconds of which a cold DUT forwards less."""
    since = next((second - begin for begin in (30, 65) if begin <= second < begin + 20), None)
    return 0.0 if since is None else COLD if since < 9 else USUAL


def more(row: InterfaceCounters, packets: int) -> InterfaceCounters:
    grown = {
        name: value + packets
        for name in ("rx_packets", "tx_packets")
        if (value := getattr(row, name)) is not None
    }
    return msgspec.structs.replace(row, **grown)


def with_others(host: str, rate: float) -> Iterator[Sample]:
    """What the machines say where the first port of `host` carries packets of others all the time."""
    for sample in Machines(offered).run(100):
        if isinstance(sample, HostSample) and sample.host == host:
            first, *rest = sample.interfaces
            sample = msgspec.structs.replace(sample, interfaces=(more(first, round(rate * sample.at)), *rest))
        yield sample


def iterations(samples: Iterator[Sample]) -> list[tuple[float, Iteration]]:
    """When each blast began, and its iteration."""
    found: list[tuple[float, Iteration]] = []

    def finished(iteration: Iteration, samples: tuple[Sample, ...], began: float) -> Iteration:
        found.append((began, iteration))
        return iteration

    monitor = Monitor(WARM, finished=finished)
    for sample in samples:
        monitor.push(sample)
    return found


@pytest.mark.parametrize("rate", [90.0, 150.0, 500.0])
@pytest.mark.parametrize("host", ["dut", "gen"])
def test_packets_of_others_move_neither_a_blast_nor_its_value(host: str, rate: float):
    """Of the cold DUT only what the warm-up leaves is in the value; and the second blast as the first."""
    alone, besides = iterations(with_others(host, 0.0)), iterations(with_others(host, rate))
    assert [began for began, _ in besides] == pytest.approx([29.7, 64.7], abs=1.0)
    for (_, mine), (_, other) in zip(alone, besides, strict=True):
        assert mine.window is not None and other.window is not None
        assert other.window.start == mine.window.start and other.window.notes[0] == mine.window.notes[0]
        assert [other.value, mine.value] == pytest.approx([USUAL, USUAL], rel=1e-3)
        assert mine.packets is not None and other.packets is not None
        assert other.packets.received == mine.packets.received is not None
        assert other.packets.forwarded == mine.packets.forwarded is not None
        assert {one.code for one in other.warnings} <= {one.code for one in mine.warnings}


def test_a_replay_finds_the_same():
    samples = list(with_others("dut", 150.0))
    played = Replay(recorded(samples, WARM))
    live = [(began, one.value, one.window) for began, one in iterations(iter(samples))]
    found = played.surveyed.iterations
    assert [(one.value, one.window) for one in found] == [one[1:] for one in live]
    assert [began for began, _ in played.surveyed.blasts] == [one[0] for one in live]


def test_an_iteration_that_is_played_alone_begins_where_it_did():
    """Its samples begin five seconds before it, with packets of others."""
    live: list[tuple[float, Iteration, tuple[Sample, ...]]] = []

    def finished(iteration: Iteration, near: tuple[Sample, ...], began: float) -> Iteration:
        live.append((began, iteration, near))
        return iteration

    monitor = Monitor(WARM, finished=finished)
    for sample in with_others("dut", 150.0):
        monitor.push(sample)
    assert len(live) == 2
    for began, one, near in live:
        played = Replay(recorded(near, WARM)).surveyed
        assert [blast[0] for blast in played.blasts] == [began]
        assert [(found.value, found.window) for found in played.iterations] == [(one.value, one.window)]
