"""Unattended iterations: start the generator, measure, stop it, settle; with or without a screen."""

import contextlib
import time
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from fwdtui.collectors.tools.base import GENERATOR
from fwdtui.core.arrived import QUIET
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import CEASED, PAUSED, Caution, Iteration, Sample
from fwdtui.core.rates import booted
from fwdtui.core.sentences import after_colon
from fwdtui.core.text import clean
from fwdtui.core.time_left import TimeLeft, told
from fwdtui.core.units import counted, pps
from fwdtui.monitor.live.quiet import NOISE
from fwdtui.monitor.live.troubles import trouble
from fwdtui.monitor.run.blasting import Blasting, sending
from fwdtui.monitor.run.soundness import spoilt
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.monitor.run.work_clock import WorkClock

SHORT = "generator-ended"
"""The code of the warning that a generator ended by itself before its time was over."""
_PORTS = 60.0  # seconds to wait for a port that is gone: a driver may be loaded again
ATTEMPTS = 3  # blasts for one iteration; if none gives a sound value, the plan goes on without it


class Unattended:
    """Measures a number of iterations. `run` it once.

    `doing` says what it is doing; `kept` is the number of iterations with a sound value.
    """

    def __init__(
        self,
        waiter: Waiter,
        iterations: int | None = None,
        say: Callable[[str], None] = lambda text: None,
        *,
        patience_at_end: float | None = None,
    ) -> None:
        """`iterations` None: the number in lab.toml's [run].

        `patience_at_end`: seconds to wait until the last iteration can be saved; None: for ever.
        """
        self._patience_at_end = patience_at_end
        self.wanted = iterations or waiter.bench.lab.run.iterations
        self.number = 0
        self.kept = 0
        self.problem = ""
        """Why not every iteration has a sound value; "" if it was only stopped."""
        self._waiter = waiter
        self._bench = waiter.bench
        self._say = say
        self._blasting = Blasting(waiter, self._enter, say)
        self._phase = "waiting for the hosts' first samples"
        self._until: float | None = None
        self._before = 0.0  # packets per second that others sent when the generator was about to be started
        self._clock = WorkClock()
        self._left = (
            TimeLeft()
        )  # counted from the end of one blast to the end of the next, as no settle follows the last one

    @property
    def doing(self) -> str:
        """Its progress, such as ``iteration 3 of 5 · settle 4 s left · run 46 s left``.

        The time left for all iterations is known from the third one on: the first is unlike the others.
        """
        wanted = counted(self.wanted, "iteration")
        if self.problem:
            return f"{self.kept} of {wanted} · stopped: {self.problem}"
        if self._phase == "done":
            return f"{self.kept} of {wanted} {'is' if self.kept == 1 else 'are'} recorded"
        left = "" if self._until is None else f" {max(self._until - time.monotonic(), 0.0):.0f} s left"
        where = f"iteration {self.number} of {self.wanted}" if self.number else wanted
        whole = self._whole_left
        return f"{where} · {self._phase}{left}" + (f" · run {whole}" if whole else "")

    @property
    def _whole_left(self) -> str:
        """``46 s left`` for all iterations; "" while an estimate would mean nothing."""
        return told(self._left.seconds_at(self._clock.now))

    @property
    def _planned(self) -> str:
        """``4 min``: how long all iterations take if none is repeated."""
        lab = self._bench.lab
        each = lab.run.warmup + lab.run.duration + 2 * lab.interval
        return told(self.wanted * each + (self.wanted - 1) * lab.run.settle).removesuffix(" left")

    def _enter(self, phase: str, seconds: float | None = None) -> None:
        self._clock.enter(phase)
        self._phase = phase
        self._until = None if seconds is None else time.monotonic() + seconds

    async def run(self) -> bool:
        """Measure all iterations. Returns whether every one has a sound value.

        If the waiter's `stop` is set, this ends early, without a `problem`. Raises the error that ended the
        samples. A generator that was started is stopped even after an error; a caller that cancels this must
        close the bench.
        """
        self._bench.judge, judge = self._judge, self._bench.judge
        try:
            if not self._bench.unattended:
                raise FwdtuiError("these commands may not run without asking first")
            return await self._run()
        except Exception as error:  # whatever it is: nothing goes on sending on an open screen
            foreseen = isinstance(error, (FwdtuiError, OSError))
            self.problem = str(error) if foreseen else clean(f"{type(error).__name__}: {error}")
            if self._bench.tools.run:
                with contextlib.suppress(Exception):  # the first error is the one that is reported
                    await self._bench.stop_tools()
            raise
        finally:
            self._bench.judge = judge

    def _judge(self, iteration: Iteration, samples: tuple[Sample, ...]) -> Iteration:
        """See `Bench.judge`: no value counts if a tool, a link or a host failed, as in an experiment.

        Adds a warning if a generator ended by itself too early, without a failure: a blast is as long as the
        generator's command says, and its value covers only that time.
        """
        lab, iteration = self._bench.lab, self._without_others(iteration)
        if iteration.value is not None and (why := trouble(iteration)):
            return spoilt(iteration, why)
        for tool in self._bench.tools.running:
            ended, wanted = tool.ended, sending(lab, tool)
            if ended is None or ended.asked or tool.origin.role != GENERATOR:
                continue
            if ended.failed and iteration.value is None:
                continue  # it does not count anyway, and its own words tell why
            if ended.failed and ended.seconds < wanted:  # no warning tells of it yet: it came late
                lasted = f"{ended.seconds:.1f} s of {wanted:g} s"
                return spoilt(iteration, f"The generator failed after {lasted}: {ended.text}.")
            if ended.seconds < wanted:
                text = (
                    f"A generator ended by itself after {ended.seconds:.1f} s of {wanted:g} s, so"
                    f" the value covers less time: {ended.text}. Let it send for longer, or give a"
                    " shorter `duration`."
                )
                return replace(iteration, warnings=(*iteration.warnings, Caution(SHORT, text)))
        return iteration

    def _without_others(self, iteration: Iteration) -> Iteration:
        """The iteration, which does not count if somebody else sent much when the generator was started."""
        offered = iteration.metrics.get("offered")
        if iteration.value is None or offered is None:
            return iteration
        if self._before < max(QUIET, NOISE * offered.median):
            return iteration
        sent = f"{pps(self._before)} were sent already when the generator was started"
        return spoilt(iteration, f"{sent}, and are part of what was measured: stop the other sender.")

    async def _run(self) -> bool:
        waiter, blasting, settle = self._waiter, self._blasting, self._bench.lab.run.settle
        if long := self._bench.lab.run.long_warmup:
            self._say(long)
        await waiter.quiet()
        without: list[str] = []
        for number in range(1, self.wanted + 1):
            self.number = number
            for attempt in range(1, ATTEMPTS + 1):
                if not await blasting.sampled() or not await blasting.can_save():
                    return self._given_up()
                whole = f" ({self._whole_left})" if self._whole_left else ""
                if number == attempt == 1:
                    whole = f" (about {self._planned} in all)"
                self._say(f"iteration {number} of {self.wanted}: starting the generator{whole}")
                self._before = self._waiter.seen.offered.now or 0.0
                boots = self._boots()
                blasted = await blasting.one()
                self._before = 0.0
                problem = blasted.problem
                if waiter.stop.is_set():
                    if problem in (PAUSED, CEASED):
                        self._say(
                            f"iteration {number} of {self.wanted} has no sound value: {after_colon(problem)}"
                        )
                    return False
                left = ATTEMPTS - attempt
                last = number == self.wanted and not (problem and left)
                if not await blasting.saved(self._patience_at_end if last else None):
                    return self._given_up()
                problem = problem or blasting.lost() or await self._rebooted(boots)
                if not problem:
                    self.kept += 1
                    break
                if not blasted.again:
                    self.problem = problem
                    return False
                if blasting.problem:  # a host did not come back
                    self._say(
                        f"iteration {number} of {self.wanted} has no sound value: {after_colon(problem)}"
                    )
                    return self._given_up()
                times = "time" if left == 1 else "times"
                then = (
                    f"It is repeated, at most {left} more {times}." if left else "It is not repeated again."
                )
                self._say(
                    f"iteration {number} of {self.wanted} has no sound value: {after_colon(problem)} {then}"
                )
                if not await self._ports_back():
                    return False
                if not left:
                    without.append(f"iteration {number}: {after_colon(problem)}")
                elif not await blasting.settled(settle):
                    return False
            self._left.step(number, self.wanted, self._clock.now)
            if number < self.wanted and not await blasting.settled(settle):
                return False
        self._enter("done")
        if without:
            self.problem = f"no sound value after {ATTEMPTS} attempts: {' '.join(without)}"
        return not without

    async def _ports_back(self) -> bool:
        """Wait for a port by which values are counted: without it no further blast would give one.

        Returns False if it was told to stop, or gave up and set `problem`.
        """
        if missed := self._bench.monitor.ports_missed:
            told = "; ".join(missed)
            self._say(f"waiting for a port: {told}")
            self._enter(f"waiting: {told}", _PORTS)
            if not await self._waiter.wait(_PORTS, lambda: not self._bench.monitor.ports_missed):
                if not self._waiter.stop.is_set():
                    self.problem = f"{told}, for {_PORTS:.0f} s, so nothing more was started"
                return False
        return True

    def _boots(self) -> dict[str, str]:
        return {view.name: view.boot for view in self._waiter.seen.hosts}

    async def _rebooted(self, boots: Mapping[str, str]) -> str:
        """Why a blast with a value does not count: a host that was away at its end has rebooted, or may have.

        `boots`: the boot of each host before the blast.
        """
        problems = await self._blasting.away()
        now = self._boots()
        rebooted = [host for host, boot in boots.items() if booted(boot, now.get(host, ""))]
        problems += [f"{host} has rebooted during this iteration" for host in rebooted]
        if not problems:
            return ""
        why = f"{'; '.join(problems)}."
        self._blasting.take_back(why)
        return why

    def _given_up(self) -> bool:
        self.problem = self._blasting.problem
        return False
