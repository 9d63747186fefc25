"""What a forwarded packet costs the DUT: time of its cores, from the ticks that are sampled anyway.

Over the steady window of an iteration, between the DUT's first and last whole sample in it:

    cpu-per-packet     busy time / packets, in microseconds: user + nice + system + irq + softirq
    kernel-per-packet  the same of system + irq + softirq alone
    packets-per-core   packets / busy time: what one busy core forwards in a second

Packets are what the DUT's outputs sent (tx_packets), according to the same samples; if a card updates its
counters less often than they are read, only the samples that show an update are used. The time that a core
spent in a state is its share of the core's ticks times the seconds of the host's monotonic clock, so no tick
rate is needed; idle, iowait and steal are not busy. All cores count, even those that forward nothing, and so
does everything that ran on them: user programs, our own sampler, and the work on packets that were dropped
later.

And of each event that performance counters counted on all cores of the DUT (`CountSample`):

    EVENT-per-packet   counts / packets, over the tool's own intervals that lie within the same seconds

The packets of such an interval are interpolated from the same samples, as if the rate between two samples
were constant.

Linux charges a whole tick to whatever the timer interrupts, unless it is built to account exactly
(account_process_tick() in kernel/sched/cputime.c): work that is shorter than a tick is counted correctly only
on average. Threaded NAPI is system time, not softirq. FreeBSD does the same at stathz (statclock() in
sys/kern/kern_clock.c); its interrupt threads are all irq. Where idle cores poll, every core is always busy.
"""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fwdtui.core.cost_parts import DIGITS, at_refreshes, forwarded, rounded, summary_of
from fwdtui.core.event_cost import event_costs
from fwdtui.core.interval import SLACK, lies_within
from fwdtui.core.model import Cost, EventSample, HostSample, Sample, Summary

CPU, KERNEL, PER_CORE = "cpu-per-packet", "kernel-per-packet", "packets-per-core"
CORE_METRICS = CPU, KERNEL, PER_CORE
DUT, MACHINE = "dut", "machine"
FEW_TICKS = 400
"""With fewer busy ticks than this, their number is uncertain by 5 % or more: 1 / sqrt(n), if independent."""

_MICRO = 1e6
_TIME, _RATE = "us/packet", "pps/core"
_STRETCH = 1.0  # seconds: a shorter stretch has too few ticks to be shown
_STATES = ("user", "nice", "system", "irq", "softirq", "idle", "iowait", "steal")
_PARTS: Mapping[str, tuple[str, ...]] = {
    "softirq": ("softirq",),
    "irq": ("irq",),
    "system": ("system",),
    "user": ("user", "nice"),
}
_IDLE = "no core was busy for as long as a tick of its clock"
_IDLE_KERNEL = "no core was busy in the kernel for as long as a tick of its clock"
_KERNEL = ("softirq", "irq", "system")


@dataclass(slots=True)
class _Core:
    """One core: ticks by state, and the seconds in which they were counted."""

    ticks: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_STATES, 0))
    seconds: float = 0.0

    def spent(self, states: Iterable[str]) -> float:
        """Seconds in these states."""
        whole = sum(self.ticks.values())
        return sum(self.ticks[state] for state in states) / whole * self.seconds if whole else 0.0


@dataclass(slots=True)
class _Stretch:
    """Consecutive intervals: packets that were forwarded in them, and what the cores did meanwhile."""

    seconds: float = 0.0
    packets: int = 0
    cores: dict[int, _Core] = field(default_factory=dict)

    def add(self, seconds: float, packets: int, before: HostSample, after: HostSample) -> None:
        """Adds the interval between two samples, in which `packets` were forwarded."""
        self.seconds += seconds
        self.packets += packets
        earlier = {row.cpu: row for row in before.cpus}
        for row in after.cpus:
            if (old := earlier.get(row.cpu)) is None:
                continue
            core = self.cores.setdefault(row.cpu, _Core())
            core.seconds += seconds
            for state in _STATES:  # iowait may go back by a few ticks (proc(5))
                core.ticks[state] += max((getattr(row, state) or 0) - (getattr(old, state) or 0), 0)

    def spent(self, parts: Iterable[str]) -> float:
        """Seconds of all cores in these parts."""
        states = [state for part in parts for state in _PARTS[part]]
        return sum(core.spent(states) for core in self.cores.values())

    def value(self, metric: str) -> float | None:
        """The metric; None where nothing was forwarded, or no core was busy for a tick."""
        if metric == PER_CORE:
            busy = self.spent(_PARTS)
            return self.packets / busy if busy > 0 else None
        parts = _KERNEL if metric == KERNEL else tuple(_PARTS)
        spent = self.spent(parts)
        return spent * _MICRO / self.packets if spent and self.packets else None


def inside(samples: Iterable[Sample], dut: str, window: tuple[float, float]) -> list[HostSample]:
    """The DUT's samples that begin or end an interval within the window, if they have ports and cores.

    The window is in seconds on the recording's axis.
    """
    mine = [s for s in samples if isinstance(s, HostSample) and s.host == dut and s.cpus and s.interfaces]
    pairs = pairwise(sorted(mine, key=lambda sample: sample.at))
    whole = [(old, new) for old, new in pairs if lies_within(new.at, new.at - old.at, window)]
    return [whole[0][0], *(new for _, new in whole)] if whole else []


def shared_with(samples: Iterable[Sample], dut: str) -> list[str]:
    """The other hosts that run on the DUT's kernel, such as network namespaces: their cores are the same."""
    boots = {s.host: s.boot for s in samples if isinstance(s, HostSample) and _names_one(s.boot)}
    own = boots.pop(dut, "")
    return sorted(host for host, boot in boots.items() if own and boot == own)


def _names_one(boot: str) -> bool:
    """Whether `boot` identifies one boot: older versions gave all boots without a name the same identity."""
    return bool(boot) and not boot.startswith("after ")


def host_with(samples: Iterable[Sample], ports: Collection[str]) -> str:
    """The one host that has all these ports; "" if there is none, or several."""
    hosts = {
        s.host
        for s in samples
        if isinstance(s, HostSample) and s.interfaces and {row.name for row in s.interfaces} >= set(ports)
    }
    return hosts.pop() if len(hosts) == 1 else ""


def costs(
    samples: Collection[Sample],
    dut: str,
    outputs: Sequence[str],
    window: tuple[float, float],
    *,
    shared: bool = False,
    asked: Sequence[str] = (),
    why_not: Mapping[str, str] | None = None,
    unknown: str = "",
) -> dict[str, Cost]:
    """All costs over a window of the recording's axis; those that are not counted say why.

    `shared`: another role of the lab is on the DUT's host. Hosts on one kernel are found in the samples.
    `asked`: events that were to be counted, besides those that were; `why_not`: why some could not be.
    `unknown`: why no cost is known, if the outputs did not count the packets that really passed; else "".
    """
    scope = MACHINE if shared or shared_with(samples, dut) else DUT
    anew = _after_steps(samples, dut)
    mine = at_refreshes(inside(samples, dut, window), outputs, anew)
    found = _of_cores(mine, outputs, scope, anew) | event_costs(
        samples, mine, dut, outputs, scope, asked=asked, why_not=why_not or {}, anew=anew
    )
    if unknown:
        return {name: Cost(one.unit, one.scope, why=unknown) for name, one in found.items()}
    return found


def _after_steps(samples: Iterable[Sample], dut: str) -> frozenset[int]:
    """`id()` of the DUT's samples right before which its clock was set.

    How long the intervals are that end with them is not known.
    """
    after, stepped = set(), False
    for one in samples:  # in order of arrival: a step is reported before the sample that showed it
        if isinstance(one, EventSample) and one.code == "clock-step" and one.host == dut:
            stepped = True
        elif stepped and isinstance(one, HostSample) and one.host == dut and one.cpus and one.interfaces:
            after.add(id(one))
            stepped = False
    return frozenset(after)


def _of_cores(
    mine: Sequence[HostSample], outputs: Sequence[str], scope: str, anew: Container[int]
) -> dict[str, Cost]:
    units = {CPU: _TIME, KERNEL: _TIME, PER_CORE: _RATE}
    whole, stretches = _stretches(mine, outputs, anew)
    why = _why(mine, whole)
    if why:
        return {name: Cost(unit, scope, why=why) for name, unit in units.items()}
    parts = {name: rounded(whole.spent([name]) * _MICRO / whole.packets) for name in _PARTS}
    ticks = {
        part: sum(core.ticks[state] for core in whole.cores.values() for state in states)
        for part, states in _PARTS.items()
    }
    return {
        name: Cost(
            unit,
            scope,
            _summary(name, whole, stretches),
            why=_why_idle(whole, name),
            seconds=round(whole.seconds, DIGITS),
            packets=whole.packets,
            cores=len(whole.cores),
            parts={part: parts[part] for part in _parts_of(name)},
            ticks=sum(ticks[part] for part in (_KERNEL if name == KERNEL else _PARTS)),
        )
        for name, unit in units.items()
    }


def _parts_of(metric: str) -> tuple[str, ...]:
    return () if metric == PER_CORE else _KERNEL if metric == KERNEL else tuple(_PARTS)


def _stretches(
    mine: Sequence[HostSample], outputs: Sequence[str], anew: Container[int]
) -> tuple[_Stretch, list[_Stretch]]:
    """All intervals as one stretch, and the same intervals in stretches of a second or more."""
    whole, stretches = _Stretch(), [_Stretch()]
    for before, after in pairwise(mine):
        passed = forwarded(before, after, outputs)
        if passed is None or id(after) in anew or _began_anew(before, after):
            continue
        if stretches[-1].seconds >= _STRETCH * (1 - SLACK):
            stretches.append(_Stretch())
        for one in (whole, stretches[-1]):
            one.add(*passed, before, after)
    if len(stretches) > 1 and stretches[-1].seconds < _STRETCH * (1 - SLACK):
        stretches.pop()  # a remainder, too short to be shown; `whole` contains it
    return whole, stretches


def _began_anew(before: HostSample, after: HostSample) -> bool:
    """Whether a core was offline in between: then its idle time counts from zero (see core/host_rates.py).

    A core's idle time may also go back by a few ticks, as the kernel adds it up from two clocks.
    """
    idle = {row.cpu: row.idle for row in before.cpus}
    return any(2 * row.idle < idle.get(row.cpu, 0) for row in after.cpus)


def _why(mine: Sequence[HostSample], whole: _Stretch) -> str:
    """Why nothing is counted; "" if it is."""
    if len(mine) < 2:
        return "the DUT's core times were not sampled twice in the window"
    if not whole.seconds:
        return "the packets that the DUT's outputs sent are not known"
    if not whole.packets:
        return "the DUT forwarded nothing in the window"
    if not any(sum(core.ticks.values()) for core in whole.cores.values()):
        return "the DUT's core times did not move in the window"
    return ""


def _why_idle(whole: _Stretch, metric: str) -> str:
    """Why a metric has no value although times and packets are known; "" if it has one."""
    if whole.value(metric) is not None:
        return ""
    return _IDLE if whole.value(CPU) is None else _IDLE_KERNEL  # a router in userland leaves its kernel idle


def _summary(name: str, whole: _Stretch, stretches: Sequence[_Stretch]) -> Summary | None:
    mean = whole.value(name)
    return None if mean is None else summary_of(mean, [stretch.value(name) for stretch in stretches])
