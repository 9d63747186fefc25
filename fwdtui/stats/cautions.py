"""Warnings about the sets of a comparison: what a reader should know before trusting the verdict.

Each names the set, its numbers and what to do about it. Codes are stable: programs match on them.
"""

import math

from fwdtui.core import offered
from fwdtui.core.metrics import LESS, better, bounded_by_load
from fwdtui.core.model import Caution
from fwdtui.core.units import counted, in_digits
from fwdtui.stats.caps import Cap, cap_of
from fwdtui.stats.describe import describe
from fwdtui.stats.drift import kendall_s, p_of_s, ranks_suffice, slope_p
from fwdtui.stats.figures import amount, listing, margin, p_is, rate
from fwdtui.stats.outliers import LEVEL, MOST_ITERATIONS, Outlier, far, groups, score_limit, score_name
from fwdtui.stats.results import EXCLUDED, ITERATION, Description, ResultSet
from fwdtui.stats.same_data import repeated_data
from fwdtui.stats.student import f_two_sided_p
from fwdtui.stats.wording import ENOUGH_ITERATIONS

SPREAD_RATIO = 2.0
SPREAD_LEVEL = 0.01
_MOST_NAMED = 3  # outliers named one by one
_LINK = "look at `line_rate` in lab.toml, the frames' length, and for packets that are counted twice"


def set_cautions(
    results: ResultSet,
    description: Description,
    margin_percent: float,
    shown: int = 1,
    *,
    planned: bool = False,
    tested: ResultSet | None = None,
    unit: str = ITERATION,
    paired: bool = False,
) -> list[Caution]:
    """Everything to say about one set; `margin_percent` scales what counts as far where values are tied.

    `shown`: comparisons that share the rate of false warnings, as they share that of false claims.
    `planned`: the verdict itself says how many more iterations are needed. `tested`: the means of boots or
    blocks (`unit`) that the tests see instead of the values: iterations of one boot have its level in
    common, which would look like groups or a trend. Where blocks are `paired`, a side's own pattern does not
    matter to the comparison (block_cautions.py looks at the ratios).
    """
    tested = tested or results
    cautions = _size(results.label, len(tested.values), unit, planned) + _carried(results)
    level = LEVEL / max(shown, 1)
    if description.mean is None:  # empty, or not all values are numbers
        return cautions
    cautions += _impossible(results, description)
    if bounded_by_load(results.unit):
        cautions += _above_the_load(results) + _above_line_rate(results, description)
        cautions += _caps(results)
    if description.n > 1 and description.min == description.max:
        return cautions + _zero_spread(results)
    cautions += repeated_data(results, level)
    if paired:
        return cautions
    middle = description if tested is results else describe(tested)
    cautions += _outliers(tested, middle, margin_percent, level, unit)
    return cautions + _groups(tested, margin_percent, level) + _drift(tested, level, unit)


def unequal_spread(base: Description, other: Description, shown: int = 1, unit: str = "") -> list[Caution]:
    """A warning if one set spreads more than twice as much as the other and chance rarely explains it.

    A ratio of 2 alone means little: with five values on each side, equal true spreads give it in 21 % of
    comparisons. So the F test at 1 % must agree, which takes a ratio of 4.8 at five values; all `shown`
    comparisons share that 1 %.
    """
    if not base.stddev or not other.stddev:
        return []
    narrow, wide = (base, other) if base.stddev < other.stddev else (other, base)
    assert narrow.stddev and wide.stddev
    ratio = min(wide.stddev / narrow.stddev, 1e100)
    if ratio <= SPREAD_RATIO or f_two_sided_p(ratio * ratio, wide.n - 1, narrow.n - 1) >= SPREAD_LEVEL / max(
        shown, 1
    ):
        return []
    times = f"{ratio:.1f}" if ratio < 1000 else "over 1000"
    text = (
        f"{wide.label} spreads {times} times as much as {narrow.label} "
        f"(SD {amount(wide.stddev, unit=unit)} against {amount(narrow.stddev, unit=unit)}): "
        "Welch's test allows for it, ministat's pooled one does not; find out why."
    )
    return [Caution("unequal-spread", text)]


def small_but_real(difference: str, margin_percent: float, base: str, other: str) -> Caution:
    """The warning that a difference is proven, and also proven to be smaller than the margin.

    ``fwdtui check`` recognizes its words (check/words.py).
    """
    text = (
        f"{other}: the difference of {difference} from {base} is real, but inside the margin of "
        f"{margin(margin_percent)}"
    )
    return Caution("small-but-real", f"{text}: it counts as equivalent; take a smaller margin if it matters.")


def cap_reason(cap: Cap) -> str:
    """Why a capped set is a lower bound, without a full stop."""
    way_out = "use a faster link" if cap.kind == "line-rate" else "offer more"
    if cap.whole:
        return f"every iteration is within 0.5 % of {cap.limit}, so the DUT may be able to do more: {way_out}"
    are = "is" if cap.pinned == 1 else "are"
    some = f"{cap.pinned} of {cap.total} iterations {are} within 0.5 % of {cap.limit}"
    return f"{some}: the DUT may be able to do more, so the mean may be too low; {way_out}"


def _size(label: str, n: int, unit: str, planned: bool) -> list[Caution]:
    if not n or n >= ENOUGH_ITERATIONS:
        return []
    if unit != ITERATION:
        end = "." if planned else f": measure at least {ENOUGH_ITERATIONS}."
        say = "says" if n == 1 else "say"
        text = f"{label}: {counted(n, unit)} {say} little about the spread from {unit} to {unit}{end}"
        return [Caution("few-iterations", text)]
    advice = f"measure at least {ENOUGH_ITERATIONS}."
    if n == 1:
        return [Caution("tiny-set", f"{label}: a single value has no spread: {advice}")]
    if n == 2:
        return [Caution("tiny-set", f"{label}: 2 values make an interval far wider than 5 would: {advice}")]
    end = "." if planned else f": {advice}"
    return [Caution("few-iterations", f"{label}: {n} iterations say little about the spread{end}")]


def _carried(results: ResultSet) -> list[Caution]:
    """What the iterations themselves warned of, with the set's name in front."""
    carried = list(results.cautions)
    if results.excluded:
        carried.append(Caution(EXCLUDED, "; ".join(text.removesuffix(".") for text in results.excluded)))
    name = f"{results.label}: "
    return [Caution(one.code, one.text if one.text.startswith(name) else name + one.text) for one in carried]


def _impossible(results: ResultSet, description: Description) -> list[Caution]:
    """Values that no rate can have: below zero."""
    if description.min is None or description.min >= 0.0:
        return []
    total = len(results.values)
    below = sum(value < 0.0 for value in results.values)
    some = f"{below} of {total} values {'is' if below == 1 else 'are'} negative"
    what = "rate" if better(results.unit) != LESS else "measured value"
    text = f"{results.label}: {some}, which no {what} can be: correct the file."
    return [Caution("negative-value", text)]


def _above_the_load(results: ResultSet) -> list[Caution]:
    """Values above what was offered."""
    total, label = len(results.values), f"{results.label}: "
    if len(results.offered) != total or any(one.code == offered.CODE for one in results.cautions):
        return []  # the iterations say it themselves
    if max(results.values) <= min((load for load in results.offered if load is not None), default=math.inf):
        return []
    above = [
        (value, load)
        for value, load in zip(results.values, results.offered, strict=True)
        if load is not None and offered.is_above(value, load)
    ]
    if not above:
        return []
    value, load = max(above, key=lambda one: one[0] - one[1])
    some = f"{len(above)} of {total} values {'is' if len(above) == 1 else 'are'} above the offered load"
    most = f"{rate(value, results.unit)} of {rate(load, results.unit)}"
    most = most if len(above) == 1 else f"up to {most}"
    return [Caution(offered.CODE, f"{label}{some} ({most}), which is impossible: {offered.ADVICE}.")]


def _above_line_rate(results: ResultSet, description: Description) -> list[Caution]:
    """Values above what the link carries: of the two figures, one is wrong."""
    limit, most = results.line_rate, description.max
    if limit is None or most is None or limit <= 0.0 or not offered.is_above(most, limit):
        return []
    told = f"{rate(most, results.unit)} of a line rate of {rate(limit, results.unit)} is impossible"
    return [Caution(offered.ABOVE_LINE_RATE, f"{results.label}: {told}: {_LINK}.")]


def _caps(results: ResultSet) -> list[Caution]:
    cap = cap_of(results)
    if cap is None:
        return []
    text = f"{results.label}: {cap_reason(cap)}."
    return [Caution(f"capped-by-{cap.kind}", text) if cap.whole else Caution("partly-capped", text)]


def _zero_spread(results: ResultSet) -> list[Caution]:
    text = (
        f"{results.label}: all {len(results.values)} values are exactly "
        f"{_amount(results, results.values[0])}: look for a cap, rounding or a copied file, "
        "because measured values spread."
    )
    return [Caution("zero-spread", text)]


def _outliers(
    results: ResultSet, description: Description, margin_percent: float, level: float, unit: str
) -> list[Caution]:
    count, odd = far(results.values, margin_percent, _MOST_NAMED, level)
    if not odd:
        return []
    n = len(results.values)
    what = "value" if unit == ITERATION else f"the mean of {unit}"
    named = [f"{what} {_name(one, _amount(results, results.values[one.position]), n)}" for one in odd]
    if count > _MOST_NAMED:
        named.append(f"{count - _MOST_NAMED} more")
    scale = "which most values equal"
    if odd[0].score:
        scale = f"limit {in_digits(score_limit(n, level), 3)} at n = {n}"
    text = (
        f"{results.label}: {listing(named)} {'lies' if count == 1 else 'lie'} far from the median "
        f"{_amount(results, description.median)} ({scale}): look at the log before you trust or drop "
        f"{'it' if count == 1 else 'them'}."
    )
    return [Caution("outlier", text)]


def _name(one: Outlier, value: str, n: int) -> str:
    score = "" if one.score is None else f", {score_name(n)} {in_digits(one.score, 3)}"
    return f"{one.position + 1} ({value}{score})"


def _amount(results: ResultSet, value: float | None) -> str:
    return amount(value, unit=results.unit)


def _groups(results: ResultSet, margin_percent: float, level: float) -> list[Caution]:
    split = groups(results.values, margin_percent, level)
    if split is None:
        return []
    below, above = (_amount(results, end) for end in (split.below, split.above))
    text = (
        f"{results.label}: the values fall into two groups, {split.low} up to {below} and "
        f"{split.high} from {above}: look for two modes of the DUT (RSS, NUMA, placement), "
        "because no mean describes both."
    )
    return [Caution("two-clusters", text)]


def _drift(results: ResultSet, level: float, unit: str) -> list[Caution]:
    values = results.values
    if not ENOUGH_ITERATIONS <= len(values) <= MOST_ITERATIONS:
        return []
    s = kendall_s(values)
    by_ranks = ranks_suffice(len(values), level)
    p = p_of_s(values, s) if by_ranks else slope_p(values)
    if p >= level:
        return []
    how = f"Kendall's S {abs(s)} of {math.comb(len(values), 2)}" if by_ranks else "t test of the slope"
    direction = "rise" if (s or values[-1] - values[0]) > 0 else "fall"
    text = (
        f"{results.label}: the values {direction} from {unit} to {unit} "
        f"({how}, {p_is(p)}): warm up longer, or look for heat and leaks."
    )
    return [Caution("drift", text)]
