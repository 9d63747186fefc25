"""The account of a blast: counts of hosts that are sampled at different moments, and what contradicts it."""

from collections.abc import Callable, Iterator, Sequence

import msgspec
import pytest
from machines import LAB, Machines, blast

from fwdtui.core.counters import InterfaceCounters, QdiscRow, StageCounter
from fwdtui.core.lab import parse
from fwdtui.core.model import HostSample, Iteration, RateSample, Sample
from fwdtui.core.offered import ADVICE, CODE
from fwdtui.monitor.live.account import account
from fwdtui.monitor.live.monitor import Monitor

RATE, CAPACITY = 10_000, 8_000
BEGIN, END = 5, 35
WRAP = 2**32


def iteration(samples: Iterator[Sample]) -> Iteration:
    monitor = Monitor(parse(LAB))
    for sample in samples:
        monitor.push(sample)
    (found,) = monitor.snapshot().iterations
    return found


def run(seconds: int = 50) -> Iterator[Sample]:
    return Machines(blast(BEGIN, END, RATE), capacity=CAPACITY).run(seconds)


def with_slow(
    parts: Callable[[float], dict], samples: Iterator[Sample], host: str = "dut"
) -> Iterator[Sample]:
    """After every other sample of the host a slow one with these parts of its own."""
    for sample in samples:
        yield sample
        if isinstance(sample, HostSample) and sample.host == host and sample.seq % 2 == 0:
            yield HostSample(
                host, sample.seq, sample.t + 0.1, sample.at + 0.1, boot=host, **parts(sample.at + 0.1)
            )


def lost(at: float, rate: float = 500.0) -> int:
    """Packets lost until then, at this rate within the blast."""
    return round(rate * min(max(at - BEGIN, 0.0), END - BEGIN))


def test_every_packet_is_named_and_the_card_repeats_what_the_interface_says():
    def parts(at: float) -> dict:
        return {"stages": (StageCounter("d0", "rx", "rx-ring", "drops", "rx_missed_errors", 0),)}

    packets = iteration(with_slow(parts, run())).packets
    assert packets is not None and packets.nic == {} and packets.unread == {}
    assert packets.unaccounted in (-1, 0, 1)


def test_what_only_the_card_counts_is_named_by_its_stage_and_under_its_own_name():
    def parts(at: float) -> dict:
        return {"stages": (StageCounter("d0", "rx", "rx-ring", "drops", "rx_no_dma_resources", lost(at)),)}

    plain, found = iteration(run()).packets, iteration(with_slow(parts, run())).packets
    assert plain is not None and found is not None
    assert found.drops["rx ring"] == 15_000 and found.nic == {"d0 rx_no_dma_resources": 15_000}
    assert found.unaccounted == (plain.unaccounted or 0) - 15_000


def test_a_qdisc_whose_32_bits_go_round_within_the_blast_is_counted_whole():
    def parts(at: float) -> dict:
        return {"qdiscs": (QdiscRow("d1", "fq", "1:", "root", dropped=(WRAP - 100 + lost(at)) % WRAP),)}

    packets = iteration(with_slow(parts, run())).packets
    assert packets is not None
    assert packets.drops["tx soft queue"] == 15_000 and packets.unread == {}


def test_a_counter_that_is_reset_within_the_blast_makes_its_stage_a_lower_bound_and_warns():
    def parts(at: float) -> dict:
        total = lost(at) if at < 20 else lost(at) - lost(20)
        return {"qdiscs": (QdiscRow("d1", "fq", "1:", "root", dropped=total),)}

    found = iteration(with_slow(parts, run()))
    assert found.packets is not None
    assert 0 < found.packets.drops["tx soft queue"] < 15_000
    assert found.packets.unread == {"tx soft queue": "reset"}
    (warning,) = [one for one in found.warnings if one.code == "counter-gap"]
    assert warning.text == (
        "Drops at the tx soft queue are a lower bound: a counter was reset during the blast."
    )


def changed(port: str, change: Callable[[InterfaceCounters], InterfaceCounters]) -> Iterator[Sample]:
    for sample in run():
        if isinstance(sample, HostSample):
            rows = tuple(change(row) if row.name == port else row for row in sample.interfaces)
            sample = msgspec.structs.replace(sample, interfaces=rows)
        yield sample


@pytest.mark.parametrize(
    ("port", "field", "word"), [("s0", "rx_packets", "received"), ("d1", "tx_packets", "forwarded")]
)
def test_more_out_than_was_offered_is_warned_of_once(port: str, field: str, word: str):
    found = iteration(
        changed(port, lambda row: msgspec.structs.replace(row, **{field: 2 * getattr(row, field)}))
    )
    (warning,) = [one for one in found.warnings if one.code == CODE]
    assert f"were {word}" in warning.text and ADVICE in warning.text


def test_a_port_whose_packets_were_reset_has_no_count_and_not_a_wrong_one():
    def reset(row: InterfaceCounters) -> InterfaceCounters:
        total = row.tx_packets or 0
        return msgspec.structs.replace(row, tx_packets=total if total < 90_000 else total - 90_000)

    found = iteration(changed("d1", reset))
    assert found.packets is not None
    assert found.packets.forwarded is None and found.packets.unaccounted is None


def test_a_reset_is_a_gap_of_the_flow_with_its_cause():
    def reset(row: InterfaceCounters) -> InterfaceCounters:
        total = row.tx_packets or 0
        return msgspec.structs.replace(row, tx_packets=total if total < 90_000 else total - 90_000)

    monitor = Monitor(parse(LAB))
    for sample in changed("d1", reset):
        monitor.push(sample)
    causes = [point.why for point in monitor.snapshot().forwarded.points if point.value is None]
    assert causes == ["reset"]


# which sample begins and which ends the account

LIVELY = 1_000  # packets per second that the counters of these hosts grow by all the time


def sampled(host: str, port: str, way: str, moments: Sequence[float]) -> list[HostSample]:
    """A counter that tells by its growth between which two samples it was read."""
    return [
        HostSample(
            host,
            number,
            t=at,
            at=at,
            boot=host,
            interfaces=(InterfaceCounters(port, **{f"{way}_packets": round(LIVELY * at)}),),
        )
        for number, at in enumerate(moments)
    ]


@pytest.mark.parametrize(
    ("after", "closing"),
    [
        ((35.0, 35.99, 36.99, 37.99), 36.99),
        ((35.0, 36.0, 37.0, 38.0), 36.0),
        ((35.01, 36.01, 37.01, 38.01), 36.01),
        ((34.5, 35.5, 35.99), None),
    ],
)
def test_the_account_ends_with_the_first_sample_a_whole_interval_after_the_end(
    after: tuple[float, ...], closing: float | None
):
    """The interval in which the load stopped is not busy where less than a tenth of it carried load: these
    packets come after what is called the end. Later samples may be of the next blast."""
    samples = sampled("gen", "g0", "tx", (4.0, 5.0, 6.0, *after))
    packets = account(parse(LAB), samples, float(BEGIN), float(END))
    if closing is None:
        assert packets is None
    else:
        assert packets is not None and packets.offered == round(LIVELY * (closing - 5.0))


@pytest.mark.parametrize(
    ("before", "opening"),
    [
        ((3.99, 4.99, 5.99), 4.99),
        ((4.0, 5.0, 6.0), 5.0),
        ((4.01, 5.01, 6.01), 4.01),
        ((5.01, 6.01), None),
    ],
)
def test_the_account_begins_with_the_last_sample_before_the_load(
    before: tuple[float, ...], opening: float | None
):
    """A later one has counted a part of the load already, an earlier one what came before."""
    samples = sampled("gen", "g0", "tx", (*before, 36.0, 37.0))
    packets = account(parse(LAB), samples, float(BEGIN), float(END))
    if opening is None:
        assert packets is None
    else:
        assert packets is not None and packets.offered == round(LIVELY * (36.0 - opening))


def test_the_interval_of_the_lab_is_what_the_end_is_waited_for():
    lab = parse(LAB + '[sampling]\ninterval = "2s"\n')
    samples = sampled("gen", "g0", "tx", (3.0, 5.0, 36.0, 36.99, 37.0, 38.99))
    packets = account(lab, samples, float(BEGIN), float(END))
    assert packets is not None and packets.offered == 32_000


@pytest.mark.parametrize(
    ("at", "counted"),
    [
        (BEGIN - 2.01, False),  # of an earlier start of the tool
        (BEGIN - 2.0, True),  # it tells of its first packets before a host's counters are seen to move
        (END + 5.0, True),  # what it buffered comes late
        (END + 5.01, False),  # of its next run
    ],
)
def test_lines_of_a_tool_are_of_the_blast_from_two_seconds_before_to_five_after(at: float, counted: bool):
    def line(at: float) -> RateSample:
        return RateSample("generator", at, 1.0, 100.0, packets=100.0, host="gen", at=at)

    packets = account(parse(LAB), [line(20.0), line(at)], float(BEGIN), float(END), uncounted=["counters"])
    assert packets is not None and packets.offered == (200 if counted else 100)
