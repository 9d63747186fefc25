"""What a card drops because it must not take it: bad frames, and frames that match none of its flows.

Neither shows what the DUT can do: the cause is before it, in a cable or in the generator's settings.
"""

from typing import NamedTuple

from fwdtui.core.drop_stages import CARD_FILTER, FRAME_CHECK, REFUSED
from fwdtui.core.evidence import LOSS, Evidence, is_attacked, loss_of
from fwdtui.core.units import pps

_MOST = 0.5
"""If at least this share of what is lost was refused, that is the cause."""


class Cause(NamedTuple):
    """Why a card refuses packets. `what`: the end of a sentence about these packets. `advice`: what to do."""

    code: str
    title: str
    what: str
    advice: str


CAUSES = {
    FRAME_CHECK: Cause(
        "bad-frames",
        "Bad frames",
        "arrive damaged or too long",
        "check the cable, its transceivers and the MTU",
    ),
    CARD_FILTER: Cause(
        "foreign-frames",
        "Foreign frames",
        "match no flow of the card, as frames for another MAC address do",
        "check the destination MAC address",
    ),
}


def taken(evidence: Evidence) -> dict[str, float]:
    """The drops of packets that the DUT's cards had taken, by stage."""
    return {stage: lost for stage, lost in evidence.drops.items() if stage not in REFUSED}


def refused(evidence: Evidence, least: float) -> tuple[str, float] | None:
    """The stage that refuses most, and its packets per second; None if these are fewer than `least`."""
    most = max(REFUSED, key=lambda stage: evidence.drops.get(stage, 0.0))
    lost = evidence.drops.get(most, 0.0)
    return (most, lost) if lost >= least else None


def phrase(stage: str, lost: float) -> str:
    """``5.000 Mpps match no flow of the card, as frames for another MAC address do``"""
    return f"{pps(lost)} {CAUSES[stage].what}"


def cause(evidence: Evidence) -> tuple[str, float] | None:
    """The stage that refused most of what is lost, and its packets per second; None if the DUT lost it.

    A card also refuses what others send, such as frames that a switch floods. Those were not offered, so
    refused frames only explain losses that no other stage explains. Under attack no counter says whose frames
    were refused, so the result is None. It is None, too, if the offered load is not known: what was lost is
    then part of what the cards took.
    """
    loss = loss_of(evidence)
    if evidence.offered is None or loss is None or loss < LOSS or is_attacked(evidence):
        return None
    lost = loss * evidence.offered
    unexplained = lost - sum(taken(evidence).values())
    own = min(unexplained, sum(evidence.drops.get(stage, 0.0) for stage in REFUSED))
    return refused(evidence, 1.0) if own >= _MOST * lost else None
