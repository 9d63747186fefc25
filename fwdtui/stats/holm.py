"""Many comparisons at once: the more are shown, the likelier one of them looks different by chance.

Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
(1979), 65-70.
"""

from collections.abc import Sequence

from fwdtui.stats.student import Elements


def adjusted(p: Elements) -> Elements:
    """Holm's adjusted p along the last axis of an array. NaN means "no test": not counted, and left as it is.

    The i-th smallest of m p values is multiplied by m - i + 1, capped at 1, and never below a smaller one's
    adjusted value: so ``adjusted < alpha`` is Holm's step-down decision at family-wise error alpha.
    """
    import numpy as np

    p = np.asarray(p, dtype=float)
    order = np.argsort(p, axis=-1)  # NaN sorts last
    ordered = np.take_along_axis(p, order, axis=-1)
    tests = np.count_nonzero(~np.isnan(p), axis=-1, keepdims=True)
    stepped = np.minimum(ordered * np.maximum(tests - np.arange(p.shape[-1]), 1), 1.0)
    result = np.empty_like(stepped)
    np.put_along_axis(result, order, np.maximum.accumulate(stepped, axis=-1), axis=-1)
    return result


def factors(ps: Sequence[float | None]) -> list[int | None]:
    """What Holm multiplies each p by: m for the smallest of m p values, m - 1 for the next ..."""
    order = sorted((p, index) for index, p in enumerate(ps) if p is not None)
    multipliers: list[int | None] = [None] * len(ps)
    for rank, (_, index) in enumerate(order):
        multipliers[index] = len(order) - rank
    return multipliers
