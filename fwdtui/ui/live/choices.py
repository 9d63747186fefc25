"""How much time and which unit the live screen shows: chosen once, and there the next time."""

from collections.abc import Mapping
from typing import cast

from fwdtui.ui.common.ports import Shell
from fwdtui.ui.draw.view import SPANS

_GOOD: Mapping[str, tuple[object, ...]] = {"span": tuple(SPANS), "unit": ("pps", "bps")}


def remembered(app: Shell) -> dict[str, object]:
    """What was chosen, as fields of a View; what makes no sense any more is left out."""
    choices = app.memory.state.choices
    return {
        name: choices[f"live.{name}"] for name, good in _GOOD.items() if choices.get(f"live.{name}") in good
    }


def remember(app: Shell, changes: Mapping[str, object]) -> None:
    """Those of the changes that are worth it."""
    memory = app.memory
    for name in changes.keys() & _GOOD.keys():
        memory.choose(f"live.{name}", cast(str | float, changes[name]))
