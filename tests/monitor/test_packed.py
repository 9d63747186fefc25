"""Rows that take little room come out as they went in."""

import tracemalloc

import pytest

from fwdtui.monitor.live.series import Point, Rows
from fwdtui.monitor.replay.packed import Packed

POINTS = [
    Point(float(n), 1.0, None if n % 7 == 0 else n * 1.1, n * 1000, "late" if n % 7 == 0 else "")
    for n in range(1000)
]


def packed(points: list[Point]) -> Packed[Point]:
    found: Packed[Point] = Packed()
    found.extend(points)
    return found


@pytest.mark.parametrize("length", [0, 1, 63, 64, 127, 128, 129, 500, 1000])
def test_it_is_the_same_as_a_list(length: int) -> None:
    points = POINTS[:length]
    found = packed(points)
    assert len(found) == length and list(found) == points
    assert [found[n] for n in range(length)] == points and [
        found[n - length] for n in range(length)
    ] == points
    for first in range(0, length + 1, 37):
        for last in range(0, length + 1, 41):
            assert found[first:last] == tuple(points[first:last])
    assert found[:] == tuple(points) and found[::-3] == tuple(points[::-3])
    for place in (length, -length - 1):
        with pytest.raises(IndexError):
            found[place]


def test_its_rows_take_a_tenth_of_the_room_of_objects() -> None:
    def room(rows: Rows[Point]) -> int:
        tracemalloc.start()
        for n in range(20_000):  # beside the newest, which are not packed
            rows.add(Point(float(n), 1.0, n * 1.1, n * 1000, bps=n * 8.0))
        held = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return held

    assert 10 * room(Rows(store=Packed())) < room(Rows())


def test_what_was_asked_for_last_is_not_unpacked_again() -> None:
    found = packed(POINTS)
    first = found[100:400]
    assert all(one is other for one, other in zip(first, found[100:400], strict=True))
    assert found[0] == POINTS[0] and found[150] is first[50]


def test_rows_that_are_given_again_differently_are_kept_apart() -> None:
    """As where iterations saved by hand make a second way through a recording."""
    whole: Rows[Point] = Rows(limit=300, store=Packed())
    for point in POINTS[:500]:
        whole.add(point)
    twin = whole.fork()
    for point in POINTS[500:700]:
        whole.add(point)
    twin.add(POINTS[500])
    twin.add(POINTS[0])
    assert list(twin) == [*POINTS[202:501], POINTS[0]] and list(whole) == POINTS[400:700]
