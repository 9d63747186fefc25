"""Which settings hold for the iterations that a comparison is made of, and how they differ.

A reading holds from when it was taken until the next one of its host; one that came after a session's first
iterations holds for them too, as nothing else is known of them; not in an experiment, which changes its hosts
between iterations. An imported configuration names its cases.
"""

import datetime
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.host_settings import EVERYTHING, HostSettings, SettingsSource
from fwdtui.core.model import Caution, Iteration, Session
from fwdtui.core.units import parse_duration
from fwdtui.report.iterations import CaseSet
from fwdtui.report.sides import Side
from fwdtui.stats.results import Judged

if TYPE_CHECKING:
    from fwdtui.report.settings_difference import SettingsDifference


class KeptOf:
    """The settings of the sides of a comparison, each session's read once."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[HostSettings, ...]] = {}
        self._alike: dict[object, HostSettings] = {}
        self._one_of: dict[tuple[tuple[str, ...], int], HostSettings] = {}
        self.problems: list[Caution] = []

    def of(self, path: str) -> tuple[HostSettings, ...]:
        """All that the session in this folder has."""
        if path not in self._kept:
            from fwdtui.store import host_settings  # late: value files need no msgspec

            stored = host_settings.read(Path(path))
            self._kept[path] = stored.settings
            self.problems += [Caution("damage", problem) for problem in stored.problems]
        return self._kept[path]

    def of_case(self, cases: CaseSet) -> tuple[HostSettings, ...]:
        """Those that hold for the iterations of one case that count; () of a value file."""
        if cases.session is None:
            return ()
        kept = [one for one in self.of(cases.session.path) if not one.cases or cases.name in one.cases]
        by_host: dict[str, list[HostSettings]] = {}
        for one in kept:
            by_host.setdefault(one.host, []).append(one)
        interval = _interval(cases.session)
        held = [one for readings in by_host.values() for one in _holding(readings, cases.used, interval)]
        # in an experiment a state comes back many times
        return tuple({id(one): one for one in map(self._one_of_alike, held)}.values())

    def _one_of_alike(self, reading: HostSettings) -> HostSettings:
        """The first reading that says the same: sessions that were made alike are told about together."""
        # readings from one file have the same sources, which are held by `_kept`
        key = (reading.roles, id(reading.sources))
        if key not in self._one_of:
            self._one_of[key] = self._first_alike(reading)
        return self._one_of[key]

    def _first_alike(self, reading: HostSettings) -> HostSettings:
        says = tuple(
            (one.name, one.absent, one.missing, one.unsteady, one.unread, *one.values.items())
            for one in reading.sources
        )
        return self._alike.setdefault((reading.roles, says), reading)


_SECOND = datetime.timedelta(seconds=1)


def _holding(
    readings: Sequence[HostSettings], used: Sequence[Iteration], interval: float
) -> list[HostSettings]:
    """The readings of one host that hold for these iterations, in their order; sampled every `interval`."""
    times = [_moment(one.taken) for one in readings]
    if None in times or not used:
        return list(readings)
    places: set[int] = set()
    unknown: list[HostSettings] = []
    for iteration in used:
        began = _moment(iteration.began)
        if began is None:
            return list(readings)
        latest = began if iteration.planned is None else began + _older(iteration.began, interval)
        earlier = [place for place, taken in enumerate(times) if taken is not None and taken <= latest]
        if earlier or iteration.planned is None:
            places.add(max(earlier, default=0))
        elif not unknown:
            none = SettingsSource(EVERYTHING, missing="nothing was read before the first iterations")
            unknown.append(HostSettings(readings[0].host, roles=readings[0].roles, sources=(none,)))
    return [*unknown, *(one for place, one in enumerate(readings) if place in places)]


def _older(began: str, interval: float) -> datetime.timedelta:
    """By so much a blast may be dated before the reading that an experiment makes just before it sends.

    It is dated by the last quiet sample, an interval before, or two if one was late. The next reading follows
    its end, which is seen half a second and two intervals later. Older recordings have whole seconds.
    """
    if "." in began:
        return datetime.timedelta(seconds=2.0 * interval + 0.5)
    return max(datetime.timedelta(seconds=interval), _SECOND)


def _interval(session: Session) -> float:
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


def compare_sides(
    sides: Sequence[Side], judged: Sequence[Judged], kept: KeptOf | None = None
) -> "tuple[tuple[SettingsDifference, ...], tuple[Caution, ...]]":
    """One comparison for each candidate, or several if its cases ran under different settings; and damage.

    Nothing if no side has any settings. `kept`: what was read before.
    """
    kept = KeptOf() if kept is None else kept
    by_label = {side.label: side for side in sides}
    if not any(kept.of(session.path) for side in sides for session in side.sessions):
        return (), tuple(kept.problems)
    from fwdtui.report.settings_difference import compare  # late: value files have no settings

    groups: dict[tuple[str, tuple[int, ...], tuple[int, ...]], list[str]] = {}
    pairs: dict[object, tuple[Sequence[HostSettings], Sequence[HostSettings], tuple[str, str]]] = {}
    for one in judged:
        case, labels = one.comparison.case, (one.base.label, one.other.label)
        base, other = (kept.of_case(by_label[label].case(case)) for label in labels)
        # readings are held by `kept`, so their identity tells them apart
        group = labels[1], tuple(map(id, base)), tuple(map(id, other))
        pairs[group] = base, other, labels
        groups.setdefault(group, []).append(case)
    differences = tuple(compare(*pairs[group], cases=cases) for group, cases in groups.items())
    return differences, tuple(kept.problems)
