"""Which sets are compared with which: case by case, and nothing left out without a note."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.metrics import one_unit
from fwdtui.core.model import Case, Caution
from fwdtui.core.text import clean
from fwdtui.report import hygiene
from fwdtui.report.factor_cautions import factor_cautions, refuse_mixed, unlike
from fwdtui.report.iterations import CaseSet, iteration_folder, methods_of, units_of, unread
from fwdtui.report.loads import of_loads
from fwdtui.report.sides import Side, sessions_of
from fwdtui.stats.results import ResultSet

_KERNEL = ".kernel_config"  # the fact that names a kernel's configuration

Pair = tuple[str, ResultSet, ResultSet]
"""The name of a case as it is shown, the baseline's set and the candidate's."""

VALUES = "values"
"""The case of value files whose names have nothing in common."""

_DATA_SUFFIXES = frozenset({"pps", "bps", "data", "dat", "txt", "csv", "values"})


@dataclass(frozen=True, slots=True)
class Pairing:
    """What is compared with what: `pairs` in the order of the baseline's cases, then of the candidates.

    `notes` are warnings that belong to no pair: cases that only one side has, damage in a session.
    """

    pairs: tuple[Pair, ...]
    notes: tuple[Caution, ...]


def pair(sides: Sequence[Side]) -> Pairing:
    """Pair the baseline `sides[0]` with each of the others.

    Raises FwdtuiError if nothing can be paired, or if the values of a case do not belong together.
    """
    base, others = sides[0], sides[1:]
    notes: list[Caution] = []
    pairs_of: dict[str, list[Pair]] = {name: [] for name in base.cases}
    shown_of: list[CaseSet] = []
    for other in others:
        for name, mine, theirs, shown in _matches(base, other, sides, notes):
            _check(shown, (base, mine), (other, theirs))
            candidate = qualified(mine, theirs, tuple(base.levels))
            if twice := _one_source(base, other, mine, theirs):
                candidate = msgspec.structs.replace(candidate, cautions=(*candidate.cautions, twice))
            pairs_of[name].append((shown, mine.result, candidate))
            shown_of += mine, theirs
    pairs = tuple(one for name in base.cases for one in pairs_of[name])
    if not pairs:
        raise FwdtuiError(
            "no case in common: "
            + "; ".join(f"{side.spec} has {', '.join(side.cases) or 'no cases'}" for side in sides)
        )
    return Pairing(pairs, (*_of_sessions(sides, shown_of), *notes))


def alone(side: Side) -> tuple[Caution, ...]:
    """The notes on a side that is shown by itself. Raises FwdtuiError if the values of a case do not belong
    together, as `pair` does.
    """
    for name, one in side.cases.items():
        _check(name, (side, one))
    return _of_sessions([side], [*side.cases.values()])


def _of_sessions(sides: Sequence[Side], shown: Sequence[CaseSet]) -> tuple[Caution, ...]:
    told = {
        iteration_folder(one.session, Case(one.name), iteration)
        for one in shown
        if one.session is not None
        for iteration in one.left_out
    }
    return (*simulated(sides), *damage(sides, told), *hygiene.cautions(sides))


def _matches(
    base: Side, other: Side, sides: Sequence[Side], notes: list[Caution]
) -> list[tuple[str, CaseSet, CaseSet, str]]:
    """For each match (the baseline's case, its set, the candidate's set, the name to show)."""
    if not (base.sessions and other.sessions):
        first, second = _only(base, other), _only(other, base)
        files = [side for side in sides if not side.sessions]
        shown = second if other.sessions else first if base.sessions else _file_case(files)
        return [(first, base.cases[first], other.cases[second], shown)]
    if base.chosen and other.chosen:
        first, second = next(iter(base.cases)), next(iter(other.cases))
        shown = first if first == second else f"{first} / {second}"
        return [(first, base.cases[first], other.cases[second], shown)]
    if not (base.chosen or other.chosen):
        notes += _unpaired(base, other)
        notes += _unpaired(other, base)
    elif not set(base.cases) & set(other.cases):
        notes += _unpaired(base, other) if base.chosen else _unpaired(other, base)
    return [(name, base.cases[name], other.cases[name], name) for name in base.cases if name in other.cases]


def _only(side: Side, beside: Side) -> str:
    """The single case of a side that is compared with a value file."""
    if len(side.cases) != 1:
        raise FwdtuiError(
            f"{side.spec}: a value file ({beside.spec}) is compared with one case; "
            f"write {side.spec}:CASE, CASE one of {', '.join(side.cases)}"
        )
    return next(iter(side.cases))


def _file_case(files: Sequence[Side]) -> str:
    return common_name([next(iter(side.cases)) for side in files])


def common_name(names: Sequence[str]) -> str:
    """The parts at their ends that all names share: ``r1.inet4.pps``, ``r1D27401.inet4.pps`` -> ``inet4``.

    Without suffixes of data files; VALUES if nothing is left.
    """
    parts = [re.split(r"([._-])", clean(name)) for name in names]
    shared: list[str] = []
    for at_place in zip(*map(reversed, parts), strict=False):
        if len(set(at_place)) > 1:
            break
        shared.insert(0, at_place[0])
    while shared and (not shared[-1].strip("._-") or shared[-1].lower() in _DATA_SUFFIXES):
        shared.pop()
    return "".join(shared).strip("._- ") or VALUES


def _unpaired(side: Side, beside: Side) -> list[Caution]:
    missing = [name for name in side.cases if name not in beside.cases]
    if not missing:
        return []
    text = f"only in {side.label}, not in {beside.label}, so not compared: {', '.join(missing)}"
    return [Caution("unpaired-case", text)]


def _one_source(base: Side, other: Side, mine: CaseSet, theirs: CaseSet) -> Caution | None:
    """A warning if both sides are one file, or one session's case: given however coarse the values are."""
    if mine.result.values != theirs.result.values or bool(base.sessions) != bool(other.sessions):
        return None
    if base.levels:  # cells have no iteration in common
        return None
    paths = [Path(side.sessions[0].path if side.sessions else side.spec) for side in (base, other)]
    try:
        if not paths[0].samefile(paths[1]):
            return None
    except (OSError, ValueError):  # standard input, or gone meanwhile
        return None
    if base.sessions and mine.used != theirs.used:
        return None
    what = "session" if base.sessions else "file"
    return Caution("same-data", f"both sides are the same {what}: nothing was compared")


def _check(case: str, *sides: tuple[Side, CaseSet]) -> None:
    """Raise FwdtuiError if values in several units would be compared, or a set mixes levels of a factor."""
    units: list[tuple[str, str]] = []
    for side, one in sides:
        where = f"{side.label} {case}"
        refuse_mixed(one, where)
        if len(those := units_of(one.used)) > 1:
            units += [(f"{where} iteration {i.index}", clean(i.unit)) for i in one.used]
        else:
            units += [(where, unit) for unit in those or [one.unit]]
    one_unit(units)


def qualified(base: CaseSet, other: CaseSet, by: Sequence[str]) -> ResultSet:
    """The candidate's set, with warnings of what makes the two sides hard to compare.

    `by`: the factors that are compared.
    """
    cautions = [*other.result.cautions, *factor_cautions(base, other, by)]
    for file, beside, which in ((base, other, "baseline"), (other, base, "candidate")):
        # a side without values has no unit either, and need not be a file
        if len(file.result.values) and (beside.recorded or beside.unit) and not (file.recorded or file.unit):
            unit = ", ".join(units_of(beside.used)) or beside.unit or "rates"
            cautions.append(_plain(f"{which}'s", unit))
    mine, theirs = ", ".join(methods_of(base.used)), ", ".join(methods_of(other.used))
    if mine and theirs and mine != theirs:
        text = f"values were taken by different methods: {mine} in the baseline, {theirs} in the candidate"
        cautions.append(Caution("trim-differs", text))
    shared = base.unit or other.unit  # a plain file is taken as in the other's unit
    cautions += of_loads(base, other, shared, by)
    why_not = unlike(base, other, by)
    if len(cautions) == len(other.result.cautions) and not why_not:
        return other.result
    return msgspec.structs.replace(other.result, cautions=tuple(cautions), unlike=why_not)


def _plain(whose: str, unit: str) -> Caution:
    """The warning about a value file beside values with a unit: it does not say what its own unit is."""
    text = f"the {whose} values are from a plain file, which names no unit: they are taken as {unit}"
    return Caution("no-unit", text)


def simulated(sides: Sequence[Side]) -> list[Caution]:
    """A note that names sessions of the simulated lab: its hosts call their kernel SIMULATED."""
    labels = [
        label
        for label, session in sessions_of(sides)
        if any(key.endswith(_KERNEL) and fact == "SIMULATED" for key, fact in session.facts.items())
    ]
    if not labels:
        return []
    names = ", ".join(dict.fromkeys(labels))
    return [Caution("simulated", f"simulated, so not a real measurement: {names}")]


def damage(sides: Sequence[Side], told: Collection[str]) -> list[Caution]:
    """Damage found in the sessions that is told nowhere else.

    `told`: the folders of iterations that are already reported as left out; if one of them cannot be read,
    its damage is the reason given there. Other iterations that cannot be read are reported here, as it is not
    known whether a filter would keep them, unless they belong to a case that was not chosen.
    """
    notes: list[Caution] = []
    for side in sides:
        for session in side.sessions:
            excluded = tuple(
                folder
                for case in session.cases
                for one in case.iterations
                if one.profile is None
                and unread(one)
                and (
                    (folder := iteration_folder(session, case, one)) in told
                    or (side.chosen and case.name not in side.cases)
                )
            )
            for problem in session.problems:
                if not problem.startswith(tuple(f"{folder}{mark}" for folder in excluded for mark in ":/")):
                    note = Caution("damage", clean(problem))
                    if note not in notes:
                        notes.append(note)
    return notes
