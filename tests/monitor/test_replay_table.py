"""The table of a replay's screen has the rows of `fwdtui replay --table`: the same seconds and clocks."""

import pytest
from machines import LAB, Machines, blast
from recorded import recorded

from fwdtui.core.lab import parse
from fwdtui.monitor.live.sample_table import SampleTable, head_and_lines
from fwdtui.monitor.replay.recorded_table import recorded_table
from fwdtui.monitor.replay.recording import Piece
from fwdtui.monitor.replay.replay import Replay
from fwdtui.ui.draw.graph import table_of
from fwdtui.ui.draw.view import View
from fwdtui.ui.replay.view import Clock, ReplayView

LATE = 95.0  # a recording begins somewhere on its axis


@pytest.fixture
def replay() -> Replay:
    samples = [one for one in Machines(blast(100, 110, 1e4)).run(120) if (one.at or 0.0) >= LATE]
    return Replay(recorded(samples, parse(LAB), [Piece("whole", 0)]))


def drawn(view: View, replay: Replay) -> SampleTable:
    replay.seek(replay.end)
    return table_of(replay.snapshot(600), view)


@pytest.mark.parametrize("started", [None, 1_700_000_000.0])
def test_it_counts_from_the_beginning_and_has_a_clock_only_where_one_was_recorded(
    replay: Replay, started: float | None
) -> None:
    replay.recording.pieces[0].started = started
    listed = recorded_table(replay)
    view = ReplayView(
        replay.lab, start=replay.start, end=replay.end, clocks=(Clock(0.0, started),), time_span=600.0
    )
    shown = drawn(view, replay)
    assert (shown.origin, shown.clocks) == (listed.origin, listed.clocks)
    assert head_and_lines([shown]) == head_and_lines([listed])
    head, lines = head_and_lines([shown])
    assert float(lines[0].split()[0]) < 1.0 and ("time" in head.split()) == (started is not None)


def test_a_moment_without_a_clock_is_said_by_how_far_into_the_recording_it_is(replay: Replay) -> None:
    view = ReplayView(replay.lab, start=95.0, clocks=(Clock(95.0, None), Clock(100.0, 0.0)))
    assert (view.clock(97.5), view.wall_clock(97.5)) == ("00:02", "")
    assert view.clock(100.0) == view.wall_clock(100.0) != ""


def test_a_live_table_counts_as_its_recording_does(replay: Replay) -> None:
    shown = drawn(View(replay.lab, time_span=600.0), replay)
    assert (shown.origin, shown.clocks) == (0.0, ())
