"""Every class of screens of the app, for tests that none of them may be left out of."""

from collections.abc import Iterator
from typing import Any

from textual.screen import Screen

import fwdtui.ui.demo.screen
import fwdtui.ui.live.run_screen
import fwdtui.ui.shell.commands  # noqa: F401 - every screen is imported
from fwdtui.ui.live.screen import LiveScreen
from fwdtui.ui.shell.keymap import _classes


def screens() -> set[type[Screen[Any]]]:
    """Every screen of the app that is shown, not only extended."""
    _classes()  # imports all modules

    def below(kind: type) -> Iterator[type]:
        for one in kind.__subclasses__():
            yield one
            yield from below(one)

    ours = {one for one in below(Screen) if one.__module__.startswith("fwdtui.")}
    return {one for one in ours if not any(other is not one and issubclass(other, one) for other in ours)} | {
        LiveScreen
    }
