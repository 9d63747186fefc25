"""Protocols for what screens use but do not import: the run, and the app around them."""

from collections.abc import Awaitable, Callable, Sequence
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
"""Shows a host's key, or files that may run commands, and returns whether the user accepts them.

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
        """The folder that baselines are chosen from; None: there is none."""

    @property
    def started(self) -> float | None:
        """The wall clock (seconds since 1970) at 0 of the recording's axis; None: not known yet."""

    @property
    def lab_file(self) -> Path | None:
        """The lab.toml that the next start offers; None: the user has none."""

    @property
    def own_session(self) -> Path | None:
        """The session that is recorded or played, which is no baseline for itself; None: there is none."""

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
        """What is wrong with the recording, with the path; "" while everything is saved."""

    @property
    def unsaved(self) -> str:
        """What is not saved, in one line; "" if nothing is missing."""

    @property
    def generator_command(self) -> str | None:
        """The command that starts the generator, with its host: ``gen: pkt-gen -f tx``; None: none."""

    @property
    def generator_stop_command(self) -> str | None:
        """The command that stops it; None: it gets a signal, and its connection is closed."""

    @property
    def generator_running(self) -> bool:
        """Whether what fwdtui started still runs: the generator, or the receiver that began with it."""

    @property
    def only_receiver(self) -> bool:
        """Whether only the receiver does: the generator has ended."""

    def snapshot(self, points: int) -> Snapshot:
        """The run as it is now, with the newest `points` of each flow. Cheap: called ten times a second."""

    def set_automatic(self, on: bool) -> None:
        """Set whether each blast becomes an iteration automatically."""

    def set_asker(self, ask: AskHostKey | None) -> None:
        """Set who is asked about host keys and the lab's files; None: nobody."""

    async def save_iteration(self) -> Iteration:
        """Save the current window as an iteration: the blast so far, or the last seconds. Raises FwdtuiError
        with the reason if there is nothing to save."""

    async def take_back(self) -> Iteration:
        """Take back the iteration saved last: it no longer counts. Raises FwdtuiError if there is none."""

    async def start_generator(self) -> None:
        """Run `generator_command`."""

    async def stop_generator(self) -> None:
        """Stop it."""

    async def close(self) -> None:
        """Leave: the recording is on disk when this returns."""


@runtime_checkable
class AsksToLeave(Protocol):
    """A LiveControl with a question of its own before the app is left."""

    def leaving(self) -> tuple[str, list[str]] | None:
        """Its title and lines; None if leaving interrupts nothing."""


@runtime_checkable
class MayLeaveRunning(Protocol):
    """A LiveControl of programs on hosts, which may not all have ended when it was closed."""

    @property
    def left(self) -> str:
        """What may still run there, in one line; "" if nothing does."""


MakeLiveScreen = Callable[[Any], "Screen[Any]"]
"""Makes the live screen, or one that extends it, for a LiveControl."""


@dataclass(frozen=True, slots=True)
class FirstComparison:
    """A comparison that the app opens with, the baseline first.

    `specs`: paths of sessions, or ``PATH:CASE``. `sessions`: the paths of the sessions. `make`: its screen.
    """

    specs: Sequence[Path]
    sessions: Sequence[Path]
    make: "Callable[[], Screen[Any]]"


class Shell(App[None]):
    """The app as its screens know it; implemented by FwdtuiApp."""

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
        """Wait until `screen` is on top and nobody is typing: then what no key asked for may come up.

        `needs` is the title of a notice that says meanwhile where it waits; "": there is none.
        False: the screen is gone.
        """
        raise NotImplementedError

    async def ask_unbidden(self, screen: "Screen[Any]", question: "Screen[bool]", needs: str) -> bool:
        """Ask what no key asked for over `screen`, in its turn; False if the screen is gone.

        Until then a notice with the title `needs` says where the question waits. A key that was pressed
        before the question could be seen does not answer it.
        """
        raise NotImplementedError

    def action_sessions(self) -> None:
        """Show the folder of sessions; a run goes on in the background."""
        raise NotImplementedError

    def open_session(self, path: Path, case: str = "") -> None:
        """One session: its facts, cases and iterations, this case's first if there is one."""
        raise NotImplementedError

    def compare(self, base: Path, others: Sequence[Path], how: ComparedHow = AS_USUAL) -> None:
        """Compare the candidates with the baseline, in the mode Compare."""
        raise NotImplementedError

    def has_compared(self, paths: Sequence[Path], how: ComparedHow) -> None:
        """Several sessions, the baseline first: remember it, to be repeated."""
        raise NotImplementedError

    def compare_by(self, session: Path, view: "FactorView", margin: float) -> None:
        """Compare levels of a factor in one session. `margin` is in percent."""
        raise NotImplementedError

    def replay(self, target: Path, beside: Path | None = None) -> None:
        """Replay a session, a case or an iteration on the live screen, with a second one beside it."""
        raise NotImplementedError

    def preview(self, compared: "Compared", changed: Callable[[], bool] | None = None) -> None:
        """Preview the report on a comparison.

        `changed`: whether the sessions have changed since they were read for it; None: that was just now.
        """
        raise NotImplementedError

    def sweep(self, paths: Sequence[str], view: "FactorView | None" = None) -> None:
        """Show medians over a factor of these sessions, or cases of sessions (``PATH:CASE``).

        Of `view` the filters and the metric are kept.
        """
        raise NotImplementedError


def shell(part: MessagePump) -> Shell:
    """The app that a screen or a widget belongs to."""
    app: App[Any] = part.app
    assert isinstance(app, Shell)
    return app
