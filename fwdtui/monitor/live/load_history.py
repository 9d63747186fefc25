"""How busy each core and queue of the DUT was over time, for the small graphs beside their bars."""

from collections.abc import Hashable
from copy import copy
from typing import cast

import msgspec

from fwdtui.core.host_rates import HostRates
from fwdtui.monitor.live.series import CoreLoad, NewStore, Rows

_LONGEST = 36_000  # rows: an hour at ten ticks a second, the longest time on the axis
_LEAST = 3_600
_VALUES = 1_000_000  # some 30 MB: with 64 cores, 26 minutes at ten ticks a second
Names = tuple[Hashable, ...]


class LoadRow(msgspec.Struct, frozen=True, gc=False):  # it cannot be part of a cycle
    """One tick: the values of `names` from `at` - `seconds` to `at`. Without names: a gap, caused by `why`.

    In a row of cores, names are core numbers and values the busy shares of their time (0 to 1). In a row of
    queues, names are (interface, direction, index) and values packets per second, None if not counted.
    """

    at: float
    seconds: float
    names: Names
    values: tuple[float | None, ...]
    why: str = ""

    @property
    def begin(self) -> float:
        """When its interval began."""
        return self.at - self.seconds

    @property
    def busiest(self) -> CoreLoad:
        """The core that was busy for the largest share of this interval; for rows of cores."""
        known = [
            (value, name) for value, name in zip(self.values, self.names, strict=True) if value is not None
        ]
        if not known:
            return CoreLoad(self.at, self.seconds, None, why=self.why)
        value, name = max(known, key=lambda pair: pair[0])
        return CoreLoad(self.at, self.seconds, value, cast(int, name))


class LoadHistory:
    """The newest rows of cores and queues."""

    def __init__(self, store: NewStore = list) -> None:
        self.cores: Rows[LoadRow] = Rows(_LEAST, store())
        self.queues: Rows[LoadRow] = Rows(_LEAST, store())

    def fast(self, rates: HostRates) -> None:
        """Take the rates of a tick, or a gap; a tick that read no cores is ignored."""
        cpus = rates.cpus
        if not cpus and not rates.gap:
            return
        names = tuple(cpu.cpu for cpu in cpus)
        _add(self.cores, rates, names, tuple(cpu.busy for cpu in cpus))

    def slow(self, rates: HostRates) -> None:
        """Take the rates of a slow tick, or a gap; a tick that read no queues is ignored."""
        if rates.queues or rates.gap:
            names = tuple((queue.interface, queue.direction, queue.index) for queue in rates.queues)
            _add(self.queues, rates, names, tuple(queue.pps for queue in rates.queues))

    def fork(self) -> "LoadHistory":
        """A copy that shares the rows."""
        twin = copy(self)
        twin.cores, twin.queues = self.cores.fork(), self.queues.fork()
        return twin


def _add(rows: Rows[LoadRow], rates: HostRates, names: Names, values: tuple[float | None, ...]) -> None:
    if (last := rows.last) is not None and last.names == names:
        names = last.names  # an hour of rows shares one tuple
    rows.limit = min(_LONGEST, max(_LEAST, _VALUES // max(len(names), 1)))
    rows.add(LoadRow(rates.at, rates.seconds, names, values, rates.gap))
