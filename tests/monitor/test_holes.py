"""What is a hole in a blast, and how much of one a value bears: the bounds of each."""

import pytest
from machines import LAB

from fwdtui.core.counters import InterfaceCounters, NetisrRow
from fwdtui.core.lab import parse
from fwdtui.core.model import EventSample, HostSample
from fwdtui.monitor.live.holes import Hole, cautions, holes, unsound
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
    event = EventSample(at, "note", "the sampler ended", "dut")
    (hole,) = holes(parse(LAB), samples, (event,), BEGAN, ENDED)
    assert hole.cause == ("the sampler ended" if told else "the cause is not known")


CODES = ("reboot", "failed", "host-lost", "clock-step", "note")


def cause(*events: EventSample, to_end: bool = False) -> str:
    """Why the DUT's samples from 10 to 15, or from 10 on, are missing."""
    moments = until(10.0) if to_end else (*until(10.0), *since(15.0))
    samples = of("gen", EVERY) + of("sink", EVERY) + of("dut", moments)
    (hole,) = holes(parse(LAB), samples, events, BEGAN, ENDED)
    assert (hole.host, hole.start, hole.to_end) == ("dut", 10.0, to_end)
    assert hole.seconds == (25.0 if to_end else 5.0)
    return hole.cause


@pytest.mark.parametrize("place", range(len(CODES) - 1))
def test_of_several_events_the_one_that_explains_most_is_the_cause(place: int) -> None:
    """Whatever their order: a reboot also loses the host and sets its clock back."""
    stronger, weaker = (EventSample(11.0, code, f"the {code}", "dut") for code in CODES[place : place + 2])
    told = "the host was rebooted" if place == 0 else stronger.text
    assert cause(stronger, weaker) == cause(weaker, stronger) == told


def test_of_two_events_of_one_kind_the_later_one_is_the_cause() -> None:
    events = [EventSample(at, "host-lost", f"lost at {at:g}", "dut") for at in (9.0, 11.0, 99.0)]
    assert cause(*events) == "lost at 11"


@pytest.mark.parametrize(("to_end", "told"), [(True, "timed out"), (False, "the cause is not known")])
def test_why_a_host_is_silent_up_to_the_end_may_be_told_much_later(to_end: bool, told: str) -> None:
    assert cause(EventSample(90.0, "host-lost", "timed out", "dut"), to_end=to_end) == told


@pytest.mark.parametrize(
    ("events", "told"),
    [
        ([("failed", 1.0, "dut")], "failed at 1"),
        ([("host-lost", 1.0, "dut")], "host-lost at 1"),
        ([("host-lost", 1.0, "dut"), ("failed", 2.0, "dut")], "failed at 2"),
        # a clock that was set and a note are over
        ([("clock-step", 1.0, "dut")], "the cause is not known"),
        ([("note", 1.0, "dut")], "the cause is not known"),
        ([("host-lost", 1.0, "gen")], "the cause is not known"),
        ([("host-lost", 20.0, "dut")], "the cause is not known"),
        # it was heard of since
        ([("host-lost", 1.0, "dut"), ("host-back", 9.0, "dut")], "the cause is not known"),
    ],
)
def test_without_an_event_near_the_hole_an_earlier_loss_of_the_host_is_its_cause(
    events: list[tuple[str, float, str]], told: str
) -> None:
    found = [EventSample(at, code, f"{code} at {at:g}", host) for code, at, host in events]
    assert cause(*found) == told


def test_samples_without_ports_and_cores_fill_no_hole() -> None:
    """Slow readings go on where those of every tick are missing: no rate is made of them."""
    slow = [HostSample("dut", 0, t=at, at=at, boot="dut", netisr=(NetisrRow(0, 0, "ip"),)) for at in EVERY]
    samples = of("gen", EVERY) + of("sink", EVERY) + of("dut", (*until(10.0), *since(15.0))) + slow
    (hole,) = holes(parse(LAB), samples, (), BEGAN, ENDED)
    assert (hole.host, hole.start, hole.end) == ("dut", 10.0, 15.0)


def test_a_host_that_is_not_of_the_lab_has_no_holes() -> None:
    samples = [one for host in ("gen", "dut", "sink") for one in of(host, EVERY)] + of("other", (5.0,))
    assert holes(parse(LAB), samples, (), BEGAN, ENDED) == ()


@pytest.mark.parametrize(
    ("boots", "clock", "broken"),
    [
        (("1", "1"), 11.0, False),
        (("1", "2"), 11.0, True),
        (("", "2"), 11.0, False),  # not known
        (("1", ""), 11.0, False),
        (("", ""), 3.0, True),  # the clock went back
        (("1", "1"), 3.0, True),
    ],
)
def test_no_rate_reaches_across_a_reboot_so_it_is_a_hole_however_short(
    boots: tuple[str, str], clock: float, broken: bool
) -> None:
    def sample(at: float) -> HostSample:
        late = at >= 11.0
        port = (InterfaceCounters("d0", rx_packets=0),)
        t = at - 11.0 + clock if late else at
        return HostSample("dut", 0, t=t, at=at, boot=boots[late], interfaces=port)

    samples = of("gen", EVERY) + of("sink", EVERY) + [sample(at) for at in EVERY]
    found = [(hole.start, hole.end) for hole in holes(parse(LAB), samples, (), BEGAN, ENDED)]
    assert found == ([(10.0, 11.0)] if broken else [])


def test_each_host_but_the_measured_one_has_one_warning() -> None:
    found = [
        Hole("dut", 10.0, 15.0, "a reboot"),
        Hole("gen", 8.0, 9.5, "lost"),
        Hole("dut", 20.0, 21.0, "a reboot"),
        Hole("dut", 30.0, 35.0, "lost", to_end=True),
        Hole("sink", 8.0, 9.0, "lost"),
    ]
    first, second = cautions(found, "sink")
    rest = "; what only this host measures covers the rest."
    assert first.text == (f"dut: no samples for 11.0 s of the blast up to its end (a reboot; lost){rest}")
    assert second.text == f"gen: no samples for 1.5 s of the blast (lost){rest}"
    assert cautions(found[-1:], "sink") == [] and cautions((), "sink") == []


def test_a_hole_that_is_followed_by_samples_does_not_reach_to_the_end() -> None:
    first, second = Hole("dut", 10.0, 15.0, "x", to_end=True), Hole("dut", 20.0, 25.0, "x")
    assert "up to its end" not in cautions([first, second], "sink")[0].text


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


NOT_SEEN = Hole("sink", 30.0, ENDED, "the cable", to_end=True)


@pytest.mark.parametrize(
    ("found", "told"),
    [
        ([], "no samples from any host (the cause is not known)."),
        ([NOT_SEEN], "no samples from sink (the cable)."),
        ([Hole("dut", 30.0, ENDED, "x", to_end=True)], "no samples from dut (the cause is not known)."),
        ([Hole("dut", 30.0, 31.0, "x"), NOT_SEEN], "no samples from sink (the cable)."),
    ],
)
def test_an_end_that_nobody_saw_is_told_with_the_hosts_that_were_silent_then(
    found: list[Hole], told: str
) -> None:
    seconds = tuple(map(float, range(6, 36)))
    assert unsound(parse(LAB), points(seconds), (), BEGAN, ENDED) == ""
    assert unsound(parse(LAB), points(seconds), found, BEGAN, ENDED, unseen=True) == (
        f"It is not known when the blast ended: {told}"
    )


@pytest.mark.parametrize(
    "of_the_flow",
    [
        [],
        [Point(20.0, 1.0, None)],
        [Point(BEGAN, 1.0, 1e6)],  # of before
        [Point(ENDED + 1.0, 1.0, 1e6)],  # of after
        [Point(BEGAN, 1.0, 1e6), Point(ENDED + 1.0, 1.0, 1e6)],
    ],
)
def test_a_blast_in_which_the_measured_host_was_not_sampled_has_no_value(of_the_flow: list[Point]) -> None:
    hole = Hole("sink", BEGAN, ENDED, "the cable", to_end=True)
    lab = parse(LAB)
    text = "No samples from sink during the blast (the cable): what was received is not known."
    assert unsound(lab, {"received": of_the_flow}, [hole], BEGAN, ENDED) == text
    # it was sampled, and its counter is missing: that is told elsewhere
    assert unsound(lab, {"received": of_the_flow}, [], BEGAN, ENDED) == ""
    assert unsound(lab, {"received": of_the_flow}, [Hole("dut", 6.0, 9.0, "x")], BEGAN, ENDED) == ""


def test_without_a_receiver_the_duts_output_is_what_counts() -> None:
    lab = parse(LAB.replace('[receiver]\nhost = "sink"\ninterface = "s0"\n', ""))
    hole = Hole("dut", 20.0, ENDED, "the cable", to_end=True)
    flow = [Point(float(at), 1.0, 1e6) for at in range(6, 21)]
    assert unsound(lab, {"forwarded": flow}, [hole], BEGAN, ENDED) == (
        "No samples from dut for the last 15.0 s of the blast (the cable)."
    )


@pytest.mark.parametrize(("last", "sound"), [(20.0, True), (19.9, False)])
def test_a_flow_that_is_told_every_five_seconds_bears_fifteen_without_the_end(
    last: float, sound: bool
) -> None:
    """A tool's lines may be further apart than the samples: three of its own intervals count."""
    flow = [Point(6.0, 1.0, 1e6), Point(last - 5.0, 8.0, 1e6), Point(last, 5.0, 1e6)]
    found = unsound(parse(LAB), {"received": flow}, (), BEGAN, ENDED)
    assert (not found.startswith("What was received is not known for the last")) == sound


def test_a_value_of_a_part_is_told_with_what_is_missing() -> None:
    flow = [Point(float(at), 1.0, 1e6) for at in (*range(6, 11), *range(31, 36))]
    flow.insert(0, Point(5.5, 1.0, 1e6))  # half of it is of before
    found = unsound(parse(LAB), {"received": flow}, (), BEGAN, ENDED)
    assert (
        found == "What was received is not known for 19.5 s of the blast's 30.0 s (the cause is not known)."
    )
