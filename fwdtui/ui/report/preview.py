"""The preview of the report, its choices, and the command that writes the same report."""

from datetime import datetime
from pathlib import Path
from typing import ClassVar

from rich.cells import chop_cells
from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.message import Message
from textual.screen import Screen
from textual.strip import Strip
from textual.timer import Timer
from textual.widgets import Static
from textual.worker import get_current_worker

from fwdtui.report import bundle, export
from fwdtui.report.comparison import Compared
from fwdtui.report.document import Choices
from fwdtui.report.verified import verified
from fwdtui.stats import figures
from fwdtui.stats.looks import share_of
from fwdtui.ui.common import errors
from fwdtui.ui.common.copying import Copy, lines
from fwdtui.ui.common.footer import Footer, FooterKeys
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.styled_once import StyledOnce
from fwdtui.ui.report import rendered
from fwdtui.ui.report.choices_panel import ChoicesPanel
from fwdtui.ui.report.page import Page, page_style
from fwdtui.ui.report.since import Changed, changed_since
from fwdtui.ui.report.writing import written

_BESIDE = 3  # columns of padding and scroll bar beside the command
_TYPING = 0.2  # seconds after the last key before the page is redrawn


class _Below(VerticalScroll):
    """What was written, or will be, and the command that writes the same."""

    command = ""

    def show(self, command: str) -> None:
        """Show this command."""
        self.command = command
        self._draw()

    def on_resize(self) -> None:
        """Break the command for the new width."""
        self._draw()

    def _draw(self) -> None:
        """Fill each line: broken at spaces only, a long path would leave the first line nearly empty."""
        if self.command:
            rows = chop_cells(f"$ {self.command}", max(self.outer_size.width - _BESIDE, 1))
            text = Text("\n".join(rows), no_wrap=True)
            text.stylize("bold", 0, 1)
            self.query_one("#command", Static).update(text)

    def to_copy(self) -> Copy | None:
        """The command."""
        return Copy("the command", self.command) if self.command else None


def _changed() -> str:
    back = key("preview.back", "Esc")
    return f"The sessions have changed since they were compared. {back} goes back, and compares them again."


class PreviewScreen(StyledOnce, Screen[None]):
    """The preview of the report on a finished comparison: only raw logs are read, and nothing is judged."""

    CSS_PATH = "preview.tcss"
    AUTO_FOCUS = "#page"
    HORIZONTAL_BREAKPOINTS = [(0, "-small"), (76, "-narrow"), (132, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (10, "-low"), (20, "-high")]  # noqa: RUF012
    HELP = """\
# Report
The Markdown as it will be written: verdicts first, then each case. `i` chooses what it includes, `t` changes
its title (`Enter` accepts it, `Esc` restores the old one), `x` shows the Markdown source. `e` writes
it, with charts and value files in a folder beside it. The command at the bottom writes the same files, byte
for byte. `y` copies the Markdown, and writes nothing; with the focus at the bottom (`tab`) it copies the
command.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f5", "again", "try again", key_display="F5", id="preview.again"),
        Binding("e", "export", "export", tooltip="write the report and its files", id="preview.export"),
        Binding("x", "source", "Markdown", tooltip="the Markdown source, or the page", id="preview.source"),
        Binding("i", "include", "include", tooltip="choose what the report includes", id="preview.include"),
        Binding("t", "title", "title", tooltip="change the report's title", id="preview.title"),
        Binding("escape", "back", "back", id="preview.back"),
    ]
    FOOTER = FooterKeys(first=("preview.export", "app.copy"))

    class Failed(Message):
        """The report cannot be drawn; `problem` says why."""

        def __init__(self, number: int, problem: str) -> None:
            super().__init__()
            self.number, self.problem = number, problem

    class Planned(Message):
        """What would be written now, what prevents it, and the command that writes it."""

        def __init__(self, number: int, plan: bundle.Plan, problem: str, command: str) -> None:
            super().__init__()
            self.number, self.plan, self.problem, self.command = number, plan, problem, command

    class Drawn(Message):
        """Lines of the page. They replace all lines (`anew`) or are added at the end."""

        def __init__(self, number: int, strips: list[Strip], anew: bool) -> None:
            super().__init__()
            self.number, self.strips, self.anew = number, strips, anew

    def __init__(self, compared: Compared, changed: Changed | None = None) -> None:
        """`changed` says whether the sessions have changed since they were read for `compared`.

        None: they were read just now.
        """
        super().__init__()
        self._compared = compared
        self._verified: Compared | None = None
        self._changed = changed or changed_since(compared.paths)
        self._choices = Choices()
        self._out = export.default_out(compared)
        self._plan: bundle.Plan | None = None
        self._written: tuple[bundle.Plan, str] | None = None  # what was written, and how that is reported
        self._source = self._failed = False
        self._drawing = 0  # the number of the latest drawing, to recognise older ones
        self._drawn_for = 0  # the columns of the latest drawing
        self._typing: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="heading", markup=False)
        with Horizontal(id="body"):
            yield Page(id="page")
            yield ChoicesPanel(export.title(self._compared), id="choices")
        with _Below(id="below"):
            yield Static(id="told", markup=False)
            yield Static(id="command", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Show the heading; the page is drawn once its width is known."""
        self._head()
        self.app.theme_changed_signal.subscribe(self, lambda _: self._redraw())

    def on_preview_screen_failed(self, event: Failed) -> None:
        """Say why the report cannot be drawn, and offer to try again."""
        if event.number != self._drawing:
            return
        self._failed = True
        self._head(f"This report cannot be drawn: {event.problem}  {key('preview.again', 'F5')} tries again.")
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer "try again" only after a failure."""
        return action != "again" or self._failed

    def action_again(self) -> None:
        """Draw the report again after a failure."""
        self._redraw()

    def _head(self, instead: str = "") -> None:
        text = Text("Report", style="bold")
        if instead:
            text.append(f"   {instead}", style="not bold")
        else:
            base, *others = self._compared.labels
            margin, confidence = figures.margin(self._compared.margin), self._compared.confidence
            limits = f"   margin {margin}   confidence {figures.in_percent(confidence)}"
            if (look := self._compared.at_look) is not None:
                limits += f" ({share_of(look)} at this look)"
            text.append(limits, style="not bold")
            text.append("   baseline ", style="not bold dim")
            text.append(base, style="not bold")
            text.append("   candidates " if len(others) > 1 else "   candidate ", style="not bold dim")
            text.append(", ".join(others), style="not bold")
        self.query_one("#heading", Static).update(text)

    def on_page_reshaped(self) -> None:
        """Redraw for the page's new width."""
        if self.query_one(Page).room != self._drawn_for:
            self._redraw()

    def _redraw(self) -> None:
        page = self.query_one(Page)
        if not page.room:
            return
        self._drawing += 1
        self._drawn_for = page.room
        styles = page_style(self.app.theme_variables)
        self._draw(self._drawing, self._choices, page.room, styles, not page.plain)

    @work(thread=True, exclusive=True, group="draw", description="draw")
    def _draw(
        self,
        number: int,
        choices: Choices,
        width: int,
        styles: dict[str, str],
        bit_by_bit: bool,
    ) -> None:
        """Draw the report. `bit_by_bit`: the page is empty, so each part is shown as soon as it is drawn.

        Otherwise the whole report is shown at once.
        """
        worker = get_current_worker()
        try:
            plan = export.plan(self._out, self._whole(), choices)
            command = export.command(self._out, self._compared, choices)
        except Exception as error:  # reported instead of the report, with a way to try again
            self.post_message(self.Failed(number, errors.in_place(error)))
            return
        self.post_message(self.Planned(number, plan, export.problem(plan), command))
        draw = rendered.source if self._source else rendered.lines
        whole: list[Strip] = []
        for part in draw(plan.text, width, styles):
            if worker.is_cancelled:
                return
            if bit_by_bit:
                self.post_message(self.Drawn(number, part, anew=not whole))
            whole += part
        if not bit_by_bit:
            self.post_message(self.Drawn(number, whole, anew=True))

    def _whole(self) -> Compared:
        """The comparison with what is wrong with its raw logs, as a report has it. Only in a thread."""
        if self._verified is None:
            self._verified = verified(self._compared)
        return self._verified

    def on_preview_screen_drawn(self, event: Drawn) -> None:
        """Put lines on the page, unless something newer is being drawn."""
        if event.number == self._drawing:
            page = self.query_one(Page)
            (page.show if event.anew else page.extend)(event.strips)

    def on_preview_screen_planned(self, event: Planned) -> None:
        """Show what an export would write, and the command that does the same."""
        if event.number != self._drawing:
            return  # the choices have changed since: threads do not end in the order in which they began
        if self._failed:
            self._failed = False
            self._head()
            self.refresh_bindings()
        self._plan = event.plan
        self.query_one("#told", Static).update(self._told(event.plan, event.problem))
        self.query_one(_Below).show(event.command)

    def _told(self, plan: bundle.Plan, problem: str) -> Text:
        writes = key("preview.export", "e")
        if self._written is not None:
            before, written_how = self._written
            if (before.out, before.text) == (plan.out, plan.text):
                return Text.assemble(("written ", "bold"), written_how)
            return Text.assemble(("changed since it was written ", "bold"), written_how)
        if problem:
            return Text.assemble((f"{writes} asks for another file name: ", "bold"), problem)
        files = _files(plan)
        return Text.assemble(
            ("not written yet: ", "bold"), f"{writes} writes {export.shown(plan.out)}{files}"
        )

    def on_choices_panel_changed(self, event: ChoicesPanel.Changed) -> None:
        """Redraw after a choice; while a title is being typed, when typing pauses."""
        typed = event.choices.title != self._choices.title
        if event.choices != self._choices:  # nothing to copy until the report with these choices is drawn
            self._plan, self.query_one(_Below).command = None, ""
        self._choices = event.choices
        if self._typing is not None:
            self._typing.stop()
        if typed:
            self._typing = self.set_timer(_TYPING, self._redraw)
        else:
            self._redraw()

    def on_choices_panel_done(self) -> None:
        """Go back to the page once the title is accepted."""
        self._to_page()

    def action_back(self) -> None:
        """From the choices to the page, from there to the previous screen; an unaccepted title is undone."""
        if self.query("HelpPanel"):
            self.app.action_hide_help_panel()
        elif self.focused is not None and self.focused is not self.query_one(Page):
            self.query_one(ChoicesPanel).restore_title()
            self._to_page()
        elif self.is_current:  # escape pressed twice would close the screen below as well
            self.dismiss()

    def _to_page(self) -> None:
        self.query_one(ChoicesPanel).remove_class("-open")
        self.query_one(Page).focus()

    def action_include(self) -> None:
        """Choose the sections."""
        self.query_one(ChoicesPanel).use("sections")

    def action_title(self) -> None:
        """Edit the title."""
        self.query_one(ChoicesPanel).use("title")

    def action_source(self) -> None:
        """Switch between the Markdown source and the page, from the beginning."""
        self._source = not self._source
        self.query_one(Page).scroll_home(animate=False)
        self._redraw()

    def to_copy(self) -> Copy:
        """The Markdown as it would be written now."""
        if self._plan is None or self._failed:
            return Copy("There is no report to copy yet.", "")
        if self._changed():
            return Copy(_changed(), "")
        return lines("the report's Markdown", self._plan.text)

    @work(group="export", exclusive=True)
    async def action_export(self) -> None:
        """Ask for the file, write the report, and say where it is; none on sessions that have changed."""
        choices = self._choices
        if self._failed:
            return
        if self._changed():
            self.notify(_changed(), title="not written", severity="warning", markup=False)
            return
        plan = await written(
            self, "Write the report", self._out, lambda out: export.plan(out, self._whole(), choices)
        )
        if plan is not None:
            how = f"{datetime.now():%H:%M:%S}: {export.shown(plan.out.absolute())}{_files(plan)}"
            self._out, self._written = plan.out, (plan, how)
            self._redraw()


def _files(plan: bundle.Plan) -> str:
    counts = [(len(plan.charts), "chart"), (len(plan.values), "value file")]
    files = " and ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts if count)
    return f", {files} in {export.shown(Path(plan.folder.name))}" if files else ""
