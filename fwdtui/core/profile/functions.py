"""The functions of a profile: the samples of each, alone and with what it called; how two profiles differ.

Idle samples are left out everywhere: on a CPU that idles more, every function has a smaller share of all
samples, though it does the same work.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from fwdtui.core.profile.cut_stacks import Depth, Mended, mend
from fwdtui.core.profile.folded import Folded
from fwdtui.core.profile.idle import Idle
from fwdtui.core.profile.scale import Scale


class Functions(msgspec.Struct, frozen=True):
    """Samples of each function that are not idle.

    `own`: it was running (the leaf of a stack); these add up to `busy`. `inclusive`: it was running or had
    called what was, once for each stack that it is in; these overlap. `idle`: all samples that are left out.
    Callers that the profiler had cut off are put back (`mended`), so they count in `inclusive`.
    """

    own: Mapping[str, int]
    inclusive: Mapping[str, int]
    busy: int
    idle: int
    mended: Mended

    @property
    def idle_share(self) -> float | None:
        """The part of all samples that is idle, 0 to 1; None without samples."""
        every = self.busy + self.idle
        return self.idle / every if every else None


class Row(msgspec.Struct, frozen=True):
    """A function, and its samples in each profile. `others`: how many unlisted functions it stands for."""

    name: str
    samples: tuple[int, ...]
    others: int = 0


def functions(folded: Folded, idle: Idle, depth: Depth | None = None) -> Functions:
    """Counts the functions of a profile. `depth`: at which its profiler cuts stacks; None: not known."""
    return counted(mend(folded, idle.covers, depth), idle)


def counted(mended: Mended, idle: Idle) -> Functions:
    """Like `functions`, for a profile whose missing callers were put back already."""
    own: dict[str, int] = {}
    inclusive: dict[str, int] = {}
    idled = busy = 0
    for stack, samples in mended.folded.stacks.items():
        if idle.covers(stack):
            idled += samples
            continue
        busy += samples
        own[stack[-1]] = own.get(stack[-1], 0) + samples
        for name in set(stack):
            inclusive[name] = inclusive.get(name, 0) + samples
    return Functions(own, inclusive, busy, idled, mended)


def rows(profiles: Sequence[Mapping[str, int]]) -> list[Row]:
    """Every function of one profile or several, as they come; 0 where a profile has no sample of it."""
    names: dict[str, None] = {name: None for one in profiles for name in one}
    return [Row(name, tuple(one.get(name, 0) for one in profiles)) for name in names]


def by_size(listing: Sequence[Row], scale: Scale) -> list[Row]:
    """The rows in the order of their mean, the largest first."""
    return _sorted(listing, lambda row: scale.mean(row.samples))


def by_difference(listing: Sequence[Row], scale: Scale) -> list[Row]:
    """The rows by their difference between the profiles, in either direction, the largest first."""
    return _sorted(listing, lambda row: abs(scale.difference(row.samples)))


def _sorted(listing: Sequence[Row], key: Callable[[Row], float]) -> list[Row]:
    return sorted(listing, key=lambda row: (-key(row), row.name))


def listed(listing: Sequence[Row], most: int | None) -> tuple[list[Row], Row | None]:
    """The first `most` rows (None: all), and the sum of the others, with "" for a name; None: there are none.

    The sum has a meaning for `Functions.own` only.
    """
    if most is None or len(listing) <= most:
        return list(listing), None
    rest = listing[most:]
    sums = tuple(sum(samples) for samples in zip(*(row.samples for row in rest), strict=True))
    return list(listing[:most]), Row("", sums, len(rest))
