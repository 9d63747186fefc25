"""A Markdown table as its reader takes it: which cells label, which measure, and what each of those says.

The columns left of the first measuring one are labels, and so is a column of words. What a cell says about a
difference is read by the rules for sentences, as if it were written as "heading: cell".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from fwdtui.check import directions
from fwdtui.check import words as said
from fwdtui.check.cells.figures import Figure, figure, in_words, numbers_in, with_commas, without_unit
from fwdtui.check.claims import Claim, claims_in
from fwdtui.check.inline import readable
from fwdtui.check.percentages import PERCENT, as_written, size_of
from fwdtui.core.parse.markdown_table import MarkdownTable

_NOTHING = re.compile(r"[-–—.?*]*|n/?a|none measured", re.I)
_KEY = re.compile(
    r"\b(?:frames?|packets? (?:size|length)|sizes?|length|mtu|queues?|channels?|flows?|threads?|cores?|cpus?"
    r"|rules?|states?|routes?|revisions?|rev|dates?|years?|versions?|iterations?|runs?|nr|id)\b|^#$",
    re.I,
)
_DIFFERENCE = re.compile(
    r"\b(?:chang(?:e|es|ed)|diff(?:s|erences?)?|deltas?|gains?|loss(?:es)?|impacts?|effects?|improvements?|regressions?"
    r"|speed-?ups?|slow-?downs?|overhead|costs?|penalty|vs\.?|versus|relative|compared|verdict|faster|slower)\b|[Δδ∆]",
    re.I,
)
_CANDIDATE = "candidate"
_OF_WINDOWS, _OF_FACTS = "samples kept", "differs"  # of tables without results, in a report of our own
_WITHOUT_RESULTS = (  # other tables there, by their first headings: functions have CPU time
    ("function", "A %"), ("function", "share %"), ("factor", "level", "how it is set"),
    ("cell", "name", "trials planned"),
)  # fmt: skip
_OF_VERDICTS, _OF_SWEEPS = "p, adjusted", ("min", "max")  # of tables with results there
_IN_PERCENT = re.compile(r"%|\bper ?cent\b", re.I)
_A_RATIO = re.compile(r"\b(?:ratio|factor|speed-?up|times)\b", re.I)
_RATIO = re.compile(r"~?[0-9]{1,4}[.,][0-9]{1,4} ?x(?: (?:faster|slower|as (?:fast|much|many)))?", re.I)
"""With decimals: "2x" may be a number of ports."""
_REMARKED = re.compile(
    r"(?:[0-9]{5}[0-9.]{0,12}|[0-9]{1,3}(?:[,' ][0-9]{3}){1,5}) ?\([a-z][a-z ]{0,30}\)", re.I
)
"""A large figure and words; "64 (least)" is the label of a row."""
_COUNT = re.compile(r"(?:[≥>≤<]=? ?)?[0-9]+(?: (?:thousand|million))?", re.I)
_EXACT = re.compile(r"\(?[+-]?(?P<number>[0-9]{1,6}(?:[.,][0-9]{1,8})?) ?%(?! ?(?:-|–|to\b))")
_PERCENTAGES = re.compile(r"[+-]?[0-9][0-9.,]{0,9} ?%")
_SAME = re.compile(
    r"(?:(?:the )?same|none|nil|no|unchanged|identical|equal|indistinguishable|not (?:impacted|affected)|= ?)"
    r"(?: performance)?[.!]?$"
)
_NONE = re.compile(r"(?:none|nil|no)[.!]?")
"""Those of them that deny only what the heading names: "regression | none" claims no equality."""
_STATISTICS = {
    "median": re.compile(r"\bmedians?\b", re.I),
    "avg": re.compile(r"\b(?:means?|avg|averages?)\b", re.I),
    "min": re.compile(r"\bmin(?:imum)?\b", re.I),
    "max": re.compile(r"\bmax(?:imum)?\b", re.I),
    "stddev": re.compile(r"\bst(?:andar)?d\.? ?dev(?:iation)?\b", re.I),
}
_NO_RESULT = re.compile(r"n|p|p[- ,]+(?:values?|adjusted)|(?:nr?\.?|number) of \w+|iterations?|runs?", re.I)
_OTHER_RESULT = re.compile(
    rf"{said.OTHER_METRIC.pattern}"
    r"|\b(?:drops?|dropped|lost|errors?|usage|utili[sz]ation|idle|busy|cycles|share)\b"
)
_NOT_FORWARDED = re.compile(r"\b(?:drops?|dropped|lost|errors?|latency|jitter)\b")
_RATE = re.compile(
    r"\b(?:[kmg]?pps|packets?|throughput|forward(?:ing|ed)?|[kmg]b(?:it)?(?:/s|ps)|bandwidth)\b"
)
_LABELS, _MEASURES, _COUNTS = "labels", "measures", "counts"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell that measures. `shown` is its text; `why_not` says why it cannot be read, if it cannot.

    `claims` are about a difference (with the heading as their clause), `value` is a figure of one set.
    """

    line: int
    column: int
    row: int
    shown: str
    claims: tuple[Claim, ...] = ()
    value: Figure | None = None
    statistic: str = ""  # "median" "avg" "min" "max" "stddev", or "" where nothing says which one
    sure: bool = False  # whether a heading or the unit says that the value is a rate
    unit: str = ""  # of a value that is no rate, as the cell says it: "us/packet"
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table with the roles of its columns. Headings and labels are readable text."""

    table: MarkdownTable
    headings: tuple[str, ...]
    labels: tuple[str, ...]  # of each row
    cells: tuple[Cell, ...]
    differences: frozenset[int] = field(default_factory=frozenset)
    """The columns of differences."""


def read_grid(table: MarkdownTable, around: Sequence[str]) -> Grid:
    """Read a table. `around` is what is written above it, the nearest first: caption, headings."""
    headings = tuple(readable(cell) for cell in table.header.cells)
    texts = with_commas([tuple(readable(cell) for cell in row.cells) for row in table.rows])
    columns = [[row[place] for row in texts if place < len(row)] for place in range(len(headings))]
    roles = _roles(headings, columns)
    differences = frozenset(
        place for place, heading in enumerate(headings)
        if roles[place] == _MEASURES and _of_differences(heading, columns[place])
    )  # fmt: skip
    first = next((place for place, role in enumerate(roles) if role == _MEASURES), len(roles))
    naming = [place for place in range(first) if roles[place] == _LABELS]
    labels = tuple(", ".join(row[place] for place in naming if place < len(row)) for row in texts)
    signed = frozenset(
        place for place in differences
        if any(cell.lstrip("~( ").startswith(("+", "-")) for cell in columns[place])
    )  # fmt: skip
    mixed = frozenset(
        place for place in signed
        if directions.names_a_loss(headings[place]) and {"+", "-"} <= _signs(columns[place])
    )  # fmt: skip
    reader = _Reader(table, headings, texts, labels, roles, differences, signed, mixed, around)
    cells = tuple(reader.cells())
    return Grid(table, headings, labels, cells, differences)


def _roles(headings: Sequence[str], columns: Sequence[Sequence[str]]) -> list[str]:
    of_others = any(headings[: len(first)] == first for first in _WITHOUT_RESULTS)
    if _OF_WINDOWS in headings or headings[:1] == (_OF_FACTS,) or of_others:
        # "before" and "after" count samples there, and the names of the sides are headings of facts
        return [_LABELS] * len(headings)
    roles: list[str] = []
    levels = _levels(headings)
    for place, (heading, column) in enumerate(zip(headings, columns, strict=True)):
        filled = [cell for cell in column if not _NOTHING.fullmatch(cell)]
        if place < levels:
            roles.append(_LABELS)
            continue
        if place and _NO_RESULT.fullmatch(heading):
            roles.append(_COUNTS)
            continue
        measuring = sum(_measures(cell, heading) for cell in filled)
        key = _KEY.search(heading) is not None and _statistic((heading,)) == ""
        # in a report of our own, this column says which candidate the medians further to the right belong to
        key = key or (heading == _CANDIDATE and any(_CANDIDATE in other for other in headings[place + 1 :]))
        key = key and not any(PERCENT.search(cell) for cell in filled)
        if place == 0:
            # a first column of bare whole numbers is a size or a count, not a result
            key = key or (_statistic((heading,)) == "" and all(map(_is_count, filled)))
        left = _MEASURES not in roles
        mostly = measuring > 0 and 2 * measuring >= len(filled) and not (key and left)
        # among verdicts in words, those that say "the same" can be checked against data
        verdicts = place > 0 and _DIFFERENCE.search(heading) is not None and any(map(_says_same, filled))
        roles.append(_MEASURES if mostly or verdicts else _LABELS)
    return roles


def _is_count(cell: str) -> bool:
    return any(one.fullmatch(cell) for one in (_COUNT, _RATIO, _REMARKED))


def _levels(headings: Sequence[str]) -> int:
    """How many columns say what was varied, in a report of our own: "n" and medians follow them.

    In another table there may be results before "n".
    """
    place = headings.index("n") if "n" in headings else 0
    after = headings[place + 1 :]
    ours = _OF_VERDICTS in after or (place == 1 and tuple(after[1:3]) == _OF_SWEEPS)
    return place if ours and _statistic(after[:1]) == "median" else 0


def _measures(cell: str, heading: str) -> bool:
    if PERCENT.search(cell) or figure(without_unit(cell)[0], "") or _RATIO.fullmatch(cell):
        return True
    if _REMARKED.fullmatch(cell):
        return True
    if _DIFFERENCE.search(heading) and _says_same(cell):
        return True
    return numbers_in(cell) > 0 and not in_words(cell)


def _of_differences(heading: str, column: Sequence[str]) -> bool:
    signed = sum(1 for cell in column if (match := PERCENT.search(cell)) and match["sign"])
    return _DIFFERENCE.search(heading) is not None or 2 * signed > len(column)


@dataclass(frozen=True, slots=True)
class _Reader:
    table: MarkdownTable
    headings: Sequence[str]
    texts: Sequence[Sequence[str]]
    labels: Sequence[str]
    roles: Sequence[str]
    differences: frozenset[int]
    signed: frozenset[int]  # columns of differences in which a sign is written
    mixed: frozenset[int]  # those of them below the name of a loss, with both signs
    around: Sequence[str]

    def cells(self) -> Iterator[Cell]:
        for at, (row, text) in enumerate(zip(self.table.rows, self.texts, strict=True)):
            for place, cell in enumerate(text):
                role = self.roles[place]
                remark = role == _LABELS and _MEASURES in self.roles[:place] and _says_same(cell)
                if not (remark or role == _MEASURES) or _NOTHING.fullmatch(cell):
                    continue
                plain = Cell(row.line, place, at, row.cells[place])
                if remark or place in self.differences or PERCENT.search(cell):
                    yield from self._difference(plain, cell)
                else:
                    yield self._value(plain, cell)

    def _difference(self, plain: Cell, cell: str) -> Iterator[Cell]:
        heading, in_column = self.headings[plain.column], plain.column in self.differences
        percent = PERCENT.search(cell)
        if percent is None and _IN_PERCENT.search(heading) and figure(cell, ""):
            cell = f"{cell.strip()} %"
            percent = PERCENT.search(cell)
        if percent is not None and (before := cell[: percent.start()].rstrip("( ")) and figure(before, ""):
            # "874254 (-44.6 %)": a value and a difference
            yield self._value(plain, before)
            cell = cell[len(before) :].strip("() ")
            percent = PERCENT.search(cell)
        if percent is None and not _says_same(cell):
            if in_column and figure(cell, "") is not None:
                kind = "a ratio" if _A_RATIO.search(heading) else "a difference that is not in percent"
                yield replace(plain, why_not=f"{kind} is not read")
            elif _RATIO.fullmatch(cell):
                yield replace(plain, why_not="a ratio is not read")
            elif numbers_in(cell) and not in_words(cell):
                yield replace(plain, why_not="it is not one number")
        elif other := self._other(plain):
            yield replace(plain, why_not=other)
        elif said.NOT_OF_ITERATIONS.search(cell):
            yield replace(plain, why_not="a ministat block compares iterations, not boots or pairs of blocks")
        elif percent is not None and plain.column in self.mixed:
            why_not = f"the column {heading!r} has both signs, so a plus may be a loss or a gain"
            yield replace(plain, why_not=why_not)
        elif claims := tuple(self._claims(plain, cell)):
            # a caption on medians may be about the other columns only
            yield replace(plain, claims=claims, statistic=_statistic((heading,)))
        elif in_column or (percent is not None and percent["sign"]):
            yield replace(plain, why_not="it is not clear what this difference is relative to")
        else:
            yield replace(plain, why_not="a percentage that names no difference")

    def _claims(self, plain: Cell, cell: str) -> Iterator[Claim]:
        heading = self.headings[plain.column]
        if plain.column in self.differences and _SAME.fullmatch(cell.lower()):
            sign = _sign(heading) if _NONE.fullmatch(cell.lower()) else 0
            kind = "not" if sign else "same"
            yield Claim(plain.line, cell, heading.lower(), kind, cell, sign, in_words=True, judging=True)
            return
        name = _PERCENTAGES.sub(" ", heading).strip(" :")
        for text in (f"{name}: {cell}", cell):
            claims = list(claims_in(plain.line, text))
            if claims:
                break
        for claim in claims:
            if claim.kind != "number":
                yield claim
                continue
            # a figure in a table is as precise as it is written, and among signed ones it is a plus
            exact = _EXACT.match(cell)
            size = size_of(exact["number"]) if exact else None
            sign = claim.sign or int(plain.column in self.signed)
            if size and not size[0]:
                sign = 0  # a rounded zero
            low, high = as_written(*size, round_tens=False) if size else (claim.low, claim.high)
            # a bound is judged as in a sentence: without a proven difference the data show it, or cannot
            yield replace(claim, precise=claim.limit is None, sign=sign, low=low, high=high)

    def _value(self, plain: Cell, cell: str) -> Cell:
        heading, label = self.headings[plain.column], self.labels[plain.row]
        context = " ".join((heading, label, *self.around))
        bare, unit = without_unit(cell)
        value = figure(bare, context)
        if _RATIO.fullmatch(cell) or (value is not None and _A_RATIO.search(heading)):
            return replace(plain, why_not="a ratio is not read")
        if value is None:
            words = _REMARKED.fullmatch(cell) is not None
            return replace(plain, why_not=f"it {'has words beside its' if words else 'is not one'} number")
        if other := self._other(plain):
            return replace(plain, why_not=other)
        statistic = _statistic((heading, label, *self.around))
        sure = statistic != "" or _names_a_rate(context) or _names_a_rate(cell)
        return replace(plain, value=value, statistic=statistic, sure=sure, unit=unit)

    def _other(self, plain: Cell) -> str:
        """What a cell is about instead of forwarding; "" if nothing says so."""
        label = f"{self.labels[plain.row]} {self.headings[plain.column]}".lower()
        caption = self.around[0].lower() if self.around else ""
        other = _first(_OTHER_RESULT, label)
        if not other:
            # "throughput and CPU usage" above a table may be about either
            rate = _names_a_rate(label) or _names_a_rate(caption)
            other = _first(_NOT_FORWARDED if rate else _OTHER_RESULT, caption)
        return f"it is about {other!r}" if other else ""


def _signs(column: Sequence[str]) -> set[str]:
    """The signs of the percentages in a column that are not zero."""
    found = [match for cell in column for match in PERCENT.finditer(cell)]
    return {match["sign"] for match in found if match["sign"] and match["number"].strip("0.,")}


def _sign(heading: str) -> int:
    """+1 for a heading such as "faster", -1 for "regression", 0 for "impact" and for both at once."""
    text = heading.lower()
    return (directions.BETTER.search(text) is not None) - (directions.WORSE.search(text) is not None)


def _statistic(texts: Sequence[str]) -> str:
    """The statistic that the nearest text names; "" where it names none, or several."""
    for text in texts:
        if statistics := _statistics(text):
            return statistics[0] if len(statistics) == 1 else ""
    return ""


@lru_cache(maxsize=128)  # a heading is asked again for each cell below it, and so is the text above a table
def _statistics(text: str) -> tuple[str, ...]:
    return tuple(name for name, pattern in _STATISTICS.items() if pattern.search(text))


@lru_cache(maxsize=128)
def _first(pattern: re.Pattern[str], text: str) -> str:
    """The first match of the pattern; "" if there is none."""
    match = pattern.search(text)
    return match[0] if match else ""


@lru_cache(maxsize=128)
def _names_a_rate(text: str) -> bool:
    return _RATE.search(text.lower()) is not None


def _says_same(cell: str) -> bool:
    low = cell.lower()
    return _SAME.fullmatch(low) is not None or any(
        claim.kind in ("same", "not") for claim in claims_in(0, low)
    )


STATISTICS: Mapping[str, str] = {
    "median": "median", "avg": "average", "min": "minimum", "max": "maximum", "stddev": "standard deviation",
}  # fmt: skip
"""Name of a statistic in a row of ministat -> its name in words."""
