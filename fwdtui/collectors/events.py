"""Events in a host's readings: link changes and kernel messages."""

import re
from collections.abc import Iterator, Mapping

from fwdtui.collectors.base import Followed
from fwdtui.core.model import EventSample
from fwdtui.core.parse.dmesg import link_changes, new_lines
from fwdtui.core.text import clean

_MOST = 20  # messages of one reading that become events; of a flood only the number is reported
_FLOOD = 100  # messages that arrive in one second and become events: the host itself sends fewer
_SOON = 3.0  # seconds within which a message arrives unless the host is held up: the clocks agree
_HELD_UP = 10.0  # seconds by which a busy host may send one later than others; beyond, it is another clock
_STAMP = re.compile(r"(?:<[0-9]{1,3}>)?\[ *([0-9]{1,12}\.[0-9]{1,9})\] ?(.*)")


class LinkWatch:
    """Link states as the host reports them; the first ones give no events."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._links: dict[str, bool] = {}
        self._downs: dict[str, int] = {}  # how often each had gone down, when it was last looked at
        self._looked = 0.0

    def changes(
        self, links: Mapping[str, bool], at: float, downs: Mapping[str, int] | None = None
    ) -> Iterator[EventSample]:
        """An event for each interface whose link state changed, and two for one that was down in between.

        `downs`: how often each has gone down, as far as the host counts that. Most links are down for a
        second or two only, and the states of two looks are the same then.
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
        """What the host counts begins anew."""
        self._downs = {}


class MessageWatch:
    """New kernel messages become events: of readings of their end again and again, or as they come."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._seen: str | None = None
        self._newest = -1.0  # the kernel's time of the newest that came by itself
        self._second = 0
        self._came = self._left = 0

    def news(self, text: str, at: float) -> Iterator[tuple[float | None, EventSample]]:
        """Each event with the kernel's own time, if the line has one (seconds since boot, Linux)."""
        if self._seen is None:
            self._seen = text
            return
        news = new_lines(self._seen, text)
        self._seen = text
        stamped = [(_STAMP.fullmatch(line), line) for line in news.value]
        # a sampler that is started again reads once more what came by itself
        lines = [(stamp, line) for stamp, line in stamped if not stamp or float(stamp[1]) > self._newest]
        told = [(float(stamp[1]), stamp[2]) if stamp else (None, line) for stamp, line in lines]
        # a change of a link is told in any flood: FreeBSD says nowhere else that one is up again
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
        """The same for one that came by itself."""
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
    """When the kernel said something, by printk's clock, which is not the monotonic one.

    It is sched_clock: it may stop in a suspended machine, or go on where the monotonic clock stops, and on
    some machines drifts from it over weeks (kernel/printk/printk.c; systemd issue 22554), so it may be off by
    hours. A message is never from the future, and seldom arrives late.
    """

    def __init__(self) -> None:
        self._off: float | None = None  # the least by which one arrived later than it was stamped

    def place(self, stamped: float, arrived: float) -> float:
        """When a message that came by itself was said, on the axis on which both times are.

        `stamped`: when it was, if printk's clock were the monotonic one.
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
