"""/proc/net/snmp and /proc/net/snmp6: what the IP layers received, forwarded and dropped, and why.

Source: net/ipv4/proc.c, net/ipv6/proc.c; names after RFC 4293 as nstat(8) prints them. Namespaced, 64 bits
wide on 64-bit kernels. Packets that XDP or a flow table forwards are not counted here.
"""

from dataclasses import dataclass

from fwdtui.core.parse.fields import Parsed, Skipped, identifier, lines, shown, whole

# Settings and gauges that share the file; MaxConn prints as -1.
_NOT_COUNTERS = frozenset(
    {
        "IpForwarding",
        "IpDefaultTTL",
        "TcpRtoAlgorithm",
        "TcpRtoMin",
        "TcpRtoMax",
        "TcpMaxConn",
        "TcpCurrEstab",
    }
)


@dataclass(frozen=True, slots=True)
class IpCounters:
    """The forwarding part of one IP version, in packets since boot; None: no such counter here."""

    received: int | None = None
    forwarded: int | None = None
    delivered: int | None = None
    in_header_errors: int | None = None
    in_address_errors: int | None = None
    in_no_routes: int | None = None  # IPv6 only: IPv4 counts it in OutNoRoutes or InAddrErrors
    in_discards: int | None = None
    out_discards: int | None = None
    out_no_routes: int | None = None


_FIELDS = {
    "received": "InReceives",
    "forwarded": "ForwDatagrams",
    "delivered": "InDelivers",
    "in_header_errors": "InHdrErrors",
    "in_address_errors": "InAddrErrors",
    "in_no_routes": "InNoRoutes",
    "in_discards": "InDiscards",
    "out_discards": "OutDiscards",
    "out_no_routes": "OutNoRoutes",
}


def parse_proc_net_snmp(text: str) -> Parsed[dict[str, int]]:
    """/proc/net/snmp: pairs of lines, names and values -> {"IpForwDatagrams": 0, "UdpInErrors": 0 ...}.

    Settings in the same table (Forwarding, DefaultTTL, Tcp's timers) and the gauge CurrEstab are left out.
    """
    skipped = Skipped()
    counters: dict[str, int] = {}
    names: tuple[str, list[str]] | None = None
    for number, line in enumerate(lines(text), 1):
        if not line.strip():
            continue
        protocol, colon, rest = line.partition(":")
        prefix = identifier(protocol)
        if not colon or prefix is None:
            skipped.line(number, "not a protocol", line)
            names = None
            continue
        tokens = rest.split()
        if names is None or names[0] != prefix:
            if names is not None:
                skipped.line(number - 1, "names without values", names[0])
            names = (prefix, tokens)
            continue
        if len(tokens) != len(names[1]):
            skipped.line(number, f"{len(tokens)} values, {len(names[1])} names", line)
        else:
            for name, value in zip(names[1], tokens, strict=True):
                _put(counters, prefix + name, value, skipped, number)
        names = None
    if names is not None:
        skipped.note(f"names without values: {shown(names[0])}")
    return Parsed(counters, skipped.done())


def parse_proc_net_snmp6(text: str) -> Parsed[dict[str, int]]:
    """/proc/net/snmp6: a name and a value per line -> {"Ip6InReceives": 1, "Ip6OutForwDatagrams": 0 ...}."""
    skipped = Skipped()
    counters: dict[str, int] = {}
    for number, line in enumerate(lines(text), 1):
        tokens = line.split()
        if not tokens:
            continue
        if len(tokens) != 2:
            skipped.line(number, "not a name and a value", line)
            continue
        _put(counters, tokens[0], tokens[1], skipped, number)
    return Parsed(counters, skipped.done())


def ip_counters(counters: dict[str, int], version: int = 4) -> IpCounters:
    """The forwarding counters of IP version 4 or 6, from what the two parsers above return."""
    prefix = "Ip6" if version == 6 else "Ip"
    values = {field: counters.get(prefix + name) for field, name in _FIELDS.items()}
    if version == 6:
        values["forwarded"] = counters.get("Ip6OutForwDatagrams")
    return IpCounters(**values)


def _put(counters: dict[str, int], name: str, value: str, skipped: Skipped, line: int) -> None:
    key = identifier(name)
    if key is None:
        skipped.line(line, "not a counter name", name)
    elif key in _NOT_COUNTERS:
        return
    elif key in counters:
        skipped.line(line, "a second value", key)
    elif (count := whole(value)) is None:
        skipped.line(line, f"{key} is not a counter", value)
    else:
        counters[key] = count
