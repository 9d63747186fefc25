"""A session against a baseline, as the list of sessions says it: what Compare says of just these two."""

from pathlib import Path

import pytest

from fwdtui.core.model import Case, Iteration, Session
from fwdtui.report import comparison
from fwdtui.report.against import against
from fwdtui.store import read_session
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.sessions.verdict_text import verdict_cell, verdict_lines

RECORDED = Path(__file__).resolve().parents[1] / "recorded"


def session(label: str, unit: str = "pps", **cases: list[float]) -> Session:
    made = tuple(
        Case(name, tuple(Iteration(n, value, unit) for n, value in enumerate(values, 1)))
        for name, values in cases.items()
    )
    return Session(f"/s/{label}", label, "", cases=made)


def around(middle: float) -> list[float]:
    return [middle, middle + 1, middle - 1, middle + 2, middle - 2]


@pytest.mark.parametrize("order", [1, -1])
def test_the_verdicts_are_those_of_a_comparison_of_the_two(order):
    paths = [RECORDED / "no-rules", RECORDED / "rules-100"][::order]
    loaded = comparison.load(paths)
    expected = comparison.judge(loaded, comparison.MARGIN, comparison.CONFIDENCE)
    found = against(*map(read_session, paths))
    assert found.judged == expected.judged and found.base == expected.labels[0]


@pytest.mark.parametrize(
    "values, worst",
    [
        ({"a": 1100, "b": 900, "c": 500}, ("c", "slower")),
        ({"a": 1100, "b": 1000, "c": 1200}, ("b", "equivalent")),
        ({"a": 1100, "b": 1300, "c": 1200}, ("a", "faster")),
    ],
)
def test_the_worst_case_is_the_greatest_loss_else_the_least_gain(values, worst):
    base = session("base", **{name: around(1000) for name in "abc"})
    found = against(base, session("other", **{name: around(middle) for name, middle in values.items()}))
    assert found.worst is not None and (found.worst.case, found.worst.verdict) == worst


def test_a_difference_without_a_percentage_has_the_unit_of_its_values():
    """The mean of the baseline is not above zero: jitter around a clock, for one."""
    base, other = (
        session(name, "us", a=around(middle)) for name, middle in (("base", -5.0), ("other", 40.0))
    )
    found = against(base, other)
    assert found.worst is not None and found.worst.difference.percent is None
    assert "+45 us ± " in verdict_lines(found, Styles({})).plain
    assert verdict_cell(found, 40, Styles({})).plain.startswith("▼ +45 us")


def test_of_times_the_greatest_loss_is_the_greatest_increase():
    base = session("base", "us", **{name: around(1000) for name in "abc"})
    found = against(base, session("other", "us", a=around(1100), b=around(1500), c=around(900)))
    assert found.worst is not None and (found.worst.case, found.worst.verdict) == ("b", "slower")
    ranks = {
        middle: against(base, session("other", "us", a=around(middle))).rank or (9, 0.0)
        for middle in (500, 900, 1000, 1100, 2000)
    }
    assert sorted(ranks, key=lambda middle: ranks[middle]) == [2000, 1100, 1000, 900, 500]


def test_sessions_are_ranked_by_their_worst_verdict_and_then_by_the_greatest_loss():
    base = session("base", a=around(1000))
    middles = {"half": 500, "less": 900, "same": 1000, "more": 1100, "much more": 2000}
    ranks = {label: against(base, session(label, a=around(middle))).rank for label, middle in middles.items()}
    assert sorted(ranks, key=lambda label: ranks[label] or ()) == list(middles)
    assert against(base, session("other", c=around(10))).rank is None


def test_cases_of_only_one_of_the_two_are_named_and_without_any_in_common_there_is_a_reason():
    base = session("base", a=around(10), b=around(10))
    assert against(base, session("other", c=around(10), b=around(10))).alone == ("a", "c")
    found = against(base, session("other", c=around(10)))
    assert (found.judged, found.worst) == ((), None)
    assert found.reason == "no case in common: base has a, b"
    assert against(base, session("empty")).reason == "/s/empty: the session has no iterations"
