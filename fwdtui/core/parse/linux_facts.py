"""What a Linux host is: kernel, distribution, processor. For the head of a report, not for rates.

Sources: proc_version(5), uname(1), os-release(5), show_cpuinfo() of each architecture, lscpu(1).
Lines that are not needed are ignored without a note.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from operator import mul

from fwdtui.core.parse.fields import Parsed, Skipped, decimal, identifier, lines, phrase, whole
from fwdtui.core.parse.json_text import load_json, mapping, sequence

_VERSION = re.compile(r"Linux version (\S+) .*?(#[0-9].*)")
_UNAME = re.compile(r"Linux \S+ (\S+) (#.*?) ?(\S+) GNU/Linux")
_LIST = re.compile(r"[0-9]{1,5}(?:-[0-9]{1,5})?(?:,[0-9]{1,5}(?:-[0-9]{1,5})?)*")


@dataclass(frozen=True, slots=True)
class KernelFacts:
    """`release` as in ``uname -r``; `build` is number, options and date; `machine` as in ``uname -m``."""

    release: str | None = None
    build: str | None = None
    machine: str | None = None


@dataclass(frozen=True, slots=True)
class DistributionFacts:
    """Fields of os-release: ID ("debian"), VERSION_ID ("12"), PRETTY_NAME."""

    identity: str | None = None
    version: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class CpuFacts:
    """`cpus` counts logical CPUs online, `cores` physical ones; `mhz` is the momentary clock rate."""

    model: str | None = None
    architecture: str | None = None
    cpus: int | None = None
    cores: int | None = None
    sockets: int | None = None
    threads_per_core: int | None = None
    mhz: float | None = None
    hypervisor: str | None = None


def parse_proc_version(text: str) -> Parsed[KernelFacts]:
    """/proc/version, or the output of ``uname -a`` or ``uname -r``."""
    skipped = Skipped()
    first = lines(text)[0].strip()
    if match := _VERSION.fullmatch(first):
        return Parsed(KernelFacts(phrase(match[1]), phrase(match[2])))
    if match := _UNAME.fullmatch(first):
        return Parsed(KernelFacts(phrase(match[1]), phrase(match[2]), phrase(match[3])))
    if (release := identifier(first)) and release[0].isdigit():
        return Parsed(KernelFacts(release))
    skipped.line(1, "not a kernel version", first)
    return Parsed(KernelFacts(), skipped.done())


def parse_os_release(text: str) -> Parsed[DistributionFacts]:
    """/etc/os-release: shell assignments, values with or without quotes."""
    skipped = Skipped()
    assignments: dict[str, str | None] = {}
    for line in lines(text):
        name, equals, value = line.strip().partition("=")
        if equals and name in ("ID", "VERSION_ID", "PRETTY_NAME"):
            assignments[name] = phrase(_unquoted(value.strip()))
    if not assignments:
        skipped.note("no ID, VERSION_ID or PRETTY_NAME")
    facts = DistributionFacts(
        assignments.get("ID"), assignments.get("VERSION_ID"), assignments.get("PRETTY_NAME")
    )
    return Parsed(facts, skipped.done())


def parse_cpuinfo(text: str) -> Parsed[CpuFacts]:
    """/proc/cpuinfo. ARM names no model but an implementer and a part, which are used instead.

    `cores` are counted by physical id and core id, so a part of the file gives only a part of the cores.
    """
    skipped = Skipped()
    first: dict[str, str] = {}
    cpus = 0
    package = ""
    cores: set[tuple[str, str]] = set()
    for line in lines(text):
        name, colon, value = (part.strip() for part in line.partition(":"))
        if not colon:
            continue
        first.setdefault(name, value)
        if name == "processor" and whole(value) is not None:
            cpus += 1
        elif name == "physical id":
            package = value
        elif name == "core id":
            cores.add((package, value))
    if not first:
        skipped.note("no processor")
    model = phrase(first.get("model name"))
    if model is None and "CPU part" in first:
        model = phrase(f"implementer {first.get('CPU implementer', '?')} part {first['CPU part']}")
    sockets = len({package for package, _ in cores})
    return Parsed(
        CpuFacts(
            model=model,
            cpus=cpus or None,
            cores=len(cores) or None,
            sockets=sockets or None,
            mhz=decimal(first.get("cpu MHz", "")),
        ),
        skipped.done(),
    )


def parse_lscpu(text: str) -> Parsed[CpuFacts]:
    """``lscpu`` or ``lscpu -J``, flat (util-linux up to 2.36) or indented.

    For a processor with several kinds of cores (big.LITTLE) it prints a block for each kind, whose sockets
    are clusters: `cores` is their sum, and the sockets are not known.
    """
    skipped = Skipped()
    pairs: list[tuple[str, str]] = []
    if text.lstrip()[:1] == "{":
        document, why = load_json(text)
        if why:
            skipped.note(why)
        pairs += _pairs(mapping(document).get("lscpu"), 0)
    else:
        for line in lines(text):
            name, colon, value = line.strip().partition(":")
            if colon:
                pairs.append((name, phrase(value) or ""))
    if not pairs:
        skipped.note("no processor")
    fields = dict(reversed(pairs))  # the first of each name
    models = dict.fromkeys(value for name, value in pairs if name == "Model name" and value)
    sockets, per_socket = (
        [whole(value) or 0 for name, value in pairs if name == wanted]
        for wanted in ("Socket(s)", "Core(s) per socket")
    )
    kinds = list(map(mul, sockets, per_socket)) if len(sockets) == len(per_socket) else []
    return Parsed(
        CpuFacts(
            model=" + ".join(models) or None,
            architecture=fields.get("Architecture") or None,
            cpus=_listed(fields.get("On-line CPU(s) list", "")) or whole(fields.get("CPU(s)", "")),
            cores=(sum(kinds) or None) if all(kinds) else None,
            sockets=(sockets[0] or None) if len(sockets) == 1 else None,
            threads_per_core=whole(fields.get("Thread(s) per core", "")) or None,
            mhz=decimal(fields.get("CPU MHz", "")),
            hypervisor=fields.get("Hypervisor vendor") or None,
        ),
        skipped.done(),
    )


def _pairs(value: object, depth: int) -> Iterator[tuple[str, str]]:
    """The field and data pairs of lscpu's JSON; newer versions nest them below "children"."""
    for entry in sequence(value) if depth < 8 else []:
        item = mapping(entry)
        name = phrase(item.get("field"))
        if name:
            yield name.rstrip(":"), phrase(item.get("data")) or ""
        yield from _pairs(item.get("children"), depth + 1)


def _listed(text: str) -> int | None:
    """How many CPUs a list such as ``0-3,8`` names."""
    if not _LIST.fullmatch(text):
        return None
    total = 0
    for part in text.split(","):
        low, _, high = part.partition("-")
        total += max(0, int(high or low) - int(low) + 1)
    return total


def _unquoted(value: str) -> str:
    """A shell word without its quotes and escapes (os-release(5) allows no more than that)."""
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        quote, value = value[0], value[1:-1]
        if quote == "'":
            return value
    return re.sub(r"\\(.)", r"\1", value)
