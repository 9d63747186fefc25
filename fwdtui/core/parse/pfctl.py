"""`pfctl -si`: whether pf filters, and how many states it holds.

Source: FreeBSD sbin/pfctl/pfctl_parser.c, print_status(); pfctl(8). Rules are not counted here: that is
`pfctl -sr | wc -l`. Without pf in the kernel pfctl reports an error about /dev/pf.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from fwdtui.core.parse.fields import Parsed, Skipped, lines, whole

_STATUS = re.compile(r"Status: (Enabled|Disabled)\b(.*)")
_BLOCKS = {"State Table": "states", "Counters": "counters", "Source Tracking Table": "sources"}


@dataclass(frozen=True, slots=True)
class PfStatus:
    """`enabled` is None if no status was printed. Totals since pf was enabled; `states` is a gauge."""

    enabled: bool | None = None
    since: str = ""  # "161 days 21:24:45"
    states: int | None = None  # entries of the state table now
    state_table: Mapping[str, int] = field(default_factory=dict)  # searches, inserts, removals
    counters: Mapping[str, int] = field(default_factory=dict)  # match, memory, congestion...


def parse(text: str) -> Parsed[PfStatus]:
    """`pfctl -si`, with or without the statistics of a loginterface. Never raises."""
    enabled: bool | None = None
    since = ""
    block = ""
    tables: dict[str, dict[str, int]] = {"states": {}, "counters": {}}
    skipped = Skipped()
    for number, line in enumerate(lines(text), 1):
        if status := _STATUS.fullmatch(line):
            enabled = status[1] == "Enabled"
            since = status[2].partition("Debug:")[0].strip().removeprefix("for ")
        elif line.startswith("pfctl:"):
            skipped.line(number, "pfctl reports an error", line)
            if "/dev/pf" in line and "No such file" in line:
                enabled = False
        elif line and not line[0].isspace():
            block = next((key for title, key in _BLOCKS.items() if line.startswith(title)), "")
        elif block in tables and (fields := line.split()):
            if fields[-1].endswith("/s"):
                fields.pop()
            value = whole(fields.pop()) if len(fields) > 1 else None
            if value is None:
                skipped.line(number, "not a count", line)
            else:
                tables[block].setdefault(" ".join(fields), value)
    states = tables["states"].pop("current entries", None)
    return Parsed(PfStatus(enabled, since, states, tables["states"], tables["counters"]), skipped.done())
