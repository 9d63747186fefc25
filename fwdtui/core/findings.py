"""What was seen on a host that makes results lie, as it is told and kept; core.hygiene finds it."""

from collections.abc import Iterable

import msgspec

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


def counted(findings: Iterable[Finding]) -> str:
    """``"1 wrong, 2 noisy"``: how many there are of each severity; "" if there are none."""
    told = [one.severity for one in findings]
    return ", ".join(f"{told.count(severity)} {severity}" for severity in SEVERITIES if severity in told)


class HostFindings(msgspec.Struct, frozen=True, omit_defaults=True):
    """The findings about one host from one reading of its settings, worst first. `taken`: ISO 8601."""

    host: str
    roles: tuple[str, ...] = ()
    taken: str = ""
    findings: tuple[Finding, ...] = ()

    @property
    def seen(self) -> dict[str, str]:
        """What was seen in each place; a rule may see several things in one: two sysctls, two limits."""
        told: dict[str, list[str]] = {}
        for one in self.findings:
            told.setdefault(one.place, []).append(one.seen)
        return {place: "; ".join(texts) for place, texts in told.items()}

    def changes(self, before: "HostFindings") -> tuple[str, ...]:
        """What differs from an earlier reading, a sentence each."""
        old, new = before.seen, self.seen
        told = [
            f"{place}: {seen}" + (f" (before: {old[place]})" if place in old else "")
            for place, seen in new.items()
            if old.get(place) != seen
        ]
        return (*told, *(f"{place}: no longer {seen}" for place, seen in old.items() if place not in new))
