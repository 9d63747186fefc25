"""/proc/net/softnet_stat: packets taken from and dropped before each CPU's backlog.

Source: softnet_seq_show() in net/core/net-procfs.c. One row per online CPU, 9 columns (2.5) to 15 (6.x),
each a 32-bit counter or gauge in hexadecimal without a prefix: counters wrap at 2**32 (WIDTH). The file is
machine-wide: every network namespace shows the same rows.
"""

from collections.abc import Collection

import msgspec

from fwdtui.core.counters import SoftnetRow
from fwdtui.core.parse.fields import Parsed, Skipped, hexadecimal, lines

WIDTH = 32  # bits of every counter in this file
_FEWEST = 9


def parse_softnet_stat(text: str) -> Parsed[tuple[SoftnetRow, ...]]:
    """One SoftnetRow per line. `time_squeeze` is an exhausted budget, not a drop.

    Columns counted from 1: 1 processed, 2 dropped, 3 time_squeeze, 10 received_rps (2.6.35), 11 flow_limit
    (3.11), 12 backlog length (a gauge) and 13 CPU (by 5.10), 14 and 15 the two parts of the backlog (gauges).
    Below 13 columns `cpu` is the row's position and `cpu_known` False: offline CPUs have no row, so position
    and CPU may differ (`on_cores`).
    """
    skipped = Skipped()
    rows: list[SoftnetRow] = []
    known: set[int] = set()
    for number, line in enumerate(lines(text), 1):
        tokens = line.split()
        if not tokens:
            continue
        if len(tokens) < _FEWEST:
            skipped.line(number, f"{len(tokens)} columns, {_FEWEST} or more expected", line)
            continue
        values = [hexadecimal(token) if len(token) == 8 else None for token in tokens]
        columns = [value for value in values if value is not None]
        if len(columns) != len(values):
            skipped.line(number, "not all columns are 8 hexadecimal digits", line)
            continue
        cpu_known = len(columns) >= 13
        cpu = columns[12] if cpu_known else len(rows)
        if cpu_known and cpu in known:
            skipped.line(number, f"a second row of CPU {cpu}", line)
            continue
        known.add(cpu)
        optional = dict(
            zip(("received_rps", "flow_limit", "backlog"), columns[9:12], strict=False),
        )
        optional |= dict(zip(("input_qlen", "process_qlen"), columns[13:15], strict=False))
        rows.append(SoftnetRow(cpu, cpu_known, columns[0], columns[1], columns[2], **optional))
    return Parsed(tuple(rows), skipped.done())


def on_cores(rows: tuple[SoftnetRow, ...], online: Collection[int]) -> Parsed[tuple[SoftnetRow, ...]]:
    """The rows with the numbers of their CPUs if the file has none: those `online`, in ascending order.

    No rows if their number is not that of the CPUs: when a CPU goes offline, the next CPU's row is at its
    position. If no CPU is known to be online, the rows stay as they are.
    """
    if not online or all(row.cpu_known for row in rows):
        return Parsed(rows)
    if len(rows) != len(online):
        return Parsed((), (f"softnet: {len(rows)} rows without CPU numbers, {len(online)} CPUs online",))
    numbered = zip(rows, sorted(online), strict=True)
    return Parsed(tuple(msgspec.structs.replace(row, cpu=cpu, cpu_known=True) for row, cpu in numbered))
