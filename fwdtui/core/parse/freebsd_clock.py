"""The clock of a FreeBSD host as a shell can read it, free of steps of the wall clock.

A rate needs the time at which the counters were read, by the host's own clock. Nothing in FreeBSD's base
system prints CLOCK_MONOTONIC with fractions of a second: uptime(1) and ps(1) give seconds, sysctl has the raw
timecounter (kern.timecounter.tc.*.counter) but 32 bits of a TSC wrap within seconds. But the wall clock and
kern.boottime together give that clock: stepping the time moves only the kernel's estimate of when it booted
(sys/kern/kern_tc.c, tc_setclock(): "Step our concept of UTC. This is done by modifying our estimate of when
we booted"), so wall clock minus boot time is the uptime, whatever ntpd does in between. ntpd's slewing (at
most 500 ppm) remains, as it does in CLOCK_MONOTONIC.

A sampler runs READ just before it reads its counters. Resolution, from the sources, not measured on a host:
`date +%N` prints nanoseconds of CLOCK_REALTIME since commit eeb04a736cb9 (April 2024) and a literal N before;
boottime has microseconds. If %N prints an N, use READ_OLD: a pipe's modification time, which stat(1) prints
with a fraction, exact to a microsecond where pipes take vfs_timestamp(9) and to 1/hz (1 ms; 10 ms in a
virtual machine) since pipe_timestamp() takes getnanotime(9) (sys/kern/sys_pipe.c). A step between the two
readings of one sample shows as a jump of that one sample.
"""

import re
from dataclasses import dataclass

from fwdtui.core.parse.fields import Parsed, Skipped, lines
from fwdtui.core.parse.sysctl import timeval

READ = "date +%s.%N; sysctl -n kern.boottime"
READ_OLD = "echo | stat -f %Fm; sysctl -n kern.boottime"

_WALL = re.compile(r"([0-9]{1,11})(?:\.(?:([0-9]{9})|N))?")
_BOOT = re.compile(r"(?:kern\.boottime(?:: |=))?(\{ sec = .*)")


@dataclass(frozen=True, slots=True)
class ClockReading:
    """Nanoseconds. `coarse`: the host printed whole seconds only."""

    wall_ns: int | None = None  # since 1970
    boot_ns: int | None = None  # the kernel's estimate of its boot, since 1970
    coarse: bool = False

    @property
    def uptime_ns(self) -> int | None:
        """The monotonic clock; None without both readings, or if they contradict each other."""
        if self.wall_ns is None or self.boot_ns is None or self.wall_ns < self.boot_ns:
            return None
        return self.wall_ns - self.boot_ns


def parse(text: str) -> Parsed[ClockReading]:
    """The output of READ or READ_OLD, in any order, kern.boottime with its name or without. Never raises."""
    wall: int | None = None
    boot: int | None = None
    coarse = False
    skipped = Skipped()
    for number, line in enumerate(lines(text), 1):
        line = line.strip()
        if match := _WALL.fullmatch(line):
            wall = int(match[1]) * 1_000_000_000 + int(match[2] or 0)
            coarse = match[2] is None
        elif (booted := _BOOT.fullmatch(line)) and (microseconds := timeval(booted[1])) is not None:
            boot = microseconds * 1000
        elif line:
            skipped.line(number, "neither a time nor kern.boottime", line)
    return Parsed(ClockReading(wall, boot, coarse), skipped.done())
