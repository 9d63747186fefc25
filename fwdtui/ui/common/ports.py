"""What screens ask for and do not import: the run, whoever measures it, and the app around them."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from textual.app import App
from textual.message_pump import MessagePump

from fwdtui.core.lab import Lab
from fwdtui.core.model import Iteration
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.ui.common.selection import Selection
from fwdtui.ui.common.state import Memory

if TYPE_CHECKING:
    from textual.screen import Screen

    from fwdtui.collectors.lab_trust import UntrustedError
    from fwdtui.report.comparison import Compared
    from fwdtui.transport.errors import HostKeyError

AskHostKey = Callable[["HostKeyError | UntrustedError"], Awaitable[bool]]
"""Shows a host's key, or files that may run commands, and answers whether the user accepts them.

For a changed key the answer is always no.
"""


TAKEN_BACK = "taken back on the live screen"
"""Why an iteration does not count, as the session's annotation says it."""
NOTHING_SAVED = "no iteration was saved by hand; any other can be dropped on its session's screen"


class LiveControl(Protocol):
    """One run. Nothing here may raise anything but FwdtuiError and OSError, which the screen shows."""

    @property
    def lab(self) -> Lab:
        """Roles, interfaces and the sampling interval."""

    @property
    def where(self) -> str:
        """What is being measured, for the heading: ``n311215-UDP2 ▸ forwarding.inet4``."""

    @property
    def case(self) -> str:
        """The case that iterations are kept under; a baseline is compared in this case."""

    @property
    def sessions(self) -> Path | None:
        """The folder that baselines are chosen from; None: there is none."""

    @property
    def started(self) -> float | None:
        """The wall clock (seconds since 1970) at 0 of the recording's axis; None: not known yet."""

    @property
    def lab_file(self) -> Path | None:
        """The lab.toml that is offered again another day; None: there is none of the user's own."""

    @property
    def measuring(self) -> bool:
        """Whether samples come, so that a run goes on while another mode is shown."""

    @property
    def unfinished(self) -> bool:
        """Whether a blast is on, or its last samples are awaited: leaving now ends an iteration early."""

    @property
    def storage(self) -> str:
        """What is wrong with what is being recorded, with the path; "" while everything is saved."""

    @property
    def unsaved(self) -> str:
        """What is not saved, in one line; "" where nothing is missing."""

    @property
    def generator_command(self) -> str | None:
        """What starting the generator runs, and where: ``gen: pkt-gen -f tx``; None: it cannot be started."""

    @property
    def generator_stop_command(self) -> str | None:
        """What stopping it runs; None: the tool is ended by closing it."""

    @property
    def generator_running(self) -> bool:
        """Whether fwdtui started it and it still runs."""

    def snapshot(self, points: int) -> Snapshot:
        """The run as it is now, with the newest `points` of each flow. Cheap: called ten times a second."""

    def set_automatic(self, on: bool) -> None:
        """Whether each blast becomes an iteration by itself."""

    def set_asker(self, ask: AskHostKey | None) -> None:
        """Whom to ask about host keys and the lab's files; None: nobody is there any more."""

    async def save_iteration(self) -> Iteration:
        """Save the current window as an iteration: the blast so far, or the last seconds. Raises FwdtuiError
        that says why where there is nothing to save."""

    async def take_back(self) -> Iteration:
        """The iteration that was saved last counts no more. Raises FwdtuiError where there is none."""

    async def start_generator(self) -> None:
        """Run `generator_command`."""

    async def stop_generator(self) -> None:
        """End it."""

    async def close(self) -> None:
        """Leave: everything that was recorded is on disk when this returns."""


MakeLiveScreen = Callable[[Any], "Screen[Any]"]
"""The live screen, or one that adds to it, for the LiveControl that it is given."""


class Shell(App[None]):
    """The app as its screens know it: FwdtuiApp, which stands above them all."""

    forgiving: bool
    """Whether an unforeseen error is told instead of ending the app: in a terminal yes, in tests no."""
    selection: Selection
    memory: Memory

    def open(
        self,
        sessions: Path,
        note: str = "",
        live: LiveControl | None = None,
        live_screen: MakeLiveScreen | None = None,
    ) -> None:
        """Show a run where there is one, else a folder of sessions. Another run that was there is closed."""
        raise NotImplementedError

    def action_sessions(self) -> None:
        """The folder of sessions; a run goes on behind it."""
        raise NotImplementedError

    def open_session(self, path: Path) -> None:
        """One session: its facts, cases and iterations."""
        raise NotImplementedError

    def compare(self, base: Path, others: Sequence[Path]) -> None:
        """The baseline beside its candidates, in the mode Compare."""
        raise NotImplementedError

    def replay(self, target: Path, beside: Path | None = None) -> None:
        """A recording on the live screen: of a session, a case or an iteration; a second one beside it."""
        raise NotImplementedError

    def preview(self, compared: "Compared") -> None:
        """The report on a comparison as it will be."""
        raise NotImplementedError


def shell(part: MessagePump) -> Shell:
    """The app that a screen or a widget belongs to."""
    app: App[Any] = part.app
    assert isinstance(app, Shell)
    return app
