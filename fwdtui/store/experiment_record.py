"""Reads an experiment from a session's folder for a report: as much as is readable, and what is not.

Nothing is resumed from here, so one damaged line need not be the end: it is skipped and reported. To resume
an experiment, `store/experiment_journal.py` reads strictly.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from fwdtui.core import bounded
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Plan
from fwdtui.core.model import Session
from fwdtui.core.text import clean
from fwdtui.core.units import counted
from fwdtui.store import opening
from fwdtui.store.experiment_journal import (
    JOURNAL,
    JUDGED,
    MOST,
    PLAN,
    PLAN_MOST,
    TEXT,
    Step,
    fits,
    read_plan,
    step_of,
)
from fwdtui.store.names import is_of_experiment

_MOST_TOLD = 3  # damaged lines that are named
TORN = f"{JOURNAL}: the last line is incomplete: fwdtui was interrupted while writing it."
"""The only problem of a journal with which its experiment can be resumed."""
_UNKNOWN = "what the experiment found out about its iterations is not known"
_DIGEST = 16  # characters of a plan's digest that its iterations record


class Record(msgspec.Struct, frozen=True):
    """An experiment as it was recorded. `text` is its experiment.toml, "" if that cannot be read.

    Every cell, level and trial that the plan and the steps name exists. `problems`: sentences.
    """

    plan: Plan
    steps: tuple[Step, ...] = ()
    text: str = ""
    problems: tuple[str, ...] = ()


class NoRecord(msgspec.Struct, frozen=True):
    """There is an experiment, but nothing can be said of it; `problem` says why, in a sentence."""

    problem: str


class Verdicts(msgspec.Struct, frozen=True):
    """What a journal says of the attempts of an experiment. `steps`: the "judged" ones, by trial and attempt.

    `experiment`: as in `Planned`. `whole` False: a line of the journal is damaged, and may be one of them.
    """

    experiment: str
    steps: Mapping[tuple[int, int], Step]
    whole: bool


class _PlanDigest(msgspec.Struct, frozen=True):
    digest: str


def verdicts(folder: Path) -> Verdicts | str:
    """What the journal in a session's folder says of its attempts, or a sentence why that is not known.

    For sessions with iterations of an experiment.
    """
    try:
        plan = msgspec.json.decode(opening.read(folder / PLAN, PLAN_MOST), type=_PlanDigest)
        steps, damaged, _ = _steps(folder)
    except FileNotFoundError as error:
        missing = Path(error.filename).name
        return (
            f"{folder / missing}: no such file, though this session has iterations of an experiment: without "
            "it, fwdtui cannot tell which of them should not count; copy it from the machine that recorded "
            "them."
        )
    except OSError as error:
        return f"{clean(str(error.filename or folder))}: {error.strerror or error}: {_UNKNOWN}."
    except RecursionError:
        return f"{bounded.too_deep(folder / PLAN)}: {_UNKNOWN}."
    except UnicodeDecodeError:
        return f"{folder / PLAN}: not UTF-8: {_UNKNOWN}."
    except msgspec.MsgspecError as error:
        return f"{folder / PLAN}: {clean(str(error))}: {_UNKNOWN}."
    except FwdtuiError as error:
        return f"{clean(str(error))}: {_UNKNOWN}."
    judged = {(one.trial, one.attempt): one for one in steps if one.what == JUDGED}
    return Verdicts(plan.digest[:_DIGEST], judged, not damaged)


def lost(session: Session, digest: str, steps: Iterable[Step]) -> str:
    """A sentence if the journal no longer has the steps of attempts whose values are there; else "".

    Each step is on disk before it is taken, so a journal without them was cut off later, as by a copy that
    was not completed. It does not say either what was changed on the hosts since. `digest`: of the plan.
    """
    begun = {(step.trial, step.attempt) for step in steps}
    count = sum(
        (one.planned.trial, one.planned.attempt) not in begun
        for case in session.cases
        for one in case.iterations
        if one.planned is not None and one.planned.experiment == digest[:_DIGEST] and one.value is not None
    )
    what = f"{counted(count, 'attempt')} whose value{'s are' if count > 1 else ' is'} there"
    return f"{JOURNAL}: its end is missing: it has no steps of {what}" if count else ""


def recorded(session: Session) -> Record | NoRecord | None:
    """The experiment of a session; None: it has none. Never raises for what is in the files."""
    folder = Path(session.path)
    if not is_of_experiment(session):
        return None
    if _digests(session) and isinstance(unknown := verdicts(folder), str):
        return NoRecord(unknown)  # as the session's problems say it
    try:
        plan = read_plan(folder)
        if wrong := _inconsistent(plan):
            return NoRecord(f"plan.json contradicts itself: {wrong}.")
        if not _measured_by(session, plan):
            return NoRecord("plan.json belongs to other iterations than those of this session.")
        steps, damaged, torn = _steps(folder)
    except FwdtuiError as error:
        return NoRecord(f"{clean(str(error))}.")
    except OSError as error:
        return NoRecord(f"{clean(str(error.filename or folder))}: {error.strerror or error}.")
    problems = _problems(damaged, torn)
    if not damaged and (cut := lost(session, plan.digest, steps)):
        problems.append(f"{cut}, so {_UNKNOWN}.")
    fitting = tuple(step for step in steps if fits(step, plan))
    if len(fitting) < len(steps):
        count = len(steps) - len(fitting)
        what = "1 step names" if count == 1 else f"{count} steps name"
        problems.append(f"{JOURNAL}: {what} a trial or a level that the plan does not have; left out.")
    try:
        text = opening.read(folder / TEXT).decode("utf-8", "replace")
    except OSError as error:
        text = ""
        problems.append(f"{TEXT}: {error.strerror or error}.")
    return Record(plan, fitting, text, tuple(problems))


def _steps(folder: Path) -> tuple[list[Step], list[int], bool]:
    """The steps, the numbers of the damaged lines, and whether the last line is torn.

    Raises OSError, and FwdtuiError if the header is missing, damaged or that of a newer version.
    """
    data = opening.read(folder / JOURNAL, MOST)
    if not data:
        raise FwdtuiError(f"{folder / JOURNAL}: is empty")
    end = data.rfind(b"\n") + 1
    steps: list[Step] = []
    damaged: list[int] = []
    for number, line in enumerate(data[:end].split(b"\n")[:-1], 1):
        try:
            step = step_of(line, f"{folder / JOURNAL}: line {number}")
        except FwdtuiError:
            if number == 1:  # the header: nothing is known of a journal of another version
                raise
            damaged.append(number)
            continue
        if step is not None:
            steps.append(step)
    return steps, damaged, end < len(data)


def _problems(damaged: Sequence[int], torn: bool) -> list[str]:
    problems = []
    if damaged:
        named = ", ".join(map(str, damaged[:_MOST_TOLD]))
        more = f" and {len(damaged) - _MOST_TOLD} more" if len(damaged) > _MOST_TOLD else ""
        lines = "line" if len(damaged) == 1 else "lines"
        problems.append(
            f"{JOURNAL}: {lines} {named}{more} cannot be read: the details of repetitions, looks and "
            "settings may be incomplete."
        )
    if torn:
        problems.append(TORN)
    return problems


def _measured_by(session: Session, plan: Plan) -> bool:
    """Whether the session has iterations of this plan, or is being recorded, and none of another plan."""
    digests = _digests(session)
    return digests <= {plan.digest[:_DIGEST]} and (bool(digests) or session.recording)


def _digests(session: Session) -> set[str]:
    """The digests of the plans that the iterations belong to."""
    return {
        one.planned.experiment for case in session.cases for one in case.iterations if one.planned is not None
    }


def _inconsistent(plan: Plan) -> str:
    """What in the plan names something that it does not have; "" if nothing does."""
    levels = {factor.name: len(factor.levels) for factor in plan.experiment.factors}
    if not plan.cells:
        return "it has no cells"
    if [cell.number for cell in plan.cells] != list(range(len(plan.cells))):
        return "its cells are not numbered in order"
    if len({cell.name for cell in plan.cells}) < len(plan.cells):
        return "two cells have the same name"
    for cell in plan.cells:
        for name, place in cell.levels.items():
            if not 0 <= place < levels.get(name, 0):
                return "a cell has a level that no factor has"
    if [trial.number for trial in plan.trials] != list(range(1, len(plan.trials) + 1)):
        return "its trials are not numbered in order"
    if any(not 0 <= trial.cell < len(plan.cells) or trial.block < 1 for trial in plan.trials):
        return "a trial belongs to a cell or block that does not exist"
    return ""
