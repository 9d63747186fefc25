"""The help panel: what the screen is about, and the keys that work now, a sentence each."""

from textwrap import dedent

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import HelpPanel, Markdown, Static

from fwdtui.ui.shell.keymap import meaning

_SENTENCES = 110  # terminal columns from which there is room for more than a key's name


class Keys(Static):
    """The keys that work now: those of the screen first, those of the whole app last."""

    def on_mount(self) -> None:
        """Redraw when the focus changes the keys."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.refresh(layout=True))

    def render(self) -> Table:
        """A row for each named action; keys that only move a cursor are left out."""
        narrow = self.app.size.width < _SENTENCES
        table = Table.grid(padding=(0, 1))
        table.add_column(justify="right", style="bold")
        rows: dict[tuple[object, str], tuple[list[str], str]] = {}
        for node, binding, enabled, _ in self.screen.active_bindings.values():
            if enabled and binding.id and binding.description:
                text = binding.description if narrow else meaning(node, binding)
                keys, _ = rows.setdefault((node, binding.action), ([], text))
                keys.append(self.app.get_key_display(binding))
        for keys, text in rows.values():
            table.add_row(Text(" ".join(dict.fromkeys(keys))), Text(text))
        table.add_row(Text("^p"), Text("change keys ... explains how to change them", style="dim"))
        return table


class Help(HelpPanel):
    """As Textual's, with the screen's own text if nothing is in focus."""

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
        nodes = focused_widget.ancestors_with_self if focused_widget is not None else [self.screen]
        text = next((node.HELP for node in nodes if isinstance(node, Widget) and node.HELP), "")
        self.set_class(bool(text), "-show-help")
        for place in self.query(Markdown):
            place.update(dedent(text or "").strip())


def toggle(screen: Screen[object]) -> None:
    """Open or close the panel."""
    if not hide(screen):
        screen.mount(Help())


def hide(screen: Screen[object]) -> bool:
    """Close the panel; returns whether it was open."""
    panels = screen.query(HelpPanel)
    there = bool(panels)
    panels.remove()
    return there
