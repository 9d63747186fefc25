"""Checks what each host of a lab has and what is missing: by asking it, and by taking a sample.

Then it reads the hosts' settings, as a recording does, and reports those that distort results.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from fwdtui.collectors import doctor_at_rate, doctor_counting, settings
from fwdtui.collectors.base import Check, System
from fwdtui.collectors.sampler import HostSampler
from fwdtui.collectors.source import Pool
from fwdtui.collectors.systems import checks_of, system_of
from fwdtui.collectors.tools.probe import probe
from fwdtui.collectors.tools.registry import tool_of
from fwdtui.collectors.tools.shell import ESCAPES, escapes
from fwdtui.collectors.trial import LONGEST, taken
from fwdtui.collectors.watch import Watch, watches
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.host_settings import HostSettings
from fwdtui.core.hygiene import rules
from fwdtui.core.lab import Endpoint, Lab
from fwdtui.core.model import EventSample, HostSample, Sample
from fwdtui.core.shell_words import quote
from fwdtui.core.units import counted
from fwdtui.transport.base import Host
from fwdtui.transport.errors import HostError

_COARSE = 0.05  # of the interval: a coarser clock makes rates jump


async def examine(lab: Lab, pool: Pool, path: str = "lab.toml") -> list[Check]:
    """All checks of all hosts, in the lab's order; each host's lab hygiene last, worst first.

    Raises FwdtuiError only for an unknown tool.
    """
    ends = _ends(lab)
    for role, endpoint in ends:
        tool_of(endpoint, role, path)
    boots: dict[str, str] = {}
    of_hosts = await asyncio.gather(*(_host(lab, watch, ends, pool, path, boots) for watch in watches(lab)))
    # only afterwards: reading the settings would disturb the trial samples
    seen = {one.host: _hygiene(lab, one) for one in await settings.read(lab, pool)}
    by_host = zip(watches(lab), of_hosts, strict=True)
    return [
        check
        for watch, checks in by_host
        for check in (
            *checks,
            *_one_kernel(watch.host, boots, lab.hosts()),
            *(() if _lost(checks) else seen.get(watch.host, ())),
        )
    ]


def _one_kernel(name: str, boots: Mapping[str, str], hosts: Sequence[str]) -> list[Check]:
    """A check that says that an earlier host of the lab has the same boot; none if there is no such host.

    They are then network namespaces of one kernel, or one host under two names.
    """
    before = hosts[: hosts.index(name)]
    first = next((one for one in before if boots.get(one) and boots[one] == boots.get(name)), None)
    if first is None:
        return []
    found = f"the same as {first}'s: cores and interrupts are those of one machine"
    fix = (
        f"if {first} and {name} are the same host, use one name for it in lab.toml: otherwise it is sampled "
        "twice, and a port that is listed under both names counts twice"
    )
    return [Check(name, "kernel", None, found, fix)]


def _lost(checks: Sequence[Check]) -> bool:
    """Whether a host's checks say that it could not be examined at all."""
    return any(check.ok is False and check.what in ("reachable", "system") for check in checks)


def _hygiene(lab: Lab, read: HostSettings) -> list[Check]:
    return [
        Check(read.host, one.place, None, one.seen, one.do, one) for one in rules.of_host(lab, read).findings
    ]


def _ends(lab: Lab) -> list[tuple[str, Endpoint]]:
    ends = [("generator", generator) for generator in lab.generators]
    return ends if lab.receiver is None else [*ends, ("receiver", lab.receiver)]


def may_escape(endpoint: Endpoint, system: str) -> bool:
    """Whether our signals may not reach what an end's commands run on a host of this system."""
    at_rate = (endpoint.at_rate or "").replace("{time_limit}", "1")  # a number is filled in later
    return not endpoint.stop and any(escapes(one, system) for one in (endpoint.start or "", at_rate))


async def _host(
    lab: Lab,
    watch: Watch,
    ends: Sequence[tuple[str, Endpoint]],
    pool: Pool,
    path: str,
    boots: dict[str, str],
) -> list[Check]:
    name = watch.host
    checks: list[Check] = []
    try:
        host = await pool.open(name, name)
        await host.connect()
        checks.append(Check(name, "reachable", True, f"ssh {host.destination}"))
    except HostError as error:
        return [Check(name, "reachable", False, error.text, _way_out(error, _command(name, lab, path)))]
    try:
        system = await system_of(host, watch)
        checks.append(Check(name, "system", True, system.uname))
        checks += await checks_of(system, host, watch)
        for role, endpoint in ends:
            if endpoint.host == name:
                checks.append(await _tool(host, role, endpoint, path))
                if may_escape(endpoint, system.name):
                    checks.append(Check(name, f"{role} stop", None, "timeout without --foreground", ESCAPES))
                tool = tool_of(endpoint, role, path)
                checks += await doctor_at_rate.tried(host, endpoint, tool, lab, path)
        checks += await _trial(host, watch, system, lab, path, boots)
        if name == lab.dut.host and lab.dut.count:
            profiler = next((check for check in checks if check.what == "profiler"), None)
            checks.append(await doctor_counting.tried(host, watch, lab.dut.count, profiler))
    except HostError as error:
        way_out = _way_out(error, _command(name, lab, path))
        checks.append(Check(name, "reachable", False, error.text, way_out))
    except FwdtuiError as error:
        # lab.toml can name the system of the DUT only
        fix = "name it in lab.toml: dut.os" if name == lab.dut.host else "docs/plugins.md says how to add one"
        fix = fix if watch.system is None else "correct dut.os in lab.toml; without it the system is detected"
        checks.append(Check(name, "system", False, str(error), fix))
    return checks


async def _tool(host: Host, role: str, endpoint: Endpoint, path: str) -> Check:
    tool = tool_of(endpoint, role, path)
    probed = await probe(host, tool, endpoint.start, endpoint.interface)
    return Check(endpoint.host, f"{role} {endpoint.tool}", probed.ok, probed.found, probed.fix)


async def _trial(
    host: Host, watch: Watch, system: System, lab: Lab, path: str, boots: dict[str, str]
) -> list[Check]:
    """Takes one plain and one slow sample, as a run would; puts the host's boot into `boots`."""
    name, interval = watch.host, lab.interval
    samples = await taken(HostSampler(host, watch, min(interval, 1.0), system=system), _enough)
    plain = next((one for one in samples if isinstance(one, HostSample) and one.cpus), None)
    if plain is None:
        said = [one.text for one in samples if isinstance(one, EventSample)]
        text = said[-1] if said else f"none within {LONGEST:g} s"
        command = _command(host.destination, lab, path)
        return [Check(name, "trial sample", False, text, f"run `{command} true` and try again")]
    boots[name] = plain.boot
    return [_sampled(name, watch, plain, samples), _clock(name, plain, interval)]


def _enough(samples: Sequence[Sample]) -> bool:
    """Whether there are samples of both kinds, or the sampler has reported that there will be none."""
    failed = any(isinstance(one, EventSample) and one.code == "failed" for one in samples)
    return failed or sum(isinstance(one, HostSample) for one in samples) >= 2


def _sampled(name: str, watch: Watch, plain: HostSample, samples: Sequence[Sample]) -> Check:
    hosts = [one for one in samples if isinstance(one, HostSample)]
    numbers = {
        "interface": len(plain.interfaces),
        "core": len(plain.cpus),
        "queue": max(len(one.queues) for one in hosts),
        "interrupt": max(len(one.interrupts) for one in hosts),
    }
    text = ", ".join(counted(count, what) for what, count in numbers.items() if count)
    missing = [note for one in hosts for note in one.skipped]
    complete = len(plain.interfaces) == len(watch.interfaces)
    note = f" ({missing[0]})" if missing else ""
    fix = "" if complete else "see the checks of the interfaces above"
    return Check(name, "trial sample", complete, text + note, fix)


def _clock(name: str, plain: HostSample, interval: float) -> Check:
    fine = plain.resolution <= _COARSE * interval
    text = f"up {plain.t:.0f} s, in steps of {_brief(plain.resolution)}"
    fix = (
        ""
        if fine
        else f"too coarse for a sample every {interval:g} s: log in as root, or use a longer interval"
    )
    return Check(name, "clock", fine, text, fix)


def _brief(seconds: float) -> str:
    """``1 ns``, ``10 ms``, ``1 s``."""
    units = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6))
    unit, size = next(((unit, size) for unit, size in units if seconds >= size), ("ns", 1e-9))
    return f"{seconds / size:g} {unit}"


def _command(destination: str, lab: Lab, path: str) -> str:
    """The ssh command that reaches `destination` with the lab's files. ssh takes the port as an option."""
    host, colon, port = destination.rpartition(":")
    if colon and port.isdecimal() and (":" not in host or host.endswith("]")):
        destination = f"-p {port} {host.replace('[', '').replace(']', '')}"
    given: list[str] = []
    for option, name in (("-F", lab.ssh.config_file), ("-o", lab.ssh.known_hosts)):
        if name is not None:
            file = str(Path(path).parent / Path(name).expanduser())
            if option == "-o":  # ssh reads the value as a list of files, separated by spaces
                file = f'UserKnownHostsFile="{file}"' if " " in file else f"UserKnownHostsFile={file}"
            given += [option, quote(file)]
    return " ".join(["ssh", *given, destination])


def _way_out(error: HostError, command: str) -> str:
    if error.retry:
        return f"check the host and try `{command}`"
    return f"fix that first; `{command}` must work without a prompt"
