"""Cells of Markdown tables against ministat blocks and value files: what agrees, is flagged, or is left.

Above all nothing is guessed: a cell that may be about two sets, or about none, is not checked and says why.
"""

from pathlib import Path

import pytest
from checking_cells import BASE, FAMILIES, TWO, UP, checked, files, wrong
from fixtures import Agree, cases
from hypothesis import given
from hypothesis import strategies as st
from ministat_samples import report

from fwdtui.check import check_text
from fwdtui.check.cells.figures import figure
from fwdtui.check.cells.files import Data, data_of
from fwdtui.check.cells.labels import label_words, name_words, words
from fwdtui.store.value_folder import read_value_folder

# every cell that measures agrees with its block
AGREES = {
    "sets by their names, families by the labels above": (
        6,
        "| AF | r1 | r1 with D1 | change |\n|---|---|---|---|\n"
        "| IPv4 | 1000500 | 1030400 | +2.99 % |\n| inet6 | 1000500 | 970100 | -3.00% |\n" + FAMILIES,
    ),
    "before and after": (
        6,
        "| AF | before | after | change |\n|---|---|---|---|\n"
        "| IPv4 | 1,000,500 | 1,030,400 | **+3.0 %** |\n| IPv6 | 1 000 500 | 970 100 | −3.0 % |\n" + FAMILIES,
    ),
    "turned round": (
        6,
        "| | IPv4 | IPv6 |\n|---|---|---|\n| r1 | 1000500 | 1000500 |\n| r1 with D1 | 1030400 | 970100 |\n"
        "| change | +3 % | -3 % |\n" + FAMILIES,
    ),
    "averages": (2, "| AF | mean, before |\n|---|---|\n| IPv4 | 1000400 |\n| IPv6 | 1000400 |\n" + FAMILIES),
    "averages and medians where nothing says which": (
        2, "| AF | before | after |\n|---|---|---|\n| IPv4 | 1000400 | 1030400 |\n" + FAMILIES,
    ),
    "least and largest": (
        4,
        "| AF | min, after | max, after |\n|---|---|---|\n| IPv4 | 1028000 | 1032500 |\n"
        "| IPv6 | 968500 | 972300 |\n" + FAMILIES,
    ),
    "in kpps": (
        2, "Median Kpps:\n\n| AF | before | after |\n|---|---|---|\n| IPv4 | 1000.5 | 1030 |\n" + FAMILIES,
    ),
    "multiples in the cells": (
        2, "| AF | before | after |\n|---|---|---|\n| IPv4 | 1.0005 Mpps | ~1.03M |\n" + FAMILIES,
    ),
    "a value and its change in one cell": (
        3, "| AF | before | after |\n|---|---|---|\n| IPv4 | 1000500 | 1030400 (+3.0 %) |\n" + FAMILIES,
    ),
    "cut off instead of rounded": (1, "| AF | change |\n|---|---|\n| IPv4 | +2.98 % |\n" + FAMILIES),
    "of the medians instead of the averages": (
        1, "| AF | change |\n|---|---|\n| IPv6 | -3.04 % |\n" + FAMILIES,
    ),
    "with its error": (1, "| AF | change |\n|---|---|\n| IPv4 | +2.99 % ± 0.26 % |\n" + FAMILIES),
    "percent in the heading": (2, "| AF | change (%) |\n|---|---|\n| IPv4 | +3.0 |\n"
    "| IPv6 | -3.0 |\n" + FAMILIES),
    "in words": (2, "| AF | result |\n|---|---|\n| IPv4 | 3 % faster |\n| IPv6 | 3 % slower |\n" + FAMILIES),
    "one block": (
        3, "| case | before | after | change |\n|---|---|---|---|\n"
        "| forwarding | 1000500 | 1030400 | +3.0 % |\n\n[[up3]]\n",
    ),
    "a sweep": (
        2, "| queues | change |\n|---|---|\n| 4 | +3 % |\n| 8 | -3 % |\n\n4 queues:\n[[up3]]\n\n"
        "8 queues:\n[[down3]]\n",
    ),
    "the same names in two sections": (
        2,
        "# Report\n\n## Xeon\n\n| AF | change |\n|---|---|\n| IPv4 | +3 % |\n\n"
        "[[up3 | inet4 r1 | inet4 D1]]\n\n"
        "## APU\n\n| AF | change |\n|---|---|\n| IPv4 | -3 % |\n\n[[down3 | inet4 r1 | inet4 D1]]\n",
    ),
    "a switch that is written apart": (
        2,
        "| config | AF | change |\n|---|---|---|\n| tx_abdicate off | inet4 | +3 % |\n"
        "| tx_abdicate on | inet4 | -3 % |\n\n"
        "[[up3 | r1 txabdicate_off.inet4.pps | r2 txabdicate_off.inet4.pps]]\n\n"
        "[[down3 | r1 txabdicate_on.inet4.pps | r2 txabdicate_on.inet4.pps]]\n",
    ),
    "one of two comparisons, by a word of only one set": (
        1, "| with | change |\n|---|---|\n| D2 | -3 % |\n\n[[up3 | r1 | D1]]\n\n[[down3 | r1 | D2]]\n",
    ),
    "several candidates in one block": (
        4,
        "| candidate | median, baseline | median, candidate |\n|---|---|---|\n"
        "| D1 | 1 000 500 | 1 030 400 |\n"
        "| D2 | 1 000 500 | 970 100 |\n\n[[up3 down3 | r1 | D1 | D2]]\n",
    ),
    "no impact, and it is shown": (
        2, "| AF | impact |\n|---|---|\n| IPv4 | no impact |\n| IPv6 | none |\n\n"
        "[[none | r1 inet4 | D1 inet4]]\n\n"
        "[[small | r1 inet6 | D1 inet6]]\n",
    ),
    "no regression beside a gain": (1, "| AF | impact |\n|---|---|\n| IPv4 | no regression |\n" + FAMILIES),
}  # fmt: skip


@pytest.mark.parametrize(("cells", "text"), AGREES.values(), ids=AGREES.keys())
def test_cells_that_agree_with_their_block(cells: int, text: str) -> None:
    found = checked(text)
    assert found.findings == ()
    assert [one.message for one in found.unchecked] == []
    assert (found.cells, len(found.agreeing)) == (cells, cells)


# one cell is made false: it and no other is flagged
PLANTED = {
    "the size": ("+2.99 %", "+2.89 %"),
    "the sign": ("+2.99 %", "-2.99 %"),
    "a last digit": ("-3.00%", "-3.02%"),
    "a median": ("1030400", "1040300"),
    "a median by one": ("1030400", "1030401"),
    "the other family's change": ("-3.00%", "+2.99%"),
    "no impact where there is one": ("+2.99 %", "no impact"),
    "a size in words": ("+2.99 %", "4 % faster"),
    "a direction in words": ("+2.99 %", "2.99 % slower"),
    "an error that nothing explains": ("+2.99 %", "+2.99 % ± 0.02 %"),
}


@pytest.mark.parametrize(("old", "new"), PLANTED.values(), ids=PLANTED.keys())
def test_a_cell_that_contradicts_its_block_is_flagged(old: str, new: str) -> None:
    _, true = AGREES["sets by their names, families by the labels above"]
    text = report(true)
    assert text.partition("IPv4:")[0].count(f" {old} ") == 1
    found = check_text("README.md", text.replace(f" {old} ", f" {new} ", 1))
    [finding] = found.findings
    assert (finding.kind, finding.cell) == ("cell", new)
    assert finding.line == text[: text.index(f" {old} ")].count("\n") + 1
    assert new in finding.text and finding.data and finding.data in finding.message
    [source] = finding.sources
    assert source.file == "README.md" and source.first_line is not None
    assert found.cells == 6


def test_the_message_says_what_the_data_say() -> None:
    found = checked("| AF | after | change |\n|---|---|---|\n| IPv4 | 999999 | -3 % |\n" + FAMILIES)
    assert [one.message for one in found.findings] == [
        "The cell says '999999', but the block at lines 7–18 (+ "
        "r1 with D1) has the median 1030400 and average 1030280.",
        "The cell says '-3 %', but the block at lines 7–18 gives +2.99 % ± 0.26 %.",
    ]


def test_no_impact_in_a_cell_has_to_be_shown() -> None:
    text = (
        "| AF | impact |\n|---|---|\n| IPv4 | no significant difference |\n\n"
        "[[welch | r1 inet4 | D1 inet4]]\n"
    )
    [finding] = checked(text).findings
    assert finding.message == (
        "The cell says 'no significant difference', but the block "
        "at lines 6–14 does not show it within 1 %: these "
        "5 against 20 values cannot exclude a gain of 1.6 %."
    )


def test_a_table_may_have_its_sets_in_the_other_order() -> None:
    text = "| AF | D1 | r1 | change |\n|---|---|---|---|\n| IPv4 | 1030400 | 1000500 | {} |\n\n"
    text += "[[up3 | r1 inet4 | D1 inet4]]\n"
    # of D1 against r1, or from left to right
    assert wrong(text.format("+2.99 %")) == wrong(text.format("-2.90 %")) == []
    assert wrong(text.format("-2.99 %")) == ["-2.99 %"]


def test_a_change_is_of_the_statistic_that_its_heading_names() -> None:
    # -3.00 % of the averages, -3.04 % of the medians
    text = "Median pps:\n\n| AF | {} |\n|---|---|\n| IPv6 | {} % |\n" + FAMILIES
    for heading, right in (
        ("change", ("-3.001", "-3.038")), ("change of medians", ("-3.038",)), ("difference "
        "of means", ("-3.001",)),
    ):  # fmt: skip
        for figure_ in ("-3.001", "-3.038"):
            assert (wrong(text.format(heading, figure_)) == []) == (figure_ in right), (heading, figure_)


def test_a_row_that_is_the_end_of_another_is_matched_by_its_whole_name() -> None:
    text = (
        "| case | change |\n|---|---|\n| forwarding.inet4 | +3 % |\n| inet4 | {} |\n\n"
        "[[up3 | r1: forwarding.inet4 | r2: forwarding.inet4]]\n\n[[down3 | r1: inet4 | r2: inet4]]\n"
    )
    assert checked(text.format("-3 %")).cells == 2
    assert wrong(text.format("-3 %")) == []
    assert wrong(text.format("+3 %")) == ["+3 %"]


def test_the_words_of_a_row_are_those_of_one_set_and_not_of_both_together() -> None:
    # "D1 on" is not the comparison of "r1 on" with "D1 off"
    text = (
        "| candidate | change |\n|---|---|\n| r1 on | +3 % |\n| D1 on | {} |\n\n"
        "[[up3 down3 | D1 lro off | r1 lro on | D1 lro on]]\n"
    )
    assert checked(text.format("-3 %")).cells == 2
    assert wrong(text.format("-3 %")) == []
    assert wrong(text.format("+3 %")) == ["+3 %"]


@pytest.mark.parametrize(
    "table",
    [
        "| case | before | change |\n|---|---|---|\n| inet4 | 900000 | -5 % |\n"
        "| inet4-UDP2 | 1000500 | {} |\n",
        "| | inet4 | inet4-UDP2 |\n|---|---|---|\n| before | 900000 | 1000500 |\n| change | -5 % | {} |\n",
    ],
    ids=["rows", "columns"],
)
def test_the_only_block_is_not_about_a_case_if_another_one_names_it_more_closely(table: str) -> None:
    # a report has no ministat block of a case with fewer than three values
    text = table + "\n[[up3 | r1: inet4-UDP2 | r2: inet4-UDP2]]\n"
    assert wrong(text.format("+3 %")) == [] and checked(text.format("+3 %")).cells == 2
    assert wrong(text.format("-3 %")) == ["-3 %"]
    left = checked(text.format("+3 %")).unchecked
    assert len(left) == 2 and all("'inet4-UDP2' names the block" in one.message for one in left)


@pytest.mark.parametrize(
    ("base", "later"), [("before", "after"), ("stock", "patched"), ("baseline", "candidate")]
)
def test_words_for_the_first_set_and_for_the_other_one(base: str, later: str) -> None:
    table = f"| case | {base} | {later} |\n|---|---|---|\n| inet4 | {{}} | {{}} |\n"
    text = f"{table}\n[[up3 | r1.inet4 | r2.inet4]]\n"
    right = checked(text.format(1000500, 1030400))
    assert (right.cells, right.findings, right.unchecked) == (2, (), ())
    assert wrong(text.format(1030400, 1000500)) == ["1030400", "1000500"]


@pytest.mark.parametrize("more", ["", " inet4"])
def test_a_word_that_says_little_is_not_about_the_only_block_if_another_row_names_it(more: str) -> None:
    rows = f"| forwarding{more} | +50 % |\n| pf{more} | +3 % |\n"
    text = f"| case | change |\n|---|---|\n{rows}\n[[up3 | r1: pf{more} | r2: pf{more}]]\n"
    assert wrong(text) == [] and checked(text).cells == 1
    [left] = checked(text).unchecked
    assert left.cell == "+50 %" and left.message.startswith(f"'pf{more}' names the block")


@pytest.mark.parametrize("heading", ["min, pps", "pps", "Average"])
def test_results_left_of_a_count_are_no_levels(heading: str) -> None:
    """In a report of our own what is left of "n" and a median says what was varied."""
    data = files(r1_dot_pps=BASE, r2_dot_pps=UP)
    line = "---|" * 4
    table = f"| build | {heading} | n | median |\n|{line}\n| r1 | 1200000 | 5 | 1000500 |\n"
    found = checked(table, data)
    assert wrong(table, data) == ["1200000"] and (found.cells, found.unchecked) == (2, ())


def test_a_title_that_names_all_of_them_decides_nothing() -> None:
    text = (
        "# D1 and D1 v2 against r1\n\n| candidate | median |\n|---|---|\n| {} | {} |\n\n"
        "[[up3 down3 | r1 | D1 | D1 v2]]\n"
    )
    assert checked(text.format("D1 v2", 970100)).cells == 1
    [left] = checked(text.format("D1", 1030400)).unchecked
    assert left.message.startswith("It may be about ")


def test_a_zero_may_be_rounded_from_either_side() -> None:
    text = "| AF | change |\n|---|---|\n| IPv4 | {} |\n| IPv6 | -3.0 % |\n" + FAMILIES
    for zero in ("0 %", "0.0 %", "-0.0 %"):
        block = report(text.format(zero)).replace("1030280      1728.294", "1000399.9     1728.294")
        block = block.replace("\t29880 ", "\t-0.1 ").replace("\t2.98681%", "\t-1e-05%")
        assert [one.cell for one in check_text("x", block).findings if one.kind == "cell"] == [], zero


def test_a_round_figure_in_a_table_is_no_estimate() -> None:
    half = "| AF | change |\n|---|---|\n| IPv4 | {} |\n\n[[half | r1 inet4 | D1 inet4]]\n"
    assert wrong(half.format("-50 %")) == []
    assert wrong(half.format("-40 %")) == ["-40 %"]
    assert wrong(half.format("~ -48 %")) == wrong(half.format("-45 to -55 %")) == []
    # in a sentence it is one
    assert checked("Throughput falls by 50 %:\n[[half]]\n").findings == ()


def test_an_unsigned_figure_among_signed_ones_is_a_plus() -> None:
    signed = "| AF | change |\n|---|---|\n| IPv4 | +3 % |\n| IPv6 | 3 % |\n" + FAMILIES
    assert wrong(signed) == ["3 %"]
    # a column without any sign has sizes
    assert wrong(signed.replace("+3 %", "3 %")) == []


# words and figures


def test_the_words_of_a_label() -> None:
    known = name_words("r1: txabdicate_off.inet4.pps")
    for label in ("tx_abdicate off, inet4", "tx_abdicate=0 IPv4", "txabdicate disabled inet 4"):
        assert label_words(label, known) >= {"=txabdicate", "off", "ipv4"} or label_words(label, known) >= {
            "off",
            "ipv4",
        }, label
        assert label_words(label, known) <= known, label
    assert not label_words("tx_abdicate on", known) <= known
    assert "~pf" in words("without pf") and "pf" not in words("without pf")
    assert label_words("median, forwarded pps (5 iterations each)", known) == frozenset()


FIGURES = {
    "874,254": ("", [874254.5, 874254.0, 874253.6], [874255.1, 874253.0]),
    "594 944.6": ("", [594944.64, 594944.6], [594944.71, 594944.4]),
    "480,000": ("", [481689.0, 476000.0], [491000.0, 470000.0]),
    "~870 K": ("", [874254.5, 869638.5], [970000.0]),
    "0.96 Mpps": ("", [963155.0], [971000.0]),
    "0.96 M pps": ("", [963155.0], [971000.0]),
    "0.96 million": ("", [963155.0], [971000.0]),
    "963 thousand packets/s": ("", [963155.0], [964155.0]),
    "963": ("Kpps", [963155.0], [963155000.0]),
    "0.963": ("median, M pps", [963155.0], [971000.0]),
    "874254 ± 13248": ("", [874254.5], [874200.0]),
    "1.5e6": ("pps", [1500000.0], [1610000.0, 1440000.0]),
}


@pytest.mark.parametrize("text", FIGURES)
def test_what_a_figure_stands_for(text: str) -> None:
    context, fits, misses = FIGURES[text]
    read = figure(text, context)
    assert read is not None
    for values, expected in ((fits, True), (misses, False)):
        for value in values:
            assert any(one.holds(value) for one in read.readings) == expected, value


@pytest.mark.parametrize(
    ("cell", "heading", "fits", "misses"),
    [
        ("1,234", "median, Mpps", (1_234_000.0,), (1_236_000.0, 12_340_000.0)),
        ("1,234", "median, kpps", (1_234_000.0,), (1_236_000.0,)),
        ("0,963", "median, Mpps", (963_155.0,), (965_000.0, 963e6)),
        ("14,881", "median, Mpps", (14_881_000.0,), (14_883_000.0,)),
        ("1,234 Mpps", "median", (1_234_000.0,), (1_236_000.0,)),
        ("1,234,567", "median, pps", (1_234_567.0,), (1_234.567,)),
        ("1,234.5", "median, pps", (1_234.5,), (1.2345,)),
    ],
)
def test_a_comma_before_three_digits_may_begin_the_decimals(
    cell: str, heading: str, fits: tuple[float, ...], misses: tuple[float, ...]
) -> None:
    read = figure(cell, heading)
    assert read is not None
    for value in (*fits, *misses):
        assert any(one.holds(value) for one in read.readings) == (value in fits), value


def test_whole_millions_in_the_first_column_are_labels() -> None:
    text = f"| entries | before |\n|---|---|\n| 1 million | {{}} |\n| 2 million | 1000500 |\n{FAMILIES}"
    assert [one.cell for one in checked(text.format("1000500")).unchecked] == ["1000500", "1000500"]


def test_a_cell_with_a_decimal_comma_is_held_against_its_block() -> None:
    text = "| AF | median before, Mpps |\n|---|---|\n| IPv4 | {} |\n" + FAMILIES
    assert (wrong(text.format("1,001")), checked(text.format("1,001")).cells) == ([], 1)
    assert wrong(text.format("1,011")) == ["1,011"]


def test_dots_divide_thousands_in_the_whole_table_if_a_number_has_several() -> None:
    table = (
        f"| AF | before | after | change |\n|---|---|---|---|\n| IPv6 | {{}} | {{}} | -3,0 % |\n{FAMILIES}"
    )
    right = checked(table.format("1.000.500", "970.100"))
    assert (right.findings, right.cells) == ((), 3)
    assert wrong(table.format("1.000.500", "971.100")) == ["971.100"]
    assert wrong(table.format("1.001.500", "970.100")) == ["1.001.500"]
    # without such a number a dot begins the decimals
    assert wrong(table.format("1.001", "970.100 k")) == []


@pytest.mark.parametrize(
    "text", ["", "abc", "5/5", "1 2", "1-2", "4 queues", "r368287", "12:30", "<0.0001", "1,2,3"]
)
def test_what_is_no_figure(text: str) -> None:
    assert figure(text, "pps") is None


CELLS = st.sampled_from(
    ["", "IPv4", "inet6", "r1", "+3 %", "-3.0 % ± 1e9 %", "1000500", "1e99", "no "
    "impact", "none", "~", "±", "|", "\\",
     "median", "change", "=0", "without pf", "n/a", "<b>", "**", "1 000 500", "10 %", "\u202e", "9" * 30]
)  # fmt: skip


@given(st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=2, max_size=5), st.booleans())
def test_any_table_is_read(rows: list[list[str]], with_files: bool) -> None:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, "|---" * len(rows[0]) + "|")
    found = checked("\n".join(lines) + "\n" + FAMILIES, files(**TWO) if with_files else None)
    assert all(one.message and one.message[0] != " " for one in (*found.findings, *found.unchecked))


# published results


TXABDICATE = "AMD_GX-412TC_4Cores/Intel_i210AT/txabdicate/results"
RFC2544 = "AMD_G-T40E_2Cores/RTL8111E/RFC2544/results/fbsd10.3"


def beside(folder: Path, readme: Path) -> Data:
    inside = readme.parent.relative_to(folder).as_posix()
    return data_of(read_value_folder(folder), str(folder), folder.parts, "" if inside == "." else inside)


def real_the_table_of_txabdicate(archive: Path) -> None:
    readme = archive / TXABDICATE / "fbsd16-n311215.D58513/README.md"
    for data in (None, beside(archive / TXABDICATE, readme)):
        found = check_text("README.md", readme.read_text(), data)
        assert [(one.line, one.cell) for one in found.agreeing if one.cell and "%" in one.cell] == [
            (51, "**-44.6 %**"), (52, "**-47.1 %**"), (53, "**+10.2 %**"), (54, "**-4.7 %**"),
        ]  # fmt: skip
        assert (found.findings, found.tables, found.cells) == ((), 2, 12)
        # shares of cycles in a profile are no differences
        assert {one.message for one in found.unchecked if one.cell} == {
            "A percentage that names no difference."
        }
        assert len([one for one in found.unchecked if one.cell]) == 10


@cases(
    ("old", "new"),
    [
        ("**−44.6 %**", "**−46.4 %**"), ("**−47.1 %**", "**−47.4 %**"), ("**+10.2 %**", "**−10.2 %**"),
        ("**−4.7 %**", "**+4.7 %**"), ("874,254", "847,254"), ("836,565", "836,655"),
    ],
)  # fmt: skip
def real_a_wrong_cell_of_it_is_found(archive: Path, old: str, new: str) -> None:
    folder = archive / TXABDICATE
    readme = folder / "fbsd16-n311215.D58513/README.md"
    text = readme.read_text()
    assert text.count(f" {old} ") == 1
    for data in (None, beside(folder, readme)):
        [finding] = check_text("README.md", text.replace(f" {old} ", f" {new} "), data).findings
        assert (finding.kind, finding.cell) == ("cell", new.replace("−", "-"))


def real_percentages_without_blocks_are_held_against_the_value_files(archive: Path) -> None:
    folder = archive / TXABDICATE
    readme = folder / "fbsd16-n311215.D58513/README.md"
    text = readme.read_text().partition("### ministat")[0]
    found = check_text("README.md", text, beside(folder, readme))
    assert [one.cell for one in found.agreeing] == ["**-44.6 %**", "**-47.1 %**", "**+10.2 %**", "**-4.7 %**"]
    planted = check_text("README.md", text.replace("−44.6", "−46.4"), beside(folder, readme))
    assert [one.cell for one in planted.findings] == ["**-46.4 %**"]


def real_the_frame_sizes_are_held_against_their_value_files(archive: Path) -> None:
    readme = archive / RFC2544 / "README.md"
    found = check_text("README.md", readme.read_text(), beside(archive / RFC2544, readme))
    assert (found.findings, found.tables, found.cells, len(found.unchecked)) == ((), 1, 21, 7)
    assert {one.message for one in found.unchecked} == {"No value file is called 'theoricall'."}
    planted = check_text(
        "README.md", readme.read_text().replace("152707.5", "152770.5"), beside(archive / RFC2544, readme)
    )
    assert [one.cell for one in planted.findings] == ["152770.5"]


def real_nothing_else_is_flagged(archive: Path) -> None:
    """Every README, alone and beside the value files of its folder and of the one above."""
    counts = []
    for readme in sorted(archive.rglob("README.md")):
        text = readme.read_text()
        for data in (None, beside(readme.parent, readme), beside(readme.parent.parent, readme)):
            found = check_text("README.md", text, data)
            counts.append((found.tables, found.cells, len(found.unchecked)))
            flagged = [(one.line, one.kind) for one in found.findings]
            no_effect = readme.parent == archive / TXABDICATE / "fbsd16-n311215"
            assert flagged == ([(45, "claim")] if no_effect else []), readme
    assert [sum(one[at] for one in counts[::3]) for at in range(3)] == [4, 16, 39]
    # one of the unchecked is a sentence: "for IPv6 the gain is ~1%", with the switch on or off
    assert [sum(one[at] for one in counts[1::3]) for at in range(3)] == [4, 37, 19]


def test_published_reports_say_the_same(agree: Agree) -> None:
    agree(
        real_the_table_of_txabdicate,
        real_a_wrong_cell_of_it_is_found,
        real_percentages_without_blocks_are_held_against_the_value_files,
        real_the_frame_sizes_are_held_against_their_value_files,
        real_nothing_else_is_flagged,
    )
