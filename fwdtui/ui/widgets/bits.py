"""The flows in bits per second, collected from the interfaces' rates while snapshots are drawn.

Flows are made of packets; bits are known only of the newest interval of each interface. So the course in bits
begins when the screen opens, and a time in which nothing was drawn is a gap.
"""

from collections import deque
from collections.abc import Sequence

import msgspec

from fwdtui.core.host_rates import HostRates
from fwdtui.core.lab import Lab
from fwdtui.monitor.series import Point
from fwdtui.monitor.snapshot import Flow, Snapshot

_LIMIT = 36_000


class BitRates:
    """Give it each snapshot that is taken; ask it for the same snapshot with its flows in bits."""

    def __init__(self, lab: Lab) -> None:
        self._ports: dict[str, tuple[str, tuple[str, ...], str]] = {
            "forwarded": (lab.dut.host, lab.dut.outputs, "tx")
        }
        if len(lab.generators) == 1:  # several sample at different moments: their sum has no interval
            self._ports["offered"] = (lab.generators[0].host, (lab.generators[0].interface,), "tx")
        if lab.receiver:
            self._ports["received"] = (lab.receiver.host, (lab.receiver.interface,), "rx")
        self._courses: dict[str, deque[Point]] = {name: deque(maxlen=_LIMIT) for name in self._ports}

    def take(self, snapshot: Snapshot) -> None:
        """Add what is new in it."""
        hosts = {host.name: host for host in snapshot.hosts}
        for flow, (host, ports, field) in self._ports.items():
            view = hosts.get(host)
            rates = view.rates if view and view.up else None
            course = self._courses[flow]
            if rates is None or (course and rates.at <= course[-1].at):
                continue
            # a tool that goes past the kernel tells its packets itself: these bits are not its
            packets, now = _sum(rates, ports, f"{field}_pps"), getattr(snapshot, flow).points[-1:]
            counted = bool(now) and now[0].value == packets
            bits = _sum(rates, ports, f"{field}_bps") if counted else None
            course.append(Point(rates.at, rates.seconds, bits))

    def shown(self, snapshot: Snapshot, points: int) -> Snapshot:
        """`snapshot` with its flows in bits per second; a flow without a value now has none here either."""
        return msgspec.structs.replace(
            snapshot,
            offered=self._flow(snapshot.offered, points),
            forwarded=self._flow(snapshot.forwarded, points),
            received=self._flow(snapshot.received, points),
        )

    def _flow(self, flow: Flow, points: int) -> Flow:
        course: Sequence[Point] = self._courses.get(flow.name, ())
        newest = tuple(course)[-points:]
        now = newest[-1].value if newest and flow.now is not None else None
        return Flow(flow.name, now, newest, flow.source)


def _sum(rates: HostRates, ports: Sequence[str], field: str) -> float | None:
    """All or nothing: a sum of ports is wrong when one of them is missing."""
    found = [getattr(rates.interfaces.get(port), field, None) for port in ports]
    return None if not found or None in found else sum(float(rate) for rate in found if rate is not None)
