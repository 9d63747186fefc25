"""Rates and durations as people write them."""

import math

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.units import counted, grouped, parse_duration, parse_rate, pps, quoted, si


@pytest.mark.parametrize(
    ("text", "rate"),
    [("14.88M", 14.88e6), (" 600 k pps ", 600e3), ("1e6", 1e6), ("0", 0.0), ("5.", 5.0), ("1.5Gpps", 1.5e9)],
)
def test_a_rate_is_a_number_with_an_optional_multiple_and_pps(text: str, rate: float) -> None:
    assert parse_rate(text) == rate


@pytest.mark.parametrize(
    ("multiple", "rate"), [("", 2.5), ("k", 2.5e3), ("K", 2.5e3), ("M", 2.5e6), ("G", 2.5e9), ("T", 2.5e12)]
)
@pytest.mark.parametrize("form", ["2.5{}", "2.5 {}", "2.5{}pps", " 2.5 {} pps "])
def test_each_multiple_is_a_decimal_one(form: str, multiple: str, rate: float) -> None:
    assert parse_rate(form.format(multiple)) == rate


@pytest.mark.parametrize("text", ["1m", "1g", "1t", "1Ki", "1Mi", "1P"])
def test_a_multiple_that_may_mean_something_else_is_refused(text: str) -> None:
    """m is a thousandth, Ki is 1024: what was meant is not guessed by a factor of a thousand million."""
    with pytest.raises(FwdtuiError, match="is not a rate"):
        parse_rate(text)


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


# durations


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("100ms", 0.1),
        ("12s", 12.0),
        ("12", 12.0),
        ("5m", 300.0),
        ("5min", 300.0),
        ("2h", 7200.0),
        (" 1.5 h ", 5400.0),
        ("0", 0.0),
        ("3.", 3.0),
    ],
)
def test_a_duration_is_a_number_with_an_optional_unit(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds, rel=1e-12)


@pytest.mark.parametrize(
    "text", ["", "s", "-1s", "1d", "1e3", "1M", "1H", "1h30m", "1,5s", "nan", "inf", "1\0"]
)
def test_what_is_no_duration_is_refused_with_what_was_written(text: str) -> None:
    with pytest.raises(FwdtuiError) as refused:
        parse_duration(text)
    assert str(refused.value).startswith(f"{text!r} is not a duration: write a number with ms, s, m or h")


@pytest.mark.parametrize("text", ["9" * 400 + "s", "9" * 307 + "h"])
def test_no_duration_is_infinite(text: str) -> None:
    with pytest.raises(FwdtuiError, match="is not a duration: nothing takes that long"):
        parse_duration(text)


# what people read


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 pps"),
        (12.0, "12 pps"),
        (999.94, "999.9 pps"),
        (999.95, "1.000 kpps"),  # never "1000 pps": the figure that is shown decides on the multiple
        (1_000.0, "1.000 kpps"),
        (14_880.95, "14.88 kpps"),
        (999_949.0, "999.9 kpps"),
        (999_951.0, "1.000 Mpps"),
        (1_488_095.0, "1.488 Mpps"),
        (148_809_524.0, "148.8 Mpps"),
        (999_951_000.0, "1.000 Gpps"),
        (2.5e9, "2.500 Gpps"),
        (9.9994e11, "999.9 Gpps"),
        (9.9996e11, "1.000 Tpps"),
        (2.5e15, "2500 Tpps"),
        (-455_000.0, "-455.0 kpps"),
    ],
)
def test_a_rate_has_four_figures_and_a_multiple(value: float, text: str) -> None:
    assert pps(value) == text
    assert f"{si(value)}{'' if ' ' in si(value) else ' '}pps" == text


@pytest.mark.parametrize(("digits", "text"), [(2, "1.5 M"), (3, "1.49 M"), (4, "1.488 M"), (7, "1.488095 M")])
def test_a_rate_has_as_many_figures_as_are_wanted(digits: int, text: str) -> None:
    assert si(1_488_095.0, digits) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(9.99e99, f"{9.99e87:.0f} T"), (1e100, "1e+100"), (math.inf, "inf"), (math.nan, "nan")],
)
def test_beyond_any_rate_there_is_an_exponent(value: float, text: str) -> None:
    assert si(value) == text


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(0, 0, "0"), (999, 0, "999"), (1000, 0, "1 000"), (1_001_291, 0, "1 001 291"), (-1234.5, 1, "-1 234.5")],
)
def test_thousands_are_set_apart_by_a_space(value: float, decimals: int, text: str) -> None:
    assert grouped(value, decimals) == text


@pytest.mark.parametrize(("number", "text"), [(0, "0 samples"), (1, "1 sample"), (2, "2 samples")])
def test_one_is_not_said_in_the_plural(number: int, text: str) -> None:
    assert counted(number, "sample") == text


def test_what_somebody_wrote_is_quoted_whole_up_to_forty_characters() -> None:
    assert quoted("it's \x1b") == repr("it's \x1b")
    assert quoted("a" * 40) == "'" + "a" * 40 + "'"
    assert quoted("a" * 41) == "'" + "a" * 39 + "…'"


@pytest.mark.parametrize("read", [parse_rate, parse_duration])
def test_a_number_of_a_thousand_characters_is_read_and_a_longer_one_refused(read) -> None:
    assert read("1." + "0" * 998) == 1.0
    with pytest.raises(FwdtuiError):
        read("1." + "0" * 999)
