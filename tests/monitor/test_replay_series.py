"""A rate over time, and its forks: what a replay keeps many of."""

from fwdtui.monitor.live.series import Point, Series


def points(first: int, last: int, rate: float = 1.0) -> list[Point]:
    return [Point(float(at), 1.0, rate) for at in range(first, last)]


def filled(series: Series, more: list[Point]) -> Series:
    for point in more:
        series.add(point)
    return series


def test_only_the_newest_are_kept():
    series = filled(Series(limit=10), points(0, 57))
    assert list(series) == points(47, 57) and len(series) == 10
    assert series.newest(3) == tuple(points(54, 57)) and series.newest(99) == tuple(points(47, 57))
    assert series.last == Point(56.0, 1.0, 1.0)
    assert series.since(53.0) == tuple(points(54, 57)) and series.since(-1.0) == tuple(points(47, 57))


def test_a_day_of_points_takes_little_more_room_than_those_that_are_kept():
    series = Series(limit=80)
    held = []
    for point in points(0, 1000):
        series.add(point)
        held.append(len(series._rows))
    assert max(held) == 90 and list(series) == points(920, 1000)


def test_what_is_still_needed_is_kept_beyond_the_limit_until_it_is_needed_no_more():
    series = Series(limit=10)
    series.held = 20.0
    filled(series, points(0, 57))
    assert list(series) == points(20, 57) and len(series) == 37
    assert series.since(19.0) == tuple(points(20, 57)) and series.newest(3) == tuple(points(54, 57))
    twin = series.fork()
    series.held = 50.0
    filled(series, points(57, 58))
    assert list(series) == points(48, 58)
    filled(twin, points(57, 58))
    assert list(twin) == points(20, 58)


def test_without_points_there_is_nothing():
    series = Series()
    assert series.last is None and series.newest(5) == () and series.since(0.0) == () and len(series) == 0


def test_a_fork_goes_its_own_way_and_changes_nothing_of_the_other():
    series = filled(Series(limit=10), points(0, 5))
    twin = series.fork()
    filled(series, points(5, 8))
    assert list(twin) == points(0, 5)
    filled(twin, points(5, 6, rate=9.0))
    assert list(twin) == [*points(0, 5), *points(5, 6, rate=9.0)] and list(series) == points(0, 8)


def test_a_fork_that_is_given_the_same_again_takes_no_more_room():
    series = filled(Series(), points(0, 5))
    twin = series.fork()
    filled(series, points(5, 300))
    filled(twin, points(5, 300))
    assert list(twin) == list(series) and twin._rows is series._rows
    filled(twin, points(300, 310))
    filled(series, points(300, 305, rate=2.0))
    assert list(twin) == points(0, 310) and list(series) == [*points(0, 300), *points(300, 305, rate=2.0)]
