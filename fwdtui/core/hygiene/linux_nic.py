"""Rules about the network cards of a Linux host."""

import shlex
from collections.abc import Iterator, Sequence

from fwdtui.core import cpu_list
from fwdtui.core.findings import NOISY, NOTE, WRONG
from fwdtui.core.hygiene.finding import Rule, Seen, Subject
from fwdtui.core.hygiene.linux_cpu import CPUS
from fwdtui.core.parse.proc_interrupts import queue_of

SHORT_RING = 512
"""Descriptors below which a receive ring is short: at 14.88 Mpps it is full after 34 us."""
LONG_WAIT = 250
"""Microseconds of rx-usecs: from this on, interrupts come late. Several drivers' defaults are below it."""
_LIKELY_RING = 1024
_UDP = ("udp4", "udp6")
_PORTS = ("source port", "destination port")


def _is_on(text: str) -> bool:
    return text.partition(" ")[0] == "on"  # "on [fixed]"


def _feature(subject: Subject, interface: str, *names: str) -> list[str]:
    """Which of these features are on."""
    return [name for name in names if _is_on(subject.get(f"ethtool -k {interface}", name))]


def _queues(subject: Subject, interface: str) -> int | None:
    """Receive queues in use; None if the driver does not say."""
    counts = [subject.number(f"ethtool -l {interface}", name) for name in ("Combined", "RX")]
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _interrupts(subject: Subject, interface: str) -> dict[str, tuple[int, ...]]:
    """The CPUs that serve each receive interrupt, by its name; without interrupts for which they are unknown.

    The ports of a Chelsio or Netronome card are one device, which has the interrupts of all of them
    (name_msix_vecs() of cxgb4_main.c): where some have the interface's name, the others are not its own.
    """
    source = f"interrupts {interface}"
    serving: dict[str, tuple[int, ...]] = {}
    keys = [key for key in subject.source(source).values if key.endswith(" allowed")]
    queues = {name: queue_of(name, {}) for key in keys if (name := key.removesuffix(" allowed"))}
    named = any(owner == interface for owner, _, _ in queues.values())
    for name, (owner, _, direction) in queues.items():
        if direction not in ("rx", "rxtx") or (named and owner != interface):
            continue
        served = cpu_list.parse(subject.get(source, f"{name} in effect"))
        allowed = cpu_list.parse(subject.get(source, f"{name} allowed"))
        if not served or (allowed and not set(served) <= set(allowed)):
            # older kernels do not report it; and an interrupt moves only when it occurs the next time
            served = allowed if len(allowed) == 1 else ()
        if cpus := served:
            serving[name] = cpus
    return serving


def _own_cpus(subject: Subject, interface: str) -> tuple[int, ...]:
    """The CPUs of the card's NUMA node; all that are online if there is only one node, or it has none."""
    online = cpu_list.parse(subject.get(CPUS, "CPUs online"))
    nodes = [key for key in subject.source(CPUS).values if key.startswith("NUMA node ")]
    node = subject.number(f"interrupts {interface}", "NUMA node")
    if len(nodes) < 2 or node is None:
        return online
    local = set(cpu_list.parse(subject.get(CPUS, f"NUMA node {node}")))
    return tuple(cpu for cpu in online if cpu in local)


def _assign(names: Sequence[str], cpus: Sequence[int]) -> str:
    """The command that assigns these interrupts to these CPUs in turn."""
    common = _beginning(names).rstrip("0123456789") or names[0]
    # mlx5_comp0@pci:0000:01:00.0: the beginning is the same for all cards of that kind
    rest = [name.removeprefix(common).lstrip("0123456789")[::-1] for name in names]
    last = _beginning(rest)[::-1]
    mine = f"grep -F {shlex.quote(common)} /proc/interrupts"
    mine += f" | grep -F {shlex.quote(last)}" if last else ""
    chosen = " ".join(map(str, cpus[: len(names)]))
    return (
        f"set -- {chosen}; for i in $({mine} | cut -d: -f1); do "
        'echo $1 >/proc/irq/$i/smp_affinity_list; set -- "$@" $1; shift; done'
    )


def _beginning(names: Sequence[str]) -> str:
    """The longest beginning that all names have in common."""
    common = names[0]
    for name in names[1:]:
        while not name.startswith(common):
            common = common[:-1]
    return common


def _numa(subject: Subject) -> Iterator[Seen]:
    nodes = [key for key in subject.source(CPUS).values if key.startswith("NUMA node ")]
    for interface in subject.interfaces:
        node = subject.number(f"interrupts {interface}", "NUMA node")  # None for -1: not known
        if len(nodes) < 2 or node is None:
            continue
        own = _own_cpus(subject, interface)
        served = _interrupts(subject, interface)
        far = [name for name, cpus in served.items() if not set(cpus) <= set(own)]
        if own and far:
            cpus = cpu_list.named(cpu for name in far for cpu in served[name] if cpu not in own)
            yield Seen(
                f"it is on NUMA node {node} ({cpu_list.named(own)}), and {len(far)} of its "
                f"{len(served)} receive interrupts are served by {cpus} of another",
                _assign(list(served), own),
                interface,
            )


def _shared_cpu(subject: Subject) -> Iterator[Seen]:
    for interface in subject.interfaces:
        served = _interrupts(subject, interface)
        cpus = _own_cpus(subject, interface)
        each: dict[int, int] = {}
        for on in served.values():
            if len(on) == 1:
                each[on[0]] = each.get(on[0], 0) + 1
        busiest = max(each, key=lambda cpu: each[cpu], default=None)
        if busiest is None or not cpus or each[busiest] <= -(-len(served) // len(cpus)):
            continue
        yield Seen(
            f"{each[busiest]} of its {len(served)} receive interrupts are served by CPU {busiest}, "
            f"although there are {len(cpus)} CPUs",
            _assign(list(served), cpus),
            interface,
        )


def _pause(subject: Subject) -> Iterator[Seen]:
    for interface in subject.interfaces:
        source = f"ethtool -a {interface}"
        agreed = [subject.get(source, f"{way} negotiated") for way in ("RX", "TX")]
        ways = [
            way.lower()
            for way, result in zip(("RX", "TX"), agreed, strict=True)
            if _is_on(result or subject.get(source, way))
        ]
        if ways:
            # i40e, ice and hns3 refuse `autoneg off` where the link was negotiated; ixgbe then needs it
            off = f"ethtool -A {interface} autoneg off rx off tx off || ethtool -A {interface} rx off tx off"
            yield Seen(f"flow control is on ({', '.join(ways)})", off, interface)


def _lro(subject: Subject) -> Iterator[Seen]:
    for interface in subject.ports:
        if _feature(subject, interface, "large-receive-offload"):
            yield Seen("LRO is on", f"ethtool -K {interface} lro off", interface)


def _gro_udp(subject: Subject) -> Iterator[Seen]:
    for interface in subject.ports:
        if told := _feature(subject, interface, "rx-udp-gro-forwarding", "rx-gro-list"):
            off = " ".join(f"{name} off" for name in told)
            yield Seen(
                f"UDP packets are merged ({', '.join(told)})", f"ethtool -K {interface} {off}", interface
            )


def _gro(subject: Subject) -> Iterator[Seen]:
    for interface in subject.ports:
        if told := _feature(subject, interface, "generic-receive-offload", "rx-gro-hw"):
            how = "GRO is on" if told == ["generic-receive-offload"] else f"GRO is on ({', '.join(told)})"
            off = "gro off" if "rx-gro-hw" not in told else "gro off rx-gro-hw off"
            yield Seen(how, f"ethtool -K {interface} {off}", interface)


def _tso(subject: Subject) -> Iterator[Seen]:
    merging = ("large-receive-offload", "generic-receive-offload", "rx-gro-hw")
    if not any(_feature(subject, port, *merging) for port in subject.ports):
        return  # what was not merged is not split
    for interface in subject.ports:
        if _feature(subject, interface, "tcp-segmentation-offload"):
            yield Seen(
                "TSO is on, and splits again what was merged on input",
                f"ethtool -K {interface} tso off gso off",
                interface,
            )


def _rss_fields(subject: Subject) -> Iterator[Seen]:
    for interface in subject.ports:
        if (_queues(subject, interface) or 0) < 2:
            continue
        for flow in _UDP:
            fields = subject.get(f"ethtool -n {interface}", flow)
            missing = [port for port in _PORTS if port not in fields.split(", ")]
            if fields in ("", "none") or not missing:  # "none": the driver does not say
                continue
            yield Seen(
                f"{flow} packets choose their queue without their {' and '.join(missing)}",
                f"ethtool -N {interface} rx-flow-hash {flow} sdfn",
                interface,
            )


def _rss_table(subject: Subject) -> Iterator[Seen]:
    for interface in subject.ports:
        queues = _queues(subject, interface) or 0
        table = subject.get(f"ethtool -x {interface}", "indirection table").split()
        if queues < 2 or not table:
            continue
        shares = [table.count(str(queue)) for queue in range(queues)]
        if max(shares) - min(shares) > 1:
            used = sum(share > 0 for share in shares)
            told = f"only {used} of {queues} queues" if used < queues else f"{queues} queues unequally"
            yield Seen(f"RSS uses {told}", f"ethtool -X {interface} equal {queues}", interface)


def _few_queues(subject: Subject) -> Iterator[Seen]:
    cpus = len(cpu_list.parse(subject.get(CPUS, "CPUs online")))
    for interface in subject.ports:
        for name in ("Combined", "RX"):
            now = subject.number(f"ethtool -l {interface}", name)
            most = subject.number(f"ethtool -l {interface}", f"maximum {name}")
            if now and most and cpus and now < min(most, cpus):
                yield Seen(
                    f"it has {now} receive queue{'' if now == 1 else 's'}; the card could have {most}, "
                    f"and there are {cpus} CPUs",
                    f"ethtool -L {interface} {name.lower()} {min(most, cpus)}",
                    interface,
                )


def _rings(subject: Subject) -> Iterator[Seen]:
    for interface in subject.ports:
        now = subject.number(f"ethtool -g {interface}", "RX")
        most = subject.number(f"ethtool -g {interface}", "maximum RX")
        if now is not None and most is not None and now < SHORT_RING and now < most:
            yield Seen(
                f"its receive rings have {now} descriptors; the card could have {most}",
                f"ethtool -G {interface} rx {min(most, _LIKELY_RING)}",
                interface,
            )


def _adaptive(subject: Subject) -> Iterator[Seen]:
    for interface in subject.ports:
        if subject.get(f"ethtool -c {interface}", "Adaptive RX") == "on":
            yield Seen(
                "its interrupt rate adapts itself", f"ethtool -C {interface} adaptive-rx off", interface
            )


def _slow_interrupts(subject: Subject) -> Iterator[Seen]:
    for interface in subject.ports:
        waits = subject.number(f"ethtool -c {interface}", "rx-usecs")
        if waits is not None and waits >= LONG_WAIT:
            yield Seen(
                f"an interrupt waits {waits} us for more packets",
                f"ethtool -C {interface} rx-usecs 50",
                interface,
            )


RULES = (
    Rule(
        "lro",
        WRONG,
        "large-receive-offload of a port of the DUT is on",
        "a router must not merge packets in hardware: the packets that leave are not those that came in",
        "Linux net/core/dev.c, dev_disable_lro(); networking/device_drivers/ethernet/intel/ixgbe.rst",
        _lro,
    ),
    Rule(
        "gro-udp",
        WRONG,
        "rx-udp-gro-forwarding or rx-gro-list of a port of the DUT is on",
        "one look-up is done for many packets of a flow, so the rate is not that of single packets",
        "Linux Documentation/networking/segmentation-offloads.rst; ethtool(8) -K",
        _gro_udp,
    ),
    Rule(
        "pause",
        NOISY,
        "flow control is on for a port of the lab, as negotiated if the driver says so",
        "a full DUT makes the generator send less, so loss turns into a lower offered load",
        "ethtool(8) -A; IEEE 802.3 annex 31B",
        _pause,
    ),
    Rule(
        "numa",
        NOISY,
        "a receive interrupt is served by a CPU of another NUMA node than the card's",
        "each packet then crosses the link between the nodes",
        "Linux Documentation/ABI/testing/sysfs-bus-pci, numa_node; networking/scaling.rst",
        _numa,
    ),
    Rule(
        "irq-affinity",
        NOISY,
        "one CPU serves more receive interrupts of a card than an equal share, rounded up",
        "one core has the work of several queues while others are idle",
        "Linux Documentation/core-api/irq/irq-affinity.rst",
        _shared_cpu,
    ),
    Rule(
        "rss-fields",
        NOISY,
        "a port of the DUT with two queues or more hashes UDP without one of its ports",
        "flows that differ only in their ports all go to one queue",
        "ethtool(8) -N rx-flow-hash; Linux Documentation/networking/scaling.rst",
        _rss_fields,
    ),
    Rule(
        "rss-table",
        NOISY,
        "in the indirection table two queues differ by more than one entry",
        "queues get unequal shares of the flows, or none",
        "ethtool(8) -X; Linux Documentation/networking/scaling.rst",
        _rss_table,
    ),
    Rule(
        "coalescing-adaptive",
        NOISY,
        "adaptive-rx of a port of the DUT is on",
        "the driver changes the interrupt rate while a blast is measured",
        "ethtool(8) -C; Linux Documentation/networking/net_dim.rst",
        _adaptive,
    ),
    Rule(
        "coalescing-long",
        NOTE,
        f"rx-usecs of a port of the DUT is {LONG_WAIT} or more",
        "packets wait in the ring, which adds latency and fills it in bursts",
        "ethtool(8) -C",
        _slow_interrupts,
    ),
    Rule(
        "queues",
        NOTE,
        "a port of the DUT has fewer receive queues than both its card and the CPUs allow",
        "cores without a queue do not forward",
        "ethtool(8) -L; Linux Documentation/networking/scaling.rst",
        _few_queues,
    ),
    Rule(
        "rings",
        NOTE,
        f"a receive ring of the DUT has fewer than {SHORT_RING} descriptors, and the card could have more",
        "a short ring overflows while its core does something else",
        "ethtool(8) -G",
        _rings,
    ),
    Rule(
        "gro",
        NOTE,
        "generic-receive-offload or rx-gro-hw of a port of the DUT is on",
        "TCP packets of one flow are merged and split again, and every packet pays for the attempt",
        "Linux Documentation/networking/segmentation-offloads.rst",
        _gro,
    ),
    Rule(
        "tso",
        NOTE,
        "tcp-segmentation-offload of a port of the DUT is on, and a port merges packets",
        "TCP packets leave as the card splits them, not one by one",
        "Linux Documentation/networking/segmentation-offloads.rst",
        _tso,
    ),
)
