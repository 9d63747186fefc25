"""Reads samples from disk onto one axis: a whole recording, a case's iterations in turn, or one of them.

Iterations of one run share their axis and overlap a little: they are joined to what was recorded. Where
something is missing between them, or another run begins, a new piece begins.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Lab
from fwdtui.core.model import (
    CountSample,
    EventSample,
    HostSample,
    Iteration,
    RateSample,
    Sample,
    Session,
)
from fwdtui.core.text import clean
from fwdtui.monitor.replay.recorded_lab import lab_of, placed
from fwdtui.monitor.replay.target import Target
from fwdtui.store import SampleLog, opening, read_samples, read_session
from fwdtui.store.names import RECORDING

GAP = 3.0  # seconds in the replay for a longer time without samples
_FOREVER = 1e9  # seconds; a recording that is longer is damaged
_UNSAFE = re.compile(r"\\[^\"\\/]|[^\x20-\x7e]")  # in JSON: escapes, and everything that is not plain ASCII
_SAME_AXIS = 0.5  # seconds by which the clock offsets of one run may drift


@dataclass(frozen=True, slots=True)
class Kept:
    """A saved iteration of the recording. `logs`: it is an import with tools' logs alone."""

    case: str
    iteration: Iteration
    folder: Path
    logs: bool = False


@dataclass(slots=True)
class Piece:
    """Samples without a break. `shift`: seconds its own axis was moved by; `started`: the wall clock at 0."""

    name: str
    first: int
    shift: float = 0.0
    started: float | None = None
    notes: list[str] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    logs: bool = False


@dataclass(frozen=True, slots=True)
class Recording:
    """Samples in the order in which they arrived. `due`: when each of them is played, never decreasing.

    Times are seconds on one axis: the first piece's own, which the others were moved to. `kept` are the
    iterations that may be anywhere in it; those of a known piece are in that piece.
    """

    target: Target
    session: Session
    case: str
    lab: Lab
    samples: Sequence[Sample]
    due: Sequence[float]
    pieces: Sequence[Piece]
    kept: Sequence[Kept] = ()

    @property
    def start(self) -> float:
        """Where the axis begins."""
        return self.due[0]

    @property
    def end(self) -> float:
        """When the last sample arrived."""
        return self.due[-1]

    @property
    def name(self) -> str:
        """``rules-100 ▸ forwarding.inet4 ▸ 3``, with the session's label."""
        parts = [self.session.label, *self.target.name.split(" ▸ ")[1:]]
        if self.target.case is not None:
            parts[1] = self.case
        return " ▸ ".join(parts)

    def piece(self, place: int) -> Piece:
        """The piece that contains the sample with this number."""
        return self.pieces[bisect_right(self.pieces, place, key=lambda piece: piece.first) - 1]


Progress = Callable[[int, int], None]
"""Called from time to time with (done, total); may raise to stop."""


def load(target: Target, progress: Progress = lambda done, total: None) -> Recording:
    """Read all of it. Raises FwdtuiError if there is nothing to play; damage is in the pieces' notes."""
    session = read_session(target.session)
    wanted = _wanted(target, session)
    building = _Building()
    pool: list[Kept] = []
    if target.case is None:
        files = sorted(
            p for p in target.session.iterdir() if RECORDING.fullmatch(p.name) and opening.is_file(p)
        )
        for path in files:
            building.add(path.stem, read_samples(path))
        pool = wanted
    if not building.samples:
        pool = []
        for number, kept in enumerate(wanted):
            progress(number, len(wanted))
            name = f"{kept.case} {kept.iteration.index}"
            building.add(name, read_samples(kept.folder), kept)
    if not building.samples:
        what = "only its value is left" if wanted else "nothing was recorded"
        raise FwdtuiError(f"{target.name} has no samples to play: {what} ({target.session})")
    building.pieces[-1].notes += building.lost
    for place, piece in enumerate(building.pieces):
        piece.started = _started(piece, building, place)
    mine = str(target.case or target.session)
    building.pieces[0].notes += [problem for problem in session.problems if mine in problem]
    cases = [kept.case for kept in wanted]
    return Recording(
        target=target,
        session=session,
        case=cases[0] if cases else "",
        lab=lab_of(session, building.samples),
        samples=building.samples,
        due=_due(building.samples),
        pieces=building.pieces,
        kept=pool,
    )


def _wanted(target: Target, session: Session) -> list[Kept]:
    """The target's iterations in the order in which they were measured, as far as that is known."""
    found = []
    for case in session.cases:
        for iteration in case.iterations:
            folder = target.session / iteration.place(case.name)
            meant = target.case is None or target.case.name == folder.parent.name
            if meant and target.iteration in (None, iteration.index):
                found.append(Kept(case.name, iteration, folder))
    if all(kept.iteration.began for kept in found):
        found.sort(key=lambda kept: kept.iteration.began)
    return found


class _Building:
    """Builds the pieces, one after another, on the axis of the first."""

    def __init__(self) -> None:
        self.samples: list[Sample] = []
        self.pieces: list[Piece] = []
        self._seen: set[object] = set()
        self._axes: dict[tuple[str, str], float] = {}  # (host, boot) -> clock offset of the last piece
        self._end = 0.0
        self.lost: list[str] = []  # notes on files that had nothing to play

    def add(self, name: str, log: SampleLog, kept: Kept | None = None) -> None:
        """Join the samples of `log` to the last piece, or begin a new one."""
        notes = [clean(problem) for problem in log.problems]
        read = [_clean(sample) for sample in log.samples]
        logs = all(sample.at is None for sample in read)
        samples = [s for s in placed(read) if s.at is None or abs(s.at) < _FOREVER]
        if len(samples) < len(read):
            notes.append(f"{name}: {len(read) - len(samples)} samples with an impossible time, left out")
        if not samples:
            self.lost += notes
            return
        notes, self.lost = [*self.lost, *notes], []
        new = [sample for sample in samples if identity(sample) not in self._seen]
        same = bool(self.pieces) and self._shares_axis(samples)
        if same and len(new) < len(samples):
            shift = self.pieces[-1].shift
            self.pieces[-1].notes += notes
        else:
            shift = self._begin(name, samples, same, notes)
            new = list(samples)
            self._seen.clear()
        self._seen.update(identity(sample) for sample in samples)
        if kept is not None:
            self.pieces[-1].kept.append(replace(kept, logs=logs))
            self.pieces[-1].logs = logs
        self.samples += [_moved(sample, shift) for sample in new]
        self._axes = _axes(samples)
        self._end = max([self._end, *(s.at for s in self.samples[-len(new) :] if s.at is not None)])

    def _shares_axis(self, samples: Sequence[Sample]) -> bool:
        """Whether each host's clock has the same offset to the axis as before: then it is the same run."""
        axes = _axes(samples)
        common = axes.keys() & self._axes.keys()
        return bool(common) and all(abs(axes[key] - self._axes[key]) < _SAME_AXIS for key in common)

    def _begin(self, name: str, samples: Sequence[Sample], same: bool, notes: list[str]) -> float:
        begin = next((sample.at for sample in samples if sample.at is not None), 0.0)
        shift = 0.0
        if self.pieces:
            before = self.pieces[-1].shift
            passed = begin + before - self._end if same else None
            if passed is not None and 0.0 <= passed <= GAP:
                shift = before
            else:
                shift = self._end + GAP - begin
                how = f"{passed:.0f} s without samples" if passed and passed > 0 else "An unknown time"
                notes = [f"{how} passed before {name}; the replay makes it {GAP:.0f} s.", *notes]
        self.pieces.append(Piece(name, len(self.samples), shift, notes=notes))
        return shift


def identity(sample: Sample) -> object:
    """Identifies a sample within its run; the same in the recording and in an iteration's folder."""
    if isinstance(sample, HostSample):
        return sample.host, sample.boot, sample.seq, sample.t
    if isinstance(sample, RateSample):
        return sample.role, sample.host, sample.interface, sample.t, sample.at, sample.pps
    if isinstance(sample, CountSample):
        return sample.host, sample.at, sample.t, sample.seconds
    return sample.at, sample.code, sample.host, sample.text


def _clean(sample: Sample) -> Sample:
    """The sample with clean texts, as those of hosts are: a file's text may control a terminal."""
    if _UNSAFE.search(msgspec.json.encode(sample).decode()) is None:
        return sample
    return msgspec.convert(_cleaned(msgspec.to_builtins(sample)), type(sample))


def _cleaned(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {key: _cleaned(held) for key, held in value.items()}
    return [_cleaned(held) for held in value] if isinstance(value, list | tuple) else value


def _axes(samples: Iterable[Sample]) -> dict[tuple[str, str], float]:
    return {(s.host, s.boot): s.at - s.t for s in samples if isinstance(s, HostSample)}


def _moved(sample: Sample, shift: float) -> Sample:
    if not shift or sample.at is None:
        return sample
    if isinstance(sample, EventSample):
        counts = sample.reasons
        if counts is not None:
            counts = msgspec.structs.replace(counts, since=counts.since + shift)
        return EventSample(sample.at + shift, sample.code, sample.text, sample.host, counts)
    return msgspec.structs.replace(sample, at=sample.at + shift)


def _due(samples: Sequence[Sample]) -> list[float]:
    """When each sample is played, in recorded order: one that arrived after a newer one is played with it."""
    found: list[float] = []
    latest: float | None = None
    for sample in samples:
        if sample.at is not None:
            latest = sample.at if latest is None else max(latest, sample.at)
        found.append(0.0 if latest is None else latest)
    return found


def _started(piece: Piece, building: _Building, place: int) -> float | None:
    """The wall clock at 0 of the axis, by the hosts' clocks, some of which have only whole seconds."""
    last = building.pieces[place + 1].first if place + 1 < len(building.pieces) else len(building.samples)
    offsets: dict[str, float] = {}
    for sample in building.samples[piece.first : last]:
        if isinstance(sample, HostSample) and sample.wall is not None and 0 < sample.wall < 10 * _FOREVER:
            offsets[sample.host] = max(sample.wall - sample.at, offsets.get(sample.host, 0.0))
    return next(iter(offsets.values()), None)
