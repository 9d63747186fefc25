"""Questions that stop the screen, never the measurement. A stray Enter never does anything dangerous."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static, TextArea

from fwdtui.core.text import visible
from fwdtui.transport.errors import HostKeyError, UnknownHostKey
from fwdtui.ui.common import copying
from fwdtui.ui.common.copying import IN_DIALOG, IN_LIST, Copy
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.line import Line
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.styled_once import StyledOnce

if TYPE_CHECKING:
    from fwdtui.collectors.lab_trust import UntrustedError

_AROUND = 9  # rows of a dialog besides its question: border, padding, answers, the footer
_LOOK = 0.5  # seconds between checks of what a question is about
_LOW = 18  # rows of a terminal; with fewer, a dialog has no padding and its buttons are one row high


def _footer() -> Footer:
    """The dialog's keys; they cover those of the screen behind, which do nothing now."""
    return Footer()


def _labelled(name: str, label: str) -> str:
    """A button's label, ``y  leave``, with the key that the user gave this answer."""
    usual, gap, words = label.partition("  ")
    return f"{key(name, usual)}{gap}{words}"


class Confirm(StyledOnce, ModalScreen[bool]):
    """A question with all of `lines`. `yes` and `no` label the buttons; `yes` None: there is no such answer.

    A line may contain foreign text: control characters in it are spelled out, since the question is about it.
    `copies` is what ctrl+c copies (and y, if there is no `yes`): the command or the path that is asked about;
    None: the lines. `again` returns the current title and lines, as what is asked about may end meanwhile.
    """

    VERTICAL_BREAKPOINTS = [(0, "-low"), (_LOW, "-usual")]  # noqa: RUF012 - Textual declares it so
    DEFAULT_CSS = """
    Confirm #asked { width: auto; max-width: 100%; height: auto; scrollbar-size-vertical: 1; }
    Confirm.-low Button { height: 1 !important; min-width: 0; border: none !important; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "yes", id="dialog.yes"),
        Binding("n,escape", "answer(False)", "no", id="dialog.no"),
        Binding("left,right", "app.focus_next", "other button", show=False, id="dialog.other"),
        Binding("up,k", "move(-1)", "read up", show=False, id="dialog.up"),
        Binding("down,j", "move(1)", "read down", show=False, id="dialog.down"),
        Binding("pageup", "move(-10)", "page up", show=False, id="dialog.page_up"),
        Binding("pagedown", "move(10)", "page down", show=False, id="dialog.page_down"),
        IN_LIST,  # if there is an answer "yes", y gives it
    ]

    def __init__(
        self,
        title: str,
        lines: Sequence[str],
        yes: str | None,
        no: str,
        copies: Copy | None = None,
        again: Callable[[], tuple[str, list[str]]] | None = None,
    ) -> None:
        super().__init__(classes="dialog")
        self._again = again
        self._title, self._lines, self._yes, self._no = title, lines, yes, no
        self._copies = copies

    def to_copy(self) -> Copy:
        """What the question is about."""
        return self._copies or copying.lines("the text", "\n".join(map(visible, self._lines)))

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            with VerticalScroll(id="asked", can_focus=False):
                yield Static(self._text(), id="question", markup=False)
            with Horizontal(id="answers"):
                yield Button(Text(_labelled("dialog.no", self._no)), id="no", variant="primary")
                if self._yes is not None:
                    yield Button(Text(_labelled("dialog.yes", self._yes)), id="yes")
        yield _footer()

    def _text(self) -> Text:
        text = Text(visible(self._title) + "\n\n", style="bold")
        return text.append("\n".join(map(visible, self._lines)), style="not bold")

    def on_mount(self) -> None:
        """Focus "no", so that Enter says no."""
        self.query_one("#no").focus()
        if self._again is not None:
            self.set_interval(_LOOK, self._look)

    def _look(self) -> None:
        """Update the question to what is true now."""
        if self._again is not None and (now := self._again()) != (self._title, self._lines):
            self._title, self._lines = now
            self.query_one("#question", Static).update(self._text())

    def on_resize(self) -> None:
        """Keep the answers visible; a longer question scrolls."""
        rows = self.size.height
        room = rows - 4 if rows < _LOW else int((rows - 1) * 0.9) - _AROUND + 1
        self.query_one("#asked").styles.max_height = max(room, 1)
        self.call_after_refresh(self._hint)

    def _hint(self) -> None:
        more = self.query_one("#asked").max_scroll_y > 0
        self.query_one("#box").border_subtitle = "↑ ↓  read all of it" if more else ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide "yes" from the footer if there is no such answer."""
        return self._yes is not None or (action, parameters) != ("answer", (True,))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer by mouse or Enter."""
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        """Answer by key."""
        if not answer or self._yes is not None:
            self.dismiss(answer)

    def action_move(self, rows: int) -> None:
        """Scroll a long question; else go to the other button."""
        asked = self.query_one("#asked")
        if asked.max_scroll_y > 0:
            asked.scroll_relative(y=rows, animate=False)
        else:
            self.focus_next()


class Prompt(StyledOnce, ModalScreen[str | None]):
    """Asks for a text. Returns it without blanks around it, or None if the user went back.

    `needed` is the message for an empty text; if it is "", the text may be empty.

    `does` is the button's label, such as "drop". `hint` is the placeholder.
    """

    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-usual")]  # noqa: RUF012 - Textual declares it so
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "keep", "accept this text", id="prompt.keep"),
        Binding("escape", "dismiss(None)", "back", id="prompt.back"),
        IN_DIALOG,
    ]

    DEFAULT_CSS = """
    Prompt #typed { width: 64; max-width: 100%; margin-top: 1; border: tall $foreground 30%; padding: 0 1; }
    Prompt #typed:focus { border: tall $accent; }
    Prompt TextArea { height: 8; }
    Prompt.-low #typed { border: none; margin-top: 0; background: $panel; }
    Prompt.-low Input { height: 1; }
    Prompt.-low TextArea { height: 3; }
    Prompt.-low Button { height: 1 !important; min-width: 0; border: none !important; }
    Prompt #problem { display: none; height: auto; width: auto; text-style: bold; }
    """

    def __init__(
        self,
        title: str,
        lines: Sequence[str] = (),
        value: str = "",
        *,
        does: str,
        hint: str = "",
        needed: str = "",
        many: bool = False,
        problem: Callable[[str], str] | None = None,
    ) -> None:
        """`many`: the text may have many lines; Enter starts a new one.

        `problem` returns why a text cannot be accepted, or "".
        """
        super().__init__(classes="dialog")
        self._problem = problem
        self._title, self._lines, self._value = title, lines, value
        self._needed, self._many, self._does, self._hint = needed, many, does, hint

    def compose(self) -> ComposeResult:
        text = Text(self._title, style="bold")
        text.append("".join(f"\n{line}" for line in self._lines), style="not bold")
        with Vertical(id="box"):
            yield Static(text, id="question", markup=False)
            if self._many:
                yield TextArea(self._value, id="typed", placeholder=self._hint)
            else:
                yield Line(self._value, placeholder=self._hint, id="typed")
            yield Static(id="problem", markup=False)
            with Horizontal(id="answers"):
                accepts = key("prompt.keep", "ctrl+s") if self._many else key("prompt.enter", "Enter")
                yield Button(Text(f"{accepts}  {self._does}"), id="yes", variant="primary")
                yield Button(Text(f"{key('prompt.back', 'Esc')}  cancel"), id="no")
        yield _footer()

    def on_mount(self) -> None:
        """Focus the text."""
        self.query_one("#typed").focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer ctrl+s for a text of many lines; Enter accepts a single one."""
        return action != "keep" or self._many

    def on_input_submitted(self) -> None:
        """Accept one line with Enter."""
        self.action_keep()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer by mouse."""
        if event.button.id == "yes":
            self.action_keep()
        else:
            self.dismiss(None)

    def action_keep(self) -> None:
        """Answer with what was typed, or say why that is not possible."""
        typed = self.query_one("#typed")
        value = typed.text if isinstance(typed, TextArea) else self.query_one("#typed", Input).value
        reason = self._needed if not value.strip() else ""
        if not reason and self._problem is not None:
            reason = self._problem(value.strip())
        if reason:
            problem = self.query_one("#problem", Static)
            problem.update(Text(f"! {reason}"))
            problem.display = True
        else:
            self.dismiss(value.strip())


def question(error: "HostKeyError | UntrustedError") -> ModalScreen[bool]:
    """The dialog that asks the user about a host's key or the lab's files."""
    if isinstance(error, HostKeyError):
        return host_key(error)
    from fwdtui.ui.common.trust import TrustScreen

    return TrustScreen(error)


def needs(error: "HostKeyError | UntrustedError") -> str:
    """What the question is about, in a line for a user who does not see the dialog yet."""
    if isinstance(error, UnknownHostKey):
        return f"{error.host}: accept its host key?"
    if isinstance(error, HostKeyError):
        return f"{error.host}: its key has changed"
    return "Trust the lab's files?"


def host_key(error: HostKeyError) -> Confirm:
    """Ask about a first contact, with the fingerprint. A changed key is reported and cannot be accepted."""
    if isinstance(error, UnknownHostKey):
        return Confirm(
            f"First contact with {error.host}",
            [
                f"{error.address} port {error.port} presents a key that is not known yet:",
                "",
                f"  {error.key_type}",
                f"  {error.fingerprint}",
                "",
                "Compare it with the host's own key: on that host, run ssh-keygen -lf on its .pub file"
                " in /etc/ssh.",
                *(["", f"{error.note}."] if error.note else []),
            ],
            "y  it is this host: trust it",
            "n  do not connect",
        )
    return Confirm(f"{error.host}: not connected", [error.text], None, "close")


def generator(
    command: str | None, start: bool, stop: str | None = None, only_receiver: bool = False
) -> Confirm:
    """Ask before `command` starts or stops traffic. None: no command stops it.

    `stop` is the command that stops it later, without a question. `only_receiver`: only the receiver still
    has to be stopped.
    """
    verb = "Start" if start else "Stop"
    shown = command or "(no stop command: the tool gets a signal, and its connection is closed)"
    copies = None
    if command is not None:
        host, _, bare = command.partition(": ")
        several = "\n" in command  # then each says on which host
        copies = Copy("the commands", command) if several else Copy(f"the command of {host}", bare)
    lines = ["This runs:", "", *(f"  {line}" for line in shown.split("\n"))]
    if start and stop:
        lines += ["", "And this when it is stopped or you leave:", ""]
        lines += [f"  {line}" for line in stop.split("\n")]
    what = "receiver" if only_receiver else "generator"
    return Confirm(f"{verb} the {what}?", lines, f"y  {verb.lower()} it", "n  cancel", copies)
