"""What limits this run, in one sentence, with its evidence.

Takes averages over the last few seconds and returns the result of the first rule that matches. Rules about
missing measurements come before rules about measured values, and causes before their consequences.
"""

from fwdtui.core import uncounted, unseen_input
from fwdtui.core.arrived import QUIET
from fwdtui.core.diagnosed import Diagnosis
from fwdtui.core.diagnosis_text import (
    details_of,
    drops_of,
    held_back,
    limits_of,
    lost_of,
    rates_of,
    the_attack,
    uncounted_of,
    whose,
)
from fwdtui.core.evidence import (
    ARRIVES,
    LOSS,
    LOST_BEHIND,
    ONE_QUEUE,
    Evidence,
    all_sent,
    is_attacked,
    load_of,
    loss_of,
)
from fwdtui.core.host_rates import QueueRate
from fwdtui.core.no_loss import no_loss
from fwdtui.core.offered import ADVICE, CODE, is_above
from fwdtui.core.refused import CAUSES, cause, phrase, refused, taken
from fwdtui.core.units import pps

_SURE = 4.0
"""Seconds: over a shorter time, two hosts' samples may cover different parts of a changing rate."""
_PART = 0.05
"""Share of the packets that a port must carry to limit them."""
_MUCH = 1000.0
"""Packets per second behind the generator: ports do not see that many by themselves, so something sends them.
"""
_Ports = dict[tuple[str, str], list[QueueRate]]
"""The queues by interface and direction ("rx" or "tx")."""


def diagnose(evidence: Evidence) -> Diagnosis:
    """The result of the first rule that matches."""
    early = _hosts, _silent, _starved, _link, _settling, _generator_uncounted, _dut_uncounted, _idle
    late = _receiver, _refused, _one_queue, _under_attack, _dut, no_loss
    for rule in (*early, _nothing_arrives):
        if diagnosis := rule(evidence):
            return diagnosis
    for rule in (_above, *late):
        if diagnosis := rule(evidence):
            return unseen_input.told(diagnosis, evidence)
    text = "Not enough is known to say what limits this run"
    if evidence.ports_gone:
        gone = f"there is no interface {' and no interface '.join(evidence.ports_gone)}"
        text += f": {gone}, so what would be counted there is not known"
    return Diagnosis("unknown", f"{text}.", rates_of(evidence))


def _hosts(evidence: Evidence) -> Diagnosis | None:
    if not evidence.lost_hosts:
        return None
    names = ", ".join(evidence.lost_hosts)
    if evidence.offered is None and evidence.dut_in is None and evidence.forwarded is None:
        why = "; ".join(
            f"{name}: {evidence.reasons[name]}" if evidence.reasons.get(name) else name
            for name in evidence.lost_hosts
        )
        what = "Not reached, so nothing is measured or recorded"
        if evidence.sampled:
            what = "No connection any more, so nothing is measured there"
        return Diagnosis("host-lost", f"{what}: {why}")
    return Diagnosis(
        "host-lost", f"No connection to {names}: its numbers are missing, not zero.", rates_of(evidence)
    )


def _silent(evidence: Evidence) -> Diagnosis | None:
    if not evidence.silent:
        return None
    since = f"{min(evidence.silent.values()):.0f} s"
    if evidence.silent_all:
        text = f"No samples from any host for {since}: all numbers are old, and the current state is unknown."
        return Diagnosis("host-silent", text)
    names = " and ".join(evidence.silent)
    theirs = "its numbers are" if len(evidence.silent) == 1 else "their numbers are"
    text = f"No samples from {names} for {since}: {theirs} old, and what limits the run is unknown."
    return Diagnosis("host-silent", text, rates_of(evidence))


def _starved(evidence: Evidence) -> Diagnosis | None:
    if not evidence.starved:
        return None
    into = evidence.starved_in
    average = "" if into is None else f", in which it took in {pps(into)} on average"
    text = (
        f"DUT starved: no sample for {evidence.starved:.1f} s{average}; what it did meanwhile is not known."
    )
    own = "at NIC ", "dut in ", "forwarded "  # of the samples before and after, which may be a single one
    rates = (f"{rate} outside the gap" if rate.startswith(own) else rate for rate in rates_of(evidence))
    return Diagnosis("dut-starved", text, tuple(rates))


def _link(evidence: Evidence) -> Diagnosis | None:
    if not evidence.link_down:
        return None
    down: dict[str, float] = {}  # the last time of each port, the newest first
    for name, ago in sorted(evidence.link_down, key=lambda pair: pair[1]):
        down.setdefault(name, ago)
    newest = min(down.values())
    names = " and ".join(name for name, ago in down.items() if ago - newest < 1.0)
    text = f"Link flapped: {names} went down {newest:.0f} s ago; wait until it is steady and start again."
    ages = tuple(f"{port} down {age:.0f} s ago" for port, age in down.items())
    return Diagnosis("link-flapped", text, ages)


def _settling(evidence: Evidence) -> Diagnosis | None:
    if not evidence.settling:
        return None
    return Diagnosis("unknown", "A blast has just begun: waiting for its first complete samples.")


def _generator_uncounted(evidence: Evidence) -> Diagnosis | None:
    """The generator's counters show nothing, but the ports behind it are busy."""
    if evidence.offered is None or evidence.offered >= QUIET or evidence.seconds < _SURE:
        return None
    if evidence.attacker and (evidence.attack is None or evidence.attack >= QUIET):
        return None  # that is what arrives
    into, received = evidence.dut_in or 0.0, evidence.received or 0.0
    if max(into, received) < _MUCH:
        return None
    where = f"the DUT's input sees {pps(into)}" if into >= _MUCH else f"{pps(received)} are received"
    text = (
        f"Not counted at the generator: its counters show no packets sent, but {where}; either the "
        "counters miss them (DPDK, another driver) or another host is sending, so the offered load is not "
        "known. If a tool prints its own rate, fwdtui uses that."
    )
    return Diagnosis("generator-uncounted", text, rates_of(evidence))


def _dut_uncounted(evidence: Evidence) -> Diagnosis | None:
    """More is received than the DUT's outputs count, so losses computed from the outputs would be wrong."""
    received, forwarded = evidence.received, evidence.forwarded
    if received is None or forwarded is None:
        return None
    if not uncounted.unseen_rates(received, forwarded, all_sent(evidence)):
        return None
    if evidence.offered is not None and evidence.offered < QUIET:
        return None
    if evidence.offered is None and received < _MUCH:
        return None
    if evidence.seconds < _SURE and received < 2 * forwarded:
        return None
    text = (
        f"Not counted at the DUT: {pps(received)} are received, but its counters show only "
        f"{pps(forwarded)} forwarded ({uncounted.CAUSES}); losses by stage and the cost of a packet are not "
        "known."
    )
    return Diagnosis(uncounted.CODE, text, rates_of(evidence))


def _idle(evidence: Evidence) -> Diagnosis | None:
    if (evidence.offered or 0.0) >= QUIET or (evidence.offered is None and (evidence.dut_in or 0.0) >= QUIET):
        return None
    if evidence.offered is None and _passes(evidence):
        return None
    if evidence.offered is not None and (evidence.attack or 0.0) >= QUIET:
        text = f"Only the attack is sent, {pps(evidence.attack or 0.0)}: no wanted traffic is offered."
        return Diagnosis("attack-alone", text, rates_of(evidence))
    if evidence.offered is None and evidence.dut_in is None and evidence.forwarded is None:
        if evidence.measured:
            return Diagnosis(
                "unknown", "The last seconds contain no complete sample: waiting for the next ones."
            )
        return Diagnosis("unknown", "Nothing is measured yet: no host has delivered two samples.")
    if not evidence.blast:
        return Diagnosis("idle", "No traffic is offered.", rates_of(evidence))
    return Diagnosis("generator-silent", "The generator was started but sends nothing.", rates_of(evidence))


def _passes(evidence: Evidence) -> bool:
    """Whether traffic comes out of the DUT, whose input is not known or does not count it."""
    least = QUIET if evidence.dut_in is None else _MUCH
    return max(evidence.forwarded or 0.0, evidence.received or 0.0) >= least


def _nothing_arrives(evidence: Evidence) -> Diagnosis | None:
    arrived = evidence.dut_in if evidence.dut_in is not None else evidence.forwarded
    if evidence.offered is None or arrived is None or arrived >= ARRIVES * evidence.offered:
        return None
    if unseen_input.is_unseen(evidence):
        return None
    if sum(taken(evidence).values()) >= ARRIVES * evidence.offered:
        return None  # it arrives and is dropped at once: a limit of the DUT
    told = f"Nothing arrives: {pps(evidence.offered)} are offered and the DUT's input sees {pps(arrived)}; "
    if evidence.dut_in is None:
        told = (
            f"Nothing is forwarded: {pps(evidence.offered)} are offered and the DUT sends {pps(arrived)}; "
            "what its input sees is not known: "
        )
    advice = "check cabling, interface names and the destination MAC address"
    if found := refused(evidence, ARRIVES * evidence.offered):
        advice = f"{phrase(*found)}; {CAUSES[found[0]].advice}"
    text = f"{told}{advice}."
    return Diagnosis("nothing-arrives", text, rates_of(evidence))


def _above(evidence: Evidence) -> Diagnosis | None:
    if evidence.seconds < _SURE:
        return None
    for what, rate in (("received", evidence.received), ("forwarded", evidence.forwarded)):
        sent = all_sent(evidence)
        if rate is not None and sent is not None and is_above(rate, sent):
            text = f"More {what} than offered: {pps(rate)} of {pps(sent)}, which is impossible; {ADVICE}."
            return Diagnosis(CODE, text, rates_of(evidence))
    return None


def _under_attack(evidence: Evidence) -> Diagnosis | None:
    """As much is forwarded as was wanted, but the counters do not tell wanted traffic from the attack."""
    if evidence.offered is None or evidence.forwarded is None or not is_attacked(evidence):
        return None
    if (loss_of(evidence) or 0.0) >= LOSS:
        return None
    text = f"Under {the_attack(evidence)}: {pps(evidence.forwarded)} are forwarded, "
    if is_above(evidence.forwarded, evidence.offered):
        text += (
            f"more than the {pps(evidence.offered)} of wanted traffic, so part of the attack is among them"
        )
    else:
        text += f"as much as the {pps(evidence.offered)} of wanted traffic that are offered"
    text += "; no counter says whose packets they are."
    return Diagnosis("under-attack", text, rates_of(evidence) + limits_of(evidence) + details_of(evidence))


def _others(count: int, idle: bool) -> str:
    if idle:
        return "the other one idles" if count == 1 else f"{count} others idle"
    return "the other one carries the rest" if count == 1 else f"the {count} others together carry the rest"


def _passed(ports: _Ports, evidence: Evidence) -> _Ports:
    """The ports that the traffic passes; all if none is an input or output by name, as after a renaming."""
    path = {(name, "rx") for name in evidence.inputs} | {(name, "tx") for name in evidence.outputs}
    if not any(name == port for name, _ in path for port, _ in ports):
        return ports
    return {port: queues for port, queues in ports.items() if port in path}


def _one_queue(evidence: Evidence) -> Diagnosis | None:
    if loss_of(evidence) is None or (loss_of(evidence) or 0.0) < LOSS:
        return None
    # replies and errors all use one queue and limit nothing, also where one port is both input and output
    least = max(QUIET, _PART * max(evidence.dut_in or 0.0, evidence.forwarded or 0.0))
    ports: _Ports = {}
    for queue in evidence.queues:
        if queue.pps is not None:
            ports.setdefault((queue.interface, queue.direction), []).append(queue)
    for (interface, direction), queues in _passed(ports, evidence).items():
        total = sum(queue.pps or 0.0 for queue in queues)
        top = max(queues, key=lambda queue: queue.pps or 0.0)
        if len(queues) > 1 and total >= least and (top.pps or 0.0) >= ONE_QUEUE * total:
            share = (top.pps or 0.0) / total
            whole = round(share * 100) == 100
            text = (
                f"One queue takes {'all' if whole else 'most'}: {direction} queue {top.index} of {interface} "
                f"carries {share * 100:.0f} % of {pps(total)} while {_others(len(queues) - 1, whole)}; "
                f"{'; '.join([lost_of(evidence), *whose(evidence)])}."
            )
            return Diagnosis(
                "one-queue", text, rates_of(evidence) + limits_of(evidence) + details_of(evidence)
            )
    return None


def _receiver(evidence: Evidence) -> Diagnosis | None:
    if evidence.received is None or evidence.forwarded is None or evidence.forwarded < QUIET:
        return None
    missing = evidence.forwarded - evidence.received
    if missing <= LOST_BEHIND * evidence.forwarded:
        return None
    load = load_of(evidence)
    if load is not None and load - evidence.forwarded > missing:
        return None  # the DUT loses more than the receiver
    text = (
        f"Lost at the receiver: the DUT sends {pps(evidence.forwarded)} "
        f"but {pps(evidence.received)} are received; the receiver or the link to it is the limit."
    )
    return Diagnosis("receiver-lost", text, rates_of(evidence) + limits_of(evidence) + details_of(evidence))


def _refused(evidence: Evidence) -> Diagnosis | None:
    """The cards refuse most of what is lost: the cause is before the DUT."""
    if (found := cause(evidence)) is None:
        return None
    stage, _ = found
    told = [lost_of(evidence), *drops_of(evidence, besides=stage), phrase(*found)]
    text = f"{CAUSES[stage].title}: {'; '.join(told)}; {CAUSES[stage].advice}."
    return Diagnosis(
        CAUSES[stage].code, text, rates_of(evidence) + limits_of(evidence) + details_of(evidence)
    )


def _dut(evidence: Evidence) -> Diagnosis | None:
    loss = loss_of(evidence)
    if loss is None or loss < LOSS:
        return None
    limits = limits_of(evidence)
    limits += uncounted_of(evidence) if limits else ()
    shown = limits or ("no counter shows where",)
    reasons = [lost_of(evidence), *held_back(evidence), *shown, *whose(evidence)]
    text = f"DUT-limited: {'; '.join(reasons)}."
    return Diagnosis("dut-limited", text, rates_of(evidence) + limits + details_of(evidence))
