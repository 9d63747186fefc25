"""The live screen's control over a built-in lab: one BenchControl for each session."""

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Lab
from fwdtui.core.model import EventSample, Iteration
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.transport.cancelling import cancelled
from fwdtui.ui.common.ports import AskHostKey
from fwdtui.ui.demo import demo_folders
from fwdtui.ui.demo.demo_plan import CASE, Part
from fwdtui.ui.demo.stage import Stage

if TYPE_CHECKING:
    from fwdtui.ui.live.bench_control import BenchControl

_LONGEST = 60.0  # seconds after which a generator is stopped, whatever the counters say
_TICK = 0.1


class DemoControl:
    """A LiveControl of the demo. It records sessions into the folder `into`.

    Every blast that is started here ends automatically.
    """

    case = CASE
    lab_file: Path | None = None

    def __init__(self, stage: Stage, into: Path) -> None:
        self.stage = stage
        self.drop_reasons = False
        """Whether the DUT's drop reasons are counted in sessions that begin from now on."""
        self.lab: Lab = stage.lab
        self.sessions: Path | None = into
        self.into = into
        self.part: Part = stage.plan.parts[0]
        self._path: Path | None = None
        self._run: BenchControl | None = None
        self._waiting = Monitor(self.lab)
        self._automatic = True
        self._lost: list[str] = []
        self._recorded: list[Path] = []  # the sessions of runs that are closed
        self._ask: AskHostKey | None = None
        self._stage_lock = asyncio.Lock()
        self._ending: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None

    @property
    def note(self) -> str:
        """The note above the demo's sessions; see `own_keys.with_keys`."""
        return f"The demo's sessions are in {self.into}; <app.live l> goes back to the lab."

    @property
    def where(self) -> str:
        """Session and case, for the heading."""
        return f"{self.part.session} ▸ {self.case}"

    @property
    def started(self) -> float | None:
        """The wall clock (seconds since 1970) at 0 of this session's time axis; None: not known yet."""
        return self._run.started if self._run else None

    @property
    def measuring(self) -> bool:
        """Whether samples of a session are being recorded; False while the lab is brought up."""
        return self._run is not None and self._run.measuring

    @property
    def storage(self) -> str:
        """What is wrong with the recording, or was when a session was closed; "" if nothing."""
        return (self._run.storage if self._run else "") or self.unsaved

    @property
    def unsaved(self) -> str:
        """What is not saved, also of closed sessions; "" if nothing is missing."""
        return "; ".join(part for part in (*self._lost, self._run.unsaved if self._run else "") if part)

    @property
    def own_session(self) -> Path | None:
        """The session being recorded."""
        return self._run.own_session if self._run else None

    @property
    def recorded(self) -> list[Path]:
        """The sessions so far, in their order."""
        return [*self._recorded, *(self._run.recorded if self._run else [])]

    @property
    def measured(self) -> list[Path]:
        """The sessions of the walk that can be compared: on disk they have an iteration that counts."""
        from fwdtui.report.iterations import counts  # after the first frame
        from fwdtui.store import Damaged
        from fwdtui.store.listing import list_one
        from fwdtui.store.reader import is_session

        paths = [self.into / part.session for part in self.stage.plan.parts]
        found = [(path, list_one(path)) for path in paths if is_session(path)]
        return [
            path
            for path, session in found
            if not isinstance(session, Damaged)
            and any(counts(one) for case in session.cases for one in case.iterations)
        ]

    @property
    def generator_command(self) -> str | None:
        """The command that starts the generator."""
        return self._run.generator_command if self._run else None

    @property
    def generator_stop_command(self) -> str | None:
        """The command that stops the generator."""
        return self._run.generator_stop_command if self._run else None

    @property
    def generator_running(self) -> bool:
        """Whether a generator that was started here still runs."""
        return self._run is not None and self._run.generator_running

    @property
    def only_receiver(self) -> bool:
        """Whether only the receiver that was started with it still runs."""
        return self._run is not None and self._run.only_receiver

    @property
    def unfinished(self) -> bool:
        """Whether a blast is running, or its last samples are awaited."""
        return self._run is not None and self._run.unfinished

    @property
    def ready(self) -> bool:
        """Whether every host has been sampled twice, so that quiet is established before traffic starts."""
        seen = {host.name: host.rates is not None for host in self.snapshot(0).hosts}
        return self._run is not None and all(seen.get(name, False) for name in self.lab.hosts())

    def snapshot(self, points: int) -> Snapshot:
        """The current state of the session."""
        return self._run.snapshot(points) if self._run else self._waiting.snapshot(points)

    def set_automatic(self, on: bool) -> None:
        """Set whether each blast becomes an iteration automatically."""
        self._automatic = self._waiting.automatic = on
        if self._run:
            self._run.set_automatic(on)

    def set_asker(self, ask: AskHostKey | None) -> None:
        """Set what asks the user about host keys. Built-in labs ask nothing, so this is only passed on."""
        self._ask = ask
        if self._run:
            self._run.set_asker(ask)

    async def play(self, part: Part) -> None:
        """Close the open session and begin that of `part`. Raises FwdtuiError or OSError."""
        async with self._stage_lock:
            if self._closing is not None:
                return
            from fwdtui.ui.live.bench_control import BenchControl  # after the first frame

            await self._close_run()
            if self._path is None:
                self._path = await self.stage.up()
            await self.stage.prepare(part)
            self.part = part
            run = BenchControl(self._path, self.into, part.session, self.case, drop_reasons=self.drop_reasons)
            run.set_automatic(self._automatic)
            self._run = run
            run.set_asker(self._ask)

    async def save_iteration(self) -> Iteration:
        """Save the current window as an iteration. Raises FwdtuiError if there is nothing to save."""
        if self._run is None:
            raise FwdtuiError("the lab is not up yet")
        return await self._run.save_iteration()

    async def take_back(self) -> Iteration:
        """Take back the iteration last saved by hand: it no longer counts. Raises FwdtuiError."""
        if self._run is None:
            raise FwdtuiError("the lab is not up yet")
        return await self._run.take_back()

    async def start_generator(self) -> None:
        """Start traffic, which lasts as long as this session's plan says."""
        run = self._run
        if run is None:
            raise FwdtuiError("the lab is not up yet")
        await run.start_generator()
        if self._run is run:  # otherwise it was closed meanwhile, together with its generator
            self._ending = asyncio.create_task(self._end_later(run, self.part.blast))

    async def _end_later(self, run: "BenchControl", seconds: float) -> None:
        latest = time.monotonic() + _LONGEST
        while run.generator_running and time.monotonic() < latest:
            now = run.snapshot(0)
            if now.blast is not None and now.now - now.blast.began >= seconds:
                break
            await asyncio.sleep(_TICK)
        try:
            await run.stop_generator()
        except (FwdtuiError, OSError) as error:
            self.say(str(error))

    async def stop_generator(self) -> None:
        """Stop the generator now."""
        if self._run is not None:
            await self._run.stop_generator()

    def say(self, text: str) -> None:
        """Add to the event log if there is no run that does."""
        if self._run is None:
            self._waiting.push(EventSample(self._waiting.snapshot(0).now, "tool-failed", text))

    async def _close_run(self) -> None:
        run, self._run = self._run, None
        if self._ending is not None:
            await cancelled(self._ending)
            self._ending = None
        if run is not None:
            await run.close()
            self._recorded += run.recorded
            if run.unsaved:
                self._lost.append(run.unsaved)

    async def close(self) -> None:
        """Close the demo: the recording is on disk and the lab is gone when this returns.

        May be called again.
        """
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        async with self._stage_lock:  # a lab that is being brought up is taken down once it is up
            try:
                await self._close_run()
            finally:
                await self.stage.down()
                demo_folders.tidy(self.into)


def simulated(interval: str = "500ms", blast: float = 7.0, into: Path | None = None) -> DemoControl:
    """The demo on the simulated lab. `interval`: as in lab.toml; `blast`: seconds; `into`: for sessions."""
    from fwdtui.ui.demo.stage import SimulatedStage

    stage = SimulatedStage(interval, blast)
    return DemoControl(stage, into or demo_folders.new("simulated"))


def kernel(blast: float = 8.0, into: Path | None = None) -> DemoControl:
    """The demo on the kernel lab. Raises FwdtuiError if it cannot run here.

    `blast`: seconds; `into`: the folder for sessions.
    """
    from fwdtui.ui.demo.stage import KernelStage

    stage = KernelStage(blast)
    return DemoControl(stage, into or demo_folders.new("kernel"))
