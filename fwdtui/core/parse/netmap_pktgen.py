"""netmap's pkt-gen: what it prints while it sends or receives, one line per interval.

Source of the formats: tools/tools/netmap/pkt-gen.c (main_thread, tx_output, receiver_body) of FreeBSD 11 to
16, and logs of both generations. With -N numbers are plain, without it they carry a unit (Kpps, Mpps).

What to know about these logs: the interval is not one second (its length is in the line), the timestamp is
seconds modulo 1000, the last interval is shorter, and most receivers are killed before they can print their
closing line.
"""

import re
from collections.abc import Sequence
from functools import cached_property

import msgspec

from fwdtui.core.model import RateSample
from fwdtui.core.parse.fields import shown
from fwdtui.core.text import clean

_NUMBER = r"([0-9]{1,18}(?:\.[0-9]{1,18})?(?:[eE][+-]?[0-9]{1,2})?)"
_UNIT = {"": 1.0, None: 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_STAMP = r"^([0-9]{1,10}\.[0-9]{1,9}) "

_RATE = (  # compiled by `re` when first used, and kept by it: few logs need it
    _STAMP + r"main_thread \[[0-9]+\] " + _NUMBER + r" ([KMGT]?)pps "
    r"(?:\[avg/std [^\]]*\] ?)?"
    r"\(" + _NUMBER + r" ([KMGT]?)pkts (?:" + _NUMBER + r" ([KMGT]?)bps )?in ([0-9]{1,18}) usec\)"
    r"(?: " + _NUMBER + r" avg_batch)?(?: ([0-9]+) min_space)?\s*$"
)
# the same as -N prints it, as most lines of most logs are: this reads a whole log of them at once. It begins
# with the line end before each, which is found faster than the beginning of a line
_PLAIN = re.compile(
    r"\n([0-9]{1,10}+\.[0-9]{1,9}+) main_thread \[[0-9]++\] ([0-9]{1,18}+) pps "
    r"\(([0-9]{1,18}+) pkts (?:([0-9]{1,18}+) bps )?in ([0-9]{1,18}+) usec\)"
    r"(?: [0-9]++(?:\.[0-9]++)? avg_batch)?(?: [0-9]++ min_space)?[^\S\n]*+(?=\n|\Z)"
)
_COMMAND = re.compile(r"^CMD(?: on ([^:\s]+))?: (.*)$")
_MODE = re.compile(r"(?:^|\s)-f\s*(tx|rx|ping|pong|txseq|rxseq)\b")
_CRASH = re.compile(r"ouch, thread [0-9]+ exited with error")
_CLOSING = re.compile(
    r"^(Sent|Received) ([0-9]{1,18}) packets,? [0-9]+ bytes"
    r"(?: each,?|(?: [0-9]+ events)?(?: [0-9]+ bytes each)?) in (-?[0-9.]{1,30}) seconds\."
)
_SPEED = re.compile(r"^Speed: " + _NUMBER + r" ([KMGT]?)pps\b")
_MAIN = " main_thread ["  # in each line of an interval
_NOTED = ("CMD", "Sent ", "Received ", "Speed:", "Terminated", "Killed")  # how lines begin that `_note` reads
_STARTED = "] interface is "  # pkt-gen's own first line
_LONGEST = 4096  # characters of a command or of a message that are kept
CLOCK_PERIOD = 1000.0
_SET_BACK = 1.0  # seconds by which a machine's clock may be set back within a run: any more is a new turn


class IntervalLine(msgspec.Struct, frozen=True, gc=False):
    """One main_thread line. `stamp` is the printed one, seconds modulo 1000; rates in packets per second."""

    line: int  # 1-based line of the log
    stamp: float
    pps: float
    packets: float
    bps: float | None
    usec: int


class PktGenLog(msgspec.Struct, frozen=True, dict=True):
    """A pkt-gen log, as far as it could be read.

    `packets_total` and `seconds` come from the closing line, if there is one; a negative time (pkt-gen
    crashed before it had a start time) is None. `crash` is the line that reports a dead thread. `truncated`
    says that the log ends within a line. `lines` counts all lines of the file. `starts` counts how often
    pkt-gen was started, by its command lines or its own first lines, whichever are more.
    """

    intervals: tuple[IntervalLine, ...] = ()
    command: str | None = None
    host: str | None = None
    role: str | None = None  # "generator" | "receiver"
    lines: int = 0
    starts: int = 0
    packets_total: int | None = None
    seconds: float | None = None
    speed: float | None = None
    crash: str | None = None
    killed: bool = False  # the shell said "Terminated" or "Killed"
    nothing: bool = False  # "Received nothing." or "Sent nothing."
    waiting: int = 0  # lines "waiting for initial packets"
    truncated: bool = False
    skipped: tuple[str, ...] = ()

    def samples(self) -> tuple[RateSample, ...]:
        """The intervals on one clock: `t` is seconds since the first line, across the wrap at 1000 s.

        The lines of a later run in the same log come after those of the first, whatever their stamps are.
        """
        return self._on_one_clock

    @cached_property  # it is asked for several times
    def _on_one_clock(self) -> tuple[RateSample, ...]:
        role = self.role or "receiver"
        result: list[RateSample] = []
        turns, previous = 0.0, None
        origin = self.intervals[0].stamp if self.intervals else 0.0
        for item in self.intervals:
            if previous is not None and item.stamp < previous - _SET_BACK:
                turns += CLOCK_PERIOD
            previous = item.stamp
            # to the microsecond: rounding to an integer takes a quarter of the time of rounding to six places
            at = round((item.stamp + turns - origin) * 1e6) / 1e6
            result.append(RateSample(role, at, item.usec / 1e6, item.pps, item.packets, item.bps))
        return tuple(result)


def interval_line(text: str, number: int = 0) -> IntervalLine | None:
    """One line of output, or None if it is not an interval line (for reading a running pkt-gen)."""
    if match := _PLAIN.match(f"\n{text}"):
        plain = match.groups()
        return IntervalLine(
            number,
            float(plain[0]),
            float(plain[1]),
            float(plain[2]),
            None if plain[3] is None else float(plain[3]),
            int(plain[4]),
        )
    match = re.match(_RATE, text)
    if not match:
        return None
    stamp, pps, unit, packets, packets_unit, bps, bps_unit, usec, _batch, _space = match.groups()
    return IntervalLine(
        line=number,
        stamp=float(stamp),
        pps=_scaled(pps, unit),
        packets=_scaled(packets, packets_unit),
        bps=None if bps is None else _scaled(bps, bps_unit),
        usec=int(usec),
    )


def _scaled(number: str, unit: str) -> float:
    """``("33.000", "K")`` -> 33000.0, rounded to a thousandth: 6.728 x 1e6 is 6728000, not 6727999.999…"""
    return round(float(number) * _UNIT[unit], 3)


def parse(text: str) -> PktGenLog:
    """A whole log. Never raises; lines that look like intervals but are unreadable are in `skipped`."""
    lines = text.split("\n")
    truncated = bool(lines and lines[-1])
    if lines and not lines[-1]:
        lines.pop()
    if "\r" in text:
        lines = [line.rstrip("\r") for line in lines]
    plain = _plain(text, lines)
    intervals = plain or []
    skipped: list[str] = []
    facts: dict[str, object] = {}
    waiting = 0
    rest = lines if plain is None else [line for line in lines if _MAIN not in line]
    for number, line in enumerate(rest, 1):
        by_main = _MAIN in line
        item = interval_line(line, number) if by_main else None
        if item is not None:
            if item.usec > 0:
                intervals.append(item)
            else:
                skipped.append(f"line {number}: an interval of 0 usec")
        elif by_main and ("pps" in line or " usec" in line):
            skipped.append(f"line {number}: not a whole interval line: {shown(line)}")
        elif "waiting for initial packets" in line:
            waiting += 1
        elif line.startswith(_NOTED) or "_body [" in line or "ouch, thread" in line:
            _note(line, facts)
    # a log that ends within its last line is truncated, unless that line was read completely
    whole_last = bool(intervals) and intervals[-1].line == len(lines)
    return PktGenLog(
        intervals=tuple(intervals),
        lines=len(lines),
        starts=_starts(rest),
        waiting=waiting,
        truncated=truncated and not whole_last and not facts.get("killed"),
        skipped=tuple(skipped),
        **facts,  # type: ignore[arg-type]
    )


def _plain(text: str, lines: Sequence[str]) -> list[IntervalLine] | None:
    """All intervals of a log, read at once; None if any line of the main thread is not as -N prints it."""
    numbers = [number for number, line in enumerate(lines, 1) if _MAIN in line]
    plain = _PLAIN.findall(f"\n{text}")
    if not numbers or len(plain) != len(numbers):  # no line matches twice
        return None
    stamps, rates, packets, bits, usec = zip(*plain, strict=True)
    lengths = [*map(int, usec)]
    if 0 in lengths:
        return None
    bps = [float(one) if one else None for one in bits]
    columns = numbers, map(float, stamps), map(float, rates), map(float, packets), bps, lengths
    return [*map(IntervalLine, *columns)]


def _starts(lines: Sequence[str]) -> int:
    commands = [match[2] for line in lines if line.startswith("CMD") and (match := _COMMAND.match(line))]
    return max(sum(bool(one.strip()) for one in commands), sum(_STARTED in line for line in lines))


def _note(line: str, facts: dict[str, object]) -> None:
    """Stores in `facts` what any other line reports: command, host, role, totals, crash, end."""
    if line.startswith("CMD") and (match := _COMMAND.match(line)):
        command = clean(match[2]).strip()[:_LONGEST]
        facts["command"] = command
        facts["host"] = clean(match[1]) if match[1] else None
        if mode := _MODE.search(command):
            facts["role"] = "receiver" if mode[1] in ("rx", "rxseq", "pong") else "generator"
    elif line.startswith(("Sent ", "Received ")) and (match := _CLOSING.match(line)):
        facts.setdefault("role", "generator" if match[1] == "Sent" else "receiver")
        facts["packets_total"] = int(match[2])
        seconds = _finite(match[3])
        facts["seconds"] = seconds if seconds is not None and seconds >= 0 else None
    elif line.startswith("Speed:") and (match := _SPEED.match(line)):
        facts["speed"] = _scaled(match[1], match[2])
    elif "ouch, thread" in line and _CRASH.search(line):
        facts["crash"] = clean(line).strip()[:_LONGEST]
    elif line.startswith(("Received nothing", "Sent nothing")):
        facts["nothing"] = True
        facts.setdefault("role", "generator" if line.startswith("Sent") else "receiver")
    elif line.startswith(("Terminated", "Killed")):
        facts["killed"] = True
    elif " receiver_body [" in line:
        facts.setdefault("role", "receiver")
    elif " sender_body [" in line:
        facts.setdefault("role", "generator")


def _finite(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
