"""Names, numbers and JSON of unknown origin."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core.parse.fields import (
    MAX_NAME,
    Skipped,
    decimal,
    hexadecimal,
    identifier,
    lines,
    phrase,
    shown,
    whole,
)
from fwdtui.core.parse.json_text import (
    count,
    integer,
    load_documents,
    load_json,
    mapping,
    real,
    sequence,
    truth,
)
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


# limits: just below, at and above


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0), ("007", 7), ("9" * 19, 10**19 - 1), ("9" * 20, 10**20 - 1), ("9" * 21, None),
        ("0" * 27, None), ("", None), ("-1", None), ("+1", None), ("1_0", None), ("٣", None),
        (" 1", None), ("1.0", None),
    ],
)  # fmt: skip
def test_a_whole_number_has_up_to_twenty_digits(text: str, number: int | None) -> None:
    """20 digits hold any counter of 64 bits."""
    assert whole(text) == number


def test_a_name_has_up_to_64_characters_and_is_one_word() -> None:
    assert MAX_NAME == 64
    assert [identifier("a" * n) is not None for n in (1, 43, 63, 64, 65, 96)] == [True] * 4 + [False] * 2
    assert identifier("a b") is None and identifier("a b c") is None and identifier("") is None
    assert identifier(" eth0 ") == "eth0"


def test_a_phrase_has_up_to_200_characters_unless_told_otherwise() -> None:
    assert [len(phrase("a" * n) or "") for n in (133, 199, 200, 201, 300)] == [133, 199, 200, 200, 200]
    assert phrase("abcdef", 3) == "abc" and phrase("ab    cd", 4) == "ab"
    assert phrase(" \x1b ") is None and phrase(None) is None


@pytest.mark.parametrize("n", [1, 53, 79, 80])
def test_up_to_eighty_characters_of_a_line_are_shown_whole(n: int) -> None:
    assert shown("x" * n) == "'" + "x" * n + "'"


@pytest.mark.parametrize("n", [81, 82, 120, 1000])
def test_a_longer_line_is_shown_by_its_first_eighty(n: int) -> None:
    assert shown("x" * n) == "'" + "x" * 80 + "…'"


def test_forty_notes_are_kept_and_the_others_counted() -> None:
    for n, last in (
        (39, "line 39: odd: 'x'"),
        (40, "line 40: odd: 'x'"),
        (41, "and 1 more"),
        (60, "and 20 more"),
    ):
        skipped = Skipped()
        for number in range(1, n + 1):
            skipped.line(number, "odd", " x\n")
        assert len(skipped.done()) == min(n, 41)
        assert skipped.done()[-1] == last
    assert Skipped().done() == ()


def test_only_lf_and_crlf_end_a_line() -> None:
    assert lines("a\r\nb\nc\rd\x0ce\u2028f") == ["a", "b", "cdef"]


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0, 0), (0.0, 0), (1.0, 1), (2**64 - 1, 2**64 - 1), (2**64, None), (2.0**63, 2**63), (2.0**64, None),
        (-1.0, None), (0.5, None), (False, None),
    ],
)  # fmt: skip
def test_a_count_has_up_to_64_bits(value: object, number: int | None) -> None:
    assert count(value) == number
    negative = -value if isinstance(value, int | float) and not isinstance(value, bool) else None
    expected = None if negative is None or value == -1.0 else None if number is None else -number
    assert integer(negative) == (1 if value == -1.0 else expected)


@pytest.mark.parametrize(
    ("value", "number"), [(2**64 - 1, 2.0**64), (2**64, None), (-(2**64), None), (0, 0.0)]
)
def test_a_measurement_is_below_2_to_64(value: object, number: float | None) -> None:
    assert real(value) == number


@pytest.mark.parametrize(
    ("value", "found"), [(0, False), (1, True), (True, True), (False, False), (-1, None)]
)
def test_zero_and_one_are_no_and_yes(value: object, found: bool | None) -> None:
    assert truth(value) is found


@pytest.mark.parametrize(("n", "read"), [(999, 999), (1000, 1000), (1001, 1000), (1500, 1000)])
def test_a_thousand_documents_are_read(n: int, read: int) -> None:
    found, why = load_documents("{} " * n)
    assert len(found) == read
    assert why == (None if n <= 1000 else "more than 1000 JSON documents")
    assert load_documents("{}{}", 3) == ([{}, {}], None)


def test_why_a_document_cannot_be_read_is_told_in_a_hundred_characters() -> None:
    assert len(str(load_json('{"' + "a" * 500)[1])) <= 90


def test_why_json_cannot_be_read_is_told_in_eighty_characters() -> None:
    """Python says 141 about an integer of too many digits."""
    why = "not JSON: Exceeds the limit (4300 digits) for integer string conversion: value has 10000 di"
    assert len(why) == len("not JSON: ") + 80 + 1
    assert load_json("1" * 10_000) == (None, why[:-1])
    assert load_documents("{} " + "1" * 10_000) == ([{}], why[:-1])


def test_up_to_a_thousand_documents_are_read() -> None:
    assert load_documents(" 5\n" * 1000) == ([5] * 1000, None)
    assert load_documents(" 5\n" * 1001) == ([5] * 1000, "more than 1000 JSON documents")
    assert load_documents("[] " + "[" * 100_000) == ([[]], "JSON nested too deeply")


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (0, 0), (1, 1), (0.0, 0), (-1, None), (-1.0, None), (0.5, None),
        (2**64 - 1, 2**64 - 1), (2**64, None), (float(2**63), 2**63), (float(2**64), None),
    ],
)  # fmt: skip
def test_a_count_is_a_whole_number_of_64_bits(value: float, found: int | None) -> None:
    assert count(value) == found


def test_an_integer_is_a_count_with_or_without_a_sign() -> None:
    largest = 2**64 - 1
    assert [integer(value) for value in (0, -1, -1.0, largest, -largest)] == [0, -1, -1, largest, -largest]
    assert [integer(value) for value in (2**64, -(2**64), -0.5)] == [None] * 3


def test_a_measurement_is_below_2_to_64_in_both_directions() -> None:
    below = float(2**64 - 2**11)
    assert [real(value) for value in (0, -1.5, below, -below)] == [0.0, -1.5, below, -below]
    assert [real(value) for value in (2**64, -(2**64), float(2**64), "5")] == [None] * 4


def test_a_truth_is_a_boolean_or_a_bit() -> None:
    assert [truth(value) for value in (True, False, 1, 0)] == [True, False, True, False]
    assert [truth(value) for value in (-1, 2, 0.0, "true", None)] == [None] * 5


def test_what_is_no_object_and_no_array_is_an_empty_one() -> None:
    assert mapping({"a": 1}) == {"a": 1} and mapping([1]) == {} and mapping(None) == {}
    assert sequence([1]) == [1] and sequence({"a": 1}) == [] and sequence("ab") == []
