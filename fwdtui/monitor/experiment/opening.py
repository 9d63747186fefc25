"""Opens an experiment: its lab, its session and its journal, new or to be resumed."""

import datetime
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Plan
from fwdtui.core.experiment.steps import Begun
from fwdtui.core.experiment.steps import steps as planned_steps
from fwdtui.core.experiment.text import Resumed
from fwdtui.core.factors import FactorValue, accepted, level
from fwdtui.core.lab import Lab, plain
from fwdtui.core.model import moment
from fwdtui.core.text import slug
from fwdtui.monitor.experiment.boots import Boots
from fwdtui.monitor.experiment.duration import left
from fwdtui.monitor.experiment.known import Known
from fwdtui.monitor.experiment.links import Links
from fwdtui.monitor.experiment.looks import Looker
from fwdtui.monitor.experiment.recorded import so_far
from fwdtui.monitor.experiment.run import ExperimentRun
from fwdtui.monitor.experiment.subject import Subject
from fwdtui.monitor.run.bench import Bench
from fwdtui.monitor.run.following import Watcher
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store import read_session
from fwdtui.store.experiment_journal import (
    JOURNAL,
    Journal,
    Step,
    check_plan,
    is_experiment,
    read,
    read_plan,
)
from fwdtui.store.experiment_record import lost
from fwdtui.store.reader import cleaned_content, read_header

_NAMED = 5
"""Most sessions that are named if the user has to choose."""
_NOT_KNOWN = "what was done, and may be set on the hosts, is not known"


def new_name(subject: Subject) -> str:
    """The default name of a session: the experiment's name and the time, to the second."""
    return f"{subject.plan.experiment.name}-{datetime.datetime.now():%Y%m%d-%H%M%S}"


def find_begun(into: Path, subject: Subject, say: Callable[[str], None]) -> str:
    """The newest session in `into` in which this very experiment was begun.

    A damaged session may be the one that is meant. If there is one, another session is only taken if it is
    the only other one, and `say` is called with the damage. Raises FwdtuiError if there is none, or if the
    user has to choose.
    """
    begun: list[tuple[float, str]] = []
    damaged: list[str] = []
    for folder in sorted(into.iterdir()) if into.is_dir() else ():
        if not is_experiment(folder):
            continue
        try:
            if read_plan(folder).digest == subject.plan.digest:
                plan, steps = read(folder)
                session = read_session(folder)
                if cut := lost(session, plan.digest, steps):
                    raise FwdtuiError(f"{folder}/{cut}")
                begun.append((moment(session.created), folder.name))
        except FwdtuiError as error:
            damaged.append(str(error))
    names = [name for _, name in sorted(begun, reverse=True)]
    harm = "; ".join(damaged)
    if damaged and not names:
        raise FwdtuiError(
            f"{into}: no session that was begun with this experiment.toml can be resumed: {harm}"
        )
    if not names:
        raise FwdtuiError(
            f"{into}: no session was begun with this experiment.toml, the files that it uploads as they are"
            " now, and the same --seed and --aa"
        )
    if damaged and len(names) > 1:
        raise FwdtuiError(f"{into}: name one with --session: {' or '.join(names[:_NAMED])} ({harm})")
    if damaged:
        say(f"{harm}; resuming {names[0]} instead")
    return names[0]


def check(into: Path, session: str, resume: bool, subject: Subject) -> None:
    """Raise FwdtuiError, before any host is reached, if the session cannot be begun or resumed as asked."""
    folder = into / slug(session)
    if not resume:
        if folder.exists():
            then = "continue it with --resume, or choose" if is_experiment(folder) else "choose"
            raise FwdtuiError(f"{folder}: exists already; {then} another name with --session")
    elif not folder.is_dir():
        raise FwdtuiError(f"{folder}: no such session, so there is nothing to resume")
    elif not is_experiment(folder):  # killed before its journal was begun, or not an experiment's
        iterations = [one for case in read_session(folder).cases for one in case.iterations]
        if any(one.planned for one in iterations):
            raise FwdtuiError(f"{folder}: cannot be resumed: {JOURNAL} is missing: {_NOT_KNOWN}")
        if iterations:
            raise FwdtuiError(f"{folder}: has no iterations of an experiment, so there is nothing to resume")
    else:
        plan, steps = read(folder)
        check_plan(folder, plan, subject.plan)
        if cut := lost(read_session(folder), plan.digest, steps):
            raise FwdtuiError(f"{folder}: cannot be resumed: {cut}: {_NOT_KNOWN}")


def still(into: Path, session: str, subject: Subject, dut: str) -> float | None:
    """Seconds that a session's experiment still takes; None if it was not begun. Raises FwdtuiError."""
    folder = into / slug(session)
    if not is_experiment(folder):
        return None
    steps = read(folder)[1]
    return left(subject.plan, dut, steps, _begun(folder, subject.plan, steps, dut))


def _begun(folder: Path, plan: Plan, steps: Sequence[Step], dut: str) -> Begun:
    return so_far(plan, read_session(folder), Known.of(steps), bool(steps), dut)


def resumed_by(
    into: Path, session: str | None, subject: Subject, lab: Lab, say: Callable[[str], None]
) -> Resumed:
    """What `--resume` would go on with, for the dry run. Raises FwdtuiError like a real resumption."""
    name = find_begun(into, subject, say) if session is None else session
    check(into, name, True, subject)
    folder = into / slug(name)
    check_lab(folder, lab)
    plan, steps = subject.plan, read(folder)[1] if is_experiment(folder) else ()
    going_on = _begun(folder, plan, steps, lab.dut.host)
    alone = {trial.number for trial in going_on.profiles_left(plan)}
    changes = sum(
        step.seconds
        for step in planned_steps(plan, lab.dut.host, going_on)
        if step.trial in alone and step.kind != "profile"
    )
    return Resumed(name, going_on, left(plan, lab.dut.host, steps, going_on) + changes)


def check_lab(folder: Path, lab: Lab) -> None:
    """Raise FwdtuiError if the session was recorded in another lab, or with other commands than `lab` has."""
    session = read_session(folder)
    before = session.lab
    if before is None:
        return
    now = cleaned_content(plain(lab))
    changed = [key for key in sorted(before.keys() | now.keys()) if before.get(key) != now.get(key)]
    changed = [key for key in changed if key not in ("name", "run")]  # the run's times are in the plan
    began, corrected, stated = map(_identities, (read_header(folder).factors, session.factors, lab.factors))
    changed += [  # a factor that was corrected in the session may be corrected in lab.toml as well
        f"factors.{name}"
        for name in sorted(began.keys() | stated.keys())
        if stated.get(name) not in (began.get(name), corrected.get(name))
    ]
    if changed:
        raise FwdtuiError(
            f"{folder}: lab.toml has changed since it was begun ({', '.join(changed)}), so old and new values"
            " could not be compared: restore lab.toml, or begin a new session without --resume"
        )


def check_unchanged(subject: Subject, lab: Lab) -> None:
    """Raise FwdtuiError if `lab` is not the lab of the plan that was shown. Its times are in the plan."""
    if subject.read is not None and msgspec.structs.replace(lab, run=subject.read.run) != subject.read:
        raise FwdtuiError(f"{subject.lab}: has changed since the experiment was read; begin again")


def _identities(factors: Mapping[str, FactorValue]) -> dict[str, object]:
    return {name: level(name, value).identity for name, value in accepted(factors, "")[0].items()}


@asynccontextmanager
async def opened(
    subject: Subject,
    into: Path,
    session: str,
    *,
    resume: bool = False,
    looker: Looker | None = None,
    say: Callable[[str], None] = lambda text: None,
    watchers: Sequence[Watcher] = (),
    tick: Callable[[], None] = lambda: None,
    written: Callable[[Step], None] = lambda step: None,
) -> AsyncIterator[tuple[ExperimentRun, Waiter]]:
    """The experiment, ready to `run`, and its waiter, whose `stop` ends it early; closes both at the end.

    `tick` is called four times a second while something is waited for, `written` with each step of the
    journal. Raises FwdtuiError before anything is changed on a host.
    """
    check(into, session, resume, subject)
    plan = subject.plan
    bench = await Bench.open(subject.lab, say, True, plan.experiment.run)
    async with bench:
        check_unchanged(subject, bench.lab)
        if resume:
            check_lab(into / slug(session), bench.lab)
        first = plan.cells[0]
        cases = {cell.name: cell.factors for cell in plan.cells}
        recorder = bench.record(into, session, first.name, first.factors, cases)
        recorded = read_session(recorder.folder)
        there = is_experiment(recorder.folder)
        journal = (
            Journal.go_on(recorder.folder, plan)
            if there
            else Journal.begin(recorder.folder, plan, subject.text)
        )
        journal.written = written
        try:
            boots, links = Boots(), Links(bench.lab)
            waiter = Waiter(bench, bench.start([boots, links, *watchers]), tick)
            run = ExperimentRun(subject, waiter, boots, links, journal, recorded, looker=looker, say=say)
            yield run, waiter
        finally:
            journal.close()
