"""Events in a host's readings: link changes and kernel messages."""

import re
from collections.abc import Iterator, Mapping

from fwdtui.core.model import EventSample
from fwdtui.core.parse.dmesg import link_changes, new_lines
from fwdtui.core.text import clean

_MOST = 20  # messages of one reading that become events; of a flood only the number is reported
_STAMP = re.compile(r"(?:<[0-9]{1,3}>)?\[ *([0-9]{1,12}\.[0-9]{1,9})\] ?(.*)")


class LinkWatch:
    """Link states as the host reports them; the first ones give no events."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._links: dict[str, bool] = {}

    def changes(self, links: Mapping[str, bool], at: float) -> Iterator[EventSample]:
        """An event for each interface whose link state changed."""
        for name, up in links.items():
            if self._links.get(name, up) != up:
                yield link_event(self._host, name, up, at)
            self._links[name] = up


class MessageWatch:
    """Reads the end of the kernel's messages repeatedly: new lines become events."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._seen: str | None = None

    def news(self, text: str, at: float) -> Iterator[tuple[float | None, EventSample]]:
        """Each event with the kernel's own time, if the line has one (seconds since boot, Linux)."""
        if self._seen is None:
            self._seen = text
            return
        found = new_lines(self._seen, text)
        self._seen = text
        for line in found.value[-_MOST:]:
            stamp = _STAMP.fullmatch(line)
            when = float(stamp[1]) if stamp else None
            words = clean(stamp[2] if stamp else line).strip()
            if changes := link_changes([line]):
                yield when, link_event(self._host, changes[0].interface, changes[0].up, at)
            elif words:
                yield when, EventSample(at, "dmesg", words, self._host)
        if len(found.value) > _MOST or found.skipped:
            before = f"{len(found.value) - _MOST} more" if len(found.value) > _MOST else "others may be lost"
            yield None, EventSample(at, "dmesg", f"kernel messages before these: {before}", self._host)


def link_event(host: str, interface: str, up: bool, at: float) -> EventSample:
    """The event for a link that went up or down."""
    return EventSample(
        at, "link-up" if up else "link-down", f"{interface}: link is {'up' if up else 'down'}", host
    )
