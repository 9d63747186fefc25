"""Checks by trying whether the DUT can count the events that ``[dut] count`` of lab.toml asks for."""

from collections.abc import Sequence

from fwdtui.collectors.base import Check
from fwdtui.collectors.counting import Counting
from fwdtui.collectors.trial import LONGEST, taken
from fwdtui.collectors.watch import Watch
from fwdtui.core.model import CountSample
from fwdtui.transport.base import Host

_WHAT = "dut.count"
_INTERVAL = 0.1  # seconds that are counted
_ELSE = 'remove these events from `count`: their cost is then "not counted" (docs/cost.md)'


async def tried(host: Host, watch: Watch, events: Sequence[str], profiler: Check | None) -> Check:
    """Counts for a moment with the tool that a recording would use, and without changing anything.

    `profiler`: the host's check of that name, which says what perf and pmcstat need. Raises a HostError.
    """
    samples = await taken(
        Counting(host, events, _INTERVAL, watch.system),
        lambda samples: any(isinstance(one, CountSample) for one in samples),
    )
    counted = [one for one in samples if isinstance(one, CountSample)]
    if not counted:
        return Check(watch.host, _WHAT, False, f"nothing was counted within {LONGEST:g} s", _ELSE)
    return judged(watch.host, events, counted[0], profiler)


def judged(host: str, events: Sequence[str], sample: CountSample, profiler: Check | None) -> Check:
    """Turns the first counts into a check. An event that is not among them is not counted."""
    why = {event: sample.missing.get(event, "no answer") for event in events if event not in sample.counts}
    if not why:
        return Check(host, _WHAT, True, ", ".join(events))
    reasons = {reason: [event for event in why if why[event] == reason] for reason in why.values()}
    told = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())
    helps = not sample.counts and profiler is not None and profiler.ok is None and profiler.fix
    fix = f"{profiler.fix.removeprefix('for profiles only: ')}; or {_ELSE}" if profiler and helps else ""
    return Check(host, _WHAT, False, told, fix or f"name events that the host has, or {_ELSE}")
