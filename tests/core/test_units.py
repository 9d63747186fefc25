"""Rates and durations as people write them."""

import math

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.units import parse_duration, parse_rate, pps


@pytest.mark.parametrize(
    ("text", "rate"),
    [("14.88M", 14.88e6), (" 600 k pps ", 600e3), ("1e6", 1e6), ("0", 0.0), ("5.", 5.0), ("1.5Gpps", 1.5e9)],
)
def test_a_rate_is_a_number_with_an_optional_multiple_and_pps(text: str, rate: float) -> None:
    assert parse_rate(text) == rate


@pytest.mark.parametrize("text", ["", "M", "-1", "nan", "inf", "1 000", "1,000", "1e", "1 kk", "٣", "1\0"])
def test_anything_else_is_refused_with_what_was_written(text: str) -> None:
    with pytest.raises(FwdtuiError, match="is not a rate"):
        parse_rate(text)


def test_no_rate_is_infinite() -> None:
    with pytest.raises(FwdtuiError, match="'1e999' is not a rate"):
        parse_rate("1e999")


@pytest.mark.parametrize("text", ["10Gbps", "10 G b/s"])
def test_bits_per_second_are_not_taken_for_packets(text: str) -> None:
    with pytest.raises(FwdtuiError, match="bits per second"):
        parse_rate(text)


@pytest.mark.parametrize("read", [parse_rate, parse_duration])
@pytest.mark.parametrize("part", [" ", "1", "1 ", "1 k ", "."])
def test_text_of_any_length_is_refused_at_once_and_not_repeated_in_full(read, part: str) -> None:
    # three runs of white space matched in every way took minutes at 10 000 characters; this is a million
    with pytest.raises(FwdtuiError) as refused:
        read("1" + part * 1_000_000 + "x")
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("value", [1.7976e308, -1.7976e308, math.inf, math.nan, 5e-324, 1e100])
def test_a_figure_of_any_size_can_be_written(value: float) -> None:
    assert len(pps(value)) < 20
