"""Warns of one measurement used twice: on both sides, all or most of it, or again on the same side.

Values that are rounded, or at a cap, recur by chance. How often is bounded without a model of the values: k
pairs of unrelated values are all equal with probability c**k, where c is the chance that two values agree; so
k equal ones among n and m, in any order, occur in at most C(n, k) C(m, k) k! c**k of the comparisons
(Markov's inequality on the number of such matchings), and k in the same positions in at most
(n + 1) C(n, k) c**k. c itself is estimated from the values.
"""

import math
from collections import Counter
from collections.abc import Sequence

from fwdtui.core.model import Caution
from fwdtui.stats.results import ResultSet
from fwdtui.stats.values import LARGE, LargeValues

CODE = "same-data"
AGAIN_CODE = "repeated-data"
LEVEL = 0.01  # in fact at most 0.5 % of comparisons of rounded or capped values: Markov's bound is loose
FEWEST = 3
"""Values that must be shared at least: two do not show the step in which values are written."""
_SAME = 1e-10  # relative to the largest value: two numbers that differ by less are written alike
_LOOKED_AT = 2000  # values, spread over the whole set, from which c is estimated


def same_data(base: ResultSet, other: ResultSet, shown: int = 1) -> list[Caution]:
    """A warning if chance does not explain that half or more of the smaller side's values are on both."""
    shorter, longer = sorted((base, other), key=lambda side: len(side.values))
    n, m = len(shorter.values), len(longer.values)
    if any(one.code == CODE for one in other.cautions):
        return []  # already reported: the same source was named twice
    if n < FEWEST or _without_spread(shorter.values) or not _finite(base.values, other.values):
        return []
    shared, least = _shared(shorter.values, longer.values), max(FEWEST, (n + 1) // 2)
    if shared < least and n < LARGE:
        return []  # nearly always: what is in the same place is shared, so the rest need not be computed
    placed = in_place(shorter.values, longer.values)
    agree = max(_agree(_some(shorter.values)), _agree(_some(longer.values)))
    level = math.log(LEVEL / max(shown, 1))
    same = placed if _log_placed(n, placed, agree) < level else 0
    if shared > same and _log_shared(n, m, shared, agree) < level:
        same = shared
    if same < least:
        return []
    text = f"{same} of the {n} values of {shorter.label} are also values of {longer.label}"
    if same == n == m:
        text = f"{base.label} and {other.label} hold the same {n} values"
    elif placed == n and _begins(shorter.values, longer.values):
        text = f"the first {n} values of {longer.label} are those of {shorter.label}"
    return [Caution(CODE, f"{text}: was one measurement named or copied twice?")]


def repeated_data(results: ResultSet, level: float) -> list[Caution]:
    """A warning if one side has the same values again and again, and chance does not explain it.

    Such a file is easily made by appending a file twice. Its interval is too narrow: nothing was
    measured more often. Values that recur in this order do so by chance with probability c**k for the k that
    repeat others; each length of the first part is looked at. `level`: how rare that must be.
    """
    values = results.values
    n = len(values)
    if not 2 * FEWEST <= n < LARGE or not _finite(values) or _without_spread(values):
        return []
    lengths = [length for length in range(FEWEST, n // 2 + 1) if n % length == 0]
    for length in lengths:
        if list(values[length:]) == list(values[:-length]):
            chance = math.log(len(lengths)) + (n - length) * math.log(_agree(values[:length]))
            times = "twice" if n == 2 * length else f"{n // length} times"
            text = f"{results.label}: the same {length} values {times}: was a file appended more than once?"
            return [Caution(AGAIN_CODE, text)] if chance < math.log(level) else []
    return []


def in_place(shorter: Sequence[float], longer: Sequence[float]) -> int:
    """How many values are in the same place: counted from the start up to one point, then from the end.

    So an inserted, missing or changed value does not hide that the others agree.
    """
    n, m = len(shorter), len(longer)
    if n >= LARGE - 1:
        return _in_place_of_many(shorter, longer)
    gap = m - n
    ahead = best = 0  # pairs that agree from the start, less those that agree from the end
    behind = 0
    for at, value in enumerate(shorter):
        from_end = value == longer[at + gap]
        behind += from_end
        ahead += (value == longer[at]) - from_end
        best = max(best, ahead)
    return behind + best


def _in_place_of_many(shorter: Sequence[float], longer: Sequence[float]) -> int:
    import numpy as np

    first, second = (
        np.frombuffer(side.data) if isinstance(side, LargeValues) else np.array(side, float)
        for side in (shorter, longer)
    )
    n, gap = len(first), len(second) - len(first)
    ahead = best = behind = 0
    for start in range(0, n, LARGE):
        block = first[start : start + LARGE]
        from_start = block == second[start : start + len(block)]
        from_end = block == second[start + gap : start + gap + len(block)]
        behind += int(from_end.sum())
        lead = ahead + np.cumsum(from_start.astype(np.int64) - from_end)
        best = max(best, int(lead.max()))
        ahead = int(lead[-1])
    return behind + best


def _shared(shorter: Sequence[float], longer: Sequence[float]) -> int:
    """How many values both sides hold, in any order; of millions of values, all or none."""
    if len(shorter) >= LARGE and isinstance(shorter, LargeValues) and isinstance(longer, LargeValues):
        same = len(shorter) == len(longer) and shorter.digest.same_values(longer.digest)
        return len(shorter) if same else 0
    if set(shorter).isdisjoint(longer):
        return 0
    return (Counter(shorter) & Counter(longer)).total()


def _begins(shorter: Sequence[float], longer: Sequence[float]) -> bool:
    return all(one == other for one, other in zip(shorter, longer, strict=False))


def _log_placed(n: int, k: int, agree: float) -> float:
    return math.log(n + 1) + _log_choose(n, k) + k * math.log(agree)


def _log_shared(n: int, m: int, k: int, agree: float) -> float:
    return _log_choose(n, k) + _log_choose(m, k) + math.lgamma(k + 1) + k * math.log(agree)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _agree(values: Sequence[float]) -> float:
    """How likely two values of such a set are equal: by their step and spread, or as seen in the set.

    Rounded to a step, normal values agree with probability step / (2 sqrt(pi) SD); those at a cap, or of two
    modes, as often as they do within the set. The larger of the two counts.
    """
    n = len(values)
    counts = Counter(values)
    seen = sum(math.comb(count, 2) for count in counts.values()) / math.comb(n, 2)
    top = max(map(abs, counts))
    if len(counts) == 1 or top == 0.0:
        return 1.0
    places = {value: value / top for value in counts}  # nothing overflows
    lowest = min(places.values())
    step = _common_step([place - lowest for place in places.values()])
    mean = sum(places[value] * count for value, count in counts.items()) / n
    spread = math.sqrt(sum(count * (places[value] - mean) ** 2 for value, count in counts.items()) / (n - 1))
    by_step = step / (2.0 * math.sqrt(math.pi) * spread) if spread else 1.0
    return min(max(seen, by_step), 1.0)


def _common_step(distances: Sequence[float]) -> float:
    """The largest step of which all are multiples, within a double's error; never too small.

    Few values may share a larger step by chance: agreement then seems more likely than it is.
    """
    step = 0.0
    for distance in distances:
        small, large = sorted((step, distance))
        while small > _SAME:
            rest = large % small
            small, large = min(rest, small - rest), small
        step = large
    return max(step, _SAME)


def _some(values: Sequence[float]) -> Sequence[float]:
    return values[:: -(-len(values) // _LOOKED_AT)]


def _without_spread(values: Sequence[float]) -> bool:
    if isinstance(values, LargeValues):
        return values.digest.not_finite is None and values.digest.low == values.digest.high
    return min(values) == max(values)


def _finite(*sides: Sequence[float]) -> bool:
    return all(
        side.digest.not_finite is None if isinstance(side, LargeValues) else all(map(math.isfinite, side))
        for side in sides
    )
