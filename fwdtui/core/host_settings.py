"""The settings of one host at one moment: its configuration files, its kernel's settings, its interfaces.

A source is one text that was asked for ("/etc/rc.conf", "sysctl", "ethtool -k eth0"). A setting's name is its
source and its key; its value is text as the host prints it, with several lines where their order matters
(firewall rules). Secrets are replaced by SECRET before anything else is done with the text.
"""

from collections.abc import Iterator, Mapping

import msgspec

SECRET = "(secret, not kept)"
"""Replaces a secret. Two secrets that are replaced by it may differ, so they are never compared."""
EVERYTHING = "everything"
"""The name of a source that says why nothing could be read from a host."""
DUT, GENERATOR, RECEIVER = "dut", "generator", "receiver"


class SettingsSource(msgspec.Struct, frozen=True, omit_defaults=True):
    """One text: its settings, or why there are none.

    `absent`: the host has no such file, program or feature, so nothing is set there. `missing`: why it could
    not be read. `volatile`: how many values were left out because they change by themselves (core.volatile);
    `unsteady`: keys that were left out because their value was seen to change. `unread`: keys that the host
    has and did not show. `skipped`: what else could not be read in it, without quoting it.
    """

    name: str
    values: Mapping[str, str] = {}
    absent: bool = False
    missing: str = ""
    volatile: int = 0
    unsteady: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()

    @property
    def secrets(self) -> int:
        """How many of its values are, or contain, a secret that is not kept."""
        return sum(SECRET in value for value in self.values.values())


class HostSettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that was read from one host.

    `roles`: "dut", "generator", "generator2", "receiver"; hosts with the same role are compared. `taken`:
    when it was read, ISO 8601 with offset; "" for an import. `origin`: where an imported configuration was.
    `cases`: the cases that it holds for; () means all cases of the session.
    """

    host: str
    system: str = ""
    roles: tuple[str, ...] = ()
    taken: str = ""
    origin: str = ""
    cases: tuple[str, ...] = ()
    sources: tuple[SettingsSource, ...] = ()

    def source(self, name: str) -> SettingsSource | None:
        """The source called `name`; None if it was not asked for."""
        return next((source for source in self.sources if source.name == name), None)

    def settings(self) -> Iterator[tuple[str, str]]:
        """Every setting in order: ``"sysctl/net.inet.ip.forwarding"`` and its value."""
        for source in self.sources:
            for key, value in source.values.items():
                yield f"{source.name}/{key}", value

    def same_as(self, other: "HostSettings") -> bool:
        """Whether both say the same, no matter when they were read, and apart from what changes by itself."""
        if (self.system, self.roles, self.cases) != (other.system, other.roles, other.cases):
            return False
        if len(self.sources) != len(other.sources):
            return False
        return all(map(_same, self.sources, other.sources))


def _same(one: SettingsSource, other: SettingsSource) -> bool:
    if (one.name, one.absent, one.missing) != (other.name, other.absent, other.missing):
        return False
    if one.values == other.values:
        return True
    aside = {*one.unsteady, *other.unsteady, *one.unread, *other.unread}
    keys = (one.values.keys() | other.values.keys()) - aside
    return all(one.values.get(key) == other.values.get(key) for key in keys)
