"""Warns if one of several generators or ports carried nothing, or if the receiver hears only one port.

Rates are sums over the ports, and a sum with a missing part still looks like a rate.
"""

from collections.abc import Iterator, Mapping

from fwdtui.core.lab import Lab
from fwdtui.core.model import Caution, Packets
from fwdtui.core.units import grouped
from fwdtui.monitor.live.account import ByPort

_NOTHING = 0.01  # share of what the busiest one carries; answers and other background traffic are less
_ALIKE = 0.01  # share by which counts of the same packets may differ


def cautions(lab: Lab, by_port: ByPort, packets: Packets | None) -> list[Caution]:
    """The warnings for one iteration. `by_port` and `packets` are those of its blast."""
    found = [
        Caution(
            "generator-idle",
            f"The generator {name} sent only {grouped(count)} packets, but another sent {grouped(most)}: "
            "the value covers only what the others sent.",
        )
        for name, count, most in _idle(by_port.generators)
    ]
    for way, ports in (("received", by_port.inputs), ("sent", by_port.outputs)):
        found += [
            Caution(
                "port-idle",
                f"The DUT's port {name} {way} only {grouped(count)} packets, but another one {way} "
                f"{grouped(most)}: does the traffic pass it, and is there a route?",
            )
            for name, count, most in _idle(ports)
        ]
    return [*found, *_partial(lab, by_port.outputs, packets)]


def _idle(ports: Mapping[str, int | None]) -> Iterator[tuple[str, int, int]]:
    """The ports that carried next to nothing: name, packets, and the packets of the busiest port."""
    most = max((count for count in ports.values() if count is not None), default=0)
    for name, count in ports.items():
        if count is not None and count < _NOTHING * most:
            yield name, count, most


def _partial(lab: Lab, outputs: Mapping[str, int | None], packets: Packets | None) -> Iterator[Caution]:
    """A warning if the receiver received no more than what one of several busy outputs sent."""
    counts = [count for count in outputs.values() if count is not None]
    busy = [count for count in counts if count >= _NOTHING * max(counts)]
    if lab.receiver is None or packets is None or len(busy) < 2:
        return
    received, forwarded = packets.received, packets.forwarded
    if received is None or forwarded is None or received >= (1.0 - _ALIKE) * forwarded:
        return
    if received <= (1.0 + _ALIKE) * max(busy):
        yield Caution(
            "receiver-partial",
            f"{lab.receiver.host} received {grouped(received)} of the {grouped(forwarded)} packets that the "
            f"DUT sent through {len(busy)} ports, no more than one of these ports sent: the value covers "
            "only part of the traffic. Remove [receiver] from lab.toml to count all outputs of the DUT.",
        )
