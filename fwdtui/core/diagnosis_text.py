"""The phrases of a diagnosis: its numbers with their units, and the counters that support it."""

from collections.abc import Sequence
from statistics import fmean

from fwdtui.core.drop_stages import INPUT_ERRORS, STAGES
from fwdtui.core.evidence import BUSY, LOSS, Evidence, is_attacked, load_of, loss_of
from fwdtui.core.rates import SAID
from fwdtui.core.refused import CAUSES
from fwdtui.core.units import pps, si

_UNCOUNTED = 0.1
"""Share of the loss: less than this is not worth a phrase."""
_EITHER = "bad frames or losses of the ring: the driver does not tell them apart"


def the_attack(evidence: Evidence) -> str:
    """``an attack of 1.2 Mpps``"""
    known = evidence.attack is not None
    return f"an attack of {pps(evidence.attack or 0.0)}" if known else "an attack whose rate is not known"


def lost_of(evidence: Evidence) -> str:
    """What is lost, of what, and its share: ``300.0 kpps of 1.00 Mpps are lost (30.0 %)``."""
    load, loss = load_of(evidence), loss_of(evidence)
    if load is None or loss is None or evidence.forwarded is None:
        return "loss unknown"
    lost, share = f"{pps(load - evidence.forwarded)} of {pps(load)}", f"({loss * 100:.1f} %)"
    if not is_attacked(evidence):
        return f"{lost} are lost {share}"
    if evidence.offered is None:  # what reached the DUT is of both
        return f"{lost} are lost {share} under {the_attack(evidence)}"
    # what is forwarded may be the attack's
    return f"at least {lost} of wanted traffic are lost {share} under {the_attack(evidence)}"


def whose(evidence: Evidence) -> tuple[str, ...]:
    """Under attack, a phrase that says that drops may be of either traffic; empty without attack or drops."""
    dropped = any(lost >= 1.0 for lost in evidence.drops.values())
    return ("no counter says whose packets were dropped",) if dropped and is_attacked(evidence) else ()


def limits_of(evidence: Evidence) -> tuple[str, ...]:
    """Busy cores and dropping stages, as phrases."""
    phrases = []
    busy = sorted((cpu for cpu in evidence.cpus if cpu.busy >= BUSY), key=lambda cpu: cpu.cpu)
    if busy:
        names = ranges([cpu.cpu for cpu in busy])
        word = "core" if len(busy) == 1 else "cores"
        where = max(
            (("in interrupt", fmean(cpu.irq + (cpu.softirq or 0.0) for cpu in busy)),
             ("in system", fmean(cpu.system for cpu in busy)),
             ("in user", fmean(cpu.user for cpu in busy)),
             ("taken by the hypervisor", fmean(cpu.steal or 0.0 for cpu in busy))),
            key=lambda pair: pair[1],
        )  # fmt: skip
        share = fmean(cpu.busy for cpu in busy) * 100
        phrases.append(
            f"{word} {names} {'is' if len(busy) == 1 else 'are'} {share:.0f} % busy, most of it {where[0]}"
        )
    phrases += drops_of(evidence)
    stalled = [queue for queue in evidence.queues if queue.state == "STALLED"]
    if stalled:
        phrases.append(f"tx ring of {stalled[0].interface} queue {stalled[0].index} is stalled")
    return tuple(phrases)


def drops_of(evidence: Evidence, besides: str = "") -> tuple[str, ...]:
    """What each stage drops, as phrases, in the order in which packets pass them; without stage `besides`."""
    phrases = []
    for stage in STAGES:
        lost, why = evidence.drops.get(stage, 0.0), evidence.unread.get(stage)
        known = f"{'at least ' if why else ''}{pps(lost)}"
        said = f" ({SAID.get(why, why)})" if why else ""
        if stage == besides:
            continue
        if lost >= 1.0:
            told = f"{known} {CAUSES[stage].what}" if stage in CAUSES else f"{stage} drops {known}"
            if stage == INPUT_ERRORS:
                told = f"{known} are input errors ({_EITHER})"
            phrases.append(f"{told}{said}")
        elif why:
            phrases.append(f"{stage} drops are not known{said}")
    return tuple(phrases)


def uncounted_of(evidence: Evidence) -> tuple[str, ...]:
    """A phrase for what is lost in no counter, if it is a part of the loss that matters."""
    load, rest = load_of(evidence), evidence.uncounted
    if load is None or evidence.forwarded is None or rest is None or is_attacked(evidence):
        return ()
    if rest < max(LOSS * load, _UNCOUNTED * (load - evidence.forwarded)):
        return ()
    return (f"{pps(rest)} are in no counter",)


def held_back(evidence: Evidence) -> tuple[str, ...]:
    """A phrase for each output whose link partner sends pause frames, since it cannot take more."""
    return tuple(
        f"{row.interface} is sent {count(row.per_second)} pause frames/s, "
        "by which its link partner holds the DUT back"
        for row in evidence.nic
        if row.is_pause_received and row.interface in evidence.outputs and (row.per_second or 0.0) >= 1.0
    )


def details_of(evidence: Evidence) -> tuple[str, ...]:
    """Counters of the cards, softnet and interrupts under their own names; they repeat the drops above."""
    lines = [
        f"{row.interface} {row.name} {count(row.per_second)}/s"
        for row in evidence.nic
        if (row.per_second or 0.0) >= 1.0
    ]
    for row in evidence.softnet:
        if (row.dropped or 0.0) >= 1.0:
            flow = f", {count(row.flow_limited)}/s by the flow limit" if (row.flow_limited or 0) >= 1 else ""
            full = f", up to {row.backlog} waiting" if row.backlog else ""
            lines.append(f"backlog of core {row.cpu} drops {count(row.dropped)}/s{flow}{full}")
    squeezed = [row for row in evidence.softnet if (row.squeezed or 0.0) >= 1.0]
    if squeezed:
        often = sum(row.squeezed or 0.0 for row in squeezed)
        cores = ranges([row.cpu for row in squeezed])
        lines.append(f"softirq budget used up {count(often)}/s on core{'s' * (len(squeezed) > 1)} {cores}")
    for interface in dict.fromkeys(row.interface for row in evidence.interrupts):
        mine = [row for row in evidence.interrupts if row.interface == interface]
        often = sum(row.per_second for row in mine)
        if often >= 1.0:
            numbers = sorted({cpu for row in mine for cpu, _ in row.cores})
            on = f" on core{'s' * (len(numbers) > 1)} {ranges(numbers)}" if numbers else ""
            lines.append(f"{interface} interrupts {count(often)}/s{on}")
    return tuple(lines)


def count(per_second: float | None) -> str:
    """A number per second with three digits and no unit."""
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


def rates_of(evidence: Evidence) -> tuple[str, ...]:
    """One phrase for each rate that is known."""
    names = ("offered", "attack", "at_nic", "dut_in", "forwarded", "received", "line_rate")
    values = [(name.replace("_", " ").replace("nic", "NIC"), getattr(evidence, name)) for name in names]
    return tuple(f"{name} {pps(value)}" for name, value in values if value is not None)
