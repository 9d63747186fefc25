"""Which of a lab's hosts are virtual machines, where their files are, and where their cards end. Pure."""

from dataclasses import dataclass
from pathlib import Path

from fwdtui.labs.kernel import topology
from fwdtui.labs.kernel.network import management, root_side
from fwdtui.labs.kernel.place import Place
from fwdtui.labs.kernel.topology import Port

DUT, GENERATOR = "dut", "gen"
_FOLDER = "generator"


@dataclass(frozen=True)
class Guest:
    """One virtual machine of a lab. `host`: DUT or GENERATOR."""

    where: Place
    host: str = DUT

    @property
    def folder(self) -> Path:
        """The folder of the machine's keeper, with boot entries, logs and sockets."""
        return self.where.folder if self.host == DUT else self.where.folder / _FOLDER

    def file(self, name: str) -> str:
        """The name of a file in that folder as the lab's journal has it."""
        return name if self.host == DUT else f"{_FOLDER}/{name}"

    @property
    def namespace(self) -> str:
        """The namespace in which the machine's keeper and QEMU run."""
        return self.where.namespace(self.host)

    def address(self, slot: int) -> str:
        """The address of the machine's ssh server."""
        return management(slot, self.host)[1]

    def management_tap(self, slot: int) -> str:
        """The name of the tap at the other end of its ssh port, on the machine that the lab runs on."""
        return root_side(slot, self.host)

    @property
    def words(self) -> str:
        """The machine's name in messages."""
        return f"{self.where.words}: the {self.host}"


def guests(where: Place) -> list[Guest]:
    """The lab's virtual machines, the DUT first."""
    return [Guest(where), *([Guest(where, GENERATOR)] if where.vm_generator else [])]


def namespaces(where: Place) -> tuple[str, ...]:
    """The hosts that are namespaces, not virtual machines."""
    return tuple(
        host for host in topology.HOSTS if host != DUT and not (host == GENERATOR and where.vm_generator)
    )


def ports(host: str) -> list[tuple[Port, Port]]:
    """A host's test ports, each with the port at the other end of its link."""
    pairs = []
    for left, right in topology.LINKS:
        if host in (left.host, right.host):
            pairs.append((left, right) if left.host == host else (right, left))
    return pairs


def tap(where: Place, port: Port, other: Port) -> tuple[str, str]:
    """The tap of a machine's port: the host whose namespace it is in, and its name there.

    If the host at the other end is a namespace, the tap is that host's own port. If both ends are machines,
    each has a tap in the generator's namespace, and what comes out of one goes into the other (taps.py).
    """
    if other.host in namespaces(where):
        return other.host, other.name
    return GENERATOR, f"{topology.TOWARDS}{port.name}"
