"""All rules by system, and what they find on a host."""

from collections.abc import Mapping, Sequence

from fwdtui.core.findings import Finding, HostFindings, rank
from fwdtui.core.host_settings import EVERYTHING, HostSettings
from fwdtui.core.hygiene import freebsd, linux_cpu, linux_nic, unread
from fwdtui.core.hygiene.below import with_cards
from fwdtui.core.hygiene.finding import Asked, Rule, Subject
from fwdtui.core.lab import Lab

RULES: Mapping[str, Sequence[Rule]] = {
    "linux": (*linux_cpu.RULES, *linux_nic.RULES),
    "freebsd": freebsd.RULES,
}
"""System, as lab.toml writes it -> its rules. Other systems have none."""


def findings(subject: Subject) -> tuple[Finding, ...]:
    """What was seen on a host, worst first; at the end, what is not known about it."""
    return _applied(subject)[0]


def _applied(subject: Subject) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """What was seen, and the places that could not be read completely."""
    rules = RULES.get(subject.settings.system, ())
    nothing = subject.settings.source(EVERYTHING) is not None
    seen: list[Finding] = []
    places: set[str] = {EVERYTHING} if nothing else set()
    for rule in rules:
        asked = Asked(subject.settings, subject.interfaces, subject.ports)
        seen += rule.findings(asked)
        places |= {f"{_interface(name, subject)} {rule.code}".strip() for name in asked.unread}
    if rules or nothing:
        seen += unread.findings(subject)
    return tuple(sorted(seen, key=lambda one: rank(one.severity))), tuple(sorted(places))


def _interface(source: str, subject: Subject) -> str:
    """The interface that a source is about; "" if it is about the host: ``ethtool -a eth0``, ``sysctl``."""
    return next((name for name in subject.interfaces if source.endswith(f" {name}")), "")


def of_host(lab: Lab, settings: HostSettings) -> HostFindings:
    """What was seen on a host of a lab when its settings were read."""
    ports = tuple(dict.fromkeys((*lab.dut.inputs, *lab.dut.outputs))) if lab.dut.host == settings.host else ()
    others = [end.interface for end in lab.generators if end.host == settings.host]
    if lab.receiver is not None and lab.receiver.host == settings.host:
        others.append(lab.receiver.interface)
    named = Subject(settings, tuple(dict.fromkeys((*others, *ports))), ports)
    subject = Subject(settings, with_cards(named, named.interfaces), with_cards(named, ports))
    return HostFindings(settings.host, settings.roles, settings.taken, *_applied(subject))
