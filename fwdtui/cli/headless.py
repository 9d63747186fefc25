"""Measure without a screen: progress on stderr, the session as JSON on stdout at the end."""

import asyncio
import datetime
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.cli.detached import ending
from fwdtui.cli.detached import tell as say
from fwdtui.cli.parting import following
from fwdtui.core.drop_reasons_text import why_lost
from fwdtui.core.event_text import OF_TROUBLE, told
from fwdtui.core.factors import FactorValue
from fwdtui.core.model import NO_REASONS, UNSHOWN, EventSample, Iteration, Sample
from fwdtui.core.profile.record import Profile
from fwdtui.core.stated_factors import told as told_factors
from fwdtui.core.text import clean
from fwdtui.core.units import counted, pps
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.snapshot import HostView
from fwdtui.monitor.run.bench import Bench
from fwdtui.monitor.run.blasting import DRAIN
from fwdtui.monitor.run.unattended import Unattended
from fwdtui.monitor.run.waiting import Waiter

if TYPE_CHECKING:
    from fwdtui.core.lab import Lab
    from fwdtui.monitor.run.profiling import Prepared

_AT_END = 60.0  # seconds to wait for disk space when nothing else is left to do
_TROUBLES = OF_TROUBLE | {NO_REASONS}
"""Codes of events that say how far the numbers can be trusted. The JSON at the end has these events."""
_OF_LINKS = frozenset(("link-down", "link-up"))
_REPORT = 5.0  # seconds between lines of progress


Factors = Mapping[str, FactorValue]
Count = tuple[str, ...] | None
"""Events to count on the DUT; None: those of lab.toml."""


def watch(
    lab: Path,
    into: Path,
    session: str | None,
    case: str,
    seconds: float | None,
    factors: Factors,
    count: Count = None,
    drop_reasons: bool = False,
) -> int:
    """Record a lab for `seconds` (None: until a signal). Returns 0, or 128 plus the signal's number."""

    def body(run: _HeadlessRun) -> Awaitable[int]:
        return _watched(run, seconds)

    return asyncio.run(
        _measured(lab, into, session, case, factors, body, count=count, drop_reasons=drop_reasons)
    )


def run(
    lab: Path,
    into: Path,
    session: str | None,
    case: str,
    iterations: int | None,
    factors: Factors,
    count: Count = None,
    drop_reasons: bool = False,
    then: "Callable[[Lab], Prepared] | None" = None,
) -> int:
    """Iterate: start the generator, measure, stop it, settle.

    `then` prepares a profile, which is taken after all iterations, in the lab that they were measured with.
    Returns 0; 1 if iterations or the profile are missing, or if a tool may still run on a host; 128 plus the
    number of the signal that ended it.
    """

    async def body(run: _HeadlessRun) -> int:
        return await _iterated(run, iterations, then)

    return asyncio.run(_measured(lab, into, session, case, factors, body, True, count, drop_reasons))


def profile(
    lab: Path,
    into: Path,
    session: str | None,
    case: str,
    factors: Factors,
    prepared: "Prepared",
) -> int:
    """Take one profile in a blast of its own.

    Returns 0; 1 if there is no profile, or if a tool may still run on a host; 128 plus the number of the
    signal that ended it. No events are counted meanwhile: a profiler and `perf stat` would share the CPU's
    counters.
    """
    return asyncio.run(
        _measured(lab, into, session, case, factors, lambda run: _profiled(run, prepared), True, ())
    )


def in_brief(iteration: Iteration) -> str:
    """An iteration's value and what limited it, or why it has no value."""
    if iteration.incomplete:
        return f"{_kind(iteration.profile)}. {iteration.incomplete}"
    value = "no value" if iteration.value is None else pps(iteration.value)
    return f"{value}; {iteration.limit.text if iteration.limit else ''}".removesuffix("; ")


def _kind(profile: Profile | None) -> str:
    """What an iteration without a value is. One with a profile has none by design: it did not fail."""
    if profile is None:
        return "incomplete"
    if profile.rejected:
        return "a profile that is not used" if profile.samples else "no profile"
    return "a profile"


def unheard_or_unsaved(hosts: Iterable[HostView], problem: str) -> list[str]:
    """What stands in a line of progress after the rates: silent hosts, and why nothing is saved (`problem`).

    A run that waits for disk space sends nothing, and its rates alone look like a generator that failed.
    """
    old = [f"{host.name} silent for {host.old:.0f} s" for host in hosts if host.old is not None]
    return [*old, problem] if problem else old


def doubts(iteration: Iteration) -> list[str]:
    """Its warnings that would mark a verdict about its value. Without a value there is no doubt."""
    if iteration.value is None:
        return []
    from fwdtui.report.bearing import MEANING

    return [one.text for one in iteration.warnings if one.code in MEANING]


def is_trouble(lab: "Lab", event: EventSample) -> bool:
    """Whether an event says how far the numbers can be trusted.

    Of events about links, only those about links of the test path do: FreeBSD's kernel reports all its links.
    """
    elsewhere = event.code in _OF_LINKS and not lab.may_pass(event.host, event.text.partition(":")[0])
    return event.code in _TROUBLES and not elsewhere


_NO_BLAST = (
    "no iteration: no blast began and ended meanwhile. live does not start the generator; fwdtui run does"
)


class _HeadlessRun:
    """A run without a screen: its signals, and its progress on stderr."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.signals: list[int] = []
        self._reported: set[int] = set()
        self.ended = ""
        """How it ended, in a line that says how much is recorded; "" if there is nothing more to say."""
        self.troubles: list[EventSample] = []
        self._next_line = time.monotonic() + _REPORT
        loop = asyncio.get_running_loop()
        for number in ending():
            loop.add_signal_handler(number, self._signalled, number)
        self.waiter = Waiter(bench, bench.start(watchers=[self._sample]), self._line)

    @property
    def monitor(self) -> Monitor:
        return self.bench.monitor

    def _signalled(self, number: int) -> None:
        self.signals.append(number)
        self.waiter.stop.set()

    async def wait(self, seconds: float | None, until: Callable[[], bool] = lambda: False) -> bool:
        """As `Waiter.wait`."""
        return await self.waiter.wait(seconds, until)

    async def finish(self) -> None:
        """End the run: save a blast in progress as it is; let one that just ended become an iteration."""
        await self.bench.faded()
        if became := self.waiter.save_early():
            say(became)
        self.waiter.stop.clear()
        await self.wait(DRAIN, lambda: not self.monitor.ending)
        await self.bench.drained(0.0)
        self._line()

    def _sample(self, sample: Sample) -> None:
        if isinstance(sample, EventSample) and sample.code not in UNSHOWN:
            say(f"{sample.at:8.1f} s  {told(sample)}")
            if is_trouble(self.bench.lab, sample):
                self.troubles.append(sample)

    def report_iterations(self) -> None:
        """Report the iterations saved since the last call."""
        for iteration in self.monitor.snapshot(0).iterations:
            if not iteration.saved or iteration.index in self._reported:
                continue
            self._reported.add(iteration.index)
            say(f"iteration {iteration.index}: {in_brief(iteration)}")
            for doubt in doubts(iteration):
                say(f"iteration {iteration.index}: ! {doubt}")
            if iteration.packets is not None and (why := why_lost(iteration.packets)):
                say(f"iteration {iteration.index}: {why}")

    @property
    def valued(self) -> int:
        """How many iterations are recorded with a value that counts."""
        iterations = self.monitor.snapshot(0).iterations
        return sum(one.saved and not one.dropped and one.value is not None for one in iterations)

    def outcome(self, folder: Path) -> list[str]:
        """The last lines: how it ended, where it is recorded, and the command that goes on with it."""
        stopped = " (stopped by a signal)" if self.signals else ""
        ended = [f"{self.ended}{stopped}; the session is {clean(str(folder))}"] if self.ended else []
        then = following(folder)
        return [*ended, *([then] if then else [])]

    def _line(self) -> None:
        self.report_iterations()
        snapshot = self.monitor.snapshot(0)
        if time.monotonic() >= self._next_line:
            self._next_line += _REPORT
            sent = (snapshot.offered, snapshot.attack, snapshot.forwarded, snapshot.received)
            flows = [(flow.name, flow.now) for flow in sent if flow is not None]
            shown = "  ".join(f"{name} {'–' if now is None else pps(now)}" for name, now in flows)
            recorder = self.bench.recorder
            unheard = unheard_or_unsaved(snapshot.hosts, recorder.problem if recorder else "")
            say("  ".join([f"{snapshot.now:8.1f} s", shown, *unheard]))


async def _measured(
    lab: Path,
    into: Path,
    session: str | None,
    case: str,
    factors: Factors,
    body: Callable[[_HeadlessRun], Awaitable[int]],
    unattended: bool = False,
    count: Count = None,
    drop_reasons: bool = False,
) -> int:
    """Open everything before any traffic, record, run `body`, close everything, and print the session."""
    bench = await Bench.open(lab, say, unattended, count=count, drop_reasons=drop_reasons)

    def problems() -> list[str]:
        unsaved = bench.recorder.unsaved_text if bench.recorder else ""
        return [*bench.left, *([unsaved] if unsaved else [])]

    try:
        async with bench:
            recorder = bench.record(into, session or _name(bench.lab.name), case, factors)
            say(f"recording {recorder.folder}, case {case}")
            say(*told_factors(recorder.factors, bench.lab.attacked, bench.lab.wanted_frame))
            say(*bench.lab.doubtful_frames)
            run = _HeadlessRun(bench)
            status = await body(run)
        run.report_iterations()  # the iterations saved at the very end
        if not unattended and not run.monitor.snapshot(0).iterations:
            say(_NO_BLAST)
    except BaseException:
        say(*problems())
        raise
    from fwdtui.cli.sessions import as_json
    from fwdtui.report import terminal
    from fwdtui.store import read_session

    try:
        terminal.write_document(as_json([read_session(recorder.folder)], run.troubles))
    finally:  # after hundreds of lines on the same terminal, or if nobody reads them
        say(*run.outcome(recorder.folder), *problems())  # what explains the status comes last
    if run.signals:
        return 128 + run.signals[0]
    return 1 if problems() else status


async def _watched(run: _HeadlessRun, seconds: float | None) -> int:
    await run.wait(seconds)
    await run.finish()
    run.ended = f"{counted(run.valued, 'iteration')} with a value"
    return 0


async def _iterated(
    run: _HeadlessRun, iterations: int | None, then: "Callable[[Lab], Prepared] | None" = None
) -> int:
    plan = Unattended(run.waiter, iterations, say, patience_at_end=_AT_END)
    whole = await plan.run()
    if run.signals:  # a blast that was sent to its end has been measured all the same
        await run.bench.faded()
        await run.bench.drained()
    run.report_iterations()
    run.ended = told_of_plan(plan.kept, plan.wanted, run.valued)
    if plan.problem:
        say(f"{run.ended}: {plan.problem}")
    if then is None:
        return 0 if whole else 1
    if not whole:
        say("no profile is taken: not every iteration has a sound value")
        return 1
    return 0 if run.signals else await _profiled(run, then(run.bench.lab))


def told_of_plan(kept: int, wanted: int, valued: int) -> str:
    """How much of a plan is recorded. `kept`: by the plan; `valued`: all that count, as in the JSON."""
    were = "was" if 1 in (kept, wanted) else "were"
    line = f"{kept} of {counted(wanted, 'iteration')} {were} recorded"
    if (more := valued - kept) <= 0:
        return line
    return f"{line}, and {more} more of {'a blast that was' if more == 1 else 'blasts that were'} cut short"


async def _profiled(run: _HeadlessRun, prepared: "Prepared") -> int:
    from fwdtui.monitor.run.profiling import Profiling

    bench = run.bench
    assert bench.recorder is not None
    bench.lab, bench.recorder.facts = prepared.lab, {**bench.recorder.facts, **prepared.facts}
    profiling = Profiling(run.waiter, prepared.asked, say=say, rate=prepared.rate)
    taken = await profiling.run()
    run.report_iterations()
    run.ended = ", ".join(filter(None, (run.ended, "a profile was taken" if taken else "no profile")))
    if profiling.problem:
        say(f"there is no profile: {profiling.problem}")
    return 0 if taken else 1


def _name(lab: str) -> str:
    """The default name of a session: the lab's name and the time, to the second."""
    return f"{lab}-{datetime.datetime.now():%Y%m%d-%H%M%S}"
