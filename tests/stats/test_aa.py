"""What an A/A experiment says of its lab: by the analysis that comparisons use, and without a claim."""

import math
import re
from collections.abc import Iterable
from typing import NamedTuple

import msgspec
import pytest

from fwdtui.core.experiment import DesignFactor, Experiment, LevelSetup, Plan
from fwdtui.core.experiment.order import aa_plan, plan
from fwdtui.stats.aa import Floor, floor, why_none
from fwdtui.stats.planning import floor as planned_floor
from fwdtui.stats.results import Attempt, Placed, ResultSet
from fwdtui.stats.verdict import judge


class Measured(NamedTuple):
    block: int
    cell: int
    value: float
    boot: str = ""
    offered: float | None = None
    began: float | None = None


WEEK = 7 * 86400.0


def aa(blocks: int, iterations: int = 1) -> Plan:
    levels = (LevelSetup(0), LevelSetup(1))
    design = (DesignFactor("f", levels),)
    return aa_plan(plan(Experiment("e", "lab.toml", design, blocks=blocks, iterations=iterations), "d"))


def measured(values: Iterable[tuple[float, float]]) -> list[Measured]:
    return [
        Measured(block, cell, one) for block, pair in enumerate(values, 1) for cell, one in enumerate(pair)
    ]


DRIFTING = [(100.0, 101.0), (110.0, 109.5), (120.0, 121.5), (130.0, 129.0), (140.0, 141.0), (150.0, 149.0)]
"""A lab that becomes half as fast again: A and B drift together."""


def test_it_says_what_can_be_proved_and_claims_nothing():
    found = floor(aa(3), measured([(100.0, 101.0), (102.0, 99.0), (101.0, 103.0)]))
    assert found is not None and found.low < 0.0 < found.high and found.provable > 2.0
    assert (found.values, found.unit, found.paired) == (3, "blocks", True)
    assert "With 3 blocks, compared in pairs, an effect of " in found.text
    assert re.search(r"effect of \d\.\d % or more can be proved here", found.text)
    assert not re.search(r"faster|slower|higher|lower|significant", found.text)


def test_values_of_b_that_a_resume_measured_a_week_later_are_no_floor():
    def told(missing: int) -> tuple[Floor | None, str]:
        """A and B in turns, five minutes each; B of the first `missing` blocks is measured a week later."""
        values = [
            one._replace(
                began=300.0 * (2 * one.block + one.cell) + WEEK * (one.cell == 1 and one.block <= missing)
            )
            for one in measured(DRIFTING)
        ]
        every = tuple(sorted(Attempt(one.began, one.block, 2 * one.block + one.cell) for one in values))
        return floor(aa(6), values, None, every), why_none(aa(6), values, None, every)

    whole, _ = told(0)
    assert whole is not None and (whole.values, whole.paired) == (6, True)
    some, _ = told(2)
    assert some is not None and (some.values, some.paired) == (4, True)
    none, why = told(4)
    assert none is None
    assert why == (
        "the lab's floor is not known: in too many blocks A and B were measured at different "
        "times, so that a drift of the lab would be part of it; measure it again"
    )


def test_figures_of_a_floor_have_no_sign_before_a_zero_and_no_exponent():
    text = Floor(3, -0.001, -0.3, 0.3, 123.4).text
    assert "differ by 0.00 % (95 %: −0.30 to +0.30 %)" in text
    assert "an effect of 123 % or more can be proved" in text
    assert Floor(3, 0.0, -0.3, 0.3, 99.6).proves.endswith("an effect of 100 % or more can be proved")
    assert Floor(3, 0.0, -0.3, 0.3, 0.0123).proves.endswith("an effect of 0.012 % or more can be proved")


def test_a_quiet_lab_has_the_digits_of_its_interval():
    text = Floor(10, 0.00042, -0.0021, 0.0029, 0.0051).text
    assert "differ by +0.0004 % (95 %: −0.0021 to +0.0029 %)" in text


def test_a_drift_that_the_analysis_takes_out_is_no_part_of_the_floor():
    found = floor(aa(6), measured(DRIFTING))
    assert found is not None and found.provable < 2.0, "unpaired it would be above 30 %"
    logs = [math.log(b / a) for a, b in DRIFTING]
    assert found.provable == pytest.approx(planned_floor(logs, 1.0).difference, rel=1e-3)


def test_it_is_the_interval_of_the_comparison_itself():
    design, values = aa(6), measured(DRIFTING)
    found = floor(design, values)
    placed = Placed("d", "interleaved", tuple(range(1, 7)))
    base, other = (ResultSet("", side, placed=placed) for side in zip(*DRIFTING, strict=True))
    difference = judge([("", base, other)])[0].comparison.difference
    assert found is not None and difference.ci_percent == (found.low, found.high)
    assert difference.percent == found.difference


def test_an_interval_that_leaves_out_zero_is_told_as_what_it_is():
    found = floor(aa(4), measured([(100.0, 104.0), (101.0, 105.5), (99.0, 103.0), (100.0, 103.5)]))
    assert (
        found is not None
        and found.low > 0.0
        and found.text.endswith("are wrong more often than their confidence says.")
    )
    honest = floor(aa(6), measured(DRIFTING))
    assert honest is not None and "leaves out 0" not in honest.text


def test_an_interval_that_just_leaves_out_zero_is_not_shown_from_zero():
    found = Floor(values=4, difference=0.2, low=0.003, high=0.4, provable=0.6)
    assert found.leaves_out_zero and "(95 %: +0.003 to +0.400 %)" in found.text
    assert "(95 %: 0.00 to +0.40 %)" in msgspec.structs.replace(found, low=-0.003).text


def test_what_the_generator_sent_is_no_floor_of_the_dut():
    """All of it was forwarded: the values spread as the load does, which proves nothing of the DUT."""
    values = [(1e6, 1.0002e6), (0.9999e6, 1e6), (1.0001e6, 0.9998e6)]
    plain = measured(values)
    below = [one._replace(offered=2e6) for one in plain]
    at_the_load = [one._replace(offered=one.value) for one in plain]
    assert floor(aa(3), plain) == floor(aa(3), below) != floor(aa(3), at_the_load)
    assert floor(aa(3), at_the_load) is None
    assert floor(aa(3), plain, 2e6) == floor(aa(3), plain)
    assert floor(aa(3), plain, 1.0005e6) is None, "nor is what the link carries"
    assert why_none(aa(3), plain[:2]) == "too little was measured to say anything about the lab's floor"


SOME = (
    "{} of 3 values of A and {} of 3 values of B are all that was offered, so the DUT may be able to do "
    "more; offer more"
)


@pytest.mark.parametrize(
    ("offered", "line_rate", "why"),
    [
        (
            ("all",) * 6,
            None,
            "A and B forwarded all that they were offered, so their values are the generator's; offer more",
        ),
        (
            (None,) * 6,
            1.0005e6,
            "A and B are at line rate, so their values are the link's; use a faster link",
        ),
        (("all", "all", *(2e6,) * 4), None, SOME.format(1, 1)),
        (("all", "all", "all", 2e6, 2e6, "all"), None, SOME.format(2, 2)),
    ],
)
def test_why_capped_values_are_no_floor_says_how_many_are(offered, line_rate, why):
    plain = measured([(1e6, 1.0002e6), (0.9999e6, 1e6), (1.0001e6, 0.9998e6)])
    values = [
        one._replace(offered=one.value if load == "all" else load)
        for one, load in zip(plain, offered, strict=True)
    ]
    assert why_none(aa(3), values, line_rate) == f"the lab's floor is not known: {why}"


def test_trials_of_one_block_are_one_value():
    levels = [(100.0, 103.0), (96.0, 99.0), (104.0, 98.0)]
    many = [one._replace(value=one.value + 0.1 * n) for one in measured(levels) for n in range(10)]
    found, once = floor(aa(3, 10), many), floor(aa(3), measured(levels))
    assert found is not None and once is not None and found.values == once.values == 3
    assert found.provable == pytest.approx(once.provable, rel=0.02), "ten on each boot prove no more"


@pytest.mark.parametrize(
    "values", [[], [(1.0, 2.0)], [(1.0, 2.0), (2.0, 1.0)], [(5.0, 5.0)] * 4, [(0.0, 0.0)] * 4]
)
def test_too_little_or_no_spread_says_nothing(values):
    assert floor(aa(4), measured(values)) is None
