"""/proc/net/dev and /sys/class/net/IF/statistics: packets, bytes, errors and drops of each interface.

Source: dev_seq_printf_stats() in net/core/net-procfs.c, Documentation/ABI/testing/sysfs-class-net-statistics.
All counters are 64 bits wide on 64-bit kernels and namespaced: a shell in another network namespace
sees other interfaces.
"""

from collections.abc import Iterable, Mapping

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.parse.fields import Parsed, Skipped, identifier, lines, whole

_RECEIVE = ["bytes", "packets", "errs", "drop", "fifo", "frame", "compressed", "multicast"]
_TRANSMIT = ["bytes", "packets", "errs", "drop", "fifo", "colls", "carrier", "compressed"]
_FIELD = {"bytes": "bytes", "packets": "packets", "errs": "errors", "drop": "dropped"}
_SYSFS = {
    "rx_packets": "rx_packets",
    "rx_bytes": "rx_bytes",
    "rx_errors": "rx_errors",
    "rx_dropped": "rx_dropped",
    "rx_missed_errors": "rx_missed",
    "tx_packets": "tx_packets",
    "tx_bytes": "tx_bytes",
    "tx_errors": "tx_errors",
    "tx_dropped": "tx_dropped",
}


def parse_proc_net_dev(text: str) -> Parsed[dict[str, InterfaceCounters]]:
    """/proc/net/dev -> counters by interface name, in the order of the file.

    The columns come from the header, if there is one; a missing column is None. The kernel
    pads names to 6 characters and numbers to 8, so long names and large numbers leave no space after the
    colon (``eth0:3563180668``). `rx_dropped` here is rx_dropped + rx_missed_errors.
    """
    skipped = Skipped()
    interfaces: dict[str, InterfaceCounters] = {}
    receive, transmit = _RECEIVE, _TRANSMIT
    for number, line in enumerate(lines(text), 1):
        if "|" in line:
            parts = line.split("|")
            if len(parts) == 3 and parts[0].strip() == "face":
                receive, transmit = parts[1].split(), parts[2].split()
            continue
        if not line.strip():
            continue
        before, colon, after = line.rpartition(":")
        name = identifier(before)
        if not colon or name is None:
            skipped.line(number, "not an interface name", line)
            continue
        values = after.split()
        if len(values) != len(receive) + len(transmit):
            skipped.line(number, f"{len(values)} counters, {len(receive) + len(transmit)} expected", line)
            continue
        if name in interfaces:
            skipped.line(number, "a second row of this interface", line)
            continue
        counters: dict[str, int] = {}
        columns = [("rx_", column) for column in receive] + [("tx_", column) for column in transmit]
        for (prefix, column), value in zip(columns, values, strict=True):
            if column not in _FIELD:
                continue
            count = whole(value)
            if count is None:
                skipped.line(number, f"{prefix}{column} of {name} is not a counter", value)
            else:
                counters[prefix + _FIELD[column]] = count
        interfaces[name] = interface_counters(name, counters)
    return Parsed(interfaces, skipped.done())


def parse_sysfs_statistics(
    interface: str, pairs: Iterable[tuple[str, str | int]]
) -> Parsed[InterfaceCounters]:
    """File names and contents below /sys/class/net/IF/statistics -> that interface's counters.

    Statistics that are not needed (tx_carrier_errors ...) are ignored without a note. Unlike /proc/net/dev,
    `rx_dropped` does not include `rx_missed`.
    """
    skipped = Skipped()
    counters: dict[str, int] = {}
    for name, value in pairs:
        field = _SYSFS.get(name)
        if field is None:
            continue
        count = whole(value.strip()) if isinstance(value, str) else value
        if count is None or isinstance(count, bool) or not 0 <= count < 2**64:
            skipped.note(f"{name} is not a counter")
        elif field in counters:
            skipped.note(f"a second {name}")
        else:
            counters[field] = count
    return Parsed(interface_counters(identifier(interface) or "", counters), skipped.done())


def interface_counters(name: str, counters: Mapping[str, int]) -> InterfaceCounters:
    """Counters by field name as a struct; missing ones are None."""
    return InterfaceCounters(
        name,
        rx_packets=counters.get("rx_packets"),
        rx_bytes=counters.get("rx_bytes"),
        rx_errors=counters.get("rx_errors"),
        rx_dropped=counters.get("rx_dropped"),
        tx_packets=counters.get("tx_packets"),
        tx_bytes=counters.get("tx_bytes"),
        tx_errors=counters.get("tx_errors"),
        tx_dropped=counters.get("tx_dropped"),
        rx_missed=counters.get("rx_missed"),
    )
