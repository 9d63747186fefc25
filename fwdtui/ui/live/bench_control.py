"""The live screen's control over a real bench: it connects and records in the background."""

import asyncio
import importlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.collectors.labfile import load
from fwdtui.collectors.tools.base import RECEIVER
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue
from fwdtui.core.lab import Lab
from fwdtui.core.model import TICK, EventSample, Iteration, Sample
from fwdtui.core.stated_factors import told
from fwdtui.core.text import slug, visible
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.transport.cancelling import cancelled
from fwdtui.ui.common import errors
from fwdtui.ui.common.ports import NOTHING_SAVED, TAKEN_BACK, AskHostKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fwdtui.monitor.run.bench import Bench
    from fwdtui.transport.errors import HostError

_PAUSED = "Saving is tried again every second. No generator is started until it works."
_RETRY = 10.0  # seconds between attempts to reach hosts that do not answer
_OLDER = 1.0  # seconds between ticks that show time passing once the samples have ended


class BenchControl:
    """One run of one lab. It opens the lab once `set_asker` has set what asks about host keys."""

    unattended = False
    """Whether the generator is started without asking."""

    def __init__(
        self,
        path: Path,
        into: Path,
        session: str,
        case: str,
        factors: Mapping[str, FactorValue] | None = None,
        count: tuple[str, ...] | None = None,
        drop_reasons: bool = False,
    ) -> None:
        """`path`: the lab.toml; `into`: the folder of sessions; `session` and `case`: names to record under.

        `factors` are those of the case, besides lab.toml's. `count`: events to count instead of lab.toml's.
        `drop_reasons`: count drop reasons in every blast. Raises FwdtuiError if lab.toml cannot be used. No
        host is contacted before `set_asker`.
        """
        self._factors = dict(factors or {})
        self._count = count
        self._drop_reasons = drop_reasons
        self._first: Lab = load(path)
        self.where = f"{session} ▸ {case}"
        self.case = case
        self.sessions: Path | None = into
        self.started: float | None = None
        self.session = session
        self.lab_file: Path | None = path.resolve()
        self._path, self._into = path, into
        self._bench: Bench | None = None
        self._waiting = Monitor(self.lab)  # shown before the hosts are reached
        self._ask: AskHostKey | None = None
        self._opening: asyncio.Task[None] | None = None
        self._closed = False
        self._reasons: dict[str, str] = {}
        self._not_recording = ""
        self._ended = ""
        self._in_words: tuple[Exception, str] | None = None

    @property
    def lab(self) -> Lab:
        """The lab with which the hosts were reached, so that questions are about what really runs.

        lab.toml is read again at each attempt to reach the hosts, as it may have been edited meanwhile.
        Before they are reached, this is the lab as it was read first.
        """
        return self._first if self._bench is None else self._bench.lab

    @property
    def measuring(self) -> bool:
        """Whether the hosts were reached, and samples are recorded."""
        return self._bench is not None and not self._ended

    @property
    def storage(self) -> str:
        """What is wrong with the recording, that it is over, or its new place if its folder was moved.

        "" if nothing is.
        """
        recorder = self._bench.recorder if self._bench else None
        if recorder is None:
            return self._not_recording
        if recorder.problem:
            return f"NOT SAVED  {recorder.problem}. {_PAUSED}"
        return self._ended or recorder.elsewhere

    @property
    def unsaved(self) -> str:
        """What is not saved, in one line; "" if nothing is missing."""
        recorder = self._bench.recorder if self._bench else None
        return self._not_recording if recorder is None else recorder.unsaved_text

    @property
    def left(self) -> str:
        """What may still run on the hosts after `close`, in one line; "" if nothing does."""
        return "; ".join(self._bench.left) if self._bench is not None else ""

    @property
    def folder(self) -> Path:
        """The session's current folder."""
        recorder = self._bench.recorder if self._bench else None
        return self._into / slug(self.session) if recorder is None else recorder.folder

    @property
    def own_session(self) -> Path:
        """The session being recorded."""
        return self.folder

    @property
    def recorded(self) -> list[Path]:
        """The session, once its recording has begun; before that, nothing."""
        return [self.folder] if self._bench is not None and self._bench.recorder is not None else []

    @property
    def generator_command(self) -> str | None:
        """The commands that start receiver and generators, with their hosts; None: there are none.

        Line ends in a command are marked.
        """
        commands = [_shown(g.host, g.start) for g in self.lab.generators if g.start]
        if self.lab.receiver and self.lab.receiver.start:
            commands.insert(0, _shown(self.lab.receiver.host, self.lab.receiver.start))
        return "\n".join(commands) or None

    @property
    def generator_stop_command(self) -> str | None:
        """The commands that stop generators and receiver, with their hosts; None: there are none."""
        ends = [*self.lab.generators, *([self.lab.receiver] if self.lab.receiver else [])]
        return "\n".join(_shown(end.host, end.stop) for end in ends if end.stop) or None

    @property
    def generator_running(self) -> bool:
        """Whether a generator that fwdtui started still runs, or the receiver that was started with it."""
        return self._bench is not None and self._bench.tools.run

    @property
    def only_receiver(self) -> bool:
        """Whether only the receiver still runs."""
        started = [] if self._bench is None else self._bench.tools.running
        running = [one for one in started if one.ended is None]
        return bool(running) and all(one.origin.role == RECEIVER for one in running)

    @property
    def unfinished(self) -> bool:
        """Whether a blast is running or its last samples are awaited: leaving ends an iteration early."""
        return self._bench is not None and (
            self._monitor.ending or self._monitor.snapshot(0).blast is not None
        )

    def snapshot(self, points: int) -> Snapshot:
        """The current state of the run."""
        return self._monitor.snapshot(points)

    @property
    def _monitor(self) -> Monitor:
        return self._bench.monitor if self._bench else self._waiting

    def set_automatic(self, on: bool) -> None:
        """Set whether each blast becomes an iteration automatically."""
        self._waiting.automatic = on
        self._monitor.automatic = on

    def set_asker(self, ask: AskHostKey | None) -> None:
        """Set what asks the user about host keys and the lab's files; the first one starts the run."""
        self._ask = ask
        if ask is not None and self._opening is None and not self._closed:
            self._opening = asyncio.create_task(self._open())

    async def _open(self) -> None:
        """Reach the hosts, ask about new keys, record, sample. Failures go into the event log."""
        try:
            bench = await self._reached()
            if bench is None:
                return
            bench.monitor.automatic = self._waiting.automatic
            try:
                recorder = bench.record(self._into, self.session, self.case, self._factors)
            except Exception as error:
                self._not_recording = f"NOTHING IS RECORDED  {self._told(error)}"
                await bench.aclose()
                raise
            self._bench = bench
            stated = told(recorder.factors, self.lab.attacked, self.lab.wanted_frame)
            for line in (*stated, *self.lab.doubtful_frames):
                self._say("note", line)
            following = bench.start(watchers=[self._seen])
            self._began(bench, following)
            try:
                await following
                self._end("note", "The hosts send no more samples.")
            except Exception as error:  # a plug-in may raise anything, and nothing else would report it
                self._end("tool-failed", self._told(error))
            await self._grow_old()
        except Exception as error:
            self._say("tool-failed", self._told(error))

    def _told(self, error: Exception) -> str:
        """What went wrong, in words; an unexpected error is also logged, once."""
        if isinstance(error, (FwdtuiError, OSError)):
            return str(error)
        if self._in_words is None or self._in_words[0] is not error:
            self._in_words = error, errors.in_place(error)
        return self._in_words[1]

    def _end(self, code: str, why: str) -> None:
        """Note that no more samples arrive, and say so for as long as the run is open."""
        if not self._closed:
            self._ended = f"RECORDING HAS STOPPED  {why}"
        self._say(code, why)

    async def _grow_old(self) -> None:
        """Let time pass on the screen although no more samples arrive, so that the last ones look old."""
        ended, at = time.monotonic(), self._monitor.snapshot(0).now
        while True:
            await asyncio.sleep(_OLDER)
            passed = time.monotonic() - ended
            self._monitor.push(EventSample(at + passed, TICK, "the hosts send no more samples"))

    def _began(self, bench: "Bench", following: "asyncio.Task[None]") -> None:
        """Called when the hosts are reached and sampling has begun; subclasses override it."""

    async def _reached(self) -> "Bench | None":
        # loaded after the first frame, in a thread, so that keys work meanwhile
        bench = await asyncio.to_thread(importlib.import_module, "fwdtui.monitor.run.bench")
        from fwdtui.collectors.lab_trust import UntrustedError, command
        from fwdtui.monitor.run.reaching import NotReachedError
        from fwdtui.transport.errors import ChangedHostKey, HostError, UnknownHostKey
        from fwdtui.transport.known_hosts import accept

        opened: Bench
        while True:
            try:
                opened = await bench.Bench.open(
                    self._path,
                    lambda text: self._say("note", text),
                    self.unattended,
                    count=self._count,
                    drop_reasons=self._drop_reasons,
                )
                return opened
            except UntrustedError as error:
                if self._ask is None or not await self._ask(error):
                    refused = f"its files are not trusted; {command(self._path)} shows them again"
                    self._unreached([HostError(host, refused) for host in self.lab.hosts()], "")
                    return None
                error.allow()
            except NotReachedError as error:
                if not all(one.retry for one in error.errors):
                    self._unreached(error.errors, "")
                    return None
                self._unreached(error.errors, f" (retried every {_RETRY:.0f} s)")
                await asyncio.sleep(_RETRY)
            except ChangedHostKey as error:
                if self._ask is not None:
                    await self._ask(error)  # shown with both fingerprints; it cannot be accepted
                raise
            except UnknownHostKey as error:
                if self._ask is None or not await self._ask(error):
                    self._say("host-lost", str(error))
                    return None
                accept(error)

    def _unreached(self, errors: "Sequence[HostError]", then: str) -> None:
        """Add each host's reason to the diagnosis and, once, to the event log."""
        for host in self._reasons.keys() - {error.host for error in errors}:
            self._monitor.push(EventSample(0.0, "host-back", "It answers now.", host))
            del self._reasons[host]
        for error in errors:
            if self._reasons.get(error.host) != error.text:
                self._reasons[error.host] = error.text
                text = error.text + (then if error is errors[-1] else "")
                self._monitor.push(EventSample(0.0, "host-lost", text, error.host))

    def _seen(self, sample: Sample) -> None:
        if self.started is None and sample.at is not None:
            self.started = time.time() - sample.at

    def _say(self, code: str, text: str) -> None:
        self._monitor.push(EventSample(self._monitor.snapshot(0).now, code, text))

    async def save_iteration(self) -> Iteration:
        """Save the current window as an iteration. Raises FwdtuiError if there is nothing to save."""
        if self._bench is None:
            raise FwdtuiError("nothing is measured yet")
        return self._monitor.save_by_hand()

    async def take_back(self) -> Iteration:
        """Take back the iteration last saved by hand: it no longer counts, here and in the session.

        Raises FwdtuiError if there is none.
        """
        iteration = self._monitor.saved_by_hand
        if iteration is None:
            raise FwdtuiError(NOTHING_SAVED)
        if self._bench is not None and self._bench.recorder is not None:
            await asyncio.to_thread(self._bench.recorder.drop, iteration, TAKEN_BACK)
        return self._monitor.take_back(iteration, TAKEN_BACK)

    async def start_generator(self) -> None:
        """Run `generator_command`. Raises FwdtuiError if the hosts are not reached or the samples ended."""
        if self._bench is None:
            raise FwdtuiError("the hosts have not been reached yet")
        if self._ended:
            raise FwdtuiError("the generator was not started: the hosts send no more samples")
        await self._bench.start_tools()

    async def stop_generator(self) -> None:
        """Stop the generators and the receiver."""
        if self._bench is not None:
            await self._bench.stop_tools()

    async def close(self) -> None:
        """Close the run: everything is on disk when this returns.

        A blast in progress is saved as it is, if iterations are made automatically.
        """
        if self._closed:
            return
        self._closed = True
        if self._bench is not None:
            self._bench.tools.leaving = True
            if self._monitor.automatic:
                await self._bench.faded()
                self._monitor.save_early()
            await self._bench.drained()
            await self._bench.aclose()
        if self._opening is not None:
            await cancelled(self._opening)


def _shown(host: str, command: str) -> str:
    """A command as the question shows it: lines of the command cannot pass for those of another host."""
    return f"{visible(host)}: {visible(command).replace('␊', '␊' + chr(10) + '      ')}"
