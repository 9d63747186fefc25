"""`netstat -rn`: how many routes each family has. Count a full table on the host: `netstat -rn4 | wc -l`.

Source: FreeBSD usr.bin/netstat/route.c, routepr(): a title, then per family a line ``Internet:`` or
``Internet6:``, a header line and one line per route. `wc -l` counts these lines too, four for one family.
"""

import re

from fwdtui.core.parse.fields import Parsed, lines

_FAMILY = {"Internet:": "inet", "Internet6:": "inet6"}
_COUNTED = re.compile(r"[\s*-]*netstat -rn([46])\b.*\bwc -l *: *([0-9]{1,12})\s*")
_HEADER_LINES = 4  # "Routing tables", a blank line, "Internet:", the column names


def parse(text: str) -> Parsed[dict[str, int]]:
    """Routes per family, {"inet": 2}; a family that was not printed is absent. Never raises."""
    counts: dict[str, int] = {}
    family: str | None = None
    for line in lines(text):
        word = line.strip()
        if word in _FAMILY:
            family = _FAMILY[word]
            counts.setdefault(family, 0)
        elif not word:
            family = None
        elif family and not word.startswith("Destination"):
            counts[family] += 1
    return Parsed(counts)


def parse_counted(text: str) -> Parsed[dict[str, int]]:
    """Routes per family from notes such as ``netstat -rn4 | wc -l : 712793``, less the header lines.

    A netstat that printed no line at all has failed: that family is absent.
    """
    counts = {
        {"4": "inet", "6": "inet6"}[match[1]]: max(int(match[2]) - _HEADER_LINES, 0)
        for line in lines(text)
        if (match := _COUNTED.fullmatch(line)) and int(match[2])
    }
    return Parsed(counts)
