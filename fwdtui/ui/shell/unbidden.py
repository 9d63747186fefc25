"""Dialogs that no key asked for: they come up over the screen they belong to, never while the user types.

The question about a host's SSH key may come minutes after the run was opened, while the user types a note in
another mode. The note's letters would answer the question before the user has seen it.
"""

import asyncio
import math
import time
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from textual import events
from textual.screen import Screen

from fwdtui.ui.common.bars import MODES
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.shell.in_turn import InTurn
from fwdtui.ui.shell.notices import LASTS
from fwdtui.ui.shell.pasting import takes_text

if TYPE_CHECKING:
    from fwdtui.ui.shell.app import FwdtuiApp

_LOOK = 0.1  # seconds between looks at what is on top
_QUIET = 0.5  # seconds without a key, after which the user is not in the middle of typing
_READ = 0.3  # seconds in which no user can have seen and understood that something has come up


class Unbidden:
    """The dialogs of one app that no key asked for, and the keys that are too early for them."""

    def __init__(self, app: "FwdtuiApp", in_turn: InTurn) -> None:
        self._app = app
        self._in_turn = in_turn
        self._since: WeakKeyDictionary[Screen[Any], float] = WeakKeyDictionary()  # when each can be read

    async def turn_of(self, screen: Screen[Any], needs: str = "") -> bool:
        """Wait until `screen` is on top and the user is not typing. Returns False if the screen is gone.

        `needs` is the title of a notice that meanwhile says where the user finds the screen.
        """
        told = ""
        try:
            while self._is_there(screen):
                where = self._covered(screen)
                if not where and self._in_turn.untouched >= _QUIET:
                    return True
                if needs and where != told:
                    self._untell(needs)
                    if where:
                        self._app.notify(where, title=needs, severity="warning", timeout=LASTS)
                    told = where
                await asyncio.sleep(_LOOK)
            return False
        finally:
            if told:
                self._untell(needs)

    async def ask(self, screen: Screen[Any], question: Screen[bool], needs: str) -> bool:
        """Show `question` over `screen` after `turn_of`. Returns the answer, or False if `screen` is gone."""
        if not await self.turn_of(screen, needs):
            return False
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        def done(accepted: bool | None) -> None:
            if not answer.done():
                answer.set_result(bool(accepted))

        self._since[question] = math.inf
        pushed: Awaitable[None] = self._app.push_screen(question, done)
        await pushed
        question.call_after_refresh(self._shown, question)
        return await answer

    def too_early(self, event: events.Event) -> bool:
        """Whether this key or click was meant for what was there before the question on top."""
        if not isinstance(event, (events.Key, events.MouseDown, events.MouseUp)) or not self._since:
            return False
        return event.time < self._since.get(self._app.screen, -math.inf)

    def _shown(self, question: Screen[Any]) -> None:
        self._since[question] = time.monotonic() + _READ

    def _is_there(self, screen: Screen[Any]) -> bool:
        stacks = self._app._screen_stacks.values()
        return self._app.is_running and screen.is_attached and any(screen in stack for stack in stacks)

    def _covered(self, screen: Screen[Any]) -> str:
        """Where `screen` is instead of on top, for the user; "" if it is on top and takes no text."""
        app = self._app
        if app.screen is screen:
            return (
                "Press Esc to leave the text field; the dialog then appears."
                if takes_text(app.focused)
                else ""
            )
        if screen in app.screen_stack:
            return "The dialog is behind this screen: press Esc to get back to it."
        titles = {name: title for name, _, title in MODES}
        mode = next(name for name, stack in app._screen_stacks.items() if screen in stack)
        usual = next((shown.upper() for name, shown, _ in MODES if name == mode), "")
        return f"The dialog is in {titles.get(mode, mode)}: press {key(f'app.mode_{mode}', usual)}."

    def _untell(self, title: str) -> None:
        for note in [note for note in self._app._notifications if note.title == title]:
            self._app._unnotify(note)
