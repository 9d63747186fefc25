"""Reads samples from disk onto one axis: a whole recording, a case's iterations in turn, or one of them.

Iterations of one run share their axis and overlap a little, so they are joined to a continuous piece. Where
something is missing between them, or another run begins, a new piece begins.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Lab
from fwdtui.core.model import (
    CountSample,
    HostSample,
    Iteration,
    RateSample,
    Sample,
    Session,
)
from fwdtui.core.text import clean
from fwdtui.core.units import counted
from fwdtui.monitor.replay.recorded_lab import lab_of, placed
from fwdtui.monitor.replay.samples import Samples, cleaned
from fwdtui.monitor.replay.target import Target
from fwdtui.store import SampleLog, index_samples, opening, read_samples, read_session
from fwdtui.store.names import RECORDING

GAP = 3.0  # seconds to which the replay shortens a longer time without samples
_FOREVER = 1e9  # seconds; a recording that is longer is damaged
_OPEN = 32  # recordings of one session that are kept open; the samples of further ones are kept in memory
_SET = 2.0  # seconds from sample to sample by which only a clock that was set differs from the axis
_SAME_AXIS = 0.5  # seconds by which the clock offsets of one run may drift


@dataclass(frozen=True, slots=True)
class Kept:
    """A saved iteration of the recording. `logs`: it was imported, and has only tools' logs."""

    case: str
    iteration: Iteration
    folder: Path
    logs: bool = False


@dataclass(slots=True)
class Piece:
    """Samples without a break, from number `first` on. `shift`: seconds by which its own axis was moved.

    `started`: the wall clock at 0 of the axis, in seconds since 1970, according to a host's clock, which may
    have only whole seconds; `clocks` has it for each host, until its clock was set (`was_set`).
    """

    name: str
    first: int
    shift: float = 0.0
    started: float | None = None
    notes: list[str] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    logs: bool = False
    clocks: dict[str, float] = field(default_factory=dict)
    was_set: dict[str, bool] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recording:
    """Samples in the order in which they arrived. `due`: when each of them is played, never decreasing.

    Times are seconds on one axis, that of the first piece, to which the others were moved. `kept` are the
    iterations that may be anywhere in the recording; those of a known piece are in `Piece.kept`.
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
        """The recording's name, with the session's label: ``rules-100 ▸ forwarding.inet4 ▸ 3``."""
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
    """Read a recording. Raises FwdtuiError if there is nothing to play; damage is in the pieces' notes."""
    session = read_session(target.session)
    wanted = _wanted(target, session)
    building = _Building()
    pool: list[Kept] = []
    if target.case is None:
        files = sorted(
            p for p in target.session.iterdir() if RECORDING.fullmatch(p.name) and opening.is_file(p)
        )
        for number, path in enumerate(files):
            if number < _OPEN:
                building.read(path.stem, path)
            else:
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
    for piece in building.pieces:
        piece.started = _started(piece)
    mine = str(target.case or target.session)
    building.pieces[0].notes += [problem for problem in session.problems if mine in problem]
    cases = [kept.case for kept in wanted]
    return Recording(
        target=target,
        session=session,
        case=cases[0] if cases else "",
        lab=lab_of(session, building.samples),
        samples=building.samples,
        due=building.samples.due,
        pieces=building.pieces,
        kept=pool,
    )


def _wanted(target: Target, session: Session) -> list[Kept]:
    """The target's iterations in the order in which they were measured, as far as that is known."""
    wanted = []
    for case in session.cases:
        for iteration in case.iterations:
            folder = target.session / iteration.place(case.name)
            meant = target.case is None or target.case.name == folder.parent.name
            if meant and target.iteration in (None, iteration.index):
                wanted.append(Kept(case.name, iteration, folder))
    if all(kept.iteration.began for kept in wanted):
        wanted.sort(key=lambda kept: kept.iteration.began)
    return wanted


class _Log:
    """What `_Building` has to know of the samples of one log, in their order; each is seen only once."""

    def __init__(self) -> None:
        self.at = array("d")  # NaN: the sample has only its tool's own clock
        self.walls = array("d")  # NaN: not known
        self.hosts: dict[str, int] = {}  # host -> its number
        self.host = array("I")  # the number of each sample's host if it has a wall clock; else 0
        self.identities = array("q")  # hashes, as there may be a million samples
        self.axes: dict[tuple[str, str], float] = {}  # (host, boot) -> offset of its clock to the axis

    def see(self, sample: Sample) -> None:
        wall, host = nan, 0
        if isinstance(sample, HostSample) and abs(sample.at) < _FOREVER:
            self.axes[sample.host, sample.boot] = sample.at - sample.t
            if sample.wall is not None and 0 < sample.wall < 10 * _FOREVER:
                wall, host = sample.wall, self.hosts.setdefault(sample.host, len(self.hosts))
        self.walls.append(wall)
        self.host.append(host)
        self.at.append(nan if sample.at is None else sample.at)
        self.identities.append(hash(identity(sample)))


class _Building:
    """Builds the pieces, one after another, on the axis of the first."""

    def __init__(self) -> None:
        self.samples = Samples()
        self.pieces: list[Piece] = []
        self._seen: set[int] = set()  # identities in the last piece, except those in `_newest`
        self._newest = array("q")  # those of the last log; seldom needed, and a set takes ten times the room
        self._axes: dict[tuple[str, str], float] = {}  # (host, boot) -> clock offset of the last piece
        self._clocks: dict[str, float] = {}  # host -> what its last wall clock says of the axis' beginning
        self._end = 0.0
        self.lost: list[str] = []  # notes on files that had nothing to play

    def read(self, name: str, path: Path) -> None:
        """Join the samples of a recording's file; they are not kept in memory."""
        seen = _Log()
        log = index_samples(path, lambda sample: seen.see(cleaned(sample)))
        if any(at != at for at in seen.at):  # they must be placed on the axis, which needs all of them
            self.add(name, SampleLog(tuple(log.samples), log.problems))
        else:
            self._join(name, log, seen)

    def add(self, name: str, log: SampleLog, kept: Kept | None = None) -> None:
        """Join the samples of `log` to the last piece, or begin a new one."""
        read = [cleaned(sample) for sample in log.samples]
        logs = all(sample.at is None for sample in read)
        seen = _Log()
        samples = placed(read)
        for sample in samples:
            seen.see(sample)
        if self._join(name, SampleLog(samples, log.problems), seen) and kept is not None:
            self.pieces[-1].kept.append(replace(kept, logs=logs))
            self.pieces[-1].logs = logs

    def _join(self, name: str, log: SampleLog, seen: _Log) -> bool:
        """Join the samples that are new; returns whether the log had any samples."""
        notes = [clean(problem) for problem in log.problems]
        places: Collection[int] = range(len(seen.at))
        if any(abs(at) >= _FOREVER for at in seen.at):
            places = [place for place in places if abs(seen.at[place]) < _FOREVER]
            odd = counted(len(seen.at) - len(places), "sample")
            notes.append(f"{name}: {odd} with an impossible time, left out")
        if not places:
            self.lost += notes
            return False
        notes, self.lost = [*self.lost, *notes], []
        self._seen.update(self._newest)
        new = (
            [place for place in places if seen.identities[place] not in self._seen] if self._seen else places
        )
        same = bool(self.pieces) and self._shares_axis(seen.axes)
        if same and len(new) < len(places):
            shift = self.pieces[-1].shift
            self.pieces[-1].notes += notes
        else:
            shift = self._begin(name, seen.at[next(iter(places))], same, notes)
            new = places
            self._seen.clear()
        self._newest = array("q", [seen.identities[place] for place in places])
        self.samples.join(log.samples, new, seen.at, shift)
        self._axes = seen.axes
        self._end = max(self._end, max((seen.at[place] + shift for place in new), default=self._end))
        names = list(seen.hosts)
        for place in new:
            if (wall := seen.walls[place]) == wall:
                self._clock(names[seen.host[place]], wall - (seen.at[place] + shift))
        return True

    def _clock(self, host: str, begin: float) -> None:
        """Take note of a host's wall clock: at this sample, it says that the axis begins at `begin`.

        A clock of whole seconds is behind, so the latest of its times is nearest; but not one by a clock that
        was set meanwhile.
        """
        piece = self.pieces[-1]
        before = self._clocks.get(host, begin)
        self._clocks[host] = begin
        piece.was_set[host] = piece.was_set.get(host, False) or abs(begin - before) > _SET
        if not piece.was_set[host]:
            piece.clocks[host] = max(begin, piece.clocks.get(host, begin))

    def _shares_axis(self, axes: dict[tuple[str, str], float]) -> bool:
        """Whether each host's clock has the same offset to the axis as before: then it is the same run."""
        common = axes.keys() & self._axes.keys()
        return bool(common) and all(abs(axes[key] - self._axes[key]) < _SAME_AXIS for key in common)

    def _begin(self, name: str, begin: float, same: bool, notes: list[str]) -> float:
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
        self._clocks.clear()
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


def _started(piece: Piece) -> float | None:
    """The wall clock at 0 of the axis, according to the first host's clock; None if not known.

    If that was set meanwhile, it is the clock of a host whose clock was not, as far as there is one.
    """
    kept = (clock for host, clock in piece.clocks.items() if not piece.was_set[host])
    return next(kept, next(iter(piece.clocks.values()), None))
