"""The interfaces below a VLAN, bond, lagg or bridge: only its cards have rings, queues and pause frames."""

import re
from collections.abc import Iterable

from fwdtui.core.hygiene.finding import Subject

_PARENT = re.compile(r"parent interface: (\w\S*)")


def below(subject: Subject, interface: str) -> list[str]:
    """The interfaces directly below `interface`."""
    return (_linux if subject.settings.system == "linux" else _freebsd)(subject, interface)


def cards(subject: Subject, interface: str) -> list[str]:
    """The cards at the bottom, below `interface` at any depth; empty if it is a card itself."""
    found: dict[str, bool] = {}  # whether there is something below it
    waiting = [interface]
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            steps = below(subject, name)
            found[name] = bool(steps)
            waiting[:0] = steps
    return [name for name, on in found.items() if not on and name != interface]


def with_cards(subject: Subject, interfaces: Iterable[str]) -> tuple[str, ...]:
    """Each interface, followed by all interfaces below it whose settings were read."""
    found: dict[str, bool] = {}  # whether it counts; what was only passed on the way down does not
    for interface in interfaces:
        waiting = [interface]
        while waiting:
            name = waiting.pop(0)
            if name not in found:
                waiting[:0] = below(subject, name)
            found[name] = found.get(name, False) or name == interface or _is_read(subject, name)
    return tuple(name for name, counts in found.items() if counts)


def _is_read(subject: Subject, interface: str) -> bool:
    """Whether its settings were read: always on FreeBSD (ifconfig, sysctl), on Linux if ethtool was asked."""
    return (
        subject.settings.system != "linux" or subject.settings.source(f"ethtool -k {interface}") is not None
    )


def _linux(subject: Subject, interface: str) -> list[str]:
    """Like `below`. The other end of a veth does not count as below it."""
    parent = subject.get("ip addr", f"{interface} on")
    if parent not in ("", "NONE") and not subject.get("ip addr", f"{interface} kind").startswith("veth"):
        return [parent]
    masters = subject.source("ip addr").values.items()
    return [key.removesuffix(" master") for key, of in masters if key.endswith(" master") and of == interface]


def _freebsd(subject: Subject, interface: str) -> list[str]:
    if parent := _PARENT.search(subject.get("ifconfig", f"{interface} vlan")):
        return [parent[1]]
    ports = (subject.get("ifconfig", f"{interface} {key}") for key in ("laggport", "member"))
    return [port.partition(" ")[0] for text in ports if text for port in text.split("; ")]
