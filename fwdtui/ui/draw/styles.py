"""Colours of a comparison, from the theme. Marks, letters and dashes say the same without colour."""

from collections.abc import Mapping

from rich.style import Style
from textual.color import Color, ColorParseError

from fwdtui.ui.draw.palette import FAINT

MARKS = {"faster": "▲", "slower": "▼", "equivalent": "=", "inconclusive": "?", "capped": "⊤"}
NOT_COMPARABLE = "∅"
_KEYS = {
    "base": "graph-base",
    "other": "graph-other",
    "offered": "graph-offered",
    "drops": "graph-drops",
    "irq": "graph-drops",
    "softirq": "warning",
    "sys": "graph-forwarded",
    "user": "graph-received",
    "steal": "foreground",
    "warning": "warning",
    "accent": "accent",
}


class Styles:
    """`styles["base"]`, `styles["verdict-faster"]`, `styles["dim"]`, `styles["bold"]`: rich styles."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables

    def same(self, other: "Styles") -> bool:
        """Whether both have the same colours."""
        return self._variables == other._variables

    def __getitem__(self, name: str) -> Style:
        if name in ("dim", "bold"):
            return Style(dim=name == "dim" or None, bold=name == "bold" or None)
        if name == "faint":
            return self._faint()
        try:
            color = Color.parse(self._variables[_KEYS.get(name, name)])
        except (KeyError, ColorParseError):
            return Style()
        return Style(color=color.rich_color)

    def _faint(self) -> Style:
        """The style of decoration that says nothing: dim if the terminal's own colours are used.

        Those cannot be blended.
        """
        try:
            ground, text = (Color.parse(self._variables[name]) for name in ("background", "foreground"))
        except (KeyError, ColorParseError):
            return Style(dim=True)
        if ground.ansi is not None or text.ansi is not None:
            return Style(dim=True)
        return Style(color=ground.blend(text, FAINT).rich_color)

    def bold(self, name: str) -> Style:
        """The style of a meaning, bold."""
        return self[name] + Style(bold=True)
