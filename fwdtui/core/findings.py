"""Findings: what was seen on a host that makes results lie, as shown and stored. core.hygiene finds them."""

from collections.abc import Iterable

import msgspec

from fwdtui.core import units
from fwdtui.core.host_settings import EVERYTHING

WRONG, NOISY, NOTE = "wrong", "noisy", "note"
SEVERITIES = (WRONG, NOISY, NOTE)
"""Worst first. wrong: results measure something other than forwarding at this rate. noisy: they vary by
themselves, or depend on something that is not stated. note: worth knowing when two hosts are compared."""

UNKNOWN = ("virtual-machine", "not-read", "not-there")
"""Codes of findings that only say what is not known of a host."""


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


def counted(findings: Iterable[Finding]) -> str:
    """``"1 wrong, 2 noisy, 2 notes"``: how many there are of each severity; "" if there are none."""
    told = [one.severity for one in findings]
    numbers = {severity: told.count(severity) for severity in SEVERITIES if severity in told}
    return ", ".join(units.counted(n, what) if what == NOTE else f"{n} {what}" for what, n in numbers.items())


class HostFindings(msgspec.Struct, frozen=True, omit_defaults=True):
    """The findings about one host from one reading of its settings, worst first. `taken`: ISO 8601.

    `unread`: the places that could not be read completely, so that the absence of a finding there says
    nothing. A code alone means that place of the host and of all its interfaces, EVERYTHING means all places.
    """

    host: str
    roles: tuple[str, ...] = ()
    taken: str = ""
    findings: tuple[Finding, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def seen(self) -> dict[str, str]:
        """What was seen, by place; a rule may see several things in one place: two sysctls, two limits."""
        told: dict[str, list[str]] = {}
        for one in self.findings:
            told.setdefault(one.place, []).append(one.seen)
        return {place: "; ".join(texts) for place, texts in told.items()}

    def same_as(self, other: "HostFindings") -> bool:
        """Whether both say the same about the host, no matter when they were read."""
        return (self.findings, self.unread) == (other.findings, other.unread)

    def is_unread(self, place: str) -> bool:
        """Whether this reading leaves open what is in a place."""
        code = place.rpartition(" ")[2]
        return code not in UNKNOWN and not {place, code, EVERYTHING}.isdisjoint(self.unread)

    def after(self, before: "HostFindings | None") -> "HostFindings":
        """What is known of the host now: what could not be read this time is as it was `before`.

        Not for a host that was changed on purpose between the two.
        """
        if before is None or not self.unread:
            return self
        there = {one.place for one in before.findings if self.is_unread(one.place)}
        there = {place for place in there if not before.is_unread(place) or place not in self.seen}
        merged = [one for one in self.findings if one.place not in there]
        merged += [one for one in before.findings if one.place in there]
        never = {place for place in self.unread if before.is_unread(place)}
        never |= {place for place in before.unread if self.is_unread(place)}
        return msgspec.structs.replace(
            self,
            findings=tuple(sorted(merged, key=lambda one: rank(one.severity))),
            unread=tuple(sorted(never)),
        )

    def changes(self, before: "HostFindings") -> tuple[str, ...]:
        """What differs from an earlier reading, one line each; without places that either did not read."""
        old, new = before.seen, self.seen
        known = [
            place
            for place in dict.fromkeys((*new, *old))
            if place not in UNKNOWN and not self.is_unread(place) and not before.is_unread(place)
        ]
        told = [
            f"{place}: {new[place]}" + (f" (before: {old[place]})" if place in old else "")
            for place in known
            if place in new and old.get(place) != new[place]
        ]
        return (*told, *(f"{place}: no longer {old[place]}" for place in known if place not in new))


def rank(severity: str) -> int:
    """The index of a severity in SEVERITIES; after all of them for one that only a newer fwdtui knows."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)
