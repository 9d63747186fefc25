"""FreeBSD `ifconfig`, `ifconfig -v` and `-D`: link, speed, offloads and addresses of each interface.

Source: sbin/ifconfig/ifconfig.c, ifmedia.c, sfp.c; ifconfig(8). An interface begins with ``NAME: flags=``;
everything up to the next one belongs to it. `options` are the offloads in use (TXCSUM, LRO, TSO4...), a
different set from `nd6 options`. `media` is what was configured, with what was negotiated in parentheses. -D
adds the driver's own name of a renamed interface; without link the status is "no carrier".

RSS is not shown here: its state is in the sysctls net.inet.rss.*.
"""

import re
from dataclasses import dataclass
from typing import Any

from fwdtui.core.parse.fields import Parsed, Skipped, lines

_HEAD = re.compile(
    r"(\S{1,31}): flags=([0-9a-f]{1,16})<([^>]*)>(?: metric ([0-9]{1,9}))?(?: mtu ([0-9]{1,9}))?.*"
)
_OPTIONS = re.compile(r"options=[0-9a-f]+<([^>]*)>.*")
_MEDIA = re.compile(r"\bmedia: (.*)")
_ACTIVE = re.compile(r"\(([^()<>]*?) ?(?:<([^<>]*)>)?\)")
_WORD = re.compile(r"(ether|status:|drivername:|groups:|plugged:|inet6?|laggport:) ?(.*)")
_PARENT = re.compile(r"vlan: ([0-9]{1,4})\b.* parent interface: (\S+)")


@dataclass(frozen=True, slots=True)
class FreebsdInterface:
    """One interface; "" and () if nothing was printed. `up` is the configured state, `link` the cable's."""

    name: str
    flags: tuple[str, ...] = ()
    mtu: int | None = None
    options: tuple[str, ...] = ()
    media: str = ""  # as configured: "Ethernet autoselect"
    active: str = ""  # as negotiated: "10Gbase-SR"; "" without link or if fixed
    media_options: tuple[str, ...] = ()  # of the negotiated medium: "full-duplex", "rxpause", "txpause"
    status: str = ""  # "active" | "no carrier" | ...
    ether: str = ""
    driver: str = ""  # -D: driver and unit, if the interface was renamed
    addresses: tuple[str, ...] = ()  # with prefix or netmask as printed
    groups: tuple[str, ...] = ()
    vlan: int | None = None
    parent: str = ""  # of a vlan
    members: tuple[str, ...] = ()  # of a lagg
    plugged: str = ""  # -v: the transceiver

    @property
    def up(self) -> bool:
        return "UP" in self.flags

    @property
    def link(self) -> bool | None:
        """Whether the link is up; None for interfaces without media (lo0)."""
        return None if not self.status else self.status == "active"


def parse(text: str) -> Parsed[tuple[FreebsdInterface, ...]]:
    """All interfaces in printed order; irrelevant lines are ignored. Never raises.

    Does not rely on indentation; `hwaddr` and `media` may share a line.
    """
    interfaces: list[dict[str, Any]] = []
    skipped = Skipped()
    for number, line in enumerate(lines(text), 1):
        if head := _HEAD.fullmatch(line):
            mtu = int(head[5]) if head[5] else None
            interfaces.append(
                {"name": head[1], "flags": _list(head[3]), "mtu": mtu, "addresses": [], "members": []}
            )
        elif line.startswith("ifconfig:"):
            skipped.line(number, "ifconfig reports an error", line)
        elif interfaces:
            _add(interfaces[-1], line.strip())
        elif line.strip():
            skipped.line(number, "not part of any interface", line)
    for item in interfaces:
        item["addresses"], item["members"] = tuple(item["addresses"]), tuple(item["members"])
    return Parsed(tuple(FreebsdInterface(**item) for item in interfaces), skipped.done())


def _add(item: dict[str, Any], line: str) -> None:
    """Stores one line of an interface in its field; an irrelevant line changes nothing."""
    if options := _OPTIONS.fullmatch(line):
        item["options"] = _list(options[1])
    elif vlan := _PARENT.match(line):
        item["vlan"], item["parent"] = int(vlan[1]), vlan[2]
    elif media := _MEDIA.search(line):
        item["media"], item["active"], item["media_options"] = _media(media[1].strip())
    elif word := _WORD.fullmatch(line):
        rest = word[2].strip()
        match word[1]:
            case "ether" | "status:" | "plugged:":
                item[word[1].rstrip(":")] = rest
            case "drivername:":
                item["driver"] = rest
            case "groups:":
                item["groups"] = tuple(rest.split())
            case "inet" | "inet6":
                item["addresses"].append(rest)
            case "laggport:":
                item["members"].append(rest.partition(" ")[0])


def _media(text: str) -> tuple[str, str, tuple[str, ...]]:
    """``Ethernet autoselect (10Gbase-SR <full-duplex>)``, or fixed ``Ethernet 10Gbase-LR <…>``.

    -> configured, negotiated ("" if fixed), options of the medium in use.
    """
    if negotiated := _ACTIVE.search(text):
        return text[: negotiated.start()].strip(), negotiated[1], _list(negotiated[2] or "")
    configured, _, rest = text.partition("<")
    return configured.strip(), "", _list(rest.partition(">")[0])


def _list(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(",") if part)
