"""All rules by system, and what they find on a host."""

from collections.abc import Mapping, Sequence

from fwdtui.core.findings import SEVERITIES, Finding, HostFindings
from fwdtui.core.host_settings import EVERYTHING, HostSettings
from fwdtui.core.hygiene import freebsd, linux_cpu, linux_nic, unread
from fwdtui.core.hygiene.finding import Rule, Subject
from fwdtui.core.lab import Lab

RULES: Mapping[str, Sequence[Rule]] = {
    "linux": (*linux_cpu.RULES, *linux_nic.RULES),
    "freebsd": freebsd.RULES,
}
"""System, as lab.toml writes it -> its rules. Other systems have none."""


def findings(subject: Subject) -> tuple[Finding, ...]:
    """What was seen on a host, worst first; last what is not known of it."""
    rules = RULES.get(subject.settings.system, ())
    seen = [one for rule in rules for one in rule.findings(subject)]
    if rules or subject.settings.source(EVERYTHING) is not None:
        seen += unread.findings(subject)
    return tuple(sorted(seen, key=lambda one: SEVERITIES.index(one.severity)))


def of_host(lab: Lab, settings: HostSettings) -> HostFindings:
    """What was seen on a host of a lab when its settings were read."""
    ports = tuple(dict.fromkeys((*lab.dut.inputs, *lab.dut.outputs))) if lab.dut.host == settings.host else ()
    others = [end.interface for end in lab.generators if end.host == settings.host]
    if lab.receiver is not None and lab.receiver.host == settings.host:
        others.append(lab.receiver.interface)
    subject = Subject(settings, tuple(dict.fromkeys((*others, *ports))), ports)
    return HostFindings(settings.host, settings.roles, settings.taken, findings(subject))
