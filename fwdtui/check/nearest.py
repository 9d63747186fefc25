"""Which block a sentence is about: the one it introduces, or the one it draws a conclusion from.

Never across a heading, and never further than a few lines, except for a claim of no change about all that is
below its heading. Where the block above and the block below may both be meant, both are returned, and both
must contradict a claim.
"""

from collections.abc import Mapping, Sequence

from fwdtui.check.cells.labels import FAMILIES, label_words, name_words
from fwdtui.check.continued import continued
from fwdtui.check.headings import LONGEST, Headings
from fwdtui.check.markdown import Element, Opaque, Table, Unit
from fwdtui.check.results import named, results
from fwdtui.check.sentences import Sentence
from fwdtui.check.topics import topics_agree

_FAR = 8  # lines between a sentence and its block
_FAR_NAMED = 30  # if sentences on the other sets of the same block are in between
_LABEL_WORDS = 8
MOST_BELOW = 20
"""Blocks under lower headings that one claim may be about; with more, it is checked against none."""
MOST_TABLES = 100
"""The most blocks of a section that its summary is checked against; with more, it is not read."""
_ASIDE_LINES = 3  # one short remark may be between a sentence and its block


class Document:
    """The elements of a text with the sentences of its units, and their neighbours."""

    def __init__(self, parts: Sequence[Element], sentences: Mapping[int, Sequence[Sentence]]) -> None:
        self._parts = parts
        self._claims = frozenset(
            place for place, said in sentences.items() if any(sentence.claims for sentence in said)
        )
        self._labels = frozenset(
            place
            for place, part in enumerate(parts)
            if isinstance(part, Unit) and self._is_label(place, part)
        )
        self._places = {id(part): place for place, part in enumerate(parts)}
        self._claiming = self._claiming_items()
        self._tables: dict[int, list[Table]] = {}
        for part in parts:
            if isinstance(part, Table):
                self._tables.setdefault(part.section, []).append(part)
        self._abouts = {id(part): self._about(part) for part in parts if isinstance(part, Table)}
        self._texts: dict[int, str] = {}  # of the units that were asked for, by their place
        self._runs = continued([part for part in parts if isinstance(part, Table)])
        self.headings = Headings(parts)
        self._title = self.headings.title
        self._below: dict[int, list[tuple[Table, list[frozenset[str]]]]] = {}
        self._crowded: set[int] = set()
        self.unread_below: list[int] = []
        """The lines of claims that may be about more than MOST_BELOW blocks under lower headings."""

    def blocks_of(self, at: int, sentence: Sentence, clause: str) -> list[Table]:
        """The blocks that a clause of a sentence of the unit at `at` may be about."""
        unit = self._parts[at]
        assert isinstance(unit, Unit)
        if unit.kind == "item" and self._claiming[at] > 1:
            # a summary of several results: only if the words say which block is meant
            inside = self._tables.get(unit.section, [])
            return [
                table
                for table in (inside if len(inside) <= MOST_TABLES else ())
                if self._agree(clause, sentence, table) or self._names_one_set(sentence, table)
            ]
        tables = self._around(at, unit, sentence)
        return [table for table in tables if self._agree(clause, sentence, table) is not False]

    def blocks_near(self, at: int, sentence: Sentence) -> list[Table]:
        """The blocks around a sentence, whatever they are about."""
        unit = self._parts[at]
        assert isinstance(unit, Unit)
        return self._around(at, unit, sentence)

    def blocks_below(self, at: int, sentence: Sentence, clause: str) -> list[Table]:
        """The blocks that a claim about everything below its heading is about: those under lower headings.

        Only below a heading that is not the title's and has no block of its own, and only blocks in whose
        names the claim's words are: "tx_abdicate has no effect" is about those that compare it on and off.
        """
        section = self._parts[at].section
        if section in self._tables or not self.headings.within_the_text(section):
            return []
        if section not in self._below:
            inner = [one for below in self.headings.below(section) for one in self._tables.get(below, ())]
            if len(inner) > MOST_BELOW:
                self._crowded.add(section)
                inner = []
            self._below[section] = [
                (table, [name_words(name) for name in table.block.names]) for table in inner
            ]
        if section in self._crowded:
            self.unread_below.append(sentence.line)
        return [
            table
            for table, names in self._below[section]
            if _is_named(sentence, names) and self._agree(clause, sentence, table) is not False
        ]

    def section(self, at: int) -> int:
        """The section of the unit at `at`."""
        return self._parts[at].section

    def unread(self) -> list[int]:
        """The first lines of the sections whose summaries are not read, as they have too many blocks."""
        sections = {
            part.section
            for place, part in enumerate(self._parts)
            if isinstance(part, Unit) and part.kind == "item" and self._claiming[place] > 1
        }
        crowded = [self._tables[one] for one in sorted(sections & self._tables.keys())]
        return [tables[0].first_line for tables in crowded if len(tables) > MOST_TABLES]

    def _agree(self, clause: str, sentence: Sentence, table: Table) -> bool | None:
        return topics_agree(clause, sentence.text, self._abouts[id(table)], self._title)

    def _claiming_items(self) -> dict[int, int]:
        """For each list item how many items of its list claim something."""
        counts: dict[int, int] = {}
        run: list[int] = []
        for place, part in enumerate([*self._parts, None]):
            listed = isinstance(part, Unit) and part.kind == "item"
            if run and not (listed and part is not None and part.section == self._parts[run[0]].section):
                counts |= dict.fromkeys(run, len(self._claims.intersection(run)))
                run = []
            if listed:
                run.append(place)
        return counts

    def _around(self, at: int, unit: Unit, sentence: Sentence) -> list[Table]:
        above, below = self._walk(at, sentence, -1), self._walk(at, sentence, +1)
        introduces = sentence.last and unit.pieces[-1][1].endswith(":")
        if unit.kind == "heading" or (introduces and unit.kind != "arrow"):
            above = None
        elif unit.kind == "arrow" and above is not None:
            below = None
        elif above is not None and below is not None and sentence.last:
            gap_above = unit.first_line - above.last_line
            gap_below = below.first_line - unit.last_line
            if gap_below == 1 < gap_above:
                above = None
            elif gap_above == 1 < gap_below:
                below = None
        return [self._of_run(table, at, sentence) for table in (above, below) if table is not None]

    def _of_run(self, table: Table, at: int, sentence: Sentence) -> Table:
        """The block of a comparison in several that the sentence names, or else its unit; or the first one.

        "r9: faster. ministat (pooled Student's t): 63 %": the second sentence is about r9, too.
        """
        run = self._runs[id(table)]
        if not run.several:
            return table
        if at not in self._texts:  # it is as long as all of its sentences, each of which asks for it
            unit = self._parts[at]
            self._texts[at] = unit.text if isinstance(unit, Unit) else ""
        return run.named(sentence.text) or run.named(self._texts[at]) or table

    def _walk(self, at: int, sentence: Sentence, step: int) -> Table | None:
        """The next block up or down with nothing between but labels and at most one short remark.

        Claims may be in between if each names its own set of a block with several.
        """
        unit = self._parts[at]
        assert isinstance(unit, Unit)
        asides, claims = 0, 0
        place = at + step
        while 0 <= place < len(self._parts):
            part = self._parts[place]
            if part.section != unit.section or isinstance(part, Opaque) or part.depth != unit.depth:
                return None
            lines = part.first_line - unit.last_line if step > 0 else unit.first_line - part.last_line
            if lines > (_FAR_NAMED if claims else _FAR):
                return None
            if isinstance(part, Table):
                run = self._runs[id(part)]
                meant = run.named(sentence.text) if run.several else part
                return part if not claims or (meant and self._names_one_set(sentence, meant)) else None
            if part.kind == "arrow":
                if step > 0 or unit.kind != "arrow":
                    return None
            elif place in self._labels:
                if step < 0:
                    return None
            elif place in self._claims:
                claims += 1
            else:
                asides += 1
                if asides > 1 or part.last_line - part.first_line >= _ASIDE_LINES:
                    return None
            place += step
        return None

    def _names_one_set(self, sentence: Sentence, table: Table) -> bool:
        """Whether a sentence names a set of this block, if several sets are compared with the first."""
        run = self._runs[id(table)]
        if run.several:
            return run.named(sentence.text) is table
        return len(results(table.block)) > 1 and len(named(table.block, sentence.text)) == 1

    def _is_label(self, at: int, unit: Unit) -> bool:
        short = len(unit.pieces) <= 2 and len(unit.text.split()) <= _LABEL_WORDS
        return short and unit.text.endswith(":") and at not in self._claims

    def _about(self, table: Table) -> tuple[str, str]:
        """What a block is about: its names, and the label or heading above it."""
        place = self._places[id(table)] - 1
        above = ""
        if place >= 0:
            part = self._parts[place]
            if isinstance(part, Unit) and (part.kind == "heading" or place in self._labels):
                above = part.text[:LONGEST]
        return " ".join(table.block.names), above


def _is_named(sentence: Sentence, names: Sequence[frozenset[str]]) -> bool:
    """Whether a sentence has a word of a block's names, and these differ in more than the address family."""
    if len(names) < 2:
        return False
    said = label_words(sentence.text, frozenset().union(*names), prose=True)
    differing = frozenset().union(*names) - frozenset.intersection(*names)
    return bool(said & frozenset().union(*names)) and not (differing <= FAMILIES and not said & FAMILIES)
