"""The state of a run: samples go in; ticks, hosts, flows and blasts are derived from them.

All code that describes the run reads this state: evidence.py to say what limits the run, iteration.py to make
an iteration of a blast.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from math import inf

from fwdtui.core.arrived import QUIET
from fwdtui.core.host_rates import FAST, HostRates
from fwdtui.core.lab import Lab
from fwdtui.core.model import (
    REASONS,
    TICK,
    TOOL_ENDS,
    UNSHOWN,
    CountSample,
    EventSample,
    HostSample,
    RateSample,
    Sample,
)
from fwdtui.core.roles import ATTACK
from fwdtui.monitor.live.averages import Averages, Bounds, averages
from fwdtui.monitor.live.blast import (
    DUT_IN,
    OFFERED,
    SLOWEST,
    Blast,
    BlastDetector,
    quiet_after,
    stands_still,
)
from fwdtui.monitor.live.flows import Added, Flows, is_from
from fwdtui.monitor.live.hosts import Hosts
from fwdtui.monitor.live.ports_gone import PortsGone
from fwdtui.monitor.live.refreshes import sum_of_same_seconds
from fwdtui.monitor.live.series import NewStore, Point
from fwdtui.monitor.live.ticks import LATE_AFTER, Ticks

_EVENTS = 500
_BLASTS = 500
_COUNTS = 4  # counts of drop reasons, one or two a second; their growth is shown
MESSAGE = "dmesg"
"""The code of an event with a kernel's own message. Its time is that of the kernel's clock, which may be
hours ahead, so it does not advance `State.now`."""
_DRAIN = 0.5  # seconds, plus two intervals, after a blast's end in which its last samples still arrive
_RARE = 30.0  # seconds in which two slow readings are looked for that a host was too busy to make in time
_ENDS = 8  # ends of blasts that are remembered
_DRAINED = 20.0  # further seconds after which the last samples are no longer waited for


class State:
    """Push samples in the order in which they arrive. It uses no clock: time is the samples' own."""

    def __init__(
        self,
        lab: Lab,
        uncounted: Iterable[str],
        veths: Iterable[str],
        remember: float,
        store: NewStore = list,
    ) -> None:
        """The arguments are those of `Monitor`."""
        self.lab = lab
        self.uncounted, self.veths = frozenset(uncounted), frozenset(veths)
        self._remember = remember
        self.now = 0.0
        self.pushed = 0
        self.samples: deque[Sample] = deque()
        self.events: deque[EventSample] = deque(maxlen=_EVENTS)
        self.not_counted: dict[str, str] = {}  # events that the DUT does not count, and why
        self.reasons: deque[EventSample] = deque(maxlen=_COUNTS)
        self.links_down: list[tuple[str, float]] = []
        self.ports_gone = PortsGone()
        self.ticks = Ticks(lab, store, self.veths)
        self.hosts = Hosts(lab)
        self.flows = Flows(lab, self.uncounted, self.veths, store)
        self.blasts = self._detector()
        self._silent: frozenset[int] = frozenset()  # places of generators whose tools have ended
        # when each blast began and ended: the events say so too, but other events push them out
        self.over: deque[Bounds] = deque(maxlen=_BLASTS)
        self.ended: list[Blast] = []  # blasts whose last samples are awaited
        self._ends: tuple[float, ...] = ()  # of the last blasts
        self.quiet_since: float | None = None  # when the last blast ended, or an interruption

    def _detector(self) -> BlastDetector:
        return BlastDetector(settle=quiet_after(self.lab.interval), attacked=self.lab.attacked)

    @property
    def late(self) -> float:
        """Seconds without a sample that count as a gap."""
        return LATE_AFTER * self.lab.interval

    def push(self, sample: Sample) -> None:
        """Take one sample. Never raises on odd content."""
        self.samples.append(sample)
        self.pushed += 1
        at = sample.at if sample.at is not None else self.now
        if not (isinstance(sample, EventSample) and sample.code == MESSAGE):
            self.now = max(self.now, at)
        if isinstance(sample, HostSample):
            rates = self.ticks.join(sample)
            if rates is not None:
                self._busy(self.flows.host(sample.host, rates))
            self.hosts.sampled(sample, rates)
        elif isinstance(sample, RateSample):
            self._busy(self.flows.tool(sample, at))
        elif isinstance(sample, CountSample):
            if not sample.seconds:  # the tool could not count, and has ended
                self.not_counted = dict(sample.missing)
        elif sample.code == REASONS:
            self.reasons.append(sample)
        elif sample.code != TICK:
            self._event(sample)
        if lost := self.blasts.passed(self.now):
            self._blast(lost)

    def _busy(self, added: Iterable[Added]) -> None:
        """Feed the new points of the flows that show blasts to the blast detector."""
        for flow, point in added:
            if flow == "received":
                self.blasts.received(point.at - point.seconds, point.at, point.value)
            elif flow in (OFFERED, DUT_IN):
                if self.blasts.current is None and (point.value or 0.0) >= QUIET:
                    self.blasts.absent = self._absent()
                blast = self.blasts.feed(flow, point.at - point.seconds, point.at, point.value)
                if blast is not None:
                    self._blast(blast)

    def _blast(self, blast: Blast) -> None:
        if blast.ended is None:
            self.say("blast-began", "A blast began.", blast.began)
            return
        lasted = f"{blast.ended - blast.began:.1f} s"
        text = f"The blast ended after {lasted}."
        if blast.unseen:
            text = f"The end of the blast was not seen, only {lasted} of it."
        self.say("blast-ended", text, blast.ended)
        self.quiet_since = blast.ended
        self.over.append((blast.began, blast.ended))
        self.ended.append(blast)
        self._ends = (*self._ends[1 - _ENDS :], blast.ended)

    def _event(self, event: EventSample) -> None:
        self.events.append(event)
        if event.code == "link-down":
            port = event.text.split(":")[0]
            if self.lab.may_pass(event.host, port):
                self.links_down.append((f"{port} of {event.host}" if event.host else port, event.at))
        elif event.code in TOOL_ENDS and event.host in self.hosts.up():
            # if the host is lost, nothing shows whether the tool ended: it is only no longer heard
            generates = any(generator.host == event.host for generator in self.lab.generators)
            self.blasts.over = self.blasts.over or generates
            self._silent |= self._generators(event)
            self.flows.ended(self._generators(event))
        elif event.code == "clock-step":
            self.ticks.clock_went_back(event.host)
        elif event.code == "tool-started":
            self._silent -= self._generators(event)
            self.flows.started(self._generators(event))
        self.blasts.all_said = self._all_said()
        self.hosts.event(event)
        self.ports_gone.event(event)

    def _generators(self, event: EventSample) -> set[int]:
        """Places of the generators whose tool this event started or ended.

        The set is empty if the event does not say which generator it was, as in older recordings.
        """
        if event.role != "generator":
            return set()
        return {place for place, one in enumerate(self.lab.generators) if is_from(event, one)}

    def _all_said(self) -> bool:
        """Whether all tools of wanted traffic have ended, so that no line with an offered rate is to come.

        A tool's lines come before its end. False if the kernel's counters count any of these generators: they
        are read all the time, and show by themselves when the generator is quiet.
        """
        wanted = [n for n, one in enumerate(self.lab.generators) if one.role != ATTACK]
        printing = all(self.lab.generators[n].tool in self.uncounted for n in wanted)
        return bool(wanted) and printing and self._silent.issuperset(wanted)

    def _absent(self) -> frozenset[str]:
        """The sides of a blast with a lost or silent host, or with a port that its kernel has no more.

        The detector does not wait for these sides. A port may be renamed, or given to another driver, by the
        command that starts the generator.
        """
        lost = {view.name for view in self.hosts.lost()} | self.hosts.silent(self.now).keys()
        wanted = {one.host for one in self.lab.generators if one.role != ATTACK}
        sides = {OFFERED: wanted, DUT_IN: {self.lab.dut.host}}
        gone = {side for side, hosts in sides.items() if lost & hosts}
        return frozenset(gone | self.flows.without_counter(sides, self.late))

    def say(self, code: str, text: str, at: float | None = None) -> None:
        """Add an event of the monitor's own, now or at the time `at`."""
        self.events.append(EventSample(self.now if at is None else at, code, text))

    def sends(self, lab: Lab) -> None:
        """Replace the lab with the same one whose generators send something else from now on."""
        self.lab = lab
        self.ticks.sends(lab)

    def interrupt(self) -> None:
        """What is pushed next does not continue what was pushed before: no rate and no blast spans both."""
        self.ticks.interrupt()
        self.hosts = Hosts(self.lab)
        if current := self.blasts.current:
            self._blast(Blast(current.began, self.now))
        self.ended.clear()
        self._ends = ()
        self.flows.interrupt()
        self.blasts = self._detector()
        self._silent = frozenset()
        self.links_down.clear()
        self.ports_gone = PortsGone()
        self.not_counted = {}
        self.quiet_since = self.now

    def drained(self) -> list[Blast]:
        """Remove and return an ended blast whose samples are complete: every host has sampled beyond it.

        A lost host is not waited for, since its sampler ended with the connection; a silent one is waited for
        no longer than `_DRAINED` seconds. Returns one blast at most, because a replay identifies an iteration
        by the sample with which it was made.
        """
        for blast in list(self.ended):
            assert blast.ended is not None
            wanted = blast.ended + max(_DRAIN + 2 * self.lab.interval, self._last_refresh(blast))
            slow = blast.ended + self.lab.interval
            whole = self.now >= wanted and self.ticks.reach(self.hosts.up(), wanted, slow)
            if whole or self.now > wanted + _DRAINED:
                self.ended.remove(blast)
                return [blast]
        return []

    def begins_after(self, ended: float) -> float:
        """When the first blast after this moment began; infinity if none has."""
        known = [*self.ended, *([self.blasts.current] if self.blasts.current else [])]
        return min((blast.began for blast in known if blast.began > ended), default=inf)

    def sends_after(self, ended: float) -> float:
        """When a generator began to send after this moment, in a detected blast or not; infinity: not yet."""
        sending = self.blasts.sending
        return min(self.begins_after(ended), inf if sending is None or sending <= ended else sending)

    def ended_before(self, began: float) -> float:
        """When the last blast before this moment ended; minus infinity if there was none."""
        return max((ended for ended in self._ends if ended <= began), default=-inf)

    def ended_after(self, moment: float) -> float:
        """When the first blast after this moment ended; the newest sample's time if none has."""
        return min((ended for ended in self._ends if ended >= moment), default=self.now)

    def _last_refresh(self, blast: Blast) -> float:
        """Seconds after a blast's end in which a card that counts once a second or two counts the rest of it.

        0 if no flow stood still between two samples of the blast's last seconds.
        """
        assert blast.ended is not None
        since = max(blast.began, blast.ended - 2 * SLOWEST)
        for series in self.flows.series.values():
            points = [point for point in series.since(since) if point.at <= blast.ended]
            if stands_still([point.value != 0 for point in points]):
                return SLOWEST + self.lab.interval
        return 0.0

    def forget(self) -> None:
        """Drop samples older than `remember` seconds before now, or before the first unsaved blast began."""
        current = self.blasts.current
        starts = [blast.began for blast in self.ended] + ([current.began] if current else [])
        keep = min([*starts, self.now]) - self._remember
        while self.samples and (self.samples[0].at or 0.0) < keep:
            self.samples.popleft()
        self.ticks.forget(keep)
        self.flows.keep(keep)

    def averages(
        self,
        start: float,
        end: float,
        late: float | None = None,
        flows: Mapping[str, Sequence[Point]] | None = None,
        traffic: Bounds | None = None,
    ) -> Averages:
        """Means of the flows, drops, cores and queues, all over the same seconds within these bounds.

        A flow that has been silent for `late` seconds is not waited for (None: no more samples are expected).
        `flows`: points to use instead of those that were read, such as those from refresh to refresh.
        `traffic`: see averages.averages.
        """
        if flows is None:
            flows = {name: self._of_same_seconds(name, start) for name in self.flows.series}
        known = {
            name: [point for point in points if point.value is not None] for name, points in flows.items()
        }
        first = start if traffic is None else min(start, max(traffic[0], start - _RARE))
        dut = {kind: rates.since(start if kind == FAST else first) for kind, rates in self.ticks.dut.items()}
        return averages(known, dut, (start, end), end - start if late is None else late, traffic)

    def traffic(self, began: float, ended: float) -> Bounds:
        """What of a blast is sure to be traffic: the interval in which it began is partly quiet."""
        return began + self.lab.interval, ended

    def _of_same_seconds(self, flow: str, start: float) -> Sequence[Point]:
        """The points of a flow since `start`; a point of a sum covers the same seconds in all its parts."""
        points = self.flows.series[flow].since(start)
        parts = [series.since(start) for series in self.flows.parts.get(flow, {}).values()]
        return sum_of_same_seconds(points, parts) if parts else points

    @property
    def all_events(self) -> tuple[EventSample, ...]:
        """The events of `events` and `samples` together.

        `events` alone may lack some: a kernel with many messages pushes others out of it.
        """
        held = [one for one in self.samples if isinstance(one, EventSample) and one.code not in UNSHOWN]
        known = set(map(id, held))
        return (*(one for one in self.events if id(one) not in known), *held)

    def starved(self, start: float, until: float) -> HostRates | None:
        """The longest gap in the DUT's samples between these times; None if there was none.

        At many samples a second some are late on any busy host, which hides nothing of what limits it. So a
        gap counts only if it is so long that the host's numbers are old; the sampler reports such a gap as an
        event.
        """
        recent = (row.rates for row in self.ticks.dut[FAST].since(start))
        gaps = [one for one in recent if one.gap == "late" and one.at <= until]
        long = (one for one in gaps if one.seconds > self.hosts.silence)
        return max(long, key=lambda one: one.seconds, default=None)

    def fork(self) -> "State":
        """A copy of this state; cheap, because samples, points and events never change."""
        twin = copy(self)
        twin.samples, twin.events = self.samples.copy(), self.events.copy()
        twin.reasons, twin.over = self.reasons.copy(), self.over.copy()
        twin.links_down, twin.ended = self.links_down.copy(), self.ended.copy()
        twin.ports_gone = self.ports_gone.fork()
        twin.ticks, twin.hosts = self.ticks.fork(), self.hosts.fork()
        twin.flows, twin.blasts = self.flows.fork(), self.blasts.fork()
        return twin
