"""Which settings hold for the iterations that a comparison is made of (`held`), and how they differ.

An imported configuration names the cases that it holds for.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.core.host_settings import EVERYTHING, HostSettings, SettingsSource
from fwdtui.core.model import Caution, Iteration
from fwdtui.report import held
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
        """All settings that the session in this folder has."""
        if path not in self._kept:
            from fwdtui.store import host_settings  # late: value files need no msgspec

            stored = host_settings.read(Path(path))
            self._kept[path] = stored.settings
            self.problems += [Caution("damage", problem) for problem in stored.problems]
        return self._kept[path]

    def of_case(self, cases: CaseSet) -> tuple[HostSettings, ...]:
        """The settings that hold for the iterations of one case that count; () for a value file."""
        if cases.session is None:
            return ()
        kept = [one for one in self.of(cases.session.path) if not one.cases or cases.name in one.cases]
        by_host: dict[str, list[HostSettings]] = {}
        for one in kept:
            by_host.setdefault(one.host, []).append(one)
        interval = held.interval_of(cases.session)
        holding = [one for readings in by_host.values() for one in _holding(readings, cases.used, interval)]
        # in an experiment a state comes back many times
        return tuple({id(one): one for one in map(self._one_of_alike, holding)}.values())

    def _one_of_alike(self, reading: HostSettings) -> HostSettings:
        """The first reading that says the same: sessions under equal settings are told about together."""
        # equal readings from one file share their sources, which `_kept` keeps alive
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


def _holding(
    readings: Sequence[HostSettings], used: Sequence[Iteration], interval: float
) -> list[HostSettings]:
    """The readings of one host that hold for these iterations, in their order.

    `interval`: seconds between the iterations' samples.
    """
    if not used:
        return list(readings)
    each = held.by_iteration(readings, used, interval)
    places = {id(one) for those in each for one in those}
    unknown: list[HostSettings] = []
    if not all(each):
        none = SettingsSource(EVERYTHING, missing="nothing was read before the first iterations")
        unknown.append(HostSettings(readings[0].host, roles=readings[0].roles, sources=(none,)))
    return [*unknown, *(one for one in readings if id(one) in places)]


def compare_sides(
    sides: Sequence[Side], judged: Sequence[Judged], kept: KeptOf | None = None
) -> "tuple[tuple[SettingsDifference, ...], tuple[Caution, ...]]":
    """One difference for each candidate, or several if its cases ran under different settings; and damage.

    No differences if no side has any settings. `kept`: settings that were read before.
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
        # `kept` keeps the readings alive, so their identity tells them apart
        group = labels[1], tuple(map(id, base)), tuple(map(id, other))
        pairs[group] = base, other, labels
        groups.setdefault(group, []).append(case)
    differences = tuple(compare(*pairs[group], cases=cases) for group, cases in groups.items())
    return differences, tuple(kept.problems)
