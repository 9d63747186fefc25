"""The account of a blast: counts of hosts that are sampled at different moments, and what contradicts it."""

from collections.abc import Callable, Iterator, Sequence

import msgspec
import pytest
from accounted import BEGIN, CAPACITY, END, RATE
from machines import LAB, Machines, blast

from fwdtui.core.counters import InterfaceCounters, QdiscRow, StageCounter
from fwdtui.core.lab import parse
from fwdtui.core.model import HostSample, Iteration, Packets, Sample
from fwdtui.core.offered import ADVICE, CODE
from fwdtui.monitor.live.account import account
from fwdtui.monitor.live.monitor import Monitor

WRAP = 2**32


def iteration(samples: Iterator[Sample]) -> Iteration:
    monitor = Monitor(parse(LAB))
    for sample in samples:
        monitor.push(sample)
    (found,) = monitor.snapshot().iterations
    return found


def run(seconds: int = 50) -> Iterator[Sample]:
    return Machines(blast(BEGIN, END, RATE), capacity=CAPACITY).run(seconds)


@pytest.mark.parametrize("phase", [0.0, 0.3, 0.6, 0.9])  # whose sample is the first: gen, dut or sink
@pytest.mark.parametrize("quiet", [0.0, 2.0, 12.0, 17.0], ids=["none", "a few", "long ago", "just before"])
def test_counts_begin_in_the_quiet_or_there_are_none(phase: float, quiet: float):
    """Watched from within the traffic, or after a silence: the hosts' first samples are of other times."""
    begin, end = 20, 40
    samples = Machines(blast(begin, end, RATE), capacity=CAPACITY).run(55)
    found = iteration(one for one in samples if one.at < quiet or one.at > 22.0 + phase)
    counts = found.packets or Packets()
    whole, through = (end - begin) * RATE, (end - begin) * CAPACITY
    assert counts.offered in (None, whole)
    assert counts.received in (None, through) and counts.forwarded in (None, through)
    assert found.value == pytest.approx(CAPACITY, rel=1e-3), "the rate does not need the beginning"
    if quiet == 17.0:
        assert (counts.offered, counts.received, counts.unaccounted) == (whole, through, 0)


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
        ((35.0, 35.99, 36.99, 37.99), 37.99),
        ((35.0, 36.0, 37.0, 38.0), 38.0),
        ((35.01, 36.01, 37.01, 38.01), 37.01),
        ((35.0, 36.0), 36.0),
        ((35.0, 38.01, 39.0), 38.01),
        ((34.5, 35.5, 35.99), None),
    ],
)
def test_the_account_ends_with_the_last_sample_of_the_quiet_that_ended_the_blast(
    after: tuple[float, ...], closing: float | None
):
    """It is at least an interval after the end: the one in which the load stopped is not busy where less than
    a tenth of it carried load. Here something sends all the time. Later samples may be of the next blast."""
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
        assert packets is not None and packets.offered == round(LIVELY * (37.0 - opening))


@pytest.mark.parametrize(
    ("counts", "offered"),
    [
        # seen of an emulated one: its first 20 packets within an interval were no blast yet
        ({2.97: 0, 3.99: 0, 4.96: 20, 36.0: 5743}, 5743),
        ({1.97: 0, 2.97: 0, 3.99: 20, 4.96: 90, 36.0: 5743}, 5743),
        ({2.97: 0, 3.99: 7, 4.96: 7, 36.0: 5743}, 5736),  # what it sent before is not of the blast
        ({0.97: 0, 1.97: 3, 2.97: 6, 3.99: 9, 4.96: 12, 36.0: 5743}, 5731),  # it says something all the time
    ],
)
def test_the_first_packets_that_looked_like_noise_are_of_the_blast(
    counts: dict[float, int], offered: int
) -> None:
    gen = [
        HostSample(
            "gen",
            number,
            t=at,
            at=at,
            boot="1",
            interfaces=(InterfaceCounters("g0", tx_packets=count),),
        )
        for number, (at, count) in enumerate({**counts, 37.0: 5743}.items())
    ]
    packets = account(parse(LAB), gen, float(BEGIN), float(END))
    assert packets is not None and packets.offered == offered


def test_the_interval_of_the_lab_is_what_the_end_is_waited_for():
    lab = parse(LAB + '[sampling]\ninterval = "2s"\n')
    for after, offered in (((36.0, 36.99, 37.0), 32_000), ((36.99, 41.0, 41.01), 36_000)):
        samples = sampled("gen", "g0", "tx", (3.0, 5.0, *after))
        packets = account(lab, samples, float(BEGIN), float(END))
        assert packets is not None and packets.offered == offered


@pytest.mark.parametrize("begin", [60, 61, 65, 69])  # 60: just before a sample
def test_rare_samples_count_from_the_quiet_too(begin: int) -> None:
    """At 10 s a sample thirty seconds are only three of them, and the last one has some of the blast."""
    rate, lasts = 1500, 120
    monitor = Monitor(parse(LAB + '[sampling]\ninterval = "10s"\n'))
    for sample in Machines(blast(begin, begin + lasts, rate)).run(begin + lasts + 80):
        if isinstance(sample, HostSample) and int(sample.at) % 10 == 0:
            # a host's clock is a little slower than ours
            monitor.push(msgspec.structs.replace(sample, t=sample.t - 1e-6 * sample.at))
    (found,) = monitor.snapshot().iterations
    packets, whole = found.packets, rate * lasts
    assert packets is not None
    counts = packets.offered, packets.dut_in, packets.forwarded, packets.received
    assert counts == pytest.approx((whole,) * 4, abs=1) and packets.unaccounted == pytest.approx(0, abs=1)


@pytest.mark.parametrize(
    ("counts", "forwarded"),
    [
        ({36.3: 5725, 37.3: 5754, 38.3: 5754}, 5754),  # 38.3 is after the quiet by which the end is known
        ({36.1: 5725, 36.9: 5754, 37.4: 5754, 37.9: 5755}, 5754),  # the last one is a neighbour's question
        ({36.3: 5754, 37.3: 5754, 37.9: 5914}, 5754),  # 160 in 1.6 s are noise
        ({36.3: 5754, 37.3: 5754, 37.9: 5915}, 5915),  # its driver had counted once a second or two
        ({36.3: 5725, 37.3: 5754}, 5754),
    ],
)
def test_what_a_slow_dut_still_forwards_after_the_end_is_counted_as_the_sink_counts_it(
    counts: dict[float, int], forwarded: int
) -> None:
    """Seen of an emulated one: 29 packets left its queues more than a second after the blast."""
    began, ended = float(BEGIN), float(END)
    dut = [
        HostSample(
            "dut",
            number,
            t=at,
            at=at,
            boot="1",
            interfaces=(InterfaceCounters("d0", rx_packets=9), InterfaceCounters("d1", tx_packets=count)),
        )
        for number, (at, count) in enumerate({4.0: 0, **counts}.items())
    ]
    packets = account(parse(LAB), dut, began, ended)
    assert packets is not None and packets.forwarded == forwarded
