"""What limits this run, in one sentence, with its evidence.

Takes averages over the last few seconds and returns the result of the first rule that matches. Rules about
missing measurements come before rules about measured values, and causes before their consequences.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean

import msgspec

from fwdtui.core.drop_stages import STAGES
from fwdtui.core.host_evidence import InterruptRate, NicRate, SoftnetRate
from fwdtui.core.host_rates import CpuShare, QueueRate
from fwdtui.core.offered import ADVICE, CODE, is_above
from fwdtui.core.rates import SAID
from fwdtui.core.units import pps, si

QUIET = 100.0  # packets per second: less is background noise, not a blast
LOSS = 0.005  # a smaller share of the offered load is not called loss
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
    unread: Mapping[str, str] = {}  # stages whose drops are a lower bound, and why
    nic: Sequence[NicRate] = ()  # the DUT's cards, by their own names
    at_nic: float | None = None  # what reached the cards of its inputs
    softnet: Sequence[SoftnetRate] = ()
    interrupts: Sequence[InterruptRate] = ()
    cpus: Sequence[CpuShare] = ()  # the DUT's
    queues: Sequence[QueueRate] = ()  # the DUT's
    starved: float | None = None  # seconds for which the DUT gave no samples
    silent: Mapping[str, float] = {}  # hosts that deliver no samples: for how many seconds
    silent_all: bool = False  # whether these are all hosts of the lab
    lost_hosts: Sequence[str] = ()
    reasons: Mapping[str, str] = {}  # of lost hosts: why, and what to do
    link_down: Sequence[tuple[str, float]] = ()  # interface and host, seconds ago
    measured: bool = False  # some rate is known, from these seconds or earlier
    settling: bool = False  # a blast began so recently that some flows have no whole sample of it yet
    blast: bool = False  # a blast is under way, or the generator was started


class Diagnosis(msgspec.Struct, frozen=True):
    """`code` for programs, `sentence` for people; `evidence` has the supporting numbers, one per line.

    `span` is the time over which its rates are averaged, as in "last 5 s"; the rates shown beside it are the
    newest.
    """

    code: str
    sentence: str
    evidence: tuple[str, ...] = ()
    span: str = ""

    @property
    def dated(self) -> str:
        """The sentence with its span: ``DUT-limited, last 5 s: ...``."""
        return self.sentence.replace(":", f", {self.span}:", 1) if self.span else self.sentence


_SURE = 4.0
"""Seconds: over a shorter time, two hosts' samples may cover different parts of a changing rate."""

AVERAGED = frozenset(
    (
        CODE,
        "one-queue",
        "receiver-lost",
        "dut-limited",
        "generator-limited",
        "line-limited",
        "nothing-arrives",
        "under-attack",
        "attack-alone",
    )
)
"""Codes whose sentences name rates."""


def averaged(found: Diagnosis, seconds: float, ago: float) -> Diagnosis:
    """The diagnosis with its span set to `seconds`, which ended `ago` seconds ago (0 while a blast runs)."""
    if found.code not in AVERAGED:
        return found
    text = f"last {max(seconds, 1.0):.0f} s" + (" of the blast" if ago > 0 else "")
    return msgspec.structs.replace(found, span=text)


def diagnose(found: Evidence) -> Diagnosis:
    """The result of the first rule that matches."""
    early = _hosts, _silent, _starved, _link, _settling, _idle
    late = _one_queue, _receiver, _under_attack, _dut, _no_loss
    for rule in (*early, _nothing_arrives, _above, *late):
        if diagnosis := rule(found):
            return diagnosis
    return Diagnosis("unknown", "Not enough is known to say what limits this run.", _rates(found))


def _hosts(found: Evidence) -> Diagnosis | None:
    if not found.lost_hosts:
        return None
    names = ", ".join(found.lost_hosts)
    if found.offered is None and found.dut_in is None and found.forwarded is None:
        why = "; ".join(
            f"{name}: {found.reasons[name]}" if found.reasons.get(name) else name for name in found.lost_hosts
        )
        return Diagnosis("host-lost", f"Not reached, so nothing is measured or recorded: {why}")
    return Diagnosis(
        "host-lost", f"No connection to {names}: its numbers are missing, not zero.", _rates(found)
    )


def _silent(found: Evidence) -> Diagnosis | None:
    if not found.silent:
        return None
    since = f"{min(found.silent.values()):.0f} s"
    if found.silent_all:
        text = f"No samples from any host for {since}: all numbers are old, and the current state is unknown."
        return Diagnosis("host-silent", text)
    names = " and ".join(found.silent)
    theirs = "its numbers are" if len(found.silent) == 1 else "their numbers are"
    text = f"No samples from {names} for {since}: {theirs} old, and what limits the run is unknown."
    return Diagnosis("host-silent", text, _rates(found))


def _starved(found: Evidence) -> Diagnosis | None:
    if not found.starved:
        return None
    text = f"DUT starved: no sample for {found.starved:.1f} s; only the average over the gap is known."
    return Diagnosis("dut-starved", text, _rates(found))


def _link(found: Evidence) -> Diagnosis | None:
    if not found.link_down:
        return None
    down: dict[str, float] = {}  # the last time of each port, the newest first
    for name, ago in sorted(found.link_down, key=lambda pair: pair[1]):
        down.setdefault(name, ago)
    newest = min(down.values())
    names = " and ".join(name for name, ago in down.items() if ago - newest < 1.0)
    text = f"Link flapped: {names} went down {newest:.0f} s ago; wait until it is steady and start again."
    evidence = tuple(f"{port} down {age:.0f} s ago" for port, age in down.items())
    return Diagnosis("link-flapped", text, evidence)


def _settling(found: Evidence) -> Diagnosis | None:
    if not found.settling:
        return None
    return Diagnosis("unknown", "A blast has just begun: waiting for its first complete samples.")


def _idle(found: Evidence) -> Diagnosis | None:
    if (found.offered or 0.0) >= QUIET or (found.offered is None and (found.dut_in or 0.0) >= QUIET):
        return None
    if found.offered is not None and (found.attack or 0.0) >= QUIET:
        text = f"Only the attack is sent, {pps(found.attack or 0.0)}: no wanted traffic is offered."
        return Diagnosis("attack-alone", text, _rates(found))
    if found.offered is None and found.dut_in is None and found.forwarded is None:
        if found.measured:
            return Diagnosis(
                "unknown", "The last seconds contain no complete sample: waiting for the next ones."
            )
        return Diagnosis("unknown", "Nothing is measured yet: no host has delivered two samples.")
    if not found.blast:
        return Diagnosis("idle", "No traffic is offered.", _rates(found))
    return Diagnosis("generator-silent", "The generator was started but sends nothing.", _rates(found))


def _nothing_arrives(found: Evidence) -> Diagnosis | None:
    arrived = found.dut_in if found.dut_in is not None else found.forwarded
    if found.offered is None or arrived is None or arrived >= 0.01 * found.offered:
        return None
    if sum(found.drops.values()) >= 0.01 * found.offered:
        return None  # it arrives and is dropped at once: a limit of the DUT
    text = (
        f"Nothing arrives: {pps(found.offered)} are offered and the DUT's input sees {pps(arrived)}; "
        "check cabling, interface names and the destination MAC address."
    )
    return Diagnosis("nothing-arrives", text, _rates(found))


def _above(found: Evidence) -> Diagnosis | None:
    if found.seconds < _SURE:
        return None
    for what, rate in (("received", found.received), ("forwarded", found.forwarded)):
        sent = _sent(found)
        if rate is not None and sent is not None and is_above(rate, sent):
            text = f"More {what} than offered: {pps(rate)} of {pps(sent)}, which is impossible; {ADVICE}."
            return Diagnosis(CODE, text, _rates(found))
    return None


def _under_attack(found: Evidence) -> Diagnosis | None:
    """As much is forwarded as was wanted, but the counters do not tell wanted traffic from the attack."""
    if found.offered is None or found.forwarded is None or not _attacked(found):
        return None
    if (_loss(found) or 0.0) >= LOSS:
        return None
    text = f"Under {_the_attack(found)}: {pps(found.forwarded)} are forwarded, "
    if is_above(found.forwarded, found.offered):
        text += f"more than the {pps(found.offered)} of wanted traffic, so part of the attack is among them"
    else:
        text += f"as much as the {pps(found.offered)} of wanted traffic that are offered"
    text += "; whose packets they are no counter says."
    return Diagnosis("under-attack", text, _rates(found) + _limits(found) + _details(found))


def _one_queue(found: Evidence) -> Diagnosis | None:
    if _loss(found) is None or (_loss(found) or 0.0) < LOSS:
        return None
    ports: dict[tuple[str, str], list[QueueRate]] = {}
    for queue in found.queues:
        if queue.pps is not None:
            ports.setdefault((queue.interface, queue.direction), []).append(queue)
    for (interface, direction), queues in ports.items():
        total = sum(queue.pps or 0.0 for queue in queues)
        top = max(queues, key=lambda queue: queue.pps or 0.0)
        if len(queues) > 1 and total >= QUIET and (top.pps or 0.0) >= ONE_QUEUE * total:
            share = (top.pps or 0.0) / total
            text = (
                f"One queue takes all: {direction} queue {top.index} of {interface} carries "
                f"{share * 100:.0f} % of {pps(total)} while {len(queues) - 1} others idle; "
                f"{'; '.join([_lost(found), *_whose(found)])}."
            )
            return Diagnosis("one-queue", text, _rates(found) + _limits(found) + _details(found))
    return None


def _receiver(found: Evidence) -> Diagnosis | None:
    if found.received is None or found.forwarded is None or found.forwarded < QUIET:
        return None
    missing = found.forwarded - found.received
    if missing <= LOST_BEHIND * found.forwarded:
        return None
    if found.offered is not None and found.offered - found.forwarded > missing:
        return None  # the DUT loses more than the receiver
    text = (
        f"Lost at the receiver: the DUT sends {pps(found.forwarded)} but {pps(found.received)} are received; "
        "the receiver or the link to it is the limit."
    )
    return Diagnosis("receiver-lost", text, _rates(found))


def _dut(found: Evidence) -> Diagnosis | None:
    loss = _loss(found)
    if loss is None or loss < LOSS:
        return None
    limits = _limits(found)
    reasons = [*(limit for limit in limits if limit), *_whose(found)]
    text = f"DUT-limited: {_lost(found)}" + (
        f"; {'; '.join(reasons)}." if limits else f"; {'; '.join(['no counter shows where', *reasons])}."
    )
    return Diagnosis("dut-limited", text, _rates(found) + limits + _details(found))


def _no_loss(found: Evidence) -> Diagnosis | None:
    if found.offered is None or _loss(found) is None:
        return None
    if paused := [row for row in found.nic if row.is_pause and (row.per_second or 0.0) >= 1.0]:
        text = (
            f"DUT-limited: {paused[0].interface} sends {_count(paused[0].per_second)} pause frames/s, so no "
            f"more than {pps(found.offered)} are offered, and all of it is forwarded; turn flow control off."
        )
        return Diagnosis("dut-limited", text, _rates(found) + _limits(found) + _details(found))
    if found.line_rate and found.offered >= AT_LINE_RATE * found.line_rate:
        share = found.offered / found.line_rate * 100
        text = f"Line-limited: {pps(found.offered)} is {share:.0f} % of line rate and all of it is forwarded."
        return Diagnosis("line-limited", text, _rates(found))
    text = (
        f"Generator-limited: the DUT forwards all of the {pps(found.offered)} that are offered; "
        "its own limit is higher."
    )
    return Diagnosis("generator-limited", text, _rates(found) + _limits(found) + _details(found))


def _attacked(found: Evidence) -> bool:
    """Whether an attack is sent, as far as is known: only a rate shows that none is."""
    return found.attacker and (found.attack is None or found.attack >= QUIET)


def _the_attack(found: Evidence) -> str:
    known = found.attack is not None
    return f"an attack of {pps(found.attack or 0.0)}" if known else "an attack whose rate is not known"


def _sent(found: Evidence) -> float | None:
    """All that is sent; None if a part is not known."""
    if found.offered is None or not _attacked(found):
        return found.offered
    return None if found.attack is None else found.offered + found.attack


def _loss(found: Evidence) -> float | None:
    """The share of the offered load that does not come out of the DUT: under attack at least that."""
    offered = found.offered if found.offered is not None else found.dut_in
    if offered is None or found.forwarded is None or offered <= 0:
        return None
    return (offered - found.forwarded) / offered


def _lost(found: Evidence) -> str:
    offered = found.offered if found.offered is not None else found.dut_in
    loss = _loss(found)
    if offered is None or loss is None or found.forwarded is None:
        return "loss unknown"
    lost, share = f"{pps(offered - found.forwarded)} of {pps(offered)}", f"({loss * 100:.1f} %)"
    if not _attacked(found):
        return f"{lost} are lost {share}"
    # what is forwarded may be the attack's
    return f"at least {lost} of wanted traffic are lost {share} under {_the_attack(found)}"


def _whose(found: Evidence) -> tuple[str, ...]:
    """What the drops do not say under attack."""
    dropped = any(lost >= 1.0 for lost in found.drops.values())
    return ("whose packets were dropped no counter says",) if dropped and _attacked(found) else ()


def _limits(found: Evidence) -> tuple[str, ...]:
    """Busy cores and dropping stages, as phrases."""
    phrases = []
    busy = sorted((cpu for cpu in found.cpus if cpu.busy >= BUSY), key=lambda cpu: cpu.cpu)
    if busy:
        names = ranges([cpu.cpu for cpu in busy])
        word = "core" if len(busy) == 1 else "cores"
        where = max(
            (("in interrupt", fmean(cpu.irq + (cpu.softirq or 0.0) for cpu in busy)),
             ("in system", fmean(cpu.system for cpu in busy)),
             ("in user", fmean(cpu.user for cpu in busy))),
            key=lambda pair: pair[1],
        )  # fmt: skip
        share = fmean(cpu.busy for cpu in busy) * 100
        phrases.append(
            f"{word} {names} {'is' if len(busy) == 1 else 'are'} {share:.0f} % busy, most of it {where[0]}"
        )
    for stage in STAGES:
        lost, why = found.drops.get(stage, 0.0), found.unread.get(stage)
        least = "at least " if why else ""
        if lost >= 1.0:
            phrases.append(f"{stage} drops {least}{pps(lost)}{f' ({SAID.get(why, why)})' if why else ''}")
        elif why:
            phrases.append(f"{stage} drops are not known ({SAID.get(why, why)})")
    stalled = [queue for queue in found.queues if queue.state == "STALLED"]
    if stalled:
        phrases.append(f"tx ring of {stalled[0].interface} queue {stalled[0].index} is stalled")
    return tuple(phrases)


def _details(found: Evidence) -> tuple[str, ...]:
    """Counters of the cards, softnet and interrupts under their own names; they repeat the drops above."""
    lines = [
        f"{row.interface} {row.name} {_count(row.per_second)}/s"
        for row in found.nic
        if (row.per_second or 0.0) >= 1.0
    ]
    for row in found.softnet:
        if (row.dropped or 0.0) >= 1.0:
            flow = f", {_count(row.flow_limited)}/s by the flow limit" if (row.flow_limited or 0) >= 1 else ""
            full = f", up to {row.backlog} waiting" if row.backlog else ""
            lines.append(f"backlog of core {row.cpu} drops {_count(row.dropped)}/s{flow}{full}")
    squeezed = [row for row in found.softnet if (row.squeezed or 0.0) >= 1.0]
    if squeezed:
        often = sum(row.squeezed or 0.0 for row in squeezed)
        cores = ranges([row.cpu for row in squeezed])
        lines.append(f"softirq budget used up {_count(often)}/s on core{'s' * (len(squeezed) > 1)} {cores}")
    for interface in dict.fromkeys(row.interface for row in found.interrupts):
        mine = [row for row in found.interrupts if row.interface == interface]
        often = sum(row.per_second for row in mine)
        if often >= 1.0:
            numbers = sorted({cpu for row in mine for cpu, _ in row.cores})
            on = f" on core{'s' * (len(numbers) > 1)} {ranges(numbers)}" if numbers else ""
            lines.append(f"{interface} interrupts {_count(often)}/s{on}")
    return tuple(lines)


def _count(per_second: float | None) -> str:
    return si(per_second or 0.0, 3).strip()


def ranges(numbers: Sequence[int]) -> str:
    """``[0, 1, 2, 5]`` -> ``0-2, 5``."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


def _rates(found: Evidence) -> tuple[str, ...]:
    names = ("offered", "attack", "at_nic", "dut_in", "forwarded", "received", "line_rate")
    values = [(name.replace("_", " ").replace("nic", "NIC"), getattr(found, name)) for name in names]
    return tuple(f"{name} {pps(value)}" for name, value in values if value is not None)
