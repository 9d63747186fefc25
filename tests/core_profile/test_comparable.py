"""What must be known to compare two profiles: per packet at one load only, and of the traffic."""

import msgspec
import pytest

from fwdtui.core.profile.comparable import loads, mostly_idle, why_not_per_packet
from fwdtui.core.profile.record import Profile

SIDES = ("A", "B")
SLOW = Profile(5000, "perf", "cpu-clock", start=3.0, end=13.0, rate=499.0, packets=1_000_000)
UNCOUNTED = msgspec.structs.replace(SLOW, packets=None)
IMPORTED = msgspec.structs.replace(SLOW, start=None, end=None)
MISSES = msgspec.structs.replace(SLOW, event="cache-misses")  # at a rate: the kernel varies their number
CYCLES = msgspec.structs.replace(SLOW, event="cycles", rate=None, period=5_010_020)
OFTEN = msgspec.structs.replace(SLOW, rate=997.0)


def at(packets: int) -> Profile:
    return msgspec.structs.replace(SLOW, packets=packets)


@pytest.mark.parametrize(
    ("profiles", "why"),
    [
        ((SLOW,), ""),
        ((OFTEN, OFTEN), ""),
        ((CYCLES,), ""),
        ((MISSES,), "samples do not all stand for the same number of cache-misses."),
        ((MISSES, MISSES), "the two were not, or not certainly, sampled in the same way."),
        ((SLOW, at(8_000_000)), ""),
        ((UNCOUNTED,), "it is not known how many packets were forwarded meanwhile."),
        ((SLOW, UNCOUNTED), "it is not known how many packets B forwarded."),
        ((UNCOUNTED, UNCOUNTED), "it is not known how many packets A and B forwarded."),
        ((SLOW, OFTEN), "the two were not, or not certainly, sampled in the same way."),
    ],
)
def test_why_there_are_no_samples_per_packet(profiles: tuple[Profile, ...], why: str) -> None:
    names = SIDES[: len(profiles)]
    assert why_not_per_packet(profiles, names) == (f"No samples per packet: {why}" if why else "")


@pytest.mark.parametrize(
    ("profiles", "said"),
    [
        ((SLOW, at(1_015_000)), ""),
        (
            (SLOW, at(8_000_000)),
            "They are of different loads (A 100.0 kpps and B 800.0 kpps forwarded): ",
        ),
        ((SLOW, at(970_000)), "They are of different loads (A 100.0 kpps and B 97.00 kpps forwarded): "),
        ((SLOW, IMPORTED), "It is not known at which load B was taken, and "),
        ((IMPORTED, IMPORTED), "It is not known at which load A and B was taken, and "),
        ((SLOW, UNCOUNTED), ""),  # there is nothing per packet
        ((SLOW,), ""),
    ],
)
def test_profiles_of_different_loads_are_told(profiles: tuple[Profile, ...], said: str) -> None:
    found = loads(profiles, SIDES)
    assert found.startswith(said) and bool(found) == bool(said)
    assert not said or "what a packet costs depends on the load (batching, idle polling)" in found


@pytest.mark.parametrize(("idle", "told"), [(0.985, True), (0.9, True), (0.899, False), (None, False)])
def test_a_profile_that_is_mostly_idle_is_told(idle: float | None, told: bool) -> None:
    assert mostly_idle(idle).startswith("9") == told and bool(mostly_idle(idle)) == told
