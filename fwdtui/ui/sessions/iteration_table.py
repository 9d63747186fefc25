"""The cases of a session, and the iterations of one; those that do not count are struck through."""

from collections.abc import Callable, Container, Mapping, Sequence
from typing import ClassVar

from rich.console import JustifyMethod
from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable

from fwdtui.core.model import Case, Iteration, by_local_clock
from fwdtui.core.text import clean
from fwdtui.report.cells import columns_of, shorten, whole
from fwdtui.report.iterations import measured
from fwdtui.stats.figures import number
from fwdtui.stats.results import Description
from fwdtui.ui.common.copying import Copy, row
from fwdtui.ui.draw.view import NONE
from fwdtui.ui.sessions.session_table import ENDS
from fwdtui.ui.sessions.text import blocks, counted, figure, spread, unit_of, units_in

_STRIP = 40
_EACH = "each iteration"
_NAME_LEAST, _NAME_MOST = 16, 30  # cells of a case's name
_MEDIAN, _SPREAD, _COUNT = 13, 8, 8  # cells of these columns at least
_AROUND = 1 + 2 * 6 + 1  # cells of the mark's column, of all columns' padding, and of a scroll bar
_WHOLE = 1000  # cells: room enough that nothing is shortened in what is copied
_RIGHT = "#", "value, pps", "to median", "offered, pps", "window", "median, pps", "spread", "n"


class CaseTable(DataTable[Text]):
    """The cases of a session, one row each."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *ENDS,
        Binding("enter", "select_cursor", "iterations", show=False, id="session.enter_case"),
    ]

    def __init__(self, id: str) -> None:
        super().__init__(id=id, cursor_type="row", zebra_stripes=True)
        self._cases: Sequence[tuple[Case, Description]] = ()

    @property
    def current(self) -> str | None:
        """The name of the case under the cursor; None if no cases are shown yet."""
        return self._cases[self.cursor_row][0].name if 0 <= self.cursor_row < len(self._cases) else None

    def to_copy(self) -> Copy | None:
        """The case under the cursor."""
        if not 0 <= self.cursor_row < len(self._cases):
            return None
        case, result = self._cases[self.cursor_row]
        median, *others = _case_values(case, result)
        return row(case.name, [case.name, median + _in(unit_of(case.iterations)), *others])

    def show(self, cases: Sequence[tuple[Case, Description]], marks: Mapping[str, str]) -> None:
        """Show these cases; the cursor stays on its row. `marks`: "baseline" or "candidate", by case name.

        Rows that the cursor passes meanwhile are not reported, since the user chose no case.
        """
        with self.prevent(DataTable.RowHighlighted):
            self._fill(cases, marks)

    def _fill(self, cases: Sequence[tuple[Case, Description]], marks: Mapping[str, str]) -> None:
        self._cases = cases
        before = self.cursor_row
        names = [clean(case.name) for case, _ in cases]
        longest = max(map(columns_of, names), default=0)
        most = max((len(case.iterations) for case, _ in cases), default=0)
        units = [unit_of(case.iterations) for case, _ in cases]
        unit = units[0] if len(set(units)) == 1 else "pps"  # if several, other units are beside their values
        values = [_case_cells(case, result, unit) for case, result in cases]
        least_wide = max(_MEDIAN, columns_of(f"median, {unit}")), _SPREAD, _COUNT
        # a figure that is wider than its column would be cut, and read as another figure
        figures = [
            max([least, *map(columns_of, column)])
            for least, column in zip(least_wide, zip(*values, strict=True), strict=False)
        ]
        room = self.app.size.width - _AROUND - sum(figures)
        strip = max(min(most, _STRIP, room - min(longest, _NAME_LEAST)), len(_EACH))
        name_width = max(min(longest, _NAME_MOST, room - strip), len("case"))
        self.clear(columns=True)
        heads = (
            ("", 1),
            ("case", name_width),
            *zip(("median, pps", "spread", "n"), figures, strict=False),
            (_EACH, strip),
        )
        for title, cells in heads:
            justify: JustifyMethod = "right" if title in _RIGHT else "left"
            self.add_column(Text(title.replace(", pps", f", {unit}"), justify=justify), width=cells)
        for name, shown, (case, _) in zip(names, values, cases, strict=True):
            self.add_row(
                Text(marks.get(case.name, "")[:1].upper(), style="bold"),
                Text(shorten(name, name_width)),
                *(Text(value, justify="right") for value in shown),
                Text(blocks(measured(case), strip)),
                key=case.name,
            )
        if self.row_count:
            self.move_cursor(row=min(before, self.row_count - 1), animate=False)


class IterationTable(DataTable[Text]):
    """The iterations of a case, one row each."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *ENDS,
        Binding("enter", "select_cursor", "replay", show=False, id="session.replay_iteration"),
    ]

    def __init__(self, id: str) -> None:
        super().__init__(id=id, cursor_type="row", zebra_stripes=True)
        self._shown: tuple[Case, Description, Mapping[int, str], Container[int]] | None = None
        self._wide: tuple[tuple[str, int], ...] = ()

    def to_copy(self) -> Copy | None:
        """The iteration under the cursor, with every column and every warning."""
        if self._shown is None or not 0 <= self.cursor_row < self.row_count:
            return None
        case, result, wrong, odd = self._shown
        one = case.iterations[self.cursor_row]
        cells = {name: cell.plain for name, cell in _cells(one, result, one.index in odd).items()}
        cells["value, pps"] += _in(unit_of([one]))  # a copied row has no head that names the unit
        doubts = _doubts(one, wrong.get(one.index, ""), one.index in odd, _WHOLE)
        return row(f"{one.index} of {case.name}", [*cells.values(), doubts.plain])

    def show(
        self, case: Case, result: Description, wrong: Mapping[int, str], odd: Container[int] = ()
    ) -> None:
        """Show the iterations of `case`.

        `wrong`: what is wrong with damaged ones, by their numbers. `odd`: the numbers of outliers.
        """
        same = self._shown is not None and self._shown[0].name == case.name
        before = self.cursor_row if same else 0
        self._shown = case, result, wrong, odd
        self._wide = _columns(self.size.width, case)
        widths = dict(self._wide)
        self.clear(columns=True)
        several = len(units_in(case.iterations)) > 1  # then each value has its unit beside it
        unit = "" if several else f", {unit_of(case.iterations)}"
        for title, cells in self._wide:
            head = Text(title.replace(", pps", unit), justify="right" if title in _RIGHT else "left")
            self.add_column(head, width=cells, key=title)
        for one in case.iterations:
            texts = _cells(one, result, one.index in odd)
            if several:
                for title in ("value, pps", "offered, pps"):
                    if texts[title].plain != NONE:
                        texts[title].append(f" {clean(one.unit)}")
            room = widths.get("warnings", 0)
            texts["warnings"] = _doubts(one, wrong.get(one.index, ""), one.index in odd, room)
            # not its number: a copy of an iteration's folder has the same
            key = one.place(case.name)
            self.add_row(*(_fitted(texts[title], cells) for title, cells in self._wide), key=key)
        if self.row_count:
            self.move_cursor(row=min(before, self.row_count - 1), animate=False)

    def on_resize(self) -> None:
        """Add or drop columns to fit the width."""
        if self._shown is not None and _columns(self.size.width, self._shown[0]) != self._wide:
            self.show(*self._shown)


def _in(unit: str) -> str:
    """A unit after a value, `` Mb/s``; packets per second are not named."""
    return "" if unit == "pps" else f" {unit}"


def _case_values(case: Case, result: Description) -> list[str]:
    """Median, spread, and how many iterations count."""
    return [
        figure(result.median, unit_of(case.iterations)),
        spread(result),
        counted(result.n, len(measured(case))),
    ]


def _case_cells(case: Case, result: Description, unit: str) -> list[str]:
    """The same for a table whose head names `unit`: any other unit is beside the median."""
    median, *others = _case_values(case, result)
    own = unit_of(case.iterations)
    return [median + (f" {own}" if own != unit and result.median is not None else ""), *others]


def _columns(room: int, case: Case) -> tuple[tuple[str, int], ...]:
    """Titles and widths of the columns in which something is known. Warnings get the remaining width."""
    offered = any("offered" in one.metrics for one in case.iterations)  # the load is known
    limits = max((columns_of(clean(one.limit.code)) for one in case.iterations if one.limit), default=0)
    units = units_in(case.iterations)
    beside = 1 + max(map(columns_of, units)) if len(units) > 1 else 0

    def widest(least: int, shown: Callable[[Iteration], str], head: str = "") -> int:
        head_wide = columns_of(f"{head}, {units[0]}") if head and len(units) == 1 else 0
        return max([least, head_wide, *(columns_of(shown(one)) for one in case.iterations)])

    fixed = [
        ("#", widest(3, lambda one: str(one.index))),
        ("value, pps", widest(11, lambda one: figure(one.value, one.unit), "value") + beside),
    ]
    if room >= 48:
        fixed.append(("to median", 9))
    if offered and room >= 85:
        fixed.append(("offered, pps", widest(12, _load, "offered") + beside))
    if room >= 64 and limits:
        fixed.append(("limit", min(max(limits, 5), 17)))
    if room >= (97 if offered else 90) and any(one.window for one in case.iterations):
        fixed.append(("window", widest(9, _window)))
    if room >= (119 if offered else 110) and any(one.began for one in case.iterations):
        fixed.append(("began", 19))
    left = room - 2 - sum(cells + 2 for _, cells in fixed) - 2
    return (*fixed, ("warnings", left)) if left >= 8 else tuple(fixed)


def _load(one: Iteration) -> str:
    return NONE if one.offered is None else figure(one.offered, one.unit)


def _window(one: Iteration) -> str:
    """``60/62``: the number of samples in the iteration's window, and of all its samples."""
    window = one.window
    if window is None:
        return ""
    return f"{window.kept}/{window.head + window.kept + window.tail + window.inside}"


def _to_median(value: float | None, median: float | None) -> str:
    """The difference to the median, ``+0.52 %``, ``+1540 %``, in at most nine cells.

    "" if one of the two is not known.
    """
    if value is None or not median:
        return ""
    percent = (value / median - 1) * 100
    if abs(percent) >= 999_999.5:
        return f"{percent:+.0e} %".replace("-", "−")
    return f"{number(percent, 2 if abs(percent) < 999.995 else 0, sign=True)} %"


def _cells(one: Iteration, result: Description, odd: bool) -> dict[str, Text]:
    style = Style(strike=True, dim=True) if one.dropped else Style(bold=True) if odd else Style()
    texts = {
        "#": str(one.index),
        "value, pps": figure(one.value, one.unit),
        "to median": _to_median(one.value, result.median),
        "offered, pps": _load(one),
        "limit": clean(one.limit.code) if one.limit else "",
        "window": _window(one),
        "began": by_local_clock(clean(one.began))[:19].replace("T", " "),
    }
    # only the text is styled: the padding of the cell is not struck through
    return {
        name: Text(justify="right" if name in _RIGHT else "left").append(text, style)
        for name, text in texts.items()
    }


def _doubts(one: Iteration, wrong: str, odd: bool, room: int) -> Text:
    """Why an iteration does not count, then its warnings: as many whole names as fit, then how many more."""
    text = Text()
    if one.dropped:
        text.append(f"dropped: {clean(one.dropped)}", style="italic")
    elif not one.complete and not one.incomplete:
        text.append(f"! {wrong or 'unfinished or damaged'}")
    elif one.value is None and not one.incomplete:
        text.append("! no value")
    if odd:
        text.append("! outlier", style="bold")
    names = [f"! {clean(caution.code)}" for caution in one.warnings]
    if text.plain and names:  # the first part is cut before the number of warnings is
        text.truncate(max(room - columns_of(whole(names, 0)) - 2, 0), overflow="ellipsis")
        text.append("  ")
    return text.append(whole(names, room - columns_of(text.plain)))


def _fitted(cell: Text, cells: int) -> Text:
    cell.no_wrap = True
    cell.truncate(cells, overflow="ellipsis")
    return cell
