"""Averages over the same seconds: what counts as a part of them, how much, and what is left out."""

import random
from collections.abc import Mapping, Sequence
from statistics import fmean

import pytest

from fwdtui.core.drop_stages import MISSED, NETISR, QUEUED, RX_RING, Place
from fwdtui.core.host_evidence import InterruptRate, NicRate, SoftnetRate
from fwdtui.core.host_rates import FAST, CpuShare, HostRates, Kind, QueueRate
from fwdtui.monitor.live import averages, dut_rates
from fwdtui.monitor.live.averages import Averages
from fwdtui.monitor.live.dut_rates import DutRates, Summed
from fwdtui.monitor.live.series import Point

BOUNDS = (10.0, 20.0)
SLOW: Kind = ("queues",)
RING = Place("d0", MISSED, "", "interface")
QUEUE = Place("", QUEUED, "", "netisr")


def second(at: float, **what: object) -> HostRates:
    return HostRates("dut", at, 1.0, **what)  # type: ignore[arg-type]


def points(first: int, last: int, value: float | None = 1e6) -> list[Point]:
    """A point a second, of which the first ends at `first`."""
    return [Point(float(at), 1.0, value) for at in range(first, last + 1)]


def of(
    flows: Mapping[str, Sequence[Point]],
    every: Sequence[HostRates] = (),
    slow: Sequence[HostRates] = (),
    late: float = 3.0,
) -> Averages:
    return averages.averages(flows, {FAST: summed(every), SLOW: summed(slow)}, BOUNDS, late)


def summed(rates: Sequence[HostRates]) -> list[Summed]:
    """With the sums that the DUT's rates of one kind get as they arrive."""
    known = DutRates()
    for one in rates:
        known.add(one)
    return known.since(0.0)


# how much of a stretch an interval is


@pytest.mark.parametrize(
    ("at", "seconds", "expected"),
    [
        (12.0, 1.0, 1.0),
        (10.25, 1.0, 0.25),  # it began before
        (20.25, 1.0, 0.75),  # it ends after
        (21.0, 12.0, 10.0),  # over both edges
        (10.0, 1.0, 0.0),  # before
        (9.0, 1.0, 0.0),
        (22.0, 1.0, 0.0),  # after
    ],
)
def test_an_interval_counts_for_the_seconds_of_the_stretch_that_it_covers(
    at: float, seconds: float, expected: float
) -> None:
    assert averages.part(Point(at, seconds, 1.0), BOUNDS) == expected


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (points(5, 8), (4.0, 6.0)),
        (points(6, 8), (5.0, 6.0)),
        (points(7, 8), None),  # it begins where the first one ends: no second of both
        (points(9, 9), None),
        ([], (2.0, 6.0)),  # nothing is known of it, so nothing depends on it
    ],
)
def test_the_common_stretch_is_from_the_last_begin_to_the_first_end(
    other: list[Point], expected: tuple[float, float] | None
) -> None:
    assert averages.common([points(3, 6), other]) == expected
    assert averages.common([other, points(3, 6)]) == expected


def test_a_course_begins_with_its_first_interval_whatever_the_length_of_the_others() -> None:
    assert averages.common([[Point(4.0, 3.0, 1.0), Point(5.0, 1.0, 1.0)]]) == (1.0, 5.0)


def test_there_is_nothing_in_common_without_courses() -> None:
    assert averages.common([]) is None and averages.common([[], []]) is None


def test_a_mean_weighs_by_seconds_and_leaves_out_what_is_not_known() -> None:
    course = [Point(12.0, 2.0, 10.0), Point(13.0, 1.0, None), Point(14.0, 1.0, 40.0)]
    assert averages.mean(course, BOUNDS, lambda p: p.value) == pytest.approx((2 * 10 + 1 * 40) / 3)
    assert averages.mean(course[1:2], BOUNDS, lambda p: p.value) is None
    assert averages.mean([Point(9.0, 1.0, 5.0)], BOUNDS, lambda p: p.value) is None, "outside"
    assert averages.mean([Point(12.0, 1.0, 0.0)], BOUNDS, lambda p: p.value) == 0.0, "zero was measured"


# what takes part


@pytest.mark.parametrize(("last", "part"), [(20, True), (17, True), (16, False)])
def test_a_flow_that_is_silent_for_longer_than_late_is_not_waited_for(last: int, part: bool) -> None:
    found = of({"offered": points(11, 20, 2e6), "received": points(11, last)})
    assert ("received" in found.flows) is part
    assert found.flows["offered"] == 2e6


def test_what_lies_outside_the_bounds_takes_no_part() -> None:
    """The first and the last interval hold a part of what came before and after."""
    flow = [Point(10.5, 1.0, 9e9), *points(12, 19), Point(20.5, 1.0, 9e9)]
    assert of({"offered": flow}).flows == {"offered": 1e6}
    assert of({"offered": points(1, 9)}) == Averages({})


def test_a_gap_of_the_dut_takes_no_part_and_does_not_bound_the_stretch() -> None:
    every = [
        second(11.0, gap="late"),
        *(second(float(at), at_nic=100.0) for at in range(12, 20)),
        second(20.0, gap="late"),
    ]
    found = of({"offered": [Point(11.0, 1.0, 9e6), *points(12, 19), Point(20.0, 1.0, 9e6)]}, every)
    assert found.flows == {"offered": 1e6} and found.at_nic == 100.0


def test_means_are_of_the_seconds_in_which_the_dut_was_sampled_too() -> None:
    every = [second(float(at)) for at in range(14, 21)]
    rising = [Point(float(at), 1.0, float(at)) for at in range(11, 21)]
    assert of({"offered": rising}, every).flows["offered"] == pytest.approx(17.0)  # of 14 to 20


def test_a_slow_reading_narrows_the_stretch_where_it_can() -> None:
    rising = [Point(float(at), 1.0, float(at)) for at in range(11, 21)]
    slow = [HostRates("dut", 16.0, 4.0, losses={QUEUE: 7.0})]
    every = [second(float(at), losses={RING: float(at)}) for at in range(11, 21)]
    found = of({"offered": rising}, every, slow)
    assert found.flows["offered"] == pytest.approx(14.5)  # of 13 to 16
    assert found.drops == {RX_RING: pytest.approx(14.5), NETISR: 7.0}


def test_a_slow_reading_of_other_seconds_is_left_out_and_costs_nothing() -> None:
    rising = [Point(float(at), 1.0, float(at)) for at in range(17, 21)]
    slow = [HostRates("dut", 16.0, 4.0, losses={QUEUE: 7.0})]
    found = of({"offered": rising}, (), slow)
    assert found.flows["offered"] == pytest.approx(18.5) and found.drops == {}


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ([(11.0, 4.0)], 11.0),  # they end, or begin, beyond the bounds of 10 to 20
        ([(12.0, 4.0), (23.0, 11.0)], 23.0),  # the one that covers most
        ([(6.0, 4.0), (9.0, 2.0)], 9.0),
        ([(9.0, 2.0), (26.0, 4.0)], 9.0),  # 1 s before, 2 s after
        ([(5.0, 4.9), (26.0, 4.0)], 26.0),
        ([(5.0, 4.9), (40.0, 4.0)], None),  # both are too far
    ],
)
def test_where_no_slow_reading_is_within_the_bounds_the_nearest_of_the_traffic_stands_for_them(
    read: list[tuple[float, float]], expected: float | None
) -> None:
    every = [second(float(at)) for at in range(11, 21)]
    slow = summed([HostRates("dut", at, seconds, losses={QUEUE: at}) for at, seconds in read])
    found = averages.averages({}, {FAST: summed(every), SLOW: slow}, BOUNDS, 3.0, (0.0, 50.0))
    assert found.drops.get(NETISR) == expected
    assert NETISR not in averages.averages({}, {FAST: summed(every), SLOW: slow}, BOUNDS, 3.0).drops


# what is averaged


def test_the_cores_of_the_stretch_are_averaged_and_sorted() -> None:
    every = [
        second(11.0, cpus=(CpuShare(0, 0.9, 0.9, 0.9, 0.9, 0.9),)),  # before the flow's first sample
        second(13.0, cpus=(CpuShare(2, 0.5, 0.1, 0.2, 0.3, 0.4), CpuShare(1, 1.0, 0.0, 0.0, 0.0))),
        second(14.0, cpus=(CpuShare(2, 0.7, 0.3, 0.4, 0.5, 0.6),)),
    ]
    found = of({"offered": points(13, 14)}, every, late=9.0).cpus
    assert [one.cpu for one in found] == [1, 2]
    assert found[0] == CpuShare(1, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert [found[1].busy, found[1].user, found[1].system, found[1].irq, found[1].softirq] == pytest.approx(
        [0.6, 0.2, 0.3, 0.4, 0.5]
    )


def test_a_place_has_the_rate_of_the_first_course_that_knows_it() -> None:
    every = [second(12.0, losses={RING: 4.0})]
    slow = [second(12.0, losses={RING: 99.0, QUEUE: 5.0})]
    assert averages.losses([every, slow], BOUNDS).found == {RING: 4.0, QUEUE: 5.0}


def test_losses_and_gaps_are_of_the_stretch_alone() -> None:
    other = Place("d9", MISSED, "", "interface")
    course = [
        second(9.0, losses={RING: 50.0, other: 1.0}, loss_gaps={other: "reset"}),
        second(12.0, losses={RING: 2.0}, loss_gaps={QUEUE: "reset"}),
    ]
    found = averages.losses([course], BOUNDS)
    assert found.found == {RING: 2.0} and found.gaps == {QUEUE: "reset"}


def nic(name: str, rate: float | None) -> NicRate:
    return NicRate("d0", "rx", "drops", name, rate)


def test_a_cards_counters_are_averaged_over_all_seconds_that_it_was_read_in() -> None:
    """A counter that moved in one second of two has half of that rate."""
    course = [
        HostRates("dut", 11.0, 2.0, nic=(nic("a", 99.0),)),  # half of it is before
        HostRates("dut", 14.0, 3.0, nic=(nic("a", 10.0), nic("b", 0.0), nic("c", None))),
        second(15.0, nic=(nic("a", 2.0), nic("d", 8.0))),
        second(16.0),  # it was not read
        second(25.0, nic=(nic("e", 5.0),)),
    ]
    found = averages.nic([[second(12.0)], course, [second(12.0, nic=(nic("z", 1.0),))]], (11.0, 20.0))
    assert {row.name: row.per_second for row in found} == {"a": (3 * 10.0 + 2.0) / 4, "d": 8.0 / 4}
    half = averages.nic([course[:2]], BOUNDS)
    assert {row.name: row.per_second for row in half} == {"a": pytest.approx((99.0 + 3 * 10.0) / 4)}


def test_where_no_course_has_a_card_there_is_none() -> None:
    outside = second(9.0, nic=(nic("a", 1.0),))
    assert averages.nic([[second(12.0)], [outside]], BOUNDS) == ()


def softnet(cpu: int, dropped: float, squeezed: float, backlog: int | None = None) -> SoftnetRate:
    return SoftnetRate(cpu, 1e6, dropped, squeezed, 1.0, None, backlog)


def test_the_cores_that_dropped_or_used_up_their_budget_have_means_and_the_highest_backlog() -> None:
    course = [
        second(9.0, softnet=(softnet(5, 9.0, 9.0),)),
        HostRates(
            "dut", 13.0, 3.0, softnet=(softnet(3, 4.0, 2.0, 7), softnet(1, 0.0, 6.0), softnet(2, 0.0, 0.0))
        ),
        second(14.0, softnet=(softnet(3, 2.0, 0.0, 3),)),
        second(15.0),
    ]
    assert averages.softnet(course, BOUNDS) == (
        SoftnetRate(1, None, 0.0, 6.0 * 3 / 4, 3 / 4, None, None),
        SoftnetRate(3, None, (4.0 * 3 + 2.0) / 4, 2.0 * 3 / 4, 1.0, None, 7),
    )


def test_cores_are_those_of_every_tick_and_not_of_a_slow_one() -> None:
    busy, idle = (CpuShare(0, share, 0.0, share, 0.0, 0.0, 0.0) for share in (0.9, 0.1))
    every = [second(12.0, cpus=(busy,), softnet=(softnet(0, 4.0, 0.0),))]
    slow = [second(12.0, cpus=(idle,), softnet=(softnet(0, 9.0, 0.0),))]
    found = of({}, every, slow)
    assert found.cpus == (busy,) and [row.dropped for row in found.softnet] == [4.0]


def test_interrupts_are_those_of_the_newest_interval_of_the_first_course_that_has_any() -> None:
    early, late = InterruptRate("d0", 0, "rx", 1.0), InterruptRate("d0", 0, "rx", 2.0)
    course = [second(12.0, interrupts=(early,)), second(13.0, interrupts=(late,)), second(14.0)]
    outside = [second(25.0, interrupts=(early,))]
    assert averages.interrupts([outside, course, [second(15.0, interrupts=(early,))]], BOUNDS) == (late,)
    assert averages.interrupts([outside], BOUNDS) == ()


def queue(index: int, pps: float | None, drops: float | None = None, depth: int | None = None) -> QueueRate:
    return QueueRate("d0", "rx", index, pps=pps, drops=drops, depth=depth, state="up")


def test_queues_have_mean_rates_and_the_newest_depth() -> None:
    course = [
        second(9.0, queues=(queue(0, 900.0, 90.0, 900),)),
        HostRates("dut", 12.0, 2.0, queues=(queue(0, 10.0, 1.0, 5), queue(1, 50.0))),
        second(13.0, queues=(queue(0, 40.0, None, 6), queue(1, None))),
        second(14.0),
    ]
    assert averages.queues([summed([second(12.0)]), summed(course)], BOUNDS) == (
        queue(0, 20.0, 1.0, 6),
        queue(1, 50.0, None, None),
    )


@pytest.mark.parametrize(
    ("depths", "rates", "expected"),
    [
        (queue(0, None, None, 4), queue(0, 7.0), queue(0, 7.0)),
        (queue(0, None, None, 4), queue(0, None, 2.0), queue(0, None, 2.0)),
        (queue(0, None, None, 4), queue(0, None, None, 9), queue(0, None, None, 4)),
        (queue(0, 0.0, None, 4), queue(0, 7.0), queue(0, 0.0, None, 4)),
    ],
)
def test_queues_are_those_of_the_first_course_with_a_rate_else_the_first_depths(
    depths: QueueRate, rates: QueueRate, expected: QueueRate
) -> None:
    courses = [summed([second(12.0, queues=(depths,))]), summed([second(12.0, queues=(rates,))])]
    assert averages.queues(courses, BOUNDS) == (expected,)


def test_one_reading_in_which_some_queues_count_what_others_do_not() -> None:
    both = (queue(0, 7.0), queue(1, None))
    assert averages.queues([summed([second(12.0, queues=both)])], BOUNDS) == both


def test_queues_that_were_read_outside_the_stretch_are_not_shown() -> None:
    assert averages.queues([summed([second(9.0, queues=(queue(0, 7.0),))])], BOUNDS) == ()
    assert averages.queues([], BOUNDS) == ()


# running sums


def one_by_one(rows: Sequence[HostRates], number: int) -> tuple[float | None, float | None]:
    """Packets and drops per second of a queue in the bounds, added up interval by interval."""
    found = [(one, row) for one in rows for row in one.queues if row.index == number]
    return (
        averages.mean([one for one, _ in found], BOUNDS, lambda one: one.queues[number].pps),
        averages.mean([one for one, _ in found], BOUNDS, lambda one: one.queues[number].drops),
    )


@pytest.mark.parametrize("interval", [0.01, 0.1, 0.75, 1.0, 3.0])
@pytest.mark.parametrize("drops", [True, False])
def test_a_mean_by_running_sums_is_that_of_the_intervals_one_by_one(interval: float, drops: bool) -> None:
    """Also where intervals reach over both edges of the stretch."""
    chance = random.Random(1)
    rows = [
        HostRates(
            "dut",
            0.37 + interval * n,
            interval,
            cpus=tuple(CpuShare(core, chance.random(), 0.1, 0.2, 0.3) for core in (1, 0)),
            queues=tuple(
                queue(number, chance.random() * 1e6, chance.random() if drops else None, n)
                for number in range(3)
            ),
        )
        for n in range(int(30 / interval))
    ]
    inside = [row for row in summed(rows) if averages.part(row.rates, BOUNDS)]
    weights = [averages.part(row.rates, BOUNDS) for row in inside]
    found = dut_rates.mean_queues(inside, weights)
    assert found is not None
    for row in found:
        pps, lost = one_by_one([row.rates for row in inside], row.index)
        assert row.pps == pytest.approx(pps, rel=1e-9)
        assert row.drops == (pytest.approx(lost, rel=1e-9) if drops else None)
        assert row.depth == inside[-1].rates.queues[0].depth
    cores = dut_rates.mean_cpus(inside)
    assert cores is not None
    for place, core in enumerate(reversed(cores)):
        busy = [row.rates.cpus[place].busy for row in inside]
        assert core.busy == pytest.approx(fmean(busy), rel=1e-9)


@pytest.mark.parametrize(
    "odd",
    [
        {"queues": (queue(0, 7.0), queue(2, 7.0)), "cpus": (CpuShare(0, 1.0, 0, 0, 0),)},
        {"queues": (queue(0, 7.0), queue(1, None)), "cpus": (CpuShare(5, 1.0, 0, 0, 0),)},
    ],
)
def test_sums_of_other_queues_or_cores_have_no_difference(odd: dict[str, object]) -> None:
    """They are added up one by one then, each over the intervals that have it."""
    usual = {"queues": (queue(0, 1.0), queue(1, 2.0)), "cpus": (CpuShare(0, 0.5, 0, 0, 0),)}
    rows = summed([second(12.0, **usual), second(13.0, **odd), second(14.0, **usual)])
    assert dut_rates.mean_queues(rows, [1.0] * 3) is None
    assert averages.queues([rows], BOUNDS)[0].pps == pytest.approx(3.0)
    assert averages.queues([rows], BOUNDS)[1].pps == pytest.approx(2.0)
    if odd["cpus"] != (CpuShare(0, 1.0, 0, 0, 0),):
        assert dut_rates.mean_cpus(rows) is None
        assert [core.busy for core in averages.mean_cpus(rows)] == [0.5, 1.0]


def test_a_gap_between_two_rows_is_passed_over_by_their_sums() -> None:
    queues = (queue(0, 3.0, 1.0),)
    rows = summed([second(12.0, queues=queues), second(13.0, gap="late"), second(14.0, queues=queues)])
    known = [row for row in rows if not row.rates.gap]
    assert dut_rates.mean_queues(known, [1.0, 1.0]) == queues


def test_a_copy_of_the_rates_goes_its_own_way() -> None:
    first = DutRates()
    first.add(second(11.0, queues=(queue(0, 1.0),)))
    twin = first.fork()
    twin.add(second(12.0, queues=(queue(0, 3.0),)))
    first.add(second(12.0, queues=(queue(0, 7.0),)))
    first.forget(12.0)
    assert [row.rates.at for row in first.since(0.0)] == [12.0]
    assert dut_rates.mean_queues(twin.since(0.0), [1.0, 1.0]) == (queue(0, 2.0),)
