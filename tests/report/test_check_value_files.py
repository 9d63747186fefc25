"""Cells of Markdown tables against value files."""

import pytest
from checking_cells import BASE, TWO, UP, checked, files, wrong

from fwdtui.check.cells.files import data_of
from fwdtui.store.value_folder import ValueFolder


def test_medians_are_held_against_value_files() -> None:
    text = "| kernel | median |\n|---|---|\n| r1 | 1000500 |\n| r1D1 | {} |\n"
    found = checked(text.format(1030400), files(**TWO))
    assert (found.findings, found.cells) == ((), 2)
    [finding] = checked(text.format(1030500), files(**TWO)).findings
    assert finding.message == "The cell says '1030500', but r1D1.inet4.pps has the median 1030400."
    assert [(one.file, one.first_line) for one in finding.sources] == [("data/r1D1.inet4.pps", None)]


def test_a_change_is_held_against_the_two_files_of_its_row() -> None:
    text = "| AF | r1 | r1D1 | change |\n|---|---|---|---|\n| IPv4 | 1000500 | 1030400 | {} |\n"
    assert wrong(text.format("+2.99 %"), files(**TWO)) == []
    assert wrong(text.format("-2.99 %"), files(**TWO)) == ["-2.99 %"]
    assert wrong(text.format("+3.2 %"), files(**TWO)) == ["+3.2 %"]


@pytest.mark.parametrize(
    ("base", "other"),
    [("before", "after"), ("main", "patched"), ("off", "on"), ("r9", "r10"), ("r1", "r1D1"), ("r1", "r1-D1")],
)
def test_of_two_files_whose_names_say_which_is_the_base_a_change_has_one_sign(base: str, other: str) -> None:
    data = files(**{f"{base}_dot_inet4_dot_pps": BASE, f"{other}_dot_inet4_dot_pps": UP})
    text = f"| AF | {base} | {other} | change |\n|---|---|---|---|\n| IPv4 | 1000500 | 1030400 | {{}} |\n"
    assert wrong(text.format("+2.99 %"), data) == []
    # what the base has less than the other is no gain of the other
    [finding] = checked(text.format("-2.90 %"), data).findings
    assert finding.message == (
        f"The cell says '-2.90 %', but {other}.inet4.pps against {base}.inet4.pps gives +2.99 % ± 0.26 %."
    )
    # nor without the values beside it
    alone = "| AF | change |\n|---|---|\n| IPv4 | {} |\n"
    assert (wrong(alone.format("+2.99 %"), data), wrong(alone.format("-2.90 %"), data)) == ([], ["-2.90 %"])
    # from left to right, and what a heading says, is read as well
    turned = f"| AF | {other} | {base} | {{}} |\n|---|---|---|---|\n| IPv4 | 1030400 | 1000500 | {{}} |\n"
    [agrees] = [
        one for one in checked(turned.format("change", "-2.90 %"), data).agreeing if one.cell == "-2.90 %"
    ]
    assert agrees.message == (
        f"The cell says '-2.90 %', and {base}.inet4.pps against {other}.inet4.pps gives −2.90 % ± 0.25 %."
    )
    assert wrong(turned.format(f"{base} against {other}", "-2.90 %"), data) == []


def test_where_a_table_calls_its_columns_baseline_and_candidate_the_names_of_files_do_not_decide() -> None:
    data = files(on_dot_inet4_dot_pps=BASE, off_dot_inet4_dot_pps=UP)
    text = (
        "| AF | median, baseline | median, candidate | change |\n|---|---|---|---|\n| IPv4 | - | - | {} |\n"
    )
    assert wrong(text.format("+2.99 %"), data) == wrong(text.format("-2.90 %"), data) == []
    assert wrong(text.format("+2.90 %"), data) == ["+2.90 %"]


def test_of_two_files_whose_names_say_nothing_either_may_be_the_base() -> None:
    data = files(ipfw_dot_inet4_dot_pps=BASE, pf_dot_inet4_dot_pps=UP)
    text = "| AF | ipfw | pf | change |\n|---|---|---|---|\n| IPv4 | 1000500 | 1030400 | {} |\n"
    assert wrong(text.format("+2.99 %"), data) == wrong(text.format("-2.90 %"), data) == []
    assert wrong(text.format("-2.99 %"), data) == ["-2.99 %"]


def test_a_change_is_held_against_the_only_two_files_that_fit() -> None:
    text = "| AF | change |\n|---|---|\n| IPv4 | +2.99 % |\n"
    assert checked(text, files(**TWO)).cells == 1
    # the same values under another name are no third measurement
    assert checked(text, files(**TWO, copy_dot_inet4_dot_pps=UP)).cells == 1
    other = files(**TWO, r1D2_dot_inet4_dot_pps=tuple(value + 1 for value in UP))
    [left] = checked(text, other).unchecked
    assert left.message == "3 value files fit, not two: 'IPv4'."
    one = files(r1_dot_inet4_dot_pps=BASE)
    [left] = checked(text, one).unchecked
    assert left.message == "One value file fits, not two: 'IPv4'."


def test_files_of_single_values_are_not_compared() -> None:
    single = files(r1_dot_inet4_dot_pps=(1.0,), r2_dot_inet4_dot_pps=(2.0,))
    [left] = checked("| AF | change |\n|---|---|\n| IPv4 | +2 % |\n", single).unchecked
    assert left.message == "The two value files cannot be compared: too few values, or an average of zero."


def test_of_several_folders_the_reports_own_is_meant() -> None:
    text = "| frame size | median |\n|---|---|\n| 64 | 1000500 |\n"
    both = {"a__64_dot_pps": BASE, "b__64_dot_pps": UP}
    [left] = checked(text, files(**both)).unchecked
    assert left.message == "It may be about a/64.pps and b/64.pps."
    found = files(**both)
    for inside, cells in (("a", []), ("b", ["1000500"])):
        data = data_of(ValueFolder(tuple(found.files)), "data", found.parts, inside)
        assert wrong(text, data) == cells


def test_a_number_in_a_label_is_a_whole_one() -> None:
    text = "| frame size | median |\n|---|---|\n| 64 | 1000500 |\n"
    [left] = checked(text, files(**{"640_dot_pps": BASE, "fbsd6_dot_4__1518_dot_pps": UP})).unchecked
    assert left.message == "No value file is called '64'."


def test_a_block_that_names_a_file_has_its_numbers() -> None:
    text = (
        "x r1.inet4.pps\n+ r1D1.inet4.pps\n    N           Min "
        "          Max        Median           Avg        Stddev\n"
        "x   5        998000       1003000       1000500       1000400     1850.6756\n"
        "+   5       1028000       1032500       1030400       1030280      1728.294\n"
        "Difference at 95.0% confidence\n\t29880 +/- 2611.39\n\t2.98681% +/- 0.261034%\n"
        "\t(Student's t, pooled s = 1790.53)\n"
    )
    exact = {"r1_dot_inet4_dot_pps": (998000, 1000500, 1003000, 999500, 1001000)}
    assert checked(text, files(**exact)).findings == ()
    [finding] = checked(
        text, files(r1_dot_inet4_dot_pps=(998000, 1000500, 1003000, 999500, 1002000))
    ).findings
    assert (finding.line, finding.kind) == (4, "table")
    assert finding.message == (
        "The row says average 1000400, standard deviation 1850.6756, but r1.inet4.pps has average 1000600, "
        "standard deviation 1981.16127562."
    )
    [finding] = checked(text, files(r1_dot_inet4_dot_pps=(1.0,))).findings
    assert finding.message.startswith("The row says number of values 5, minimum 998000")


def test_the_dots_of_a_file_name_separate_words_and_those_of_a_folder_do_not() -> None:
    text = "| kernel | frame size | median |\n|---|---|---|\n| r357572 | 64 | 1000500 |\n"
    found = checked(text, files(fbsd13_dot_3__r357572_dot_64_dot_pps=BASE))
    assert (found.cells, found.findings) == (1, ())
    [left] = checked(text.replace("64", "3"), files(fbsd13_dot_3__r357572_dot_64_dot_pps=BASE)).unchecked
    assert left.message == "No value file is called '3'."


def test_a_name_that_several_files_have_ties_a_block_to_none() -> None:
    text = "x r1.pps\n    N           Min           Max        Median           Avg        Stddev\n" + (
        "x   5        998000       1003000       1000500       1000400     1850.6756\n"
    )
    assert checked(text, files(a__r1_dot_pps=(1.0,), b__r1_dot_pps=(2.0,))).findings == ()
    assert len(checked(text.replace("r1.pps", "a/r1.pps"), files(a__r1_dot_pps=(1.0,))).findings) == 1
