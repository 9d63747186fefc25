"""When the generators sent, on the clock of the receiver's log.

pkt-gen stamps its lines with its machine's clock, seconds modulo 1000. Logs of one machine are therefore
aligned to the millisecond. Logs of two machines are aligned where traffic begins in both, which is accurate
to one interval.
"""

from collections.abc import Sequence
from typing import NamedTuple

from fwdtui.core.model import RateSample
from fwdtui.core.parse.netmap_pktgen import CLOCK_PERIOD, PktGenLog
from fwdtui.core.steady import CHATTER

_TOGETHER = 10.0  # seconds between the first lines of two logs of one run, started by one script
_BEYOND = 3  # intervals in which a receiver may see traffic that no generator's log shows


class Sending(NamedTuple):
    """Seconds on the receiver's axis. All generators sent from `start` to `stop` for certain.

    Add `shifts` to each generator's own times. `shared`: one clock stamped all logs.
    """

    start: float
    stop: float
    shifts: tuple[float, ...]
    shared: bool
    beyond: bool  # the receiver saw traffic when the generators' logs show none


def sending(receiver: PktGenLog, senders: Sequence[PktGenLog]) -> Sending | None:
    """When the generators sent; None if any log shows no traffic, since then the whole is unknown."""
    received = receiver.samples()
    arrived = _busy(received)
    busy = [_busy(log.samples()) for log in senders]
    if not arrived or not busy or not all(busy):
        return None
    shared = all(_one_clock(receiver, log) for log in senders)
    if shared:
        shifts = tuple(_between(receiver, log) for log in senders)
    else:
        shifts = tuple(_begin(arrived) - _begin(part) for part in busy)
    start = max(part[0].t + shift for part, shift in zip(busy, shifts, strict=True))
    stop = min(part[-1].t - part[-1].interval + shift for part, shift in zip(busy, shifts, strict=True))
    first = min(part[0].t - part[0].interval + shift for part, shift in zip(busy, shifts, strict=True))
    last = max(part[-1].t + shift for part, shift in zip(busy, shifts, strict=True))
    if not shared:
        stop -= received[0].interval
    most = _BEYOND * max([sample.interval for sample in arrived])
    beyond = arrived[-1].t - last > most or first - arrived[0].t > most
    return Sending(start, stop, shifts, shared, beyond)


def offered_by(sent: Sequence[Sequence[RateSample]], shifts: Sequence[float]) -> list[RateSample]:
    """The load of all generators on the receiver's axis, from when each has reported a rate.

    Their lines do not coincide: each gives the sum of all generators' newest rates, as the live view does.
    """
    if len(sent) == 1:  # nearly always
        alone = [RateSample("generator", s.t + shifts[0], s.interval, s.pps) for s in sent[0]]
        return sorted(alone, key=_time)
    moved = [
        (sample.t + shift, place, sample)
        for place, (series, shift) in enumerate(zip(sent, shifts, strict=True))
        for sample in series
    ]
    newest: dict[int, float] = {}
    loads = []
    for at, place, sample in sorted(moved, key=lambda one: one[:2]):
        newest[place] = sample.pps
        if len(newest) == len(sent):
            loads.append(RateSample("generator", at, sample.interval, sum(newest.values())))
    return loads


def _time(sample: RateSample) -> float:
    return sample.t


def _busy(samples: Sequence[RateSample]) -> list[RateSample]:
    rates = [sample.pps for sample in samples]
    least = CHATTER * max(rates, default=0.0)
    moving = [place for place, rate in enumerate(rates) if rate > least]
    return list(samples[moving[0] : moving[-1] + 1]) if moving else []


def _one_clock(receiver: PktGenLog, sender: PktGenLog) -> bool:
    """Whether both logs are of one machine. If they name none, by stamps, which rarely agree by chance."""
    if receiver.host and sender.host:
        return receiver.host == sender.host and abs(_between(receiver, sender)) <= CLOCK_PERIOD / 4
    return abs(_between(receiver, sender)) <= _TOGETHER


def _between(receiver: PktGenLog, sender: PktGenLog) -> float:
    """Seconds from the receiver's first line to the sender's, by their stamps."""
    apart = sender.intervals[0].stamp - receiver.intervals[0].stamp
    return (apart + CLOCK_PERIOD / 2) % CLOCK_PERIOD - CLOCK_PERIOD / 2


def _begin(busy: Sequence[RateSample]) -> float:
    """When traffic began within the first interval, assuming the rate of the next one."""
    first, then = busy[0], busy[min(1, len(busy) - 1)]
    return first.t - first.interval * (min(first.pps / then.pps, 1.0) if then.pps > 0 else 1.0)
