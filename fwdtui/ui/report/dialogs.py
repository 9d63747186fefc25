"""Dialogs that ask where the report goes, and show the progress while it is written."""

import threading
import time
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
from textual.widgets import Button, Input, Label, ProgressBar, Static
from textual.worker import get_current_worker

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean
from fwdtui.core.time_left import TimeLeft
from fwdtui.core.units import counted
from fwdtui.report import bundle, export
from fwdtui.ui.common.copying import IN_DIALOG, IN_LIST, Copy
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.styled_once import StyledOnce

MakePlan = Callable[[Path], bundle.Plan]


class _Path(Input):
    """The line with the file's path. `refused`: this file cannot be written."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "write", id="destination.write")]
    refused = False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer Enter unless the file cannot be written."""
        return action != "submit" or not self.refused


class Destination(StyledOnce, ModalScreen[bundle.Plan | None]):
    """Asks for the report's file. Problems are shown while typing, with a free file name.

    Returns the plan that writes it, or None if the user cancelled.
    """

    CSS_PATH = "preview.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+n", "other", "use another name", id="destination.other"),
        Binding("escape", "leave", "do not write", id="destination.back"),
        IN_DIALOG,
    ]

    class Checked(Message):
        """The result for the typed text. If `problem` is "", the file can be written.

        `other` is a free file; None: there is none.
        """

        def __init__(self, text: str, plan: bundle.Plan | None, problem: str, other: Path | None) -> None:
            super().__init__()
            self.text, self.plan, self.problem, self.other = text, plan, problem, other

    def __init__(self, title: str, default: Path, plan: MakePlan) -> None:
        super().__init__(classes="dialog")
        self._title, self._default, self._plan = title, default, plan
        self._answer: Destination.Checked | None = None
        self._waiting = False  # Enter was pressed before the check was done

    def to_copy(self) -> Copy:
        """The typed path."""
        return Copy("the path", self.query_one(Input).value)

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(self._title, id="question", markup=False)
            yield _Path(export.shown(self._default), id="path", select_on_focus=False)
            yield Static(id="answer", markup=False)
            with Horizontal(id="answers"):
                yield Button(f"{key('destination.write', 'enter')}  write", id="write", variant="primary")
                yield Button(f"{key('destination.other', 'ctrl+n')}  use another name", id="other")
                yield Button(f"{key('destination.back', 'esc')}  cancel", id="back")
        yield Footer()

    def on_mount(self) -> None:
        """Put the cursor before the file's extension."""
        self.query_one("#other").display = False
        field = self.query_one(Input)
        field.focus()
        field.cursor_position = len(field.value) - len(self._default.suffix)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Check in a thread whether the file can be written: a folder may be slow to answer."""
        self._answer = None
        self.query_one(_Path).refused = False  # Enter may be pressed before the check is done
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
        """Show the result; write if Enter was already pressed."""
        if event.text != self.query_one(Input).value:
            return
        self._answer = event
        self.query_one("#answer", Static).update(self._told(event))
        self.query_one("#write", Button).disabled = self.query_one(_Path).refused = bool(event.problem)
        self.query_one("#other", Button).display = event.other is not None
        self.refresh_bindings()
        if self._waiting:
            self._waiting = False
            self.action_write()

    def _told(self, answer: Checked) -> Text:
        if answer.problem or answer.plan is None:
            text = Text.assemble(("cannot write: ", "bold"), answer.problem)
            if answer.other is not None:
                text.append(
                    f"\n{key('destination.other', 'ctrl+n')} uses {export.shown(answer.other)} instead"
                )
            return text
        files = len(answer.plan.paths()) - 1
        text = Text("replaces the earlier report " if answer.plan.replaces() else "writes ", style="bold")
        text.append(export.shown(answer.plan.out.absolute()), style="not bold")
        if files:
            text.append(f"\nand {counted(files, 'file')} in {answer.plan.folder.name}", style="not bold")
        return text

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the other name while there is one."""
        return action != "other" or (self._answer is not None and self._answer.other is not None)

    def on_input_submitted(self) -> None:
        """Write with Enter."""
        self.action_write()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer by mouse."""
        if event.button.id == "back":
            self.action_leave()
        elif event.button.id == "other":
            self.action_other()
        else:
            self.action_write()

    def action_write(self) -> None:
        """Write the report there, if that is possible."""
        if self._answer is None:
            self._waiting = True
        elif not self._answer.problem:
            self._leave(self._answer.plan)

    def action_leave(self) -> None:
        """Close without writing."""
        self._leave(None)

    def _leave(self, plan: bundle.Plan | None) -> None:
        if self.is_current:  # a key pressed twice would close the screen below as well
            self.dismiss(plan)

    def action_other(self) -> None:
        """Put the other name into the prompt."""
        if self._answer is not None and self._answer.other is not None:
            self.query_one(Input).value = export.shown(self._answer.other)


class Writing(StyledOnce, ModalScreen[list[Path] | str | None]):
    """Draws and writes the report. Returns the paths, what went wrong, or None if stopped."""

    AUTO_FOCUS = ""  # a second Enter in the prompt must not stop the writing
    CSS_PATH = "preview.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "stop", id="writing.stop"),
        IN_LIST,
    ]

    class Advanced(Message):
        """`done` of `total` are written; `what` is next."""

        def __init__(self, done: int, total: int, what: str) -> None:
            super().__init__()
            self.done, self.total, self.what = done, total, what

    class Ended(Message):
        """Writing has ended, with the screen's answer."""

        def __init__(self, answer: list[Path] | str | None) -> None:
            super().__init__()
            self.answer = answer

    def __init__(self, plan: bundle.Plan, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(classes="dialog")
        self._plan = plan
        self._clock, self._left = clock, TimeLeft()
        self._stop = threading.Event()
        self._ended: Writing.Ended | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(f"Writing {export.shown(self._plan.out)}", id="question", markup=False)
            yield ProgressBar(total=len(self._plan.charts) + 1, show_eta=False, id="progress")
            yield Label("starting", id="at", markup=False)
            with Horizontal(id="answers"):
                yield Button(f"{key('writing.stop', 'esc')}  stop without writing", id="stop")
        yield Footer()

    def to_copy(self) -> Copy:
        """The path that is written."""
        return Copy("the path", str(self._plan.out.absolute()))

    def on_mount(self) -> None:
        """Start writing."""
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
        except Exception as error:  # any error of a chart is reported and does not end the app
            answer = clean(f"{type(error).__name__}: {error}")
        self.post_message(self.Ended(answer))

    def on_writing_advanced(self, event: Advanced) -> None:
        """Show the progress."""
        self.query_one(ProgressBar).update(total=event.total, progress=event.done)
        self._left.step(event.done, event.total, self._clock())
        if not self._stop.is_set():
            self.query_one("#at", Label).update("  ".join(filter(None, [event.what, self._left.text])))

    def on_writing_ended(self, event: Ended) -> None:
        """Close the dialog once writing has ended."""
        self._ended = event
        self._leave()

    def on_screen_resume(self) -> None:
        """Close if writing ended while the command palette was open."""
        self._leave()

    def _leave(self) -> None:
        if self._ended is not None and self.is_current:
            self.dismiss(self._ended.answer)

    def on_button_pressed(self) -> None:
        """Stop by mouse."""
        self.action_stop()

    def action_stop(self) -> None:
        """Stop before the next chart or file."""
        self._stop.set()
        self.query_one("#at", Label).update("stopping after this chart")


class _StoppedError(Exception):
    """Raised to stop in the middle of a report."""
