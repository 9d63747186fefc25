"""netmap's pkt-gen. Its packets bypass the kernel: its own lines say what is offered and received.

Interval lines go to stderr, which is never buffered, so a running pkt-gen can be read directly; only its
closing lines go to stdout and appear when it ends. INT makes it end normally and print them.

It also exits with 0 if it cannot open the card, after "aborting" and its usage (pkt-gen.c, main()), and if a
thread died, after "ouch" (main_thread()): its output decides, not its exit status.
"""

import re

from fwdtui.collectors.tools.base import GENERATOR, Origin, Reader, Tool, ToolSample, ToolVerdict
from fwdtui.core.model import SEVERAL, EventSample
from fwdtui.core.parse.fields import Skipped
from fwdtui.core.parse.netmap_pktgen import PktGenLog, interval_line, parse

_CLOCK_PERIOD = 1000.0  # the printed time is in seconds modulo this
_OVERLAPS = 3  # so many lines for the same time as the line before: it cannot be a single pkt-gen
_REFUSAL = re.compile(
    r"^[0-9.]+ \w+ \[[0-9]+\] ((?:Unable to open|cannot open|bad option|missing ifname|bad pktsize|"
    r"bad virtio|unrecognised function|[0-9-]+ cpus is too high|bad nthreads|failed to).*)"
)


class PktGenReader(Reader):
    """Makes a sample of every interval line. `t` continues when the printed time wraps."""

    def __init__(self, origin: Origin) -> None:
        super().__init__(origin)
        self._skipped = Skipped()
        self._line = 0
        self._first: float | None = None
        self._last = 0.0
        self._wraps = 0.0
        self._intervals = 0
        self._moved = False
        self._other_role = False
        self._overlaps = 0
        self._refusal = ""
        self._crash = ""
        self._nothing = False
        self._waited = False
        self._told = PktGenLog()

    def feed(self, line: str, at: float) -> list[ToolSample]:
        self._line += 1
        item = interval_line(line)
        if item is None:
            return self._words(line, at)
        if item.usec <= 0:
            self._skipped.line(self._line, "an interval of 0 usec", line)
            return []
        if self._first is None:
            self._first = item.stamp
        elif 0 <= item.stamp - self._last < item.usec / 2e6:
            self._overlaps += 1
        elif item.stamp < self._last - _CLOCK_PERIOD / 2:
            self._wraps += _CLOCK_PERIOD
        self._last = item.stamp
        self._intervals += 1
        self._moved = self._moved or item.pps > 0
        if self._other_role:
            return []
        t = round(item.stamp + self._wraps - self._first, 6)
        sample = self.rate(at, t, item.usec / 1e6, item.pps, item.packets, item.bps)
        return [sample, *self._of_several(at)] if self._overlaps == _OVERLAPS else [sample]

    def _of_several(self, at: float) -> list[ToolSample]:
        """Reports that several pkt-gens print here. A line does not say whose it is, so none can be added."""
        self._overlaps += 1
        of_receivers = "start only one, or remove [receiver], so that what the DUT forwards is the value"
        generates = self.origin.role == GENERATOR
        fix = "give each a port and a [[generator]] of its own" if generates else of_receivers
        text = (
            "several pkt-gens print to this output at once: each rate is that of a single one, not the "
            f"total; {fix}"
        )
        role, interface = self.origin.role, self.origin.interface
        return [EventSample(at, SEVERAL, text, self.origin.host, role=role, interface=interface)]

    def _words(self, line: str, at: float) -> list[ToolSample]:
        """Handles any line that is not an interval, with the parser for whole logs."""
        log = parse(line + "\n")
        for note in log.skipped:
            self._skipped.note(note.replace("line 1:", f"line {self._line}:", 1))
        self._crash = self._crash or log.crash or ""
        self._nothing = self._nothing or log.nothing
        self._waited = self._waited or log.waiting > 0
        if log.packets_total is not None:
            self._told = log
        if not self._refusal and (match := _REFUSAL.match(line)):
            self._refusal = match[1].strip()
        # ping and pong, which are neither sender nor receiver, also end with "Received": so the role is taken
        # from the beginning of a log only
        begins = log.packets_total is None and not log.nothing
        if not begins or log.role in (None, self.origin.role) or self._other_role:
            return []
        self._other_role = True
        return [
            self.note(
                at, f"this pkt-gen is a {log.role}, but the {self.origin.role} in lab.toml: not counted"
            )
        ]

    def close(self) -> ToolVerdict:
        packets, seconds = self._told.packets_total, self._told.seconds
        return ToolVerdict(
            failure=self._crash or ("" if self._intervals else self._refusal),
            trouble=self._refusal,
            nothing=not self._moved
            and not packets
            and (self._nothing or self._waited or self._intervals > 0),
            packets=packets,
            seconds=seconds,
            pps=packets / seconds if packets is not None and seconds else None,
            skipped=self._skipped.done(),
        )


TOOL = Tool(
    name="netmap-pkt-gen",
    program="pkt-gen",
    counted=False,
    probe="""\
found=$(command -v "$program") || { echo "no $program here"; exit 1; }
ls /dev/netmap >/dev/null 2>&1 ||
    { echo "$found is here, but /dev/netmap is not: load the netmap module"; exit 1; }
echo "$found"
""",
    install="FreeBSD: pkg install pkt-gen, or build tools/tools/netmap; Linux: build netmap, load its module",
    reader=PktGenReader,
    listens="Ready...",
)
