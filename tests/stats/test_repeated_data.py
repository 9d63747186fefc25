"""A side that holds one measurement more than once."""

import random

import pytest

from fwdtui.report.bearing import MEANING, UNSOUND
from fwdtui.stats.cautions import set_cautions
from fwdtui.stats.describe import describe
from fwdtui.stats.results import ResultSet

FIVE = (1000.0, 1003.0, 999.0, 1001.5, 998.0)
SIX = (*FIVE, 1002.25)
CODE = "repeated-data"


def told(values: tuple[float, ...], shown: int = 1) -> str:
    results = ResultSet("new", values)
    found = {one.code: one.text for one in set_cautions(results, describe(results), 1.0, shown)}
    return found.get(CODE, "")


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (FIVE * 2, "new: the same 5 values twice: "),
        (FIVE * 4, "new: the same 5 values 4 times: "),
        (SIX * 2, "new: the same 6 values twice: "),
        (FIVE[:3] * 4, "new: the same 3 values 4 times: "),
    ],
)
def test_the_same_values_again_are_told(values: tuple[float, ...], text: str) -> None:
    assert told(values).startswith(text)


@pytest.mark.parametrize(
    "values",
    [
        (),
        FIVE,
        (*FIVE, *FIVE[:-1], 997.0),
        (*FIVE, *FIVE[::-1]),  # in another order it may be a coincidence of rounded values
        (1000.0,) * 10,  # told as values without any spread
        (1000.0, 1001.0, 1002.0) * 2,  # so coarse that they come again by chance
        (1000.0, float("nan"), 1001.0) * 2,
        (1000.0, 1001.0) * 3,  # two groups: their order says nothing
    ],
)
def test_what_is_none_or_may_be_chance_is_not(values: tuple[float, ...]) -> None:
    assert told(values) == ""


def test_the_more_is_shown_the_less_a_few_values_say() -> None:
    coarse = (1000.0, 1004.0, 997.0, 1002.0) * 2
    assert told(coarse) and not told(coarse, 100)


@pytest.mark.parametrize("step", [0.0, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("n", [6, 8, 10, 12])
def test_honest_values_are_hardly_ever_accused(n: int, step: float) -> None:
    """`step`: to which they are rounded, in standard deviations."""
    draw = random.Random(8)
    drawn = ([draw.gauss(1000.0, 1.0) for _ in range(n)] for _ in range(1000))
    rounded = (tuple(round(one / step) * step if step else one for one in values) for values in drawn)
    assert sum(map(bool, map(told, rounded))) <= 10


def test_it_marks_the_verdict_and_proves_nothing() -> None:
    assert CODE in MEANING and CODE in UNSOUND
