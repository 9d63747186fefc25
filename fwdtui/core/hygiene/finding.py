"""What the rules of lab hygiene work with: a host as they see it, and what a rule consists of."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from fwdtui.core.findings import Finding
from fwdtui.core.host_settings import DUT, HostSettings, SettingsSource


@dataclass(frozen=True, slots=True)
class Subject:
    """A host and its settings. `interfaces`: those of the lab on it; `ports`: those it forwards between.

    Both include the cards below them, which have the rings and queues of a bond, a bridge or a VLAN.
    """

    settings: HostSettings
    interfaces: tuple[str, ...] = ()
    ports: tuple[str, ...] = ()

    @property
    def forwards(self) -> bool:
        """Whether the host is the DUT."""
        return DUT in self.settings.roles

    def source(self, name: str) -> SettingsSource:
        """The source `name`; an empty one if it was not asked for."""
        return self.settings.source(name) or SettingsSource(name)

    def get(self, source: str, key: str) -> str:
        """A setting's text; "" if there is none."""
        return self.source(source).values.get(key, "").strip()

    def number(self, source: str, key: str) -> int | None:
        """A setting that is a whole number, else None ("n/a")."""
        text = self.get(source, key)
        return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else None

    def sysctl(self, name: str) -> str:
        """A sysctl's value; "" if the kernel has none of this name."""
        return self.get("sysctl", name)


UNSUPPORTED = "not supported"
"""Why a source is missing if the driver or kernel does not have it: there is nothing to be read."""


@dataclass(frozen=True, slots=True)
class Asked(Subject):
    """A host that remembers in `unread` which sources a rule asked for in vain."""

    unread: set[str] = field(default_factory=set)

    def source(self, name: str) -> SettingsSource:
        """See Subject."""
        found = self.settings.source(name) or SettingsSource(name)
        if found.missing not in ("", UNSUPPORTED):
            self.unread.add(name)
        return found

    def get(self, source: str, key: str) -> str:
        """See Subject. If a value changed while it was read, its source counts as unread too."""
        if key in self.source(source).unsteady:
            self.unread.add(source)
        return self.source(source).values.get(key, "").strip()


@dataclass(frozen=True, slots=True)
class Seen:
    """What a rule saw: a clause without a full stop, the command that changes it, and the interface."""

    text: str
    do: str = ""
    where: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: data, and the pure function that applies it.

    `when`: when it applies, with the threshold, for the documentation. `source`: where `why` can be read.
    """

    code: str
    severity: str
    when: str
    why: str
    source: str
    find: Callable[[Subject], Iterator[Seen]]

    def findings(self, subject: Subject) -> Iterable[Finding]:
        """What the rule finds on this host."""
        for seen in self.find(subject):
            yield Finding(self.code, self.severity, seen.text, seen.where, self.why, self.source, seen.do)
