"""A lab for the live screen's tests and its benchmark: counters of three machines, fed to a real Monitor."""

import random
from pathlib import Path

from fwdtui.core.counters import CpuTicks, InterfaceCounters, QueueCounters
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import parse
from fwdtui.core.model import EventSample, HostSample, Iteration
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.ui.common.ports import NOTHING_SAVED, TAKEN_BACK, AskHostKey

LAB = """
name = "apu2"
[sampling]
interval = "{interval}ms"
[generator]
host = "gen"
interface = "igb0"
line_rate = "1.488M"
start = "pkt-gen -f tx -i igb0"
[dut]
host = "dut"
in = "igb1"
out = "igb2"
[receiver]
host = "sink"
interface = "igb0"
[run]
warmup = "2s"
"""
OFFERED = 1_456_000.0
FRAME = 60  # bytes


class Rig:
    """Blasts of 30 s every 45 s from second 5 on, into a DUT that forwards at most `capacity`."""

    def __init__(
        self,
        queues: int = 4,
        cores: int = 4,
        capacity: float = 1_000_000.0,
        interval: float = 1.0,
        uneven: bool = False,
        noise: float = 0.002,
        frame: int | None = None,
    ) -> None:
        lab = LAB.format(interval=round(interval * 1000))
        self.lab = parse(lab if frame is None else lab.replace("line_rate", f"frame = {frame}\nline_rate"))
        self.interval = interval
        self.monitor = Monitor(self.lab)
        self.now = 0.0
        self.silent: set[str] = set()
        self._capacity, self._noise = capacity, noise
        self._random = random.Random(7)
        self._sent = self._dropped = self._out = 0.0
        self._shares = [1.0 + (8.0 if uneven and n == 0 else 0.1 * (n % 3)) for n in range(queues)]
        self._queues = [0.0] * queues
        self._cores = [[0.0] * 5 for _ in range(cores)]
        self._seq = 0

    def run(self, seconds: float) -> None:
        """Until this moment of the recording."""
        while self.now < seconds - 1e-9:
            self.step()

    def step(self) -> None:
        """One interval: every host takes a sample."""
        blast = 5.0 <= self.now % 45.0 < 35.0
        rate = OFFERED * (1 + self._random.gauss(0, self._noise)) if blast else 0.0
        out = min(rate, self._capacity * (1 + self._random.gauss(0, self._noise)))
        self._sent += rate * self.interval
        self._dropped += (rate - out) * self.interval
        self._out += out * self.interval
        for number, share in enumerate(self._shares):
            self._queues[number] += out * self.interval * share / sum(self._shares)
        busy = min(rate / self._capacity, 1.0)
        for number, core in enumerate(self._cores):
            load = busy * (0.99 if number < 4 else 0.3 * self._random.random())
            for kind, share in enumerate((0.05 * load, 0.1 * load, 0.1 * load, 0.75 * load, 1 - load)):
                core[kind] += share * self.interval * 1000
        for host, phase in (("gen", 0.2), ("dut", 0.5), ("sink", 0.8)):
            if host not in self.silent:
                self.monitor.push(self._sample(host, self.now + phase * self.interval))
        self.now += self.interval
        self._seq += 1

    def lose(self, host: str) -> None:
        """The connection to this host goes away."""
        self.silent.add(host)
        self.event("host-lost", "connection lost: no answer for 5 s", host)

    def event(self, code: str, text: str, host: str = "") -> None:
        """Something happens now."""
        self.monitor.push(EventSample(self.now, code, text, host))

    def _sample(self, host: str, at: float) -> HostSample:
        sent, out, dropped = int(self._sent), int(self._out), int(self._dropped)
        ports = {
            "gen": (InterfaceCounters("igb0", tx_packets=sent, tx_bytes=sent * FRAME),),
            "dut": (
                InterfaceCounters(
                    "igb1", rx_packets=out, rx_bytes=out * FRAME, rx_missed=dropped, rx_dropped=0
                ),
                InterfaceCounters("igb2", tx_packets=out, tx_bytes=out * FRAME, tx_dropped=0),
                InterfaceCounters("igb3", rx_packets=0, tx_packets=0),
            ),
            "sink": (InterfaceCounters("igb0", rx_packets=out, rx_bytes=out * FRAME),),
        }
        dut = host == "dut"
        cpus = [
            CpuTicks(n, int(user), 0, int(system), int(idle), int(irq), softirq=int(soft))
            for n, (user, system, irq, soft, idle) in enumerate(self._cores)
        ]
        queues = [
            QueueCounters(name, way, number, packets=int(count))
            for name, way in (("igb1", "rx"), ("igb2", "tx"))
            for number, count in enumerate(self._queues)
        ]
        return HostSample(
            host,
            self._seq,
            t=100.0 + at,
            at=at,
            boot=host,
            interfaces=ports[host],
            cpus=tuple(cpus) if dut else (),
            queues=tuple(queues) if dut else (),
        )


class Control:
    """Runs the rig as a LiveControl; starting its generator is only written down."""

    where = "n311215-UDP2 ▸ forwarding.on"
    case = "forwarding.on"
    started: float | None = None
    generator_command: str | None = "gen: pkt-gen -f tx -i igb0 [bold]-l 60[/]"
    generator_stop_command: str | None = None
    lab_file: Path | None = None
    measuring = True
    unfinished = only_receiver = False
    storage = unsaved = ""

    def __init__(self, rig: Rig, sessions: Path = Path("sessions")) -> None:
        self.rig = rig
        self.lab = rig.lab
        self.sessions: Path | None = sessions
        self.generator_running = False
        self.ask: AskHostKey | None = None
        self.closed = False
        self.looks = 0
        self.own_session: Path | None = None
        self.recorded: list[Path] = []

    def snapshot(self, points: int) -> Snapshot:
        self.looks += 1
        return self.rig.monitor.snapshot(points)

    def set_automatic(self, on: bool) -> None:
        self.rig.monitor.automatic = on

    def set_asker(self, ask: AskHostKey | None) -> None:
        self.ask = ask

    async def save_iteration(self) -> Iteration:
        return self.rig.monitor.save_by_hand()

    async def take_back(self) -> Iteration:
        iteration = self.rig.monitor.saved_by_hand
        if iteration is None:
            raise FwdtuiError(NOTHING_SAVED)
        return self.rig.monitor.take_back(iteration, TAKEN_BACK)

    async def start_generator(self) -> None:
        self.generator_running = True

    async def stop_generator(self) -> None:
        self.generator_running = False

    async def close(self) -> None:
        self.closed = True
