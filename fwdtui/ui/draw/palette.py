"""Styles by meaning, taken from the theme. Nothing is shown by colour alone: panels have marks, too."""

from collections.abc import Mapping
from functools import lru_cache

from rich.color import Color as RichColor
from rich.style import Style
from textual.app import App
from textual.color import Color, ColorParseError

_MEANINGS = {  # meaning -> theme variables for its colour; the first that exists is used
    "offered": ("graph-offered", "secondary"),
    "forwarded": ("graph-forwarded", "primary"),
    "received": ("graph-received", "success"),
    "drops": ("graph-drops", "error"),
    "good": ("success",),
    "warning": ("warning",),
    "error": ("error",),
    "irq": ("graph-drops", "error"),
    "softirq": ("warning",),
    "sys": ("graph-forwarded", "primary"),
    "user": ("graph-received", "success"),
    "steal": ("foreground",),
    "load": ("graph-forwarded", "primary"),
    "accent": ("accent", "primary"),
    "text": ("foreground",),
}
_DIM, FAINT, _LOST = 0.66, 0.28, 0.65  # shares of the colour; the rest is the background


class Palette:
    """`palette["offered"]` is a rich Style on the background `ground`.

    The names are those of _MEANINGS, and "dim", "attack", "faint", "bold" and "lost".

    "lost" is the area between offered and received: paler than "drops", since it is large, with a contrast of
    3:1. "dim" has 4.5:1 on every ground; "faint" is decoration that says nothing.
    """

    def __init__(self, variables: Mapping[str, str], ground: Color) -> None:
        behind = ground.rich_color
        self._styles = {
            name: Style(color=_first(variables, keys), bgcolor=behind) for name, keys in _MEANINGS.items()
        }
        lost = _color(variables.get("graph-drops") or variables.get("error"))
        if lost is None or lost.ansi is not None:
            self._styles["lost"] = self._styles["drops"] + Style(dim=True)
        else:
            self._styles["lost"] = Style(color=ground.blend(lost, _LOST).rich_color, bgcolor=behind)
        text = _color(variables.get("foreground"))
        for name, strength in (("dim", _DIM), ("faint", FAINT)):
            if (
                text is None or text.ansi is not None
            ):  # nothing lies between two of the terminal's own colours
                self._styles[name] = Style(dim=True, bgcolor=behind)
            else:
                self._styles[name] = Style(color=ground.blend(text, strength).rich_color, bgcolor=behind)
        self._styles["attack"] = self._styles["dim"]  # the wanted traffic is what counts
        self._styles["bold"] = _bolder(self._styles["text"])

    def __getitem__(self, name: str) -> Style:
        return self._styles[name]

    def bold(self, name: str) -> Style:
        """The style of a meaning, bold."""
        return _bolder(self._styles[name])


def palette_of(app: App[object], ground: Color) -> Palette:
    """The palette of the current theme on this background."""
    global _newest
    if _newest[0] is not app.theme_variables:  # each theme has a mapping of its own
        _newest = app.theme_variables, {}
    known = _newest[1]
    if ground not in known:
        known[ground] = _palette(tuple(sorted(app.theme_variables.items())), ground)
    return known[ground]


_newest: tuple[Mapping[str, str], dict[Color, Palette]] = {}, {}


@lru_cache(maxsize=16)
def _palette(variables: tuple[tuple[str, str], ...], ground: Color) -> Palette:
    return Palette(dict(variables), ground)


@lru_cache(maxsize=64)
def _bolder(style: Style) -> Style:
    return style + Style(bold=True)


def _first(variables: Mapping[str, str], keys: tuple[str, ...]) -> RichColor | None:
    colors = (_color(variables.get(key)) for key in keys)
    return next((color.rich_color for color in colors if color is not None), None)


def _color(text: str | None) -> Color | None:
    try:
        return None if text is None else Color.parse(text)
    except ColorParseError:
        return None
