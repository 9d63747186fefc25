"""A lab without a screen: progress on stderr, at the end the session as JSON on stdout."""

import asyncio
import datetime
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from fwdtui.core.model import EventSample, Sample
from fwdtui.core.text import clean
from fwdtui.core.units import pps
from fwdtui.monitor.bench import Bench
from fwdtui.monitor.monitor import Monitor
from fwdtui.monitor.patience import Patience
from fwdtui.monitor.unattended import DRAIN, Unattended

_REPORT = 5.0  # seconds between lines of progress


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
        self.signals: list[int] = []
        self._told = 0
        self._next = time.monotonic() + _REPORT
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._asked, number)
        self.patience = Patience(bench, bench.start(watchers=[self._sample]), self._line)

    @property
    def monitor(self) -> Monitor:
        return self.bench.monitor

    def _asked(self, number: int) -> None:
        self.signals.append(number)
        self.patience.stop.set()

    async def wait(self, seconds: float | None, until: Callable[[], bool] = lambda: False) -> bool:
        """As `Patience.wait`."""
        return await self.patience.wait(seconds, until)

    def keep_early(self) -> None:
        """The user ends it all in the middle of a blast: what there is of it is kept, and says so."""
        if self.patience.keep_early():
            say("the blast is still on: what there is of it becomes an iteration")

    async def last(self) -> None:
        """The end: a blast that is on is kept as it is, one that just ended gets the time to be cut."""
        self.keep_early()
        self.patience.stop.clear()
        await self.wait(DRAIN, lambda: not self.monitor.cutting)
        self._line()

    def _sample(self, sample: Sample) -> None:
        if isinstance(sample, EventSample):
            say(f"{sample.at:8.1f} s  {sample.host + ': ' if sample.host else ''}{sample.text}")

    def tell(self) -> None:
        """The iterations that were kept since."""
        snapshot = self.monitor.snapshot(0)
        for iteration in snapshot.iterations[self._told :]:
            value = "no value" if iteration.value is None else pps(iteration.value)
            say(f"iteration {iteration.index}: {value}; {iteration.limit.text if iteration.limit else ''}")
        self._told = len(snapshot.iterations)

    def _line(self) -> None:
        self.tell()
        snapshot = self.monitor.snapshot(0)
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
    plan = Unattended(desk.patience, iterations, say)
    whole = await plan.run()
    desk.tell()
    if plan.problem:
        say(f"no iteration came of this: {plan.problem}")
    return 0 if whole or desk.signals else 1


def say(*lines: str) -> None:
    """Progress, on stderr."""
    for line in lines:
        print(clean(line), file=sys.stderr, flush=True)


def _name(lab: str) -> str:
    """A session's name where none was given: the lab and the second."""
    return f"{lab}-{datetime.datetime.now():%Y%m%d-%H%M%S}"
