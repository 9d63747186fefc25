"""What the last seconds tell, put together for a diagnosis and for an iteration's warnings."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from fwdtui.core.host_rates import CpuShare, HostRates
from fwdtui.core.model import Caution, EventSample
from fwdtui.monitor.live.series import Point

_FULL = 0.97
"""Of a flow's median: a smaller newest rate may be the interval in which the blast ended."""
_SIDES = ("offered", "dut in")


def agreed_end(
    flows: Mapping[str, Sequence[Point]], now: float, stale: float, interval: float, patience: float
) -> float:
    """Up to when all of a running blast's flows tell of the same traffic, in seconds of the axis.

    Hosts sample at their own moments and tools print late, so at a blast's end one flow is at zero while
    another still tells of the time before: a loss made of such halves never was. What one host has sampled
    and the others not yet is left out, and so is a fall of a side that may be the blast's end. It is one
    when nothing of the others comes after it. A fall of the DUT under a load that goes on, or one that has
    lasted for `patience` seconds, is evidence as any. Flows silent for `stale` seconds are not waited for.
    """
    known = {name: [p for p in points if p.value is not None] for name, points in flows.items()}
    newest = [points[-1].at for points in known.values() if points and points[-1].at >= now - stale]
    end = min(newest, default=now)
    fallen = {name: _fall(known.get(name, ())) for name in _SIDES}
    for name, since in fallen.items():
        (other,) = (side for side in _SIDES if side != name)
        if since is None or now - since > patience:
            continue
        points = known.get(other, [])
        goes_on = points and fallen[other] is None and points[-1].at - points[-1].seconds >= since + interval
        if not goes_on:
            end = min(end, since)
    return end


def _fall(points: Sequence[Point]) -> float | None:
    """Where the interval began from which on all rates are below the others; None: the newest is not."""
    values = [point.value or 0.0 for point in points]
    since = None
    usual = _FULL * median(value for value in values if value > 0) if any(values) else 0.0
    for point, value in zip(reversed(points), reversed(values), strict=True):
        if value >= usual:
            break
        since = point.at - point.seconds
    return since


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


def troubles(events: Iterable[EventSample]) -> list[Caution]:
    """What happened during the iteration that makes its value doubtful."""
    words = {
        "link-down": "A link went down during the iteration",
        "host-lost": "A host was lost during the iteration",
        "reboot": "A host was started again during the iteration",
        "tool-failed": "A tool failed during the iteration",
    }
    found = [event for event in events if event.code in words]
    return [Caution(e.code, f"{words[e.code]} ({_whose(e)}); repeat it.") for e in found]


def _whose(event: EventSample) -> str:
    """Two hosts may have a port of the same name."""
    return event.text if event.host in event.text else f"{event.host}: {event.text}"
