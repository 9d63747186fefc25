"""One session as a row of the list: what is shown, sorted by, and searched by the filter."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fwdtui.core.factors import Level, natural
from fwdtui.core.model import UNKNOWN_TIME, Fact, Session, by_local_clock, moment
from fwdtui.core.text import clean
from fwdtui.report import facts
from fwdtui.report.against import Against
from fwdtui.report.iterations import case_set, units_of
from fwdtui.report.own_warnings import own_warnings
from fwdtui.stats.figures import amount
from fwdtui.stats.results import Description
from fwdtui.store import Damaged
from fwdtui.ui.sessions.text import described

_KERNELS = "dut.kernel", "image", "uname"
_LABS = "lab", "imported_from"
_TREES = "imported_tree", "imported_from"


@dataclass(frozen=True, slots=True)
class CaseRow:
    """A case. `result` describes the iterations that count; `recorded` is how many iterations there are."""

    name: str
    result: Description
    recorded: int
    unit: str = "pps"

    @property
    def median(self) -> str:
        """The median in a short form, for a table."""
        return amount(self.result.median, unit=self.unit)


@dataclass(frozen=True, slots=True)
class Row:
    """A session, readable or not.

    `remark`: what is wrong with it or unusual about it as a whole, in a few words. `warnings`: how many lines
    of warnings the session has beside the list. `lab`: what the column shows, for an import the folder of its
    results; `own_lab`: only the lab that the session was begun with; `tree`: the result tree that an import
    came from.
    """

    path: str
    label: str
    created: str = ""
    lab: str = ""
    own_lab: str = ""
    tree: str = ""
    imported: bool = False
    kernel: str = ""
    cases: tuple[CaseRow, ...] = ()
    iterations: int = 0
    counted: int = 0
    warnings: int = 0
    note: str = ""
    remark: str = ""
    good: bool = True
    text: str = field(default="", repr=False)  # what the filter searches, case-folded

    @property
    def date(self) -> str:
        """The date to the minute, in this computer's time zone, as a replay shows it."""
        return (by_local_clock(self.created)[:16].replace("T", " ") or UNKNOWN_TIME) if self.good else ""

    @property
    def told(self) -> str:
        """How many iterations count: ``5``, or ``4/5`` if not all do."""
        return f"{self.counted}" + (f"/{self.iterations}" if self.counted != self.iterations else "")

    @property
    def moment(self) -> float:
        """Seconds since 1970, to sort by; -inf if the date is invalid."""
        return moment(self.created)


def row_of(entry: Session | Damaged) -> Row:
    """Everything that the table needs of a session.

    Medians are those of the report; a case whose values have several units has none.
    """
    name = clean(Path(entry.path).name)
    if isinstance(entry, Damaged):
        return Row(entry.path, name, remark="damaged: see below", good=False, text=_text([name]))
    label = entry.label.strip() or name
    cases = []
    sets = [(case, case_set(entry, case, label)) for case in entry.cases]
    for case, results in sets:
        units = units_of(results.used)
        unit = units[0] if len(units) == 1 else ", ".join(units) or "pps"
        cases.append(CaseRow(case.name, described(results), results.recorded, unit))
    of_it = facts.of_session(entry)
    lab, tree, kernel = _first(of_it, _LABS), _first(of_it, _TREES), _first(of_it, _KERNELS)
    everything = [label, name, lab, tree, kernel, entry.note, *(case.name for case in entry.cases)]
    return Row(
        path=entry.path,
        label=label,
        created=entry.created,
        lab=lab,
        own_lab=_first(entry.facts, _LABS[:1]),
        tree=tree,
        imported=bool(entry.imported),
        kernel=kernel,
        cases=tuple(cases),
        iterations=sum(case.recorded for case in cases),
        counted=sum(case.result.n for case in cases),
        warnings=len(own_warnings(entry, sets)),
        note=entry.note,
        remark=_remark(entry),
        text=_text(everything),
    )


def _remark(session: Session) -> str:
    if session.recording:
        return "being recorded"
    return "" if session.cases else "no iterations yet"


def _first(of_it: Mapping[str, Fact], keys: Iterable[str]) -> str:
    """The first of these facts that was recorded and is not empty, else "".

    Facts may differ: an experiment may have booted several kernels, and a lab may have been renamed before
    the session was continued.
    """
    recorded = (facts.text(of_it[key]).strip().removesuffix(facts.DIFFERS) for key in keys if key in of_it)
    return next((text for text in recorded if text), "")


def _text(parts: Iterable[str]) -> str:
    return "\n".join(parts).casefold()


def matching(rows: Iterable[Row], wanted: str) -> list[Row]:
    """The rows that contain every word of `wanted`, ignoring case."""
    words = wanted.casefold().split()
    return [row for row in rows if all(word in row.text for word in words)]


def cases_first(row: Row, wanted: str) -> list[CaseRow]:
    """The cases; those whose names match the filter come first."""
    words = wanted.casefold().split()
    named = [case for case in row.cases if any(word in case.name.casefold() for word in words)]
    return [*named, *(case for case in row.cases if case not in named)]


def in_order(
    rows: Sequence[Row],
    key: str,
    reverse: bool,
    wanted: str = "",
    verdicts: Mapping[str, Against] | None = None,
) -> list[Row]:
    """The rows sorted by the column `key`; texts are sorted by the numbers in them, equal rows by path.

    By "against", the worst verdict and the greatest loss are first. Rows without a verdict are last, also in
    reverse.
    """

    def median(row: Row) -> float:
        cases = cases_first(row, wanted)
        verdict = cases[0].result.median if cases else None
        return float("-inf") if verdict is None else verdict

    def by(row: Row) -> object:
        if key == "median":
            return median(row)
        if key == "date":
            return row.moment
        if key in ("iterations", "warnings"):
            return getattr(row, key)
        if key == "cases":
            return len(row.cases)
        return natural(Level(str(getattr(row, key))))

    ordered = sorted(rows, key=lambda row: (*natural(Level(row.path)), row.path))
    if key == "against":
        ranks = {path: verdict.rank for path, verdict in (verdicts or {}).items()}
        judged = sorted(
            (row for row in ordered if ranks.get(row.path)),
            key=lambda row: ranks[row.path] or (),
            reverse=reverse,
        )
        return [*judged, *(row for row in ordered if not ranks.get(row.path))]
    return sorted(ordered, key=by, reverse=reverse)  # type: ignore[arg-type]
