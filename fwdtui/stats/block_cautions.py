"""Warnings about blocks: about their ratios where these are compared, and about blocks that are no pairs."""

import math
from collections.abc import Sequence

from fwdtui.core.model import Caution
from fwdtui.stats.drift import kendall_s, ranks_suffice, slope_p, trend_p
from fwdtui.stats.figures import listing, number, p_is
from fwdtui.stats.outliers import LEVEL, MOST_ITERATIONS, far, groups
from fwdtui.stats.pairs import Pair
from fwdtui.stats.results import Comparison
from fwdtui.stats.wording import ENOUGH_ITERATIONS

APART = "blocks-apart"
"""The code of the warning that the values of a block were measured at different times."""

_MOST_NAMED = 3
_MADE_WITHOUT = "so the comparison, paired by block, leaves out such blocks."
_DRIFT = "so they are not pairs, and a drift of the lab counts as a difference"
_ANEW = "A new run of the experiment measures each block in one sitting."


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
        f"{_who(pair)}: the difference {direction} from block to block ({p_is(p)}): one side changes over "
        "time and the other does not; look for heat and leaks."
    )
    return [Caution("drift", text)]


def _left_out(pair: Pair) -> list[Caution]:
    left_out = [block for block in pair.design.left_out if block not in pair.design.apart]
    if not left_out:
        return []
    which = f"{_these(left_out)} {'has' if len(left_out) == 1 else 'have'}"
    text = f"{which} values of only one of {pair.base.label} and {pair.other.label}"
    return [Caution("unpaired-block", f"{text}, {_MADE_WITHOUT}")]


def _these(blocks: Sequence[int]) -> str:
    return f"block{'s' * (len(blocks) > 1)} {listing(list(map(str, blocks)))}"


def not_together(pair: Pair) -> list[Caution]:
    """A warning if values of a block were measured at different times (sittings.py), and what follows.

    Also if nothing is paired because of that: the two sides may then differ because the lab has changed.
    """
    design = pair.design
    if not design.apart and not design.parted:
        return []
    sides, parts = f"{pair.base.label} and {pair.other.label}", []
    if design.apart:
        end = _MADE_WITHOUT.rstrip(".") if design.paired else _DRIFT
        parts.append(f"in {_these(design.apart)} {sides} were measured at different times, {end}")
    if design.parted:
        which = "the ratio is" if len(design.parted) == 1 else "the ratios are"
        parts.append(
            f"in {_these(design.parted)} some values were measured at a different time from the others, so "
            f"{which} of those that were measured together"
        )
    return [Caution(APART, f"{'; '.join(parts)}. {_ANEW}")]


def otherwise(pair: Pair, comparison: Comparison) -> list[Caution]:
    """A warning if the medians say the opposite of the blocks or boots that were compared.

    The medians are those of all values: they include the blocks that were left out, and a block or boot with
    more values weighs more in them.
    """
    design, percent = pair.design, comparison.difference.percent
    missing = bool(design.left_out or design.parted)
    uneven = any(len({*side.sizes}) > 1 for side in (design.base, design.other))
    base, other = comparison.base.median, comparison.other.median
    if not (missing or uneven) or percent is None or base is None or other is None:
        return []
    if other == base or percent == 0.0 or (other > base) == (percent > 0.0):
        return []
    claims = comparison.verdict in ("faster", "slower")
    if not claims and abs(other - base) <= comparison.margin_percent / 100.0 * abs(base):
        return []
    who = _who(pair) if design.paired else f"{pair.other.label} against {pair.base.label} (by {design.unit})"
    if missing:
        text = (
            "in the blocks that both sides have, the difference points the other way from that of the "
            "medians, which include the blocks that are left out: measure those blocks again."
        )
    else:
        text = (
            f"the difference of the {design.unit}s points the other way from that of the medians, in which a "
            f"{design.unit} with more values weighs more: measure more in the {design.unit}s that have fewer."
        )
    return [Caution("medians-otherwise", f"{who}: {text}")]
