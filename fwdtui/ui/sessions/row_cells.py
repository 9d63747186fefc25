"""A session as the cells of its row in the list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rich.style import Style
from rich.text import Text

from fwdtui.report.against import Against
from fwdtui.report.cells import columns_of, shorten, shorten_alike, shorten_apart
from fwdtui.ui.common.selection import Marks
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.sessions.columns import Column
from fwdtui.ui.sessions.row import Row, cases_first
from fwdtui.ui.sessions.verdict_text import verdict_cell

_WHOLE = 100_000  # cells: room enough that nothing is shortened in what is copied
_NAME = 4  # the least cells of a case's name; fewer would be useless
_NAMES = "lab", "kernel"  # columns whose texts are shortened so that they stay distinct, as labels are
_NUMBERS = "cases", "iterations", "warnings"


@dataclass(frozen=True, slots=True)
class Names:
    """How names are shown that may be too long: `labels` by path, `others` by column and full text."""

    labels: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def of(self, row: Row) -> tuple[str, ...]:
        """The names in a row, as they are shown."""
        others = (shown.get(str(getattr(row, key)), "") for key, shown in self.others.items())
        return self.labels.get(row.path, ""), *others


def names(wide: Sequence[Column], groups: Sequence[Sequence[Row]]) -> Names:
    """Shorten the names to the widths of their columns. `groups`: the rows of each group.

    Labels are shortened in the part that all of their group share, as the group's heading is above them.
    """
    labels: dict[str, str] = {}
    others: dict[str, Mapping[str, str]] = {}
    for column in wide:
        if column.key == "label":
            for rows in groups:
                shown = shorten_alike([row.label for row in rows], column.width)
                labels |= zip((row.path for row in rows), shown, strict=True)
        elif column.key in _NAMES:
            texts = [str(getattr(row, column.key)) for rows in groups for row in rows]
            others[column.key] = dict(zip(texts, shorten_apart(texts, column.width), strict=True))
    return Names(labels, others)


class Label(Text):
    """A session's label, which knows the key of its row: Textual sorts rows by the contents of a cell."""

    key: str = ""

    @classmethod
    def of(cls, key: str, text: Text) -> "Label":
        """`text`, in the row with this key."""
        label = cls()
        label.append_text(text)
        label.key = key
        return label


@dataclass(frozen=True, slots=True)
class Look:
    """What the cells show besides the sessions. `wanted`: the filter; cases that it names come first."""

    marks: Marks
    verdicts: Mapping[str, Against]
    wanted: str
    names: Names
    colours: Styles

    def knowing(self, verdicts: Mapping[str, Against]) -> "Look":
        """The same with these verdicts, too."""
        return replace(self, verdicts={**self.verdicts, **verdicts})

    def coloured(self, colours: Styles) -> "Look":
        """The same in the colours of another theme."""
        return replace(self, colours=colours)

    def cell(self, row: Row, column: Column) -> Text:
        """The cell of a session in a column."""
        key, room = column.key, column.width
        if key == "mark":
            return self._mark(row, room)
        if key == "against":
            return self._against(row, room)
        if key == "median":
            return Text(_medians(row, room, self.wanted))
        if key == "label":
            return Text(self.names.labels[row.path], style="" if row.good else Style(italic=True))
        if key == "date":
            return Text(row.date[:room])
        if key in _NUMBERS:
            return Text(_number(row, key))
        return Text(self.names.others[key][str(getattr(row, key))])

    def values(self, row: Row) -> list[str]:
        """Every column of a row, and every case, with nothing shortened, to copy."""
        if not row.good:
            return [row.label, row.remark, row.path]
        against = "" if self.marks.base in (None, row.path) else self._against(row, _WHOLE).plain
        numbers = [_number(row, key) for key in _NUMBERS]
        recorded = [row.date, row.lab, row.kernel, *numbers[:2], _medians(row, _WHOLE, self.wanted), against]
        return [row.label, self.marks.word(row.path), *recorded, str(row.warnings), row.path]

    def _mark(self, row: Row, room: int) -> Text:
        word = self.marks.word(row.path)
        bold = Style(bold=True)
        return Text(word if room > 1 else word[:1].upper(), style=bold if word == "baseline" else "")

    def _against(self, row: Row, room: int) -> Text:
        if row.path == self.marks.base:
            return Text("")
        if not row.good:
            return Text("–")
        return verdict_cell(self.verdicts.get(row.path), room, self.colours)


def _number(row: Row, key: str) -> str:
    if not row.good:
        return "!" if key == "warnings" else "–"
    if key == "iterations":
        return row.told
    if key == "cases":
        return str(len(row.cases))
    return str(row.warnings) if row.warnings else ""


def _medians(row: Row, room: int, wanted: str) -> str:
    """The medians of as many cases as fit, and how many more there are."""
    text = row.remark
    cases = cases_first(row, wanted)
    for place, case in enumerate(cases):
        part = f"{case.name} {case.median}"
        more = len(cases) - place - 1
        longer = f"{text}  {part}" if text else part
        if columns_of(longer) + (len(f"  +{more}") if more else 0) > room:
            if place == 0 and not text:
                value = f" {case.median}" + (f"  +{more}" if more else "")
                name = shorten(case.name, room - len(value)) if room - len(value) >= _NAME else ""
                return f"{name}{value}" if name else shorten(case.median, room)
            return f"{text}  +{more + 1}"
        text = longer
    return text or "–"
