"""What the last seconds tell, put together for a diagnosis and for an iteration's warnings."""

from collections.abc import Iterable, Sequence

from fwdtui.core.host_rates import STAGES, CpuShare, HostRates
from fwdtui.core.model import Caution, EventSample


def mean_cpus(rates: list[HostRates]) -> tuple[CpuShare, ...]:
    """Each core's mean shares over several intervals."""
    cores: dict[int, list[CpuShare]] = {}
    for one in rates:
        for cpu in one.cpus:
            cores.setdefault(cpu.cpu, []).append(cpu)

    def mean(found: list[CpuShare], name: str) -> float:
        return sum(getattr(cpu, name) or 0.0 for cpu in found) / len(found)

    return tuple(
        CpuShare(number, *(mean(found, name) for name in ("busy", "user", "system", "irq", "softirq")))
        for number, found in sorted(cores.items())
    )


def mean_drops(rates: Sequence[HostRates]) -> dict[str, float]:
    """Packets per second lost at each stage that any of these intervals tells, in the packet's order."""
    stages = {stage for one in rates for stage in one.drops}
    return {s: sum(one.drops.get(s, 0.0) for one in rates) / len(rates) for s in STAGES if s in stages}


def troubles(events: Iterable[EventSample]) -> list[Caution]:
    """What happened during the iteration that makes its value doubtful."""
    words = {
        "link-down": "A link went down during the iteration",
        "host-lost": "A host was lost during the iteration",
        "reboot": "A host was started again during the iteration",
        "tool-failed": "A tool failed during the iteration",
    }
    return [Caution(e.code, f"{words[e.code]} ({e.text}); repeat it.") for e in events if e.code in words]
