"""A host's own clock and the boot it counts from, the time base of rates.

Arrival times of samples are not a clock: a stalled connection delivers many samples at once.
"""

import re
from dataclasses import dataclass

from fwdtui.core.parse.fields import Parsed, Skipped, lines, shown

_NOW = re.compile(r"now at ([0-9]{1,20}) nsecs")
_UPTIME = re.compile(r"([0-9]{1,12})\.([0-9]{2})(?: [0-9.]{1,20})?")
_BOOT_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class ClockReading:
    """`nanoseconds` since boot, None if the text has no time.

    `source` is "timer_list" or "uptime". The two are different clocks (the second also runs during suspend)
    and are never subtracted from each other.
    """

    source: str
    nanoseconds: int | None = None
    resolution: int = 1  # nanoseconds


def parse_timer_list(text: str) -> Parsed[ClockReading]:
    """The third line of /proc/timer_list, ``now at N nsecs``: CLOCK_MONOTONIC in nanoseconds.

    Source: timer_list_header() in kernel/time/timer_list.c. The file is long and readable by root only: a
    sampler prints its first three lines.
    """
    skipped = Skipped()
    head = lines(text)
    for number, line in enumerate(head[:8], 1):
        if match := _NOW.fullmatch(line.strip()):
            return Parsed(ClockReading("timer_list", int(match[1])), skipped.done())
        if "now at" in line:
            skipped.line(number, "not a time", line)
    if not skipped.done():
        skipped.note(f"no line 'now at N nsecs': {shown(head[0])}")
    return Parsed(ClockReading("timer_list"), skipped.done())


def parse_uptime(text: str) -> Parsed[ClockReading]:
    """/proc/uptime, ``970.94 1807.85``: seconds since boot in steps of 10 ms (CLOCK_BOOTTIME), idle seconds.

    Source: uptime_proc_show() in fs/proc/uptime.c.
    """
    skipped = Skipped()
    first = lines(text)[0].strip()
    if match := _UPTIME.fullmatch(first):
        return Parsed(ClockReading("uptime", (int(match[1]) * 100 + int(match[2])) * 10_000_000, 10_000_000))
    skipped.line(1, "not an uptime", first)
    return Parsed(ClockReading("uptime", None, 10_000_000), skipped.done())


def parse_boot_id(text: str) -> Parsed[str]:
    """/proc/sys/kernel/random/boot_id: a UUID that changes with every boot; empty if there is none."""
    skipped = Skipped()
    word = lines(text)[0].strip().lower()
    if _BOOT_ID.fullmatch(word):
        return Parsed(word)
    skipped.line(1, "not a boot id", word)
    return Parsed("", skipped.done())
