"""Names, numbers and JSON of unknown origin."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core.parse.fields import decimal, hexadecimal, identifier, phrase
from fwdtui.core.parse.json_text import count, integer, load_documents, load_json, real, truth
from fwdtui.core.text import clean


@pytest.mark.parametrize("bad", ["", "0x1", "-1", "1_0", "٣", "f" * 17, " 1", "1 ", "+1"])
def test_only_plain_hexadecimal_digits_are_hexadecimal(bad: str) -> None:
    assert hexadecimal(bad) is None
    assert hexadecimal("Ff") == 255


@pytest.mark.parametrize("bad", ["", "nan", "inf", "1e5", "-1", ".5", "1.", "1_0.0", "٣.٣", "9" * 31])
def test_only_plain_digits_are_decimal(bad: str) -> None:
    assert decimal(bad) is None
    assert decimal("2600.25") == 2600.25


@given(st.text(max_size=100))
def test_a_name_is_one_clean_word_of_bounded_length(text: str) -> None:
    word = identifier(text)
    assert word is None or (word == clean(word) and len(word.split()) == 1 and len(word) <= 64)
    line = phrase(text, 20)
    assert line is None or (line == clean(line).strip() and 0 < len(line) <= 20)


def test_a_lone_surrogate_becomes_visible_and_harmless() -> None:
    assert phrase("a\ud800b") == "a\\ud800b"
    assert identifier(5) is None


@pytest.mark.parametrize("bad", [True, None, "5", -1, 1.5, float("nan"), float("inf"), 2**64, 1e30, [], {}])
def test_what_is_no_count_is_none(bad: object) -> None:
    assert count(bad) is None


def test_a_whole_float_is_a_count() -> None:
    assert count(2.5e15) == 2_500_000_000_000_000
    assert count(2**64 - 1) == 2**64 - 1
    assert integer(-3) == -3
    assert integer(-3.0) == -3
    assert integer(float("nan")) is None
    assert integer(True) is None


def test_numbers_are_finite() -> None:
    assert real(float("nan")) is None
    assert real(float("-inf")) is None
    assert real(True) is None
    assert real(3) == 3.0
    assert truth(1) is True
    assert truth(2) is None
    assert truth(1.0) is None


def test_json_that_python_cannot_read_is_a_reason_and_no_exception() -> None:
    assert load_json("[" * 100_000)[1] == "JSON nested too deeply"
    assert str(load_json("1" * 10_000)[1]).startswith("not JSON")
    assert load_json("{}") == ({}, None)


def test_documents_one_after_the_other() -> None:
    assert load_documents('{"a":1}\n{"b":2}\n') == ([{"a": 1}, {"b": 2}], None)
    found, why = load_documents('{"a":1}\n{"b":')
    assert found == [{"a": 1}]
    assert why is not None
