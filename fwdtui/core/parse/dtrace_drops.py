"""What our D program prints (collectors/drop_reasons_dtrace.py), and dtrace's list of probes.

Source: dtrace(1), and libdtrace's dt_print_stack(), which puts each function of a stack in a line of its own:

    drop ips_noroute 4204
    kernel`ip_findroute+0x4c

    all 4204

`all` counts every drop, so what the kernel's table had no room for shows as a difference. A function has a
row for each place in it that counts; without symbols its address is printed instead.
"""

import re
from typing import NamedTuple

from fwdtui.core.parse.fields import Parsed, Skipped, lines

_ROW = re.compile(r"drop ([a-z0-9_]{1,64}) ([0-9]{1,20})(?: (.{1,200}))?", re.ASCII)
_PLACE = re.compile(r"\s*(?:[\w.-]{1,64}`)?([A-Za-z0-9_.]{1,128})(?:\+0x[0-9a-f]{1,16})?\s*", re.ASCII)
_ALL = re.compile(r"all ([0-9]{1,20})")
_MOST = 4096


class MibRow(NamedTuple):
    """How often a function added to a counter, in packets. `function`: "" if it is not known."""

    counter: str
    function: str
    drops: int


class MibTable(NamedTuple):
    """All rows, and how many drops have none."""

    rows: tuple[MibRow, ...] = ()
    missed: int = 0


def parse_dtrace_drops(text: str) -> Parsed[MibTable]:
    """The rows as they are, and how many drops are in none of them."""
    skipped = Skipped()
    rows: list[MibRow] = []
    everything = 0
    placed = True
    for number, line in enumerate(lines(text), 1):
        if (row := _ROW.fullmatch(line)) and len(rows) < _MOST:
            place = _PLACE.fullmatch(row[3]) if row[3] else None
            rows.append(MibRow(row[1], place[1] if place else "", int(row[2])))
            placed = place is not None
        elif total := _ALL.fullmatch(line):
            everything = int(total[1])
            placed = True
        elif not placed and (place := _PLACE.fullmatch(line)):
            rows[-1] = rows[-1]._replace(function=place[1])
            placed = True
        elif line.strip():
            skipped.line(number, "neither a drop nor its function", line)
    return Parsed(MibTable(tuple(rows), max(everything - sum(row.drops for row in rows), 0)), skipped.done())


def parse_dtrace_list(text: str) -> Parsed[tuple[str, ...]]:
    """Names of the mib probes, sorted, in ``dtrace -l``: ID, provider, module, function, name.

    ``98784        mib                ip                             count ips_localout``
    """
    skipped = Skipped()
    names: set[str] = set()
    for number, line in enumerate(lines(text), 1):
        words = line.split()
        if len(words) == 5 and words[0].isdigit() and words[1] == "mib" and len(names) < _MOST:
            names.add(words[4])
        elif words and words[0] != "ID":
            skipped.line(number, "not a mib probe", line)
    return Parsed(tuple(sorted(names)), skipped.done())
