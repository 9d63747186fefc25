"""A dialog to choose another recording: sessions, their cases and iterations, read when they are opened."""

from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static, Tree
from textual.widgets.tree import TreeNode

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import Level, natural
from fwdtui.core.text import clean
from fwdtui.monitor.replay.target import numbers
from fwdtui.store import is_session
from fwdtui.ui.common.copying import IN_LIST, Copy
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.moving import IN_LISTS
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.styled_once import StyledOnce

NOTHING = Path()
"""The answer "no second recording"."""


def _place(path: Path) -> tuple[tuple[object, ...], str]:
    """The order of the list of sessions: r9 before r10."""
    return natural(Level(path.name)), path.name


class Recordings(Tree[Path]):
    """A tree of sessions, cases and iterations by their folders."""

    def to_copy(self) -> Copy | None:
        """The path of the recording under the cursor."""
        node = self.cursor_node
        return None if node is None or node.data in (None, NOTHING) else Copy("the path", str(node.data))


class ChooseRecording(StyledOnce, ModalScreen[Path | None]):
    """Choose a second recording.

    Returns the folder of a session, case or iteration; NOTHING: remove the second recording; None: no change.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "back", id="recording.back"),
        Binding("right", "open(True)", "open", show=False, id="recording.open"),
        Binding("left", "open(False)", "close", show=False, id="recording.close"),
        IN_LIST,
        *IN_LISTS,
    ]

    def __init__(self, folder: Path, current: Path | None, playing: Path | None = None) -> None:
        """`current`: the current second recording; `playing`: the first one, which is not offered."""
        super().__init__(classes="dialog")
        self._folder, self._current, self._playing = folder, current, playing

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            opens = f"{key('recording.open', '→')} opens cases and iterations"
            text = f"Second recording beside this one: Enter chooses, {opens}"
            yield Static(text, id="question", markup=False)
            tree = Recordings("", id="recordings")
            tree.show_root = False
            tree.auto_expand = False
            yield tree
        yield Footer()

    def on_mount(self) -> None:
        """List the sessions without reading them."""
        tree = self.query_one("#recordings", Tree)
        if self._current is not None:
            tree.root.add_leaf(Text("no second recording"), NOTHING)
        try:
            sessions = sorted(filter(is_session, self._folder.iterdir()), key=_place)
        except OSError as error:
            sessions = []
            self.notify(f"{self._folder}: {error.strerror}", severity="error", markup=False)
        for path in sessions:
            if not path.name.startswith("."):
                self._branch(tree.root, path)
        tree.root.expand()
        tree.focus()
        offered = (line for line, node in enumerate(tree.root.children) if node.data != self._playing)
        self.call_after_refresh(tree.move_cursor_to_line, next(offered, 0))

    def _branch(self, parent: TreeNode[Path], path: Path) -> TreeNode[Path]:
        """Add a session or a case. The one being played can only be opened, as its parts may be chosen."""
        text = Text(clean(path.name))
        if path == self._playing:
            text.append("  being played", style="dim")
        return parent.add(text, path, allow_expand=True)

    def on_tree_node_expanded(self, event: "Tree.NodeExpanded[Path]") -> None:
        """Read the cases of a session, or the iterations of a case, once."""
        node = event.node
        if node.data is None or node.children:
            return
        try:
            if is_session(node.data):
                for case in sorted(node.data.iterdir()):
                    if not case.is_symlink() and case.is_dir() and numbers(case):
                        self._branch(node, case)
            else:
                for number in numbers(node.data):
                    if node.data / str(number) != self._playing:
                        node.add_leaf(Text(str(number)), node.data / str(number))
        except (FwdtuiError, OSError) as error:
            self.notify(str(error), severity="error", markup=False)

    def on_tree_node_selected(self, event: "Tree.NodeSelected[Path]") -> None:
        """Answer with the chosen recording."""
        if event.node.data is None:
            return
        if event.node.data == self._playing:
            event.node.toggle()
        else:
            self.dismiss(event.node.data)

    def action_open(self, wide: bool) -> None:
        """Expand or collapse the node; from a collapsed node, go up."""
        node: TreeNode[Path] | None = self.query_one("#recordings", Tree).cursor_node
        if node is None:
            return
        if wide:
            node.expand()
        elif node.is_expanded:
            node.collapse()
        elif node.parent is not None and node.parent.data is not None:
            self.query_one("#recordings", Tree).move_cursor(node.parent)
