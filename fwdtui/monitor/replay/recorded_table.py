"""A recording's samples as a table, with the numbers of the replay's graph."""

import datetime
from bisect import bisect_right

from fwdtui.monitor.live.moment import sample_rows
from fwdtui.monitor.live.sample_table import SampleTable
from fwdtui.monitor.replay.recording import Recording
from fwdtui.monitor.replay.replay import Replay


def recorded_table(replay: Replay) -> SampleTable:
    """Every sample of the recording. Seconds are counted from its beginning.

    Column "time" is this machine's local time, according to the hosts' clocks; "-" if it was not recorded.
    """
    survey, receiver = replay.surveyed, replay.lab.receiver is not None
    flows = {
        name: tuple(points)
        for name, points in survey.flows.items()
        if name != "received" or receiver or points
    }
    rows = sample_rows(flows, tuple(survey.cores), unlike=survey.unlike)
    clocks = [_clock(replay.recording, row.at) for row in rows]
    known = any(clocks)
    shown = tuple(one or "-" for one in clocks) if known else ()
    return SampleTable(replay.recording.name, rows, replay.start, shown, replay.lab.frame)


def _clock(recording: Recording, at: float) -> str:
    """The time of day as the replay shows it, ``12:03:41``; "" if the piece with the moment has no clock."""
    begins = [recording.due[piece.first] for piece in recording.pieces]
    started = recording.pieces[max(bisect_right(begins, at) - 1, 0)].started
    if started is None:
        return ""
    return f"{datetime.datetime.fromtimestamp(started + at):%H:%M:%S}"
