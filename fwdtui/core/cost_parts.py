"""What the costs of a packet share: packets between two samples of the DUT, and figures."""

from collections.abc import Iterable, Sequence
from statistics import median

from fwdtui.core.host_rates import Between
from fwdtui.core.model import HostSample, Summary
from fwdtui.core.rates import Gap, Rate

DIGITS = 6  # decimals


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


def summary_of(mean: float, values: Iterable[float | None]) -> Summary:
    """The cost of a window, `mean`, and its spread over the stretches in which it is known."""
    known = [value for value in values if value is not None] or [mean]
    low, middle, high = min(known), float(median(known)), max(known)
    return Summary(
        median=round(middle, DIGITS),
        mean=round(mean, DIGITS),
        min=round(low, DIGITS),
        max=round(high, DIGITS),
        n=len(known),
    )
