"""Names in a column: what they have in common is left out, what tells them apart is not."""

import random
import time

import pytest
from rich.cells import cell_len

from fwdtui.report.cells import columns_of, pad, shorten, shorten_alike, shorten_apart, wrap

CHANCE = random.Random(7)
MANY = 10_000
SYSTEM, LAB = "FreeBSD-16.0-CURRENT-stable-main-n", "-GENERIC-NODEBUG-amd64-apu2-igb0"
LISTS = {
    "a number in the middle": [f"{SYSTEM}{number}{LAB}" for number in range(MANY)],
    "one letter in the middle": [f"{'a' * 30}{chr(0x400 + number)}{'z' * 30}" for number in range(500)],
    "a long part in the middle": [f"{SYSTEM}{CHANCE.getrandbits(128):032x}{LAB}" for _ in range(MANY)],
    "one letter, anywhere": ["a" * place + "b" + "a" * (99 - place) for place in range(100)],
    "groups that differ in the middle": [
        f"{build}{SYSTEM}{number}{LAB}" for build in range(100) for number in range(100)
    ],
    "numbers that are names already": [*(f"{'a' * 50} {number}" for number in range(100)), "a" * 60],
}


@pytest.mark.parametrize("names", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("columns", [14, 24, 40])
def test_names_of_a_list_that_differ_look_different_and_fit(names, columns):
    shown = shorten_apart(names, columns)
    assert len(set(shown)) == len(names) and all(columns_of(one) <= columns for one in shown)


def test_what_differs_is_shown_where_it_fits_and_common_parts_are_left_out():
    names = [f"{SYSTEM}{number}{LAB}" for number in (311215, 311216, 311300)] + ["healthy"]
    shown = shorten_apart(names, 20)
    assert all(digits in one for digits, one in zip(("215", "216", "300"), shown, strict=False)), shown
    assert shown[3] == "healthy"
    assert all("…" in one for one in shown[:3])


def test_of_a_long_part_that_differs_as_much_is_shown_as_tells_the_names_apart():
    names = [f"{SYSTEM}{commit}{'0' * 30}{tail}{LAB}" for commit, tail in (("8c1d", "e2"), ("97ab", "f4"))]
    assert shorten_apart(names, 16) == ["…8c1d000…0000e2…", "…97ab000…0000f4…"]


def test_the_same_name_twice_looks_the_same_twice():
    names = [f"{SYSTEM}1{LAB}", f"{SYSTEM}1{LAB}", f"{SYSTEM}2{LAB}"]
    shown = shorten_apart(names, 16)
    assert shown[0] == shown[1] != shown[2]


@pytest.mark.parametrize(
    "names, columns, shown",
    [
        (["build.r335286.9", "build.r335286.10"], 16, ["build.r335286.9", "build.r335286.10"]),
        (["build.r335286.9", "build.r335286.10"], 15, ["build.r335286.9", "build.r33528…10"]),
        (["build.r335286.10", "build.r335286.11"], 3, ["…10", "…11"]),
        (["n311215.off-apu2-igb", "n311216.off-apu2-igb"], 16, ["n311215…apu2-igb", "n311216…apu2-igb"]),
        (["日本語.日本語.甲", "日本語.日本語.乙"], 9, ["日本語…甲", "日本語…乙"]),
    ],
    ids=["they fit", "one fits", "just the ellipsis", "the same end", "wide characters"],
)
def test_what_names_have_in_common_is_shortened_and_what_differs_is_whole(names, columns, shown):
    assert shorten_alike(names, columns) == shown


@pytest.mark.parametrize("names", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("columns", [14, 40])
def test_where_the_parts_that_differ_do_not_fit_names_still_look_different(names, columns):
    shown = shorten_alike(names, columns)
    assert len(set(shown)) == len(names) and all(columns_of(one) <= columns for one in shown)


def test_korean_letters_of_one_syllable_are_as_wide_as_the_syllable():
    apart = "\u1112\u1161\u11ab\u1100\u1173\u11af"  # as macOS writes the name of a folder
    assert columns_of(apart) == cell_len(apart) == columns_of("\ud55c\uae00") == 4
    assert pad(apart, 6) == f"{apart}  "
    assert shorten(apart * 9, 8) == f"{apart[:6]}…{apart[3:]}"


def test_an_accent_whose_letter_was_cut_off_is_not_put_on_the_ellipsis():
    accented = "e\u0301"
    assert shorten(accented * 9, 6) == f"{accented * 3}…{accented * 2}"
    one, other = shorten_apart([f"1{accented * 9}", f"2{accented * 9}"], 6)
    assert (one[0], other[0]) == ("1", "2") and "…\u0301" not in one + other


@pytest.mark.parametrize("rate", ["594.9 k", "594.9 %", "594.9 pps", "594.9 Mpps", "59 Gbit/s", "171 127.6"])
def test_a_number_and_its_unit_are_on_one_line(rate: str):
    assert wrap(f"its mean is {rate}", 17) == ["its mean is", rate]


def test_twice_as_many_names_take_about_twice_as_long():
    def seconds(count: int) -> float:
        names = [f"{SYSTEM}{CHANCE.getrandbits(128):032x}{LAB}" for _ in range(count)]
        begin = time.process_time()
        shorten_apart(names, 24)
        return time.process_time() - begin

    few = min(seconds(MANY // 4) for _ in range(3))
    assert min(seconds(MANY) for _ in range(2)) < 10 * few, "in proportion it would be four times as long"
