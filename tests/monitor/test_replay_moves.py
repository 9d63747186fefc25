"""Going through a recording: from sample to sample, from blast to blast, and to any moment."""

import datetime
import time
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import cast

import pytest
from machines import LAB
from recorded import recorded

from fwdtui.core.counters import CpuTicks
from fwdtui.core.lab import Lab, parse
from fwdtui.core.model import EventSample, HostSample, Sample
from fwdtui.monitor.live.series import Point
from fwdtui.monitor.replay.recorded_table import recorded_table
from fwdtui.monitor.replay.recording import Piece, Recording
from fwdtui.monitor.replay.replay import Replay

CORE = (CpuTicks(0, 1, 1, 1, 1, 1),)


def sample(at: float, host: str = "dut") -> HostSample:
    return HostSample(host, int(at * 1000), at, at, boot=host, cpus=CORE)


def recording(samples: Sequence[Sample], lab: Lab | None = None, firsts: Sequence[int] = (0,)) -> Recording:
    return recorded(samples, lab or parse(LAB), [Piece(f"piece {first}", first) for first in firsts])


def lab_of(interval: str) -> Lab:
    return parse(f'{LAB}[sampling]\ninterval = "{interval}"\n')


# a step


@pytest.mark.parametrize(
    ("interval", "after", "near"),
    [
        ("1s", 0.2, True),
        ("1s", 0.25, True),
        ("1s", 0.26, False),
        ("4s", 1.0, True),
        ("4s", 1.1, False),
        ("100ms", 0.025, True),
        ("100ms", 0.05, False),
    ],
)
def test_a_quarter_of_an_interval_after_the_duts_sample_the_others_belong_to_it(
    interval: str, after: float, near: bool
) -> None:
    found = recording([sample(9.0, "gen"), sample(10.0), sample(10.0 + after, "sink")], lab_of(interval))
    assert list(Replay(found).ticks) == [10.0 + after if near else 10.0]


def test_a_tick_is_a_sample_of_the_dut_that_every_tick_reads() -> None:
    slow = HostSample("dut", 9, 6.0, 6.0, forwarded=1)
    samples: list[Sample] = [
        sample(1.0),
        sample(3.0, "gen"),
        EventSample(4.0, "note", "x"),
        sample(5.0),
        slow,
    ]
    assert list(Replay(recording(samples)).ticks) == [1.0, 5.0]
    assert list(Replay(recording([sample(1.0, "gen"), EventSample(2.0, "note", "x"), slow])).ticks) == [
        1.0,
        2.0,
        6.0,
    ]
    assert list(Replay(recording([sample(1.0), sample(1.0)])).ticks) == [1.0], "at one moment there is one"


@pytest.fixture
def five() -> Replay:
    """The DUT's samples at 1 to 5 s; what else there is begins at 0.5 s and ends at 7 s."""
    return Replay(
        recording([sample(0.5, "gen"), *map(sample, (1.0, 2.0, 3.0, 4.0, 5.0)), sample(7.0, "gen")])
    )


@pytest.mark.parametrize(
    ("position", "ticks", "to"),
    [
        (0.5, 1, 1.0),
        (1.0, 1, 2.0),
        (1.0, 3, 4.0),
        (1.74, 1, 2.0),
        (1.8, 1, 3.0),  # it is at 2 as good as
        (4.0, 1, 5.0),
        (5.0, 1, 7.0),
        (4.0, 9, 7.0),
        (5.0, -1, 4.0),
        (5.0, -3, 2.0),
        (2.2, -1, 1.0),  # it is at 2 as good as
        (2.26, -1, 2.0),
        (2.0, -1, 1.0),
        (1.0, -1, 0.5),
        (3.0, -9, 0.5),
        (7.0, -1, 5.0),
    ],
)
def test_steps_go_from_sample_to_sample_and_to_the_ends(
    five: Replay, position: float, ticks: int, to: float
) -> None:
    five.seek(position)
    assert five.position == position
    five.step(ticks)
    assert five.position == to and five.snapshot(0).now == min(to, 7.0)


def test_what_is_near_is_a_share_of_the_interval() -> None:
    slow = Replay(recording(list(map(sample, (0.0, 4.0, 8.0, 12.0))), lab_of("4s")))
    for position, ticks, to in ((2.9, 1, 4.0), (3.2, 1, 8.0), (8.8, -1, 4.0), (9.2, -1, 8.0)):
        slow.seek(position)
        slow.step(ticks)
        assert slow.position == to


# to a moment


@pytest.mark.parametrize(
    ("at", "position", "now"),
    [
        (-1.0, 0.5, 0.5),
        (0.5, 0.5, 0.5),
        (3.5, 3.5, 3.0),
        (7.0, 7.0, 7.0),
        (99.0, 7.0, 7.0),
        (3.0 - 8e-7, 3.0 - 8e-7, 3.0),  # as the sum of many intervals may be
        (3.0 - 12e-7, 3.0 - 12e-7, 2.0),
    ],
)
def test_a_moment_is_within_the_recording(five: Replay, at: float, position: float, now: float) -> None:
    for before in (7.0, 0.5):
        five.seek(before)
        five.seek(at)
        assert (five.position, five.snapshot(0).now) == (position, now)
    assert (five.start, five.end) == (0.5, 7.0) and five.monitor.lab == five.lab


@pytest.mark.parametrize(("longest", "came"), [(0.5, 1.0), (1.0, 2.0), (2.5, 3.0), (4.5, 6.5), (9.0, 6.5)])
def test_a_long_way_is_gone_in_parts(
    five: Replay, monkeypatch: pytest.MonkeyPatch, longest: float, came: float
) -> None:
    """Each look at the clock is a second after the one before; a sample at least is taken each time."""
    five.seek(0.5)
    clock = iter(range(100))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    five.seek(6.5, longest)
    assert five.position == came
    assert five.snapshot(0).now == min(came, 5.0)
    five.seek(6.5)
    assert five.position == 6.5


# to a blast


@pytest.fixture
def blasts(five: Replay) -> Replay:
    five.surveyed.blasts[:] = [(2.0, 3.0), (4.0, 4.5), (6.0, None)]
    assert five.beginnings() == [2.0, 4.0, 6.0]
    return five


@pytest.mark.parametrize(
    ("position", "by", "to"),
    [
        (0.5, 1, 2.0),
        (2.0, 1, 4.0),
        (2.0 - 8e-7, 1, 4.0),  # it is there as good as
        (2.0 - 12e-7, 1, 2.0),
        (4.5, 1, 6.0),
        (5.6, -1, 4.0),
        (5.5, -1, 2.0),  # in the first second and a half, back means the one before
        (4.0, -1, 2.0),
        (3.6, -1, 2.0),
        (3.5, -1, 0.5),
        (2.0, -1, 0.5),
        (0.5, -1, 0.5),
    ],
)
def test_a_blast_is_gone_to_by_its_beginning(blasts: Replay, position: float, by: int, to: float) -> None:
    blasts.seek(position)
    assert blasts.to_blast(by) is True
    assert blasts.position == to


@pytest.mark.parametrize("position", [6.0, 6.5, 7.0])
def test_after_the_last_blast_there_is_no_further_one(blasts: Replay, position: float) -> None:
    blasts.seek(position)
    assert blasts.to_blast(1) is False
    assert blasts.position == position


# as a table


def table(
    flows: dict[str, list[Point]], receiver: bool, clocks: Sequence[float | None] = (None,)
) -> tuple[list[list[str]], tuple[str, ...]]:
    """The names of each row's flows, and the clocks. A piece of ten seconds for each of `clocks`."""
    lab = parse(LAB if receiver else LAB.replace('[receiver]\nhost = "sink"\ninterface = "s0"\n', ""))
    found = recording([sample(10.0 * n) for n in range(len(clocks))], lab, range(len(clocks)))
    for piece, clock in zip(found.pieces, clocks, strict=True):
        piece.started = clock
    replay = SimpleNamespace(
        surveyed=SimpleNamespace(flows=flows, cores=[], unlike=()),
        lab=lab,
        recording=found,
        start=found.start,
    )
    made = recorded_table(cast(Replay, replay))
    assert (made.title, made.origin, made.frame) == ("s", 0.0, lab.frame)
    return [list(row.flows) for row in made.rows], made.clocks


FLOW: Callable[..., list[Point]] = lambda *ats: [Point(at, 1.0, 5.0) for at in ats]  # noqa: E731


@pytest.mark.parametrize(
    ("received", "receiver", "shown"),
    [(True, True, True), (True, False, True), (False, True, True), (False, False, False)],
)
def test_what_is_received_is_a_column_if_the_lab_has_a_receiver_or_it_was_seen(
    received: bool, receiver: bool, shown: bool
) -> None:
    flows = {"offered": FLOW(1.0), "forwarded": [], "received": FLOW(1.0) if received else []}
    (row,) = table(flows, receiver)[0]
    assert row == ["offered", "forwarded", *(["received"] if shown else [])]


def test_the_clock_of_each_row_is_that_of_its_piece() -> None:
    def clock(seconds: float) -> str:
        return f"{datetime.datetime.fromtimestamp(seconds):%H:%M:%S}"

    flows = {"offered": FLOW(0.25, 8.0, 10.5, 15.0, 25.0), "forwarded": [], "received": []}
    clocks = table(flows, True, (1000.0, 5000.0, None))[1]
    # a row is in the middle of its interval
    assert clocks == (clock(999.75), clock(1007.5), clock(5010.0), clock(5014.5), "-")
    assert table(flows, True, (None, None, None))[1] == ()
