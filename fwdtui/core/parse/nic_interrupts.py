"""Where a network card is and which CPUs may serve its interrupts, from /sys/class/net and /proc/irq.

Source: Documentation/core-api/irq/irq-affinity.rst; Documentation/ABI/testing/sysfs-bus-pci (numa_node,
local_cpulist). Lines are ``irq 40 eth0-rx-0``, a name of interrupt 40, and ``FILE:VALUE`` as grep prints it:
``40/smp_affinity_list:0-3``, ``40/effective_affinity_list:2``, ``/sys/devices/.../numa_node:0``.
"""

import re

from fwdtui.core.parse.fields import Parsed, Skipped, lines

_PLAIN = {"numa_node": "NUMA node", "local_cpulist": "local CPUs"}
_KINDS = {"smp_affinity_list": "allowed", "effective_affinity_list": "in effect"}
_NAME = re.compile(r"irq ([0-9]{1,9}) (\S.{0,100})")


def parse(text: str) -> Parsed[dict[str, str]]:
    """``"NUMA node"`` -> ``"0"``, ``"eth0-rx-0 in effect"`` -> ``"2"``. Never raises.

    An interrupt's number is left out: it changes from boot to boot.
    """
    skipped = Skipped()
    settings: dict[str, str] = {}
    names: dict[str, list[str]] = {}
    for number, raw in enumerate(lines(text), 1):
        if not raw.strip():
            continue
        if name := _NAME.fullmatch(raw):
            names.setdefault(name[1], []).append(name[2])
            continue
        path, colon, value = raw.rpartition(":")
        folder, _, file = path.rpartition("/")
        if colon and file in _PLAIN:
            settings[_PLAIN[file]] = value.strip()
        elif colon and file in _KINDS:
            for one in names.get(folder, ()):
                settings[f"{one} {_KINDS[file]}"] = value.strip()
        else:
            skipped.note(f"line {number}: neither an interrupt nor a place")
    return Parsed(settings, skipped.done())
