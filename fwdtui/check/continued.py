"""A comparison in several blocks, as ministat takes seven sets: each block has the first set, and others.

In our own reports these blocks follow each other, with nothing in between.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fwdtui.check.markdown import Table
from fwdtui.check.results import labelled, results
from fwdtui.check.topics import stems
from fwdtui.core.parse.ministat_block import SYMBOLS, Row

_APART = 3  # lines from one block to the next: a blank one, and fences between the two
_MOST = 20  # blocks of one comparison


@dataclass(frozen=True, slots=True)
class Continued:
    """The blocks of one comparison, in order; most are alone.

    `telling`: word by which only one of its sets is called -> the block that the set is in.
    """

    tables: Sequence[Table]
    telling: Mapping[str, Table] = field(default_factory=dict)

    @property
    def several(self) -> bool:
        """Whether there is more than one block."""
        return len(self.tables) > 1

    def named(self, text: str) -> Table | None:
        """The block whose sets a text names; None if it names none, or sets of two blocks.

        Each word of a label may be in others, too: a text that begins with a whole label names that set.
        """
        begun = [table for table in self.tables if self.several and labelled(table.block, text)]
        if len(begun) == 1:
            return begun[0]
        named = {id(one): one for word in stems(text.lower()) if (one := self.telling.get(word)) is not None}
        return next(iter(named.values())) if len(named) == 1 else None


def continued(tables: Sequence[Table]) -> Mapping[int, Continued]:
    """The comparison that each block belongs to, by the block's id(). `tables` are in the text's order."""
    runs: list[list[Table]] = []
    for table in tables:
        if runs and len(runs[-1]) < _MOST and _goes_on(runs[-1][-1], table):
            runs[-1].append(table)
        else:
            runs.append([table])
    whole = [Continued(run, _telling(run) if len(run) > 1 else {}) for run in runs]
    return {id(table): one for one in whole for table in one.tables}


def _telling(run: Sequence[Table]) -> dict[str, Table]:
    named = [(table, stems(result.names[1].lower())) for table in run for result in results(table.block)]
    base = stems(run[0].block.names[0].lower())
    counted = Counter(word for _, words in named for word in words)
    return {word: table for table, words in named for word in words - base if counted[word] == 1}


def _goes_on(one: Table, other: Table) -> bool:
    first, second = one.block, other.block
    return (
        one.section == other.section
        and other.first_line - one.last_line <= _APART
        and first.names[:1] == second.names[:1] != ()
        and first.rows[0].symbol == second.rows[0].symbol == SYMBOLS[0]
        and _numbers(first.rows[0]) == _numbers(second.rows[0])
    )


def _numbers(row: Row) -> tuple[int, *tuple[str, ...]]:
    return row.n, *(one.text for one in (row.min, row.max, row.median, row.avg, row.stddev))
