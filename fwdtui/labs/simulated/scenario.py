"""Scenarios: what the simulated lab consists of and what goes wrong in it, as TOML data."""

from importlib.resources import files
from typing import Literal

import msgspec

from fwdtui.core import bounded
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.mistakes import mistake

FIRST = "healthy"


class Generator(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The generator. `rate`: packets per second that pkt-gen can send, spread evenly over all flows."""

    rate: float
    sources: int = 20  # addresses; flows are sources times destinations
    destinations: int = 100
    jitter: float = 0.00005  # coefficient of variation of the rate from second to second


class Dut(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The DUT. Costs are in nanoseconds of a core per packet."""

    cores: int = 4
    queues: int = 4  # of each port, in each direction; queue q is served by core q modulo cores
    receive_cost: float = 60.0  # taking a packet from the receive ring
    forward_cost: float = 560.0  # everything after that
    ring: int = 2048  # descriptors of a receive queue
    soft_ring: int = 2048  # packets that may wait before a transmit queue
    transmit_rate: float = 3.1e6  # packets per second that one transmit queue passes on
    revision: str = ""  # of its kernel, as uname(1) prints it: "n280001-5f0e3c1b7a42"
    flowid: bool = True  # False: packets lose their hash on the way, so all leave by transmit queue 0
    dispatch: Literal["direct", "deferred"] = "direct"  # of netisr
    netisr_threads: int = 4
    netisr_limit: int = 256  # packets that may wait in a netisr queue


class Noise(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Coefficients of variation of the cost per packet: from run to run, and from second to second."""

    between: float = 0.004
    within: float = 0.0015


class Times(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A disturbance that comes and goes while the generator sends. In seconds. `every` 0: it comes once."""

    first: float
    length: float
    every: float = 0.0

    def on(self, seconds: float) -> bool:
        """Whether the disturbance is present `seconds` after the generator began to send."""
        since = seconds - self.first
        if since < 0:
            return False
        return (since % self.every if self.every else since) < self.length


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One scenario. `see` says what the user should look at; `expect`: the expected diagnosis's code."""

    name: str
    title: str
    see: str
    expect: str
    generator: Generator
    dut: Dut = Dut()
    noise: Noise = Noise()
    link_down: Times | None = None  # of the cable between generator and DUT
    starved: Times | None = None  # times in which no program on the DUT gets a core
    seed: int = 1


def parse(text: str, path: str) -> Scenario:
    """Reads a scenario. Raises FwdtuiError, which names the file, the key and what was expected."""
    plain = bounded.toml(text, path)
    try:
        scenario = msgspec.convert(plain, Scenario)
    except msgspec.ValidationError as error:
        raise FwdtuiError(f"{path}: {mistake(error, plain, path, Scenario)}") from None
    positive = {
        "generator.rate": scenario.generator.rate,
        "generator.sources": scenario.generator.sources,
        "generator.destinations": scenario.generator.destinations,
        "dut.cores": scenario.dut.cores,
        "dut.queues": scenario.dut.queues,
        "dut.receive_cost": scenario.dut.receive_cost,
        "dut.forward_cost": scenario.dut.forward_cost,
        "dut.transmit_rate": scenario.dut.transmit_rate,
        "dut.netisr_threads": scenario.dut.netisr_threads,
    }
    for key, value in positive.items():
        if not value > 0:
            raise FwdtuiError(f"{path}: {key}: expected more than 0, got {value}")
    if scenario.dut.netisr_threads > scenario.dut.cores:
        raise FwdtuiError(f"{path}: dut.netisr_threads: expected no more than dut.cores")
    return scenario


def names() -> tuple[str, ...]:
    """All built-in scenarios, beginning with FIRST."""
    items = (item.name for item in files(__package__).joinpath("scenarios").iterdir())
    return tuple(sorted((name.removesuffix(".toml") for name in items if name.endswith(".toml")), key=_place))


def _place(name: str) -> tuple[bool, str]:
    return name != FIRST, name


def load(name: str) -> Scenario:
    """A built-in scenario. Raises FwdtuiError, which lists them, if there is none of that name."""
    if name not in names():
        raise FwdtuiError(f"no scenario {name!r}; choose one of {', '.join(names())}")
    file = files(__package__).joinpath("scenarios", f"{name}.toml")
    return parse(file.read_text(encoding="utf-8"), f"{name}.toml")
