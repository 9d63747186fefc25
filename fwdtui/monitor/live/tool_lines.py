"""What tools print about a blast: the packets that they sent or saw, for ports that do not count them."""

from collections.abc import Collection, Iterable, Sequence
from math import inf
from typing import NamedTuple

from fwdtui.core.lab import Endpoint, Lab
from fwdtui.core.model import TOOL_ENDS, EventSample, RateSample, Sample
from fwdtui.monitor.live.flows import is_from

_LATEST = 5.0
"""Seconds after a blast in which lines of its tools may still come."""
_EARLIEST = 2.0
"""Seconds before a blast in which lines of its tools may come."""

Lines = list[tuple[float, RateSample]]
"""Lines of a tool, each with the end of its interval on the recording's axis."""


class Neighbours(NamedTuple):
    """When the blast before this one ended, and when the one after it begins.

    A tool that runs on from blast to blast prints lines about all of them.
    """

    ended: float = -inf
    begins: float = inf


ALONE = Neighbours()


class Printed(NamedTuple):
    """What all tools printed around a blast; times on the recording's axis."""

    lab: Lab
    samples: Sequence[Sample]
    began: float
    ended: float
    around: Neighbours = ALONE

    def packets(self, role: str, endpoint: Endpoint) -> int | None:
        """The packets that a tool says it sent or saw: the sum over its lines.

        None if it printed none, or if a line with packets belongs to two blasts.
        """
        lines = self.lines(role, endpoint)
        if any(line.packets and self._is_of_two(at, line) for at, line in lines):
            return None
        return round(sum(line.packets or 0.0 for _, line in lines)) if lines else None

    def lines(self, role: str, endpoint: Endpoint) -> Lines:
        """The lines of a tool that belong to the blast.

        They come early or late by some seconds, but not before the tool was started, nor after it was started
        again. If a tool runs on from blast to blast, a line belongs to the blast that is nearer to the middle
        of its interval, or to both if the interval overlaps with both.
        """
        told = [
            (s.code, s.at)
            for s in self.samples
            if isinstance(s, EventSample) and s.role == role and is_from(s, endpoint)
        ]
        starts = [at for code, at in told if code == "tool-started"]
        before = [at for at in starts if at <= self.began + self.lab.interval]
        before += [at for code, at in told if code in TOOL_ENDS and at <= self.began]
        first = max(before, default=-inf)
        last = min((at for at in starts if at > self.ended), default=inf)
        first, last = max(first, self.began - _EARLIEST), min(last, self.ended + _LATEST)
        lines = _placed(
            s
            for s in self.samples
            if isinstance(s, RateSample) and s.role == role and is_from(s, endpoint) and s.packets is not None
        )
        earliest, latest = (self.around.ended + self.began) / 2, (self.ended + self.around.begins) / 2
        return [
            (at, s)
            for at, s in lines
            if s.at is None
            or (
                first <= s.at <= last and (earliest < at - s.interval / 2 <= latest or self._is_of_two(at, s))
            )
        ]

    def _is_of_two(self, at: float, line: RateSample) -> bool:
        """Whether a line's interval overlaps with this blast and with the one before or after it."""
        since, around = at - line.interval, self.around
        return since < around.ended < self.began < at or since < self.ended < around.begins < at

    def unprinted(self, uncounted: Collection[str]) -> int:
        """The packets that generators may have sent after their last lines.

        `uncounted`: the tools whose packets no port counts. A pkt-gen that is ended by a signal other than
        INT does not print its current interval (pkt-gen.c, main(), handles only SIGINT). One interval is as
        long as the one before, so it is taken to have as many packets.
        """
        own = [generator for generator in self.lab.generators if generator.tool in uncounted]
        last = [self.lines("generator", one)[-1:] for one in own]
        return round(sum(line.packets or 0.0 for lines in last for _, line in lines))


def _placed(lines: Iterable[RateSample]) -> Lines:
    """The lines with the times at which they were printed.

    A line that arrived late is placed according to the tool's own clock and the lines that arrived in time.
    """
    runs: list[list[RateSample]] = []
    for line in lines:
        if not runs or line.t < runs[-1][-1].t:  # its clock begins with its first line
            runs.append([])
        runs[-1].append(line)
    placed: Lines = []
    for run in runs:
        soonest = min((one.at - one.t for one in run if one.at is not None), default=0.0)
        for one in run:
            at = one.t if one.at is None else one.at
            placed.append((max(one.t + soonest, at - _LATEST), one))
    return placed
