"""Replays a recording: its samples go into a Monitor as they did live, up to any requested moment.

Time is the samples' own. Seeking starts from a state that was saved during the survey, so that it costs no
more at the end of a recording of a whole day than at its beginning.
"""

import time
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property

from fwdtui.core.lab import Lab
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.monitor.replay.player import Player, Script
from fwdtui.monitor.replay.recording import Progress, Recording
from fwdtui.monitor.replay.survey import Survey, survey

_TINY = 1e-6
_NEAR = 0.25  # share of an interval: hosts' samples that are no farther apart belong together
_BACK = 1.5  # seconds after a blast's beginning in which "back" means the previous blast


class Replay:
    """`position` is a time on the recording's axis, from `start` to `end`; `snapshot` is the run then.

    It begins at `start`. To go anywhere else, the recording is surveyed first.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.position = recording.start
        self._surveyed: Survey | None = None
        self._player: Player | None = None  # the survey's, once that is used
        player = Player(recording, Script())
        self._lab = player.lab
        self._monitor = player.fresh()
        self._pushed = bisect_right(recording.due, recording.start + _TINY)
        for place in range(self._pushed):
            player.push(self._monitor, place)

    def survey(self, progress: Progress = lambda done, total: None) -> None:
        """Go through the whole recording, see `survey`. The picture at `start` stays as it is."""
        self._surveyed = survey(self.recording, progress)

    @property
    def surveyed(self) -> Survey:
        """What the survey found; makes the survey if that was not done yet."""
        if self._surveyed is None:
            self.survey()
        assert self._surveyed is not None
        return self._surveyed

    @cached_property
    def ticks(self) -> Sequence[float]:
        """The times to which steps go: after each sample of the DUT and the near ones of other hosts.

        If the DUT has no samples, after every sample.
        """
        due = self.recording.due
        near = _NEAR * self.lab.interval
        times = sorted(set(self.surveyed.ticks or due))
        return array("d", [due[bisect_right(due, at + near) - 1] for at in times])

    @property
    def lab(self) -> Lab:
        """The lab that was recorded, with what was sent if that is the same in all iterations."""
        return self._lab

    @property
    def start(self) -> float:
        """Where the axis begins; not 0 for a single iteration of many."""
        return self.recording.start

    @property
    def end(self) -> float:
        """Where the axis ends."""
        return self.recording.end

    @property
    def monitor(self) -> Monitor:
        """The monitor as it is at `position`."""
        return self._monitor

    def snapshot(self, points: int) -> Snapshot:
        """The run at `position`, with the newest `points` of each flow."""
        return self._monitor.snapshot(points)

    def seek(self, at: float, longest: float = float("inf")) -> None:
        """Go to `at`, taking no more than about `longest` seconds: `position` says how far it came."""
        at = min(max(at, self.start), self.end)
        wanted = bisect_right(self.recording.due, at + _TINY)
        states = self.surveyed.states
        near = bisect_right(states.pushed, wanted) - 1
        if self._player is None or wanted < self._pushed or states.pushed[near] > self._pushed:
            self._pushed, self._monitor = states.pushed[near], states.restored(near)
            self._player = self._player or self.surveyed.player
        until = time.monotonic() + longest
        while self._pushed < wanted:
            self._player.push(self._monitor, self._pushed)
            self._pushed += 1
            if time.monotonic() > until and self._pushed < wanted:
                self.position = self.recording.due[self._pushed - 1]
                return
        self.position = at

    def step(self, ticks: int) -> None:
        """Go forward by `ticks` samples of the DUT, or back if negative, with other hosts' near samples."""
        near = _NEAR * self.lab.interval
        if ticks > 0:
            place = bisect_right(self.ticks, self.position + near) + ticks - 1
        else:
            place = bisect_left(self.ticks, self.position - near) + ticks
        self.seek(
            self.ticks[place] if 0 <= place < len(self.ticks) else self.end if ticks > 0 else self.start
        )

    def to_blast(self, by: int) -> bool:
        """Go to the beginning of the next blast (`by` > 0), or else of this one and then of the previous one.

        Returns False, without moving, if there is no next blast. Back from the first blast is the start.
        """
        begins = self.beginnings()
        if by > 0:
            later = [began for began in begins if began > self.position + _TINY]
            if not later:
                return False
            self.seek(later[0])
        else:
            earlier = [began for began in begins if began < self.position - _BACK]
            self.seek(earlier[-1] if earlier else self.start)
        return True

    def beginnings(self) -> list[float]:
        """The times at which blasts begin."""
        return [began for began, _ in self.surveyed.blasts]
