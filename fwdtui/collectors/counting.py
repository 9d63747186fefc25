"""Counts events of the DUT's performance counters on request: perf stat on Linux, pmcstat on FreeBSD.

Only what is installed is used, and nothing is changed on the host: no module is loaded, no limit is lifted.
If the tool cannot count, the reason is reported once, and the events are then "not counted". The tool runs
under the shell that the transport watches, so it ends with the recording and with the connection.

``perf stat -a`` counts on the CPUs that are online when it begins. It does not count on a CPU that comes
online later, and it stops counting on one that is taken offline, even if that comes back, since its events
are removed (__perf_event_exit_context() in kernel/events/core.c). So the tool is restarted when the host's
samples show other cores than before.
"""

import asyncio
import contextlib
import shlex
from collections.abc import Sequence

from fwdtui.collectors.base import Emit
from fwdtui.collectors.clock import Axis
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import CountSample, EventSample, HostSample, Sample
from fwdtui.core.parse.perf_stat import SEPARATOR, PerfStatReader
from fwdtui.core.parse.pmcstat_counters import PmcstatReader
from fwdtui.core.parse.proc_clock import parse_timer_list, parse_uptime
from fwdtui.core.text import clean, decode
from fwdtui.transport.base import Host, HostState, Phase, Process
from fwdtui.transport.errors import HostError

_GRACE = 2.0  # seconds for the tool to end after SIGINT
_CLOSE = 7.0  # seconds for all of it to end
_PAUSE = 1.0  # seconds before it is started again on a host that came back
_LEAST = 0.1  # seconds: perf warns below, as the reading itself then costs too much
_SHOWN = 200
_UNEVEN = 0.75  # of the interval: it is unknown what time a row of pmcstat covers that is off by more

_LINUX = """\
command -v perf >/dev/null 2>&1 || {{ echo 'perf is not installed'; exit 127; }}
echo "clock $(grep -m 1 '^now at' /proc/timer_list 2>/dev/null || head -n 1 /proc/uptime)"
LC_ALL=C exec perf stat -a -x '{separator}' -I {milliseconds} {events} --log-fd 1
"""
# pmcstat takes seconds that may have a fraction, and prints to stderr
_FREEBSD = """\
command -v pmcstat >/dev/null 2>&1 || {{ echo 'pmcstat is not installed'; exit 127; }}
exec pmcstat -w {seconds:g} {events}
"""
_SYSTEMS = ("linux", "freebsd")
_FREEBSD_NAMES = {"cycles": "unhalted-cycles"}  # pmc(3), "Event aliases"; the others are given as they are


class Counting:
    """`base.Producer` of `CountSample`s of one host."""

    def __init__(self, host: Host, events: Sequence[str], interval: float, system: str | None = None) -> None:
        """`interval` in seconds; `system`: "linux" or "freebsd", which decides the tool.

        With None, or the name of a plug-in's system, the host is asked what it is.
        """
        self._host = host
        self._events = tuple(events)
        self._interval = max(interval, _LEAST)
        self._system = system
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._stopped = False
        self._process: Process | None = None
        self._ending: asyncio.Task[None] | None = None
        self._cores: tuple[str, frozenset[int]] | None = None  # the last sample's boot, and its cores
        self._anew = False  # whether the host has other cores than when the tool was started

    def seen(self, sample: Sample) -> None:
        """Takes every sample of the recording. Restarts the tool if the host has other cores than before."""
        if not isinstance(sample, HostSample) or sample.host != self._host.name or not sample.cpus:
            return
        before, self._cores = self._cores, (sample.boot, frozenset(row.cpu for row in sample.cpus))
        if before is not None and before != self._cores and before[0] == sample.boot:
            self._anew = True
            self._end()

    def _end(self) -> None:
        """End the tool if it runs."""
        process = self._process

        async def ended() -> None:
            with contextlib.suppress(HostError):
                if process is not None:
                    await process.stop("INT", _GRACE)

        if process is not None:
            self._ending = asyncio.create_task(ended())

    async def run(self, emit: Emit, axis: Axis) -> None:
        """See base.Producer. Starts the tool again after a reboot, and returns when it cannot count."""
        if self._stopped:
            return
        self._task = asyncio.current_task()
        forget = self._host.on_state(self._on_state)
        try:
            while self._host.state.phase is not Phase.CLOSED:
                if self._host.state.phase not in (Phase.UP, Phase.STALE):
                    self._changed.clear()
                    await self._changed.wait()
                    continue
                try:
                    why = await self._once(emit, axis)
                except HostError as error:
                    why = "" if error.retry else error.text
                except FwdtuiError as error:
                    why = str(error)
                if why:
                    self._give_up(why, emit, axis)
                    return
                await asyncio.sleep(_PAUSE)
        finally:
            forget()

    async def stop(self) -> None:
        """End the counting for good, on request. May be called again."""
        self._stopped = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,), timeout=_CLOSE)

    def _on_state(self, state: HostState) -> None:
        self._changed.set()

    async def _once(self, emit: Emit, axis: Axis) -> str:
        """Runs the tool to its end. Returns why it cannot count; "" if it should be started again."""
        freebsd = await self._which() == "freebsd"
        self._anew = False
        process = await self._host.start(self._script(freebsd=freebsd), merge_stderr=True)
        self._process, name = process, self._host.name
        reading = _Pmcstat(name, self._interval) if freebsd else _Perf(name, self._events)
        try:
            if self._anew:  # set while the tool was being started
                self._end()
            await self._follow(process, reading, emit, axis)
            ended = await process.wait()
        except asyncio.CancelledError:
            await process.stop("INT", _GRACE)
            raise
        finally:
            self._process = None
            await process.close()
        if self._anew:
            text = f"{', '.join(self._events)}: counted anew, since other CPUs are online now"
            emit(EventSample(axis.now(), "note", clean(text), name))
            return ""
        if ended.lost or self._host.state.phase not in (Phase.UP, Phase.STALE):
            return ""
        said = " ".join(reading.words) or f"it ended with status {ended.status}"
        return clean(said)[:_SHOWN]

    async def _follow(self, process: Process, reading: "_Perf | _Pmcstat", emit: Emit, axis: Axis) -> None:
        while (line := await process.readline()) is not None:
            sample = reading.feed(clean(decode(line)), axis.now())
            if sample is not None:
                emit(sample)

    async def _which(self) -> str:
        if self._system not in _SYSTEMS:
            told = clean(decode((await self._host.run("uname -s")).stdout)).strip().lower()
            if told not in _SYSTEMS:
                raise FwdtuiError(f"fwdtui cannot count events on {told or 'an unnamed system'}")
            self._system = told
        return self._system

    def _script(self, *, freebsd: bool) -> str:
        if freebsd:
            named = [_FREEBSD_NAMES.get(event, event) for event in self._events]
            options = " ".join(f"-s {shlex.quote(event)}" for event in named)
            return _FREEBSD.format(seconds=self._interval, events=options)
        options = " ".join(f"-e {shlex.quote(event)}" for event in self._events)
        return _LINUX.format(separator=SEPARATOR, milliseconds=round(self._interval * 1000), events=options)

    def _give_up(self, why: str, emit: Emit, axis: Axis) -> None:
        now, host = axis.now(), self._host.name
        emit(EventSample(now, "note", clean(f"{', '.join(self._events)} not counted: {why}"), host))
        emit(CountSample(host, now, 0.0, missing=dict.fromkeys(self._events, why)))


class _Perf:
    """Reads perf's lines. Their times count from perf's start; the first line has the host's clock then."""

    def __init__(self, host: str, events: Sequence[str] = ()) -> None:
        self._host = host
        self._reader = PerfStatReader(asked=frozenset(events))
        self._began: float | None = None

    @property
    def words(self) -> Sequence[str]:
        return self._reader.words

    def feed(self, line: str, at: float) -> CountSample | None:
        if self._began is None and line.startswith("clock "):
            text = line.removeprefix("clock ")
            reading = (parse_timer_list if text.startswith("now at") else parse_uptime)(text + "\n").value
            self._began = None if reading.nanoseconds is None else reading.nanoseconds / 1e9
            return None
        done = self._reader.feed(line)
        if done is None:
            return None
        return CountSample(
            self._host,
            at,
            done.end - done.begin,
            {one.event: one.value for one in done.counts if one.value is not None},
            None if self._began is None else self._began + done.end,
            {one.event: one.enabled for one in done.counts if one.value is not None and one.enabled < 1.0},
            {one.event: one.unit for one in done.counts if one.unit},
            {one.event: one.why for one in done.counts if one.value is None},
        )


class _Pmcstat:
    """Reads pmcstat's rows. pmcstat ends a line only when it begins the next one.

    So a row was counted when the end of the line before it arrived. If pmcstat was held up, a row covers
    several intervals, since the kernel reports missed ones all at once (kqueue(2), EVFILT_TIMER). Therefore a
    row is used only if it came about one interval after the row before.
    """

    def __init__(self, host: str, interval: float) -> None:
        self._host = host
        self._interval = interval
        self._reader = PmcstatReader()
        self._ended: float | None = None
        self._counted: float | None = None  # when the row before was counted
        self._own = {told: asked for asked, told in _FREEBSD_NAMES.items()}

    @property
    def words(self) -> Sequence[str]:
        return self._reader.words

    def feed(self, line: str, at: float) -> CountSample | None:
        ended, self._ended = self._ended, at
        row = self._reader.feed(line)
        if row is None or ended is None:
            return None
        before, self._counted = self._counted, ended
        if before is not None and abs(ended - before - self._interval) > _UNEVEN * self._interval:
            return None
        return CountSample(
            self._host,
            ended,
            self._interval,
            {self._own.get(event, event): float(value) for event, value in row.items()},
        )
