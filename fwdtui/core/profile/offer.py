"""At which load to take profiles of several variants: the same for all, and below what the slowest forwards.

At more than a DUT forwards, its cores have no time left for the profiler, and the profile is that of a queue
that overflows. Shares of a function are compared at one load, so the slowest variant decides it.
"""

import math
from collections.abc import Sequence

import msgspec

from fwdtui.core.units import pps

SHARE = 0.8
"""Share of the lowest forwarding rate: leaves room for the profiler and for the spread between iterations."""
_LISTED = 5


class Forwarded(msgspec.Struct, frozen=True):
    """What one iteration forwarded, in packets per second, and where it is."""

    rate: float
    where: str


class Profiled(msgspec.Struct, frozen=True):
    """The load that an earlier profile was taken at, and where it is."""

    rate: float
    where: str


class Offer(msgspec.Struct, frozen=True):
    """The load in packets per second, and why this one, in a sentence."""

    rate: float
    why: str


def offer(forwarded: Sequence[Forwarded], profiled: Sequence[Profiled] = ()) -> Offer | None:
    """The load for profiles that are to be compared; None: nothing was forwarded.

    It is that of earlier profiles if that is below all rates; else SHARE of the lowest rate, rounded down to
    two digits.
    """
    slowest = min(forwarded, key=lambda one: one.rate, default=None)
    if slowest is None or slowest.rate <= 0:
        return None
    known = {one.rate: one for one in profiled}
    if len(known) == 1 and (same := next(iter(known.values()))).rate < slowest.rate:
        return Offer(
            same.rate,
            f"{pps(same.rate)} are offered, as for the profile of {same.where}:"
            " shares are compared at one load.",
        )
    rate = SHARE * slowest.rate
    digit = 10.0 ** (math.floor(math.log10(rate)) - 1)
    rate = max(math.floor(rate / digit) * digit, 1.0)
    return Offer(
        rate,
        f"{pps(rate)} are offered: {SHARE:.0%} of the lowest rate that was forwarded, {pps(slowest.rate)} in"
        f" {slowest.where}. At a higher load, a DUT has no time left for the profiler; and every variant"
        " has to get the same load.",
    )


def at_other_loads(rate: float, profiled: Sequence[Profiled]) -> str:
    """A sentence on earlier profiles of another load than `rate`; empty: there are none."""
    other = {one.where: one.rate for one in profiled if one.rate != rate}
    if not other:
        return ""
    listed = [f"{where} ({pps(load)})" for where, load in other.items()]
    more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    return (
        f"There are profiles of another load: {', '.join(listed[:_LISTED])}{more}."
        f" To compare them with this one, take them again at {pps(rate)}."
    )
