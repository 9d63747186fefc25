"""A second recording is laid blast beside blast, and what there is no room for is told."""

from types import SimpleNamespace
from typing import Any

import pytest

from fwdtui.core.lab import parse
from fwdtui.core.model import Iteration, Window
from fwdtui.monitor.live.series import Point
from fwdtui.ui.replay.beside import beside, mean

LAB = parse("""
name = "b"
[generator]
host = "gen"
interface = "igb0"
[dut]
host = "dut"
in = "igb1"
out = "igb2"
""")


def recording(
    end: float, *blasts: tuple[float, float | None], start: float = 0.0, kept: tuple[int, ...] = ()
) -> Any:
    """A replay of this length: a point each second, 100 pps in a blast and else none.

    `kept`: the blasts, counted from 1, that are iterations, of the same numbers.
    """

    def rate(at: float) -> float:
        return (
            100.0 if any(began < at <= (end if ended is None else ended) for began, ended in blasts) else 0.0
        )

    points = [Point(float(at), 1.0, rate(at)) for at in range(int(start) + 1, int(end) + 1)]
    iterations = tuple(
        Iteration(number, 100.0, window=Window("steady", blasts[number - 1][0] + 2.0, None, 8))
        for number in kept
    )
    surveyed = SimpleNamespace(
        blasts=list(blasts), flows={"forwarded": points}, iterations=iterations, unlike=()
    )
    return SimpleNamespace(
        start=start,
        end=end,
        lab=LAB,
        surveyed=surveyed,
        recording=SimpleNamespace(name="b"),
        beginnings=lambda: [began for began, _ in blasts],
    )


def sending(first: Any, second: Any) -> tuple[float, ...]:
    """When the second one sends, on the first one's axis."""
    return tuple(point.at for point in beside(first, second).flows["forwarded"] if point.value)


def test_what_fits_is_all_shown_and_nothing_is_told() -> None:
    """The second one warms up for longer, and its blasts are shorter."""
    first, second = recording(40.0, (5.0, 15.0), (25.0, 35.0)), recording(60.0, (20.0, 24.0), (40.0, 48.0))
    assert sending(first, second) == (6, 7, 8, 9, 26, 27, 28, 29, 30, 31, 32, 33)
    assert beside(first, second).note == ""


@pytest.mark.parametrize(
    ("first", "second", "note"),
    [
        (
            recording(40.0, (5.0, 15.0), (25.0, 35.0)),
            recording(80.0, (5.0, 30.0), (50.0, 60.0)),
            "Its blast 1 lasts longer than there is room for beside this recording: "
            "its last part (10 s) is not shown.",
        ),
        (
            recording(20.0, (5.0, 15.0)),
            recording(60.0, (5.0, None)),  # it was left in the blast
            "Its blast lasts longer than there is room for beside this recording: "
            "its last part (40 s) is not shown.",
        ),
        (
            recording(40.0, (5.0, 15.0), (25.0, 35.0)),
            recording(80.0, (5.0, 30.0), (50.0, 70.0)),
            "2 of its blasts last longer than there is room for beside this recording: "
            "up to 10 s of each are not shown.",
        ),
        (
            recording(20.0, (5.0, 15.0)),
            recording(60.0, (5.0, 15.0), (25.0, 35.0), (45.0, 55.0)),
            "It has 3 blasts, this recording has 1: the last 2 are not shown.",
        ),
        (
            recording(60.0, (5.0, 15.0), (25.0, 35.0), (45.0, 55.0)),
            recording(20.0, (5.0, 15.0)),
            "It has 1 blast, this recording has 3: the others have no counterpart.",
        ),
        (
            recording(20.0),
            recording(50.0),
            "It is 30 s longer than this recording: its end is not shown.",
        ),
    ],
)
def test_what_there_is_no_room_for_is_told(first: Any, second: Any, note: str) -> None:
    assert beside(first, second).note == note


def test_where_only_one_of_them_has_blasts_all_of_the_second_is_shown() -> None:
    """The beginnings are aligned, and no stretch ends before a blast that has no counterpart."""
    quiet, blast = recording(20.0), recording(30.0, (15.0, 18.0), start=10.0)
    assert sending(quiet, blast) == (6, 7, 8)
    assert beside(quiet, blast).ends == ((5.0, 8.0),)
    assert beside(quiet, recording(30.0, (15.0, None), start=10.0)).ends == ((5.0, 20.0),), "with its data"
    assert len(beside(blast, quiet).flows["forwarded"]) == 20
    assert beside(quiet, blast).note == "" == beside(recording(40.0, (5.0, 15.0)), quiet).note


THREE = (5.0, 15.0), (25.0, 35.0), (45.0, 55.0)


def test_its_iteration_is_that_of_its_blast_at_this_moment() -> None:
    """The second of its blasts was not kept: its rates are not those of iteration 1."""
    second = recording(60.0, *THREE, kept=(1, 3))
    laid = beside(recording(60.0, *THREE), second)
    assert [laid.iteration(now) for now in (4.0, 10.0, 16.0, 30.0, 36.0, 50.0)] == ["", "1", "1", "", "", "3"]
    shifted = beside(recording(60.0), second)  # without a blast here: the beginnings are aligned
    assert [shifted.iteration(now) for now in (4.0, 10.0, 30.0, 50.0)] == ["", "1", "", "3"]


def test_beside_a_blast_without_a_counterpart_there_is_no_iteration() -> None:
    laid = beside(recording(60.0, *THREE), recording(40.0, *THREE[:2], kept=(1, 2)))
    assert [laid.iteration(now) for now in (10.0, 30.0, 36.0, 50.0)] == ["1", "2", "2", ""]


def test_a_mean_counts_a_long_interval_for_as_long_as_it_lasted() -> None:
    """The host was held up for three seconds, in which it forwarded a third."""
    points = [Point(1.0, 1.0, 900.0), Point(4.0, 3.0, 300.0), Point(5.0, 1.0, 900.0)]
    assert mean(points, 0.0, 5.0) == pytest.approx(2700 / 5)
