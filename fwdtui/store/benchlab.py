"""Import of a bench-lab result tree: each build becomes a session, each configuration a case.

Every iteration has its raw logs byte for byte, the samples read from them, the value, how it was trimmed and
where it came from. A session appears complete or not at all. A run that cannot be read is skipped, with a
note.
"""

import datetime
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fwdtui.core import netbenches, steady
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue
from fwdtui.core.model import Caution, Fact
from fwdtui.core.parse.dates import parse as parse_date
from fwdtui.core.text import clean
from fwdtui.store import benchlab_config, benchlab_profiles, benchlab_run, benchlab_values, profiles
from fwdtui.store.benchlab_factors import Described
from fwdtui.store.benchlab_plan import Plan, Planned, plan
from fwdtui.store.benchlab_profiles import ProfileFiles
from fwdtui.store.benchlab_run import RunFiles
from fwdtui.store.benchlab_tree import Result, Tree
from fwdtui.store.writer import SessionWriter

TRIMS = ("steady", "netbenches")

Progress = Callable[[int, int, str], None]
"""Called as progress(done, total, what) when iteration `what` begins; `done` are finished."""


@dataclass(frozen=True, slots=True)
class Imported:
    """One session that an import made."""

    path: Path
    label: str
    cases: int
    iterations: int  # with a value or without, but not those of profiles
    notes: tuple[str, ...]
    cautions: tuple[tuple[str, int, Caution], ...]  # case, iteration, warning
    profiles: int = 0  # each an iteration of its own, without a value


@dataclass(slots=True)
class _Counted:
    """How far the import is, in iterations."""

    total: int
    progress: Progress | None
    done: int = 0

    def next(self, what: str) -> None:
        """The next iteration, `what`, begins."""
        if self.progress:
            self.progress(self.done, self.total, what)
        self.done += 1


@dataclass(slots=True)
class _Job:
    """One session to import, and what was done of it."""

    planned: Planned
    notes: list[str] = field(default_factory=list)
    cautions: list[tuple[str, int, Caution]] = field(default_factory=list)
    cases: set[str] = field(default_factory=set)
    count: int = 0
    profiles: int = 0


def import_tree(
    root: Path,
    into: Path,
    trim: str = "steady",
    progress: Progress | None = None,
    corrections: Sequence[str] = (),
) -> list[Imported]:
    """Import every result folder at or below `root` into sessions below `into`.

    Raises FwdtuiError if there is nothing to import, or if a session of that name already exists; nothing has
    been written then. `corrections` as for `plan`.
    """
    return carry_out(plan(root, into, corrections), trim, progress)


def carry_out(planned: Plan, trim: str = "steady", progress: Progress | None = None) -> list[Imported]:
    """Make the sessions of a plan. Raises as `import_tree` does."""
    for session in planned.sessions:
        if os.path.lexists(session.target):
            raise FwdtuiError(f"{session.target}: exists already; import into another folder or remove it")
    jobs = [_Job(session) for session in planned.sessions]
    seen: set[Path] = set()
    for job in jobs:  # a note that concerns a whole folder is given once
        if job.planned.tree.folder not in seen:
            job.notes += job.planned.tree.notes
            seen.add(job.planned.tree.folder)
    counted = _Counted(sum(len(one.result.runs) for one in planned.described), progress)
    made = [done for job in jobs if (done := _import_session(job, trim, counted))]
    if not made:
        why = "; ".join(note for job in jobs for note in job.notes[:2])
        raise FwdtuiError(f"{planned.root}: none of its runs could be imported: {why}")
    return made


def _import_session(job: _Job, trim: str, counted: _Counted) -> Imported | None:
    """Import one session; None if none of its runs can be read."""
    # built under a hidden name and renamed when complete: a killed import leaves nothing like a session
    planned = job.planned
    into = planned.target.parent
    into.mkdir(parents=True, exist_ok=True)
    for left in into.glob(f".{planned.target.name}.importing-*"):
        shutil.rmtree(left, ignore_errors=True)
    building = into / f".{planned.target.name}.importing-{os.getpid()}"
    of_session, of_cases = _factors(planned.described)
    try:
        with SessionWriter.create(
            building,
            label=planned.label,
            created=_created(planned.results),
            facts=_facts(planned, trim),
            imported=_now(),
            factors=of_session,
            case_factors=of_cases,
        ) as writer:
            for one in planned.described:
                _import_case(one, job, trim, writer, counted)
            job.notes += benchlab_config.keep(writer, planned.tree.folder, planned.results)
        if not job.count:
            shutil.rmtree(building, ignore_errors=True)
            return None
        building.rename(planned.target)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise
    done = (len(job.cases), job.count, tuple(job.notes), tuple(job.cautions))
    return Imported(planned.target, planned.label, *done, profiles=job.profiles)


def _factors(
    described: Sequence[Described],
) -> tuple[dict[str, FactorValue], dict[str, Mapping[str, FactorValue]]]:
    """The factors of a session and those of its cases: the image is the session's, if all have the same."""
    images = {one.factors.get("image", "") for one in described}
    of_session: dict[str, FactorValue] = {"image": images.pop()} if len(images) == 1 else {}
    of_session = {name: value for name, value in of_session.items() if value != ""}
    of_cases: dict[str, Mapping[str, FactorValue]] = {
        one.result.case: {name: value for name, value in one.factors.items() if name not in of_session}
        for one in described
    }
    return of_session, of_cases


def _import_case(one: Described, job: _Job, trim: str, writer: SessionWriter, counted: _Counted) -> None:
    result = one.result
    job.notes += result.notes
    values: list[float | None] = []
    for run in result.runs:
        counted.next(f"{job.planned.label} {result.case}")
        try:
            files = benchlab_run.read(run)
        except OSError as error:
            where = benchlab_run.place(Path(error.filename), job.planned.tree.folder)
            job.notes.append(f"{result.key}: run {run.index} skipped: {where}: {error.strerror}")
            continue
        job.notes += files.notes
        iteration, samples = benchlab_run.iteration(run, files, trim, job.planned.tree.folder, one.roles)
        writing = writer.begin(result.case)
        for name, data in files.raw.items():
            writing.attach(name, data)
        if samples:
            writing.append(*samples)
        writing.commit(iteration)
        job.cautions += [(result.case, writing.index, caution) for caution in iteration.warnings]
        job.cases.add(result.case)
        job.count += 1
        if writing.index != run.index:
            job.notes.append(f"{result.key}: run {run.index} became iteration {writing.index}")
        values.append(iteration.value)
    for profile in result.profiles:
        _import_profile(profile, result, job, writer)
    job.notes += _against_published(job.planned.tree, result, values, trim)


def _import_profile(files: ProfileFiles, result: Result, job: _Job, writer: SessionWriter) -> None:
    reading, raw, notes = benchlab_profiles.read(files)
    job.notes += notes
    if reading is None:
        return
    writing = writer.begin(result.case)
    origin = benchlab_run.place(files.paths[0], job.planned.tree.folder)
    profiles.commit(writing, reading.folded, profiles.described(reading), raw, origin=origin)
    job.profiles += 1


def _facts(planned: Planned, trim: str) -> dict[str, Fact]:
    """What the tree says about the lab. Includes the folder's name, but not its path on this machine."""
    name = clean(planned.tree.folder.name) or planned.place
    facts: dict[str, Fact] = {"imported_from": name, "trim": trim}
    if planned.place != name:  # other trees may have a folder of that name
        facts["imported_tree"] = planned.place
    for result in planned.results:
        info = result.info
        if info is None:
            continue
        for name, value in (
            ("image", info.image),
            ("uname", info.uname),
            ("started", info.started),
            ("ended", info.ended),
        ):
            if value and name not in ("started", "ended"):
                facts.setdefault(name, value)
            elif value:
                facts[f"{name}.{result.case}"] = value
    files = _first_read(planned.results)
    if files is not None:
        logs = {"generator" + kind.removeprefix("sender"): log for kind, log in (files.senders or {}).items()}
        if files.receiver is not None:
            logs["receiver"] = files.receiver
        for role, log in logs.items():
            if log.command:
                facts[f"{role}.command"] = log.command
            if log.command and log.host:
                facts[f"{role}.host"] = log.host
    for kind in dict.fromkeys(kind for one in planned.described for kind in one.roles):
        name = f"generator{kind.removeprefix('sender')}.role"
        roles = {one.result.case: one.roles[kind] for one in planned.described if kind in one.roles}
        if len(set(roles.values())) == 1:
            facts[name] = next(iter(roles.values()))
        else:
            facts |= {f"{name}.{case}": role for case, role in roles.items()}
    return facts


def _first_read(results: Iterable[Result]) -> RunFiles | None:
    """The first run whose logs can be read and name the command that made them."""
    for result in results:
        for run in result.runs:
            if run.published is not None:
                continue
            try:
                files = benchlab_run.read(run)
            except OSError:
                continue
            if any(log.command for log in [files.receiver, *(files.senders or {}).values()] if log):
                return files
    return None


def _created(results: Iterable[Result]) -> str:
    """When its first case began, according to .info; "" if no .info says: logs have no dates."""
    dates = [parse_date(result.info.started or "") for result in results if result.info is not None]
    known = [datetime.datetime.fromisoformat(text) for text in dates if text]
    return min(known).isoformat(timespec="seconds") if known else ""


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _against_published(tree: Tree, result: Result, values: list[float | None], trim: str) -> list[str]:
    """Notes from comparing with the value files and gnuplot.data that were published beside the logs.

    Under "netbenches" they must agree to the digit, and a note names what does not. Under "steady" other
    values are expected, so there are no notes; but a search's result does not depend on the trimming.
    """
    own = sorted(value for value in values if value is not None)
    notes = _searched(tree, result, own)
    if trim == "netbenches":
        by_value = [path for path, published in tree.published.items() if sorted(published) == own]
        by_name = [path for path in tree.published if path.name in (result.key, f"{result.key}.pps")]
        if by_name and by_name[0] not in by_value:
            notes.append(f"{by_name[0].name}: published values differ from those of the logs")
        elif by_value and all(benchlab_values.key_of(path) != result.key for path in by_value):
            notes.append(
                f"{result.key}: published as {by_value[0].name} (the same values under another name)"
            )
        row = tree.gnuplot.get(result.key)
        summary = steady.summary(own)
        if row and summary and (netbenches.value(own), summary.min, summary.max) != row:
            notes.append(
                f"gnuplot.data: median, minimum and maximum of {result.key} differ from the logs' values"
            )
    return notes


def _searched(tree: Tree, result: Result, own: list[float]) -> list[str]:
    """A note if the values in NAME.equilibrium are not those of the logs."""
    name = f"{result.key}{benchlab_values.EQUILIBRIUM}"
    for path, published in tree.published.items():
        if path.name != name or sorted(published) == own:
            continue
        if len(published) > len(own) and sorted(published[-len(own) :]) == own:
            return [f"{name}: {len(published)} values, of which the last {len(own)} are those of the logs"]
        return [f"{name}: published values differ from those of the logs"]
    return []
