"""A block is a pair only if it was measured in one sitting: a drift of the lab cancels in nothing else."""

import math

import numpy as np
import pytest
from msgspec.structs import replace

from fwdtui.report.bearing import codes
from fwdtui.stats.results import BLOCK, ITERATION, Attempt, Placed, ResultSet
from fwdtui.stats.verdict import judge

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
ONE, TWO = 0, 1  # the two sides


def times(blocks=8, step=5 * MINUTE, each=1):
    """When each value of both sides is measured without any break, in ABBA order: (block, seconds)."""
    now, sides = 0.0, ([], [])
    for block in range(1, blocks + 1):
        for side in (ONE, TWO) if block % 2 else (TWO, ONE):
            for _ in range(each):
                sides[side].append((block, now))
                now += step
    return sides


def later(when, blocks, seconds):
    """Those of these blocks, in their order, measured again from `seconds` on, and the others as before."""
    again = iter(range(len(when)))
    return [(block, seconds + 300.0 * next(again)) if block in blocks else (block, at) for block, at in when]


def compared(mine, theirs, *, attempts=(), order="interleaved", gain=1.0):
    """r1 and r2 of the same level, on a lab that becomes 1.5 % slower in a week."""
    rng = np.random.default_rng(1)
    every = [
        Attempt(at, block, 2 * block - 1 + side) for side, of in enumerate((mine, theirs)) for block, at in of
    ]
    every = tuple(sorted([*every, *attempts]))

    def side(label, when, of_side):
        values = tuple(
            float(1e6 * of_side * (1.0 - 0.015 * at / (7 * DAY)) * math.exp(0.002 * rng.normal()))
            for _, at in when
        )
        blocks, began = (tuple(part) for part in zip(*when, strict=True))
        return ResultSet(label, values, placed=Placed("x", order, blocks, began=began, attempts=every))

    return judge([("inet4", side("r1", mine, 1.0), side("r2", theirs, gain))])[0].comparison


def told(comparison, code="blocks-apart"):
    return [one.text for one in comparison.warnings if one.code == code]


def test_an_experiment_that_nothing_interrupted_is_paired_as_planned():
    for step in (10.0, 5 * MINUTE, 2 * HOUR):  # however long its blasts are
        found = compared(*times(step=step), gain=0.98)
        assert (found.verdict, found.analysis.paired, found.analysis.left_out) == ("slower", True, ())
        assert codes(found) == ()


def test_what_a_resume_measured_a_week_later_is_no_difference_without_a_mark():
    """All of r2 was given up, and measured after the fault was mended: one after the other."""
    mine, theirs = times()
    found = compared(mine, later(theirs, range(1, 9), 7 * DAY))
    assert found.verdict == "slower", "the lab is, and nothing else"
    assert codes(found) == ("blocks-apart",)
    assert (found.analysis.unit, found.analysis.paired) == (ITERATION, False)
    assert found.analysis.text == (
        "measured interleaved (ABBA); not paired, because no block was measured in one sitting"
    )
    assert told(found) == [
        "in blocks 1, 2, 3, 4, 5, 6, 7 and 8 r1 and r2 were measured at different times, so they are not "
        "pairs, and a drift of the lab counts as a difference. A new run of the experiment measures each "
        "block in one sitting."
    ]


def test_a_resume_right_away_is_no_pairing_either_where_other_blocks_lie_between():
    """No break, but r1 and then r2 is a sequence, however short the experiment is."""
    mine, theirs = times(step=10.0)
    found = compared(mine, later(theirs, range(1, 9), 170.0))
    assert not found.analysis.paired and told(found)


def test_the_blocks_that_a_resume_completed_are_left_out_and_the_verdict_is_marked():
    mine, theirs = times()
    found = compared(mine, later(theirs, (3, 6), 7 * DAY), gain=0.98)
    assert (found.verdict, codes(found)) == ("slower", ("blocks-apart",))
    assert (found.analysis.paired, found.analysis.left_out) == (True, (3, 6))
    assert found.analysis.text.startswith("6 blocks of 1 iteration, ")
    assert told(found) == [
        "in blocks 3 and 6 r1 and r2 were measured at different times, so the comparison, paired by block, "
        "leaves out such blocks. A new run of the experiment measures each block in one sitting."
    ]
    assert told(found, "unpaired-block") == []


@pytest.mark.parametrize(("minutes", "whole"), [(2, True), (25, True), (45, False), (60 * 24, False)])
def test_a_crash_within_a_block_costs_it_only_if_the_break_was_long(minutes, whole):
    mine, theirs = times(step=5 * MINUTE)
    after = [(block, at + minutes * MINUTE if (block, at) > (5, 0.0) else at) for block, at in theirs]
    before = [(block, at + minutes * MINUTE if block > 5 else at) for block, at in mine]
    found = compared(before, after, gain=0.98)
    assert found.analysis.left_out == (() if whole else (5,))
    assert codes(found) == (() if whole else ("blocks-apart",))


def test_a_break_is_long_by_what_a_block_takes():
    """From the first trial to the last it takes two hours here, so twice that parts a block."""
    mine, theirs = times(step=2 * HOUR)
    for hours, left_out in ((1, ()), (9, (8,))):
        late = [(block, at + hours * HOUR if block == 8 else at) for block, at in mine]
        assert compared(late, theirs).analysis.left_out == left_out


def test_what_takes_long_in_every_block_is_no_break():
    """To flash an image takes 40 minutes, after ten iterations of half a minute with the other one."""
    mine, theirs = times(step=30.0, each=10)
    sides = [
        [(block, at + 40 * MINUTE * (block - (side != block % 2))) for block, at in when]
        for side, when in enumerate((mine, theirs))
    ]
    found = compared(*sides, gain=0.98)
    assert (found.analysis.left_out, found.analysis.other) == ((), (10,) * 8)
    assert codes(found) == ()


def test_attempts_that_failed_meanwhile_are_no_break():
    """It took an hour and six attempts to get a value: the experiment was at this block meanwhile."""
    mine, theirs = times()
    late = [(block, at + HOUR if (block, at) > (7, mine[6][1]) else at) for block, at in theirs]
    late_mine = [(block, at + HOUR if block == 8 else at) for block, at in mine]
    failed = [Attempt(theirs[6][1] + 10 * MINUTE * place, 7, 14) for place in range(6)]
    assert compared(late_mine, late, attempts=failed).analysis.left_out == ()
    assert compared(late_mine, late).analysis.left_out == (7,)


def test_of_a_block_of_several_iterations_those_that_were_measured_together_are_the_pair():
    mine, theirs = times(each=3)
    days = [(block, 7 * DAY if place == 4 else at) for place, (block, at) in enumerate(theirs)]
    found = compared(mine, days, gain=0.98)
    assert (found.analysis.left_out, found.analysis.other) == ((), (3, 2, 3, 3, 3, 3, 3, 3))
    assert codes(found) == ("blocks-apart",)
    assert told(found) == [
        "in block 2 some values were measured at a different time from the others, so the ratio is of those "
        "that were measured together. A new run of the experiment measures each block in one sitting."
    ]


def test_a_block_that_was_measured_anew_on_both_sides_is_whole():
    mine, theirs = times()
    again = Attempt(mine[3][1], 4, 7), Attempt(theirs[3][1], 4, 8)  # dropped since
    mine[3], theirs[3] = (4, 7 * DAY), (4, 7 * DAY + 300.0)
    found = compared(mine, theirs, attempts=again, gain=0.98)
    assert (found.analysis.left_out, codes(found)) == ((), ())


def test_two_blocks_in_one_sitting_are_too_few_to_be_paired():
    mine, theirs = times()
    found = compared(mine, later(theirs, range(3, 9), 7 * DAY))
    assert found.analysis.text.endswith("not paired, because only 2 blocks were measured in one sitting")
    three = compared(mine, later(theirs, range(4, 9), 7 * DAY))
    assert three.analysis.unit == BLOCK and three.analysis.paired


def test_values_of_which_nobody_knows_when_they_were_measured_are_paired_as_before():
    mine, theirs = times()
    week = later(theirs, range(1, 9), 7 * DAY)
    sides = []
    for label, when in (("r1", mine), ("r2", week)):
        values = tuple(1e6 + 300.0 * (place % 3) for place in range(len(when)))
        sides.append(
            ResultSet(label, values, placed=Placed("x", "random", tuple(block for block, _ in when)))
        )
    sides[1] = replace(
        sides[1], values=tuple(value * 1.01 + place for place, value in enumerate(sides[1].values))
    )
    assert judge([("inet4", *sides)])[0].comparison.analysis.paired
