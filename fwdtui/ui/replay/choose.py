"""A dialog to choose another recording: sessions, their cases and iterations, read when they are opened."""

from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on, work
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
from fwdtui.store import Damaged, is_session, list_headers
from fwdtui.ui.common.copying import IN_LIST, Copy
from fwdtui.ui.common.filter import Filter
from fwdtui.ui.common.footer import Footer
from fwdtui.ui.common.moving import IN_LISTS
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.common.ports import BACKGROUND
from fwdtui.ui.common.styled_once import StyledOnce
from fwdtui.ui.common.threads import from_thread

NOTHING = Path()
"""The answer "no second recording"."""
NONE_FOUND = "no session has this in its label or folder"


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
        Binding("slash", "filter", "filter", key_display="/", id="recording.filter",
                tooltip="Show only sessions with these letters in their label or folder"),
        Binding("right", "open(True)", "open", show=False, id="recording.open"),
        Binding("left", "open(False)", "close", show=False, id="recording.close"),
        IN_LIST,
        *IN_LISTS,
    ]  # fmt: skip

    def __init__(self, folder: Path, current: Path | None, playing: Path | None = None) -> None:
        """`current`: the current second recording; `playing`: the first one, which is not offered."""
        super().__init__(classes="dialog")
        self._folder, self._current, self._playing = folder, current, playing
        self._sessions: list[Path] = []
        self._labels: dict[Path, str] = {}  # of those that have been read

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            opens = f"{key('recording.open', '→')} opens cases and iterations"
            text = f"Second recording beside this one: Enter chooses, {opens}"
            yield Static(text, id="question", markup=False)
            yield Filter("a part of a session's label or folder", id="narrow")
            tree = Recordings("", id="recordings")
            tree.show_root = False
            tree.auto_expand = False
            yield tree
        yield Footer()

    def on_mount(self) -> None:
        """List the sessions by their folders; their labels follow when they have been read."""
        try:
            found = sorted(filter(is_session, self._folder.iterdir()), key=_place)
        except OSError as error:
            found = []
            self.notify(f"{self._folder}: {error.strerror}", severity="error", markup=False)
        self._sessions = [path for path in found if not path.name.startswith(".")]
        self._list("")
        self.query_one("#recordings").focus()
        self._read_labels()

    @work(thread=True, exclusive=True, group=BACKGROUND)
    def _read_labels(self) -> None:
        try:
            found = [one for one in list_headers(self._folder) if not isinstance(one, Damaged)]
        except FwdtuiError:  # the folder is gone
            return
        from_thread(self, self._show_labels, {Path(one.path): one.label.strip() for one in found})

    def _show_labels(self, labels: dict[Path, str]) -> None:
        if not self.is_attached:
            return
        self._labels = labels
        for node in self.query_one("#recordings", Tree).root.children:
            if node.data in labels:
                node.set_label(self._told(node.data))
        if wanted := self.query_one(Filter).value.strip():
            self._list(wanted)

    def _list(self, wanted: str) -> None:
        """List the sessions whose label or folder contains `wanted`, whatever the case of its letters."""
        tree = self.query_one("#recordings", Tree)
        tree.root.remove_children()
        if self._current is not None:
            tree.root.add_leaf(Text("no second recording"), NOTHING)
        for path in self._sessions:
            names = f"{path.name}\n{self._labels.get(path, '')}".casefold()
            if wanted.casefold() in names:
                self._branch(tree.root, path)
        if wanted and not any(node.data in self._sessions for node in tree.root.children):
            tree.root.add_leaf(Text(NONE_FOUND, style="dim"))
        tree.root.expand()
        offered = (line for line, node in enumerate(tree.root.children) if node.data != self._playing)
        self.call_after_refresh(tree.move_cursor_to_line, next(offered, 0))

    def _branch(self, parent: TreeNode[Path], path: Path) -> TreeNode[Path]:
        """Add a session or a case. The one being played can only be opened, as its parts may be chosen."""
        return parent.add(self._told(path), path, allow_expand=True)

    def _told(self, path: Path) -> Text:
        """The name of a case, or a session's label; where its folder has another name, that too."""
        name = clean(path.name)
        label = self._labels.get(path, "")
        text = Text(label or name)
        if label and label != name:
            text.append(f"  {name}", style="dim")
        if path == self._playing:
            text.append("  being played", style="dim")
        return text

    def action_filter(self) -> None:
        """Show only sessions with these letters in their label or folder."""
        self.query_one(Filter).use()

    @on(Filter.Narrowed)
    def _narrowed(self, event: Filter.Narrowed) -> None:
        self._list(event.text)

    @on(Filter.Left)
    def _left(self) -> None:
        self.query_one("#recordings").focus()

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
