"""Efficiency and the knee: where it is named, where only a range is, and where nothing may be said."""

from math import comb

import pytest

from fwdtui.stats import scaling
from fwdtui.stats.scaling import Knee, Measured, efficiency, efficiency_range, knee, median_interval


def level(x: float, median: float, spread: float = 0.001, n: int = 5, *, capped: bool = False) -> Measured:
    return Measured(x, median, (median * (1 - spread), median * (1 + spread)), n, capped)


def levels(*medians: float, spread: float = 0.001) -> list[Measured]:
    """Levels 1, 2, 3 ... with these medians."""
    return [level(x, median, spread) for x, median in enumerate(medians, 1)]


def test_efficiency_is_the_share_of_what_the_first_level_would_give_times_x() -> None:
    first = level(2, 3e6)
    assert efficiency(first, level(8, 9e6)) == pytest.approx(0.75)
    assert efficiency(first, first) == pytest.approx(1.0)


@pytest.mark.parametrize("first", [level(0, 1.0), level(1, 0.0), level(1, -1.0)])
def test_there_is_no_efficiency_against_a_level_without_a_slope(first: Measured) -> None:
    assert efficiency(first, level(2, 1.0)) is None
    assert efficiency_range(first, level(2, 1.0)) is None


def test_the_spread_of_both_levels_widens_the_efficiency() -> None:
    low, high = efficiency_range(level(1, 100, 0.1), level(2, 160, 0.05)) or (0, 0)
    assert low == pytest.approx(152 / 220)
    assert high == pytest.approx(168 / 180)


class TestMedianInterval:
    @pytest.mark.parametrize(("n", "rank"), [(1, 1), (2, 1), (5, 1), (8, 1), (9, 2), (11, 2), (12, 3)])
    def test_it_is_the_narrowest_that_covers_as_much_as_the_range_of_five(self, n: int, rank: int) -> None:
        assert median_interval(range(1, n + 1)) == (rank, n + 1 - rank)

    @pytest.mark.parametrize("n", range(5, 60))
    def test_its_coverage_is_15_of_16_or_more_and_the_next_narrower_ones_is_not(self, n: int) -> None:
        rank, _ = median_interval(range(1, n + 1))
        missed = [sum(comb(n, k) for k in range(r)) / 2 ** (n - 1) for r in (rank, rank + 1)]
        assert missed[0] <= 1 / 16 < missed[1]

    def test_many_values_take_no_time(self) -> None:
        low, high = median_interval(range(10_000))
        assert 4900 < low < 5000 < high < 5100


class TestKnee:
    def test_it_is_where_efficiency_times_speed_up_is_greatest(self) -> None:
        """1, 2, 3, 3.1, 3.2: S² / n is 1, 2, 3, 2.4, 2.05."""
        assert knee(levels(1, 2, 3, 3.1, 3.2)) == Knee(2, 2, 4)

    def test_it_does_not_move_when_more_levels_beyond_it_are_measured(self) -> None:
        assert knee(levels(1, 2, 3, 3.1, 3.2, *[3.2] * 20)).first == 2

    def test_steps_need_not_be_even(self) -> None:
        found = knee([level(1, 1), level(2, 2), level(4, 3.9), level(8, 4.2), level(16, 4.3)])
        assert (found.first, found.last) == (2, 2)

    def test_where_the_spread_does_not_tell_levels_apart_it_lies_between_them(self) -> None:
        """S² / n of 3 and 4 are 3.00 and 2.98: 0.67 % apart, which 0.17 % of each median bridge."""
        close = 1, 2, 3, 3.4525, 3.5
        assert knee(levels(*close, spread=0.0016)) == Knee(2, 2, 4)
        assert knee(levels(*close, spread=0.0017)) == Knee(2, 3, 4)

    def test_a_level_whose_interval_touches_the_best_ones_is_not_ruled_out(self) -> None:
        def third(high: float) -> Knee:
            return knee([level(1, 1, 0), level(4, 4, 0), Measured(16, 7, (6, high), 5), level(64, 8, 0)])

        assert third(8.0) == Knee(1, 2, 3)
        assert third(7.999) == Knee(1, 1, 3)

    def test_linear_scaling_has_none(self) -> None:
        assert knee(levels(1, 2, 3, 4)) == Knee(3, 3, 3, scaling.LAST)

    def test_where_the_last_level_may_be_it_none_is_named(self) -> None:
        assert knee(levels(1, 2, 3, 3.46, spread=0.01)) == Knee(2, 3, 3, scaling.LAST)

    def test_a_rate_that_does_not_grow_bends_at_the_first_level(self) -> None:
        assert knee(levels(5, 5.1, 5)) == Knee(0, 0, 2)

    def test_capped_levels_are_not_judged(self) -> None:
        """The fourth level is at line rate: it says nothing, but the third proves the knee at the second."""
        found = [*levels(1, 2, 2.1), level(4, 2.2, capped=True)]
        assert knee(found) == Knee(1, 1, 2)

    def test_without_a_level_below_a_cap_after_it_there_is_no_knee(self) -> None:
        found = [*levels(1, 2, 3), level(4, 3.1, capped=True), level(5, 3.1, capped=True)]
        assert knee(found) == Knee(2, 2, 2, scaling.LAST)

    @pytest.mark.parametrize(
        ("found", "why"),
        [
            (levels(1, 2), scaling.FEW_LEVELS),
            ([*levels(1, 2), level(3, 2, capped=True)], scaling.FEW_LEVELS),
            ([*levels(1, 2), level(3, 2, n=4)], scaling.FEW_VALUES),
            ([level(1, 1, capped=True), *levels(2, 3, 3)[1:]], scaling.FIRST_CAPPED),
            (levels(0, 1, 2), scaling.NOT_POSITIVE),
            ([level(0, 1), level(1, 2), level(2, 2)], scaling.NOT_POSITIVE),
            ([], scaling.NOT_POSITIVE),
        ],
    )
    def test_it_is_not_named_where_the_data_cannot_support_one(self, found: list[Measured], why: str) -> None:
        assert knee(found).why_not == why

    def test_three_levels_of_five_values_are_enough(self) -> None:
        assert knee(levels(1, 2, 2)).why_not == ""


def test_a_level_without_any_of_the_resource_has_no_efficiency() -> None:
    for x in (0, -1):
        assert efficiency(level(1, 1), level(x, 1)) is None
        assert efficiency_range(level(1, 1), level(x, 1)) is None


def test_less_than_one_of_the_resource_and_of_the_rate_are_levels_too() -> None:
    first, one = level(0.5, 0.5, 0), level(1.0, 0.75, 0)
    assert efficiency(first, one) == pytest.approx(0.75)
    assert efficiency_range(first, one) == (pytest.approx(0.75), pytest.approx(0.75))
    assert efficiency_range(level(1, 1, spread=1.0), one) is None, "the first level may have been zero"
    assert knee([level(x / 10, y / 10) for x, y in enumerate((1, 2, 3, 3.1, 3.2), 1)]) == Knee(2, 2, 4)
