"""The series of one recorded iteration over time, computed by the same Monitor that drew it live."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.host_rates import CpuShare, QueueRate
from fwdtui.core.model import HostSample, Iteration, Sample, Session
from fwdtui.monitor.live.averages import Averages, Bounds, whole_intervals
from fwdtui.monitor.live.last_result import is_unlike
from fwdtui.monitor.live.moment import flows_of
from fwdtui.monitor.live.refreshes import sum_at_refreshes
from fwdtui.monitor.live.series import CoreLoad, Point
from fwdtui.monitor.replay.recorded_lab import monitor_of, placed, sent_by
from fwdtui.store import opening, read_samples
from fwdtui.store.schema import ITERATION_FILE, decode_iteration

_ALIGNED = (
    "The logs of generator and receiver have separate clocks: their series are aligned where traffic begins."
)


class IterationSeries(msgspec.Struct, frozen=True):
    """One iteration over time. Times are seconds on the recording's axis, rates packets per second.

    `flows`: "offered", "attack", "forwarded", "received", as far as they were recorded. `window`: start and
    end of the value's window; None if not known. `queues` and `drops` are the DUT's means in the window,
    `cpus` the shares of its cores' time; empty if the DUT was not sampled. `unread`: the stages whose drops
    are a lower bound, and why.
    """

    flows: Mapping[str, tuple[Point, ...]]
    began: float
    window: tuple[float, float] | None = None
    queues: tuple[QueueRate, ...] = ()
    cpus: tuple[CpuShare, ...] = ()
    drops: Mapping[str, float] = {}
    unread: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()  # how to read the series
    problems: tuple[str, ...] = ()  # damage, and what is missing
    cores: tuple[CoreLoad, ...] = ()  # the DUT's busiest core of each tick
    parts: Mapping[str, tuple[tuple[Point, ...], ...]] = {}  # flow that is a sum -> each port or generator
    unlike: tuple[Bounds, ...] = ()  # when a difference of counts is no loss: all of the time, or never
    counts_queues: bool = False  # whether the DUT's driver counts packets of queues, even if seldom read

    def inside(self, flow: str) -> tuple[Point, ...]:
        """The points of a flow within the window, from which its metric was made."""
        if self.window is None:
            return ()
        return tuple(whole_intervals(self.flows.get(flow, ()), self.window))

    def refreshed(self, flow: str) -> tuple[Point, ...]:
        """Like `inside`, but from refresh to refresh of the flow's counters, like the window was chosen."""
        if self.window is None:
            return ()
        whole, *parts = (
            [point for point in points if point.at > self.began]
            for points in (self.flows.get(flow, ()), *self.parts.get(flow, ()))
        )
        return tuple(whole_intervals(sum_at_refreshes(whole, parts)[0], self.window))


def read_series(folder: Path, session: Session) -> IterationSeries:
    """Read the series of the iteration recorded in `folder`, which belongs to `session`.

    Damage is reported in `problems`, never raised.
    """
    problems: list[str] = []
    iteration = None
    path = folder / ITERATION_FILE
    try:
        iteration = decode_iteration(opening.read(path), path).iteration()
    except OSError as error:
        problems.append(f"{path}: {error.strerror or error}")
    except FwdtuiError as error:
        problems.append(str(error))
    try:
        log = read_samples(folder)
    except FwdtuiError as error:
        return IterationSeries({}, 0.0, problems=(*problems, str(error)))
    problems += log.problems
    if not log.samples:
        problems.append(f"{folder}: no samples were recorded, only the value")
    return series_of(log.samples, iteration, session, problems)


def series_of(
    samples: Sequence[Sample], iteration: Iteration | None, session: Session, problems: Sequence[str] = ()
) -> IterationSeries:
    """Like `read_series`, from samples in memory. `iteration` gives the window; None: not known."""
    ordered = placed(samples)
    monitor = monitor_of(session, ordered, automatic=False, remember=math.inf)
    if iteration is not None:  # drops are judged according to the line rate of the frames that were sent
        monitor.sends(sent_by(monitor.lab, iteration))
    begins: list[float] = []
    for sample in ordered:
        monitor.push(sample)
        if monitor.began is not None and monitor.began not in begins[-1:]:
            begins.append(monitor.began)
    seen = monitor.snapshot(points=max(len(ordered), 1))
    flows = flows_of(seen, receiver=True)
    flows = {name: points for name, points in flows.items() if any(p.value is not None for p in points)}
    own_clocks = any(sample.at is None for sample in samples)
    window = _window(iteration, flows, own_clocks)
    before = [at for at in begins if window is None or at <= window[0]]
    first = min((points[0].at - points[0].seconds for points in flows.values()), default=0.0)
    began = before[-1] if before else window[0] if window else first
    profile = Averages({}) if window is None else monitor.averages(*window, began)
    return IterationSeries(
        flows=flows,
        window=window,
        began=began,
        queues=profile.queues,
        counts_queues=any(
            queue.packets is not None
            for sample in ordered
            if isinstance(sample, HostSample) and sample.host == monitor.lab.dut.host
            for queue in sample.queues
        ),
        cpus=profile.cpus,
        drops=profile.drops,
        unread=profile.unread,
        notes=(_ALIGNED,) if own_clocks and {"offered", "received"} <= flows.keys() else (),
        problems=tuple(problems),
        cores=seen.busiest,
        parts=monitor.parts(),
        unlike=((-math.inf, math.inf),) if iteration is not None and is_unlike(iteration) else (),
    )


def _window(
    iteration: Iteration | None, flows: Mapping[str, tuple[Point, ...]], own_clocks: bool
) -> tuple[float, float] | None:
    """The start and end of the value's window; None if not known.

    `own_clocks`: the samples are of imported logs, whose first line may be the first one of the window. A
    recording begins with the quiet before the blast.
    """
    window = iteration.window if iteration else None
    if window is None or window.start is None or window.end is None:
        return None
    start = window.start
    if own_clocks and window.head == 0 and (points := flows.get("received")):
        # a log's clock begins at its first line, whose interval lies before that
        start = min(start, points[0].at - points[0].seconds)
    return start, window.end
