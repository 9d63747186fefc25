"""Small multiples: a name and its history in each cell of a grid, as many as there is room for."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import compress
from math import ceil
from typing import NamedTuple

from rich.style import Style

from fwdtui.monitor.live.load_history import LoadRow
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line

_NARROWEST = 4  # cells of a history
_FIGURE = 7  # cells of " 17.1 k"
_WITH_FIGURE = 8  # cells of a history from which its figure is shown after it
_NOT_SHOWN = 14  # cells of " 54 not shown "


class Grid(NamedTuple):
    """Where the histories go, after `lead` cells: `rows` of them down, then the next column, `cell` wide.

    `shown`: how many there are; `name`: cells of a name; `behind`: cells of figure and mark after a history.
    """

    columns: int
    rows: int
    cell: int
    lead: int
    shown: int
    name: int
    behind: int

    @property
    def figures(self) -> bool:
        """Whether the present value is shown after the history."""
        return self.cell - self.name - 1 - self.behind >= _WITH_FIGURE

    @property
    def graph(self) -> int:
        """The cells of a history."""
        return self.cell - self.name - 1 - (self.behind if self.figures else 0)


class Small(NamedTuple):
    """One history. `mark`: what is wrong; only its first character is shown if there is no room for more."""

    name: str
    graph: str
    figure: str
    mark: str
    style: Style


def rows_for_all(count: int, width: int, name: int, lead: int) -> int:
    """How many rows are needed to show `count` histories. `name` and `lead`: as in `grid`."""
    return ceil(count / max((width - lead) // (name + _NARROWEST + 1), 1))


def grid(count: int, rows: int, width: int, name: int, lead: int = 1, mark: int = 0) -> Grid | None:
    """A grid for `count` histories, as wide as possible, or for fewer if there is no room for all.

    None if there is room for none. `name`: cells of the longest name; `lead`: cells before each row; `mark`:
    cells of the longest mark.
    """
    if count < 1 or rows < 1:
        return None
    behind = _FIGURE + (mark + 1 if mark else 0)
    for before in (lead, max(lead, _NOT_SHOWN)):
        most = (width - before) // (name + _NARROWEST + 1)
        if most < 1:
            return None
        columns = min(ceil(count / rows), most)
        shown = min(count, columns * rows)
        down = ceil(shown / columns)
        widest = Grid(columns, down, (width - before) // columns, before, shown, name, behind)
        if shown == count:
            break
    return widest


def foremost(
    rows: Sequence[LoadRow],
    names: Sequence[Hashable],
    start: float,
    most: int,
    first: Iterable[Hashable] = (),
) -> list[Hashable]:
    """The `most` names to show: those of `first`, then those with the highest sums since `start`.

    They are returned in the order of `names`.
    """
    if most >= len(names):
        return list(names)
    sums: dict[Hashable, float] = dict.fromkeys(names, 0.0)
    for row in rows:
        if row.at > start:
            for name, value in zip(row.names, row.values, strict=True):
                if value is not None and name in sums:
                    sums[name] += value
    before = set(first)
    chosen = set(sorted(names, key=lambda name: (name not in before, -sums[name]))[:most])
    return [name for name in names if name in chosen]


def multiples(smalls: Sequence[Small], place: Grid, total: int, colors: Palette) -> Iterable[Line]:
    """The grid's lines. If not all of `total` histories are in it, the left side says how many are not."""
    missing = total - len(smalls)
    leads = ["", ""]
    if missing:
        leads = [f" busiest {len(smalls)}", f" {missing} not shown"][-place.rows :]
    for row in range(place.rows):
        text = leads[row] if row < len(leads) else ""
        line: Line = [(f"{text:<{place.lead}}", colors["dim"])]
        for small in smalls[row :: place.rows]:
            line += _cell(small, place, colors)
        yield line


def _cell(small: Small, place: Grid, colors: Palette) -> Line:
    end = place.cell - place.name - len(small.graph)
    style = small.style if small.mark else colors["text"]
    figure = f" {small.figure:<{_FIGURE - 1}}" if place.figures else ""
    room = end - len(figure)
    mark = f" {small.mark}" if len(small.mark) + 2 <= room else small.mark[:1]
    text = figure + mark
    return [
        (f"{small.name:<{place.name}}", colors["dim"]),
        (small.graph, small.style),
        (text.ljust(end), style),
    ]


def tops_of(rows: Sequence[LoadRow], names: Iterable[Hashable], start: float) -> Mapping[Hashable, float]:
    """The scale that these names share: for each, the highest value of all of them since `start`."""
    wanted = set(names)
    highest = []
    of: tuple[Hashable, ...] | None = None  # rows share the tuple of their names
    which: list[bool] = []
    for row in rows:
        if row.at > start:
            if row.names is not of:
                of = row.names
                which = [name in wanted for name in of]
            highest.append(max(filter(None, compress(row.values, which)), default=0.0))
    return dict.fromkeys(wanted, max(highest, default=0.0))
