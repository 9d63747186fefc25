"""Facts about the hosts of a lab, collected once per session for the head of its reports."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path

from fwdtui.collectors import plugins
from fwdtui.collectors.base import Facts, System
from fwdtui.collectors.source import Pool
from fwdtui.collectors.systems import system_of
from fwdtui.collectors.tools import registry
from fwdtui.collectors.watch import Watch, watches
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Lab
from fwdtui.core.model import Fact
from fwdtui.core.roles import WANTED
from fwdtui.core.text import clean
from fwdtui.transport.base import Host

_STATED = (
    *(f"generator.{key}" for key in ("command", "role", "line_rate", "frame")),
    "receiver.command",
)
"""What lab.toml may leave out."""


async def collect(lab: Lab, pool: Pool, sysctls: Sequence[str] | None = None) -> Facts:
    """The facts of all hosts and of the lab itself, flat: ``"dut.kernel"``, ``"dut.igb1.driver"``.

    The first part of a key is the host as lab.toml names it; in facts of the lab it is a role ("generator",
    "receiver"). `sysctls` (default: the user's own) are read in addition to each system's list. What a host
    did not report has no value; if it was needed, a note for that host says why it is missing. Raises a
    HostError if a host cannot be reached.
    """
    wanted = own_sysctls() if sysctls is None else tuple(sysctls)
    parts = await asyncio.gather(*(_host(watch, pool, wanted) for watch in watches(lab)))
    values = dict(_lab(lab))
    for part in parts:
        values.update(part.values)
    notes = tuple(note for part in parts for note in part.notes)
    absent = frozenset(name for part in parts for name in part.absent)
    return Facts(values, notes, absent | {name for name in _STATED if name not in values})


def own_sysctls(folder: Path | None = None) -> tuple[str, ...]:
    """The user's additions: one name per line in the file `sysctls` of the configuration folder."""
    if folder is None:
        from platformdirs import user_config_path

        folder = user_config_path("fwdtui")
    try:
        text = (folder / "sysctls").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    names = (line.partition("#")[0].strip() for line in text.splitlines())
    return tuple(name for name in names if name)


async def _host(watch: Watch, pool: Pool, sysctls: Sequence[str]) -> Facts:
    host = await pool.open(watch.host, watch.host)
    system = await system_of(host, watch)
    facts = await _of_system(system, host, watch, sysctls)
    values = {f"{watch.host}.{key}": value for key, value in facts.values.items()}
    notes = (f"{watch.host}: not known: {', '.join(facts.notes)}",) if facts.notes else ()
    absent = frozenset(f"{watch.host}.{key}" for key in facts.absent)
    return Facts(values, notes, absent)


async def _of_system(system: System, host: Host, watch: Watch, sysctls: Sequence[str]) -> Facts:
    """What the system says. A faulty plug-in costs only the facts of its host, or those that are none."""
    try:
        facts = await system.facts(host, watch, sysctls)
        odd = [str(name) for name, value in facts.values.items() if not _is_fact(value)]
    except FwdtuiError:
        raise
    except Exception as error:
        return Facts(notes=(clean(f"all facts (the plug-in {system.name} failed: {error!r})"),))
    values = {name: value for name, value in facts.values.items() if name not in odd}
    return replace(facts, values=values, notes=(*facts.notes, *map(clean, odd))) if odd else facts


def _is_fact(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(one, str) for one in value)
    return isinstance(value, str | bool | int) or (isinstance(value, float) and isfinite(value))


def _lab(lab: Lab) -> Mapping[str, Fact]:
    values: dict[str, Fact] = {"lab": lab.name}
    for number, generator in enumerate(lab.generators, 1):
        name = "generator" if number == 1 else f"generator{number}"
        values[f"{name}.host"] = generator.host
        values[f"{name}.tool"] = generator.tool
        if generator.start is not None:
            values[f"{name}.command"] = generator.start
        if generator.role != WANTED:
            values[f"{name}.role"] = generator.role
        if generator.line_rate is not None:
            values[f"{name}.line_rate"] = generator.line_rate
        if generator.frame is not None:
            values[f"{name}.frame"] = generator.frame
        values.update(_counting(name, generator.tool))
    if lab.receiver is not None:
        values["receiver.host"] = lab.receiver.host
        values["receiver.tool"] = lab.receiver.tool
        if lab.receiver.start is not None:
            values["receiver.command"] = lab.receiver.start
        values.update(_counting("receiver", lab.receiver.tool))
    values["dut.in"], values["dut.out"] = list(lab.dut.inputs), list(lab.dut.outputs)
    return values


def _counting(name: str, tool: str) -> Mapping[str, Fact]:
    """Whether interface counters see a plug-in's packets: whoever replays this may not have the plug-in."""
    if tool not in registry.known() or plugins.is_own(plugins.TOOLS, tool):
        return {}
    return {f"{name}.counted": registry.named(tool).counted}
