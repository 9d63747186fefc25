"""Which characters are plain text, class by class: everything that is shown passes one of these functions."""

import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core.text import clean, clean_lines, decode, is_plain, slug, visible, visible_json, visible_lines


def span(first: int, last: int) -> str:
    return "".join(map(chr, range(first, last + 1)))


ACTING = {
    "C0": span(0x00, 0x08) + span(0x0A, 0x1F),
    "DEL": "\x7f",
    "C1": span(0x80, 0x9F),
    "bidi embeddings and overrides": span(0x202A, 0x202E),
    "bidi isolates": span(0x2066, 0x2069),
    "direction marks": "\u200e\u200f\u061c",
    "line and paragraph separators": "\u2028\u2029",
    "byte order mark": "\ufeff",
}
UNSEEN = {
    "zero-width": span(0x200B, 0x200D) + "\u2060",
    "invisible operators": span(0x2061, 0x2064),
    "deprecated format characters": span(0x206A, 0x206F),
    "soft hyphen and grapheme joiner": "\u00ad\u034f",
    "fillers": "\u115f\u1160\u3164\uffa0\u17b4\u17b5",
    "Mongolian selectors": span(0x180B, 0x180F),
    "variation selectors": span(0xFE00, 0xFE0F) + span(0xE0100, 0xE01EF),
    "tags": "\U000e0001" + span(0xE0020, 0xE007F),
    "annotations": span(0xFFF9, 0xFFFB),
    "lone surrogates": "\ud800\udbff\udc9b\udfff",
}
PASSES = {
    "ASCII and tab": span(0x20, 0x7E) + "\t",
    "accents, composed and combining": "éüÅñ e\u0301 a\u0308",
    "East Asian": "漢字 かな カナ 한글 ，。",
    "right to left letters": "שלום مرحبا",
    "emoji": "🚀😀🐧",
    "what the app draws": "│─┼⣿⡇█▁±−×→≥…␊",
    "other blanks": "\u00a0\u2003\u3000",
}


def table(classes: dict[str, str]):
    return pytest.mark.parametrize("text", classes.values(), ids=classes.keys())


@table(ACTING)
def test_what_a_terminal_obeys_is_left_out_at_ingest_and_spelled_at_the_sink(text):
    for character in text:
        assert clean(f"a{character}b") == "ab"
        shown = visible(f"a{character}b")
        if character == "\n":
            assert shown == "a␊b"
        else:
            assert shown == f"a\\{'x' if ord(character) < 256 else 'u'}{shown[3:-1]}b"
            assert int(shown[3:-1], 16) == ord(character)


@table(UNSEEN)
def test_what_is_unseen_is_spelled_out_so_that_two_names_never_look_the_same(text):
    for character in text:
        for function in (clean, visible, visible_lines, clean_lines):
            shown = function(f"a{character}b")
            assert shown.isascii() and int(shown[3:-1], 16) == ord(character)


@table(PASSES)
def test_plain_text_of_every_script_passes_as_it_is(text):
    assert clean(text) == visible(text) == visible_lines(text) == visible_json(text) == text
    assert is_plain(text)


def test_an_emoji_made_with_joiners_is_shown_in_its_parts():
    assert visible("👩\u200d💻") == "👩\\u200d💻"


def test_no_character_that_unicode_calls_a_control_a_format_or_a_surrogate_passes():
    """The classes above by their names, and this over all of Unicode as this Python knows it.

    The signs that stand before Arabic and other numbers are format characters by category and are seen.
    """
    seen = {0x0600, 0x0601, 0x0602, 0x0603, 0x0604, 0x0605, 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2}
    seen |= {0x110BD, 0x110CD, *range(0x13430, 0x13456)}
    for code in range(0x110000):
        character = chr(code)
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character != "\t":
            assert not is_plain(character) or code in seen, hex(code)


@given(st.text())
def test_what_was_cleaned_or_spelled_is_plain_and_stays_as_it_is(text):
    assert is_plain(clean(text)) and clean(clean(text)) == clean(text)
    assert is_plain(visible(text)) and visible(visible(text)) == visible(text)
    for function in (clean_lines, visible_lines):
        assert all(map(is_plain, function(text).split("\n"))) and function(function(text)) == function(text)


@given(st.recursive(st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_a_json_document_means_the_same_and_has_no_such_character(data):
    document = json.dumps(data, ensure_ascii=False, indent=1)
    shown = visible_json(document)
    assert json.loads(shown) == data
    assert all(map(is_plain, shown.split("\n")))


RANGES = [
    (0x00, 0x08),
    (0x0A, 0x1F),
    (0x7F, 0x9F),
    (0x061C, 0x061C),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0xFEFF, 0xFEFF),
    (0xAD, 0xAD),
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
    (0xD800, 0xDFFF),
]
"""All that is not plain, first and last: Unicode's Default_Ignorable_Code_Point, and the controls."""


@pytest.mark.parametrize(("first", "last"), RANGES, ids=[f"{first:04X}" for first, _ in RANGES])
def test_each_range_ends_where_it_should(first: int, last: int) -> None:
    for code in (first, (first + last) // 2, last):
        assert not is_plain(chr(code)) and visible(chr(code)) != chr(code)
    for code in (first - 1, last + 1):
        if code >= 0 and not any(low <= code <= high for low, high in RANGES):
            assert is_plain(chr(code)) and clean(chr(code)) == chr(code) == visible(chr(code))


def test_how_a_character_is_spelled() -> None:
    assert visible("\x00\x1b\x9f\xad") == "\\x00\\x1b\\x9f\\xad"
    assert visible("\u034f\u202e\uffa0") == "\\u034f\\u202e\\uffa0"
    assert visible("\U000e0001") == "\\U000e0001"
    assert visible_json('"\u202e\U000e0001"') == '"\\u202e\\udb40\\udc01"'


def test_the_lines_of_a_text_stay_its_lines() -> None:
    assert clean_lines("a\r\nb\x1b[1m\rc\n\n\u2028d\n") == "a\nb[1mc\n\nd\n"
    assert visible_lines("a\r\nb\n") == "a\\x0d\nb\n"
    assert visible("a\r\nb") == "a\\x0d␊b"
    assert visible_json('{\n "a": "\x7f"}\r\n') == '{\n "a": "\\u007f"}\r\n'


def test_bytes_that_are_not_utf_8_stay_visible() -> None:
    assert decode("é 漢 🐧".encode()) == "é 漢 🐧"
    assert decode(b"a\xff\xc3(b\xed\xa0\x80") == "a\\xff\\xc3(b\\xed\\xa0\\x80"


# file names


@pytest.mark.parametrize("name", ["a", "apu2", "_x", "r368287.inet4", "0-0", "A" * 64, "a..b", "a--"])
def test_a_safe_name_is_its_own_file_name(name: str) -> None:
    assert slug(name) == name


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("", ""),
        (".", ""),
        ("..", ""),
        ("-rf", "rf-"),
        (".hidden", "hidden-"),
        ("a/../b", "a-..-b-"),
        ("two words", "two-words-"),
        ("Süd 漢", "S-d-"),
        ("a\n", "a-"),
        ("A" * 65, "A" * 51 + "-"),
        ("漢", ""),
        ("a" * 50 + ".b!" + "c" * 20, "a" * 50 + "-"),
        ("\ud800", ""),
    ],
)
def test_any_other_name_becomes_a_safe_one_with_a_hash(name: str, stem: str) -> None:
    assert re.fullmatch(re.escape(stem) + "[0-9a-f]{12}", slug(name))


@given(st.text(), st.text())
def test_file_names_are_safe_and_those_of_two_names_differ(one: str, other: str) -> None:
    for name in (one, other):
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}", slug(name))
    assert (slug(one) == slug(other)) == (one == other)


@given(st.text(st.characters(max_codepoint=0x80)))
def test_text_without_anything_to_clean_is_not_searched_and_the_same_as_if_it_were(text):
    assert clean(text) == re.sub("[\x00-\x08\x0a-\x1f\x7f-\x9f]", "", text)
    assert clean_lines(text) == "\n".join(clean(line) for line in text.replace("\r\n", "\n").split("\n"))
