"""What became of an experiment: what was planned, measured, repeated and given up, and why it ended.

Made from the plan, the journal and the session's iterations; the report, the JSON and the table show it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from fwdtui.core.experiment import Plan
from fwdtui.core.model import Caution, Iteration, Session
from fwdtui.core.text import clean
from fwdtui.report.experiment_undone import hooks_left, not_undone
from fwdtui.report.iterations import counts
from fwdtui.report.lab_floor import LabFloor, floor_of
from fwdtui.report.sides import Side, session_label, sessions_of
from fwdtui.store.experiment_journal import (
    BEGUN,
    BROKEN_OFF,
    ENDED,
    HOOK,
    JUDGED,
    LOOK,
    REBOOT,
    RESUMED,
    Step,
)
from fwdtui.store.experiment_record import NoRecord, Record, recorded

DAMAGED = "experiment-damaged"
"""The code of the warning that not all of an experiment's record can be read."""


class CellCount(msgspec.Struct, frozen=True):
    """How many trials of a cell were planned, have a sound value (`done`), and were given up (`failed`).

    `repeated`: attempts that were judged and do not count. `boots`: how many boots of the DUT the values are
    from; None: not known.
    """

    number: int
    name: str
    planned: int
    done: int
    failed: int
    repeated: int
    boots: int | None


class Attempt(msgspec.Struct, frozen=True):
    """An attempt that does not count. `iteration`: its folder in the session, "" if nothing was saved.

    `judged` False: the experiment ended before the attempt was judged.
    """

    trial: int
    block: int
    cell: str
    attempt: int
    iteration: str
    reason: str
    judged: bool


class LookTold(msgspec.Struct, frozen=True):
    """A look at the data after `block` blocks, and its result: whether it `decided`, and in words."""

    number: int
    block: int
    when: str
    decided: bool
    text: str


class Resumed(msgspec.Struct, frozen=True):
    """The experiment went on at `when`; `after` says how the run before had ended."""

    when: str
    after: str


class HookCount(msgspec.Struct, frozen=True):
    """A hook: how often it ran, and how often it failed. If it was broken off, that counts as neither."""

    when: str
    host: str
    run: str
    whole: bool
    ran: int
    failed: int


class ExperimentSummary(msgspec.Struct, frozen=True):
    """One session's experiment. Times are ISO 8601, "" where not known. `text` is its experiment.toml.

    `order` has, for each block, the numbers of its cells as planned. `given_up` and `missing` are the numbers
    of trials without a sound value: those that were given up, and the others. `ended` says why the last run
    ended, "" if that is not recorded; `stopped_by`: the stop rule that ended it before its last block,
    "looks" or "precision". `running`: it is being measured. `boots`: how many boots of the DUT all values are
    from, None: not known; `known_boots`: how many are known. `not_undone`: what is still set on hosts, as far
    as the journal says; `hooks_left`: the hooks after the whole experiment that did not run. `floor`: the
    floor of its lab, as measured by an A/A experiment.
    """

    session: str
    path: str
    plan: Plan
    cells: tuple[CellCount, ...]
    order: tuple[tuple[int, ...], ...]
    repeated: tuple[Attempt, ...] = ()
    given_up: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()
    looks: tuple[LookTold, ...] = ()
    begun: str = ""
    resumed: tuple[Resumed, ...] = ()
    ended: str = ""
    ended_at: str = ""
    stopped_by: str = ""
    running: bool = False
    reboots: int = 0
    failed_reboots: int = 0
    boots: int | None = None
    known_boots: int = 0
    hooks: tuple[HookCount, ...] = ()
    not_undone: tuple[str, ...] = ()
    hooks_left: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    text: str = ""
    steps: tuple[Step, ...] = ()
    floor: LabFloor | None = None

    @property
    def name(self) -> str:
        """The experiment's name, cleaned."""
        return clean(self.plan.experiment.name)

    @property
    def planned(self) -> int:
        """How many trials the plan has."""
        return len(self.plan.trials)

    @property
    def done(self) -> int:
        """How many trials have a sound value."""
        return sum(cell.done for cell in self.cells)

    @property
    def factors(self) -> tuple[str, ...]:
        """The names of the factors that vary between the cells, in the design's order."""
        names = dict.fromkeys(name for cell in self.plan.cells for name in cell.factors)
        wanted = [one.name for one in self.plan.experiment.factors]
        ordered = [*(name for name in wanted if name in names), *(n for n in names if n not in wanted)]
        return tuple(
            name for name in ordered if len({str(cell.factors.get(name)) for cell in self.plan.cells}) > 1
        )


def experiments(sides: Sequence[Side]) -> tuple[tuple[ExperimentSummary, ...], tuple[Caution, ...]]:
    """The experiments of the sides' sessions, each once, and warnings about what cannot be read of them."""
    found, notes = records(sides)
    return tuple(
        msgspec.structs.replace(summary(session, record), floor=floor_of(session, record.plan))
        for session, record in found
    ), notes


def unreadable(sides: Sequence[Side]) -> tuple[Caution, ...]:
    """The warnings of `experiments`, for callers that show nothing else of experiments."""
    return records(sides)[1]


def without_repetition(notes: Sequence[Caution], unreadable: Sequence[Caution]) -> tuple[Caution, ...]:
    """The notes of a comparison, then `unreadable`; a note whose text is in one of these is left out."""
    told = [one for one in notes if not any(one.text in other.text for other in unreadable)]
    return (*told, *unreadable)


def records(sides: Sequence[Side]) -> tuple[list[tuple[Session, Record]], tuple[Caution, ...]]:
    """The records of the experiments of the sides' sessions, each once, and the warnings of `experiments`."""
    found: list[tuple[Session, Record]] = []
    notes: list[Caution] = []
    for session in {session.path: session for _, session in sessions_of(sides)}.values():
        record = recorded(session)
        label = session_label(session)
        if isinstance(record, NoRecord):
            notes.append(Caution(DAMAGED, f"{label}: its experiment is left out: {record.problem}"))
        elif record is not None:
            found.append((session, record))
            notes += [Caution(DAMAGED, f"{label}: {problem}") for problem in record.problems]
    return found, tuple(notes)


def summary(session: Session, record: Record) -> ExperimentSummary:
    """What became of the experiment of a session."""
    plan, steps = record.plan, record.steps
    saved = {
        (one.planned.trial, one.planned.attempt): (one, one.place(case.name))
        for case in session.cases
        for one in case.iterations
        if one.planned is not None and one.planned.experiment == plan.digest[:16]
    }
    judged = {(one.trial, one.attempt): one for one in steps if one.what == JUDGED}
    sound = {key for key, (one, _) in saved.items() if _is_sound(one, judged.get(key), session.recording)}
    done = {trial for trial, _ in sound}
    running = session.recording
    given_up = tuple(sorted(without_value(plan, steps) - done))
    repeated = _repeated(plan, steps, saved, judged, sound, running)
    boots = _boots(plan, saved, sound)
    of_all = {saved[key][0].boot for key in sound}
    again = Counter(one.cell for one in repeated if one.judged)  # as the screen counts them
    cells = []
    for cell in plan.cells:
        mine = [trial.number for trial in plan.trials if trial.cell == cell.number]
        cells.append(
            CellCount(
                cell.number,
                clean(cell.name),
                planned=len(mine),
                done=sum(number in done for number in mine),
                failed=sum(number in given_up for number in mine),
                repeated=again[clean(cell.name)],
                boots=boots[cell.number],
            )
        )
    blocks: dict[int, list[int]] = {}
    for trial in plan.trials:
        blocks.setdefault(trial.block, []).append(trial.cell)
    begun, resumed, ended, ended_at = _runs(plan, steps)
    looks = _looks(steps)
    return ExperimentSummary(
        session=session_label(session),
        path=session.path,
        plan=plan,
        cells=tuple(cells),
        order=tuple(map(tuple, blocks.values())),
        repeated=repeated,
        given_up=given_up,
        missing=tuple(one.number for one in plan.trials if one.number not in {*done, *given_up}),
        looks=looks,
        begun=begun,
        resumed=resumed,
        ended=ended,
        ended_at=ended_at,
        stopped_by=plan.experiment.stop.rule if any(one.decided for one in looks) else "",
        running=running,
        reboots=sum(one.what == REBOOT and one.done and not one.failed for one in steps),
        failed_reboots=sum(one.what == REBOOT and one.done and bool(one.failed) for one in steps),
        boots=_number(of_all),
        known_boots=len(of_all - {""}),
        hooks=_hooks(plan, steps),
        not_undone=not_undone(plan, steps) if ended and not running else (),
        hooks_left=hooks_left(plan, steps) if ended and not running else (),
        problems=record.problems,
        text=record.text,
        steps=steps,
    )


def _is_sound(one: Iteration, step: Step | None, running: bool) -> bool:
    """Whether an attempt counts: it was judged sound, and has not been dropped since.

    If no step of the journal judges it, the iteration itself says whether it counts.
    """
    if step is None:
        return counts(one) and not running
    return step.sound and one.value is not None and not one.dropped


def _repeated(
    plan: Plan,
    steps: Sequence[Step],
    saved: Mapping[tuple[int, int], tuple[Iteration, str]],
    judged: Mapping[tuple[int, int], Step],
    sound: set[tuple[int, int]],
    running: bool,
) -> tuple[Attempt, ...]:
    tried = {(step.trial, step.attempt) for step in steps if step.trial and step.attempt}
    places = ((step.trial, step.attempt) for step in reversed(steps) if step.trial and step.attempt)
    last = next(places, None) if running else None  # it is still being measured
    attempts = []
    for key in sorted({*tried, *saved}):
        if key in sound or (key == last and key not in judged):
            continue
        number, attempt = key
        if not 1 <= number <= len(plan.trials):
            continue
        trial = plan.trials[number - 1]
        one, place = saved.get(key, (None, ""))
        reason = judged[key].text if key in judged else ""
        if one is not None and not reason:
            reason = one.dropped or one.incomplete or " ".join(note.text for note in one.warnings)
        reason = reason or "The experiment ended during this attempt."
        name = clean(plan.cells[trial.cell].name)
        attempts.append(Attempt(number, trial.block, name, attempt, place, clean(reason), key in judged))
    return tuple(attempts)


def without_value(plan: Plan, steps: Sequence[Step]) -> set[int]:
    """Trials that had as many attempts in one run as the plan allows, none of them sound.

    An attempt that an earlier run left unjudged does not count as one of the run that judges it afterwards.
    """
    given_up: set[int] = set()
    failed: Counter[int] = Counter()
    begun: set[tuple[int, int]] = set()  # trial, attempt
    left: frozenset[tuple[int, int]] = frozenset()
    for step in steps:
        attempt = step.trial, step.attempt
        if step.what in (BEGUN, RESUMED):
            failed.clear()
            left = frozenset(begun)
        elif step.what == JUDGED and not step.sound and attempt not in left:
            failed[step.trial] += 1
            if failed[step.trial] >= plan.experiment.abort.attempts:
                given_up.add(step.trial)
        begun.add(attempt)
    return given_up


def _boots(
    plan: Plan, saved: Mapping[tuple[int, int], tuple[Iteration, str]], sound: set[tuple[int, int]]
) -> list[int | None]:
    """For each cell, how many boots of the DUT its values are from; None if the boot of one is not known."""
    of: dict[int, list[str]] = {}
    for key in sound:
        if 1 <= key[0] <= len(plan.trials):
            of.setdefault(plan.trials[key[0] - 1].cell, []).append(saved[key][0].boot)
    return [_number(set(of.get(cell.number, []))) for cell in plan.cells]  # an empty cell has none


def _number(boots: set[str]) -> int | None:
    return len(boots) if all(boots) else None


def _looks(steps: Sequence[Step]) -> tuple[LookTold, ...]:
    taken = [one for one in steps if one.what == LOOK and one.done and not one.failed]
    return tuple(
        LookTold(number, one.index, clean(one.when), one.decided, clean(one.text))
        for number, one in enumerate(taken, 1)
    )


def _runs(plan: Plan, steps: Sequence[Step]) -> tuple[str, tuple[Resumed, ...], str, str]:
    """When the experiment began, when it went on and after what, why its last run ended and when."""
    begun, resumed, ended, ended_at = "", [], "", ""
    last: Step | None = None
    for step in steps:
        if step.what == BEGUN:
            begun = clean(step.when)
        elif step.what == RESUMED:
            why = f"it had ended: {ended}" if ended else _broken_off(plan, last)
            resumed.append(Resumed(clean(step.when), why))
            ended = ended_at = ""
        elif step.what == ENDED:
            ended, ended_at = clean(step.text) or "no reason is recorded", clean(step.when)
        last = step
    return begun, tuple(resumed), ended, ended_at


def _broken_off(plan: Plan, last: Step | None) -> str:
    """What was done when the program or its machine ended without saying so."""
    if last is None:
        return "it was interrupted before its first step"
    where = f" of trial {last.trial}" if last.trial else ""
    done = "after" if last.done else "during"
    return f"it was interrupted {done} step {last.number} ({last.what}{where})"


def _hooks(plan: Plan, steps: Sequence[Step]) -> tuple[HookCount, ...]:
    summed = []
    named = [(one.when, one.whole, one.action.host, one.action.run) for one in plan.experiment.hooks]
    for place, hook in enumerate(plan.experiment.hooks):
        began = f"{hook.when}: {hook.action.run}"[:1000]
        mine = [
            one
            for one in steps
            if one.what == HOOK
            and one.done
            and one.failed != BROKEN_OFF
            and one.host == hook.action.host
            and bool(one.trial) != hook.whole
            and (one.text == began or one.text.startswith(f"{hook.when}: {hook.action.run}\n"))
        ]
        # equal hooks take turns, and their steps do not say which of them ran
        mine = mine[named[:place].count(named[place]) :: named.count(named[place])]
        failed = sum(bool(one.failed) for one in mine)
        summed.append(
            HookCount(hook.when, clean(hook.action.host), hook.action.run, hook.whole, len(mine), failed)
        )
    return tuple(summed)
