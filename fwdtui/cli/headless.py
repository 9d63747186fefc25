"""A lab watched without a screen: progress on stderr, at the end the session as JSON on stdout."""

import asyncio
import contextlib
import datetime
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from fwdtui.collectors.labfile import open_lab
from fwdtui.collectors.source import LabSource
from fwdtui.core.model import EventSample, Fact, Sample
from fwdtui.core.text import clean
from fwdtui.core.units import pps
from fwdtui.monitor.monitor import Monitor
from fwdtui.monitor.recorder import Recorder, open_session
from fwdtui.monitor.session_run import follow

_REPORT = 5.0  # seconds between lines of progress
_DRAIN = 4.0  # seconds that a blast's last samples get after the time is over


def watch(lab_path: Path, into: Path, session: str | None, case: str, seconds: float | None) -> int:
    """Record a lab for `seconds` (None: until a signal). Returns 0, or 130 after Ctrl-C."""
    return asyncio.run(_watch(lab_path, into, session, case, seconds))


async def _watch(lab_path: Path, into: Path, session: str | None, case: str, seconds: float | None) -> int:
    from fwdtui.collectors.facts import collect
    from fwdtui.collectors.tools import uncounted

    lab, pool = open_lab(lab_path)
    stop, status = _on_signals()
    async with pool:
        facts = await collect(lab, pool)
        _say(*facts.notes)
        writer = open_session(into, session or _name(lab.name), facts=facts.values)
        recorder = Recorder(writer, case)
        monitor = Monitor(
            lab, uncounted=uncounted(lab), veths=veths(facts.values), finished=recorder.finished
        )
        progress = _Progress(monitor)
        source = LabSource(lab, pool)
        following = asyncio.create_task(follow(source, monitor, recorder, watchers=[progress.sample]))
        try:
            _say(f"recording {recorder.folder}, case {case}")
            await _until(following, stop, seconds, progress)
            if monitor.snapshot(0).blast is None:
                await _until(following, stop, _DRAIN if monitor.cutting else 0.0, progress)
            else:
                _say("the blast is still on: what there is of it becomes an iteration")
                monitor.snapshot_iteration(early=True)
        finally:
            following.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await following
            await source.aclose()
            recorder.close()
    if recorder.problem:
        _say(recorder.problem)
    return _print(recorder.folder) or status()


async def _until(
    following: "asyncio.Task[None]", stop: asyncio.Event, seconds: float | None, progress: "_Progress"
) -> None:
    """Wait for the time, a signal or the end of the source, whichever comes first; failures are raised."""
    end = None if seconds is None else time.monotonic() + seconds
    waiting = asyncio.create_task(stop.wait())
    try:
        while not stop.is_set() and not following.done():
            left = _REPORT if end is None else min(_REPORT, end - time.monotonic())
            if left <= 0:
                return
            await asyncio.wait({following, waiting}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            progress.line()
    finally:
        waiting.cancel()
    if following.done() and not following.cancelled() and (problem := following.exception()):
        raise problem


class _Progress:
    """Events as they come, and a line with the newest rates now and then."""

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor
        self._told = 0
        self._next = time.monotonic() + _REPORT

    def sample(self, sample: Sample) -> None:
        if isinstance(sample, EventSample):
            _say(f"{sample.at:8.1f} s  {sample.host + ': ' if sample.host else ''}{sample.text}")

    def line(self) -> None:
        snapshot = self._monitor.snapshot(0)
        for iteration in snapshot.iterations[self._told :]:
            value = "no value" if iteration.value is None else pps(iteration.value)
            limit = f"; {iteration.limit.text}" if iteration.limit else ""
            _say(f"iteration {iteration.index}: {value}{limit}")
        self._told = len(snapshot.iterations)
        if time.monotonic() >= self._next:
            self._next += _REPORT
            flows = [
                (flow.name, flow.now) for flow in (snapshot.offered, snapshot.forwarded, snapshot.received)
            ]
            shown = "  ".join(f"{name} {'–' if now is None else pps(now)}" for name, now in flows)
            _say(f"{snapshot.now:8.1f} s  {shown}")


def _print(folder: Path) -> int:
    from fwdtui.cli.sessions import as_json
    from fwdtui.store import read_session

    print(as_json([read_session(folder)]), end="")
    return 0


def _say(*lines: str) -> None:
    for line in lines:
        print(clean(line), file=sys.stderr, flush=True)


def veths(facts: Mapping[str, Fact]) -> list[str]:
    """Ports that are one end of a veth, as the facts tell by their driver: ``["gen.gen0"]``."""
    return [
        key.removesuffix(".driver")
        for key, fact in facts.items()
        if key.endswith(".driver") and fact == "veth"
    ]


def _name(lab: str) -> str:
    """A session's name where none was given: the lab and the minute."""
    return f"{lab}-{datetime.datetime.now():%Y%m%d-%H%M%S}"


def _on_signals() -> tuple[asyncio.Event, Callable[[], int]]:
    """SIGINT, SIGTERM and SIGHUP end the run in order; the exit status is 130 after the first, else 0."""
    stop = asyncio.Event()
    seen: list[int] = []

    def ask(number: int) -> None:
        seen.append(number)
        stop.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, ask, number)
    return stop, lambda: 130 if signal.SIGINT in seen else 0
