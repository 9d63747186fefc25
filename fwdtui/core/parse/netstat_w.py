"""FreeBSD `netstat -w SECONDS [-I IF] [-d] [-h]`: what crossed the interface in each interval.

Source: usr.bin/netstat/if.c, sidewaysintpr() and show_stat(). A banner of two lines comes first and again
after every 21 lines; the second names the columns: `idrops` is absent up to 8, `drops` is there with -d.
Numbers wider than their column push the rest to the right: fields are split on white space. The same
overload is counted as `errs` by igb and em, as `idrops` by ix.

Lines carry no time: the caller stamps them. Counts are of the whole interval, not of one second.
With -h numbers have three figures at most: humanize_number(3) with 1000 (k, M, G) for packets and 1024
(K, M, G) for bytes; such a line is marked `rounded` and is good for a plot, not for a sum.
"""

import re
from dataclasses import dataclass

from fwdtui.core.parse.fields import Skipped, lines, whole
from fwdtui.core.parse.result import Parsed

_BANNER = re.compile(r"\s*input\s+(\S+)\s+output\s*")
_HUMAN = re.compile(r"([0-9]{1,4}(?:\.[0-9])?)([BkKMGTPE]?)")
_POWER = {"": 0, "B": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_INPUT = {"packets": "rx_packets", "errs": "rx_errors", "idrops": "rx_dropped", "bytes": "rx_bytes"}
_OUTPUT = {
    "packets": "tx_packets",
    "errs": "tx_errors",
    "bytes": "tx_bytes",
    "colls": "collisions",
    "drops": "tx_dropped",
}


@dataclass(frozen=True, slots=True)
class NetstatInterval:
    """One line. `interface` is None for "(Total)", the sum of all interfaces including lo0 and vlans.

    Counts of the interval; None: no such column. `rounded`: printed with -h, three figures.
    """

    interface: str | None
    rx_packets: int | None = None
    rx_errors: int | None = None
    rx_dropped: int | None = None
    rx_bytes: int | None = None
    tx_packets: int | None = None
    tx_errors: int | None = None
    tx_bytes: int | None = None
    collisions: int | None = None
    tx_dropped: int | None = None
    rounded: bool = False


class NetstatStream:
    """Reads a running `netstat -w` line by line; the banners are its memory."""

    def __init__(self) -> None:
        self._interface: str | None = None
        self._columns: list[str] = []
        self.skipped = Skipped()
        self._number = 0

    def feed(self, line: str) -> NetstatInterval | None:
        """One line without its end -> the interval, or None (a banner, or a line noted in `skipped`)."""
        self._number += 1
        line = lines(line)[0]
        fields = line.split()
        if not fields:
            return None
        if banner := _BANNER.fullmatch(line):
            name = banner[1].strip("()")
            self._interface = None if banner[1] == "(Total)" else name
            return None
        if fields[0] == "packets":
            self._columns = _columns(fields)
            if not self._columns:
                self.skipped.line(self._number, "not a known header", line)
            return None
        if len(fields) != len(self._columns):
            why = f"{len(fields)} fields, {len(self._columns)} expected" if self._columns else "no header yet"
            self.skipped.line(self._number, why, line)
            return None
        return self._interval(fields, line)

    def _interval(self, fields: list[str], line: str) -> NetstatInterval | None:
        counts: dict[str, int] = {}
        rounded = False
        for column, field in zip(self._columns, fields, strict=True):
            value = whole(field)
            if value is None:
                value = _human(field, bytes_=column.endswith("bytes"))
                rounded = True
            if value is None:
                self.skipped.line(self._number, f"{column} is not a number", line)
                return None
            counts[column] = value
        return NetstatInterval(self._interface, rounded=rounded, **counts)


def _columns(fields: list[str]) -> list[str]:
    """Header words -> field names; the second "packets" begins the output half. Unknown word: nothing."""
    try:
        split = fields.index("packets", 1)
        return [_INPUT[word] for word in fields[:split]] + [_OUTPUT[word] for word in fields[split:]]
    except (KeyError, ValueError):
        return []


def _human(text: str, bytes_: bool) -> int | None:
    """``"7.9M"`` -> 7900000 packets; ``"826K"`` -> 845824 bytes. A small ``k`` is 1000, a ``K`` 1024."""
    match = _HUMAN.fullmatch(text)
    if not match:
        return None
    number, unit = match.groups()
    base = {"k": 1e3, "K": 1024.0}.get(unit, 1024.0 if bytes_ else 1e3)
    return round(float(number) * base ** _POWER[unit])


def parse(text: str) -> Parsed[tuple[NetstatInterval, ...]]:
    """A whole output. Never raises; lines that are no interval and no banner are told in `skipped`."""
    stream = NetstatStream()
    found = tuple(item for line in lines(text) if (item := stream.feed(line)) is not None)
    return Parsed(found, stream.skipped.done())
