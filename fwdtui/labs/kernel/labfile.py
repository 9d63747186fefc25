"""The lab's lab.toml, and variants of it: steady rates, IPv6, other durations."""

import math
from dataclasses import dataclass
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.units import grouped, parse_duration, parse_rate
from fwdtui.labs.kernel.journal import VM, VM_GENERATOR
from fwdtui.labs.kernel.topology import DUT0, DUT1, GEN0, SINK0

_WARMUP = 2
_SETTLE = 2
_DURATION = 10
_LEAST = 70  # seconds: the shortest time limit of a generator
_VM_RATE = 20_000  # packets per second: half of what the slowest driver forwards without loss
_VMS_RATE = 5_000  # the same if the generator is emulated as well
_FASTEST = 2e6  # packets per second and sender: more than one CPU can send


@dataclass(frozen=True)
class Load:
    """What the generator sends: full load (rate None) or a steady rate in packets per second."""

    rate: int | None = None
    ipv6: bool = False
    duration: float = _DURATION  # [run] duration in seconds

    @property
    def tool(self) -> str:
        """The sending tool. trafgen's own --rate is not steady: it sends each second's packets at once."""
        return "trafgen" if self.rate is None else "tcpreplay"

    @property
    def name(self) -> str:
        """A name for files, which is different for each load."""
        family = "inet6" if self.ipv6 else "inet4"
        rate = "full" if self.rate is None else f"{self.rate}pps"
        return f"{family}-{rate}-{self.duration:g}s"

    @property
    def what(self) -> str:
        """The traffic in words: ``IPv4, 20 000 pps``."""
        rate = "full load" if self.rate is None else f"{grouped(self.rate)} pps"
        return f"{'IPv6' if self.ipv6 else 'IPv4'}, {rate}"

    @property
    def words(self) -> str:
        """A description for people."""
        return f"{self.what} by {self.tool}"


def own_load(vm: bool, vm_generator: bool = False) -> Load:
    """The load of the lab's own lab.toml: full, or what emulated machines forward without loss."""
    return Load(_VMS_RATE if vm_generator else _VM_RATE if vm else None)


def read_load(
    rate: str | None, ipv6: bool, duration: str | None, vm: bool = False, vm_generator: bool = False
) -> Load:
    """The load that the options describe. Raises FwdtuiError."""
    pps = own_load(vm, vm_generator).rate if rate is None else None
    if rate not in (None, "full"):
        pps = round(parse_rate(rate or ""))
        if not 1 <= pps <= _FASTEST:
            raise FwdtuiError(f"--rate {rate}: expected 1 to {grouped(_FASTEST)} packets per second")
    seconds = _DURATION if duration is None else parse_duration(duration)
    if not 1 <= seconds <= 86400:
        raise FwdtuiError(f"--duration {duration}: expected 1s to 24h")
    return Load(pps, ipv6, seconds)


def text(load: Load, name: str, mode: str, folder: Path) -> str:
    """The text of lab.toml; `folder` holds the files that the commands name.

    `mode`: one of topology.MODES, VM or VM_GENERATOR.
    """
    import tomli_w

    # a generator ends on its own, whatever happens to its caller
    limit = max(_LEAST, math.ceil(_WARMUP + load.duration + _SETTLE) + 30)
    content = {
        "name": "-".join(filter(None, ("vm-lab" if mode in (VM, VM_GENERATOR) else "kernel-lab", name))),
        "ssh": {"config_file": "ssh_config", "known_hosts": "known_hosts"},
        "sampling": {"interval": "1s"},
        "generator": {
            "host": GEN0.host,
            "interface": GEN0.name,
            **(_pktgen(load, limit) if mode == VM_GENERATOR else _program(load, mode, folder, limit)),
        },
        "dut": {"host": DUT0.host, "in": DUT0.name, "out": DUT1.name, "os": "linux"},
        "receiver": {"host": SINK0.host, "interface": SINK0.name, "tool": "counters"},
        "run": {
            "iterations": 5,
            "warmup": f"{_WARMUP}s",
            "duration": f"{load.duration:g}s",
            "settle": f"{_SETTLE}s",
        },
    }
    lab = "The VM lab" if mode in (VM, VM_GENERATOR) else f"The kernel lab in mode {mode}"
    words = f"{load.what} by pktgen" if mode == VM_GENERATOR else load.words
    heading = (
        f"# {lab}: {words}. Written by fwdtui; gone after `fwdtui lab down`.\n"
        f"# The generator ends on its own after {limit} s.\n"
    )
    return heading + tomli_w.dumps(content)


def _program(load: Load, mode: str, folder: Path, limit: int) -> dict[str, str]:
    return {
        # tcpreplay prints nothing while it sends: the interface's counters give the rate
        "tool": "trafgen" if load.rate is None else "counters",
        "start": _start(load, mode, folder, limit),
        "at_rate": _steady(load.ipv6, "{rate}", "{time_limit}", folder),
        # only on this host: the machine's other namespaces may run a generator too
        "stop": "pkill -TERM --ns $$ --nslist net -x 'trafgen|tcpreplay' || true",
    }


def _pktgen(load: Load, limit: int) -> dict[str, str]:
    """Uses the command of labs/vm/pktgen.py. A signal ends pktgen's threads: no stop command is needed."""
    command = f"pktgen-send {'ipv6' if load.ipv6 else 'ipv4'}"
    return {
        "tool": "linux-pktgen",
        "start": f"{command} {'full' if load.rate is None else load.rate} {limit}",
        "at_rate": f"{command} {{rate}} {{time_limit}}",
    }


def _start(load: Load, mode: str, folder: Path, limit: int) -> str:
    family = "ipv6" if load.ipv6 else "ipv4"
    bounded = _bounded(str(limit))
    if load.rate is not None:
        return _steady(load.ipv6, str(load.rate), str(limit), folder)
    # trafgen must not change the machine's socket memory or its interrupts. The options are long ones,
    # because 0.6.8 rejects a short one that its own manual names (-A).
    trafgen = f"--dev {GEN0.name} --conf {folder}/{family}.trafgen --cpus 1 --no-sock-mem --notouch-irq"
    if mode == "inline":
        return f"{bounded} sh {folder}/send 1 {trafgen} --num {round(_FASTEST) * limit}"
    if mode == VM:  # a tap takes packets from their sender at once, so a single sender can fill its queue
        return f"{bounded} sh {folder}/send 1 {trafgen} --gap 0 --num {round(_FASTEST) * limit}"
    # If another CPU frees the packets, trafgen's ring waits for each of them; sendto() (--gap 0) does not.
    # One sender has at most some 277 packets in flight (its socket's buffer), which never fills the DUT's
    # backlog of 1000; eight senders can fill it.
    return f"{bounded} sh {folder}/send 8 {trafgen} --gap 0 --num {round(_FASTEST) * limit // 4}"


def _bounded(limit: str) -> str:
    # --foreground: it stays in its caller's process group, so that ending the group ends it
    return f"timeout --foreground {limit}"


def _steady(ipv6: bool, rate: str, limit: str, folder: Path) -> str:
    # --timer=nano sleeps between packets; the usual timer spins, and takes a whole CPU
    capture = folder / f"{'ipv6' if ipv6 else 'ipv4'}.pcap"
    return (
        f"{_bounded(limit)} tcpreplay --intf1={GEN0.name} --preload-pcap --loop=0 --no-flow-stats"
        f" --timer=nano --pps={rate} --duration={limit} {capture}"
    )
