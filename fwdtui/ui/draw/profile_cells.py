"""The rows of a profile's tree as cells: figures, bars and the indented name."""

from collections.abc import Sequence

from rich.style import Style
from rich.text import Text

from fwdtui.core.profile.scale import SHARE, Scale
from fwdtui.report.cells import shorten
from fwdtui.report.flame import words
from fwdtui.report.flame.layout import LEAST
from fwdtui.report.flame.rows import MOVED, SIZE, Row
from fwdtui.stats.figures import NONE, number
from fwdtui.ui.draw.heat import bar
from fwdtui.ui.draw.styles import Styles

NOISE = "~"
"""Shown after a difference that is no larger than counting samples explains."""
OPEN, FOLDED = "▾", "▸"
_BETWEEN = 2  # columns between two cells
_WIDE = 100
_NAME_LEAST = 16
_SIDES = ("base", "other")


class Columns:
    """Heads and widths of the table's columns that fit into `room` terminal columns; makes a row's cells.

    `from_root`: the tree begins at the root. `order`: what rows are sorted by.
    """

    def __init__(
        self, scale: Scale, room: int, styles: Styles, *, from_root: bool, order: str | int = SIZE
    ) -> None:
        self._scale, self._styles, self._wide = scale, styles, room >= _WIDE
        self._sides = len(scale.each)
        self._own = from_root and self._sides == 1
        self._figure = 6 if scale.unit == SHARE else 8
        unit = "%" if scale.unit == SHARE else "/Mpkt"
        pair = self._sides > 1
        figures = [f"{words.SIDES[place]} {unit}" if pair else unit for place in range(self._sides)]
        fixed = self._sides * (self._figure + _BETWEEN)
        fixed += self._figure + 2 + _BETWEEN if pair else 0
        fixed += self._figure + _BETWEEN if self._own else 0
        self._bar = min(max((room - fixed) // (2 + 2 * self._sides) - _BETWEEN, 4), 32)
        fixed += self._sides * (self._bar + _BETWEEN)
        self._name = max(room - fixed - _BETWEEN, _NAME_LEAST)
        self.heads: list[tuple[Text, int]] = []
        for place, head in enumerate(figures):
            self.heads.append((_right(head + (" ▼" if pair and order == place else "")), self._figure))
            self.heads.append((Text(), self._bar))
        if pair:
            self.heads.append((_right("B−A" + (" ▼" if order == MOVED else "")), self._figure + 2))
        if self._own:
            self.heads.append((_right("itself"), self._figure))
        self.heads.append((Text("function"), self._name))

    def cells(self, row: Row, most: float) -> list[Text]:
        """The cells of a row. A bar is full at `most`, in the scale's unit."""
        if not row.samples:  # it stands for rows that are too many to list
            return [*(Text() for _ in self.heads[1:]), self._others(row)]
        values = self._scale.values(row.samples)
        cells: list[Text] = []
        for place, value in enumerate(values):
            cells.append(_right(figure(value, self._scale)))
            style = self._styles[_SIDES[place] if len(values) > 1 else "sys"]
            cells.append(Text(bar(value / most if most else 0.0, self._bar), style=style))
        if len(values) > 1:
            cells.append(self._difference(row.samples))
        if self._own:
            own = self._scale.values(row.frame.own)[0] if row.frame else None
            cells.append(_right(NONE if own is None else figure(own, self._scale)))
        return [*cells, self._others(row) if row.frame is None else self._function(row)]

    def _difference(self, samples: Sequence[int]) -> Text:
        shown = difference(samples, self._scale)
        return _right(shown, Style(dim=True) if shown.endswith(NOISE) else Style(bold=True))

    def _indent(self, row: Row) -> str:
        each = 2 if self._wide else 1
        return " " * min(row.depth * each, self._name // 2)

    def _function(self, row: Row) -> Text:
        mark = (OPEN if row.open else FOLDED) if row.folds else " "
        indent = self._indent(row)
        text = Text(indent, no_wrap=True).append(f"{mark} ", style=self._styles["dim"])
        name = shorten(words.plain(row.name), max(self._name - len(indent) - 2, 1))
        return text.append(name, style=self._styles.bold("accent") if row.found else Style())

    def _others(self, row: Row) -> Text:
        told = f"{row.many} more" + (
            f", each below {LEAST:.1%}".replace("%", " %") if row.samples else " rows"
        )
        return Text(f"{self._indent(row)}  {told}", style=self._styles["dim"], no_wrap=True)


def figure(value: float, scale: Scale) -> str:
    """A value in the scale's unit, which the head of the column names."""
    return number(value, 2 if scale.unit == SHARE else words.decimals(value))


def difference(samples: Sequence[int], scale: Scale) -> str:
    """The difference of two profiles, ``+3.20``; ``+0.02 ~`` if counting samples explains it."""
    moved = scale.difference(samples)
    shown = number(moved, 2 if scale.unit == SHARE else words.decimals(moved), sign=True)
    return shown if scale.differs(samples) else f"{shown} {NOISE}"


def values(row: Row, scale: Scale) -> list[str]:
    """A row's values in full, to copy: the figures, the difference, the samples, and the function."""
    if not row.samples:
        return [f"{row.many} more rows"]
    cells = [figure(value, scale) for value in scale.values(row.samples)]
    if len(cells) > 1:
        cells.append(difference(row.samples, scale))
    name = words.plain(row.name) if row.frame is not None else f"{row.many} more"
    return [*cells, *map(str, row.samples), "  " * row.depth + name]


def titles(scale: Scale) -> list[str]:
    """The heads of `values`."""
    if len(scale.each) < 2:
        return [scale.unit, "samples", "function"]
    unit = scale.unit
    return [f"A {unit}", f"B {unit}", "B−A", "A samples", "B samples", "function"]


def _right(text: str, style: Style | None = None) -> Text:
    return Text(text, style=style or Style(), justify="right", no_wrap=True)
