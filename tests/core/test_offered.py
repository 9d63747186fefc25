"""A rate above what was offered: found in every place by the same rule."""

import math

import pytest

from fwdtui.core.offered import CODE, TOLERANCE, is_above, received_above


def test_the_warning_names_both_rates_and_by_how_much_they_differ() -> None:
    found = received_above(1_100_000, 1_000_000)
    assert found is not None and found.code == CODE == "received-above-offered"
    assert found.text.startswith("1.100 Mpps were received, 10 % more than the 1.000 Mpps that were offered")
    wrong_unit = received_above(16_400_000, 1_000_000)
    assert wrong_unit is not None and "received, 1540 % more than the 1.000 Mpps" in wrong_unit.text
    forwarded = received_above(5.0, 0.0, "forwarded")
    assert forwarded is not None and forwarded.text.startswith("5 pps were forwarded, more than the 0 pps")


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0, 1.0 + TOLERANCE / 2])
def test_less_as_much_or_the_scatter_of_two_clocks_is_no_fault(share: float) -> None:
    assert received_above(share * 14.88e6, 14.88e6) is None


@pytest.mark.parametrize(
    "pair", [(None, 1.0), (1.0, None), (math.nan, 1.0), (1.0, math.nan), (math.inf, 1.0), (1.0, -1.0)]
)
def test_what_is_not_known_is_not_above(pair: tuple[float | None, float | None]) -> None:
    assert not is_above(*pair)
    assert received_above(*pair) is None


@pytest.mark.parametrize(
    ("rate", "offered", "above"),
    [
        (1_006_700, 1e6, False),
        (1_009_999, 1e6, False),
        (1_010_000, 1e6, False),
        (1_010_001, 1e6, True),
        (1_015_000, 1e6, True),
        (0.0, 0.0, False),
        (0.1, 0.0, True),
        (0.0, -1.0, False),
    ],
)
def test_more_than_one_percent_above_the_load_is_impossible(rate: float, offered: float, above: bool) -> None:
    assert is_above(rate, offered) is above
    assert (received_above(rate, offered) is not None) is above
