"""What limits this run, in one sentence, with its evidence.

Takes averages over the last few seconds and returns the result of the first rule that matches. Rules about
missing measurements come before rules about measured values, and causes before their consequences.
"""

import msgspec

from fwdtui.core.diagnosis_text import count, details_of, limits_of, lost_of, rates_of, the_attack, whose
from fwdtui.core.evidence import (
    AT_LINE_RATE,
    LOSS,
    LOST_BEHIND,
    ONE_QUEUE,
    QUIET,
    Evidence,
    all_sent,
    is_attacked,
    loss_of,
)
from fwdtui.core.host_rates import QueueRate
from fwdtui.core.offered import ADVICE, CODE, is_above
from fwdtui.core.units import pps


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
    return Diagnosis("unknown", "Not enough is known to say what limits this run.", rates_of(found))


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
        "host-lost", f"No connection to {names}: its numbers are missing, not zero.", rates_of(found)
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
    return Diagnosis("host-silent", text, rates_of(found))


def _starved(found: Evidence) -> Diagnosis | None:
    if not found.starved:
        return None
    text = f"DUT starved: no sample for {found.starved:.1f} s; only the average over the gap is known."
    return Diagnosis("dut-starved", text, rates_of(found))


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
        return Diagnosis("attack-alone", text, rates_of(found))
    if found.offered is None and found.dut_in is None and found.forwarded is None:
        if found.measured:
            return Diagnosis(
                "unknown", "The last seconds contain no complete sample: waiting for the next ones."
            )
        return Diagnosis("unknown", "Nothing is measured yet: no host has delivered two samples.")
    if not found.blast:
        return Diagnosis("idle", "No traffic is offered.", rates_of(found))
    return Diagnosis("generator-silent", "The generator was started but sends nothing.", rates_of(found))


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
    return Diagnosis("nothing-arrives", text, rates_of(found))


def _above(found: Evidence) -> Diagnosis | None:
    if found.seconds < _SURE:
        return None
    for what, rate in (("received", found.received), ("forwarded", found.forwarded)):
        sent = all_sent(found)
        if rate is not None and sent is not None and is_above(rate, sent):
            text = f"More {what} than offered: {pps(rate)} of {pps(sent)}, which is impossible; {ADVICE}."
            return Diagnosis(CODE, text, rates_of(found))
    return None


def _under_attack(found: Evidence) -> Diagnosis | None:
    """As much is forwarded as was wanted, but the counters do not tell wanted traffic from the attack."""
    if found.offered is None or found.forwarded is None or not is_attacked(found):
        return None
    if (loss_of(found) or 0.0) >= LOSS:
        return None
    text = f"Under {the_attack(found)}: {pps(found.forwarded)} are forwarded, "
    if is_above(found.forwarded, found.offered):
        text += f"more than the {pps(found.offered)} of wanted traffic, so part of the attack is among them"
    else:
        text += f"as much as the {pps(found.offered)} of wanted traffic that are offered"
    text += "; whose packets they are no counter says."
    return Diagnosis("under-attack", text, rates_of(found) + limits_of(found) + details_of(found))


def _one_queue(found: Evidence) -> Diagnosis | None:
    if loss_of(found) is None or (loss_of(found) or 0.0) < LOSS:
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
                f"{'; '.join([lost_of(found), *whose(found)])}."
            )
            return Diagnosis("one-queue", text, rates_of(found) + limits_of(found) + details_of(found))
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
    return Diagnosis("receiver-lost", text, rates_of(found))


def _dut(found: Evidence) -> Diagnosis | None:
    loss = loss_of(found)
    if loss is None or loss < LOSS:
        return None
    limits = limits_of(found)
    reasons = [*(limit for limit in limits if limit), *whose(found)]
    text = f"DUT-limited: {lost_of(found)}" + (
        f"; {'; '.join(reasons)}." if limits else f"; {'; '.join(['no counter shows where', *reasons])}."
    )
    return Diagnosis("dut-limited", text, rates_of(found) + limits + details_of(found))


def _no_loss(found: Evidence) -> Diagnosis | None:
    if found.offered is None or loss_of(found) is None:
        return None
    if paused := [row for row in found.nic if row.is_pause and (row.per_second or 0.0) >= 1.0]:
        text = (
            f"DUT-limited: {paused[0].interface} sends {count(paused[0].per_second)} pause frames/s, so no "
            f"more than {pps(found.offered)} are offered, and all of it is forwarded; turn flow control off."
        )
        return Diagnosis("dut-limited", text, rates_of(found) + limits_of(found) + details_of(found))
    if found.line_rate and found.offered >= AT_LINE_RATE * found.line_rate:
        share = found.offered / found.line_rate * 100
        text = f"Line-limited: {pps(found.offered)} is {share:.0f} % of line rate and all of it is forwarded."
        return Diagnosis("line-limited", text, rates_of(found))
    text = (
        f"Generator-limited: the DUT forwards all of the {pps(found.offered)} that are offered; "
        "its own limit is higher."
    )
    return Diagnosis("generator-limited", text, rates_of(found) + limits_of(found) + details_of(found))
