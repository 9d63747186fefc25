"""A recording of perf that `collectors/profile_linux.py` has folded on the host, and how many events it has.

    first 1476.570110
    last 1478.281961
    lost 0
    core 0 478
    event cpu-clock 478
    stack ksoftirqd/1;__schedule;napi_poll 12
    more 3

Source: perf-script(1), and perf-report(1) with ``--stats``. Times are seconds of CLOCK_MONOTONIC.
`lost` is absent if perf does not report lost samples; `more` are the samples of the rarest stacks, if there
are too many stacks to be sent.
"""

import re
from dataclasses import dataclass, field

from fwdtui.core.parse.fields import Parsed, Skipped, decimal, lines, whole
from fwdtui.core.parse.perf_script import command_name
from fwdtui.core.profile.folded import DEPTH_MOST, Folded, Stack, frame

MORE = "[rare stacks]"
"""The function that is shown instead of the stacks that were not sent."""
_EVENTS = re.compile(r" {0,40}([A-Z0-9_]{1,40}) events: {1,40}([0-9]{1,15})\b.{0,40}")


@dataclass(frozen=True, slots=True)
class PerfFolded:
    """The samples of each stack, core and event, and the times of the first and the last. None: not known."""

    folded: Folded = field(default_factory=Folded)
    first: float | None = None
    last: float | None = None
    lost: int | None = None
    cores: dict[int, int] = field(default_factory=dict)
    events: dict[str, int] = field(default_factory=dict)


def parse_perf_folded(text: str) -> Parsed[PerfFolded]:
    """Reads what the script printed. A stack begins with the command's name, as in `parse_perf_script`."""
    skipped = Skipped()
    times: dict[str, float] = {}
    cores: dict[int, int] = {}
    events: dict[str, int] = {}
    counted: list[tuple[Stack, int]] = []
    lost: int | None = None
    deep = 0
    for number, line in enumerate(lines(text), 1):
        key, _, rest = line.partition(" ")
        before, _, count = rest.rpartition(" ")
        samples = whole(count)
        if not line.strip():
            continue
        if key in ("first", "last") and (time := decimal(rest)) is not None:
            times[key] = time
        elif key == "lost" and not before and samples is not None:
            lost = samples
        elif key == "more" and not before and samples is not None:
            counted.append(((MORE,), samples))
        elif key == "core" and samples is not None and (cpu := whole(before)) is not None:
            cores[cpu] = samples
        elif key == "event" and before and samples is not None:
            events[frame(before)] = samples
        elif key == "stack" and before and samples is not None:
            command, *functions = before.split(";")
            deep += samples * (len(functions) >= DEPTH_MOST)
            counted.append(((command_name(command), *map(frame, functions[1 - DEPTH_MOST :])), samples))
        else:
            skipped.line(number, "not understood", line)
    if deep:
        skipped.note(f"{deep} samples have {DEPTH_MOST} frames or more: the outermost callers are left out")
    profile = PerfFolded(
        Folded.of(counted), times.get("first"), times.get("last"), lost, dict(sorted(cores.items())), events
    )
    return Parsed(profile, skipped.done())


def parse_perf_stats(text: str) -> Parsed[dict[str, int]]:
    """``           LOST events:          3  ( 0.1%)`` -> the number of records of each kind, in all.

    That is the first part of the text; the records of single events, which follow it, are left out.
    """
    records: dict[str, int] = {}
    for line in lines(text):
        if match := _EVENTS.fullmatch(line):
            records.setdefault(match[1], int(match[2]))
    return Parsed(records)
