"""Owns live state: samples go in, immutable snapshots come out, and blasts become iterations.

It knows no clock, no file and no network: a live lab, a recording and a simulated lab look the same to it.
"""

from collections import deque
from collections.abc import Callable, Iterable
from copy import copy

import msgspec

from fwdtui.core.diagnosis import QUIET, Diagnosis, Evidence, averaged, diagnose
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.host_rates import HostRates, between, is_fast, slow_parts, with_slow
from fwdtui.core.lab import Lab
from fwdtui.core.model import (
    TICK,
    Caution,
    EventSample,
    HostSample,
    Iteration,
    Packets,
    RateSample,
    Sample,
)
from fwdtui.monitor.live import span
from fwdtui.monitor.live.blast import Blast, BlastDetector
from fwdtui.monitor.live.evidence import agreed_end, troubles
from fwdtui.monitor.live.flows import Flows
from fwdtui.monitor.live.series import Point
from fwdtui.monitor.live.snapshot import Flow, HostView, Snapshot

LATE_AFTER = 3.0  # intervals without a sample that are a gap and not just a slow tick
SILENT = 1.0  # seconds, and LATE_AFTER intervals, without a sample after which a host's numbers are old
RECENT = 5.0  # seconds over which the diagnosis looks back
_EVENTS = 500
_MARGIN = 5.0  # seconds, and intervals, around a blast whose samples are kept with it: quiet on both sides
_DRAIN = 0.5  # seconds, and two intervals, after a blast's end in which its last samples still come

Finished = Callable[[Iteration, tuple[Sample, ...], float], Iteration]
"""Called with an iteration, all its samples and its begin on the axis; returns it as kept.

That is numbered, or not `saved` as long as it could not be; call `Monitor.saved` when it could.
"""
_EARLY = Caution("ended-early", "Recording ended before the blast did; the value is of what there was.")


class NoValueError(FwdtuiError):
    """A span of time from which no value can be had."""


class Monitor:
    """Push samples in the order in which they come; take a snapshot whenever something is to be drawn."""

    def __init__(
        self,
        lab: Lab,
        *,
        uncounted: Iterable[str] = (),
        veths: Iterable[str] = (),
        finished: Finished | None = None,
        automatic: bool = True,
        remember: float = 30.0,
    ) -> None:
        """`uncounted`: tools whose packets the kernel's counters do not see, so their own lines count.

        `veths`: ports such as ``"gen.gen0"`` that count what their peer refused apart from what it took.
        """
        self.lab = lab
        self.automatic = automatic
        self._uncounted = frozenset(uncounted)
        self._finished = finished
        self._remember = remember  # seconds of samples that are kept beside the running blast
        self._now = 0.0
        self._last: dict[str, HostSample] = {}
        self._slow: dict[tuple[str, tuple[str, ...]], HostSample] = {}
        self._slow_rates: dict[str, dict[tuple[str, ...], HostRates]] = {}
        self._views: dict[str, HostView] = {}
        self._veths = frozenset(veths)
        self._flows = Flows(lab, self._uncounted, self._veths, self._busy)
        self._blasts = self._detector()
        self._ended: list[Blast] = []
        self._quiet_since: float | None = None  # where the last blast ended
        self._pushed = 0
        self._diagnosed: tuple[int, Diagnosis] | None = None
        self._events: deque[EventSample] = deque(maxlen=_EVENTS)
        self._set_back: set[str] = set()  # hosts whose clocks went back since their last sample
        self._links: list[tuple[str, float]] = []
        self._samples: deque[Sample] = deque()
        self._iterations: list[Iteration] = []
        self._left: float | None = None  # where the blast began of which nothing is to be saved
        self._saved_by_hand: list[Iteration] = []  # and not taken back
        # the DUT's: with the newest slow readings, without them, and these alone
        self._recent: deque[HostRates] = deque()
        self._ticks: deque[HostRates] = deque()
        self._slow_recent: deque[tuple[tuple[str, ...], HostRates]] = deque()

    def _detector(self) -> BlastDetector:
        return BlastDetector(settle=max(1.0, 3 * self.lab.interval))

    # what goes in

    def push(self, sample: Sample) -> None:
        """Take one sample. Never raises on odd content."""
        self._samples.append(sample)
        self._pushed += 1
        at = sample.at if sample.at is not None else self._now
        self._now = max(self._now, at)
        if isinstance(sample, HostSample):
            self._host(sample)
        elif isinstance(sample, RateSample):
            self._flows.tool(sample, at)
        elif sample.code != TICK:
            self._event(sample)
        if lost := self._blasts.passed(self._now):
            self._blast(lost)
        self._close_blasts()
        self._forget()

    def _host(self, sample: HostSample) -> None:
        """Ports and cores come with every tick; queues and the like with slow ones, by themselves."""
        if parts := slow_parts(sample):
            earlier = self._slow.get((sample.host, parts))
            self._slow[sample.host, parts] = sample
            if earlier is not None:
                told = self._slow_rates.setdefault(sample.host, {})
                told[parts] = self._between(earlier, sample, None)
                if sample.host == self.lab.dut.host and not told[parts].gap:
                    self._slow_recent.append((parts, told[parts]))
        old = self._views.get(sample.host)
        rates = old.rates if old else None
        if is_fast(sample):
            before = self._last.get(sample.host)
            self._last[sample.host] = sample
            if before is not None:
                rates = self._between(before, sample, LATE_AFTER * self.lab.interval)
                if sample.host in self._set_back and not rates.gap:
                    seconds = max(sample.at - before.at, 0.0)
                    rates = HostRates(sample.host, sample.at, seconds, gap="clock")
                self._set_back.discard(sample.host)
                self._flows.host(sample.host, rates)
                if sample.host == self.lab.dut.host:
                    self._ticks.append(rates)
                for slow in self._slow_rates.get(sample.host, {}).values():
                    rates = with_slow(rates, slow)
                if sample.host == self.lab.dut.host:
                    self._recent.append(rates)
        self._views[sample.host] = HostView(
            name=sample.host,
            roles=tuple(self._roles(sample.host)),
            up=True,
            since=old.since if old and old.up else sample.at,
            rates=rates,
            late=sample.late,
            last=max(sample.at, old.last) if old and old.last is not None else sample.at,
        )

    def _between(self, before: HostSample, after: HostSample, longest: float | None) -> HostRates:
        is_dut = after.host == self.lab.dut.host
        inputs, outputs = (self.lab.dut.inputs, self.lab.dut.outputs) if is_dut else ((), ())
        return between(
            before, after, inputs=inputs, outputs=outputs, longest=longest, line_rate=self.lab.line_rate
        )

    def _busy(self, flow: str, point: Point) -> None:
        """A rate of a side that begins and ends blasts."""
        if flow in ("offered", "dut in"):
            blast = self._blasts.feed(flow, point.at - point.seconds, point.at, point.value)
            if blast is not None:
                self._blast(blast)

    def _blast(self, blast: Blast) -> None:
        if blast.ended is None:
            self._events.append(EventSample(blast.began, "blast-began", "A blast began."))
        else:
            text = f"The blast ended after {blast.ended - blast.began:.1f} s."
            if blast.unseen:
                text = f"Nobody saw the blast end: {blast.ended - blast.began:.1f} s of it were seen."
            self._events.append(EventSample(blast.ended, "blast-ended", text))
            self._quiet_since = blast.ended
            self._ended.append(blast)

    def _event(self, event: EventSample) -> None:
        self._events.append(event)
        if event.code == "link-down":
            port = event.text.split(":")[0]
            self._links.append((f"{port} of {event.host}" if event.host else port, event.at))
        if event.code in ("tool-ended", "tool-failed") and event.host in self._views:
            # of a host that is lost, the tool's end is not known, only that nothing is heard of it
            generates = any(generator.host == event.host for generator in self.lab.generators)
            self._blasts.over = self._blasts.over or (generates and self._views[event.host].up)
        if event.code == "clock-step":
            self._set_back.add(event.host)
            for key in [key for key in self._slow if key[0] == event.host]:
                del self._slow[key]
        if event.host in self._views and event.code in ("host-lost", "host-back", "failed"):
            view = self._views[event.host]
            self._views[event.host] = msgspec.structs.replace(
                view, up=event.code == "host-back", since=event.at, reason=event.text
            )
        elif event.code in ("host-lost", "failed") and event.host in self.lab.hosts():
            roles = tuple(self._roles(event.host))
            self._views[event.host] = HostView(event.host, roles, False, event.at, event.text)

    def interrupt(self) -> None:
        """What is pushed next does not follow from what was before: no rate and no blast reaches across.

        A replay says so where a recording ends and the next one begins.
        """
        for newest in (self._last, self._slow, self._slow_rates, self._ended, self._set_back):
            newest.clear()
        if current := self._blasts.current:
            self._blast(Blast(current.began, self._now))
            self._ended.clear()
        self._flows.interrupt()
        self._blasts = self._detector()
        self._quiet_since = None

    def fork(self) -> "Monitor":
        """Another monitor in the same state; samples, points and events never change, so it is cheap."""
        twin = copy(self)
        for name, held in vars(self).items():
            if isinstance(held, dict | list | deque | set):
                setattr(twin, name, held.copy())
        twin._slow_rates = {host: told.copy() for host, told in self._slow_rates.items()}
        twin._flows = self._flows.fork(twin._busy)
        twin._blasts = self._blasts.fork()
        return twin

    # what comes out

    def _close_blasts(self) -> None:
        """Cut a blast once every host has sampled beyond its end, so that nothing of it is still to come.

        Nothing comes any more from a host that is lost: its sampler ended with the connection.
        """
        for blast in list(self._ended):
            assert blast.ended is not None
            wanted = blast.ended + _DRAIN + 2 * self.lab.interval
            here = {name for name, view in self._views.items() if view.up}
            awaited = [sample for sample in self._last.values() if sample.host in here]
            quick = all(sample.at >= wanted for sample in awaited) and self._now >= wanted
            parts = [sample for sample in self._slow.values() if sample.host in here]
            slow = all(sample.at >= blast.ended + self.lab.interval for sample in parts)
            if (quick and slow) or self._now > wanted + 20.0:
                self._ended.remove(blast)
                if self.automatic and blast.began != self._left:
                    self._cut(blast.began, blast.ended, self.lab.run.warmup, unseen=blast.unseen)

    @property
    def cutting(self) -> bool:
        """Whether a blast has ended that is not an iteration yet: its last samples are awaited."""
        return bool(self._ended) and self.automatic

    def snapshot_iteration(self, seconds: float = 10.0, *, early: bool = False) -> Iteration:
        """Cut the current window by hand: the blast so far, or the last `seconds` when there is none.

        `early`: recording ends while the blast goes on, which the iteration then says.
        """
        current = self._blasts.current
        began = current.began if current else self._now - seconds
        extra = (_EARLY,) if early else ()
        return self._cut(began, self._now, self.lab.run.warmup if current else 0.0, extra)

    def save_early(self) -> Iteration | None:
        """Recording ends now: save what there is of the blast that is on.

        None where no blast is on, or where it has given no whole sample yet, which an event says.
        """
        current = self._blasts.current
        if current is None:
            return None
        try:
            return self._cut(current.began, self._now, self.lab.run.warmup, (_EARLY,), valued=True)
        except NoValueError:
            self._left = current.began  # nor when it ends, in a moment
            text = "The blast that was on had given no whole sample yet, so nothing was saved of it."
            self._events.append(EventSample(self._now, "iteration", text))
            return None

    def save_by_hand(self, seconds: float = 10.0) -> Iteration:
        """As `snapshot_iteration`, because somebody asked for it: raises FwdtuiError where there is nothing
        to save, and says why. What was saved can be taken back."""
        current = self._blasts.current
        began = current.began if current else self._now - seconds
        if current is None:
            if self.cutting:
                raise FwdtuiError("the blast that has just ended becomes an iteration by itself")
            flows = [series.since(began) for series in self._flows.series.values()]
            if not any((point.value or 0.0) >= QUIET for points in flows for point in points):
                raise FwdtuiError(f"there was no traffic in the last {seconds:.0f} s")
        iteration = self._cut(began, self._now, self.lab.run.warmup if current else 0.0, valued=True)
        self._saved_by_hand.append(iteration)
        return iteration

    @property
    def saved_by_hand(self) -> Iteration | None:
        """The newest iteration that was saved by hand and still counts."""
        return self._saved_by_hand[-1] if self._saved_by_hand else None

    def take_back(self, iteration: Iteration, reason: str) -> Iteration:
        """One that was saved by hand counts no more; it stays in sight with the reason. Returns it so."""
        dropped = msgspec.structs.replace(iteration, dropped=reason)
        self._saved_by_hand = [one for one in self._saved_by_hand if one is not iteration]
        self._iterations = [dropped if one is iteration else one for one in self._iterations]
        text = f"Iteration {iteration.index} was taken back: it does not count."
        self._events.append(EventSample(self._now, "iteration", text))
        return dropped

    def _cut(
        self,
        began: float,
        ended: float,
        warmup: float,
        extra: tuple[Caution, ...] = (),
        *,
        unseen: bool = False,
        valued: bool = False,
    ) -> Iteration:
        """`valued`: raise NoValueError rather than save an iteration that says nothing."""
        # not before the first frame, which has no iteration
        from fwdtui.monitor.live import account
        from fwdtui.monitor.live.cut import cut
        from fwdtui.monitor.live.holes import cautions, holes, unsound

        margin = 2 * self.lab.interval
        flows = {
            name: series.since(began - margin)
            for name, series in self._flows.series.items()
            if name != "dut in" and any(point.value is not None for point in series.since(began - margin))
        }
        iteration = cut(flows, began, ended, warmup=warmup)
        something = iteration.value is not None and _EARLY in extra  # of a part at least
        around = _MARGIN * max(1.0, self.lab.interval)
        # where hosts were waited for, all that came meanwhile is kept; the packets are counted in the quiet
        mine = tuple(s for s in self._samples if s.at is None or began - around <= s.at)
        near = tuple(s for s in mine if s.at is None or s.at <= ended + around)
        missing = holes(self.lab, mine, tuple(self._events), began, ended)
        wrong = unsound(self.lab, flows, missing, began, ended, unseen)
        measured = self.lab.receiver.host if self.lab.receiver else self.lab.dut.host
        inside = [e for e in self._events if began - 1.0 <= e.at <= ended + 1.0]
        window = iteration.window
        if window is None or window.start is None or window.end is None:
            limit = diagnose(self._evidence(began, ended))
        else:
            limit = diagnose(self._evidence(window.start, window.end))
        packets = self._packets(near, began, ended)
        told = {caution.code for caution in iteration.warnings}
        counted = [caution for caution in account.cautions(packets) if caution.code not in told]
        iteration = msgspec.structs.replace(
            iteration,
            packets=packets,
            limit=Caution(limit.code, limit.sentence),
            warnings=(
                *iteration.warnings,
                *counted,
                *cautions(missing, measured),
                *troubles(inside),
                *extra,
            ),
            boot=self._boot(near),
        )
        if wrong:
            incomplete = Caution("incomplete", f"{wrong} What was seen is kept, and is no value.")
            iteration = msgspec.structs.replace(
                iteration,
                value=None,
                complete=False,
                incomplete=wrong,
                warnings=(incomplete, *iteration.warnings),
            )
        if valued and iteration.value is None and not something:
            why = " ".join(caution.text for caution in iteration.warnings)
            raise NoValueError(f"there is no value in it. {why}".rstrip())
        if self._finished:
            iteration = self._finished(iteration, mine, began)
        self._iterations.append(iteration)
        if iteration.saved:
            self._announce(iteration, ended)
        return iteration

    def saved(self, before: Iteration, after: Iteration) -> None:
        """An iteration that could not be saved when it was cut is saved now."""
        for place, iteration in enumerate(self._iterations):
            if iteration is before:
                self._iterations[place] = after
                self._saved_by_hand = [after if one is before else one for one in self._saved_by_hand]
                self._announce(after, self._now)

    def _announce(self, iteration: Iteration, at: float) -> None:
        text = f"Iteration {iteration.index} was cut."
        if iteration.incomplete:
            text = f"Iteration {iteration.index} is incomplete: {iteration.incomplete}"
        self._events.append(EventSample(at, "iteration", text))

    def _boot(self, samples: tuple[Sample, ...]) -> str:
        """The DUT's boot at the end of the samples; "" where its kernel names none."""
        dut = self.lab.dut.host
        return next(
            (one.boot for one in reversed(samples) if isinstance(one, HostSample) and one.host == dut), ""
        )

    def _packets(self, samples: tuple[Sample, ...], began: float, ended: float) -> Packets | None:
        from fwdtui.monitor.live.account import account

        return account(self.lab, samples, began, ended, self._uncounted, self._veths)

    def host(self, name: str) -> HostView | None:
        """The newest that is known of one host, at no cost: for what follows it sample by sample."""
        return self._views.get(name)

    def snapshot(self, points: int = 600) -> Snapshot:
        """The run as it is now, with the newest `points` of each flow."""
        flows = {name: self._flow_view(name, points) for name in ("offered", "forwarded", "received")}
        arrived = flows["received"].now if self.lab.receiver else flows["forwarded"].now
        offered = flows["offered"].now
        loss = None if offered is None or arrived is None else offered - arrived
        return Snapshot(
            now=self._now,
            lab=self.lab.name,
            offered=flows["offered"],
            forwarded=flows["forwarded"],
            received=flows["received"],
            loss=loss,
            loss_share=loss / offered if loss is not None and offered else None,
            line_rate=self.lab.line_rate,
            dut=self._aged(self.lab.dut.host),
            hosts=tuple(view for name in self.lab.hosts() if (view := self._aged(name)) is not None),
            events=tuple(self._events),
            iterations=tuple(self._iterations),
            blast=self._blasts.current,
            diagnosis=self._diagnosis(),
            automatic=self.automatic,
        )

    @property
    def silence(self) -> float:
        """Seconds without a sample after which a host's numbers are old."""
        return max(SILENT, LATE_AFTER * self.lab.interval)

    def _aged(self, host: str) -> HostView | None:
        """A host's view; where no samples come any more, with how old its numbers are."""
        view = self._views.get(host)
        if view is None or view.last is None or self._now - view.last <= self.silence:
            return view
        return msgspec.structs.replace(view, old=self._now - view.last)

    def _flow_view(self, name: str, points: int) -> Flow:
        series = self._flows.series[name]
        last = series.last
        if last is None or last.at < self._now - LATE_AFTER * self.lab.interval:
            return Flow(name, None, series.newest(points), old=series.last_known)
        return Flow(name, last.value, series.newest(points), bps=last.bps)

    def _diagnosis(self) -> Diagnosis:
        """Made once for each new sample: a screen looks more often than samples come."""
        if self._diagnosed is None or self._diagnosed[0] != self._pushed:
            start, end = self._settled()
            ago = self._now - end
            found = diagnose(self._evidence(start, end, self._now))
            found = averaged(found, end - start, ago if ago > 2 * self.lab.interval else 0.0)
            self._diagnosed = self._pushed, found
        return self._diagnosed[1]

    def _settled(self) -> tuple[float, float]:
        """What the diagnosis looks at: hosts sample at their own moments, so first and last ticks lie."""
        current, interval = self._blasts.current, self.lab.interval
        end, recent = self._now, max(RECENT, 3 * interval)
        edges = [edge for edge in (self._blasts.surely, self._quiet_since) if edge is not None]
        start = max([end - recent, *edges])
        if current is not None:
            patience = self._blasts.longest_end + 2 * interval
            since = max([end - 2 * recent - patience, *edges])
            flows = {name: series.since(since) for name, series in self._flows.series.items()}
            end = agreed_end(flows, end, LATE_AFTER * interval, interval, patience)
            start = max([end - recent, *edges])
        return start, end

    def seen(self, start: float, end: float, late: float | None = None) -> span.Seen:
        """Means of the flows, drops, cores and queues over the same seconds within these bounds.

        A flow that has been silent for `late` seconds is not waited for (None: nothing is still to come).
        """
        flows = {
            name: [point for point in series.since(start) if point.value is not None]
            for name, series in self._flows.series.items()
        }
        slow: dict[tuple[str, ...], list[HostRates]] = {}
        for parts, told in self._slow_recent:
            slow.setdefault(parts, []).append(told)
        return span.together(
            flows, self._ticks, slow.values(), (start, end), end - start if late is None else late
        )

    def _evidence(self, start: float, end: float, until: float | None = None) -> Evidence:
        """Averages over a window, for the diagnosis; what went wrong is looked for up to `until`."""
        late = LATE_AFTER * self.lab.interval
        if until is None:  # an iteration's window
            until, settling, seen = end, False, self.seen(start, end)
        else:
            seen, surely = self.seen(start, end, late), self._blasts.surely
            settling = surely is not None and end < surely + late and not self._fresh() <= seen.flows.keys()
        rates = [r for r in self._recent if start < r.at <= until]
        starved = max((r.seconds for r in rates if r.gap == "late"), default=None)
        silent: dict[str, float] = {}
        if self._now <= until:
            aged = [view for name in self.lab.hosts() if (view := self._aged(name)) is not None]
            silent = {view.name: view.old for view in aged if view.up and view.old is not None}
        # a link that went down spoils the whole blast, however long ago it came back
        current = self._blasts.current
        since = min(start, current.began if current else start) - 1.0
        return Evidence(
            offered=seen.flows.get("offered"),
            dut_in=seen.flows.get("dut in"),
            forwarded=seen.flows.get("forwarded"),
            received=seen.flows.get("received"),
            line_rate=self.lab.line_rate,
            seconds=end - start,
            drops=seen.drops,
            unread=seen.unread,
            cpus=seen.cpus,
            queues=seen.queues,
            nic=seen.nic,
            at_nic=seen.at_nic,
            softnet=seen.softnet,
            interrupts=seen.interrupts,
            starved=starved,
            silent=silent,
            silent_all=len(silent) == len(self.lab.hosts()),
            lost_hosts=[view.name for view in self._views.values() if not view.up],
            reasons={view.name: view.reason for view in self._views.values() if not view.up},
            link_down=[(name, until - at) for name, at in self._links if since <= at <= until],
            blast=self._blasts.current is not None,
            measured=any(map(len, self._flows.series.values())),
            settling=settling and current is not None,
        )

    def _fresh(self) -> set[str]:
        """The flows whose rates still come."""
        late = LATE_AFTER * self.lab.interval
        newest = {name: series.last for name, series in self._flows.series.items()}
        return {n for n, p in newest.items() if p and p.value is not None and p.at >= self._now - late}

    def _roles(self, host: str) -> Iterable[str]:
        if any(generator.host == host for generator in self.lab.generators):
            yield "generator"
        if self.lab.dut.host == host:
            yield "dut"
        if self.lab.receiver and self.lab.receiver.host == host:
            yield "receiver"

    def _forget(self) -> None:
        """Samples are kept from a little before the running blast on; quiet ones for half a minute."""
        current = self._blasts.current
        starts = [blast.began for blast in self._ended] + ([current.began] if current else [])
        keep = min([*starts, self._now]) - self._remember
        while self._samples and (self._samples[0].at or 0.0) < keep:
            self._samples.popleft()
        for held in (self._recent, self._ticks):
            while held and held[0].at < keep:
                held.popleft()
        while self._slow_recent and self._slow_recent[0][1].at < keep:
            self._slow_recent.popleft()
