"""Help: the keys that work now, a sentence each, and what the screen is about.

On a wide terminal it is a panel beside the screen, which goes on working. On a narrow one a panel would leave
too little of the screen, so it is a page of its own that says how to close it.
"""

from collections.abc import Sequence
from textwrap import dedent
from typing import Any, ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import HelpPanel, Markdown, Static

from fwdtui.ui.common.copying import IN_LIST, Copy, lines
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.moving import IN_LISTS
from fwdtui.ui.common.own_keys import first, in_help, key
from fwdtui.ui.common.ports import shell
from fwdtui.ui.common.styled_once import StyledOnce
from fwdtui.ui.shell.keymap import face, meaning

_BESIDE = 110  # columns from which a panel leaves three quarters of the screen, and has room for sentences

KeyRow = tuple[str, str]
"""The keys of an action, and what it does."""


def key_rows(screen: Screen[Any]) -> list[KeyRow]:
    """The keys that work now: those of the screen first, those of the whole app last.

    Keys without an id are left out: they only move a cursor.
    """
    rows: dict[tuple[object, str], tuple[list[str], str]] = {}
    moved = _moved(screen)
    for node, binding, enabled, _ in screen.active_bindings.values():
        if enabled and binding.id and binding.description:
            text = in_help(meaning(node, binding), moved).replace("`", "")
            keys, _ = rows.setdefault((node, binding.action), ([], text))
            keys.append(face(screen.app, binding))
    return [(" ".join(dict.fromkeys(keys)), text) for keys, text in rows.values()]


def key_table(rows: Sequence[KeyRow]) -> Table:
    """A row for each action."""
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", style="bold")
    for keys, text in rows:
        table.add_row(Text(keys), Text(text))
    table.add_row(
        Text(key("app.commands", "^p")), Text("change keys ... explains how to change them", style="dim")
    )
    return table


def help_text(screen: Screen[Any]) -> str:
    """The nearest help, from the focused widget outwards, as Markdown."""
    focused = screen.focused
    nodes = focused.ancestors_with_self if focused is not None else [screen]
    nearest = next((node.HELP for node in nodes if isinstance(node, Widget) and node.HELP), "")
    return in_help(dedent(nearest or "").strip(), _moved(screen))


def _moved(screen: Screen[Any]) -> dict[str, str]:
    """The usual keys of this screen that now are others: Textual's name of the key, and the user's key.

    The innermost binding of a key counts, as when it is pressed: from the focus outwards, then other widgets.
    """
    chosen = shell(screen).moved_keys
    if not chosen:
        return {}
    inner = screen.focused.ancestors_with_self if screen.focused is not None else [screen]
    ids: dict[str, str] = {}
    for node in (*inner, *([] if screen in inner else [screen]), screen.app, *screen.walk_children()):
        for usual, binding in type(node)._merge_bindings():
            if binding.id:
                ids.setdefault(usual, binding.id)
    return {usual: first(chosen[name]) for usual, name in ids.items() if name in chosen}


def _copy(rows: Sequence[KeyRow], text: str) -> Copy:
    keys = "\n".join("\t".join(row) for row in rows)
    return lines("the help", f"{keys}\n\n{text}" if text else keys)


class Keys(Static):
    """The keys that work now."""

    def on_mount(self) -> None:
        """Redraw when the focus changes the keys."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.refresh(layout=True))

    def render(self) -> Table:
        """A row for each named action."""
        return key_table(key_rows(self.screen))


class Help(HelpPanel):
    """As Textual's, but with the screen's own text if nothing is in focus."""

    DEFAULT_CSS = """
    Help { overflow-y: auto; }
    Help #widget-help { max-height: 100%; padding: 0; margin: 1 0 0 0; background: transparent; }
    Help #widget-help MarkdownBlock { padding: 0; }
    Help Keys { height: auto; width: 1fr; }
    Help VerticalScroll { height: 1fr; }
    """

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Keys(id="keys-help")
            yield Markdown(id="widget-help")

    def update_help(self, focused_widget: Widget | None) -> None:
        """Show the nearest help text, from the focused widget outwards."""
        text = help_text(self.screen)
        self.set_class(bool(text), "-show-help")
        for place in self.query(Markdown):
            place.update(text)

    def to_copy(self) -> Copy:
        """The whole help, if the panel itself is in focus."""
        return _copy(key_rows(self.screen), help_text(self.screen))


class HelpPage(StyledOnce, ModalScreen[None]):
    """The help of the screen below, on a page that covers it."""

    DEFAULT_CSS = """
    HelpPage { background: $background; layout: vertical; }
    HelpPage #title { height: 1; padding: 0 1; background: $panel; color: $foreground; text-style: bold; }
    HelpPage VerticalScroll { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    HelpPage #keys { height: auto; }
    HelpPage #about { padding: 0; margin: 1 0 0 0; background: transparent; }
    HelpPage #about MarkdownBlock { padding: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,escape", "dismiss(None)", "close", key_display="? esc", id="help.close"),
        IN_LIST,
        *IN_LISTS,
    ]

    def __init__(self, rows: Sequence[KeyRow], text: str) -> None:
        """`rows` and `text`: the keys and the help of the screen below, where these keys work again later."""
        super().__init__()
        self._rows, self._text = rows, text

    def compose(self) -> ComposeResult:
        moved = key("help.close", "")
        closes = f"{moved} closes it" if moved else "? or Esc closes it"
        yield Static(f"Help   {closes}", id="title", markup=False)
        with VerticalScroll():
            yield Static(key_table(self._rows), id="keys", markup=False)
            yield Markdown(self._text, id="about")
        yield Footer()

    def to_copy(self) -> Copy:
        """The whole help."""
        return _copy(self._rows, self._text)


def toggle(app: "App[Any]") -> None:
    """Open or close the help: a panel, or a page if the terminal is narrow."""
    screen = app.screen
    if hide(screen):
        return
    if app.size.width >= _BESIDE:
        screen.mount(Help())
    else:
        _as_page(app)


def fit(app: "App[Any]") -> None:
    """Turn an open panel into a page if the terminal has become too narrow for it."""
    if app.size.width < _BESIDE and hide(app.screen):
        _as_page(app)


def _as_page(app: "App[Any]") -> None:
    app.push_screen(HelpPage(key_rows(app.screen), help_text(app.screen)))


def hide(screen: Screen[Any]) -> bool:
    """Close the panel; returns whether it was open."""
    panels = screen.query(HelpPanel)
    there = bool(panels)
    panels.remove()
    return there
