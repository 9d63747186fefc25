"""How much one host's counters grew over a series of samples: exact, or a lower bound with the reason."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Generic, TypeVar

import msgspec

from fwdtui.core.model import HostSample
from fwdtui.core.rates import COUNTER, NANO, Gap, Reading, Reason, nanoseconds, rate

A_PORT = 2e9
"""Packets per second: 800 Gbit/s are 1.2e9 of the smallest frames. Faster growth means it counted down."""

_REFRESH = 1.0
"""Seconds between the refreshes of a slow card's counters: it shows the packets of a whole second at once,
however short the interval is. A card that refreshes a little more often shows two such portions in some
intervals of a second."""

K = TypeVar("K", bound=Hashable)


class Counted(msgspec.Struct, frozen=True, gc=False):
    """A counter's total. `most`: the most it can grow per second; `device`: the interface index.

    `at_once`: it is up to date whenever it is read, as the kernel's own counters are; a card's counter may be
    one refresh behind.
    """

    value: int | None
    width: int | None = 64
    most: float = A_PORT
    device: int | None = None
    at_once: bool = False


class Growth(msgspec.Struct, Generic[K], frozen=True):
    """`counts` of all counters; a counter with a gap has the count of the rest, and `gaps` says why."""

    counts: dict[K, int]
    gaps: dict[K, str]

    def exact(self, key: K) -> int | None:
        """The count; None if it is unknown or incomplete."""
        return None if key in self.gaps else self.counts.get(key)


def fastest(most: float, width: int | None, began: int | None, ended: int | None) -> float:
    """The most that a card's counter may grow per second from `began` to `ended` (nanoseconds).

    `most` is what the card can carry per second. The counter may be one refresh behind at `began` and up to
    date at `ended`, so that a refresh is allowed in addition; but not to a counter so narrow that it might
    wrap within a refresh.
    """
    if began is None or ended is None or ended <= began:
        return most
    if width is not None and width < 64 and most * _REFRESH >= 2**width:
        return most
    elapsed = ended - began
    return most * (elapsed + _REFRESH * NANO) / elapsed


def growth(samples: Sequence[HostSample], read: Callable[[HostSample], Mapping[K, Counted]]) -> Growth[K]:
    """Growth from the first sample to the last, interval by interval; `read` returns a sample's counters.

    The difference of the two ends would not do: a narrow counter may wrap several times between them, and one
    that was reset may have passed its old value since.
    """
    last: dict[K, _Seen] = {}
    counts: dict[K, int] = {}
    gaps: dict[K, str] = {}
    counters: Mapping[K, Counted] = {}
    for number, sample in enumerate(samples):
        counters = read(sample)
        at = nanoseconds(sample.t) if counters else None
        for key, counter in counters.items():
            now = counter, at, sample.boot
            before = last.get(key)
            last[key] = now
            if before is None:
                counts[key] = 0
                if number:
                    gaps.setdefault(key, str(Reason.MISSING))
                continue
            grown = _grown(before, now)
            if isinstance(grown, Reason):
                gaps[key] = str(grown)
            else:
                counts[key] += grown
    for key in last.keys() - counters.keys():
        gaps.setdefault(key, str(Reason.MISSING))
    return Growth(counts, gaps)


_Seen = tuple[Counted, int | None, str]
"""A counter, when it was read (nanoseconds), and in which boot."""


def _grown(before: _Seen, now: _Seen) -> int | Reason:
    """How much a counter grew, or why that is not known.

    A live screen asks this for hundreds of counters in each tick, and nearly always a quick look does.
    """
    (old, began, boot), (new, ended, booted) = before, now
    if (
        old.value is not None
        and new.value is not None
        and began is not None
        and ended is not None
        and boot == booted
        and old.device == new.device
        and (new.width is None or new.width >= 64)
        and 0 <= old.value <= new.value < COUNTER
        and 0 < ended - began < COUNTER
        and (new.value - old.value) * NANO <= new.most * (ended - began)
    ):
        return new.value - old.value
    measured = rate(
        Reading(old.value, began, boot, _device(old)),
        Reading(new.value, ended, booted, _device(new)),
        width=new.width,
        line_speed=new.most if new.at_once else fastest(new.most, new.width, began, ended),
    )
    return measured.reason if isinstance(measured, Gap) else measured.count


def _device(counter: Counted) -> str:
    return "" if counter.device is None else str(counter.device)
