"""`ip -j -s -s link`: interfaces with their counters and the settings that a report names.

Source: ip-link(8), print_link_stats64() in ip/ipaddress.c. `dropped` leaves out the frames that the device
missed, unlike /proc/net/dev; with a single -s there is no missed_errors. Namespaced, 64 bits wide.
"""

from dataclasses import dataclass

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.parse.fields import Skipped
from fwdtui.core.parse.json_text import count, load_json, mapping, sequence
from fwdtui.core.parse.proc_net_dev import interface_counters
from fwdtui.core.parse.result import Parsed
from fwdtui.core.parse.words import identifier, phrase

_FIELDS = ("packets", "bytes", "errors", "dropped")


@dataclass(frozen=True, slots=True)
class Link:
    """One interface. `index` is new when an interface is made again under the same name."""

    name: str
    index: int | None
    counters: InterfaceCounters
    mtu: int | None = None
    state: str | None = None  # UP, DOWN, UNKNOWN (lo), LOWERLAYERDOWN ...
    address: str | None = None
    qdisc: str | None = None
    kind: str | None = None  # veth, vlan, bond ...; needs -d


def parse_ip_link(text: str) -> Parsed[dict[str, Link]]:
    """The JSON array of ``ip -j [-s [-s]] [-d] link`` -> links by name."""
    skipped = Skipped()
    document, why = load_json(text)
    if why:
        skipped.note(why)
    found: dict[str, Link] = {}
    for entry in sequence(document):
        item = mapping(entry)
        name = identifier(item.get("ifname"))
        if name is None or name in found:
            if item:  # ip prints {} for what a filter left out
                skipped.note(f"no name or a second {name}")
            continue
        stats = mapping(item.get("stats64")) or mapping(item.get("stats"))
        counters: dict[str, int] = {}
        for way in ("rx", "tx"):
            values = mapping(stats.get(way))
            for field in _FIELDS:
                value = count(values.get(field))
                if value is not None:
                    counters[f"{way}_{field}"] = value
                elif field in values:
                    skipped.note(f"{way} {field} of {name} is no counter")
        missed = count(mapping(stats.get("rx")).get("missed_errors"))
        if missed is not None:
            counters["rx_missed"] = missed
        found[name] = Link(
            name,
            count(item.get("ifindex")),
            interface_counters(name, counters),
            count(item.get("mtu")),
            phrase(item.get("operstate"), 20),
            phrase(item.get("address"), 60),
            phrase(item.get("qdisc"), 30),
            phrase(mapping(item.get("linkinfo")).get("info_kind"), 30),
        )
    return Parsed(found, skipped.done())
