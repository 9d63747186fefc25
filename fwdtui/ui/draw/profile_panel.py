"""Where the CPU time went, as a tree that opens and folds: for one profile, or two beside each other."""

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import DataTable, Static

from fwdtui.core.profile.call_tree import CallTree
from fwdtui.core.profile.folded import Stack
from fwdtui.report.cells import wrap
from fwdtui.report.flame.layout import LEAST
from fwdtui.report.flame.rows import HOT, MOVED, SIZE, Row, hot, matched, rows
from fwdtui.report.flame.trees import Trees
from fwdtui.report.flame.words import SIDES
from fwdtui.ui.common.copying import Copy, row, table
from fwdtui.ui.common.filter import Filter
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.draw import profile_cells
from fwdtui.ui.draw.profile_cells import Columns
from fwdtui.ui.draw.styles import Styles

_SCROLLBAR = _PADDING = 2
_ORDERS: dict[str | int, str] = {
    SIZE: "largest first",
    MOVED: "most moved first",
    0: "A's largest first",
    1: "B's largest first",
}
_ROOMY = 14  # rows from which the sides' names fit above the tree
_LEFT = 8  # rows of the tree, with its head, that remarks leave


class ProfileTable(DataTable[Text]):
    """The table of the tree's rows. Its panel does what its keys ask for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "panel('turn')", "open / fold", id="profile.turn"),
        Binding("left", "panel('fold')", "fold", show=False, id="profile.fold"),
        Binding("right", "panel('unfold')", "unfold", show=False, id="profile.unfold"),
        Binding("shift+left", "panel('fold_all')", "fold all", show=False, id="profile.fold_all"),
        Binding("shift+right", "panel('unfold_all')", "unfold all", show=False, id="profile.unfold_all"),
        Binding("home", "scroll_top", "first", show=False, id="table.first"),
        Binding("end", "scroll_bottom", "last", show=False, id="table.last"),
        Binding("x", "panel('other_end')", "flip tree", id="profile.form",
                tooltip="From the functions that ran to their callers, or from the root to what it called"),
        Binding("greater_than_sign", "panel('sort', 1)", "sort", key_display="</>", id="profile.sort",
                tooltip="By the difference, by A or by B"),
        Binding("less_than_sign", "panel('sort', -1)", "sort by the previous column", show=False,
                id="profile.sort_back"),
        Binding("escape", "panel('show_all')", "show all", show=False, id="profile.show_all"),
    ]  # fmt: skip

    @property
    def _panel(self) -> "ProfilePanel":
        panel = self.parent
        assert isinstance(panel, ProfilePanel)
        return panel

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to sort only if there are two profiles, and to show all only during a search.

        Otherwise `escape` is left to the screen.
        """
        if action == "panel" and parameters[0] == "sort":
            return self._panel.pair
        return self._panel.searched if action == "panel" and parameters[0] == "show_all" else True

    def action_panel(self, what: str, *arguments: int) -> None:
        """Have the panel do it."""
        getattr(self._panel, what)(*arguments)

    def to_copy(self) -> Copy | None:
        """The row under the cursor."""
        return self._panel.row_to_copy()


class ProfilePanel(Vertical):
    """The tree, and what it shows in words above it.

    `show` takes the profiles; `say` takes why there are none. A screen that has the key `/` calls `search`.
    """

    DEFAULT_CSS = """
    ProfilePanel { height: 1fr; }
    ProfilePanel #profile-said { height: auto; max-height: 75%; padding: 0 1; color: $foreground; }
    ProfilePanel.-nothing ProfileTable { display: none; }
    ProfilePanel.-nothing #profile-said { max-height: 100%; height: 1fr; }
    ProfilePanel ProfileTable { height: 1fr; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="-nothing")
        self._trees: Trees | None = None
        self._from_root = False
        self._order: dict[bool, str | int] = {False: SIZE, True: SIZE}
        self._opened: dict[bool, set[Stack]] = {False: set(), True: set()}
        self._rows: list[Row] = []
        self._wanted = ""
        self._note = ""

    def compose(self) -> ComposeResult:
        yield Static(id="profile-said", markup=False)
        yield Filter("a part of a function's name", id="profile-find")
        yield ProfileTable(id="profile-rows", cursor_type="row")

    def on_mount(self) -> None:
        """Draw in the colours of the theme."""
        self.app.theme_changed_signal.subscribe(self, lambda _: self._draw())

    def on_resize(self) -> None:
        """Fit columns and sentences to the new width."""
        self._draw()

    @property
    def pair(self) -> bool:
        """Whether two profiles are beside each other."""
        return self._trees is not None and self._trees.pair

    @property
    def listing(self) -> ProfileTable:
        """The table, which handles the keys."""
        return self.query_one(ProfileTable)

    @property
    def has_rows(self) -> bool:
        """Whether a profile is shown."""
        return self._trees is not None

    @property
    def searched(self) -> bool:
        """Whether only rows that match a search are listed."""
        return bool(self._wanted)

    def say(self, text: str | Text) -> None:
        """Say why there is nothing to show, or that it is being read."""
        self._trees, self._rows = None, []
        self.add_class("-nothing")
        self.query_one("#profile-said", Static).update(text)

    def show(self, trees: Trees, note: str = "") -> None:
        """List these trees. What was open stays open, and the search stays. `note` is shown first."""
        if trees is self._trees:
            return
        self._note = note
        if self._trees is None or self._trees.pair != trees.pair:
            self._order = {False: MOVED if trees.pair else SIZE, True: SIZE}
        self._trees = trees
        self._opened[True] = self._opened[True] or hot(trees.root, trees.scale, HOT)
        self.remove_class("-nothing")
        self._draw()

    # the keys

    def search(self) -> None:
        """Let the user type a part of a function's name."""
        if self._trees is not None:
            self.query_one(Filter).use()

    def show_all(self) -> None:
        """Forget the search."""
        self.query_one(Filter).forget()

    def turn(self) -> None:
        """Open the row under the cursor, or fold it."""
        if (one := self._current) is not None and one.folds:
            self._open({one.path}, not one.open)

    def fold(self) -> None:
        """Fold the row, or go to its parent."""
        one = self._current
        if one is None:
            return
        if one.open and one.path in self._opened[self._from_root]:
            self._open({one.path}, False)
        elif one.depth:
            self._go(one.path[:-1])

    def unfold(self) -> None:
        """Open the row, or go to the next."""
        one = self._current
        if one is not None and one.folds and not one.open:
            self._open({one.path}, True)
        else:
            self.query_one(ProfileTable).action_cursor_down()

    def fold_all(self) -> None:
        """Fold every row."""
        self._opened[self._from_root] = set()
        self._draw()

    def unfold_all(self) -> None:
        """Open every row."""
        if self._trees is not None:
            self._opened[self._from_root] = hot(self._tree, self._trees.scale, LEAST)
            self._draw()

    def other_end(self) -> None:
        """Show the tree from its other end: from the leaves, or from the root."""
        self._from_root = not self._from_root
        self._draw()

    def sort(self, step: int) -> None:
        """Sort by the next (`step` 1) or the previous (-1) of the orders."""
        orders = list(_ORDERS)
        now = orders.index(self._order[self._from_root])
        self._order[self._from_root] = orders[(now + step) % len(orders)]
        self._draw()

    @on(Filter.Narrowed)
    def _narrowed(self, event: Filter.Narrowed) -> None:
        event.stop()
        self._wanted = event.text
        self._draw()

    @on(Filter.Left)
    def _left(self, event: Filter.Left) -> None:
        event.stop()
        self.query_one(ProfileTable).focus()

    @on(DataTable.RowSelected)
    @on(DataTable.RowHighlighted)
    def _own(self, event: DataTable.RowSelected | DataTable.RowHighlighted) -> None:
        event.stop()  # the screen has tables of its own
        if isinstance(event, DataTable.RowSelected):
            self.turn()

    # drawing

    @property
    def _tree(self) -> CallTree:
        assert self._trees is not None
        return self._trees.root if self._from_root else self._trees.leaves

    @property
    def _current(self) -> Row | None:
        at = self.query_one(ProfileTable).cursor_row
        return self._rows[at] if 0 <= at < len(self._rows) else None

    def _open(self, paths: set[Stack], is_open: bool) -> None:
        opened = self._opened[self._from_root]
        self._opened[self._from_root] = opened | paths if is_open else opened - paths
        self._draw()

    def _go(self, path: Stack) -> None:
        place = next((place for place, one in enumerate(self._rows) if one.path == path), None)
        if place is not None:
            self.query_one(ProfileTable).move_cursor(row=place, animate=False)

    def _draw(self) -> None:
        trees = self._trees
        if trees is None or not self.is_mounted:
            return
        shown = self.query_one(ProfileTable)
        before, line = self._current, shown.cursor_row - shown.scroll_offset.y
        order = self._order[self._from_root]
        self._rows = rows(self._tree, trees.scale, self._opened[self._from_root], order, self._wanted)
        room = max(self.size.width - _SCROLLBAR, 1)
        styles = Styles(self.app.theme_variables)
        self.set_class(self.size.height < _ROOMY, "-low")
        columns = Columns(trees.scale, room, styles, from_root=self._from_root, order=order)
        most = max((max(trees.scale.values(one.samples)) for one in self._rows if one.samples), default=0.0)
        shown.clear(columns=True)
        for head, width in columns.heads:
            shown.add_column(head, width=width)
        for one in self._rows:
            shown.add_row(*columns.cells(one, most))
        if before is not None:
            self._go(before.path)
            self.call_after_refresh(shown.scroll_to, y=max(shown.cursor_row - line, 0), animate=False)
        self.query_one("#profile-said", Static).update(self._said(trees, styles))
        self.refresh_bindings()

    def _said(self, trees: Trees, styles: Styles) -> Text:
        """What the figures are, which end the tree begins at, what is searched for; if it fits, whose."""
        text = Text()
        if self._note:
            text.append(f"{self._note}\n", style=styles.bold("warning"))
        text.append(trees.shares, style=styles["bold"])
        form = "From the root, callees below" if self._from_root else "What ran, its callers below"
        text.append(f"\n{form}; {_ORDERS[self._order[self._from_root]]}")
        text.append(f"  {key('profile.form', 'x')}: flip the tree", style=styles["dim"])
        if self._wanted:
            text.append(f"\n{self._found(trees)}", style=styles["bold"])
        if self.size.height >= _ROOMY:
            text.append(f"\n{trees.sides}")
        told = [*trees.notes, *([trees.cut] if trees.cut else [])]
        room = max(self.size.width - _PADDING, 1)
        rows_taken = sum(len(wrap(line, room)) for line in (*text.plain.split("\n"), *told))
        if self.size.height - rows_taken >= _LEFT:
            for line in told:
                text.append(f"\n{line}", style=styles["dim"])
        elif told:
            what, them = ("1 remark", "it") if len(told) == 1 else (f"{len(told)} remarks", "them")
            text.append(
                f"\n! {what} on these samples: a larger tab or window shows {them}", style=styles["dim"]
            )
        return text

    def _found(self, trees: Trees) -> str:
        """The share of the samples in which a function matches the search."""
        if not self._rows:
            return f"“{self._wanted}” matches nothing"
        sums = trees.scale.values(matched(self._tree, self._wanted))
        shown = [profile_cells.figure(value, trees.scale) for value in sums]
        each = ", ".join(f"{SIDES[n]} {one}" for n, one in enumerate(shown)) if trees.pair else shown[0]
        return f"“{self._wanted}”: {each}"

    # copying

    def row_to_copy(self) -> Copy | None:
        """The row under the cursor."""
        one, trees = self._current, self._trees
        if one is None or trees is None:
            return Copy("There is no row to copy.", "")
        return row(one.name or "of the rest", profile_cells.values(one, trees.scale))

    def to_copy(self) -> Copy | None:
        """All rows that are listed; None if there are none."""
        trees = self._trees
        if trees is None:
            return None
        listed = [
            profile_cells.titles(trees.scale),
            *(profile_cells.values(one, trees.scale) for one in self._rows),
        ]
        return table("the functions", listed)
