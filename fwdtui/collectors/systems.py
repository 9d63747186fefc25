"""The supported operating systems: everything installed as an entry point, including the built-in ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from fwdtui.collectors import plugins
from fwdtui.collectors.base import Check, Facts, Profiles, Sampling, System
from fwdtui.collectors.watch import Watch
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.host_settings import EVERYTHING, SettingsSource
from fwdtui.core.profile.capture import Asked, Capture
from fwdtui.core.text import clean, decode
from fwdtui.transport.base import Host


def known() -> tuple[str, ...]:
    """The names that lab.toml may use, sorted."""
    return plugins.names(plugins.SYSTEMS)


def by_name(name: str, where: str = "dut.os") -> System:
    """The system that lab.toml calls `name`; `where` is for the message. Raises FwdtuiError."""
    system = plugins.load(plugins.SYSTEMS, name, System, where)
    assert isinstance(system, System)
    return system


def by_uname(uname: str, host: str) -> System:
    """The system for the output of `uname -s`: fwdtui's own, else the first by name. Raises FwdtuiError.

    A plug-in that cannot be loaded is skipped; if no other one fits, the message says why it was.
    """
    unames, broken = [], ""
    for name in sorted(known(), key=lambda name: (not plugins.is_own(plugins.SYSTEMS, name), name)):
        try:
            system = by_name(name, "fwdtui.systems")
        except FwdtuiError as error:
            broken += f"; {error}"
            continue
        if system.uname == uname:
            return system
        unames.append(system.uname)
    told = ", ".join(sorted(unames))
    raise FwdtuiError(f"{host}: it runs {uname or 'an unnamed system'}; known: {told}{broken}")


async def system_of(host: Host, watch: Watch) -> System:
    """A host's system: as the lab names it, else as the host reports it. Raises FwdtuiError, HostError.

    A name that the host contradicts is an error: its counters would be missing, and nothing would say why.
    Only fwdtui's own names are checked: a plug-in may be for a host without a `uname`.
    """
    if watch.system is not None and not plugins.is_own(plugins.SYSTEMS, watch.system):
        return by_name(watch.system)
    told = await host.run("uname -s")
    uname = clean(decode(told.stdout)).strip()
    return by_uname(uname, watch.host) if watch.system is None else as_named(watch.system, uname, watch.host)


def as_named(name: str, uname: str, host: str) -> System:
    """The system of fwdtui that lab.toml calls `name`, if it may be that of a host whose uname is `uname`.

    Raises FwdtuiError if it is that of another one.
    """
    system = by_name(name)
    own = [by_name(one).uname for one in known() if plugins.is_own(plugins.SYSTEMS, one)]
    if uname != system.uname and uname in own:
        raise FwdtuiError(f'{host}: lab.toml says os = "{name}", but it runs {uname}')
    return system


async def checks_of(system: System, host: Host, watch: Watch) -> Sequence[Check]:
    """The system's own checks. A faulty plug-in costs only those of its host. Raises a HostError."""
    try:
        checks = [*await system.checks(host, watch)]
        if odd := [one for one in checks if not isinstance(one, Check)]:
            raise TypeError(f"not a Check: {odd[0]!r}")
        return checks
    except FwdtuiError:
        raise
    except Exception as error:
        fix = "this is a fault of the plug-in: ask its author"
        return [Check(watch.host, "checks", False, _failed(system, error), fix)]


async def profile_of(system: Profiles, host: Host, asked: Asked) -> Capture:
    """The system's profile. A fault of a plug-in is its `problem`. Raises FwdtuiError."""
    try:
        capture = await system.profile(host, asked)
        if not isinstance(capture, Capture):
            raise TypeError(f"not a Capture: {capture!r}")
        return capture
    except FwdtuiError:
        raise
    except Exception as error:
        return Capture(problem=_failed(system, error))


def _failed(system: object, error: Exception) -> str:
    return clean(f"the plug-in {getattr(system, 'name', '')} failed: {error!r}")


@dataclass(frozen=True, slots=True)
class DeferredSystem:
    """A `base.System` made of functions in other modules, each written as ``"package.module:name"``.

    A module is imported only when its function is needed. `sampler` makes a Sampling; `collector`,
    `examiner`, `reader` and `profiler` are the coroutines behind facts, checks, settings and profiles.
    Without a `reader` the system's settings are not read; without a `profiler` it cannot be profiled.
    """

    name: str
    uname: str
    sampler: str
    collector: str
    examiner: str
    reader: str = ""
    profiler: str = ""

    def sampling(self, watch: Watch, token: str, interval: float) -> Sampling:
        made: Sampling = _named(self.sampler)(watch, token, interval)
        return made

    async def facts(self, host: Host, watch: Watch, sysctls: Sequence[str]) -> Facts:
        facts: Facts = await _named(self.collector)(host, watch, sysctls)
        return facts

    async def checks(self, host: Host, watch: Watch) -> Sequence[Check]:
        checks: Sequence[Check] = await _named(self.examiner)(host, watch)
        return checks

    async def settings(self, host: Host, watch: Watch) -> Sequence[SettingsSource]:
        if not self.reader:
            return (SettingsSource(EVERYTHING, missing="this system's settings are not read"),)
        sources: Sequence[SettingsSource] = await _named(self.reader)(host, watch)
        return sources

    async def profile(self, host: Host, asked: Asked) -> Capture:
        if not self.profiler:
            return Capture(problem="fwdtui has no profiler for this system")
        taken: Capture = await _named(self.profiler)(host, asked)
        return taken


def _named(place: str) -> Any:
    module, name = place.split(":")
    return getattr(import_module(module), name)
