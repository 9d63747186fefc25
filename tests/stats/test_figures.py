"""Where a figure changes its form: just below, at and above."""

import pytest

from fwdtui.stats.figures import (
    amount,
    amount_and_interval,
    arm_of,
    decimals_for,
    ends,
    in_percent,
    listing,
    number,
    p_is,
    p_value,
)


@pytest.mark.parametrize(
    ("value", "decimals", "sign", "text"),
    [
        (9_999_999.0, 0, False, "9999999"),
        (1e7, 0, False, "1.00e+07"),
        (-1e7, 0, False, "−1.00e+07"),
        (6_700_000.0, 1, True, "+6700000.0"),
        (1.4e7, 1, True, "+1.40e+07"),
        (-0.04, 1, True, "0.0"),  # a rounded zero has no sign
        (-0.06, 1, True, "−0.1"),
        (0.0, 2, True, "0.00"),
        (2.5, 1, False, "2.5"),
    ],
)
def test_a_number_beyond_ten_million_has_an_exponent(value, decimals, sign, text) -> None:
    assert number(value, decimals, sign) == text


@pytest.mark.parametrize(
    ("arm", "decimals"),
    [
        (None, 2), (0.0, 2), (150.0, 0), (10.0, 0), (9.96, 0), (9.94, 1), (1.0, 1), (0.996, 1), (0.994, 2),
        (0.1, 2), (0.0123, 3), (1e-11, 12), (1e-30, 12),
    ],
)  # fmt: skip
def test_two_significant_digits_of_an_arm_are_shown(arm, decimals) -> None:
    assert decimals_for(arm) == decimals


@pytest.mark.parametrize(
    ("value", "interval", "arm"),
    [
        (3.0, (1.0, 4.0), 2.0),
        (3.0, (2.0, 5.0), 2.0),
        (None, (1.0, 4.0), None),
        (3.0, None, None),
        (1e308, (-1e308, 1.5e308), None),
    ],
)
def test_the_larger_arm_counts_if_it_is_a_number(value, interval, arm) -> None:
    assert arm_of(value, interval) == arm


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.00009999, "<0.0001"), (0.0001, "0.0001"), (0.000104, "0.000104"), (0.0499, "0.0499"),
        (0.0999, "0.0999"), (0.1, "0.10"), (0.1234, "0.12"), (None, "–"),
        # what a test holds against 5, 1 or 10 % must be seen to be below it
        (0.04997, "0.04997"), (0.049996, "0.049996"), (0.05, "0.05"), (0.050004, "0.05"),
        (0.0099996, "0.0099996"), (0.09996, "0.09996"), (0.0496, "0.0496"), (0.024996, "0.024996"),
        # nor must it at 80, 85 or 50 % confidence
        (0.1964, "0.196"), (0.19996, "0.19996"), (0.2, "0.20"), (0.2004, "0.20"), (0.1496, "0.1496"),
        (0.1279, "0.13"), (0.4996, "0.4996"), (0.996, "1.00"),
    ],
)  # fmt: skip
def test_a_p_below_a_ten_thousandth_is_not_spelled_out_and_from_a_tenth_on_has_two_decimals(p, text) -> None:
    assert p_value(p) == text
    assert p_is(p) == (f"p < {text[1:]}" if text.startswith("<") else f"p = {text}")


@pytest.mark.parametrize(
    ("value", "sign", "text"),
    [
        (0.9999, False, "0.9999"), (1.0, True, "+1"), (1.0, False, "1"), (-1.0, True, "−1"),
        (0.67, False, "0.67"), (9.9e14, False, "990.0 T"), (1e15, False, "1e+15"), (1.4e15, True, "+1.4e+15"),
        (-0.5, False, "−0.5"),
    ],
)  # fmt: skip
def test_an_amount_from_one_to_a_thousand_million_millions_has_a_multiple(value, sign, text) -> None:
    assert amount(value, sign) == text


@pytest.mark.parametrize(
    ("value", "interval", "sign", "text"),
    [
        (15_600.0, (3_100.0, 28_100.0), True, "+15.60 k ± 12.50 k"),
        (15_600.0, (3_100.0, 28_100.0), False, "15.60 k ± 12.50 k"),
        (15_600.0, (3_100.0, 29_000.0), False, "15.60 k [3.100 k, 29.00 k]"),
        # it is as far from zero as the arm is shown: ± would hide on which side it lies
        (12_500.0, (1.0, 24_999.0), True, "+12.50 k [+1, +25.00 k]"),
        (12_500.0, (-1.0, 25_001.0), True, "+12.50 k ± 12.50 k"),
        (15_600.0, None, True, "+15.60 k"),
    ],
)
def test_an_amount_has_a_plus_minus_if_both_arms_are_alike_as_shown(value, interval, sign, text) -> None:
    assert str(amount_and_interval(value, interval, sign=sign)) == text


@pytest.mark.parametrize(
    ("texts", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_a_listing_has_an_and_before_the_last(texts, text) -> None:
    assert listing(texts) == text


@pytest.mark.parametrize(
    ("interval", "shown"),
    [
        ((0.0, 0.4), ("0.0", "+0.4")),
        ((-0.01, 0.4), ("0.0", "+0.4")),
        ((0.012, 0.4), ("+0.01", "+0.40")),
        ((-0.4, -0.0012), ("−0.400", "−0.001")),
        ((1e-9, 0.4), (">0", "+0.4")),
        ((-0.4, -1e-9), ("−0.4", "<0")),
    ],
)
def test_the_end_of_an_interval_that_leaves_out_zero_does_not_look_like_zero(interval, shown) -> None:
    assert ends(interval, 1) == shown


@pytest.mark.parametrize(
    ("percent", "text"),
    [
        (95.0, "95 %"),
        (0.5, "0.5 %"),
        (0.1234567, "0.1234567 %"),
        (97.1234567, "97.1234567 %"),
        (99.9999, "99.9999 %"),
    ],
)
def test_a_percentage_that_somebody_gave_is_shown_as_it_was_given(percent: float, text: str) -> None:
    assert in_percent(percent) == text


def test_a_percentage_that_was_computed_has_six_digits() -> None:
    assert in_percent(100.0 - 1.6) == "98.4 %"
    assert in_percent(98.41234567890123) == "98.4123 %"
