"""Protocols for what screens use but do not import: the run, and the app around them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from textual.app import App
from textual.message_pump import MessagePump

from fwdtui.core.lab import Lab
from fwdtui.core.model import Iteration
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.ui.common.compared_how import AS_USUAL, ComparedHow
from fwdtui.ui.common.selection import Selection
from fwdtui.ui.common.state import Memory

if TYPE_CHECKING:
    from textual.screen import Screen

    from fwdtui.collectors.lab_trust import UntrustedError
    from fwdtui.report.comparison import Compared
    from fwdtui.report.factor_view import FactorView
    from fwdtui.transport.errors import HostKeyError

AskHostKey = Callable[["HostKeyError | UntrustedError"], Awaitable[bool]]
"""Shows the user a host's key, or files that may run commands, and returns whether the user accepts them.

For a changed key the answer is always no.
"""


BACKGROUND = "background"
"""The group of workers whose results no key depends on, however long they take: no key waits for them."""
TAKEN_BACK = "taken back on the live screen"
"""Why an iteration does not count, as written in the session's annotation."""
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
        """The case that iterations are saved under; a baseline is compared in this case."""

    @property
    def sessions(self) -> Path | None:
        """The folder of sessions from which a baseline can be chosen; None: there is none."""

    @property
    def started(self) -> float | None:
        """The wall clock (seconds since 1970) at 0 of the recording's time axis; None: not known yet."""

    @property
    def lab_file(self) -> Path | None:
        """The lab.toml that the next start offers; None: the user has none."""

    @property
    def own_session(self) -> Path | None:
        """The session being recorded or played, which cannot be its own baseline; None: there is none."""

    @property
    def recorded(self) -> Sequence[Path]:
        """The sessions that this run recorded, the latest last; one may be gone or empty."""

    @property
    def measuring(self) -> bool:
        """Whether samples arrive and are recorded, or played."""

    @property
    def unfinished(self) -> bool:
        """Whether a blast is running or its last samples are awaited: leaving ends an iteration early."""

    @property
    def storage(self) -> str:
        """What is wrong with the recording, and its path; "" while everything is saved."""

    @property
    def unsaved(self) -> str:
        """What is not saved, in one line; "" if nothing is missing."""

    @property
    def generator_command(self) -> str | None:
        """The command that starts the generator, with its host: ``gen: pkt-gen -f tx``; None: there is none.

        Several commands are in a line each.
        """

    @property
    def generator_stop_command(self) -> str | None:
        """The command that stops the generator; None: it gets a signal, and its connection is closed."""

    @property
    def generator_running(self) -> bool:
        """Whether what fwdtui started still runs: the generator, or the receiver that was started with it."""

    @property
    def only_receiver(self) -> bool:
        """Whether only the receiver still runs: the generator has ended."""

    def snapshot(self, points: int) -> Snapshot:
        """The run as it is now, with the newest `points` of each flow. Cheap: called ten times a second."""

    def set_automatic(self, on: bool) -> None:
        """Set whether each blast becomes an iteration automatically."""

    def set_asker(self, ask: AskHostKey | None) -> None:
        """Set what asks the user about host keys and the lab's files; None: nothing does."""

    async def save_iteration(self) -> Iteration:
        """Save the current window as an iteration: the blast so far, or the last seconds.

        Raises FwdtuiError with the reason if there is nothing to save.
        """

    async def take_back(self) -> Iteration:
        """Take back the iteration saved last: it no longer counts. Raises FwdtuiError if there is none."""

    async def start_generator(self) -> None:
        """Run `generator_command`."""

    async def stop_generator(self) -> None:
        """Stop the generator."""

    async def close(self) -> None:
        """Close the run: the recording is on disk when this returns."""


@runtime_checkable
class AsksToLeave(Protocol):
    """A LiveControl with a question of its own before the app is left."""

    def leaving(self) -> tuple[str, list[str]] | None:
        """The question's title and lines; None if leaving interrupts nothing."""


@runtime_checkable
class MayLeaveRunning(Protocol):
    """A LiveControl that runs programs on hosts, some of which may go on after it was closed."""

    @property
    def left(self) -> str:
        """What may still run on the hosts, in one line; "" if nothing does."""


MakeLiveScreen = Callable[[Any], "Screen[Any]"]
"""Makes the live screen, or one that extends it, for a LiveControl."""


@dataclass(frozen=True, slots=True)
class FirstComparison:
    """A comparison that the app opens with, the baseline first.

    `specs`: paths of sessions, or ``PATH:CASE``. `sessions`: the paths of the sessions. `make` returns the
    comparison's screen.
    """

    specs: Sequence[Path]
    sessions: Sequence[Path]
    make: "Callable[[], Screen[Any]]"


class Shell(App[None]):
    """The app as its screens know it; implemented by FwdtuiApp."""

    moved_keys: Mapping[str, str]
    """The keys that the user gave actions, by their ids: all of an action's keys, separated by commas."""
    forgiving: bool
    """Whether an unexpected error is reported instead of ending the app: in a terminal yes, in tests no."""
    selection: Selection
    memory: Memory
    sessions: Path
    """The folder of sessions that was opened last."""

    def open(
        self,
        sessions: Path,
        note: str = "",
        live: LiveControl | None = None,
        live_screen: MakeLiveScreen | None = None,
    ) -> None:
        """Show the run if one is given, else the folder of sessions. A previous run is closed."""
        raise NotImplementedError

    def call_at_rest(self, do: Callable[[], object]) -> None:
        """Call `do` when everything under way is done and shown."""
        raise NotImplementedError

    async def turn_of(self, screen: "Screen[Any]", needs: str = "") -> bool:
        """Wait until `screen` is on top and the user is not typing, so that a dialog may come up by itself.

        `needs` is the title of a notice that meanwhile says where the dialog waits; "": there is no notice.
        Returns False if the screen is gone.
        """
        raise NotImplementedError

    async def ask_unbidden(self, screen: "Screen[Any]", question: "Screen[bool]", needs: str) -> bool:
        """Ask `question` over `screen`, once that is on top and the user is not typing.

        Until then a notice with the title `needs` says where the question waits. A key that was pressed
        before the question could be seen does not answer it. Returns the answer, or False if the screen is
        gone.
        """
        raise NotImplementedError

    def action_sessions(self) -> None:
        """Show the folder of sessions; a run goes on in the background."""
        raise NotImplementedError

    def open_session(self, path: Path, case: str = "") -> None:
        """Open a session: its facts, cases and iterations, those of `case` first if it is given."""
        raise NotImplementedError

    def compare(self, base: Path, others: Sequence[Path], how: ComparedHow = AS_USUAL) -> None:
        """Compare the candidates with the baseline, in the mode Compare."""
        raise NotImplementedError

    def has_compared(self, paths: Sequence[Path], how: ComparedHow) -> None:
        """Remember what was compared, the baseline first, and how, so that it can be repeated."""
        raise NotImplementedError

    def compare_by(self, session: Path, view: "FactorView", margin: float) -> None:
        """Compare levels of a factor in one session. `margin` is in percent."""
        raise NotImplementedError

    def replay(self, target: Path, beside: Path | None = None) -> None:
        """Replay a session, a case or an iteration on the live screen; `beside` is a second one beside it."""
        raise NotImplementedError

    def preview(self, compared: "Compared", changed: Callable[[], bool] | None = None) -> None:
        """Preview the report on a comparison.

        `changed` says whether the sessions have changed since they were read for it; None: they were read
        just now.
        """
        raise NotImplementedError

    def sweep(
        self, paths: Sequence[str], view: "FactorView | None" = None, instead: Sequence[str] = ()
    ) -> None:
        """Show medians over a factor of these sessions, or cases of sessions (``PATH:CASE``).

        The filters and the metric of `view` are kept. `instead`: the sessions if these offer no sweep.
        """
        raise NotImplementedError


def shell(part: MessagePump) -> Shell:
    """The app that a screen or a widget belongs to."""
    app: App[Any] = part.app
    assert isinstance(app, Shell)
    return app
