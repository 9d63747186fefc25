"""One blast from start to stop, with the waits before and after it, for unattended runs and experiments."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from fwdtui.collectors.tools.base import GENERATOR
from fwdtui.collectors.tools.running import RunningTool
from fwdtui.collectors.tools.shell import ESCAPES, escapes
from fwdtui.core.errors import FwdtuiError, reason
from fwdtui.core.lab import Lab
from fwdtui.core.link_wait import further, longest
from fwdtui.core.model import CEASED, PAUSED, Iteration
from fwdtui.core.roles import ATTACK
from fwdtui.monitor.run.soundness import discard
from fwdtui.monitor.run.waiting import BEGIN, Waiter

DRAIN = 6.0  # seconds to wait for a blast's last samples
BACK = 300.0  # seconds to wait for a host to be sampled again before the next blast: it may be booting
_PENDING = 90.0  # seconds to wait for a blast to become an iteration while hosts are silent
CANNOT_SAVE = "paused: cannot save"
"""The phase in which a run waits until what it has can be written, however long that takes."""
LOST = "It could not be saved, and was too large to wait in memory."
"""Why a blast that was measured does not count."""


class Enter(Protocol):
    """Called with what is done from now on, and for how many seconds at most (None: as long as it takes)."""

    def __call__(self, phase: str, seconds: float | None = None) -> None: ...


@dataclass(frozen=True)
class Blasted:
    """The outcome of one blast. `problem`: why it gave no sound value; `again`: whether another may.

    `iteration` is what the blast became; None if it became no iteration.
    """

    iteration: Iteration | None
    problem: str = ""
    again: bool = True


class Blasting:
    """Runs blasts on one bench, one at a time. Every wait ends early once the waiter is told to stop."""

    def __init__(self, waiter: Waiter, enter: Enter, say: Callable[[str], None]) -> None:
        self.problem = ""
        """Why a wait was given up; "" if it was stopped on request."""
        self._waiter = waiter
        self._bench = waiter.bench
        self._enter = enter
        self._say = say
        self._sending = False  # whether a generator was started and has not been stopped yet

    @property
    def stopped(self) -> bool:
        """Whether it was told to stop."""
        return self._waiter.stop.is_set()

    async def settled(self, seconds: float) -> bool:
        """Pause between two blasts. Returns False if it was told to stop."""
        self._enter("settle", seconds)
        await self._waiter.wait(seconds)
        return not self.stopped

    async def sampled(self) -> bool:
        """Wait until every host is sampled, because a blast without samples is useless.

        A sampler that had failed is tried again. Returns False if it was told to stop, or gave up and set
        `problem`.
        """
        missing = self._waiter.missing()
        if missing:
            self._bench.revive()
            names = ", ".join(missing)
            self._say(f"waiting for samples from {names}")
            self._enter(f"waiting for samples from {names}", BACK)
            if not await self._waiter.wait(BACK, lambda: not self._waiter.missing()):
                if not self.stopped:
                    told = "; ".join(f"{name}: {why}" for name, why in self._waiter.missing().items())
                    self.problem = f"no samples for {BACK:.0f} s, so nothing more was started ({told})"
                return False
            await self._waiter.wait(2 * self._bench.lab.interval)  # the quiet that packets are counted from
        return not self.stopped

    async def can_save(self) -> bool:
        """Wait until the result of a blast could be saved, so that a generator may be started.

        Returns False if it was told to stop.
        """
        return await self._paused(self._bench.can_save)

    async def saved(self, seconds: float | None = None) -> bool:
        """Wait until the iteration is on disk. False if told to stop, or if it took more than `seconds`."""
        recorder = self._bench.recorder
        return recorder is None or await self._paused(lambda: not recorder.unsaved, seconds)

    def lost(self) -> str:
        """Why the newest blast's iteration will never be on disk; "" if it is there. Call `saved` first."""
        parts = self._bench.monitor.of_blasts()
        return LOST if parts and not parts[-1].saved else ""

    async def away(self) -> list[str]:
        """Wait for hosts that a blast has starved or cut off: only their samples show whether they rebooted.

        Returns a sentence for each host that is not back in time.
        """
        if await self.sampled() or self.stopped:
            return []
        return [f"{host} was not sampled again: {why}" for host, why in self._waiter.missing().items()]

    def take_back(self, why: str) -> None:
        """Record that the iteration of the newest blast does not count after all. Call `saved` first.

        Raises FwdtuiError or OSError if that cannot be recorded.
        """
        self._discard(self._bench.monitor.of_blasts()[-1], why)

    async def _paused(self, until: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait until `until` returns True, and say so. `seconds` None: as long as it takes."""
        recorder = self._bench.recorder
        if recorder is None or until():
            return True
        self._enter(CANNOT_SAVE, seconds)
        self._say(f"paused: {recorder.problem}; the run goes on automatically once it can be saved")
        if await self._waiter.wait(seconds, until):
            return True
        if not self.stopped:
            self.problem = recorder.problem
        return False

    async def one(
        self,
        start: Callable[[], Awaitable[Sequence[RunningTool]]] | None = None,
        measuring: Callable[[], Awaitable[None]] | None = None,
        stop: Callable[[], Awaitable[None]] | None = None,
    ) -> Blasted:
        """Run one blast from start to stop, for as long as [run] says.

        `start` and `stop` are used instead of the bench's own; `measuring` is awaited once the warm-up is
        over. A caller that cancels this must stop the generator itself; what the blast has become by then
        does not count if the traffic paused or ceased.
        """
        done = len(self._waiter.seen.iterations)
        self._sending = False
        try:
            return await self._one(done, start, measuring, stop)
        except asyncio.CancelledError:
            self._broken_off(done)
            raise

    async def _one(
        self,
        done: int,
        start: Callable[[], Awaitable[Sequence[RunningTool]]] | None,
        measuring: Callable[[], Awaitable[None]] | None,
        stop: Callable[[], Awaitable[None]] | None,
    ) -> Blasted:
        """The blast itself, see `one`. `done`: how many iterations there were before it."""
        bench, monitor, waiter = self._bench, self._bench.monitor, self._waiter
        self._enter("starting the generator")
        tools = await (start or bench.start_tools)()
        self._sending = True

        def ended() -> bool:
            return all(tool.ended for tool in tools)

        def begun() -> bool:
            return waiter.seen.blast is not None or ended()

        def cut() -> bool:
            return bool(monitor.of_blasts(done))

        plan = bench.lab.run
        ceased = False
        if await waiter.wait(BEGIN + longest(bench.lab.generators), begun) and not self.stopped:
            if plan.warmup:
                self._enter("warm-up", plan.warmup)
                await waiter.wait(plan.warmup, ended)
            measured = plan.duration + 2 * bench.lab.interval
            self._enter("measuring", measured)
            if measuring is not None:
                await measuring()
            await waiter.wait(measured, ended)
            ceased = _sends(tools) and waiter.seen.blast is None and cut()
        earlier = len(monitor.of_blasts(done))
        if self.stopped and (became := waiter.save_early()):
            self._say(became)
        early = len(monitor.of_blasts(done)) > earlier
        self._sending = False
        self._enter("waiting for the last samples")
        await (stop or bench.stop_tools)()

        if not await waiter.wait(DRAIN, cut):
            # hosts are silent: samples that are on the way may still arrive; or the generator was not reached
            later = max(monitor.longest_end - DRAIN, 0.0)  # samples that are far apart show the end later
            over = await waiter.wait(later, lambda: cut() or waiter.seen.blast is None)
            if not (over or self.stopped or waiter.missing()):
                self._say(
                    f"traffic still comes {DRAIN + later:.0f} s after the generator was stopped"
                    f"{_unreached(tools)}"
                )
                self._enter("waiting for the traffic to end", _PENDING)
            await waiter.wait(_PENDING, lambda: cut() or not self._goes_on)
        if cut():
            if self._goes_on:  # the iteration there is covers only a part of the blast
                await waiter.wait(_PENDING, lambda: not self._goes_on)
            parts = monitor.of_blasts(done)
            if len(parts) > 1 or (self._goes_on and not early):
                return Blasted(await self._dropped(done, PAUSED), PAUSED)
            iteration = parts[-1]
            why = no_value(iteration)
            if ceased and not why:
                return Blasted(await self._dropped(done, CEASED), CEASED)
            return Blasted(iteration, why)
        failed = [tool.ended.text for tool in tools if tool.ended and tool.ended.failed]
        if not monitor.automatic:
            return Blasted(None, "blasts do not become iterations automatically now (key a)", False)
        if missing := waiter.missing():
            told = "; ".join([*(f"{name}: {why}" for name, why in missing.items()), *failed])
            return Blasted(None, f"no blast was seen, because samples were missing ({told}).")
        if waiter.seen.blast is not None:
            why = f"the traffic continued after the generator was stopped{_unreached(tools)}"
            return Blasted(None, why, False)
        nowhere = "no blast was seen at the generator and the DUT"
        if not bench.lab.generators:
            nowhere = "no blast was seen at the DUT, and lab.toml has no generator to start"
        return Blasted(None, "; ".join(failed) or nowhere, False)

    @property
    def _goes_on(self) -> bool:
        """Whether there is a blast that has not become an iteration yet."""
        return self._bench.monitor.ending or self._waiter.seen.blast is not None

    async def _dropped(self, done: int, why: str) -> Iteration:
        """Drop the iterations that a blast became, from index `done` on; returns the last one."""
        try:
            await self.saved()
        finally:  # even if the wait is cancelled
            self._drop(done, why)
        return self._bench.monitor.of_blasts(done)[-1]

    def _broken_off(self, done: int) -> None:
        """Drop what a cancelled blast became, if its traffic paused or ceased."""
        parts = self._bench.monitor.of_blasts(done)
        if len(parts) > 1 or (parts and self._goes_on):
            why = PAUSED
        elif parts and self._sending and _sends(self._bench.tools.running) and not no_value(parts[-1]):
            why = CEASED
        else:
            return
        try:
            self._drop(done, why)
        except (FwdtuiError, OSError) as error:
            if self._bench.recorder is not None:
                self._bench.recorder.note(
                    f"could not save the reason why a blast does not count: {reason(error)}"
                )

    def _drop(self, done: int, why: str) -> None:
        """Drop the iterations of a blast from index `done` on, and those that are still to come of it."""
        if self._goes_on:
            self._bench.broken = self._waiter.seen.now, why
        for part in self._bench.monitor.of_blasts(done):
            if part.value is not None and not part.dropped:
                self._discard(part, why)

    def _discard(self, part: Iteration, why: str) -> None:
        recorder = self._bench.recorder
        if recorder is not None:
            discard(recorder, part, why)
        if recorder is None or part.saved:  # else the recorder informs the monitor
            self._bench.monitor.take_back(part, why)


def _sends(tools: Sequence[RunningTool]) -> bool:
    """Whether a generator of wanted traffic still runs; an attack may outlast it."""
    generators = [one for one in tools if one.origin.role == GENERATOR and one.endpoint.role != ATTACK]
    return any(one.ended is None for one in generators)


def _unreached(tools: Sequence[RunningTool]) -> str:
    """Why a generator that was stopped may still send, as the end of a sentence; "" if nothing says so."""
    senders = [one for one in tools if one.origin.role == GENERATOR and not one.endpoint.stop]
    if any(escapes(one.endpoint.start or "", one.system) for one in senders):
        return f": {ESCAPES}"
    return ""


def sending(lab: Lab, tool: RunningTool) -> float:
    """Seconds that a generator has to run for a whole blast, including its wait for the link."""
    return lab.run.warmup + lab.run.duration + further(tool.endpoint.start or "")


def no_value(iteration: Iteration) -> str:
    """Why the iteration has no value that counts, in sentences; empty if it has one."""
    if iteration.incomplete or iteration.value is not None:
        return iteration.incomplete
    return " ".join(one.text for one in iteration.warnings) or "It has no value."
