"""Import of a bench-lab result tree: each build becomes a session, each configuration a case.

Every iteration has its raw logs byte for byte, the samples read from them, the value, how it was trimmed and
where it came from. A session appears complete or not at all. A run that cannot be read is skipped, with a
note.
"""

import datetime
import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from fwdtui.core import netbenches, steady
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Caution, Fact
from fwdtui.core.parse.dates import parse as parse_date
from fwdtui.core.text import clean, slug
from fwdtui.store import benchlab_run
from fwdtui.store.benchlab_names import told_apart
from fwdtui.store.benchlab_run import RunFiles
from fwdtui.store.benchlab_tree import Result, Tree, find
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
    iterations: int
    notes: tuple[str, ...]
    cautions: tuple[tuple[str, int, Caution], ...]  # case, iteration, warning


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
    """One session to import."""

    label: str
    tree: Tree
    results: list[Result]
    target: Path
    notes: list[str] = field(default_factory=list)
    cautions: list[tuple[str, int, Caution]] = field(default_factory=list)
    cases: set[str] = field(default_factory=set)
    count: int = 0


def import_tree(
    root: Path, into: Path, trim: str = "steady", progress: Progress | None = None
) -> list[Imported]:
    """Import every result folder at or below `root` into sessions below `into`.

    Raises FwdtuiError if there is nothing to import, or if a session of that name already exists; nothing has
    been written then.
    """
    found = [
        (name, tree, [result for result in tree.results if result.session == name])
        for tree in find(root)
        for name in dict.fromkeys(result.session for result in tree.results)
    ]
    labels = told_apart([(name, tree.folder) for name, tree, _ in found], root)
    jobs = [
        _Job(label, tree, results, into / slug(label))
        for label, (_, tree, results) in zip(labels, found, strict=True)
    ]
    for job in jobs:
        if os.path.lexists(job.target):
            raise FwdtuiError(f"{job.target}: exists already; import into another folder or remove it")
    seen: set[Path] = set()
    for job in jobs:  # a note that concerns a whole folder is given once
        if job.tree.folder not in seen:
            job.notes += job.tree.notes
            seen.add(job.tree.folder)
    counted = _Counted(sum(len(result.runs) for job in jobs for result in job.results), progress)
    made = [done for job in jobs if (done := _import_session(job, trim, counted))]
    if not made:
        why = "; ".join(note for job in jobs for note in job.notes[:2])
        raise FwdtuiError(f"{root}: none of its runs could be imported: {why}")
    return made


def _import_session(job: _Job, trim: str, counted: _Counted) -> Imported | None:
    """Import one session; None if none of its runs can be read."""
    # built under a hidden name and renamed when complete: a killed import leaves nothing like a session
    into = job.target.parent
    into.mkdir(parents=True, exist_ok=True)
    for left in into.glob(f".{job.target.name}.importing-*"):
        shutil.rmtree(left, ignore_errors=True)
    building = into / f".{job.target.name}.importing-{os.getpid()}"
    facts = _facts(job, trim)
    try:
        with SessionWriter.create(
            building, label=job.label, created=_created(job.results), facts=facts, imported=_now()
        ) as writer:
            for result in job.results:
                _import_case(result, job, trim, writer, counted)
        if not job.count:
            shutil.rmtree(building, ignore_errors=True)
            return None
        building.rename(job.target)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise
    return Imported(job.target, job.label, len(job.cases), job.count, tuple(job.notes), tuple(job.cautions))


def _import_case(result: Result, job: _Job, trim: str, writer: SessionWriter, counted: _Counted) -> None:
    job.notes += result.notes
    values: list[float | None] = []
    for run in result.runs:
        counted.next(f"{job.label} {result.case}")
        try:
            files = benchlab_run.read(run)
        except OSError as error:
            where = benchlab_run.place(Path(error.filename), job.tree.folder)
            job.notes.append(f"{result.key}: run {run.index} skipped: {where}: {error.strerror}")
            continue
        job.notes += files.notes
        iteration, samples = benchlab_run.iteration(run, files, trim, job.tree.folder)
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
    job.notes += _against_published(job.tree, result, values, trim)


def _facts(job: _Job, trim: str) -> dict[str, Fact]:
    """What the tree says about the lab. Includes the folder's name, but not its path on this machine."""
    facts: dict[str, Fact] = {"imported_from": clean(job.tree.folder.name), "trim": trim}
    for result in job.results:
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
    files = _first_read(job.results)
    if files is not None:
        logs = {"generator" + kind.removeprefix("sender"): log for kind, log in (files.senders or {}).items()}
        if files.receiver is not None:
            logs["receiver"] = files.receiver
        for role, log in logs.items():
            if log.command:
                facts[f"{role}.command"] = log.command
            if log.command and log.host:
                facts[f"{role}.host"] = log.host
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
    values are expected, so there are no notes.
    """
    own = sorted(value for value in values if value is not None)
    by_name = [path for path in tree.published if path.name in (result.key, f"{result.key}.pps")]
    by_value = [path for path, published in tree.published.items() if sorted(published) == own]
    notes = []
    if trim == "netbenches":
        if by_name and by_name[0] not in by_value:
            notes.append(f"{by_name[0].name}: published values differ from those of the logs")
        elif by_value and by_value[0] not in by_name:
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
