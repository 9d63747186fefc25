"""FreeBSD `ifconfig` as settings: every line of every interface, whatever it is about.

Source: sbin/ifconfig/ifconfig.c. core.parse.ifconfig reads what a report needs; here nothing may be lost that
could differ. Bit masks are left out where names follow: ``options=e507bb<RXCSUM,...>``. Notes never quote a
line.
"""

import re

from fwdtui.core.parse.fields import Parsed, Skipped, lines

_HEAD = re.compile(r"(\S{1,31}): flags=[0-9a-f]{1,16}<([^>]*)>(.*)")
_MASK = re.compile(r"(.*?)=[0-9a-f]{1,16}<([^<>]*)>(.*)")
_PAIR = re.compile(r"(\S+) (\S+)")
_REPEATED = ("inet", "inet6", "laggport", "member", "groups", "vlan", "carp")


def parse(text: str) -> Parsed[dict[str, str]]:
    """``"igb0 mtu"`` -> ``"1500"``. What occurs more than once is joined by "; ". Never raises."""
    settings: dict[str, list[str]] = {}
    skipped = Skipped()
    interface = ""
    for number, line in enumerate(lines(text), 1):
        if head := _HEAD.fullmatch(line):
            interface = head[1]
            settings[f"{interface} flags"] = [head[2]]
            for name, value in _PAIR.findall(head[3]):
                settings[f"{interface} {name}"] = [value]
        elif interface and line.strip():
            key, value = _setting(line.strip())
            settings.setdefault(f"{interface} {key}", []).append(value)
        elif line.strip():
            skipped.note(f"line {number}: not part of any interface")
    return Parsed({key: "; ".join(values) for key, values in settings.items()}, skipped.done())


def _setting(line: str) -> tuple[str, str]:
    """``ether 00:0d:b9:41:ca:3c`` -> ("ether", "00:..."), ``options=29<A,B>`` -> ("options", "A,B")."""
    if mask := _MASK.fullmatch(line):
        before, names, after = mask[1], mask[2], mask[3].strip()
        value = f"{names} {after}".strip()
        if before.startswith(_REPEATED):  # laggport: em0 flags=5<MASTER,ACTIVE>
            key, _, rest = before.partition(" ")
            return key.rstrip(":"), f"{rest} {value}".strip()
        return before, value
    key, _, value = line.partition(" ")
    if key == "module" or ((colon := line.find(": ")) > 0 and line[:colon].count(" ") == 1):
        key, _, value = line.partition(": ")
    words = value.split()
    if key == "inet6":
        # for a second after the link came up, until no other host is found to have it
        words = [word for word in words if word != "tentative"]
        # a random address, a new one every day (RFC 8981)
        key = "temporary" if "temporary" in words else key
    return key.rstrip(":"), " ".join(words)
