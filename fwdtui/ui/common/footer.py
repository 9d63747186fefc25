"""The keys of a screen, in one line.

Textual's own footer makes a widget for each key, and makes all of them again whenever the focus moves or an
action comes or goes. That was a large part of what a screen cost. This is one widget, which draws a line.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import ClassVar, NamedTuple

from rich.text import Text
from textual import events
from textual.app import App
from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

_MORE = "…"
_HELP = "?"  # the key that lists the others: the last to lose its place
_COPY = "app.copy"  # works everywhere, like the app's other keys, but the footer shows it last
_WANTED = 4  # keys of the screen that lose theirs only after all others


class FooterKeys(NamedTuple):
    """What a screen declares as `FOOTER`, by the ids of its bindings.

    `first`: the most wanted keys, which come first; the others follow in the order of their bindings.
    `short`: shorter descriptions, used if not all keys fit with their own.
    """

    first: tuple[str, ...] = ()
    short: Mapping[str, str] = MappingProxyType({})


class ShownKey(NamedTuple):
    """A key that works on this screen now. In the footer it takes the columns from `left` up to `right`.

    `short` is shown instead of the description if room is short; "": there is no shorter one.
    `general`: it is a key of the whole app, and is preferred to most of this screen's keys.
    """

    key: str
    key_display: str
    description: str
    enabled: bool
    tooltip: str = ""
    left: int = 0
    right: int = 0
    short: str = ""
    general: bool = False

    @property
    def width(self) -> int:
        return Text(f"{self.key_display} {self.description}").cell_len


class Footer(Widget, can_focus=False):
    """Shows the keys that fit, the most wanted first; `…`: there are more. A click on a key presses it."""

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {"footer--key", "footer--description", "footer--hover"}
    DEFAULT_CSS = """
    Footer {
        dock: bottom;
        height: 1;
        color: $footer-foreground;
        background: $footer-background;
        & > .footer--key {
            color: $footer-key-foreground;
            background: $footer-key-background;
            text-style: bold;
        }
        & > .footer--description {
            color: $footer-description-foreground;
            background: $footer-description-background;
        }
        & > .footer--hover { background: $block-hover-background; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._keys: list[ShownKey] = []
        self._under: str | None = None  # the key that the mouse is on
        self._asked = False

    @property
    def keys(self) -> list[ShownKey]:
        """All keys to show, whether they fit or not; only those of `shown` have columns."""
        return self._keys

    @property
    def shown(self) -> list[ShownKey]:
        """The keys that fit into the width, with their columns."""
        return placed(self._keys, self.size.width)

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)

    def _bindings_changed(self, screen: Screen[object]) -> None:
        if self._asked or not self.app.app_focus or not self.is_attached or screen is not self.screen:
            return
        self._asked = True
        self.call_after_refresh(self._read)

    def _read(self) -> None:
        self._asked = False
        if not self.is_attached:
            return
        declared: FooterKeys = getattr(self.screen, "FOOTER", FooterKeys())
        rank = {name: place for place, name in enumerate(declared.first)}
        actions: dict[str, tuple[int, ShownKey]] = {}  # an action with several keys is shown by its first
        for node, binding, enabled, tooltip in self.screen.active_bindings.values():
            if binding.show and binding.action not in actions:
                face = self._face(binding)
                if not face:
                    continue
                key = ShownKey(
                    binding.key,
                    face,
                    binding.description,
                    enabled,
                    tooltip,
                    short=declared.short.get(binding.id or "", ""),
                    general=isinstance(node, App) and binding.id != _COPY,
                )
                place = len(rank) + key.general
                actions[binding.action] = rank.get(binding.id or "", place), key
        keys = [key for _, key in sorted(actions.values(), key=lambda one: one[0])]
        if keys != self._keys:
            self._keys = keys
            self.refresh()

    def _face(self, binding: Binding) -> str:
        """How a key is shown. If its letter would be typed into the focused field: its other key, or ""."""
        face = self.app.get_key_display(binding)
        field = self.screen.focused
        letter = len(face) == 1 and face.isascii()  # a sign such as that for Enter is no letter
        if not letter or field is None or not field.check_consume_key(face, face):
            return face
        own = self.app.get_key_display(replace(binding, key_display=None))
        return own if len(own) > 1 else ""

    def render(self) -> Text:
        line = Text(no_wrap=True, end="")
        key_style = self.get_component_rich_style("footer--key")
        words_style = self.get_component_rich_style("footer--description")
        hover = self.get_component_rich_style("footer--hover")
        shown = self.shown
        for key in shown:
            line.pad_right(key.left - line.cell_len)
            start = len(line)
            line.append(key.key_display, key_style)
            line.append(f" {key.description}" if key.description else "", words_style)
            if not key.enabled:
                line.stylize("dim", start)
            if key.key == self._under:
                line.stylize(hover, start)
        if len(shown) < len(self._keys):
            line.append(f" {_MORE}" if shown else _MORE, words_style)
        return line

    def _at(self, column: int) -> ShownKey | None:
        return next((key for key in self.shown if key.left <= column < key.right), None)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        key = self._at(event.x)
        if key is not None and key.enabled:
            self.app.simulate_key(key.key)
        elif key is not None:
            self.app.bell()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self._point_at(self._at(event.x))

    def on_leave(self) -> None:
        self._point_at(None)

    def _point_at(self, key: ShownKey | None) -> None:
        under = key.key if key is not None else None
        if under != self._under:
            self._under = under
            self.tooltip = Content(key.tooltip) if key is not None and key.tooltip else None
            self.refresh()


def placed(keys: list[ShownKey], width: int) -> list[ShownKey]:
    """The keys that fit into `width` columns, with their columns.

    If not all fit, they get their short descriptions. If that is not enough, keys are left out, and two
    columns stay free for the sign that there are more.
    """
    shown = list(keys)
    if _width(shown) > width:
        shown = [key._replace(description=key.short or key.description) for key in keys]
        for key in _dispensable(shown):
            if _width(shown) + (2 if len(shown) < len(keys) else 0) <= width:
                break
            shown.remove(key)
    left = 0
    result = []
    for key in shown:
        result.append(key._replace(left=left, right=left + key.width))
        left += key.width + 1
    return result


def _dispensable(keys: list[ShownKey]) -> Iterator[ShownKey]:
    """All keys, the least wanted first: the screen's from its fifth on, the app's, the screen's first four,
    and help.
    """
    own = [key for key in keys if not key.general and key.key_display != _HELP]
    yield from reversed(own[_WANTED:])
    yield from reversed([key for key in keys if key.general and key.key_display != _HELP])
    yield from reversed(own[:_WANTED])
    yield from [key for key in keys if key.key_display == _HELP]


def _width(keys: list[ShownKey]) -> int:
    return sum(key.width for key in keys) + len(keys) - 1
