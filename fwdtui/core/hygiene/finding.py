"""What was seen on a host, why it matters and what to do; and the rules that find it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import msgspec

from fwdtui.core.host_settings import DUT, HostSettings, SettingsSource

WRONG, NOISY, NOTE = "wrong", "noisy", "note"
SEVERITIES = (WRONG, NOISY, NOTE)
"""Worst first. wrong: results are of something else than forwarding at this rate. noisy: they vary by
themselves, or depend on what is not stated. note: worth knowing when two hosts are compared."""


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing about one host. `where`: the interface, "" for the host. `do`: a command to run there."""

    code: str
    severity: str
    seen: str
    where: str = ""
    why: str = ""
    source: str = ""
    do: str = ""

    @property
    def place(self) -> str:
        """``"governor"``, ``"eth0 pause"``."""
        return f"{self.where} {self.code}".strip()


class HostFindings(msgspec.Struct, frozen=True, omit_defaults=True):
    """The findings about one host from one reading of its settings, worst first. `taken`: ISO 8601."""

    host: str
    roles: tuple[str, ...] = ()
    taken: str = ""
    findings: tuple[Finding, ...] = ()

    def changes(self, before: "HostFindings") -> tuple[str, ...]:
        """What differs from an earlier reading, a sentence each."""
        old = {one.place: one.seen for one in before.findings}
        new = {one.place: one.seen for one in self.findings}
        told = [
            f"{place}: {seen}" + (f" (before: {old[place]})" if place in old else "")
            for place, seen in new.items()
            if old.get(place) != seen
        ]
        return (*told, *(f"{place}: no longer {seen}" for place, seen in old.items() if place not in new))


@dataclass(frozen=True, slots=True)
class Subject:
    """A host and its settings. `interfaces`: the lab's on it; `ports`: those it forwards between."""

    settings: HostSettings
    interfaces: tuple[str, ...] = ()
    ports: tuple[str, ...] = ()

    @property
    def forwards(self) -> bool:
        """Whether it is the DUT."""
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


@dataclass(frozen=True, slots=True)
class Seen:
    """What a rule saw: a clause without a full stop, the command that changes it, and the interface."""

    text: str
    do: str = ""
    where: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: data, and the pure function that applies it.

    `when`: what makes it speak, with the boundary, for the documentation. `source`: where `why` can be read.
    """

    code: str
    severity: str
    when: str
    why: str
    source: str
    find: Callable[[Subject], Iterator[Seen]]

    def findings(self, subject: Subject) -> Iterable[Finding]:
        """What it finds on this host."""
        for seen in self.find(subject):
            yield Finding(self.code, self.severity, seen.text, seen.where, self.why, self.source, seen.do)
