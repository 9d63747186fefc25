"""Where an outage lies: below half of the level, as the warning says, and stretches that touch are one."""

import pytest

from fwdtui.core.model import Caution, Iteration, Summary
from fwdtui.core.steady import OUTAGE
from fwdtui.monitor.live.segment import segment
from fwdtui.monitor.live.series import Point
from fwdtui.monitor.replay.iteration_series import IterationSeries
from fwdtui.monitor.replay.outage_places import outage_places

BEGAN, SECONDS, LEVEL = 5.0, 30, 1e6


def series(lows: dict[int, float], flow: str = "received") -> IterationSeries:
    """Seconds at the level, but for those of `lows`: which second of the blast, and its rate."""
    points = tuple(
        Point(BEGAN + second + 1.0, 1.0, lows.get(second, LEVEL), count=round(lows.get(second, LEVEL)))
        for second in range(SECONDS)
    )
    return IterationSeries({flow: points}, BEGAN, window=(BEGAN, BEGAN + SECONDS))


def warned(flow: str = "received") -> Iteration:
    level = Summary(median=LEVEL, mean=LEVEL, min=0.0, max=LEVEL, n=SECONDS)
    return Iteration(1, LEVEL, metrics={flow: level}, warnings=(Caution("outage", "It fell."),))


@pytest.mark.parametrize(
    ("share", "outage"),
    [(0.0, True), (0.1, True), (0.4, True), (0.499, True), (0.5, False), (0.501, False), (0.9, False)],
)
@pytest.mark.parametrize("flow", ["received", "forwarded"])
def test_below_half_of_the_level_is_an_outage_where_it_is_warned_of_and_where_it_is_drawn(
    share: float, outage: bool, flow: str
) -> None:
    """One threshold for both: a chart that marks what nobody warns of, or the other way round, misleads."""
    found = series({12: share * LEVEL}, flow)
    places = outage_places(found, warned(flow))
    assert places == ([(12.0, 13.0)] if outage else [])
    iteration = segment(found.flows, BEGAN, BEGAN + SECONDS)
    assert ("outage" in {one.code for one in iteration.warnings}) == outage


def test_what_is_drawn_is_what_was_warned_of() -> None:
    lows = {second: second / SECONDS * LEVEL for second in (10, 14, 15, 16, 20)}
    found = series(lows)
    seconds = sum(rate < OUTAGE * LEVEL for rate in lows.values())
    (warning,) = [c for c in segment(found.flows, BEGAN, BEGAN + SECONDS).warnings if c.code == "outage"]
    assert f"for {seconds:.1f} s" in warning.text
    assert sum(end - begin for begin, end in outage_places(found, warned())) == seconds


@pytest.mark.parametrize(
    ("lows", "places"),
    [
        ((12, 13, 14), [(12.0, 15.0)]),
        ((12, 14), [(12.0, 13.0), (14.0, 15.0)]),
        ((0, 29), [(0.0, 1.0), (29.0, 30.0)]),
    ],
)
def test_outages_that_touch_are_one_place(lows: tuple[int, ...], places: list[tuple[float, float]]) -> None:
    assert outage_places(series(dict.fromkeys(lows, 0.0)), warned()) == places


def test_without_the_warning_nothing_is_drawn() -> None:
    silent = Iteration(1, LEVEL, metrics=warned().metrics)
    assert outage_places(series({12: 0.0}), silent) == []
    assert outage_places(series({12: 0.0}), None) == []
