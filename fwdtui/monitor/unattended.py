"""Unattended iterations: start the generator, measure, stop it, settle; with a screen or without one."""

import time
from collections.abc import Callable

from fwdtui.core.errors import FwdtuiError
from fwdtui.monitor.patience import BEGIN, Patience

DRAIN = 6.0  # seconds that a blast's last samples get to come in


class Unattended:
    """`run` it once. `doing` tells at any time where it is; `kept` how many iterations came about."""

    def __init__(
        self,
        patience: Patience,
        iterations: int | None = None,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        """`iterations` None: as lab.toml's [run] says."""
        self.wanted = iterations or patience.bench.lab.run.iterations
        self.number = 0
        self.kept = 0
        self.problem = ""
        """Why it ended before its last iteration, if it did by itself."""
        self._patience = patience
        self._bench = patience.bench
        self._say = say
        self._phase = "the hosts are sampled"
        self._until: float | None = None

    @property
    def doing(self) -> str:
        """``iteration 3 of 5 · settle 4 s left``."""
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
        """Whether every iteration came about; when `stop` is set it ends early, without a `problem`.

        Raises what ended the samples. A generator that was started is stopped in any case.
        """
        try:
            return await self._run()
        except (FwdtuiError, OSError) as error:
            self.problem = str(error)
            raise

    async def _run(self) -> bool:
        patience, settle = self._patience, self._bench.lab.run.settle
        await patience.quiet()
        for number in range(1, self.wanted + 1):
            if patience.stop.is_set():
                return False
            self.number = number
            self._say(f"iteration {number} of {self.wanted}: starting the generator")
            problem = await self._one()
            if patience.stop.is_set():
                return False
            if problem:
                self.problem = problem
                return False
            self.kept += 1
            if number < self.wanted:
                self._enter("settle", settle)
                await patience.wait(settle)
        self._enter("done")
        return True

    async def _one(self) -> str:
        """One blast from start to stop; why it did not become an iteration, else empty."""
        bench, monitor, patience = self._bench, self._bench.monitor, self._patience
        done = len(monitor.snapshot(0).iterations)
        self._enter("the generator starts")
        tools = await bench.start_tools()

        def ended() -> bool:
            return all(tool.ended for tool in tools)

        def begun() -> bool:
            return monitor.snapshot(0).blast is not None or ended()

        plan = bench.lab.run
        if await patience.wait(BEGIN, begun) and not patience.stop.is_set():
            if plan.warmup:
                self._enter("warm-up", plan.warmup)
                await patience.wait(plan.warmup, ended)
            self._enter("measuring", plan.duration)
            await patience.wait(plan.duration + 2 * bench.lab.interval, ended)
        if patience.stop.is_set() and patience.keep_early():
            self._say("the blast is still on: what there is of it becomes an iteration")
        self._enter("the last samples come in")
        await bench.stop_tools()
        if await patience.wait(DRAIN, lambda: len(monitor.snapshot(0).iterations) > done):
            return ""
        failed = [tool.ended.text for tool in tools if tool.ended and tool.ended.failed]
        if not monitor.automatic:
            return "blasts are not cut by themselves now (a)"
        return "; ".join(failed) or "no blast was seen at the generator and the DUT"
