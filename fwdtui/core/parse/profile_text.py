"""Reads the text of a profile, from any of the profilers, as folded stacks with what it says about itself."""

import re
from collections.abc import Mapping
from itertools import islice

import msgspec

from fwdtui.core.parse.folded_stacks import parse_folded
from fwdtui.core.parse.perf_script import parse_perf_script
from fwdtui.core.parse.pmc_graph import parse_pmc_graph
from fwdtui.core.profile.folded import Folded
from fwdtui.core.text import decode

GRAPH, STACKS, SCRIPT = "pmcstat -G", "folded stacks", "perf script"
_CPUS = 4096  # the most sections of a call graph that are counted separately
_LOOK = 1 << 18  # the most characters in which the form is looked for
_FIRST = 8  # the most lines in them that are looked at, without empty ones
_STACK = re.compile(r"\S.*[^\s:] [0-9]{1,15}\s*")


class Reading(msgspec.Struct, frozen=True):
    """A profile as it was read. What the text does not say is "" or None.

    `form`: GRAPH, STACKS or SCRIPT. `per_cpu`: samples of each CPU by its number, or by ``#1``, ``#2`` in
    their order where the profiler does not name the CPUs (pmcstat). `start`, `end`: seconds on the profiler's
    clock. `period`: events between two samples; `varies`: these are not always as many. `skipped`: what is
    not in `folded`, and why.
    """

    folded: Folded
    form: str
    tool: str = ""
    event: str = ""
    per_cpu: Mapping[str, int] = {}
    start: float | None = None
    end: float | None = None
    period: int | None = None
    varies: bool = False
    skipped: tuple[str, ...] = ()


def form_of(text: str) -> str:
    """Which of the three forms a text has, by its first lines."""
    told = (line for line in text[:_LOOK].splitlines() if line.strip() and not line.startswith("#"))
    first = list(islice(told, _FIRST))
    if any(line.startswith("@ ") for line in first):
        return GRAPH
    if first and 2 * sum(bool(_STACK.fullmatch(line)) for line in first) > len(first):
        return STACKS
    return SCRIPT


def read_profile(data: bytes) -> Reading:
    """Reads a profile in the form that it has. Never raises: a text that is not a profile has no samples."""
    text = decode(data)
    form = form_of(text)
    if form == GRAPH:
        return _graph(text)
    if form == STACKS:
        stacks = parse_folded(text)
        return Reading(stacks.value, STACKS, skipped=stacks.skipped)
    return _script(text)


def _graph(text: str) -> Reading:
    parsed = parse_pmc_graph(text)
    totals: dict[str, int] = {}
    for section in parsed.value.sections:
        totals[section.event] = totals.get(section.event, 0) + section.samples
    event = max(totals, key=lambda name: totals[name], default="")
    chosen = [section for section in parsed.value.sections if section.event == event]
    graphs = [part for one in chosen for part in (one.whole, one.inner)]
    folded = Folded.of(row for part in graphs for row in part.stacks.items())
    per_cpu = {f"#{n}": one.whole.samples + one.inner.samples for n, one in enumerate(chosen[:_CPUS], 1)}
    return Reading(
        folded,
        GRAPH,
        tool="pmcstat",
        event=event,
        per_cpu=per_cpu,
        skipped=(*_others(event, totals), *parsed.skipped),
    )


def _script(text: str) -> Reading:
    parsed = parse_perf_script(text)
    totals = {one.event: one.folded.samples for one in parsed.value.events}
    event = max(totals, key=lambda name: totals[name], default="")
    chosen = next((one for one in parsed.value.events if one.event == event), None)
    if chosen is None:
        return Reading(Folded(), SCRIPT, skipped=parsed.skipped or ("there is no sample in it",))
    notes = list(_others(event, totals))
    period = None
    if chosen.periods is not None:
        least, most = chosen.periods
        period = least if least == most else None
        if least != most:
            notes.append(f"the period varies from {least} to {most} {event}: samples are counted, not events")
    return Reading(
        chosen.folded,
        SCRIPT,
        tool="perf",
        event=event,
        per_cpu={str(cpu): samples for cpu, samples in chosen.cpus.items()},
        start=chosen.start,
        end=chosen.end,
        period=period,
        varies=chosen.periods is not None and period is None,
        skipped=(*notes, *parsed.skipped),
    )


def _others(event: str, totals: Mapping[str, int]) -> list[str]:
    """A note on the events that are left out: samples of two events have no common scale."""
    rest = {name: samples for name, samples in totals.items() if name != event}
    many = f"{len(rest)} other event{'s' * (len(rest) != 1)}"
    return [f"only the samples of {event} are used, not those of {many}"] if rest else []
