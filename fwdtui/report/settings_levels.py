"""How the settings differ between the levels of the other factors in a comparison by one factor.

``compare --by image`` compares two builds under each configuration: the configurations are its rows. What
differs between the configurations themselves is in no comparison of its sides, although every interaction is
about it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fwdtui.core.factors import Level
from fwdtui.core.host_settings import HostSettings
from fwdtui.report.factor_view import FactorView, LevelTexts
from fwdtui.report.iterations import CaseSet
from fwdtui.report.settings_compared import KeptOf
from fwdtui.report.sides import Side, cell_levels

if TYPE_CHECKING:
    from fwdtui.report.settings_difference import SettingsDifference

_MOST = 4
"""The most levels of a factor that are told about, each against the first; if there are more, a sentence
says so."""

Identity = tuple[str, float | str]
_Group = tuple[str, str, tuple[int, ...], tuple[int, ...]]
"""The labels of two levels, and which readings hold for each."""
_Readings = tuple[Sequence[HostSettings], Sequence[HostSettings]]


@dataclass(frozen=True, slots=True)
class LevelSettings:
    """The settings of two levels of `factor`; `found.cases` are the sides and rows that it is about."""

    factor: str
    found: "SettingsDifference"


@dataclass(frozen=True, slots=True)
class BetweenLevels:
    """How the settings differ between levels; `too_many`: factor -> how many levels, if too many to tell."""

    told: tuple[LevelSettings, ...] = ()
    too_many: Mapping[str, int] = field(default_factory=dict)

    def sentences(self) -> "dict[SettingsDifference, str]":
        """Each difference with its sentence, which names the factor and its two levels."""
        from fwdtui.report.settings_wording import sentence  # late: most comparisons tell nothing here

        heads = [(one.factor, one.found.base, one.found.other) for one in self.told]
        texts: dict[SettingsDifference, str] = {}
        for one, head in zip(self.told, heads, strict=True):
            where = f" ({', '.join(one.found.cases)})" if heads.count(head) > 1 else ""
            levels = f"{one.factor} {one.found.base} -> {one.found.other}{where}"
            texts[one.found] = f"{levels}: {sentence(one.found)}."
        return texts

    def not_told(self) -> list[str]:
        """A sentence for each factor with too many levels."""
        return [
            f"The {count} levels of {name} ran under different settings: compare them with --by {name}."
            for name, count in self.too_many.items()
        ]


NOTHING_BETWEEN = BetweenLevels()
"""There is no other factor, or all its levels ran under the same settings."""


def between_levels(sides: Sequence[Side], view: FactorView, kept: KeptOf) -> BetweenLevels:
    """Each level of each other factor against the first, if they ran under different settings.

    The cells that are compared differ in this factor alone: they belong to one side, and have the same levels
    of all other factors.
    """
    from fwdtui.report.settings_difference import compare

    names = list(next((one.within for side in sides for one in side.cases.values()), ()))
    texts = LevelTexts(view, cell_levels(sides), strict=False)
    told: list[LevelSettings] = []
    too_many: dict[str, int] = {}
    for name in names:
        groups = _of_factor(sides, name, texts, kept)
        if len({other for _, other, *_ in groups}) < _MOST:
            told += [
                LevelSettings(name, compare(*pair, (base, other), places))
                for (base, other, *_), (pair, places) in groups.items()
            ]
        else:
            levels = {one.within[name].identity for side in sides for one in side.cases.values()}
            too_many[name] = len(levels)
    return BetweenLevels(tuple(told), too_many)


def _of_factor(
    sides: Sequence[Side], name: str, texts: LevelTexts, kept: KeptOf
) -> Mapping[_Group, tuple[_Readings, list[str]]]:
    """Two levels under different readings -> these readings, and the sides and rows of the two levels."""
    rows: dict[_Group, tuple[_Readings, list[str]]] = {}
    for side in sides:
        for where, cells in _rows(side, name, texts):
            first, *others = sorted(cells, key=lambda one: texts.rank({name: one.within[name]}))
            for other in others:
                pair = kept.of_case(first), kept.of_case(other)
                labels = texts.apart(name, first.within[name]), texts.apart(name, other.within[name])
                # `kept` keeps the readings alive, so their identity tells them apart
                group = (*labels, tuple(map(id, pair[0])), tuple(map(id, pair[1])))
                if group[2] != group[3]:
                    rows.setdefault(group, (pair, []))[1].append(where)
    return rows


def _rows(side: Side, name: str, texts: LevelTexts) -> Iterable[tuple[str, list[CaseSet]]]:
    """The cells of a side that differ in `name` alone, with what they have in common, in words.

    Two rows may have the same words: ``a b`` and ``c``, ``a`` and ``b c``.
    """
    rows: dict[tuple[Identity, ...], tuple[str, list[CaseSet]]] = {}
    for one in side.cases.values():
        rest: dict[str, Level] = {other: own for other, own in one.within.items() if other != name}
        where = " ".join([side.label, texts.joined(rest)]).strip()
        key = tuple(own.identity for own in rest.values())
        rows.setdefault(key, (where, []))[1].append(one)
    return rows.values()
