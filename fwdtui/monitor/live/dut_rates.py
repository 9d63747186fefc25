"""The DUT's rates of one kind over time, with running sums: a mean costs the same over 50 intervals or 5000.

A screen asks ten times a second for the mean of each core and queue over the last seconds. Adding everything
up each time took half of the CPU time of samples and snapshots (64 queues, 32 cores, ten samples a second).
"""

from array import array
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain
from operator import add, attrgetter, mul, sub

import msgspec

from fwdtui.core.host_rates import CpuShare, HostRates, QueueRate

SHARES = CpuShare.__struct_fields__[1:]
"""Names of a core's shares, without its number."""
_SHARES = attrgetter(*SHARES)
_KEY = attrgetter("interface", "direction", "index")
_PPS, _DROPS = attrgetter("pps"), attrgetter("drops")


class Running(msgspec.Struct, frozen=True, gc=False):
    """Sums of the values of `names` over the first `count` rows; rows share `names` until the names change.

    Only sums with the same `names` (by identity) may be subtracted from each other.
    """

    names: tuple[Hashable, ...]
    count: int
    sums: "array[float]"

    def plus(self, values: Iterable[float]) -> "Running":
        """The sums after the next row."""
        return Running(self.names, self.count + 1, array("d", map(add, self.sums, values)))


def begun(names: tuple[Hashable, ...], values: Iterable[float]) -> Running:
    """The sums after the first row."""
    return Running(names, 1, array("d", values))


class Summed(msgspec.Struct, frozen=True):
    """The rates of one interval, and the sums up to its end; None if it has no cores, or no queues.

    For queues packets and drops are summed, so that an interval counts by its length; for cores the shares
    are summed, so that all intervals count the same.
    """

    rates: HostRates
    cpus: Running | None
    queues: Running | None


class DutRates:
    """The DUT's rates of one kind, added in their order; `forget` drops old ones."""

    def __init__(self) -> None:
        self._rows: deque[Summed] = deque()
        self._cpus: Running | None = None
        self._queues: Running | None = None

    def add(self, rates: HostRates) -> None:
        """Add the next interval, or a gap."""
        cpus = queues = None
        if rates.cpus:
            cpus = self._cpus = _next(self._cpus, _names(rates.cpus), cpu_values(rates.cpus))
        if rates.queues:
            names, values = _counted(rates)
            queues = self._queues = _next(self._queues, names, values)
        self._rows.append(Summed(rates, cpus, queues))

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[HostRates]:
        return (row.rates for row in self._rows)

    def since(self, start: float) -> list[Summed]:
        """The intervals that end after `start`, oldest first."""
        since_start = []
        for row in reversed(self._rows):
            if row.rates.at <= start:
                break
            since_start.append(row)
        since_start.reverse()
        return since_start

    def forget(self, before: float) -> None:
        """Drop the rates from before this time."""
        rows = self._rows
        while rows and rows[0].rates.at < before:
            rows.popleft()

    def fork(self) -> "DutRates":
        """A copy; rows never change."""
        twin = DutRates()
        twin._rows, twin._cpus, twin._queues = self._rows.copy(), self._cpus, self._queues
        return twin


def _next(before: Running | None, names: tuple[Hashable, ...], values: Iterable[float]) -> Running:
    return before.plus(values) if before is not None and before.names == names else begun(names, values)


def _names(cpus: Iterable[CpuShare]) -> tuple[Hashable, ...]:
    return tuple([cpu.cpu for cpu in cpus])


def cpu_values(cpus: Iterable[CpuShare]) -> list[float]:
    """The shares of all cores in one list. What a host does not count takes no time: None becomes zero."""
    return [share or 0.0 for share in chain.from_iterable(map(_SHARES, cpus))]


_MIXED: tuple[Hashable, ...] = ("mixed",)
"""Used instead of the queues' names if some queues count what others do not."""


def _counted(rates: HostRates) -> tuple[tuple[Hashable, ...], list[float]]:
    """The queues' names, and their packets followed by their drops; what no queue counts is left out.

    If some queues count it and others do not, there are no sums: (_MIXED, []).
    """
    values: list[float] = []
    names: list[Hashable] = list(map(_KEY, rates.queues))
    for what in (_PPS, _DROPS):
        counts = list(map(what, rates.queues))
        known = len(counts) - counts.count(None)
        names.append(known > 0)
        if 0 < known < len(counts):
            return _MIXED, []
        if known:
            values += [value * rates.seconds for value in counts]
    return tuple(names), values


def mean_cpus(rows: Sequence[Summed]) -> tuple[CpuShare, ...] | None:
    """Each core's mean shares over these intervals; None unless all have the same cores."""
    known = [row for row in rows if row.cpus is not None]
    if not known:
        return ()
    first, last = known[0], known[-1]
    assert first.cpus is not None and last.cpus is not None
    if not _one_run(first.cpus, last.cpus, len(known)):
        return None
    sums = map(add, map(sub, last.cpus.sums, first.cpus.sums), cpu_values(first.rates.cpus))
    means = [value / len(known) for value in sums]
    wide = len(means) // len(last.rates.cpus)
    cores = [CpuShare(cpu.cpu, *means[n * wide : n * wide + wide]) for n, cpu in enumerate(last.rates.cpus)]
    return tuple(sorted(cores, key=attrgetter("cpu")))


def mean_queues(rows: Sequence[Summed], weights: Sequence[float]) -> tuple[QueueRate, ...] | None:
    """Each queue's means; each interval is weighted by `weights` in seconds, at most its length.

    None unless all rows have the same queues and all queues count the same things. Depth and state are the
    last ones.
    """
    known = [(row, weight) for row, weight in zip(rows, weights, strict=True) if row.queues is not None]
    if not known:
        return ()
    first, last = known[0][0].queues, known[-1][0].queues
    assert first is not None and last is not None
    if not _one_run(first, last, len(known)) or last.names == _MIXED:
        return None
    sums: list[float] = list(map(sub, last.sums, first.sums))
    for number, (row, weight) in enumerate(known):
        # the difference contains every interval except the first one, each with its whole length
        rates = row.rates
        missing = weight - (rates.seconds if number else 0.0)
        if abs(missing) > 1e-9 * rates.seconds and rates.seconds > 0:
            more = missing / rates.seconds
            sums = list(map(add, sums, map(mul, _counted(rates)[1], [more] * len(sums))))
    seconds = sum(weight for _, weight in known)
    means: list[float | None] = [total / seconds if seconds > 0 else None for total in sums]
    queues = known[-1][0].rates.queues
    none: list[float | None] = [None] * len(queues)
    pps = means[: len(queues)] if last.names[-2] else none
    drops = means[-len(queues) :] if last.names[-1] else none
    return tuple(
        [
            QueueRate(row.interface, row.direction, row.index, packets, lost, row.depth, row.state)
            for row, packets, lost in zip(queues, pps, drops, strict=True)
        ]
    )


def _one_run(first: Running, last: Running, rows: int) -> bool:
    """Whether these are the first and the last of `rows` consecutive rows with the same names."""
    return first.names is last.names and last.count - first.count + 1 == rows
