"""Which CPUs handle the packets of an interface's queues, and when: RPS, XPS, NAPI, byte queue limits.

Source: Documentation/networking/scaling.rst; Documentation/ABI/testing/sysfs-class-net and
sysfs-class-net-queues. A line is ``FILE:VALUE`` as grep prints it, with the file below /sys/class/net/IF:
``threaded:0``, ``queues/rx-0/rps_cpus:3``.
"""

import re

from fwdtui.core.parse.fields import Parsed, Skipped, lines

_FILE = re.compile(r"((?:queues/)?[a-z][a-z0-9_-]{0,40}(?:/[a-z0-9_-]{1,40}){0,2}):(.*)")


def parse(text: str) -> Parsed[dict[str, str]]:
    """``"threaded"`` -> ``"0"``, ``"rx-0 rps_cpus"`` -> ``"3"``. Never raises."""
    skipped = Skipped()
    settings: dict[str, str] = {}
    for number, raw in enumerate(lines(text), 1):
        if match := _FILE.fullmatch(raw):
            settings[setting_of(match[1])] = match[2].strip()
        elif raw.strip():
            skipped.note(f"line {number}: neither a file nor a value")
    return Parsed(settings, skipped.done())


def setting_of(file: str) -> str:
    """The setting that a file is about: ``queues/rx-0/rps_cpus`` -> ``"rx-0 rps_cpus"``."""
    return file.removeprefix("queues/").replace("/", " ")
