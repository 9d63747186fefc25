"""Three machines of a lab for tests: counters that follow an offered load, sampled at their own phases."""

import random
from collections.abc import Callable, Iterator

from fwdtui.core.counters import CpuTicks, InterfaceCounters
from fwdtui.core.model import HostSample, Sample

LAB = """
[generator]
host = "gen"
interface = "g0"
line_rate = "20k"
[dut]
host = "dut"
in = "d0"
out = "d1"
[receiver]
host = "sink"
interface = "s0"
[run]
warmup = "2s"
"""


FRAME = 60  # bytes: the shortest Ethernet frame without its check sequence


class Machines:
    """Three hosts whose counters follow an offered load; a DUT that forwards at most `capacity`.

    Each host samples at its own phase of the second, as real ones do, with a little jitter.
    """

    def __init__(self, offered: Callable[[int], float], capacity: float = 1e9, seed: int = 1) -> None:
        self._offered, self._capacity = offered, capacity
        self._random = random.Random(seed)
        self.totals = dict.fromkeys(("sent", "in", "dropped", "out", "received"), 0.0)
        self._busy = self._idle = 0.0

    def run(self, seconds: int) -> Iterator[Sample]:
        for second in range(seconds):
            rate = self._offered(second)
            phases = {"gen": 0.21, "dut": 0.52, "sink": 0.83}
            clock = 0.0
            for host, phase in phases.items():
                moment = phase + self._random.uniform(-0.02, 0.02)
                self._advance(rate, moment - clock)
                clock = moment
                yield self._sample(host, second + moment, second)
            self._advance(rate, 1.0 - clock)

    def _advance(self, rate: float, seconds: float) -> None:
        forwarded = min(rate, self._capacity)
        self.totals["sent"] += rate * seconds
        self.totals["dropped"] += (rate - forwarded) * seconds
        self.totals["in"] += forwarded * seconds
        self.totals["out"] += forwarded * seconds
        self.totals["received"] += forwarded * seconds
        busy = min(rate / self._capacity, 1.0) * seconds * 100
        self._busy += busy
        self._idle += seconds * 100 - busy

    def _sample(self, host: str, at: float, seq: int) -> HostSample:
        total = {name: int(value) for name, value in self.totals.items()}
        ports = {
            "gen": (InterfaceCounters("g0", **_counted("tx", total["sent"])),),
            "dut": (
                InterfaceCounters(
                    "d0", **_counted("rx", total["in"]), rx_dropped=total["dropped"], rx_missed=0
                ),
                InterfaceCounters("d1", **_counted("tx", total["out"]), tx_dropped=0),
            ),
            "sink": (InterfaceCounters("s0", **_counted("rx", total["received"])),),
        }
        ticks = CpuTicks(0, 0, 0, 0, int(self._idle), 0, softirq=int(self._busy))
        # the host's own clock begins anywhere
        start = {"gen": 1e5, "dut": 7.0, "sink": 3e6}[host]
        return HostSample(
            host,
            seq,
            t=start + at,
            at=at,
            boot=host,
            interfaces=ports[host],
            cpus=(ticks,) if host == "dut" else (),
        )


def _counted(way: str, packets: int) -> dict[str, int]:
    return {f"{way}_packets": packets, f"{way}_bytes": packets * FRAME}


def blast(begin: int, end: int, rate: float) -> Callable[[int], float]:
    return lambda second: rate if begin <= second < end else 0.0
