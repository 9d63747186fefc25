"""What to sample on each host of a lab."""

import re
from dataclasses import dataclass

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Lab

_INTERFACE = re.compile(r"[A-Za-z0-9_.:@-]{1,32}")


@dataclass(frozen=True, slots=True)
class Watch:
    """One host: its ssh destination, the lab's interfaces on it, and its system if the lab names it."""

    host: str
    interfaces: tuple[str, ...]
    system: str | None = None  # None: detected
    roles: tuple[str, ...] = ()  # "generator", "dut", "receiver"
    tools: tuple[str, ...] = ()  # of the generators and the receiver on this host

    def __post_init__(self) -> None:
        for name in self.interfaces:
            if not is_interface(name):
                raise FwdtuiError(f"{self.host}: {name!r} is not an interface name")


def is_interface(name: str) -> bool:
    """Whether `name` can be an interface's. Names go into shell scripts and into paths below /sys."""
    return _INTERFACE.fullmatch(name) is not None and not name.startswith("-") and bool(name.strip("."))


def watches(lab: Lab) -> tuple[Watch, ...]:
    """Each host of the lab once, whatever its roles, in the order generator, DUT, receiver."""
    interfaces: dict[str, list[str]] = {host: [] for host in lab.hosts()}
    roles: dict[str, list[str]] = {host: [] for host in lab.hosts()}
    tools: dict[str, list[str]] = {host: [] for host in lab.hosts()}
    ends = [("generator", generator) for generator in lab.generators]
    if lab.receiver is not None:
        ends.append(("receiver", lab.receiver))
    for role, endpoint in ends:
        interfaces[endpoint.host].append(endpoint.interface)
        roles[endpoint.host].append(role)
        tools[endpoint.host].append(endpoint.tool)
    interfaces[lab.dut.host] += [*lab.dut.inputs, *lab.dut.outputs]
    roles[lab.dut.host].append("dut")
    return tuple(
        Watch(
            host,
            tuple(dict.fromkeys(interfaces[host])),
            lab.dut.os if host == lab.dut.host else None,
            tuple(dict.fromkeys(roles[host])),
            tuple(dict.fromkeys(tools[host])),
        )
        for host in lab.hosts()
    )
