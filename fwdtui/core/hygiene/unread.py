"""What the rules know nothing about on a host: it is not there, or it cannot be read. A sentence for each.

The two are not the same: a processor without turbo is never faster than usual, one whose settings are hidden
may be.
"""

from collections.abc import Iterator
from typing import NamedTuple

from fwdtui.core.findings import NOTE, UNKNOWN, Finding
from fwdtui.core.host_settings import EVERYTHING
from fwdtui.core.hygiene import freebsd, linux_cpu
from fwdtui.core.hygiene.below import cards
from fwdtui.core.hygiene.finding import UNSUPPORTED, Subject
from fwdtui.core.hygiene.linux_cpu import CPUS
from fwdtui.core.parse.sysctl_oids import node
from fwdtui.core.volatile import conditions

VIRTUAL, NOT_READ, NOT_THERE = UNKNOWN
"""Codes of the findings that are made here."""
_AS_ROOT = "fwdtui doctor, as root and with ethtool"
_NOTHING = "nothing could be read: "
_PER_CPU = (
    ("governor", ("governor",)),
    ("turbo", ("intel_pstate no_turbo", "cpufreq boost")),
    ("throttling", ("core throttled since boot",)),
)
_PER_PORT = (
    ("pause frames", "ethtool -a"),
    ("offloads", "ethtool -k"),
    ("coalescing", "ethtool -c"),
    ("rings", "ethtool -g"),
    ("queues", "ethtool -l"),
    ("RSS table", "ethtool -x"),
    ("RSS fields", "ethtool -n"),
    ("interrupts", "interrupts"),
)
_HIDES_BOOST = "amd-pstate-epp"
"""A cpufreq driver that had no file for boost before Linux 6.11, and boosts all the same; at first its name
had underscores."""
_NOT_SHOWN = f"{_HIDES_BOOST} of this kernel does not show it"
_FREQUENCY = "frequency"
_SYSCTLS = (
    ("idle states", ".cx_lowest"),
    (_FREQUENCY, "dev.cpu.0.freq"),
    ("harvest mask", "kern.random.harvest.mask"),
)


class Aspect(NamedTuple):
    """Something that rules are about. `why`: why it cannot be read; "" if it is not there."""

    name: str
    where: str
    why: str


def findings(subject: Subject) -> Iterator[Finding]:
    """At most one finding for a virtual machine; else at most one for all that is hidden and one for all that
    is absent."""
    everything = subject.settings.source(EVERYTHING)
    if everything is not None:
        yield Finding(NOT_READ, NOTE, f"{_NOTHING}{everything.missing}")
        return
    linux = subject.settings.system == "linux"
    missing = list(_linux(subject) if linux else _freebsd(subject))
    if not missing:
        return
    hidden, absent = [one for one in missing if one.why], [one for one in missing if not one.why]
    if _is_virtual(subject):
        yield Finding(VIRTUAL, NOTE, f"cannot be read in a virtual machine: {_told(missing)}")
        return
    if hidden:
        yield Finding(
            NOT_READ,
            NOTE,
            f"cannot be read: {_told(hidden)}",
            do=_AS_ROOT if linux and any(one.why != _NOT_SHOWN for one in hidden) else "",
        )
    if absent:
        yield Finding(NOT_THERE, NOTE, f"not present, so not checked: {_told(absent)}")


def says_nothing(finding: Finding) -> bool:
    """Whether a finding says that no rule could be applied to a host."""
    return finding.code == NOT_READ and finding.seen.startswith(_NOTHING)


def _is_virtual(subject: Subject) -> bool:
    if subject.get(CPUS, "virtual machine") == "yes" or subject.get(CPUS, "container") == "yes":
        return True
    return subject.sysctl("kern.vm_guest") not in ("", "none")


def _linux(subject: Subject) -> Iterator[Aspect]:
    cpus = subject.source(CPUS)
    driver = subject.get(CPUS, "cpufreq driver").replace("_", "-")
    for name, keys in _PER_CPU:
        if not any(key in cpus.values for key in keys):
            refused = cpus.missing or ("permission denied" if {*keys} & {*cpus.unread} else "")
            if name == "turbo" and _HIDES_BOOST in driver:
                refused = refused or _NOT_SHOWN
            yield Aspect(name, "", refused)
    if not any(key.startswith("idle state ") for key in cpus.values):
        refused = cpus.missing or (
            "permission denied" if any("cpuidle" in one for one in cpus.unread) else ""
        )
        yield Aspect("idle states", "", refused)
    if why := subject.source(linux_cpu.KERNEL).missing:
        yield Aspect("kernel configuration", "", why)
    for interface in subject.interfaces:
        for name, prefix in _PER_PORT:
            source = subject.source(f"{prefix} {interface}")
            if not source.values:
                yield from _of_port(
                    subject, name, interface, "" if source.missing == UNSUPPORTED else source.missing
                )
            elif name == "RSS fields" and set(source.values.values()) == {"none"}:
                yield Aspect(name, interface, "")


def _freebsd(subject: Subject) -> Iterator[Aspect]:
    sysctls = subject.source("sysctl")
    for name, end in _SYSCTLS:
        if not any(key.endswith(end) for key in (*sysctls.values, *sysctls.unsteady)):
            chosen = name == _FREQUENCY and conditions("sysctl", sysctls.values)
            yield Aspect("a set frequency (hwpstate chooses it)" if chosen else name, "", sysctls.missing)
    kernel = subject.source(freebsd.KERNEL)
    if not kernel.values:
        yield Aspect("kernel configuration", "", kernel.missing)
    for interface in subject.interfaces:
        device = node(interface)
        there = any(subject.sysctl(f"{device}.{leaf}") for leaf in ("fc", "pause_settings"))
        if not there and "<" not in subject.get("ifconfig", f"{interface} media"):
            yield from _of_port(subject, "flow control", interface, "")


def _of_port(subject: Subject, name: str, interface: str, why: str) -> Iterator[Aspect]:
    """The aspect, of a port. If it is not there because cards below have it: ``"bond0 (on eth1, eth2)"``.

    Nothing then if the rules look at all of these cards themselves.
    """
    on = cards(subject, interface)
    if why or not on:
        yield Aspect(name, interface, why)
    elif unknown := [card for card in on if card not in subject.interfaces]:
        yield Aspect(name, f"{interface} (on {', '.join(unknown)})", "")


def _told(aspects: list[Aspect]) -> str:
    """``"governor, turbo; of eth0: pause frames (not installed)"``; the same of several interfaces once."""
    by_place: dict[str, list[str]] = {}
    for one in aspects:
        words = f"{one.name} ({one.why})" if one.why else one.name
        by_place.setdefault(one.where, []).append(words)
    alike: dict[str, list[str]] = {}
    for where, names in by_place.items():
        alike.setdefault(", ".join(names), []).append(where)
    return "; ".join(
        names if places == [""] else f"of {', '.join(places)}: {names}" for names, places in alike.items()
    )
