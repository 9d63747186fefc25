"""The live screen's control over a recording: nothing is measured, and the user controls time."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Dut, Lab
from fwdtui.core.model import EventSample, Iteration
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.monitor.replay.recording import load
from fwdtui.monitor.replay.replay import Replay
from fwdtui.monitor.replay.target import Target, find
from fwdtui.ui.common.ports import AskHostKey
from fwdtui.ui.replay.beside import Beside, beside

SPEEDS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
_SLICE = 0.06  # seconds of work per frame; the rest is left to the next one
_UNKNOWN = Lab("", (), Dut("", (), ()))

Watch = Callable[[str, int, int], None]
"""Called while a recording is read: name, samples done, samples in total. May raise to stop the reading."""


class ReplayControl:
    """A LiveControl of a recording. It is empty until `open` and `survey` were called, in a thread.

    The caller sets `opened` to what `open` returned, which can be shown at its start, and `replay` to the
    same after `survey`, when it can be played.
    """

    generator_command: str | None = None
    generator_stop_command: str | None = None
    generator_running = False
    only_receiver = False
    lab_file: Path | None = None
    recorded: Sequence[Path] = ()
    measuring = True
    unfinished = False
    storage = ""
    unsaved = ""

    def __init__(self, target: Path, beside: Path | None = None) -> None:
        """Raises FwdtuiError for an unknown session, case or iteration; it lists those that exist."""
        self.target: Target = find(target)
        self.wanted: Target | None = None if beside is None else find(beside)
        self.opened: Replay | None = None
        self.replay: Replay | None = None
        self.beside: Beside | None = None
        self.playing = True
        self.looping = False
        self.speed = 1.0
        self._waiting = Monitor(_UNKNOWN)

    def open(self, watch: Watch = lambda name, done, total: None) -> Replay:
        """Find the recording's samples. Raises FwdtuiError, OSError, and what `watch` raises."""
        return Replay(load(self.target, lambda done, total: watch(self.target.name, done, total)))

    def survey(self, replay: Replay, watch: Watch = lambda name, done, total: None) -> None:
        """Find the blasts and iterations of the recording. Raises what `watch` raises."""
        replay.survey(lambda done, total: watch(replay.recording.name, done, total))

    def read_beside(
        self, replay: Replay, target: Target, watch: Watch = lambda name, done, total: None
    ) -> Beside:
        """Read another recording and align its blasts with those of `replay`. Raises as `open` does."""
        other = Replay(load(target, lambda done, total: watch(target.name, done, total)))
        self.survey(other, watch)
        return beside(replay, other)

    def say(self, code: str, text: str) -> None:
        """Add to the event log while there is no recording."""
        self._waiting.push(EventSample(0.0, code, text))

    # what the live screen uses

    @property
    def lab(self) -> Lab:
        """The lab as it was recorded."""
        return self.opened.lab if self.opened else _UNKNOWN

    @property
    def where(self) -> str:
        """The recording's name."""
        return self.opened.recording.name if self.opened else self.target.name

    @property
    def case(self) -> str:
        """The case in which a baseline is compared."""
        return self.opened.recording.case if self.opened else ""

    @property
    def sessions(self) -> Path | None:
        """The folder that contains the recorded session."""
        return self.target.session.parent

    @property
    def own_session(self) -> Path:
        """The session being played."""
        return self.target.session

    @property
    def started(self) -> float | None:
        """The wall clock (seconds since 1970) at 0 of the first piece's time axis.

        ReplayView has those of the other pieces.
        """
        return self.opened.recording.pieces[0].started if self.opened else None

    def snapshot(self, points: int) -> Snapshot:
        """The run as it was at this moment of the recording."""
        return self.opened.snapshot(points) if self.opened else self._waiting.snapshot(points)

    def set_automatic(self, on: bool) -> None:
        """Do nothing: iterations are as recorded."""

    def set_asker(self, ask: AskHostKey | None) -> None:
        """Do nothing: no host is contacted."""

    async def save_iteration(self) -> Iteration:
        """Raises FwdtuiError: a recording is not changed."""
        self._refuse("no iteration can be added to it")

    async def take_back(self) -> Iteration:
        """Raises FwdtuiError."""
        self._refuse("its iterations can be dropped on the session's screen")

    async def start_generator(self) -> None:
        """Raises FwdtuiError."""
        self._refuse("there is no generator to start")

    async def stop_generator(self) -> None:
        """Raises FwdtuiError."""
        self._refuse("there is no generator to stop")

    async def close(self) -> None:
        """Stop playing; there is nothing to close."""
        self.playing = False

    def _refuse(self, why: str) -> NoReturn:
        raise FwdtuiError(f"this is a replay: {why}")

    # playback

    def advance(self, seconds: float) -> bool:
        """Advance by this many seconds of real time. Returns whether the picture has changed."""
        replay = self.replay
        if replay is None or not self.playing:
            return False
        before = replay.position
        replay.seek(before + seconds * self.speed, _SLICE)
        if replay.position >= replay.end:
            if self.looping:
                replay.seek(replay.start, _SLICE)
            else:
                self.playing = False
        return True

    def toggle(self) -> None:
        """Play or stop; at the end, play from the beginning."""
        self.playing = not self.playing
        if self.playing and self.replay is not None and self.replay.position >= self.replay.end:
            self.replay.seek(self.replay.start)

    def faster(self, by: int) -> None:
        """Play faster or slower, by so many steps of SPEEDS."""
        place = SPEEDS.index(self.speed) + by
        self.speed = SPEEDS[max(0, min(place, len(SPEEDS) - 1))]

    def seek(self, at: float) -> None:
        """Go to a moment of the recording's time axis, in seconds."""
        if self.replay is not None:
            self.replay.seek(at)

    def skip(self, seconds: float) -> None:
        """Go forward this many seconds or, if negative, back."""
        if self.replay is not None:
            self.replay.seek(self.replay.position + seconds)

    def step(self, ticks: int) -> None:
        """Go this many samples forward or back; stops playing."""
        self.playing = False
        if self.replay is not None:
            self.replay.step(ticks)

    def blast(self, by: int) -> bool:
        """Go to the next blast or, if `by` is negative, to the start of this one, then to the previous one.

        Returns False if there is none.
        """
        return self.replay is None or self.replay.to_blast(by)
