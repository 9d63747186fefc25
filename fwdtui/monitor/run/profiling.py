"""A profile of the DUT, in a blast of its own. The iteration has no value, as a profiler costs packets."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from fwdtui.collectors.base import Profiles, System
from fwdtui.collectors.systems import checks_of, profile_of, system_of
from fwdtui.collectors.tools.running import RunningTool
from fwdtui.collectors.watch import watches
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Lab, Run
from fwdtui.core.model import Fact, HostSample, Iteration, Sample
from fwdtui.core.profile.capture import Asked, Capture
from fwdtui.core.profile.record import Profile
from fwdtui.core.profile_check import Checked
from fwdtui.core.profiled import without_value
from fwdtui.monitor.run.blasting import Blasting, Enter
from fwdtui.monitor.run.captured import judged
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store.profiles import FOLDED_FILE

ATTEMPTS = 3
"""Most blasts for one profile, after which it is given up."""

_AROUND = 3.0  # least seconds of traffic before and after a capture: a card may refresh its counters slowly
_INTERVALS = 3  # and least sampling intervals: what was forwarded before the capture must be known
_STOPPED = "The profile was stopped."
_UNTIMELY = "The traffic was over before the profile was."


class Prepared(msgspec.Struct, frozen=True):
    """A profile to take. `lab` has the commands and times of its blast.

    `rate`: packets per second of wanted traffic that its generators should send together; None: any. `facts`:
    the facts of its iteration.
    """

    lab: Lab
    asked: Asked
    rate: float | None = None
    facts: Mapping[str, Fact] = {}


def around(run: Run, asked: Asked, interval: float) -> Run:
    """The times of a blast that is long enough for a capture and the traffic before and after it."""
    duration = asked.seconds + 2 * _margin(interval)
    return msgspec.structs.replace(run, iterations=1, duration=duration)


def _margin(interval: float) -> float:
    return max(_AROUND, _INTERVALS * interval)


class Profiling:
    """Takes profiles on one bench, one at a time. The bench's lab says at which rate its generators send."""

    def __init__(
        self,
        waiter: Waiter,
        asked: Asked,
        enter: Enter = lambda phase, seconds=None: None,
        say: Callable[[str], None] = lambda text: None,
        rate: float | None = None,
        start: Callable[[], Awaitable[Sequence[RunningTool]]] | None = None,
        stop: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`rate`: packets per second of wanted traffic that the generators should send together; None: any.

        `start` and `stop` are used instead of the bench's own.
        """
        self.problem = ""
        """Why there is no profile, unless it was stopped."""
        self._waiter = waiter
        self._bench = waiter.bench
        self._asked = asked
        self._say = say
        self._rate = rate
        self._start = start
        self._stop = stop or waiter.bench.stop_tools
        self._blasting = Blasting(waiter, enter, say)
        self._capture: Capture | None = None
        self._checked: Checked | None = None

    async def run(self) -> bool:
        """Take one profile, in at most ATTEMPTS blasts. False if there is none, or if it was told to stop.

        Raises the error that ended the samples, and FwdtuiError if the DUT cannot be profiled at all. Each
        blast becomes an iteration without a value; if its profile was missed, the iteration says why.
        """
        system = await self._system()
        await self._waiter.quiet()
        self._bench.judge, judge = self._judge, self._bench.judge
        self._bench.tracing = False  # the work of a tracer would be in the profile
        try:
            await self._bench.stop_counting()
            return await self._attempts(system)
        finally:
            self._bench.judge = judge
            self._bench.tracing = True
            self._bench.attached = {}

    async def check(self) -> None:
        """Raise FwdtuiError if the DUT cannot be profiled at all, or a HostError if it cannot be reached."""
        await self._system()

    async def _attempts(self, system: Profiles) -> bool:
        blasting = self._blasting
        for attempt in range(1, ATTEMPTS + 1):
            if not await blasting.sampled() or not await blasting.can_save():
                self.problem = blasting.problem
                return False
            self._say(f"profile, attempt {attempt} of {ATTEMPTS}: starting the generator")
            why, again = await self._one(system)
            if self._waiter.stop.is_set():
                return False
            if not await blasting.saved():
                self.problem = blasting.problem
                return False
            why = why or blasting.lost()
            if not why:
                self.problem = ""
                return True
            self.problem = why
            self._say(f"no profile: {why}{' It is repeated.' if again and attempt < ATTEMPTS else ''}")
            if not again or (attempt < ATTEMPTS and not await blasting.settled(self._bench.lab.run.settle)):
                return False
        return False

    async def _one(self, system: Profiles) -> tuple[str, bool]:
        """One blast with a capture in it.

        Returns why there is no profile, or "", and whether another blast may give one.
        """
        self._capture = self._checked = None
        during: list[asyncio.Task[None]] = []

        async def measuring() -> None:
            during.append(asyncio.create_task(self._take(system)))

        async def stop() -> None:
            # the traffic goes on until the profile is complete, so that the iteration is saved with it
            stopped = asyncio.create_task(self._waiter.stop.wait())
            if during and not during[0].done():
                await asyncio.wait([*during, stopped], return_when=asyncio.FIRST_COMPLETED)
                # it took longer than planned, but there must be traffic after it nevertheless
                await self._waiter.wait(_margin(self._bench.lab.interval))
            for task in (*during, stopped):
                task.cancel()
            await self._stop()

        try:
            blasted = await self._blasting.one(self._start, measuring, stop)
        finally:
            for task in during:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        for task in during:
            if not task.cancelled() and (error := task.exception()):
                raise error
        if blasted.iteration is None:
            return blasted.problem, blasted.again
        return self._checked.missed if self._checked else _UNTIMELY, True

    async def _take(self, system: Profiles) -> None:
        """Let some traffic pass first, then take the profile while the traffic goes on."""
        bench = self._bench

        def over() -> bool:
            return not bench.tools.run

        await self._waiter.wait(_margin(bench.lab.interval), over)
        if over() or self._waiter.stop.is_set():
            return
        host = await bench.host(bench.lab.dut.host)
        try:
            self._capture = await profile_of(system, host, self._asked)
        except FwdtuiError as error:
            self._capture = Capture(problem=str(error))

    async def _system(self) -> Profiles:
        """The plug-in that profiles the DUT. Raises FwdtuiError if it cannot, or a HostError."""
        bench = self._bench
        name = bench.lab.dut.host
        host = await bench.host(name)
        watch = next(one for one in watches(bench.lab) if one.host == name)
        system: System = await system_of(host, watch)
        if not isinstance(system, Profiles):
            raise FwdtuiError(f"{name}: the plug-in {system.name} takes no profiles")
        for probed in await checks_of(system, host, watch):
            if probed.what == "profiler" and not probed.ok:
                raise FwdtuiError(f"{name}: {probed.found}; {probed.fix}")
        return system

    def _judge(self, iteration: Iteration, samples: tuple[Sample, ...]) -> Iteration:
        """See `Bench.judge`: the iteration with its profile, or with the reason why it has none."""
        bench, capture = self._bench, self._capture
        bench.attached = {}  # else the stacks of an earlier attempt would be saved with this one
        dut = [one for one in samples if isinstance(one, HostSample) and one.host == bench.lab.dut.host]
        if capture is None:
            self._checked = Checked(_STOPPED if self._waiter.stop.is_set() else _UNTIMELY)
            profile = Profile(samples=0, host=bench.lab.dut.host, rejected=self._checked.missed)
        else:
            self._checked, profile = judged(bench.lab, capture, self._asked, iteration, dut, self._rate)
            bench.attached = {FOLDED_FILE: capture.folded.text().encode()}
        return without_value(msgspec.structs.replace(iteration, profile=profile))
