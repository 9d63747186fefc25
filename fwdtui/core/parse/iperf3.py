"""iperf3 -J: a finished test as one JSON document. (iperf3_lines.py reads a test while it runs.)

Source: iperf3(1), iperf_api.c and iperf_json; iperf3 3.9 to 3.21. A server prints one document per test,
one after the other.

The exit status differs: 3.12 exits 0 with an "error" key where 3.21 exits 1. The key decides.
"""

from dataclasses import dataclass
from typing import Any

from fwdtui.core.parse.fields import Parsed, Skipped, phrase
from fwdtui.core.parse.json_text import count, integer, load_documents, mapping, real, sequence, truth


@dataclass(frozen=True, slots=True)
class Iperf3Interval:
    """One interval, all streams of one direction together. `start`, `end`: seconds from the test's start.

    On a sender `packets` are those sent. On a UDP receiver `packets` are those expected by sequence numbers:
    `lost` of them did not arrive, `arrived` did. `lost` is negative if packets counted as lost arrived late.
    TCP has no packets. `rounded`: `bytes` comes from three printed digits.
    """

    start: float
    end: float
    bytes: int | None = None
    packets: int | None = None
    lost: int | None = None
    jitter_ms: float | None = None
    retransmits: int | None = None
    sender: bool | None = None
    omitted: bool = False
    rounded: bool = False

    @property
    def seconds(self) -> float:
        """Length; may be 0 for the remainder after the last whole interval, whose rate means nothing."""
        return self.end - self.start

    @property
    def arrived(self) -> int | None:
        """Packets that arrived at a UDP receiver; None: unknown."""
        return None if self.packets is None or self.lost is None else self.packets - self.lost


@dataclass(frozen=True, slots=True)
class Iperf3Run:
    """One test. `sent` and `received` are its totals, None if this side does not know them.

    The sender's own total never has a loss: only the receiver knows it. `error` is iperf3's own line;
    `ended` means that totals were printed, which an interrupted test does as well: then `complete` is False.
    A server whose client was interrupted (3.12) prints the last interval twice, which is dropped here, and
    includes packets in its total that arrived after the total's `end`: that total gives no rate.
    """

    version: str | None = None
    protocol: str | None = None  # "UDP" | "TCP"
    server: bool | None = None
    reverse: bool | None = None
    streams: int | None = None
    block_size: int | None = None  # bytes of UDP payload or of a TCP write
    target_bitrate: int | None = None  # bits per second per stream; 0: as fast as possible
    intervals: tuple[Iperf3Interval, ...] = ()
    sent: Iperf3Interval | None = None
    received: Iperf3Interval | None = None
    error: str | None = None
    ended: bool = False

    @property
    def complete(self) -> bool:
        """Whether the test ran to its end, and both sides said so."""
        return self.ended and self.error is None


def parse_iperf3_json(text: str) -> Parsed[tuple[Iperf3Run, ...]]:
    """The output of ``iperf3 -J``, client or server: one run per document; empty while the test runs."""
    skipped = Skipped()
    documents, why = load_documents(text)
    if why:
        skipped.note(why)
    runs: list[Iperf3Run] = []
    for document in documents:
        body = mapping(document)
        if not body.keys() & {"start", "intervals", "end", "error"}:
            skipped.note("a JSON document that is not a test")
            continue
        runs.append(
            run_of(
                mapping(body.get("start")),
                [interval for entry in sequence(body.get("intervals")) for interval in intervals_of(entry)],
                mapping(body.get("end")),
                phrase(body.get("error")),
            )
        )
    return Parsed(tuple(runs), skipped.done())


def intervals_of(entry: object) -> list[Iperf3Interval]:
    """An element of "intervals": its sum, and in a bidirectional test the sum of the other direction."""
    body = mapping(entry)
    sums = [body.get("sum"), body.get("sum_bidir_reverse")]
    if not mapping(sums[0]):
        sums[0] = next(iter(sequence(body.get("streams"))), None)
    intervals = [_interval(item) for item in sums]
    return [item for item in intervals if item is not None]


def run_of(
    start: dict[str, Any], intervals: list[Iperf3Interval], end: dict[str, Any], error: str | None
) -> Iperf3Run:
    """A run from the three parts of a document, or from the events of a JSON stream."""
    test = mapping(start.get("test_start"))
    server = True if "accepted_connection" in start else False if "connecting_to" in start else None
    reverse = truth(test.get("reverse"))
    sent, received = _interval(end.get("sum_sent")), _interval(end.get("sum_received"))
    if sent is not None:
        sent = _told(_without_loss(sent), bool(server) != bool(reverse), server, error)
    if received is not None:
        # TCP marks this sum "sender" like the other one
        received = _receiver(received)
        received = _told(received, bool(server) == bool(reverse), server, error)
    return Iperf3Run(
        version=phrase(start.get("version")),
        protocol=phrase(test.get("protocol"), 10),
        server=server,
        reverse=reverse,
        streams=count(test.get("num_streams")),
        block_size=count(test.get("blksize")),
        target_bitrate=count(test.get("target_bitrate")),
        intervals=tuple(
            item for at, item in enumerate(intervals) if item not in intervals[max(0, at - 2) : at]
        ),
        sent=sent,
        received=received,
        error=error,
        ended=bool(end),
    )


def _told(
    total: Iperf3Interval, remote: bool, server: bool | None, error: str | None
) -> Iperf3Interval | None:
    """The total, or None if it is the other side's and is zero only because that side never reported it.

    After an interrupt the client has no results from the server; a server never gets the client's.
    """
    untold = remote and (server or error is not None) and not total.bytes and not total.packets
    return None if untold else total


def _interval(value: object) -> Iperf3Interval | None:
    item = mapping(value)
    start, end = real(item.get("start")), real(item.get("end"))
    if start is None or end is None or not 0 <= start <= end:
        return None
    return Iperf3Interval(
        start,
        end,
        bytes=count(item.get("bytes")),
        packets=count(item.get("packets")),
        lost=integer(item.get("lost_packets")),
        jitter_ms=_jitter(item.get("jitter_ms")),
        retransmits=count(item.get("retransmits")),
        sender=truth(item.get("sender")),
        omitted=truth(item.get("omitted")) or False,
    )


def _jitter(value: object) -> float | None:
    number = real(value)
    return number if number is not None and number >= 0 else None


def _without_loss(total: Iperf3Interval) -> Iperf3Interval:
    return Iperf3Interval(
        total.start,
        total.end,
        bytes=total.bytes,
        packets=total.packets,
        retransmits=total.retransmits,
        sender=True,
        rounded=total.rounded,
    )


def _receiver(total: Iperf3Interval) -> Iperf3Interval:
    return Iperf3Interval(
        total.start,
        total.end,
        bytes=total.bytes,
        packets=total.packets,
        lost=total.lost,
        jitter_ms=total.jitter_ms,
        sender=False,
        rounded=total.rounded,
    )
