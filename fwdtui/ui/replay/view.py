"""How a recording is shown: the position, and the user's choices."""

import msgspec

from fwdtui.ui.draw.view import View
from fwdtui.ui.replay.beside import Beside


class Clock(msgspec.Struct, frozen=True):
    """The wall clock of a piece of a recording.

    From `begin` on, `started` is the wall clock (seconds since 1970) at 0 of the recording's time axis; None:
    not known.
    """

    begin: float
    started: float | None


class ReplayView(View, frozen=True):
    """How a recording is shown.

    `position`, `start`, `end`, `blasts` and `windows` are in seconds on the recording's time axis. A blast is
    its start and its end (None: not known), a window its start, its end and its label.
    """

    position: float = 0.0
    start: float = 0.0
    end: float = 0.0
    playing: bool = False
    looping: bool = False
    speed: float = 1.0
    blasts: tuple[tuple[float, float | None], ...] = ()
    windows: tuple[tuple[float, float, str], ...] = ()
    clocks: tuple[Clock, ...] = ()
    reading: str = ""  # what is being read, and its progress; "": nothing
    beside: Beside | None = None

    @property
    def frame(self) -> int | None:
        """As in every View, but None if the second recording's is not known: both show the same bits."""
        return None if self.beside is not None and self.beside.frame is None else self.lab.frame

    def no_iteration(self, automatic: bool, sending: bool) -> str:
        """The text for an empty list of iterations."""
        return "none up to this moment of the recording"

    def no_counters(self) -> str:
        """Why the DUT's queues and cores are not shown: they were not recorded, or not yet."""
        return "no counters of the DUT up to this moment"

    @property
    def origin(self) -> float:
        """The beginning of the recording, from which `fwdtui replay --table` counts, too."""
        return self.start

    def wall_clock(self, at: float) -> str:
        """A moment on the wall clock of the piece that contains it; "" if that is not known."""
        mine = [clock for clock in self.clocks if clock.begin <= at + 1e-6]
        its_clock = mine[-1] if mine else self.clocks[0] if self.clocks else None
        started = None if its_clock is None else its_clock.started
        return View.wall_clock(msgspec.structs.replace(self, started=started), at)


def place(seconds: float) -> str:
    """How far into the recording: ``00:41``, ``1:02:03``."""
    whole = max(int(seconds + 1e-6), 0)
    hours, rest = divmod(whole, 3600)
    text = f"{rest // 60:02d}:{rest % 60:02d}"
    return f"{hours}:{text}" if hours else text


def speed(value: float) -> str:
    """A speed: ``1×``, ``1/8×``."""
    return f"{value:g}×" if value >= 1 else f"1/{1 / value:g}×"
