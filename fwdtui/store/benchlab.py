"""Import of a bench-lab result tree: each build becomes a session, each configuration a case.

Every iteration has its raw logs byte for byte, the samples read from them, the value, how it was trimmed and
where it came from. A session appears complete or not at all. A run that cannot be read is skipped, with a
note. Large trees are read in several processes.
"""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.host_settings import HostSettings
from fwdtui.core.model import Caution
from fwdtui.store import benchlab_session, benchlab_work, host_settings, in_processes, opening
from fwdtui.store.atomic import naming, write_new
from fwdtui.store.benchlab_config import Configs
from fwdtui.store.benchlab_copies import Copies
from fwdtui.store.benchlab_plan import Plan, Planned, plan
from fwdtui.store.benchlab_published import PublishedBeside
from fwdtui.store.benchlab_tree import Run
from fwdtui.store.benchlab_work import Outcome, Part, Step
from fwdtui.store.names import case_folder
from fwdtui.store.running_imports import hidden, running
from fwdtui.store.schema import SESSION_FILE
from fwdtui.store.unshown import Unshown

TRIMS = ("steady", "netbenches")

_MANY = 100  # runs: with fewer, starting processes takes longer than it saves
_AT_ONCE = 16  # steps that a process takes at once

Progress = Callable[[int, int, str], None]
"""Called as progress(done, total, what) when iteration `what` begins; `done` are finished."""


class Imported(msgspec.Struct, frozen=True):
    """One session that an import made."""

    path: Path
    label: str
    cases: int
    iterations: int  # with a value or without, but not those of profiles
    notes: tuple[str, ...]
    cautions: tuple[tuple[str, int, Caution], ...]  # case, iteration, warning
    profiles: int = 0  # each an iteration of its own, without a value


class _Job(msgspec.Struct):
    """One session to import, and what has been done of it so far."""

    planned: Planned
    notes: list[str] = []
    outcomes: dict[int, list[Outcome]] = {}  # place of a result -> the outcomes of its steps
    next: dict[str, int] = {}  # folder of a case -> number of its next iteration

    @property
    def building(self) -> Path:
        """The hidden folder in which it is built."""
        return hidden(self.planned.target)

    @property
    def files(self) -> dict[str, int]:
        """Folder of each iteration, such as ``inet4/001`` -> how many files were written into it."""
        return {
            f"{case_folder(self.planned.results[place].case)}/{one.index:03d}": one.files
            for place, outcomes in self.outcomes.items()
            for one in outcomes
            if one.index is not None
        }


def import_tree(
    root: Path,
    into: Path,
    trim: str = "steady",
    progress: Progress | None = None,
    corrections: Sequence[str] = (),
) -> list[Imported]:
    """Import every result folder at or below `root` into sessions below `into`.

    Raises FwdtuiError if there is nothing to import, or if a session of that name already exists; nothing has
    been written then. `trim` is one of TRIMS; `corrections` as for `plan`.
    """
    return carry_out(plan(root, into, corrections), trim, progress)


def carry_out(
    planned: Plan, trim: str = "steady", progress: Progress | None = None, processes: int | None = None
) -> list[Imported]:
    """Make the sessions of a plan in `processes` processes; None: in as many as are worth it.

    The sessions, notes and errors do not depend on that number. Raises as `import_tree` does.
    """
    for session in planned.sessions:
        if os.path.lexists(session.target):
            raise FwdtuiError(f"{session.target}: exists already; import into another folder or remove it")
    jobs = [_Job(session) for session in planned.sessions]
    seen: set[Path] = set()
    for job in jobs:  # a note that concerns a whole folder is given once
        if job.planned.tree.folder not in seen:
            job.notes += job.planned.tree.notes
            seen.add(job.planned.tree.folder)
    with naming(planned.sessions[0].target.parent):
        made = _Import(jobs, trim, progress, processes).made()
    if not made:
        why = "; ".join(note for job in jobs for note in job.notes[:2])
        raise FwdtuiError(f"{planned.root}: none of its runs could be imported: {why}")
    return made


class _Import:
    """One import, which makes all its sessions."""

    def __init__(
        self, jobs: Sequence[_Job], trim: str, progress: Progress | None, processes: int | None
    ) -> None:
        self._jobs = jobs
        self._trim = trim
        self._progress = progress
        self._total = sum(len(one.result.runs) for job in jobs for one in job.planned.described)
        self._begun = 0
        if processes is None:
            processes = in_processes.count() if self._total >= _MANY else 1
        self._processes = processes
        self._configs = Configs()
        self._copies = Copies()
        self._published: dict[Path, PublishedBeside] = {}

    def made(self) -> list[Imported]:
        """Make all sessions. If the import ends early, those that are whole stay, and nothing else does."""
        targets = [job.planned.target for job in self._jobs]
        into = targets[0].parent
        into.mkdir(parents=True, exist_ok=True)
        with running(into, targets):
            unshown = Unshown(into)
            try:
                try:
                    made = self._all(unshown)
                except BaseException:
                    with contextlib.suppress(OSError, FwdtuiError):
                        unshown.show()
                    raise
                unshown.show()
                return made
            finally:
                for job in self._jobs:
                    shutil.rmtree(job.building, ignore_errors=True)
                unshown.close()

    def _all(self, unshown: Unshown) -> list[Imported]:
        size = _AT_ONCE if self._processes > 1 else 1
        parts = [benchlab_work.parts(job.planned.described, job.building, size) for job in self._jobs]
        work = in_processes.in_order(
            partial(benchlab_work.do, self._trim), [*chain.from_iterable(parts)], self._processes
        )
        made: list[Imported] = []
        left_out: list[str] = []  # notes on builds that became no session, and so have none to carry them
        with contextlib.closing(work):
            for job, own in zip(self._jobs, parts, strict=True):
                for part in own:
                    self._take(job, part, work)
                if (done := self._finished(job)) is not None:
                    unshown.whole(done.path, job.files)
                    made.append(done)
                else:
                    why = "none of its runs could be imported, so it is no session"
                    left_out += [f"{job.planned.label}: {why}", *job.notes]
                job.outcomes.clear()
        if made:
            made[0] = msgspec.structs.replace(made[0], notes=(*made[0].notes, *left_out))
        return made

    def _take(self, job: _Job, part: Part, work: Iterator[list[Outcome]]) -> None:
        """Take the outcomes of one part. Those of the parts before it have been taken already."""
        runs = [step for step in part.steps if isinstance(step.of, Run)]
        for step in runs[:1]:
            self._next(job, part, step)
        outcomes = next(work)
        start = job.next.get(part.case, 1)
        if start != part.start:  # some of the steps before it became no iteration
            benchlab_work.undo(part, outcomes)
            part = msgspec.structs.replace(part, start=start)
            outcomes = benchlab_work.do(self._trim, part)
        if (copies := self._copies.marked(part, outcomes)) is not None:
            benchlab_work.undo(part, outcomes)
            outcomes = benchlab_work.do(self._trim, copies)
        for step in runs[1:]:
            self._next(job, part, step)
        job.next[part.case] = start + sum(one.index is not None for one in outcomes)
        for step, outcome in zip(part.steps, outcomes, strict=True):
            job.outcomes.setdefault(step.place, []).append(outcome)

    def _next(self, job: _Job, part: Part, step: Step) -> None:
        """Report to `progress` that the next iteration begins."""
        if self._progress:
            what = f"{job.planned.label} {part.described[step.place].result.case}"
            self._progress(self._begun, self._total, what)
        self._begun += 1

    def _finished(self, job: _Job) -> Imported | None:
        """Write what belongs to the session as a whole, after its iterations. None: it has no iterations."""
        planned, tree = job.planned, job.planned.tree
        cautions: list[tuple[str, int, Caution]] = []
        cases: set[str] = set()  # with iterations; `there` also has those with profiles only
        there: set[str] = set()
        iterations = profiles = 0
        for place, described in enumerate(planned.described):
            job.notes += described.result.notes
            values: list[float | None] = []
            for outcome in job.outcomes.get(place, ()):
                job.notes += outcome.notes
                if outcome.index is None:
                    continue
                there.add(described.result.case)
                if outcome.profile:
                    profiles += 1
                    continue
                iterations += 1
                cases.add(described.result.case)
                values.append(outcome.value)
                cautions += [(described.result.case, outcome.index, caution) for caution in outcome.cautions]
            if tree.folder not in self._published:
                self._published = {tree.folder: PublishedBeside(tree)}  # folders come one after the other
            job.notes += self._published[tree.folder].notes(described.result, values, self._trim)
        if not iterations:
            shutil.rmtree(job.building, ignore_errors=True)
            return None
        tools = {
            planned.results[place].case: next((one.facts for one in outcomes if one.facts), {})
            for place, outcomes in sorted(job.outcomes.items())
            if any(one.index is not None and not one.profile for one in outcomes)
        }
        folder = opening.open_folder(job.building)
        try:
            header = benchlab_session.file(planned, self._trim, tools, there)
            write_new(SESSION_FILE, header, within=folder, sync=False)
            keep = partial(_keep_settings, folder)
            job.notes += self._configs.keep(keep, tree.folder, planned.results)
        finally:
            os.close(folder)
        return Imported(
            planned.target, planned.label, len(cases), iterations, tuple(job.notes), tuple(cautions), profiles
        )


def _keep_settings(session: int, settings: HostSettings) -> bool:
    return bool(host_settings.write(session, settings, host_settings.FILES_MOST, sync=False))
