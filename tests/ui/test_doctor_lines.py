"""What the doctor found, wrapped: a long line goes on below its own beginning, and is copied whole."""

from gallery import FINDINGS

from fwdtui.collectors.base import Check
from fwdtui.ui.lab.doctor import shown, verdict

WIDE = 1000


def test_lines_that_are_too_long_go_on_below_their_beginning() -> None:
    rows = shown(FINDINGS, 70).plain.split("\n")
    assert max(map(len, rows)) <= 70
    first = next(number for number, row in enumerate(rows) if row.startswith("      → for it"))
    assert rows[first + 1].startswith("        ") and rows[first + 1][8] != " "


def test_nothing_is_lost_by_wrapping() -> None:
    narrow, whole = shown(FINDINGS, 40).plain, shown(FINDINGS, WIDE).plain
    assert narrow.split() == whole.split()
    for check in FINDINGS:
        assert check.fix in whole and check.found in whole


def test_the_most_serious_finding_of_a_host_is_bold_and_its_reason_is_not() -> None:
    text = shown(FINDINGS, WIDE)
    bold = [text.plain[span.start : span.end] for span in text.spans if span.style == "bold"]
    assert any("wrong:" in part for part in bold) and not any("note:" in part for part in bold)


def test_the_heading_says_what_makes_results_lie_though_nothing_is_missing() -> None:
    found = [check for check in FINDINGS if check.ok is not False]
    assert verdict(found) == "nothing is missing; lab hygiene: 1 wrong, 1 noisy, 1 note"
    assert verdict(FINDINGS) == "1 problem to fix; lab hygiene: 1 wrong, 1 noisy, 1 note"
    lacking = Check("dut", "clock", False, "none", "install one")
    assert verdict([lacking, lacking]) == "2 problems to fix"
    notes = [check for check in found if check.finding is not None and check.finding.severity == "note"]
    assert verdict(notes * 3) == "nothing is missing; lab hygiene: 3 notes"
    assert verdict([check for check in found if check.finding is None]) == "nothing is missing"
