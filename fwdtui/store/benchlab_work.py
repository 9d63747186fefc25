"""The part of an import that one process does at a time: a few runs of one case, read, judged and written."""

import contextlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec

from fwdtui.core.model import Caution
from fwdtui.store import benchlab_frame, benchlab_profiles, benchlab_run, opening
from fwdtui.store.benchlab_factors import Described
from fwdtui.store.benchlab_profiles import ProfileFiles
from fwdtui.store.benchlab_run import RunFiles
from fwdtui.store.benchlab_tree import Run
from fwdtui.store.names import case_folder
from fwdtui.store.unshown import UnshownIteration


class Step(msgspec.Struct, frozen=True):
    """A run or a profile of the result at `place` in its session; it may become an iteration."""

    place: int
    of: Run | ProfileFiles


class Part(msgspec.Struct, frozen=True):
    """Steps of one case of a session: `case` is its folder in `building`, where the session is built.

    `start` is the number of the first iteration, if all steps of the case before it become iterations.
    """

    described: Sequence[Described]
    building: Path
    case: str
    start: int
    steps: tuple[Step, ...]


class Outcome(msgspec.Struct):
    """What became of a step. `index` None: no iteration. `facts`: about the tools, from the logs.

    `log`: the checksum of the receiver's log, if the iteration has a value.
    """

    notes: list[str] = []
    index: int | None = None
    value: float | None = None
    cautions: tuple[Caution, ...] = ()
    facts: dict[str, str] = {}
    profile: bool = False
    files: int = 0  # in the iteration's folder
    log: str = ""


def parts(described: Sequence[Described], building: Path, size: int) -> list[Part]:
    """A session's work in parts of at most `size` steps, the steps of each case in their order."""
    cases: dict[str, list[Step]] = {}
    for place, one in enumerate(described):
        steps = cases.setdefault(case_folder(one.result.case), [])
        steps += (Step(place, run) for run in one.result.runs)
        steps += (Step(place, profile) for profile in one.result.profiles)
    return [
        Part(described, building, case, first + 1, tuple(steps[first : first + size]))
        for case, steps in cases.items()
        for first in range(0, len(steps), size)
    ]


def do(trim: str, part: Part) -> list[Outcome]:
    """Turn a part's steps into iterations. Raises FwdtuiError or OSError if they cannot be written."""
    outcomes: list[Outcome] = []
    case = _CaseFolder(part.building / part.case)
    index = part.start
    try:
        for step in part.steps:
            one = part.described[step.place]
            if isinstance(step.of, Run):
                outcome = _run(one, step.of, trim, case, index)
                if any(earlier.facts for earlier in outcomes):
                    outcome.facts = {}  # the first that says them is enough
            else:
                outcome = _profile(one, step.of, case, index)
            outcomes.append(outcome)
            index += outcome.index is not None
    finally:
        case.close()
    return outcomes


def undo(part: Part, outcomes: Sequence[Outcome]) -> None:
    """Remove the iterations that `do` made of a part."""
    for outcome in outcomes:
        if outcome.index is not None:
            shutil.rmtree(part.building / part.case / f"{outcome.index:03d}")


class _CaseFolder:
    """The folder of a case, made when it is first used: a case without readable runs gets no folder."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = -1

    def begin(self, case: str, index: int) -> UnshownIteration:
        """The iteration `index` of `case`. Raises OSError."""
        if self._descriptor < 0:
            for path in (self._path.parent, self._path):
                with contextlib.suppress(FileExistsError):  # another process works on the same session
                    path.mkdir(mode=0o700)
            self._descriptor = opening.open_folder(self._path)
        return UnshownIteration(self._descriptor, case, index)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)


def _run(one: Described, run: Run, trim: str, folder: _CaseFolder, index: int) -> Outcome:
    key, tree = one.result.key, one.tree.folder
    try:
        files = benchlab_run.read(run)
    except OSError as error:
        where = benchlab_run.place(Path(error.filename), tree)
        return Outcome([f"{key}: run {run.index} skipped: {where}: {error.strerror}"])
    iteration, samples = benchlab_run.iteration(run, files, trim, tree, one.roles)
    doubts = benchlab_frame.doubts(one.factors, files.senders or {}, one.roles)
    if run.copy_of:
        doubts.append(_copied(run.copy_of))
    if doubts:
        iteration = msgspec.structs.replace(iteration, warnings=(*iteration.warnings, *doubts))
    writing = folder.begin(one.result.case, index)
    for name, data in files.raw.items():
        writing.attach(name, data)
    if samples:
        writing.save_samples(samples)
    writing.commit(iteration)
    notes = list(files.notes)
    if index != run.index:
        notes.append(f"{key}: run {run.index} became iteration {index}")
    log = "" if iteration.value is None else writing.checksums.get("receiver.log", "")
    return Outcome(
        notes, index, iteration.value, iteration.warnings, _tools(files), files=writing.written, log=log
    )


def _copied(of: str) -> Caution:
    text = (
        f"The receiver's log is that of {of}, byte for byte: one of the two runs has no log of its own; drop "
        "its iteration."
    )
    return Caution("copied-log", text)


def _tools(files: RunFiles) -> dict[str, str]:
    """The commands that made the logs of a run, and the hosts that they name; empty if no log says."""
    logs = {"generator" + kind.removeprefix("sender"): log for kind, log in (files.senders or {}).items()}
    if files.receiver is not None:
        logs["receiver"] = files.receiver
    facts = {}
    for role, log in logs.items():
        if log.command:
            facts[f"{role}.command"] = log.command
        if log.command and log.host:
            facts[f"{role}.host"] = log.host
    return facts


def _profile(one: Described, files: ProfileFiles, folder: _CaseFolder, index: int) -> Outcome:
    reading, raw, notes = benchlab_profiles.read(files)
    if reading is None:
        return Outcome(notes)
    from fwdtui.store import profiles  # loaded with the first

    origin = benchlab_run.place(files.paths[0], one.tree.folder)
    profile = profiles.described(reading)
    writing = folder.begin(one.result.case, index)
    profiles.commit(writing, reading.folded, profile, raw, origin=origin)
    return Outcome(notes, index, profile=True, files=writing.written)
