"""Checks whether a Linux host has what a sampler needs."""

import shlex
from collections.abc import Collection, Sequence

from fwdtui.collectors import drop_reasons, profile_linux
from fwdtui.collectors.answers import ask, first_line, kernel_messages
from fwdtui.collectors.base import Check
from fwdtui.collectors.frames import Frame
from fwdtui.collectors.watch import Watch
from fwdtui.transport.base import Host

_SCRIPT = """\
mark awk
for a in mawk awk gawk original-awk 'busybox awk'; do
  [ "$($a 'BEGIN {{ print 6 * 7 }}' </dev/null 2>/dev/null)" = 42 ] && command -v ${{a%% *}} && break
done
mark ethtool; command -v ethtool
mark tc; command -v tc
mark nft; command -v nft
mark counters; for f in /proc/net/dev /proc/net/softnet_stat /proc/stat /proc/interrupts /proc/net/snmp; do
  head -c 1 $f >/dev/null || echo "$f"
done
mark clock; head -n 3 /proc/timer_list
mark messages; dmesg >/dev/null && echo readable
for i in {interfaces}; do
  mark "state.$i"; cat /sys/class/net/$i/operstate
  mark "lower.$i"; for l in /sys/class/net/$i/lower_*; do [ -e "$l" ] && echo "${{l##*/lower_}}"; done
done
"""
_TOOLS = (
    ("ethtool", True, "needed to show the driver's queues and drops: install ethtool"),
    ("tc", True, "needed to show qdiscs: install iproute2"),
    ("nft", False, "needed only to name the firewall in reports: install nftables"),
)


async def checks(host: Host, watch: Watch) -> Sequence[Check]:
    """See base.System.checks."""
    interfaces = " ".join(shlex.quote(name) for name in watch.interfaces)
    probe = profile_linux.PROBE + drop_reasons.PROBE if "dut" in watch.roles else ""
    return read(await ask(host, _SCRIPT.format(interfaces=interfaces) + probe), watch)


def read(answer: Frame, watch: Watch) -> list[Check]:
    """Turns the answers into checks."""
    name = watch.host
    awk = first_line(answer.text("awk"))
    results = [
        Check(name, "awk", bool(awk), awk or "none works", "" if awk else "install mawk or gawk"),
    ]
    for tool, needed, why in _TOOLS:
        place = first_line(answer.text(tool))
        ok = True if place else (False if needed else None)
        results.append(Check(name, tool, ok, place or "not installed", "" if place else why))
    unreadable = answer.text("counters").split()
    results.append(
        Check(
            name,
            "counters",
            not unreadable,
            f"unreadable: {' '.join(unreadable)}" if unreadable else "/proc is readable",
            "mount /proc, or log in as a user from whom it is not hidden" if unreadable else "",
        )
    )
    results += [_interface(name, interface, answer) for interface in watch.interfaces]
    precise = "now at" in answer.text("clock")
    results.append(
        Check(
            name,
            "precise clock",
            True if precise else None,
            "/proc/timer_list, nanoseconds" if precise else "/proc/uptime, 10 ms",
            "" if precise else "only root may read /proc/timer_list: log in as root, or sample once a second",
        )
    )
    results.append(kernel_messages(name, answer, "sysctl kernel.dmesg_restrict=0"))
    if "dut" in watch.roles:
        results += filter(None, (_upper(name, one, watch.interfaces, answer) for one in watch.interfaces))
        results.append(profile_linux.probed(name, answer))
        results.append(drop_reasons.probed(name, answer))
    return results


def _interface(host: str, interface: str, answer: Frame) -> Check:
    state = first_line(answer.text(f"state.{interface}"))
    what = f"interface {interface}"
    if state in ("up", "unknown"):
        return Check(host, what, True, "up")
    if not state or "No such" in state or " " in state:
        return Check(
            host, what, False, "it does not exist", "correct lab.toml; `ip link` lists all interfaces"
        )
    return Check(host, what, False, f"its link is {state}", f"ip link set {interface} up; check the cable")


def _upper(host: str, interface: str, watched: Collection[str], answer: Frame) -> Check | None:
    """A check that names the cards below a VLAN, bond or bridge whose counters are not read; None if none is.

    The links lower_* in /sys are made by netdev_adjacent_sysfs_add() in net/core/dev.c.
    """
    lower = [card for card in answer.text(f"lower.{interface}").split() if card not in watched]
    if not lower:
        return None
    names, them = ", ".join(lower), "it" if len(lower) == 1 else "them"
    return Check(
        host,
        f"what {interface} is on",
        None,
        f"{names}: queues, ring drops, pause frames and interrupts are counted there, so they are not read",
        f"name {names} in lab.toml instead, unless other traffic passes through {them}",
    )
