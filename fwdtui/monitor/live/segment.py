"""Makes an iteration of a blast's rates: which part of the blast counts, and what is odd about it."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from fwdtui.core import steady
from fwdtui.core.arrived import QUIET, next_to_nothing
from fwdtui.core.interval import MUCH
from fwdtui.core.lab import WARMUP_SHARE
from fwdtui.core.model import Caution, Iteration, RateSample, Summary, Window
from fwdtui.core.offered import attack_received, attack_sent, received_above
from fwdtui.core.units import counted
from fwdtui.monitor.live.averages import whole_intervals
from fwdtui.monitor.live.refreshes import at_refreshes, sum_at_refreshes, sum_of_same_seconds
from fwdtui.monitor.live.series import Point

_DIGITS = 3  # decimals: below a thousandth of a packet per second a rate is only rounding noise
_IDLE = 0.01  # share of the generator's highest rate; what its port sends without the tool is less
_LONGER = 1.5  # times a generator's last interval: intervals that are usually longer are those of refreshes
_UNSEEN = 2  # intervals without a sample after which the generator counts as not observed


def segment(
    flows: Mapping[str, Sequence[Point]],
    began: float,
    ended: float,
    *,
    warmup: float = 0.0,
    parts: Mapping[str, Sequence[Sequence[Point]]] = {},
    source: str = "samples.jsonl",
) -> Iteration:
    """The iteration's value, window, metrics and warnings, without a number.

    `flows`: the points of "offered", "attack" (if a generator attacks), "forwarded" and "received" around the
    blast, as far as they are known. `parts`: for the flows that are sums, the points of each port or
    generator. The value is the median rate, in the steady window, of what was received, or of what was
    forwarded if "received" is not known. The same window is applied to all flows. All times, including the
    window's, are seconds on the recording's axis.
    """
    name = next((name for name in ("received", "forwarded") if flows.get(name)), None)
    if name is None:
        text = "Neither the receiver nor the DUT's output was measured, so there is no value."
        return Iteration(0, None, source=source, warnings=(Caution("no-value", text),))
    flows, still = refreshed(flows, parts, began, ended)
    points = [point for point in flows[name] if point.at > began and point.at - point.seconds < ended]
    known = [point for point in points if point.value is not None]
    if not known:  # that nobody looked is not that nothing arrived
        why = f" ({_causes(points)})" if points else ""
        text = f"No sample of the blast says what was {name}{why}, so there is no value."
        return Iteration(0, None, source=source, warnings=(Caution("no-value", text),))
    skip, notes = _warmup(known, began, ended, warmup)
    whole = known[skip:]
    coarse = _seconds_of(flows.get("forwarded", ()), began, ended)
    sent = _sent_by_any(flows.get("offered", ()), parts.get("offered", ()), began, ended, coarse)
    part = steady.find([_sample(point) for point in whole], sent)
    kept = whole[part.first : part.last]
    window = Window(
        method="steady",
        start=round(kept[0].at - kept[0].seconds, 6) if kept else None,
        end=round(kept[-1].at, 6) if kept else None,
        kept=len(kept),
        head=part.window.head + skip,
        tail=part.window.tail,
        notes=(*notes, *_joined(still.get(name, 0)), *part.window.notes),
    )
    metrics = {}
    if kept:
        start, end = kept[0].at - kept[0].seconds, kept[-1].at
        for flow, series in flows.items():
            if summary := summarise(whole_intervals(series, (start, end))):
                metrics[flow] = summary
    value = metrics[name].median if name in metrics else None
    offered = metrics["offered"].median if "offered" in metrics else None
    cautions = list(part.cautions)
    if quiet := next_to_nothing(value, offered, metrics[name].max if name in metrics else None):
        value, cautions = None, [quiet]
    else:
        cautions += _above(value, offered, metrics, "attack" in flows, name)
    cautions += _gaps(points, ended - began)
    return Iteration(0, value, source=source, window=window, metrics=metrics, warnings=tuple(cautions))


def refreshed(
    flows: Mapping[str, Sequence[Point]],
    parts: Mapping[str, Sequence[Sequence[Point]]],
    began: float,
    ended: float,
) -> tuple[dict[str, Sequence[Point]], dict[str, int]]:
    """The flows from refresh to refresh of their counters, and how many points were joined, by flow.

    The arguments are those of `segment`.
    """
    found: dict[str, Sequence[Point]] = {}
    still: dict[str, int] = {}
    for name, series in flows.items():
        before = [point for point in series if point.at <= began]
        after = [point for point in series if point.at > began and point.at - point.seconds >= ended]
        each = [_inside(part, began, ended) for part in parts.get(name, ())]
        whole, joined = sum_at_refreshes(_inside(series, began, ended), each)
        found[name] = [*before, *whole, *after] if joined else series
        if joined:
            still[name] = joined
    return found, still


def whole_refreshes(
    flows: Mapping[str, Sequence[Point]],
    parts: Mapping[str, Sequence[Sequence[Point]]],
    began: float,
    ended: float,
) -> tuple[dict[str, Sequence[Point]], set[str]]:
    """Like `refreshed`, but without the first and the last refresh, within which the blast began and ended.

    Also returns the names of the flows whose counters may be refreshed slowly, because they stood still
    somewhere within the blast. Each point of a sum covers the same seconds in all of its parts.
    """
    found, still = refreshed(flows, parts, began, ended)
    slow = set(still)
    for name, points in found.items():
        inside = _inside(points, began, ended)
        moved = [place for place, point in enumerate(inside) if point.value]
        if name not in still and len(parts.get(name, ())) > 1:
            found[name] = sum_of_same_seconds(inside, [_inside(one, began, ended) for one in parts[name]])
        if name in still and moved:
            found[name] = inside[moved[0] + 1 : moved[-1]]
        elif moved and any(point.value == 0 for point in inside[moved[0] : moved[-1]]):
            slow.add(name)
    return found, slow


def _joined(still: int) -> list[str]:
    """A note that the counter of the value is refreshed slowly. `still`: how many points were joined."""
    if not still:
        return []
    were = "was" if still == 1 else "were"
    return [
        f"{counted(still, 'sample')} in which the counter stood still {were} merged with the next one: the "
        "card updates it less often than it is read."
    ]


def _inside(points: Sequence[Point], began: float, ended: float) -> list[Point]:
    return [point for point in points if point.at > began and point.at - point.seconds < ended]


def _above(
    value: float | None, offered: float | None, metrics: Mapping[str, Summary], attacker: bool, name: str
) -> list[Caution]:
    """Warnings if more arrived than was offered. `attacker`: a generator sends an attack, too."""
    attack = metrics["attack"].median if "attack" in metrics else None
    if not attacker or (attack is not None and attack < QUIET):
        return [above] if (above := received_above(value, offered, name)) else []
    above = attack_received(value, offered, attack, name)
    return [attack_sent(attack, name), *([above] if above else [])]


def summarise(points: Iterable[Point]) -> Summary | None:
    """Summarise the rates of a window; the mean is exact (packets over time) if the points have counts."""
    known = [(point, point.value) for point in points if point.value is not None]
    if not known:
        return None
    seconds = sum(point.seconds for point, _ in known)
    packets = sum(
        value * point.seconds if point.count is None else float(point.count) for point, value in known
    )
    values = [value for _, value in known]
    return Summary(
        median=round(float(median(values)), _DIGITS),
        mean=round(packets / seconds if seconds > 0 else values[0], _DIGITS),
        min=round(min(values), _DIGITS),
        max=round(max(values), _DIGITS),
        n=len(values),
    )


def _warmup(known: Sequence[Point], began: float, ended: float, warmup: float) -> tuple[int, list[str]]:
    """How many points the warm-up takes, and notes: how long it is, and why it is shorter than requested."""
    allowed = min(warmup, WARMUP_SHARE * (ended - began))
    skip = sum(point.at - point.seconds < began + allowed for point in known) if allowed > 0 else 0
    if not skip:
        return 0, []
    notes = [f"{counted(skip, 'sample')} of warm-up dropped ({allowed:.1f} s)."]
    if allowed < warmup:
        notes.append(f"A warm-up of {warmup:g} s was asked for; the blast lasted {ended - began:.1f} s.")
    return skip, notes


def _seconds_of(points: Sequence[Point], began: float, ended: float) -> float:
    """How long, in seconds, the samples of a flow usually are within a blast; 0 if there are none."""
    known = [point.seconds for point in _inside(points, began, ended) if point.value is not None]
    return median(known) if known else 0.0


def _sent_by_any(
    offered: Sequence[Point],
    parts: Sequence[Sequence[Point]],
    began: float,
    ended: float,
    coarse: float,
) -> tuple[float, float] | None:
    """From when to when any generator certainly sent, see `_sent`; None if no sample shows it.

    `parts`: the points of each generator, if there are several. The times are found for each generator by
    itself, because the sum misleads at the end: an interval of the sum may be a piece of one generator's last
    refresh, anywhere in which it may have stopped, or it may contain the last rate of one that has stopped.
    """
    each = [at_refreshes(_inside(points, began, ended)) for points in parts]
    spans = [span for points, _ in each if (span := _sent(points, began, ended, coarse))]
    if spans:
        return min(start for start, _ in spans), max(end for _, end in spans)
    return None if any(joined for _, joined in each) else _sent(offered, began, ended, coarse)


def _sent(offered: Sequence[Point], began: float, ended: float, coarse: float) -> tuple[float, float] | None:
    """From when to when the generator certainly sent; None if no sample shows it.

    It starts and stops somewhere within its own first and last interval with traffic. If its samples are
    missing before or after these, it may have sent for longer; then the blast's own beginning or end is used.
    If a card is refreshed slowly, its last refresh has fewer packets and is not joined, so the usual length
    of the other refreshes is used for it.

    `coarse`: seconds of a sample of the DUT. A blast begins and ends with a sample of the DUT, so it may
    begin up to one such sample before a tool's first line, and end as long after its last line, which is
    short if the tool was stopped.
    """
    near = [p for p in offered if p.at > began and p.at - p.seconds < ended]
    most = max((p.value for p in near if p.value is not None), default=0.0)
    busy = [place for place, p in enumerate(near) if p.value is not None and p.value > _IDLE * most]
    if len(busy) < 2:
        return None
    first, last = near[busy[0]], near[busy[-1]]
    before, after = near[: busy[0]], near[busy[-1] + 1 :]
    begins, ends = (_UNSEEN * max(one.seconds, coarse) for one in (first, last))
    late = before[-1].value is None if before else first.at - first.seconds > began + begins
    early = after[0].value is None if after else last.at < ended - ends
    usual = median(near[place].seconds for place in busy)
    within = usual if usual > _LONGER * last.seconds else last.seconds
    return began if late else first.at, ended - max(within, coarse) if early else last.at - within


def _sample(point: Point) -> RateSample:
    assert point.value is not None
    return RateSample("receiver", point.at, point.seconds, point.value)


def _gaps(points: Sequence[Point], lasted: float) -> list[Caution]:
    """A warning about gaps in the value's own samples, with causes. `lasted`: seconds of the blast."""
    missing = [point for point in points if point.value is None]
    if not missing:
        return []
    seconds = sum(point.seconds for point in missing)
    text = f"{seconds:.1f} s of the blast have no samples ({_causes(missing)}); the value covers the rest."
    if seconds < MUCH * lasted:
        return [Caution("gap", text)]
    return [Caution("value-gap", text)]


def _causes(missing: Iterable[Point]) -> str:
    """Why these points have no rate."""
    return ", ".join(sorted({point.why or "unknown" for point in missing}))
