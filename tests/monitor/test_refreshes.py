"""A card that brings its counters up to date once a second: the rate is that of the packets."""

import random
from collections.abc import Callable, Iterator, Sequence

import pytest
from machines import LAB

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.lab import parse
from fwdtui.core.model import HostSample, Iteration
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.refreshes import at_refreshes
from fwdtui.monitor.live.series import Point

RATE = 1e6


def points(counts: Sequence[int], seconds: float = 1.0) -> list[Point]:
    return [Point((n + 1) * seconds, seconds, count / seconds, count) for n, count in enumerate(counts)]


def rates(counts: Sequence[int], seconds: float = 1.0) -> list[float]:
    return [point.value or 0.0 for point in at_refreshes(points(counts, seconds))[0]]


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([5, 5, 0, 10, 5, 5], [5, 5, 5, 5, 5]),
        ([5, 5, 0, 5, 5, 5], [5, 5, 0, 5, 5, 5]),  # a second without packets, which nothing makes good
        ([5, 5, 0, 0, 0, 10, 5, 5], [5, 5, 0, 0, 5, 5, 5]),  # two of them
        ([5, 5, 10, 5, 5, 5], [5, 5, 10, 5, 5, 5]),  # a burst
        ([5, 5, 0, 40, 5, 5], [5, 5, 0, 40, 5, 5]),  # a greater one
        ([5, 5, 5, 5], [5, 5, 5, 5]),
        ([0, 0, 0, 0], [0, 0, 0, 0]),
        ([0, 0, 5, 0], [0, 0, 5, 0]),
        ([], []),
    ],
)
def test_what_stood_still_belongs_to_what_moved(counts: list[int], expected: list[float]) -> None:
    assert rates(counts) == expected


@pytest.mark.parametrize("last", [1, 5, 8, 9])
@pytest.mark.parametrize("quiet", [0, 3])
def test_the_last_refresh_has_less_and_no_pause_before_it(last: int, quiet: int) -> None:
    """The traffic ended within it; it may seem to be joined with a part of the intervals before it only."""
    found, _ = at_refreshes(points(([0] * 4 + [10]) * 8 + [0] * 4 + [last] + [0] * quiet, 0.2))
    assert [point.value for point in found] == pytest.approx([10] * 8 + [last])


@pytest.mark.parametrize("quiet", [0, 1, 3, 9])
def test_at_ten_samples_a_second_nine_of_ten_stand_still(quiet: int) -> None:
    counts = [0] * quiet + [10] + ([0] * 9 + [10]) * 8 + [0] * 4
    found, joined = at_refreshes(points(counts, 0.1))
    assert [point.value for point in found[-8:]] == pytest.approx([10.0] * 8)
    assert joined >= 72
    assert found[-1].at == pytest.approx((quiet + 81) * 0.1), "what follows the last refresh is left out"


def test_the_packets_and_the_seconds_stay_the_same() -> None:
    counts = [7] + ([0] * 3 + [28]) * 20
    found, _ = at_refreshes(points(counts, 0.25))
    assert sum(point.count or 0 for point in found) == sum(counts)
    assert sum(point.seconds for point in found) == pytest.approx(len(counts) * 0.25)


def test_bits_are_joined_with_their_packets() -> None:
    counted = points([5, 5, 0, 10, 5])
    made = [Point(p.at, p.seconds, p.value, p.count, bps=(p.value or 0) * 512) for p in counted]
    found, _ = at_refreshes(made)
    assert [point.bps for point in found] == [2560.0] * 4


def lab(
    offered: Callable[[float], float], interval: float, refresh: float, seconds: int
) -> Iterator[HostSample]:
    """A lab without a receiver; its DUT shows what it had counted at the last refresh."""
    jitter = random.Random(4)
    steps = [n / 1000 for n in range(seconds * 1000)]
    total, sums = 0.0, []
    for at in steps:
        total += offered(at) / 1000
        sums.append(total)

    def at_time(moment: float) -> int:
        return int(sums[max(0, min(round(moment * 1000), len(sums) - 1))])

    readings = int(seconds / interval)
    for n in range(1, readings):
        for host, phase in (("gen", 0.2), ("dut", 0.5)):
            at = (n + phase) * interval + jitter.uniform(-0.02, 0.02) * interval
            seen = at // refresh * refresh if host == "dut" else at
            count = at_time(seen)
            names = ("g0",) if host == "gen" else ("d0", "d1")
            ports = tuple(
                InterfaceCounters(
                    name, rx_packets=count, tx_packets=count, rx_dropped=0, tx_dropped=0, link=1
                )
                for name in names
            )
            yield HostSample(host, n, at, at, interfaces=ports, boot=host)


def measured(
    offered: Callable[[float], float], interval: float, refresh: float, seconds: int = 50
) -> Iteration:
    text = LAB[: LAB.index("[receiver]")] + f'[run]\nwarmup = "2s"\n[sampling]\ninterval = "{interval}s"\n'
    monitor = Monitor(parse(text))
    for sample in lab(offered, interval, refresh, seconds):
        monitor.push(sample)
    (iteration,) = monitor.snapshot(0).iterations
    return iteration


def blast(at: float) -> float:
    return RATE if 8.0 <= at < 40.0 else 0.0


@pytest.mark.parametrize("interval", [0.1, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("refresh", [1.0, 1.003, 0.5])
def test_the_value_is_what_was_forwarded_and_nothing_was_out(interval: float, refresh: float) -> None:
    found = measured(blast, interval, refresh)
    assert found.value == pytest.approx(RATE, rel=0.03), found.warnings
    assert not {one.code for one in found.warnings} & {"outage", "unsteady", "level-shift", "no-traffic"}


@pytest.mark.parametrize(("interval", "lasts"), [(0.5, 1.0), (1.0, 2.0)])
def test_a_real_outage_is_still_one(interval: float, lasts: float) -> None:
    found = measured(lambda at: 0.0 if 20.0 <= at < 20.0 + lasts else blast(at), interval, 1.0)
    assert "outage" in {one.code for one in found.warnings}


@pytest.mark.parametrize("refresh", [0.9, 1.0])
@pytest.mark.parametrize("begin", [8.0, 8.3, 8.6, 8.9])
def test_what_the_kernel_drops_before_a_cards_refresh_is_counted(begin: float, refresh: float) -> None:
    """Its backlog counts at once; when the blast began is known only from cards that count later."""

    def counted(at: float) -> int:
        return round(RATE * min(max(at - begin, 0.0), 32.0))

    def port(name: str, count: int, lost: int = 0) -> InterfaceCounters:
        return InterfaceCounters(
            name, rx_packets=count, tx_packets=count, rx_dropped=lost, tx_dropped=0, link=1
        )

    text = LAB[: LAB.index("[receiver]")] + '[run]\nwarmup = "2s"\n[sampling]\ninterval = "0.2s"\n'
    monitor = Monitor(parse(text))
    for n in range(1, 250):
        for host, phase in (("gen", 0.04), ("dut", 0.1)):
            at = n * 0.2 + phase
            seen = counted((at + phase) // refresh * refresh - phase)
            ports = (
                (port("g0", seen),)
                if host == "gen"
                else (port("d0", seen, counted(at) // 10), port("d1", seen - seen // 10))
            )
            monitor.push(HostSample(host, n, at, at, interfaces=ports, boot=host))
    (found,) = monitor.snapshot(0).iterations
    assert found.packets is not None
    assert (found.packets.offered, found.packets.drops["input queue"]) == (32 * RATE, 3.2 * RATE)
