"""Accounts for every packet of a blast by how much counters grew from the quiet before to the quiet after.

In a quiet moment no packet is in flight, so the counts of hosts that are sampled at different moments add up
exactly. Counters are followed from sample to sample, so that one that wraps is counted correctly and one that
is reset is detected.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

from fwdtui.core import drop_reasons, drop_stages
from fwdtui.core.arrived import QUIET
from fwdtui.core.drop_stages import INPUT_QUEUE, STAGES
from fwdtui.core.growth import Counted, Growth, growth
from fwdtui.core.host_evidence import PAUSES, PAUSES_RECEIVED, nic_counters, offered_counters
from fwdtui.core.host_rates import FAST, Kind, kinds
from fwdtui.core.lab import Endpoint, Lab
from fwdtui.core.model import REASONS, Caution, EventSample, HostSample, Packets, RateSample, Sample
from fwdtui.core.offered import ADVICE, CODE, is_above
from fwdtui.core.rates import SAID, Reason
from fwdtui.core.roles import ATTACK, WANTED
from fwdtui.core.uncounted import unseen
from fwdtui.core.units import grouped
from fwdtui.monitor.live.blast import REFRESH, SLOWEST, quiet_after, stands_still
from fwdtui.monitor.live.flows import is_from

_RAMP = 3
"""Samples among which a blast that is just beginning looks like noise in one or two."""
_LAST = 5.0
"""Seconds of a blast that show how often its counters move."""
_NOISE = 0.1
"""Share of a blast's rate; what a port carries besides it is less."""
_LATEST = 5.0
"""Seconds after a blast in which lines of its tools may still come."""
_UNKNOWN = frozenset((str(Reason.REBOOT), str(Reason.CLOCK)))


class Neighbours(NamedTuple):
    """When the blast before one ended, and when that after it began: a tool that goes on prints of all."""

    ended: float = -inf
    begins: float = inf


_ALONE = Neighbours()


class Port(NamedTuple):
    """One counter of a port; `way` is "rx", "tx" or "refused"."""

    name: str
    way: str


def account(
    lab: Lab,
    samples: Sequence[Sample],
    began: float,
    ended: float,
    uncounted: Iterable[str] = (),
    veths: Collection[str] = (),
    around: Neighbours = _ALONE,
) -> Packets | None:
    """The packets of a blast; None if no host was sampled before and after it. Times on the recording's axis.

    `veths`: generator ports whose refused packets were offered too (InterfaceRate.refused). If the DUT's own
    input counters miss them (veth in NAPI mode), the sender's count gives that loss.
    """
    tools = frozenset(uncounted)
    spans = {host: _spans(lab, host, samples, began, ended) for host in lab.hosts()}
    ports = {host: _ports(span) for host, span in spans.items()}
    dut = ports[lab.dut.host]

    def counted(host: str, port: Port) -> int | None:
        grown = ports[host]
        return grown.exact(port) if grown else None

    sent_by: dict[str, list[int | None]] = {WANTED: [], ATTACK: []}
    refused = 0
    for generator in lab.generators:
        sending = sent_by[generator.role]
        if generator.tool in tools:
            sending.append(_by_tool(samples, "generator", generator, began, ended, lab.interval, around))
            continue
        sent = counted(generator.host, Port(generator.interface, "tx"))
        if sent is not None and f"{generator.host}.{generator.interface}" in veths:
            not_taken = counted(generator.host, Port(generator.interface, "refused"))
            refused += not_taken or 0
            sent = None if not_taken is None else sent + not_taken
        sending.append(sent)
    received = None
    if lab.receiver and lab.receiver.tool in tools:
        received = _by_tool(samples, "receiver", lab.receiver, began, ended, lab.interval, around)
    elif lab.receiver:
        received = counted(lab.receiver.host, Port(lab.receiver.interface, "rx"))
    if dut is None and received is None and not any(map(any, sent_by.values())):
        return None
    offered, attack = _all(sent_by[WANTED]), _all(sent_by[ATTACK])
    whole = _all([count for sending in sent_by.values() for count in sending])
    if dut is None:
        return Packets(offered, received=received, attack=attack)
    into = _all([dut.exact(Port(name, "rx")) for name in lab.dut.inputs])
    forwarded = _all([dut.exact(Port(name, "tx")) for name in lab.dut.outputs])
    lost = _losses(lab, spans[lab.dut.host], _parts(lab, samples, spans[lab.dut.host], began))
    drops = {stage: round(count) for stage, count in drop_stages.stages(lost.found).items()}
    if refused:
        drops[INPUT_QUEUE] = max(drops.get(INPUT_QUEUE, 0), refused)
        drops = {stage: drops[stage] for stage in STAGES if stage in drops}
    unaccounted = None
    if whole is not None and forwarded is not None and not unseen(received, forwarded, whole):
        unaccounted = whole - forwarded - sum(drops.values())
    at_nic, nic = _nic(lab, spans[lab.dut.host])
    packets = Packets(
        offered,
        into,
        forwarded,
        received,
        drops,
        unaccounted,
        at_nic=at_nic,
        nic=nic,
        unread=drop_stages.unread(lost.gaps),
        attack=attack,
    )
    counts = [one for one in samples if isinstance(one, EventSample) and one.code == REASONS]
    dut_ports = lab.dut.inputs, lab.dut.outputs
    return drop_reasons.joined(packets, drop_reasons.counted(counts, began, ended, *dut_ports))


class ByPort(NamedTuple):
    """Packets of a blast by port, None where not known: ``g0 of gen`` -> sent, and the DUT's own ports."""

    generators: Mapping[str, int | None]
    inputs: Mapping[str, int | None]
    outputs: Mapping[str, int | None]


def by_port(
    lab: Lab,
    samples: Sequence[Sample],
    began: float,
    ended: float,
    uncounted: Collection[str] = (),
    around: Neighbours = _ALONE,
) -> ByPort:
    """What each generator of wanted traffic has sent, and each port of the DUT has carried, in a blast."""
    ports = {host: _ports(_spans(lab, host, samples, began, ended)) for host in lab.hosts()}

    def counted(host: str, port: Port) -> int | None:
        grown = ports[host]
        return grown.exact(port) if grown else None

    sent = {
        f"{one.interface} of {one.host}": _by_tool(
            samples, "generator", one, began, ended, lab.interval, around
        )
        if one.tool in uncounted
        else counted(one.host, Port(one.interface, "tx"))
        for one in lab.generators
        if one.role != ATTACK
    }
    dut = lab.dut.host
    return ByPort(
        sent,
        {name: counted(dut, Port(name, "rx")) for name in lab.dut.inputs},
        {name: counted(dut, Port(name, "tx")) for name in lab.dut.outputs},
    )


def seen_quiet(lab: Lab, samples: Sequence[Sample], began: float, ended: float) -> set[str]:
    """The hosts that are known to have been quiet before a blast; the others cannot be counted from there.

    They were watched from within the traffic, or after a silence: the first sample of one is of another
    moment than that of the next, and so is what it counts. So is the last one of a host where an attack goes
    on after the wanted traffic.
    """
    until = began + (_RAMP + 1) * lab.interval
    quiet = set()
    for host in lab.hosts():
        fast = _by_kind(samples, host).get(FAST, [])
        begin = [one for one in fast if one.at <= until]
        outlasted = lab.attacked and _goes_on(fast, began, ended, ended + quiet_after(lab.interval))
        if _was_quiet(begin, began, is_slow(fast, began, ended)) and not outlasted:
            quiet.add(host)
    return quiet


def _goes_on(fast: Sequence[HostSample], began: float, ended: float, until: float) -> bool:
    """Whether a host still counts packets at the end of the quiet that is sure, as in the blast."""
    during = [one for one in fast if began <= one.at <= ended]
    after = [one for one in fast if ended < one.at <= until][-2:]
    if len(during) < 2 or len(after) < 2:
        return False
    return _rate(*after) >= max(QUIET, _NOISE * _rate(during[0], during[-1]))


def _was_quiet(those: Sequence[HostSample], began: float, slow: bool) -> bool:
    """`slow`: its cards stand still within traffic, too: that it was quiet takes longer to know."""
    before = [one for one in those if one.at <= began]
    if not before:
        return False
    if slow and before[-1].at - before[0].at > REFRESH:
        return _slow_rest(before) is not None
    pairs = list(pairwise(before))[-_RAMP:]
    if not all(_grown(*pair) for pair in pairs):
        return True
    after = list(pairwise(those[len(before) - 1 : len(before) + _RAMP]))
    # with a single sample before it: the interval in which it began has little of it yet
    last = pairs[-1:] or after[:1]
    return bool(last) and _rate(*last[0]) < max(
        QUIET, _NOISE * max((_rate(*pair) for pair in after), default=0.0)
    )


def _slow_rest(before: Sequence[HostSample]) -> float | None:
    """Until when a host was quiet `before` a blast if its cards stand still within traffic, too; None: never.

    It may refresh before the side by which the beginning is known, and has counted some of the blast by then.
    """
    first = 0
    rests = []
    for sample in before:
        while first + 1 < len(before) and before[first + 1].at <= sample.at - REFRESH:
            first += 1
        if sample.at - before[first].at >= REFRESH and _rate(before[first], sample) < QUIET:
            rests.append(sample.at)
    return rests[-1] if rests and rests[-1] >= before[-1].at - SLOWEST else None


def is_slow(fast: Sequence[HostSample], began: float, ended: float) -> bool:
    """Whether a host's cards count more slowly than they are read, by the last seconds of a blast."""
    last = [one for one in fast if max(began, ended - _LAST) <= one.at <= ended]
    return stands_still([_grown(*pair) > 0 for pair in pairwise(last)])


def _rate(one: HostSample, other: HostSample) -> float:
    return _grown(one, other) / max(other.at - one.at, 1e-3)


def unprinted(
    lab: Lab,
    samples: Sequence[Sample],
    began: float,
    ended: float,
    uncounted: Collection[str],
    around: Neighbours = _ALONE,
) -> int:
    """The packets that generators may have sent after their last lines; those that their ports count: none.

    A pkt-gen that is ended by another signal than INT does not print the interval that it is in (pkt-gen.c,
    main(), handles SIGINT alone), and one interval is as long as the one before.
    """
    own = [generator for generator in lab.generators if generator.tool in uncounted]
    last = [_lines(samples, "generator", one, began, ended, lab.interval, around)[-1:] for one in own]
    return round(sum(line.packets or 0.0 for lines in last for _, line in lines))


def cautions(
    packets: Packets | None, attacked: bool = False, unprinted: int = 0, inputs: Collection[str] = ()
) -> list[Caution]:
    """Warnings from the counts themselves: more out than in, and counters that had gaps.

    `attacked`: a generator of the lab sends an attack. `unprinted`: packets that may have been sent and not
    been counted. `inputs`: the DUT's ports at which the load comes in. Only for a blast that was counted from
    quiet to quiet: within a blast the counts are of different times.
    """
    if packets is None or packets.forwarded is None:
        return []
    doubts = []
    sent = _all([packets.offered, packets.attack]) if attacked else packets.offered
    for what, count in (("received", packets.received), ("forwarded", packets.forwarded)):
        if count is not None and is_above(count - unprinted, sent):
            text = f"{grouped(count)} packets were {what} of {grouped(sent or 0)} offered"
            doubts.append(Caution(CODE, f"{text}, which is impossible: {ADVICE}."))
            break
    for stage, why in packets.unread.items():
        when = "" if why == Reason.UNSAMPLED else " during the blast"
        text = f"Drops at the {stage} are a lower bound: {SAID.get(why, why)}{when}."
        doubts.append(Caution("counter-gap", text))
    return [*doubts, *_pauses(packets, inputs)]


def _pauses(packets: Packets, inputs: Collection[str]) -> list[Caution]:
    """Pause frames during the blast: somebody was held back, and no counter of losses shows it."""
    told = []
    for names, who in (
        (PAUSES, "sent {}, by which it held {} back"),
        (PAUSES_RECEIVED, "was sent {}, by which it was held back"),
    ):
        for name, count in packets.nic.items():
            port, _, counter = name.partition(" ")
            if counter in names:
                frames = f"{grouped(count)} pause frame{'' if count == 1 else 's'}"
                partner = "the generator" if port in inputs else "its link partner"
                told.append(f"{port} of the DUT {who.format(frames, partner)}")
    if not told:
        return []
    return [
        Caution("pause-frames", f"During the blast {'; '.join(told)}: switch flow control off and repeat it.")
    ]


_Spans = Mapping[Kind, Sequence[HostSample]]
"""The samples of each kind, from the last one in the quiet before to one in the quiet after."""


def _by_kind(samples: Sequence[Sample], host: str) -> dict[Kind, list[HostSample]]:
    by_kind: dict[Kind, list[HostSample]] = {}
    for sample in samples:
        if isinstance(sample, HostSample) and sample.host == host:
            for kind in kinds(sample):
                by_kind.setdefault(kind, []).append(sample)
    return by_kind


def _spans(lab: Lab, host: str, samples: Sequence[Sample], began: float, ended: float) -> _Spans:
    """The host's samples by kind; a kind that was not sampled in both quiets is left out.

    A blast may begin so late within an interval that its first packets look like noise there. So the
    beginning is the last sample that is not after `began` and has not grown since the one before it, if one
    of the last few has not.

    A slow DUT forwards what is left in its queues after the blast has ended, and the sink counts it: the end
    is the first sample after which the host's packets do not grow, in the quiet that is sure. If they grow
    later, by more than noise, they had only not been counted yet: some drivers count once a second or two.
    After a blast within which a host did so, the quiet is looked at for longer.
    """
    by_kind, spans = _by_kind(samples, host), {}
    fast = by_kind.get(FAST, [])
    slow = is_slow(fast, began, ended)
    last = ended + max(quiet_after(lab.interval), SLOWEST if slow else 0.0)

    def after(those: Sequence[HostSample]) -> list[int]:
        places = [place for place, s in enumerate(those) if s.at >= ended + lab.interval]
        return [place for place in places if those[place].at <= last] or places[:1]

    quiet = [fast[place] for place in after(fast)]
    still = [
        one.at
        for one, following in pairwise(quiet)
        if not _grown(one, following) and _grown(one, quiet[-1]) <= QUIET * (quiet[-1].at - one.at)
    ]
    earlier = [one for one in fast if one.at <= began]
    at_rest = _slow_rest(earlier) if slow and earlier else None
    rest = _last_rest(earlier) if at_rest is None else at_rest
    for kind, those in by_kind.items():
        before = [place for place, s in enumerate(those) if s.at <= began]
        ends = after(those)
        if before and ends:
            start = next((one for one in reversed(before) if those[one].at <= rest), before[0])
            end = next((one for one in ends if still and those[one].at >= still[0]), ends[-1])
            spans[kind] = those[start : end + 1]
    return spans


def _last_rest(before: Sequence[HostSample]) -> float:
    """Until when the host's packets last did not grow `before` a blast; infinity: they always did."""
    pairs = list(pairwise(before))[-_RAMP:]
    return next((later.at for earlier, later in reversed(pairs) if not _grown(earlier, later)), inf)


def _grown(one: HostSample, other: HostSample) -> int:
    """Packets that the port which moved most counted between two samples."""
    grown = _ports({FAST: (one, other)})
    return max(grown.counts.values(), default=0) if grown else 0


def _parts(lab: Lab, samples: Sequence[Sample], spans: _Spans, began: float) -> _Spans:
    """The DUT's samples of kinds that were not read in both quiets, from the last one before the blast."""
    parts = {}
    for kind, those in _by_kind(samples, lab.dut.host).items():
        if kind not in spans and kind != FAST:
            first = max((place for place, s in enumerate(those) if s.at <= began), default=0)
            parts[kind] = those[first:]
    return parts


def _ports(spans: _Spans) -> Growth[Port] | None:
    """Packets by port; None if the host was not sampled, or rebooted."""
    if FAST not in spans:
        return None

    def read(sample: HostSample) -> dict[Port, Counted]:
        counters = {}
        for row in sample.interfaces:
            for way, value in (("rx", row.rx_packets), ("tx", row.tx_packets), ("refused", row.tx_dropped)):
                if value is not None:
                    counters[Port(row.name, way)] = Counted(value, device=row.link)
        return counters

    grown = growth(spans[FAST], read)
    return None if _UNKNOWN & set(grown.gaps.values()) else grown


def _losses(lab: Lab, spans: _Spans, parts: _Spans) -> drop_stages.Losses:
    """Lost packets from all kinds of samples: each begins and ends in quiet, so they saw the same losses.

    `parts`: kinds that were not sampled in both quiets. What only they count is a lower bound.
    """
    read = drop_stages.reader(lab.dut.inputs, lab.dut.outputs, lab.all_line_rate)
    lost: dict[drop_stages.Place, float] = {}
    gaps: dict[drop_stages.Place, str] = {}
    for those in spans.values():
        these = drop_stages.by_place(growth(those, read))
        for place in these.found.keys() | these.gaps.keys():
            if place in gaps and place not in these.gaps:
                del gaps[place]  # these samples have all of it
            elif place in lost or place in gaps:
                continue
            if place in these.gaps:
                gaps[place] = these.gaps[place]
            if place in these.found:
                lost[place] = these.found[place]
    whole = lost.keys() - gaps.keys()
    for those in parts.values():
        places = {place for sample in those for place, _ in read(sample)} - whole
        these = drop_stages.by_place(growth(those, read))
        for place in places:
            if gaps.get(place) in (None, Reason.MISSING):
                gaps[place] = Reason.UNSAMPLED
            if place in these.found:
                lost[place] = max(lost.get(place, 0.0), these.found[place])
    return drop_stages.Losses(lost, gaps)


def _nic(lab: Lab, spans: _Spans) -> tuple[int | None, dict[str, int]]:
    """Packets that reached the inputs' cards, and the DUT's driver counters other than passing packets."""
    reached: list[int | None] = [None] * len(lab.dut.inputs)
    nic: dict[str, int] = {}
    for those in spans.values():
        wire = growth(those, lambda sample: offered_counters(sample, lab.dut.inputs))
        known = [wire.exact(name) for name in lab.dut.inputs]
        reached = [old if new is None else new for old, new in zip(reached, known, strict=True)]
        moved = growth(those, nic_counters)
        for row, count in moved.counts.items():
            if count and row not in moved.gaps:
                nic[f"{row.interface} {row.name}"] = count
    return _all(reached), nic


def _by_tool(
    samples: Sequence[Sample],
    role: str,
    endpoint: Endpoint,
    began: float,
    ended: float,
    interval: float,
    around: Neighbours,
) -> int | None:
    """The packets that a tool says it sent or saw: the sum over its lines; None if one is of two blasts."""
    lines = _lines(samples, role, endpoint, began, ended, interval, around)
    if any(line.packets and _is_of_two(at, line, began, ended, around) for at, line in lines):
        return None
    return round(sum(line.packets or 0.0 for _, line in lines)) if lines else None


def _is_of_two(at: float, line: RateSample, began: float, ended: float, around: Neighbours) -> bool:
    """Whether its interval has some of this blast, and some of that before it or after it."""
    since = at - line.interval
    return since < around.ended < began < at or since < ended < around.begins < at


_Lines = list[tuple[float, RateSample]]
"""Lines of a tool, each with when its interval ended."""


def _lines(
    samples: Sequence[Sample],
    role: str,
    endpoint: Endpoint,
    began: float,
    ended: float,
    interval: float,
    around: Neighbours,
) -> _Lines:
    """The lines of a tool that are of a blast.

    They come early or late by some seconds, but not before the tool was started, or after it was started
    anew. Of one that goes on from blast to blast a line is of the one that the middle of its interval is
    nearer to; it is of both if that has some of both.
    """
    told = [
        (s.code, s.at)
        for s in samples
        if isinstance(s, EventSample) and s.role == role and is_from(s, endpoint)
    ]
    starts = [at for code, at in told if code == "tool-started"]
    before = [at for at in starts if at <= began + interval]
    before += [at for code, at in told if code in ("tool-ended", "tool-failed") and at <= began]
    first = max(before, default=-inf)
    last = min((at for at in starts if at > ended), default=inf)
    lines = _placed(
        s
        for s in samples
        if isinstance(s, RateSample) and s.role == role and is_from(s, endpoint) and s.packets is not None
    )
    first, last = max(first, began - 2.0), min(last, ended + _LATEST)
    earliest, latest = (around.ended + began) / 2, (ended + around.begins) / 2
    return [
        (at, s)
        for at, s in lines
        if s.at is None
        or (
            first <= s.at <= last
            and (earliest < at - s.interval / 2 <= latest or _is_of_two(at, s, began, ended, around))
        )
    ]


def _placed(lines: Iterable[RateSample]) -> _Lines:
    """When each was printed: a line that came late is placed by the tool's own clock, and those in time."""
    runs: list[list[RateSample]] = []
    for line in lines:
        if not runs or line.t < runs[-1][-1].t:  # its clock begins with its first line
            runs.append([])
        runs[-1].append(line)
    placed: _Lines = []
    for run in runs:
        soonest = min((one.at - one.t for one in run if one.at is not None), default=0.0)
        for one in run:
            at = one.t if one.at is None else one.at
            placed.append((max(one.t + soonest, at - _LATEST), one))
    return placed


def _all(values: Sequence[int | None]) -> int | None:
    return None if not values or None in values else sum(value for value in values if value is not None)
