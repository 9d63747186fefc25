"""Counters to rates: a right rate or a gap with its reason, never a guess."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fwdtui.core.rates import Gap, Rate, Reading, Reason, nanoseconds, rate, rates

SECOND = 1_000_000_000
LINE_RATE = 14_880_952.0  # 64-byte frames per second on 10 Gbit/s


def test_a_rate_is_the_growth_over_the_time_on_the_host_s_clock() -> None:
    assert rate(Reading(1000, 5 * SECOND), Reading(3000, 9 * SECOND)) == Rate(500.0, 2000, 4.0)


def test_a_counter_that_stands_still_has_a_rate_of_zero() -> None:
    assert rate(Reading(7, 0), Reading(7, SECOND)) == Rate(0.0, 0, 1.0)


@pytest.mark.parametrize("value", [None, -1, 2**64, 10**400])
def test_a_missing_value_is_a_gap_and_never_zero(value: int | None) -> None:
    assert rate(Reading(value, 0), Reading(5, SECOND)) == Gap(Reason.MISSING, 1.0)
    assert rate(Reading(5, 0), Reading(value, SECOND)) == Gap(Reason.MISSING, 1.0)


def test_another_boot_is_a_reboot_even_if_the_counter_grew() -> None:
    found = rate(Reading(5, SECOND, boot="a"), Reading(9, 2 * SECOND, boot="b"))
    assert found == Gap(Reason.REBOOT)


def test_a_clock_that_went_back_is_a_reboot_unless_the_boot_is_known_to_be_the_same() -> None:
    assert rate(Reading(5, 9 * SECOND), Reading(6, SECOND)) == Gap(Reason.REBOOT)
    assert rate(Reading(5, 9 * SECOND, "a"), Reading(6, SECOND, "a")) == Gap(Reason.CLOCK)


@pytest.mark.parametrize(("before", "after"), [(5, 5), (None, 5), (5, None), (0, 2**64)])
def test_without_time_there_is_no_rate(before: int | None, after: int | None) -> None:
    for boot in ("a", ""):
        assert rate(Reading(1, before, boot), Reading(2, after, boot)) == Gap(Reason.CLOCK)


def test_an_unknown_boot_equals_any() -> None:
    assert isinstance(rate(Reading(1, 0, "a"), Reading(2, SECOND)), Rate)


def test_a_name_that_went_to_another_device_is_a_gap() -> None:
    found = rate(Reading(5, 0, device="3"), Reading(9, SECOND, device="7"))
    assert found == Gap(Reason.REPLACED, 1.0)


@pytest.mark.parametrize("width", [64, None])
def test_a_counter_that_goes_back_was_reset_unless_it_is_known_to_have_32_bits(width: int | None) -> None:
    found = rate(Reading(2**32 - 10, 0), Reading(5, SECOND), width=width, line_speed=LINE_RATE)
    assert found == Gap(Reason.RESET, 1.0)


def test_a_32_bit_counter_that_wraps_within_line_speed_has_its_right_rate() -> None:
    found = rate(Reading(2**32 - 10, 0), Reading(5, SECOND), width=32, line_speed=LINE_RATE)
    assert found == Rate(15.0, 15, 1.0)


def test_a_wrap_faster_than_line_speed_is_a_reset() -> None:
    found = rate(Reading(1_000_000, 0), Reading(5, SECOND), width=32, line_speed=LINE_RATE)
    assert found == Gap(Reason.RESET, 1.0)


def test_without_a_line_speed_no_wrap_is_assumed() -> None:
    assert rate(Reading(2**32 - 10, 0), Reading(5, SECOND), width=32) == Gap(Reason.RESET, 1.0)


def test_a_32_bit_counter_that_may_have_gone_round_unseen_is_ambiguous() -> None:
    # 10 Gbit/s in bytes wrap after 3.4 s: growth over 10 s says nothing, forward or back
    for before, after in ((5, 1000), (1000, 5)):
        found = rate(Reading(before, 0), Reading(after, 10 * SECOND), width=32, line_speed=1.25e9)
        assert found == Gap(Reason.AMBIGUOUS, 10.0)


def test_a_value_beyond_32_bits_proves_the_counter_wider() -> None:
    found = rate(Reading(2**32, 0), Reading(2**32 + 5, 10 * SECOND), width=32, line_speed=1.25e9)
    assert found == Rate(0.5, 5, 10.0)
    assert rate(Reading(2**32 + 5, 0), Reading(5, SECOND), width=32, line_speed=1.25e9) == Gap(
        Reason.RESET, 1.0
    )


def test_a_stalled_host_is_a_gap_with_its_average_and_no_spike() -> None:
    found = rate(Reading(0, 0), Reading(12_000_000, 12 * SECOND), longest=3.0)
    assert found == Gap(Reason.LATE, 12.0, average=1_000_000.0)


def test_a_reset_inside_a_stall_has_no_average() -> None:
    assert rate(Reading(9, 0), Reading(5, 12 * SECOND), longest=3.0) == Gap(Reason.RESET, 12.0)


def test_an_interval_of_just_the_limit_is_a_sample() -> None:
    assert isinstance(rate(Reading(0, 0), Reading(9, 3 * SECOND), longest=3.0), Rate)


def test_late_delivery_changes_nothing_because_arrival_is_no_clock() -> None:
    # 67 samples of a 12 s stall arrive at once: each keeps the stamp of the host
    backlog = [Reading(100_000 * tick, tick * SECOND // 10) for tick in range(67)]
    found = list(rates(backlog, longest=3.0))
    assert len(found) == 66
    assert all(isinstance(item, Rate) and item.per_second == 1_000_000.0 for item in found)


def test_a_reboot_between_two_samples_of_many_is_one_gap() -> None:
    before = [Reading(1000 + n, n * SECOND, "a") for n in range(3)]
    after = [Reading(n, n * SECOND, "b") for n in range(3)]
    kinds = [type(item).__name__ for item in rates(before + after)]
    assert kinds == ["Rate", "Rate", "Gap", "Rate", "Rate"]


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(970.94, 970_940_000_000), (3, 3_000_000_000), (0.0, 0)],
)
def test_seconds_become_nanoseconds(seconds: float, expected: int) -> None:
    assert nanoseconds(seconds) == expected


@pytest.mark.parametrize("seconds", [math.nan, math.inf, -1.0, -5, 10**400, 1e300])
def test_what_is_no_time_has_no_nanoseconds(seconds: float) -> None:
    assert nanoseconds(seconds) is None


# the limits of what a narrow counter's growth may be; `most` per second
@pytest.mark.parametrize(
    ("before", "after", "most", "found"),
    [
        (0, 999, 1000.0, 999),
        (0, 1000, 1000.0, 1000),
        (0, 1001, 1000.0, Reason.IMPLAUSIBLE),
        (2**32 - 10, 990, 1000.0, 1000),
        (2**32 - 10, 991, 1000.0, Reason.RESET),  # not even a wrap explains it
        (2**32 - 1, 0, 1000.0, 1),
        (2**32, 0, 1000.0, Reason.RESET),  # a value that 32 bits cannot hold: there is nothing to go round
        (2**32 - 10, 2**32, 1000.0, 10),
        (0, 5, 2.0**32 + 4, 5),
        (0, 5, 2.0**32 + 5, Reason.AMBIGUOUS),  # 5, or once around and 5
        (5, 0, 2.0**33 - 6, 2**32 - 5),
        (5, 0, 2.0**33 - 5, Reason.AMBIGUOUS),
        (7, 7, 0.0, 0),
        (7, 8, 0.0, Reason.IMPLAUSIBLE),
        (7, 8, math.inf, 1),
        (8, 7, math.inf, Reason.RESET),
    ],
)
def test_a_32_bit_counters_growth_is_known_up_to_what_it_can_grow(
    before: int, after: int, most: float, found: int | Reason
) -> None:
    for seconds in (1, 2):
        made = rate(Reading(before, 0), Reading(after, seconds * SECOND), width=32, line_speed=most / seconds)
        expected = (
            Gap(found, float(seconds)) if isinstance(found, Reason) else Rate(found / seconds, found, seconds)
        )
        assert made == expected


@pytest.mark.parametrize("width", [16, 32])
def test_a_narrow_counter_goes_round_at_its_own_width(width: int) -> None:
    found = rate(Reading(2**width - 3, 0), Reading(4, SECOND), width=width, line_speed=100.0)
    assert found == Rate(7.0, 7, 1.0)


@pytest.mark.parametrize("width", [None, 64])
def test_a_wide_counter_that_grew_by_more_than_it_can_counted_down(width: int | None) -> None:
    made = [rate(Reading(0, 0), Reading(n, SECOND), width=width, line_speed=1000.0) for n in (1000, 1001)]
    assert made == [Rate(1000.0, 1000, 1.0), Gap(Reason.IMPLAUSIBLE, 1.0)]


def test_the_largest_value_of_64_bits_is_a_counters() -> None:
    assert rate(Reading(2**64 - 2, 0), Reading(2**64 - 1, SECOND)) == Rate(1.0, 1, 1.0)
    assert nanoseconds(2**64 - 1) == (2**64 - 1) * SECOND and nanoseconds(2**64) is None
    assert nanoseconds(float(2**63)) == 2**63 * SECOND and nanoseconds(float(2**64)) is None
    assert isinstance(rate(Reading(0, 0), Reading(1, 2**64 - 1)), Rate)


stamps = st.none() | st.integers(-5, 2**70)
values = st.none() | st.integers(-5, 2**66) | st.integers(2**32 - 9, 2**32 + 9)
readings = st.builds(
    Reading, values, stamps, st.sampled_from(["", "a", "b"]), st.sampled_from(["", "1", "2"])
)
widths = st.sampled_from([None, 32, 64])
speeds = st.none() | st.floats(0, 1e15)
limits = st.none() | st.floats(0, 1e6)


@given(before=readings, after=readings, width=widths, line_speed=speeds, longest=limits)
def test_any_two_readings_give_a_finite_rate_or_a_gap(
    before: Reading, after: Reading, width: int | None, line_speed: float | None, longest: float | None
) -> None:
    found = rate(before, after, width=width, line_speed=line_speed, longest=longest)
    if isinstance(found, Rate):
        assert math.isfinite(found.per_second)
        assert found.per_second >= 0
        assert found.count >= 0
        assert found.seconds > 0
        assert before.boot == after.boot or not (before.boot and after.boot)
        assert before.value is not None
        assert after.value is not None
        assert longest is None or found.seconds <= longest
    else:
        assert found.seconds is None or (math.isfinite(found.seconds) and found.seconds > 0)
        assert (found.average is not None) == (found.reason is Reason.LATE)
        assert found.average is None or (math.isfinite(found.average) and found.average >= 0)


@given(
    start=st.integers(0, 2**64 - 1),
    growth=st.integers(0, 2**40),
    elapsed=st.integers(1, 10**13),
    headroom=st.floats(1.01, 1e6),
)
def test_a_32_bit_counter_within_line_speed_gives_the_exact_rate_or_a_gap(
    start: int, growth: int, elapsed: int, headroom: float
) -> None:
    """The host's true counter is wider; the file shows its low 32 bits, as softnet_stat does."""
    line_speed = max(growth / (elapsed / SECOND) * headroom, 1.0)
    assume(math.isfinite(line_speed))
    before = Reading(start % 2**32, 0)
    after = Reading((start + growth) % 2**32, elapsed)
    found = rate(before, after, width=32, line_speed=line_speed)
    if isinstance(found, Rate):
        assert found.count == growth
    else:
        assert found.reason is Reason.AMBIGUOUS, "nothing was reset"
        assert line_speed * elapsed / SECOND >= 2**32 * 0.999


@given(start=st.integers(0, 2**32 - 1), growth=st.integers(0, 14_880_952), ticks=st.integers(1, 100))
def test_softnet_at_line_rate_never_loses_a_sample_to_a_wrap(start: int, growth: int, ticks: int) -> None:
    """At 10 Gbit/s and up to 10 s between samples 2**32 packets cannot pass, so there is no doubt."""
    elapsed = ticks * SECOND // 10
    grown = growth * ticks // 10
    found = rate(
        Reading(start, 0), Reading((start + grown) % 2**32, elapsed), width=32, line_speed=LINE_RATE * 1.01
    )
    assert isinstance(found, Rate)
    assert found.count == grown


@given(
    counts=st.lists(st.integers(0, 10**9), min_size=2, max_size=20),
    gaps=st.lists(st.integers(1, 10**11), min_size=20, max_size=20),
)
def test_rates_times_seconds_add_up_to_the_whole_growth(counts: list[int], gaps: list[int]) -> None:
    value = at = 0
    series = []
    for count, gap in zip(counts, gaps, strict=False):
        value, at = value + count, at + gap
        series.append(Reading(value, at))
    found = [item for item in rates(series) if isinstance(item, Rate)]
    assert sum(item.count for item in found) == sum(counts[1:])
    for item in found:
        assert item.per_second * item.seconds == pytest.approx(item.count, rel=1e-9)


@given(value=st.integers(0, 2**63), after=st.integers(0, 2**63), width=st.sampled_from([None, 64]))
def test_a_counter_that_goes_back_never_gives_a_rate(value: int, after: int, width: int | None) -> None:
    assume(after < value)
    found = rate(Reading(value, 0), Reading(after, SECOND), width=width, line_speed=1e30)
    assert found == Gap(Reason.RESET, 1.0)


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0, 0), (1, SECOND), (-1, None), (0.5, SECOND // 2), (-0.5, None)]
)
def test_time_begins_at_zero_in_whole_seconds_and_in_parts(seconds: float, expected: int | None) -> None:
    assert nanoseconds(seconds) == expected


@pytest.mark.parametrize(("before", "after"), [("3", "3"), ("", "3"), ("3", ""), ("", "")])
def test_the_same_device_and_one_that_is_not_known_go_on(before: str, after: str) -> None:
    found = rate(Reading(5, 0, device=before), Reading(9, SECOND, device=after))
    assert found == Rate(4.0, 4, 1.0)


@pytest.mark.parametrize(("after", "found"), [(8, 1), (7, 0), (6, Reason.RESET)])
def test_a_wide_counter_within_line_speed_stands_still_or_grows_and_one_back_is_a_reset(
    after: int, found: int | Reason
) -> None:
    made = rate(Reading(7, 0), Reading(after, SECOND), line_speed=1000.0)
    assert made == (Gap(found, 1.0) if isinstance(found, Reason) else Rate(float(found), found, 1.0))
