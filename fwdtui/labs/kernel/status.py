"""What is up and what is broken. It is checked again each time."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean
from fwdtui.labs.kernel import journal, needs, network, place, ssh, steering, topology
from fwdtui.labs.kernel.commands import Commands
from fwdtui.labs.kernel.journal import Journal
from fwdtui.labs.kernel.place import Place
from fwdtui.labs.kernel.scripts import RULES_TABLE

# Sends one datagram to the first flow of each family, from the generator's namespace.
_PROBE = """
import socket, sys
for family, address in ((socket.AF_INET, sys.argv[1]), (socket.AF_INET6, sys.argv[2])):
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        # no shorter than what Ethernet carries: an emulated e1000e counts an error for it
        probe.sendto(b"probe".ljust(18), (address, 9))
"""
_PROBES = 5  # several, since under full load a probe may be dropped like any packet


@dataclass(frozen=True)
class Status:
    """`problems` is empty if everything works; `lines` is for people."""

    up: bool
    problems: tuple[str, ...]
    lines: tuple[str, ...]


def inspect(where: Place) -> Status:
    """Check the lab. Raises FwdtuiError without the necessary rights or programs."""
    nothing = Status(False, (), (f"{where.words} is not up",))
    if journal.read(where.folder) is None:
        return nothing
    needs.require({name: needs.PACKAGES[name] for name in ("ip", "nft", "sysctl")})
    try:
        with place.locked(where) as lock:
            record = journal.read(where.folder)
            return _look(Commands(lock), where, record) if record else nothing
    except place.FolderGoneError:  # the lab was taken down while we waited for the lock
        return nothing


def _look(commands: Commands, where: Place, record: Journal) -> Status:
    broken = problems(commands, where, record)
    lines = [f"{where.words} is {'broken' if broken else 'up'} (mode {record.mode or 'not known'})"]
    lines += [f"broken: {problem}" for problem in broken]
    if record.this_boot:
        lines += [host_line(where, record, host) for host in topology.HOSTS]
    if not broken:
        lines.append("forwards IPv4 and IPv6 from gen0 to sink0 (a probe of each arrived)")
        if changed := steering.changed(commands, where, record.mode):
            lines.append(f"changed since it was brought up: {changed}")
        lines.append(f"ruleset of the dut: {_ruleset(commands, where)}")
        lines.append(f"lab.toml: {where.lab_file}")
    return Status(not broken, tuple(broken), tuple(lines))


def is_up(where: Place) -> bool:
    """Whether the lab was brought up completely and its namespaces still exist: a cheap check."""
    record = journal.read(where.folder)
    return bool(
        record
        and record.this_boot
        and record.complete
        and all(place.inode(name) == inode for name, inode in record.namespaces.items())
    )


def problems(commands: Commands, where: Place, record: Journal) -> list[str]:
    """What is missing from a complete lab, one line each. If all seems well, a probe is sent through it."""
    return incomplete(where, record) or faults(commands, where, record)


def incomplete(where: Place, record: Journal) -> list[str]:
    """Problems that make further checks useless: another boot, namespaces that are gone, a half-built lab."""
    if not record.this_boot:
        return ["the machine has been rebooted since the lab was brought up"]
    missing = [
        f"the namespace {name} is gone"
        for name in map(where.namespace, topology.HOSTS)
        if name not in record.namespaces or place.inode(name) != record.namespaces[name]
    ]
    return missing or ([] if record.complete else ["it was only partly built"])


def faults(commands: Commands, where: Place, record: Journal) -> list[str]:
    """What does not work in a lab whose namespaces exist."""
    broken = on_hosts(commands, where, record, topology.HOSTS)
    return broken or _switched_off(commands, where) or probe(commands, where)


def on_hosts(commands: Commands, where: Place, record: Journal, hosts: Sequence[str]) -> list[str]:
    """What is missing on `hosts`, which are namespaces, and which of the lab's files are missing."""
    broken = [
        f"{host}: sshd is not running"
        for host in hosts
        if ssh.server_pid(where, host, record.namespaces[where.namespace(host)]) is None
    ]
    broken += [
        f"the file {name} is gone"
        for name in record.files
        if _needed(name) and not (where.folder / name).exists()
    ]
    return broken + _ports(commands, where, hosts)


def _needed(name: str) -> bool:
    """Whether a file must exist: servers make logs and pid files, and variants of lab.toml are optional."""
    return not name.endswith((".log", ".log.1", ".pid", ".socket")) and not name.startswith("lab-")


def _ports(commands: Commands, where: Place, hosts: Sequence[str]) -> list[str]:
    broken = []
    wanted = {host: [topology.MANAGEMENT] for host in hosts}
    for port in (port for link in topology.LINKS for port in link):
        if port.host in wanted:
            wanted[port.host].append(port.name)
    for host, names in wanted.items():
        listing = json.loads(commands.run("ip", "-netns", where.namespace(host), "-json", "link", "show"))
        states = {port["ifname"]: port["operstate"] for port in listing}
        broken += [
            f"{host}: {name} is {states.get(name, 'gone')}" for name in names if states.get(name) != "UP"
        ]
    return broken


def _switched_off(commands: Commands, where: Place) -> list[str]:
    dut = where.namespace("dut")
    keys = ("net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding")
    values = commands.inside(dut, "sysctl", "-n", *keys).split()
    return [f"dut: {key} is {value}" for key, value in zip(keys, values, strict=False) if value != "1"]


def probe(commands: Commands, where: Place, send: Callable[[Sequence[str]], None] | None = None) -> list[str]:
    """Sends packets of both families through the DUT; returns what does not arrive at the sink.

    `send`: sends a packet to each of these addresses; by default from the generator's namespace.
    """
    flows = (topology.FLOWS_IPV4, topology.FLOWS_IPV6)
    targets = [prefix.partition("/")[0] for prefix in flows]
    try:
        before = network.counted_at_sink(commands, where)
        after = before
        for _ in range(_PROBES):
            if send is None:
                commands.inside(where.namespace("gen"), sys.executable, "-I", "-c", _PROBE, *targets)
            else:
                send(targets)
            after = network.counted_at_sink(commands, where)
            if after[0] > before[0] and after[1] > before[1]:
                return []
    except FwdtuiError as error:
        return [str(error)]
    return [
        f"{family} does not get through from gen0 to sink0"
        for family, was, now in zip(("IPv4", "IPv6"), before, after, strict=True)
        if now <= was
    ]


def host_line(where: Place, record: Journal, host: str) -> str:
    """A line for people about a host that is a namespace."""
    namespace = where.namespace(host)
    pid = ssh.server_pid(where, host, record.namespaces.get(namespace))
    server = f"sshd {pid}" if pid else "no sshd"
    return f"  {host:<5} {namespace:<20} {network.management(record.slot, host)[1]:<15} {server}"


def _ruleset(commands: Commands, where: Place) -> str:
    listing = json.loads(commands.inside(where.namespace("dut"), "nft", "-j", "list", "ruleset"))["nftables"]
    rules = [item["rule"] for item in listing if "rule" in item]
    ours = sum(rule["table"] == RULES_TABLE for rule in rules)
    others = sorted({clean(item["table"]["name"]) for item in listing if "table" in item} - {RULES_TABLE})
    said = f"{ours} rules of `fwdtui lab rules`" if ours else "no rules"
    return f"{said}; and the tables {', '.join(others)}" if others else said
