"""A table of differences by two factors: a row for each level of one factor (or of several together), and a
column for each level of another.
"""

from rich.text import Text

from fwdtui.report.cells import columns_of, shorten_apart
from fwdtui.report.comparison import Compared
from fwdtui.report.factor_view import Identity
from fwdtui.stats.results import Judged
from fwdtui.ui.compare.case_table import Entry, Grid, cells_drop, difference
from fwdtui.ui.compare.case_table import entries as case_entries
from fwdtui.ui.draw.styles import Styles

_PADDING, _SCROLLBAR, _NAME_LEAST, _CELL_LEAST = 2, 1, 10, 12


def possible(compared: Compared) -> bool:
    """Whether there is something to cross: one candidate, compared within two factors or more."""
    return len(compared.sides) == 2 and len(compared.within) > 1


def cross(compared: Compared, width: int, styles: Styles) -> Grid:
    """The differences of the only candidate; the columns are the levels of the last factor."""
    *_, last = compared.within
    entries: dict[tuple[Identity, ...], dict[Identity, Entry]] = {}
    columns: dict[Identity, str] = {}
    named: dict[tuple[Identity, ...], str] = {}
    for entry in case_entries(compared):
        case = entry.comparison.case if isinstance(entry, Judged) else entry.case
        *row, column = (one.identity for one in compared.levels(case).values())
        *words, head = compared.cell(case)
        columns.setdefault(column, head)
        named.setdefault(tuple(row), " ".join(words))
        entries.setdefault(tuple(row), {})[column] = entry
    names = list(named.values())
    for short in (False, True):
        texts = [
            [difference(by_level.get(one), short, styles) for one in columns] for by_level in entries.values()
        ]
        each = max([columns_of(text.plain) for row in texts for text in row] + [_CELL_LEAST])
        room = width - len(columns) * (each + _PADDING) - _PADDING - _SCROLLBAR
        if room >= max(map(columns_of, names)):
            break
    head = f"{', '.join(compared.within[:-1])} \\ {last}"
    name = max(min(max(map(columns_of, [head, *names])), room), _NAME_LEAST)
    heads = [
        Text(shorten_apart([head], name)[0]),
        *(Text(one) for one in shorten_apart([*columns.values()], each)),
    ]
    rows = [(Text(shown), *row) for shown, row in zip(shorten_apart(names, name), texts, strict=True)]
    about = [[by_level.get(one) for one in columns] for by_level in entries.values()]
    first = [next((one for one in row if one is not None), None) for row in about]
    return Grid(
        tuple(heads),
        tuple(rows),
        tuple((one, *row) for one, row in zip(first, about, strict=True)),
        cells_drop(short),
    )
