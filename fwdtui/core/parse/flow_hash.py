"""``ethtool -n IF rx-flow-hash PROTOCOL``: which fields of a packet choose its receive queue.

Source: ethtool(8); dump_rxfhash() in ethtool's rxclass.c. There is one answer for each protocol that was
asked for, under its own title.
"""

import re

from fwdtui.core.parse.fields import Parsed, Skipped, lines

_TITLE = re.compile(r"(TCP|UDP|SCTP) over (IPV4|IPV6|IPv4|IPv6) flows use these fields .*")
_SHORT = {
    "L4 bytes 0 & 1 [TCP/UDP src port]": "source port",
    "L4 bytes 2 & 3 [TCP/UDP dst port]": "destination port",
    "L2DA": "destination MAC",
    "VLAN tag": "VLAN",
    "L3 proto": "L3 protocol",
    "IP SA": "source address",
    "IP DA": "destination address",
    "IPv6 Flow Label": "IPv6 flow label",
    "GTP TEID": "GTP TEID",
}


def parse(text: str) -> Parsed[dict[str, str]]:
    """``"udp4"`` -> ``"source address, destination address"``; "none" where nothing is used. Never raises."""
    skipped = Skipped()
    fields: dict[str, list[str]] = {}
    inside = ""
    for number, raw in enumerate(lines(text), 1):
        line = raw.strip()
        if not line:
            continue
        if title := _TITLE.fullmatch(line):
            inside = f"{title[1].lower()}{title[2][-1]}"
            fields[inside] = []
        elif not inside:
            skipped.note(f"line {number}: before any title")
        elif line in _SHORT:
            fields[inside].append(_SHORT[line])
        elif line != "None":
            skipped.note(f"line {number}: an unknown field")
    return Parsed({flow: ", ".join(used) or "none" for flow, used in fields.items()}, skipped.done())
