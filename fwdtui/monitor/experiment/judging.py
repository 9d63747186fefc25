"""Whether an iteration counts, as far as its recorded data show."""

from collections.abc import Sequence
from itertools import pairwise

from fwdtui.collectors.tools.base import GENERATOR, RECEIVER
from fwdtui.collectors.tools.running import RunningTool
from fwdtui.core.lab import Lab
from fwdtui.core.model import EventSample, HostSample, Iteration, Sample
from fwdtui.core.units import pps
from fwdtui.monitor.live.holes import cause_of, measuring
from fwdtui.monitor.live.troubles import trouble
from fwdtui.monitor.run.blasting import no_value, sending
from fwdtui.monitor.run.others import CODE as OTHERS

OFFERED = 0.05
"""Share by which the offered load may differ from the requested rate."""
_STARVED = 0.25  # share of the window without counters
_STARVED_LEAST = 1.5  # seconds
_SPOILT = ("no-value", "no-traffic", "ended-early", "unsteady", "level-shift", "generator-idle",
           "several-tools", OTHERS)  # fmt: skip
"""Warnings after which a trial is repeated, besides those of `troubles`: the value mixes several states."""


def flaw(
    lab: Lab,
    iteration: Iteration,
    samples: Sequence[Sample],
    tools: Sequence[RunningTool],
    wanted: float | None,
) -> str:
    """Why this iteration does not count, in a sentence; empty if it does.

    `wanted`: the requested packets per second; None: any.
    """
    early = [tool for tool in tools if tool.ended is not None and not tool.ended.asked]
    for tool in early:
        assert tool.ended is not None
        if tool.origin.role == RECEIVER:
            return f"The receiver ended during the blast: {tool.ended.text}."
        if tool.origin.role == GENERATOR and tool.ended.seconds < sending(lab, tool):
            return f"The generator ended after {tool.ended.seconds:.1f} s: {tool.ended.text}."
    if without := no_value(iteration):
        return without
    if failed := trouble(iteration):
        return failed
    if warning := next((one for one in iteration.warnings if one.code in _SPOILT), None):
        return warning.text
    if stepped := _stepped(iteration, samples):
        return stepped
    offered = iteration.offered
    if wanted is not None and (offered is None or abs(offered / wanted - 1.0) > OFFERED):
        sent = "is not known" if offered is None else f"was {pps(offered)}"
        return f"The offered load {sent} where {pps(wanted)} was asked for."
    return _starved(lab, iteration, samples)


def _stepped(iteration: Iteration, samples: Sequence[Sample]) -> str:
    """That a host's clock did not run evenly in the window, in a sentence; empty if all did.

    Rates come from the hosts' monotonic clocks, which only step by a fault or when a machine is suspended.
    """
    window = iteration.window
    if window is None or window.start is None or window.end is None:
        return ""
    for one in samples:
        if isinstance(one, EventSample) and one.code == "clock-step" and window.start <= one.at <= window.end:
            return f"The clock of {one.host} did not run evenly: {one.text}."
    return ""


def _starved(lab: Lab, iteration: Iteration, samples: Sequence[Sample]) -> str:
    """That the measuring host gave no counters for too long, and why, in a sentence; empty if it did.

    It was starved, unless an event says something else: that fwdtui itself did not run, for example. A DUT
    that is starved while another host measures is only under load, which is no flaw.
    """
    window = iteration.window
    if window is None or window.start is None or window.end is None:
        return ""
    start, end = window.start, window.end
    most = max(_STARVED_LEAST, 3 * lab.interval, _STARVED * (end - start))
    host = measuring(lab, iteration)
    mine = [s for s in samples if isinstance(s, HostSample) and s.host == host and s.interfaces]
    # a gap may have begun long before the window, and last until long after it
    pairs = ((before, after) for before, after in pairwise(mine) if before.at < end and after.at > start)
    gaps = [(after.t - before.t, before.at, after.at) for before, after in pairs]
    if mine:
        first, last = min(mine[0].at, end), max(mine[-1].at, start)
        gaps += [(first - start, start, first), (end - last, last, end)]
    gap, since, until = max(gaps, default=(0.0, start, end))
    if gap <= most:
        return ""
    events = [one for one in samples if isinstance(one, EventSample)]
    why = cause_of(host, events, since, until) or "it was starved"
    return f"{host} gave no counters for {gap:.1f} s: {why}."
