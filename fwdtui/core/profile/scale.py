"""What a number of samples is worth: a share of all that are not idle, or samples per million packets.

Counts of two profiles cannot be compared as they are: one ran longer, or on more cores. Nor can shares of all
samples: on a core that idles more, every function has a smaller share.
"""

import math
from collections.abc import Sequence

import msgspec

SHARE = "%"
PER_MILLION = "samples per million packets"
_SIGMAS = 3.0


class Scale(msgspec.Struct, frozen=True):
    """`unit` is SHARE or PER_MILLION; `each` is what one sample is worth in it, for each profile.

    `whole`: all samples of each profile that are not idle.
    """

    unit: str
    each: tuple[float, ...]
    whole: tuple[int, ...]

    def values(self, samples: Sequence[int]) -> tuple[float, ...]:
        """The samples of each profile in this unit."""
        return tuple(count * each for count, each in zip(samples, self.each, strict=True))

    def mean(self, samples: Sequence[int]) -> float:
        """The mean over all profiles, in this unit; a frame that only one of them has is drawn by it, too."""
        values = self.values(samples)
        return sum(values) / len(values)

    def difference(self, samples: Sequence[int]) -> float:
        """The last profile minus the first, in this unit; a share's in percentage points."""
        values = self.values(samples)
        return values[-1] - values[0]

    def differs(self, samples: Sequence[int]) -> bool:
        """Whether the difference is larger than three standard errors of counting samples.

        The variance of a count n of N is n(1 - n/N) for a share, and n if it is related to packets (Poisson).
        That is the least possible: what differs from blast to blast comes on top.
        """
        variance = 0.0
        for count, each, whole in zip(samples, self.each, self.whole, strict=True):
            spread = count * (1 - count / whole) if self.unit == SHARE and whole else count
            variance += spread * each * each
        return abs(self.difference(samples)) > _SIGMAS * math.sqrt(variance)


def share(whole: Sequence[int]) -> Scale:
    """Percent of the samples that are not idle, of which each profile has `whole`."""
    return Scale(SHARE, tuple(100 / count if count else 0.0 for count in whole), tuple(whole))


def per_million(whole: Sequence[int], packets: Sequence[float]) -> Scale:
    """Samples per million `packets`, which were forwarded while each profile was taken; all above 0."""
    return Scale(PER_MILLION, tuple(1e6 / count for count in packets), tuple(whole))
