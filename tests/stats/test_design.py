"""The analysis follows the design: means of boots, pairs of blocks, and what is said of both."""

import math
from fnmatch import fnmatch

import numpy as np
import pytest
from scipy import stats

from fwdtui.core import experiment
from fwdtui.stats import design
from fwdtui.stats.design import design_of
from fwdtui.stats.interaction_verdict import Cross
from fwdtui.stats.results import BLOCK, BOOT, ITERATION, Placed, ResultSet
from fwdtui.stats.verdict import judge, judge_all
from fwdtui.stats.wording import footnotes, verdict_cell

CROSS = Cross(0, 1, ("image",), "config", ("off", "on"), {}, "", ("r2", "off", "on"))


def on_boots(label, boots, each, *, mean=1e6, between=0.01, within=0.003, seed=1, name=None):
    """`each`: iterations on a boot, one number or one for each boot."""
    rng = np.random.default_rng([seed, len(label)])
    sizes = [each] * boots if isinstance(each, int) else each
    values, names = [], []
    for boot, size in enumerate(sizes):
        level = mean * (1.0 + between * rng.normal())
        values += [float(level * (1.0 + within * rng.normal())) for _ in range(size)]
        names += [name or f"{label}-{boot}"] * size
    return ResultSet(label, tuple(values), boots=tuple(names))


def in_blocks(
    label, blocks, *, gain=1.0, drift=-0.02, spread=0.002, seed=1, order="interleaved", each=1, **more
):
    """Values that fall by `drift` from block to block on both sides, as a lab does that heats up."""
    rng = np.random.default_rng(seed)
    where = [block for block in blocks for _ in range(each)]
    values = tuple(float(1e6 * gain * math.exp(drift * block + spread * rng.normal())) for block in where)
    return ResultSet(label, values, placed=Placed("x", order, tuple(where)), **more)


def one(base, other, **more):
    return judge([("inet4", base, other)], **more)[0]


def codes(judged):
    return {warning.code for warning in judged.comparison.warnings}


# --- boots


def test_the_means_of_boots_are_compared_with_degrees_of_freedom_of_boots():
    base, other = on_boots("r1", 4, 5), on_boots("r2", 4, 5, mean=1.03e6, seed=2)
    found = one(base, other).comparison
    means = [np.reshape(side.values, (4, 5)).mean(axis=1) for side in (base, other)]
    assert found.difference.p == pytest.approx(stats.ttest_ind(*means, equal_var=False).pvalue)
    assert found.difference.method.startswith("Welch's t on the means of boots, ")
    assert (found.base.n, found.ministat.pooled_s is not None) == (20, True)
    analysis = found.analysis
    assert (analysis.unit, analysis.paired, analysis.base, analysis.other) == (
        BOOT,
        False,
        (5,) * 4,
        (5,) * 4,
    )
    assert analysis.text == "4 boots of 5 iterations; compared by the means of boots"


def test_what_iterations_prove_boots_may_not():
    base, other = on_boots("r1", 3, 5, seed=5), on_boots("r2", 3, 5, seed=8)
    by_boot = one(base, other).comparison
    by_iteration = one(*(ResultSet(side.label, side.values) for side in (base, other))).comparison
    assert by_iteration.difference.p < 0.05 < by_boot.difference.p
    assert by_iteration.analysis.unit == ITERATION and by_iteration.analysis.text == ""


def test_unequal_numbers_of_iterations_weigh_the_same_and_are_told():
    base, other = on_boots("r1", 3, [5, 1, 3]), on_boots("r2", 4, 2)
    found = one(base, other).comparison
    assert found.analysis.base == (5, 1, 3)
    assert found.analysis.text == (
        "r1: 3 boots of 1 to 5 iterations, r2: 4 boots of 2 iterations; compared by the means of boots"
    )
    assert design_of(base, other).base.values[1] == base.values[5]


def on_levels(label, *levels, unit=""):
    """Boots with these levels, of one iteration each but the last, which has thirty."""
    *few, last = levels
    values = (*few, *(last * (1.0 + 1e-5 * (place % 3)) for place in range(30)))
    boots = (*(f"{label}-{place}" for place in range(len(few))), *[f"{label}-last"] * 30)
    return ResultSet(label, values, boots=boots, unit=unit)


@pytest.mark.parametrize(("unit", "verdict"), [("pps", "faster"), ("us", "slower")])
def test_the_verdict_has_the_direction_of_the_means_that_are_compared(unit, verdict):
    """The boot with the most iterations is the base's fastest, and the other's slowest."""
    base = on_levels("r1", 1000.0, 1002.0, 998.0, 1001.0, 1012.0, unit=unit)
    other = on_levels("r2", 1015.0, 1017.0, 1013.0, 1016.0, 1006.0, unit=unit)
    judged = one(base, other)
    found = judged.comparison
    assert found.base.mean > found.other.mean, "of all iterations"
    assert found.difference.percent > 0 and found.difference.p_adjusted < 0.05
    assert found.verdict == verdict
    assert found.not_slower.proven == (verdict == "faster")


def test_boots_that_are_not_all_known_change_nothing():
    known = on_boots("r1", 3, 5)
    plain = ResultSet("r1", known.values)
    partly = ResultSet("r1", known.values, boots=(None, *known.boots[1:]))
    other = on_boots("r2", 1, 15)
    assert one(partly, other).comparison.difference == one(plain, other).comparison.difference


def test_one_boot_a_side_keeps_its_iterations_and_is_told():
    judged = one(on_boots("r1", 1, 5), on_boots("r2", 3, 5))
    assert judged.comparison.analysis.text == (
        "r1: 5 iterations on one boot, r2: 3 boots of 5 iterations; compared by the means of boots"
    )
    assert "one-boot" in codes(judged)


def test_two_boots_are_too_few_for_a_verdict():
    found = one(on_boots("r1", 2, 5), on_boots("r2", 4, 5)).comparison
    assert (found.verdict, found.cannot_say) == (
        "inconclusive",
        "cannot say, because r1 ran on only 2 boots of the DUT (of 5 and 5 iterations), whose spread is too "
        "uncertain for a reliable test: measure on 1 more boot, preferably on 3. If a reboot in between was "
        "an accident, drop the 5 iterations of the smaller boot: the others are then compared as those of "
        "one boot, with a warning.",
    )


def test_after_an_accidental_reboot_the_way_that_is_named_leads_to_a_marked_verdict():
    base = on_boots("r1", 2, [9, 1], between=0.0)
    other = on_boots("r2", 1, 10, mean=1.03e6, between=0.0)
    found = one(base, other).comparison
    assert found.verdict == "inconclusive" and "drop the iteration of the smaller boot" in found.cannot_say
    dropped = ResultSet("r1", base.values[:9], boots=base.boots[:9])
    after = one(dropped, other)
    assert after.comparison.verdict == "faster" and "one-boot" in codes(after)


def test_two_boots_of_too_few_iterations_name_no_way_that_leads_nowhere():
    found = one(on_boots("r1", 2, [2, 1]), on_boots("r2", 4, 5)).comparison
    assert found.cannot_say is not None and "drop" not in found.cannot_say


def test_what_is_missing_is_counted_in_boots_and_their_iterations():
    judged = one(on_boots("r1", 4, 5), on_boots("r2", 4, 5, seed=2))
    found = judged.comparison
    assert found.verdict == "inconclusive"
    assert found.to_decide.needed == 5 * found.analysis.to_decide.needed
    assert verdict_cell(found, in_full=True).endswith(" more boots")
    assert " more boots per set would decide" in judged.sentence
    notes = footnotes([found])
    assert notes[0] == "4 boots of 5 iterations; compared by the means of boots."
    assert notes[-1].startswith("More boots: adding them")


def test_the_levels_of_boots_are_no_groups_or_trends_of_iterations():
    rising = [1e6 + 2e4 * boot + 100 * at for boot in range(4) for at in (0, 3, 1, 2, 4)]
    base = ResultSet("r1", tuple(rising), boots=tuple(f"a{boot}" for boot in range(4) for _ in range(5)))
    assert codes(one(base, on_boots("r2", 4, 5))) == {"few-iterations"}
    plain = ResultSet("r1", tuple(rising))
    assert "drift" in codes(one(plain, ResultSet("r2", on_boots("r2", 4, 5).values)))


# --- blocks


def test_blocks_are_paired_on_logarithms():
    base, other = in_blocks("r1", range(1, 9)), in_blocks("r2", range(1, 9), gain=0.98, seed=2)
    judged = one(base, other)
    found = judged.comparison
    logs = np.log(other.values) - np.log(base.values)
    test = stats.ttest_1samp(logs, 0.0)
    ends = test.confidence_interval()
    assert found.verdict == "slower"
    assert found.difference.p == pytest.approx(test.pvalue)
    assert found.difference.percent == pytest.approx(100 * math.expm1(logs.mean()))
    assert found.difference.ci_percent == pytest.approx([100 * math.expm1(end) for end in ends])
    assert found.difference.method.startswith("Student's t of the log ratios of 8 blocks (paired by block)")
    assert found.analysis.text == "8 blocks of 1 iteration, interleaved (ABBA); paired by block on logarithms"
    assert any(
        line.startswith("Paired by block: ln(other / base) of 8 blocks: ") for line in judged.explanation
    )
    assert "drift" not in codes(judged)  # of a side: it is the same on both


def test_equivalence_and_no_loss_are_tested_on_the_pairs():
    base, other = in_blocks("r1", range(1, 9)), in_blocks("r2", range(1, 9), seed=2)
    found = one(base, other).comparison
    assert (found.verdict, found.not_slower.proven) == ("equivalent", True)
    logs = np.log(other.values) - np.log(base.values)
    below = stats.ttest_1samp(logs, math.log(0.99), alternative="greater").pvalue
    assert found.not_slower.p == pytest.approx(below)
    unpaired = one(*(ResultSet(side.label, side.values) for side in (base, other))).comparison
    assert unpaired.verdict == "inconclusive"  # the drift is twenty times the spread


def test_a_gain_is_a_gain_though_the_means_say_otherwise():
    """The block that only the base has is its fastest: the means of all values are the wrong way round."""
    base, other = in_blocks("r1", range(8)), in_blocks("r2", range(1, 8), gain=1.02, seed=2)
    judged = one(base, other)
    found = judged.comparison
    assert (found.verdict, found.analysis.left_out) == ("faster", (0,))
    assert "unpaired-block" in codes(judged)
    assert found.difference.absolute > 0


def uneven(label, blocks, gain, seed, **more):
    """Even blocks are a tenth faster than odd ones, on both sides."""
    rng = np.random.default_rng(seed)
    levels = [gain * (1.0e6 if block % 2 else 1.1e6) for block in blocks]
    values = tuple(float(level * (1.0 + 0.001 * rng.normal())) for level in levels)
    return ResultSet(label, values, placed=Placed("x", "random", tuple(blocks)), **more)


def test_medians_that_weigh_blocks_otherwise_mark_a_verdict_that_they_contradict():
    """No block is left out, but each has three values of one side and one of the other: Simpson's paradox."""
    few, many = (1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 6, 6), (1, 1, 1, 2, 3, 3, 3, 4, 5, 5, 5, 6)
    judged = one(uneven("r1", few, 1.0, 1), uneven("r2", many, 1.02, 2))
    found = judged.comparison
    assert (found.verdict, found.analysis.left_out) == ("faster", ())
    assert found.other.median < 0.95 * found.base.median
    (text,) = (warning.text for warning in found.warnings if warning.code == "medians-otherwise")
    assert text == (
        "r2 against r1 (paired by block): the difference of the blocks points the other way from that of the "
        "medians, in which a block with more values weighs more: measure more in the blocks that have fewer."
    )
    alike = one(uneven("r1", few, 1.0, 1), uneven("r2", few, 1.02, 2))
    assert "medians-otherwise" not in codes(alike), "unequal, and the same way round"


def test_medians_that_weigh_boots_otherwise_mark_a_verdict_that_they_contradict():
    base = on_levels("r1", 1000.0, 1002.0, 998.0, 1001.0, 1012.0)
    judged = one(base, on_levels("r2", 1015.0, 1017.0, 1013.0, 1016.0, 1006.0))
    assert judged.comparison.verdict == "faster"
    assert judged.comparison.other.median < judged.comparison.base.median
    (text,) = (warning.text for warning in judged.comparison.warnings if warning.code == "medians-otherwise")
    assert text.startswith("r2 against r1 (by boot): the difference of the boots points the other way from ")


def test_medians_of_as_many_values_everywhere_are_no_contradiction():
    """Of two sets without a difference they differ as often this way as that."""
    for seed in range(2, 12):
        judged = one(in_blocks("r1", range(1, 9)), in_blocks("r2", range(1, 9), seed=seed))
        assert "medians-otherwise" not in codes(judged)


def test_less_is_better_turns_the_pairs_round():
    base = in_blocks("r1", range(1, 9), unit="us")
    found = one(base, in_blocks("r2", range(1, 9), gain=0.95, seed=2, unit="us")).comparison
    assert (found.verdict, found.better, found.not_slower.proven) == ("faster", "less", True)


def test_several_iterations_of_a_block_are_one_value():
    base, other = in_blocks("r1", range(1, 6), each=3), in_blocks("r2", range(1, 6), each=3, seed=2)
    found = one(base, other)
    assert found.comparison.analysis.base == (3,) * 5
    assert found.comparison.analysis.text.startswith("5 blocks of 3 iterations, ")


@pytest.mark.parametrize(
    ("blocks", "why"),
    [
        ((3, 4), "no block has values of both r1 and r2"),
        ((2, 3), "only one block has values of both r1 and r2"),
        ((1, 2), "only 2 blocks have values of both r1 and r2"),
    ],
)
def test_with_fewer_than_three_pairs_nothing_is_said_and_why(blocks, why):
    found = one(in_blocks("r1", (1, 2), each=3), in_blocks("r2", blocks, each=3, seed=2)).comparison
    assert found.verdict == "inconclusive" and found.cannot_say.startswith(f"cannot say, because {why}")


def test_the_same_ratio_in_every_block_is_no_measurement():
    base = in_blocks("r1", range(1, 6))
    other = ResultSet("r2", tuple(1.1 * value for value in base.values), placed=base.placed)
    assert one(base, other).comparison.cannot_say.startswith(
        "cannot say, because every block has the same ratio"
    )


def test_missing_blocks_are_counted_in_boots_where_each_is_one():
    where = range(1, 6)
    boots = [tuple(f"{label}{block}" for block in where) for label in "ab"]
    sides = [
        in_blocks(label, where, spread=0.01, seed=seed, boots=own)
        for label, seed, own in zip(("r1", "r2"), (1, 2), boots, strict=True)
    ]
    found = one(*sides).comparison
    assert found.analysis.rebooted and "each on a boot of its own" in found.analysis.text
    assert verdict_cell(found).endswith(" more boots")
    same = [ResultSet(side.label, side.values, placed=side.placed) for side in sides]
    assert verdict_cell(one(*same).comparison).endswith(" more blocks")


def test_a_sequence_is_not_paired_and_marked():
    judged = one(
        in_blocks("r1", range(1, 6), order="sequential"), in_blocks("r2", range(1, 6), order="sequential")
    )
    assert judged.comparison.analysis.order == "sequential" and not judged.comparison.analysis.paired
    assert "sequential" in codes(judged)
    assert design.SEQUENTIAL == experiment.SEQUENTIAL


def test_values_of_two_experiments_are_not_paired():
    base = in_blocks("r1", range(1, 6))
    other = in_blocks("r2", range(1, 6), seed=2)
    elsewhere = ResultSet("r2", other.values, placed=Placed("y", "interleaved", other.placed.blocks))
    assert one(base, elsewhere).comparison.analysis.unit == ITERATION


def test_without_a_logarithm_blocks_are_compared_by_their_means():
    base = in_blocks("r1", range(1, 6), unit="%")
    other = ResultSet("r2", (0.0, *base.values[1:]), unit="%", placed=base.placed)
    found = one(base, other).comparison
    assert (found.analysis.unit, found.analysis.paired) == (BLOCK, False)
    assert found.analysis.text.endswith("not paired, because a value is not above zero")


def test_an_odd_block_and_a_difference_that_grows_are_told_of_the_pairs():
    base, other = in_blocks("r1", range(1, 11)), in_blocks("r2", range(1, 11), seed=2)
    values = list(other.values)
    values[3] *= 1.2
    odd = one(base, ResultSet("r2", tuple(values), placed=other.placed))
    text = next(warning.text for warning in odd.comparison.warnings if warning.code == "outlier")
    assert text.startswith("r2 against r1 (paired by block): the difference in block 4 (+19.73 %)")
    growing = tuple(value * (1.0 + 0.01 * at) for at, value in enumerate(other.values))
    told = one(base, ResultSet("r2", growing, placed=other.placed))
    text = next(warning.text for warning in told.comparison.warnings if warning.code == "drift")
    assert text.startswith("r2 against r1 (paired by block): the difference rises from block to block")


def test_an_interaction_of_paired_comparisons_is_paired_too():
    rng = np.random.default_rng(3)
    common = 0.05 * rng.normal(size=8)  # what all four trials of a block share
    where = tuple(range(1, 9))

    def side(label, gain):
        noise = 0.002 * rng.normal(size=8)
        return ResultSet(
            label, tuple(map(float, 1e6 * gain * np.exp(common + noise))), placed=Placed("x", "random", where)
        )

    pairs = [("off", side("r1", 1.0), side("r2", 0.9)), ("on", side("r1", 0.8), side("r2", 0.76))]
    (found,) = judge_all(pairs, [CROSS]).interactions
    contrast = np.subtract(*(np.log(o.values) - np.log(b.values) for _, b, o in reversed(pairs)))
    test = stats.ttest_1samp(contrast, 0.0)
    assert found.verdict == "depends" and "paired by block" in found.method
    assert found.p == pytest.approx(test.pvalue)
    assert found.ci_ratio == pytest.approx(tuple(np.exp(test.confidence_interval())))


@pytest.mark.parametrize(
    ("missing", "elsewhere", "end"),
    [
        ((), False, "r2: −2.* % with off, −2.* % with on: the same"),
        (
            (1, 2, 3),
            False,
            "r2, in the 5 blocks that all four sets have: −0.99* % with off, −0.99* % with on: the same",
        ),
        ((), True, "r2, as ratios of means (not paired by block): −* % with off, −* % with on: *"),
    ],
)
def test_a_ratio_is_always_that_of_the_two_effects_that_are_told_beside_it(missing, elsewhere, end):
    """The first three blocks lost much more, and only there is a set without values."""
    rng = np.random.default_rng(3)

    def side(label, *, without=(), experiment="x"):
        where = tuple(block for block in range(1, 9) if block not in without)
        gains = [1.0 if label == "r1" else 0.94 if block <= 3 else 0.99 for block in where]
        values = tuple(float(1e6 * gain * (1.0 + 0.0004 * rng.normal())) for gain in gains)
        return ResultSet(label, values, placed=Placed(experiment, "random", where))

    on = {"experiment": "y"} if elsewhere else {}
    pairs = [("off", side("r1"), side("r2")), ("on", side("r1", **on), side("r2", without=missing, **on))]
    found = judge_all(pairs, [CROSS])
    (told,) = found.interactions
    first, second = told.effects_percent
    assert told.ratio == pytest.approx((100.0 + second) / (100.0 + first), rel=1e-12)
    assert fnmatch(told.sentence, f"{end}*"), told.sentence
    of_rows = tuple(one.comparison.difference.percent for one in found.judged)
    assert (told.effects_percent == of_rows) is (not missing and not elsewhere)


def test_an_interaction_in_fewer_blocks_calls_no_effect_proven():
    """Each comparison is proven from blocks of its own; the sentence is about others."""
    rng = np.random.default_rng(3)

    def side(label, gain, without=()):
        where = tuple(block for block in range(1, 9) if block not in without)
        values = tuple(float(1e6 * gain * (1.0 + 0.0004 * rng.normal())) for _ in where)
        return ResultSet(label, values, placed=Placed("x", "random", where))

    pairs = [("off", side("r1", 1.0), side("r2", 0.9)), ("on", side("r1", 1.0), side("r2", 1.1, (1, 2)))]
    (told,) = judge_all(pairs, [CROSS]).interactions
    start = "r2, in the 6 blocks that all four sets have: "
    assert fnmatch(told.sentence, f"{start}−* % with off, +* % with on: it depends"), told.sentence


def test_a_planned_look_has_its_own_confidence_and_is_told():
    where = tuple(range(1, 5))

    def side(label, seed, blocks=where):
        one = in_blocks(label, blocks, seed=seed)
        return ResultSet(label, one.values, placed=Placed("x", "interleaved", blocks, (4, 8)))

    found = one(side("r1", 1), side("r2", 2)).comparison
    assert found.difference.confidence == pytest.approx(99.0)
    assert found.analysis.text.endswith("; looked 1 of 2 times; this look used 99 %")
    between = one(side("r1", 1, (*where, 5)), side("r2", 2, (*where, 5)))
    assert "unplanned-look" in codes(between)
    last = tuple(range(1, 9))
    assert one(side("r1", 1, last), side("r2", 2, last)).comparison.difference.confidence == pytest.approx(
        96.0
    )


def test_comparisons_at_two_looks_all_say_the_confidence_that_they_share():
    """Of the third side the last block is missing: its look is an earlier one, and stricter."""

    def side(label, seed, last):
        blocks = tuple(range(1, last + 1))
        values = in_blocks(label, blocks, seed=seed).values
        return ResultSet(label, values, placed=Placed("x", "interleaved", blocks, (4, 8)))

    base, whole, short = side("r1", 1, 8), side("r2", 2, 8), side("r3", 3, 7)
    both = [one.comparison for one in judge([("inet4", base, whole), ("inet4", base, short)])]
    for found in both:
        assert found.difference.confidence == pytest.approx(99.0)
        assert found.analysis.look.confidence == found.difference.confidence
    assert both[0].analysis.text.endswith("; looked 2 of 2 times; this look used 99 %")
    assert both[1].analysis.text.endswith("; between planned looks (1 of 2 taken), at 99 %")


def test_a_block_that_is_over_is_that_of_its_look_though_a_trial_was_given_up():
    def side(label, seed, last, over):
        blocks = tuple(range(1, last + 1))
        values = in_blocks(label, blocks, seed=seed).values
        return ResultSet(label, values, placed=Placed("x", "interleaved", blocks, (4, 8), over))

    for over, confidence, marked in ((8, 96.0, False), (0, 99.0, True), (7, 99.0, True)):
        found = one(side("r1", 1, 8, over), side("r2", 2, 7, over))
        assert found.comparison.difference.confidence == pytest.approx(confidence)
        assert ("unplanned-look" in codes(found)) is marked
    early = one(side("r1", 1, 4, 4), side("r2", 2, 3, 4))
    assert early.comparison.analysis.look.on_time


def test_a_look_in_the_middle_of_a_block_is_none():
    """The fifth is being measured: one of three iterations on both sides. The look at it is still to come."""

    def side(label, seed, *, over, beyond, gain=1.0):
        whole = [block for block in range(1, over + 1) for _ in range(3)]
        blocks = (*whole, *beyond)
        values = in_blocks(label, blocks, gain=gain, seed=seed).values
        return ResultSet(label, values, placed=Placed("x", "interleaved", blocks, (5, 10), over))

    def look(over, mine, theirs):
        found = one(side("r1", 1, over=over, beyond=mine), side("r2", 2, over=over, beyond=theirs, gain=1.05))
        assert ("unplanned-look" in codes(found)) is not found.comparison.analysis.look.on_time
        return found.comparison.analysis.look

    middle = look(4, (5,), (5,))
    assert (middle.number, middle.blocks, middle.on_time) == (0, 4, False)
    assert middle.confidence == pytest.approx(99.0)
    due = look(5, (), ())
    assert (due.number, due.blocks, due.on_time) == (1, 5, True)
    for mine, theirs in (((6,), (6,)), ((6,), ())):  # of a block after the look
        after = look(5, mine, theirs)
        assert (after.number, after.blocks, after.on_time) == (1, 5, False)


# --- boots that last longer than a block


def on_shared_boots(blocks, each=1):
    """ABBA in which only a level that changes is booted: A on boots 0, 2, 2, 4 ..., B on 1, 1, 3, 3 ..."""
    rng = np.random.default_rng(blocks)
    placed, boots, values = ([], []), ([], []), ([], [])
    boot = -1
    for block in range(1, blocks + 1):
        for place, side in enumerate((0, 1) if block % 2 else (1, 0)):
            boot += block == 1 or place == 1
            level = 1e6 * (1.0 + 0.005 * rng.normal())
            for _ in range(each):
                placed[side].append(block)
                boots[side].append(f"b{boot}")
                values[side].append(float(level * (1.0 + 0.001 * rng.normal())))
    where = [Placed("x", "interleaved", tuple(of)) for of in placed]
    return [
        ResultSet(label, tuple(values[n]), boots=tuple(boots[n]), placed=where[n])
        for n, label in enumerate(("r1", "r2"))
    ]


def test_blocks_that_share_boots_are_compared_by_boots():
    base, other = on_shared_boots(6)
    assert base.boots == ("b0", "b2", "b2", "b4", "b4", "b6") and other.boots[:3] == ("b1", "b1", "b3")
    found = one(base, other).comparison
    assert (found.analysis.unit, found.analysis.paired) == (BOOT, False)
    assert (found.analysis.base, found.analysis.other) == ((1, 2, 2, 1), (2, 2, 2))
    assert found.analysis.text == (
        "r1: 4 boots of 1 to 2 iterations, r2: 3 boots of 2 iterations, interleaved (ABBA); compared by the "
        "means of boots, not paired, because a boot lasts longer than a block"
    )
    means = [(1, 2, 2, 1), (2, 2, 2)]
    for side, sizes, units in zip((base, other), means, design_of(base, other)[1:3], strict=True):
        ends = np.cumsum(sizes)
        split = [np.mean(some) for some in np.split(np.array(side.values), ends[:-1])]
        assert units.values == pytest.approx(split)


def test_fewer_than_three_such_boots_say_nothing():
    found = one(*on_shared_boots(4, each=2)).comparison
    assert found.cannot_say is not None and "r2 ran on only 2 boots of the DUT" in found.cannot_say
    assert "accident" not in found.cannot_say


def test_a_boot_that_both_sides_share_is_in_no_ratio_and_leaves_the_blocks_paired():
    where = (1, 2, 3, 4, 5, 6)
    for mine, theirs in (
        (("a",) * 6, ("a",) * 6),
        (("a", "a", "a", "b", "b", "b"), ("a", "a", "a", "b", "b", "b")),
        (("a", "a", "a", "b", "b", "b"), ("a", "a", "a", "a", "b", "b")),  # it rebooted within a block
        (tuple("abcdef"), tuple("ghijkl")),
        (tuple("abcdef"), ("", *"hijkl")),  # not all are known
    ):
        base, other = in_blocks("r1", where, boots=mine), in_blocks("r2", where, seed=2, boots=theirs)
        assert design_of(base, other).paired
    apart = in_blocks("r1", where, boots=tuple("aabbcc")), in_blocks("r2", where, boots=tuple("ddeeff"))
    assert design_of(*apart).unpaired == "a boot lasts longer than a block"
    mixed = in_blocks("r1", where, each=2, boots=tuple("abbccddeeffg"))
    half = in_blocks("r2", where, each=2, boots=("h",) * 12)
    assert not design_of(mixed, half).paired
