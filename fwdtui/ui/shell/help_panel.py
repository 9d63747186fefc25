"""The help panel: what the screen is about, and the keys of this moment, each in a sentence."""

from textwrap import dedent

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import HelpPanel, Markdown, Static

from fwdtui.ui.shell.keymap import meaning

_SENTENCES = 110  # columns of the terminal from which the panel has room for more than a name


class Keys(Static):
    """The keys that work now: those of the screen first, those of the whole app last."""

    def on_mount(self) -> None:
        """They change with what is in focus."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.refresh(layout=True))

    def render(self) -> Table:
        """A row for each action that has a name; what only moves a cursor is known."""
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
        table.add_row(Text("^p"), Text("change keys ... tells how they become yours", style="dim"))
        return table


class Help(HelpPanel):
    """As Textual's, and with the screen's own text where nothing is in focus."""

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
        """The nearest help text from what is in focus outwards."""
        nodes = focused_widget.ancestors_with_self if focused_widget is not None else [self.screen]
        text = next((node.HELP for node in nodes if isinstance(node, Widget) and node.HELP), "")
        self.set_class(bool(text), "-show-help")
        for place in self.query(Markdown):
            place.update(dedent(text or "").strip())


def toggle(screen: Screen[object]) -> None:
    """Open the panel, or close it."""
    if not hide(screen):
        screen.mount(Help())


def hide(screen: Screen[object]) -> bool:
    """Close it; whether it was open."""
    panels = screen.query(HelpPanel)
    there = bool(panels)
    panels.remove()
    return there
