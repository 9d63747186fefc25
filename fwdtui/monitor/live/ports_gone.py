"""Which ports of the lab their hosts do not have, according to the hosts' events."""

from collections.abc import Collection

from fwdtui.core.lab import Lab
from fwdtui.core.model import EventSample


class PortsGone:
    """Feed it all events."""

    def __init__(self) -> None:
        self._since: dict[tuple[str, str], float] = {}  # host and port

    def event(self, event: EventSample) -> None:
        """Take an event: a port is gone, or is back."""
        port = event.host, event.text.partition(":")[0]
        if event.code == "port-gone":
            self._since[port] = event.at
        elif event.code == "port-back":
            self._since.pop(port, None)

    def by(self, until: float) -> list[str]:
        """``sink0 of sink`` for each port that is gone since this time or longer."""
        return [f"{port} of {host}" for (host, port), since in self._since.items() if since <= until]

    def missed(self, lab: Lab, uncounted: Collection[str]) -> list[str]:
        """``sink has no interface sink0`` for each port that is gone and by which values are counted.

        `uncounted`: names of the tools whose own lines count, instead of a port.
        """
        receiver, dut = lab.receiver, lab.dut
        counted = [(dut.host, port) for port in dut.outputs]
        if receiver is not None:
            counted = [] if receiver.tool in uncounted else [(receiver.host, receiver.interface)]
        return [f"{host} has no interface {port}" for host, port in counted if (host, port) in self._since]

    def fork(self) -> "PortsGone":
        """A copy."""
        twin = PortsGone()
        twin._since = self._since.copy()
        return twin
