"""Sessions seen in a metric other than their own rate: the value is then a cost of a packet, or one of RATES.

Everything that compares, draws or sweeps values works on them unchanged. Iterations without this metric have
no value, and say why. In recordings of older versions, core times are counted from their samples.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from fwdtui.core import cost, uncounted
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.interval import MUCH
from fwdtui.core.model import Case, Caution, Cost, Iteration, Session
from fwdtui.core.same_host import same_host
from fwdtui.core.text import clean
from fwdtui.core.units import counted, quoted
from fwdtui.report.iterations import counts, iteration_folder
from fwdtui.report.sides import Side, case_on_boots
from fwdtui.stats.figures import listing
from fwdtui.stats.looks import share_of

NOT_COUNTED = "not-counted"

OPTION = "--metric: "
"""The beginning of an error about the metric; screens leave it out, as nobody typed it there."""

RATES = "forwarded", "received"
"""Metrics of the traffic that a comparison can be about, besides the costs."""

_OF_THE_RECEIVER = frozenset(("not-received", "receiver-partial"))
"""Warnings that a receiver does not say what became of all packets: no reason to doubt the DUT's counters."""

_HOLE = re.compile(r"(?P<host>\S+): no samples for (?P<seconds>[0-9]{1,9}(?:\.[0-9]+)?) s of the blast")
"""How the warning ``gap`` of a host begins (`monitor.live.holes`)."""

_FLOW = re.compile(
    r"(?:The offered load|The rate of the attack|What the DUT (?:took in|(?P<forwarded>forwarded))) "
    r"is not known for (?P<seconds>[0-9]{1,9}(?:\.[0-9]+)?) s of the blast"
)
"""How the warning ``gap`` of a flow other than the value's begins, whose counter was away or reset."""

_MEANING = {
    cost.CPU: "busy time of all cores (user, nice, system, irq and softirq, by the kernel's ticks)",
    cost.KERNEL: "time of all cores in the kernel (system, irq and softirq, by its ticks)",
}


def meaning(metric: str) -> str:
    """What a value is, for readers of a report."""
    if metric in RATES:
        return f"One iteration is one value: the median {metric} rate of its measured window."
    what = _MEANING.get(metric, f"what the DUT's counters counted ({metric.removesuffix('-per-packet')})")
    over = "divided by the packets that its outputs sent in the same seconds"
    if metric == cost.PER_CORE:
        what, over = "the packets that the DUT's outputs sent", f"divided by the {_MEANING[cost.CPU]}"
    return f"One iteration is one value: {what} in its measured window, {over}."


def in_metric(sides: Sequence[Side], metric: str) -> list[Side]:
    """The sides with this metric as their values; "" leaves them as they are.

    Raises FwdtuiError if a side is a value file, or if no iteration has the metric.
    """
    if not metric:
        return list(sides)
    for side in sides:
        if not side.sessions:
            raise FwdtuiError(f"{clean(side.spec)}: a value file has one metric: leave out --metric")
    before = [one for side in sides for one in _iterations(side.sessions, side)]
    converted = [_side(side, metric) for side in sides]
    after = [one for side in converted for one in _iterations(side.sessions, side)]
    if any(map(counts, before)) and not any(map(counts, after)):
        raise FwdtuiError(_nothing(sides, converted, metric))
    return converted


def _side(side: Side, metric: str) -> Side:
    sessions = tuple(session_in(session, metric) for session in side.sessions)
    cases = {
        case.name: case_on_boots(session, case, side.label)
        for session in sessions
        for case in session.cases
        if case.name in side.cases
    }
    return replace(side, sessions=sessions, cases={name: cases[name] for name in side.cases})


def session_in(session: Session, metric: str) -> Session:
    """A session whose values are those of a metric."""
    cases = tuple(
        msgspec.structs.replace(
            case, iterations=tuple(_iteration(session, case, one, metric) for one in case.iterations)
        )
        for case in session.cases
    )
    return msgspec.structs.replace(session, cases=cases)


def _iteration(session: Session, case: Case, one: Iteration, metric: str) -> Iteration:
    if one.value is None or not one.complete:
        return one
    if metric in RATES:
        if why := _no_rate(one, metric):
            return _without(one, one.unit, why)
        summary = one.metrics[metric]
        kept = one.warnings if metric == "received" else _of_the_dut(session, one, summary.n)
        return msgspec.structs.replace(one, value=summary.median, warnings=kept)
    costs = costs_of(session, case, one)
    figure = costs.get(metric)
    if figure is None:
        return _without(one, "", _why_not(metric, costs))
    if figure.summary is None:
        return _without(one, figure.unit, clean(figure.why))
    return msgspec.structs.replace(
        one,
        value=figure.summary.mean,
        unit=clean(figure.unit),
        warnings=(*_of_the_dut(session, one), *cautions(metric, figure)),
    )


def _of_the_dut(session: Session, one: Iteration, samples: int | None = None) -> tuple[Caution, ...]:
    """The warnings that matter to what the DUT counted. `samples`: how many the value is made of, if known.

    Where the value is the receiver's, a hole in the DUT's samples does not affect it. Here the value is the
    DUT's: that hole does, and a hole in the receiver's samples does not.
    """
    dut = _dut(session)
    host = dut.host or str(session.facts.get("dut.host", ""))
    apart = "received" in one.metrics and not dut.shared
    return tuple(
        _hole(warning, one, host, samples)
        for warning in one.warnings
        if warning.code not in _OF_THE_RECEIVER and not (apart and _is_hole_of_the_value(warning))
    )


def _is_hole_of_the_value(warning: Caution) -> bool:
    """Whether a warning says that samples are missing of what gives the value (`monitor.live.segment`)."""
    if warning.code == "gap":
        return not (_HOLE.match(warning.text) or _FLOW.match(warning.text))
    return warning.code == "value-gap"


def _hole(warning: Caution, one: Iteration, host: str, samples: int | None) -> Caution:
    """The warning; if it is about a hole in what this host forwarded, it says what the value rests on."""
    hole, window = _hole_of(warning, host), one.window
    if hole is None or window is None or window.start is None or window.end is None:
        return warning
    much = float(hole["seconds"]) >= MUCH * (window.end - window.start)
    rest = "the rest" if samples is None else counted(samples, "sample")
    text = f"{warning.text.rpartition('; ')[0]}; the value covers only {rest}."
    return Caution("value-gap" if much else "gap", text)


def _hole_of(warning: Caution, host: str) -> re.Match[str] | None:
    """The match of a warning ``gap`` of this host's samples, or of its counter of what it forwarded."""
    if warning.code != "gap":
        return None
    if (hole := _HOLE.match(warning.text)) and hole["host"] == host:
        return hole
    return flow if (flow := _FLOW.match(warning.text)) and flow["forwarded"] else None


def _no_rate(one: Iteration, metric: str) -> str:
    """Why the median rate of an iteration, one of RATES, is not known; "" if it is."""
    if metric not in one.metrics:
        return f"{metric} was not measured"
    if metric == "forwarded" and any(warning.code == uncounted.CODE for warning in one.warnings):
        return uncounted.NO_COST
    return ""


def _without(one: Iteration, unit: str, why: str) -> Iteration:
    """The iteration without its value, and with a warning that says why.

    A dropped attempt keeps its own warnings: why it failed is known without a value, too.
    """
    kept = one.warnings if one.dropped else ()
    warning = Caution(NOT_COUNTED, f"not counted: {why}")
    return msgspec.structs.replace(one, value=None, unit=unit, warnings=(*kept, warning))


def _why_not(metric: str, costs: Mapping[str, Cost]) -> str:
    if metric in cost.CORE_METRICS:
        return "the recording has no core times of the DUT"
    if not metric.endswith("-per-packet"):
        return "no metric has this name"
    if not costs:
        return "nothing of the DUT was counted"
    return "the DUT was not asked to count it ([dut] count in lab.toml, or --count)"


def cautions(metric: str, one: Cost) -> list[Caution]:
    """What a reader has to know about a cost before trusting it."""
    warnings = []
    if one.scope == cost.MACHINE:
        text = (
            f"{metric} is the whole machine's: generator or receiver run on the DUT's cores, and their work "
            "is in it."
        )
        warnings.append(Caution("machine-wide", text))
    if one.ticks is not None and one.ticks < cost.FEW_TICKS:
        text = f"The cores were busy for few ticks of the kernel's clock ({one.ticks}): measure for longer."
        warnings.append(Caution("few-ticks", text))
    if one.enabled is not None and one.enabled < 1.0:
        text = (
            f"{metric}: its counter was shared with other events and counted for "
            f"{share_of(100.0 * one.enabled)} of the time; the rest is extrapolated. Count fewer events at "
            "once."
        )
        warnings.append(Caution("multiplexed", text))
    return warnings


class _Dut(NamedTuple):
    """The host whose samples count. `host` "": the one with all `ports`. `shared`: it has another role."""

    host: str
    ports: frozenset[str]
    outputs: tuple[str, ...]
    shared: bool


def costs_of(session: Session, case: Case, one: Iteration) -> Mapping[str, Cost]:
    """The costs of an iteration: as recorded, else from its samples; empty if there are none."""
    if one.costs or (where := _samples_of(session, case, one)) is None:
        return one.costs
    return _from_samples(*where)


def _samples_of(
    session: Session, case: Case, one: Iteration
) -> tuple[Path, int, _Dut, tuple[float, float]] | None:
    """What `_from_samples` needs to count the costs of an iteration; None if they cannot be counted."""
    if session.imported or one.window is None:
        return None
    start, end = one.window.start, one.window.end
    dut = _dut(session)
    if start is None or end is None or not dut.outputs:
        return None
    path = Path(iteration_folder(session, case, one)) / "samples.jsonl"
    try:
        return path, path.stat().st_mtime_ns, dut, (start, end)
    except (OSError, ValueError):
        return None


def _dut(session: Session) -> _Dut:
    """The DUT according to the recorded lab, or to the facts of older sessions, which have no such lab."""
    lab = session.lab
    if lab is None:
        inputs, outputs = _names(session.facts.get("dut.in")), _names(session.facts.get("dut.out"))
        return _Dut("", frozenset(inputs + outputs), outputs, shared=False)
    table = lab.get("dut")
    if not isinstance(table, Mapping):
        return _Dut("", frozenset(), (), shared=False)
    ends = [end for key in ("generator", "receiver") for end in _tables(lab.get(key))]
    host, outputs = str(table.get("host", "")), _names(table.get("out"))
    shared = any(same_host(str(end.get("host", "")), host) for end in ends)
    return _Dut(host, frozenset(outputs), outputs, shared)


def _names(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else (value,) if isinstance(value, str) else ()


def _tables(value: object) -> list[Mapping[str, object]]:
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, Mapping)]


@lru_cache(maxsize=4096)
def _from_samples(path: Path, stamp: int, dut: _Dut, window: tuple[float, float]) -> Mapping[str, Cost]:
    """The costs from a file of samples, which is read once: `stamp` changes when the file does."""
    from fwdtui.store import read_samples  # late: not needed where the costs are recorded

    try:
        samples = read_samples(path).samples
    except FwdtuiError:
        return {}
    host = dut.host or cost.host_with(samples, dut.ports)
    return cost.costs(samples, host, dut.outputs, window, shared=dut.shared) if host else {}


def _iterations(sessions: Sequence[Session], side: Side) -> list[Iteration]:
    return [
        one
        for session in sessions
        for case in session.cases
        if case.name in side.cases
        for one in case.iterations
    ]


def offered(sides: Sequence[Side]) -> list[str]:
    """The metrics to choose from besides the rate, of which some iteration that counts has a value.

    In recordings of older versions that would need all of their samples: where there are any, it is assumed.
    """
    known: set[str] = set()
    core = set(cost.CORE_METRICS)
    for side in sides:
        for session in side.sessions:
            for case in (one for one in session.cases if one.name in side.cases):
                for one in filter(counts, case.iterations):
                    known |= {name for name, figure in one.costs.items() if figure.summary is not None}
                    if not (one.costs or core <= known) and _samples_of(session, case, one) is not None:
                        known |= core
    named = [name for name in cost.CORE_METRICS if name in known]
    return [*named, *sorted(map(clean, known - core))]


def _nothing(sides: Sequence[Side], converted: Sequence[Side], metric: str) -> str:
    """The message that no iteration of `sides` has the metric, and which they have; `converted` says why."""
    known = {
        name
        for side in sides
        for session in side.sessions
        for case in session.cases
        for one in case.iterations
        for name in (*RATES, *costs_of(session, case, one))
        if _has(session, case, one, name)
    }
    there = [name for name in (*RATES, *cost.CORE_METRICS) if name in known]
    there += sorted(map(clean, known - set(there)))
    reasons = dict.fromkeys(
        caution.text
        for side in converted
        for one in _iterations(side.sessions, side)
        for caution in one.warnings
        if caution.code == NOT_COUNTED
    )
    why = f" ({next(iter(reasons))})" if reasons else ""
    others = f"; there {'is' if len(there) == 1 else 'are'} {listing(there)}" if there else ""
    return f"{OPTION}no iteration has {quoted(metric)}{why}{others}"


def _has(session: Session, case: Case, one: Iteration, metric: str) -> bool:
    """Whether an iteration has this metric, one of RATES or one of its costs."""
    if metric in RATES:
        return not _no_rate(one, metric)
    return costs_of(session, case, one)[metric].summary is not None
