"""Cells with a bound: "≥", as a sweep of our own has it for a capped median, ">", "≤" and "<"."""

from pathlib import Path

import pytest
from checking_cells import checked, files

from fwdtui.check import check_text
from fwdtui.check.cells.files import Data, data_of
from fwdtui.cli import main
from fwdtui.core.model import Iteration, Summary
from fwdtui.store import SessionWriter
from fwdtui.store.value_folder import read_value_folder

AGREES, WRONG, UNCHECKED = "agrees", "wrong", "not checked"
TABLE = "IPv4:\n[[up3 | r1 | r1 with D1]]\n\n| af | {} |\n|---|---|\n| inet4 | {} |\n"
"""Of r1 with D1 the median is 1030400 and the average 1030280."""


def outcome(text: str, data: Data | None = None) -> str:
    found = checked(text, data)
    assert found.cells + len(found.unchecked) == 1, "there is one cell"
    return WRONG if found.findings else AGREES if found.cells else UNCHECKED


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("≥ 1 030 400", AGREES),
        ("≥ 1 030 401", WRONG),
        (">= 1,030,400", AGREES),
        ("&ge; 1031 kpps", WRONG),
        ("\\>=1 Mpps", AGREES),
        ("**≥ 1 020 000**", AGREES),  # a bound may be lower than what was measured
        ("≥ 1.03 M", AGREES),
        ("≥ 1.04 M", WRONG),
        ("≥1.031M", WRONG),
        ("≥ 1.0304 Mpps", AGREES),
        ("≥ 1 000 000", AGREES),
        ("≥ 1 100 000", WRONG),
        ("≥ ~1.05 M", AGREES),  # after "~" it may be 5 % off, as any value
        ("≥ ~1.2 M", WRONG),
        ("≥ 1.5 Gpps", WRONG),
        # a thousand pps were forwarded, but nobody would write that of a million: it may be of another unit
        ("≥ 1 000", UNCHECKED),
        ("≥ 1.04", UNCHECKED),
        ("> 1.04 Mpps", WRONG),
        ("> 1.02 Mpps", AGREES),
        ("≤ 1 030 400", AGREES),
        ("≤ 1 030 399", WRONG),
        ("<= 1,030,400", AGREES),
        ("&lt; 1031 kpps", AGREES),
        ("< 1.03 M", AGREES),  # as rounded
        ("< 1.02 M", WRONG),
        ("≤ 1.5 Gpps", UNCHECKED),
        ("≤ 1 000 pps", WRONG),
    ],
)
def test_a_lower_bound_is_right_up_to_the_value_and_an_upper_one_from_it_on(cell: str, expected: str) -> None:
    assert outcome(TABLE.format("median, pps, r1 with D1", cell)) == expected


@pytest.mark.parametrize(
    ("heading", "cell", "expected"),
    [
        ("r1 with D1, Mpps", "≥ 1.03", AGREES),
        ("r1 with D1, Mpps", "≥ 1.04", WRONG),
        # without a unit 1.04 holds of any rate, but it stands for millions
        ("r1 with D1", "≥ 1.04", WRONG),
        ("r1 with D1", "≥ 1.03", AGREES),
        ("r1 with D1", "≥ 40 000 000 000", UNCHECKED),  # perhaps no rate
        ("maximum r1 with D1", "≥ 1 032 000", AGREES),
        ("minimum r1 with D1", "≥ 1 032 000", WRONG),
        ("change", "≥ 2 %", AGREES),
        ("change", "≥ 4 %", WRONG),
        ("change", "> 2 %", AGREES),
        ("change", "> 4 %", WRONG),
        ("change", "≤ 4 %", AGREES),
        ("change", "<= 2 %", WRONG),
        ("minimum r1 with D1", "≤ 1 032 000", AGREES),
    ],
)
def test_the_heading_says_of_what_it_is_a_bound(heading: str, cell: str, expected: str) -> None:
    assert outcome(TABLE.format(heading, cell)) == expected


def test_bounds_in_the_first_column_are_labels_as_bare_numbers_are() -> None:
    """Else the row would have no label, and its values would be held against whatever fits the rest."""
    for label in ("8", "≥ 8", ">= 8", "< 8", "≤ 8"):
        found = checked(
            f"IPv4:\n[[up3 | r1 | r1 with D1]]\n\n| | r1 with D1 |\n|---|---|\n| {label} | 1 030 400 |\n"
        )
        assert [(one.cell, one.message) for one in found.unchecked] == [
            ("1 030 400", "No ministat block is called '8'.")
        ]


def test_beside_its_change_a_bound_is_checked_too() -> None:
    """Both numbers of such a cell are, so one of them may be false."""
    text = TABLE.format("r1 with D1", "{} (+3 %)")
    assert [checked(text.format(cell)).cells for cell in ("≥ 1 030 400", "≥ 1 060 000")] == [2, 2]
    (found,) = checked(text.format("≥ 1 060 000")).findings
    assert found.kind == "cell" and found.data is not None and "median 1030400" in found.data


@pytest.mark.parametrize(("cell", "expected"), [("≥ 300", AGREES), ("≥ 310", WRONG), ("≥ 280", AGREES)])
def test_a_bound_of_a_value_file_in_another_unit(cell: str, expected: str) -> None:
    data = files(**{"inet4 us": (298.0, 300.0, 302.0)})
    text = f"# Results\n\n| af | median |\n|---|---|\n| inet4 | {cell} us |\n"
    assert outcome(text, data) == expected


@pytest.fixture
def sweep(tmp_path: Path) -> tuple[str, Data]:
    """The report of a sweep whose last two levels the generator capped, and value files of its levels."""
    with SessionWriter.create(tmp_path / "s", label="s", created="2026-01-02T03:04:05+00:00", facts={}) as to:
        for queues in (1, 2, 4, 8):
            for place in range(5):
                value = min(4e5 * queues, 1.488e6) - 7 * place
                load = Summary(1.488e6, 1.488e6, 1.488e6, 1.488e6, 9)
                factors = {"queues": queues, "frame_size": 64}
                to.begin(f"queues.{queues}").commit(
                    Iteration(0, value, metrics={"offered": load}, factors=factors)
                )
    session = str(tmp_path / "s")
    assert main(["report", session, "--x", "queues", "-o", str(tmp_path / "sweep.md")]) == 0
    assert main(["report", session, "--by", "queues", "-o", str(tmp_path / "by.md")]) == 0
    data = data_of(read_value_folder(tmp_path / "by.d"), "by.d", (), None)
    return (tmp_path / "sweep.md").read_text(), data


def test_a_report_of_our_own_with_capped_medians_is_right(sweep: tuple[str, Data]) -> None:
    """Its capped medians were the only ones that were not checked: "it is not one number"."""
    text, data = sweep
    assert text.count("| ≥ 1 487 986 |") == 2
    found = check_text("sweep.md", text, data)
    assert (found.findings, found.cells) == ((), 12)
    assert not [one for one in found.unchecked if one.cell is not None and one.cell.startswith("≥ 1 487")]


@pytest.mark.parametrize("false", ["≥ 1 487 987", "≥ 1 488 986", "≥ 1 600 000", "≥ 14 879 860", "≥ 1.6 M"])
def test_a_capped_median_that_is_larger_than_measured_is_found(sweep: tuple[str, Data], false: str) -> None:
    text, data = sweep
    before, _, after = text.rpartition("≥ 1 487 986")
    (found,) = check_text("sweep.md", f"{before}{false}{after}", data).findings
    assert found.cell == false and found.data is not None and "has the median 1487986" in found.data
