"""What the comparison screen shows, computed where the command line computes it: nothing of the app's own."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Case, Caution, Iteration
from fwdtui.report import facts, ministat_block, sides
from fwdtui.report.compare_command import judge_sides
from fwdtui.report.gathered import by_case, sets_of, warnings
from fwdtui.report.iterations import iteration_folder
from fwdtui.report.sides import Side
from fwdtui.stats.ministat import MinistatOptions, NamedSet
from fwdtui.stats.ministat import block as ministat
from fwdtui.stats.ministat.model import FEWEST_VALUES
from fwdtui.stats.model import VERDICTS, Judged


@dataclass(frozen=True, slots=True)
class Unpaired:
    """A case that one candidate and the baseline do not share."""

    case: str
    candidate: str
    reason: str


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison ready to draw. `sides`: the baseline first, then the candidates."""

    sides: tuple[Side, ...]
    judged: tuple[Judged, ...]
    notes: tuple[Caution, ...]
    margin: float
    confidence: float

    @property
    def labels(self) -> tuple[str, ...]:
        """The baseline's first."""
        return tuple(side.label for side in self.sides)

    @property
    def paths(self) -> list[Path]:
        """The sessions', the baseline's first."""
        return [Path(side.spec) for side in self.sides]

    @property
    def cases(self) -> list[str]:
        """All cases of all sides: the baseline's in its order, then those that it lacks."""
        return list(dict.fromkeys(name for side in self.sides for name in side.cases))

    @property
    def unpaired(self) -> list[Unpaired]:
        """What could not be compared, and why: the same that the notes of the pairing tell in prose."""
        base, *others = self.sides
        return [
            Unpaired(case, other.label, f"only in {here.label}, not in {there.label}")
            for case in self.cases
            for other in others
            for here, there in ((base, other), (other, base))
            if case in here.cases and case not in there.cases
        ]

    def count(self, verdict: str) -> int:
        """How many cases have this verdict."""
        return sum(one.comparison.verdict == verdict for one in self.judged)

    def counts(self) -> str:
        """``2 faster, 1 slower``"""
        told = [f"{found} {verdict}" for verdict in VERDICTS if (found := self.count(verdict))]
        return ", ".join(told)

    def side(self, label: str) -> Side:
        """The one called so: labels tell sides apart."""
        return next(side for side in self.sides if side.label == label)

    def facts(self, judged: Judged) -> facts.Facts:
        """Of the baseline and this one's candidate."""
        return facts.compare([self.sides[0], self.side(judged.other.label)])

    def warnings(self, judged: Judged) -> list[str]:
        """Those of this comparison, then what is about the sessions."""
        return [f"{one.code}: {one.text}" for one in warnings([judged], self.notes)]

    def block(self, case: str) -> str:
        """ministat's block on a case, all candidates in it, byte for byte as the command prints it."""
        sets = sets_of(by_case(self.judged)[case])
        if poor := [one.label for one in sets if len(one.values) < FEWEST_VALUES]:
            return (
                f"no ministat table: it takes {FEWEST_VALUES} or more values a set, not {', '.join(poor)}\n"
            )
        options = MinistatOptions(confidence=ministat_block.confidence_for(self.confidence))
        named = [NamedSet(ministat_block.name(one.label, case, None), one.values) for one in sets]
        return ministat(named, options)


@dataclass(frozen=True, slots=True)
class Loaded:
    """Sessions read once; `left_out`: those that cannot be read, and why."""

    sides: tuple[Side, ...]
    left_out: tuple[Caution, ...] = ()


def load(paths: Sequence[Path]) -> Loaded:
    """Read the sessions, the baseline first; a candidate that is damaged is left out and told.

    Raises FwdtuiError where the baseline or every candidate cannot be read.
    """
    specs = [str(path) for path in paths]
    try:
        return Loaded(tuple(sides.load_sides(specs)))
    except (FwdtuiError, OSError):
        pass  # which of them it is has to be found out one by one
    readable: list[str] = []
    left_out: list[Caution] = []
    for path, spec in zip(paths, specs, strict=True):
        try:
            sides.load_sides([spec])
        except (FwdtuiError, OSError) as error:
            if not readable:
                raise FwdtuiError(f"the baseline cannot be read: {error}") from None
            left_out.append(Caution("left-out", f"{path.name} cannot be read and is left out: {error}"))
        else:
            readable.append(spec)
    if len(readable) < 2:
        raise FwdtuiError("; ".join(note.text for note in left_out) or "there is no candidate")
    return Loaded(tuple(sides.load_sides(readable)), tuple(left_out))


def stamp(paths: Sequence[Path]) -> tuple[int, ...]:
    """Another one when iterations were added, or when somebody renamed, annotated or dropped something."""
    found: list[int] = []
    for path in paths:
        with contextlib.suppress(OSError):
            folders = [
                path,
                *(part for part in sorted(path.iterdir()) if part.is_dir() or part.suffix == ".toml"),
            ]
            found += [part.stat().st_mtime_ns for part in folders]
    return tuple(found)


def judge(loaded: Loaded, margin: float, confidence: float) -> Compared:
    """Every case that the baseline shares with a candidate. Raises FwdtuiError where there is none."""
    judged, notes = judge_sides(loaded.sides, margin=margin, confidence=confidence)
    return Compared(loaded.sides, tuple(judged), (*loaded.left_out, *notes), margin, confidence)


def swapped(loaded: Loaded, label: str) -> Loaded:
    """The candidate called `label` as the baseline, and the baseline in its place."""
    found = list(loaded.sides)
    place = next(number for number, side in enumerate(found) if side.label == label)
    found[0], found[place] = found[place], found[0]
    return Loaded(tuple(found), loaded.left_out)


def used(side: Side, case: str) -> tuple[Iteration, ...]:
    """The iterations of a side that the statistics are made of, in their order."""
    return side.cases[case].used


def middle(iterations: Sequence[Iteration]) -> int:
    """The place of the one whose value is nearest to the median: the one that stands for its set."""
    values = [iteration.value or 0.0 for iteration in iterations]
    wanted = median(values)
    return min(range(len(values)), key=lambda place: abs(values[place] - wanted))


def folder(side: Side, case: str, iteration: Iteration) -> Path:
    """Where an iteration of a session's side is recorded."""
    assert side.session is not None  # the app opens sessions only
    return Path(iteration_folder(side.session, Case(case), iteration))
