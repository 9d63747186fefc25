"""Iterations of sessions sorted into cells by factors; what differs in another factor is never pooled."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import (
    CASE,
    ORDER,
    SESSION,
    Level,
    in_order,
    level,
    levels_of,
    may_differ,
    natural,
    of_iteration,
)
from fwdtui.core.model import Case, Iteration, Session
from fwdtui.core.text import clean
from fwdtui.report.iterations import unread

_MOST_NAMED = 4  # places in a message


@dataclass(frozen=True, slots=True)
class Trial:
    """One iteration, where it is, and its factors."""

    session: Session
    case: Case
    iteration: Iteration
    factors: Mapping[str, Level]

    @property
    def place(self) -> str:
        """``r1 inet4``, for messages."""
        return f"{clean(self.session.label)} {clean(self.case.name)}"

    def level(self, name: str) -> Level:
        """Its level of a factor; not known if it has no such factor.

        The session's label and the case's name are its levels of ``session`` and ``case``.
        """
        if name in self.factors:
            return self.factors[name]
        own = {SESSION: self.session.label, CASE: self.case.name}
        return level(name, own.get(name, ""))


@dataclass(frozen=True, slots=True)
class Cell:
    """Iterations that may form one set: all their factors are the same, and they belong to one case.

    `case` has only these iterations; `levels` are those of the factors that the cells were split by.
    """

    levels: Mapping[str, Level]
    factors: Mapping[str, Level]
    session: Session
    case: Case


def told_apart(sessions: Sequence[Session]) -> list[Session]:
    """The sessions with a different label for each folder; a folder that is named twice is one session.

    Sessions with the same label get the names of their folders added, and numbers if these are the same, too:
    two sessions are never the same level of the factor `session`.
    """
    places = [os.path.realpath(session.path) for session in sessions]
    distinct = dict(zip(places, sessions, strict=True))
    counted = Counter(session.label for session in distinct.values())
    labels: dict[str, str] = {}
    taken: Counter[str] = Counter()
    for place, session in distinct.items():
        label = session.label
        if counted[label] > 1:
            label = f"{label} ({clean(Path(session.path).name)})"
        taken[label] += 1
        labels[place] = label if taken[label] == 1 else f"{label} ({taken[label]})"
    return [
        session if labels[place] == session.label else msgspec.structs.replace(session, label=labels[place])
        for place, session in zip(places, sessions, strict=True)
    ]


def trials(sessions: Sequence[Session]) -> list[Trial]:
    """All iterations, including those that do not count: their reasons must not get lost.

    Iterations whose factors are not known, as they cannot be read, are not among them: `with_unread` adds
    those to a case.
    """
    every = [case for session in sessions for case in session.cases]
    own = any(one.factors for case in every for one in case.iterations)
    return [
        Trial(session, case, one, _factors(session, case, one))
        for session in sessions
        for case in session.cases
        for one in _in_cells(case, own)
    ]


def with_unread(session: Session, case: Case) -> Case:
    """`case`, which has some iterations of a session's case, with those of that case that cannot be read.

    These could belong to any part of the case, so each part says that they are left out.
    """
    there = {one.place(case.name) for one in case.iterations}
    more = [
        one
        for whole in session.cases
        if whole.name == case.name
        for one in whole.iterations
        if unread(one) and one.place(case.name) not in there
    ]
    if not more:
        return case
    every = sorted([*case.iterations, *more], key=lambda one: one.index)
    return msgspec.structs.replace(case, iterations=tuple(every))


def _in_cells(case: Case, own: bool) -> Iterator[Iteration]:
    """The iterations of a case that can be put into a cell. `own`: some iteration has factors of its own.

    Of an iteration that cannot be read, only the factors of its session and case are known. These are all its
    factors unless iterations have factors of their own. Whether they do is seen from the other iterations of
    its case or, if none of these can be read, from `own`; if so, it is left out.

    A profile that was added to a case says nothing of factors. It gets those that the case's iterations
    share. If these differ it belongs to no cell, and must not make a comparison without it impossible.
    """
    read = [one for one in case.iterations if not unread(one)]
    if len(read) < len(case.iterations) and (any(one.factors for one in read) if read else own):
        yield from _in_cells(msgspec.structs.replace(case, iterations=tuple(read)), own)
        return
    measured = [one.factors for one in read if one.profile is None]
    alike = all(factors == measured[0] for factors in measured)
    for one in case.iterations:
        if one.profile is None or one.factors or not any(measured):
            yield one
        elif alike:
            yield msgspec.structs.replace(one, factors=measured[0])


def _factors(session: Session, case: Case, one: Iteration) -> Mapping[str, Level]:
    return of_iteration(session.label, case.name, session.factors, case.factors, one.factors)


def names_of(all_trials: Sequence[Trial]) -> list[str]:
    """The factors of all trials, in order."""
    return in_order(name for trial in all_trials for name in trial.factors)


def conditions_of(all_trials: Sequence[Trial]) -> list[str]:
    """The factors in which the iterations of one cell must not differ: all but their order."""
    return [name for name in names_of(all_trials) if name != ORDER]


def compared_of(all_trials: Sequence[Trial]) -> list[str]:
    """The factors whose levels may be worth comparing: all, but not an order of iterations within a case."""
    cases: dict[tuple[str, str], list[Trial]] = {}
    for trial in all_trials:
        cases.setdefault((trial.session.path, trial.case.name), []).append(trial)
    running = any(_differs(group, ORDER) for group in cases.values())
    return conditions_of(all_trials) if running else names_of(all_trials)


def filtered(all_trials: Sequence[Trial], wanted: Mapping[str, str]) -> list[Trial]:
    """The trials that have the wanted level of every factor named. Raises FwdtuiError if there are none."""
    left = list(all_trials)
    for name, text in wanted.items():
        check_name(all_trials, name)
        target = level(name, text).identity
        before = left
        left = [trial for trial in left if (has := trial.level(name)).known and has.identity == target]
        if not left:
            there = ", ".join(dict.fromkeys(one.shown for one in all_levels(before, name)))
            raise FwdtuiError(f"no iteration has {name}={text}; there {_are(there)}")
    return left


def _are(there: str) -> str:
    return f"are {there}" if "," in there else f"is only {there}"


def check_name(all_trials: Sequence[Trial], name: str) -> None:
    """Raise FwdtuiError if no trial has a factor of this name; its message lists those that there are."""
    known = names_of(all_trials)
    if name not in known and name not in (SESSION, CASE):
        raise FwdtuiError(f"no iteration has the factor {name}; there are {', '.join(known)}")


def all_levels(all_trials: Sequence[Trial], name: str) -> list[Level]:
    """The different levels of a factor in natural order, unknown ones last."""
    return levels_of(name, [{name: trial.level(name)} for trial in all_trials])


def cells(all_trials: Sequence[Trial], split: Sequence[str]) -> list[Cell]:
    """The trials by their levels of the factors in `split`, in natural order of the levels.

    Raises FwdtuiError if a trial's level of such a factor is not known, or if a cell has trials that differ
    in another factor, or that come from several cases: they are never pooled.
    """
    for name in split:
        check_name(all_trials, name)
        if places := _places([trial for trial in all_trials if not trial.level(name).known]):
            remedy = "set it in annotations.toml, or leave these out with --filter"
            raise FwdtuiError(f"{name} is not known in {places}: {remedy}")
    groups: dict[tuple[tuple[str, float | str], ...], list[Trial]] = {}
    for trial in all_trials:
        groups.setdefault(tuple(trial.level(name).identity for name in split), []).append(trial)
    made = [_cell(group, split) for group in groups.values()]
    return sorted(made, key=lambda cell: [natural(cell.levels[name]) for name in split])


def _cell(group: Sequence[Trial], split: Sequence[str]) -> Cell:
    first = group[0]
    where = ", ".join(f"{name}={first.level(name).shown}" for name in split) or "one set"
    if differing := [name for name in conditions_of(group) if name not in split and _differs(group, name)]:
        name = differing[0]
        shown = ", ".join(dict.fromkeys(one.shown for one in all_levels(group, name)))
        raise FwdtuiError(
            f"iterations with {where} differ in {', '.join(differing)} ({name}: {shown}), and are not "
            f"pooled: add --within {','.join(differing)}, or choose with --filter {name}=..."
        )
    if places := _several(group):
        raise FwdtuiError(
            f"iterations with {where} are in {places}, and are not pooled: choose one with --filter "
            f"{_home(group)}=..., add --within session or case, or give them a factor that tells them apart"
        )
    case = msgspec.structs.replace(first.case, iterations=tuple(trial.iteration for trial in group))
    factors = {n: one for n, one in first.factors.items() if n != ORDER or not _differs(group, n)}
    return Cell({name: first.level(name) for name in split}, factors, first.session, case)


def _differs(group: Sequence[Trial], name: str) -> bool:
    """Whether a factor may differ in the group; if no trial's level is known, it does not."""
    return may_differ(name, [{name: trial.level(name)} for trial in group])


def _several(group: Sequence[Trial]) -> str:
    """The places of trials that come from more than one case; "" if they come from one."""
    homes = {(trial.session.path, trial.case.name) for trial in group}
    return _places(group) if len(homes) > 1 else ""


def _home(group: Sequence[Trial]) -> str:
    """What tells trials of several cases apart: their sessions, or their cases if there is one session."""
    return SESSION if len({trial.session.path for trial in group}) > 1 else CASE


def _places(group: Sequence[Trial]) -> str:
    places = list(dict.fromkeys(trial.place for trial in group))
    more = f" and {len(places) - _MOST_NAMED} more" if len(places) > _MOST_NAMED else ""
    return ", ".join(places[:_MOST_NAMED]) + more
