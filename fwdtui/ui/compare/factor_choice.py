"""A list of the factors that vary, with their levels, to choose what is compared, included, the baseline."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static
from textual.widgets.selection_list import Selection

from fwdtui.report.factor_view import FactorView
from fwdtui.report.factors_there import Varying
from fwdtui.ui.common.copying import IN_LIST
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.marked_list import MarkedList
from fwdtui.ui.common.moving import IN_LISTS
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.styled_once import StyledOnce

_BASELINE = "baseline"


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the list: a factor, or one of its levels, named by its text."""

    factor: str
    level: str | None = None


class ChooseFactors(StyledOnce, ModalScreen[FactorView | None]):
    """Choose the factors. Returns what is to be compared; None: no change."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter", "done", "compare", priority=True, id="factors.done", tooltip="Compare by what is marked"
        ),
        Binding(
            "b",
            "baseline",
            "baseline",
            id="factors.baseline",
            tooltip="The level that others are compared with",
        ),
        IN_LIST,
        *IN_LISTS,
        Binding("escape", "dismiss(None)", "back", id="factors.back"),
    ]

    def __init__(self, factors: Sequence[Varying], view: FactorView, problem: str = "") -> None:
        """`factors`: those that vary; `view`: what is marked at first; `problem`: why that is impossible."""
        super().__init__(classes="dialog")
        self._factors, self._view, self._problem = factors, view, problem
        self._baseline = dict(view.baseline)
        self._rows = [
            row
            for one in factors
            for row in (_Row(one.name), *(_Row(one.name, level) for level in one.levels))
        ]

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            base = f"{key('factors.baseline', 'b')} makes a level the baseline."
            how = f"Space marks what is compared, and which levels are included. {base}"
            yield Static(how if self._factors else "No factor varies.", id="question", markup=False)
            yield MarkedList[int](
                *(
                    Selection(self._prompt(row, self._marked(row)), place, self._marked(row))
                    for place, row in enumerate(self._rows)
                ),
                compact=True,
            )
            yield Static(self._problem, id="problem", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Show the problem only if there is one."""
        self.query_one("#problem").display = bool(self._problem)

    def _marked(self, row: _Row) -> bool:
        if row.level is None:
            return row.factor in self._view.by
        wanted = [value for name, value in self._view.filters if name == row.factor]
        return not wanted or self._same(row.factor, row.level, wanted)

    def _same(self, factor: str, level: str, values: Sequence[str]) -> bool:
        return next(one for one in self._factors if one.name == factor).has(level, values)

    def _prompt(self, row: _Row, marked: bool) -> Text:
        if row.level is None:
            one = next(one for one in self._factors if one.name == row.factor)
            said = "compared" if marked else ""
            text = Text(f"compare by {row.factor}", style="bold")
            return text.append("".join(f"   {part}" for part in (said, one.remark) if part), style="not bold")
        chosen = self._baseline.get(row.factor)
        base = chosen is not None and self._same(row.factor, row.level, [chosen])
        said = "" if marked else "left out"
        return Text("".join(f"   {part}" for part in (row.level, _BASELINE if base else "", said) if part))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to compare, and to mark a baseline, only if any factor varies."""
        return bool(self._rows) if action in ("done", "baseline") else True

    def action_baseline(self) -> None:
        """Make the level under the cursor the baseline, or no longer; its factor is then compared."""
        listed = self.query_one(MarkedList)
        if listed.highlighted is None or (row := self._rows[listed.highlighted]).level is None:
            return
        if self._baseline.get(row.factor) == row.level:
            del self._baseline[row.factor]
        else:
            self._baseline[row.factor] = row.level
            listed.select(listed.get_option_at_index(self._rows.index(_Row(row.factor))))
        self.on_selection_list_selected_changed()

    def on_selection_list_selected_changed(self) -> None:
        """Say in words what is marked."""
        listed = self.query_one(MarkedList)
        selected = set(listed.selected)
        for place, row in enumerate(self._rows):
            listed.replace_option_prompt_at_index(place, self._prompt(row, place in selected))

    def action_done(self) -> None:
        """Answer with what is marked; a factor of which no level is included is a mistake."""
        marked = {self._rows[place] for place in self.query_one(MarkedList).selected}
        filters: list[tuple[str, str]] = []
        for factor in self._factors:
            rows = [_Row(factor.name, level) for level in factor.levels]
            included = [row for row in rows if row in marked]
            if not included:
                self._refuse(f"Include at least one level of {factor.name}.")
                return
            if included == [row for row in rows if self._marked(row)]:  # keeps what leaves out unknown levels
                filters += [(name, value) for name, value in self._view.filters if name == factor.name]
            elif len(included) < len(rows):
                filters += [(factor.name, str(row.level)) for row in included]
        compared = [factor.name for factor in self._factors if _Row(factor.name) in marked]
        before = self._view.by  # these keep their order, and come first
        by = tuple(sorted(compared, key=lambda name: before.index(name) if name in before else len(before)))
        baseline = tuple((name, level) for name, level in self._baseline.items() if name in by)
        kept = self._view.within if by == before else None
        self.dismiss(replace(self._view, by=by, within=kept, baseline=baseline, filters=tuple(filters)))

    def _refuse(self, problem: str) -> None:
        shown = self.query_one("#problem", Static)
        shown.update(problem)
        shown.display = True
