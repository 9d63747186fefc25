"""What a Linux sampler saw change in /sys/devices/system/cpu between two slow ticks, as sentences.

A line is ``FILE:BEFORE:AFTER``, with the path below that folder. Sources: Documentation/ABI/testing/
sysfs-devices-system-cpu; arch/x86/kernel/cpu/mce/therm_throt.c for the counters of throttling.
"""

import re

from fwdtui.core.cpu_list import named
from fwdtui.core.parse.fields import Parsed, Skipped, lines, whole

_FILE = re.compile(r"cpufreq/policy([0-9]{1,5})/(scaling_governor|scaling_max_freq)")
_COUNT = re.compile(r"cpu([0-9]{1,5})/thermal_throttle/(core|package)_throttle_count")
_SWITCHES = {"intel_pstate/no_turbo": ("on", "off"), "cpufreq/boost": ("off", "on")}
"""File -> the state of turbo if it contains 0, and if it contains 1."""


def parse(text: str) -> Parsed[tuple[str, ...]]:
    """``"the governor of CPUs 0-3 changed from performance to powersave"``. Never raises.

    CPUs with the same change are named in one sentence; a policy has the number of its first CPU.
    """
    skipped = Skipped()
    policies: dict[tuple[str, str, str], list[int]] = {}
    throttled: dict[str, dict[int, int]] = {}
    told: list[str] = []
    for number, line in enumerate(lines(text), 1):
        path, _, values = line.partition(":")
        before, colon, after = values.partition(":")
        if not line.strip():
            continue
        if not colon or before == after:
            skipped.note(f"line {number}: no change")
        elif path == "online":
            told.append(f"the CPUs online were {before} and are {after}")
        elif path in _SWITCHES and after in ("0", "1"):
            told.append(f"turbo was switched {_SWITCHES[path][int(after)]}")
        elif policy := _FILE.fullmatch(path):
            policies.setdefault((policy[2], before, after), []).append(int(policy[1]))
        elif (count := _COUNT.fullmatch(path)) and None not in (was := whole(before), now := whole(after)):
            assert was is not None and now is not None
            if now > was:  # else it was reset
                throttled.setdefault(count[2], {})[int(count[1])] = now - was
        else:
            skipped.note(f"line {number}: an unknown file")
    for (file, before, after), cpus in policies.items():
        if file == "scaling_governor":
            told.append(f"the governor of {named(cpus)} changed from {before} to {after}")
        else:
            told.append(
                f"the highest frequency of {named(cpus)} changed from {_mhz(before)} to {_mhz(after)} MHz"
            )
    for what, counts in throttled.items():
        times = max(counts.values())
        where, verb = (
            ("", "were" if len(counts) > 1 else "was") if what == "core" else ("the package of ", "was")
        )
        told.append(f"{where}{named(counts)} {verb} throttled {times} time{'' if times == 1 else 's'}")
    return Parsed(tuple(told), skipped.done())


def _mhz(khz: str) -> str:
    number = whole(khz)
    return khz if number is None else f"{number / 1000:.7g}"
