"""FreeBSD `netstat -ibnd` (with or without -b, -d, -n, -W): totals per interface.

Source: usr.bin/netstat/if.c, intpr(). One header, then one row per interface with the network ``<Link#N>``
and one per address; address rows repeat the interface's traffic by their own count, so only link rows are
read. Column widths follow the largest number (since 12), the address may be blank, a row of `-d` ends in a
space: the header names the columns, and numbers are counted from the right. A star after the name means
that the interface is down. Up to 11 the name is truncated to 5 characters (7 with -W), so two interfaces may
print the same name: the key is the link number, which is the interface index.

`Ierrs` and `Idrop` are one event under two names: igb and em count an overrun as an error, ix as a drop.
"""

import re
from collections.abc import Iterable

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.parse.fields import Parsed, Skipped, lines, whole

_ROW = re.compile(r"(\S+)\s+(?:[0-9]+|-)\s+<Link#([0-9]{1,9})>(.*)")
_COLUMN = {
    "Ipkts": "rx_packets",
    "Ierrs": "rx_errors",
    "Idrop": "rx_dropped",
    "Ibytes": "rx_bytes",
    "Opkts": "tx_packets",
    "Oerrs": "tx_errors",
    "Obytes": "tx_bytes",
    "Drop": "tx_dropped",
}
_CUT_WIDTHS = (5, 7)  # of the Name column, to which old versions truncate


def parse(text: str) -> Parsed[tuple[InterfaceCounters, ...]]:
    """The link rows in printed order; packets, errors, drops and bytes since attach. Never raises.

    A column that was not printed (`-b`, `-d`, or `Idrop` before 8.0 and on macOS) is None. A rounded number
    (`-h`) is None too and noted in `skipped`. Of two rows with the same link number the first counts.
    """
    rows: list[InterfaceCounters] = []
    seen: set[int] = set()
    skipped = Skipped()
    columns: list[str] | None = None
    width = 0
    for number, line in enumerate(lines(text), 1):
        fields = line.split()
        if fields[:1] == ["Name"] and "Network" in fields and "Ipkts" in fields:
            columns = fields[fields.index("Ipkts") :]
            width = line.index(" Mtu ") + 4 - 6 if " Mtu " in line else 0
        elif line.startswith("netstat:"):
            skipped.line(number, "netstat reports an error", line)
        elif match := _ROW.match(line):
            if columns is None:
                skipped.line(number, "no header before it", line)
            elif row := _row(match, columns, width, number, skipped):
                if row.link in seen:
                    skipped.line(number, f"a second row for Link#{row.link}", line)
                else:
                    seen.add(row.link or 0)
                    rows.append(row)
        elif "<Link#" in line:
            skipped.line(number, "not a whole row", line)
    return Parsed(tuple(rows), skipped.done())


def _row(
    match: re.Match[str], columns: list[str], width: int, number: int, skipped: Skipped
) -> InterfaceCounters | None:
    printed, link, rest = match.groups()
    fields = rest.split()
    count = len(columns)
    # at most the address may precede the counters
    if not count <= len(fields) <= count + 1:
        skipped.line(number, f"{len(fields)} fields, {count} or {count + 1} expected", match[0])
        return None
    counters: dict[str, int] = {}
    for column, field in zip(columns, fields[-count:], strict=True):
        value = whole(field)
        if value is not None:
            if column in _COLUMN:
                counters[_COLUMN[column]] = value
        elif re.fullmatch(r"[0-9.]+[kKMGTPE]", field):
            skipped.line(number, f"{column} is rounded (-h)", match[0])
        elif field != "-":
            skipped.line(number, f"{column} is not a number", match[0])
            return None
    up: bool | None = None
    if printed.endswith("*"):
        up = False
    elif len(printed) < width or width not in _CUT_WIDTHS:
        up = True
    name = printed.removesuffix("*")
    return InterfaceCounters(name=name, link=int(link), up=up, **counters)


def find(rows: Iterable[InterfaceCounters], name: str, cuts: bool = True) -> InterfaceCounters | None:
    """The row of `name`, even if it was truncated; None if it is missing or ambiguous.

    `cuts`: whether the host's netstat truncates names. If it does not, and `lagg0.100` is gone, the row of
    lagg0 is that of another interface.
    """
    rows = tuple(rows)
    exact = [row for row in rows if row.name == name]
    if exact:
        return exact[0] if len(exact) == 1 else None
    # a name that is shorter than its column is whole: `up` is then known
    short = [row for row in rows if len(row.name) in _CUT_WIDTHS and row.up is None]
    cut = [row for row in short if name.startswith(row.name)] if cuts else []
    return cut[0] if len(cut) == 1 else None
