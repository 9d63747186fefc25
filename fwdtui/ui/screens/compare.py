"""Baseline beside candidates: a verdict per case, and behind each what led to it."""

from pathlib import Path
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Static, TabbedContent, TabPane

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.units import grouped
from fwdtui.stats import wording
from fwdtui.stats.model import Judged
from fwdtui.ui.comparison import Compared, block, charts, compare
from fwdtui.ui.widgets.interval import interval_bar, reach_of

MARGINS = (0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)
_WIDE = 110  # columns from which the medians fit beside the bar
_NARROWEST_BAR = 11
CONFIDENCES = (80.0, 90.0, 95.0, 98.0, 99.0, 99.5)  # ministat's levels
_TABS = (
    ("why", "why"),
    ("charts", "histogram, iterations"),
    ("ministat", "ministat"),
    ("warnings", "warnings"),
    ("facts", "facts that differ"),
)
_MARKS = {"faster": "▲", "slower": "▼", "equivalent": "=", "inconclusive": "?", "capped": "⊤"}


class CompareScreen(Screen[None]):
    """Every case that the sessions have in common."""

    HELP = """\
# Comparison
One row a case. The bar is the confidence interval of the difference: where it crosses the middle line, no
difference is proven. `+` and `-` change the margin within which two results count as **equivalent**,
`(` and `)` the confidence. The tabs below show what led to the verdict of the selected row.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "sessions", id="compare.back"),
        Binding("tab,n", "next_tab", "next tab", key_display="n", priority=True, id="compare.next_tab"),
        Binding("plus,equals_sign", "margin(1)", "margin", key_display="+ -", id="compare.margin_up"),
        Binding("minus", "margin(-1)", "margin", show=False, id="compare.margin_down"),
        Binding("right_parenthesis", "confidence(1)", "confidence", key_display="( )", id="compare.conf_up"),
        Binding("left_parenthesis", "confidence(-1)", "confidence", show=False, id="compare.conf_down"),
        Binding("e", "export", "export", id="compare.export"),
    ]

    def __init__(self, base: Path, others: list[Path]) -> None:
        super().__init__()
        self._paths = [base, *others]
        self._margin = 1.0
        self._confidence = 95.0
        self._compared: Compared | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="heading", markup=False)
        yield DataTable(id="cases", cursor_type="row")
        with TabbedContent(id="behind"):
            for name, title in _TABS:
                with TabPane(title, id=f"tab-{name}"), VerticalScroll():
                    yield Static(id=name, markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Read and compare beside the screen, so that it stands at once."""
        self.query_one(DataTable).loading = True
        self._compare()

    @work(thread=True, exclusive=True, exit_on_error=False)
    def _compare(self) -> None:
        try:
            compared = compare(self._paths, self._margin, self._confidence)
        except (FwdtuiError, OSError) as error:
            self.app.call_from_thread(self._failed, str(error))
            return
        self.app.call_from_thread(self._show, compared)

    def _failed(self, reason: str) -> None:
        self.query_one(DataTable).loading = False
        self.query_one("#heading", Static).update(Text(f"Cannot compare these: {reason}"))

    def _show(self, compared: Compared) -> None:
        self._compared = compared
        self._draw()

    def on_resize(self) -> None:
        """The bars take what width there is."""
        self._draw()

    def _draw(self) -> None:
        compared = self._compared
        if compared is None:
            return
        self.query_one("#heading", Static).update(self._heading(compared))
        table = self.query_one(DataTable)
        row = max(table.cursor_row, 0)
        table.loading = False
        table.clear(columns=True)
        many = len(self._paths) > 2
        rows = [self._cells(judged, many) for judged in compared.judged]
        heads = ["case", *(["candidate"] if many else []), "verdict", "mean difference", "", "n"]
        if self.size.width >= _WIDE:
            heads[-1:-1] = ["median base", "median other"]
        else:
            rows = [[*cells[:-3], cells[-1]] for cells in rows]
        intervals = [judged.comparison.difference.ci_percent for judged in compared.judged]
        reach = reach_of([bound for interval in intervals for bound in interval or ()])
        place = heads.index("")
        widths = [
            max(cell_len(head), *(cell.cell_len for cell in column))
            for head, column in zip(heads, zip(*rows, strict=True), strict=True)
        ]
        bar = max(self.size.width - sum(widths) - 2 * len(heads) - 2, _NARROWEST_BAR)
        heads[place] = _axis(reach, bar)
        for head in heads:
            table.add_column(Text(head))
        for number, (judged, cells) in enumerate(zip(compared.judged, rows, strict=True)):
            difference = judged.comparison.difference
            style = self._style(judged)
            cells[place] = interval_bar(difference.percent, difference.ci_percent, reach, bar, style)
            table.add_row(*cells, key=str(number))
        table.move_cursor(row=min(row, table.row_count - 1))
        table.focus()
        self._behind(compared.judged[table.cursor_row])

    def _heading(self, compared: Compared) -> Text:
        text = Text()
        text.append("baseline ", style="dim")
        text.append(compared.labels[0], style="bold")
        text.append("   candidate " if len(compared.labels) == 2 else "   candidates ", style="dim")
        text.append(", ".join(compared.labels[1:]), style="bold")
        text.append(f"   margin {wording.margin(self._margin)}   confidence {self._confidence:g} %")
        counts = [(verdict, compared.count(verdict)) for verdict in _MARKS]
        text.append("\n")
        text.append(", ".join(f"{count} {verdict}" for verdict, count in counts if count))
        return text

    def _style(self, judged: Judged) -> str:
        return self.app.theme_variables.get(f"verdict-{judged.comparison.verdict}", "")

    def _cells(self, judged: Judged, many: bool) -> list[Text]:
        """A row with an empty place for the bar: its width is what the others leave."""
        one = judged.comparison
        medians = ["–" if side.median is None else grouped(side.median) for side in (one.base, one.other)]
        return [
            Text(one.case),
            *([Text(one.other.label)] if many else []),
            Text(f"{_MARKS[one.verdict]} {wording.verdict_cell(one)}", style=f"bold {self._style(judged)}"),
            Text(wording.difference_cell(one.difference), justify="right"),
            Text(""),
            *(Text(median, justify="right") for median in medians),
            Text(f"{one.base.n}/{one.other.n}", justify="right"),
        ]

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Show what stands behind the case under the cursor."""
        if self._compared and event.row_key.value is not None:
            self._behind(self._compared.judged[int(event.row_key.value)])

    def _behind(self, judged: Judged) -> None:
        compared = self._compared
        if compared is None:
            return
        width = max(self.size.width - 6, 40)
        why = Text(f"{judged.comparison.case}: {judged.sentence}\n\n", style="bold")
        why.append("\n".join(judged.explanation), style="not bold")
        warnings = [f"{caution.code}: {caution.text}" for caution in judged.comparison.warnings]
        warnings += [f"{caution.code}: {caution.text}" for caution in compared.notes]
        self.query_one("#why", Static).update(why)
        self.query_one("#charts", Static).update(Text(charts(judged, min(width, 120)), no_wrap=True))
        self.query_one("#ministat", Static).update(Text(block(judged), no_wrap=True))
        self.query_one("#warnings", Static).update(Text("\n".join(warnings) or "No warnings for this case."))
        self.query_one("#facts", Static).update(Text(compared.differing_facts()))

    def action_back(self) -> None:
        """Away with the help when it is open, else back to the sessions."""
        if self.query("HelpPanel"):
            self.app.action_hide_help_panel()
        else:
            self.app.pop_screen()

    def action_next_tab(self) -> None:
        """The next of the tabs below the table."""
        tabs = self.query_one(TabbedContent)
        names = [f"tab-{name}" for name, _ in _TABS]
        tabs.active = names[(names.index(tabs.active) + 1) % len(names)]

    def action_margin(self, step: int) -> None:
        """A wider or narrower margin of equivalence."""
        self._margin = _stepped(MARGINS, self._margin, step)
        self._compare()

    def action_confidence(self, step: int) -> None:
        """More or less confidence."""
        self._confidence = _stepped(CONFIDENCES, self._confidence, step)
        self._compare()

    @work(thread=True, exclusive=True, group="export", exit_on_error=False)
    def action_export(self) -> None:
        """Write the Markdown report where the app was started, and say where that is."""
        from fwdtui.ui.comparison import export

        try:
            written = export(self._paths, self._margin, self._confidence)
        except (FwdtuiError, OSError) as error:
            self.app.call_from_thread(self.notify, str(error), severity="error", markup=False)
            return
        text = f"{written[0]} and {len(written) - 1} files beside it"
        self.app.call_from_thread(self.notify, text, title="report written", timeout=10, markup=False)


def _axis(reach: float, width: int) -> str:
    """The bar column's heading: its ends and its middle."""
    width -= 1 - width % 2
    left, right = f"{wording.MINUS}{reach:g} %", f"+{reach:g} %"
    middle = width // 2
    gaps = middle - len(left), width - middle - 1 - len(right)
    return f"{left}{' ' * gaps[0]}0{' ' * gaps[1]}{right}" if min(gaps) > 0 else "difference"


def _stepped(choices: tuple[float, ...], now: float, step: int) -> float:
    place = choices.index(now) + step
    return choices[max(0, min(place, len(choices) - 1))]
