"""The live screen driven by a recording: the same panels and numbers, and the user controls time."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import msgspec
from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.worker import get_current_worker

from fwdtui.core.errors import FwdtuiError
from fwdtui.monitor.replay.replay import Replay
from fwdtui.monitor.replay.target import Target, find
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.threads import from_thread
from fwdtui.ui.draw.graph import Graph
from fwdtui.ui.live.diagnosis import DiagnosisLine
from fwdtui.ui.live.heading import Heading
from fwdtui.ui.live.screen import LiveScreen
from fwdtui.ui.replay import keys
from fwdtui.ui.replay.beside import Beside
from fwdtui.ui.replay.choose import NOTHING, ChooseRecording
from fwdtui.ui.replay.graph import BesideLine, ReplayGraph
from fwdtui.ui.replay.playback_bar import PlaybackBar
from fwdtui.ui.replay.replay_control import ReplayControl
from fwdtui.ui.replay.timeline import Timeline
from fwdtui.ui.replay.view import Clock, ReplayView

_ABSENT = ("save", "take_back", "automatic", "generator", "pause")
"""Actions of the live screen that a recording does not have."""


class _LeftError(Exception):
    """Ends the reading of a recording: the screen is closed, or something else is to be read."""


class ReplayScreen(LiveScreen):
    """Shows what the live screen shows, at any moment of a recording."""

    CSS_PATH = "screen.tcss"
    HELP = keys.HELP
    BINDINGS: ClassVar[list[BindingType]] = [*keys.BINDINGS]
    FOOTER = keys.FOOTER

    _view: ReplayView

    def __init__(self, control: ReplayControl) -> None:
        super().__init__(control)
        self.player = control
        self._view = ReplayView(control.lab, reading=f"reading {control.where} …")
        self._looked = time.monotonic()
        self._progressed = ""
        self._footer_plays = control.playing

    @classmethod
    def of(cls, target: Path, beside: Path | None = None) -> "ReplayScreen":
        """`target`: a session, case or iteration folder; `beside`: a second recording. Raises FwdtuiError."""
        return cls(ReplayControl(target, beside))

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            if isinstance(widget, Heading):
                yield PlaybackBar(id="heading-line")
            elif isinstance(widget, Graph):
                yield ReplayGraph(id="graph")
            elif isinstance(widget, Footer):
                yield Timeline(id="timeline")
                yield widget
            else:
                yield widget
            if isinstance(widget, DiagnosisLine):
                yield BesideLine(id="beside")

    def on_mount(self) -> None:
        """Read the recording in a thread, after the first frame."""
        self._read()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable what a recording does not have; offer either "play" or "stop"."""
        if action in ("play", "stop"):
            return self.player.playing == (action == "stop")
        return False if action in _ABSENT else super().check_action(action, parameters)

    # reading

    @work(thread=True, exclusive=True, group="read")
    def _read(self) -> None:
        try:
            replay = self.player.open(self._progress())
            self._from_thread(self._opened, replay)
            self.player.survey(replay, self._progress())
        except _LeftError:
            return
        except (FwdtuiError, OSError) as error:
            self._from_thread(self._failed, error)
            return
        self._from_thread(self._ready, replay)

    @work(thread=True, exclusive=True, group="beside")
    def _read_beside(self, replay: Replay, target: Target) -> None:
        try:
            second = self.player.read_beside(replay, target, self._progress())
        except _LeftError:
            return
        except (FwdtuiError, OSError) as error:
            self._from_thread(self._not_beside, error)
            return
        self._from_thread(self._arrived, target, second)

    def _progress(self) -> Callable[[str, int, int], None]:
        """A callback that reports progress, and ends the reading once the screen is gone."""
        worker = get_current_worker()

        def watch(name: str, done: int, total: int) -> None:
            if worker.is_cancelled or not self.is_attached:
                raise _LeftError
            if done < total:
                # only stored: a thread that waits for the screen would keep it from closing
                self._progressed = f"reading {name}: {100 * done // total} %"

        return watch

    def _from_thread(self, do: Callable[..., None], *arguments: object) -> None:
        if self.is_attached:
            from_thread(self, do, *arguments)

    def _opened(self, replay: Replay) -> None:
        """Show how the recording begins, while `survey` searches it for blasts and iterations."""
        self.player.opened = replay
        self._change(lab=replay.lab, start=replay.start, end=replay.end, clocks=_clocks(replay))
        self._look()

    def _ready(self, replay: Replay) -> None:
        """Let the user play the recording."""
        self.player.opened = self.player.replay = replay
        replay.seek(replay.start)
        self._view = msgspec.structs.replace(  # keeps what was chosen while it was read
            self._view,
            lab=replay.lab,
            reading="",
            start=replay.start,
            end=replay.end,
            blasts=tuple(replay.surveyed.blasts),
            windows=tuple(
                (i.window.start, i.window.end, str(i.index))
                for i in replay.surveyed.iterations
                if i.saved and i.window is not None and None not in (i.window.start, i.window.end)
            ),
            clocks=_clocks(replay),
        )
        self._baseline.concerns(self.player.case)
        self._looked = time.monotonic()
        self._look()
        if self.player.wanted is not None:
            self._lay(self.player.wanted)

    def _failed(self, error: Exception) -> None:
        self._progressed = ""
        self.player.say("tool-failed", str(error))
        self._change(reading="cannot be played: escape goes back")
        self._trouble("replay", error)
        self._look()

    def _lay(self, target: Target) -> None:
        self._progressed = ""
        if self.player.replay is not None:
            self._change(reading=f"reading {target.name} …")
            self._read_beside(self.player.replay, target)

    def _arrived(self, target: Target, second: Beside) -> None:
        """Show the second recording, unless the user has chosen another one, or none, since."""
        if target is self.player.wanted:
            self._laid(second)

    def _laid(self, second: Beside | None) -> None:
        self.player.beside = second
        self.query_one("#beside").set_class(second is not None, "-shown")
        self._change(reading="")
        if second is not None and second.note:
            self.notify(second.note, title=second.name, timeout=15, markup=False)

    def _not_beside(self, error: Exception) -> None:
        self._change(reading="")
        self._trouble("beside", error)

    # drawing

    def on_screen_resume(self) -> None:
        """Go on from the same moment: time stood still behind another screen."""
        self._looked = time.monotonic()

    def _tick(self) -> None:
        now = time.monotonic()
        passed, self._looked = now - self._looked, now
        if self._view.reading and self._progressed:
            self._change(reading=self._progressed)
        # behind another screen time stops; on a busy machine it does not jump
        if self.seen and self.player.advance(min(passed, 1.0)):
            self._look()

    def _draw(self) -> None:
        player = self.player
        position = player.opened.position if player.opened else 0.0
        self._view = msgspec.structs.replace(
            self._view,
            position=position,
            playing=player.playing,
            looping=player.looping,
            speed=player.speed,
            beside=player.beside,
        )
        super()._draw()
        if player.playing != self._footer_plays:
            self._footer_plays = player.playing
            self.refresh_bindings()

    # what the keys do

    def action_play(self) -> None:
        """Resume time."""
        self._toggle()

    def action_stop(self) -> None:
        """Stop time."""
        self._toggle()

    def _toggle(self) -> None:
        self.player.toggle()
        self._looked = time.monotonic()
        self._look()

    def action_skip(self, seconds: float) -> None:
        """Go forward or back."""
        self.player.skip(seconds)
        self._look()

    def action_blast(self, by: int) -> None:
        """Go to the next blast, or back."""
        if not self.player.blast(by):
            self.notify("No further blast; the End key goes to the end.", markup=False)
        self._look()

    def action_step(self, ticks: int) -> None:
        """Go one sample forward or back, and stop."""
        self.player.step(ticks)
        self._look()

    def action_faster(self, by: int) -> None:
        """Play faster or slower."""
        self.player.faster(by)
        self._draw()

    def action_loop(self) -> None:
        """Play in a loop, or once."""
        self.player.looping = not self.player.looping
        self._draw()

    def action_ends(self, last: bool) -> None:
        """Go to the beginning or the end."""
        replay = self.player.replay
        if replay is not None:
            self.player.seek(replay.end if last else replay.start)
            self._look()

    def on_timeline_seek(self, event: Timeline.Seek) -> None:
        """Go to where the mouse points."""
        self.player.seek(event.at)
        self._look()

    def action_beside(self) -> None:
        """Choose the second recording, or none."""
        current = self.player.wanted.session if self.player.beside and self.player.wanted else None
        target = self.player.target

        def chosen(answer: Path | None) -> None:
            if answer is None:
                return
            if answer == NOTHING:
                self.player.wanted = None
                self.workers.cancel_group(self, "beside")
                self._laid(None)
                return
            try:
                self.player.wanted = find(answer)
            except FwdtuiError as error:
                self._trouble("beside", error)
                return
            self._lay(self.player.wanted)

        self.app.push_screen(ChooseRecording(target.session.parent, current, target.path), chosen)

    def action_leave(self) -> None:
        """Show all panels again; else go back to the previous screen."""
        if self.maximized is not None:
            self.minimize()
        elif self.app.is_screen_installed(self):
            self.call_later(self.app.run_action, "sessions")
        else:
            self.app.pop_screen()


def _clocks(replay: Replay) -> tuple[Clock, ...]:
    return tuple(Clock(replay.recording.due[p.first], p.started) for p in replay.recording.pieces)
