"""The account of a blast: counts of hosts that are sampled at different moments, and what contradicts it."""

from collections.abc import Callable, Iterator, Sequence

import msgspec
import pytest
from machines import LAB, Machines, blast

from fwdtui.core.counters import InterfaceCounters, QdiscRow, StageCounter
from fwdtui.core.lab import parse
from fwdtui.core.model import REASONS, EventSample, HostSample, Iteration, Packets, RateSample, Sample
from fwdtui.core.offered import ADVICE, CODE
from fwdtui.core.reason_counts import ReasonCounts, ReasonRow
from fwdtui.monitor.live.account import account, cautions
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.tool_lines import Neighbours, Printed

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


@pytest.mark.parametrize(
    ("started", "counted"),
    [
        ([], {3.5, 20.0, 39.5}),  # not by us, or in an older recording
        ([4.9], {20.0, 39.5}),
        ([BEGIN + 1.0], {20.0, 39.5}),  # a host may have been sampled an interval before
        ([4.9, 39.0], {20.0}),
        ([4.9, 18.0], {20.0, 39.5}),  # started again within the blast
        ([2.0, 4.9], {20.0, 39.5}),
    ],
)
def test_lines_of_another_run_of_the_tool_are_not_of_the_blast(
    started: list[float], counted: set[float]
) -> None:
    """Two blasts of a quickly sampled lab may be little more than a second apart."""

    def line(at: float) -> RateSample:
        return RateSample("generator", at, 1.0, 100.0, packets=100.0, host="gen", at=at)

    lines = [line(at) for at in (3.5, 20.0, 39.5)]
    more = [
        *(EventSample(at, "tool-started", "", "gen", role="generator", interface="g0") for at in started),
        EventSample(4.5, "tool-started", "", "gen", role="receiver", interface="g0"),
        EventSample(4.6, "tool-started", "", "gen", role="generator", interface="g1"),
        EventSample(4.7, "tool-ended", "", "gen", role="generator", interface="g1"),
    ]
    packets = account(parse(LAB), [*lines, *more], float(BEGIN), float(END), uncounted=["counters"])
    assert packets is not None and packets.offered == 100 * len(counted)


@pytest.mark.parametrize(("late", "again"), [(0.0, 18), (0.9, 19)], ids=["in time", "late"])
def test_of_a_tool_that_goes_on_from_blast_to_blast_each_line_is_of_one_blast(
    late: float, again: int
) -> None:
    """Some seconds without a packet part two blasts. The last line of the first may come late."""
    paused = 15

    def rate(second: int) -> float:
        return RATE if BEGIN <= second < paused or again <= second < END else 0.0

    def lines() -> Iterator[Sample]:
        for second in range(1, END + 4):
            at = second + 0.7
            packets = 0.3 * rate(second - 1) + 0.7 * rate(second)
            came = at + late * (second == paused)
            yield RateSample("generator", at, 1.0, packets, packets=packets, host="gen", at=came)

    lab = LAB.replace('interface = "g0"', 'interface = "g0"\ntool = "netmap-pkt-gen"')
    monitor = Monitor(parse(f'{lab}[sampling]\ninterval = "500ms"\n'), uncounted=["netmap-pkt-gen"])
    for sample in sorted([*Machines(rate).run(END + 10), *lines()], key=lambda one: one.at or 0.0):
        monitor.push(sample)
    both = monitor.snapshot().iterations
    assert [one.packets.offered for one in both if one.packets] == [100_000, (END - again) * RATE]
    assert all(abs(one.packets.unaccounted or 0) <= 2 for one in both if one.packets)


def test_drop_reasons_of_the_next_blast_are_not_counted_in_the_one_before() -> None:
    """The kernel's are counted for as long as a tool runs; the sink is late, so that it is waited for."""
    paused, again = 15, 18

    def rate(second: int) -> float:
        return RATE if BEGIN <= second < paused or again <= second < END else 0.0

    def counts() -> Iterator[Sample]:
        dropped = 0
        for second in range(END + 4):
            rows = (ReasonRow("NETFILTER_DROP", "nft_do_chain", dropped, "d0"),)
            at = second + 0.05
            yield EventSample(at, REASONS, "", "dut", ReasonCounts("bpftrace", "namespace", 0.05, rows))
            dropped += round(max(rate(second) - CAPACITY, 0.0))

    def came(sample: Sample) -> float:
        return (sample.at or 0.0) + 2.5 * (isinstance(sample, HostSample) and sample.host == "sink")

    monitor = Monitor(parse(f'{LAB}[sampling]\ninterval = "500ms"\n'))
    for sample in sorted([*Machines(rate, capacity=CAPACITY).run(END + 10), *counts()], key=came):
        monitor.push(sample)
    found = [one.packets.reasons for one in monitor.snapshot().iterations if one.packets]
    lost = RATE - CAPACITY
    assert [sum(row.count for row in one.rows) for one in found if one] == [10 * lost, (END - again) * lost]


def test_a_line_of_two_blasts_makes_the_packets_of_both_unknown() -> None:
    """One that prints every five seconds, in a pause of two."""
    lines = [
        RateSample("generator", at, 5.0, 1.0, packets=100.0, host="gen", at=at) for at in (10.0, 15.0, 20.0)
    ]

    def offered(began: float, ended: float, around: Neighbours, lines: Sequence[Sample]) -> int | None:
        packets = account(parse(LAB), lines, began, ended, uncounted=["counters"], around=around)
        return packets.offered if packets else None

    assert offered(5.0, 12.0, Neighbours(begins=14.0), lines) is None
    assert offered(14.0, 20.0, Neighbours(ended=12.0), lines) is None
    silent = [lines[0], msgspec.structs.replace(lines[1], packets=0.0), lines[2]]
    assert offered(5.0, 12.0, Neighbours(begins=14.0), silent) == 100
    assert offered(14.0, 20.0, Neighbours(ended=12.0), silent) == 100


@pytest.mark.parametrize("code", ["tool-ended", "tool-failed"])
@pytest.mark.parametrize(("at", "counted"), [(4.9, 100), (6.0, 200)])
def test_lines_from_before_the_end_of_an_earlier_run_are_not_of_the_blast(
    code: str, at: float, counted: int
) -> None:
    """Of several generators another one may begin the blast, and this one be started a second later."""
    lines = [RateSample("generator", at, 1.0, 100.0, packets=100.0, host="gen", at=at) for at in (3.5, 20.0)]
    end = EventSample(at, code, "", "gen", role="generator", interface="g0")
    packets = account(parse(LAB), [*lines, end], float(BEGIN), float(END), uncounted=["counters"])
    assert packets is not None and packets.offered == counted


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


# what is offered, and what is received

RECEIVER = '[receiver]\nhost = "sink"\ninterface = "s0"\n'
ALONE = LAB.replace(RECEIVER, "")


def ends(host: str, port: str, boot: str = "1", **grown: int) -> list[HostSample]:
    """Two samples in the quiet before and after, between which the port's counters grew."""
    return [
        HostSample(
            host,
            0,
            t=at,
            at=at,
            boot=boot,
            interfaces=(
                InterfaceCounters(
                    port, **{name: 50 + (count if after else 0) for name, count in grown.items()}
                ),
            ),
        )
        for after, at in enumerate((4.0, 37.0))
    ]


def accounted(samples: Sequence[Sample], lab: str = LAB, **options: Sequence[str]) -> Packets:
    packets = account(parse(lab), samples, float(BEGIN), float(END), **options)  # type: ignore[arg-type]
    assert packets is not None
    return packets


DUT = [
    HostSample(
        "dut",
        0,
        t=at,
        at=at,
        boot="1",
        interfaces=(
            InterfaceCounters("d0", rx_packets=grown * 900, rx_dropped=grown * 30, rx_missed=grown * 20),
            InterfaceCounters("d1", tx_packets=grown * 850, tx_dropped=0),
        ),
    )
    for grown, at in enumerate((4.0, 37.0))
]


@pytest.mark.parametrize(
    ("refused", "queue"),
    [
        (60, 60),  # the peer's refusals are what its own counter misses
        (30, 30),
        (10, 30),  # it counts more than they are
        (0, 30),
    ],
)
def test_what_a_veths_peer_refused_was_offered_and_lost_at_its_input(refused: int, queue: int) -> None:
    sent = ends("gen", "g0", tx_packets=900, tx_dropped=refused)
    found = accounted([*sent, *DUT], veths=["gen.g0"])
    assert found.offered == 900 + refused
    assert list(found.drops.items()) == [("rx ring", 20), ("input queue", queue), ("output", 0)]
    assert found.unaccounted == 900 + refused - 850 - 20 - queue
    # of a port of another kind they are its own affair
    assert accounted([*sent, *DUT]).offered == 900


def test_where_refusals_cannot_be_read_the_load_is_not_known() -> None:
    found = accounted([*ends("gen", "g0", tx_packets=900), *DUT], veths=["gen.g0"])
    assert found.offered is None and found.unaccounted is None and found.forwarded == 850
    found = accounted([*ends("gen", "g0", tx_dropped=7), *DUT], veths=["gen.g0"])
    assert found.offered is None and found.drops["input queue"] == 30


def test_a_dut_that_counts_no_drops_still_has_those_that_its_peer_saw() -> None:
    quiet = [
        msgspec.structs.replace(
            sample,
            interfaces=tuple(msgspec.structs.replace(row, rx_dropped=None) for row in sample.interfaces),
        )
        for sample in DUT
    ]
    found = accounted([*ends("gen", "g0", tx_packets=900, tx_dropped=7), *quiet], veths=["gen.g0"])
    assert found.drops["input queue"] == 7
    unread = accounted([*ends("gen", "g0", tx_packets=900), *quiet], veths=["gen.g0"])
    assert "input queue" not in unread.drops


TWO = LAB.replace("[generator]", "[[generator]]").replace(
    "[dut]", '[[generator]]\nhost = "gen2"\ninterface = "g1"\n[dut]'
)


def line(role: str, packets: float | None, host: str = "", interface: str = "") -> RateSample:
    return RateSample(role, 20.0, 1.0, 1.0, packets=packets, host=host, at=20.0, interface=interface)


@pytest.mark.parametrize("tool", ["gen", "gen2"])
def test_the_load_of_several_generators_is_the_sum_of_what_each_of_them_counts(tool: str) -> None:
    """One by its port, the other by its tool, which bypasses the port."""
    port = {"gen": "g0", "gen2": "g1"}
    lab = TWO.replace(f'interface = "{port[tool]}"', f'interface = "{port[tool]}"\ntool = "pkt-gen"')
    counted = next(host for host in port if host != tool)
    samples = [
        *ends(counted, port[counted], tx_packets=900),
        *ends(tool, port[tool], tx_packets=5),  # of its own traffic
        line("generator", 70.0, tool),
        line("generator", 30.4, tool),
        *DUT,
    ]
    assert accounted(samples, lab, uncounted=["pkt-gen"]).offered == 1000
    assert accounted([*samples[:5], *DUT], lab, uncounted=["pkt-gen"]).offered == 970
    assert accounted(samples[2:], lab, uncounted=["pkt-gen"]).offered is None
    assert accounted([*samples[:4], *DUT], lab).offered == 905


def test_lines_of_other_roles_hosts_and_ports_and_those_without_a_count_are_left_out() -> None:
    lab = LAB.replace('interface = "g0"', 'interface = "g0"\ntool = "pkt-gen"')
    lines = [
        line("generator", 100.0),
        line("generator", 10.0, "gen", "g0"),
        line("generator", None),
        line("generator", 1.0, "sink"),
        line("generator", 1.0, "gen", "g1"),
        line("receiver", 1.0),
    ]
    assert accounted([*lines, *DUT], lab, uncounted=["pkt-gen"]).offered == 110
    assert accounted([*lines[2:], *DUT], lab, uncounted=["pkt-gen"]).offered is None


def test_a_receiver_whose_tool_bypasses_the_port_is_counted_by_its_tool() -> None:
    lab = LAB.replace('interface = "s0"', 'interface = "s0"\ntool = "pkt-gen"')
    samples = [*ends("sink", "s0", rx_packets=5), line("receiver", 800.0, "sink"), line("generator", 9.0)]
    assert accounted([*samples, *DUT], lab, uncounted=["pkt-gen"]).received == 800
    assert accounted([*samples, *DUT], lab).received == 5
    assert accounted([*samples, *DUT], lab, uncounted=["other"]).received == 5


def test_without_a_receiver_nothing_is_received() -> None:
    assert accounted([line("receiver", 800.0), *DUT], ALONE, uncounted=["counters"]).received is None


@pytest.mark.parametrize(
    ("samples", "known"),
    [
        ([], False),
        (ends("gen", "g0", tx_packets=0), False),
        (ends("gen", "g0", tx_packets=9), True),
        (ends("sink", "s0", rx_packets=0), True),
        (DUT, True),
        (DUT[:1], False),
    ],
)
def test_there_is_no_account_if_no_host_was_sampled_before_and_after(
    samples: list[HostSample], known: bool
) -> None:
    assert (account(parse(LAB), samples, float(BEGIN), float(END)) is not None) is known


def test_without_the_dut_there_is_what_the_others_counted() -> None:
    found = accounted([*ends("gen", "g0", tx_packets=900), *ends("sink", "s0", rx_packets=800)])
    assert found == Packets(900, received=800)


# what slow readings add


def combined(host: str, moments: Sequence[tuple[float, dict]]) -> list[HostSample]:
    """Samples of every tick, some of which have slow parts as well."""
    return [
        HostSample(
            host,
            number,
            t=at,
            at=at,
            boot="1",
            interfaces=(
                InterfaceCounters("d0", rx_packets=1000 * number, rx_missed=0),
                InterfaceCounters("d1", tx_packets=1000 * number),
            ),
            **parts,
        )
        for number, (at, parts) in enumerate(moments)
    ]


def slow_part(total: int) -> dict:
    return {
        "qdiscs": (QdiscRow("d1", "fq", "1:", "root", dropped=total),),
        "stages": (
            StageCounter("d0", "rx", "rx-ring", "drops", "rx_no_dma_resources", 2 * total),
            StageCounter("d0", "rx", "mac", "packets", "rx_packets", 100 * total),
        ),
    }


@pytest.mark.parametrize("first", [0, 1])
def test_what_only_some_ticks_read_is_counted_by_those_that_did(first: int) -> None:
    """Whether the first or the last of all ticks read it: the others do not make it a lower bound."""
    ticks = enumerate((3.0, 4.0, 36.0, 37.0))
    found = accounted(
        combined("dut", [(at, slow_part(int(at)) if n % 2 == first else {}) for n, at in ticks])
    )
    grown = 33  # from 3 to 36, or from 4 to 37
    assert (found.drops["tx soft queue"], found.drops["rx ring"]) == (grown, 2 * grown)
    assert found.unread == {} and found.nic == {"d0 rx_no_dma_resources": 2 * grown}


@pytest.mark.parametrize(
    ("read_at", "counted"),
    [
        ((3.0, 20.0, 30.0), 27),  # nothing after the blast
        ((20.0, 30.0, 37.0), 17),  # nothing before it
        ((20.0,), 0),
        ((37.0,), 0),
    ],
)
def test_what_was_not_read_in_both_quiets_is_a_lower_bound(read_at: tuple[float, ...], counted: int) -> None:
    """It used to be left out without a word, so that its losses were "in no counter"."""
    ticks = (3.0, 4.0, 20.0, 30.0, 36.0, 37.0)
    found = accounted(combined("dut", [(at, slow_part(int(at)) if at in read_at else {}) for at in ticks]))
    assert found.unread == {"rx ring": "unsampled", "tx soft queue": "unsampled"}
    assert found.drops.get("tx soft queue", 0) == counted and found.drops["rx ring"] == 2 * counted
    assert [caution.text for caution in cautions(found)] == [
        f"Drops at the {stage} are a lower bound: a counter was not read both before and after the blast."
        for stage in ("rx ring", "tx soft queue")
    ]


def test_a_counter_that_does_not_move_is_not_listed_and_one_that_was_reset_neither() -> None:
    def rows(moved: int, reset: int) -> dict:
        values = {"rx_no_dma_resources": moved, "rx_crc_errors": 5, "rx_long_length_errors": reset}
        return {
            "stages": tuple(StageCounter("d0", "rx", "mac", "errors", *pair) for pair in values.items()),
        }

    moments = [(4.0, rows(1, 9)), (20.0, rows(3, 1)), (37.0, rows(4, 3))]
    assert accounted(combined("dut", moments)).nic == {"d0 rx_no_dma_resources": 3}


@pytest.mark.parametrize("slow", [False, True])
def test_what_reached_the_cards_is_known_whichever_ticks_read_it(slow: bool) -> None:
    rows = [(StageCounter("d0", "rx", "mac", "packets", "rx_packets_phy", 70 * n),) for n in range(4)]
    moments = [
        (at, {"stages": rows[n]} if not slow or n in (1, 3) else {}) for n, at in enumerate((3, 4, 36, 37))
    ]
    assert accounted(combined("dut", moments)).at_nic == 140, "from 4 to 37"


def test_a_place_that_was_read_already_does_not_hide_the_others() -> None:
    """Of every tick: the interface's counters. Of slow ticks: those, and a qdisc's."""
    moments = [
        (3.0, {}),
        (4.0, {"qdiscs": (QdiscRow("d1", "fq", "1:", "root", dropped=0),)}),
        (36.0, {}),
        (37.0, {"qdiscs": (QdiscRow("d1", "fq", "1:", "root", dropped=8),)}),
    ]
    found = accounted(combined("dut", moments))
    assert found.drops["tx soft queue"] == 8 and found.drops["rx ring"] == 0 and found.unread == {}


# what the counts themselves say


@pytest.mark.parametrize(
    ("packets", "warned"),
    [
        (None, []),
        (Packets(100, 100, None, 150), []),  # within a blast the counts are of different times
        (Packets(100, 100, 101, 101), []),
        (Packets(100, 100, 102, 100), ["102 packets were forwarded of 100 offered"]),
        (Packets(100, 100, 100, 102), ["102 packets were received of 100 offered"]),
        (Packets(100, 100, 150, 120), ["120 packets were received of 100 offered"]),
        (Packets(None, 100, 150, 120), []),
        (Packets(0, 0, 3, None), ["3 packets were forwarded of 0 offered"]),
    ],
)
def test_more_out_than_in_is_warned_of_once_from_one_percent_on(
    packets: Packets | None, warned: list[str]
) -> None:
    found = cautions(packets)
    assert [one.code for one in found] == [CODE] * len(warned)
    assert [one.text for one in found] == [f"{text}, which is impossible: {ADVICE}." for text in warned]


@pytest.mark.parametrize(
    ("ended_by", "offered", "forwarded", "warned"),
    [
        ("TERM", [1000.0, 1000.0, 1000.0], 3900, False),  # what it sent in its last second was not printed
        ("TERM", [1000.0, 1000.0, 1000.0], 4031, True),
        ("INT", [1000.0, 1000.0, 1000.0, 100.0], 3100, False),
        ("INT", [1000.0, 1000.0, 1000.0, 100.0], 3300, True),
    ],
)
def test_an_interval_that_pkt_gen_did_not_print_is_not_impossible(
    ended_by: str, offered: list[float], forwarded: int, warned: bool
) -> None:
    lab = parse(LAB.replace('interface = "g0"', 'interface = "g0"\ntool = "pkt-gen"'))
    lines = [line("generator", packets, "gen", "g0") for packets in offered]
    printed = Printed(lab, lines, float(BEGIN), float(END))
    more = printed.unprinted(["pkt-gen"])
    assert more == offered[-1] and printed.unprinted([]) == 0
    packets = Packets(round(sum(offered)), None, forwarded)
    assert [one.code for one in cautions(packets, unprinted=more)] == [CODE] * warned


def test_pause_frames_during_the_blast_are_warned_of_by_port_and_direction() -> None:
    nic = {"ix0 mac_stats.xoff_txd": 204, "eth1 rx_pause_ctrl_phy": 1, "eth1 rx_discards_phy": 7}
    (one,) = cautions(Packets(100, 100, 100, nic=nic), inputs=("ix0",))
    assert (one.code, one.text) == (
        "pause-frames",
        "During the blast ix0 of the DUT sent 204 pause frames, by which it held the generator back; "
        "eth1 of the DUT was sent 1 pause frame, by which it was held back: "
        "switch flow control off and repeat it.",
    )
    assert cautions(Packets(100, 100, 100, nic={"eth1 rx_discards_phy": 7})) == []


def test_pause_frames_that_an_output_sent_held_no_generator_back() -> None:
    (one,) = cautions(Packets(100, 100, 100, nic={"ix1 mac_stats.xoff_txd": 9}), inputs=("ix0",))
    assert "ix1 of the DUT sent 9 pause frames, by which it held its link partner back: " in one.text


def test_each_stage_with_a_gap_is_a_lower_bound_with_its_reason() -> None:
    found = cautions(Packets(100, 100, 100, unread={"rx ring": "reset", "output": "odd"}))
    assert [one.text for one in found] == [
        "Drops at the rx ring are a lower bound: a counter was reset during the blast.",
        "Drops at the output are a lower bound: odd during the blast.",
    ]
