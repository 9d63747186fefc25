"""Kernel messages: which lines are new since an earlier reading (FreeBSD and Linux), and what FreeBSD's say.

Source: dmesg(8) of both systems prints a ring buffer: the oldest lines are lost, and the first line shown may
be the tail of one. FreeBSD's text: sys/net/if.c (do_link_state_change),
sys/net/iflib.c, sys/dev/cxgbe/t4_main.c. In /var/log/messages each line has a syslog prefix.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fwdtui.core.parse.fields import Parsed, lines

_PREFIX = r"(?:.*\bkernel:?\s+)?(?:<[0-9]{1,3}>)?(?:\[[ 0-9.]{1,20}\]\s*)?"
_NAME = r"([A-Za-z0-9_.-]{1,31})"
_LINK = re.compile(_PREFIX + _NAME + r": link state changed to (UP|DOWN)\s*")
_QUEUES = re.compile(_PREFIX + _NAME + r": Using ([0-9]{1,4}) RX queues ([0-9]{1,4}) TX queues\s*")
_CXGBE_QUEUES = re.compile(_PREFIX + _NAME + r": ([0-9]{1,4}) txq, ([0-9]{1,4}) rxq \(NIC\).*")
_CXGBE_PORT = re.compile(_PREFIX + _NAME + r": <port ([0-9]{1,2})> on (t[4-9]nex[0-9]{1,3})\s*")


@dataclass(frozen=True, slots=True)
class LinkChange:
    """An interface's link went up or down. FreeBSD's ring buffer has no time of its own."""

    interface: str
    up: bool


def new_lines(earlier: str, later: str) -> Parsed[tuple[str, ...]]:
    """The lines of `later` that came after `earlier` was read. Never raises.

    The longest end of `earlier` with which `later` begins counts as already known, allowing for a first line
    of `later` that is only the tail of a known one, and a last line of `earlier` that was still being
    written. If they have nothing in common, all of `later` is new and `skipped` says that lines in between
    may be lost. Repeated lines are ambiguous: then fewer lines are reported.
    """
    old, new = _content(earlier), _content(later)
    if not old:
        return Parsed(tuple(new))
    for cut in (0, 1):
        known = old[: len(old) - cut]
        if count := _overlap(known, new):
            return Parsed(tuple(new[count:]))
        count = _overlap(known, new[1:])
        if count and count < len(known) and known[-count - 1].endswith(new[0]):
            return Parsed(tuple(new[1 + count :]))
    if not new:
        return Parsed((), ("nothing left: the message buffer has been cleared",))
    return Parsed(
        tuple(new), ("no line in common: the buffer rolled over or was cleared, lines may be lost",)
    )


def _content(text: str) -> list[str]:
    content = [line.rstrip() for line in lines(text)]
    while content and not content[-1]:
        content.pop()
    return content


def _overlap(old: Sequence[str], new: Sequence[str]) -> int:
    """The largest count with old[-count:] == new[:count] (Knuth, Morris and Pratt, in linear time)."""
    if not new:
        return 0
    fall = [0] * len(new)
    matched = 0
    for index in range(1, len(new)):
        while matched and new[index] != new[matched]:
            matched = fall[matched - 1]
        matched += new[index] == new[matched]
        fall[index] = matched
    matched = 0
    for line in old[-len(new) :]:  # the rest cannot matter: `new` is no longer than this
        while matched and line != new[matched]:
            matched = fall[matched - 1]
        matched += line == new[matched]
    return matched


def link_changes(content: Iterable[str]) -> tuple[LinkChange, ...]:
    """Every ``IF: link state changed to UP|DOWN`` among the lines, with or without a syslog prefix."""
    return tuple(
        LinkChange(match[1], match[2] == "UP") for line in content if (match := _LINK.fullmatch(line))
    )


def queue_counts(content: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Interface -> receive and transmit queues, as iflib drivers and cxgbe report when they attach."""
    counts: dict[str, tuple[int, int]] = {}
    for line in content:
        if match := _QUEUES.fullmatch(line):
            counts[match[1]] = int(match[2]), int(match[3])
        elif match := _CXGBE_QUEUES.fullmatch(line):
            counts[match[1]] = int(match[3]), int(match[2])
    return counts


def cxgbe_ports(content: Iterable[str]) -> dict[tuple[str, int], str]:
    """Adapter and port -> interface, ``{("t5nex0", 1): "cxl1"}``: what vmstat_i needs for cxgbe's vectors."""
    return {(match[3], int(match[2])): match[1] for line in content if (match := _CXGBE_PORT.fullmatch(line))}
