"""Colours of a comparison, from the theme. Marks, letters and dashes say the same without colour."""

from collections.abc import Mapping

from rich.style import Style
from textual.color import Color, ColorParseError

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
    "warning": "warning",
    "accent": "accent",
}


class Styles:
    """`styles["base"]`, `styles["verdict-faster"]`, `styles["dim"]`, `styles["bold"]`: rich styles."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables

    def __getitem__(self, name: str) -> Style:
        if name in ("dim", "bold"):
            return Style(dim=name == "dim" or None, bold=name == "bold" or None)
        try:
            color = Color.parse(self._variables[_KEYS.get(name, name)])
        except (KeyError, ColorParseError):
            return Style()
        return Style(color=color.rich_color)

    def bold(self, name: str) -> Style:
        """The style of a meaning, bold."""
        return self[name] + Style(bold=True)
