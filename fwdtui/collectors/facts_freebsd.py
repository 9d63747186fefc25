"""Facts about a FreeBSD host: one script, parsed into flat facts. Sources: see the parsers of core.parse."""

import re
import shlex
from collections.abc import Iterable, Sequence

from fwdtui.collectors.answers import FactList, ask, first_line
from fwdtui.collectors.base import Facts
from fwdtui.collectors.frames import Frame
from fwdtui.collectors.watch import Watch
from fwdtui.core.parse import (
    dmesg,
    freebsd_uname,
    ifconfig,
    ipfw,
    netisr,
    netstat_rn,
    pciconf,
    pfctl,
    sysctl,
    sysctl_oids,
)
from fwdtui.core.parse.fields import lines, whole
from fwdtui.transport.base import Host

SYSCTLS = tuple(
    name for name in sysctl_oids.HOST if name.startswith("net.") or name == "kern.timecounter.hardware"
)
"""Settings that affect how packets are forwarded. Names unknown to a release are left out."""

_SCRIPT = """\
mark uname; uname -a
mark version; freebsd-version -kru
mark host; sysctl -ie {host} hw.machine_arch kern.smp.cores
mark names; {names}
mark sysctl; sysctl -ie {sysctls}
mark devices
oids=$({names} 2>/dev/null | grep -E '{settings}')
[ -z "$oids" ] || sysctl -ie $oids
mark ifconfig; for i in {interfaces}; do ifconfig $i; done
mark pciconf; pciconf -lv
mark dmesg.boot; [ ! -r /var/run/dmesg.boot ] || grep -E 'RX queues|rxq \\(NIC\\)' /var/run/dmesg.boot
mark dmesg; dmesg | grep -E 'RX queues|rxq \\(NIC\\)'
mark netisr; netstat -Q
mark routes; echo "netstat -rn4 | wc -l : $(netstat -rn4 | wc -l)"
echo "netstat -rn6 | wc -l : $(netstat -rn6 | wc -l)"
mark pf; pfctl -si
mark pfrules; pfctl -sr 2>/dev/null | wc -l
mark ipfw; ipfw show
mark ipfw.on; sysctl -in net.inet.ip.fw.enable net.inet6.ip6.fw.enable
mark end
"""
_SETTINGS = r"(%desc|%driver|fc|fw_version|iflib\.[a-z_]+)$"


def script(watch: Watch, sysctls: Iterable[str]) -> str:
    """The script that asks for everything."""
    nodes = [node for name in watch.interfaces if (node := sysctl_oids.node(name))]
    wanted = " ".join(shlex.quote(name) for name in dict.fromkeys((*SYSCTLS, *sysctls)))
    return _SCRIPT.format(
        host=" ".join(sysctl_oids.HOST),
        sysctls=wanted,
        names=f"sysctl -iN {' '.join(nodes)}" if nodes else ":",
        settings=_SETTINGS,
        interfaces=" ".join(shlex.quote(name) for name in watch.interfaces),
    )


async def collect(host: Host, watch: Watch, sysctls: Sequence[str] = ()) -> Facts:
    """See base.System.facts."""
    return read(await ask(host, script(watch, sysctls)), watch, sysctls)


def read(answer: Frame, watch: Watch, sysctls: Iterable[str] = ()) -> Facts:
    """Turns the answers into facts. A required fact that is missing gets a note."""
    facts = FactList(answer)
    kernel = freebsd_uname.parse(answer.text("uname")).value
    facts.put("os", f"FreeBSD {kernel.release}" if kernel.release else None, "uname")
    facts.put("kernel", " ".join(filter(None, (kernel.release, kernel.revision))) or None, "uname")
    told = "uname" if kernel.release else ""
    facts.put("kernel_branch", kernel.branch, of=told)
    facts.put("kernel_modified", kernel.modified or None, of=told)
    facts.put("kernel_config", kernel.config, of=told)
    facts.put("machine", kernel.machine)
    # an error message of the shell or of the program does not begin with a digit
    said = [line for line in lines(answer.text("version")) if re.fullmatch(r"[0-9]\S+", line)]
    facts.put("freebsd_version", said or None)
    host = sysctl.parse(answer.text("host")).value
    facts.put("cpu", host.values.get("hw.model"), "host")
    facts.put("cpus", host.number("hw.ncpu"), "host")
    facts.put("cores", host.number("kern.smp.cores"))
    memory = host.number("hw.physmem")
    facts.put("memory_mib", None if memory is None else memory >> 20, "host")
    wanted = (*SYSCTLS, *sysctls)
    values = sysctl.parse(answer.text("sysctl"), wanted).value.values
    for name in dict.fromkeys((*values, *wanted)):
        facts.put(f"sysctl.{name}", " ".join(values.get(name, "").split()), of="sysctl" if values else "")
    if not values:
        facts.put("sysctl", None, "sysctl")
    _netisr(facts, answer)
    for family, count in netstat_rn.parse_counted(answer.text("routes")).value.items():
        facts.put(f"routes.{family}", count)
    _firewall(facts, answer)
    _interfaces(facts, answer, watch)
    return facts.done()


def _netisr(facts: FactList, answer: Frame) -> None:
    report = netisr.parse(answer.text("netisr")).value
    facts.put("netisr.threads", report.config.threads)
    facts.put("netisr.ip", report.dispatch("ip"))
    facts.put("netisr.ip6", report.dispatch("ip6"))
    facts.put("netisr.bound", report.config.bound)


def _firewall(facts: FactList, answer: Frame) -> None:
    pf = pfctl.parse(answer.text("pf")).value
    rules = ipfw.parse(answer.text("ipfw")).value
    # loaded rules filter nothing while ipfw is switched off for IPv4 and, if the kernel has it, IPv6
    filters = rules.loaded and {*answer.text("ipfw.on").split()} != {"0"}
    on = []
    if pf.enabled:
        count = whole(first_line(answer.text("pfrules")))
        on.append(f"pf ({'?' if count is None else count} rules)")
    if filters:
        on.append(f"ipfw ({len(rules.rules)} rules)")
    if on:
        facts.put("firewall", ", ".join(on))
    elif pf.enabled is False and filters is False:
        facts.put("firewall", "none")
    else:
        facts.put("firewall", None, "pf" if pf.enabled is None else "ipfw")
    facts.put("pf", pf.enabled)
    facts.put("ipfw", filters)


def _interfaces(facts: FactList, answer: Frame, watch: Watch) -> None:
    interfaces = {item.name: item for item in ifconfig.parse(answer.text("ifconfig")).value}
    chips = {device.name: device for device in pciconf.parse(answer.text("pciconf")).value}
    # a driver that was loaded again since the boot may have other queues: its newest message counts
    queues = dmesg.queue_counts(lines(f"{answer.text('dmesg.boot')}\n{answer.text('dmesg')}"))
    settings = sysctl.parse(answer.text("devices")).value
    for name in watch.interfaces:
        node = sysctl_oids.node(name)
        item = interfaces.get(name)
        chip = chips.get(name)
        device = settings.under(node) if node else {}
        facts.put(f"{name}.driver", device.get("%driver") or (name.rstrip("0123456789") if chip else None))
        facts.put(f"{name}.model", (chip.model if chip else "") or device.get("%desc"))
        told = "devices" if device else ""
        facts.put(f"{name}.firmware", device.get("fw_version"), of=told)
        if item is None:
            facts.put(f"{name}.mtu", None, "ifconfig")
            continue
        facts.put(f"{name}.mtu", item.mtu, "ifconfig")
        facts.put(f"{name}.offloads", list(item.options))
        facts.put(f"{name}.media", item.active or item.media, of="ifconfig")
        if name in queues:
            facts.put(f"{name}.queues", f"rx {queues[name][0]}, tx {queues[name][1]}")
        for leaf, value in device.items():
            if leaf.startswith("iflib.") and not leaf.endswith("driver_version"):
                facts.put(f"{name}.{leaf}", value)
        if device and facts.answered("devices"):
            facts.others_absent(f"{name}.iflib.")
        facts.put(f"{name}.driver_version", device.get("iflib.driver_version"), of=told)
        facts.put(f"{name}.flow_control", device.get("fc"), of=told)
