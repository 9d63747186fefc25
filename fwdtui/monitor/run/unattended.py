"""Unattended iterations: start the generator, measure, stop it, settle; with or without a screen."""

import time
from collections.abc import Callable

from fwdtui.core.errors import FwdtuiError
from fwdtui.monitor.run.waiting import BEGIN, Waiter

DRAIN = 6.0  # seconds to wait for a blast's last samples
ATTEMPTS = 3  # blasts for one iteration without a sound value, before the plan goes on without it
BACK = 300.0  # seconds to wait for a host to be sampled again before the next blast: it may be booting
_PENDING = 90.0  # seconds to wait for a blast to become an iteration while hosts are silent


class Unattended:
    """`run` it once. `doing` says what it is doing; `kept` is the number of iterations with a sound value."""

    def __init__(
        self,
        patience: Waiter,
        iterations: int | None = None,
        say: Callable[[str], None] = lambda text: None,
        *,
        patience_at_end: float | None = None,
    ) -> None:
        """`iterations` None: the number in lab.toml's [run].

        `patience_at_end`: seconds to wait until the last iteration can be saved; None: for ever.
        """
        self._patience_at_end = patience_at_end
        self.wanted = iterations or patience.bench.lab.run.iterations
        self.number = 0
        self.kept = 0
        self.problem = ""
        """Why it ended before its last iteration, unless it was stopped."""
        self._patience = patience
        self._bench = patience.bench
        self._say = say
        self._phase = "waiting for the hosts' first samples"
        self._until: float | None = None

    @property
    def doing(self) -> str:
        """Its progress, such as ``iteration 3 of 5 · settle 4 s left``."""
        if self.problem:
            return f"{self.kept} of {self.wanted} iterations · stopped: {self.problem}"
        if self._phase == "done":
            return f"{self.kept} of {self.wanted} iterations are recorded"
        left = "" if self._until is None else f" {max(self._until - time.monotonic(), 0.0):.0f} s left"
        where = f"iteration {self.number} of {self.wanted}" if self.number else f"{self.wanted} iterations"
        return f"{where} · {self._phase}{left}"

    def _enter(self, phase: str, seconds: float | None = None) -> None:
        self._phase = phase
        self._until = None if seconds is None else time.monotonic() + seconds

    async def run(self) -> bool:
        """Returns whether every iteration has a sound value.

        If `stop` is set it ends early, without a `problem`. Raises the error that ended the samples. A
        generator that was started is stopped in any case.
        """
        try:
            if not self._bench.unattended:
                raise FwdtuiError("these commands may not run without asking first")
            return await self._run()
        except (FwdtuiError, OSError) as error:
            self.problem = str(error)
            raise

    async def _run(self) -> bool:
        patience, settle = self._patience, self._bench.lab.run.settle
        await patience.quiet()
        without: list[str] = []
        for number in range(1, self.wanted + 1):
            self.number = number
            for attempt in range(1, ATTEMPTS + 1):
                if not await self._sampled() or not await self._can_save():
                    return False
                self._say(f"iteration {number} of {self.wanted}: starting the generator")
                problem, again = await self._one()
                if patience.stop.is_set():
                    return False
                left = ATTEMPTS - attempt
                if not await self._saved(last=number == self.wanted and not (problem and left)):
                    return False
                if not problem:
                    self.kept += 1
                    break
                if not again:
                    self.problem = problem
                    return False
                times = "time" if left == 1 else "times"
                then = (
                    f"It is repeated, at most {left} more {times}." if left else "It is not repeated again."
                )
                self._say(f"iteration {number} of {self.wanted} has no sound value: {problem} {then}")
                if not left:
                    without.append(f"iteration {number}: {problem}")
                elif not await self._settled(settle):
                    return False
            if number < self.wanted and not await self._settled(settle):
                return False
        self._enter("done")
        if without:
            self.problem = f"no sound value after {ATTEMPTS} attempts: {' '.join(without)}"
        return not without

    async def _settled(self, seconds: float) -> bool:
        """Pause between two blasts. False: told to stop."""
        self._enter("settle", seconds)
        await self._patience.wait(seconds)
        return not self._patience.stop.is_set()

    async def _sampled(self) -> bool:
        """Wait until every host is sampled: a blast without samples is worth nothing. False: the plan ends.

        A sampler that had failed is tried again.
        """
        missing = self._missing()
        if missing:
            self._bench.revive()
            names = ", ".join(missing)
            self._say(f"waiting for samples from {names}")
            self._enter(f"waiting for samples from {names}", BACK)
            if not await self._patience.wait(BACK, lambda: not self._missing()):
                if not self._patience.stop.is_set():
                    told = "; ".join(f"{name}: {why}" for name, why in self._missing().items())
                    self.problem = f"no samples for {BACK:.0f} s, so nothing more was started ({told})"
                return False
            await self._patience.wait(2 * self._bench.lab.interval)  # the quiet that packets are counted from
        return not self._patience.stop.is_set()

    def _missing(self) -> dict[str, str]:
        """The hosts without samples at present, and why."""
        views = {view.name: view for view in self._patience.seen.hosts}
        found = {name: views.get(name) for name in self._bench.lab.hosts()}
        return {
            name: (view.reason if view and not view.up else "") or "the cause is not known"
            for name, view in found.items()
            if view is None or not view.up or view.old is not None or view.rates is None
        }

    async def _can_save(self) -> bool:
        """Wait until a generator may be started, because its result could be saved. False: told to stop."""
        return await self._paused(self._bench.can_save)

    async def _saved(self, last: bool) -> bool:
        """Wait until the iteration is on disk; `last`: no blast follows. False: told to stop."""
        recorder = self._bench.recorder
        seconds = self._patience_at_end if last else None
        return recorder is None or await self._paused(lambda: not recorder.unsaved, seconds)

    async def _paused(self, until: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait for `until`, and say so. `seconds` None: as long as it takes."""
        recorder = self._bench.recorder
        if recorder is None or until():
            return True
        self._enter("paused: cannot save", seconds)
        self._say(f"paused: {recorder.problem}; the run goes on automatically once it can be saved")
        if await self._patience.wait(seconds, until):
            return True
        if not self._patience.stop.is_set():
            self.problem = recorder.problem
        return False

    async def _one(self) -> tuple[str, bool]:
        """Run one blast from start to stop. Returns why it gave no iteration with a sound value, else "".

        Also returns whether another blast may work: the fault was the connection to a host, not the plan.
        """
        bench, monitor, patience = self._bench, self._bench.monitor, self._patience
        done = len(patience.seen.iterations)
        self._enter("starting the generator")
        tools = await bench.start_tools()

        def ended() -> bool:
            return all(tool.ended for tool in tools)

        def begun() -> bool:
            return patience.seen.blast is not None or ended()

        plan = bench.lab.run
        if await patience.wait(BEGIN, begun) and not patience.stop.is_set():
            if plan.warmup:
                self._enter("warm-up", plan.warmup)
                await patience.wait(plan.warmup, ended)
            self._enter("measuring", plan.duration)
            await patience.wait(plan.duration + 2 * bench.lab.interval, ended)
        if patience.stop.is_set() and (became := patience.save_early()):
            self._say(became)
        self._enter("waiting for the last samples")
        await bench.stop_tools()

        def cut() -> bool:
            return len(patience.seen.iterations) > done

        def pending() -> bool:
            return monitor.ending or patience.seen.blast is not None

        if not await patience.wait(DRAIN, cut):
            # hosts are silent: samples that are on the way may still arrive
            await patience.wait(_PENDING, lambda: cut() or not pending())
        if cut():
            return patience.seen.iterations[-1].incomplete, True
        failed = [tool.ended.text for tool in tools if tool.ended and tool.ended.failed]
        if not monitor.automatic:
            return "blasts do not become iterations automatically now (key a)", False
        if missing := self._missing():
            told = "; ".join([*(f"{name}: {why}" for name, why in missing.items()), *failed])
            return f"no blast was seen, because samples were missing ({told}).", True
        if patience.seen.blast is not None:
            return "the traffic continued after the generator was stopped", False
        return "; ".join(failed) or "no blast was seen at the generator and the DUT", False
