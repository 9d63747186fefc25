"""Bits per second: what the byte counters, or a tool's own lines, say; never worked out from packets."""

from collections.abc import Iterable, Iterator

import msgspec
import pytest
from machines import FRAME, LAB, Machines, blast

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.lab import parse
from fwdtui.core.model import HostSample, RateSample, Sample
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.series import Point
from fwdtui.monitor.live.snapshot import Flow, Snapshot

FLOWS = ("offered", "forwarded", "received")


def seen(samples: Iterable[Sample], lab: str = LAB, **options) -> Snapshot:
    monitor = Monitor(parse(lab), **options)
    for sample in samples:
        monitor.push(sample)
    return monitor.snapshot()


def run(seconds: int = 20, capacity: float = 8_000) -> Iterator[Sample]:
    return Machines(blast(2, 90, 10_000), capacity=capacity).run(seconds)


def changed(samples: Iterable[Sample], port: str, after: float, **counters: int | None) -> Iterator[Sample]:
    """The same samples, but for this port's counters: added to what they were; None: not told."""
    for sample in samples:
        if isinstance(sample, HostSample) and sample.at > after:
            rows = [_added(row, counters) if row.name == port else row for row in sample.interfaces]
            sample = msgspec.structs.replace(sample, interfaces=tuple(rows))
        yield sample


def _added(row: InterfaceCounters, counters: dict[str, int | None]) -> InterfaceCounters:
    new = {key: None if more is None else getattr(row, key) + more for key, more in counters.items()}
    return msgspec.structs.replace(row, **new)


def known(flow: Flow) -> list[Point]:
    return [point for point in flow.points if point.bps is not None]


def test_bits_are_those_of_the_byte_counters_over_the_hosts_own_time():
    snapshot = seen(run())
    for name in FLOWS:
        flow = getattr(snapshot, name)
        assert known(flow) == list(flow.points)
        for point in flow.points:
            assert point.count is not None
            assert point.bps == pytest.approx(point.count * FRAME * 8 / point.seconds, abs=0.01)
        assert flow.bps == pytest.approx(flow.points[-1].bps, rel=1e-4)
    assert snapshot.offered.bps == pytest.approx(4.8e6, rel=1e-3)
    assert snapshot.received.bps == pytest.approx(3.84e6, rel=1e-3)


def test_long_frames_have_more_bits_and_no_more_packets():
    plain = seen(run(10))
    grown = seen(changed(run(10), "d1", 9.0, tx_bytes=100_000))
    assert grown.forwarded.now == plain.forwarded.now
    point, before = grown.forwarded.points[-1], plain.forwarded.points[-1]
    assert point.bps == pytest.approx(before.bps + 800_000 / point.seconds)


def test_a_host_without_byte_counters_has_packets_and_a_gap_for_bits():
    snapshot = seen(changed(run(), "d1", 0.0, tx_bytes=None))
    assert snapshot.forwarded.now == pytest.approx(8_000, rel=1e-3)
    assert snapshot.forwarded.bps is None and known(snapshot.forwarded) == []
    assert snapshot.received.bps is not None


@pytest.mark.parametrize("back", [-(2**32), -(10**9)])
def test_a_byte_counter_that_goes_back_is_one_gap_in_bits_while_packets_go_on(back):
    def high(samples):
        return changed(samples, "d1", 0.0, tx_bytes=2**32)

    snapshot = seen(changed(high(run()), "d1", 10.0, tx_bytes=back))
    points = snapshot.forwarded.points
    (gap,) = [point for point in points if point.bps is None]
    assert gap.at == pytest.approx(10.5, abs=0.1) and gap.value == pytest.approx(8_000, rel=0.01)
    assert max(point.bps for point in known(snapshot.forwarded)) < 4e6, "no wrap becomes a spike"


def test_a_time_without_samples_is_a_gap_in_both():
    late = (s for s in run() if not (isinstance(s, HostSample) and s.host == "sink" and 8 < s.at < 14))
    points = seen(late).received.points
    (gap,) = [point for point in points if point.bps is None]
    assert gap.value is None and gap.why == "late"


def test_a_rate_that_is_too_old_for_now_has_no_bits_now_either():
    def silent() -> Iterator[Sample]:
        return (s for s in run() if not (isinstance(s, HostSample) and s.host == "dut" and s.at > 14))

    flow = seen(silent()).forwarded
    assert flow.now is None and flow.bps is None and flow.points[-1].bps is not None


def test_a_tool_past_the_kernel_has_the_bits_that_it_prints_and_none_of_the_ports():
    lab = LAB.replace('interface = "g0"', 'interface = "g0"\ntool = "netmap-pkt-gen"')
    lines = [RateSample("generator", float(t), 1.0, 14e6, 14e6, bps, "gen", at=t + 0.9)
             for t, bps in enumerate([6.72e9, None, 6.73e9])]  # fmt: skip
    snapshot = seen([*run(3), *lines], lab, uncounted=["netmap-pkt-gen"])
    assert [point.bps for point in snapshot.offered.points] == [6.72e9, None, 6.73e9]
    assert snapshot.offered.bps == 6.73e9 and snapshot.forwarded.points[0].bps is not None


def test_several_outputs_are_added_up_all_or_nothing():
    def both(samples: Iterable[Sample], other: int | None) -> Iterator[Sample]:
        for sample in samples:
            if isinstance(sample, HostSample) and sample.host == "dut":
                more = InterfaceCounters("d2", tx_packets=0, tx_bytes=other)
                sample = msgspec.structs.replace(sample, interfaces=(*sample.interfaces, more))
            yield sample

    lab = LAB.replace('out = "d1"', 'out = ["d1", "d2"]')
    assert seen(both(run(), 0), lab).forwarded.bps == pytest.approx(3.84e6, rel=1e-3)
    without = seen(both(run(), None), lab).forwarded
    assert without.now == pytest.approx(8_000, rel=1e-3) and known(without) == []


def test_frames_that_a_veths_peer_refused_were_offered_but_their_bits_are_not_known():
    snapshot = seen((_refused(sample, 500) for sample in run()), veths=["gen.g0"])
    assert snapshot.offered.now == pytest.approx(10_500, rel=0.01) and snapshot.offered.bps is None
    assert snapshot.hosts[0].rates.interfaces["g0"].tx_bps is not None, "the port itself counted its own"


def _refused(sample: Sample, rate: int) -> Sample:
    if not isinstance(sample, HostSample) or sample.host != "gen":
        return sample
    (port,) = sample.interfaces
    port = msgspec.structs.replace(port, tx_dropped=int(rate * sample.at))
    return msgspec.structs.replace(sample, interfaces=(port,))


TWO = LAB.replace("[generator]", "[[generator]]").replace(
    "[dut]", '[[generator]]\nhost = "gen2"\ninterface = "g0"\n[dut]'
)


def two(samples: Iterable[Sample]) -> Iterator[Sample]:
    """A second generator beside the first, a moment later."""
    for sample in samples:
        yield sample
        if isinstance(sample, HostSample) and sample.host == "gen":
            yield msgspec.structs.replace(
                sample, host="gen2", boot="gen2", at=sample.at + 0.1, t=sample.t + 0.1
            )


def test_the_bits_of_several_generators_are_added_up_once_all_are_known():
    first, *later = seen(two(run()), TWO).offered.points
    assert first.value is None and first.bps is None
    assert later[-1].value == pytest.approx(20_000, rel=0.01)
    assert later[-1].bps == pytest.approx(9.6e6, rel=0.01)


def test_after_an_interruption_neither_packets_nor_bits_reach_across():
    monitor = Monitor(parse(TWO))
    machines = Machines(blast(0, 90, 10_000))
    for sample in two(machines.run(5)):
        monitor.push(sample)
    monitor.interrupt()
    before = len(monitor.snapshot().offered.points)
    for sample in two(machines.run(3)):
        monitor.push(msgspec.structs.replace(sample, at=sample.at + 50.0, t=sample.t + 5.0))
    first, second, *_ = monitor.snapshot().offered.points[before:]
    assert first.value is None and first.bps is None, "the other one's rate is of another time"
    assert second.bps == pytest.approx(9.6e6, rel=0.01)


def test_forks_go_on_with_bits_of_their_own():
    samples = list(run(20))
    monitor = Monitor(parse(LAB))
    for sample in samples[:30]:
        monitor.push(sample)
    twin = monitor.fork()
    for sample in samples[30:]:
        monitor.push(sample)
    for sample in changed(samples[30:], "s0", 0.0, rx_bytes=None):
        twin.push(sample)
    assert monitor.snapshot() == seen(samples)
    assert known(twin.snapshot().received) == list(monitor.snapshot().received.points[:9])
