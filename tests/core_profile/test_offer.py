"""The load of profiles that are to be compared: one for all, below what the slowest forwards."""

import pytest

from fwdtui.core.profile.offer import Forwarded, Profiled, offer


def test_four_fifths_of_the_lowest_rate_rounded_down_to_two_digits():
    found = offer([Forwarded(1e6, "after: c, iteration 1"), Forwarded(412_345.0, "before: c, iteration 2")])
    assert found is not None and found.rate == 320_000.0
    assert "80% of the lowest rate that was forwarded, 412.3 kpps in before: c, iteration 2" in found.why


@pytest.mark.parametrize(("lowest", "rate"), [(100.0, 80.0), (9.0, 7.2), (14.88e6, 11e6), (1.2, 1.0)])
def test_the_digits_are_those_of_the_rate(lowest, rate):
    found = offer([Forwarded(lowest, "s")])
    assert found is not None and found.rate == pytest.approx(rate)


def test_a_later_variant_gets_the_load_of_the_earlier_profile():
    found = offer([Forwarded(500_000.0, "s")], [Profiled(300_000.0, "before: c")])
    assert found is not None and found.rate == 300_000.0
    assert "as for the profile of before: c" in found.why


def test_an_earlier_profile_above_what_the_slowest_forwards_or_two_that_differ_do_not_decide():
    for profiled in ([Profiled(500_000.0, "a")], [Profiled(1e5, "a"), Profiled(2e5, "b")]):
        found = offer([Forwarded(400_000.0, "s")], profiled)
        assert found is not None and found.rate == 320_000.0


def test_without_a_rate_nothing_is_known():
    assert offer([]) is None
    assert offer([Forwarded(0.0, "s")]) is None
