"""Facts about a Linux host: one script, parsed into flat facts. Sources: see the parsers of core.parse."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from shlex import quote

from fwdtui.collectors.answers import FactList, ask, first_line
from fwdtui.collectors.base import Facts
from fwdtui.collectors.frames import Frame
from fwdtui.collectors.watch import Watch
from fwdtui.core.parse.ethtool_info import (
    parse_channels,
    parse_driver_info,
    parse_link_settings,
    parse_offloads,
    parse_ring_sizes,
)
from fwdtui.core.parse.fields import lines, whole
from fwdtui.core.parse.linux_facts import parse_cpuinfo, parse_lscpu, parse_os_release, parse_proc_version
from fwdtui.core.parse.nft_ruleset import parse_nft_ruleset
from fwdtui.transport.base import Host

SYSCTLS = (
    "net.ipv4.ip_forward",
    "net.ipv6.conf.all.forwarding",
    "net.ipv4.conf.all.rp_filter",
    "net.core.netdev_budget",
    "net.core.netdev_budget_usecs",
    "net.core.netdev_max_backlog",
    "net.core.dev_weight",
    "net.core.rps_sock_flow_entries",
    "net.core.default_qdisc",
    "net.core.bpf_jit_enable",
    "net.netfilter.nf_conntrack_max",
    "kernel.timer_migration",
    "kernel.numa_balancing",
)
"""Settings that affect how packets are forwarded. Names unknown to a kernel are left out."""

BOOT_OPTIONS = (
    "mitigations=",
    "retbleed=",
    "mds=",
    "l1tf=",
    "srbds=",
    "tsx=",
    "tsx_async_abort=",
    "mmio_stale_data=",
    "spec_store_bypass_disable=",
    "spec_rstack_overflow=",
    "gather_data_sampling=",
    "reg_file_data_sampling=",
    "indirect_target_selection=",
    "kpti=",
    "spectre",
    "nospectre",
    "pti=",
    "nopti",
    "isolcpus=",
    "nohz",
    "rcu_nocb",
    "irqaffinity=",
    "nosmt",
    "maxcpus=",
    "nr_cpus=",
    "idle=",
    "processor.max_cstate=",
    "cpuidle.",
    "pcie_aspm",
    "intel_idle.",
    "intel_pstate=",
    "amd_pstate=",
    "cpufreq.",
    "iommu",
    "intel_iommu=",
    "amd_iommu=",
    "hugepages",
    "default_hugepagesz=",
    "preempt=",
    "skew_tick=",
    "threadirqs",
)
"""Kernel command-line options that affect forwarding speed. Others are not recorded: they may be private."""
# options that certainly do not affect it; whether any other word does has not been examined
_NO_OPTION = re.compile(
    r"ro|rw|quiet|splash|rhgb|nosplash|nomodeset|noresume|rootwait|"
    r"norandmaps|nokaslr|no5lvl|cryptomgr\.notests|"  # with which the VM lab's guests boot
    r"(?:BOOT_IMAGE|initrd|root(?:fstype|flags|delay)?|r?d?init|console(?:blank)?|loglevel|resume(?:_offset)?|"
    r"net\.ifnames|biosdevname|crashkernel|panic|video|vga|fbcon|LANG|vconsole\.\w+|vt\.\w+)=.*|"
    r"(?:rd|systemd)\.[^=]+(?:=.*)?"
)

# a line of lspci: its error messages also contain a colon, such as the one that virtio0 is no PCI address
_CARD = re.compile(r"(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] [^:]{1,100}: (.+)")
_WORD = re.compile(r"[\w-]{1,60}", re.ASCII)  # fits a governor or a clock, such as kvm-clock, but no error
_FOLDER = "/proc/sys/"
_SWAPPED = str.maketrans("./", "/.")
# routes that the kernel adds itself; each hop of a multipath route is a further line of it
_NOT_A_ROUTE = "^((local|broadcast|anycast|multicast|unreachable) |[[:space:]])"

# What a report compares: ethtool -k has sixty features, most of which do not affect forwarding.
OFFLOADS = (
    "rx-checksumming",
    "tx-checksumming",
    "scatter-gather",
    "tcp-segmentation-offload",
    "generic-segmentation-offload",
    "generic-receive-offload",
    "large-receive-offload",
    "rx-gro-hw",
    "rx-gro-list",
    "rx-udp-gro-forwarding",
    "rx-vlan-offload",
    "tx-vlan-offload",
    "ntuple-filters",
    "receive-hashing",
    "hw-tc-offload",
)

_HOST = """\
mark version; cat /proc/version
mark machine; uname -m
mark os; cat /etc/os-release
mark cpu; if command -v lscpu >/dev/null; then lscpu; else cat /proc/cpuinfo; fi
mark memory; while read -r k v u; do [ "$k" = MemTotal: ] && echo "$v"; done </proc/meminfo
mark cmdline; cat /proc/cmdline
mark governor
set --
for c in /sys/devices/system/cpu/cpu[0-9]*; do
  o=; [ -e "$c/online" ] && read -r o <"$c/online"
  [ "$o" = 0 ] || set -- "$@" "$c/cpufreq/scaling_governor"
done
cat "$@"
mark smt; cat /sys/devices/system/cpu/smt/active
mark clocksource; cat /sys/devices/system/clocksource/clocksource0/current_clocksource
mark routes4; ip -4 route show table all | grep -vcE '{not_a_route}'
mark routes6; ip -6 route show table all | grep -vcE '{not_a_route}'
mark nft; nft list ruleset
{tables}
mark conntrack; cat /proc/sys/net/netfilter/nf_conntrack_count
mark tool.iproute2; ip -V
mark tool.ethtool; ethtool --version
mark tool.awk; awk -W version </dev/null 2>/dev/null | head -n 1
mark sysctl; grep "" /dev/null {sysctls} 2>/dev/null
"""
IPTABLES = (
    "{name}-save || exit; "
    "case $({name}-save -V 2>/dev/null) in (*nf_tables*) {name}-legacy-save 2>/dev/null;; esac; true"
)
"""Prints all rules of iptables or ip6tables.

An iptables that uses nf_tables only warns that there are rules in the older kernel interface (legacy), so
these are then printed as well.
"""
_TABLES = "mark {name}; r=$({{ {rules}; }} 2>/dev/null) && printf '%s\\n' \"$r\" | grep -c '^-A'"
_INTERFACE = """\
mark driver.{i}; ethtool -i {i}
mark rings.{i}; ethtool -g {i}
mark channels.{i}; ethtool -l {i}
mark offloads.{i}; ethtool -k {i}
mark settings.{i}; ethtool {i}
mark mtu.{i}; cat /sys/class/net/{i}/mtu
mark threaded.{i}; cat /sys/class/net/{i}/threaded
mark model.{i}; d=$(readlink -f /sys/class/net/{i}/device) && lspci -s "${{d##*/}}"
mark rps.{i}; cat /sys/class/net/{i}/queues/rx-*/rps_cpus
mark qdisc.{i}; tc qdisc show dev {i} root
"""


def script(watch: Watch, sysctls: Iterable[str]) -> str:
    """The script that asks for everything."""
    # one grep for all: a slow host takes a tenth of a second to start a process. dash's own `read` is no
    # alternative: it reads a byte at a time, and a sysctl then gives only the first one
    files = " ".join(map(quote, dict.fromkeys(map(_file, (*SYSCTLS, *sysctls)))))
    interfaces = "".join(_INTERFACE.format(i=quote(name)) for name in watch.interfaces)
    tables = "\n".join(
        _TABLES.format(name=name, rules=IPTABLES.format(name=name)) for name in ("iptables", "ip6tables")
    )
    return f"{_HOST.format(sysctls=files, not_a_route=_NOT_A_ROUTE, tables=tables)}{interfaces}mark end\n"


def _file(name: str) -> str:
    """The file of a sysctl. As in sysctl(8), ``net.ipv4.conf.eth0/100.rp_filter`` means interface eth0.100.

    In a name whose first separator is a slash, slashes separate and dots are dots.
    """
    dotted = next((mark for mark in name if mark in "./"), ".") == "."
    return _FOLDER + (name.translate(_SWAPPED) if dotted else name)


async def collect(host: Host, watch: Watch, sysctls: Sequence[str] = ()) -> Facts:
    """See base.System.facts."""
    return read(await ask(host, script(watch, sysctls)), watch, sysctls)


def read(answer: Frame, watch: Watch, sysctls: Iterable[str] = ()) -> Facts:
    """Turns the answers into facts. A required fact that is missing gets a note."""
    facts = FactList(answer)
    kernel = parse_proc_version(answer.text("version")).value
    facts.put("kernel", kernel.release, "version")
    facts.put("kernel_build", kernel.build)
    facts.put("machine", first_line(answer.text("machine")) or None, "machine")
    facts.put("os", parse_os_release(answer.text("os")).value.name, "os")
    cpu = parse_lscpu(answer.text("cpu")).value
    told = "" if cpu.cpus is None else "cpu"
    if cpu.cpus is None:  # a small system has no lscpu
        cpu = parse_cpuinfo(answer.text("cpu")).value
    facts.put("cpu", cpu.model, "cpu")
    facts.put("cpus", cpu.cpus, "cpu")
    facts.put("cores", cpu.cores)
    facts.put("sockets", cpu.sockets)
    facts.put("hypervisor", cpu.hypervisor, of=told)
    memory = whole(first_line(answer.text("memory")))
    facts.put("memory_mib", None if memory is None else memory // 1024, "memory")
    facts.put("boot_options", _boot_options(answer.text("cmdline").split()))
    governors = sorted({line.strip() for line in lines(answer.text("governor")) if line.strip()})
    governor = ", ".join(governors) if all(map(_WORD.fullmatch, governors)) else None
    facts.put("governor", governor, of="governor")
    clock = first_line(answer.text("clocksource"))
    facts.put("clocksource", clock if _WORD.fullmatch(clock) else None)
    facts.put("smt", {"1": True, "0": False}.get(first_line(answer.text("smt"))), of="smt")
    for version in (4, 6):
        facts.put(
            f"routes.inet{'6' if version == 6 else ''}", facts.number(f"routes{version}"), f"routes{version}"
        )
    _firewall(facts, answer)
    for tool in ("iproute2", "ethtool", "awk"):
        said = first_line(answer.text(f"tool.{tool}"))
        facts.put(f"tool.{tool}", None if "not found" in said else said)
    values = dict(_sysctls(answer.text("sysctl")))
    asked = (_named(_file(name)) for name in (*SYSCTLS, *sysctls))
    for name in dict.fromkeys((*values, *asked)):
        facts.put(f"sysctl.{name}", values.get(name), of="sysctl" if values else "")
    for name in watch.interfaces:
        _interface(facts, answer, name)
    return facts.done()


def _boot_options(words: Sequence[str]) -> list[str] | str | None:
    """The boot options that matter; None: unknown.

    "none" is an answer too, since another boot of this host may have some. "none that is known": there are
    words of which it is not known whether they matter.
    """
    if options := [word for word in words if word.startswith(BOOT_OPTIONS)]:
        return options
    if not words:
        return None
    return "none" if all(map(_NO_OPTION.fullmatch, words)) else "none that is known"


def _sysctls(text: str) -> Iterator[tuple[str, str]]:
    """(name, value) of each file, from grep's output: every line of the file, with its path before it."""
    for path, of_file in groupby((line.partition(":") for line in lines(text)), itemgetter(0)):
        if path.startswith(_FOLDER):
            yield _named(path), " ".join(word for _, _, value in of_file for word in value.split())


def _named(path: str) -> str:
    return path.removeprefix(_FOLDER).translate(_SWAPPED)


def _firewall(facts: FactList, answer: Frame) -> None:
    text = answer.text("nft")
    ruleset = parse_nft_ruleset(text)
    if ruleset.value.tables:
        facts.put("firewall", f"nft: {', '.join(ruleset.value.tables)}")
        facts.put("firewall_rules", ruleset.value.rules)
    elif text.strip() or "nft" not in answer.sections:  # no nft here, no permission, no whole answer
        facts.put("firewall", None, "nft")
    else:
        facts.put("firewall", "nft: no table")
        facts.put("firewall_rules", 0)
    for family in ("iptables", "ip6tables"):
        facts.put(f"{family}_rules", facts.number(family))
    # only whether conntrack is loaded: how many connections it tracks differs at any moment
    loaded = True if facts.number("conntrack") is not None else None
    facts.put("conntrack", False if "No such file" in answer.text("conntrack") else loaded)


def _interface(facts: FactList, answer: Frame, name: str) -> None:
    driver = parse_driver_info(answer.text(f"driver.{name}")).value
    facts.put(f"{name}.driver", driver.driver, f"driver.{name}")
    told = f"driver.{name}" if driver.driver else ""
    facts.put(f"{name}.driver_version", driver.version, of=told)
    facts.put(f"{name}.firmware", driver.firmware, of=told)
    facts.put(f"{name}.bus", driver.bus, of=told)
    card = _CARD.fullmatch(first_line(answer.text(f"model.{name}")))
    facts.put(f"{name}.model", card[1] if card else None)
    link = parse_link_settings(answer.text(f"settings.{name}")).value
    facts.put(f"{name}.speed", link.speed)
    facts.put(f"{name}.mtu", facts.number(f"mtu.{name}"), f"mtu.{name}")
    threaded = {"1": True, "0": False}.get(first_line(answer.text(f"threaded.{name}")))
    facts.put(f"{name}.threaded", threaded, of=f"threaded.{name}")
    rings = parse_ring_sizes(answer.text(f"rings.{name}")).value
    has_rings = rings.rx is not None or rings.tx is not None
    sizes = f"rx {_or_dash(rings.rx)}, tx {_or_dash(rings.tx)}" if has_rings else None
    facts.put(f"{name}.rings", sizes, of=f"rings.{name}")
    channels = parse_channels(answer.text(f"channels.{name}")).value
    counts = {"rx": channels.rx, "tx": channels.tx, "combined": channels.combined}
    queues = ", ".join(f"{way} {count}" for way, count in counts.items() if count)
    facts.put(f"{name}.queues", queues or None, f"channels.{name}", of=f"channels.{name}")
    offloads = parse_offloads(answer.text(f"offloads.{name}")).value
    known = [feature for feature in OFFLOADS if feature in offloads]
    active = [feature for feature in known if offloads[feature].active]
    facts.put(f"{name}.offloads", active if known else None, f"offloads.{name}")
    masks = [line.strip() for line in lines(answer.text(f"rps.{name}")) if line.strip()]
    if masks and not any("No such file" in mask for mask in masks):
        facts.put(f"{name}.rps", "off" if not any(m.strip("0,") for m in masks) else ", ".join(masks))
    qdisc = first_line(answer.text(f"qdisc.{name}")).split()
    facts.put(f"{name}.qdisc", qdisc[1] if qdisc[:1] == ["qdisc"] and len(qdisc) > 1 else None)


def _or_dash(count: int | None) -> str:
    return "–" if count is None else str(count)
