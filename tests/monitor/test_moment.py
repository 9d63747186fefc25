"""What is at a moment: the sample whose interval contains it, or a cause; and a row for each sample."""

import pytest
from machines import LAB, Machines, blast

from fwdtui.core.diagnosis import QUIET
from fwdtui.core.lab import parse
from fwdtui.monitor.live.moment import (
    NO_BITS,
    NO_SAMPLE,
    Moment,
    Reading,
    covering,
    flows_of,
    moment_at,
    sample_rows,
    sample_times,
    stepped,
)
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.series import CoreLoad, Point

SECONDS = [Point(n, 1.0, 100.0 * n) for n in (1.0, 2.0, 3.0)]


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (-0.5, None),
        (0.0, None),  # the interval does not contain its beginning
        (0.001, 100.0),
        (1.0, 100.0),  # but its end
        (1.001, 200.0),
        (2.5, 300.0),
        (3.0, 300.0),
        (3.001, None),  # not sampled yet
    ],
)
def test_a_moment_belongs_to_the_interval_that_contains_it(at, value):
    point = covering(SECONDS, at)
    assert (None if point is None else point.value) == value


@pytest.mark.parametrize(
    ("second", "at", "value"),
    [
        (Point(2.4, 1.0, 7.0), 1.2, 7.0),  # 0.4 s after the first: jitter, drawn as one line
        (Point(2.6, 1.0, 7.0), 1.2, None),  # 0.6 s: a hole
        (Point(2.6, 1.0, 7.0), 1.7, 7.0),
        (Point(1.8, 1.0, 7.0), 0.9, 5.0),  # they overlap: the earlier one counts up to its end
        (Point(1.8, 1.0, 7.0), 1.1, 7.0),
    ],
)
def test_a_short_stretch_between_two_samples_is_jitter_and_a_long_one_a_hole(second, at, value):
    point = covering([Point(1.0, 1.0, 5.0), second], at)
    assert (None if point is None else point.value) == value


@pytest.mark.parametrize(
    ("gap", "at", "why"),
    [
        (Point(14.0, 12.0, None, why="late"), 3.0, "no sample for 12.0 s"),
        (Point(14.0, 0.0, None, why="reboot"), 3.0, "the host was rebooted"),  # its length is not known
        (Point(3.0, 1.0, None, why="no counter"), 2.5, "no counter"),
        (Point(3.0, 1.0, None), 2.5, NO_SAMPLE),
        (Point(30.0, 1.0, 5.0), 4.0, NO_SAMPLE),
    ],
)
def test_a_gap_has_no_value_and_says_why(gap, at, why):
    flows = {"offered": [Point(n, 1.0, 9.0) for n in range(40)], "forwarded": [Point(2.0, 1.0, 8.0), gap]}
    moment = moment_at(flows, at)
    assert moment.flows["forwarded"].pps is None and moment.lost is None and moment.lost_share is None
    assert moment.causes() == f"forwarded: {why}"


def flows(offered: float | None, forwarded: float | None, *received: float | None) -> dict[str, list[Point]]:
    named = {"offered": [offered], "forwarded": [forwarded], "received": received}
    return {name: [Point(1.0, 1.0, value) for value in values] for name, values in named.items() if values}


@pytest.mark.parametrize(
    ("found", "lost", "share"),
    [
        (flows(100.0, 80.0, 75.0), 25.0, 0.25),
        (flows(100.0, 80.0), 20.0, 0.2),  # no receiver: what left the DUT
        (flows(100.0, 80.0, None), None, None),  # a receiver without a value is not zero, nor the DUT's
        (flows(100.0, None, 75.0), 25.0, 0.25),
        (flows(None, 80.0, 75.0), None, None),
        (flows(0.0, 0.0, 0.0), 0.0, None),
        (flows(100.0, 101.0, 102.0), -2.0, -0.02),
    ],
)
def test_loss_is_offered_minus_what_arrived(found, lost, share):
    moment = moment_at(found, 0.5)
    assert moment.lost == lost and moment.lost_share == pytest.approx(share)


def test_at_the_edges_of_a_blast_samples_of_different_times_are_no_loss():
    """Nothing was lost, but the generator's sample began and ended earlier than the receiver's."""
    monitor = Monitor(parse(LAB))
    for sample in Machines(blast(5, 15, 10_000)).run(20):
        monitor.push(sample)
    rows = sample_rows(flows_of(monitor.snapshot(), receiver=True))
    shares = [row.lost_share for row in rows if row.flows["offered"].pps]
    assert [share for share in shares if share is not None] == pytest.approx([0.0] * 9, abs=0.01)
    assert shares[0] is shares[-1] is None
    assert [row.lost for row in rows if row.at < 4.0 or row.at > 16.5] == pytest.approx([0.0] * 6)


def test_the_loss_is_known_while_either_side_keeps_its_rate():
    """A drop of the DUT under a steady load, and a load that changes above what the DUT forwards."""

    def points(phase, *rates):
        return [Point(n + phase, 1.0, rate) for n, rate in enumerate(rates, 1)]

    drop = {"offered": points(0.2, *[100.0] * 5), "received": points(0.8, 100.0, 100.0, 50.0, 100.0, 100.0)}
    assert [row.lost for row in sample_rows(drop) if row.flows["received"].pps == 50.0] == [50.0]
    full = {
        "offered": points(0.2, 100.0, 100.0, 150.0, 100.0, 100.0),
        "received": points(0.8, *[50.0] * 5),
    }
    assert [row.lost for row in sample_rows(full) if row.flows["offered"].pps == 150.0] == [100.0]


@pytest.mark.parametrize(
    ("offered", "received", "lost"),
    [
        ((438e3, 419e3, 483e3), (154e3, 192e3, 187e3), 227e3),  # it is far more than what both vary
        ((100.0, 96.0, 100.0), (100.0, 97.0, 100.0), -1.0),  # noise
        ((100.0, 90.0, 100.0), (90.0, 80.0, 90.0), None),
    ],
)
def test_a_loss_is_known_unless_it_may_be_wrong_by_half(offered, received, lost):
    found = {
        "offered": [Point(n + 0.2, 1.0, rate) for n, rate in enumerate(offered, 1)],
        "received": [Point(n + 0.5, 1.0, rate) for n, rate in enumerate(received, 1)],
    }
    assert moment_at(found, 2.0).lost == lost


def test_samples_of_one_time_are_subtracted_whatever_they_do():
    found = {
        "offered": [Point(n, 1.0, rate) for n, rate in ((1.0, 0.0), (2.0, 60.0), (3.0, 100.0))],
        "received": [Point(n, 1.0, rate) for n, rate in ((1.005, 0.0), (2.005, 30.0), (3.005, 50.0))],
    }
    assert [row.lost for row in sample_rows(found)] == [0.0, 30.0, 50.0]


@pytest.mark.parametrize(
    ("arrived", "lost"), [(99.0, 1.0), (99.5, 0.5), (100.0, 0.0), (100.5, None), (102.0, None)]
)
def test_under_an_attack_more_than_was_offered_says_nothing_of_the_loss(arrived, lost):
    found = moment_at({**flows(100.0, 80.0, arrived), "attack": [Point(1.0, 1.0, 500.0)]}, 0.5)
    assert found.lost == lost
    assert found.lost_share == (None if lost is None else pytest.approx(lost / 100.0))


@pytest.mark.parametrize(
    ("attack", "attacked"), [(QUIET - 0.1, False), (QUIET, True), (None, True), ("none", False)]
)
def test_what_is_more_than_noise_or_not_known_is_an_attack(attack, attacked):
    found = {} if attack == "none" else {"attack": Reading(attack)}
    assert Moment(1.0, found).attacked is attacked


def test_bits_and_packets_are_missing_separately():
    found = {"offered": [Point(1.0, 1.0, 5.0)], "forwarded": [Point(1.0, 1.0, None, why="reset", bps=8.0)]}
    moment = moment_at(found, 0.5)
    assert moment.causes(bits=True) == f"offered: {NO_BITS}"
    assert moment.flows["forwarded"].rate(True) == 8.0
    assert moment.causes() == "forwarded: a counter was reset"


def test_the_busiest_core_is_that_of_the_interval():
    cores = [CoreLoad(1.0, 1.0, 0.5, 3), CoreLoad(2.0, 1.0, None, why="reboot")]
    assert moment_at({}, 0.5, cores).core == cores[0]
    assert moment_at({}, 1.5, cores).core is None


def test_each_sample_is_in_a_row_although_hosts_sample_at_other_moments():
    found = {
        name: [Point(n + phase, 1.0, n) for n in (1.0, 2.0, 3.0)]
        for name, phase in (("offered", 0.2), ("forwarded", 0.5), ("received", 0.8))
    }
    rows = sample_rows(found)
    assert [row.at for row in rows] == [1.0, 2.0, 3.0]  # the middles of the DUT's intervals
    for row, n in zip(rows, (1.0, 2.0, 3.0), strict=True):
        assert {reading.pps for reading in row.flows.values()} == {n}


def test_what_others_saw_while_the_dut_was_silent_has_rows_of_its_own():
    found = {
        "offered": [Point(float(n), 1.0, 10.0 * n) for n in range(1, 7)],
        "forwarded": [Point(1.0, 1.0, 1.0), Point(5.0, 4.0, None, why="late"), Point(6.0, 1.0, 6.0)],
    }
    rows = sample_rows(found)
    assert {row.flows["offered"].pps for row in rows} == {10.0, 20.0, 30.0, 40.0, 50.0, 60.0}
    assert [row.causes() for row in rows].count("forwarded: no sample for 4.0 s") == len(rows) - 2


def test_sample_times_within_bounds():
    assert sample_times({"offered": SECONDS}) == [0.5, 1.5, 2.5]
    assert [row.at for row in sample_rows({"offered": SECONDS}, start=1.0, end=2.0)] == [1.5]
    # both bounds are included
    assert [row.at for row in sample_rows({"offered": SECONDS}, start=0.5, end=1.5)] == [0.5, 1.5]
    assert [row.at for row in sample_rows({"offered": SECONDS}, start=0.51, end=1.49)] == []
    assert sample_times({}) == sample_times({"offered": ()}) == []


@pytest.mark.parametrize(
    ("at", "by", "to"),
    [
        (None, -1, 2.5),  # the first key press shows the newest sample
        (None, 10, 2.5),
        (1.5, 1, 2.5),
        (1.5, -1, 0.5),
        (1.6, 1, 2.5),  # between two samples: to the next one in that direction
        (1.6, -1, 1.5),
        (1.4, 1, 1.5),
        (2.5, 10, 2.5),
        (0.5, -10, 0.5),
        (9.0, -1, 2.5),
    ],
)
def test_a_cursor_steps_from_sample_to_sample(at, by, to):
    assert stepped([0.5, 1.5, 2.5], at, by) == to
    assert stepped([], at, by) is None
