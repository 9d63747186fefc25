"""How the live screen's rows are shared: the lower panels get what they need, the graph gets the rest."""

from textual.screen import Screen
from textual.widget import Widget

from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.ui.draw.panel import Panel
from fwdtui.ui.draw.view import View

_BOXES = {"machine": (8, 10), "lower": (6, 9)}  # the most rows of a box: usually, and on a tall screen
_FEWEST = 3
_PART = 0.27  # the part of a tall screen's rows that the queues and cores of a large machine may have
_BORDER = 2


class Rows:
    """The rows of each box so far. As long as the screen's size is the same, they only grow during a run.

    So the graph does not move back and forth.
    """

    def __init__(self) -> None:
        self._given: dict[str, int] = {}
        self._size: object = None
        self._boxes: dict[str, tuple[Widget, list[Panel]]] = {}  # by name, with their panels

    def share(self, screen: Screen[None], snapshot: Snapshot, view: View) -> None:
        """Set the boxes' heights if panels are side by side with borders; otherwise the CSS sets them."""
        tall = screen.has_class("-tall")
        if self._size != screen.size:  # other panels may be shown then
            self._size = screen.size
            self._given.clear()
        side_by_side = (tall or screen.has_class("-normal-height")) and not screen.has_class("-narrow")
        for name, (usual, most) in _BOXES.items():
            if name not in self._boxes:
                box = screen.query_one(f"#{name}")
                self._boxes[name] = box, list(box.query(Panel))
            box, inside = self._boxes[name]
            if not side_by_side:
                box.styles.height = None
                self._given.pop(name, None)
                continue
            limit = (
                max(most, int(screen.size.height * _PART))
                if tall and name == "machine"
                else most
                if tall
                else usual
            )
            before = self._given.get(name, 0)
            if before == max(limit, _FEWEST):
                continue  # it has as many rows as it may have
            panels = [panel for panel in inside if panel.display]
            width = screen.size.width // max(len(panels), 1) - _BORDER
            wanted = max((panel.wanted_rows(snapshot, view, width) for panel in panels), default=1)
            rows = max(min(max(wanted, before), limit), _FEWEST)
            if rows != before:
                self._given[name] = rows
                box.styles.height = rows + _BORDER
