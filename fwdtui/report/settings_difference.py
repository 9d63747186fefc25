"""How the settings of two sides differ: every setting that both have, and whatever could not be compared.

Hosts are compared by their role. A side may have several readings, from several sessions or from one whose
settings changed between its iterations: a setting on which they do not agree is told, and not compared.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fwdtui.core.host_settings import DUT, EVERYTHING, SECRET, HostSettings, SettingsSource
from fwdtui.core.volatile import conditions, is_volatile

_NOT_READ = "not read"
NOT_INSTALLED = "not installed"
_NOT_SUPPORTED = "not supported"
_KERNEL_OPTIONS = "kernel configuration"
"""The source whose names sound like those of secrets, but are not."""
_BRING_RULES = frozenset({"nft", "iptables", "ip6tables", "pf status", "pf rules", "pf nat", "ipfw"})
"""Sources that are empty if their program is not installed: what it shows, it has set itself."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One setting with two values; None: it is not set there."""

    role: str
    source: str
    key: str
    base: str | None
    other: str | None


@dataclass(frozen=True, slots=True)
class Varying:
    """One setting on which the readings of one side do not agree; None among `values`: not set in one."""

    label: str
    role: str
    source: str
    key: str
    values: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class NotCompared:
    """What could not be compared, and why. `source` "": the whole host."""

    role: str
    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class SettingsDifference:
    """The settings of the baseline and of one candidate, for the cases in `cases`.

    `compared`: how many settings could be compared; `sources`: where they are from, as (role, source).
    `varying`: those on which the readings of one side do not agree. `secrets`: how many pairs of values are
    not kept, so that it is not known whether they differ. `volatile`: how many values were left out because
    they change by themselves.
    """

    base: str
    other: str
    cases: tuple[str, ...]
    compared: int = 0
    sources: tuple[tuple[str, str], ...] = ()
    differences: tuple[Difference, ...] = ()
    varying: tuple[Varying, ...] = ()
    not_compared: tuple[NotCompared, ...] = ()
    secrets: int = 0
    volatile: int = 0

    @property
    def roles(self) -> tuple[str, ...]:
        """The hosts whose settings were compared."""
        return tuple(dict.fromkeys(role for role, _ in self.sources))


def compare(
    base: Sequence[HostSettings],
    other: Sequence[HostSettings],
    labels: tuple[str, str],
    cases: Sequence[str] = (),
) -> SettingsDifference:
    """Compare the settings of two sides. `base` and `other`: all readings that hold for their iterations."""
    reading = _Comparison(labels)
    seen: list[tuple[list[HostSettings], list[HostSettings]]] = []
    for role in _roles([*base, *other]):
        pair = [one for one in base if role in one.roles], [one for one in other if role in one.roles]
        if pair in seen:  # one host with two roles
            continue
        seen.append(pair)
        reading.host(role, *pair)
    return SettingsDifference(
        *labels,
        tuple(cases),
        reading.compared,
        tuple(reading.sources),
        tuple(reading.differences),
        tuple(reading.varying),
        tuple(reading.not_compared),
        reading.secrets,
        reading.volatile,
    )


def _roles(readings: Sequence[HostSettings]) -> list[str]:
    """All roles, the DUT's first."""
    roles = sorted({role for one in readings for role in one.roles})
    return sorted(roles, key=lambda role: role != DUT)


class _Comparison:
    def __init__(self, labels: tuple[str, str]) -> None:
        self._labels = labels
        self.compared = self.secrets = self.volatile = 0
        self.sources: list[tuple[str, str]] = []
        self.differences: list[Difference] = []
        self.varying: list[Varying] = []
        self.not_compared: list[NotCompared] = []

    def host(self, role: str, base: Sequence[HostSettings], other: Sequence[HostSettings]) -> None:
        """Compare the hosts of one role."""
        sides = [list(base), list(other)]
        for label, readings in zip(self._labels, sides, strict=True):
            if not readings:
                self._missing(role, "", f"no settings of it in {label}")
            for one in list(readings):
                if (all_of_it := one.source(EVERYTHING)) is not None:
                    readings.remove(one)
                    self._missing(role, "", f"not read in {label}: {all_of_it.missing}")
        if not all(sides):
            return
        names = dict.fromkeys(source.name for side in sides for one in side for source in one.sources)
        for name in names:
            self._source(role, name, [[one.source(name) for one in side] for side in sides])

    def _source(self, role: str, name: str, sides: Sequence[Sequence[SettingsSource | None]]) -> None:
        """Compare one source in several readings of two sides."""
        causes = [{_cause(one) for one in side} - {""} for side in sides]
        not_here = _not_here(name)
        if causes[0] == causes[1] and len(causes[0]) == 1 and causes[0] <= not_here:
            return
        readable = [[one for one in side if one is not None and not one.missing] for side in sides]
        if not any(one.values for side in readable for one in side) and all(
            cause <= {_NOT_READ} | not_here for cause in causes
        ):
            return  # nothing is set where it was looked for, and it is not known what is set elsewhere
        for label, words in zip(self._labels, causes, strict=True):
            for cause in sorted(words):
                self._missing(role, name, f"{cause} in {label}")
        if all(readable):
            self._settings(role, name, readable)

    def _settings(self, role: str, name: str, sides: Sequence[Sequence[SettingsSource]]) -> None:
        every = [one for side in sides for one in side]
        aside = {key for one in every for key in (*one.unsteady, *one.unread)}
        self.volatile += max(one.volatile for one in every) + len(
            {key for one in every for key in one.unsteady}
        )
        for label, side in zip(self._labels, sides, strict=True):
            if unread := {key for one in side for key in one.unread}:
                self._missing(role, name, f"{_settings(len(unread))} not readable in {label}")
            if skipped := {note for one in side for note in one.skipped}:
                self._missing(role, name, f"{_places(len(skipped))} not understood in {label}")
        self.sources.append((role, name))
        keys = dict.fromkeys(key for one in every for key in one.values)
        there = conditions(name, keys)
        for key in keys:
            if key in aside:
                continue
            values = [tuple(dict.fromkeys(one.values.get(key) for one in side)) for side in sides]
            if not _agree(values):
                if is_volatile(name, key, there):
                    self.volatile += 1
                    continue
                values = [tuple(dict.fromkeys(_as_kept(name, key, text) for text in side)) for side in values]
            if _agree(values):
                self._equal(values[0][0])
            else:
                self._differs(role, name, key, values)

    def _equal(self, value: str | None) -> None:
        if value is not None and SECRET in value:
            self.secrets += 1
        else:
            self.compared += 1

    def _differs(self, role: str, name: str, key: str, values: Sequence[tuple[str | None, ...]]) -> None:
        alike = True
        for label, texts in zip(self._labels, values, strict=True):
            if len(texts) > 1:
                self.varying.append(Varying(label, role, name, key, texts))
                alike = False
        if alike:
            self.compared += 1
            self.differences.append(Difference(role, name, key, values[0][0], values[1][0]))

    def _missing(self, role: str, name: str, reason: str) -> None:
        one = NotCompared(role, name, reason)
        if one not in self.not_compared:
            self.not_compared.append(one)


def _not_here(source: str) -> frozenset[str]:
    """Causes that mean, if both sides have them, that there is nothing to compare.

    That a program is missing is such a cause only for what the program itself sets: a card has rings and
    offloads whether there is an ethtool to show them or not.
    """
    return frozenset({_NOT_SUPPORTED, *([NOT_INSTALLED] if source in _BRING_RULES else [])})


def _cause(source: SettingsSource | None) -> str:
    """Why a source has no settings, "" if it has."""
    return _NOT_READ if source is None else source.missing


def _agree(values: Sequence[tuple[str | None, ...]]) -> bool:
    return values[0] == values[1] and len(values[0]) == 1


def _as_kept(source: str, key: str, text: str | None) -> str | None:
    """A value as it would be kept today: older versions knew fewer forms of secrets, and kept some."""
    from fwdtui.core import redaction  # late: its patterns take 30 ms, and most sides agree

    if text is None:
        return None
    return redaction.in_text(text) if source == _KERNEL_OPTIONS else redaction.value(key, text)


def _settings(count: int) -> str:
    return "1 setting" if count == 1 else f"{count:,} settings"


def _places(count: int) -> str:
    return "1 place" if count == 1 else f"{count:,} places"


def in_sources(differences: Sequence[Difference]) -> Iterator[tuple[str, str, list[Difference]]]:
    """The differences by role and source, in their order."""
    groups: dict[tuple[str, str], list[Difference]] = {}
    for one in differences:
        groups.setdefault((one.role, one.source), []).append(one)
    for (role, source), group in groups.items():
        yield role, source, group
