"""The iterations of one recorded case as one set of values, with everything that qualifies them.

One iteration is one value. A sentence explains why an iteration is left out, and the iterations' warnings are
merged, one per code.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from fwdtui.core.factors import ORDER, Level, in_order, may_differ, of_iteration, plain
from fwdtui.core.model import CEASED, PAUSED, Case, Caution, Iteration, Session
from fwdtui.core.profiled import PROFILED
from fwdtui.core.text import clean
from fwdtui.core.units import counted
from fwdtui.report.frames import frames_mixed, line_rate
from fwdtui.report.merging import MOST_KINDS, by_reason, merged, numbered
from fwdtui.stats.results import Placed, ResultSet

DROPPED = "dropped"
"""The code of the warning about iterations that the user dropped."""

REPEATED = "trial-repeated"
"""The code of the warning about attempts of an experiment's trials that were repeated."""

FAILED = "attempts-failed"
"""The code of the warning that many attempts were repeated for what was measured in them."""

SELECTED = "values-selected"
"""The code of the warning that so many attempts were repeated that the values are a selection."""

UNREAD = "annotations-unread"
"""The code of the warning that it is not known what was dropped by hand."""

ATTEMPTS_UNREAD = "attempts-unread"
"""The code of the warning that it is not known which attempts an experiment found sound."""

UNKNOWN = (UNREAD, ATTEMPTS_UNREAD)
"""The codes of the warnings that values may count that should not: no gate has an answer then."""

_FAILED_FROM, _SELECTED_FROM = 0.1, 1 / 3
"""Failed attempts as a share of a case's attempts, from which on each warning is given. One bad attempt of
many is what repeating is for; if a tenth are bad the others may be the lucky ones, and if a third are bad
they are."""
_OF_THE_DUT = frozenset(("no-traffic", "unsteady", "level-shift"))
"""Warnings for which an attempt is repeated although nothing but the traffic was wrong."""
_OF_THE_LAB = frozenset(("link-down", "host-lost", "reboot", "tool-failed", "ended-early"))
"""Warnings that explain one of those: something happened to the lab."""


@dataclass(frozen=True, slots=True)
class CaseSet:
    """The values of a case and where they came from; `used` is empty for a plain value file.

    `used` are the iterations whose values count. `dropped` are those that the user dropped, and `left_out`
    the others that do not count: `result` says why, or that they were measured again. `recorded` is the
    number of all iterations but profiles, and `profiled` are the profiles that the user did not drop.

    `session` and `name` say where the iterations are saved; a value file has neither. `factors` are the
    levels that all of `used` share, and `mixed` the names of the factors in which they differ. `within`: the
    levels that make this cell of a comparison by factors; other cases have none.
    """

    result: ResultSet
    used: tuple[Iteration, ...] = ()
    dropped: tuple[Iteration, ...] = ()
    recorded: int = 0
    session: Session | None = None
    name: str = ""
    factors: Mapping[str, Level] = field(default_factory=dict)
    mixed: tuple[str, ...] = ()
    within: Mapping[str, Level] = field(default_factory=dict)
    profiled: tuple[Iteration, ...] = ()
    left_out: tuple[Iteration, ...] = ()

    @property
    def unit(self) -> str:
        """The unit of the values; "" for a file that names none, and for values in several units."""
        return self.result.unit


def counts(iteration: Iteration) -> bool:
    """Whether an iteration is a value: finished, a number, not a profile, and not dropped by the user."""
    value = iteration.value
    if value is None or iteration.profile is not None:
        return False
    return iteration.complete and math.isfinite(value) and not iteration.dropped


def unread(one: Iteration) -> bool:
    """Whether nothing is known of an iteration but its place, not even its factors: unfinished or damaged."""
    if one.complete or one.value is not None:
        return False
    blank = Iteration(one.index, None, complete=False)
    return one == replace(blank, folder=one.folder, dropped=one.dropped, judged=one.judged)


def measured(case: Case) -> list[Iteration]:
    """The iterations of a case that were meant to be values: all but profiles."""
    return [iteration for iteration in case.iterations if iteration.profile is None]


def case_set(session: Session, case: Case, label: str) -> CaseSet:
    """The iterations of `case` that count, in their order; the only place that decides which."""
    profiles = [iteration for iteration in case.iterations if iteration.profile is not None]
    meant = measured(case)
    used = [iteration for iteration in meant if counts(iteration)]
    made_good = {trial for iteration in used if (trial := _trial(iteration))}
    dropped = [one for one in meant if _by_hand(one, made_good)]
    by_hand = set(map(id, dropped))  # by identity: a copy of an iteration's folder has its number
    left_out = [
        (iteration, clean(iteration.dropped) or _reason(session, case, iteration))
        for iteration in meant
        if not counts(iteration) and id(iteration) not in by_hand
    ]
    excluded = [(one.index, why) for one, why in left_out if _trial(one) not in made_good]
    again = [(one.index, why) for one, why in left_out if _trial(one) in made_good]
    offered = tuple(iteration.offered for iteration in used)
    units = units_of(used)
    unit = units[0] if len(units) == 1 else ""
    factors, mixed = _factors(session, case, used)
    of_all = {**factors, **dict.fromkeys(mixed, Level(""))}
    result = ResultSet(
        label=label,
        values=tuple(float(iteration.value) for iteration in used if iteration.value is not None),
        offered=offered if any(rate is not None for rate in offered) else (),
        line_rate=line_rate(session, used, of_all) if unit in ("", "pps") else None,
        cautions=(
            *_unread(session),
            *_unjudged(used),
            *dropped_by_hand(dropped),
            *_repeated(again),
            *_selected(meant, used),
            *_twice(used),
            *_profiled(profiles),
            *merged(used),
            *_mixed(used),
            *frames_mixed(session, used, of_all),
        ),
        excluded=by_reason(excluded),
        unit=unit,
        factors={name: plain(level) for name, level in factors.items()},
        placed=_placed(session, used),
    )
    return CaseSet(
        result,
        tuple(used),
        tuple(dropped),
        len(meant),
        session,
        case.name,
        factors,
        mixed,
        profiled=tuple(one for one in profiles if not one.dropped),
        left_out=tuple(one for one, _ in left_out),
    )


def _factors(
    session: Session, case: Case, used: Sequence[Iteration]
) -> tuple[Mapping[str, Level], tuple[str, ...]]:
    """The factors that all iterations have, and the names of the conditions in which they differ."""
    layers = session.factors, case.factors
    if not any(one.factors for one in used):
        return of_iteration(session.label, case.name, *layers), ()
    of_each = [of_iteration(session.label, case.name, *layers, one.factors) for one in used]
    differing = [
        name for name in in_order(name for one in of_each for name in one) if may_differ(name, of_each)
    ]
    alike = {name: level for name, level in of_each[0].items() if name not in differing}
    return alike, tuple(name for name in differing if name != ORDER)


def _trial(iteration: Iteration) -> tuple[str, int] | None:
    """The planned trial of an experiment that an iteration is an attempt of."""
    planned = iteration.planned
    return None if planned is None else (planned.experiment, planned.trial)


def _by_hand(one: Iteration, made_good: Collection[tuple[str, int]]) -> bool:
    """Whether the user dropped an iteration, no matter what was measured instead of it.

    An experiment itself drops attempts that it did not find sound, and a run drops a blast that fell into
    parts or ended too soon. If no journal says who dropped an attempt, and its trial was measured again, the
    experiment is taken to have dropped it.
    """
    if one.dropped in ("", PAUSED, CEASED) or one.judged is False:
        return False
    return one.judged is True or _trial(one) not in made_good


def _unread(session: Session) -> list[Caution]:
    """The warning that iterations may count that the user dropped."""
    text = "what was dropped by hand cannot be read, so that iterations may count that should not"
    return [] if session.whole else [Caution(UNREAD, text)]


def _unjudged(used: Sequence[Iteration]) -> list[Caution]:
    """The warning that attempts count of which the journal can no longer say whether they were sound."""
    which = [one.index for one in used if one.planned is not None and one.judged is None]
    if not which:
        return []
    text = f"it is not known whether the experiment found {numbered(which)} sound, so that values may count"
    return [Caution(ATTEMPTS_UNREAD, f"{text} that should not")]


def _selected(meant: Sequence[Iteration], used: Sequence[Iteration]) -> list[Caution]:
    """The warning that the attempts that count are a selection: many others failed in what is measured.

    Repeating them until there is a value measures how the DUT forwards in those attempts in which it does.
    """
    attempts = [one for one in meant if one.planned is not None]
    failed = [one for one in attempts if one.judged is not True and not counts(one) and _of_the_dut(one)]
    if not failed or len(failed) < _FAILED_FROM * len(attempts):
        return []
    which = numbered([one.index for one in failed])
    kinds = sorted(
        {warning.code for one in failed for warning in one.warnings if warning.code in _OF_THE_DUT}
    )
    text = (
        f"{len(failed)} of {len(attempts)} attempts gave no usable rate ({which}: {', '.join(kinds)}), and "
        f"the {counted(len(used), 'value')} come from those that did."
    )
    if len(failed) < _SELECTED_FROM * len(attempts):
        return [Caution(FAILED, text)]
    return [Caution(SELECTED, text)]


def _of_the_dut(one: Iteration) -> bool:
    codes = {warning.code for warning in one.warnings}
    return bool(codes & _OF_THE_DUT) and not codes & _OF_THE_LAB


def _repeated(again: Sequence[tuple[int, str]]) -> list[Caution]:
    """The warning about failed attempts of trials that were repeated until there was a value.

    No value is missing because of them.
    """
    text = "; ".join(one.removesuffix(".") for one in by_reason(again))
    return [Caution(REPEATED, f"measured again: {text}.")] if again else []


def _twice(used: Sequence[Iteration]) -> list[Caution]:
    """The warning about trials with several values.

    An attempt was dropped, its trial was therefore repeated, and now the dropped one counts again.
    """
    trials: dict[tuple[str, int], list[int]] = {}
    for iteration in used:
        if (trial := _trial(iteration)) is not None:
            trials.setdefault(trial, []).append(iteration.index)
    parts = [
        f"{numbered(indexes)} are values of one trial" for indexes in trials.values() if len(indexes) > 1
    ]
    return [Caution("trial-twice", f"{'; '.join(parts)}, and all of them count")] if parts else []


def _profiled(profiles: Sequence[Iteration]) -> list[Caution]:
    """The warning that names the profiles. They leave no gap: they were never meant to be values."""
    if not profiles:
        return []
    are, do = ("was", "does not") if len(profiles) == 1 else ("were", "do not")
    which = numbered([iteration.index for iteration in profiles])
    return [Caution(PROFILED, f"{which} {are} profiled, which costs packets, and {do} count as a value.")]


def _placed(session: Session, used: Sequence[Iteration]) -> Placed | None:
    """The blocks of the iterations; None unless all belong to one experiment with one order of its blocks.

    The same experiment.toml run again is another experiment: block 1 of one session is not block 1 of the
    other. A copy of a session is the same one, since it was created when the original was.
    """
    planned = [one.planned for one in used if one.planned is not None]
    kinds = {(one.experiment, one.order) for one in planned}
    if len(planned) != len(used) or len(kinds) != 1:
        return None
    last = planned[-1]
    run = f"{last.experiment} {session.created}"
    return Placed(run, last.order, tuple(one.block for one in planned), last.looks)


def dropped_by_hand(dropped: Sequence[Iteration]) -> list[Caution]:
    """The warning that the user dropped iterations, with the reasons; a comparison must not hide it."""
    reasons: dict[str, list[int]] = {}
    for iteration in dropped:
        reasons.setdefault(clean(iteration.dropped), []).append(iteration.index)
    if not reasons:
        return []
    parts = [f"{numbered(indexes)} ({reason})" for reason, indexes in reasons.items()]
    if len(parts) > MOST_KINDS:
        rest = [index for indexes in list(reasons.values())[MOST_KINDS:] for index in indexes]
        parts = [*parts[:MOST_KINDS], f"{numbered(rest)} (other reasons)"]
    return [Caution(DROPPED, f"dropped by hand and not counted: {'; '.join(parts)}")]


def _mixed(used: Sequence[Iteration]) -> list[Caution]:
    cautions = []
    if len(units := units_of(used)) > 1:
        cautions.append(Caution("units-mixed", f"iterations in different units: {', '.join(units)}"))
    if len(methods := methods_of(used)) > 1:
        cautions.append(
            Caution("trim-mixed", f"iterations trimmed by different methods: {', '.join(methods)}")
        )
    return cautions


def units_of(used: Iterable[Iteration]) -> list[str]:
    """The units of the values, each once, sorted."""
    return sorted(set(map(clean, {iteration.unit for iteration in used})))


def methods_of(used: Iterable[Iteration]) -> list[str]:
    """How the values were taken from the recordings, each once, sorted."""
    methods = {iteration.window.method for iteration in used if iteration.window is not None}
    return sorted(set(map(clean, methods)))


def _reason(session: Session, case: Case, iteration: Iteration) -> str:
    """Why an iteration does not count: its own warnings, or why it could not be read.

    A problem with an iteration that could be read, such as an invalid factor name, is not the reason.
    """
    folder = iteration_folder(session, case, iteration)
    for problem in session.problems if unread(iteration) else ():
        if problem.startswith((f"{folder}:", f"{folder}/")):
            told = problem.removeprefix(f"{folder}: ").removeprefix(f"{folder}/")
            return clean(told.replace(f"{session.path}/", ""))  # a report is published
    # why it has no value stands alone: its other warnings are about a rate that nobody uses
    texts = clean(iteration.incomplete) or "; ".join(clean(warning.text) for warning in iteration.warnings)
    missing = "incomplete" if iteration.value is not None else "no value"
    return f"{missing} ({texts})" if texts else missing


def iteration_folder(session: Session, case: Case, iteration: Iteration) -> str:
    """The path of the folder in which an iteration is saved."""
    return f"{session.path}/{iteration.place(case.name)}"
