"""Lists of CPUs as the kernel writes them, and texts that say which value holds for which CPUs.

Source: Documentation/core-api/printk-formats.rst, "bitmap and its derivatives" (``%*pbl``): ``0-3,8``. The
largest NR_CPUS of any architecture is 8192.
"""

import re
from collections.abc import Iterable, Mapping

MOST = 8192
"""A list with a CPU number of this or more is not believed."""
_RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")
_PART = re.compile(r"(?P<value>[^()]*?) \((?P<cpus>[0-9,-]+)\)(?:, |$)")


def parse(text: str) -> tuple[int, ...]:
    """``"0-3,8"`` -> (0, 1, 2, 3, 8); () for an empty list, and for text that is not such a list."""
    cpus: set[int] = set()
    for part in text.strip().split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            return ()
        first, last = int(match[1]), int(match[2] or match[1])
        if last >= MOST or last < first:
            return ()
        cpus.update(range(first, last + 1))
    return tuple(sorted(cpus))


def shown(cpus: Iterable[int]) -> str:
    """(0, 1, 2, 3, 8) -> ``"0-3,8"``."""
    parts: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if parts and cpu == parts[-1][1] + 1:
            parts[-1][1] = cpu
        else:
            parts.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)


def named(cpus: Iterable[int]) -> str:
    """``"CPU 3"``, ``"CPUs 0-2"``."""
    each = set(cpus)
    return f"CPU{'' if len(each) == 1 else 's'} {shown(each)}"


def spread(values: Mapping[int, str]) -> str:
    """The values of all CPUs: ``"performance"`` if all agree, or ``"performance (0-2), powersave (3)"``."""
    by_value: dict[str, list[int]] = {}
    for cpu in sorted(values):
        by_value.setdefault(values[cpu], []).append(cpu)
    if len(by_value) == 1:
        return next(iter(by_value))
    return ", ".join(f"{value} ({shown(cpus)})" for value, cpus in by_value.items())


def unspread(text: str) -> dict[str, tuple[int, ...]]:
    """The inverse of `spread`: value -> its CPUs, or () if all CPUs have the same. {} for an empty text."""
    parts = list(_PART.finditer(text))
    if not parts or "".join(part[0] for part in parts) != text:
        return {text: ()} if text else {}
    return {part["value"]: parse(part["cpus"]) for part in parts}
