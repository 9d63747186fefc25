"""Which lines of a tool, and which drop reasons, are of a blast."""

from collections.abc import Iterator, Sequence

import msgspec
import pytest
from accounted import BEGIN, CAPACITY, END, RATE, line
from machines import LAB, Machines

from fwdtui.core.lab import parse
from fwdtui.core.model import REASONS, EventSample, HostSample, Packets, RateSample, Sample
from fwdtui.core.offered import CODE
from fwdtui.core.reason_counts import ReasonCounts, ReasonRow
from fwdtui.monitor.live.account import account, cautions
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.tool_lines import Neighbours, Printed


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
