"""Namespaces, links, addresses, routes and the sink's drop rule: the steps, in order."""

import contextlib
import json
import secrets
import socket
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import topology
from fwdtui.labs.kernel.commands import Commands
from fwdtui.labs.kernel.journal import Journal
from fwdtui.labs.kernel.place import Place, inode

_SLOTS = 64

# In the hosts: no tuning of what is measured, only what forwarding needs and what keeps the ports quiet.
_HOST_SYSCTLS = (
    "net.ipv4.conf.all.rp_filter=0",
    "net.ipv4.conf.default.rp_filter=0",
    # in milliseconds: a new port announces its multicast groups twice within this time, then stays silent
    "net.ipv6.conf.default.mldv2_unsolicited_report_interval=1",
)
_DUT_SYSCTLS = (
    "net.ipv4.ip_forward=1",
    "net.ipv6.conf.all.forwarding=1",
    "net.ipv4.conf.all.send_redirects=0",
    "net.ipv4.conf.default.send_redirects=0",
)

_SINK_RULES = f"""
table netdev sink {{
  chain arrived {{
    type filter hook ingress device "{topology.SINK0.name}" priority 0; policy accept;
    ip daddr {topology.FLOWS_IPV4} counter drop
    ip6 daddr {topology.FLOWS_IPV6} counter drop
  }}
}}
"""


def root_side(slot: int, host: str) -> str:
    """The machine's own end of a host's management link: at most 15 characters."""
    return f"fwdtui{slot}-{host}"


def management(slot: int, host: str) -> tuple[str, str]:
    """Link-local addresses (RFC 3927) of the management link: the machine's end and the host's end."""
    base = 4 * topology.HOSTS.index(host)
    return f"169.254.{100 + slot}.{base + 1}", f"169.254.{100 + slot}.{base + 2}"


def random_mac() -> str:
    """A locally administered hardware address, by which a link is known to be ours."""
    return "02:" + ":".join(f"{byte:02x}" for byte in secrets.token_bytes(5))


@contextlib.contextmanager
def choosing_slot(commands: Commands) -> Iterator[int]:
    """The number of a set of management addresses that no other lab uses.

    Within the block, no other lab can choose one. The mutex is an abstract unix socket (unix(7)): it goes
    away with us, however we end.
    """
    mutex = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    until = time.monotonic() + 60  # seconds: one on a starved machine may take its time
    with mutex:
        while True:
            try:
                mutex.bind("\0fwdtui-kernel-lab")
                break
            except OSError:
                if time.monotonic() > until:
                    raise FwdtuiError("kernel lab: another lab is being brought up on this machine") from None
                time.sleep(0.05)
        yield _free_slot(commands)


def _free_slot(commands: Commands) -> int:
    ports = json.loads(commands.run("ip", "-json", "address", "show"))
    names = {port.get("ifname", "") for port in ports}
    addresses = {info.get("local", "") for port in ports for info in port.get("addr_info", [])}
    for slot in range(_SLOTS):
        ours = {address for host in topology.HOSTS for address in management(slot, host)}
        if not ours & addresses and not {root_side(slot, host) for host in topology.HOSTS} & names:
            return slot
    raise FwdtuiError(f"kernel lab: {_SLOTS} labs are up on this machine; take one down first")


def make_namespaces(commands: Commands, place: Place, journal: Journal) -> None:
    """Makes a namespace for each host. Raises FwdtuiError if one of that name exists and is not ours."""
    taken = [name for name in map(place.namespace, topology.HOSTS) if inode(name) is not None]
    if taken:
        raise FwdtuiError(
            f"kernel lab: the namespace {taken[0]} already exists and was not made by {place.folder}: "
            "take that lab down, or use --name"
        )
    for name in map(place.namespace, topology.HOSTS):
        journal.will_make_namespace(name)
        commands.run("ip", "netns", "add", name)
        journal.made_namespace(name, inode(name) or 0)
        commands.inside(name, "sysctl", "-q", "-w", *_HOST_SYSCTLS)
        commands.run("ip", "-netns", name, "link", "set", "lo", "up")
    # set before the DUT has ports, so that they are a router's ports from the start
    commands.inside(place.namespace("dut"), "sysctl", "-q", "-w", *_DUT_SYSCTLS)


def make_management(
    commands: Commands, place: Place, journal: Journal, slot: int, hosts: Sequence[str] = topology.HOSTS
) -> None:
    """Makes a veth from the machine's own namespace to each host, with an address on each end."""
    for host in hosts:
        namespace, outside = place.namespace(host), root_side(slot, host)
        machine_end, host_end = management(slot, host)
        mac = random_mac()
        journal.will_make_veth(outside, mac)
        peer = ("peer", "name", topology.MANAGEMENT, "netns", namespace)
        commands.run("ip", "link", "add", outside, "address", mac, "type", "veth", *peer)
        for where, name, address in (
            ((), outside, machine_end),
            (("-netns", namespace), topology.MANAGEMENT, host_end),
        ):
            quiet(commands, where, name)
            commands.run("ip", *where, "address", "add", f"{address}/30", "dev", name)
            commands.run("ip", *where, "link", "set", name, "up")


def make_links(commands: Commands, place: Place) -> None:
    """Makes the links under test (ports, addresses, fixed neighbours, routes), then the sink's drop rule."""
    for number, (left, right) in enumerate(topology.LINKS):
        # The ends get different interface numbers: if both have the same one in their namespaces, the kernel
        # may wait a second before it opens the link (linkwatch_urgent_event).
        commands.run(
            *("ip", "link", "add", *_end(place, left, 10 + 2 * number), "type", "veth"),
            *("peer", *_end(place, right, 11 + 2 * number)),
        )
        for port in (left, right):
            set_up_port(commands, place, port)
        for port, other in ((left, right), (right, left)):
            know_neighbour(commands, place, port, other)
    add_routes(commands, place, topology.HOSTS)
    count_and_drop(commands, place)


def set_up_port(commands: Commands, place: Place, port: topology.Port) -> None:
    """Gives a port its addresses and sets it up."""
    where = ("-netns", place.namespace(port.host))
    quiet(commands, where, port.name)
    for address in (f"{port.ipv4}/{topology.PREFIX_IPV4}", f"{port.ipv6}/{topology.PREFIX_IPV6}"):
        # without duplicate address detection, the address works at once and sends nothing
        nodad = ("nodad",) if ":" in address else ()
        commands.run("ip", *where, "address", "add", address, "dev", port.name, *nodad)
    commands.run("ip", *where, "link", "set", port.name, "up")


def know_neighbour(commands: Commands, place: Place, port: topology.Port, other: topology.Port) -> None:
    """Gives a port a permanent neighbour entry with the hardware address of the other end."""
    for address in (other.ipv4, other.ipv6):
        commands.run(
            *("ip", "-netns", place.namespace(port.host), "neighbour", "replace", address),
            *("lladdr", other.mac, "dev", port.name, "nud", "permanent"),
        )


def add_routes(commands: Commands, place: Place, hosts: Collection[str]) -> None:
    """Adds the routes of these hosts."""
    for host, destination, hop in topology.ROUTES:
        if host in hosts:
            commands.run("ip", "-netns", place.namespace(host), "route", "add", destination, "via", hop)


def count_and_drop(commands: Commands, place: Place) -> None:
    """Adds the sink's rules."""
    commands.inside(place.namespace("sink"), "nft", "-f", "-", text=_SINK_RULES)


def _end(place: Place, port: topology.Port, number: int) -> tuple[str, ...]:
    queues = ("numtxqueues", str(topology.QUEUES), "numrxqueues", str(topology.QUEUES))
    where = ("netns", place.namespace(port.host))
    return "name", port.name, *where, "index", str(number), "address", port.mac, *queues


def quiet(commands: Commands, where: tuple[str, ...], port: str) -> None:
    """Turns off link-local addresses and multicast, so that only the traffic under test is counted."""
    commands.run("ip", *where, "link", "set", port, "addrgenmode", "none", "multicast", "off")


def counted_at_sink(commands: Commands, place: Place) -> tuple[int, int]:
    """The packets that the sink's two rules have counted: IPv4, IPv6."""
    listing = json.loads(
        commands.inside(place.namespace("sink"), "nft", "-j", "list", "table", "netdev", "sink")
    )
    counts = [
        expression["counter"]["packets"]
        for item in listing["nftables"]
        for expression in item.get("rule", {}).get("expr", [])
        if "counter" in expression
    ]
    if len(counts) != 2:
        raise FwdtuiError(f"kernel lab: the sink has {len(counts)} counting rules instead of 2")
    return counts[0], counts[1]


def write_sysfs(commands: Commands, namespace: str | None, path: str, value: str) -> None:
    """Writes one value under /sys, in the machine's own namespace (None) or in a host's."""
    if namespace is None:
        Path(path).write_text(value)
    else:
        commands.inside(namespace, "tee", path, text=value)
