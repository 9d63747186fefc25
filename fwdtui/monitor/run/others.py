"""Finds what somebody else sent together with our generators: more left a port than they say they sent.

Two people, or two computers, may start a blast in the same second: neither has seen any traffic before it,
and the port's counter has the sum. Only tools whose packets a port counts can be held against it; for the
others, `live/account.py` holds their lines against what arrived.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from fwdtui.collectors.tools.base import GENERATOR
from fwdtui.collectors.tools.running import RunningTool
from fwdtui.core.arrived import QUIET
from fwdtui.core.drop_stages import INPUT_QUEUE
from fwdtui.core.lab import Lab
from fwdtui.core.model import Caution, Iteration
from fwdtui.core.roles import ATTACK
from fwdtui.core.units import grouped
from fwdtui.monitor.live.quiet import NOISE

CODE = "others-sent"


def with_others(lab: Lab, iteration: Iteration, tools: Sequence[RunningTool], began: float) -> Iteration:
    """The iteration, with a warning if more was offered than our generators sent.

    `tools`: those that were started last. `began`: when the blast began, on the recording's axis. What was
    lost at the DUT's input queue may have been refused, so that it is not held against what was sent.
    """
    packets = iteration.packets
    said = _said(lab, tools, began)
    if packets is None or packets.offered is None or said is None:
        return iteration
    sent, seconds = said
    # what a veth's peer refuses is offered, and among the losses there; trafgen's total is without it
    left = packets.offered - packets.drops.get(INPUT_QUEUE, 0)
    if left - sent < max(QUIET * seconds, NOISE * sent):
        return iteration
    text = (
        f"{grouped(packets.offered)} packets were offered, but the generators that fwdtui started sent"
        f" {grouped(sent)}: somebody else sent at the same time, so the value is not of this load alone."
    )
    return replace(iteration, warnings=(*iteration.warnings, Caution(CODE, text)))


def _said(lab: Lab, tools: Sequence[RunningTool], began: float) -> tuple[int, float] | None:
    """The frames of wanted traffic that our generators say they sent, and the longest of their times.

    None if not all is known: one was started by hand, still runs, or belongs to another blast.
    """
    wanted = [one for one in lab.generators if one.role != ATTACK]
    ours = [one for one in tools if one.origin.role == GENERATOR and one.endpoint.role != ATTACK]
    if not ours or len(ours) < len(wanted):
        return None
    sent, seconds = 0, 0.0
    for one in ours:
        if not one.tool.frames or one.ended is None or one.ended.verdict.packets is None:
            return None
        if one.ended_at is not None and one.ended_at < began:
            return None
        sent += one.ended.verdict.packets
        seconds = max(seconds, one.ended.seconds)
    return sent, seconds
