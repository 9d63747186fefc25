"""iperf3 while it runs: its plain text (``--forceflush``) or, from 3.17 on, ``--json-stream``, line by line.

Source: iperf3(1), iperf_locale.c for the text. Debian 12 has 3.12, which has no JSON stream: a live run must
read its text.

Traps: the remainder after the last interval may have no length; multi-stream tests print rules between
intervals; a TCP [SUM] and a UDP [SUM] differ only by the heading above them; errors go to stderr as
``iperf3: error - ...``; a server whose client was interrupted repeats the last interval; in a stream an
"end" event follows an "error", empty or with the local totals. Up to 3.3 the summary of UDP has one line, the
receiver's, without the word (esnet/iperf issue 252), and 3.12 counts a total in 32 bits (issue 1534).
"""

import re
from dataclasses import replace

from fwdtui.core.parse.fields import Parsed, Skipped, lines, phrase
from fwdtui.core.parse.iperf3 import Iperf3Interval, Iperf3Run, intervals_of, run_of
from fwdtui.core.parse.json_text import load_json, mapping

_INTERVAL = re.compile(
    r"(?:.{0,60} )??\[ *(?P<stream>SUM|[0-9]{1,6})\](?:\[(?P<role>[TR]X)-[CS]\])? +"
    r"(?P<start>[0-9]{1,9}\.[0-9]{2}) *- *(?P<end>[0-9]{1,9}\.[0-9]{2}) +sec +"
    r"(?P<amount>[0-9]{1,9}(?:\.[0-9]{1,3})?) (?P<unit>[KMGT]?)Bytes +"
    r"[0-9]{1,9}(?:\.[0-9]{1,3})? [KMGT]?(?:bits|Bytes)/sec(?P<rest>.*)"  # bytes with -f K, M, G or T
)
_LOSS = re.compile(r"([0-9]{1,9}\.[0-9]{1,3}) ms +(-?[0-9]{1,15})/([0-9]{1,15}) +\([^)]{1,20}\)")
# with --timestamps each line has the time before it, in any format
_STAMP = re.compile(r".{1,60}? (?=Server listening |Accepted connection |Connecting to host |-{10}|- - )")
_COUNT = re.compile(r"([0-9]{1,15})(?: +[0-9.]{1,10} [KMGT]?Bytes)?")
_CONNECTED = re.compile(r"\[ *[0-9]{1,6}\] local \S+ port [0-9]+ connected to ")
_ERROR = re.compile(r"iperf3: (?:error - )?(.+)")
_FULL = 2**31 - 1  # a total with this value could not be counted any further
_UNIT = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
# headings, rules, and the lines that say who talks to whom
_TALK = re.compile(
    r"(?:\^C)?(?:- )+-?|-{10,}|\[ *ID\].*|\[[ 0-9SUM]{1,6}\] (?:Sent [0-9]+ datagrams|.* out-of-order)|"
    r"\s+(?:TCP MSS|Target).*|(?:snd|rcv)_tcp_congestion.*|iperf 3.*|"
    r"iperf Done\.|(?:Reverse mode,|Linux|Control connection|Time:|Cookie:|Starting Test|Test Complete|"
    r"CPU Utilization|Server output) ?.*"
)


class Iperf3Reader:
    """Reads lines as they arrive and returns intervals as they complete, in either form; never raises."""

    def __init__(self) -> None:
        self._skipped = Skipped()
        self._line = 0
        self._runs: list[Iperf3Run] = []
        self._fresh()

    def _fresh(self) -> None:
        self._open = False  # something of the current run was read
        self._start: dict[str, object] = {}
        self._end: dict[str, object] = {}
        self._intervals: list[Iperf3Interval] = []
        self._error: str | None = None
        self._ended = False
        self._server: bool | None = None
        self._connections = 0
        self._both_ways = False
        self._datagrams: bool | None = None
        self._summary = False  # below the heading that comes after the intervals
        self._totals: dict[bool, Iperf3Interval] = {}

    def feed(self, line: str) -> list[Iperf3Interval]:
        """One line of output -> the intervals it completes: none, one, or two of a bidirectional test."""
        self._line += 1
        bare = lines(line)[0].rstrip()
        if not bare.strip():
            return []
        intervals = self._event(bare) if bare.startswith("{") else self._text(bare)
        intervals = [item for item in intervals if item not in self._intervals[-2:]]
        if intervals:
            self._open = True
            self._intervals += intervals
        return intervals

    def result(self) -> Parsed[tuple[Iperf3Run, ...]]:
        """Every test so far, including the current one as far as it was read."""
        current = (self._run(),) if self._open else ()
        return Parsed((*self._runs, *current), self._skipped.done())

    def _run(self) -> Iperf3Run:
        run = run_of(dict(self._start), self._intervals, dict(self._end), self._error)
        if self._start or self._end:
            return replace(run, ended=self._ended)
        datagrams, received = self._datagrams, self._totals.get(False)
        if received and not self._server and self._error and not received.bytes and not received.packets:
            received = None  # interrupted: the server's result never came
        return replace(
            run,
            protocol=None if datagrams is None else "UDP" if datagrams else "TCP",
            server=self._server,
            streams=self._connections // (2 if self._both_ways else 1) or None,
            sent=self._totals.get(True),
            received=received,
            ended=self._ended,
        )

    def _close(self) -> None:
        if self._open:
            self._runs.append(self._run())
        self._fresh()

    def _event(self, line: str) -> list[Iperf3Interval]:
        document, why = load_json(line)
        event, data = mapping(document).get("event"), mapping(document).get("data")
        if why or not isinstance(event, str):
            self._skipped.line(self._line, why or "not an event", line)
            return []
        if event == "start":
            self._close()
            self._start = mapping(data)
        elif event == "interval":
            return intervals_of(data)
        elif event == "error":
            self._error = phrase(data) or "error"
        elif event == "end":
            self._end = mapping(data)
            self._ended = bool(self._end)
        else:
            return []
        self._open = True
        return []

    def _text(self, line: str) -> list[Iperf3Interval]:
        if stamp := _STAMP.match(line):
            line = line[stamp.end() :]
        if match := _INTERVAL.fullmatch(line):
            return self._interval(match)
        if error := _ERROR.search(line):
            if self._open or not error[1].startswith("interrupt - the server"):
                self._error = phrase(error[1]) or "error"
                self._open = True
        elif _CONNECTED.search(line):
            self._connections += 1
            self._open = True
        elif line.startswith(("Server listening", "Accepted connection")):
            self._close()
            self._server = True
        elif line.startswith("Connecting to host"):
            self._close()
            self._server = False
        elif "Interval" in line and "Transfer" in line:
            self._both_ways = "[Role]" in line
            self._datagrams = "Datagrams" in line
            self._summary = bool(self._intervals)
        elif not _TALK.fullmatch(line):
            self._skipped.line(self._line, "not understood", line)
        return []

    def _interval(self, match: re.Match[str]) -> list[Iperf3Interval]:
        several = self._connections > (2 if self._both_ways else 1)
        if several and match["stream"] != "SUM":
            return []
        rest = match["rest"].strip()
        omitted = rest.endswith("(omitted)")
        rest = rest.removesuffix("(omitted)").strip()
        side = next((word for word in ("sender", "receiver") if rest.endswith(word)), None)
        rest = rest.removesuffix(side or "").strip()
        interval = Iperf3Interval(
            float(match["start"]),
            float(match["end"]),
            bytes=round(float(match["amount"]) * _UNIT[match["unit"]]),
            omitted=omitted,
            rounded=True,
            sender=match["role"] == "TX" if match["role"] else None,
        )
        if loss := _LOSS.fullmatch(rest):
            # only a receiver knows losses; a sender's total repeats the form with zeros
            side = side or ("receiver" if self._summary else None)
            packets = int(loss[3])
            if side and packets == _FULL:
                self._ended = True
                return []
            interval = replace(interval, packets=packets, sender=side == "sender")
            if side != "sender":
                interval = replace(interval, jitter_ms=float(loss[1]), lost=int(loss[2]))
        elif (number := _COUNT.fullmatch(rest)) and self._datagrams is not None:
            amount = int(number[1])
            interval = replace(interval, sender=True)
            if self._datagrams:
                interval = replace(interval, packets=amount)
            else:
                interval = replace(interval, retransmits=amount)
        elif rest and not number:
            self._skipped.line(self._line, "not understood", match[0])
        if interval.end < interval.start:
            self._skipped.line(self._line, "an interval that ends before it starts", match[0])
            return []
        if side is None:
            return [interval]
        # a bidirectional test prints the other direction's totals after this one's: keep the first ones
        self._totals.setdefault(side == "sender", replace(interval, sender=side == "sender"))
        self._ended = True
        return []


def parse_iperf3_lines(text: str) -> Parsed[tuple[Iperf3Run, ...]]:
    """A whole log of plain text or of a JSON stream, client or server: one run per test."""
    reader = Iperf3Reader()
    for line in lines(text):
        reader.feed(line)
    return reader.result()
