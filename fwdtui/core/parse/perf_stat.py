"""``perf stat -I MS -x ';'``: what was counted in each interval, as a stream of lines.

Source: perf-stat(1), "CSV FORMAT". A line is the time stamp in seconds since perf began, the value, its unit
or nothing, the event, the run time of the counter, the share of the measured time in which it ran, and
perhaps a metric and its unit, which are not read. The value of a counter that ran for less than all of the
time is already extrapolated by perf. A value that does not exist is ``<not supported>`` (there is no such
counter) or ``<not counted>`` (it never got one), never 0. The separator is not a comma, since the commas of
event names and of some locales are not quoted.

On processors with several kinds of cores an event has a line for each kind, ``cpu_core/cycles/`` and
``cpu_atom/cycles/``, or on Arm since Linux 6.6 ``armv8_cortex_a53/cycles/`` and ``armv8_cortex_a72/cycles/``:
they are of different cores, and their sum is the event. One that was asked for by such a name keeps it.
Newer versions print ``cycles:k`` as ``cpu_core/cycles/k`` (evsel__uniquify_counter()). A perf of early 2025
printed two lines ``cycles`` instead (commit 357b965deba9, "Changes to event name uniquification").
"""

import re
from dataclasses import dataclass, field, replace

from fwdtui.core.parse.fields import Parsed, Skipped, lines

SEPARATOR = ";"
_FEWEST = 6
_MOST_EVENTS = 256  # of one interval; a host cannot make us hold more
_NUMBER = re.compile(r"[0-9]{1,20}(?:\.[0-9]{1,12})?")
_PMU = re.compile(
    r"(?:cpu_(?:core|atom)|armv[0-9][a-z0-9_]{0,40})/([^/]{1,64})/([A-Za-z]{0,16})"
)  # PMUs of cores, the event, and its modifiers
_WORDS = {
    "<not supported>": "not supported by this host",
    "<not counted>": "not counted: no counter was free",
}


@dataclass(frozen=True, slots=True)
class Count:
    """One event in one interval. If `value` is None, `why` gives the reason.

    `enabled`: the share of the interval in which the event was counted, 0 to 1.
    """

    event: str
    value: float | None
    unit: str = ""
    enabled: float = 1.0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Interval:
    """What was counted from `begin` to `end`, in seconds since the tool began; each event once."""

    begin: float
    end: float
    counts: tuple[Count, ...]


@dataclass
class PerfStatReader:
    """Takes line after line. An interval is complete when the next one begins, or with `close`."""

    skipped: Skipped = field(default_factory=Skipped)
    words: list[str] = field(default_factory=list)
    """The first lines that are not counts: what perf says when it cannot start."""
    asked: frozenset[str] = frozenset()
    """The events, by the names by which they were asked for."""
    _number: int = 0
    _end: float | None = None
    _before: float = 0.0
    _counts: dict[str, Count] = field(default_factory=dict)

    def feed(self, line: str) -> Interval | None:
        """Takes a cleaned line without its end. Returns the interval that it completes, if it does."""
        self._number += 1
        parts = line.strip().split(SEPARATOR, 9)
        if len(parts) < _FEWEST or (stamp := _number(parts[0])) is None:
            if line.strip() and not line.lstrip().startswith("#"):
                self.skipped.line(self._number, "not a count", line)
                if len(self.words) < 2:
                    self.words.append(line.strip()[:200])
            return None
        done = None
        if stamp != self._end:
            done = self.close()
            self._end = stamp
        event = parts[3].strip()
        if not event and not parts[1].strip():
            return done  # a metric without a counter of its own
        count = _count(event, parts, self.asked)
        if count is None:
            self.skipped.line(self._number, "no value and no reason", line)
        elif event in self._counts and "/" not in event:  # the same event of other cores
            self._counts[event] = _sum(self._counts[event], count)
        elif len(self._counts) < _MOST_EVENTS:
            self._counts.setdefault(event, count)
        return done

    def close(self) -> Interval | None:
        """Ends the current interval and returns it, if there is one; the next line begins another one."""
        if self._end is None or not self._counts:
            return None
        begin, end, counts = self._before, self._end, self._counts
        self._before, self._end, self._counts = end, None, {}
        whole: dict[str, Count] = {}
        for name, one in counts.items():
            if name != one.event and one.event in counts:  # a part of an event that is counted already
                if name in self.asked:
                    whole[name] = replace(one, event=name)
                continue
            before = whole.get(one.event)
            whole[one.event] = one if before is None else _sum(before, one)
        return Interval(begin, end, tuple(whole.values())) if end > begin else None


def parse_perf_stat(text: str) -> Parsed[tuple[Interval, ...]]:
    """All intervals of a whole output. Never raises; lines that are not counts are in `skipped`."""
    reader = PerfStatReader()
    intervals = [done for line in lines(text) if (done := reader.feed(line)) is not None]
    last = reader.close()
    return Parsed((*intervals, last) if last else tuple(intervals), reader.skipped.done())


def _count(event: str, parts: list[str], asked: frozenset[str]) -> Count | None:
    value, unit = parts[1].strip(), parts[2].strip()
    # if the event of all cores was asked for too, that of some cores is a part of it
    if hybrid := _PMU.fullmatch(event):
        of_all = f"{hybrid[1]}:{hybrid[2]}" if hybrid[2] else hybrid[1]
        event = of_all if event not in asked or of_all in asked else event
    if not event:
        return None
    if value in _WORDS:
        return Count(event, None, unit, 0.0, _WORDS[value])
    count, share = _number(value), _number(parts[5].strip())
    if count is None:
        return None
    return Count(event, count, unit, 1.0 if share is None else min(share / 100.0, 1.0))


def _sum(one: Count, other: Count) -> Count:
    """The sum of an event over two kinds of cores; it is known only if both are."""
    if one.value is None or other.value is None:
        return one if one.value is None else other
    return Count(one.event, one.value + other.value, one.unit, min(one.enabled, other.enabled))


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None
