"""The order and the groups in which the list of sessions is shown."""

from collections.abc import Iterable, Mapping, Sequence

from textual import on

from fwdtui.report.against import Against
from fwdtui.ui.common.ports import shell
from fwdtui.ui.sessions.folds import Folds
from fwdtui.ui.sessions.grouping import GROUPINGS, Group, grouped, listed, totals
from fwdtui.ui.sessions.judging_screen import JudgingScreen
from fwdtui.ui.sessions.row import Row, in_order, matching
from fwdtui.ui.sessions.session_table import FALLING, SORTABLE, SessionTable

_USUAL = "date", True
_GROUPING = "sessions.grouping"


class ArrangingScreen(JudgingScreen):
    """A list of sessions that can be sorted, filtered and grouped."""

    def __init__(self) -> None:
        super().__init__()
        self._sorted: tuple[str, bool] = _USUAL
        self._wanted = ""
        self._shut: set[str] = set()  # groups folded during this filter, which at first shows all unfolded

    def draw(self) -> None:
        """Draw the list as it is arranged now."""
        raise NotImplementedError

    @property
    def grouping(self) -> str:
        """What the list is grouped by: a key of GROUPINGS; "": not at all."""
        chosen = shell(self).memory.state.choices.get(_GROUPING)
        return chosen if isinstance(chosen, str) and chosen in GROUPINGS else ""

    @property
    def sorted_by(self) -> tuple[str, bool]:
        """The column that is sorted by, and whether in descending order.

        Without a baseline, there are no verdicts to sort by.
        """
        return self._sorted if self._sorted[0] != "against" or self.baseline is not None else _USUAL

    @property
    def judges_all(self) -> bool:
        """Whether all verdicts are needed: for the headings of groups, or to sort by them."""
        return bool(self.grouping) or self.sorted_by[0] == "against"

    def filtered(self, wanted: str) -> None:
        """Show only sessions that contain `wanted`, also those in folded groups."""
        if wanted != self._wanted:
            self._wanted = wanted
            self._shut.clear()

    def arranged(self, rows: Sequence[Row], verdicts: Mapping[str, Against]) -> Sequence[Row | Group]:
        """The rows that the filter leaves, in order, below the headings of their groups."""
        shown = in_order(matching(rows, self._wanted), *self.sorted_by, self._wanted, verdicts)
        by = self.grouping
        if not by:
            return shown
        folded = self._shut if self._wanted else Folds(shell(self).memory, self.folder)
        base = None if self.baseline is None else self.baseline.path
        return listed(grouped(shown, by, folded, totals(rows, by), base, verdicts))

    @on(SessionTable.SortBy)
    def _sort_by(self, event: SessionTable.SortBy) -> None:
        """Sort by this column, or reverse the order if it is sorted by already."""
        key, falling = self.sorted_by
        self._sorted = (key, not falling) if event.key == key else (event.key, event.key in FALLING)
        self.draw()

    def action_sort(self, step: int) -> None:
        """Sort by the next (1) or the previous (-1) column."""
        there = [key for key in SORTABLE if key in self.table.columns]
        now = self.sorted_by[0]
        place = there.index(now) + step if now in there else 0
        key = there[place % len(there)]
        self._sorted = key, key in FALLING
        self.draw()

    def action_turn(self) -> None:
        """Reverse the order."""
        key, falling = self.sorted_by
        self._sorted = key, not falling
        self.draw()

    def action_group(self) -> None:
        """Group by the next of what can be grouped by, or not at all."""
        ways = list(GROUPINGS)
        way = ways[(ways.index(self.grouping) + 1) % len(ways)]
        shell(self).memory.choose(_GROUPING, way)
        self._shut.clear()
        self.draw()

    @on(SessionTable.Fold)
    def _fold(self, event: SessionTable.Fold) -> None:
        """Fold or unfold groups."""
        if self._wanted:
            self._shut = self._shut.union(event.keys) if event.shut else self._shut.difference(event.keys)
        else:
            Folds(shell(self).memory, self.folder).fold(event.keys, event.shut)
        self.draw()

    def action_sweep(self) -> None:
        """A sweep over what is marked, else what the filter shows, else this session, or this group.

        If this session alone offers no sweep, over all that are listed.
        """
        marks, group = shell(self).selection.marks, self.table.group
        paths = [path for path in (marks.base, *marks.candidates) if path is not None]
        instead: list[str] = []
        if not paths and (self._wanted or group is not None):
            families = self.table.families() if self._wanted or group is None else [group.rows]
            paths = _good(families)
        elif not paths and (row := self.current()):
            paths = [row.path]
            listed = _good(self.table.families())
            instead = listed if len(listed) > 1 else []
        if paths:
            shell(self).sweep(paths, instead=instead)


def _good(families: Iterable[Iterable[Row]]) -> list[str]:
    """The paths of the sessions that can be read."""
    return [row.path for rows in families for row in rows if row.good]
