"""Checks cells against the data they are about: each agrees, contradicts them, or is not checked, and why."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fwdtui.check.cells.candidates import BASE as BASE_ROLE
from fwdtui.check.cells.candidates import LATER as LATER_ROLE
from fwdtui.check.cells.candidates import Candidate, Pool, Words
from fwdtui.check.cells.files import Data, by_spelling, compared, in_order
from fwdtui.check.cells.labels import BASE, EXCLUSIVE, LATER, SAYS_LITTLE, name_words, spelled
from fwdtui.check.cells.matching import Asked, Match, find, fitting
from fwdtui.check.cells.reading import STATISTICS, Cell, Grid, read_grid
from fwdtui.check.cells.table_words import Names, TableWords
from fwdtui.check.findings import Source
from fwdtui.check.headings import Headings
from fwdtui.check.interval import Interval
from fwdtui.check.judge import UNDECIDED, against, supported, undecided
from fwdtui.check.markdown import Opaque
from fwdtui.check.orientation import FORWARD, REVERSED
from fwdtui.check.results import Result
from fwdtui.core.parse.ministat_block import ROW_DIGITS, Row

_BLOCK, _FILE = "ministat block", "value file"
_WAY_ONLY = ("not", "direction")  # claims that say nothing but which way values went
_MOST_PASSED_OVER = 20  # candidates that a nearer name passes over before a cell is left unchecked


@dataclass(frozen=True, slots=True)
class Verdict:
    """One cell. `agrees` is None where it was not checked: `reason` says why not, else what the data say."""

    cell: Cell
    agrees: bool | None
    reason: str
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """What the cells of a text are checked against. `margin` (percent): a difference up to it counts as none.

    `without`: the sections that say that they have no block.
    """

    headings: Headings
    sets: Pool
    compared: Pool
    data: Data | None
    margin: float
    without: frozenset[int] = frozenset()


def judge_table(part: Opaque, held: Held) -> Iterator[Verdict]:
    """The verdicts on all measuring cells of a Markdown table, in order."""
    if part.table is None:
        return
    caption = held.headings.caption(part)
    above = held.headings.above(part.section)
    grid = read_grid(part.table, (caption, *above))
    if not grid.cells:
        return
    yield from _Table(part, grid, held, caption, above).verdicts()


class _Table:
    def __init__(self, part: Opaque, grid: Grid, held: Held, caption: str, above: Sequence[str]) -> None:
        self._part, self._grid, self._held = part, grid, held
        self._caption, self._above = caption, above
        self._files = held.data.pool if held.data is not None else Pool(())
        self._words: dict[int, TableWords] = {
            id(pool): TableWords(part.section, grid, pool, caption, above, held.headings)
            for pool in (held.sets, held.compared, self._files)
        }
        measuring = sorted({cell.column for cell in grid.cells})
        self._labels = Names(grid.labels)
        # "median, baseline" beside files called "on" and "off": which of them is the baseline is not known
        states = frozenset[str]().union(*map(name_words, grid.headings)) & (BASE | LATER)
        self._calls_another_the_base = any(not self._files.having(word) for word in states)
        self._differences = Names([grid.headings[at] for at in measuring if at in grid.differences])
        self._values = Names([grid.headings[at] for at in measuring if at not in grid.differences])
        texts = held.headings.texts if held.without else {}
        self._without = frozenset(label for label in grid.labels if _section(label, texts) in held.without)
        # value files that the cells of a row were matched to, and the rows of blocks, from left to right
        self._rows: dict[int, list[Candidate]] = {}
        self._sets: dict[int, list[Row]] = {}

    def verdicts(self) -> Iterator[Verdict]:
        """All verdicts, in order. Values are judged first: a row's differences may be those of its values."""
        by_place = {
            place: self._verdict(cell)
            for place, cell in sorted(enumerate(self._grid.cells), key=lambda one: bool(one[1].claims))
        }
        for place in sorted(by_place):
            yield by_place[place]

    def _verdict(self, cell: Cell) -> Verdict:
        if cell.why_not:
            return Verdict(cell, None, cell.why_not)
        held = self._held
        if not (held.sets.candidates or self._files.candidates):
            return Verdict(cell, None, "the text has no ministat block" if held.data is None else
                           "there is neither a ministat block nor a value file")  # fmt: skip
        outcomes = [*(self._of_value(cell) if cell.value is not None else self._of_difference(cell))]
        judged = [one for one in outcomes if isinstance(one, Verdict)]
        if not judged:
            why_not = dict.fromkeys(one.why_not for one in outcomes if isinstance(one, Match))
            return Verdict(cell, None, "; ".join(why_not))
        wrong = [one for one in judged if not one.agrees]
        told = wrong or judged
        return Verdict(
            cell,
            not wrong,
            " and ".join(one.reason for one in told),
            tuple(s for one in told for s in one.sources),
        )

    def _of_value(self, cell: Cell) -> Iterator[Verdict | Match]:
        for pool, what in ((self._held.sets, _BLOCK), (self._files, _FILE)):
            if not pool.candidates:
                continue
            match = self._find(pool, cell, what)
            if match.one is None or match.one.row is None:
                yield match
                continue
            if pool is self._files:
                self._rows.setdefault(cell.row, []).append(match.one)
            else:
                self._sets.setdefault(cell.row, []).append(match.one.row)
            yield _value(cell, match.one, match.one.row, what)

    def _of_difference(self, cell: Cell) -> Iterator[Verdict | Match]:
        if self._held.sets.candidates:
            match = self._find(self._held.compared, cell, _BLOCK)
            if match.one is not None and match.one.result is not None:
                label = self._grid.labels[cell.row].lower() if match.of == "words" else ""
                sets = self._sets.get(cell.row, ())
                yield self._difference(cell, match.one.result, (match.one.source,), label, sets)
            else:
                yield match
        if self._files.candidates:
            yield from self._of_files(cell)

    def _find(self, pool: Pool, cell: Cell, what: str) -> Match:
        words = self._words[id(pool)]
        if self._grid.labels[cell.row] in self._without and pool is not self._files:
            return Match(None, "the text says that it has no ministat table for this")
        if words.unknown:
            return Match(None, f"the text above the table mentions {words.unknown!r}, but no {what} does")
        asked = self._asked(words, cell, pool)
        if pool is self._held.compared:
            # the words of both sets, else those of the later one, else those of either
            stages: Sequence[Words] = ("shared", "later", "words")
        else:
            stages = ("shared" if asked.role == BASE_ROLE else "words",)
        allowed, why_not = words.allowed, ""
        for _ in range(_MOST_PASSED_OVER):
            match = find(pool, asked, allowed, what, stages)
            closer = self._closer(words, cell, match)
            if match.one is None or not closer:
                return match if match.one or not why_not else Match(None, why_not)
            why_not = f"{closer!r} names {match.one.where} more closely"
            # of those that hold the same numbers only one was found: another may be meant
            allowed &= ~pool.bit(match.one)
        return Match(None, why_not)

    def _closer(self, words: TableWords, cell: Cell, match: Match) -> str:
        """The label of another row, or the heading of another column, that fits `match` better; "": none."""
        if match.one is None:
            return ""
        # rows that differ in what was measured later have one baseline
        has: frozenset[str] = match.one.words if match.one.role == BASE_ROLE else getattr(match.one, match.of)
        columns = self._differences if cell.column in self._grid.differences else self._values
        own = (self._grid.labels[cell.row], self._grid.headings[cell.column])
        if _tells(words.rows[cell.row], own[0]) and (label := self._labels.closer(own[0], has)):
            return label
        return columns.closer(own[1], has) if _tells(words.columns[cell.column], own[1]) else ""

    def _asked(self, words: TableWords, cell: Cell, pool: Pool) -> Asked:
        row, column = words.rows[cell.row], words.columns[cell.column]
        required, role = row | column, ""
        if pool is self._held.sets:
            for names, one in ((BASE, BASE_ROLE), (LATER, LATER_ROLE)):
                meant = {word for word in required & names if not pool.having(word)}
                if meant:
                    role, required = role or one, required - meant
        elif pool is self._held.compared:
            # "vs. baseline", and "after" at the head of a column of values with their changes
            required -= {word for word in required & (BASE | LATER) if not pool.having(word)}
        labels = f"{self._grid.labels[cell.row]} {self._grid.headings[cell.column]}"
        required |= {
            word
            for word in words.caption
            if not any(word in group and required & group for group in EXCLUSIVE)
        }
        return Asked(
            required,
            text=f"{labels} {self._caption}",
            hints=words.hints,
            role=role,
            section=self._part.section,
            folder=self._held.data.report if self._held.data is not None else None,
            said=name_words(labels),
            table=words.table,
        )

    def _of_files(self, cell: Cell) -> Iterator[Verdict | Match]:
        """A difference of two value files: those of the values in its row, else the only two that fit."""
        beside = list({one.name: one for one in self._rows.get(cell.row, ())}.values())
        pair = beside if len(beside) == 2 else []
        if not pair:
            words = self._words[id(self._files)]
            if words.unknown:
                yield Match(None, f"the text above the table mentions {words.unknown!r}, but no {_FILE} does")
                return
            asked = self._asked(words, cell, self._files)
            pair = fitting(self._files, asked, self._files.all)
            if len(pair) == 2 and (pair[0].own ^ pair[1].own) & words.table:
                yield Match(None, f"the table tells {pair[0].where} and {pair[1].where} apart elsewhere")
                return
            if len(pair) != 2:
                some = {0: "no value file fits", 1: "one value file fits, not two"}
                count = some.get(len(pair), f"{len(pair)} value files fit, not two")
                yield Match(None, f"{count}: {_words(asked)}" if asked.required else count)
                return
        sources = tuple(one.source for one in pair)
        base_first = in_order(*pair) or by_spelling(*pair)
        if base_first and not self._calls_another_the_base:
            yield self._of_two(cell, base_first, sources)
            return
        results = [compared(*pair), compared(*reversed(pair))]
        judged = [
            self._difference(cell, one, sources, way=FORWARD) for one in results if isinstance(one, Result)
        ]
        if not judged:
            yield from (Match(None, one) for one in results[:1] if isinstance(one, str))
            return
        # the names do not say which of the two is the base: the cell may mean either
        agreeing = [one for one in judged if isinstance(one, Verdict) and one.agrees]
        if agreeing and len(agreeing) < len(judged) and all(one.kind in _WAY_ONLY for one in cell.claims):
            yield Match(None, UNDECIDED)
        else:
            yield next(iter(agreeing), judged[0])

    def _of_two(
        self, cell: Cell, base_first: tuple[Candidate, Candidate], sources: tuple[Source, ...]
    ) -> Verdict | Match:
        """The verdict on a difference of two value files of which the first is the base.

        If their values stand in the row the other way round, it may also be read from left to right.
        """
        base, other = base_first
        result, turned = compared(base, other), compared(other, base)
        if isinstance(result, str) or isinstance(turned, str):
            return Match(None, next(one for one in (result, turned) if isinstance(one, str)))
        label = f"{self._grid.labels[cell.row]} {self._grid.headings[cell.column]}".lower()
        names = [one.name for one in self._rows.get(cell.row, ())]
        beside = (result.base, result.other) if names == [base.name, other.name] else ()
        verdict = self._difference(cell, result, sources, label, beside)
        if names == [other.name, base.name] and not (isinstance(verdict, Verdict) and verdict.agrees):
            read_on = self._difference(cell, turned, sources, way=FORWARD)
            return read_on if isinstance(read_on, Verdict) and read_on.agrees else verdict
        return verdict

    def _difference(
        self,
        cell: Cell,
        result: Result,
        sources: tuple[Source, ...],
        label: str = "",
        beside: Sequence[Row] = (),
        *,
        way: str = "",
    ) -> Verdict | Match:
        """The verdict on a cell that is about `result`.

        `label`: words that may say which of the two sets the cell is about. `beside`: the sets whose values
        are in its row, from left to right. `way`: which set is compared with which, if that is known.
        """
        result = result.of(cell.statistic)
        sets = [row for row in beside if row in (result.base, result.other)]
        left_to_right = sets[:1] == [result.base] and result.other in sets
        margin, is_open = self._held.margin, False
        for claim in cell.claims:
            about = replace(claim, clause=label, split=0)
            unsaid = not way and undecided(about, result, margin)
            if unsaid and left_to_right:
                unsaid, way = False, FORWARD  # the values beside it say which way
            reason = against(about, result, margin, way=way)
            if reason and sets[:1] == [result.other] and result.base in sets:
                # "D1 | r1 | change": of D1 against r1, or from left to right
                reason = against(about, result, margin, way=REVERSED) and reason
            if reason:
                return Verdict(cell, False, f"{result.where} {reason}", sources)
            is_open = is_open or unsaid
        if is_open:
            return Match(None, UNDECIDED)
        claim = next((one for one in cell.claims if one.kind in ("same", "not")), cell.claims[0])
        return Verdict(cell, True, supported(claim, result, margin), sources)


def _value(cell: Cell, one: Candidate, row: Row, what: str) -> Verdict | Match:
    assert cell.value is not None
    if cell.unit and cell.unit != one.unit and not one.name.endswith(f" {cell.unit}"):
        return Match(None, f"the cell is in {cell.unit}, but the {what} does not say that its values are")
    names = [cell.statistic] if cell.statistic else ["median", "avg"]
    printed = [(STATISTICS[name], getattr(row, name)) for name in names]
    answers = {cell.value.fits(Interval.of(number, ROW_DIGITS)) for _, number in printed}
    fits = True in answers
    # a number without a unit that is of another magnitude is perhaps no rate at all
    strange = not cell.sure and not any(cell.value.near(number.value) for _, number in printed)
    if not fits and (strange or None in answers):
        return Match(
            None,
            f"it is not clear what the cell measures, and the values in the {what}s are of another magnitude",
        )
    told = " and ".join(f"{name} {number.text}" for name, number in printed)
    return Verdict(cell, fits, f"{one.where} has the {told}", (one.source,))


def _section(label: str, texts: Mapping[int, str]) -> int | None:
    """The section whose heading a row's label begins with, as in a report of our own; None: there is none."""
    plain = f"{label.replace(', ', ' ')} "
    fitting = [section for section, text in texts.items() if plain.startswith(f"{text} ")]
    return max(fitting, key=lambda section: len(texts[section]), default=None)


def _tells(words: frozenset[str], label: str) -> bool:
    """Whether a label says what it is about, even if that is as little as "forwarding"."""
    return bool(words or name_words(label) & SAYS_LITTLE)


def _words(asked: Asked) -> str:
    return ", ".join(dict.fromkeys(repr(spelled(word, asked.text)) for word in sorted(asked.required)))
