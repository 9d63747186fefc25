"""FreeBSD `sysctl name...` and `sysctl -e name...`: values by name, and parsers for the few structured ones.

Source: sbin/sysctl/sysctl.c, show_var(); sysctl(8). A line is ``name: value``, or ``name=value`` with -e. A
value may be empty, and may extend over several lines that contain colons themselves (hw.intrs, kern.version,
dev.em.N.reg_dump): a line that does not start a value belongs to the one before.

An unknown name gives ``sysctl: unknown oid 'x'`` on stderr and is counted in the exit status while the rest
is still printed; up to 9 the first unknown name ended the command, so use -i (ignore unknown) there. Ask for
leaf names only: a whole device node may print megabytes and read every register.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fwdtui.core.counters import CpuTicks
from fwdtui.core.parse.fields import Parsed, Skipped, lines, whole

_START = re.compile(r" *([A-Za-z_][\w%/+-]*(?:\.[\w%/+-]+)+)(?:: ?|=)(.*)", re.ASCII)
_UNKNOWN = re.compile(r"sysctl: unknown oid '([^']*)'")
_STATES = 5  # CP_USER, CP_NICE, CP_SYS, CP_INTR, CP_IDLE: sys/resource.h
_TIMEVAL = re.compile(r"\{ sec = ([0-9]{1,19}), usec = ([0-9]{1,6}) \}")


@dataclass(frozen=True, slots=True)
class Sysctls:
    """`values` as printed, lines of a longer value joined by LF; `missing`: names the host does not know."""

    values: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    def number(self, name: str) -> int | None:
        """The value as a whole number, or None if it is missing, not a number or negative."""
        return whole(self.values.get(name, ""))

    def under(self, prefix: str) -> dict[str, str]:
        """The values below a node: ``under("dev.ix.0")`` -> {"mac_stats.crc_errs": "0", ...}."""
        start = prefix + "."
        return {name[len(start) :]: value for name, value in self.values.items() if name.startswith(start)}


def parse(text: str, names: Iterable[str] = ()) -> Parsed[Sysctls]:
    """Output of sysctl, with or without stderr mixed in. Never raises.

    With `names`, the names (or nodes) that were asked for, only these begin a value: a line of a longer value
    that looks like one is not mistaken for it. A name printed twice keeps its last value.
    """
    asked = frozenset(name.rstrip(".") for name in names)
    values: dict[str, list[str]] = {}
    missing: list[str] = []
    current: list[str] | None = None
    skipped = Skipped()
    for number, line in enumerate(lines(text), 1):
        match = _START.fullmatch(line)
        if match and _asked_for(match[1], asked) and not line.startswith("sysctl: "):
            current = values[match[1]] = [match[2]]
        elif unknown := _UNKNOWN.match(line):
            missing.append(unknown[1])
            current = None
        elif line.startswith("sysctl: "):
            skipped.line(number, "sysctl reports an error", line)
            current = None
        elif current is not None:
            current.append(line)
        elif line.strip():
            skipped.line(number, "not part of any value", line)
    joined = {name: "\n".join(value).strip(" \t\n") for name, value in values.items()}
    return Parsed(Sysctls(joined, tuple(missing)), skipped.done())


def _asked_for(name: str, asked: frozenset[str]) -> bool:
    """Whether `name` or a node above it was asked for."""
    while asked and name not in asked:
        name, dot, _leaf = name.rpartition(".")
        if not dot:
            return False
    return True


def cp_times(value: str) -> Parsed[tuple[CpuTicks, ...]]:
    """kern.cp_times -> ticks per core since boot, in units of 1/stathz s (kern.clockrate; 127 or 128 Hz).

    Five counts per CPU id up to mp_maxid: user, nice, system, interrupt, idle (kern_clock.c). An id without
    a CPU is all zero and is left out, so indexes stay those of the host.
    """
    skipped = Skipped()
    counts = [whole(part) for part in value.split()]
    if len(counts) % _STATES:
        skipped.note(f"kern.cp_times: {len(counts)} numbers are not a multiple of {_STATES}")
    rows = []
    for cpu in range(len(counts) // _STATES):
        user, nice, system, irq, idle = counts[cpu * _STATES : (cpu + 1) * _STATES]
        if user is None or nice is None or system is None or irq is None or idle is None:
            skipped.note(f"kern.cp_times: cpu {cpu} has a value that is not a number")
        elif user or nice or system or irq or idle:
            rows.append(CpuTicks(cpu, user=user, nice=nice, system=system, idle=idle, irq=irq))
    return Parsed(tuple(rows), skipped.done())


def timeval(value: str) -> int | None:
    """kern.boottime: ``{ sec = 1789900651, usec = 837885 } Sun Sep 20 …`` -> microseconds since 1970."""
    match = _TIMEVAL.match(value)
    return int(match[1]) * 1_000_000 + int(match[2]) if match else None
