"""One comparison as table, JSON and Markdown: the figures are the same, and say what the verdict says."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fwdtui.core.model import Case, Iteration, Session
from fwdtui.report import json_format, markdown, table
from fwdtui.report.comparison import Compared, judge_sides
from fwdtui.report.document import SECTIONS, Choices, Document
from fwdtui.report.sides import of_session
from fwdtui.stats.wording import difference_cell
from fwdtui.ui.common.compared_how import ComparedHow

FIGURE = re.compile(r"[+−]?[0-9]+(?: [0-9]{3})*(?:\.[0-9]+)?(?:e[+−][0-9]+)?")
VALUES = st.lists(st.integers(-400, 400), min_size=3, max_size=6)
ALONE = Choices(without=frozenset(SECTIONS))


def read(figure: str) -> tuple[float, float]:
    """A figure, and half a unit of its last digit."""
    plain = figure.replace("−", "-").replace(" ", "")
    mantissa, _, exponent = plain.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return float(plain), unit * 0.5000001


def agrees(figure: str, value: float) -> bool:
    shown, unit = read(figure)
    return abs(shown - value) <= unit


def check_difference(cell: str, told: dict) -> None:
    """``−1.2 % ± 0.3 %``, ``+88 % [+2, +239]``: rounded from the JSON's numbers, on their side of zero."""
    value, *spread = FIGURE.findall(cell.replace("±", "% "))
    assert agrees(value, told["percent"])
    assert not re.search(r"[+−][0.]*( |\]|,|$)", value), "no sign before a zero"
    low, high = told["ci_percent"]
    if low is None:
        assert not spread
        return
    if "±" in cell:
        (arm,) = spread
        assert agrees(arm, told["percent"] - low) and agrees(arm, high - told["percent"])
        below, above = read(value)[0] - read(arm)[0], read(value)[0] + read(arm)[0]
    else:
        assert all(map(agrees, spread, (low, high)))
        below, above = (read(end)[0] for end in spread)
    # what is proven to be on one side of zero is shown there, and never the other way round
    assert (below > 0.0) <= (low > 0.0) and (above < 0.0) <= (high < 0.0)
    if ">0" not in cell and "<0" not in cell:
        assert (low > 0.0) <= (below > 0.0) and (high < 0.0) <= (above < 0.0)


def session(label: str, cases: list[tuple[float, list[int]]], scale: float) -> Session:
    made = tuple(
        Case(
            f"c{number}",
            tuple(
                Iteration(place, middle * (1.0 + step * scale), source="receiver.log")
                for place, step in enumerate(steps, 1)
            ),
        )
        for number, (middle, steps) in enumerate(cases)
    )
    return Session(f"/s/{label}", label, "2026-01-02T03:04:05+00:00", cases=made)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    cases=st.lists(st.tuples(VALUES, VALUES, st.integers(-300, 300)), min_size=1, max_size=3),
    middle=st.sampled_from([455.3, 883_374.5, 14_880_952.4, 148_809_523.8]),
    scale=st.sampled_from([1e-6, 1e-4, 1e-3]),
)
def test_table_json_and_markdown_have_the_same_numbers(
    cases: list[tuple[list[int], list[int], int]], middle: float, scale: float
) -> None:
    base = session("base", [(middle, one) for one, _, _ in cases], scale)
    other = session("other", [(middle * (1.0 + by * scale), steps) for _, steps, by in cases], scale)
    compared: Compared = judge_sides([of_session(base), of_session(other)])
    told = json.loads(json_format.render([one.comparison for one in compared.judged]))["comparisons"]
    lines = table.render(compared.judged).splitlines()
    report = markdown.render(Document(compared, ALONE)).splitlines()
    for one, comparison in zip(told, (judged.comparison for judged in compared.judged), strict=True):
        (row,) = (re.split(r"  +", line) for line in lines if line.startswith(f"{one['case']}  "))
        (cells,) = (line.strip("| ").split(" | ") for line in report if line.startswith(f"| {one['case']} |"))
        assert row[1] == cells[1] == f"{one['base']['n']}/{one['other']['n']}"
        for place, side in ((2, "base"), (3, "other")):
            assert row[place] == cells[place] and agrees(row[place], one[side]["median"])
        shown = cells[4]
        assert shown == row[4].removesuffix(row[-1]).strip() or row[4].startswith(shown)
        check_difference(shown, one["difference"])
        assert row[-1].startswith(one["verdict"]) and cells[6].startswith(one["verdict"])
        level = (100.0 - one["difference"]["confidence"]) / 100.0
        p = one["difference"]["p_adjusted"]
        if p is not None and not cells[5].startswith(("<", "\\<", "&lt;")):
            assert (float(cells[5]) < level) == (p < level), "a p on the other side of its level"
            assert comparison.verdict not in ("faster", "slower") or float(cells[5]) < level


@pytest.mark.parametrize("steps", [(-3, 1, 0, 2, -1), (0, 300, -120, 40, 7), (0, 0, 0, 0, 1)])
def test_an_interval_that_ends_beside_zero_is_shown_on_the_side_of_its_verdict(
    steps: tuple[int, ...],
) -> None:
    def judged(offset: float) -> tuple[dict, str]:
        base = session("base", [(1e6, list(steps))], 1e-4)
        other = session("other", [(1e6 * (1.0 + offset), list(steps[::-1]))], 1.00001e-4)
        (one,) = judge_sides([of_session(base), of_session(other)], margin=0.0).judged
        (told,) = json.loads(json_format.render([one.comparison]))["comparisons"]
        return told, difference_cell(one.comparison.difference)

    below, above = 0.0, 1.0
    for _ in range(40):
        offset = 0.5 * (below + above)
        if judged(offset)[0]["verdict"] == "faster":
            above = offset
        else:
            below = offset
    for offset, verdict in ((below, "inconclusive"), (above, "faster"), (above * (1.0 + 1e-6), "faster")):
        told, cell = judged(offset)
        assert told["verdict"] == verdict
        assert (told["difference"]["ci_percent"][0] > 0.0) == (verdict == "faster")
        check_difference(cell, told["difference"])


def test_a_margin_and_a_confidence_with_many_digits_are_the_same_everywhere_and_in_the_next_command() -> None:
    """With six digits the command that goes on from the app would judge at another margin."""
    sides = [
        of_session(session(label, [(1e6, [-3, 1, 0, 4, -2])], scale))
        for label, scale in (("a", 1.0), ("b", 1.1))
    ]
    compared = judge_sides(sides, margin=0.1234567, confidence=97.1234567)
    assert "margin 0.1234567 %   confidence 97.1234567 %" in table.render(compared.judged)
    text = markdown.render(Document(compared))
    assert "±0.1234567 %" in text and "at 97.1234567 %" in text
    (told,) = json.loads(json_format.render([one.comparison for one in compared.judged]))["comparisons"]
    assert (told["margin_percent"], told["difference"]["confidence"]) == (0.1234567, 97.1234567)
    options = ComparedHow(compared.margin, compared.confidence).options()
    assert options == ["--margin", "0.1234567%", "--confidence", "97.1234567"]
