"""What a VLAN, a bond, a lagg or a bridge is on: it has no rings, queues or pause frames, its cards have."""

import re
from collections.abc import Iterable

from fwdtui.core.hygiene.finding import Subject

_PARENT = re.compile(r"parent interface: (\w\S*)")


def below(subject: Subject, interface: str) -> list[str]:
    """The interfaces that one is on, one step down."""
    return (_linux if subject.settings.system == "linux" else _freebsd)(subject, interface)


def cards(subject: Subject, interface: str) -> list[str]:
    """What it is on in the end, at any depth; empty for a card."""
    found: dict[str, bool] = {}  # whether it is on something else
    waiting = [interface]
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            steps = below(subject, name)
            found[name] = bool(steps)
            waiting[:0] = steps
    return [name for name, on in found.items() if not on and name != interface]


def with_cards(subject: Subject, interfaces: Iterable[str]) -> tuple[str, ...]:
    """Each interface, and after it all below it whose settings were read."""
    found: dict[str, bool] = {}  # whether it counts; what was passed on the way down does not
    for interface in interfaces:
        waiting = [interface]
        while waiting:
            name = waiting.pop(0)
            if name not in found:
                waiting[:0] = below(subject, name)
            found[name] = found.get(name, False) or name == interface or _is_read(subject, name)
    return tuple(name for name, counts in found.items() if counts)


def _is_read(subject: Subject, interface: str) -> bool:
    """FreeBSD's ifconfig and sysctl tell of all, Linux's ethtool of those that it was asked for."""
    return (
        subject.settings.system != "linux" or subject.settings.source(f"ethtool -k {interface}") is not None
    )


def _linux(subject: Subject, interface: str) -> list[str]:
    """Not the other end of a veth."""
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
