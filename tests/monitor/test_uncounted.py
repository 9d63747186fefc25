"""A DUT, or a generator, whose counters do not see the traffic: what arrives is still measured."""

from collections.abc import Callable, Iterable, Iterator

import msgspec
import pytest
from machines import LAB, Machines, blast

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.lab import parse
from fwdtui.core.model import HostSample, Sample
from fwdtui.core.offered import CODE as ABOVE
from fwdtui.core.uncounted import CODE, NO_COST
from fwdtui.monitor.live.blast import Blast, BlastDetector
from fwdtui.monitor.live.monitor import Monitor

Change = Callable[[InterfaceCounters], InterfaceCounters]


def seen_as(samples: Iterable[Sample], **ports: Change) -> Iterator[Sample]:
    """The same samples, with the counters of these ports as `ports` makes them."""
    for sample in samples:
        assert isinstance(sample, HostSample)
        rows = tuple(ports[row.name](row) if row.name in ports else row for row in sample.interfaces)
        yield msgspec.structs.replace(sample, interfaces=rows)


def blind(row: InterfaceCounters) -> InterfaceCounters:
    return msgspec.structs.replace(row, rx_packets=0, tx_packets=0, rx_bytes=0, tx_bytes=0, rx_dropped=0)


def half(row: InterfaceCounters) -> InterfaceCounters:
    return msgspec.structs.replace(
        row, tx_packets=(row.tx_packets or 0) // 2, tx_bytes=(row.tx_bytes or 0) // 2
    )


def after(samples: Iterable[Sample]) -> Monitor:
    monitor = Monitor(parse(LAB))
    for sample in samples:
        monitor.push(sample)
    return monitor


def test_a_dut_that_counts_nothing_is_measured_by_what_the_receiver_hears() -> None:
    """XDP on mlx5, and hardware offload: no interface counter sees a packet."""
    samples = seen_as(Machines(blast(5, 45, 10_000), capacity=8_000).run(60), d0=blind, d1=blind)
    monitor = Monitor(parse(LAB))
    for sample in samples:
        monitor.push(sample)
        if (sample.at or 0.0) > 30.0 and monitor.snapshot(0).blast:
            assert monitor.snapshot(0).diagnosis.code == CODE
    (found,) = monitor.snapshot(0).iterations
    assert found.complete and found.value == pytest.approx(8_000, rel=1e-3)
    assert found.window is not None and found.window.kept >= 35
    assert found.limit is not None and found.limit.code == CODE
    assert "8.0" in found.limit.text and "0 pps" in found.limit.text and "XDP" in found.limit.text
    assert [one.code for one in found.warnings] == [CODE]
    assert found.packets is not None and found.packets.unaccounted is None, "nobody knows where it was lost"
    assert found.packets.offered == pytest.approx(400_000, rel=1e-3)
    assert found.packets.received == pytest.approx(320_000, rel=1e-3)
    assert found.costs and {one.why for one in found.costs.values()} == {NO_COST}
    assert {one.summary for one in found.costs.values()} == {None}


def test_outputs_that_count_a_half_are_told_beside_the_value() -> None:
    (found,) = after(seen_as(Machines(blast(5, 35, 10_000)).run(50), d1=half)).snapshot(0).iterations
    assert found.value == pytest.approx(10_000, rel=1e-3)
    assert [one.code for one in found.warnings] == [CODE]
    assert found.limit is not None and found.limit.code == CODE, "and not that the DUT loses a half"


def test_a_dut_whose_counters_see_everything_is_never_called_uncounted() -> None:
    (found,) = after(Machines(blast(5, 35, 10_000), capacity=8_000).run(50)).snapshot(0).iterations
    assert found.warnings == () and found.packets is not None and found.packets.unaccounted == 0
    assert all(one.summary is not None for one in found.costs.values())


def test_rates_that_differ_by_chance_are_no_sign_where_the_packets_of_the_blast_agree() -> None:
    """The median of what is forwarded is low because the driver counts late, and the sum is right."""
    totals: list[int] = []

    def late(row: InterfaceCounters) -> InterfaceCounters:
        totals.append(row.tx_packets or 0)
        shown = totals[-1] if len(totals) % 2 or totals[-1] == totals[0] else totals[-2] + 1
        return msgspec.structs.replace(row, tx_packets=totals[-1] if len(totals) > 40 else shown)

    (found,) = after(seen_as(Machines(blast(5, 35, 10_000)).run(50), d1=late)).snapshot(0).iterations
    assert CODE not in {one.code for one in found.warnings}


def test_more_received_than_was_sent_shows_other_senders_and_nothing_of_the_dut() -> None:
    def twice(row: InterfaceCounters) -> InterfaceCounters:
        return msgspec.structs.replace(row, rx_packets=2 * (row.rx_packets or 0))

    (found,) = after(seen_as(Machines(blast(5, 35, 10_000)).run(50), s0=twice)).snapshot(0).iterations
    assert [one.code for one in found.warnings] == [ABOVE]


def test_a_generator_that_counts_nothing_is_not_called_idle() -> None:
    """DPDK on mlx5 leaves the interface with the kernel, which counts next to nothing of what is sent."""
    monitor = Monitor(parse(LAB))
    said = set()
    for sample in seen_as(Machines(blast(5, 60, 10_000)).run(30), g0=blind):
        monitor.push(sample)
        if (sample.at or 0.0) > 12.0:
            said.add(monitor.snapshot(0).diagnosis.code)
    assert said == {"generator-uncounted"}
    sentence = monitor.snapshot(0).diagnosis.sentence
    assert "the DUT's input sees 10.0" in sentence and "the offered load is not known" in sentence


# the receiver as a witness

_SETTLE = 2.0


def watched(offered: list[float], dut: list[float], received: list[float]) -> list[Blast]:
    detector = BlastDetector(_SETTLE)
    found = []
    for second, rates in enumerate(zip(offered, dut, received, strict=True), 1):
        detector.received(second - 1.0, float(second), rates[2])
        for side, rate in (("offered", rates[0]), ("dut in", rates[1])):
            if blast_ := detector.feed(side, second - 1.0, float(second), rate):
                found.append(blast_)
    return found


SENT = [*[0.0] * 6, *[1e6] * 8, *[0.0] * 6]
NOTHING = [0.0] * len(SENT)


def test_the_receiver_stands_in_for_a_dut_that_has_been_seen_idle_for_the_time_to_settle() -> None:
    assert watched(SENT, NOTHING, SENT) == [Blast(6.0), Blast(6.0, 14.0)]
    assert watched(SENT[:8], NOTHING[:8], SENT[:8]) == [], "its sample may be still to come"
    assert watched(SENT[:9], NOTHING[:9], SENT[:9]) == [Blast(6.0)]


def test_what_the_receiver_still_hears_holds_the_end_of_such_a_blast() -> None:
    ended_later = [*[0.0] * 6, *[1e6] * 10, *[0.0] * 4]
    assert watched(SENT, NOTHING, ended_later)[-1] == Blast(6.0, 16.0)


@pytest.mark.parametrize(
    "received",
    [
        [5e5] * len(SENT),  # of others, before as well
        [9e3 if rate else 0.0 for rate in SENT],  # next to nothing of it
        [50.0] * len(SENT),
        NOTHING,
    ],
)
def test_a_receiver_that_hears_others_or_next_to_nothing_is_no_witness(received: list[float]) -> None:
    assert watched(SENT, NOTHING, received) == []


def test_a_rate_that_comes_up_from_that_of_others_is_one() -> None:
    assert watched(SENT, NOTHING, [max(rate, 200.0) for rate in SENT]) == [Blast(6.0), Blast(6.0, 14.0)]


def test_the_receiver_is_no_witness_of_a_generator() -> None:
    """What others send through the DUT, or an attack, is no blast."""
    assert watched(NOTHING, SENT, SENT) == []


def test_where_the_dut_sees_the_traffic_the_receiver_has_no_say() -> None:
    for received in (NOTHING, SENT, [1e6] * len(SENT)):
        assert watched(SENT, SENT, received) == [Blast(6.0), Blast(6.0, 14.0)]


def test_a_receiver_that_goes_on_after_such_a_blast_is_abandoned_with_the_others() -> None:
    detector = BlastDetector(_SETTLE)
    for second in range(1, 8):
        rate = 1e6 if second > 2 else 0.0
        detector.received(second - 1.0, float(second), rate)
        detector.feed("offered", second - 1.0, float(second), rate)
        detector.feed("dut in", second - 1.0, float(second), 0.0)
    twin = detector.fork()
    assert twin.current == Blast(2.0) and twin.passed(66.9) is None
    assert twin.passed(67.0) == Blast(2.0, 7.0, unseen=True)
    detector.received(7.0, 20.0, 1e6)
    assert detector.passed(67.0) is None and detector.passed(80.0) == Blast(2.0, 20.0, unseen=True)
