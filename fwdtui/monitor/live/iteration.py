"""Makes an iteration of a blast: its value, its packets, what limited it and what was odd."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from fwdtui.core import cost, fragments, offered, super_packets, uncounted
from fwdtui.core.diagnosis import diagnose
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.event_text import told
from fwdtui.core.host_rates import is_fast
from fwdtui.core.lab import Lab
from fwdtui.core.model import (
    HYGIENE,
    NO_REASONS,
    REASONS,
    SEVERAL,
    TOOL_ENDS,
    Caution,
    Cost,
    EventSample,
    HostSample,
    Iteration,
    Packets,
    Sample,
)
from fwdtui.core.offered import is_above
from fwdtui.core.roles import ATTACK
from fwdtui.monitor.live import account, several_ports
from fwdtui.monitor.live.agreed import with_account, with_drops
from fwdtui.monitor.live.averages import mean_lengths
from fwdtui.monitor.live.blast import Blast
from fwdtui.monitor.live.evidence import evidence_of
from fwdtui.monitor.live.holes import cautions, holes, silent_after, uncounted_flows, unsound
from fwdtui.monitor.live.missing_lines import MissingLines, missing_lines
from fwdtui.monitor.live.quiet import seen_quiet
from fwdtui.monitor.live.segment import segment, whole_refreshes
from fwdtui.monitor.live.series import Point
from fwdtui.monitor.live.state import State
from fwdtui.monitor.live.tool_lines import Neighbours, Printed
from fwdtui.monitor.live.troubles import LATER, NEAR, troubles

_MARGIN = 5.0  # seconds, and intervals, around a blast whose samples are saved with it: quiet on both sides
_QUIET = 3  # samples of each host before a blast: two are in the quiet even if the last one is not
_PREPARED = 15.0  # seconds before a blast in which the counting of drop reasons may have failed
EARLY = Caution("ended-early", "Recording ended before the blast did; the value covers what was recorded.")


class NoValueError(FwdtuiError):
    """Raised if a stretch of time gives no value."""


def iteration_of(
    state: State, blast: Blast, *, warmup: float = 0.0, early: bool = False, valued: bool = False
) -> tuple[Iteration, tuple[Sample, ...]]:
    """The iteration of a blast, without a number, and all the samples that are saved with it.

    `warmup`: seconds. `early`: recording ended while the blast went on; the iteration gets a warning.
    `valued`: raise NoValueError if it has no value. With `early` a value of the recorded part is enough, even
    if the iteration is then incomplete and its value does not count.
    """
    lab, began, ended = state.lab, blast.began, state.now if blast.ended is None else blast.ended
    margin, past = 2 * lab.interval, state.ended_before(began)
    every = {name: series.since(began - margin) for name, series in state.flows.series.items()}
    flows = {
        name: points
        for name, points in every.items()
        if name != "dut in" and any(point.value is not None for point in points)
    }
    if lab.attacked:
        flows.setdefault("attack", ())  # it is sent, even if nobody saw how much
    around = _MARGIN * max(1.0, lab.interval)
    # all samples from then on are saved, even if the last ones came late because hosts were waited for;
    # packets are counted in the quiet near the blast
    since = _since(state, began, around, past)
    samples = tuple(s for s in state.samples if s.at is None or since <= s.at)
    near = tuple(s for s in samples if s.at is None or s.at <= ended + around)
    each = {
        name: [series.since(began - margin) for series in parts.values()]
        for name, parts in state.flows.parts.items()
    }
    iteration = segment(flows, began, ended, warmup=warmup, parts=each)
    worthless = iteration.value is None
    packets, unprinted, unheard = None, 0, MissingLines()
    parts: list[Caution] = []
    if state.now >= ended + lab.interval:  # else the blast goes on, and tools' lines cover different times
        # what a host counted before the last blast's end is followed by packets of that blast
        own = tuple(s for s in near if not isinstance(s, HostSample) or s.at >= past)
        quiet = seen_quiet(lab, own, began, ended)
        coming = state.begins_after(ended)
        whole = [s for s in own if not _is_count(s) or (s.at or 0.0) <= coming]
        whole = [s for s in whole if not isinstance(s, HostSample) or s.host in quiet]
        beside = Neighbours(past, state.sends_after(ended))
        packets = account.account(lab, whole, began, ended, state.uncounted, state.veths, beside)
        printed = Printed(lab, whole, began, ended, beside)
        unprinted = printed.unprinted(state.uncounted)
        unheard = missing_lines(printed, state.uncounted, flows.get("forwarded", ()))
        packets = unheard.known(packets)
        if max(len(lab.generators), len(lab.dut.inputs), len(lab.dut.outputs)) > 1:
            by_port = account.by_port(lab, whole, began, ended, state.uncounted, beside)
            parts = several_ports.cautions(lab, by_port, packets)
    events = state.all_events
    missing = holes(lab, samples, events, began, ended)
    measured = lab.receiver.host if lab.receiver else lab.dut.host
    known = {caution.code for caution in iteration.warnings}
    doubts = account.cautions(packets, lab.attacked, unprinted, lab.dut.inputs, ended - began)
    counted = [caution for caution in doubts if caution.code not in known]
    # a change is only seen at the next slow tick
    changed = [event for event in events if event.code == HYGIENE and began < event.at <= ended + LATER]
    lengths = _lengths(flows, iteration)
    bundles = super_packets.bundled(lengths, lab.frame)
    joined = [super_packets.caution(bundles)] if bundles else []
    unseen = _uncounted(iteration, packets)
    pieces = _fragments(lab, lengths)
    if pieces or "offered" in bundles:  # this explains why more came out than went in
        counted = [one for one in counted if one.code != offered.CODE]
        kept = tuple(one for one in iteration.warnings if one.code != offered.CODE)
        iteration = msgspec.structs.replace(iteration, warnings=kept)
    unlike = pieces or ([] if unseen else joined)
    if unlike:  # output and input are counted in different units, so a difference is no loss
        packets = None if packets is None else msgspec.structs.replace(packets, unaccounted=None)
    iteration = msgspec.structs.replace(
        iteration,
        packets=packets,
        limit=unlike[0] if unlike else _limit(state, iteration, packets, began, ended, every, each),
        warnings=(
            *iteration.warnings,
            *counted,
            *pieces,
            *parts,
            *joined,
            *unseen,
            *cautions(missing, measured),
            *uncounted_flows(every, each, began, ended),
            *unheard.cautions(ended - began),
            *_not_received(lab, iteration),
            *_load_unknown(lab, iteration),
            *troubles(lab, iteration, events, samples, began, ended),
            *_several(events, began, ended),
            *_changes(changed),
            *_without_reasons(events, began, ended),
            *((EARLY,) if early else ()),
        ),
        boot=_boot(near, lab.dut.host),
        costs=_costs(state, near, iteration, uncounted.NO_COST if unseen or "forwarded" in bundles else ""),
    )
    silent = silent_after(lab, samples, ended) if blast.unseen else ()
    if why := unsound(lab, flows, missing, began, ended, blast.unseen, silent):
        iteration = _incomplete(iteration, why)
    if valued and iteration.value is None and (worthless or not early):
        reasons = " ".join(caution.text for caution in iteration.warnings)
        raise NoValueError(f"these samples give no value. {reasons}".rstrip())
    return iteration, samples


def _is_count(sample: Sample) -> bool:
    """Whether the sample has running totals, to which the next blast adds."""
    return isinstance(sample, HostSample) or (isinstance(sample, EventSample) and sample.code == REASONS)


def _since(state: State, began: float, around: float, past: float) -> float:
    """From when on the samples before a blast are saved: `around` seconds before it began.

    Earlier if a host was silent just then: packets are counted from each host's last samples of the quiet on.
    That quiet begins at the end of the last blast, at `past`.
    """
    times: dict[str, list[float]] = {}
    for sample in state.samples:
        if isinstance(sample, HostSample) and is_fast(sample) and past <= sample.at <= began:
            times.setdefault(sample.host, []).append(sample.at)
    return min([began - around, *(mine[-_QUIET:][0] for mine in times.values())])


def _limit(
    state: State,
    iteration: Iteration,
    packets: Packets | None,
    began: float,
    ended: float,
    flows: Mapping[str, Sequence[Point]],
    parts: Mapping[str, Sequence[Sequence[Point]]],
) -> Caution:
    """What limited the iteration in the window of its value; if there is no window, in the whole blast.

    It uses the same points as the value: what a card that refreshes slowly counts within some seconds is too
    much or too little by one refresh.
    """
    window, start, end = iteration.window, began, ended
    if window is not None and window.start is not None and window.end is not None:
        start, end = window.start, window.end
    points, slow = whole_refreshes(flows, parts, began, ended)
    evidence = evidence_of(state, start, end, began, points, ended)
    evidence = with_drops(with_account(evidence, packets, slow), packets, ended - began)
    diagnosis = diagnose(evidence)
    return Caution(diagnosis.code, diagnosis.sentence)


def _lengths(flows: Mapping[str, Sequence[Point]], iteration: Iteration) -> dict[str, float]:
    """The mean length of each flow's packets in the window of the value, in bytes."""
    window = iteration.window
    if window is None or window.start is None or window.end is None:
        return {}
    return mean_lengths(flows, (window.start, window.end))


def _fragments(lab: Lab, lengths: Mapping[str, float]) -> list[Caution]:
    """A warning if the DUT fragments packets, according to their mean lengths."""
    if lab.frame is None or (found := fragments.parted(lengths, lab.frame)) is None:
        return []
    return [fragments.caution(*found, lab.frame)]


def _uncounted(iteration: Iteration, packets: Packets | None) -> list[Caution]:
    """A warning if the DUT's counters do not see all that it forwards.

    The medians of two hosts may differ by chance where the rate varies; the packets of the whole blast, if
    they were counted, do not.
    """
    rates = {name: summary.median for name, summary in iteration.metrics.items()}
    received, forwarded = rates.get("received"), rates.get("forwarded")
    if received is None or forwarded is None:
        return []
    sent = rates.get("offered")
    if sent is not None and "attack" in rates:
        sent += rates["attack"]
    if not uncounted.unseen_rates(received, forwarded, sent):
        return []
    counted = packets is not None and None not in (packets.received, packets.forwarded)
    if packets is not None and counted and not is_above(packets.received, packets.forwarded):
        return []
    return [uncounted.caution(received, forwarded)]


def _costs(state: State, samples: tuple[Sample, ...], iteration: Iteration, why: str = "") -> dict[str, Cost]:
    """What a packet cost in the window of the value; nothing if there is no window.

    `why`: why the cost cannot be known; "" if it can.
    """
    window = iteration.window
    if window is None or window.start is None or window.end is None:
        return {}
    dut = state.lab.dut
    return cost.costs(
        samples,
        dut.host,
        dut.outputs,
        (window.start, window.end),
        shared=state.lab.on_dut,
        asked=dut.count,
        why_not=state.not_counted,
        unknown=why,
    )


def _incomplete(iteration: Iteration, why: str) -> Iteration:
    warning = Caution("incomplete", f"{why} What was seen is saved, but gives no value.")
    return msgspec.structs.replace(
        iteration, value=None, complete=False, incomplete=why, warnings=(warning, *iteration.warnings)
    )


def _not_received(lab: Lab, iteration: Iteration) -> list[Caution]:
    """A warning if the value is that of the DUT's output although there is a receiver."""
    if lab.receiver is None or iteration.value is None or "received" in iteration.metrics:
        return []
    text = f"It is not known what {lab.receiver.host} received, so the value is what the DUT forwarded."
    return [Caution("not-received", text)]


def _load_unknown(lab: Lab, iteration: Iteration) -> list[Caution]:
    """A warning if the lab has generators, but nothing says what they sent: whether they were the limit, too.

    A DUT that forwards all that is offered, and one that forwards more, then have the same value.
    """
    hosts = dict.fromkeys(one.host for one in lab.generators if one.role != ATTACK)
    if not hosts or iteration.value is None or "offered" in iteration.metrics:
        return []
    text = (
        f"It is not known what {' and '.join(hosts)} sent, so the value may be all that was offered, and what"
        " was lost before the DUT is not known."
    )
    return [Caution("sender-unread", text)]


def _without_reasons(events: Iterable[EventSample], began: float, ended: float) -> list[Caution]:
    """Warnings that drop reasons were requested but not counted, or not for the whole blast, and why."""
    near = (event for event in events if event.code == NO_REASONS)
    told = {event.text for event in near if began - _PREPARED <= event.at <= ended + NEAR}
    return [Caution(NO_REASONS, f"{text}.") for text in sorted(told)]


def _several(events: Iterable[EventSample], began: float, ended: float) -> list[Caution]:
    """A warning for each tool of this blast that prints as one but is several, with the rate of only one.

    The event comes once after the tool was started, which for a receiver may be long before the blast.
    """
    told_of: dict[tuple[str, str, str], str] = {}
    for event in sorted(events, key=lambda event: event.at):
        tool = event.host, event.role, event.interface
        anew = event.code == "tool-started" and event.at <= ended
        over = event.code in TOOL_ENDS and event.at < began
        if anew or over:
            told_of.pop(tool, None)
        elif event.code == SEVERAL and event.at <= ended + LATER:
            told_of[tool] = told(event)
    return [
        Caution("several-tools", f"The rate does not cover all tools ({text}).") for text in told_of.values()
    ]


def _boot(samples: tuple[Sample, ...], dut: str) -> str:
    """The DUT's boot at the end of the samples; "" if its kernel does not name it."""
    return next(
        (one.boot for one in reversed(samples) if isinstance(one, HostSample) and one.host == dut), ""
    )


def _changes(events: Iterable[EventSample]) -> list[Caution]:
    """One warning about all changes on the hosts that make this value differ from the others."""
    changes = "; ".join(dict.fromkeys(told(event) for event in events))
    if not changes:
        return []
    text = (
        f"Something changed during the iteration ({changes}), so its value may differ from the others; it"
        " counts all the same."
    )
    return [Caution("hygiene-changed", text)]
