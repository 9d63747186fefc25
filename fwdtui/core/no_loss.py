"""What limits a run in which all that is offered is forwarded, or all but a few packets."""

from fwdtui.core.arrived import QUIET
from fwdtui.core.diagnosed import Diagnosis
from fwdtui.core.diagnosis_text import count, details_of, limits_of, rates_of
from fwdtui.core.evidence import AT_LINE_RATE, Evidence, loss_of
from fwdtui.core.refused import CAUSES, refused, taken
from fwdtui.core.units import pps

_FEW = 0.001
"""From this share of the offered load on, counted drops are mentioned, even if they are not the limit."""


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
        own = "its own limit is near" if _loses(evidence) else "the DUT's own limit is higher"
        text = f"Generator-limited: of the {pps(evidence.offered)} that are offered {few}; {own}."
    return Diagnosis("generator-limited", text, rest)


def _few(evidence: Evidence) -> str:
    """What is counted as lost although it is not the limit: ``the DUT loses 0.4 %``; "" if nothing is."""
    loss = loss_of(evidence) or 0.0
    if loss >= _FEW and _loses(evidence):
        return f"the DUT loses {loss * 100:.1f} %"
    found = refused(evidence, QUIET)
    share = min(loss, found[1] / evidence.offered) if found and evidence.offered else 0.0
    return f"{share * 100:.1f} % {CAUSES[found[0]].what}" if found and share >= _FEW else ""


def _loses(evidence: Evidence) -> bool:
    """Whether the DUT drops packets that its cards have taken."""
    return any(rate >= QUIET for rate in taken(evidence).values())
