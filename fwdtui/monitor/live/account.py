"""Accounts for every packet of a blast by how much counters grew from the quiet before to the quiet after.

`quiet.py` finds the quiet and what ports counted; `tool_lines.py` finds what tools printed.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from fwdtui.core import drop_reasons, drop_stages
from fwdtui.core.arrived import QUIET
from fwdtui.core.drop_stages import INPUT_QUEUE, STAGES
from fwdtui.core.growth import growth
from fwdtui.core.host_evidence import PAUSES, PAUSES_RECEIVED, nic_counters, offered_counters
from fwdtui.core.lab import Lab
from fwdtui.core.model import REASONS, Caution, EventSample, Packets, Sample
from fwdtui.core.offered import ADVICE, CODE, is_above
from fwdtui.core.rates import SAID, Reason
from fwdtui.core.roles import ATTACK, WANTED
from fwdtui.core.uncounted import unseen
from fwdtui.core.units import grouped
from fwdtui.monitor.live.quiet import NOISE, Port, Spans, between_quiets, port_counts, without_quiet
from fwdtui.monitor.live.tool_lines import ALONE, Neighbours, Printed


def account(
    lab: Lab,
    samples: Sequence[Sample],
    began: float,
    ended: float,
    uncounted: Iterable[str] = (),
    veths: Collection[str] = (),
    around: Neighbours = ALONE,
) -> Packets | None:
    """The packets of a blast; None if no host was sampled before and after it. Times on the recording's axis.

    `uncounted`: tools whose packets the kernel's counters do not see. `veths`: generator ports whose refused
    packets were offered, too (InterfaceRate.refused). If the DUT's own input counters miss the refused
    packets (veth in NAPI mode), the sender's count of them gives that loss. `around`: the neighbouring
    blasts, to which some of the tools' lines may belong.
    """
    tools = frozenset(uncounted)
    printed = Printed(lab, samples, began, ended, around)
    spans = {host: between_quiets(lab, host, samples, began, ended) for host in lab.hosts()}
    ports = {host: port_counts(span) for host, span in spans.items()}
    dut = ports[lab.dut.host]

    def counted(host: str, port: Port) -> int | None:
        grown = ports[host]
        return grown.exact(port) if grown else None

    sent_by: dict[str, list[int | None]] = {WANTED: [], ATTACK: []}
    refused = 0
    for generator in lab.generators:
        sending = sent_by[generator.role]
        if generator.tool in tools:
            sending.append(printed.packets("generator", generator))
            continue
        sent = counted(generator.host, Port(generator.interface, "tx"))
        if sent is not None and f"{generator.host}.{generator.interface}" in veths:
            not_taken = counted(generator.host, Port(generator.interface, "refused"))
            refused += not_taken or 0
            sent = None if not_taken is None else sent + not_taken
        sending.append(sent)
    received = None
    if lab.receiver and lab.receiver.tool in tools:
        received = printed.packets("receiver", lab.receiver)
    elif lab.receiver:
        received = counted(lab.receiver.host, Port(lab.receiver.interface, "rx"))
    if dut is None and received is None and not any(map(any, sent_by.values())):
        return None
    offered, attack = _all(sent_by[WANTED]), _all(sent_by[ATTACK])
    whole = _all([count for sending in sent_by.values() for count in sending])
    if dut is None:
        return Packets(offered, received=received, attack=attack)
    into = _all([dut.exact(Port(name, "rx")) for name in lab.dut.inputs])
    forwarded = _all([dut.exact(Port(name, "tx")) for name in lab.dut.outputs])
    lost = _losses(lab, spans[lab.dut.host], without_quiet(lab, samples, spans[lab.dut.host], began))
    drops = {stage: round(count) for stage, count in drop_stages.stages(lost.found).items()}
    if refused:
        drops[INPUT_QUEUE] = max(drops.get(INPUT_QUEUE, 0), refused)
        drops = {stage: drops[stage] for stage in STAGES if stage in drops}
    unaccounted = None
    if whole is not None and forwarded is not None and not unseen(received, forwarded, whole):
        unaccounted = whole - forwarded - sum(drops.values())
    at_nic, nic = _nic(lab, spans[lab.dut.host])
    packets = Packets(
        offered,
        into,
        forwarded,
        received,
        drops,
        unaccounted,
        at_nic=at_nic,
        nic=nic,
        unread=drop_stages.unread(lost.gaps),
        attack=attack,
    )
    counts = [one for one in samples if isinstance(one, EventSample) and one.code == REASONS]
    dut_ports = lab.dut.inputs, lab.dut.outputs
    return drop_reasons.joined(packets, drop_reasons.counted(counts, began, ended, *dut_ports))


class ByPort(NamedTuple):
    """Packets of a blast by port, None if not known.

    `generators`: ``g0 of gen`` -> packets sent. `inputs` and `outputs`: the DUT's ports by name.
    """

    generators: Mapping[str, int | None]
    inputs: Mapping[str, int | None]
    outputs: Mapping[str, int | None]


def by_port(
    lab: Lab,
    samples: Sequence[Sample],
    began: float,
    ended: float,
    uncounted: Collection[str] = (),
    around: Neighbours = ALONE,
) -> ByPort:
    """What each generator of wanted traffic sent in a blast, and what each port of the DUT carried."""
    printed = Printed(lab, samples, began, ended, around)
    ports = {host: port_counts(between_quiets(lab, host, samples, began, ended)) for host in lab.hosts()}

    def counted(host: str, port: Port) -> int | None:
        grown = ports[host]
        return grown.exact(port) if grown else None

    sent = {
        f"{one.interface} of {one.host}": printed.packets("generator", one)
        if one.tool in uncounted
        else counted(one.host, Port(one.interface, "tx"))
        for one in lab.generators
        if one.role != ATTACK
    }
    dut = lab.dut.host
    return ByPort(
        sent,
        {name: counted(dut, Port(name, "rx")) for name in lab.dut.inputs},
        {name: counted(dut, Port(name, "tx")) for name in lab.dut.outputs},
    )


def cautions(
    packets: Packets | None,
    attacked: bool = False,
    unprinted: int = 0,
    inputs: Collection[str] = (),
    lasted: float = 0.0,
) -> list[Caution]:
    """Warnings from the counts themselves: more out than in, counters that had gaps, and pause frames.

    `attacked`: a generator of the lab sends an attack. `unprinted`: packets that may have been sent without
    being counted. `inputs`: the DUT's ports at which the load comes in. `lasted`: seconds of the blast, in
    which packets that no generator sent arrive there, too. Only for a blast that was counted from quiet
    to quiet: within a blast the hosts' counts belong to different times.
    """
    if packets is None or packets.forwarded is None:
        return []
    doubts = []
    sent = _all([packets.offered, packets.attack]) if attacked else packets.offered
    heard = (
        ("were received", packets.received, 0.0),
        ("were forwarded", packets.forwarded, 0.0),
        # a second sender shows here even if the DUT drops all that is too much
        ("arrived at the DUT", packets.dut_in, max(QUIET * lasted, NOISE * (sent or 0))),
    )
    for what, count, noise in heard:
        if count is not None and is_above(count - unprinted - noise, sent):
            text = f"{grouped(count)} packets {what} of {grouped(sent or 0)} offered"
            doubts.append(Caution(CODE, f"{text}, which is impossible: {ADVICE}."))
            break
    for stage, why in packets.unread.items():
        when = "" if why == Reason.UNSAMPLED else " during the blast"
        text = f"Drops at the {stage} are a lower bound: {SAID.get(why, why)}{when}."
        doubts.append(Caution("counter-gap", text))
    return [*doubts, *_pauses(packets, inputs)]


def _pauses(packets: Packets, inputs: Collection[str]) -> list[Caution]:
    """A warning about pause frames during the blast: a sender was held back, which no loss counter shows."""
    told = []
    for names, who in (
        (PAUSES, "sent {}, by which it held {} back"),
        (PAUSES_RECEIVED, "was sent {}, by which it was held back"),
    ):
        for name, count in packets.nic.items():
            port, _, counter = name.partition(" ")
            if counter in names:
                frames = f"{grouped(count)} pause frame{'' if count == 1 else 's'}"
                partner = "the generator" if port in inputs else "its link partner"
                told.append(f"{port} of the DUT {who.format(frames, partner)}")
    if not told:
        return []
    return [
        Caution(
            "pause-frames",
            f"During the blast {'; '.join(told)}: its value counts, but switch flow control off and measure"
            " again.",
        )
    ]


def _losses(lab: Lab, spans: Spans, parts: Spans) -> drop_stages.Losses:
    """Lost packets from all kinds of samples: each kind begins and ends in quiet, so all saw the same losses.

    `parts`: the samples of kinds that were not sampled in both quiets. What only they count is a lower bound.
    """
    read = drop_stages.reader(lab.dut.inputs, lab.dut.outputs, lab.all_line_rate)
    lost: dict[drop_stages.Place, float] = {}
    gaps: dict[drop_stages.Place, str] = {}
    for those in spans.values():
        these = drop_stages.by_place(growth(those, read))
        for place in these.found.keys() | these.gaps.keys():
            if place in gaps and place not in these.gaps:
                del gaps[place]  # these samples counted all of it
            elif place in lost or place in gaps:
                continue
            if place in these.gaps:
                gaps[place] = these.gaps[place]
            if place in these.found:
                lost[place] = these.found[place]
    whole = lost.keys() - gaps.keys()
    for those in parts.values():
        places = {place for sample in those for place, _ in read(sample)} - whole
        these = drop_stages.by_place(growth(those, read))
        for place in places:
            if gaps.get(place) in (None, Reason.MISSING):
                gaps[place] = Reason.UNSAMPLED
            if place in these.found:
                lost[place] = max(lost.get(place, 0.0), these.found[place])
    return drop_stages.Losses(lost, gaps)


def _nic(lab: Lab, spans: Spans) -> tuple[int | None, dict[str, int]]:
    """Packets that reached the inputs' cards, and the driver counters that moved, as ``interface name``.

    The latter are counters other than those of packets that pass.
    """
    reached: list[int | None] = [None] * len(lab.dut.inputs)
    nic: dict[str, int] = {}
    for those in spans.values():
        wire = growth(those, lambda sample: offered_counters(sample, lab.dut.inputs))
        known = [wire.exact(name) for name in lab.dut.inputs]
        reached = [old if new is None else new for old, new in zip(reached, known, strict=True)]
        moved = growth(those, nic_counters)
        for row, count in moved.counts.items():
            if count and row not in moved.gaps:
                nic[f"{row.interface} {row.name}"] = count
    return _all(reached), nic


def _all(values: Sequence[int | None]) -> int | None:
    return None if not values or None in values else sum(value for value in values if value is not None)
