"""A lab being measured: its hosts, its samples, its recording, and the tools that the user started.

The command line and the screen both use it. It starts and stops a generator only on request.
"""

import asyncio
import contextlib
import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from fwdtui.collectors.drop_reasons import ReasonCounter
from fwdtui.collectors.lab_trust import open_lab
from fwdtui.collectors.source import LabSource
from fwdtui.collectors.tools.registry import check
from fwdtui.collectors.tools.running import RunningTool
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue
from fwdtui.core.host_settings import HostSettings
from fwdtui.core.hygiene import rules
from fwdtui.core.lab import Lab, Run
from fwdtui.core.model import Fact, Iteration, Sample
from fwdtui.monitor.live.flows import veths
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.run.beginning import begun
from fwdtui.monitor.run.following import Watcher, follow
from fwdtui.monitor.run.lab_tools import LabTools
from fwdtui.monitor.run.others import with_others
from fwdtui.monitor.run.reaching import reach
from fwdtui.monitor.run.reasons_watch import ReasonsWatch
from fwdtui.monitor.run.recorder import Recorder
from fwdtui.monitor.run.settings_watch import SettingsWatch
from fwdtui.monitor.run.soundness import spoilt
from fwdtui.monitor.run.turn import Turn
from fwdtui.transport.base import Host
from fwdtui.transport.cancelling import cancelled
from fwdtui.transport.ssh import SshPool

if TYPE_CHECKING:
    from fwdtui.collectors.counting import Counting

_AROUND = 12.0  # seconds around a blast that are saved with it, a generous estimate
_FADING = 15.0  # most seconds that leaving waits until it is known whether a blast is over
_SLOW = 2.0  # seconds between readings that cost the DUT a fork each: queues, qdiscs, netisr


Judge = Callable[[Iteration, tuple[Sample, ...]], Iteration]
"""Called with an iteration and its samples before it is saved; returns the iteration that is to be saved."""


class Bench:
    """A lab that is measured. `open` it, `start` it, and always close it: then nothing stays on the hosts."""

    def __init__(
        self,
        lab: Lab,
        pool: SshPool,
        path: Path,
        facts: Mapping[str, Fact],
        absent: Collection[str] = (),
    ) -> None:
        """Use `open` instead, which reaches the hosts and collects their facts."""
        tools = check(lab, str(path))
        self._lab = lab
        self.facts = dict(facts)
        self.absent = absent
        """Facts that the hosts were asked for and do not have (collectors/base.Facts)."""
        self._not_known: set[str] = set()  # notes so far about facts that could not be read
        self.recorder: Recorder | None = None
        self.unattended = False
        """Whether the lab's commands may run without asking."""
        self.judge: Judge = lambda iteration, samples: iteration
        self.broken: tuple[float, str] = (-math.inf, "")
        """A time in seconds of the recording, and a reason: blasts that had begun by then do not count."""
        self.tracing = True
        """Whether drop reasons are counted in a blast, if they were requested; not while a profiler runs."""
        self.attached: Mapping[str, bytes] = {}
        """Further files of the next iteration: name -> content."""
        self._blast_began = 0.0  # beginning of the iteration that is being saved, in seconds of the recording
        self.monitor = Monitor(
            lab,
            uncounted=[name for name, tool in tools.items() if not tool.counted],
            veths=veths(facts),
            finished=self._finished,
        )
        self._settings = SettingsWatch(
            self._read_settings, self._keep_settings, self._measuring, self._missed_settings
        )
        self._path = path
        self._pool = pool
        self._source = LabSource(lab, pool, slow=max(_SLOW, lab.interval))
        self.tools = LabTools(pool, path, self._source)
        self._turn = Turn(pool, lab.dut.host)
        self._keeps_turn = False  # between two blasts as well
        self._reasons: ReasonsWatch | None = None
        if lab.dut.drop_reasons:
            self._reasons = ReasonsWatch(self._reason_counter, self._source.add)
        self._following: asyncio.Task[None] | None = None
        self._counting: asyncio.Task[None] | None = None
        self._counter: Counting | None = None

    @property
    def lab(self) -> Lab:
        """The lab, with the commands and times of the next blast.

        Setting it tells the monitor what is sent from now on, since other frames have another line rate.
        """
        return self._lab

    @lab.setter
    def lab(self, lab: Lab) -> None:
        self._lab = lab
        self.monitor.sends(lab.generators)

    @classmethod
    async def open(
        cls,
        path: Path,
        say: Callable[[str], None] = lambda text: None,
        unattended: bool = False,
        run: Run | None = None,
        count: Sequence[str] | None = None,
        drop_reasons: bool = False,
    ) -> "Bench":
        """Read lab.toml, reach every host, collect its facts. Raises FwdtuiError and leaves nothing open.

        `say` is called with a note on each fact that could not be read. `run` replaces lab.toml's [run],
        `count` the events that are counted on its DUT. `drop_reasons`: count drop reasons, whatever lab.toml
        says. `unattended`: the lab's start commands will run without asking.

        Raises UntrustedError, before anything in the lab's files could run, if the user has to read them
        first. Errors about host keys that the user must confirm are raised before other errors;
        NotReachedError names every host that cannot be reached. With `unattended`, a lab that another fwdtui
        of this computer measures is refused.
        """
        from fwdtui.collectors.facts import collect

        lab, pool = open_lab(path, unattended)
        lab = lab if run is None else msgspec.structs.replace(lab, run=run)
        if count is not None:
            lab = msgspec.structs.replace(lab, dut=msgspec.structs.replace(lab.dut, count=tuple(count)))
        if drop_reasons:
            lab = msgspec.structs.replace(lab, dut=msgspec.structs.replace(lab.dut, drop_reasons=True))
        turn = Turn(pool, lab.dut.host)
        try:
            check(lab, str(path))
            await reach(lab, pool)
            if unattended:  # for all of it: between two blasts it settles, or changes the hosts
                await turn.take()
            facts = await collect(lab, pool)
            for note in facts.notes:
                say(note)
            bench = cls(lab, pool, path, facts.values, facts.absent)
            bench._not_known.update(facts.notes)
            bench.unattended, bench._turn, bench._keeps_turn = unattended, turn, unattended
            return bench
        except BaseException:
            turn.release()
            await pool.aclose()
            raise

    def _measuring(self) -> bool:
        """Whether a blast is going on, or may begin at any moment because one of our tools runs."""
        return self.monitor.in_blast or self.tools.run

    def _finished(self, iteration: Iteration, samples: tuple[Sample, ...], began: float) -> Iteration:
        if not self.unattended:  # else the settings are read before the next blast
            self._settings.ask()
        iteration = with_others(self.lab, iteration, self.tools.running, began)
        iteration = self.judge(iteration, samples)
        until, why = self.broken
        if began <= until and iteration.value is not None:
            iteration = spoilt(iteration, why)
        if self.recorder is None:
            return iteration
        self.monitor.case = self.recorder.case
        self._blast_began = began
        return self.recorder.finished(iteration, samples, began)

    async def _read_settings(self) -> Sequence[HostSettings]:
        from fwdtui.collectors import settings

        return await settings.read(self.lab, self._pool)

    def _keep_settings(self, read: HostSettings) -> None:
        if self.recorder is not None:
            self.recorder.take_settings(read)
            self.recorder.take_hygiene(rules.of_host(self.lab, read))

    def _missed_settings(self) -> None:
        """Record that no settings are known: a blast begins on hosts that were changed and not read since."""
        from fwdtui.collectors import settings

        for host in settings.not_read(self.lab, "nothing was read between the change of a level and a blast"):
            self._keep_settings(host)

    def changing(self) -> contextlib.AbstractContextManager[None]:
        """A context in which the hosts are changed (levels, reboots, hooks): see `SettingsWatch.changing`."""
        return self._settings.changing()

    def record(
        self,
        into: Path,
        session: str,
        case: str,
        factors: Mapping[str, FactorValue] | None = None,
        cases: Mapping[str, Mapping[str, FactorValue]] | None = None,
    ) -> Recorder:
        """Record from the first sample on. Raises FwdtuiError before anything is started.

        `factors` are those of this case; they replace lab.toml's, which are the session's. `cases` are other
        cases that will follow, with their factors (`Recorder.go_on`).
        """
        self.recorder = begun(
            into,
            session,
            case,
            lab=self.lab,
            facts=self.facts,
            absent=self.absent,
            logs=self._logs,
            saved=self.monitor.saved,
            factors=factors,
            cases=cases,
        )
        return self.recorder

    def start(self, watchers: Sequence[Watcher] = ()) -> "asyncio.Task[None]":
        """Begin to sample. The task ends when the samples end; it raises the error that ended them."""
        reasons = self._reasons
        if reasons is not None:
            watchers = [*watchers, lambda sample: reasons.measuring(self.tracing and self._measuring())]
        if self.lab.dut.count:
            watchers = [*watchers, self._tell_counter]
        self._following = asyncio.create_task(
            follow(self._source, self.monitor, self.recorder, watchers=watchers)
        )
        if self.recorder is not None:
            self._settings.start()
            if self.lab.dut.count:
                self._counting = asyncio.create_task(self._count())
        return self._following

    def _tell_counter(self, sample: Sample) -> None:
        if self._counter is not None:
            self._counter.seen(sample)

    async def _count(self) -> None:
        """Start the counting of events on the DUT: on request, and only while something is recorded."""
        from fwdtui.collectors.counting import Counting

        dut = self.lab.dut
        host = await self._pool.open(dut.host, dut.host)
        self._counter = Counting(host, dut.count, self.lab.interval, dut.os)
        self._source.add(self._counter)

    async def stop_counting(self) -> None:
        """Count no events from now on: a profiler would have to share the CPU's counters with that."""
        if self._counting is not None:
            await asyncio.wait((self._counting,))  # it only opens the host
        if self._counter is not None:
            await self._counter.stop()

    def revive(self) -> None:
        """Sample those hosts again whose samplers had been given up."""
        self._source.revive()

    async def host(self, name: str) -> Host:
        """A host of the lab, by its ssh destination. Raises BadSshConfig."""
        return await self._pool.open(name, name)

    async def learn(self) -> None:
        """Collect the facts again: a host may run another system by now. Raises a HostError.

        A fact that cannot be read this time may have changed without being noticed; a note says so.
        """
        from fwdtui.collectors.facts import collect

        found = await collect(self.lab, self._pool)
        self.facts, self.absent = dict(found.values), found.absent
        for note in found.notes:
            if note not in self._not_known and self.recorder is not None:
                self.recorder.note(
                    f"{note}. The next iterations keep the values that the session already has"
                )
            self._not_known.add(note)

    async def start_tools(self, mark: str = "", listen: float = 0.0) -> list[RunningTool]:
        """Start lab.toml's tools, the receiver first; only on the user's request. Raises FwdtuiError.

        No generator is started if its result could not be saved. A reading of the hosts' settings comes
        first. `mark`: see `RunningTool.start`. `listen`: seconds that the receiver may take to be ready, for
        which the generators wait; 0: they do not wait. If it takes longer, FwdtuiError is raised, and the
        receiver is still running.
        """
        if self.tools.run:
            raise FwdtuiError("the generator is already running")
        if not self.can_save():
            assert self.recorder is not None
            raise FwdtuiError(f"the generator is not started: {self.recorder.problem}")
        await self._settings.before_blast()
        await self._turn.take()
        try:
            return await self._start_tools(mark, listen)
        finally:
            # a screen may watch for hours after its blast
            if not self._keeps_turn or self.tools.leaving:
                self._turn.release_after(self.tools.running)

    def iterated(self) -> None:
        """Let another fwdtui send once no tool of ours runs, although this lab stays open."""
        self._keeps_turn = False
        self._turn.release_after(self.tools.running)

    async def _start_tools(self, mark: str, listen: float) -> list[RunningTool]:
        self.tools.refuse_if_leaving()
        if self._reasons is None or not self.tracing:
            return await self.tools.start(self.lab, mark, listen)
        try:
            await self._reasons.before_blast(self._sampled_since)
            return await self.tools.start(self.lab, mark, listen)
        finally:
            self._reasons.release()

    def _sampled_since(self, at: float) -> bool:
        """Whether every host has been sampled after `at`, so that for all of them a blast begins after it."""
        views = [self.monitor.host(name) for name in self.lab.hosts()]
        return all(view is not None and (view.last or 0.0) >= at for view in views)

    async def _reason_counter(self) -> ReasonCounter:
        host = await self._pool.open(self.lab.dut.host, self.lab.dut.host)
        return ReasonCounter(host, self._source.axis.now)

    def can_save(self) -> bool:
        """Whether everything is on disk and there is room for one more iteration."""
        plan = self.lab.run
        return self.recorder is None or self.recorder.ready(plan.warmup + plan.duration + _AROUND)

    async def stop_tools(self) -> None:
        """Stop what `start_tools` started, generators first."""
        await self.tools.stop()

    async def faded(self) -> None:
        """Wait while a blast may be over, until that is known, so that its end is not cut off."""
        monitor = self.monitor
        stopped = bool(self.tools.running) and not self.tools.run
        seconds = min(monitor.longest_end, _FADING)
        await self._while(lambda: monitor.fading or (stopped and monitor.unsaved), seconds)

    @property
    def left(self) -> list[str]:
        """See `LabTools.left`."""
        return self.tools.left

    async def drained(self, seconds: float = 6.0) -> None:
        """Wait, at most `seconds`, for the last samples of a blast that has ended, and make it an iteration.

        Samples that have not come by then are missing in it: nothing more is recorded of the blast.
        """
        await self._while(lambda: self.monitor.ending, seconds)
        while self.monitor.ending:
            self.monitor.save_ended()

    async def _while(self, holds: Callable[[], bool], seconds: float) -> None:
        """Wait while `holds` returns True and samples come, at most `seconds`."""
        end = time.monotonic() + seconds
        while holds() and time.monotonic() < end:
            if self._following is not None and self._following.done():
                return
            await asyncio.sleep(0.05)

    def _logs(self) -> Mapping[str, bytes]:
        """The tools' output and the attached files, for the iteration that is being saved."""
        return {**self.tools.logs(self._blast_began), **self.attached}

    async def aclose(self) -> None:
        """Stop the tools, the samplers and the connections; bounded in time, may be called more than once."""
        try:
            await self.tools.aclose()
            await self._settings.aclose()
            if self._counting is not None:
                self._counting.cancel()
            if self._reasons is not None:
                await self._reasons.aclose()
            await self._source.aclose()
            if self._following is not None:
                with contextlib.suppress(Exception):
                    await cancelled(self._following)
        finally:  # even if closing the hosts is cancelled
            self._turn.release()
            if self.recorder is not None:
                self.recorder.close()
        await self._pool.aclose()

    async def __aenter__(self) -> "Bench":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
