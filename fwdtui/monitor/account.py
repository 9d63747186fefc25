"""Every packet of a blast named: counter differences from the quiet before it to the quiet after it.

Between two quiet moments nothing is under way, so the differences of hosts that are sampled at different
moments add up exactly.
"""

from collections.abc import Collection, Iterable, Sequence

import msgspec

from fwdtui.core.host_rates import INPUT_QUEUE, STAGES, HostRates, between, is_fast, slow_parts, with_slow
from fwdtui.core.lab import Endpoint, Lab
from fwdtui.core.model import HostSample, Packets, RateSample, Sample
from fwdtui.monitor.flows import is_from


def account(
    lab: Lab,
    samples: Sequence[Sample],
    began: float,
    ended: float,
    uncounted: Iterable[str] = (),
    veths: Collection[str] = (),
) -> Packets | None:
    """None where no host was sampled before and after the blast. Times on the recording's axis.

    `veths`: generator ports whose refused packets were offered too (InterfaceRate.refused). Where the DUT's
    own input counters miss them (veth in NAPI mode), the sender's count names that loss.
    """
    tools = frozenset(uncounted)
    whole = {host: _across(lab, host, samples, began, ended) for host in lab.hosts()}
    dut = whole.get(lab.dut.host)
    offered: list[int | None] = []
    refused = 0
    for generator in lab.generators:
        if generator.tool in tools:
            offered.append(_told(samples, "generator", generator, began, ended))
        else:
            found = whole.get(generator.host)
            port = found.interfaces.get(generator.interface) if found else None
            if found and port and f"{generator.host}.{generator.interface}" in veths:
                refused += round((port.tx_dropped or 0.0) * found.seconds)
                port = port.refused(found.seconds)
            offered.append(port.tx_count if port else None)
    received = None
    if lab.receiver and lab.receiver.tool in tools:
        received = _told(samples, "receiver", lab.receiver, began, ended)
    elif lab.receiver:
        found = whole.get(lab.receiver.host)
        port = found.interfaces.get(lab.receiver.interface) if found else None
        received = port.rx_count if port else None
    if dut is None and received is None and not any(offered):
        return None
    sent = _all(offered)
    into = forwarded = None
    drops: dict[str, int] = {}
    if dut is not None:
        into = _all([p.rx_count if (p := dut.interfaces.get(name)) else None for name in lab.dut.inputs])
        forwarded = _all(
            [p.tx_count if (p := dut.interfaces.get(name)) else None for name in lab.dut.outputs]
        )
        drops = {stage: round(dut.drops[stage] * dut.seconds) for stage in STAGES if stage in dut.drops}
        if refused:
            drops[INPUT_QUEUE] = max(drops.get(INPUT_QUEUE, 0), refused)
    unaccounted = None
    if sent is not None and forwarded is not None:
        unaccounted = sent - forwarded - sum(drops.values())
    return Packets(sent, into, forwarded, received, drops, unaccounted)


def _across(lab: Lab, host: str, samples: Sequence[Sample], began: float, ended: float) -> HostRates | None:
    """This host's counters over the whole blast: the last sample before it and the first well after it."""
    mine = [s for s in samples if isinstance(s, HostSample) and s.host == host]
    is_dut = host == lab.dut.host
    inputs, outputs = (lab.dut.inputs, lab.dut.outputs) if is_dut else ((), ())

    def span(those: Sequence[HostSample]) -> HostRates | None:
        before = [s for s in those if s.at <= began]
        after = [s for s in those if s.at >= ended + lab.interval]
        if not before or not after:
            return None
        return between(before[-1], after[0], inputs=inputs, outputs=outputs)

    whole = span([s for s in mine if is_fast(s)])
    if whole is None or whole.gap:
        return None
    for parts in dict.fromkeys(slow_parts(s) for s in mine if slow_parts(s)):
        slow = span([s for s in mine if slow_parts(s) == parts])
        if slow is not None:
            # two spans that both begin and end in quiet have lost the same packets, whatever their lengths
            drops = {stage: lost * slow.seconds / whole.seconds for stage, lost in slow.drops.items()}
            whole = with_slow(whole, msgspec.structs.replace(slow, drops=drops))
    return whole


def _told(samples: Sequence[Sample], role: str, endpoint: Endpoint, began: float, ended: float) -> int | None:
    """What a tool says it sent or saw: the sum of its lines' packets."""
    lines = [
        s
        for s in samples
        if isinstance(s, RateSample) and s.role == role and is_from(s, endpoint) and s.packets is not None
    ]
    inside = [s for s in lines if s.at is None or began - 2.0 <= s.at <= ended + 5.0]
    return round(sum(s.packets or 0.0 for s in inside)) if inside else None


def _all(values: Sequence[int | None]) -> int | None:
    return None if not values or None in values else sum(value for value in values if value is not None)
