"""A comparison: its sides, verdicts and options, made once for whatever shows it or reports on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import Level
from fwdtui.core.model import Case, Caution, Iteration
from fwdtui.report import facts, ministat_block, settings_compared, sides
from fwdtui.report.bearing import marked
from fwdtui.report.factor_view import AS_GIVEN, FactorView, LevelTexts
from fwdtui.report.grouping import Warned, by_case, marked_first, sets_of, warnings
from fwdtui.report.iterations import iteration_folder
from fwdtui.report.settings_compared import KeptOf
from fwdtui.report.settings_levels import NOTHING_BETWEEN, BetweenLevels, between_levels
from fwdtui.report.sides import Side
from fwdtui.stats.results import VERDICTS, Interaction, Judged

if TYPE_CHECKING:
    from fwdtui.report.experiment_summary import ExperimentSummary
    from fwdtui.report.settings_difference import SettingsDifference

MARGIN, CONFIDENCE = 1.0, 95.0
"""The defaults of a comparison, in percent."""


@dataclass(frozen=True, slots=True)
class Unpaired:
    """A case that one candidate and the baseline do not share; `home` is the label of the one that has it."""

    case: str
    candidate: str
    reason: str
    home: str


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison ready to draw or to report. `sides`: the baseline first, then the candidates.

    `margin` and `confidence` are in percent, as asked for: at a planned look the verdicts' own confidence is
    higher (`Difference.confidence`). `notes` belong to no single case; `left_out` are about sessions that
    could not be read. `left_out` is in no report: the command that writes the same report does not name those
    sessions.

    `view` is what was asked for by factors, `given` the paths of the sessions it was asked of; without
    factors, these are the sides. `recorded`: the sides as they were read, before any metric or filter.
    `experiments`: the experiments of their sessions that have a cell in the comparison.
    """

    sides: tuple[Side, ...]
    judged: tuple[Judged, ...]
    notes: tuple[Caution, ...] = ()
    margin: float = MARGIN
    confidence: float = CONFIDENCE
    left_out: tuple[Caution, ...] = ()
    interactions: tuple[Interaction, ...] = ()
    view: FactorView = AS_GIVEN
    given: tuple[str, ...] = ()
    settings: "tuple[SettingsDifference, ...]" = ()
    settings_between: BetweenLevels = NOTHING_BETWEEN
    experiments: "tuple[ExperimentSummary, ...]" = ()
    recorded: tuple[Side, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the sides, the baseline's first."""
        return tuple(side.label for side in self.sides)

    @property
    def all_notes(self) -> tuple[Caution, ...]:
        """Notes on the sessions; those that could not be read come first."""
        return (*self.left_out, *self.notes)

    @property
    def paths(self) -> list[Path]:
        """The paths of the sessions as they were given, the baseline's first."""
        return [Path(spec) for spec in self.given or [side.spec for side in self.sides]]

    @property
    def within(self) -> tuple[str, ...]:
        """The factors whose levels make the cases; empty if the cases are those of the sessions."""
        cells = [one.within for side in self.sides for one in side.cases.values()]
        return tuple(cells[0]) if cells else ()

    def levels(self, case: str) -> Mapping[str, Level]:
        """The levels of `within` that make a case."""
        if not self.within:
            return {}
        return next(side.cases[case].within for side in self.sides if case in side.cases)

    def cell(self, case: str) -> tuple[str, ...]:
        """The levels of `within` that make a case, as they are shown; the case's name if there are none."""
        texts = LevelTexts(self.view, sides.cell_levels(self.sides), strict=False)
        return tuple(texts.apart(name, one) for name, one in self.levels(case).items()) or (case,)

    @property
    def cases(self) -> list[str]:
        """All cases of all sides: the baseline's in its order, then the others'."""
        return list(dict.fromkeys(name for side in self.sides for name in side.cases))

    @property
    def unpaired(self) -> list[Unpaired]:
        """The cases that could not be compared, and why; the notes of the pairing say the same in prose."""
        base, *others = self.sides
        return [
            Unpaired(case, other.label, f"only in {here.label}, not in {there.label}", here.label)
            for case in self.cases
            for other in others
            if not (base.chosen and other.chosen)  # these are compared whatever they are called
            for here, there in ((base, other), (other, base))
            if case in here.cases and case not in there.cases
        ]

    def count(self, verdict: str) -> int:
        """How many cases have this verdict."""
        return sum(one.comparison.verdict == verdict for one in self.judged)

    def counts(self) -> str:
        """``2 faster, 1 slower``"""
        counted = [f"{count} {verdict}" for verdict in VERDICTS if (count := self.count(verdict))]
        return ", ".join(counted)

    @property
    def at_look(self) -> float | None:
        """The verdicts' own confidence, in percent, if it differs from the one asked for; else None.

        It is higher where planned looks share the confidence that was asked for.
        """
        own = {one.comparison.difference.confidence for one in self.judged} - {self.confidence}
        return max(own, default=None)

    @property
    def compared_sides(self) -> tuple[Side, ...]:
        """The sides, each with only those of its cases that are compared: a note names the others.

        A side that has no compared case keeps all its cases.
        """
        compared = {one.comparison.case for one in self.judged}
        kept = [
            side.cases if side.chosen else {name: one for name, one in side.cases.items() if name in compared}
            for side in self.sides
        ]
        return tuple(
            replace(side, cases=cases or side.cases) for side, cases in zip(self.sides, kept, strict=True)
        )

    def side(self, label: str) -> Side:
        """The side with this label; no two sides have the same."""
        return next(side for side in self.sides if side.label == label)

    def facts(self, judged: Judged) -> facts.Facts:
        """The facts of the baseline and of this comparison's candidate; by factors, of their two cells."""
        if self.view.by:
            pair = (self.sides[0], self.side(judged.other.label))
            return facts.compare([_only_case(side, judged.comparison.case) for side in pair])
        base, *others = self.compared_sides
        return facts.compare([base, next(side for side in others if side.label == judged.other.label)])

    def settings_of(self, judged: Judged) -> "SettingsDifference | None":
        """How the settings differ under which both sides of this case ran; None: there are no settings."""
        labels, case = (judged.base.label, judged.other.label), judged.comparison.case
        return next(
            (one for one in self.settings if (one.base, one.other) == labels and case in one.cases), None
        )

    def warnings(self, judged: Judged) -> list[Warned]:
        """The warnings of this comparison and of the sessions, those that bear on its verdict first."""
        return marked_first(warnings([judged], self.all_notes, self.interactions))

    def block(self, case: str) -> str:
        """ministat's block on a case with all its candidates, byte for byte as the command prints it.

        Its confidence level is the comparison's, which may be that of a planned look, as in the report. If
        there are more sets than ministat takes, there are several blocks, each with the baseline. If a set
        has too few values for ministat, there is a sentence instead that says so.
        """
        results = by_case(self.judged)[case]
        return ministat_block.blocks(sets_of(results), case, None, ministat_block.level(results))


@dataclass(frozen=True, slots=True)
class Loaded:
    """Sessions read once; `left_out`: those that cannot be read, and why; `kept`: their hosts' settings."""

    sides: tuple[Side, ...]
    left_out: tuple[Caution, ...] = ()
    kept: KeptOf = field(default_factory=KeptOf)


def load(paths: Sequence[Path]) -> Loaded:
    """Read the sessions, the baseline first; a damaged candidate is left out and reported.

    Raises FwdtuiError if the baseline, or every candidate, cannot be read.
    """
    specs = [str(path) for path in paths]
    try:
        return Loaded(tuple(sides.load_sides(specs)))
    except (FwdtuiError, OSError):
        pass  # to find out which of them it is, they are read one by one below
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


def session_folder(path: Path) -> Path:
    """The session that a path or ``PATH:CASE`` names; `path` itself if it names none."""
    from fwdtui.store.session_names import SessionNames

    return next((session for session, _ in SessionNames(None).readings(str(path), ":")), path)


def _only_case(side: Side, case: str) -> Side:
    session = side.cases[case].session
    one = {case: side.cases[case]}
    return replace(side, cases=one, sessions=() if session is None else (session,))


def judge(loaded: Loaded, margin: float, confidence: float, view: FactorView = AS_GIVEN) -> Compared:
    """Compare every case that the baseline shares with a candidate. Raises FwdtuiError if there is none."""
    compared = judge_sides(loaded.sides, margin=margin, confidence=confidence, view=view, kept=loaded.kept)
    return replace(compared, left_out=loaded.left_out)


def judge_sides(
    sides: Sequence[Side],
    *,
    margin: float = MARGIN,
    confidence: float = CONFIDENCE,
    offered: float | None = None,
    view: FactorView = AS_GIVEN,
    settings: bool = True,
    kept: KeptOf | None = None,
) -> Compared:
    """Verdicts on all cases that the sides share, and the notes that belong to none of them.

    `margin` and `confidence` are in percent; `offered`, in pps, is the offered load of every set that has
    none of its own. `view`: by which factors, filters and metric the sides are compared. `settings`: also
    compare the hosts' settings, and read what became of the sessions' experiments; settings that `kept` does
    not have yet are read here. Raises FwdtuiError if any of it is impossible, or if the sides have no case in
    common.
    """
    from fwdtui.report.matched import matched
    from fwdtui.stats import verdict  # late: the import is slow, and unreadable files are reported first

    recorded = tuple(sides)  # what was measured, whatever a metric or a filter leaves of it
    given = tuple(side.spec for side in sides)
    sides, pairs, crosses, notes = matched(sides, view, offered=offered)
    together = verdict.judge_all(pairs, crosses, margin_percent=margin, confidence=confidence)
    judged = [_named(one, view.metric) for one in together.judged] if view.metric else together.judged
    differing: tuple[SettingsDifference, ...] = ()
    between = NOTHING_BETWEEN
    summaries: tuple[ExperimentSummary, ...] = ()
    sessions = [session for side in recorded for session in side.sessions] if settings else []
    if sessions:
        from fwdtui.store.names import is_of_experiment  # late: value files need neither TOML nor checksums

        if any(map(is_of_experiment, sessions)):
            from fwdtui.report import experiment_summary, unmeasured  # late: most sessions have none

            found, unreadable = experiment_summary.experiments(recorded)
            summaries = unmeasured.concerned(found, recorded, sides, view)
            notes = experiment_summary.without_repetition(notes, unreadable)
        kept = KeptOf() if kept is None else kept
        differing, damaged = settings_compared.compare_sides(sides, judged, kept)
        notes = (*notes, *damaged)
        if differing and view.by:
            between = between_levels(sides, view, kept)
    return Compared(
        tuple(sides),
        tuple(judged),
        notes,
        margin,
        confidence,
        interactions=tuple(marked(together.interactions, judged)),
        view=view,
        given=given,
        settings=differing,
        settings_between=between,
        experiments=summaries,
        recorded=recorded,
    )


def _named(one: Judged, metric: str) -> Judged:
    return msgspec.structs.replace(one, comparison=msgspec.structs.replace(one.comparison, metric=metric))


def swapped(loaded: Loaded, label: str) -> Loaded:
    """`loaded` with the candidate called `label` as the baseline, and the baseline in its place."""
    order = list(loaded.sides)
    place = next(number for number, side in enumerate(order) if side.label == label)
    order[0], order[place] = order[place], order[0]
    return Loaded(tuple(sides.labelled(order)), loaded.left_out, loaded.kept)


def used(side: Side, case: str) -> tuple[Iteration, ...]:
    """The iterations of a side's case that the statistics are made of, in their order."""
    return side.case(case).used


def middle(iterations: Sequence[Iteration]) -> int:
    """The index of the iteration whose value is nearest to the median: it represents its set."""
    from statistics import median

    values = [iteration.value or 0.0 for iteration in iterations]
    wanted = median(values)
    return min(range(len(values)), key=lambda place: abs(values[place] - wanted))


def folder(side: Side, case: str, iteration: Iteration) -> Path:
    """The folder in which an iteration of a side is recorded; the side must be a session's."""
    one = side.case(case)
    assert one.session is not None  # the app opens sessions only
    return Path(iteration_folder(one.session, Case(one.name), iteration))
