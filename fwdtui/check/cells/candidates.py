"""What a cell may be about: sets of values and comparisons of two, with the words that they are called by."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fwdtui.check.cells.labels import EXCLUSIVE, FAMILIES, SAYS_NOTHING, name_words
from fwdtui.check.continued import continued
from fwdtui.check.findings import Source
from fwdtui.check.headings import Headings
from fwdtui.check.markdown import Table
from fwdtui.check.results import Result, results
from fwdtui.core.parse.ministat_block import SYMBOLS, Row

MOST = 2000
"""Most sets of blocks, and as many comparisons of them, that cells are checked against."""
LABEL_WORDS = 8
"""A caption this short says what all of its table or block is about."""
Words = Literal["words", "shared", "later"]
"""The names of a candidate's sets of words."""
BASE, LATER, NEITHER = "base", "later", ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A set (`row`) or a comparison (`result`).

    - `words`: all that it may be called by
    - `own`: the telling words of its name; for a comparison, of the name of its later set
    - `shared`: for a comparison, the words that both its sets have; for a set, `words`, and for the first set
      of a block also those of the block's other sets, as it is their base
    - `later`: for a comparison, the words of its later set
    - `section`: that of its block; None for value files
    - `folder`, `unit`: for a value file, the folder it is in and the unit that it names
    """

    name: str
    where: str
    source: Source
    words: frozenset[str]
    shared: frozenset[str]
    own: frozenset[str]
    row: Row | None = None
    result: Result | None = None
    later: frozenset[str] = frozenset()
    role: str = NEITHER
    section: int | None = None
    folder: str = ""
    unit: str = ""

    @property
    def numbers(self) -> tuple[object, ...]:
        """The same for two candidates that hold the same data."""
        rows = [self.row] if self.row else [self.result.base, self.result.other] if self.result else []
        parts = ("min", "max", "median", "avg", "stddev")
        return tuple((row.n, *(getattr(row, part).value for part in parts)) for row in rows)


class Pool:
    """Candidates of one kind, found by their words. A set of candidates is an int with one bit for each."""

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.candidates = candidates
        self.all = (1 << len(candidates)) - 1
        self.known = frozenset[str]().union(*(one.words for one in candidates))
        self.roles = by_word(frozenset((one.role,)) for one in candidates)
        self.sections: dict[int | None, int] = {}
        for place, one in enumerate(candidates):
            self.sections[one.section] = self.sections.get(one.section, 0) | (1 << place)
        self._having: dict[Words, dict[str, int]] = {
            "words": by_word(one.words for one in candidates),
            "shared": by_word(one.shared for one in candidates),
            "later": by_word(one.later for one in candidates),
        }

    def bit(self, one: Candidate) -> int:
        """The bit of one of the candidates."""
        return 1 << next(place for place, other in enumerate(self.candidates) if other is one)

    def having(self, word: str, of: Words = "words") -> int:
        """Those that have `word` in their set of words `of`; for "~x" those that have it, or lack x."""
        index = self._having[of]
        if word.startswith("~"):
            return index.get(word, 0) | (self.all & ~self._having["words"].get(word[1:], 0))
        return index.get(word, 0)

    def chosen(self, bits: int, most: int) -> list[Candidate]:
        """The first candidates of a set of bits, in order."""
        chosen: list[Candidate] = []
        while bits and len(chosen) < most:
            last = bits & -bits
            chosen.append(self.candidates[last.bit_length() - 1])
            bits ^= last
        return chosen


def by_word(words: Iterable[frozenset[str]]) -> dict[str, int]:
    """Word -> the places of those `words` that have it, as bits."""
    index: dict[str, int] = {}
    for place, of_one in enumerate(words):
        for word in of_one:
            index[word] = index.get(word, 0) | (1 << place)
    return index


def of_blocks(file: str, tables: Sequence[Table], headings: Headings) -> tuple[Pool, Pool]:
    """The sets and the comparisons of the blocks of a text."""
    sets: list[Candidate] = []
    compared: list[Candidate] = []
    runs = continued(tables)
    for table in tables:
        around = name_words(", ".join(headings.above(table.section)), prose=True)
        around |= _of_caption(headings.caption(table))
        # the last sentence above may be about a set of a further block of the same comparison
        of_all = [name for one in runs[id(table)].tables for name in one.block.names]
        around -= _words_of(of_all) - _words_of(table.block.names)
        sets += _sets(file, table, around)
        compared += _comparisons(file, table, around)
    return Pool(sets[:MOST]), Pool(compared[:MOST])


def _words_of(names: Iterable[str]) -> frozenset[str]:
    return frozenset[str]().union(*map(name_words, names))


def _sets(file: str, table: Table, around: frozenset[str]) -> Iterator[Candidate]:
    block = table.block
    names = [name_words(block.name(row)) for row in block.rows]
    all_names = Counter(word for name in names for word in name)
    for row, own in zip(block.rows, names, strict=True):
        others = frozenset(word for word in all_names if word not in own)
        words = own | _from_around(around - others, own)
        base = row.symbol == SYMBOLS[0]
        called = f"{row.symbol} {block.name(row)}".strip()
        yield Candidate(
            name=block.name(row),
            where=f"the block at lines {block.first_line}–{block.last_line} ({called})",
            source=Source(file, row.line, row.line),
            words=words,
            shared=words | others if base else words,
            own=telling(own),
            row=row,
            role=BASE if base else LATER,
            section=table.section,
        )


def _comparisons(file: str, table: Table, around: frozenset[str]) -> Iterator[Candidate]:
    block = table.block
    all_names = _words_of(block.names)
    for result in results(block):
        base, other = (name_words(name) for name in result.names)
        own = base | other
        # a sentence above the block may be about another of its sets
        words = own | _from_around(around - (all_names - own), own)
        yield Candidate(
            name=" against ".join(reversed(result.names)),
            where=result.where,
            source=Source(file, block.first_line, block.last_line),
            words=words,
            shared=(base & other) | (words - own),
            later=other | (words - own),
            own=telling(other),
            result=result,
            section=table.section,
        )


def telling(words: frozenset[str]) -> frozenset[str]:
    """The words of a name that a heading would have to repeat to mean this one and no other."""
    stems = {word for word in words if not word.startswith("=")}
    return frozenset(stems - SAYS_NOTHING)


def _of_caption(caption: str) -> frozenset[str]:
    """The words of a label above a block; of a sentence only the address family and identifiers."""
    words = name_words(caption, prose=True)
    if caption.endswith(":") and len(caption.split()) <= LABEL_WORDS:
        return words
    return frozenset(
        word for word in words if word in FAMILIES or (word[0].isalpha() and any(map(str.isdigit, word)))
    )


def _from_around(around: frozenset[str], own: frozenset[str]) -> frozenset[str]:
    """The words of captions and headings that a set's name does not contradict."""
    kept = around
    for group in EXCLUSIVE:
        if own & group or group <= around:
            kept = kept - group
    return kept
