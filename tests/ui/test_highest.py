"""The highest rate that a graph draws, found without looking at all of its points each time."""

import random

import pytest

from fwdtui.monitor.live.series import Point
from fwdtui.ui.draw.highest import Highest


def plainly(points: list[Point], start: float, bits: bool) -> float:
    drawn = [one.bps if bits else one.value for one in points if one.at > start]
    return max((rate for rate in drawn if rate is not None), default=0.0)


@pytest.mark.parametrize("seed", range(4))
def test_it_is_that_of_all_points_drawn_while_a_series_goes_on(seed: int) -> None:
    """Points come one by one, some of them gaps; the span changes, and so does the unit."""
    choose = random.Random(seed)
    highest, points, span, bits = Highest(), [], 5.0, False
    for n in range(600):
        value = choose.choice([None, 0.0, choose.uniform(0, 100), choose.uniform(0, 10)])
        points.append(Point(n * 0.1, 0.1, value, bps=None if value is None else 1000 - value))
        if choose.random() < 0.05:
            span, bits = choose.choice([1.0, 5.0, 30.0]), choose.random() < 0.3
        start = n * 0.1 - span
        held = tuple(points[-int(span / 0.1) - 3 :])
        assert highest.of("offered", held, start, bits) == plainly(points, start, bits)


def test_points_that_do_not_follow_the_known_ones_are_all_looked_at() -> None:
    """A replay goes back: the series is another one, although it has the same name."""
    highest = Highest()
    assert highest.of("offered", [Point(9.0, 1.0, 500.0)], 0.0, False) == 500.0
    assert highest.of("offered", [Point(2.0, 1.0, 40.0), Point(3.0, 1.0, 30.0)], 1.0, False) == 40.0
    assert highest.of("offered", [], 1.0, False) == 0.0


def test_each_series_has_its_own() -> None:
    highest = Highest()
    assert highest.of("offered", [Point(1.0, 1.0, 9.0)], 0.0, False) == 9.0
    assert highest.of("received", [Point(1.0, 1.0, 4.0)], 0.0, False) == 4.0


def test_after_zooming_out_the_points_from_before_count_once_they_come() -> None:
    """The first picture of the longer span may still hold the points of the shorter one."""
    highest = Highest()
    points = [Point(1.0, 1.0, 500.0), Point(2.0, 1.0, 40.0), Point(3.0, 1.0, 30.0)]
    assert highest.of("offered", points[1:], 0.0, False) == 40.0
    assert highest.of("offered", points, 0.0, False) == 500.0
    assert highest.of("offered", points[2:], 2.0, False) == 30.0
