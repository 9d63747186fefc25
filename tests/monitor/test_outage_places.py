"""Where an outage lies: below half of the level, as the warning says, and stretches that touch are one."""

import pytest

from fwdtui.core.model import Caution, Iteration, Summary
from fwdtui.core.steady import OUTAGE
from fwdtui.monitor.live.segment import segment
from fwdtui.monitor.live.series import Point
from fwdtui.monitor.replay.iteration_series import IterationSeries
from fwdtui.monitor.replay.outage_places import outage_places, told

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


@pytest.mark.parametrize("phases", [(0,), (0, 2)])  # in intervals of 0.2 s: of one port, or of two
def test_where_a_card_refreshes_once_a_second_only_the_outage_is_marked(phases: tuple[int, ...]) -> None:
    """In four of five intervals its counter stands still, and that is none."""
    out = range(100, 126)
    ports = tuple(
        tuple(
            Point(BEGAN + n / 5, 0.2, count * 5.0, count)
            for n in range(1, 301)
            for count in [1_000_000 if n % 5 == phase and n not in out else 0]
        )
        for phase in phases
    )
    whole = tuple(
        Point(same[0].at, 0.2, sum(one.value or 0 for one in same), sum(one.count or 0 for one in same))
        for same in zip(*ports, strict=True)
    )
    parts = {"forwarded": ports} if len(ports) > 1 else {}
    iteration = segment({"forwarded": whole}, BEGAN, BEGAN + 60.0, parts=parts)
    (warning,) = [one for one in iteration.warnings if one.code == "outage"]
    assert iteration.window is not None and iteration.window.start is not None
    found = IterationSeries(
        {"forwarded": whole}, BEGAN, (iteration.window.start, iteration.window.end or 0.0), parts=parts
    )
    ((begin, end),) = outage_places(found, iteration)
    assert 19.0 <= begin < 20.0 and 24.0 < end < 26.0
    assert f"for {end - begin:.1f} s" in warning.text


@pytest.mark.parametrize(
    ("lows", "places"),
    [
        ((12, 13, 14), [(12.0, 15.0)]),
        ((12, 14), [(12.0, 13.0), (14.0, 15.0)]),
        ((0, 29), [(0.0, 1.0), (29.0, 30.0)]),
        ((5, 12, 13, 20, 21, 22), [(5.0, 6.0), (12.0, 14.0), (20.0, 23.0)]),
    ],
)
def test_outages_that_touch_are_one_place(lows: tuple[int, ...], places: list[tuple[float, float]]) -> None:
    assert outage_places(series(dict.fromkeys(lows, 0.0)), warned()) == places


def test_without_the_warning_nothing_is_drawn() -> None:
    silent = Iteration(1, LEVEL, metrics=warned().metrics)
    assert outage_places(series({12: 0.0}), silent) == []
    assert outage_places(series({12: 0.0}), None) == []


@pytest.mark.parametrize(
    ("gap", "places"), [(0.0, 1), (0.25, 1), (0.49, 1), (0.5, 2), (0.75, 2)]
)  # in shares of an interval
@pytest.mark.parametrize("seconds", [1.0, 4.0])
def test_hosts_that_sample_a_little_late_tear_no_outage_apart(
    gap: float, places: int, seconds: float
) -> None:
    first, second = BEGAN + seconds, BEGAN + seconds * (2 + gap)
    points = tuple(Point(at, seconds, 0.0, count=0) for at in (first, second))
    found = IterationSeries({"received": points}, BEGAN, window=(BEGAN, BEGAN + 99.0))
    assert len(outage_places(found, warned())) == places


def test_the_flow_that_the_value_is_of_decides() -> None:
    low, level = series({12: 0.0}), series({}, "forwarded")
    both = IterationSeries({**low.flows, **level.flows}, BEGAN, window=low.window)
    assert outage_places(both, warned()) == [(12.0, 13.0)]
    assert outage_places(both, warned("forwarded")) == [], "there is no level to compare with"
    assert outage_places(series({12: 0.0}, "forwarded"), warned()) == []


def test_what_was_not_measured_is_no_outage() -> None:
    points = [*series({12: 0.0}).flows["received"]]
    points[13] = Point(points[13].at, 1.0, None)
    found = IterationSeries({"received": tuple(points)}, BEGAN, window=(BEGAN, BEGAN + SECONDS))
    assert outage_places(found, warned()) == [(12.0, 13.0)]


def test_another_warning_is_not_about_an_outage() -> None:
    level = warned().metrics
    other = Iteration(1, LEVEL, metrics=level, warnings=(Caution("level-shift", "It rose."),))
    assert outage_places(series({12: 0.0}), other) == []
    several = Iteration(1, LEVEL, metrics=level, warnings=(*other.warnings, *warned().warnings))
    assert outage_places(series({12: 0.0}), several) == [(12.0, 13.0)]


@pytest.mark.parametrize(
    ("places", "text"),
    [
        ([], ""),
        ([(12.0, 13.0)], "12.0 s to 13.0 s of the blast"),
        ([(0.04, 1.06), (2.0, 3.0)], "0.0 s to 1.1 s, 2.0 s to 3.0 s of the blast"),
        ([(n, n + 0.5) for n in range(3)], "0.0 s to 0.5 s, 1.0 s to 1.5 s, 2.0 s to 2.5 s of the blast"),
        (
            [(n, n + 0.5) for n in range(4)],
            "0.0 s to 0.5 s, 1.0 s to 1.5 s, 2.0 s to 2.5 s and 1 more of the blast",
        ),
        (
            [(n, n + 0.5) for n in range(5)],
            "0.0 s to 0.5 s, 1.0 s to 1.5 s, 2.0 s to 2.5 s and 2 more of the blast",
        ),
    ],
)
def test_three_places_are_told_and_the_others_counted(places: list[tuple[float, float]], text: str) -> None:
    assert told(places) == text
