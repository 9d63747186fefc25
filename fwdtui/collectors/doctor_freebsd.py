"""Checks whether a FreeBSD host has what a sampler needs."""

import shlex
from collections.abc import Sequence

from fwdtui.collectors import drop_reasons, profile_freebsd
from fwdtui.collectors.answers import ask, first_line, kernel_messages
from fwdtui.collectors.base import Check
from fwdtui.collectors.frames import Frame
from fwdtui.collectors.watch import Watch
from fwdtui.core.parse import ifconfig, sysctl, sysctl_oids
from fwdtui.transport.base import Host

_SCRIPT = """\
for t in netstat sysctl vmstat dmesg; do mark "tool.$t"; command -v $t; done
mark netstat; netstat -ibdnW
mark cores; sysctl -ie kern.cp_times kern.boottime
mark netisr; netstat -Q
mark clock; date +%N
mark messages; dmesg >/dev/null && echo readable
for i in {interfaces}; do mark "interface.$i"; ifconfig $i; done
{nodes}
"""


async def checks(host: Host, watch: Watch) -> Sequence[Check]:
    """See base.System.checks."""
    interfaces = " ".join(shlex.quote(name) for name in watch.interfaces)
    nodes = "\n".join(
        f"mark 'names.{name}'; sysctl -iN {node}"
        for name in watch.interfaces
        if (node := sysctl_oids.node(name))
    )
    probe = profile_freebsd.PROBE + drop_reasons.PROBE if "dut" in watch.roles else ""
    return read(await ask(host, _SCRIPT.format(interfaces=interfaces, nodes=nodes) + probe), watch)


def read(answer: Frame, watch: Watch) -> list[Check]:
    """Turns the answers into checks."""
    name = watch.host
    results = []
    for tool in ("netstat", "sysctl", "vmstat", "dmesg"):
        place = first_line(answer.text(f"tool.{tool}"))
        fix = "" if place else "it is part of the base system: check PATH"
        results.append(Check(name, tool, bool(place), place or "not found", fix))
    cores = sysctl.cp_times(sysctl.parse(answer.text("cores")).value.values.get("kern.cp_times", "")).value
    linked = "<Link#" in answer.text("netstat")
    counted = linked and bool(cores)
    results.append(
        Check(
            name,
            "counters",
            counted,
            f"interfaces, {len(cores)} cores" if counted else first_line(answer.text("netstat")) or "none",
            "" if counted else "netstat -ibdnW and sysctl kern.cp_times must work for this user",
        )
    )
    for interface in watch.interfaces:
        results += _interface(name, interface, answer)
    digits = first_line(answer.text("clock")).isdigit()
    results.append(
        Check(
            name,
            "precise clock",
            True,
            "date +%N, microseconds"
            if digits
            else "a pipe's time, at worst one clock tick (date has no %N here)",
        )
    )
    results.append(kernel_messages(name, answer, "sysctl security.bsd.unprivileged_read_msgbuf=1"))
    if "dut" in watch.roles:
        results.append(profile_freebsd.probed(name, answer))
        results.append(drop_reasons.probed(name, answer))
    return results


def _interface(host: str, interface: str, answer: Frame) -> list[Check]:
    text = answer.text(f"interface.{interface}")
    what = f"interface {interface}"
    item = next((one for one in ifconfig.parse(text).value if one.name == interface), None)
    if item is None:
        said = first_line(text) or "it does not exist"
        return [Check(host, what, False, said, "correct lab.toml; `ifconfig -l` lists all interfaces")]
    if not item.up:
        return [Check(host, what, False, "it is down", f"ifconfig {interface} up")]
    if item.link is False:
        return [Check(host, what, False, f"up, {item.status}", "check the cable and the other end")]
    oids = sysctl_oids.counters(sysctl_oids.names(answer.text(f"names.{interface}")))
    queues = Check(
        host,
        f"queues of {interface}",
        True if oids else None,
        f"{len(oids)} driver counters" if oids else "the driver has no counters",
        "" if oids else "netisr, interrupts and cores are still shown",
    )
    return [Check(host, what, True, f"up, {item.active or item.media or 'no media'}"), queues]
