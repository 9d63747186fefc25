"""/proc/stat: clock ticks of each core, and the time the kernel booted.

Source: show_stat() in fs/proc/stat.c, proc(5). Machine-wide. Ticks are 1/USER_HZ seconds (100 on every
common architecture); a share of time needs only the differences of the columns, not USER_HZ.
"""

import re
from dataclasses import dataclass

from fwdtui.core.counters import CpuTicks
from fwdtui.core.parse.fields import Parsed, Skipped, lines, whole

_CORE = re.compile(r"cpu([0-9]{1,6})")
_FEWEST = 7  # user nice system idle iowait irq softirq: 2.6 has them all


@dataclass(frozen=True, slots=True)
class ProcStat:
    """`boot_time` (btime) is seconds since 1970 by the wall clock at boot.

    It moves when the wall clock is set, so it does not identify a boot: use /proc/sys/kernel/random/boot_id.
    """

    cpus: tuple[CpuTicks, ...] = ()
    boot_time: int | None = None


def parse_proc_stat(text: str) -> Parsed[ProcStat]:
    """The cpuN rows (the first row, their sum, is left out) and btime; every other row is ignored.

    Columns: user nice system idle iowait irq softirq [steal [guest [guest_nice]]]; steal is None on kernels
    before 2.6.11. Guest time is already in user. iowait may go back by a few ticks (proc(5)).
    """
    skipped = Skipped()
    cpus: dict[int, CpuTicks] = {}
    boot_time: int | None = None
    for number, line in enumerate(lines(text), 1):
        key, _, rest = line.partition(" ")
        if key == "btime":
            boot_time = whole(rest.strip())
            if boot_time is None:
                skipped.line(number, "btime is not a number", rest)
            continue
        match = _CORE.fullmatch(key)
        if not match:
            continue
        values = [whole(token) for token in rest.split()]
        ticks = [value for value in values if value is not None]
        cpu = int(match[1])
        if len(ticks) != len(values):
            skipped.line(number, "not all ticks are numbers", line)
        elif len(ticks) < _FEWEST:
            skipped.line(number, f"{len(ticks)} columns of ticks, {_FEWEST} or more expected", line)
        elif cpu in cpus:
            skipped.line(number, f"a second row of CPU {cpu}", line)
        else:
            cpus[cpu] = CpuTicks(
                cpu,
                user=ticks[0],
                nice=ticks[1],
                system=ticks[2],
                idle=ticks[3],
                iowait=ticks[4],
                irq=ticks[5],
                softirq=ticks[6],
                steal=ticks[7] if len(ticks) > 7 else None,
            )
    return Parsed(ProcStat(tuple(cpus.values()), boot_time), skipped.done())
