"""Which interactions a comparison by factors shows: the compared levels by two of another factor."""

from collections.abc import Iterator, Mapping, Sequence

from fwdtui.core.factors import Level, plain
from fwdtui.report.factor_view import FactorView, LevelTexts
from fwdtui.report.pairing import Pair
from fwdtui.report.sides import Side, cell_levels
from fwdtui.stats.interaction_verdict import Cross

Cells = Mapping[str, Mapping[str, Level]]


def crosses(sides: Sequence[Side], pairs: Sequence[Pair], view: FactorView) -> list[Cross]:
    """For two levels compared, and each factor with two levels: one for all levels of the others.

    Only where all four cells were measured. There are none with several candidates.
    """
    base, *others = sides
    if len(others) != 1 or not base.levels or not pairs:
        return []
    places = {case: place for place, (case, _, _) in enumerate(pairs)}
    cells = {case: base.cases[case].within for case in places}
    names = list(next(iter(cells.values())))
    texts = LevelTexts(view, cell_levels(sides), strict=False)
    subject = texts.joined(others[0].levels)
    found = []
    for name in names:
        rest = [other for other in names if other != name]
        for first, second in _at_both(cells, name, rest):
            at = [cells[case][name] for case in (first, second)]
            within = {other: cells[first][other] for other in rest}
            shown = [texts.label(name, one) for one in at]
            words = [texts.in_words(name, one) for one in at]
            cross = Cross(
                first=places[first],
                second=places[second],
                by=view.by,
                factor=name,
                levels=(shown[0], shown[1]),
                within={other: plain(one) for other, one in within.items()},
                case=texts.joined(within),
                words=(subject, words[0], words[1]),
            )
            found.append(cross)
    return found


def _at_both(cells: Cells, name: str, rest: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The two cases of each combination of the other factors, if `name` has two levels; in their order."""
    if len({one[name].identity for one in cells.values()}) != 2:
        return
    first = next(iter(cells.values()))[name].identity
    groups: dict[tuple[tuple[str, float | str], ...], dict[bool, str]] = {}
    for case, one in cells.items():
        group = groups.setdefault(tuple(one[other].identity for other in rest), {})
        group[one[name].identity == first] = case
    for group in groups.values():
        if len(group) == 2:
            yield group[True], group[False]
