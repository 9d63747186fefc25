"""Linux `ip -d addr` (or `ip -d link`) as settings: every interface with its kind and its addresses.

Source: iproute2's ip(8), ipaddress.c. Indexes are left out: ``2: eth0@if5:`` is ``eth0``. Notes never quote a
line.
"""

import re

from fwdtui.core.parse.fields import Parsed, Skipped, lines

_HEAD = re.compile(r"[0-9]{1,9}: ([^\s:@]{1,64})(?:@([^\s:]{1,64}))?: <([^>]*)>(.*)")
_INDEX = re.compile(r"if[0-9]+")
# one word without a value, with a number for a mode that this iproute2 has no name for (iplink_xdp.c)
_XDP = re.compile(r"(xdp(?:generic|offload|multi|\[[0-9]{1,3}\])?)(?:/id:[0-9]+)?")

# words of vxlan, gre, tun and others that have no value; the list need not be complete, see `_pairs`
_ALONE = re.compile(
    r"multi_queue|(?:no)?udpcsum|(?:no)?udp6zerocsum[rt]x|remcsum[rt]x|nolearning|proxy|rsc|l[23]miss|gbp|gpe|"
    r"external|[io](?:csum|seq)|(?:no)?pmtudisc|ignore-df|nopromisc"
)
_ONLY_VALUE = re.compile(r"on|off|[0-9]+")  # never the name of a setting


def parse(text: str) -> Parsed[dict[str, str]]:
    """``"eth0 mtu"`` -> ``"1500"``, ``"eth0 inet"`` -> all addresses, joined by "; ". Never raises."""
    settings: dict[str, list[str]] = {}
    skipped = Skipped()
    name = ""
    for number, raw in enumerate(lines(text), 1):
        line = raw.strip()
        if head := _HEAD.fullmatch(raw):
            name = head[1]
            if head[2] and not _INDEX.fullmatch(head[2]):
                settings[f"{name} on"] = [head[2]]
            settings[f"{name} flags"] = [head[3]]
            _pairs(settings, name, head[4].split())
        elif not line:
            continue
        elif not name:
            skipped.note(f"line {number}: not part of any interface")
        elif line.startswith("link/"):
            _pairs(settings, name, line.split())
        elif line.startswith(("inet ", "inet6 ")):
            key, _, value = line.partition(" ")
            # for a second after the link came up, until no other host is found to have it
            words = [word for word in value.split() if word != "tentative"]
            # a random address, a new one every day (RFC 8981)
            key = "temporary" if "temporary" in words else key
            settings.setdefault(f"{name} {key}", []).append(" ".join(words))
        elif line.startswith("valid_lft"):
            settings.setdefault(f"{name} valid_lft", []).append(line)
        else:
            words = line.split()
            settings.setdefault(f"{name} kind", []).append(words[0])
            _pairs(settings, name, words[1:])
    return Parsed({key: "; ".join(values) for key, values in settings.items()}, skipped.done())


def _pairs(settings: dict[str, list[str]], name: str, words: list[str]) -> None:
    """``mtu 1500 qdisc mq state UP`` -> a setting for each pair; words in <> and XDP's have no value.

    What can only be a value belongs to the setting before it: ``srcport 0 0 dstport 4789``. So a word that
    unexpectedly has no value puts the names and values of only the next pair into disorder.
    """
    place = 0
    last = ""
    while place < len(words):
        word = words[place]
        if xdp := _XDP.fullmatch(word):  # each program that is loaded has an id of its own
            settings.setdefault(f"{name} xdp", []).append({"xdp": "native"}.get(xdp[1], xdp[1]))
            place += 1
        elif last and _ONLY_VALUE.fullmatch(word):
            settings[last][-1] += f" {word}"
            place += 1
        elif word.startswith("<") or place + 1 == len(words) or _ALONE.fullmatch(word):
            settings.setdefault(f"{name} also", []).append(word)
            place += 1
        else:
            last = f"{name} {word}"
            settings.setdefault(last, []).append(words[place + 1])
            place += 2
