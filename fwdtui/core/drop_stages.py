"""Where a DUT loses packets: which counters show it, and how to combine them without counting a packet twice.

Counters overlap. A card's driver repeats under its own names what the interface counts, and on some systems a
card's losses are included in the interface's drops as well. So each counter is given a `Place`; of counters
that may cover the same packets only the largest is used, and only counters known to be disjoint are added up.
Losses that no counter shows remain unaccounted: we report too little rather than too much.

What the interfaces count, from the sources:
- Linux: `rx_missed` counts packets for which the device had no buffer, `rx_dropped` those refused later,
  including by a full backlog (include/uapi/linux/if_link.h, enqueue_to_backlog() in net/core/dev.c; softnet
  counts these again). Old drivers put the device's losses into rx_dropped (i40e until it had rx_missed, sfc,
  be2net), and software devices those of their queues (veth, virtio_net). A qdisc's drops are in no interface
  counter.
- FreeBSD: Idrop and Ierrs include everything the card lost on input, and Ierrs frames that came damaged or
  too long, which not every driver counts for itself; Drop, on output, includes drops of the soft ring if the
  driver has its own (cxgbe, mlx5en), but not under iflib.
"""

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from fwdtui.core.counters import StageCounter
from fwdtui.core.growth import A_PORT, Counted, Growth
from fwdtui.core.model import HostSample
from fwdtui.core.parse.ethtool_names import (
    COPIES,
    FILTERED,
    I40E,
    I40E_WIDTHS,
    NEVER_IN_DROPPED,
    NEVER_IN_MISSED,
    OWN_RX_DROPPED,
)
from fwdtui.core.parse.ethtool_names import WIDTHS as WIDTHS_BY_ETHTOOL
from fwdtui.core.parse.sysctl_stages import BAD_FRAMES as BAD
from fwdtui.core.parse.sysctl_stages import FILTERED as FILTERED_BY_FREEBSD
from fwdtui.core.parse.sysctl_stages import WIDTHS as WIDTHS_BY_SYSCTL
from fwdtui.core.parse.tc_qdisc import WIDTH_OF_DROPS

FRAME_CHECK = "frame check"
CARD_FILTER = "card filter"
INPUT_ERRORS = "input errors"
RX_RING = "rx ring"
INPUT_QUEUE = "input queue"
NETISR = "netisr"
TX_SOFT_QUEUE = "tx soft queue"
OUTPUT = "output"
STAGES = (FRAME_CHECK, CARD_FILTER, INPUT_ERRORS, RX_RING, INPUT_QUEUE, NETISR, TX_SOFT_QUEUE, OUTPUT)
"""Where a DUT can lose a packet, in the order a packet passes them. No packet is counted in two of them."""
REFUSED = FRAME_CHECK, CARD_FILTER
"""Where a card drops what it must not take: frames that come damaged or too long, and those that match none
of its flows, such as frames for another MAC address. The DUT's speed plays no part in it."""
RARE = *REFUSED, INPUT_ERRORS
"""Stages that few drivers show, and that are listed only where they are known. Ierrs of a FreeBSD driver that
does not count bad frames are input errors: bad frames, or packets for which the ring had no room. Input
errors and the frame check are known only where something was dropped."""

LINUX, FREEBSD = "linux", "freebsd"
COUNTINGS = (LINUX, FREEBSD)
"""What interfaces' drop counters include, as described above. A system declares which of them it follows."""

NARROW = 150e6
"""Packets per second: 100 Gbit/s of the smallest frames, and more than a core or a qdisc handles. It
distinguishes a 32-bit counter that wrapped from one that was reset."""


_WIDTHS = {**WIDTHS_BY_ETHTOOL, **WIDTHS_BY_SYSCTL}


_MESSAGES = frozenset({"rtsock"})
"""netisr's queues of the kernel's messages to routing daemons (sys/net/rtsock.c), which are not packets."""


class Part(NamedTuple):
    """The stage a counter belongs to, and which other counters of the port may cover the same packets."""

    stage: str
    overlaps: str = ""


MISSED = Part(RX_RING)  # the interface's own count of what the card lost
CARD = Part(RX_RING, "missed")  # the driver's
CARD_LATER = Part(RX_RING, "dropped")
CARD_EITHER = Part(RX_RING, "missed or dropped")
ERRORS = Part(RX_RING, "missed or bad frames")  # FreeBSD's Ierrs
TOO_LONG = Part(FRAME_CHECK, "dropped")
BAD_FRAMES = Part(RX_RING, "errors")  # the driver's
UNMATCHED = Part(CARD_FILTER)
UNMATCHED_OR_DROPPED = Part(CARD_FILTER, "dropped")
DROPPED = Part(INPUT_QUEUE)
QUEUED = Part(NETISR)
SOFT = Part(TX_SOFT_QUEUE)
SENT = Part(OUTPUT)
SENT_OR_SOFT = Part(OUTPUT, "soft")


class Place(NamedTuple):
    """Where and by what lost packets were counted. `interface` is "" for host-wide counters. Counters of one
    `group` may cover the same packets, those of different groups do not; `teller` is what counts (the
    interface, its driver, its queues): one teller's counters are added up."""

    interface: str
    part: Part
    group: str
    teller: str


Key = tuple[Place, str]
"""One counter: its place, and which of the teller's counters it is."""


def counters(
    sample: HostSample,
    inputs: Collection[str],
    outputs: Collection[str],
    line_rate: float | None = None,
) -> dict[Key, Counted]:
    """All counters in this sample that count packets lost between `inputs` and `outputs`.

    `line_rate`: packets per second that the inputs' lines carry, if known.
    """
    freebsd = counting_of(sample) == FREEBSD
    narrow = line_rate * 1.05 if line_rate else NARROW
    counted: dict[Key, Counted] = {}

    def add(
        place: Place,
        which: str,
        value: int | None,
        width: int | None = 64,
        device: int | None = None,
        at_once: bool = False,
    ) -> None:
        if value is not None:
            most = A_PORT if width is None or width >= 64 else narrow
            counted[place, which] = Counted(value, width, most, device, at_once)

    for port in sample.interfaces:
        if port.name in inputs:
            own = Place(port.name, MISSED, "", "interface")
            add(own, "rx_missed", port.rx_missed, device=port.link)
            if freebsd:
                add(own, "rx_dropped", port.rx_dropped, device=port.link)
                own = Place(port.name, ERRORS, "", "interface")
                add(own, "rx_errors", port.rx_errors, device=port.link)
            else:
                own = Place(port.name, DROPPED, "", "interface")
                add(own, "rx_dropped", port.rx_dropped, device=port.link)
        if port.name in outputs:
            part = SENT_OR_SOFT if freebsd else SENT
            add(Place(port.name, part, "", "interface"), "tx_dropped", port.tx_dropped, device=port.link)
    names = names_by_port(sample)
    for row in sample.stages:
        if freebsd and row.name in BAD and row.interface in inputs:
            place = Place(row.interface, BAD_FRAMES, "", "driver")
            add(place, row.name, row.value, width_of(row.name, names[row.interface]))
        if row.kind != "drops" or is_copy(row.name, names[row.interface]):
            continue
        if row.direction == "rx" and row.interface in inputs:
            place = _of_the_card(row, names[row.interface], freebsd)
            add(place, row.name, row.value, width_of(row.name, names[row.interface]))
        elif row.name.endswith("tx_queue_dropped") and row.interface in outputs:
            # other counters of the card's transmission count packets that were sent on before
            part = SOFT if freebsd else SENT
            add(Place(row.interface, part, "", row.name), row.name, row.value)
    for queue in sample.queues:
        which = str(queue.index)
        if queue.direction == "rx" and queue.interface in inputs:
            igb = not freebsd and "rx_missed_errors" in names.get(queue.interface, ())
            # packets that igb's queues drop without a descriptor are in no interface counter (RQDPC)
            place = Place(
                queue.interface, CARD if igb else CARD_EITHER, "descriptor" if igb else "", "queues"
            )
            add(place, which, queue.drops)
        elif queue.direction == "tx" and queue.interface in outputs:
            part = SOFT if freebsd else SENT
            add(Place(queue.interface, part, "", "queues"), which, queue.drops)
    for qdisc in sample.qdiscs:
        # a classful root repeats the drops of its leaves
        if qdisc.parent == "root" and qdisc.interface in outputs:
            place = Place(qdisc.interface, SOFT, "", "qdisc")
            add(place, qdisc.handle, qdisc.dropped, WIDTH_OF_DROPS, at_once=True)
    for work in sample.netisr:
        if work.protocol in _MESSAGES:
            continue
        add(Place("", QUEUED, "", "netisr"), f"{work.workstream} {work.protocol}", work.queue_drops)
    return counted


def _of_the_card(row: StageCounter, names: Collection[str], freebsd: bool) -> Place:
    """Where a driver's counter of packets lost on input belongs; `names`: all that this port's driver has."""
    if freebsd:
        return Place(row.interface, UNMATCHED if row.name in FILTERED_BY_FREEBSD else CARD, "", "driver")
    if row.name in FILTERED:
        part = UNMATCHED_OR_DROPPED if FILTERED[row.name] else UNMATCHED
        return Place(row.interface, part, "", row.name)
    i40e = not I40E.isdisjoint(names)
    if row.name in COPIES:
        part = TOO_LONG if i40e and "rx_missed_errors" in names else CARD_LATER
        return Place(row.interface, part, "descriptor", row.name)
    if row.name in NEVER_IN_DROPPED:
        # i40e's rx_missed_errors are packets without a descriptor; what the port's buffer lost is not in them
        descriptor = row.name == "rx_missed_errors" and i40e
        return Place(
            row.interface, CARD, "descriptor" if descriptor else NEVER_IN_DROPPED[row.name], row.name
        )
    if row.name in NEVER_IN_MISSED:
        return Place(row.interface, CARD_LATER, NEVER_IN_MISSED[row.name], row.name)
    return Place(row.interface, CARD_EITHER, "", row.name)


def names_by_port(sample: HostSample) -> Mapping[str, Collection[str]]:
    """The names of the driver's counters of each port: the driver is recognised by them."""
    names: dict[str, set[str]] = {}
    for row in sample.stages:
        names.setdefault(row.interface, set()).add(row.name)
    return names


def is_copy(name: str, names: Collection[str]) -> bool:
    """Whether a driver's counter repeats the interface's; `names`: all that this port's driver has."""
    return name in COPIES and (name != "rx_dropped" or OWN_RX_DROPPED.isdisjoint(names))


def width_of(name: str, names: Collection[str]) -> int:
    """The bits of a driver's counter; `names`: all that this port's driver has."""
    if name in I40E_WIDTHS and not I40E.isdisjoint(names):
        too_long = name == "rx_dropped" and "rx_missed_errors" in names
        return 64 if too_long else I40E_WIDTHS[name]
    return _WIDTHS.get(name, 64)


def reader(
    inputs: Collection[str], outputs: Collection[str], line_rate: float | None
) -> Callable[[HostSample], Mapping[Key, Counted]]:
    """A function that returns the `counters` of a sample, for growth.growth."""
    return lambda sample: counters(sample, inputs, outputs, line_rate)


def counting_of(sample: HostSample) -> str:
    """One of COUNTINGS: as the system declares, else inferred from fields that only one system reports."""
    if sample.counting in COUNTINGS:
        return sample.counting
    freebsd = any(row.up is not None for row in sample.interfaces) or (
        bool(sample.cpus) and all(cpu.softirq is None for cpu in sample.cpus)
    )
    return FREEBSD if freebsd else LINUX


def stages(losses: Mapping[Place, float]) -> dict[str, float]:
    """Packets lost at each stage, in path order, none counted twice; in the unit of `losses`.

    A stage without counters is absent.
    """
    ports = dict.fromkeys(place.interface for place in losses)
    by_stage: dict[str, list[float]] = {}
    for port in ports:
        mine = {place: lost for place, lost in losses.items() if place.interface == port}
        for stage, lost in _port(mine).items():
            by_stage.setdefault(stage, []).append(lost)
    return {stage: sum(by_stage[stage]) for stage in STAGES if stage in by_stage}


def _port(losses: Mapping[Place, float]) -> dict[str, float]:
    """Packets lost at each stage of one port."""
    missed, dropped = _of(losses, MISSED), _of(losses, DROPPED)
    card, later, either = (_of(losses, part) for part in (CARD, CARD_LATER, CARD_EITHER))
    by_stage: dict[str, float] = {}
    long = bad = _of(losses, TOO_LONG) or 0.0
    if (errors := _of(losses, ERRORS)) is not None:
        # what the card lost according to its driver, but is not in Idrop, is among Ierrs
        among = max(card or 0.0, either or 0.0, missed or 0.0) - (missed or 0.0)
        others = max(errors - among, 0.0)
        known = _of(losses, BAD_FRAMES)
        if known is None and others:
            by_stage[INPUT_ERRORS] = others
        bad = min(known or 0.0, others)
        missed = (missed or 0.0) + errors - (others if known is None else bad)
    if bad:
        by_stage[FRAME_CHECK] = bad
    both = _of(losses, UNMATCHED_OR_DROPPED)
    unmatched = both if both is not None else _of(losses, UNMATCHED)
    if unmatched is not None:
        by_stage[CARD_FILTER] = unmatched
    apart = max(missed or 0.0, card or 0.0) + (later or 0.0)
    ring = max(apart, either or 0.0)
    if any(lost is not None for lost in (missed, card, later, either)):
        by_stage[RX_RING] = ring
    if dropped is not None:
        # without rx_missed, the interface's one counter holds both
        repeated = (later or 0.0) + (both or 0.0) + long + (0.0 if missed is not None else card or 0.0)
        by_stage[INPUT_QUEUE] = max(apart + max(dropped - repeated, 0.0) - ring, 0.0)
    if (queued := _of(losses, QUEUED)) is not None:
        by_stage[NETISR] = queued
    if (soft := _of(losses, SOFT)) is not None:
        by_stage[TX_SOFT_QUEUE] = soft
    sent, sent_or_soft = _of(losses, SENT), _of(losses, SENT_OR_SOFT)
    if sent is not None:
        by_stage[OUTPUT] = sent
    elif sent_or_soft is not None:
        by_stage[OUTPUT] = max(sent_or_soft - (soft or 0.0), 0.0)
    return by_stage


def _of(losses: Mapping[Place, float], part: Part) -> float | None:
    """The largest teller of each group, summed over the groups; None: no counter for this part."""
    groups: dict[str, float] = {}
    for place, lost in losses.items():
        if place.part == part:
            groups[place.group] = max(groups.get(place.group, 0.0), lost)
    return sum(groups.values()) if groups else None


class Losses(NamedTuple):
    """Lost packets by place. `gaps`: why a counter there could not be read; the rest still counts."""

    found: Mapping[Place, float]
    gaps: Mapping[Place, str]


def by_place(grown: Growth[Key]) -> Losses:
    """One teller's counters added up. A place with nothing but gaps is in `gaps` alone."""
    lost: dict[Place, float] = {}
    gaps: dict[Place, str] = {}
    for key, count in grown.counts.items():
        place = key[0]
        if key in grown.gaps:
            gaps.setdefault(place, grown.gaps[key])
        if key not in grown.gaps or count:
            lost[place] = lost.get(place, 0) + count
    return Losses(lost, gaps)


def listed(drops: Collection[str], gaps: Collection[str] = ()) -> tuple[str, ...]:
    """The stages to show of a host: those of `drops` are known there, those of `gaps` could not be read."""
    return tuple(stage for stage in STAGES if stage not in RARE or stage in drops or stage in gaps)


def unread(gaps: Mapping[Place, str]) -> dict[str, str]:
    """The stages whose drops are a lower bound because a counter could not be read, and why."""
    causes: dict[str, str] = {}
    for place, why in gaps.items():
        causes.setdefault(place.part.stage, why)
    return {stage: causes[stage] for stage in STAGES if stage in causes}
