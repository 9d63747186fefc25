"""What our bpftrace program prints (collectors/drop_reasons_script.py): maps of counts, one line per key.

Source: bpftrace's reference guide, print(): ``@[KEY, KEY ...]: VALUE``.

    @[71, enqueue_to_backlog, dut0, 4026532241]: 4204
    @[104, sk_stream_kill_queues, , 0]: 2
    @all: 4206

The keys are reason, function, interface and network namespace (0: no interface); `@all` counts every drop, so
what the map had no room for shows as a difference.
"""

import re

from fwdtui.core.parse.fields import Parsed, Skipped, lines
from fwdtui.core.parse.hist_trigger import DropRow, DropTable, function

_ROW = re.compile(
    r"@\[([0-9]{1,10}), ([^,\]]{0,200}), ([^,\]]{0,64}), ([0-9]{1,20})\]: ([0-9]{1,20})", re.ASCII
)
_ALL = re.compile(r"@all: ([0-9]{1,20})")
_MOST = 4096


def parse_bpftrace_drops(text: str) -> Parsed[DropTable]:
    """The rows as they are, and how many drops are in none of them."""
    skipped = Skipped()
    rows: list[DropRow] = []
    everything = 0
    for number, line in enumerate(lines(text), 1):
        if (row := _ROW.fullmatch(line)) and len(rows) < _MOST:
            reason, location, device, namespace, count = row.groups()
            rows.append(DropRow(int(reason), function(location), int(count), device, int(namespace)))
        elif all_of_them := _ALL.fullmatch(line):
            everything = int(all_of_them[1])
        elif line.strip():
            skipped.line(number, "not a row of the map", line)
    return Parsed(DropTable(tuple(rows), max(everything - sum(row.drops for row in rows), 0)), skipped.done())
