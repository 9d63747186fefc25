"""The kernel's own histogram: events/skb/kfree_skb/hist under tracefs, for keys=reason,location.sym.

Source: Documentation/trace/histogram.rst and hist_trigger_show() in kernel/trace/trace_events_hist.c:

    { reason:          7, location: [ffffffff9a4c1f2e] nf_hook_slow                 } hitcount:       4204

    Totals:
        Hits: 4204
        Entries: 1
        Dropped: 0

Hits that found no room in the table are `Dropped`. A key is the address, so a function may have several rows.
"""

import re
from typing import NamedTuple

from fwdtui.core.parse.fields import Parsed, Skipped, lines, whole
from fwdtui.core.profile.suffixes import bare

_ROW = re.compile(r"\{ *reason: *([0-9]{1,10}), *location: *\[ *([0-9a-f]{1,16})\] *([^}]{0,200})\}")
_COUNT = re.compile(r" *hitcount: *([0-9]{1,20}) *")
_TOTAL = re.compile(r" *(Hits|Entries|Dropped): *([0-9]{1,20}) *")
_MOST = 4096


class DropRow(NamedTuple):
    """One kind of drop: `reason` is the kernel's number. `namespace`: 0 if there is no interface."""

    reason: int
    location: str  # the kernel's function; its address in hexadecimal if it has no name there
    drops: int
    device: str = ""
    namespace: int | None = None  # None: not known


class DropTable(NamedTuple):
    """All kinds, and how many drops have no row."""

    rows: tuple[DropRow, ...] = ()
    missed: int = 0


def parse_hist_trigger(text: str) -> Parsed[DropTable]:
    """The rows as they are; `missed` is the kernel's own count of hits without room."""
    skipped = Skipped()
    rows: list[DropRow] = []
    missed = 0
    for number, line in enumerate(lines(text), 1):
        row = _ROW.match(line)
        count = _COUNT.fullmatch(line, row.end()) if row else None
        total = _TOTAL.fullmatch(line)
        if row and count and len(rows) < _MOST:
            rows.append(DropRow(int(row[1]), function(row[3]) or row[2], int(count[1])))
        elif total:
            missed = (whole(total[2]) or 0) if total[1] == "Dropped" else missed
        elif line.strip() and not line.startswith("#") and line.strip() != "Totals:":
            skipped.line(number, "not a row of the histogram", line)
    return Parsed(DropTable(tuple(rows), missed), skipped.done())


def function(symbol: str) -> str:
    """The name in ``nf_hook_slow.isra.0+0x4c/0x90 [nf_tables]``, without the compiler's suffix; "": none."""
    words = symbol.split()
    return bare(words[0].partition("+")[0][:128]) if words else ""
