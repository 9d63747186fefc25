"""What the costs of a packet have in common: packets between two samples of the DUT, rounding, summaries."""

from collections.abc import Container, Iterable, Sequence
from itertools import pairwise
from statistics import median

from fwdtui.core.host_rates import Between
from fwdtui.core.model import HostSample, Summary
from fwdtui.core.rates import Gap, Rate

DIGITS = 6  # decimals; for values below one, significant digits
_FEW = 3  # refreshes
# share of the intervals in which a counter stands still: below it, leaving samples out gains no more than
# chance takes
_STANDS_STILL = 0.05


def forwarded(before: HostSample, after: HostSample, outputs: Sequence[str]) -> tuple[float, int] | None:
    """Seconds between two samples of the DUT, and the packets that its outputs sent; None if not known."""
    reader = Between(before, after, None)
    earlier = {row.name: row for row in before.interfaces}
    later = {row.name: row for row in after.interfaces}
    packets = 0
    for name in outputs:
        old, new = earlier.get(name), later.get(name)
        if old is None or new is None:
            return None
        grown = reader.of(old.tx_packets, new.tx_packets, (old.link, new.link))
        if not isinstance(grown, Rate):
            return None
        packets += grown.count
    return None if isinstance(reader.of(0, 0), Gap) else (reader.seconds, packets)


def at_refreshes(
    mine: Sequence[HostSample], outputs: Sequence[str], anew: Container[int]
) -> Sequence[HostSample]:
    """The samples between which packets and busy time cover the same seconds, even if a card updates slowly.

    The counter of such a card stands still in some intervals, and then moves by all their packets at once
    (monitor/live/refreshes.py): only between two samples that show a refresh does it count the packets of
    that time. If a counter stands still at the beginning or the end for longer than from one refresh to the
    next, that is a pause of the traffic, and it stays in. `anew`: `id()` of samples right before which the
    clock was set; they stay too.
    """
    passed = [forwarded(before, after, outputs) for before, after in pairwise(mine)]
    moved = [place for place, one in enumerate(passed) if one is None or one[1]]
    if len(moved) < _FEW:
        return mine
    still = moved[-1] - moved[0] + 1 - len(moved)
    if still < _STANDS_STILL * len(passed):
        return mine
    longest = max(later - earlier for earlier, later in pairwise(moved))
    kept = [mine[place + 1] for place in moved]
    between = {id(one) for one in kept} | {id(one) for one in mine if id(one) in anew}
    if moved[0] > longest:
        between.add(id(mine[0]))
    if len(passed) - 1 - moved[-1] > longest:
        between.add(id(mine[-1]))
    return [one for one in mine if id(one) in between]


def rounded(value: float) -> float:
    """A cost with DIGITS decimals; one below 1, as for rare events, with DIGITS significant digits."""
    return round(value, DIGITS) if abs(value) >= 1.0 else float(f"{value:.{DIGITS}g}")


def summary_of(mean: float, values: Iterable[float | None]) -> Summary:
    """The cost of a window, `mean`, and its spread over the stretches in which it is known."""
    known = [value for value in values if value is not None] or [mean]
    low, middle, high = min(known), float(median(known)), max(known)
    return Summary(
        median=rounded(middle),
        mean=rounded(mean),
        min=rounded(low),
        max=rounded(high),
        n=len(known),
    )
