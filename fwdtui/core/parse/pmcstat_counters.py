"""``pmcstat -w SECONDS -s EVENT ...``: system-wide counts of FreeBSD, a column for each event and core.

Source: pmcstat(8), and pmcstat_print_headers(), pmcstat_print_counters() and pmcstat_print_pmcs() of
usr.sbin/pmcstat/pmcstat.c. A header names the columns (``# s/00/cycles s/01/cycles``), and comes again after
256 rows; a row has what each counter grew by since the row before. There are no time stamps, and **a row's
line end is printed only when the next row begins**: a row was counted up to when the end of the line before
it arrived. Counters are not shared: where there are too few, pmcstat does not start.
"""

import re
from dataclasses import dataclass, field

from fwdtui.core.parse.fields import Parsed, Skipped, lines, whole

_COLUMN = re.compile(r"s/([0-9]{1,5})/(\S{1,64})")
_MOST_COLUMNS = 65_536


@dataclass
class PmcstatReader:
    """Takes line after line; `feed` returns the sum over all cores of each event for a row."""

    skipped: Skipped = field(default_factory=Skipped)
    words: list[str] = field(default_factory=list)
    """The first lines that are neither header nor row: what pmcstat says when it cannot start."""
    _number: int = 0
    _columns: list[str] = field(default_factory=list)

    def feed(self, line: str) -> dict[str, int] | None:
        """Takes a cleaned line without its end; None if it is not a row."""
        self._number += 1
        text = line.strip()
        if text.startswith("#"):
            self._columns = [match[2] for match in _COLUMN.finditer(text)][:_MOST_COLUMNS]
            if not self._columns:
                self.skipped.line(self._number, "a header without system-wide counters", line)
            return None
        if not text:
            return None
        values = [whole(part) for part in text.split()]
        if len(values) != len(self._columns) or None in values:
            self.skipped.line(self._number, "not a row of the header's columns", line)
            if len(self.words) < 2 and None in values:
                self.words.append(text[:200])
            return None
        sums = dict.fromkeys(self._columns, 0)
        for event, value in zip(self._columns, values, strict=True):
            sums[event] += value or 0
        return sums


def parse_pmcstat_counters(text: str) -> Parsed[tuple[dict[str, int], ...]]:
    """All rows of a whole output. Never raises; lines that are not rows are in `skipped`."""
    reader = PmcstatReader()
    rows = tuple(row for line in lines(text) if (row := reader.feed(line)) is not None)
    return Parsed(rows, reader.skipped.done())
