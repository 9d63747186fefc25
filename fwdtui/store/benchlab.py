"""Import of a bench-lab result tree: each build becomes a session, each configuration a case.

Every iteration keeps its raw logs byte for byte, the samples read from them, the value, how it was trimmed
and where it came from. A session appears whole or not at all.
"""

import datetime
import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from fwdtui.core import netbenches, steady
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Caution, Fact, Iteration, RateSample, Summary, Window
from fwdtui.core.parse import netmap_pktgen
from fwdtui.core.parse.netmap_pktgen import PktGenLog
from fwdtui.core.text import clean, decode, slug
from fwdtui.store.benchlab_tree import Result, Run, Tree, find
from fwdtui.store.writer import SessionWriter

TRIMS = ("steady", "netbenches")
_ENDED_EARLY = 0.8  # the receiver saw traffic for less than this share of the time that the sender sent

Progress = Callable[[int, int, str], None]
"""Called as progress(done, total, what), with iterations as the unit."""


@dataclass(frozen=True, slots=True)
class Imported:
    """One session that an import made."""

    path: Path
    label: str
    cases: int
    iterations: int
    notes: tuple[str, ...]
    cautions: tuple[tuple[str, int, Caution], ...]  # case, iteration, warning


def import_tree(
    root: Path, into: Path, trim: str = "steady", progress: Progress | None = None
) -> list[Imported]:
    """Import every result folder at or below `root` into sessions below `into`.

    Raises FwdtuiError when there is nothing to import, or when a session of that name exists already.
    """
    trees = find(root)
    jobs: list[tuple[str, Tree, list[Result]]] = []
    for tree in trees:
        names = dict.fromkeys(result.session for result in tree.results)
        jobs += [(name, tree, [r for r in tree.results if r.session == name]) for name in names]
    labels = [name for name, _, _ in jobs]
    targets = []
    for name, tree, _ in jobs:
        unique = name if labels.count(name) == 1 else f"{tree.folder.name}.{name}"
        targets.append(into / slug(unique))
    for target in targets:
        if target.exists():
            raise FwdtuiError(f"{target}: exists already; import into another folder or remove it")
    total = sum(len(result.runs) for _, _, results in jobs for result in results)
    done = 0
    imported = []
    for (name, tree, results), target in zip(jobs, targets, strict=True):
        session, done = _import_session(name, tree, results, target, trim, progress, done, total)
        imported.append(session)
    return imported


def _import_session(
    label: str,
    tree: Tree,
    results: list[Result],
    target: Path,
    trim: str,
    progress: Progress | None,
    done: int,
    total: int,
) -> tuple[Imported, int]:
    # built under a hidden name and renamed when whole: a killed import leaves nothing like a session
    into = target.parent
    into.mkdir(parents=True, exist_ok=True)
    for left in into.glob(f".{target.name}.importing-*"):
        shutil.rmtree(left, ignore_errors=True)
    building = into / f".{target.name}.importing-{os.getpid()}"
    notes: list[str] = list(tree.notes)
    cautions: list[tuple[str, int, Caution]] = []
    count = 0
    created = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    try:
        with SessionWriter.create(
            building, label=label, created=created, facts=_facts(tree, results, trim)
        ) as writer:
            for result in results:
                notes += result.notes
                values = []
                for run in result.runs:
                    writing = writer.begin(result.case)
                    iteration, samples = _iteration(run, trim, writing.attach, tree.folder)
                    if samples:
                        writing.append(*samples)
                    writing.commit(iteration)
                    cautions += [(result.case, writing.index, caution) for caution in iteration.warnings]
                    if writing.index != run.index:
                        notes.append(f"{result.key}: run {run.index} became iteration {writing.index}")
                    values.append(iteration.value)
                    count += 1
                    done += 1
                    if progress:
                        progress(done, total, f"{label} {result.case}")
                notes += _against_published(tree, result, values, trim)
        building.rename(target)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise
    return Imported(target, label, len(results), count, tuple(notes), tuple(cautions)), done


def _facts(tree: Tree, results: Iterable[Result], trim: str) -> dict[str, Fact]:
    """What the tree tells about the lab. The folder's name is kept, its place on this machine is not."""
    facts: dict[str, Fact] = {"imported_from": clean(tree.folder.name), "trim": trim}
    for result in results:
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
    for result in results:
        for run in result.runs:
            for role, path in (("generator", run.sender), ("receiver", run.receiver)):
                if path is None or f"{role}.command" in facts:
                    continue
                log = netmap_pktgen.parse(decode(path.read_bytes()))
                if log.command:
                    facts[f"{role}.command"] = log.command
                if log.host:
                    facts[f"{role}.host"] = log.host
    return facts


def _iteration(
    run: Run, trim: str, attach: Callable[[str, bytes], str], folder: Path
) -> tuple[Iteration, tuple[RateSample, ...]]:
    """One run: its result, and all its samples, sender's and receiver's in time order of each."""
    cautions: list[Caution] = []
    metrics: dict[str, Summary] = {}
    logs: dict[str, PktGenLog] = {}
    source, origin, window = "", "", None
    value: float | None = None
    samples: list[RateSample] = []
    for role, path in (("receiver", run.receiver), ("generator", run.sender)):
        if path is None:
            continue
        data = path.read_bytes()
        name = attach(f"{role}.log", data)
        log = logs[role] = netmap_pktgen.parse(decode(data))
        series = tuple(RateSample(role, s.t, s.interval, s.pps, s.packets, s.bps) for s in log.samples())
        samples += series
        rates, trimmed, odd = _trim(log, series, trim)
        summary = steady.summary(rates)
        if summary:
            metrics["received" if role == "receiver" else "offered"] = summary
        if role == "receiver":
            source, origin, window = name, _place(path, folder), trimmed
            value = netbenches.value(rates) if trim == "netbenches" else (summary.median if summary else None)
            cautions += odd
            cautions += _log_cautions(log, "receiver")
        else:
            cautions += [c for c in _log_cautions(log, "generator") if c.code != "killed"]
    for path in run.others:
        attach(path.name, path.read_bytes())
    if run.published is not None:
        return _published_only(run.index, *run.published, attach, folder), ()
    if run.receiver is None:
        text = "There is no receiver log, so there is no forwarded rate; repeat this iteration."
        cautions.append(Caution("no-receiver", text))
    cautions += _together(logs)
    return (
        Iteration(
            index=run.index,
            value=value,
            source=source,
            origin=origin,
            window=window,
            metrics=metrics,
            warnings=tuple(cautions),
        ),
        tuple(samples),
    )


def _published_only(
    index: int, path: Path, value: float, attach: Callable[[str, bytes], str], folder: Path
) -> Iteration:
    """A value whose logs are lost: it counts, and says that nobody can look behind it."""
    text = "Only the published value is left of this iteration: its window and its course are not known."
    return Iteration(
        index=index,
        value=value,
        source=attach(path.name, path.read_bytes()),
        origin=f"{_place(path, folder)}, value {index}",
        window=Window("published", None, None, 0, notes=("The value as published; there is no log.",)),
        warnings=(Caution("value-only", text),),
    )


def _place(path: Path, folder: Path) -> str:
    """Where the log lay: relative to the folder above the tree, so that no machine's path is published."""
    return clean(str(path.relative_to(folder.parent)))


def _trim(
    log: PktGenLog, series: tuple[RateSample, ...], trim: str
) -> tuple[list[float], Window, list[Caution]]:
    found = steady.find(series)
    if trim == "netbenches":
        rates, window = netbenches.kept(log)
        # the same warnings as under steady: what netbenches' trimming hides is still told
        return rates, window, list(found.cautions)
    return [s.pps for s in series[found.first : found.last]], found.window, list(found.cautions)


def _log_cautions(log: PktGenLog, role: str) -> list[Caution]:
    """What the log itself tells of trouble."""
    cautions = []
    if log.crash:
        cautions.append(Caution("crashed", f"The {role} crashed ({log.crash}); repeat this iteration."))
    if log.truncated:
        cautions.append(Caution("truncated-log", f"The {role}'s log ends inside a line; its end is missing."))
    if log.skipped:
        more = f" and {len(log.skipped) - 1} more" if len(log.skipped) > 1 else ""
        cautions.append(
            Caution("damaged-log", f"The {role}'s log could not be read whole: {log.skipped[0]}{more}.")
        )
    return cautions


def _together(logs: dict[str, PktGenLog]) -> list[Caution]:
    """What only both logs tell: a receiver that stopped while the generator still sent."""
    if set(logs) != {"receiver", "generator"}:
        return []
    busy = {role: sum(s.interval for s in log.samples() if s.pps > 0) for role, log in logs.items()}
    if 0 < busy["receiver"] < _ENDED_EARLY * busy["generator"]:
        text = (
            f"The receiver saw traffic for {busy['receiver']:.0f} s of the {busy['generator']:.0f} s that "
            "the generator sent; the iteration ended early or the traffic stopped on the way."
        )
        return [Caution("ended-early", text)]
    return []


def _against_published(tree: Tree, result: Result, values: list[float | None], trim: str) -> list[str]:
    """Compare with the value files and gnuplot.data that were published beside the logs.

    Under "netbenches" they must agree to the digit; what does not is told. Under "steady" other values are
    expected, so only the link to the published file is told.
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
