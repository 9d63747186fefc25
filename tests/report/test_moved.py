"""A report says which functions moved, in each case of which both sides have a profile."""

from pathlib import Path

import msgspec
from fixtures import profiles
from hand_made import recorded

from fwdtui.core.parse.profile_text import read_profile
from fwdtui.report.case_profile import chosen
from fwdtui.report.comparison import judge_sides
from fwdtui.report.document import Document
from fwdtui.report.markdown import render
from fwdtui.report.sides import load_sides
from fwdtui.store.profiles import FOLDED_FILE, add, described

TITLE = "### Where the CPU time went"
BASE = {profiles.IDLE: 600, "fork_exit;ip_input;rn_match": 100, "fork_exit;ip_input": 300}
OTHER = {profiles.IDLE: 100, "fork_exit;ip_input;fib4_lookup": 150, "fork_exit;ip_input": 300}


def session(folder: Path, value: float, stacks: dict[str, int] | None, rejected: str = "") -> Path:
    """A session of one case, with a profile of these stacks."""
    recorded(folder, "r1", {"inet4": [value, value * 1.01, value * 0.99]})
    if stacks is not None:
        profile(folder, stacks, rejected)
    return folder


def profile(folder: Path, stacks: dict[str, int], rejected: str = "") -> int:
    reading = read_profile(profiles.call_graph(stacks).encode())
    known = msgspec.structs.replace(described(reading), rejected=rejected)
    return add(folder, "inet4", reading.folded, known)


def report(*folders: Path) -> str:
    return render(Document(judge_sides(load_sides([str(one) for one in folders]))))


def test_both_sides_profiles_are_compared_and_add_up(tmp_path: Path) -> None:
    text = report(session(tmp_path / "a", 1e6, BASE), session(tmp_path / "b", 2e6, OTHER))
    assert text.count(TITLE) == 1
    part = text[text.index(TITLE) :]
    assert "- A: r1 (a) inet4 4: 1 000 samples of" in part.replace("\\", "")
    assert "- B: r1 (b) inet4 4: 550 samples of" in part.replace("\\", ""), "labels as in the report"
    assert "- Shares are of the samples that are not idle.\n" in part
    rows = [
        "| `fib4_lookup` | 0.00 | 33.33 | +33.33 |",
        "| `rn_match` | 25.00 | 0.00 | −25.00 |",
        "| `ip_input` | 75.00 | 66.67 | −8.33 \\~ |",
        "| all | 100.00 | 100.00 | 0.00 |",
    ]
    assert "\n".join(rows) in part
    assert "Less than three standard errors" in part


def test_a_case_that_one_side_has_no_usable_profile_of_has_no_such_part(tmp_path: Path) -> None:
    base = session(tmp_path / "a", 1e6, BASE)
    assert TITLE not in report(base, session(tmp_path / "b", 2e6, None))
    assert TITLE not in report(base, session(tmp_path / "c", 2e6, OTHER, rejected="the traffic had ended"))


def test_of_several_profiles_the_newest_that_was_not_rejected_counts(tmp_path: Path) -> None:
    base, other = session(tmp_path / "a", 1e6, OTHER), session(tmp_path / "b", 2e6, OTHER)
    profile(base, BASE)
    profile(base, OTHER, rejected="the traffic had ended")
    assert "| `rn_match` | 25.00 | 0.00 | −25.00 |" in report(base, other)
    (side,) = load_sides([str(base)])
    used = chosen(side.case("inet4"))
    assert used is not None and used.index == 5, "the flame graph beside the table is of the same profile"


def test_a_damaged_profile_is_told_and_the_rest_of_the_report_is_written(tmp_path: Path) -> None:
    base, other = session(tmp_path / "a", 1e6, BASE), session(tmp_path / "b", 2e6, OTHER)
    (other / "inet4" / "004" / FOLDED_FILE).write_text("a;b 1\n")
    text = report(base, other)
    assert TITLE not in text
    assert "Profiles are not compared:" in text and "checksum does not match" in text
    assert "## Warnings" in text


def test_a_value_file_has_no_profile(tmp_path: Path) -> None:
    values = tmp_path / "values"
    values.write_text("1000000\n1010000\n990000\n")
    assert TITLE not in report(values, session(tmp_path / "b", 2e6, OTHER))
