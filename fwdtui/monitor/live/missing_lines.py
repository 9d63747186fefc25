"""Parts of a blast that are in no line of a tool, where only its lines say what it sent or received.

A receiver that was not ready yet prints nothing about the packets that it missed, nor does one that was
started again; lines may be garbled where a tool and its shell print at once; and a generator goes on for a
while after the connection to its host is lost. The median of the other lines looks like that of all of them,
and their sum like the packets of the whole blast.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

import msgspec

from fwdtui.core.arrived import QUIET
from fwdtui.core.interval import JOINED, MUCH
from fwdtui.core.lab import Endpoint
from fwdtui.core.model import TOOL_ENDS, Caution, EventSample, Packets
from fwdtui.core.roles import ATTACK
from fwdtui.monitor.live.averages import Bounds, part
from fwdtui.monitor.live.flows import is_from
from fwdtui.monitor.live.series import Point
from fwdtui.monitor.live.ticks import LATE_AFTER
from fwdtui.monitor.live.tool_lines import Lines, Printed

_RISEN = 0.1
"""Share of the highest rate: below it, what the DUT sends may be packets of others."""
_TOGETHER = 3.0
"""Seconds between two events that have the same cause."""


class MissingLines(msgspec.Struct, frozen=True):
    """Seconds of a blast that are in no line of these tools: the receiver's, and those that generate."""

    received: float = 0.0
    wanted: float = 0.0
    attack: float = 0.0

    def known(self, packets: Packets | None) -> Packets | None:
        """The packets without the sums of lines that are incomplete."""
        if packets is None:
            return None
        incomplete = {
            "received": self.received > 0.0,
            "offered": self.wanted > 0.0,
            "attack": self.attack > 0.0,
            "unaccounted": self.wanted > 0.0 or self.attack > 0.0,
        }
        return msgspec.structs.replace(packets, **{name: None for name, lacks in incomplete.items() if lacks})

    def cautions(self, lasted: float) -> Iterator[Caution]:
        """The warnings for a blast of `lasted` seconds."""
        if self.received:
            missed = f"{self.received:.1f} s of the blast are in no line of the receiver"
            text = f"{missed}; the value covers the rest."
            yield Caution("value-gap" if self.received >= MUCH * lasted else "gap", text)
        for what, seconds in (("The offered load", self.wanted), ("The rate of the attack", self.attack)):
            if seconds:
                missed = f"{what} is not known for {seconds:.1f} s of the blast (lines are missing)"
                yield Caution("gap", f"{missed}; its rate is of the rest.")


def missing_lines(
    printed: Printed, uncounted: Collection[str], forwarded: Sequence[Point] = ()
) -> MissingLines:
    """What is missing in the lines around a blast.

    `uncounted`: tools whose packets the kernel's counters do not see. `forwarded`: the rates of the DUT's
    output, which show when there was something to receive.
    """
    lab = printed.lab
    seconds = {"received": 0.0, "wanted": 0.0, "attack": 0.0}
    if lab.receiver is not None and lab.receiver.tool in uncounted:
        lines = printed.lines("receiver", lab.receiver)
        holes = [*_before(lines, printed), *_between(lines, printed, anew=True)]
        seconds["received"] = sum(_with_traffic(hole, printed, forwarded) for hole in holes)
    for generator in lab.generators:
        if generator.tool in uncounted:
            role = "attack" if generator.role == ATTACK else "wanted"
            lines = printed.lines("generator", generator)
            holes = [*_between(lines, printed, anew=False), *_after(lines, printed, generator)]
            seconds[role] = max(seconds[role], sum(end - start for start, end in holes))
    return MissingLines(**seconds)


def _between(lines: Lines, printed: Printed, anew: bool) -> Iterator[Bounds]:
    """The stretches between two lines that neither of them covers, by the tool's clock and by their arrival.

    A clock that is set makes no hole, nor do lines that arrive late. `anew`: also those in which the tool was
    started again; a generator sends nothing then.
    """
    for (earlier, old), (later, new) in pairwise(lines):
        end = later - new.interval
        if new.t > old.t:
            apart = [end - earlier, new.t - new.interval - old.t]
            if old.at is not None and new.at is not None:
                apart.append(new.at - new.interval - old.at)
            start = end - min(apart)
        elif anew:
            start = earlier
        else:
            continue
        hole = max(start, printed.began), min(end, printed.ended)
        if hole[1] - hole[0] > JOINED * new.interval:
            yield hole


def _before(lines: Lines, printed: Printed) -> Iterator[Bounds]:
    """The stretch from the beginning of the blast to the first line, if that did not come at once."""
    for at, first in lines[:1]:
        if at - first.interval - printed.began > LATE_AFTER * max(printed.lab.interval, first.interval):
            yield printed.began, at - first.interval


def _after(lines: Lines, printed: Printed, generator: Endpoint) -> Iterator[Bounds]:
    """The stretch from a generator's last line to the end of the blast, unless it stopped sending there."""
    for at, last in lines[-1:]:
        late = printed.ended - at > LATE_AFTER * max(printed.lab.interval, last.interval)
        if late and not _is_over(printed, generator):
            yield at, printed.ended


def _is_over(printed: Printed, generator: Endpoint) -> bool:
    """Whether a generator is known to have ended. If its host was lost just then, it may go on unheard."""
    events = [one for one in printed.samples if isinstance(one, EventSample)]
    lost = [one.at for one in events if one.code == "host-lost" and one.host == generator.host]
    return any(
        one.code in TOOL_ENDS
        and one.role == "generator"
        and is_from(one, generator)
        and printed.began < one.at
        and not any(abs(one.at - at) <= _TOGETHER for at in lost)
        for one in events
    )


def _with_traffic(hole: Bounds, printed: Printed, forwarded: Sequence[Point]) -> float:
    """The seconds of a hole in which the DUT forwarded; all of it if that is not known."""
    inside = [one for one in forwarded if printed.began < one.at and one.at - one.seconds < printed.ended]
    most = max((one.value or 0.0 for one in inside), default=0.0)
    idle = [one for one in inside if one.value is not None and one.value < max(QUIET, _RISEN * most)]
    return max(hole[1] - hole[0] - sum(part(one, hole) for one in idle), 0.0)
