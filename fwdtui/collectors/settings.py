"""Reads the settings of all hosts of a lab for a recording; if some cannot be read, it says why."""

import asyncio
import datetime
from collections.abc import Sequence

from fwdtui.collectors.base import ReadsSettings, System
from fwdtui.collectors.source import Pool
from fwdtui.collectors.systems import by_uname, system_of
from fwdtui.collectors.watch import Watch, watches
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.host_settings import DUT, EVERYTHING, GENERATOR, RECEIVER, HostSettings, SettingsSource
from fwdtui.core.lab import Lab
from fwdtui.core.text import clean
from fwdtui.transport.base import Host


async def read(lab: Lab, pool: Pool) -> list[HostSettings]:
    """The settings of each host, in the lab's order. Never raises FwdtuiError."""
    return list(await asyncio.gather(*(_of_host(lab, watch, pool) for watch in watches(lab))))


def roles(lab: Lab, host: str) -> tuple[str, ...]:
    """The roles of a host in the lab: "dut", "generator", "generator2", "receiver"."""
    names = [DUT] if lab.dut.host == host else []
    for number, generator in enumerate(lab.generators, 1):
        if generator.host == host:
            names.append(GENERATOR if number == 1 else f"{GENERATOR}{number}")
    if lab.receiver is not None and lab.receiver.host == host:
        names.append(RECEIVER)
    return tuple(names)


async def _of_host(lab: Lab, watch: Watch, pool: Pool) -> HostSettings:
    name = ""
    sources: Sequence[SettingsSource]
    try:
        host = await pool.open(watch.host, watch.host)
        system = await system_of(host, watch)
        # for a plug-in's variant of a system that fwdtui knows: that system's name, as its rules apply
        name = by_uname(system.uname, watch.host).name
        sources = await _of_system(system, host, watch)
    except FwdtuiError as error:
        sources = (SettingsSource(EVERYTHING, missing=str(error)),)
    return HostSettings(watch.host, name, roles(lab, watch.host), _now(), sources=tuple(sources))


def not_read(lab: Lab, why: str) -> list[HostSettings]:
    """For each host, settings without any value, because they were not read; `why` is the reason."""
    none = (SettingsSource(EVERYTHING, missing=why),)
    return [HostSettings(host, "", roles(lab, host), _now(), sources=none) for host in lab.hosts()]


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


async def _of_system(system: System, host: Host, watch: Watch) -> Sequence[SettingsSource]:
    """What the system reads. A faulty plug-in costs only the settings of its host."""
    if not isinstance(system, ReadsSettings):
        return (SettingsSource(EVERYTHING, missing=f"the plug-in {system.name} does not read settings"),)
    try:
        return await system.settings(host, watch)
    except FwdtuiError:
        raise
    except Exception as error:
        return (SettingsSource(EVERYTHING, missing=clean(f"the plug-in {system.name} failed: {error!r}")),)
