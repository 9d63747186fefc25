"""Which operating systems there are: whatever is installed as an entry point, the built-in ones too."""

from functools import cache
from importlib.metadata import entry_points

from fwdtui.collectors.base import SYSTEMS_GROUP, System
from fwdtui.collectors.watch import Watch
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean, decode
from fwdtui.transport.base import Host


@cache
def systems() -> dict[str, System]:
    """Every system by its name."""
    return {point.name: point.load() for point in entry_points(group=SYSTEMS_GROUP)}


def by_name(name: str) -> System:
    """As lab.toml names it. Raises FwdtuiError."""
    found = systems().get(name)
    if found is None:
        raise FwdtuiError(f"dut.os: there is no system {name!r}; there are {', '.join(sorted(systems()))}")
    return found


def by_uname(uname: str, host: str) -> System:
    """As `uname -s` names it. Raises FwdtuiError."""
    for system in systems().values():
        if system.uname == uname:
            return system
    known = ", ".join(sorted(system.uname for system in systems().values()))
    raise FwdtuiError(f"{host}: it runs {uname or 'no system that says its name'}; known are {known}")


async def system_of(host: Host, watch: Watch) -> System:
    """A host's: as the lab says, else as the host says. Raises FwdtuiError, a HostError among them."""
    if watch.system is not None:
        return by_name(watch.system)
    told = await host.run("uname -s")
    return by_uname(clean(decode(told.stdout)).strip(), watch.host)
