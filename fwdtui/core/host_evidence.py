"""What a host reports besides its rates and drops: the card's own counters, softnet's, interrupts.

These overlap with the drops by stage and with each other: they show where and why, never how much in total.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import msgspec

from fwdtui.core.counters import ANY_CPU, InterruptRow, StageCounter
from fwdtui.core.drop_stages import NARROW, is_copy, names_by_port, width_of
from fwdtui.core.growth import Counted, growth
from fwdtui.core.model import HostSample
from fwdtui.core.parse import ethtool_names, softnet, sysctl_stages
from fwdtui.core.rates import Rate, Reading, nanoseconds, rate

_INTERRUPTS = 10e6
"""Per second and core: ten times what one core can handle."""


class NicRate(msgspec.Struct, frozen=True, gc=False):
    """One counter of a card's driver for losses, errors or pauses, under the driver's own name.

    `kind` is "drops", "errors" or "events", as in counters.StageCounter. None: no rate in this interval.
    """

    interface: str
    direction: str
    kind: str
    name: str
    per_second: float | None

    @property
    def is_pause(self) -> bool:
        """Whether it counts pause frames that this port sends, which throttle its link partner."""
        return self.name in PAUSES

    @property
    def is_pause_received(self) -> bool:
        """Whether it counts pause frames by which this port's link partner throttles it."""
        return self.name in PAUSES_RECEIVED


PAUSES = frozenset(
    (
        "mac_stats.xoff_txd",
        "mac.xoff_txd",
        "hw.mac.xoff_txd",
        "stats.tx_pause",
        "pstats.pause_ctrl_tx",
        "hwstats.port_stats.tx_pause_frames",
        "tx_flow_control_xoff",
        "link_xoff_tx.nic",
        "port.link_xoff_tx",
        "tx_pause_ctrl_phy",
        "xoff_sent",
        "tx_xoff_sent",
        "tx_pauseframes",
        "tx_pause_frames",
        "port_tx_pause",
        "tx_xoff_frames",
        "tx_pause",
        "fc_sent",
        "mmc_tx_pause_frame",
        "mac_tx_mac_pause_num",
        "mac_tx_pause_num",
        "mac.tx_pause_mac_ctrl_frames",
        "frames_tx_pause",
        "tx_mac_pause",
        "[mac] tx b-pause",
    )
)
"""Pause frames sent, as the drivers call them."""
PAUSES_RECEIVED = frozenset(
    (
        "mac_stats.xoff_recvd",
        "mac.xoff_recvd",
        "hw.mac.xoff_recvd",
        "stats.rx_pause",
        "pstats.pause_ctrl_rx",
        "hwstats.port_stats.rx_pause_frames",
        "rx_flow_control_xoff",
        "link_xoff_rx.nic",
        "port.link_xoff_rx",
        "rx_pause_ctrl_phy",
        "xoff_received",
        "rx_xoff_pause_rcvd",
        "rx_pauseframes",
        "rx_pause_frames",
        "port_rx_pause",
        "rx_xoff_frames",
        "rx_pause",
        "fc_received",
        "good_fc_received",
        "mmc_rx_pause_frames",
        "mac_rx_mac_pause_num",
        "mac_rx_pause_num",
        "mac.rx_pause_mac_ctrl_frames",
        "frames_rx_pause",
        "rx_mac_pause",
        "rx_flow_control_packets",
        "[mac] rx pause",
    )
)
"""Pause frames received from the link partner."""


class SoftnetRate(msgspec.Struct, frozen=True, gc=False):
    """One core's row of softnet_stat, machine-wide; per second, except `backlog`, the packets waiting.

    `dropped` includes `flow_limited`. None: not known.
    """

    cpu: int
    processed: float | None
    dropped: float | None
    squeezed: float | None  # budgets used up
    flow_limited: float | None = None
    steered: float | None = None  # wake-ups by RPS on another core
    backlog: int | None = None


class InterruptRate(msgspec.Struct, frozen=True, gc=False):
    """One interrupt of an interface. `cores`: which cores took it, () if the host does not report them."""

    interface: str
    queue: int | None
    direction: str | None
    per_second: float
    cores: tuple[tuple[int, float], ...] = ()


class _Pair:
    """Two samples of one host, for the kernel's own counters, which are up to date whenever they are read."""

    def __init__(self, before: HostSample, after: HostSample) -> None:
        self._before, self._after = before, after
        self._times = nanoseconds(before.t), nanoseconds(after.t)

    def rate(self, before: int | None, after: int | None, width: int | None, most: float) -> float | None:
        measured = rate(
            Reading(before, self._times[0], self._before.boot),
            Reading(after, self._times[1], self._after.boot),
            width=width,
            line_speed=most,
        )
        return measured.per_second if isinstance(measured, Rate) else None


class NicRow(NamedTuple):
    """Identifies one counter of a card's driver, without its value."""

    interface: str
    direction: str
    kind: str
    name: str


def nic_counters(sample: HostSample) -> dict[NicRow, Counted]:
    """The cards' counters in the driver's order, without passed packets and copies of interface counters."""
    names = names_by_port(sample)
    return {
        NicRow(row.interface, row.direction, row.kind, row.name): _counted(row, names[row.interface])
        for row in sample.stages
        if row.kind != "packets" and not is_copy(row.name, names[row.interface])
    }


def _counted(row: StageCounter, names: Collection[str]) -> Counted:
    """A driver's counter; a narrow one has the limit of drops, or it might always have wrapped unnoticed."""
    width = width_of(row.name, names)
    return Counted(row.value, width) if width >= 64 else Counted(row.value, width, NARROW)


def nic_rates(before: HostSample, after: HostSample) -> tuple[NicRate, ...]:
    """The rates of `nic_counters` between two samples."""
    if not (before.stages or after.stages):  # as in most ticks
        return ()
    grown = growth((before, after), nic_counters)
    seconds = after.t - before.t
    known = {row: grown.exact(row) for row in grown.counts}
    return tuple(
        NicRate(*row, per_second=None if count is None else count / seconds) for row, count in known.items()
    )


def offered_counters(sample: HostSample, inputs: Collection[str]) -> dict[str, Counted]:
    """By input: the packets that reached its card, received or lost there, if the driver counts them."""
    totals = {name: offered(sample.stages, name) for name in inputs}
    return {name: Counted(total) for name, total in totals.items() if total is not None}


def at_nic(before: HostSample, after: HostSample, inputs: Collection[str]) -> float | None:
    """Packets per second that reached the inputs' cards, received or lost there; None if any is unknown."""
    if not (before.stages and after.stages):
        return None
    grown = growth((before, after), lambda sample: offered_counters(sample, inputs))
    seconds = after.t - before.t
    counts = [grown.exact(name) for name in inputs]
    return _all([None if count is None else count / seconds for count in counts])


def offered(rows: Iterable[StageCounter], interface: str) -> int | None:
    """Packets that arrived at one port since the driver began to count; None: no such counter."""
    rows = tuple(rows)
    told = {row.name: row.value for row in rows if row.interface == interface}
    for names in ethtool_names.OFFERED:
        if all(name in told for name in names):
            return sum(told[name] for name in names)
    return sysctl_stages.offered(rows, interface)


def softnet_rates(before: HostSample, after: HostSample) -> tuple[SoftnetRate, ...]:
    """Rates core by core; a core that is missing from `before` is left out."""
    if not after.softnet:
        return ()
    pair = _Pair(before, after)
    earlier = {row.cpu: row for row in before.softnet}

    def of(cpu: int, name: str, value: int | None) -> float | None:
        return pair.rate(getattr(earlier[cpu], name), value, softnet.WIDTH, NARROW)

    return tuple(
        SoftnetRate(
            row.cpu,
            processed=of(row.cpu, "processed", row.processed),
            dropped=of(row.cpu, "dropped", row.dropped),
            squeezed=of(row.cpu, "time_squeeze", row.time_squeeze),
            flow_limited=of(row.cpu, "flow_limit", row.flow_limit),
            steered=of(row.cpu, "received_rps", row.received_rps),
            backlog=row.backlog,
        )
        for row in after.softnet
        if row.cpu in earlier
    )


def interrupt_rates(before: HostSample, after: HostSample) -> tuple[InterruptRate, ...]:
    """Rates of the interfaces' interrupts. One that is incomplete in either sample is left out."""
    if not after.interrupts:
        return ()
    pair = _Pair(before, after)
    earlier = {(row.irq, row.label): row.totals for row in before.interrupts}
    rates = []
    for row in after.interrupts:
        old = earlier.get((row.irq, row.label))
        if row.interface is None or old is None:
            continue
        cores = _cores(pair, old, row)
        total = _all(list(cores.values()))
        if total is None:
            continue
        told = tuple((cpu, value) for cpu, value in cores.items() if cpu != ANY_CPU and value)
        rates.append(InterruptRate(row.interface, row.queue, row.direction, total, told))
    return tuple(rates)


def _cores(pair: _Pair, old: Mapping[int, int], row: InterruptRow) -> dict[int, float | None]:
    from fwdtui.core.parse import proc_interrupts  # the app draws its first frame without it

    # Linux counts each core's interrupts in 32 bits; FreeBSD has one total of the machine's word width
    width = 64 if set(row.totals) == {ANY_CPU} else proc_interrupts.WIDTH
    return {cpu: pair.rate(old.get(cpu), new, width, _INTERRUPTS) for cpu, new in row.totals.items()}


def _all(values: list[float | None]) -> float | None:
    """The sum; None if a value is missing or there are none."""
    return None if not values or None in values else sum(value for value in values if value is not None)
