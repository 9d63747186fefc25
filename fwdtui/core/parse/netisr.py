"""FreeBSD `netstat -Q`: netisr's settings, the dispatch policy per protocol, and its queues.

Source: usr.bin/netstat/netisr.c, netisr_stats(); netisr(9). Three blocks: Configuration, Protocols,
Workstreams. Workstream counters are totals since boot; Len and WMark are gauges. Up to 9, WSID and CPU are
blank on the further rows of a workstream; later versions repeat them. The header names the columns, so a
table with columns removed is still readable.

The policy in the configuration is only the default: with options RSS it says "direct" while ip and ip6 are
"hybrid" in the Protocols table. With net.isr.maxthreads=1 all packets pass through one workstream.
"""

import re
from dataclasses import dataclass, field

from fwdtui.core.counters import NetisrRow
from fwdtui.core.parse.fields import Parsed, Skipped, lines, whole

_SETTING = re.compile(
    r"\s*(Thread count|Default queue limit|Dispatch policy|Direct dispatch|Forced direct dispatch"
    r"|Threads bound to CPUs)\s+(\S+)(?:\s+(\S+))?"
)
_COLUMN = {
    "Len": "length",
    "WMark": "watermark",
    "Disp'd": "dispatched",
    "HDisp'd": "hybrid_dispatched",
    "QDrops": "queue_drops",
    "Queued": "queued",
    "Handled": "handled",
}
_SWITCH = {"enabled": True, "disabled": False}


@dataclass(frozen=True, slots=True)
class NetisrConfig:
    """The Configuration block; None: that line was missing."""

    threads: int | None = None
    max_threads: int | None = None
    queue_limit: int | None = None  # of a protocol that names none
    max_queue_limit: int | None = None
    policy: str | None = None  # "direct" | "hybrid" | "deferred", the default of all protocols
    bound: bool | None = None  # threads bound to CPUs


@dataclass(frozen=True, slots=True)
class NetisrProtocol:
    """One row of the Protocols table. `dispatch` is None before 9.0, when there was one policy for all."""

    name: str
    number: int
    queue_limit: int
    policy: str  # how a workstream is chosen: "source" | "flow" | "cpu" | "-"
    dispatch: str | None = None  # "direct" | "hybrid" | "deferred" | "default"
    flags: str = ""


@dataclass(frozen=True, slots=True)
class NetisrReport:
    """All three blocks, as far as they were printed."""

    config: NetisrConfig = field(default_factory=NetisrConfig)
    protocols: tuple[NetisrProtocol, ...] = ()
    rows: tuple[NetisrRow, ...] = ()

    def dispatch(self, protocol: str) -> str | None:
        """The policy in effect for `protocol`: its own, else the default; None if neither was printed."""
        for item in self.protocols:
            if item.name == protocol and item.dispatch not in (None, "default"):
                return item.dispatch
        return self.config.policy


def parse(text: str) -> Parsed[NetisrReport]:
    """`netstat -Q`. Never raises; rows that do not fit their header are listed in `skipped`."""
    skipped = Skipped()
    settings: dict[str, tuple[str, str]] = {}
    protocols: list[NetisrProtocol] = []
    rows: list[NetisrRow] = []
    header: list[str] = []
    stream: tuple[int, int] | None = None
    for number, line in enumerate(lines(text), 1):
        fields = line.split()
        if not fields:
            continue
        if match := _SETTING.match(line):
            settings.setdefault(match[1], (match[2], match[3] or ""))
        elif fields[:2] in (["Name", "Proto"], ["WSID", "CPU"]):
            header, stream = fields, None
        elif line.rstrip().endswith(":") or fields[0] == "Setting":
            header = []
        elif header[:1] == ["Name"]:
            if protocol := _protocol(header, fields):
                protocols.append(protocol)
            else:
                skipped.line(number, "not a protocol row", line)
        elif header[:1] == ["WSID"]:
            if row := _work(header, fields, stream):
                stream = row.workstream, row.cpu
                rows.append(row)
            else:
                skipped.line(number, "not a workstream row", line)
        else:
            skipped.line(number, "no header before it", line)
    return Parsed(NetisrReport(_config(settings), tuple(protocols), tuple(rows)), skipped.done())


def _config(settings: dict[str, tuple[str, str]]) -> NetisrConfig:
    none = ("", "")
    threads = settings.get("Thread count", none)
    limit = settings.get("Default queue limit", none)
    policy: str | None = settings.get("Dispatch policy", none)[0] or None
    if policy is None and "Direct dispatch" in settings:  # 8.x: two switches instead of a policy
        direct = settings["Direct dispatch"][0] == "enabled"
        forced = settings.get("Forced direct dispatch", none)[0] == "enabled"
        policy = "deferred" if not direct else "direct" if forced else "hybrid"
    return NetisrConfig(
        threads=whole(threads[0]),
        max_threads=whole(threads[1]),
        queue_limit=whole(limit[0]),
        max_queue_limit=whole(limit[1]),
        policy=policy,
        bound=_SWITCH.get(settings.get("Threads bound to CPUs", none)[0]),
    )


def _protocol(header: list[str], fields: list[str]) -> NetisrProtocol | None:
    """A protocol row. In an edited listing a remark may follow it: fields beyond the header are ignored."""
    cells = dict(zip(header, fields, strict=False))
    number, limit = whole(cells.get("Proto", "")), whole(cells.get("QLimit", ""))
    if number is None or limit is None or "Policy" not in cells:
        return None
    return NetisrProtocol(
        cells["Name"], number, limit, cells["Policy"], cells.get("Dispatch"), cells.get("Flags", "")
    )


def _work(header: list[str], fields: list[str], stream: tuple[int, int] | None) -> NetisrRow | None:
    if len(fields) == len(header) - 2 and stream is not None:
        workstream, cpu = stream
    elif len(fields) == len(header):
        first, second = whole(fields[0]), whole(fields[1])
        if first is None or second is None:
            return None
        workstream, cpu, fields = first, second, fields[2:]
    else:
        return None
    cells = dict(zip(header[2:], fields, strict=True))
    name = cells.get("Name", "")
    if not re.match("[A-Za-z]", name):
        return None
    counts: dict[str, int] = {}
    for column, cell in cells.items():
        if column in _COLUMN:
            value = whole(cell)
            if value is None:
                return None
            counts[_COLUMN[column]] = value
    return NetisrRow(workstream=workstream, cpu=cpu, protocol=name, **counts)
