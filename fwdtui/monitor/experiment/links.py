"""Which links of the test path are down, according to the hosts' messages."""

from fwdtui.core.lab import Lab
from fwdtui.core.model import EventSample, Sample


class Links:
    """A watcher of `Bench.start`. `down` are the ports whose link went down and is not up again."""

    def __init__(self, lab: Lab) -> None:
        self.down: dict[tuple[str, str], None] = {}
        ends = [*lab.generators, *([lab.receiver] if lab.receiver else [])]
        self._ports = {(end.host, end.interface) for end in ends}
        self._ports |= {(lab.dut.host, port) for port in (*lab.dut.inputs, *lab.dut.outputs)}

    def __call__(self, sample: Sample) -> None:
        if not isinstance(sample, EventSample):
            return
        if sample.code in ("link-down", "link-up"):
            port = (sample.host, sample.text.partition(":")[0])
            if sample.code == "link-down" and port in self._ports:
                self.down[port] = None
            else:
                self.down.pop(port, None)
        elif sample.code == "reboot":  # earlier messages were of another boot
            for port in [one for one in self.down if one[0] == sample.host]:
                del self.down[port]

    @property
    def text(self) -> str:
        """``dut: the link of ix0 is down``; empty if none is."""
        return "; ".join(f"{host}: the link of {port} is down" for host, port in self.down)
