"""Whether the DUT can count the events that ``[dut] count`` of lab.toml asks for: the doctor lets it try."""

import asyncio
import contextlib
from collections.abc import Sequence

from fwdtui.collectors.base import Check
from fwdtui.collectors.clock import Axis
from fwdtui.collectors.counting import Counting
from fwdtui.collectors.watch import Watch
from fwdtui.core.model import CountSample, Sample
from fwdtui.transport.base import Host

_WHAT = "dut.count"
_TRIAL = 15.0  # seconds for the first counts
_INTERVAL = 0.1  # seconds that are counted
_ELSE = 'or take it out of count: its cost is then "not counted" (docs/cost.md)'


async def tried(host: Host, watch: Watch, events: Sequence[str], profiler: Check | None) -> Check:
    """Count for a moment, as a recording would: with its tool, which ends with it, and with nothing changed.

    `profiler`: the host's check of that name, which says what perf and pmcstat need. Raises a HostError.
    """
    found: list[CountSample] = []
    done = asyncio.Event()

    def keep(sample: Sample) -> None:
        if isinstance(sample, CountSample):
            found.append(sample)
            done.set()

    running = asyncio.create_task(Counting(host, events, _INTERVAL, watch.system).run(keep, Axis()))
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_TRIAL):
                await done.wait()
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
    if not found:
        return Check(watch.host, _WHAT, False, f"nothing was counted within {_TRIAL:g} s", _ELSE)
    return judged(watch.host, events, found[0], profiler)


def judged(host: str, events: Sequence[str], sample: CountSample, profiler: Check | None) -> Check:
    """Turns the first counts into a check. An event that is not among them is not counted."""
    why = {event: sample.missing.get(event, "no answer") for event in events if event not in sample.counts}
    if not why:
        return Check(host, _WHAT, True, ", ".join(events))
    reasons = {reason: [event for event in why if why[event] == reason] for reason in why.values()}
    told = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())
    helps = not sample.counts and profiler is not None and profiler.ok is None and profiler.fix
    fix = f"{profiler.fix.removeprefix('for profiles only: ')}; {_ELSE}" if profiler and helps else ""
    return Check(host, _WHAT, False, told, fix or f"name events that the host has, {_ELSE}")
