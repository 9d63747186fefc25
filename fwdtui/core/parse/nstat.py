"""`nstat -I IF SECONDS` on FreeBSD (not the Linux tool of that name): rates and load, a line a second.

Source: lines recorded by netbenches (.during files), which begin with ``DURING_CMD on HOST: COMMAND``. The
header repeats. Rates are of the interface in Mpps and Gb/s with two decimals: 0.01 Mpps is the finest step,
so they show a shape and settle no comparison. Lines carry no time.
"""

import re
from dataclasses import dataclass

from fwdtui.core.parse.fields import Skipped, lines
from fwdtui.core.parse.result import Parsed

_COLUMN = {
    "InMpps": ("in_pps", 1e6),
    "OMpps": ("out_pps", 1e6),
    "InGbs": ("in_bps", 1e9),
    "OGbs": ("out_bps", 1e9),
    "err": ("errors", 1.0),
    "%CPU": ("cpu_percent", 1.0),
    "syscalls": ("syscalls", 1.0),
    "csw": ("context_switches", 1.0),
    "irq": ("interrupts", 1.0),
    "GBfree": ("free_bytes", 1e9),
}
_NUMBER = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,6})?")
_COMMAND = re.compile(r"DURING_CMD on (\S+): (.*)")


@dataclass(frozen=True, slots=True)
class NstatRow:
    """One line. Packets, bits, errors, calls, switches, interrupts are per second; None: no such column."""

    in_pps: float | None = None
    out_pps: float | None = None
    in_bps: float | None = None
    out_bps: float | None = None
    errors: float | None = None
    cpu_percent: float | None = None  # of all cores together
    syscalls: float | None = None
    context_switches: float | None = None
    interrupts: float | None = None
    free_bytes: float | None = None


@dataclass(frozen=True, slots=True)
class NstatLog:
    """`host` and `command` are those of a netbenches .during file, "" elsewhere."""

    rows: tuple[NstatRow, ...] = ()
    host: str = ""
    command: str = ""


def parse(text: str) -> Parsed[NstatLog]:
    """Output of nstat or a .during file of it. Never raises; lines without a header are in `skipped`."""
    rows: list[NstatRow] = []
    host = command = ""
    header: list[str] = []
    skipped = Skipped()
    for number, line in enumerate(lines(text), 1):
        if match := _COMMAND.fullmatch(line):
            host, command = match[1], match[2].strip()
        elif "InMpps" in line:
            header = line.replace("TCP Est", "TCP_Est").split()
        elif fields := line.split():
            if not header:
                skipped.line(number, "no header before it", line)
            elif len(fields) != len(header):
                skipped.line(number, f"{len(fields)} fields, {len(header)} expected", line)
            elif not all(_NUMBER.fullmatch(field) for field in fields):
                skipped.line(number, "not all are numbers", line)
            else:
                rows.append(_row(header, fields))
    return Parsed(NstatLog(tuple(rows), host, command), skipped.done())


def _row(header: list[str], fields: list[str]) -> NstatRow:
    values: dict[str, float] = {}
    for word, text in zip(header, fields, strict=True):
        if word in _COLUMN:
            name, scale = _COLUMN[word]
            values[name] = round(float(text) * scale, 3)
    return NstatRow(**values)
