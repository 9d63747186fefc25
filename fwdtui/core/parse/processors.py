"""/sys/devices/system/cpu of a Linux host as settings, with what is known of irqbalance and a hypervisor.

Source: Documentation/ABI/testing/sysfs-devices-system-cpu, admin-guide/pm/cpufreq.rst and cpuidle.rst. A line
is ``PATH:VALUE``, as grep prints it, with the path below that folder. What each CPU or cpufreq policy has for
itself becomes one setting: ``powersave``, or ``performance (0-2), powersave (3)`` where they differ.
Counters of throttling become yes or no: how often it happened is not a setting.

Values of an offline CPU are left out: nothing runs there. Its policy stays, without an affected CPU
(cpufreq_offline() in drivers/cpufreq/cpufreq.c), and shows what was last in force; since Linux 5.19 reading
it is refused as busy.
"""

import re

from fwdtui.core.cpu_list import parse as cpus_of
from fwdtui.core.cpu_list import spread
from fwdtui.core.parse.fields import Parsed, Skipped, lines, whole

_LATENCY = "idle latency limit, us"
_PLAIN = {
    "online": "CPUs online",
    "present": "CPUs present",
    "isolated": "CPUs isolated",
    "smt/active": "SMT active",
    "smt/control": "SMT control",
    "cpufreq/boost": "cpufreq boost",
    "intel_pstate/no_turbo": "intel_pstate no_turbo",
    "intel_pstate/status": "intel_pstate status",
    "cpuidle/current_driver": "idle driver",
    "cpuidle/current_governor": "idle governor",
    "virtual machine": "virtual machine",
    "container": "container",
    "irqbalance": "irqbalance",
    "idle latency limit": _LATENCY,
}
_POLICY = re.compile(r"cpufreq/policy([0-9]{1,5})/([a-z_]{1,40})")
_POLICY_SETTINGS = {
    "scaling_governor": "governor",
    "scaling_driver": "cpufreq driver",
    "scaling_max_freq": "highest frequency allowed, kHz",
    "cpuinfo_max_freq": "highest frequency, kHz",
    "bios_limit": "highest frequency by firmware, kHz",
    "energy_performance_preference": "energy preference",
}
_THROTTLE = re.compile(r"cpu([0-9]{1,5})/thermal_throttle/(core|package)_throttle_count")
_IDLE = re.compile(r"cpu([0-9]{1,5})/cpuidle/state([0-9]{1,3})/(name|latency|disable)")
_NODE = re.compile(r"\.\./node/node([0-9]{1,4})/cpulist")
_WEAKNESS = re.compile(r"vulnerabilities/([a-z0-9_]{1,40})")


def parse(text: str) -> Parsed[dict[str, str]]:
    """``"governor"`` -> ``"powersave"``, ``"idle state C6"`` -> ``"133 us, on"``. Never raises."""
    skipped = Skipped()
    settings: dict[str, str] = {}
    each: dict[str, dict[int, str]] = {}  # setting -> policy or CPU -> value
    members: dict[int, tuple[int, ...]] = {}  # policy -> its CPUs
    idle: dict[tuple[int, int], dict[str, str]] = {}
    for number, raw in enumerate(lines(text), 1):
        path, colon, value = raw.partition(":")
        value = value.strip()
        if not raw.strip():
            continue
        if not colon:
            skipped.note(f"line {number}: neither a file nor a value")
        elif path in _PLAIN:
            settings[_PLAIN[path]] = value
        elif node := _NODE.fullmatch(path):
            settings[f"NUMA node {int(node[1])}"] = value
        elif weakness := _WEAKNESS.fullmatch(path):
            settings[f"vulnerability {weakness[1]}"] = value
        elif policy := _POLICY.fullmatch(path):
            if policy[2] == "affected_cpus":  # separated by blanks, unlike all other lists
                members[int(policy[1])] = cpus_of(",".join(value.split()))
            elif policy[2] in _POLICY_SETTINGS:
                each.setdefault(_POLICY_SETTINGS[policy[2]], {})[int(policy[1])] = value
        elif throttle := _THROTTLE.fullmatch(path):
            count = whole(value)
            if count is not None:
                name = f"{throttle[2]} throttled since boot"
                each.setdefault(name, {})[int(throttle[1])] = "yes" if count else "no"
        elif state := _IDLE.fullmatch(path):
            idle.setdefault((int(state[1]), int(state[2])), {})[state[3]] = value
        else:
            skipped.note(f"line {number}: an unknown file")
    online = frozenset(cpus_of(settings.get("CPUs online", "")))
    each |= _idle(idle)
    for name, values in each.items():
        if name in _POLICY_SETTINGS.values():
            values = {cpu: value for one, value in values.items() for cpu in members.get(one) or (one,)}
        if values := {cpu: value for cpu, value in values.items() if cpu in online or not online}:
            settings[name] = spread(values)
    return Parsed(settings, skipped.done())


def setting_of(file: str) -> str | None:
    """The setting that a file is about: ``cpufreq/policy3/scaling_governor`` -> ``"governor"``.

    None for files of idle states, whose names are in other files, and for unknown ones.
    """
    if node := _NODE.fullmatch(file):
        return f"NUMA node {int(node[1])}"
    if weakness := _WEAKNESS.fullmatch(file):
        return f"vulnerability {weakness[1]}"
    if policy := _POLICY.fullmatch(file):
        return _POLICY_SETTINGS.get(policy[2])
    if throttle := _THROTTLE.fullmatch(file):
        return f"{throttle[2]} throttled since boot"
    return _LATENCY if file == "dev/cpu_dma_latency" else _PLAIN.get(file)


def _idle(states: dict[tuple[int, int], dict[str, str]]) -> dict[str, dict[int, str]]:
    """Each idle state by its name: its exit latency, and whether it may be used, by CPU."""
    by_name: dict[str, dict[int, str]] = {}
    for (cpu, _), one in sorted(states.items()):
        if {"name", "latency"} <= one.keys():
            use = "off" if one.get("disable", "0") not in ("", "0") else "on"
            by_name.setdefault(f"idle state {one['name']}", {})[cpu] = f"{one['latency']} us, {use}"
    return by_name
