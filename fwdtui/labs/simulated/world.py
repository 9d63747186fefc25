"""What happens in the simulated lab, as a function of nothing but time and what was started.

Time is in seconds since the lab began and passes in steps. An observer sees the end of a step, so counters
and clock match to the packet. The same calls give the same counters, whatever portions time passes in.
"""

import math
from dataclasses import dataclass

from fwdtui.labs.simulated import rss
from fwdtui.labs.simulated.dut import LINE_RATE, Core, SimulatedDut, split
from fwdtui.labs.simulated.noise import factor
from fwdtui.labs.simulated.scenario import Dut, Scenario

STEP = 0.005
_GENERATOR_CORES = 4
_SPEED_UP = 0.3  # seconds that a card needs to reach its rate


@dataclass(slots=True)
class Sender:
    """One pkt-gen. `rate`: the requested packets per second; None: as fast as possible."""

    rate: float | None = None
    limit: int | None = None
    sent: int = 0
    _owed: float = 0.0

    @property
    def finished(self) -> bool:
        return self.limit is not None and self.sent >= self.limit

    def take(self, packets: float) -> int:
        """Sends that many more packets, in whole packets; returns how many."""
        self._owed += packets
        count = int(self._owed)
        self._owed -= count
        if self.limit is not None:
            count = min(count, self.limit - self.sent)
        self.sent += count
        return count


@dataclass(frozen=True, slots=True)
class LinkEvent:
    """A change of the link between generator and DUT."""

    at: float
    up: bool


class World:
    """Generator, cables and DUT. Time only goes forward."""

    def __init__(self, scenario: Scenario) -> None:
        self.dut = SimulatedDut(scenario.dut)
        self.generator_cores = [Core() for _ in range(_GENERATOR_CORES)]
        self.senders: dict[object, Sender] = {}
        self.listeners: set[object] = set()
        self.offered = 0
        self.runs = 0  # how often sending began
        self.link = True
        self.dut_up = True
        self._received_before = 0  # packets received during earlier boots of the DUT
        self.link_events: list[LinkEvent] = []
        self._steps = 0
        self._run_began = 0
        self.scenario = scenario
        self._shares: tuple[float, ...] = ()
        self._carry: list[float] = []
        self.change(scenario)

    @property
    def now(self) -> float:
        """Seconds since the lab began."""
        return self._steps * STEP

    @property
    def sending(self) -> bool:
        """Whether a generator that still has packets to send is running."""
        return any(not sender.finished for sender in self.senders.values())

    @property
    def since_run(self) -> float:
        """Seconds since sending last began, or the scenario changed."""
        return (self._steps - self._run_began) * STEP

    @property
    def received(self) -> int:
        """Packets that have reached the receiver's port."""
        return self._received_before + self.dut.sent

    @property
    def starved(self) -> bool:
        """Whether no program on the DUT gets a core at the moment."""
        times = self.scenario.starved
        return times is not None and self.sending and times.on(self.since_run)

    def change(self, scenario: Scenario) -> None:
        """Switch to another scenario. Counters continue; running generators begin a new run."""
        self.scenario = scenario
        self.dut.change(scenario.dut)
        generator = scenario.generator
        self._shares = rss.shares(
            [f"198.18.10.{last}" for last in range(1, min(generator.sources, 254) + 1)],
            [f"198.19.10.{last}" for last in range(1, min(generator.destinations, 254) + 1)],
            scenario.dut.queues,
        )
        self._carry = [0.0] * len(self._shares)
        self._new_run()

    def shut_dut(self) -> None:
        """Shut the DUT down: its ports have no link, and nothing passes."""
        self.dut_up = False

    def boot_dut(self, setup: Dut) -> None:
        """Bring the DUT up again: all its counters start over."""
        self._received_before += self.dut.sent
        self.dut = SimulatedDut(setup)
        self.dut_up = True

    def start(self, key: object, rate: float | None = None, limit: int | None = None) -> Sender:
        """Let a generator begin to send at `now`."""
        if not self.sending:
            self._new_run()
        sender = self.senders[key] = Sender(rate, limit)
        return sender

    def stop(self, key: object) -> None:
        """Let a generator stop sending."""
        self.senders.pop(key, None)

    def advance(self, to: float) -> float:
        """Let time pass up to the last whole step before `to`; returns `now`."""
        until = math.floor(to / STEP + 1e-9)
        while self._steps < until:
            if not self.sending and self.dut.waiting == 0 and self.link:
                self.dut.rest((until - self._steps) * STEP)
                self._run_tools((until - self._steps) * STEP)
                self._steps = until
            else:
                self._step()
        return self.now

    def _step(self) -> None:
        self._set_link()
        second = int(self.now)
        scenario = self.scenario
        count = self._send(second) if self.link else 0
        self.offered += count
        noise = scenario.noise
        speed = factor(noise.between, scenario.seed, "run", self.runs) * factor(
            noise.within, scenario.seed, "dut", self.runs, second
        )
        self.dut.step(STEP, self._spread(count), speed)
        self._run_tools(STEP)
        self._steps += 1

    def _run_tools(self, seconds: float) -> None:
        """Lets each pkt-gen keep a core of the generator busy."""
        busy = len(self.senders) + len(self.listeners)
        for number, core in enumerate(self.generator_cores):
            core.spend(seconds, user=seconds if number < busy else 0.0)

    def _send(self, second: int) -> int:
        generator = self.scenario.generator
        jitter = factor(generator.jitter, self.scenario.seed, "generator", self.runs, second)
        most = min(generator.rate * jitter, LINE_RATE) * min(1.0, (self.since_run + STEP) / _SPEED_UP)
        active = [sender for sender in self.senders.values() if not sender.finished]
        wanted = [most if sender.rate is None else min(sender.rate, most) for sender in active]
        scale = min(1.0, most / sum(wanted)) if wanted else 0.0
        return sum(sender.take(rate * scale * STEP) for sender, rate in zip(active, wanted, strict=True))

    def _spread(self, count: int) -> list[int]:
        """Packets per receive queue. What a queue loses by rounding, it gets in a later step."""
        wanted = [
            max(count * share + carry, 0.0) for share, carry in zip(self._shares, self._carry, strict=True)
        ]
        parts = split(count, wanted)
        self._carry = [want - part for want, part in zip(wanted, parts, strict=True)]
        return parts

    def _set_link(self) -> None:
        times = self.scenario.link_down
        up = self.dut_up and (times is None or not self.sending or not times.on(self.since_run))
        if up != self.link:
            self.link = up
            self.link_events.append(LinkEvent(self.now, up))

    def _new_run(self) -> None:
        self.runs += 1
        self._run_began = self._steps
