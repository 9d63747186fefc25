"""Events in a host's readings: link changes and kernel messages."""

import re
from collections.abc import Iterator, Mapping, Sequence

from fwdtui.collectors.base import Followed
from fwdtui.core.model import EventSample, HostSample
from fwdtui.core.parse.dmesg import link_changes, new_lines
from fwdtui.core.text import clean

_MOST = 20  # messages of one reading that become events; more are only counted
_FLOOD = 100  # messages arriving in one second that become events; the host itself already sends fewer
_AWAY = 2  # readings in a row without a port, after which it is gone
_SOON = 3.0  # seconds within which a message arrives unless the host is held up: the clocks agree
_HELD_UP = 10.0  # seconds by which a busy host may send one message later than others; more: another clock
_STAMP = re.compile(r"(?:<[0-9]{1,3}>)?\[ *([0-9]{1,12}\.[0-9]{1,9})\] ?(.*)")


class LinkWatch:
    """Link states as the host reports them; the first ones give no events."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._links: dict[str, bool] = {}
        self._downs: dict[str, int] = {}  # how often each link had gone down at the last look
        self._looked = 0.0  # when that was, on the axis

    def changes(
        self, links: Mapping[str, bool], at: float, downs: Mapping[str, int] | None = None
    ) -> Iterator[EventSample]:
        """An event for each interface whose link state changed, and two for one that was down in between.

        `downs`: how often each link has gone down, if the host counts that. Most links are down for only a
        second or two, and then two looks see the same state.
        """
        if not links:
            return
        counts = downs or {}
        for name, up in links.items():
            before = self._links.get(name, up)
            if before != up:
                yield link_event(self._host, name, up, at)
            elif up and name in self._downs and counts.get(name, 0) > self._downs[name]:
                yield link_event(self._host, name, False, (self._looked + at) / 2)
                yield link_event(self._host, name, True, at)
            self._links[name] = up
        self._downs, self._looked = {name: counts[name] for name in links if name in counts}, at

    def rebooted(self) -> None:
        """The host was rebooted: its counts of links that went down start over."""
        self._downs = {}


class PortWatch:
    """Which of the lab's interfaces a host has: a name with a typing error, a port that was taken away."""

    def __init__(self, host: str, ports: Sequence[str]) -> None:
        self._host = host
        self._ports = ports
        self._missed: dict[str, int] = {}  # readings in a row without this port

    def changes(self, sample: HostSample) -> Iterator[EventSample]:
        """An event for each port that two readings in a row lack, and one when it is back.

        `sample`: a plain one. One reading alone may have failed.
        """
        there = {row.name for row in sample.interfaces}
        for port in self._ports:
            missed = self._missed.get(port, 0)
            self._missed[port] = 0 if port in there else missed + 1
            if missed >= _AWAY and port in there:
                yield EventSample(sample.at, "port-back", f"{port}: the interface is back", self._host)
            elif self._missed[port] == _AWAY:
                text = f"{port}: there is no such interface, so what it counts is not known"
                yield EventSample(sample.at, "port-gone", text, self._host)


class MessageWatch:
    """Turns new kernel messages into events, whether their end is read repeatedly or they come one by one."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._seen: str | None = None
        self._newest = -1.0  # the kernel's time of the newest message that came by itself (`came`)
        self._second = 0
        self._came = self._left = 0

    def news(self, text: str, at: float) -> Iterator[tuple[float | None, EventSample]]:
        """The events of a new reading, each with the kernel's own time, if the line has one.

        `text`: the end of the kernel's messages. The first reading gives no events. The kernel's time is in
        seconds since boot (Linux).
        """
        if self._seen is None:
            self._seen = text
            return
        news = new_lines(self._seen, text)
        self._seen = text
        stamped = [(_STAMP.fullmatch(line), line) for line in news.value]
        # a sampler that was restarted reads again what had already come by itself
        lines = [(stamp, line) for stamp, line in stamped if not stamp or float(stamp[1]) > self._newest]
        told = [(float(stamp[1]), stamp[2]) if stamp else (None, line) for stamp, line in lines]
        # link changes are reported in any flood: FreeBSD says nowhere else that a link is up again
        kept = [
            (when, text)
            for place, (when, text) in enumerate(told, 1)
            if place > len(told) - _MOST or link_changes([text])
        ]
        for when, text in kept:
            yield from self._event(text, when, at)
        left_out = len(told) - len(kept)
        if left_out or news.skipped:
            before = f"{left_out} more" if left_out else "others may be lost"
            yield None, EventSample(at, "dmesg", f"kernel messages before these: {before}", self._host)

    def came(self, said: Followed, at: float) -> Iterator[tuple[float | None, EventSample]]:
        """As `news`, for one message that came by itself."""
        if int(at) != self._second:
            self._second, self._came = int(at), 0
        self._came += 1
        self._newest = max(self._newest, said.when or 0.0)
        if self._came > _FLOOD:
            self._left += said.left + 1
            return
        left, self._left = said.left + self._left, 0
        if left:
            yield None, EventSample(at, "dmesg", f"kernel messages before this one: {left} more", self._host)
        yield from self._event(said.text, said.when, at)

    def _event(self, text: str, when: float | None, at: float) -> Iterator[tuple[float | None, EventSample]]:
        words = clean(text).strip()
        if changes := link_changes([text]):
            yield when, link_event(self._host, changes[0].interface, changes[0].up, at)
        elif words:
            yield when, EventSample(at, "dmesg", words, self._host)


class MessageClock:
    """Finds out when the kernel said something. Messages have printk's time, not the monotonic clock's.

    printk's clock is sched_clock: it may stop in a suspended machine, or go on where the monotonic clock
    stops, and on some machines it drifts from it over weeks (kernel/printk/printk.c; systemd issue 22554), so
    it may be off by hours. But a message is never from the future, and seldom arrives late.
    """

    def __init__(self) -> None:
        self._off: float | None = None  # seconds: the least by which a message arrived after its time

    def place(self, stamped: float, arrived: float) -> float:
        """When a message that came by itself was printed. All times are on the recording's axis.

        `stamped`: the message's own time, if printk's clock were the monotonic one.
        """
        late = arrived - stamped
        if self._off is None or not 0.0 <= late - self._off <= _HELD_UP:
            self._off = late
        if 0.0 <= self._off <= _SOON:
            return stamped
        return min(stamped + self._off, arrived)


def link_event(host: str, interface: str, up: bool, at: float) -> EventSample:
    """The event for a link that went up or down."""
    return EventSample(
        at, "link-up" if up else "link-down", f"{interface}: link is {'up' if up else 'down'}", host
    )
