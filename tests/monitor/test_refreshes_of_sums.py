"""Several ports or generators whose cards bring their counters up to date at moments of their own."""

import random
from collections.abc import Iterator, Sequence

import pytest
from machines import LAB

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.lab import parse
from fwdtui.core.model import HostSample, Iteration
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.refreshes import sum_at_refreshes, sum_of_same_seconds
from fwdtui.monitor.live.series import Point

RATE = 1e6
REFRESH = 1.003
BEGAN, ENDED = 8.0, 32.0
OUTPUTS = LAB[: LAB.index("[receiver]")].replace('out = "d1"', 'out = ["d1", "d2"]')
GENERATORS = (
    LAB[: LAB.index("[receiver]")]
    .replace("[generator]", "[[generator]]")
    .replace("[dut]\n", '[[generator]]\nhost = "gen2"\ninterface = "g2"\n[dut]\n')
)
AMISS = {"outage", "no-traffic", "unsteady", "level-shift", "received-above-offered"}


def port(name: str, seen: float, rate: float) -> InterfaceCounters:
    """What a card says that carried `rate` in the blast, as of the time `seen`."""
    count = round(max(min(seen, ENDED) - BEGAN, 0.0) * rate)
    return InterfaceCounters(name, rx_packets=count, tx_packets=count, rx_dropped=0, tx_dropped=0, link=1)


def refreshed(at: float, phase: float) -> float:
    """When a card last brought its counters up to date."""
    return (at - phase) // REFRESH * REFRESH + phase


def outputs(host: str, at: float, phases: Sequence[float]) -> list[InterfaceCounters]:
    """Two outputs of the DUT refresh at their own phases; everything else is up to date."""
    if host != "dut":
        return [port("g0", at, RATE)] if host == "gen" else []
    into = port("d0", at, RATE)
    return [into, *(port(f"d{n}", refreshed(at, phase), RATE / 2) for n, phase in enumerate(phases, 1))]


def generators(host: str, at: float, phases: Sequence[float]) -> list[InterfaceCounters]:
    """The cards of two generators refresh at their own phases."""
    if host == "dut":
        return [port("d0", at, RATE), port("d1", at, RATE)]
    name, phase = ("g0", phases[0]) if host == "gen" else ("g2", phases[1])
    return [port(name, refreshed(at, phase), RATE / 2)]


def measured(text: str, ports: object, phases: Sequence[float], interval: float) -> Iteration:
    assert callable(ports)
    jitter = random.Random(4)

    def samples() -> Iterator[HostSample]:
        for n in range(1, int(42 / interval)):
            for host, late in (("gen", 0.2), ("gen2", 0.35), ("dut", 0.5)):
                at = (n + late) * interval + jitter.uniform(-0.02, 0.02) * interval
                if shown := tuple(ports(host, at, phases)):
                    yield HostSample(host, n, at, at, interfaces=shown, boot=host)

    settings = f'[run]\nwarmup = "2s"\n[sampling]\ninterval = "{interval}s"\n'
    monitor = Monitor(parse(text.replace('"20k"', '"20M"') + settings))
    for sample in samples():
        monitor.push(sample)
    (iteration,) = monitor.snapshot(0).iterations
    return iteration


PHASES = [(0.0, 0.0), (0.0, 0.1), (0.0, 0.3), (0.0, 0.45)]


@pytest.mark.parametrize("interval", [0.1, 0.2, 0.25])
@pytest.mark.parametrize("phases", PHASES)
def test_the_value_of_two_outputs_is_what_both_forwarded(phases: Sequence[float], interval: float) -> None:
    found = measured(OUTPUTS, outputs, phases, interval)
    assert found.value == pytest.approx(RATE, rel=0.03), found.warnings
    assert not {one.code for one in found.warnings} & AMISS
    assert found.window is not None and any("stood still" in note for note in found.window.notes)


@pytest.mark.parametrize("interval", [0.1, 0.2, 0.25])
@pytest.mark.parametrize("phases", PHASES)
def test_what_two_generators_offered_is_what_both_sent(phases: Sequence[float], interval: float) -> None:
    found = measured(GENERATORS, generators, phases, interval)
    assert found.metrics["offered"].median == pytest.approx(RATE, rel=0.03), found.warnings
    assert found.value == pytest.approx(RATE, rel=0.03)
    assert not {one.code for one in found.warnings} & AMISS


@pytest.mark.parametrize("late", [0.03, 0.08, 0.13])
def test_the_last_rate_of_one_generator_does_not_prolong_what_both_sent(late: float) -> None:
    """Both stopped before the first of them was sampled; the sum then has the other's rate of before."""
    stop = ENDED + late

    def samples() -> Iterator[HostSample]:
        for n in range(1, 42):
            for host, phase, names in (
                ("dut", 0.7, ("d0", "d1")),
                ("gen", 0.95, ("g0",)),
                ("gen2", 1.05, ("g2",)),
            ):
                count = round(max(min(n + phase, stop) - BEGAN, 0.0) * (RATE if host == "dut" else RATE / 2))
                ports = (InterfaceCounters(name, rx_packets=count, tx_packets=count) for name in names)
                yield HostSample(host, n, n + phase, n + phase, interfaces=tuple(ports), boot=host)

    monitor = Monitor(parse(GENERATORS.replace('"20k"', '"20M"')))
    for sample in samples():
        monitor.push(sample)
    (found,) = monitor.snapshot(0).iterations
    assert found.value == pytest.approx(RATE, rel=1e-3) and not {one.code for one in found.warnings} & AMISS


@pytest.mark.parametrize("begin", [8.1, 8.5, 8.9])
@pytest.mark.parametrize("interval", [1, 2])
def test_what_generators_offered_together_is_of_the_same_seconds(begin: float, interval: int) -> None:
    """All hosts are asked at once, and answer one after another: the sum has a rate of the quiet before."""
    stop = begin + 12 * interval

    def samples() -> Iterator[HostSample]:
        for at in range(1, 40 * interval, interval):
            for host, late, names in (
                ("dut", 0.0, ("d0", "d1")),
                ("gen", 0.005, ("g0",)),
                ("gen2", 0.01, ("g2",)),
            ):
                now, rate = at + late, RATE if host == "dut" else RATE / 2
                count = round(max(min(now, stop) - begin, 0.0) * rate)
                ports = (InterfaceCounters(name, rx_packets=count, tx_packets=count) for name in names)
                yield HostSample(host, at, now, now, interfaces=tuple(ports), boot=host)

    settings = f'[run]\nwarmup = "0s"\n[sampling]\ninterval = "{interval}s"\n'
    monitor = Monitor(parse(GENERATORS.replace('"20k"', '"20M"') + settings))
    for sample in samples():
        monitor.push(sample)
    (found,) = monitor.snapshot(0).iterations
    assert found.limit is not None and found.limit.code == "generator-limited", found.limit
    assert found.value == pytest.approx(RATE, rel=1e-3) and not {one.code for one in found.warnings} & AMISS


def counted(counts: Sequence[int | None], seconds: float = 0.5) -> list[Point]:
    return [
        Point((n + 1) * seconds, seconds, None if count is None else count / seconds, count)
        for n, count in enumerate(counts)
    ]


def rates(whole: Sequence[Point], *parts: Sequence[Point]) -> list[float | None]:
    return [point.value for point in sum_at_refreshes(whole, parts)[0]]


STEADY = counted([5] * 12)  # 10 per second
SLOW = counted([0, 20] * 6)  # 20 per second


def test_a_card_that_is_up_to_date_and_one_that_is_not_are_added_up() -> None:
    whole = counted([5, 25] * 6)
    found, joined = sum_at_refreshes(whole, [STEADY, SLOW])
    assert [(point.at, point.value) for point in found] == [(float(n), 30.0) for n in range(1, 7)]
    assert joined == 6


def test_where_no_card_stood_still_the_sum_stays_as_it_is() -> None:
    whole = counted([10] * 12)
    assert sum_at_refreshes(whole, [STEADY, STEADY]) == (whole, 0)


def test_parts_that_are_read_together_are_added_up_as_they_were() -> None:
    whole = counted([10] * 12)
    assert sum_of_same_seconds(whole, [STEADY, STEADY]) == whole


def apart() -> tuple[list[Point], list[Point], list[Point]]:
    """Two generators of 8 per second, of which one begins, and what their newest rates add up to."""
    early, late = counted([0, 2, 4, 4, 4, 4]), [Point(one.at + 0.25, 0.5, 8.0, 4) for one in counted([4] * 6)]
    whole = [Point(one.at, 0.5, 1.0) for one in sorted([*early, *late], key=lambda one: one.at)]
    return whole, early, late


def test_a_sum_of_parts_that_are_read_apart_is_over_the_intervals_of_one() -> None:
    whole, early, late = apart()
    found = sum_of_same_seconds(whole, [early, late])
    assert [one.at for one in found] == [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.25]
    assert [one.value for one in found] == [8.0, 12.0, 16.0, 16.0, 16.0, 16.0, 1.0]


def test_from_where_a_part_is_not_heard_the_sum_stays_as_it_was() -> None:
    """Nobody knows whether its sample is late, its host lost, or its tool at its end."""
    whole, early, late = apart()
    found = sum_of_same_seconds(whole, [early[:4], late])
    assert [one.at for one in found] == [0.5, 1.0, 1.5, 2.0, 2.25, 2.5, 2.75, 3.0, 3.25]
    assert [one.value for one in found] == [8.0, 12.0, 16.0, 16.0, *[1.0] * 5]
    assert sum_of_same_seconds(whole, [[], late]) == whole and sum_of_same_seconds([], [[], []]) == []


def test_a_sum_that_was_not_known_stays_unknown_where_its_parts_are_read_apart() -> None:
    whole, early, late = apart()
    whole = [Point(one.at, 0.5, None if one.at < 1.2 else 1.0, why="late") for one in whole]
    found = sum_of_same_seconds(whole, [early, late])
    assert [one.value for one in found[:4]] == [None, None, 16.0, 16.0] and found[0].why == "late"


def test_without_a_part_there_is_no_sum() -> None:
    silent = counted([5] * 4 + [None] * 2 + [5] * 6)
    assert rates(SLOW, silent, SLOW) == [30.0, 30.0, None, 30.0, 30.0, 30.0]
    assert rates(SLOW, STEADY[4:], SLOW) == [None, None, 30.0, 30.0, 30.0, 30.0]


def test_a_generator_that_has_ended_sends_nothing_more() -> None:
    assert rates(SLOW, STEADY[:4], SLOW) == [30.0, 30.0, 20.0, 20.0, 20.0, 20.0]


def test_what_a_generator_sends_whose_host_was_lost_is_not_known_and_not_nothing() -> None:
    whole = counted([5, 25, 5, 25, *[None] * 8])
    assert rates(whole, STEADY[:4], SLOW) == [30.0, 30.0, *[None] * 4]


def test_seconds_without_packets_on_all_ports_stay() -> None:
    out = counted([0, 20] * 3 + [0] * 4 + [0, 20] * 3)
    assert rates(out, out, out) == [40.0] * 3 + [0.0] * 4 + [40.0] * 3
