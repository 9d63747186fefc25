"""Which interactions a comparison by a factor shows: 2x2 tables of the compared levels by those of another.

Each of several candidates is compared with the baseline, and each of several levels with the first one. Every
interaction is a test of its own, and all of them share the error rate (Holm), so that each weakens every
verdict: where there would be many, none is shown, and a note names the options that show one.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fwdtui.core.factors import Level, plain
from fwdtui.core.model import Caution
from fwdtui.core.shell_words import quote
from fwdtui.report.factor_view import FactorView, LevelTexts
from fwdtui.report.pairing import Pair
from fwdtui.report.sides import Side, cell_levels
from fwdtui.stats.interaction_verdict import Cross

MOST = 12
"""The most interactions that are shown of one factor with over two levels, or with several candidates."""
NOT_SHOWN = "interactions-not-shown"

Cells = Mapping[str, Mapping[str, Level]]


class Crossed(NamedTuple):
    """The interactions to show, and a note for each factor of which there are too many."""

    crosses: list[Cross]
    notes: list[Caution]


def crosses(sides: Sequence[Side], pairs: Sequence[Pair], view: FactorView) -> Crossed:
    """Each candidate against the baseline, at each level of another factor against the first level.

    There is one for each combination of the levels of the remaining factors in which all four cells were
    measured in one unit: a rate and a latency have no effect in common. There are none for factors that are
    compared jointly if there are several candidates: these differ in several ways.
    """
    base, *others = sides
    if not base.levels or not pairs or (len(others) > 1 and len(view.by) > 1):
        return Crossed([], [])
    texts = LevelTexts(view, cell_levels(sides), strict=False)
    crossed: list[Cross] = []
    notes: list[Caution] = []
    for name in next(iter(base.cases.values())).within:
        levels = _levels(sides, name, texts)
        made = [cross for other in others for cross in _of(base, other, pairs, name, view, texts)]
        if len(made) > MOST and (len(others) > 1 or len(levels) > 2):
            notes.append(_not_shown(len(made), name, levels, sides, view))
        else:
            crossed += made
    return Crossed(crossed, notes)


def _of(
    base: Side, other: Side, pairs: Sequence[Pair], name: str, view: FactorView, texts: LevelTexts
) -> Iterator[Cross]:
    places = {case: place for place, (case, _, sets) in enumerate(pairs) if sets.label == other.label}
    cells = {case: base.cases[case].within for case in base.cases if case in places}
    units = {case: base.cases[case].unit or other.cases[case].unit for case in cells}
    subject = texts.joined(other.levels)
    if subject == texts.joined(base.levels):  # the same label for both: the side's own tells them apart
        subject = other.label
    for first, second in _at_both(cells, name, texts):
        if units[first] != units[second] and units[first] and units[second]:
            continue
        at = [cells[case][name] for case in (first, second)]
        within = {rest: one for rest, one in cells[first].items() if rest != name}
        shown = [texts.apart(name, one) for one in at]
        words = [texts.words_apart(name, one) for one in at]
        yield Cross(
            first=places[first],
            second=places[second],
            by=view.by,
            factor=name,
            levels=(shown[0], shown[1]),
            within={rest: plain(one) for rest, one in within.items()},
            case=" ".join(texts.words_apart(rest, one) for rest, one in within.items()),
            words=(subject, words[0], words[1]),
        )


def _levels(sides: Sequence[Side], name: str, texts: LevelTexts) -> list[Level]:
    """The levels of a factor in their order."""
    levels = {one.within[name].identity: one.within[name] for side in sides for one in side.cases.values()}
    return sorted(levels.values(), key=lambda one: texts.rank({name: one}))


def _at_both(cells: Cells, name: str, texts: LevelTexts) -> Iterator[tuple[str, str]]:
    """For each combination of other factors: the case at the first level of `name`, with each at another."""
    levels = {one[name].identity: one[name] for one in cells.values()}
    order = sorted(levels, key=lambda identity: texts.rank({name: levels[identity]}))
    groups: dict[tuple[tuple[str, float | str], ...], dict[tuple[str, float | str], str]] = {}
    for case, one in cells.items():
        rest = tuple(level.identity for other, level in one.items() if other != name)
        groups.setdefault(rest, {})[one[name].identity] = case
    for group in groups.values():
        for identity in order[1:]:
            if order[0] in group and identity in group:
                yield group[order[0]], group[identity]


def _not_shown(
    count: int, name: str, levels: Sequence[Level], sides: Sequence[Side], view: FactorView
) -> Caution:
    """The note on what to type to see one of them: two levels of each factor, the first and the last."""
    chosen = [(name, levels[0]), (name, levels[-1])]
    if len(sides) > 2:
        ((compared, first),) = sides[0].levels.items()
        chosen = [(compared, first), (compared, sides[-1].levels[compared]), *chosen]
    options = " ".join(f"--filter {quote(f'{factor}={one.text}')}" for factor, one in chosen)
    text = (
        f"{count} interactions of {', '.join(view.by)} with {name} are not shown, as all of them together "
        f"would weaken every verdict; choose two levels of each to see one: {options}"
    )
    return Caution(NOT_SHOWN, text)
