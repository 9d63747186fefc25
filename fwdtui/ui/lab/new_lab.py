"""Questions whose answers become a lab.toml. An existing file is never touched."""

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, Label, Static

from fwdtui.collectors import systems
from fwdtui.collectors.tools import registry
from fwdtui.core import lab, lab_text
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab_text import Fields
from fwdtui.core.text import clean
from fwdtui.store.atomic import write_new
from fwdtui.transport import trusted
from fwdtui.transport.destination import parse_destination
from fwdtui.transport.errors import BadSshConfig
from fwdtui.transport.ssh_files import TextFile
from fwdtui.ui.common.copying import IN_DIALOG
from fwdtui.ui.common.dialogs import Confirm
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.styled_once import StyledOnce
from fwdtui.ui.lab.doctor import DoctorScreen

_QUESTIONS = (  # field, its label, its placeholder
    ("name", "name of the lab", "lab"),
    ("generator_host", "generator: ssh host", "alias, user@host or user@host:port"),
    ("generator_interface", "generator: sends on", "for example ix0"),
    ("generator_tool", "generator: tool", "one of these"),
    ("generator_start", "generator: started by", "empty: by hand; for example pkt-gen -f tx -i ix0"),
    ("dut_host", "DUT: ssh host", "the router under test"),
    ("dut_in", "DUT: packets come in on", "for example ix0; several: ix0, ix2"),
    ("dut_out", "DUT: packets go out on", "for example ix1"),
    ("dut_os", "DUT: system", "empty: detected; else one of these"),
    ("receiver_host", "receiver: ssh host", "empty: the DUT's output counts"),
    ("receiver_interface", "receiver: interface", ""),
)
_OFFERED: dict[str, Callable[[], Sequence[str]]] = {"generator_tool": registry.known, "dut_os": systems.known}
_FIRST_TOOL = "netmap-pkt-gen"


class Answer(Input):
    """A line of the form. If several lines are pasted, the others go into the lines below, as if typed."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "next field", id="new_lab.next")]

    class More(Message):
        """Several lines were pasted; these are the ones after the first."""

        def __init__(self, answer: "Answer", lines: list[str]) -> None:
            super().__init__()
            self.answer, self.lines = answer, lines

    def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        first, *more = event.text.split("\n")
        self.replace(first, *self.selection)
        if more:
            self.post_message(self.More(self, more))


class NewLabScreen(StyledOnce, Screen[None]):
    """A form for the fields of lab.toml that every lab needs; the README describes the others."""

    HOLDS_TYPED = True  # no mode's key closes it: Esc does, and asks first
    HELP = """\
# A lab of my own
`Enter` goes to the next field, `ctrl+s` writes lab.toml and checks each host. This starts no generator. The
tools and systems listed are the installed ones; packages can add more.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "write", "write lab.toml", id="new_lab.write"),
        Binding("escape", "leave", "back", id="new_lab.back"),
        IN_DIALOG,
    ]

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def compose(self) -> ComposeResult:
        text = Text("A lab of my own", style="bold")
        following, write = key("new_lab.next", "Enter"), key("new_lab.write", "ctrl+s")
        text.append(f"   {following}: next field   {write}: write lab.toml", style="not bold")
        yield Static(text, id="where", markup=False)
        with VerticalScroll(id="fields", can_focus=False):
            for name, label, hint in _QUESTIONS:
                offered = _OFFERED[name]() if name in _OFFERED else ()
                with Horizontal(classes="field -choice" if offered else "field"):
                    yield Label(label, markup=False)
                    # no list: it would take the Enter that goes to the next field, and letters typed after it
                    value = _FIRST_TOOL if name == "generator_tool" else ""
                    yield Answer(value, id=name, placeholder=hint, compact=True)
                if offered:
                    yield Static(", ".join(map(clean, offered)), classes="offered", markup=False)
        yield Static(id="problem", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Focus the first question; say at once if there is a file that would be in the way."""
        self.query_one("#name", Input).focus()
        if self._path.exists():
            self._tell(f"{self._path} already exists; move it away first: nothing is written over it.")

    def _tell(self, problem: str) -> None:
        self.query_one("#problem", Static).update(Text(f"! {problem}" if problem else ""))

    def on_input_submitted(self) -> None:
        """Go to the next question; after the last one, write the file."""
        if self.focused is not None and self.focused.id == _QUESTIONS[-1][0]:
            self.action_write()
        else:
            self.focus_next()

    def on_answer_more(self, event: Answer.More) -> None:
        """Fill the next questions with pasted lines; report lines that are left over. Nothing is written."""
        names = [name for name, _, _ in _QUESTIONS]
        after = names[names.index(event.answer.id or names[0]) + 1 :]
        for name, line in zip(after, event.lines, strict=False):
            field = self.query_one(f"#{name}", Input)
            field.value = line
            field.focus()
        if (left := len(event.lines) - len(after)) > 0:
            lines = "line was" if left == 1 else "lines were"
            self.notify(
                f"The last {left} pasted {lines} left out: there are no more questions.", severity="warning"
            )

    def fields(self) -> Fields:
        """The answers as typed."""
        return Fields(**{name: self.query_one(f"#{name}", Input).value for name, _, _ in _QUESTIONS})

    def _asked_again(self, problem: str) -> str:
        """The problem in the form's own words; also moves the cursor to the field that it is about."""
        for name, label, _ in _QUESTIONS:
            key = name.replace("_", ".", 1)
            _, names_it, why = problem.partition(f"{key}: ")
            if names_it:
                field = self.query_one(f"#{name}", Input)
                field.focus()
                return f"{label}: {why if field.value.strip() else 'required'}   ({key} in lab.toml)"
        return problem

    @work(exclusive=True)
    async def action_leave(self) -> None:
        """Go back; asks first if something was typed."""
        typed = any(field.value.strip() for field in self.query(Input) if field.id != "generator_tool")
        if typed:
            lines = ["What you typed is not saved yet."]
            question = Confirm("Leave without writing lab.toml?", lines, "y  leave", "n  keep editing")
            if not await self.app.push_screen_wait(question):
                return
        self.dismiss()

    def action_write(self) -> None:
        """Write lab.toml if it is valid and check the hosts; else say which field is wrong."""
        text = lab_text.text(self.fields())
        problem = ""
        try:
            parsed = lab.parse(text, self._path.name)
            _check_destinations(parsed)
            registry.check(parsed, self._path.name)
            if parsed.dut.os is not None:
                systems.by_name(parsed.dut.os)
            # on a full disk this leaves no half-written file, which would be in the way of the next try
            write_new(self._path, text.encode(), mode=0o666)
            with contextlib.suppress(
                FwdtuiError
            ):  # if this fails, it has to be trusted before it runs unattended
                # the commands in it were typed here, a moment ago
                trusted.allow(self._path, [TextFile(self._path, text.encode())])
        except FwdtuiError as error:
            problem = self._asked_again(str(error))
        except FileExistsError:
            problem = f"{self._path} already exists and was not changed; move it away first."
        except OSError as error:
            problem = f"{self._path}: {error.strerror or error}"
        self._tell(problem)
        if not problem:
            self.app.switch_screen(DoctorScreen(self._path))


def _check_destinations(parsed: lab.Lab) -> None:
    """Raise FwdtuiError for a host that no ssh could reach, as `u@h:99999`, before the file is written."""
    ends = [("generator", one) for one in parsed.generators]
    ends += [("receiver", parsed.receiver)] if parsed.receiver is not None else []
    for role, host in [*((end_role, end.host) for end_role, end in ends), ("dut", parsed.dut.host)]:
        try:
            parse_destination(host)
        except BadSshConfig as error:
            raise FwdtuiError(f"{role}.host: {error.text}") from None
