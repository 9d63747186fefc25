"""Where the report goes, and what is seen while it is written."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Button, Footer, Input, Label, ProgressBar, Static
from textual.worker import get_current_worker

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean
from fwdtui.report import bundle, export

MakePlan = Callable[[Path], bundle.Plan]


class Destination(ModalScreen[bundle.Plan | None]):
    """Asks for the file. What stands in the way is told while one types, with a place that is free."""

    CSS_PATH = "preview.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "write", "write", id="destination.write"),
        Binding("ctrl+n", "other", "take the free name", id="destination.other"),
        Binding("escape", "leave", "do not write", id="destination.back"),
    ]

    class Checked(Message):
        """The answer for what stood in the prompt: an empty `problem` is a way that is clear."""

        def __init__(self, text: str, plan: bundle.Plan | None, problem: str, other: Path | None) -> None:
            super().__init__()
            self.text, self.plan, self.problem, self.other = text, plan, problem, other

    def __init__(self, title: str, default: Path, plan: MakePlan) -> None:
        super().__init__(classes="dialog")
        self._title, self._default, self._plan = title, default, plan
        self._answer: Destination.Checked | None = None
        self._waiting = False  # Enter was pressed before the answer was there

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(self._title, id="question", markup=False)
            yield Input(export.shown(self._default), id="path", select_on_focus=False)
            yield Static(id="answer", markup=False)
            with Horizontal(id="answers"):
                yield Button("enter  write", id="write", variant="primary")
                yield Button("ctrl+n  take the free name", id="other")
                yield Button("esc  not now", id="back")
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """The name before its ending is what people change."""
        self.query_one("#other").display = False
        field = self.query_one(Input)
        field.focus()
        field.cursor_position = len(field.value) - len(self._default.suffix)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look whether the way is clear, beside the screen: a folder may be slow to answer."""
        self._answer = None
        self._check(event.value)

    @work(thread=True, exclusive=True, group="check", description="check")
    def _check(self, text: str) -> None:
        out, plan = self._default, None
        try:
            out = export.destination(text, self._default)
            plan = self._plan(out)
            problem = export.problem(plan)
        except FwdtuiError as error:
            problem = str(error)
        other = export.alternative(out, self._default, self._plan) if problem else None
        if not get_current_worker().is_cancelled:
            self.post_message(self.Checked(text, plan, problem, other))

    def on_destination_checked(self, event: Checked) -> None:
        """Say it, and go on where Enter was pressed already."""
        if event.text != self.query_one(Input).value:
            return
        self._answer = event
        self.query_one("#answer", Static).update(self._told(event))
        self.query_one("#write", Button).disabled = bool(event.problem)
        self.query_one("#other", Button).display = event.other is not None
        self.refresh_bindings()
        if self._waiting:
            self._waiting = False
            self.action_write()

    def _told(self, answer: Checked) -> Text:
        if answer.problem or answer.plan is None:
            text = Text.assemble(("not there: ", "bold"), answer.problem)
            if answer.other is not None:
                text.append(f"\nctrl+n takes {export.shown(answer.other)}, which is free")
            return text
        files = len(answer.plan.paths()) - 1
        text = Text("replaces the earlier report " if answer.plan.replaces() else "writes ", style="bold")
        text.append(export.shown(answer.plan.out.absolute()), style="not bold")
        if files:
            text.append(f"\nand {files} files in {answer.plan.folder.name}", style="not bold")
        return text

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The free name is offered while there is one."""
        return action != "other" or (self._answer is not None and self._answer.other is not None)

    def on_input_submitted(self) -> None:
        """Enter in the prompt."""
        self.action_write()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """The same by mouse."""
        if event.button.id == "back":
            self.action_leave()
        elif event.button.id == "other":
            self.action_other()
        else:
            self.action_write()

    def action_write(self) -> None:
        """Write there, if it can be written there."""
        if self._answer is None:
            self._waiting = True
        elif not self._answer.problem:
            self._leave(self._answer.plan)

    def action_leave(self) -> None:
        """Write nothing."""
        self._leave(None)

    def _leave(self, plan: bundle.Plan | None) -> None:
        if self.is_current:  # a key pressed twice would close the screen below, too
            self.dismiss(plan)

    def action_other(self) -> None:
        """Put the free name into the prompt."""
        if self._answer is not None and self._answer.other is not None:
            self.query_one(Input).value = export.shown(self._answer.other)


class Writing(ModalScreen[list[Path] | str | None]):
    """Draws and writes. The answer: the paths, or what went wrong, or None when it was stopped."""

    AUTO_FOCUS = ""  # a second Enter in the prompt must not stop what it began
    CSS_PATH = "preview.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,c", "stop", "stop", id="writing.stop")]

    class Advanced(Message):
        """`done` of `total`, at `what`."""

        def __init__(self, done: int, total: int, what: str) -> None:
            super().__init__()
            self.done, self.total, self.what = done, total, what

    class Ended(Message):
        """With the screen's answer."""

        def __init__(self, answer: list[Path] | str | None) -> None:
            super().__init__()
            self.answer = answer

    def __init__(self, plan: bundle.Plan) -> None:
        super().__init__(classes="dialog")
        self._plan = plan
        self._stop = threading.Event()
        self._ended: Writing.Ended | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(f"Writing {export.shown(self._plan.out)}", id="question", markup=False)
            yield ProgressBar(total=len(self._plan.charts) + 1, id="progress")
            yield Label("beginning", id="at", markup=False)
            with Horizontal(id="answers"):
                yield Button("esc  stop, and write nothing", id="stop")
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """At once."""
        self._write()

    @work(thread=True, description="write")
    def _write(self) -> None:
        worker = get_current_worker()

        def advance(done: int, total: int, what: str) -> None:
            if self._stop.is_set() or worker.is_cancelled:
                raise _StoppedError
            self.post_message(self.Advanced(done, total, what))

        answer: list[Path] | str | None
        try:
            answer = bundle.carry_out(self._plan, progress=advance)
        except _StoppedError:
            answer = None
        except (FwdtuiError, OSError) as error:
            answer = clean(str(error))
        except Exception as error:  # whatever a chart ran into: said, and not the end of the app
            answer = clean(f"{type(error).__name__}: {error}")
        self.post_message(self.Ended(answer))

    def on_writing_advanced(self, event: Advanced) -> None:
        """A chart, or a file."""
        self.query_one(ProgressBar).update(total=event.total, progress=event.done)
        if not self._stop.is_set():
            self.query_one("#at", Label).update(event.what)

    def on_writing_ended(self, event: Ended) -> None:
        """Nothing is being written any more when the dialog closes."""
        self._ended = event
        self._leave()

    def on_screen_resume(self) -> None:
        """It may have ended while the command palette stood over it."""
        self._leave()

    def _leave(self) -> None:
        if self._ended is not None and self.is_current:
            self.dismiss(self._ended.answer)

    def on_button_pressed(self) -> None:
        """By mouse."""
        self.action_stop()

    def action_stop(self) -> None:
        """Stop before the next chart or file."""
        self._stop.set()
        self.query_one("#at", Label).update("stopping after this chart")


class _StoppedError(Exception):
    """Raised in the middle of a report to leave it."""
