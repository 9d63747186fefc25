"""Corrects rates so that the diagnosis of a blast does not contradict its exactly counted packets.

Packets are counted exactly from quiet to quiet. But the rates of a card that brings its counters up to date
once a second are wrong by as much as one refresh over their window: 1 s of 50 s is 2 %. That is more than
the smallest difference that is called a loss. And counters that are read every few seconds only, such as
those of a qdisc, may not have been read twice in a short window: then it has no rate of them.
"""

from collections.abc import Collection

import msgspec

from fwdtui.core.drop_stages import FRAME_CHECK, INPUT_ERRORS
from fwdtui.core.evidence import Evidence
from fwdtui.core.model import Packets

_PAIRS = (
    ("offered", "received"),
    ("offered", "forwarded"),
    ("offered", "dut_in"),
    ("dut_in", "forwarded"),
    ("forwarded", "received"),
)
"""Who sends packets and who receives them, as fields of both `Evidence` and `Packets`."""


def with_account(evidence: Evidence, packets: Packets | None, slow: Collection[str]) -> Evidence:
    """The evidence with corrected rates of `slow` flows, where the packets of the blast contradict them.

    They do if fewer packets were lost in the whole blast than in its window, which is impossible. `slow`:
    names of flows whose counters are refreshed slowly. Nothing is corrected if an attack is sent, too,
    because no counter tells it from the wanted traffic.
    """
    if packets is None or evidence.attacker:
        return evidence
    names = {name.replace(" ", "_") for name in slow}
    for sender, hearer in _PAIRS:
        culprit = hearer if hearer in names else sender
        if culprit not in names:
            continue
        rates = getattr(evidence, sender), getattr(evidence, hearer)
        counts = getattr(packets, sender), getattr(packets, hearer)
        if None in rates or not all(counts) or not _contradicts(rates, counts, evidence.seconds):
            continue
        share = counts[1] / counts[0]
        right = rates[0] * share if culprit == hearer else rates[1] / share
        evidence = msgspec.structs.replace(evidence, **{culprit: right})
    return evidence


def with_drops(evidence: Evidence, packets: Packets | None, lasted: float) -> Evidence:
    """The evidence with what only the account of the whole blast knows, as means over its seconds.

    These are the drops at stages that were not read within the window, and what is in no counter. Stages that
    are only known where something was dropped stay as they are: that they are missing means that nothing was.
    `lasted`: seconds of the blast.
    """
    if packets is None or lasted <= 0:
        return evidence
    if packets.unaccounted is not None and not packets.unread:
        evidence = msgspec.structs.replace(evidence, uncounted=packets.unaccounted / lasted)
    lost = {
        stage: count / lasted
        for stage, count in packets.drops.items()
        if count and stage not in evidence.drops and stage not in (FRAME_CHECK, INPUT_ERRORS)
    }
    if not lost:
        return evidence
    why = {stage: packets.unread[stage] for stage in lost if stage in packets.unread}
    return msgspec.structs.replace(
        evidence, drops={**evidence.drops, **lost}, unread={**why, **evidence.unread}
    )


def _contradicts(rates: tuple[float, float], counts: tuple[int, int], seconds: float) -> bool:
    """Whether more is missing in a window than in the whole blast, or more arrived there than was sent.

    `rates`, `counts`: of the sender and of the hearer, in the window of `seconds` and in the whole blast.
    """
    missing, whole = rates[0] - rates[1], counts[0] - counts[1]
    return missing < 0 <= whole or missing * seconds > max(whole, 0)
