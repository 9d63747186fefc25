"""Handles keys one after the other: each waits until everything that the previous one started is done.

Textual gives each key to whatever is in focus at that moment. What a key starts (a screen, a focus that
moves, a question asked from a worker, a list that is filtered) takes longer than the next key of a paste or
of a slow line takes to arrive. That key then went to the wrong place: letters of a filter became commands.
Here, where keys come in, each waits until the app is idle. No key waits for a run to end: between two updates
of its screen the app is idle, too.
"""

import asyncio
import time
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

from textual import events
from textual.app import ScreenStackError
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker, get_current_worker

from fwdtui.ui.common.ports import BACKGROUND
from fwdtui.ui.shell.pasting import takes_text

if TYPE_CHECKING:
    from fwdtui.ui.shell.app import FwdtuiApp

_BURST = 0.5  # seconds: a key that comes later than this after the last is from a user who sees the screen
_LONGEST = 3.0  # seconds that a key waits at most for what the previous one started
_SOON = 0.25  # seconds: shorter timers are typing pauses after which a screen catches up
_STILL = 3  # looks in a row that find nothing under way: the end of one thing may start another
_SPINS, _NAP = 50, 0.002  # looks without a pause, and seconds between later looks


class InTurn:
    """The keys and pastes of one app that wait for their turn."""

    def __init__(self, app: "FwdtuiApp") -> None:
        self._app = app
        self._held: deque[events.Event] = deque()
        self._next: events.Event | None = None  # the one whose turn it is
        self._last = -_BURST  # when the last one was handled
        self._typed: Widget | None = None  # what the last one was typed into
        self._asked: WeakKeyDictionary[Worker[Any], Screen[Any]] = WeakKeyDictionary()
        self._slow: WeakSet[Worker[Any]] = WeakSet()  # already waited for once, for the longest time
        self._task: asyncio.Task[None] | None = None

    def holds(self, event: events.Event) -> bool:
        """Whether this key or paste has to wait. The app gets it again when its turn comes."""
        if event is self._next:
            self._next = None
            return False
        if not self._held and self._task is None and self._still(event, besides=self._app):
            self._take(event)
            return False
        self._held.append(event)
        if self._task is None:
            self._task = asyncio.create_task(self._hand_out())
        return True

    @property
    def waits(self) -> bool:
        """Whether any key waits for its turn."""
        return self._task is not None

    @property
    def untouched(self) -> float:
        """Seconds since the last key or paste; 0 while one waits for its turn."""
        return 0.0 if self.waits or self._next is not None else time.monotonic() - self._last

    def forget(self) -> None:
        """Discard the keys that are still waiting."""
        self._held.clear()

    async def rest(self) -> None:
        """Wait until everything that was started is shown, at most as long as a key would."""
        quiet_looks, end = 0, time.monotonic() + _LONGEST
        while quiet_looks < _STILL and time.monotonic() < end and self._app.is_running:
            await asyncio.sleep(_NAP)
            quiet_looks = quiet_looks + 1 if self.drained() else 0

    def asks(self, screen: Screen[Any]) -> None:
        """Note that the running worker waits for the answer to `screen`, so that keys do not wait for it."""
        self._asked[get_current_worker()] = screen

    def _take(self, event: events.Event) -> None:
        self._last = time.monotonic()
        focused = self._app.focused
        self._typed = focused if _types(event) and takes_text(focused) else None

    async def _hand_out(self) -> None:
        try:
            while self._held and self._app.is_running:
                await self._until_still(self._held[0])
                if self._held:
                    self._next = self._held.popleft()
                    self._take(self._next)
                    self._app.post_message(self._next)
        finally:
            self._task = None

    async def _until_still(self, event: events.Event) -> None:
        begun = time.monotonic()
        quiet_looks = looks = 0
        while quiet_looks < _STILL:
            await asyncio.sleep(0 if looks < _SPINS else _NAP)
            looks += 1
            quiet_looks = quiet_looks + 1 if self._still(event) else 0
            if time.monotonic() - begun > _LONGEST:
                self._slow.update(self._working())
                return
            if not self._app.is_running:
                return

    def _still(self, event: events.Event, besides: MessagePump | None = None) -> bool:
        """Whether nothing is under way that could affect this key."""
        if not self.drained(besides):
            return False
        if event.time - self._last > _BURST or (
            _types(event) and self._app.focused is self._typed is not None
        ):
            return True
        return self.rests()

    def drained(self, besides: MessagePump | None = None) -> bool:
        """Whether every message is handled, every screen is mounted, and the layout is done.

        `besides` may be busy.
        """
        app = self._app
        try:
            screen = app.screen
        except ScreenStackError:
            return False
        if self._next is not None or app._batch_count or screen._layout_required or screen._callbacks:
            return False
        pumps: Iterator[MessagePump] = iter((app, *app.screen_stack, *screen.walk_children()))
        return all(pump is besides or _idle(pump) for pump in pumps)

    def rests(self) -> bool:
        """Whether no typing pause is pending, and no worker runs that a key waits for.

        Each worker is waited for only once.
        """
        screen = self._app.screen
        return not self._working() and not any(map(_catches_up, (screen, *screen.walk_children())))

    def _working(self) -> list[Worker[Any]]:
        stacks = [one for stack in self._app._screen_stacks.values() for one in stack]
        return [
            worker
            for worker in self._app.workers
            if not worker.is_finished
            and worker.group != BACKGROUND
            and worker not in self._slow
            and self._asked.get(worker) not in stacks
        ]


def _idle(pump: MessagePump) -> bool:
    """Whether `pump` has nothing to do and waits for its next message."""
    if pump._closed or pump._closing:
        return True
    queue: Any = pump._message_queue
    waits = queue.empty() and bool(queue.ready_event._waiters)
    return waits and pump._pending_message is None and not pump._next_callbacks


def _catches_up(pump: MessagePump) -> bool:
    if not pump._timers:  # most pumps have none, and iterating over a weak set takes much longer
        return False
    return any(
        timer._repeat == 0 and timer._interval <= _SOON and timer._task is not None and not timer._task.done()
        for timer in list(pump._timers)
    )


def _types(event: events.Event) -> bool:
    """Whether it is a printable key: text inputs keep those in order themselves."""
    return isinstance(event, events.Key) and event.is_printable
