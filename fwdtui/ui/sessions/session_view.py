"""What the session screen shows, read and put into words off the event loop."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from rich.text import Text

from fwdtui.core.model import Case, Fact, Iteration, Session, by_local_clock
from fwdtui.core.text import clean, clean_lines
from fwdtui.core.units import in_digits
from fwdtui.monitor.replay.iteration_series import IterationSeries, read_series
from fwdtui.report.cells import columns_of, wrap
from fwdtui.report.facts import of_session
from fwdtui.report.in_metric import costs_of
from fwdtui.report.iterations import CaseSet, case_set, iteration_folder, units_of
from fwdtui.report.merging import numbered
from fwdtui.stats.figures import listing
from fwdtui.stats.outliers import LEAST, outliers, score_limit, score_name
from fwdtui.stats.results import Description
from fwdtui.store import read_session
from fwdtui.ui.draw import charts
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.sessions import raw_logs
from fwdtui.ui.sessions.iteration_text import account_text
from fwdtui.ui.sessions.text import (
    case_line,
    described,
    fact_lines,
    hygiene_facts,
    hygiene_lines,
    remarks,
    unfinished,
)

_BESIDE = 3  # rows besides the two charts: below each, what the means are; and one between them
_LEAST = 12  # the fewest rows of a chart that is drawn higher than usual
_CHARTS = charts.histogram, charts.strip
_CONFIDENCE = 95.0  # percent; as in a comparison for which no other was chosen
_MARGIN = 1.0  # percent; as in a comparison for which no other was chosen


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session and the sets for its statistics."""

    session: Session
    sets: Mapping[str, CaseSet]

    def described(self, case: Case) -> Description:
        """Statistics of the iterations of a case that count."""
        return described(self.sets[case.name])

    def case(self, name: str) -> Case | None:
        """The case with this name; None: there is none."""
        return next((case for case in self.session.cases if case.name == name), None)

    def heading(self) -> Text:
        """The session's label, when it was recorded and, if there is only one, its case."""
        session = self.session
        text = Text(clean(session.label) or clean(Path(session.path).name), style="bold")
        when = by_local_clock(clean(session.created))[:16].replace("T", " ") or "recorded at an unknown time"
        text.append(f"   {when}   {clean(session.path)}", style="not bold")
        if session.recording:
            text.append("   being recorded", style="bold")
        if not session.cases:
            text.append(f"\n{unfinished(session)}", style="not bold")
        if len(session.cases) == 1:
            case = session.cases[0]
            text.append("\n").append_text(
                case_line(case, self.described(case), min(columns_of(clean(case.name)), 28))
            )
            text.rstrip()
        if session.note:
            text.append(f"\nnote: {clean_lines(session.note)}", style="not bold italic")
        return text

    def wrong(self, case: Case) -> dict[int, str]:
        """What is wrong with iterations that could not be read, by their numbers."""
        reasons: dict[int, str] = {}
        for one in case.iterations:
            folder = iteration_folder(self.session, case, one)
            for problem in self.session.problems:
                if problem.startswith((f"{folder}:", f"{folder}/")):
                    short = problem.removeprefix(f"{folder}: ").removeprefix(f"{folder}/")
                    reasons.setdefault(one.index, clean(short))
        return reasons

    def odd(self, case: Case) -> dict[int, str]:
        """The outliers by their numbers, and in words how far off they are."""
        measured = self.sets[case.name]
        values = measured.result.values if len(units_of(measured.used)) < 2 else ()
        limit = score_limit(len(values)) if len(values) >= LEAST else 0.0
        remarkable = {}
        for position, score in outliers(values, _MARGIN):
            n = len(values)
            far = (
                f"{score_name(n)} {in_digits(score, 3)}, limit {in_digits(limit, 3)} at n = {n}"
                if score
                else ""
            )
            remarkable[measured.used[position].index] = far or "most of the others are the same"
        return remarkable

    def distribution(self, case: Case, columns: int, rows: int, styles: Styles) -> Text:
        """Two charts that share `rows`: the distribution of the iterations that count, and their order."""
        one, used = self.sets[case.name].result, {i.index for i in self.sets[case.name].used}
        sets = msgspec.structs.replace(one, label=clean(case.name)), charts.NO_SET
        if len(units := units_of(self.sets[case.name].used)) > 1:
            text = f"Not drawn: the values are in {listing(units)}, which have no scale in common."
            return Text("\n".join(wrap(text, columns)), style=styles["dim"])
        missing = [i.index for i in case.iterations if i.index not in used] if used else []
        each = (rows - _BESIDE - 2 * bool(missing)) // 2
        high = each if each >= _LEAST else None
        drawn = [chart(sets, one.unit, _CONFIDENCE, columns, high, styles) for chart in _CHARTS]
        if missing:  # otherwise the fourth of those that count would be taken for iteration 4
            them = "it" if len(missing) == 1 else "them"
            text = f"Not drawn: {numbered(missing)}. The others are numbered without {them}."
            drawn.append(Text("\n".join(wrap(text, columns)), style=styles["dim"]))
        return Text("\n\n", no_wrap=True).join(drawn)

    def facts(self, wanted: str) -> Text:
        """The facts that have every word of `wanted` in name or value.

        If there is no word, all facts, after the warnings.
        """
        words = wanted.casefold().split()
        text = Text()
        if not words:
            sets = [(case, self.sets[case.name]) for case in self.session.cases]
            text.append_text(remarks(self.session, sets))
            text.append_text(hygiene_lines(self.session, self.sets.values()))
        found = hygiene_facts(self.session, self.sets.values()) if words else {}
        facts = [
            *sorted({**of_session(self.session), **found}.items()),
            *_flat("lab.toml", self.session.lab or {}),
        ]
        chosen = [
            (name, value)
            for name, value in facts
            if all(word in f"{name} {value}".casefold() for word in words)
        ]
        if words:
            text.append(f"{len(chosen)} of {len(facts)} facts\n", style="dim")
        if not facts:
            text.append("No fact was recorded with this session.\n", style="dim")
        return text.append_text(fact_lines(chosen, None))


def _flat(name: str, value_or_values: object) -> Iterator[tuple[str, Fact]]:
    if isinstance(value_or_values, Mapping):
        for key, value in value_or_values.items():
            yield from _flat(f"{name} {key}", value)
    elif isinstance(value_or_values, list) and any(isinstance(one, Mapping) for one in value_or_values):
        for number, one in enumerate(value_or_values, 1):
            yield from _flat(f"{name} {number}", one)
    elif isinstance(value_or_values, list):
        yield name, [str(one) for one in value_or_values]
    elif isinstance(value_or_values, str | int | float | bool):
        yield name, value_or_values


def read_view(path: Path) -> SessionView:
    """Read the session at `path`. Raises FwdtuiError or OSError."""
    session = read_session(path)
    return SessionView(session, {case.name: case_set(session, case, session.label) for case in session.cases})


@dataclass(frozen=True, slots=True)
class IterationView:
    """The details of one iteration. `case`: the name of its case."""

    case: str
    iteration: Iteration
    series: IterationSeries
    account: Text
    logs: tuple[str, ...] = field(repr=False)
    dmesg: tuple[str, ...] = field(repr=False)


def read_iteration(view: SessionView, case: Case, iteration: Iteration) -> IterationView:
    """Read an iteration's samples and logs. Damage is reported in the result."""
    folder = Path(iteration_folder(view.session, case, iteration))
    series = read_series(folder, view.session)
    # sessions of older versions have the core times for their costs only in the samples
    known = msgspec.structs.replace(iteration, costs=costs_of(view.session, case, iteration))
    return IterationView(
        case=case.name,
        iteration=iteration,
        series=series,
        account=account_text(view.session, case, known, series, odd=view.odd(case).get(iteration.index, "")),
        logs=tuple(raw_logs.logs(folder, iteration)),
        dmesg=tuple(raw_logs.dmesg(folder, iteration, bool(view.session.imported))),
    )
