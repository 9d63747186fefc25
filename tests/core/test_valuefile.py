"""Value files by ministat's rules: what is a line, a token, a number."""

import ctypes
import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fwdtui.core.parse.grouped import Groups
from fwdtui.core.parse.valuefile import Oddity, parse_values, read_number, written_unit


def values(text: bytes, **options: object) -> list[float]:
    return list(parse_values(text, **options).values)  # type: ignore[arg-type]


def test_one_value_a_line() -> None:
    assert values(b"3\n1\n2\n") == [3.0, 1.0, 2.0]


def test_the_last_line_needs_no_newline() -> None:
    assert values(b"1\n2") == [1.0, 2.0]


def test_blank_lines_and_comments_are_skipped_and_counted() -> None:
    found = parse_values(b"# pps\n1\n\n   \n  # more\n2 # trailing\n")
    assert list(found.values) == [1.0, 2.0]
    assert (found.lines, found.skipped) == (6, 4)


def test_a_comment_begins_with_a_token_and_not_within_one() -> None:
    assert parse_values(b"5#6\n").bad == Oddity(1, "5#6")


def test_carriage_returns_and_trailing_white_space_go() -> None:
    assert values(b"1\r\n2 \t \r\n3\v\f\n") == [1.0, 2.0, 3.0]


def test_columns_are_counted_from_one() -> None:
    assert values(b"a 1\nb\t2\nc   3 x\n", column=2) == [1.0, 2.0, 3.0]


def test_a_line_too_short_for_the_column_is_skipped() -> None:
    found = parse_values(b"1 10\n2\n3 30\n", column=2)
    assert list(found.values) == [10.0, 30.0]
    assert found.skipped == 1


def test_a_comment_hides_the_columns_behind_it() -> None:
    assert values(b"1 # 2\n3 4\n", column=3) == []


def test_any_of_the_delimiters_separates_and_there_are_no_empty_columns() -> None:
    assert values(b"1,2\n,3;;4\n", column=2, delimiters=b",;") == [2.0, 4.0]


def test_other_delimiters_leave_blanks_within_the_token_where_strtod_skips_them_only_in_front() -> None:
    assert values(b"1, 2\n", column=2, delimiters=b",") == [2.0]
    assert parse_values(b"1 ,2\n", delimiters=b",").bad == Oddity(1, "1 ")


def test_a_token_that_is_no_number_stops_the_reading_and_is_told_with_its_line() -> None:
    found = parse_values(b"1\n\n2x\n3\n")
    assert list(found.values) == [1.0]
    assert found.bad == Oddity(3, "2x")


def test_the_first_line_can_have_any_number() -> None:
    assert parse_values(b"1\nx\n", first_line=101).bad == Oddity(102, "x")


def test_a_hostile_token_is_told_cleaned_and_cut() -> None:
    bad = parse_values(b"\x1b[2J\x1b]0;evil\x07" + b"A" * 100 + b"\n").bad
    assert bad is not None
    assert bad.token == "[2J]0;evil" + "A" * 29 + "…"


def test_nan_and_infinity_are_read_and_told() -> None:
    found = parse_values(b"1\nnan\n-inf\nInfinity\nNAN(12)\n1e999\n")
    assert [line for line, _ in found.not_finite] == [2, 3, 4, 5, 6]
    assert [token for _, token in found.not_finite] == ["nan", "-inf", "Infinity", "NAN(12)", "1e999"]
    assert math.isnan(found.values[1])
    assert list(found.values)[2:4] == [-math.inf, math.inf]


def test_only_the_first_few_are_told() -> None:
    found = parse_values(b"inf\n" * 50)
    assert len(found.not_finite) == 10
    assert len(found.values) == 50


def test_a_line_ends_at_a_nul_byte() -> None:
    assert values(b"5\0garbage\n\0\n6\n") == [5.0, 6.0]


def test_a_line_longer_than_the_buffer_counts_as_several() -> None:
    found = parse_values(b"7" + b" " * 8190 + b"8\n9\n")
    assert list(found.values) == [7.0, 8.0, 9.0]
    assert found.lines == 3


@pytest.mark.parametrize(
    ("token", "number"),
    [
        (b"1", 1.0),
        (b"+1.", 1.0),
        (b"-.5", -0.5),
        (b"1e3", 1000.0),
        (b"1E-3", 0.001),
        (b"0x10", 16.0),
        (b"-0X1.8p1", -3.0),
        (b"0x.8", 0.5),
        (b"0x1p99999", math.inf),
        (b"-0x1p99999", -math.inf),
        (b"0x1p-99999", 0.0),
        (b" \t5", 5.0),
    ],
)
def test_what_strtod_takes_is_a_number(token: bytes, number: float) -> None:
    assert read_number(token) == number


@pytest.mark.parametrize(
    "token",
    [
        *(b"", b"x", b"1_000", b"1,5", b"0x", b"1e", b"1e+", b".", b"+", b"--1", b"5 ", b"nan(", b"infi"),
        *("٣".encode(), b"\xff", b"1\xc2\xa0", b"1f", b"1d", b"0b1", b"0x1p", b"0x1.8q"),
    ],
)
def test_what_strtod_leaves_over_is_none(token: bytes) -> None:
    assert read_number(token) is None


LIBC = ctypes.CDLL(None)
LIBC.strtod.restype = ctypes.c_double
LIBC.strtod.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)]


def strtod(token: bytes) -> float | None:
    """The C library's own answer, None when it leaves something over."""
    buffer = ctypes.create_string_buffer(token)
    end = ctypes.c_char_p()
    number = float(LIBC.strtod(ctypes.cast(buffer, ctypes.c_char_p), ctypes.byref(end)))
    return number if end.value == b"" and token else None


@settings(max_examples=1500)
@given(
    st.one_of(
        st.text("0123456789.eE+-xXabcdefpPninfty()_ ", max_size=12).map(str.encode),
        st.from_regex(rb"\A[+-]?[0-9]{0,25}\.?[0-9]{0,25}([eE][+-]?[0-9]{1,4})?\Z"),
        st.from_regex(rb"\A[+-]?0[xX][0-9a-fA-F]{0,20}\.?[0-9a-fA-F]{0,20}([pP][+-]?[0-9]{1,5})?\Z"),
        st.from_regex(rb"\A[+-]?(inf|infinity|nan(\([a-z0-9_]{0,4}\)?)?)\Z"),
        st.floats().map(repr).map(str.encode),
    )
)
def test_it_is_strtod_to_the_last_bit(token: bytes) -> None:
    expected, found = strtod(token), read_number(token)
    if expected is None or found is None:
        assert expected is found is None
    elif math.isnan(expected):
        assert math.isnan(found)
    else:
        assert struct.pack("d", expected) == struct.pack("d", found)


@settings(max_examples=500)
@given(st.binary(max_size=300), st.integers(1, 3))
def test_no_bytes_make_it_raise(data: bytes, column: int) -> None:
    found = parse_values(data, column=column)
    assert len(found.values) + found.skipped + (found.bad is not None) == found.lines


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("123" + " 000" * 6, None),
        ("+123" + " 000" * 9, None),  # forty characters
        ("1" + " 000" * 10, "1" + " 000" * 9 + " 0…"),
        ("12" + " 000" * 15, "12" + " 000" * 9 + " …"),
    ],
)
def test_a_doubtful_number_is_shown_in_up_to_forty_characters(number, text) -> None:
    groups = Groups(b" \t")
    groups.look(f"{number}\n".encode(), 7)
    assert groups.doubt is not None
    assert (groups.doubt.line, groups.doubt.text) == (7, text or number)
    whole = number.replace(" ", "")
    assert groups.doubt.whole == (whole if text is None else f"{whole[:39]}…")


@pytest.mark.parametrize(
    ("length", "lines"), [(5460, 1), (8189, 1), (8190, 1), (8191, 2), (8192, 2), (16382, 3)]
)
def test_a_line_of_8191_bytes_leaves_its_newline_to_a_line_of_its_own(length: int, lines: int) -> None:
    """fgets(3) with a buffer of 8192 returns at most 8191 bytes."""
    found = parse_values(b"5".ljust(length) + b"\n")
    assert (found.lines, found.skipped, list(found.values)) == (lines, lines - 1, [5.0])
    assert parse_values(b"5".ljust(8191)).lines == 1, "without a newline there is nothing left"


def test_a_number_in_groups_is_one_only_where_no_column_was_asked_for() -> None:
    data = "1\u00a0000\u00a0100\n".encode()
    assert list(parse_values(data).values) == [1_000_100.0]
    assert parse_values(data, column=1).bad == Oddity(1, "1\u00a0000\u00a0100")


def doubtful_line(text: bytes, delimiters: bytes = b" \t") -> int | None:
    groups = Groups(delimiters)
    groups.look(text, 1)
    return groups.doubt.line if groups.doubt else None


def test_what_stands_behind_a_nul_is_no_column() -> None:
    """fgets(3) gives a C string, which ends there."""
    assert doubtful_line(b"5\0 a b\n1 000\n") == 2
    assert doubtful_line(b"5 a b\n1 000\n") is None
    assert doubtful_line(b"5\n1\0 000\n") is None


def test_the_first_doubtful_line_of_several_pieces_is_told_unless_a_later_one_has_columns() -> None:
    groups = Groups(b" \t")
    for number, piece in enumerate((b"5\n", b"1 000\n", b"2 000\n"), 1):
        groups.look(piece, number)
    assert groups.doubt is not None and (groups.doubt.line, groups.doubt.first) == (2, "1")
    groups.look(b"1\t2\n", 4)
    assert groups.doubt is None
    groups.look(b"3 000\n", 5)
    assert groups.doubt is None, "one line of columns is enough"


def test_a_file_of_our_own_says_its_unit_in_the_comments_it_begins_with() -> None:
    assert written_unit(b"# fwdtui report\n# r1: inet4\n# in ns/packet\n100\n") == "ns/packet"
    assert written_unit(b"# fwdtui report\r\n# r1: inet4\r\n# in Mb/s\r\n100\r\n") == "Mb/s"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"1\n2\n",
        b"# in ns/packet\n100\n",  # anybody's words
        b"# fwdtui reports\n# in ns/packet\n100\n",
        b"# fwdtui report\n# r1: inet4\n100\n# in ns/packet\n",
        b"# fwdtui report\n# in a: ns/packet\n100\n",  # a label
        b"# fwdtui report\n# r1: inet4\n# in furlongs\n100\n",
        b"# fwdtui report\n# in the lab: inet4",
    ],
)
def test_other_comments_and_other_files_say_no_unit(text: bytes) -> None:
    assert written_unit(text) == ""
