"""Sides by the levels of a factor: the iterations of all sessions given, in cells that pool nothing.

A side is a level of the factors that are compared (`by`), and its cases are its cells: combinations of the
levels of the other factors that vary (`within`). A factor that changes only together with the compared one
makes no cells: factor_cautions.py warns that the difference may be due to it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import CASE, SESSION, Level, level, may_differ, spelled
from fwdtui.core.model import Case, Iteration, Session
from fwdtui.core.text import clean
from fwdtui.core.units import counted
from fwdtui.report.cells_of import (
    Cell,
    Trial,
    all_levels,
    cells,
    check_name,
    conditions_of,
    filtered,
    with_unread,
)
from fwdtui.report.factor_view import FactorView, LevelTexts
from fwdtui.report.in_metric import in_metric
from fwdtui.report.iterations import CaseSet
from fwdtui.report.pairing import VALUES, common_name
from fwdtui.report.side_trials import trials_of
from fwdtui.report.sides import Side, case_on_boots
from fwdtui.stats.figures import listing

_MOST_SHARED = 2  # levels in a name

Key = tuple[tuple[str, float | str], ...]


def seen(sides: Sequence[Side], view: FactorView) -> list[Side]:
    """The sides as `view` asks for them: in its metric, by its factors, with what its filters leave.

    Raises FwdtuiError if that would pool what differs, or if nothing is left to compare.
    """
    sides = in_metric(sides, view.metric)
    if view.by:
        return _by_factors(sides, view)
    return _narrowed(sides, view) if view.filters else list(sides)


def _trials(sides: Sequence[Side], option: str) -> list[Trial]:
    for side in sides:
        if not side.sessions:
            raise FwdtuiError(f"{clean(side.spec)}: a value file has no factors: leave out {option}")
    return trials_of(sides)


def _once(all_trials: Sequence[Trial]) -> list[Trial]:
    """Each iteration once, though its session may be named twice."""
    places: dict[tuple[Path, str], Trial] = {}
    folders = {path: Path(path).resolve() for path in {trial.session.path for trial in all_trials}}
    for trial in all_trials:
        places.setdefault((folders[trial.session.path], trial.iteration.place(trial.case.name)), trial)
    return list(places.values())


def left_by(all_trials: Sequence[Trial], view: FactorView) -> list[Trial]:
    """The trials that have one of the wanted levels of every factor in the filters."""
    left = list(all_trials)
    for name in dict.fromkeys(name for name, _ in view.filters):
        wanted = [filtered(left, {name: value}) for of, value in view.filters if of == name]
        kept = {id(trial) for some in wanted for trial in some}
        left = [trial for trial in left if id(trial) in kept]
    return left


def _narrowed(sides: Sequence[Side], view: FactorView) -> list[Side]:
    """Each side with the iterations that the filters leave; a case without any is not compared."""
    # compared by place: a profile without factors is a copy here, which was given those of its case
    left = {_place(one.session, one.case, one.iteration) for one in left_by(_trials(sides, "--filter"), view)}
    narrowed = []
    for side in sides:
        cases: dict[str, CaseSet] = {}
        for session in side.sessions:
            for case in session.cases:
                kept = tuple(one for one in case.iterations if _place(session, case, one) in left)
                if kept and case.name in side.cases:
                    one = with_unread(session, msgspec.structs.replace(case, iterations=kept))
                    cases[case.name] = case_on_boots(session, one, side.label)
        if not cases:
            raise FwdtuiError(f"{clean(side.spec)}: no iteration has {view.only()}")
        narrowed.append(replace(side, cases=cases))
    return narrowed


def _place(session: Session, case: Case, iteration: Iteration) -> tuple[str, str]:
    return session.path, iteration.place(case.name)


def _by_factors(sides: Sequence[Side], view: FactorView) -> list[Side]:
    left = left_by(_once(_trials(sides, "--by")), view)
    _check(left, view)
    by = view.by
    within = _within(left, by) if view.within is None else list(view.within)
    made = cells(left, [*by, *within])
    texts = LevelTexts(view, {name: [cell.levels[name] for cell in made] for name in (*by, *within)})
    groups: dict[Key, list[Cell]] = {}
    for cell in made:
        groups.setdefault(_key(cell.levels, by), []).append(cell)
    if len(groups) < 2:
        raise FwdtuiError(_nothing_to_compare(left, by))
    ordered = sorted(groups.values(), key=lambda group: texts.rank(_part(group[0], by)))
    ordered.insert(0, ordered.pop(_baseline(ordered, left, view, texts)))
    _need_common(ordered, by, within)
    names = _names(made, within, view, texts)
    labels = _labels([_part(group[0], by) for group in ordered], texts)
    return [
        _side(group, label, by, within, names, texts) for group, label in zip(ordered, labels, strict=True)
    ]


def _check(all_trials: Sequence[Trial], view: FactorView) -> None:
    for name in (*view.by, *(view.within or ())):
        check_name(all_trials, name)
    if both := [name for name in view.within or () if name in view.by]:
        raise FwdtuiError(f"{both[0]} is the compared factor: leave it out of --within")
    for name, _ in view.baseline:
        if name not in view.by:
            raise FwdtuiError(f"--baseline: {name} is not a compared factor; use {', '.join(view.by)}")


def _within(all_trials: Sequence[Trial], by: Sequence[str]) -> list[str]:
    """The factors that make cells if the user names none.

    Every other factor that varies while the compared ones stay the same; and case and session, where they are
    needed to keep iterations apart.
    """
    groups = _groups(all_trials, by)
    within = [
        name
        for name in conditions_of(all_trials)
        if name not in by
        and all(trial.level(name).known for trial in all_trials)
        and any(_varies(group, name) for group in groups)
    ]
    # the same conditions measured in several cases or sessions: each is compared by itself if possible
    for extra in (CASE, SESSION):
        apart = extra in (*by, *within) or not _collide(all_trials, [*by, *within], extra)
        if not apart and _in_common(all_trials, by, [*within, extra]):
            within.append(extra)
    return within


def _varies(group: Sequence[Trial], name: str) -> bool:
    return may_differ(name, [{name: trial.level(name)} for trial in group])


def _collide(all_trials: Sequence[Trial], split: Sequence[str], extra: str) -> bool:
    """Whether a cell would hold iterations of several sessions, or of several cases of one session."""
    for group in _groups(all_trials, split):
        sessions = {trial.session.path for trial in group}
        homes = {(trial.session.path, trial.case.name) for trial in group}
        if len(sessions) > 1 if extra == SESSION else len(homes) > len(sessions):
            return True
    return False


def _in_common(all_trials: Sequence[Trial], by: Sequence[str], within: Sequence[str]) -> bool:
    """Whether any combination of the levels of `within` was measured at several levels of `by`."""
    at: dict[Key, set[Key]] = {}
    for trial in all_trials:
        levels = {name: trial.level(name) for name in (*by, *within)}
        at.setdefault(_key(levels, within), set()).add(_key(levels, by))
    return any(len(levels) > 1 for levels in at.values())


def _groups(all_trials: Sequence[Trial], split: Sequence[str]) -> list[list[Trial]]:
    groups: dict[Key, list[Trial]] = {}
    for trial in all_trials:
        groups.setdefault(_key({name: trial.level(name) for name in split}, split), []).append(trial)
    return list(groups.values())


def _key(levels: Mapping[str, Level], names: Iterable[str]) -> Key:
    return tuple(levels[name].identity for name in names)


def _part(cell: Cell, names: Iterable[str]) -> dict[str, Level]:
    return {name: cell.levels[name] for name in names}


def _baseline(
    ordered: Sequence[Sequence[Cell]], all_trials: Sequence[Trial], view: FactorView, texts: LevelTexts
) -> int:
    """The place of the baseline: the one asked for, else the first in the order that the user gave.

    Without either, it is the first level in natural order that occurs in the session named first.
    """
    levels = [_part(group[0], view.by) for group in ordered]
    if view.baseline:
        wanted = {name: level(name, value).identity for name, value in view.baseline}
        for place, one in enumerate(levels):
            if all(one[name].identity == identity for name, identity in wanted.items()):
                return place
        asked = " ".join(f"{name}={value}" for name, value in view.baseline)
        there = "; ".join(spelled(one) for one in levels)
        raise FwdtuiError(f"--baseline: no iteration has {asked}; there are {there}")
    if any(texts.ordered(name) for name in view.by):
        return 0
    first = all_trials[0].session.path
    groups = [
        {name: trial.level(name) for name in view.by} for trial in all_trials if trial.session.path == first
    ]
    has = {_key(one, view.by) for one in groups}
    return next(place for place, one in enumerate(levels) if _key(one, view.by) in has)


def _nothing_to_compare(all_trials: Sequence[Trial], by: Sequence[str]) -> str:
    first = spelled({name: all_trials[0].level(name) for name in by})
    varied = [
        f"{name} ({listing([one.shown for one in all_levels(all_trials, name)])})"
        for name in conditions_of(all_trials)
        if name not in by and _varies(all_trials, name)
    ]
    text = f"every iteration has {first}, so there is nothing to compare it with"
    text = f"{text}; what varies is {', '.join(varied)}" if varied else text
    # what cannot be read may be the iterations that are looked for
    damage = [*dict.fromkeys(clean(one) for trial in all_trials for one in trial.session.problems)]
    more = f" and {counted(len(damage) - 1, 'more problem')}" if len(damage) > 1 else ""
    return f"{text}; damaged: {damage[0]}{more}" if damage else text


def _need_common(ordered: Sequence[Sequence[Cell]], by: Sequence[str], within: Sequence[str]) -> None:
    """Raise FwdtuiError if a factor in `within` has no level in common at the baseline and elsewhere."""
    base, others = ordered[0], [cell for group in ordered[1:] for cell in group]
    for name in within:
        here = {cell.levels[name].identity: cell.levels[name].shown for cell in base}
        if not any(cell.levels[name].identity in here for cell in others):
            there = dict.fromkeys(cell.levels[name].shown for cell in others)
            raise FwdtuiError(
                f"{name} changes along with {', '.join(by)}: it is {listing(list(here.values()))} with "
                f"{spelled(_part(base[0], by))}, and {listing(list(there))} elsewhere. "
                f"Leave it out of --within, or compare both: --by {','.join([*by, name])}"
            )


def _labels(levels: Sequence[Mapping[str, Level]], texts: LevelTexts) -> list[str]:
    """A label for each side, different for each."""
    if len(levels[0]) == 1:
        return _apart([texts.label(name, one) for each in levels for name, one in each.items()], levels)
    return _apart([texts.joined(each) for each in levels], levels)


def _apart(own: Sequence[str], levels: Sequence[Mapping[str, Level]]) -> list[str]:
    """The texts of `own`, all different: equal ones are followed by the levels in which they differ.

    A text that still occurs twice, as levels may be written in any way, gets a number.
    """
    told: list[str] = []
    for text, each in zip(own, levels, strict=True):
        alike = [one for other, one in zip(own, levels, strict=True) if other == text]
        differing = {
            name: one for name, one in each.items() if len({other[name].identity for other in alike}) > 1
        }
        whole = free = f"{text} ({spelled(differing)})" if differing else text
        count = 1
        while free in told:
            count += 1
            free = f"{whole} ({count})"
        told.append(free)
    return told


def _names(
    made: Sequence[Cell], within: Sequence[str], view: FactorView, texts: LevelTexts
) -> Mapping[Key, str]:
    """A name for each combination of the levels of `within`, different for each."""
    if not within:
        return {(): _only_name(made, view)}
    levels = {_key(cell.levels, within): _part(cell, within) for cell in made}
    every = list(levels.values())
    return dict(zip(levels, _apart([texts.joined(one) for one in every], every), strict=True))


def _only_name(made: Sequence[Cell], view: FactorView) -> str:
    """A name for what all cells have in common, for when nothing varies but what is compared."""
    cases = list(dict.fromkeys(clean(cell.case.name) for cell in made))
    if len(cases) == 1:
        return cases[0]
    if only := " ".join(_chosen(view)):
        return only
    if (shared := common_name(cases)) != VALUES:
        return shared
    factors = [cell.factors for cell in made]
    texts = LevelTexts(view, {}, strict=False)
    same = [
        texts.in_words(name, one)
        for name, one in factors[0].items()
        if one.known and not may_differ(name, factors)
    ]
    return " ".join(same[:_MOST_SHARED]) or VALUES


def _chosen(view: FactorView) -> list[str]:
    """The levels of those factors, not compared, of which the filters choose exactly one level."""
    names = [name for name, _ in view.filters]
    return [value for name, value in view.filters if name not in view.by and names.count(name) == 1]


def _side(
    group: Sequence[Cell],
    label: str,
    by: Sequence[str],
    within: Sequence[str],
    names: Mapping[Key, str],
    texts: LevelTexts,
) -> Side:
    levels = _part(group[0], by)
    cases: dict[str, CaseSet] = {}
    sessions: dict[str, Session] = {}
    for cell in sorted(group, key=lambda cell: texts.rank(_part(cell, within))):
        sessions.setdefault(cell.session.path, cell.session)
        one = case_on_boots(cell.session, with_unread(cell.session, cell.case), label)
        cases[names[_key(cell.levels, within)]] = replace(one, within=_part(cell, within))
    return Side(spelled(levels), label, cases, False, tuple(sessions.values()), levels)
