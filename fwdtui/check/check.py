"""Checks one text: its blocks against themselves, its sentences and its tables against the data."""

from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING

from fwdtui.check.claims import LONGEST, Claim
from fwdtui.check.equivalence import MARGIN
from fwdtui.check.findings import Checked, Finding, Source
from fwdtui.check.headings import LONGEST as LONGEST_HEADING
from fwdtui.check.headings import Headings
from fwdtui.check.judged_claims import JudgedClaim, judged_claims
from fwdtui.check.margins import of_text
from fwdtui.check.markdown import Opaque, Table, Unit, elements
from fwdtui.check.nearest import MOST_BELOW, MOST_TABLES, Document
from fwdtui.check.revisions import other_revisions
from fwdtui.check.sentences import Sentence, sentences
from fwdtui.check.table import check_block
from fwdtui.check.unread import unread_claims
from fwdtui.core.parse.fields import Skipped
from fwdtui.core.parse.markdown_table import parse_markdown_tables
from fwdtui.core.parse.ministat_block import LONGEST_LINE, parse_ministat_blocks, split_lines
from fwdtui.core.text import clean

if TYPE_CHECKING:
    from fwdtui.check.cells.files import Data
    from fwdtui.check.cells.judging import Verdict
    from fwdtui.check.cells.linked import Links

_NO_BLOCK = "no ministat table: it needs ", "no ministat table: ministat cannot plot "
"""How a report of our own begins to say that a case has no block (`report.ministat_block`)."""
MOST_GRIDS = 500
"""Most Markdown tables of a text that are read."""
MOST_CELLS = 10_000
"""Most cells of a text that are read."""


def check_text(file: str, text: str, data: "Data | None" = None) -> Checked:
    """Check a text (Markdown, mail, plain) that is called `file` in the findings; never raises.

    `data`: value files against which these are checked, too: the cells of its tables, its sentences that no
    block belongs to, and the blocks that name such files.
    """
    return _Check(file, text, data).checked()


class _Check:
    def __init__(self, file: str, text: str, data: "Data | None") -> None:
        self._file, self._text, self._data = file, text, data
        self._lines = split_lines(text)
        self._blocks = parse_ministat_blocks(text)
        self._grids = parse_markdown_tables(text)
        self._parts = elements(text, self._blocks.value, self._grids.value)
        self._skipped = [*self._blocks.skipped, *self._grids.skipped]

    def checked(self) -> Checked:
        """What the whole check found."""
        findings = [*self._of_blocks()]
        read = {at: tuple(sentences(part)) for at, part in enumerate(self._parts) if isinstance(part, Unit)}
        document = Document(self._parts, read)
        named = of_text(one.text.lower() for part in read.values() for one in part)
        margin = MARGIN if named is None else named
        without = self._without_block()
        judged = list(judged_claims(self._file, document, read, margin, self._data, without))
        findings += [self._claim(one, one.reason) for one in judged if one.reason and one.sources]
        self._skipped += [
            f"line {line}: more than {MOST_TABLES} blocks up to the next heading: "
            "no list is checked against them"
            for line in document.unread()
        ]
        self._skipped += [
            f"line {line}: more than {MOST_BELOW} blocks under lower headings: "
            "this claim is not checked against them"
            for line in dict.fromkeys(document.unread_below)
        ]
        self._skipped += [
            f"line {line}: only the first {LONGEST_HEADING} characters of this are read "
            "as a heading or a caption"
            for line in document.headings.too_long()
        ]
        self._skipped += _too_long(self._lines, (one for part in read.values() for one in part))
        unchecked = [
            self._finding(one.claim.line, "not-checked", f"{one.claim.shown!r}: {one.why_not}.")
            for one in judged
            if one.why_not
        ]
        unchecked += [
            self._finding(line, "not-checked", message) for line, message in unread_claims(document, read)
        ]
        unchecked += self._not_there()
        findings += [
            self._finding(line, "revision", message, sources=(Source(self._file, first, last),))
            for line, message, first, last in other_revisions(self._parts, self._lines)
        ]
        cells = list(self._of_cells(document.headings, margin, without))
        findings += [one for _, one in cells if one.kind == "cell"]
        findings.sort(key=lambda finding: finding.line)
        unchecked += [one for _, one in cells if one.kind == "not-checked"]
        unchecked.sort(key=lambda one: one.line)
        agreeing = [self._agrees(one) for one in judged if one.agrees and not one.reason]
        agreeing += [one for _, one in cells if one.kind == "agrees"]
        return Checked(
            tuple(findings),
            len(self._blocks.value),
            len({(one.claim.line, one.claim.text) for one in judged if one.sources and not one.why_not}),
            tuple(self._skipped),
            len({table for table, _ in cells}),
            len(cells) - sum(one.kind == "not-checked" for _, one in cells),
            tuple(sorted(agreeing, key=lambda one: one.line)),
            tuple(unchecked),
        )

    def _shown(self, line: int) -> str:
        return clean(self._lines[line - 1][:LONGEST_LINE]).strip()

    def _finding(
        self,
        line: int,
        kind: str,
        message: str,
        cell: str | None = None,
        data: str | None = None,
        sources: tuple[Source, ...] = (),
    ) -> Finding:
        return Finding(self._file, line, kind, self._shown(line), message, cell, data, sources)

    def _of_blocks(self) -> Iterator[Finding]:
        for block in self._blocks.value:
            source = Source(self._file, block.first_line, block.last_line)
            for line, reason in check_block(block):
                message = f"{reason[0].upper()}{reason[1:]}."
                yield self._finding(line, "table", message, sources=(source,))
            if self._data is None:
                continue
            from fwdtui.check.cells.files import against_files

            linked = partial(self._linked.of_row, self._data)
            for line, says, has, place in against_files(self._data, block, linked):
                message = f"The row says {says}, but {has}."
                yield self._finding(line, "table", message, data=has, sources=(place,))

    @cached_property
    def _linked(self) -> "Links":
        from fwdtui.check.cells.linked import links_of

        return links_of(self._lines)

    def _not_there(self) -> Iterator[Finding]:
        """Sets whose value file the text links, but the folder lacks."""
        if self._data is None or not self._blocks.value:
            return
        from fwdtui.check.cells.linked import missing

        for line, path in missing(self._linked, self._data, self._blocks.value):
            yield self._finding(line, "not-checked", f"{path!r}: {self._data.folder} has no such value file.")

    def _claim(self, one: JudgedClaim, reason: str) -> Finding:
        message = f"The sentence says {_said(one.claim)}, but {reason}."
        return self._finding(one.claim.line, "claim", message, data=reason, sources=one.sources)

    def _agrees(self, one: JudgedClaim) -> Finding:
        message = f"The sentence says {_said(one.claim)}, and {one.agrees}."
        return self._finding(one.claim.line, "agrees", message, data=one.agrees, sources=one.sources)

    def _of_cells(
        self, headings: Headings, margin: float, without: frozenset[int]
    ) -> Iterator[tuple[int, Finding]]:
        """The cells of the tables, each with the line of its table."""
        grids = [part for part in self._parts if isinstance(part, Opaque) and part.table is not None]
        if not grids:
            return
        from fwdtui.check.cells.candidates import MOST, of_blocks
        from fwdtui.check.cells.judging import Held, judge_table

        blocks = [part for part in self._parts if isinstance(part, Table)]
        if sum(len(one.block.rows) for one in blocks) > MOST:
            self._skipped.append(
                f"more than {MOST} sets in ministat blocks: cells are checked only against the first {MOST}"
            )
        held = Held(headings, *of_blocks(self._file, blocks, headings), self._data, margin, without)
        size = 0
        for place, part in enumerate(grids):
            assert part.table is not None
            size += len(part.table.rows) * len(part.table.header.cells)
            if place >= MOST_GRIDS or size > MOST_CELLS:
                limit = f"{MOST_GRIDS} tables" if place >= MOST_GRIDS else f"{MOST_CELLS} cells"
                self._skipped.append(
                    f"line {part.first_line}: more than {limit}: this table and those below are not checked"
                )
                return
            for verdict in judge_table(part, held):
                yield part.first_line, self._cell(verdict)

    def _without_block(self) -> frozenset[int]:
        """The sections that say that they have no block."""
        return frozenset(
            part.section
            for part in self._parts
            if isinstance(part, Opaque) and part.table is None
            if any(line.startswith(_NO_BLOCK) for line in self._lines[part.first_line - 1 : part.last_line])
        )

    def _cell(self, verdict: "Verdict") -> Finding:
        cell, shown = verdict.cell, _short(verdict.cell.shown)
        if verdict.agrees is None:
            message = f"{verdict.reason[0].upper()}{verdict.reason[1:]}."
            return self._finding(cell.line, "not-checked", message, cell.shown)
        kind, how = ("agrees", "and") if verdict.agrees else ("cell", "but")
        of_loss = any(_is_plus_of_a_loss(claim) for claim in verdict.cell.claims)
        message = f"The cell says {shown!r}{' (worse)' if of_loss else ''}, {how} {verdict.reason}."
        return self._finding(cell.line, kind, message, cell.shown, verdict.reason, verdict.sources)


def _too_long(lines: Iterable[str], said: Iterable[Sentence]) -> tuple[str, ...]:
    """What is not read of lines and sentences because they are too long."""
    skipped = Skipped()
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST_LINE:
            skipped.note(f"line {number}: only its first {LONGEST_LINE} characters are read")
    for sentence in said:
        if len(sentence.text) > LONGEST:
            skipped.note(f"line {sentence.line}: a sentence of more than {LONGEST} characters is not read")
    return skipped.done()


_CELL_MOST = 60  # characters of a cell that a message repeats


def _short(text: str) -> str:
    return text if len(text) <= _CELL_MOST else text[: _CELL_MOST - 1] + "…"


def _is_plus_of_a_loss(claim: Claim) -> bool:
    """Whether it is an "overhead of +10 %", which beside a gain of 10 % would read as if it were right."""
    return claim.kind == "number" and claim.sign < 0 and claim.shown.lstrip("~ ").startswith("+")


def _said(claim: Claim) -> str:
    """The claimed figure, and its direction if words elsewhere give it: '1.7%' (worse)."""
    if _is_plus_of_a_loss(claim):
        return f"{claim.shown!r} (worse)"
    if claim.kind != "number" or not claim.sign or claim.shown.lstrip("~ ").startswith(("+", "−", "-")):
        return repr(claim.shown)
    better, worse = ("better", "worse") if claim.judging else ("more", "less")
    return f"{claim.shown!r} ({better if claim.sign > 0 else worse})"
