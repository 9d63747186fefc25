"""A lab without a screen: progress on stderr, at the end the session as JSON on stdout."""

import asyncio
import datetime
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import EventSample, Sample
from fwdtui.core.text import clean
from fwdtui.core.units import pps
from fwdtui.monitor.bench import Bench
from fwdtui.monitor.monitor import Monitor

_REPORT = 5.0  # seconds between lines of progress
_DRAIN = 6.0  # seconds that a blast's last samples get to come in
_BEGIN = 20.0  # seconds that a generator gets to begin


def watch(lab: Path, into: Path, session: str | None, case: str, seconds: float | None) -> int:
    """Record a lab for `seconds` (None: until a signal). Returns 0, or 130 after Ctrl-C."""
    return asyncio.run(_measured(lab, into, session, case, lambda desk: _watched(desk, seconds)))


def run(lab: Path, into: Path, session: str | None, case: str, iterations: int | None) -> int:
    """Iterate: start the generator, measure, stop it, settle. Returns 0; 1 where iterations are missing."""
    return asyncio.run(_measured(lab, into, session, case, lambda desk: _iterated(desk, iterations)))


class _Desk:
    """What a headless run holds: the bench, the signals, and a voice on stderr."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.stop = asyncio.Event()
        self.signals: list[int] = []
        self._told = 0
        self._next = time.monotonic() + _REPORT
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._asked, number)
        self._following = bench.start(watchers=[self._sample])
        self._following.add_done_callback(lambda task: self.stop.set())

    @property
    def monitor(self) -> Monitor:
        return self.bench.monitor

    def _asked(self, number: int) -> None:
        self.signals.append(number)
        self.stop.set()

    async def wait(self, seconds: float | None, until: Callable[[], bool] = lambda: False) -> bool:
        """Until `until` holds (True), the time is over, or a signal; raises what ended the samples."""
        end = None if seconds is None else time.monotonic() + seconds
        while not self.stop.is_set():
            if until():
                return True
            left = 0.25 if end is None else min(0.25, end - time.monotonic())
            if left <= 0:
                return False
            try:
                await asyncio.wait_for(self.stop.wait(), left)
            except TimeoutError:
                self._line()
        if self._following.done() and not self._following.cancelled():
            if problem := self._following.exception():
                raise problem
            raise FwdtuiError("the samples ended")
        return until()

    async def quiet(self) -> None:
        """Every host has been sampled before there is traffic: the quiet that packets are counted from."""
        hosts = self.bench.lab.hosts()

        def sampled() -> bool:
            views = {view.name: view for view in self.monitor.snapshot(0).hosts}
            return all(name in views and views[name].rates is not None for name in hosts)

        if not await self.wait(_BEGIN, sampled) and not self.stop.is_set():
            views = {view.name: view for view in self.monitor.snapshot(0).hosts}
            silent = [name for name in hosts if name not in views or views[name].rates is None]
            raise FwdtuiError(f"{', '.join(silent)}: no samples after {_BEGIN:.0f} s, so nothing was started")
        await self.wait(2 * self.bench.lab.interval)

    def keep_early(self) -> None:
        """The user ends it all in the middle of a blast: what there is of it is kept, and says so."""
        if self.monitor.snapshot(0).blast is not None:
            say("the blast is still on: what there is of it becomes an iteration")
            self.monitor.snapshot_iteration(early=True)

    async def last(self) -> None:
        """The end: a blast that is on is kept as it is, one that just ended gets the time to be cut."""
        self.keep_early()
        self.stop.clear()
        await self.wait(_DRAIN, lambda: not self.monitor.cutting)
        self._line()

    def _sample(self, sample: Sample) -> None:
        if isinstance(sample, EventSample):
            say(f"{sample.at:8.1f} s  {sample.host + ': ' if sample.host else ''}{sample.text}")

    def _line(self) -> None:
        snapshot = self.monitor.snapshot(0)
        for iteration in snapshot.iterations[self._told :]:
            value = "no value" if iteration.value is None else pps(iteration.value)
            say(f"iteration {iteration.index}: {value}; {iteration.limit.text if iteration.limit else ''}")
        self._told = len(snapshot.iterations)
        if time.monotonic() >= self._next:
            self._next += _REPORT
            flows = [
                (flow.name, flow.now) for flow in (snapshot.offered, snapshot.forwarded, snapshot.received)
            ]
            shown = "  ".join(f"{name} {'–' if now is None else pps(now)}" for name, now in flows)
            say(f"{snapshot.now:8.1f} s  {shown}")


async def _measured(
    lab: Path,
    into: Path,
    session: str | None,
    case: str,
    body: Callable[[_Desk], Awaitable[int]],
) -> int:
    """Open everything before any traffic, record, do `body`, close everything, print the session."""
    bench = await Bench.open(lab, say)
    async with bench:
        recorder = bench.record(into, session or _name(bench.lab.name), case)
        say(f"recording {recorder.folder}, case {case}")
        desk = _Desk(bench)
        status = await body(desk)
    if recorder.problem:
        say(recorder.problem)
    from fwdtui.cli.sessions import as_json
    from fwdtui.store import read_session

    print(as_json([read_session(recorder.folder)]), end="")
    return 130 if signal.SIGINT in desk.signals else status


async def _watched(desk: _Desk, seconds: float | None) -> int:
    await desk.wait(seconds)
    await desk.last()
    return 0


async def _iterated(desk: _Desk, iterations: int | None) -> int:
    plan, wanted = desk.bench.lab.run, iterations or desk.bench.lab.run.iterations
    await desk.quiet()
    for number in range(1, wanted + 1):
        say(f"iteration {number} of {wanted}: starting the generator")
        problem = await _one(desk)
        if desk.stop.is_set():
            return 0
        if problem:
            say(f"no iteration came of this: {problem}")
            return 1
        if number < wanted:
            await desk.wait(plan.settle)
    return 0


async def _one(desk: _Desk) -> str:
    """One blast from start to stop; why it did not become an iteration, else empty."""
    bench = desk.bench
    done = len(desk.monitor.snapshot(0).iterations)
    tools = await bench.start_tools()

    def ended() -> bool:
        return all(tool.ended for tool in tools)

    def begun() -> bool:
        return desk.monitor.snapshot(0).blast is not None or ended()

    def kept() -> bool:
        return len(desk.monitor.snapshot(0).iterations) > done

    if await desk.wait(_BEGIN, begun) and not desk.stop.is_set():
        await desk.wait(bench.lab.run.warmup + bench.lab.run.duration + 2 * bench.lab.interval, ended)
    if desk.stop.is_set():
        desk.keep_early()
    await bench.stop_tools()
    if await desk.wait(_DRAIN, kept) or desk.stop.is_set():
        return ""
    failed = [tool.ended.text for tool in tools if tool.ended and tool.ended.failed]
    return "; ".join(failed) or "no blast was seen at the generator and the DUT"


def say(*lines: str) -> None:
    """Progress, on stderr."""
    for line in lines:
        print(clean(line), file=sys.stderr, flush=True)


def _name(lab: str) -> str:
    """A session's name where none was given: the lab and the second."""
    return f"{lab}-{datetime.datetime.now():%Y%m%d-%H%M%S}"
