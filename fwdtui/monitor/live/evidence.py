"""Gathers what is known about a stretch of time, so that the diagnosis can say what limits the run."""

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from statistics import median

import msgspec

from fwdtui.core import fragments, offered, super_packets, uncounted
from fwdtui.core.arrived import QUIET
from fwdtui.core.diagnosed import Diagnosis, averaged
from fwdtui.core.diagnosis import diagnose
from fwdtui.core.evidence import Evidence
from fwdtui.core.model import Caution
from fwdtui.monitor.live.averages import Bounds, mean_lengths
from fwdtui.monitor.live.blast import Blast
from fwdtui.monitor.live.last_result import UNLIKE
from fwdtui.monitor.live.series import Point
from fwdtui.monitor.live.snapshot import HostView
from fwdtui.monitor.live.state import State

RECENT = 5.0
"""How many seconds the diagnosis of a running lab looks back."""

_RESET = 2.5
"""Seconds around a blast's beginning, and after the start and the end of a tool, in which a link goes down.

netmap resets a card when it opens it, which pkt-gen does two seconds before it sends (-w 2), and when it
gives it back. FreeBSD's messages, which report links, are read every two seconds and have the time of their
arrival.
"""
_FULL = 0.97
"""Share of a flow's median rate: a lower newest rate may be that of the interval in which the blast ended."""
_SIDES = ("offered", "dut in")
_ONE_TRAFFIC = ("offered", "forwarded", "received")
_RECKONED = frozenset(
    (offered.CODE, "one-queue", "receiver-lost", "dut-limited", "generator-limited", "line-limited")
)
"""Codes of sentences that compare the packets of one host with those of another."""


def agreed_end(
    flows: Mapping[str, Sequence[Point]], now: float, stale: float, interval: float, longest: float
) -> float:
    """Up to when all flows of the current blast cover the same traffic, in seconds on the recording's axis.

    Hosts sample at their own moments and tools print late, so at a blast's end one flow is at zero while
    another still shows the time before; a loss computed from the two would be false. Seconds that only some
    hosts have sampled yet are left out. So is a fall of one side that may be the blast's end, because the
    other side has no later sample with undiminished traffic yet. A fall of the DUT under a load that goes on,
    or a fall that has lasted for `longest` seconds, is evidence like any other. Flows silent for `stale`
    seconds are not waited for. The two sides are the generators and the DUT's input; if the DUT's counters do
    not see the traffic, the receiver is used instead of the DUT's input.
    """
    known = {name: [p for p in points if p.value is not None] for name, points in flows.items()}
    newest = [points[-1].at for points in known.values() if points and points[-1].at >= now - stale]
    end = min(newest, default=now)
    sides = _SIDES
    if known.get("received") and not any((point.value or 0.0) >= QUIET for point in known.get("dut in", ())):
        sides = "offered", "received"
    fallen = {name: _fall(known.get(name, ())) for name in sides}
    for name, since in fallen.items():
        (other,) = (side for side in sides if side != name)
        if since is None or now - since > longest:
            continue
        points = known.get(other, [])
        goes_on = points and fallen[other] is None and points[-1].at - points[-1].seconds >= since + interval
        if not goes_on:
            end = min(end, since)
    return end


def _fall(points: Sequence[Point]) -> float | None:
    """When the rates fell below the usual rate to stay there; None if the newest rate is not below it."""
    values = [point.value or 0.0 for point in points]
    since = None
    usual = _FULL * median(value for value in values if value > 0) if any(values) else 0.0
    for point, value in zip(reversed(points), reversed(values), strict=True):
        if value >= usual:
            break
        since = point.at - point.seconds
    return since


def diagnosis_now(state: State) -> Diagnosis:
    """What limits the run in its last seconds; the sentence says how many seconds."""
    (start, end), since = _last_seconds(state)
    ago = state.now - end
    evidence = _evidence(state, (start, end), state.now, late=state.late, traffic=(since, end))
    evidence = msgspec.structs.replace(evidence, settling=_settling(state, evidence, end))
    found = diagnose(evidence)
    if found.code in _RECKONED and (why := _unlike(state, (start, end))):
        return Diagnosis(why.code, why.text, found.evidence)
    return averaged(found, end - start, ago if ago > 2 * state.lab.interval else 0.0)


def counted_unlike(state: State, found: Diagnosis) -> bool:
    """Whether packets out of the DUT are counted in other units than packets into it, as in an iteration.

    A difference is no loss then. `found`: what limits the run now.
    """
    if found.code in UNLIKE or found.code in _RECKONED:
        return found.code in UNLIKE
    if state.blasts.current is None or found.code == uncounted.CODE:
        return False
    return _unlike(state, _last_seconds(state)[0]) is not None


def ended_unlike(state: State, blasts: Iterable[Blast]) -> list[Bounds]:
    """The bounds of those ended blasts in whose last seconds output and input were counted in other units."""
    ended = [(blast.began, blast.ended) for blast in blasts if blast.ended is not None]
    return [(began, end) for began, end in ended if _unlike(state, (max(began, end - RECENT), end))]


def _unlike(state: State, bounds: Bounds) -> Caution | None:
    """The warning, as an iteration has it, if the DUT fragments packets or a host counts them in bundles."""
    flows = {name: state.flows.series[name].since(bounds[0]) for name in _ONE_TRAFFIC}
    lengths, frame = mean_lengths(flows, bounds), state.lab.frame
    if frame is not None and (parted := fragments.parted(lengths, frame)):
        return fragments.caution(*parted, frame)
    bundles = super_packets.bundled(lengths, frame)
    return super_packets.caution(bundles) if bundles else None


def evidence_of(
    state: State,
    start: float,
    end: float,
    began: float | None = None,
    flows: Mapping[str, Sequence[Point]] | None = None,
    ended: float | None = None,
) -> Evidence:
    """The evidence of a window that is over: no more samples of it are expected.

    `began`, `ended`: when its blast did; None: the window belongs to the current blast, or to none. `flows`:
    points from refresh to refresh (segment.whole_refreshes); None: the points that were read.
    """
    traffic = None if began is None or ended is None else state.traffic(began, ended)
    return _evidence(state, (start, end), end, late=None, began=began, points=flows, traffic=traffic)


def _last_seconds(state: State) -> tuple[Bounds, float]:
    """The seconds that the diagnosis covers, and since when there has been the same traffic, or none.

    Hosts sample at their own moments, so edges are left out.
    """
    current, interval, end = state.blasts.current, state.lab.interval, state.now
    recent = max(RECENT, 3 * interval)
    edges = [edge for edge in (state.blasts.surely, state.quiet_since) if edge is not None]
    if current is not None:
        longest = state.blasts.longest_end + 2 * interval
        since = max([end - 2 * recent - longest, *edges])
        flows = {name: series.since(since) for name, series in state.flows.series.items()}
        end = agreed_end(flows, end, state.late, interval, longest)
    return (max([end - recent, *edges]), end), max(edges, default=-inf)


def _settling(state: State, evidence: Evidence, end: float) -> bool:
    """Whether the blast began so recently that a flow whose rates arrive has no whole sample of it yet."""
    surely = state.blasts.surely
    if state.blasts.current is None or surely is None or end >= surely + state.late:
        return False
    rates = {
        "offered": evidence.offered,
        "dut in": evidence.dut_in,
        "forwarded": evidence.forwarded,
        "received": evidence.received,
        "attack": evidence.attack,
    }
    newest = {name: series.last for name, series in state.flows.series.items()}
    coming = {n for n, p in newest.items() if p and p.value is not None and p.at >= state.now - state.late}
    return any(rates[name] is None for name in coming)


def _was_seen(state: State, view: HostView, until: float) -> bool:
    """Whether the samples of a host that is lost now reach the end of a window that is over, at `until`."""
    return view.last is not None and view.last >= until - state.late


def _flaps(
    state: State,
    flows: Mapping[str, float],
    since: float,
    until: float,
    began: float | None,
    counts: float,
) -> list[tuple[str, float]]:
    """The links that went down, and how many seconds before `until`, without those that a tool has reset.

    `counts`: from when on the blast may be part of a value. A link that was back before that is left out.
    """
    down = [(name, at) for name, at in state.links_down if since <= at <= until]
    if not down:
        return []
    ends = [*state.lab.generators, *([state.lab.receiver] if state.lab.receiver else [])]
    resets = []
    if any(end.tool in state.uncounted for end in ends):
        resets = [one.at for one in state.events if one.code in ("tool-started", "tool-ended")]
    passes = [flows.get("dut in"), flows.get("received", flows.get("forwarded"))]
    if began is not None and all(rate is None or rate >= QUIET for rate in passes):
        resets += [began - _RESET, began]  # the link came up again, since packets pass
        down = [(name, at) for name, at in down if at >= counts]
    return [(name, until - at) for name, at in down if not any(0.0 <= at - one <= _RESET for one in resets)]


def _evidence(
    state: State,
    bounds: Bounds,
    until: float,
    late: float | None,
    began: float | None = None,
    points: Mapping[str, Sequence[Point]] | None = None,
    traffic: Bounds | None = None,
) -> Evidence:
    means = state.averages(*bounds, late, points, traffic)
    silent = state.hosts.silent(state.now) if state.now <= until else {}
    # a link that went down spoils the whole blast, however long ago it came back, but for what never counts
    current = state.blasts.current
    since = (min(bounds[0], current.began) if current else bounds[0]) - 1.0
    counts = since if began is None else bounds[0]
    if began is None and current and current.began <= bounds[0]:
        counts = current.began + state.lab.run.warmup
    began = current.began if began is None and current else began
    lost = [view for view in state.hosts.lost() if state.now <= until or not _was_seen(state, view, until)]
    gap = state.starved(bounds[0], until)
    return Evidence(
        offered=means.flows.get("offered"),
        dut_in=means.flows.get("dut in"),
        forwarded=means.flows.get("forwarded"),
        received=means.flows.get("received"),
        attacker=state.lab.attacked,
        attack=means.flows.get("attack"),
        line_rate=state.lab.line_rate,
        seconds=bounds[1] - bounds[0],
        drops=means.drops,
        unread=means.unread,
        cpus=means.cpus,
        queues=means.queues,
        nic=means.nic,
        at_nic=means.at_nic,
        softnet=means.softnet,
        interrupts=means.interrupts,
        starved=None if gap is None else gap.seconds,
        starved_in=None if gap is None else gap.average,
        silent=silent,
        silent_all=len(silent) == len(state.lab.hosts()),
        lost_hosts=[view.name for view in lost],
        reasons={view.name: view.reason for view in lost},
        sampled=state.hosts.sampled_any,
        link_down=_flaps(state, means.flows, since, until, began, counts),
        ports_gone=state.ports_gone.by(until),
        blast=current is not None,
        measured=any(map(len, state.flows.series.values())),
        inputs=state.lab.dut.inputs,
        outputs=state.lab.dut.outputs,
    )
