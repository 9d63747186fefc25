"""Two samples of one host -> what happened between them: rates, shares of CPU time, drops by stage.

Everything is a difference over the host's own clock. What is missing from either sample is None, never 0.
The garbage collector skips the rows, like those of counters.py.
"""

from collections.abc import Iterable, Mapping
from operator import attrgetter

import msgspec

from fwdtui.core import drop_stages
from fwdtui.core.counters import CpuTicks, InterfaceCounters, QueueCounters
from fwdtui.core.drop_stages import Place
from fwdtui.core.growth import A_PORT, fastest, growth
from fwdtui.core.host_evidence import (
    InterruptRate,
    NicRate,
    SoftnetRate,
    at_nic,
    interrupt_rates,
    nic_rates,
    softnet_rates,
)
from fwdtui.core.model import HostSample
from fwdtui.core.rates import COUNTER, NANO, Gap, Rate, Reading, Reason, nanoseconds, rate

_TICKS = attrgetter("user", "nice", "system", "idle", "irq", "softirq", "iowait", "steal")
_FILLED = 0.9
"""Share of another core's ticks: a core with this many ticks in states other than idle has hardly idled."""
_OCTETS = 2.5e11
"""Octets per second: 800 Gbit/s are 1e11."""


class InterfaceRate(msgspec.Struct, frozen=True, gc=False):
    """One interface over one interval; per second. `*_count` are packet counts, for exact sums.

    `why` says why received or sent packets are unknown although the host counts them: reset, replaced.
    """

    name: str
    rx_pps: float | None = None
    tx_pps: float | None = None
    rx_bps: float | None = None
    tx_bps: float | None = None
    rx_dropped: float | None = None
    rx_missed: float | None = None
    rx_errors: float | None = None
    tx_dropped: float | None = None
    rx_count: int | None = None
    tx_count: int | None = None
    up: bool | None = None
    why: str = ""

    def refused(self, seconds: float) -> "InterfaceRate":
        """The rate of a veth as the generator's port: packets its peer refused were offered as well.

        A veth counts in tx_packets what the other end took and in tx_dropped what it did not
        (drivers/net/veth.c, veth_xmit): the loss is the DUT's, and the offered load is the sum. The length of
        the refused frames is counted nowhere, so the sum in bits is unknown.
        """
        if self.tx_pps is None or self.tx_count is None or not self.tx_dropped:
            return self
        lost = round(self.tx_dropped * seconds)
        return msgspec.structs.replace(
            self, tx_pps=self.tx_pps + self.tx_dropped, tx_count=self.tx_count + lost, tx_bps=None
        )


class QueueRate(msgspec.Struct, frozen=True, gc=False):
    """One queue over one interval; packets per second. `state`, `depth`: gauges at its end."""

    interface: str
    direction: str
    index: int
    pps: float | None = None
    drops: float | None = None
    depth: int | None = None
    state: str | None = None


class CpuShare(msgspec.Struct, frozen=True, gc=False):
    """One core: shares of its time, 0 to 1. `busy` is all but idle and iowait.

    `steal`: what a hypervisor gave to other machines while this core had work. It is in `busy`, since the
    core has no more to give; None: not counted.
    """

    cpu: int
    busy: float
    user: float
    system: float
    irq: float
    softirq: float | None = None
    steal: float | None = None


class HostRates(msgspec.Struct, frozen=True):
    """What happened on one host from `at` - `seconds` to `at`. With a `gap` there are no rates.

    `drops`: packets per second lost at each stage for which this host has counters; other stages are absent.
    They are computed from `losses` (drop_stages.py). If a counter of a stage could not be read, its drops are
    a lower bound, and `unread` says why. `nic`, `softnet` and `interrupts` are evidence: they overlap with
    the drops and with each other.
    """

    host: str
    at: float
    seconds: float
    interfaces: Mapping[str, InterfaceRate] = {}
    cpus: tuple[CpuShare, ...] = ()
    queues: tuple[QueueRate, ...] = ()
    awaits_queues: bool = False  # there are no queues yet, since they were read only once
    drops: Mapping[str, float] = {}
    unread: Mapping[str, str] = {}  # stage -> why a counter of it gave no rate
    losses: Mapping[Place, float] = {}  # packets per second
    loss_gaps: Mapping[Place, str] = {}  # why a counter of a place gave no rate
    nic: tuple[NicRate, ...] = ()
    at_nic: float | None = None  # packets per second that reached the inputs' cards, lost there or not
    softnet: tuple[SoftnetRate, ...] = ()  # Linux, machine-wide
    interrupts: tuple[InterruptRate, ...] = ()  # of interfaces
    forwarded: float | None = None
    gap: str = ""  # why there are no rates: reboot, clock, late
    average: float | None = None  # over a late gap: the mean rate of all input, shown but never a sample

    @property
    def squeezed(self) -> float | None:
        """Exhausted softirq budgets per second, of all cores (machine-wide): not drops."""
        return _sum(row.squeezed for row in self.softnet)


class Between:
    """Reads counters of two samples of one host with the host's own interval."""

    def __init__(self, before: HostSample, after: HostSample, longest: float | None) -> None:
        self._before, self._after = before, after
        self._times = nanoseconds(before.t), nanoseconds(after.t)
        self._longest = longest
        self.seconds = after.t - before.t
        probe = self.of(0, 0)
        self.gap = probe if isinstance(probe, Gap) else None
        """Why no counter has a rate."""
        began, ended = self._times
        self._elapsed = 0 if self.gap or began is None or ended is None else ended - began
        self._most = fastest(A_PORT, 64, *self._times) * (self._elapsed / NANO)

    def of(
        self,
        before: int | None,
        after: int | None,
        device: tuple[int | None, int | None] = (None, None),
        most: float = A_PORT,
    ) -> Rate | Gap:
        """The rate of one counter of 64 bits; `device` shows when a name was given to another interface.

        `most`: the most it can grow per second.
        """
        names = ["" if number is None else str(number) for number in device]
        return rate(
            Reading(before, self._times[0], self._before.boot, names[0]),
            Reading(after, self._times[1], self._after.boot, names[1]),
            width=64,
            line_speed=fastest(most, 64, *self._times),
            longest=self._longest,
        )

    def simply_grew(self, before: int, after: int) -> bool:
        """Whether a quick look at the values shows that the rate is no gap; if not, it takes `of`.

        There may be hundreds of counters, and nearly all of them simply grew.
        """
        return 0 <= before <= after < COUNTER and self._elapsed > 0 and after - before <= self._most

    def plain(self, before: int, after: int) -> Rate:
        """The rate as in `of`, of a counter that simply grew."""
        grown = after - before
        return Rate(grown * NANO / self._elapsed, grown, self._elapsed / NANO)

    def per_second(self, before: int | None, after: int | None) -> float | None:
        """The rate as in `of`; None for a gap."""
        if before is None or after is None:
            return None
        if self.simply_grew(before, after):
            return (after - before) * NANO / self._elapsed
        measured = self.of(before, after)
        return measured.per_second if isinstance(measured, Rate) else None


def between(
    before: HostSample,
    after: HostSample,
    *,
    inputs: Iterable[str] = (),
    outputs: Iterable[str] = (),
    longest: float | None = None,
    line_rate: float | None = None,
) -> HostRates:
    """What happened on one host between two of its samples.

    `inputs`, `outputs`: the DUT's ports, whose drops count. `longest`: longest valid interval in seconds.
    `line_rate`: packets per second that the inputs' lines carry; None: not known.
    """
    reader = Between(before, after, longest)
    if reader.gap:
        return _gap(reader, reader.gap, before, after, set(inputs))
    earlier = {row.name: row for row in before.interfaces}
    interfaces = {row.name: _interface(reader, earlier.get(row.name), row) for row in after.interfaces}
    read = drop_stages.reader(set(inputs), set(outputs), line_rate)
    lost = drop_stages.by_place(growth((before, after), read))
    losses = {place: count / reader.seconds for place, count in lost.found.items()}
    return HostRates(
        host=after.host,
        at=after.at,
        seconds=reader.seconds,
        interfaces=interfaces,
        cpus=tuple(_cpus(before.cpus, after.cpus)),
        queues=tuple(_queues(reader, before.queues, after.queues)),
        drops=drop_stages.stages(losses),
        unread=drop_stages.unread(lost.gaps),
        losses=losses,
        loss_gaps=lost.gaps,
        nic=nic_rates(before, after),
        at_nic=at_nic(before, after, set(inputs)),
        softnet=softnet_rates(before, after),
        interrupts=interrupt_rates(before, after),
        forwarded=reader.per_second(before.forwarded, after.forwarded),
    )


Kind = tuple[str, ...]
"""What one reading of a host contains. Only two readings of the same kind give rates."""
FAST: Kind = ()
"""What every tick reads: ports and cores."""
_SLOW = ("queues", "netisr", "qdiscs", "stages", "interrupts")


def is_fast(sample: HostSample) -> bool:
    """Whether the sample contains what every tick reads (ports and cores)."""
    return bool(sample.interfaces or sample.cpus)


def kinds(sample: HostSample) -> tuple[Kind, ...]:
    """The kinds of reading in a sample: `FAST`, and the names of what only slow ticks read.

    On FreeBSD plain ticks read the queues and slow ones netisr, so the two alternate and are separate kinds.
    """
    slow = tuple(name for name in _SLOW if getattr(sample, name))
    return ((slow,) if slow else ()) + ((FAST,) if is_fast(sample) else ())


def with_slow(rates: HostRates, slow: HostRates | None) -> HostRates:
    """The rates of a tick, completed from the last slow ticks: queues, drops, the card's own counters."""
    if slow is None or slow.gap or rates.gap:
        return rates
    losses = {**slow.losses, **rates.losses}
    loss_gaps = {**slow.loss_gaps, **rates.loss_gaps}
    return msgspec.structs.replace(
        rates,
        queues=slow.queues or rates.queues,
        losses=losses,
        loss_gaps=loss_gaps,
        drops=drop_stages.stages(losses),
        unread=drop_stages.unread(loss_gaps),
        nic=rates.nic or slow.nic,
        at_nic=rates.at_nic if rates.at_nic is not None else slow.at_nic,
        interrupts=rates.interrupts or slow.interrupts,
    )


def _gap(reader: Between, probe: Gap, before: HostSample, after: HostSample, inputs: set[str]) -> HostRates:
    average = None
    if probe.reason is Reason.LATE:
        earlier = {row.name: row for row in before.interfaces}
        readings = [
            reader.of(earlier[row.name].rx_packets, row.rx_packets)
            for row in after.interfaces
            if row.name in inputs and row.name in earlier
        ]
        average = _sum(gap.average for gap in readings if isinstance(gap, Gap))
    # clocks of two boots have no difference: the gap's length comes from the samples' places on the axis
    seconds = max(after.at - before.at if probe.seconds is None else probe.seconds, 0.0)
    return HostRates(after.host, after.at, seconds, gap=str(probe.reason), average=average)


def _interface(reader: Between, before: InterfaceCounters | None, after: InterfaceCounters) -> InterfaceRate:
    if before is None:
        return InterfaceRate(after.name, up=after.up)
    device = before.link, after.link
    same = before.link == after.link
    why: list[str] = []

    def counted(name: str, most: float = A_PORT) -> Rate | None:
        old, new = getattr(before, name), getattr(after, name)
        if same and (old is None or new is None):
            return None  # not counted, or missing from a sample
        if same and reader.simply_grew(old, new):
            return reader.plain(old, new)
        measured = reader.of(old, new, device, most)
        if isinstance(measured, Rate):
            return measured
        if measured.reason is not Reason.MISSING:
            why.append(str(measured.reason))
        return None

    rx, tx = counted("rx_packets"), counted("tx_packets")
    uncounted = why[0] if why else ""
    rates = {
        name: (grown.per_second if (grown := counted(name, _OCTETS if "bytes" in name else A_PORT)) else None)
        for name in ("rx_bytes", "tx_bytes", "rx_dropped", "rx_missed", "rx_errors", "tx_dropped")
    }
    return InterfaceRate(
        name=after.name,
        rx_pps=rx.per_second if rx else None,
        tx_pps=tx.per_second if tx else None,
        rx_bps=_times8(rates["rx_bytes"]),
        tx_bps=_times8(rates["tx_bytes"]),
        rx_dropped=rates["rx_dropped"],
        rx_missed=rates["rx_missed"],
        rx_errors=rates["rx_errors"],
        tx_dropped=rates["tx_dropped"],
        rx_count=rx.count if rx else None,
        tx_count=tx.count if tx else None,
        up=after.up,
        why=uncounted,
    )


def _times8(per_second: float | None) -> float | None:
    return None if per_second is None else per_second * 8


def _queues(
    reader: Between, before: tuple[QueueCounters, ...], after: tuple[QueueCounters, ...]
) -> Iterable[QueueRate]:
    earlier = {(row.interface, row.direction, row.index): row for row in before}
    for row in after:
        old = earlier.get((row.interface, row.direction, row.index))
        yield QueueRate(
            row.interface,
            row.direction,
            row.index,
            pps=reader.per_second(old.packets, row.packets) if old else None,
            drops=reader.per_second(old.drops, row.drops) if old else None,
            depth=row.depth,
            state=row.state,
        )


def _cpus(before: tuple[CpuTicks, ...], after: tuple[CpuTicks, ...]) -> Iterable[CpuShare]:
    """Shares of ticks, so no clock is needed; a core without ticks in between is left out.

    Idle time may go back. A core that was taken offline and brought back counts it from zero (Linux before
    6.8, tick_cancel_sched_timer() in kernel/time/tick-sched.c), and reading it races with the core's idling
    (before 6.4, get_cpu_sleep_time_us() there). How long such a core idled is not known, so it is left out
    too, unless its other states fill the interval: then it did not idle.
    """
    earlier = {row.cpu: row for row in before}
    grown: list[tuple[CpuTicks, list[int], bool]] = []
    for row in after:
        if (old := earlier.get(row.cpu)) is not None:
            pairs = zip(_TICKS(row), _TICKS(old), strict=True)
            spent = [max((now or 0) - (then or 0), 0) for now, then in pairs]
            grown.append((row, spent, row.idle < old.idle))
    whole = max((sum(spent) for _, spent, back in grown if not back), default=0)
    for row, spent, back in grown:
        user, nice, system, idle, irq, softirq, iowait, steal = spent
        total = sum(spent)
        if total and (not back or 0 < _FILLED * whole <= total):
            yield CpuShare(
                cpu=row.cpu,
                busy=1.0 - (idle + iowait) / total,
                user=(user + nice) / total,
                system=system / total,
                irq=irq / total,
                softirq=None if row.softirq is None else softirq / total,
                steal=None if row.steal is None else steal / total,
            )


def _sum(values: Iterable[float | None]) -> float | None:
    """The sum of what is known; None when nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
