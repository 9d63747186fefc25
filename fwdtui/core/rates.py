"""Counters to rates: the difference of two readings over the time between them on the host's own clock.

Every pair of readings gives a Rate or a Gap with its reason, never a guess: a counter that goes back is a
wrap only if it is known to be narrow (32 bits, or 16) and the resulting rate stays within line speed;
anything else is a reset. Arrival times play no part: a stalled connection delivers its samples late, not
wrong.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import pairwise

import msgspec

NANO = 1_000_000_000
"""Nanoseconds per second."""
COUNTER = 2**64
"""Values from here on are not counters."""


class Reason(StrEnum):
    """Why there is no rate between two readings."""

    MISSING = "missing"  # one of them has no value, or one that no counter can have
    REBOOT = "reboot"  # the host was rebooted in between
    REPLACED = "replaced"  # the name now belongs to another device
    CLOCK = "clock"  # the host's clock is unknown, stood still or went back
    RESET = "reset"  # the counter went back and did not wrap
    AMBIGUOUS = "ambiguous"  # a narrow counter may have wrapped unnoticed
    IMPLAUSIBLE = "implausible"  # it grew by more than the line or the core can carry, as if it counted down
    UNSAMPLED = "unsampled"  # it was not read both before and after what is counted
    LATE = "late"  # longer than a valid interval: only an average is known


SAID: Mapping[str, str] = {
    Reason.MISSING: "a counter was missing from a sample",
    Reason.REBOOT: "the host was rebooted",
    Reason.REPLACED: "the interface was replaced",
    Reason.CLOCK: "the host's clock stood still or went back",
    Reason.RESET: "a counter was reset",
    Reason.AMBIGUOUS: "a counter may have wrapped unnoticed",
    Reason.IMPLAUSIBLE: "a counter grew by more than can be carried, or counted down",
    Reason.UNSAMPLED: "a counter was not read both before and after the blast",
}
"""The reasons in words, for counts that are a lower bound because of them."""


UNNAMED = "unnamed boot "
"""How a boot's identity begins if the kernel does not name it, but it surely differs from the one before."""


def booted(before: str, after: str) -> bool:
    """Whether two boots are known to differ; "" is one that is not known."""
    return before != after and (bool(before and after) or after.startswith(UNNAMED))


class Reading(msgspec.Struct, frozen=True):
    """A counter's value at `at` nanoseconds of the host's own monotonic clock; None: not known.

    `boot` identifies the boot (Linux boot_id, FreeBSD kern.boottime or kern.bootid), `device` what the
    counter belongs to if its name can be reused (the interface index). An empty one is unknown and equals
    any other, except that an `UNNAMED` boot is known to differ from whatever was before it.
    """

    value: int | None
    at: int | None
    boot: str = ""
    device: str = ""


class Rate(msgspec.Struct, frozen=True):
    """`count` in `seconds`; `per_second` is their quotient, finite and never negative."""

    per_second: float
    count: int
    seconds: float


class Gap(msgspec.Struct, frozen=True):
    """There is no rate, for this `reason`. `seconds` between the readings, if both are on one clock.

    `average` is the rate over the whole gap, known for LATE only. It may be shown as "starved 12 s, 801 kpps
    on average" and is never a sample.
    """

    reason: Reason
    seconds: float | None = None
    average: float | None = None


def nanoseconds(seconds: float | int) -> int | None:
    """Seconds of a clock (an uptime) as the nanoseconds that Reading takes; None if it is not a time."""
    if isinstance(seconds, int):
        return seconds * NANO if 0 <= seconds < COUNTER else None
    return round(seconds * NANO) if math.isfinite(seconds) and 0 <= seconds < COUNTER else None


def rate(
    before: Reading,
    after: Reading,
    *,
    width: int | None = None,
    line_speed: float | None = None,
    longest: float | None = None,
) -> Rate | Gap:
    """The rate between two readings of one counter.

    `width` is 16, 32 or 64 bits, None if unknown (then nothing counts as a wrap). `line_speed` is the most
    the counter can grow per second, in its own unit; without it no wrap can be judged, and no growth is too
    large. `longest` is the longest valid interval in seconds.

    If the counter never grows faster than `line_speed` and is not reset, a Rate of a narrow counter is exact.
    A reset within the same boot that looks like a plausible wrap cannot be distinguished from one.
    """
    if before.boot != after.boot and booted(before.boot, after.boot):
        return Gap(Reason.REBOOT)
    if before.at is None or after.at is None:
        return Gap(Reason.CLOCK)
    elapsed = after.at - before.at
    if elapsed <= 0 or elapsed >= COUNTER:
        # a monotonic clock only goes back when the host reboots
        unknown = not (before.boot and after.boot)
        return Gap(Reason.REBOOT if elapsed < 0 and unknown else Reason.CLOCK)
    seconds = elapsed / NANO
    if before.device and after.device and before.device != after.device:
        return Gap(Reason.REPLACED, seconds)
    if not _is_counter(before.value) or not _is_counter(after.value):
        return Gap(Reason.MISSING, seconds)
    assert before.value is not None and after.value is not None
    growth = _growth(before.value, after.value, elapsed, width, line_speed)
    if isinstance(growth, Reason):
        return Gap(growth, seconds)
    per_second = growth * NANO / elapsed
    if longest is not None and seconds > longest:
        return Gap(Reason.LATE, seconds, per_second)
    return Rate(per_second, growth, seconds)


def rates(
    readings: Iterable[Reading],
    *,
    width: int | None = None,
    line_speed: float | None = None,
    longest: float | None = None,
) -> Iterator[Rate | Gap]:
    """The `rate` between each reading and the next: one result fewer than readings."""
    for before, after in pairwise(readings):
        yield rate(before, after, width=width, line_speed=line_speed, longest=longest)


def _is_counter(value: int | None) -> bool:
    return value is not None and 0 <= value < COUNTER


def _growth(
    before: int, after: int, elapsed: int, width: int | None, line_speed: float | None
) -> int | Reason:
    """How much the counter grew in `elapsed` nanoseconds, or why that is not known."""
    growth = after - before
    if line_speed is None or not math.isfinite(line_speed):
        return growth if growth >= 0 else Reason.RESET
    most = line_speed * (elapsed / NANO)
    # a larger value proves that the counter is wider than stated
    round_ = 2**width if width is not None and width < 64 and max(before, after) < 2**width else None
    if round_ is None:
        return Reason.RESET if growth < 0 else Reason.IMPLAUSIBLE if growth > most else growth
    candidate = growth if growth >= 0 else growth + round_
    if candidate + round_ <= most:
        return Reason.AMBIGUOUS
    if candidate <= most:
        return candidate
    return Reason.IMPLAUSIBLE if growth >= 0 else Reason.RESET
