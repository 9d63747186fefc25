"""iperf3, client or server, in any output format: text, ``-J``, ``--json-stream`` (from 3.17 on).

If stdout is not a terminal, its text is buffered and arrives 4 KiB at a time. ``--forceflush`` prevents that,
and so does stdbuf, which is put before the start command if the host has it (it only sets the buffering of
stdout when the program starts). ``-J`` prints one document at the end: its intervals arrive late, and are
dated back from the moment of arrival.

Only UDP has packets. A receiver's rate counts those that arrived; `lost` are those that did not. Bits are
left out: iperf3 counts the bits of the payload, all other tools those of the frame.
"""

import re

from fwdtui.collectors.tools.base import GENERATOR, Origin, Reader, Tool, ToolSample, ToolVerdict
from fwdtui.collectors.tools.shell import VERSION_PROBE, line_buffered
from fwdtui.core.parse.fields import Skipped
from fwdtui.core.parse.iperf3 import Iperf3Interval, Iperf3Run, parse_iperf3_json
from fwdtui.core.parse.iperf3_lines import Iperf3Reader

_LEAST = 0.05  # seconds; -i allows no less than 0.1, so this is the remainder after the last whole interval
_DOCUMENT = 32 << 20  # characters of a -J document
# what iperf3 prints when either end is stopped
_ERROR = re.compile(r"^iperf3: (?:parameter )?error - (.+)")
_INTERRUPTED = ("interrupt", "the client has terminated", "the server has terminated")


class Iperf3Output(Reader):
    """Turns lines of a test, or of a server's many tests, into samples of this endpoint's direction."""

    def __init__(self, origin: Origin) -> None:
        super().__init__(origin)
        self._lines = Iperf3Reader()
        self._document: list[str] | None = None  # lines of a -J document that is not complete yet
        self._size = 0
        self._skipped = Skipped()
        self._finished: list[Iperf3Run] = []  # reported by -J
        self._listening = False
        self._noted: set[str] = set()
        self._errors = 0
        self._error = ""  # the first error line; "iperf3: exiting" follows it
        self._last_end: float | None = None  # end of the last interval, on its test's own clock
        self._t = 0.0  # the same on the clock of all tests
        self._at = 0.0

    def feed(self, line: str, at: float) -> list[ToolSample]:
        if self._document is None and line.rstrip() == "{":
            self._document, self._size = [], 0
        if self._document is not None:
            return self._part(line, at)
        self._listening = self._listening or "Server listening" in line
        samples: list[ToolSample] = []
        for interval in self._lines.feed(line):
            samples += self._sample(interval, at)
        if "error" in line:
            if not self._error and (match := _ERROR.search(line)):
                self._error = match[1].strip()
            if failure := self._servers_error():
                samples.append(
                    self.event(at, "tool-failed", f"a test of this iperf3 server failed: {failure}")
                )
        return samples

    def _part(self, line: str, at: float) -> list[ToolSample]:
        """Adds a line of a -J document; returns its intervals once it is complete."""
        assert self._document is not None
        self._size += len(line) + 1
        if self._size <= _DOCUMENT:
            self._document.append(line)
        if line.rstrip() != "}":
            return []
        text, self._document = "\n".join(self._document), None
        parsed = parse_iperf3_json(text)
        for note in parsed.skipped:
            self._skipped.note(note)
        samples: list[ToolSample] = []
        for run in parsed.value:
            self._finished.append(run)
            ended = run.intervals[-1].end if run.intervals else 0.0
            for interval in run.intervals:
                samples += self._sample(interval, at - (ended - interval.end))
        if any(run.intervals for run in parsed.value):
            samples += self._once(
                at, "iperf3 -J prints its rates when it ends: use --json-stream or --forceflush to see them"
            )
        return samples

    def _sample(self, interval: Iperf3Interval, at: float) -> list[ToolSample]:
        sends = self.origin.role == GENERATOR
        if interval.seconds < _LEAST or interval.omitted:
            return []
        if interval.packets is None:
            return self._once(
                at, "iperf3 tests TCP, which has no packets: the interface's counters give the rate"
            )
        if interval.sender is not None and interval.sender != sends:
            way = "sends" if interval.sender else "receives"
            return self._once(
                at, f"iperf3 {way} here, but is the {self.origin.role} in lab.toml: not counted"
            )
        packets = _moved(interval, sends)
        if packets is None:
            return []
        self._place(interval, at)
        return [
            self.rate(
                at,
                self._t,
                interval.seconds,
                packets / interval.seconds,
                packets,
                lost=None if sends else interval.lost,
            )
        ]

    def _place(self, interval: Iperf3Interval, at: float) -> None:
        """Sets `_t` for an interval. A server's tests all begin at 0: arrival tells the time between them."""
        if self._last_end is not None:
            same = interval.start >= self._last_end - _LEAST
            step = interval.end - self._last_end if same else max(at - self._at, interval.seconds)
            self._t = round(self._t + step, 6)
        self._last_end, self._at = interval.end, at

    def _once(self, at: float, text: str) -> list[ToolSample]:
        if text in self._noted:
            return []
        self._noted.add(text)
        return [self.note(at, text)]

    def _servers_error(self) -> str | None:
        """What went wrong with a server's test, reported once per test; None: nothing new.

        The server itself goes on.
        """
        failed = [run for run in self._lines.result().value if run.server and _failure(run)]
        if len(failed) <= self._errors:
            return None
        self._errors = len(failed)
        return _failure(failed[-1])

    def close(self) -> ToolVerdict:
        parsed = self._lines.result()
        for note in parsed.skipped:
            self._skipped.note(note)
        if self._document is not None:
            self._skipped.note("an incomplete JSON document")
        runs = [*self._finished, *parsed.value]
        last = runs[-1] if runs else None
        totals = [total for run in runs if (total := self._total(run)) is not None]
        packets = sum(totals) if totals else None
        moved = any(item.bytes or item.packets for run in runs for item in run.intervals) or bool(packets)
        seconds = _seconds(runs)
        failure = _failure(last) if last else ""
        if last and last.server and self._errors:
            failure = ""  # it was reported when it happened, and the server went on
        elif failure == "exiting":
            failure = self._error or failure
        return ToolVerdict(
            failure=failure,
            trouble=(last.error or "") if last else "",
            pps=packets / seconds if packets and seconds else None,
            nothing=not moved and (self._listening or any(run.intervals or run.ended for run in runs)),
            packets=packets,
            seconds=seconds,
            lost=sum(lost)
            if (lost := [r.received.lost for r in runs if r.received and r.received.lost])
            else None,
            skipped=self._skipped.done(),
        )

    def _total(self, run: Iperf3Run) -> int | None:
        """Packets of this endpoint's direction: the test's total, else the sum of its intervals."""
        sends = self.origin.role == GENERATOR
        total = run.sent if sends else run.received
        if total is not None and total.packets:
            return _moved(total, sends or total.lost is None)
        mine = [i for i in run.intervals if not i.omitted and i.sender in (None, sends)]
        known = [n for i in mine if (n := _moved(i, sends)) is not None]
        return sum(known) if known else None


def _moved(interval: Iperf3Interval, sends: bool) -> int | None:
    """Packets sent or arrived; None if the line contradicts itself (more lost than counted)."""
    packets = interval.packets if sends else interval.arrived
    return packets if packets is not None and packets >= 0 else None


def _failure(run: Iperf3Run) -> str:
    """What iperf3 says went wrong; "" if it was only told to stop."""
    error = (run.error or "").removeprefix("error - ")
    return "" if error.startswith(_INTERRUPTED) else error


def _seconds(runs: list[Iperf3Run]) -> float | None:
    """The total duration of the tests."""
    ends = [run.intervals[-1].end for run in runs if run.intervals]
    return round(sum(ends), 6) if ends else None


TOOL = Tool(
    name="iperf3",
    program="iperf3",
    counted=True,
    probe=VERSION_PROBE,
    install="Debian: apt install iperf3; FreeBSD: pkg install iperf3",
    reader=Iperf3Output,
    script=line_buffered,
    listens="Server listening",
)
