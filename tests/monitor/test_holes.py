"""What is a hole in a blast, and how much of one a value bears: the bounds of each."""

import pytest
from machines import LAB

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.lab import parse
from fwdtui.core.model import EventSample, HostSample
from fwdtui.monitor.live.holes import holes, unsound
from fwdtui.monitor.live.series import Point

BEGAN, ENDED = 5.0, 35.0
EVERY = tuple(float(second) for second in range(4, 38))


def of(host: str, moments: tuple[float, ...]) -> list[HostSample]:
    return [
        HostSample(host, number, t=at, at=at, boot=host, interfaces=(InterfaceCounters("d0", rx_packets=0),))
        for number, at in enumerate(moments)
    ]


def found(
    moments: tuple[float, ...], interval: str = "1s", *events: EventSample
) -> list[tuple[float, float]]:
    lab = parse(f'{LAB}[sampling]\ninterval = "{interval}"\n')
    samples = of("gen", EVERY) + of("sink", EVERY) + of("dut", moments)
    return [(hole.start, hole.end) for hole in holes(lab, samples, events, BEGAN, ENDED)]


def until(last: float) -> tuple[float, ...]:
    return (*(at for at in EVERY if at < last), last)


def since(first: float) -> tuple[float, ...]:
    return (first, *(at for at in EVERY if at > first))


@pytest.mark.parametrize(
    ("moments", "expected"),
    [
        # three intervals are a slow tick or two; more is a hole
        ((*until(10.0), *since(12.99)), []),
        ((*until(10.0), *since(13.0)), []),
        ((*until(10.0), *since(13.01)), [(10.0, 13.01)]),
        (since(8.0), []),
        (since(8.01), [(BEGAN, 8.01)]),
        (until(32.0), []),
        (until(31.99), [(31.99, ENDED)]),
        # what is missing before the blast and after it is none of its holes
        ((1.0, *since(5.0)), []),
        ((*until(35.0), 39.0), []),
    ],
)
def test_more_than_three_intervals_without_a_sample_are_a_hole(
    moments: tuple[float, ...], expected: list[tuple[float, float]]
) -> None:
    assert found(moments) == expected


def test_the_interval_is_that_of_the_lab() -> None:
    moments = (*until(10.0), *since(15.0))
    assert found(moments, "2s") == [] and found(moments, "1s") == [(10.0, 15.0)]


@pytest.mark.parametrize(
    ("at", "told"), [(7.99, False), (8.0, True), (12.0, True), (17.0, True), (17.01, False)]
)
def test_what_happened_within_two_seconds_of_a_hole_is_its_cause(at: float, told: bool) -> None:
    """An event is told a little before or after the samples stay away; an earlier one had another effect."""
    samples = of("gen", EVERY) + of("sink", EVERY) + of("dut", (*until(10.0), *since(15.0)))
    event = EventSample(at, "note", "the cable was moved", "dut")
    (hole,) = holes(parse(LAB), samples, (event,), BEGAN, ENDED)
    assert hole.cause == ("the cable was moved" if told else "the cause is not known")


def points(seconds: tuple[float, ...]) -> dict[str, list[Point]]:
    return {"received": [Point(at, 1.0, 1e6) for at in seconds]}


@pytest.mark.parametrize(("last", "sound"), [(32.01, True), (32.0, True), (31.99, False)])
def test_a_value_bears_three_intervals_without_the_end_of_the_blast(last: float, sound: bool) -> None:
    """A longer end may have been at another level, and nobody would know."""
    seconds = tuple(last - back for back in range(25))[::-1]
    assert (unsound(parse(LAB), points(seconds), (), BEGAN, ENDED) == "") == sound


@pytest.mark.parametrize(("seen", "sound"), [(16, True), (15, True), (14, False)])
def test_a_value_bears_the_loss_of_half_of_the_blast(seen: int, sound: bool) -> None:
    """With fewer the median is that of a part, and could be that of the other half."""
    seconds = tuple(ENDED - back for back in range(seen))[::-1]
    assert (unsound(parse(LAB), points(seconds), (), BEGAN, ENDED) == "") == sound
