"""An experiment as a grid of cells: what is done, what runs, what was repeated, and when it will be over."""

from typing import TYPE_CHECKING, ClassVar

import msgspec
from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widgets import DataTable, Static

from fwdtui.ui.common import errors
from fwdtui.ui.common.copying import Copy, lines
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.host_questions import HostQuestions
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.ports import BACKGROUND, shell
from fwdtui.ui.common.styled_once import StyledOnce
from fwdtui.ui.common.threads import from_thread
from fwdtui.ui.draw.graph import Graph
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.draw.view import View, remembered
from fwdtui.ui.experiment import heading, keys
from fwdtui.ui.experiment.control import ExperimentControl
from fwdtui.ui.experiment.design import design
from fwdtui.ui.experiment.design_table import DesignTable
from fwdtui.ui.experiment.given import Shown
from fwdtui.ui.experiment.log_view import LogView

if TYPE_CHECKING:  # loaded when they are needed: the first frame does not wait for them
    from fwdtui.ui.experiment.verdicts import Outcome
    from fwdtui.ui.report.since import Changed

PERIOD = 0.25
"""Seconds between two snapshots."""
_JUDGING = "judging what was measured …"
_FIRST = 0.1  # seconds until the first frame is drawn, and the question is asked


class ExperimentScreen(StyledOnce, Screen[None]):
    """Draws snapshots of `control`. The experiment goes on whatever happens here."""

    CSS_PATH = "screen.tcss"
    HELP = keys.HELP
    BINDINGS: ClassVar[list[BindingType]] = [*keys.BINDINGS]
    FOOTER = keys.FOOTER
    AUTO_FOCUS = "#design"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual declares it so
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (14, "-usual"), (34, "-tall")]  # noqa: RUF012

    def __init__(self, control: ExperimentControl) -> None:
        super().__init__()
        self.control = control
        self.outcome: Outcome | None = None
        """What was decided; None until the experiment is over and judged."""
        self._as_table = True
        self._layout = design(control.plan)
        self._has_table = self._layout.is_table
        self._live = View(control.lab)
        self._shown: Shown | None = None
        self._drawn: object = None
        self._texts: dict[str, Text] = {}
        self._judging = self._told = False
        self._changed: Changed | None = None  # says whether the session has changed since it was judged
        self._rows: object = None  # what the heading's height depends on
        self._questions = HostQuestions(self)

    def compose(self) -> ComposeResult:
        yield Static(id="heading", markup=False)
        yield Static(id="rule", markup=False)
        with VerticalScroll(id="decided"):
            yield Static(_JUDGING, id="decided-text", markup=False)
        yield DesignTable(id="design")
        with Horizontal(id="below"):
            yield Graph(id="graph")
            yield LogView(id="log")
        yield Footer()

    def on_mount(self) -> None:
        """Draw, and ask once the first frame is there."""
        self._live = msgspec.structs.replace(self._live, **remembered(shell(self).memory))
        self.query_one("#decided").border_title = "decided"
        self.app.theme_changed_signal.subscribe(self, lambda _: self._draw())
        self._look()
        self.set_interval(PERIOD, self._tick)
        self.set_timer(_FIRST, lambda: shell(self).call_at_rest(self._first))

    @work(group=BACKGROUND)
    async def _first(self) -> None:
        """Ask whether to begin, once this screen is on top: another one may have been opened meanwhile."""
        if await shell(self).turn_of(self) and not self.control.going and not self.control.shown().begun:
            self.action_stop()

    # drawing

    def _tick(self) -> None:
        if self in self.app.screen_stack:
            self._look()
        elif not self._told:
            self._tell(self.control.shown())

    def _tell(self, shown: Shown) -> None:
        """Say once that the experiment is over, if the user looks at another screen."""
        if shown.view.over and not self.control.going and not self._told:
            self._told = True
            if self.app.screen is not self:
                done = f"{shown.view.done} of {shown.view.planned} trials are done"
                done += f"; {key('app.live', 'l')} shows the verdicts"
                self.app.notify(done, title="the experiment is over", markup=False)

    def _look(self) -> None:
        """Take a snapshot, and draw what changed."""
        shown = self.control.shown()
        before, self._shown = self._shown, shown
        if shown != before:
            self._draw()
        else:
            self._draw_graph()
        if before is None or (shown.begun, shown.view.over) != (before.begun, before.view.over):
            self.refresh_bindings()
        if shown.view.over and not self._judging and not self.control.going:
            self._judging = True
            self._judge()
        self._tell(shown)

    def _draw_graph(self) -> None:
        control = self.control
        over = self._shown is None or self._shown.view.over
        if over or not self.query_one(Graph).display:
            return
        points = round(self._live.time_span / control.lab.interval) + 3
        snapshot = control.snapshot(points)
        self._live = msgspec.structs.replace(
            self._live, where=control.where, case=control.case, started=control.started
        )
        self.query_one(Graph).show(snapshot, self._live)

    @on(DesignTable.Resized)
    def _draw(self) -> None:
        shown = self._shown
        if shown is None or not self.is_mounted:
            return
        styles, width = Styles(self.app.theme_variables), max(self.size.width - 2, 20)
        plan = self.control.plan
        where = f"{shown.view.name} ▸ {self.control.given.session}"
        top = heading.progress(shown, where, width, styles)
        top.append("\n").append_text(heading.now(shown, plan, width, styles))
        rows = top.plain.count("\n"), shown.view.over, shown.begun, width
        self._say("#heading", top, lasts=rows != self._rows)  # its time changes every second
        self._rows = rows
        self._say("#rule", heading.rule(shown, plan, self._layout))
        self.set_class(shown.view.over, "-over")
        verdicts = {} if self.outcome is None else self.outcome.verdicts
        self.query_one(DesignTable).show(shown.view, self._layout, verdicts, styles)
        self.query_one(LogView).show(shown.log, styles, self.app.theme)
        self._draw_graph()
        if self.outcome is not None:
            from fwdtui.ui.experiment import verdicts as decided

            self._say("#decided-text", decided.text(self.outcome, styles))

    def _say(self, where: str, text: Text, *, lasts: bool = True) -> None:
        """Show a text if it has changed. `lasts`: it may need another height; else only it is drawn again."""
        before = self._texts.get(where)
        if before != text:
            self._texts[where] = text
            self.query_one(where, Static).update(text, layout=lasts or before is None)

    # when it is over

    def on_screen_resume(self) -> None:
        """Judge again if the session has changed since: iterations are dropped on the screen of a cell."""
        if self._changed is not None and self._changed():
            self.outcome = None
            self._say("#decided-text", Text(_JUDGING))
            self._draw()
            self.refresh_bindings()
            self._judge_again()

    @work(exclusive=True, group="again")
    async def _judge_again(self) -> None:
        await self.control.reread()
        self._look()
        self._judge()

    @work(thread=True, exclusive=True, group="outcome")
    def _judge(self) -> None:
        try:
            from fwdtui.ui.experiment import verdicts
            from fwdtui.ui.report.since import changed_since

            control = self.control
            self._changed = changed_since([control.folder])
            outcome = verdicts.outcome(control.folder, control.plan, design(control.plan), control.floor())
        except Exception as error:
            reason = errors.in_place(error)
            from_thread(self, self._not_judged, reason)
            return
        from_thread(self, self._judged, outcome)

    def _judged(self, outcome: "Outcome") -> None:
        self.outcome = outcome
        self._draw()
        self.refresh_bindings()

    def _not_judged(self, reason: str) -> None:
        self._say("#decided-text", Text(f"! {reason}"))

    # what the keys do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what can be done now: a comparison only when the experiment is over."""
        shown = self._shown
        over = shown is not None and shown.view.over
        if action in ("compare", "report"):
            return self.outcome is not None and bool(self.outcome.compared)
        if action == "stop":
            return not over
        if action == "blast":
            return shown is not None and shown.begun
        if action == "form":
            return self._has_table
        return True

    @work(exclusive=True, group="ask")
    async def action_stop(self) -> None:
        """Begin the experiment, or stop it: both after a question."""
        from fwdtui.ui.experiment import blast_screen, question

        control = self.control
        if control.going:
            await blast_screen.ask_to_stop(self.app, control)
        elif not control.shown().begun and await self.app.push_screen_wait(
            question.ExperimentQuestion(control.given)
        ):
            control.begin(self._questions.ask)
        self._look()

    def action_blast(self) -> None:
        """The live screen of the same run; `l` or Esc leads back."""
        from fwdtui.ui.experiment.blast_screen import BlastScreen

        self.app.push_screen(BlastScreen(self.control))

    def action_form(self) -> None:
        """The table of two factors as a list, and back; the cursor stays on its cell."""
        self._as_table = not self._as_table
        self._layout = design(self.control.plan, table=self._as_table)
        self._draw()

    @on(DataTable.RowSelected)
    @on(DataTable.CellSelected)
    def _open_cell(self) -> None:
        """Open the iterations of the cell under the cursor."""
        cell = self.query_one(DesignTable).current
        if cell is None:
            return
        if self._shown is None or not self._shown.begun or not (cell.done or cell.repeated or cell.failed):
            self.notify("Nothing has been measured in this cell yet.", markup=False)
            return
        shell(self).open_session(self.control.folder, cell.name)

    def action_compare(self) -> None:
        """Compare by the first factor: the verdicts with their evidence."""
        if self.outcome is not None and self.outcome.compared:
            first = self.outcome.compared[0]
            shell(self).compare_by(self.control.folder, first.view, first.margin)

    def action_report(self) -> None:
        """Preview the report on that comparison, and write it."""
        if self.outcome is not None and self.outcome.compared:
            shell(self).preview(self.outcome.compared[0], self._changed)

    def to_copy(self) -> Copy | None:
        """What was decided; before that, how far it is. Cells and the log copy themselves."""
        said = [self._texts[where].plain for where in ("#heading", "#rule") if where in self._texts]
        if self.outcome is not None and "#decided-text" in self._texts:
            return lines("the verdicts", self._texts["#decided-text"].plain)
        return lines("the progress", "\n".join(said))
