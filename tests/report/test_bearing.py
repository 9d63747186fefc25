"""Where a warning bears on a verdict, the verdict is marked wherever it is shown."""

import json
import re
from pathlib import Path

import pytest
from hand_made import judged

from fwdtui.core.model import Caution
from fwdtui.monitor.live.troubles import TROUBLES
from fwdtui.report import bearing, json_format, table
from fwdtui.report.comparison import Compared
from fwdtui.report.document import Choices, Document
from fwdtui.report.markdown import render

LOADS = Caution("loads-differ", "new: the baseline was offered 14.9 Mpps and the candidate 13 Mpps")
# how a code is written where a warning is given
GIVEN = re.compile(
    r'(?:Caution\(\s*f?|(?:[A-Z]+_RATE|APART|DROPPED|EXCLUDED|CODE|FAILED|SELECTED|SHORT|UNREAD) = )"([^"]+)"'
)
OUTLIER = Caution("outlier", "new: value 1 lies far from the median")


def marks(*warnings: Caution, verdict: str = "faster") -> str:
    return bearing.mark(judged(verdict=verdict, warnings=warnings).comparison)


def test_a_warning_that_the_interval_does_not_allow_for_marks_the_verdict() -> None:
    assert marks(OUTLIER, LOADS) == " !"
    assert bearing.codes(judged(warnings=(OUTLIER, LOADS, LOADS)).comparison) == ("loads-differ",)


def test_a_warning_that_the_interval_allows_for_does_not() -> None:
    assert marks(OUTLIER) == ""
    assert marks() == ""


@pytest.mark.parametrize("verdict", ["inconclusive", "capped"])
def test_a_verdict_that_claims_nothing_has_no_mark(verdict: str) -> None:
    assert marks(LOADS, verdict=verdict) == ""


def test_every_code_is_one_that_the_program_gives_and_has_its_reason() -> None:
    given: set[str] = set()
    for path in Path(bearing.__file__).parents[1].rglob("*.py"):
        given.update(GIVEN.findall(path.read_text()))
    assert set(TROUBLES) <= set(bearing.MEANING), "an iteration that is to be repeated is counted"
    assert set(bearing.MEANING) <= given | set(TROUBLES)
    assert all(len(reason.split()) > 4 for reason in bearing.MEANING.values())


def test_the_table_marks_the_verdict_and_says_what_the_mark_means() -> None:
    two = [judged("inet4", warnings=(LOADS,)), judged("inet6")]
    text = table.render(two, columns=80)
    four, six = (line for line in text.splitlines() if line.startswith("inet"))
    assert four.endswith("faster !") and six.endswith("faster")
    assert "! after a verdict: a warning bears on it (loads-differ); see below." in text
    assert "behind a verdict" not in table.render([judged()], columns=80)


def test_the_report_marks_it_in_the_first_table_and_says_why_right_below() -> None:
    compared = Compared((), (judged("inet4", warnings=(LOADS,)), judged("inet6")))
    text = render(Document(compared, Choices("x")))
    head = text.partition("\n## ")[0]
    assert "| faster ! |" in head and "| faster |" in head
    why = "- inet4: the two were offered different loads, so not only the DUT differs (`loads-differ`)\n"
    assert why in head
    assert "**faster !**: improved" in text and "Affected by `loads-differ`." in text


def test_a_report_without_its_warnings_still_names_them_where_the_verdict_is() -> None:
    choices = Choices("x", without=frozenset({"warnings"}))
    text = render(Document(Compared((), (judged(warnings=(LOADS,)),)), choices))
    assert "faster !" in text and "`loads-differ`" in text


def test_for_programs_the_verdict_is_the_bare_word() -> None:
    plain = json.loads(json_format.render([judged(warnings=(LOADS,)).comparison]))
    assert plain["comparisons"][0]["verdict"] == "faster"
    assert plain["comparisons"][0]["marked_by"] == ["loads-differ"]


def test_programs_learn_of_the_mark_where_the_table_has_one() -> None:
    rows = [judged(warnings=(OUTLIER,)), judged(verdict="inconclusive", warnings=(LOADS,)), judged()]
    document = json.loads(json_format.render([one.comparison for one in rows]))
    assert [one["marked_by"] for one in document["comparisons"]] == [[], [], []]
    assert document["comparisons"][0]["warnings"] == [{"code": OUTLIER.code, "text": OUTLIER.text}]


def test_what_makes_data_doubtful_is_among_what_bears_and_one_boot_is_not() -> None:
    assert set(bearing.MEANING) > bearing.UNSOUND
    assert not bearing.UNSOUND & {
        "one-boot",
        "small-but-real",
        "level-shift",
        "loads-differ",
        "drift",
    }
