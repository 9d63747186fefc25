"""Samples one host continuously: through stalls, restarts, reconnections and reboots."""

import asyncio
import secrets
import time
from collections.abc import Iterator

from msgspec.structs import replace

from fwdtui.collectors import clock
from fwdtui.collectors.base import Emit, Follows, Readout, Sampling, System
from fwdtui.collectors.clock import Axis, HostClock
from fwdtui.collectors.events import LinkWatch, MessageClock, MessageWatch, PortWatch
from fwdtui.collectors.frames import HELLO, MESSAGES, PLAIN, SLOW, Frame, FrameReader
from fwdtui.collectors.schedule import Pace, Ticker
from fwdtui.collectors.systems import system_of
from fwdtui.collectors.watch import Watch
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import HYGIENE, EventSample, HostSample
from fwdtui.core.rates import UNNAMED
from fwdtui.core.text import clean, decode
from fwdtui.transport.base import Exit, Host, HostState, Phase, Process
from fwdtui.transport.cancelling import cancelled
from fwdtui.transport.errors import HostError

RESTARTS = 3
_HEALTHY = 60.0  # seconds of sampling after which earlier deaths are forgotten
_HELLO = 30.0  # seconds for the first frame: a saturated router is slow
_PAUSE = 0.3  # seconds before a dead sampler is restarted
_SLACK = 0.001  # seconds by which two clocks may differ over one exchange
_STARVED = 1.0  # seconds, and at least three intervals: a longer gap is reported as an event
_HUNG = 5.0  # seconds, and at least ten intervals: a sampler that is silent for longer is restarted
_PROBE = 3.0  # seconds for a host to show that it answers although its sampler does not
_DOUBLINGS = 4  # of _HUNG, at most: a host whose sampler hangs repeatedly is given more and more time
_LOOK = 0.5  # seconds, at most one interval, between two checks for silence


class HostSampler:
    """`base.Producer` of one host's samples and events.

    `interval` is the seconds between plain ticks, `slow` the seconds between ticks that run programs.
    Counters: `missed` ticks (never asked for), `refused` readings (schedule.Pace), `broken` frames,
    `restarts`, and `hung`: samplers that were ended because they delivered nothing.
    """

    def __init__(
        self,
        host: Host,
        watch: Watch,
        interval: float,
        *,
        slow: float = 1.0,
        system: System | None = None,
    ) -> None:
        self.host = host
        self.watch = watch
        self.refused = self.restarts = self.hung = 0
        self._interval = interval
        self._slow = max(slow, interval)
        self._system = system
        self._emit: Emit = lambda sample: None
        self._axis = Axis()
        self._clock = HostClock()
        self._paces: dict[str, Pace] = {}
        self._links = LinkWatch(watch.host)
        self._ports = PortWatch(watch.host, watch.interfaces)
        self._messages = MessageWatch(watch.host)
        self._messages_read = 0.0  # when dmesg was last asked, on the axis
        self._printk = MessageClock()
        self._asleep = clock.asleep()
        self._boot = ""
        self._uptime: float | None = None  # the last clock reading
        self._read_at = 0.0  # when that reading arrived, by time.monotonic
        self._plain: HostSample | None = None  # the last plain sample
        self._same = True  # whether the process that gave it still runs, and its clock was not set
        self._sampled: float | None = None  # when that sample arrived, by time.monotonic
        self._framed = 0.0  # when the last frame of any kind arrived, by time.monotonic
        self._silent = False  # whether the host's silence was reported
        self._held_up = 0.0  # seconds: the longest that a tick came late since the last gap
        self._ended_hung = False
        self._ticker = Ticker(interval, self._slow, self._slow)
        self._earlier = 0  # ticks missed by earlier tickers
        self._broken = 0
        self._trouble: Phase | None = None
        self._told = ""
        self._state = asyncio.Event()

    @property
    def missed(self) -> int:
        return self._earlier + self._ticker.missed

    @property
    def broken(self) -> int:
        return self._broken

    async def run(self, emit: Emit, axis: Axis) -> None:
        """See base.Producer. Ends when the host's pool is closed or the sampler has failed for good."""
        self._emit, self._axis = emit, axis
        forget = self.host.on_state(self._on_state)
        watching = asyncio.create_task(self._heed_silence())
        try:
            self.host.keep_connected()
            self._on_state(self.host.state)
            while self.host.state.phase is not Phase.CLOSED:
                if self.host.state.phase not in (Phase.UP, Phase.STALE):
                    self._state.clear()
                    await self._state.wait()
                elif not await self._once():
                    return
        finally:
            watching.cancel()
            forget()

    @property
    def silence(self) -> float:
        """Seconds without a sample after which a host's numbers are reported as old."""
        return max(_STARVED, 3 * self._interval)

    async def _heed_silence(self) -> None:
        """Reports, once for each silence, that no samples arrive, unless another event already says so."""
        while True:
            before = time.monotonic()
            look = self._until((self._sampled or 0.0) + self.silence - before)
            await asyncio.sleep(look)
            now = time.monotonic()
            # if this process was held up itself, samples that have arrived in the meantime are still unread
            if now - before > look + self.silence / 2 or self._sampled is None or self._silent:
                continue
            if now - self._sampled > self.silence and self._trouble is None:
                self._silent = True
                self._event("silent", f"no samples for {now - self._sampled:.1f} s: its numbers are old")

    def _until(self, due: float) -> float:
        """Seconds to sleep: `due`, after which the silence may be too long, but at least one look's time."""
        return max(due, min(self._interval, _LOOK))

    def _on_state(self, state: HostState) -> None:
        if state.phase in (Phase.LOST, Phase.FAILED) and state.phase is not self._trouble:
            self._trouble = state.phase
            code = "host-lost" if state.phase is Phase.LOST else "failed"
            self._event(code, state.reason or "no connection")
        elif state.phase is Phase.UP and self._trouble is not None:
            self._trouble = None
            self._event("host-back", "connected again")
        self._state.set()

    async def _once(self) -> bool:
        """Runs one sampler from start to end; returns whether to try another."""
        began = time.monotonic()
        try:
            ended, why = await self._session(await self._which())
        except HostError as error:
            return await self._again(error)
        except FwdtuiError as error:
            self._event("failed", str(error))
            return False
        if ended.lost or self.host.state.phase not in (Phase.UP, Phase.STALE):
            await asyncio.sleep(_PAUSE)
            return True
        if time.monotonic() - began > _HEALTHY:
            self.restarts = self.hung = 0
        if self._ended_hung:
            self.hung += 1
            self._event("note", f"the sampler is being restarted ({why})")
            return True
        if self.restarts >= RESTARTS:
            self._event("failed", f"the sampler ended {RESTARTS + 1} times; it is not restarted ({why})")
            return False
        self.restarts += 1
        self._event("note", f"the sampler ended and is being restarted ({why})")
        await asyncio.sleep(_PAUSE)
        return True

    async def _again(self, error: HostError) -> bool:
        """Handles a sampler that could not be started; returns, after a pause, whether to try another."""
        if self.host.state.phase in (Phase.UP, Phase.STALE):
            if not error.retry:
                self._event("failed", error.text)
                return False
            if error.text != self._told:  # a persistent failure is reported once
                self._told = error.text
                self._event("note", f"the sampler cannot be started: {error.text}")
        await asyncio.sleep(_PAUSE)
        return True

    @property
    def system(self) -> str:
        """The name of the host's operating system; "" while it is not known."""
        return self._system.name if self._system is not None else ""

    async def _which(self) -> System:
        """The host's operating system: from the lab, else from the host."""
        if self._system is None:
            self._system = await system_of(self.host, self.watch)
        return self._system

    async def _session(self, system: System) -> tuple[Exit, str]:
        """Start, greet, tick and read until the process ends; returns how it ended and why."""
        token = secrets.token_hex(8)
        sampling = system.sampling(self.watch, token, self._interval)
        self._earlier += self._ticker.missed
        ticker = self._ticker = Ticker(self._interval, self._slow, max(self._slow, sampling.messages))
        process = await self.host.start(
            sampling.script, stdin=True, heed=lambda line: self._heed_line(line, sampling, ticker)
        )
        reader = FrameReader(token)
        ticking: asyncio.Task[None] | None = None
        watching: asyncio.Task[None] | None = None
        self._ended_hung = False
        try:
            async with asyncio.timeout(_HELLO) as hello:
                while (line := await process.readline()) is not None:
                    for frame in _frames(reader, [line, *process.read_ready()]):
                        if frame.kind != HELLO:
                            self._take(frame, sampling, ticker, process)
                        elif ticking is None:
                            hello.reschedule(None)
                            for answer in sampling.greeting(frame):
                                process.send(answer)
                            self._begin_epoch()
                            ticking = asyncio.create_task(self._tick(process, sampling, ticker))
                            watching = asyncio.create_task(self._end_hung(process))
        except TimeoutError:
            await process.close()
            return Exit(None), f"no answer within {_HELLO:g} s"
        finally:
            for task in (ticking, watching):
                if task is not None:
                    await cancelled(task)
            self._broken += reader.broken
            await process.close()
        ended = await process.wait()
        if self._ended_hung:
            return ended, f"it delivered nothing for {self._patience:.0f} s although the host answers"
        return ended, _why(ended, process, reader)

    async def _tick(self, process: Process, sampling: Sampling, ticker: Ticker) -> None:
        while process.exit is None:
            due = ticker.next(time.monotonic())
            await asyncio.sleep(due - time.monotonic())
            self._held_up = max(self._held_up, time.monotonic() - due)
            for kind in ticker.kinds():
                seq = ticker.asked(kind, time.monotonic())
                if not process.send(sampling.line(kind, seq)):
                    ticker.unsent(kind, seq)

    @property
    def _patience(self) -> float:
        """Seconds of silence after which a sampler counts as hung."""
        return max(_HUNG, 10 * self._interval) * 2.0 ** min(self.hung, _DOUBLINGS)

    async def _end_hung(self, process: Process) -> None:
        """Ends a sampler that delivers nothing while its host answers: it is stopped or waits forever.

        A host that does not answer either is busy or gone: another program there would only make it worse.
        """
        patience = self._patience
        while process.exit is None:
            await asyncio.sleep(self._until(self._framed + patience - time.monotonic()))
            silent = time.monotonic() - self._framed
            if silent < patience:
                if silent < self._patience:
                    patience = self._patience
                continue
            before = self._framed
            try:
                await self.host.run("exit 0", timeout=_PROBE)
            except HostError:
                patience = silent + self._patience
                continue
            if self._framed == before:
                self._ended_hung = True
                await process.close()

    def _begin_epoch(self) -> None:
        """Starts over after a new process on the host or a set clock: earlier readings no longer count."""
        self._paces = {PLAIN: Pace(self._interval), SLOW: Pace(self._slow), MESSAGES: Pace(0.0)}
        self._framed = time.monotonic()
        self._same = False

    def _take(self, frame: Frame, sampling: Sampling, ticker: Ticker, process: Process) -> None:
        self._framed = time.monotonic()
        sent = ticker.answered(frame.kind, frame.seq)
        if sent is None:
            self._broken += 1
            return
        readout = sampling.read(frame)
        if readout.begin is None or readout.end is None:
            self._broken += 1
            return
        begin, end, sample = readout.begin, readout.end, readout.sample
        # a reading that took longer than the round trip: the host's clock was set in the meantime
        if not 0 <= end - begin <= frame.received - sent + 2 * sample.resolution + _SLACK:
            self.refused += 1
            return
        if frame.kind == MESSAGES:  # it gives no sample, so its clock does not matter
            self._tell(readout, ticker, self._axis.at(frame.received))
            self._follow(readout, sampling, ticker, process)
            return
        self._heed_boot(sample.boot, begin, sample.resolution, (sent, frame.received))
        exchange = sent, frame.received, begin, end, sample.resolution
        if step := self._clock.exchange(*exchange):
            self._heed_step(step)
            self._clock.exchange(*exchange)
        self._asleep = clock.asleep()
        at = self._place(sample.t, frame.received)
        self._tell(readout, ticker, at)
        if self._paces[frame.kind].refuses(begin, end, sample.resolution):
            self.refused += 1
            return
        late = frame.received - self._clock.local(end) if self._clock.known else 0.0
        sample = replace(
            sample, host=self.watch.host, seq=frame.seq, boot=self._boot, at=at, late=max(late, 0.0)
        )
        if frame.kind == PLAIN:
            self._heed_gap(sample)
            for event in self._ports.changes(sample):
                self._emit(event)
        self._emit(sample)

    def _place(self, t: float, received: float) -> float:
        return self._axis.at(self._clock.local(t) if self._clock.known else received)

    def _heed_boot(self, boot: str, uptime: float, grain: float, asked: tuple[float, float]) -> None:
        """Detects a new boot by the boot's identity.

        If the host gives none, its uptime shows the boot: it has gone back, or is less than the time that has
        passed since the last reading. (A host that was up for a minute, was rebooted and has now been up for
        an hour has a larger uptime than before, but one that is shorter than the time in between.)

        `asked`: when the reading was requested and when it arrived (time.monotonic); it was made in between.
        Within one boot a monotonic clock never goes back; if one does all the same, that is reported.
        """
        known = bool(boot and self._boot)
        back = 0.0 if self._uptime is None else self._uptime - uptime
        since, self._read_at = asked[0] - self._read_at, asked[1]
        anew = self._uptime is not None and max(back, since - uptime) > 1.0
        if (known and boot != self._boot) or (not known and anew):
            self._clock = HostClock()
            self._messages, self._printk = MessageWatch(self.watch.host), MessageClock()
            self._links.rebooted()
            self._boot = boot or UNNAMED + secrets.token_hex(4)
            self._event("reboot", "the host was rebooted: its counters started over")
        else:
            if back > grain + _SLACK:
                self._heed_step(-back)
            self._boot = boot or self._boot
        self._uptime = uptime

    def _heed_step(self, seconds: float) -> None:
        """Handles a clock that was set within one boot: from now on it counts as another clock."""
        self._clock, self._printk = HostClock(), MessageClock()
        self._begin_epoch()
        how = "went back or stood still for" if seconds < 0 else "jumped ahead by"
        text = f"its monotonic clock {how} {abs(seconds):.3f} s: no rate is computed across that"
        slept = clock.asleep() - self._asleep
        if 0.5 * seconds < slept < 2 * seconds:
            text = f"this machine was suspended for {slept:.0f} s: no rate is computed across that"
        self._event("clock-step", text)

    def _heed_gap(self, sample: HostSample) -> None:
        """Reports how long there were no samples, by the host's own clock if it is still the same one."""
        before, self._plain = self._plain, sample
        told, self._silent = self._silent, False
        same, self._same = self._same, True
        self._sampled = time.monotonic()
        if before is None:
            return
        one_clock = before.boot == sample.boot and sample.t >= before.t
        gap = sample.t - before.t if one_clock else sample.at - before.at
        if told or (gap > self.silence and not same):
            lasted = f"after {gap:.1f} s without any" if gap > self.silence else "late, but none is missing"
            self._emit(
                EventSample(sample.at, "sampled-again", f"samples arrive again, {lasted}", sample.host)
            )
        elif gap > self.silence:
            code, text = "starved", f"no counters for {gap:.1f} s: the host or the network was busy"
            if self._held_up > gap / 2:  # nobody asked for them: this process was stopped, or was not served
                code = "held-up"
                text = f"fwdtui itself did not run, so there are no counters for {gap:.1f} s"
            self._emit(EventSample(sample.at, code, text, sample.host))
        if gap > self.silence:
            self._held_up = 0.0

    def _tell(self, readout: Readout, ticker: Ticker, at: float) -> None:
        for event in self._links.changes(readout.links, at, readout.downs):
            self._emit(event)
        for text in readout.changes:
            self._emit(EventSample(at, HYGIENE, clean(text), self.watch.host))
        if readout.refused:
            ticker.stop(MESSAGES)
            self._event("note", f"kernel messages cannot be read: {readout.refused}")
        if readout.messages is not None:
            since, self._messages_read = self._messages_read, at
            for when, event in self._messages.news(readout.messages, at):
                stamped = self._stamped(when)
                placed = at if stamped is None else min(max(stamped, since), at)
                self._emit(replace(event, at=placed))

    def _follow(self, readout: Readout, sampling: Sampling, ticker: Ticker, process: Process) -> None:
        """Starts the reader that reports messages as they come, if there is one; no longer asks for them."""
        if readout.messages is not None and isinstance(sampling, Follows):
            line = sampling.follow(readout.messages)
            if line is not None and process.send(line):
                ticker.stop(MESSAGES)

    def _heed_line(self, line: bytes, sampling: Sampling, ticker: Ticker) -> bool:
        """Handles a line of the sampler's stderr; returns whether it was about kernel messages."""
        said = sampling.followed(line) if isinstance(sampling, Follows) else None
        if said is None:
            return False
        if said.ended:
            ticker.resume(MESSAGES)
            if why := clean(said.text).strip():
                every = f"every {sampling.messages:g} s instead of as they come"
                self._event("note", f"kernel messages are read {every}: {why[:200]}")
            return True
        for when, event in self._messages.came(said, self._axis.now()):
            stamped = self._stamped(when)
            placed = event.at if stamped is None else self._printk.place(stamped, event.at)
            self._emit(replace(event, at=placed))
        return True

    def _stamped(self, when: float | None) -> float | None:
        """A kernel message's own time, put on the axis as if it were the host's clock; None: unknown."""
        return self._place(when, 0.0) if when and self._clock.known else None

    def _event(self, code: str, text: str) -> None:
        self._emit(EventSample(self._axis.now(), code, clean(text), self.watch.host))


def _frames(reader: FrameReader, lines: list[bytes]) -> Iterator[Frame]:
    for line in lines:
        if frame := reader.feed(line):
            yield frame


def _why(ended: Exit, process: Process, reader: FrameReader) -> str:
    """One line for people: the process's last error message, else how it ended."""
    said = [line for line in decode(process.stderr).splitlines() if line.strip()] or reader.stray
    if said:
        return clean(said[-1].strip())[:200]
    if ended.signal is not None:
        return f"killed by signal {ended.signal}"
    if ended.status is not None and ended.status > 128:
        return f"killed by signal {ended.status - 128}"
    return ended.reason or f"exit status {ended.status}"
