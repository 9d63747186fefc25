"""The first screen without a lab.toml: a demo, existing sessions, or a lab of one's own."""

import os
import sys
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.ports import shell
from fwdtui.ui.common.styled_once import StyledOnce
from fwdtui.ui.demo import demo_folders


class WelcomeScreen(StyledOnce, Screen[None]):
    """What to open: the demo, recorded sessions, or a lab.

    `sessions` is the folder that is offered, described by `note`; a new lab.toml is written into `folder`.
    `last` is the lab.toml that was watched last, or None; it need not exist any more.
    """

    HELP = """\
# Welcome
Choose with the arrows and `Enter`, or press the number. Nothing is sent anywhere and nothing is written
before you choose. With a `lab.toml` in the folder where you start it, `fwdtui` opens that lab at once; with
recorded sessions in `./sessions`, it opens their list.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(str(n), f"choose({n - 1})", "", show=False, id=f"welcome.{n}") for n in range(1, 7)
    ]

    def __init__(
        self, sessions: Path, note: str = "", folder: Path = Path(), last: Path | None = None
    ) -> None:
        super().__init__()
        self._sessions, self._note, self._folder, self._last = sessions, note, folder, last
        self._known = self._lab()
        self._demo = demo_folders.last()

    def compose(self) -> ComposeResult:
        yield Static(self._hello(), id="hello", markup=False)
        yield OptionList(*self._options(), id="choices")
        yield Footer()

    def _hello(self) -> Text:
        text = Text("fwdtui", style="bold")
        text.append("  see, record and compare packet-forwarding benchmarks\n", style="not bold")
        why = "Nothing is being measured." if self._here else "There is no lab.toml in this folder."
        return text.append(f"{why} Choose with ↑ ↓ and Enter, or by number:", style="not bold dim")

    def _options(self) -> list[Option]:
        return [
            Option(_choice(n, title, line), id=name)
            for n, (name, title, line) in enumerate(self._choices(), start=1)
        ]

    def _lab(self) -> Path | None:
        there = (path for path in (self._folder / "lab.toml", self._last) if path is not None)
        return next((path for path in there if path.is_file()), None)

    @property
    def _here(self) -> bool:
        return self._known == self._folder / "lab.toml"

    def _choices(self) -> list[tuple[str, str, str]]:
        own = self._sessions.resolve() == (self._folder / "sessions").resolve()
        where = "The sessions in ./sessions" if own else "Two example sessions"
        choices = [
            ("demo", "The demo", "A simulated lab, labelled as such: no root, no other host, two minutes."),
            ("sessions", where, "Look at recorded sessions and compare them."),
            ("lab", "A lab of my own", "Answer a few questions to create lab.toml; then check its hosts."),
        ]
        if sys.platform == "linux" and os.geteuid() == 0:
            line = "Real forwarding in this kernel, between temporary network namespaces."
            choices.append(("kernel", "The demo on this machine's kernel", line))
        if self._known is not None:
            title = "The lab in this folder" if self._here else "The last lab"
            choices.append(("last", title, f"{clean(str(self._known))}: checks each host first."))
        if self._demo is not None:
            choices.append(("recorded", "The sessions of the last demo", clean(str(self._demo))))
        return choices

    def on_mount(self) -> None:
        """Focus the choices, so that the arrows work at once."""
        self.query_one(OptionList).focus()

    def on_screen_resume(self) -> None:
        """A lab.toml may have been written meanwhile: offer it."""
        if (known := self._lab()) != self._known:
            self._known = known
            self.query_one("#hello", Static).update(self._hello())
            self.query_one(OptionList).set_options(self._options())

    def action_choose(self, number: int) -> None:
        """Choose an entry by its number."""
        choices = self._choices()
        if number < len(choices):
            self._open(choices[number][0])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Open what was chosen with Enter or the mouse."""
        self._open(event.option.id or "")

    def _open(self, name: str) -> None:
        app = shell(self)
        if name == "sessions":
            app.open(self._sessions, self._note)
        elif name == "recorded" and self._demo is not None:
            app.open(self._demo, f"The sessions of the last demo, in {self._demo}")
        elif name == "last" and self._known is not None:
            from fwdtui.ui.lab.doctor import DoctorScreen

            app.push_screen(DoctorScreen(self._known))
        elif name == "lab":
            from fwdtui.ui.lab.new_lab import NewLabScreen

            app.push_screen(NewLabScreen(self._folder / "lab.toml"))
        else:
            from fwdtui.ui.demo import demo_control
            from fwdtui.ui.demo.screen import DemoScreen

            try:
                control = demo_control.kernel() if name == "kernel" else demo_control.simulated()
            except (FwdtuiError, OSError) as error:
                self.notify(str(error), title="demo", severity="error", timeout=15, markup=False)
                return
            app.open(control.into, control.note, control, DemoScreen)


def _choice(number: int, title: str, line: str) -> Text:
    text = Text(f"{number}  {title}\n", style="bold")
    text.append(f"   {line}\n", style="not bold")
    return text
