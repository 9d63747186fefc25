"""A card whose refreshes do not fit the samples: what it tells is right, whatever the two periods are."""

import random
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from statistics import median

import msgspec
import pytest
from machines import LAB

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.evidence import Evidence
from fwdtui.core.lab import parse
from fwdtui.core.model import HostSample, Iteration, Packets
from fwdtui.monitor.live.agreed import with_account
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.quiet import seen_quiet
from fwdtui.monitor.live.refreshes import at_refreshes
from fwdtui.monitor.live.series import Point

RATE = 1e6
BEGAN = 6.2
FALSE = {"received-above-offered", "dut-uncounted", "receiver-lost"}


def points(counts: Sequence[int], seconds: float) -> list[Point]:
    return [Point((n + 1) * seconds, seconds, count / seconds, count) for n, count in enumerate(counts)]


def read(refresh: float, interval: float, phase: float = 0.03, lasts: float = 60.0) -> list[Point]:
    """What a card counts each `interval` that forwards RATE and counts once in `refresh` seconds."""
    seen = [max((n * interval - phase) // refresh, 0.0) * refresh for n in range(int(lasts / interval))]
    return points([round(RATE * (new - old)) for old, new in pairwise(seen)], interval)


@pytest.mark.parametrize("refresh", [0.25, 1.0, 1.003, 1.05, 2.0])
@pytest.mark.parametrize("interval", [0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 1.5])
def test_each_rate_is_the_true_one_wherever_refreshes_and_samples_do_not_fit(
    refresh: float, interval: float
) -> None:
    found, _ = at_refreshes(read(refresh, interval))
    inner = [point.value or 0.0 for point in found[3:-3]]
    assert len(inner) > 15 and inner == pytest.approx([RATE] * len(inner), rel=0.012)


@pytest.mark.parametrize(("refresh", "interval"), [(0.25, 0.2), (0.25, 0.4), (1.003, 0.4), (1.0, 0.7)])
@pytest.mark.parametrize("share", [0.02, 0.05, 0.1])
def test_each_rate_is_the_true_one_where_samples_were_missed(
    refresh: float, interval: float, share: float
) -> None:
    random_ = random.Random(1)
    times = [n * interval for n in range(int(60 / interval)) if random_.random() >= share]
    seen = [RATE * max((at - 0.03) // refresh, 0.0) * refresh for at in times]
    taken = [
        Point(at, at - before, (new - old) / (at - before), round(new - old))
        for (before, at), (old, new) in zip(pairwise(times), pairwise(seen), strict=True)
    ]
    found, _ = at_refreshes(taken)
    assert median(point.value or 0.0 for point in found[3:-3]) == pytest.approx(RATE, rel=0.01)


@pytest.mark.parametrize(("refresh", "interval"), [(0.25, 0.2), (1.0, 0.7), (0.25, 0.4)])
def test_no_packet_is_lost_and_points_follow_each_other(refresh: float, interval: float) -> None:
    taken = read(refresh, interval)
    found, joined = at_refreshes(taken)
    assert joined
    last = max(place for place, point in enumerate(taken) if point.count)
    assert sum(one.count or 0 for one in found) == sum(one.count or 0 for one in taken[: last + 1])
    assert all(abs(new.at - new.seconds - old.at) < interval for old, new in pairwise(found))
    assert all(new.at > old.at for old, new in pairwise(found))


@pytest.mark.parametrize(
    "counts",
    [
        [100, 200] * 3,  # too few to tell
        [100] * 15 + [200] * 15,  # another level
        [100, 103, 98, 101, 99, 102, 97] * 5,
        [100, 150, 120, 190, 170, 130, 200, 110] * 5,  # noise
        [100, 100, 0, 100, 100, 100, 0, 100] * 1 + [100] * 30,  # two seconds without packets
        [100] * 10 + [0, 100, 0, 100, 0] + [100] * 20,  # three, close to each other
        [0 if n in (5, 9, 30, 50) else 100 for n in range(60)],  # four, at any time
        [150 if n in (4, 5, 11, 20, 22, 35) else 100 for n in range(40)],  # two levels, at any time
    ],
)
def test_traffic_that_varies_is_left_as_it_was_counted(counts: list[int]) -> None:
    taken = points(counts, 1.0)
    assert at_refreshes(taken) == (taken, 0)


def test_less_in_one_refresh_stays_less() -> None:
    taken = read(0.25, 0.2)
    (low, *_) = (place for place, point in enumerate(taken) if place > 100 and point.count)
    taken[low] = Point(taken[low].at, 0.2, 4e5, int(0.8 * RATE * 0.25))
    found, _ = at_refreshes(taken)
    assert min(point.value or 0.0 for point in found[3:-3]) == pytest.approx(0.8 * RATE, rel=0.01)


def lab(
    slow: Collection[str], interval: float, refresh: float, loss: float, seed: int
) -> Iterator[HostSample]:
    """Three hosts; the cards of `slow` show what they had counted at their last refreshes."""
    random_ = random.Random(seed)
    phases = {host: random_.random() * refresh for host in slow}
    stop = BEGAN + 30 + random_.random()
    for n in range(int((stop + 8) / interval)):
        for place, host in enumerate(("gen", "dut", "sink")):
            at = n * interval + 0.013 * place + random_.uniform(0, 0.004)
            seen = (at - phases[host]) // refresh * refresh + phases[host] if host in slow else at
            sent = round(max(min(seen, stop) - BEGAN, 0.0) * RATE)
            out = int(sent * (1 - loss))
            names = {"gen": [("g0", sent)], "dut": [("d0", sent), ("d1", out)], "sink": [("s0", out)]}
            ports = tuple(
                InterfaceCounters(name, rx_packets=count, tx_packets=count, link=1)
                for name, count in names[host]
            )
            yield HostSample(host, n, 5000 + at, at, interfaces=ports, boot=host)


def measured(slow: Collection[str], interval: float, refresh: float, loss: float, seed: int) -> Iteration:
    monitor = Monitor(parse(LAB.replace('"20k"', '"20M"') + f'[sampling]\ninterval = "{interval}s"\n'))
    for sample in lab(slow, interval, refresh, loss, seed):
        monitor.push(sample)
    (iteration,) = monitor.snapshot(0).iterations
    return iteration


WHO = [("gen",), ("dut",), ("sink",), ("gen", "dut", "sink")]


@pytest.mark.parametrize("slow", [("gen",), ("gen", "dut")], ids="+".join)
@pytest.mark.parametrize("interval", [0.1, 0.2, 0.5])
def test_the_quiet_before_a_generator_s_last_refresh_is_no_outage(
    slow: Collection[str], interval: float
) -> None:
    """The blast ends with that refresh, up to a second after the last packet."""
    for seed in range(6):
        assert measured(slow, interval, 1.003, 0.1, seed).warnings == ()


@pytest.mark.parametrize("slow", WHO, ids="+".join)
@pytest.mark.parametrize("interval", [0.2, 0.5, 1.0])
def test_what_limited_a_blast_without_loss_is_the_generator(slow: Collection[str], interval: float) -> None:
    for seed in range(6):
        found = measured(slow, interval, 1.003, 0.0, seed)
        assert found.limit is not None and found.limit.code == "generator-limited", found.limit


@pytest.mark.parametrize("slow", WHO, ids="+".join)
def test_what_limited_a_blast_with_loss_is_the_dut(slow: Collection[str]) -> None:
    for seed in range(6):
        found = measured(slow, 0.2, 0.25, 0.3, seed)
        assert found.value == pytest.approx(0.7 * RATE, rel=0.005), found.warnings
        assert found.limit is not None and found.limit.code == "dut-limited", found.limit


EXACT = Packets(offered=30_000, dut_in=30_000, forwarded=30_000, received=30_000)
RATES = Evidence(offered=1000.0, dut_in=1000.0, forwarded=980.0, received=1000.0, seconds=25.0)


def test_a_slow_rate_does_not_contradict_the_packets_of_the_blast() -> None:
    assert with_account(RATES, EXACT, {"forwarded"}).forwarded == pytest.approx(1000.0)


def test_of_a_rate_that_is_up_to_date_nothing_is_corrected() -> None:
    assert with_account(RATES, EXACT, ()) == RATES
    assert with_account(RATES, None, {"forwarded"}) == RATES


def test_what_the_blast_has_lost_may_have_been_lost_in_its_window() -> None:
    lost = Packets(offered=30_000, dut_in=30_000, forwarded=29_000, received=29_000)
    seen = msgspec.structs.replace(RATES, received=980.0)
    assert with_account(seen, lost, {"forwarded"}) == seen


@pytest.mark.parametrize(
    ("slow", "refresh"), [*((who, 1.01) for who in WHO), *((who, 2.0) for who in WHO[:3])], ids=str
)
def test_the_first_and_the_last_refresh_of_a_blast_are_counted(slow: Collection[str], refresh: float) -> None:
    for seed in range(4):
        packets = measured(slow, 0.1, refresh, 0.0, seed).packets
        assert packets is not None and packets.offered is not None
        assert packets.offered == packets.dut_in == packets.forwarded == packets.received


def test_a_blast_that_begins_meanwhile_is_not_counted() -> None:
    monitor = Monitor(parse(LAB.replace('"20k"', '"20M"') + '[sampling]\ninterval = "0.1s"\n'))
    for n in range(300):
        for place, host in enumerate(("gen", "dut", "sink")):
            at = n / 10 + 0.013 * place
            seen = at // 2.0 * 2.0 if host == "sink" else at
            first, second = (round(max(min(seen, end) - begin, 0.0) * RATE) for begin, end in SPANS)
            names = {"gen": ("g0",), "dut": ("d0", "d1"), "sink": ("s0",)}[host]
            count = first + second
            ports = [InterfaceCounters(one, rx_packets=count, tx_packets=count, link=1) for one in names]
            monitor.push(HostSample(host, n, 5000 + at, at, interfaces=tuple(ports), boot=host))
    found, _ = monitor.snapshot().iterations
    assert found.packets is not None
    assert found.packets.received in (found.packets.offered, None), "not those of the next one"
    assert found.packets.offered == found.packets.forwarded == 9_800_000


SPANS = (5.2, 15.0), (16.6, 26.0)


def test_a_host_that_was_first_seen_in_the_traffic_is_not_counted_from_there() -> None:
    samples = list(lab(("sink",), 0.1, 1.0, 0.0, 3))
    late = [one for one in samples if one.at >= BEGAN + 1.0]
    assert "sink" in seen_quiet(parse(LAB), samples, BEGAN, BEGAN + 30.0)
    assert "sink" not in seen_quiet(parse(LAB), late, BEGAN + 4.4, BEGAN + 30.0), "it stood still for 0.4 s"
