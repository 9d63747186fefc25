"""What is known of the last seconds of a run, and the thresholds from which a value means something."""

from collections.abc import Collection, Mapping, Sequence

import msgspec

from fwdtui.core.arrived import QUIET
from fwdtui.core.drop_stages import INPUT_ERRORS, RX_RING
from fwdtui.core.host_evidence import InterruptRate, NicRate, SoftnetRate
from fwdtui.core.host_rates import CpuShare, QueueRate

LOSS = 0.005  # a smaller share of the offered load is not called loss
ARRIVES = 0.01  # of the offered load: of what reaches the DUT, less is nothing
LOST_BEHIND = 0.01  # of what the DUT forwards: two hosts' clocks and frames in flight account for less
AT_LINE_RATE = 0.98
BUSY = 0.95  # a core that is busy for more of its time than this has no headroom
ONE_QUEUE = 0.8  # of all packets in one of several queues


class Evidence(msgspec.Struct, frozen=True):
    """What is known of the last seconds. Rates in packets per second; None: not known."""

    offered: float | None = None  # the wanted traffic
    attacker: bool = False  # a generator of the lab sends an attack beside it; the other rates are of both
    attack: float | None = None  # what that generator sends
    dut_in: float | None = None  # what the DUT's input ports took in
    forwarded: float | None = None  # what its output ports sent
    received: float | None = None  # what the receiver saw; None: there is none
    line_rate: float | None = None
    seconds: float = 0.0  # the time over which the rates are averaged
    drops: Mapping[str, float] = {}  # the DUT's, by stage
    uncounted: float | None = None  # what the DUT lost in no counter: known once a blast is over
    unread: Mapping[str, str] = {}  # stages whose drops are a lower bound, and why
    nic: Sequence[NicRate] = ()  # the DUT's cards, by their own names
    at_nic: float | None = None  # what reached the cards of its inputs
    softnet: Sequence[SoftnetRate] = ()
    interrupts: Sequence[InterruptRate] = ()
    cpus: Sequence[CpuShare] = ()  # the DUT's
    queues: Sequence[QueueRate] = ()  # the DUT's
    starved: float | None = None  # seconds for which the DUT gave no samples
    starved_in: float | None = None  # what its input ports took in meanwhile, on average
    silent: Mapping[str, float] = {}  # hosts that deliver no samples: for how many seconds
    silent_all: bool = False  # whether these are all hosts of the lab
    lost_hosts: Sequence[str] = ()
    reasons: Mapping[str, str] = {}  # of lost hosts: why, and what to do
    sampled: bool = False  # some host has given a sample, however long ago
    link_down: Sequence[tuple[str, float]] = ()  # interface and host, seconds ago
    measured: bool = False  # some rate is known, from these seconds or earlier
    settling: bool = False  # a blast began so recently that some flows have no whole sample of it yet
    ports_gone: Sequence[str] = ()  # interface and host, of those that count something
    blast: bool = False  # a blast is under way, or the generator was started
    inputs: Collection[str] = ()  # the DUT's ports at which the load comes in,
    outputs: Collection[str] = ()  # and those at which it leaves


def is_attacked(evidence: Evidence) -> bool:
    """Whether an attack is sent; also if its rate is not known, since only a low rate shows that none is."""
    return evidence.attacker and (evidence.attack is None or evidence.attack >= QUIET)


def all_sent(evidence: Evidence) -> float | None:
    """The rate of all traffic that is sent, wanted and attack; None if a part of it is not known."""
    if evidence.offered is None or not is_attacked(evidence):
        return evidence.offered
    return None if evidence.attack is None else evidence.offered + evidence.attack


def load_of(evidence: Evidence) -> float | None:
    """What losses are a share of: the offered load, or what is known to have reached the DUT.

    An interface does not count as received what its card had no room for (Linux: rx_packets in
    include/uapi/linux/if_link.h), so this is added. `at_nic` is not used: it has frames that nobody sent to
    the DUT, such as pause frames and those for other MAC addresses.
    """
    if evidence.offered is not None or evidence.dut_in is None:
        return evidence.offered
    return evidence.dut_in + sum(evidence.drops.get(stage, 0.0) for stage in (INPUT_ERRORS, RX_RING))


def loss_of(evidence: Evidence) -> float | None:
    """The share of `load_of` that does not come out of the DUT: under attack at least that."""
    load = load_of(evidence)
    if load is None or evidence.forwarded is None or load <= 0:
        return None
    return (load - evidence.forwarded) / load
