"""Warnings about a comparison that is paired by block: about the ratios of the blocks, on which it rests."""

import math

from fwdtui.core.model import Caution
from fwdtui.stats.describe import describe
from fwdtui.stats.drift import kendall_s, ranks_suffice, slope_p, trend_p
from fwdtui.stats.figures import listing, number, p_is
from fwdtui.stats.outliers import LEVEL, MOST_ITERATIONS, far, groups
from fwdtui.stats.pairs import Pair
from fwdtui.stats.wording import ENOUGH_ITERATIONS

_MOST_NAMED = 3


def block_cautions(pair: Pair, margin_percent: float, shown: int = 1) -> list[Caution]:
    """What is odd about the differences from block to block; the levels are those of set_cautions.

    The sides' own patterns over time are not looked at: pairing is there so that they do not matter.
    """
    design, level = pair.design, LEVEL / max(shown, 1)
    percents = [100.0 * math.expm1(one) for one in design.log_ratios()]
    return [
        *_odd(pair, percents, margin_percent, level),
        *_two_groups(pair, percents, margin_percent, level),
        *_trend(pair, percents, level),
        *_left_out(pair),
        *_otherwise(pair),
    ]


def _who(pair: Pair) -> str:
    return f"{pair.other.label} against {pair.base.label} (paired by block)"


def _told(value: float) -> str:
    return f"{number(value, 2, sign=True)} %"


def _ratios(percents: list[float]) -> list[float]:
    return [1.0 + one / 100.0 for one in percents]


def _odd(pair: Pair, percents: list[float], margin_percent: float, level: float) -> list[Caution]:
    count, odd = far(_ratios(percents), margin_percent, _MOST_NAMED, level)
    if not odd:
        return []
    named = [f"block {pair.design.blocks[one.position]} ({_told(percents[one.position])})" for one in odd]
    if count > _MOST_NAMED:
        named.append(f"{count - _MOST_NAMED} more")
    text = (
        f"{_who(pair)}: the difference in {listing(named)} is far from that in the others: look at the logs "
        f"before you trust or drop {'it' if count == 1 else 'them'}."
    )
    return [Caution("outlier", text)]


def _two_groups(pair: Pair, percents: list[float], margin_percent: float, level: float) -> list[Caution]:
    split = groups(_ratios(percents), margin_percent, level)
    if split is None:
        return []
    below, above = (_told(100.0 * (end - 1.0)) for end in (split.below, split.above))
    text = (
        f"{_who(pair)}: the differences fall into two groups, {split.low} blocks up to {below} and "
        f"{split.high} from {above}: look for two modes of the DUT (RSS, NUMA, placement)."
    )
    return [Caution("two-clusters", text)]


def _trend(pair: Pair, percents: list[float], level: float) -> list[Caution]:
    if not ENOUGH_ITERATIONS <= len(percents) <= MOST_ITERATIONS:
        return []
    p = trend_p(percents) if ranks_suffice(len(percents), level) else slope_p(percents)
    if p >= level:
        return []
    direction = "rises" if (kendall_s(percents) or percents[-1] - percents[0]) > 0 else "falls"
    text = (
        f"{_who(pair)}: the difference {direction} from block to block ({p_is(p)}): one side changes with "
        "time as the other does not; look for heat and leaks."
    )
    return [Caution("drift", text)]


def _left_out(pair: Pair) -> list[Caution]:
    left_out = pair.design.left_out
    if not left_out:
        return []
    blocks = listing([str(block) for block in left_out])
    which = f"block {blocks} has" if len(left_out) == 1 else f"blocks {blocks} have"
    text = f"{which} values of only one of {pair.base.label} and {pair.other.label}"
    return [Caution("unpaired-block", f"{text}, so the comparison, paired by block, is made without.")]


def _otherwise(pair: Pair) -> list[Caution]:
    """That the medians, which are of all values, say the opposite of the blocks that were compared."""
    if not pair.design.left_out:
        return []
    middles = [describe(one).median or 0.0 for one in (pair.base, pair.other)]
    of_blocks = sum(pair.design.log_ratios())
    if (middles[1] - middles[0]) * of_blocks >= 0.0:
        return []
    text = (
        f"{_who(pair)}: in the blocks that both have the difference is the other way round than between the "
        "medians, which include the blocks that are left out: measure these again."
    )
    return [Caution("medians-otherwise", text)]
