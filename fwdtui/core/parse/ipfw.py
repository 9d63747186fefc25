"""FreeBSD `ipfw show`: the rules with their counters.

Source: sbin/ipfw/ipfw2.c, show_static_rule(); ipfw(8): number, packets, bytes, then the rule. Several rules
may share a number. Without ipfw in the kernel the command reports that the protocol is not available;
whether ipfw filters also depends on the sysctl net.inet.ip.fw.enable.
"""

import re
from dataclasses import dataclass

from fwdtui.core.parse.fields import Parsed, Skipped, lines

_RULE = re.compile(r"([0-9]{1,5})\s+([0-9]{1,20})\s+([0-9]{1,20})\s+(\S.*)")
_DYNAMIC = re.compile(r"## Dynamic rules.*")


@dataclass(frozen=True, slots=True)
class IpfwRule:
    """One rule; packets and bytes that matched it since it was set or zeroed."""

    number: int
    packets: int
    bytes: int
    body: str


@dataclass(frozen=True, slots=True)
class IpfwRules:
    """`loaded` is None if the output does not say; False: no ipfw in this kernel."""

    loaded: bool | None = None
    rules: tuple[IpfwRule, ...] = ()


def parse(text: str) -> Parsed[IpfwRules]:
    """`ipfw show`; the dynamic rules of -d are ignored. Never raises."""
    rules: list[IpfwRule] = []
    loaded: bool | None = None
    skipped = Skipped()
    for number, line in enumerate(lines(text), 1):
        if match := _RULE.fullmatch(line.strip()):
            rules.append(IpfwRule(int(match[1]), int(match[2]), int(match[3]), match[4]))
            loaded = True
        elif line.startswith("ipfw:"):
            skipped.line(number, "ipfw reports an error", line)
            if "Protocol not available" in line:
                loaded = False
        elif _DYNAMIC.match(line):
            break
        elif line.strip():
            skipped.line(number, "not a rule", line)
    return Parsed(IpfwRules(loaded, tuple(rules)), skipped.done())
