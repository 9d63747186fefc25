"""The table of a comparison: one row per case, or cases against candidates. It holds no state."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from fwdtui.report import bearing
from fwdtui.report.cells import columns_of, fitting, shorten, shorten_apart
from fwdtui.report.comparison import Compared, Unpaired
from fwdtui.report.table import number
from fwdtui.stats import figures, wording
from fwdtui.stats.results import Judged
from fwdtui.ui.draw.interval import interval_bar, scale
from fwdtui.ui.draw.styles import MARKS, NOT_COMPARABLE, Styles

_PADDING = 2  # columns that the table puts around each cell
_NARROWEST_BAR = 11
_GOOD_BAR = 21
_WIDEST_BAR = 81
_NAME_LEAST = 10
_NAME_WANTED = 16
_CANDIDATE_LEAST = 12
_BAR = "bar"
_SCROLLBAR = 1
_DROPPED = (
    (),
    ("medians",),
    ("words",),
    ("words", "interval"),
    ("medians", "words"),
    ("medians", "words", "interval"),
    ("medians", "words", "n"),
    ("medians", "words", "interval", "n"),
    ("medians", "words", "verdict"),
    ("medians", "words", "verdict", "n"),
    ("medians", "words", "verdict", "n", "interval"),
)
"""What a narrow table omits; the first choice that fits is used. The line below the table shows what is
omitted, for the selected row. "words": how many more iterations are needed; "interval": the interval's
figures, which the bar shows; "verdict": the verdict's word, so that only its mark is left."""

Entry = Judged | Unpaired


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of fixed widths: heads, rows of cells, and the entry that each cell is about (or None)."""

    heads: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]
    entries: tuple[tuple[Entry | None, ...], ...]
    dropped: tuple[str, ...] = ("medians", "words")
    """What the table omits, of the names in _DROPPED."""

    @property
    def widths(self) -> list[int]:
        """The widths of the columns in cells, without the table's padding."""
        return _widths(self.heads, self.rows)

    def at(self, row: int, column: int) -> Entry | None:
        """The entry that a cell is about."""
        return self.entries[row][min(column, len(self.heads) - 1)] if row < len(self.entries) else None

    def find(self, entry: Entry | None) -> tuple[int, int]:
        """Row and column of an entry; the first cell if it is not in the table."""
        places = [
            (row, column)
            for row, about in enumerate(self.entries)
            for column, one in enumerate(about)
            if one is not None and one == entry
        ]
        # the medians before a row's candidates belong to the first of them, whose own cell is the last
        return max(places, key=lambda place: place[1]) if places else (0, 0)

    def place(self, entry: Entry | None) -> tuple[int, int] | None:
        """Row and column of the entry for the same case and candidate, even if its result differs.

        If the candidate is gone, an entry for the same case; None: there is none.
        """
        if entry is None:
            return None
        case, candidate = _about(entry)
        there = [
            (_about(one), (row, column))
            for row, about in enumerate(self.entries)
            for column, one in enumerate(about)
            if one is not None and _about(one)[0] == case
        ]
        same = [place for about, place in there if about[1] == candidate]
        # the medians before a row's candidates belong to the first of them, whose own cell is the last
        return max(same, key=lambda place: place[1]) if same else there[0][1] if there else None


def _about(entry: Entry) -> tuple[str, str]:
    """The case and the candidate of an entry."""
    if isinstance(entry, Judged):
        return entry.comparison.case, entry.other.label
    return entry.case, entry.candidate


def entries(compared: Compared) -> list[Entry]:
    """What is compared, then what cannot be compared, so that nothing is silently missing."""
    return [*compared.judged, *compared.unpaired]


def bounds(compared: Compared) -> list[float]:
    """The ends of all intervals in percent, for the axis that they share."""
    ends: list[float] = []
    for judged in compared.judged:
        difference = judged.comparison.difference
        ends += difference.ci_percent or ([difference.percent] if difference.percent is not None else [])
    return ends


def listing(compared: Compared, reach: float, width: int, styles: Styles) -> Grid:
    """One row per case and candidate, in at most `width` columns. The bars' axis ends at `reach` percent."""
    many = len(compared.sides) > 2
    shown = entries(compared)
    for dropped in _DROPPED:
        heads, rows = _plain(shown, many, dropped, width, styles)
        heads[0] = Text(_what(compared))
        widths = _widths(heads, rows)
        spare = width - sum(widths[1:]) - _PADDING * len(heads) - _SCROLLBAR
        bar = _NARROWEST_BAR if {"medians", "words"} <= set(dropped) else _GOOD_BAR
        if spare - bar >= min(widths[0], _NAME_WANTED):
            break
    place = [str(head) for head in heads].index(_BAR)
    spare += widths[place]
    wanted = max(_NARROWEST_BAR, min(spare // 2, _WIDEST_BAR // 2))
    name = max(min(widths[0], spare - wanted), _NAME_LEAST)
    bar = max(min(spare - name, _WIDEST_BAR), _NARROWEST_BAR)
    bar -= 1 - bar % 2
    heads[0] = Text(shorten(heads[0].plain, name))  # the names of factors may be longer than their levels
    heads[place] = Text(scale(reach, bar), style=styles["dim"])
    names = shorten_apart([cells[0].plain for cells in rows], name)
    for entry, cells, case in zip(shown, rows, names, strict=True):
        cells[0] = Text(case, style=cells[0].style)
        if isinstance(entry, Judged):
            comparison = entry.comparison
            cells[place] = interval_bar(
                comparison.difference.percent,
                comparison.difference.ci_percent,
                reach,
                bar,
                styles[f"verdict-{comparison.verdict}"],
                styles["dim"],
                comparison.margin_percent,
            )
        else:
            cells[place] = Text(_only_in(entry, compared.labels, bar), style=styles["dim"])
    return Grid(
        tuple(heads), tuple(map(tuple, rows)), tuple((entry,) * len(heads) for entry in shown), dropped
    )


def _only_in(entry: Unpaired, labels: Sequence[str], columns: int) -> str:
    """``only in r1, not in r2``, or ``only in r1`` if that is too long.

    Shortened in the middle it could end in the name of the side that lacks the case: ``only in…in r2``.
    """
    begin = "only in "
    names = dict(zip(labels, shorten_apart(labels, max(columns - len(begin), 1)), strict=True))
    return fitting([entry.reason, shorten(begin + names[entry.home], columns)], columns)


def _what(compared: Compared) -> str:
    """What a row is: a case or, when comparing by factors, a combination of the other factors' levels."""
    return ", ".join(compared.within) or "case"


def _plain(
    shown: Sequence[Entry], many: bool, dropped: Sequence[str], width: int, styles: Styles
) -> tuple[list[Text], list[list[Text]]]:
    """Heads and cells with an empty cell for the bar, which gets the remaining width."""
    warned = any(isinstance(one, Judged) and one.comparison.warnings for one in shown)
    columns = [
        "case",
        *(["candidate"] if many else []),
        *(["n"] if "n" not in dropped else []),
        *(["base median", "other median"] if "medians" not in dropped else []),
        "mean difference",
        _BAR,
        "verdict" if "verdict" not in dropped else "",
        *(["!"] if warned else []),
    ]
    labels = [entry.other.label if isinstance(entry, Judged) else entry.candidate for entry in shown]
    short = shorten_apart(labels, 12 if "verdict" in dropped else max(24, width // 5))
    return [Text(name) for name in columns], [
        [_cell(entry, name, label, dropped, styles) for name in columns]
        for entry, label in zip(shown, short, strict=True)
    ]


def _cell(entry: Entry, column: str, candidate: str, dropped: Sequence[str], styles: Styles) -> Text:
    if isinstance(entry, Unpaired):
        texts = {
            "case": entry.case,
            "candidate": candidate,
            "verdict": f"{NOT_COMPARABLE} {'alone' if 'words' in dropped else 'not comparable'}",
            "": NOT_COMPARABLE,
        }
        return Text(texts.get(column, ""), style=styles["dim"])
    comparison = entry.comparison
    if column in ("verdict", ""):
        word = (
            wording.verdict_word(comparison, short=True)
            if "words" in dropped
            else wording.verdict_cell(comparison)
        )
        text = f"{MARKS[comparison.verdict]} {word}" if column else MARKS[comparison.verdict]
        return Text(text + bearing.mark(comparison), style=styles.bold(f"verdict-{comparison.verdict}"))
    difference = wording.difference_parts(comparison.difference, comparison.unit)
    texts = {
        "case": comparison.case,
        "candidate": candidate,
        "n": f"{comparison.base.n}/{comparison.other.n}",
        "base median": number(comparison.base.median, comparison.unit),
        "other median": number(comparison.other.median, comparison.unit),
        "mean difference": difference.value if "interval" in dropped else str(difference),
        "!": str(len(comparison.warnings) or ""),
    }
    right = column in ("n", "base median", "other median", "mean difference")
    return Text(texts.get(column, ""), justify="right" if right else "left")


def values(entry: Entry, many: bool, styles: Styles) -> list[str]:
    """A row's texts, with nothing shortened or omitted; `many`: with the candidate."""
    if isinstance(entry, Unpaired):
        return [entry.case, *([entry.candidate] if many else []), f"not comparable: {entry.reason}"]
    names = ["case", *(["candidate"] if many else []), "n", "base median", "other median"]
    columns = [*names, "mean difference", "verdict", "!"]
    return [_cell(entry, name, entry.other.label, (), styles).plain for name in columns]


def _widths(heads: Sequence[Text], rows: Sequence[Sequence[Text]]) -> list[int]:
    return [max(columns_of(cell.plain) for cell in column) for column in zip(heads, *rows, strict=True)]


def matrix(compared: Compared, width: int, styles: Styles) -> Grid:
    """Cases down, candidates across; each cell has its difference and its verdict's mark."""
    others = compared.sides[1:]
    entries_of: dict[tuple[str, str], Entry] = {(one.case, one.candidate): one for one in compared.unpaired}
    entries_of |= {(one.comparison.case, one.other.label): one for one in compared.judged}
    medians = {
        one.comparison.case: number(one.comparison.base.median, one.comparison.unit)
        for one in compared.judged
    }
    # cases that were chosen one by one are compared under names that neither side has: inet4 / inet6
    known = dict.fromkeys(case for case, _ in entries_of)
    cases = [case for case in compared.cases if case in known]
    cases += [case for case in known if case not in cases]
    cells = [[entries_of.get((case, other.label)) for other in others] for case in cases]
    longest = max([len(median) for median in medians.values()] + [len("base median")])
    left = width - longest - 2 * _PADDING - _SCROLLBAR
    for short in (False, True):
        texts = [[difference(entry, short, styles) for entry in row] for row in cells]
        each = max([columns_of(text.plain) for row in texts for text in row] + [_CANDIDATE_LEAST])
        room = left - len(others) * (each + _PADDING)
        if room >= min(_NAME_WANTED, max(map(columns_of, cases))):
            break
    name = max(min(max(map(columns_of, cases)), room), _NAME_LEAST)
    heads = [
        Text(shorten(_what(compared), name)),
        Text("base median", justify="right"),
        *(Text(label) for label in shorten_apart([other.label for other in others], each)),
    ]
    rows = []
    names = shorten_apart(cases, name)
    for case, shown, row in zip(cases, names, texts, strict=True):
        median = medians.get(case, figures.NONE)
        rows.append((Text(shown), Text(median, justify="right"), *row))
    about = tuple((_first(row), _first(row), *row) for row in cells)
    return Grid(tuple(heads), tuple(rows), about, cells_drop(short))


def cells_drop(short: bool) -> tuple[str, ...]:
    """What a table of differences omits; `short`: also their intervals."""
    return ("medians", "words", "interval") if short else ("medians", "words")


def _first(row: Sequence[Entry | None]) -> Entry | None:
    return next((entry for entry in row if isinstance(entry, Judged)), row[0] if row else None)


def difference(entry: Entry | None, short: bool, styles: Styles) -> Text:
    """The difference of an entry with its verdict's mark, `short` without its interval."""
    if isinstance(entry, Judged):
        comparison = entry.comparison
        shown = wording.difference_parts(comparison.difference, comparison.unit)
        figure = shown.value if short else str(shown)
        return Text(
            f"{MARKS[comparison.verdict]} {figure}{bearing.mark(comparison)}",
            style=styles.bold(f"verdict-{comparison.verdict}"),
        )
    return Text(f"{NOT_COMPARABLE} not comparable" if entry and not short else NOT_COMPARABLE, styles["dim"])
