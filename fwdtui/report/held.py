"""Which reading of a host holds for an iteration: a reading of its settings, or of what was found in them.

A reading holds from when it was taken until the next one of its host. The first one also holds for the
iterations before it, as nothing else is known of them; but not in an experiment, which changes its hosts
between iterations.
"""

import datetime
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Iteration, Session
from fwdtui.core.units import parse_duration

_SECOND = datetime.timedelta(seconds=1)


class Reading(Protocol):
    """What was read of a host at one moment: `taken`, ISO 8601."""

    @property
    def taken(self) -> str: ...


_Reading = TypeVar("_Reading", bound=Reading)


def by_iteration(
    readings: Sequence[_Reading], used: Sequence[Iteration], interval: float
) -> list[tuple[_Reading, ...]]:
    """For each of these iterations, the reading of one host that holds for it.

    `readings` are in the order in which they were taken; `interval`: seconds between the samples. If a time
    is not known, all readings: any of them may hold. () in an experiment if nothing was read before.
    """
    times = [taken for one in readings if (taken := _moment(one.taken)) is not None]
    if len(times) < len(readings):
        return [tuple(readings)] * len(used)
    earliest = list(times)  # each, or a later one if that is earlier: a clock may have been set back
    for place in reversed(range(len(times) - 1)):
        earliest[place] = min(earliest[place : place + 2])
    held: list[tuple[_Reading, ...]] = []
    for iteration in used:
        began = _moment(iteration.began)
        if began is None:
            held.append(tuple(readings))
            continue
        place = bisect_right(earliest, began + _older(iteration.began, interval)) - 1
        if place >= 0 or iteration.planned is None:
            held.append((readings[max(place, 0)],))
        else:
            held.append(())
    return held


def _older(began: str, interval: float) -> datetime.timedelta:
    """By how much a blast may be dated earlier than the reading made just before its generator is started.

    A blast is dated by the last quiet sample, one interval before it, or two if a sample was late. The next
    reading follows the end of the blast, which is seen half a second and two intervals later. Older
    recordings have whole seconds.
    """
    if "." in began:
        return datetime.timedelta(seconds=2.0 * interval + 0.5)
    return max(datetime.timedelta(seconds=interval), _SECOND)


def interval_of(session: Session) -> float:
    """Seconds between the samples of a recording; 0 if it does not say."""
    sampling = (session.lab or {}).get("sampling")
    try:
        return parse_duration(str(sampling["interval"])) if isinstance(sampling, Mapping) else 0.0
    except (FwdtuiError, KeyError, ValueError):
        return 0.0


def _moment(text: str) -> datetime.datetime | None:
    try:
        when = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    return when if when.tzinfo else when.replace(tzinfo=datetime.UTC)
