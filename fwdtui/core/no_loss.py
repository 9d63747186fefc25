"""What limits a run in which all that is offered is forwarded, or all but a few packets."""

from fwdtui.core.arrived import QUIET
from fwdtui.core.diagnosed import Diagnosis
from fwdtui.core.diagnosis_text import count, details_of, limits_of, rates_of
from fwdtui.core.evidence import AT_LINE_RATE, LOSS, Evidence, loss_of
from fwdtui.core.offered import TOLERANCE
from fwdtui.core.refused import CAUSES, refused, taken
from fwdtui.core.units import pps

_FEW = 0.001
"""From this share of the offered load on, what is lost is told as a share."""
_MOST = LOSS + TOLERANCE
"""Up to this share, what is dropped may be what was offered although as much as that is forwarded."""
_SHOWN = 1.0
"""Packets per second: from here on a stage's drops are shown, and "all" would deny them."""


def no_loss(evidence: Evidence) -> Diagnosis | None:
    """What limits the run, if the DUT loses too little to be the limit; None if its loss is not known."""
    if evidence.offered is None or loss_of(evidence) is None:
        return None
    few = _few(evidence)
    forwarded = f", of which {few}" if few else " and all of it is forwarded"
    rest = rates_of(evidence) + limits_of(evidence) + details_of(evidence)
    held = [row for row in evidence.nic if row.is_pause and row.interface in evidence.inputs]
    if paused := [row for row in held if (row.per_second or 0.0) >= 1.0]:
        text = (
            f"DUT-limited: {paused[0].interface} sends {count(paused[0].per_second)} pause frames/s, so no "
            f"more than {pps(evidence.offered)} are offered{',' * (not few)}{forwarded}; "
            "turn flow control off."
        )
        return Diagnosis("dut-limited", text, rest)
    if evidence.line_rate and evidence.offered >= AT_LINE_RATE * evidence.line_rate:
        share = evidence.offered / evidence.line_rate * 100
        text = f"Line-limited: {pps(evidence.offered)} is {share:.0f} % of line rate{forwarded}."
        return Diagnosis("line-limited", text, rest)
    text = (
        f"Generator-limited: the DUT forwards all of the {pps(evidence.offered)} that are offered; "
        "its own limit is higher."
    )
    if few:
        own = "the DUT's own limit is higher"
        if _dropped(evidence):
            own = f"its own limit {'is' if _lost(evidence) else 'may be'} near"
        text = f"Generator-limited: of the {pps(evidence.offered)} that are offered {few}; {own}."
    return Diagnosis("generator-limited", text, rest)


def _few(evidence: Evidence) -> str:
    """What is counted as lost although it is not the limit: ``the DUT loses 0.4 %``; "" if nothing is."""
    if lost := _lost(evidence):
        return f"the DUT loses {lost * 100:.1f} %"
    dropped, found = _dropped(evidence), refused(evidence, QUIET)
    many = dropped > _MOST * (evidence.offered or 0.0)
    others = ", part of them of other traffic" if many else ""
    phrases = [f"the DUT drops {pps(dropped)}{others}"] if dropped else []
    loss = loss_of(evidence) or 0.0
    share = min(loss, found[1] / evidence.offered) if found and evidence.offered else 0.0
    if found and share >= _FEW:
        phrases.append(f"{share * 100:.1f} % {CAUSES[found[0]].what}")
    return " and ".join(phrases)


def _lost(evidence: Evidence) -> float:
    """The share of the offered load that the DUT loses; 0 if that is less than _FEW, or only noise.

    What is offered and what is forwarded are counted by two hosts, whose clocks may hide as many packets as
    the DUT's own counters show dropped, but not more than _MOST.
    """
    dropped = _dropped(evidence)
    if not evidence.offered or dropped < QUIET:
        return 0.0
    share = max(loss_of(evidence) or 0.0, dropped / evidence.offered)
    return share if _FEW <= share <= _MOST else 0.0


def _dropped(evidence: Evidence) -> float:
    """Packets per second that the DUT drops after its cards have taken them."""
    return sum(rate for rate in taken(evidence).values() if rate >= _SHOWN)
