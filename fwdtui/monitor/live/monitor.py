"""Owns the live state: samples go in, immutable snapshots come out, and blasts become iterations.

It uses no clock, file or network: a live lab, a recording and a simulated lab look the same to it.
"""

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from math import inf

import msgspec

from fwdtui.core.arrived import QUIET
from fwdtui.core.diagnosed import Diagnosis
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Endpoint, Lab
from fwdtui.core.model import Iteration, Sample
from fwdtui.monitor.live.averages import Averages, Bounds
from fwdtui.monitor.live.blast import Blast
from fwdtui.monitor.live.evidence import counted_unlike, diagnosis_now, ended_unlike
from fwdtui.monitor.live.last_result import bits_of, is_unlike, newest
from fwdtui.monitor.live.reasons import shares
from fwdtui.monitor.live.series import NewStore, Point
from fwdtui.monitor.live.snapshot import Flow, HostView, Snapshot
from fwdtui.monitor.live.state import State
from fwdtui.monitor.live.together import Present, together

_SHOWN = ("offered", "attack", "forwarded", "received")
_INTERVALS = 10
"""The fewest intervals of samples that are held. A blast is detected two or three intervals after it began,
and is saved with five intervals of the quiet before it, from which its packets are counted."""

Finished = Callable[[Iteration, tuple[Sample, ...], float], Iteration]
"""Called with an iteration, all its samples, and the time on the axis when it began; returns it as saved.

The returned iteration has a number, or `saved` is False if it could not be saved yet; call `Monitor.saved`
once it is.
"""


class Monitor:
    """Push samples in the order in which they arrive; take a snapshot whenever something is to be drawn."""

    def __init__(
        self,
        lab: Lab,
        *,
        uncounted: Iterable[str] = (),
        veths: Iterable[str] = (),
        finished: Finished | None = None,
        automatic: bool = True,
        remember: float = 30.0,
        store: NewStore = list,
    ) -> None:
        """`uncounted`: tools whose packets the kernel's counters do not see, so their own lines count.

        `veths`: ports such as ``"gen.gen0"`` that count what their peer refused separately from what it took.
        `remember`: seconds of samples that are held in addition to the current blast; more if these would
        be only a few samples. `store`: makes the containers in which points and loads are kept.
        """
        self.lab = lab
        self.automatic = automatic
        self.between = False
        """Whether this is the time between two measurements: no traffic of this time becomes an iteration."""
        self._state = State(lab, uncounted, veths, max(remember, _INTERVALS * lab.interval), store)
        self._finished = finished
        self.case = ""
        """The case under which the next iteration is saved; `finished` may set it. "": not known."""
        self._iterations: list[Iteration] = []
        self._cases: list[str] = []  # of each of them
        self._line_rates: list[float | None] = []  # of the frames that were sent in each of them
        self._unlike: list[Bounds] = []  # past blasts in which a difference of counts is no loss
        self._left: float | None = None  # when the blast began that must not be saved when it ends
        self._saved_by_hand: list[Iteration] = []  # without those that were taken back
        self._by_hand: set[int] = set()  # indexes of all of them, taken back or not, in `_iterations`
        self._diagnosed: tuple[int, Diagnosis] | None = None
        self._bits: tuple[Iteration, Mapping[str, float]] | None = None
        self._taken: dict[tuple[int, bool], Snapshot] = {}  # snapshots of the present state

    # what goes in

    def push(self, sample: Sample) -> None:
        """Take one sample. Never raises on odd content."""
        self._taken.clear()
        state = self._state
        state.push(sample)
        for blast in state.drained():
            if self.automatic and not self.between and blast.began != self._left:
                self._save(blast, self.lab.run.warmup)
            else:
                self._unlike += ended_unlike(state, [blast])
        state.forget()

    def sends(self, generators: tuple[Endpoint, ...]) -> None:
        """Set what the lab's generators send from now on: commands, frames, line rates.

        To be called between two blasts.
        """
        if generators != self.lab.generators:
            self.lab = msgspec.structs.replace(self.lab, generators=generators)
            self._state.sends(self.lab)
            self._taken.clear()

    def interrupt(self) -> None:
        """What is pushed next does not continue what was pushed before: no rate and no blast spans both.

        A replay calls it where one recording ends and the next begins.
        """
        self._taken.clear()
        self._state.interrupt()

    def fork(self) -> "Monitor":
        """A copy of this monitor; cheap, because samples, points and events never change."""
        twin = copy(self)
        twin._state, twin._taken = self._state.fork(), {}
        twin._iterations, twin._saved_by_hand = self._iterations.copy(), self._saved_by_hand.copy()
        twin._cases, twin._line_rates = self._cases.copy(), self._line_rates.copy()
        twin._by_hand, twin._unlike = self._by_hand.copy(), self._unlike.copy()
        return twin

    # blasts become iterations

    @property
    def ending(self) -> bool:
        """Whether a blast has ended and its last samples are awaited before it becomes an iteration."""
        awaited = any(blast.began != self._left for blast in self._state.ended)
        return awaited and self.automatic and not self.between

    @property
    def unsaved(self) -> bool:
        """Whether a blast is going on that `save_early` has not dealt with yet."""
        current = self._state.blasts.current
        return current is not None and current.began != self._left

    @property
    def fading(self) -> bool:
        """Whether an `unsaved` blast may be over already; within `longest_end` seconds it is known."""
        return self.unsaved and self._state.blasts.fading

    @property
    def longest_end(self) -> float:
        """Seconds after the end of a blast's traffic within which the end is detected."""
        return self._state.blasts.longest_end + 2 * self.lab.interval

    @property
    def in_blast(self) -> bool:
        """Whether a blast is going on, or its last samples are awaited."""
        return self._state.blasts.current is not None or bool(self._state.ended)

    @property
    def began(self) -> float | None:
        """When the current blast began, as far as that is known yet; None: there is no blast.

        The events say so too, but only the newest ones are kept: a kernel's messages push others out.
        """
        current = self._state.blasts.current
        return None if current is None else current.began

    def _this_blast(self, seconds: float) -> tuple[Blast, float]:
        """The blast so far, or the last `seconds` if there is none; and its warm-up in seconds."""
        current = self._state.blasts.current
        if current is None:
            return Blast(self._state.now - seconds, self._state.now), 0.0
        return Blast(current.began, self._state.now), self.lab.run.warmup

    def snapshot_iteration(self, seconds: float = 10.0, *, early: bool = False) -> Iteration:
        """Save the blast so far, or the last `seconds` if there is none, as an iteration.

        `early`: recording ends while the blast goes on; the iteration gets a warning.
        """
        return self._save(*self._this_blast(seconds), early=early)

    def save_early(self) -> Iteration | None:
        """Recording ends now: save the current blast so far, and do not save it again when it ends.

        Returns None if there is no blast, or if it has no whole sample yet; an event reports the latter.
        """
        from fwdtui.monitor.live.iteration import NoValueError

        current = self._state.blasts.current
        if current is None:
            return None
        self._left = current.began  # so that it is not saved when it ends, in a moment
        try:
            return self._save(*self._this_blast(0.0), early=True, valued=True)
        except NoValueError:
            self._taken.clear()
            text = "The current blast had no whole sample yet, so none of it was saved."
            self._state.say("iteration", text)
            return None

    def save_ended(self) -> Iteration | None:
        """Recording ends now: save a blast that has ended although some of its last samples are missing.

        Returns None if there is no such blast.
        """
        if not self.ending:
            return None
        blast = next(one for one in self._state.ended if one.began != self._left)
        self._state.ended.remove(blast)
        return self._save(blast, self.lab.run.warmup)

    def save_by_hand(self, seconds: float = 10.0) -> Iteration:
        """Like `snapshot_iteration`, at the user's request; the iteration can be taken back.

        Raises FwdtuiError with the reason if there is nothing to save.
        """
        blast, warmup = self._this_blast(seconds)
        if self._state.blasts.current is None:
            if self.ending:
                raise FwdtuiError("the blast that has just ended becomes an iteration automatically")
            flows = [series.since(blast.began) for series in self._state.flows.series.values()]
            if not any((point.value or 0.0) >= QUIET for points in flows for point in points):
                raise FwdtuiError(f"there was no traffic in the last {seconds:.0f} s")
        iteration = self._save(blast, warmup, valued=True)
        self._saved_by_hand.append(iteration)
        self._by_hand.add(len(self._iterations) - 1)
        return iteration

    def of_blasts(self, since: int = 0) -> list[Iteration]:
        """The iterations, from index `since` on, that were made of blasts: without those saved by hand."""
        return [one for n, one in enumerate(self._iterations) if n >= since and n not in self._by_hand]

    @property
    def saved_by_hand(self) -> Iteration | None:
        """The newest iteration that was saved by hand and still counts."""
        return self._saved_by_hand[-1] if self._saved_by_hand else None

    def take_back(self, iteration: Iteration, reason: str) -> Iteration:
        """Drop an iteration, saved by hand or by a run; it stays visible with the reason.

        Returns the dropped iteration.
        """
        self._taken.clear()
        by_hand = any(one is iteration for one in self._saved_by_hand)
        dropped = msgspec.structs.replace(iteration, dropped=reason)
        self._saved_by_hand = [one for one in self._saved_by_hand if one is not iteration]
        self._iterations = [dropped if one is iteration else one for one in self._iterations]
        told = "was taken back: it does not count." if by_hand else f"does not count: {reason}"
        self._state.say("iteration", f"Iteration {iteration.index} {told}")
        return dropped

    def _save(self, blast: Blast, warmup: float, *, early: bool = False, valued: bool = False) -> Iteration:
        """Make an iteration of a blast, save it and announce it.

        `valued`: raise NoValueError instead of saving an iteration without a value.
        """
        # imported here: the first frame does without it
        from fwdtui.monitor.live.iteration import iteration_of

        state = self._state
        iteration, samples = iteration_of(state, blast, warmup=warmup, early=early, valued=valued)
        if self._finished:
            iteration = self._finished(iteration, samples, blast.began)
        self._taken.clear()
        self._iterations.append(iteration)
        self._cases.append(self.case)
        self._line_rates.append(self.lab.line_rate)
        if is_unlike(iteration):
            self._unlike.append((blast.began, state.now if blast.ended is None else blast.ended))
        if iteration.saved:
            self._announce(iteration, blast.ended)
        return iteration

    def saved(self, before: Iteration, after: Iteration) -> None:
        """Replace an iteration that could not be saved at first with the saved one.

        `after` may also be a version that is still to be saved (`saved` is False); that is not announced.
        """
        self._taken.clear()
        for place, iteration in enumerate(self._iterations):
            if iteration is before:
                self._iterations[place] = after
                self._saved_by_hand = [after if one is before else one for one in self._saved_by_hand]
                if after.saved:
                    self._announce(after)

    def _announce(self, iteration: Iteration, at: float | None = None) -> None:
        text = f"Iteration {iteration.index} is complete."
        if iteration.incomplete:
            text = f"Iteration {iteration.index} is incomplete: {iteration.incomplete}"
        self._state.say("iteration", text, at)

    # what comes out

    def host(self, name: str) -> HostView | None:
        """The newest view of one host; cheap enough to call at every sample."""
        return self._state.hosts.get(name)

    @property
    def ports_missed(self) -> list[str]:
        """See `PortsGone.missed`."""
        return self._state.ports_gone.missed(self.lab, self._state.uncounted)

    def averages(self, start: float, end: float, began: float) -> Averages:
        """Means of the flows, drops, cores and queues, all over the same seconds within these bounds.

        `began`: when their blast did.
        """
        state = self._state
        return state.averages(start, end, traffic=state.traffic(began, state.ended_after(end)))

    def parts(self) -> dict[str, tuple[tuple[Point, ...], ...]]:
        """The points of each port or generator of the flows that are sums; only as many as a value needs."""
        return {
            name: tuple(tuple(series) for series in parts.values())
            for name, parts in self._state.flows.parts.items()
        }

    @property
    def silence(self) -> float:
        """Seconds without a sample after which a host's numbers are old."""
        return self._state.hosts.silence

    def snapshot(self, points: int = 600) -> Snapshot:
        """The run as it is now, with the newest `points` points of each flow and of the cores.

        They cover at least `points` intervals: a flow may have several points in an interval, one of each
        generator or of each line of a tool. The snapshot is the same object until something changes, since a
        screen asks more often than samples arrive.
        """
        asked = points, self.automatic
        if asked not in self._taken:
            self._taken[asked] = self._snapshot(points)
        return self._taken[asked]

    def _snapshot(self, points: int) -> Snapshot:
        state = self._state
        present = together({name: state.flows.series[name] for name in _SHOWN}, state.now - state.late)
        began = state.now - points * self.lab.interval
        flows = {name: self._flow(name, one, points, began) for name, one in present.items()}
        last = "received" if self.lab.receiver else "forwarded"
        arrived, offered = flows[last].now, flows["offered"].now
        steady = all(one is None or one.steady for one in (present["offered"], present[last]))
        diagnosis = self._diagnosis()
        unlike = counted_unlike(state, diagnosis)
        steady = steady and not unlike
        loss = None if offered is None or arrived is None or not steady else offered - arrived
        if self.lab.attacked and loss is not None and loss < 0:
            loss = None  # part of the attack arrived: nothing is known of the wanted traffic
        return Snapshot(
            now=state.now,
            lab=self.lab.name,
            offered=flows["offered"],
            forwarded=flows["forwarded"],
            received=flows["received"],
            attack=flows["attack"] if self.lab.attacked else None,
            loss=loss,
            loss_share=loss / offered if loss is not None and offered else None,
            line_rate=self.lab.line_rate,
            dut=state.hosts.aged(self.lab.dut.host, state.now),
            hosts=state.hosts.all_aged(state.now),
            events=tuple(state.events),
            iterations=tuple(self._iterations),
            cases=tuple(self._cases),
            unlike=self._blasts_unlike(unlike),
            blast=state.blasts.current,
            over=tuple(state.over),
            diagnosis=diagnosis,
            automatic=self.automatic,
            cores=state.ticks.loads.cores.newest(points, began),
            queues=state.ticks.loads.queues.since(began),
            last_bits=self._last_bits(),
            last_line_rate=self._last_line_rate(),
            reasons=shares(state.reasons, state.now, self.lab.dut.inputs, self.lab.dut.outputs),
        )

    def _blasts_unlike(self, now: bool) -> tuple[Bounds, ...]:
        """The blasts in which a difference of counts is no loss. `now`: the current blast is one of them."""
        current, edge = self._state.blasts.current, self.lab.interval
        blasts = [*self._unlike, *ended_unlike(self._state, self._state.ended)]
        blasts += [(current.began, inf)] if now and current is not None else []
        # hosts sample at their own moments: a sample that overlaps with the blast's edge belongs to the blast
        return tuple((began - edge, ended + edge) for began, ended in blasts)

    def _flow(self, name: str, present: Present | None, points: int, began: float) -> Flow:
        series = self._state.flows.series[name]
        shown = series.newest(points, began)
        if present is None:
            return Flow(name, None, shown, old=series.last_known)
        return Flow(name, present.point.value, shown, bps=present.point.bps)

    def _last_bits(self) -> Mapping[str, float]:
        """The bits of the newest iteration, computed once: its window does not change."""
        one = newest(self._iterations)
        if one is None or one.window is None or one.window.start is None:
            return {}
        if self._bits is None or self._bits[0] is not one:
            start = one.window.start
            flows = {name: series.since(start) for name, series in self._state.flows.series.items()}
            self._bits = one, bits_of(one, flows)
        return self._bits[1]

    def _last_line_rate(self) -> float | None:
        """The line rate of the newest iteration's frames: the next blast may have others."""
        rates = zip(reversed(self._iterations), reversed(self._line_rates), strict=True)
        return next((rate for one, rate in rates if not one.dropped), None)

    def _diagnosis(self) -> Diagnosis:
        """The diagnosis, computed once per new sample, however many points a snapshot asks for."""
        if self._diagnosed is None or self._diagnosed[0] != self._state.pushed:
            self._diagnosed = self._state.pushed, diagnosis_now(self._state)
        return self._diagnosed[1]
