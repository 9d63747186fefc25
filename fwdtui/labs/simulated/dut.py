"""The simulated DUT: receive rings, cores, netisr queues, transmit queues, and the counters of each.

A step is short and takes packets through all stages in order. Packets that are not passed on wait in a queue
of limited length or are counted as dropped by that queue, so at any time, exactly:

    offered = ring drops + netisr drops + transmit drops + sent + waiting
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fwdtui.labs.simulated.scenario import Dut

LINE_RATE = 14_880_952.0  # packets of 64 bytes per second on 10 Gb/s
_BACKGROUND = 0.002  # share of a core's idle time that a quiet system uses
_IRQS_BUSY, _IRQS_MOST = 1000.0, 8000.0  # interrupts per second of a queue


class Core:
    """The seconds that one core has spent in each state since boot."""

    def __init__(self) -> None:
        self.user = self.system = self.interrupt = self.idle = 0.0

    def spend(
        self, seconds: float, *, user: float = 0.0, system: float = 0.0, interrupt: float = 0.0
    ) -> None:
        """Lets `seconds` pass: the given seconds in each state, and the rest idle."""
        rest = max(seconds - user - system - interrupt, 0.0)
        self.system += system
        self.interrupt += interrupt
        self.user += user + rest * _BACKGROUND
        self.idle += rest * (1.0 - _BACKGROUND)


@dataclass(slots=True)
class Line:
    """A queue of limited length before a stage of limited packet rate. Counts are totals since boot."""

    waiting: int = 0
    most: int = 0  # the highest `waiting`
    arrived: int = 0
    dropped: int = 0
    passed: int = 0
    _credit: float = 0.0

    def step(self, arriving: int, room: float, limit: int) -> int:
        """`arriving` packets arrive; up to `room` may pass and `limit` wait. Returns how many passed."""
        self.arrived += arriving
        self.waiting += arriving
        room += self._credit
        taken = min(self.waiting, int(room))
        self.waiting -= taken
        self.passed += taken
        # fractions of a packet are carried over while packets wait; idle time is not saved up
        self._credit = room - taken if self.waiting else 0.0
        over = max(self.waiting - limit, 0)
        self.dropped += over
        self.waiting -= over
        self.most = max(self.most, self.waiting)
        return taken


class SimulatedDut:
    """The DUT. Its counters continue when the scenario changes, as on a host whose settings are changed."""

    def __init__(self, setup: Dut) -> None:
        self.setup = setup
        self.cores: list[Core] = [Core() for _ in range(setup.cores)]
        self.rings: list[Line] = []
        self.netisr: list[Line] = []
        self.transmit: list[Line] = []
        self.irqs: list[float] = []
        self.change(setup)

    def change(self, setup: Dut) -> None:
        """Applies other settings from now on. Queues are only ever added: counters do not vanish."""
        self.setup = setup
        while len(self.cores) < setup.cores:
            self.cores.append(Core())
        while len(self.rings) < setup.queues:
            self.rings.append(Line())
            self.transmit.append(Line())
            self.irqs.append(0.0)
        while len(self.netisr) < max(setup.netisr_threads, 1):
            self.netisr.append(Line())

    @property
    def waiting(self) -> int:
        """Packets waiting in all queues."""
        return sum(line.waiting for line in (*self.rings, *self.netisr, *self.transmit))

    @property
    def ring_drops(self) -> int:
        return sum(line.dropped for line in self.rings)

    @property
    def sent(self) -> int:
        """Packets that left through the output port."""
        return sum(line.passed for line in self.transmit)

    def rest(self, seconds: float) -> None:
        """Lets time pass without packets."""
        for core in self.cores:
            core.spend(seconds)

    def step(self, seconds: float, arriving: Sequence[int], speed: float) -> None:
        """Lets `seconds` pass. `arriving`: packets per receive queue; `speed` 1.01: all costs 1 % less."""
        setup = self.setup
        system = [0.0] * len(self.cores)
        interrupt = [0.0] * len(self.cores)
        direct = setup.dispatch == "direct"
        cost = (setup.receive_cost + (setup.forward_cost if direct else 0.0)) * 1e-9 / speed
        taken = []
        for number, line in enumerate(self.rings):
            core = number % setup.cores
            sharing = (len(self.rings) - 1 - core) // setup.cores + 1
            count = arriving[number] if number < len(arriving) else 0
            passed = line.step(count, seconds / sharing / cost, setup.ring)
            taken.append(passed)
            system[core] += passed * cost
            most = (_IRQS_BUSY if line.waiting else _IRQS_MOST) * seconds
            self.irqs[number] += min(most, float(passed))
        if not direct:
            taken = self._through_netisr(seconds, taken, system, interrupt, speed)
        self._transmit(seconds, taken, speed)
        for spending, busy, in_interrupt in zip(self.cores, system, interrupt, strict=True):
            spending.spend(seconds, system=min(busy, seconds), interrupt=in_interrupt)

    def _through_netisr(
        self, seconds: float, taken: list[int], system: list[float], interrupt: list[float], speed: float
    ) -> list[int]:
        """Passes each receive queue to a workstream, whose thread gets the CPU time that receiving leaves."""
        setup = self.setup
        cost = setup.forward_cost * 1e-9 / speed
        threads = setup.netisr_threads
        arriving = [0] * len(self.netisr)
        for number, count in enumerate(taken):
            arriving[number % threads] += count
        handled = []
        for thread, line in enumerate(self.netisr):
            core = thread % setup.cores
            left = max(seconds - system[core] - interrupt[core], 0.0)
            passed = line.step(arriving[thread], left / cost, setup.netisr_limit)
            handled.append(passed)
            interrupt[core] += min(passed * cost, left)
        # flows keep their hash: what a thread handles leaves through the queues of all its flows
        out = [0] * len(taken)
        for thread, count in enumerate(handled):
            mine = [number for number in range(setup.queues) if number % threads == thread] or [0]
            weights = [taken[number] for number in mine]
            for number, part in zip(mine, split(count, weights), strict=True):
                out[number] += part
        return out

    def _transmit(self, seconds: float, forwarded: Sequence[int], speed: float) -> None:
        setup = self.setup
        arriving = [0] * len(self.transmit)
        for number, count in enumerate(forwarded):
            arriving[number % setup.queues if setup.flowid else 0] += count
        wire = LINE_RATE * seconds
        for number, line in enumerate(self.transmit):
            room = min(setup.transmit_rate * speed * seconds, wire)
            wire -= line.step(arriving[number], room, setup.soft_ring)


def split(count: int, weights: Sequence[float]) -> list[int]:
    """Splits `count` into proportional whole parts: the largest remainders get what rounding leaves."""
    whole = sum(weights)
    if not whole:
        return [count] + [0] * (len(weights) - 1)
    exact = [count * weight / whole for weight in weights]
    parts = [int(part) for part in exact]
    order = sorted(range(len(parts)), key=lambda number: parts[number] - exact[number])
    for number in order[: count - sum(parts)]:
        parts[number] += 1
    return parts
