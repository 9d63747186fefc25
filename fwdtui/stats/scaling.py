"""Sets brought to a common size, so that nothing overflows; of millions of values, by their digests."""

import math
from collections.abc import Sequence
from itertools import chain

from fwdtui.stats.moments import Moments, exponent_of, moments, scaled
from fwdtui.stats.values import LargeValues


def common_exponent(*samples: Sequence[float]) -> int:
    """e such that every value of all samples times 2**-e is at most 1."""
    return exponent_of(chain.from_iterable(map(_largest, samples)))


def _largest(sample: Sequence[float]) -> Sequence[float]:
    # of many values the lowest and the highest: one of them has the greatest exponent
    return (sample.digest.low, sample.digest.high) if isinstance(sample, LargeValues) else sample


def scaled_moments(values: Sequence[float], exponent: int) -> Moments:
    """Moments of the values times 2**-exponent."""
    if not isinstance(values, LargeValues):
        return moments(scaled(values, exponent))
    known = values.digest
    n, mean, variance = known.moments
    shift = known.exponent - exponent
    return Moments(n, math.ldexp(mean, shift), math.ldexp(variance, 2 * shift))
