"""An event in one line, for people: with its host, and without repeating a name."""

import re

from fwdtui.core.model import NOT_STOPPED, EventSample

OF_TROUBLE = frozenset(
    ("silent", "sampled-again", "starved", "held-up", "host-lost", "host-back", "failed", "reboot",
     "clock-step", "link-down", "link-up", "port-gone", "port-back", "tool-failed", NOT_STOPPED,
     "several-tools")
)  # fmt: skip
"""Codes of events that say how far numbers can be trusted; without a screen, these are printed."""
_STARTED = re.compile(r"(?P<tool>.+) on (?P<host>\S+): (?P<command>.+)", re.DOTALL)


def told(event: EventSample) -> str:
    """The event's text with its host: two hosts may have a port of the same name.

    A text that already names its host stays as it is. A tool that is named in its own command is named only
    there: the recording's ``pkt-gen on gen: pkt-gen -f tx`` becomes ``started on gen: pkt-gen -f tx``.
    """
    if not event.host:
        return event.text
    if event.code == "tool-started" and (match := _STARTED.fullmatch(event.text)):
        programs = {word.rpartition("/")[2] for word in match["command"].split()}
        if match["host"] == event.host and match["tool"] in programs:
            return f"started on {event.host}: {match['command']}"
    # at the beginning or after "on", as a word of its own: a host may be called "link"
    named = re.search(rf"(?:^|\bon ){re.escape(event.host)}(?![\w-])", event.text)
    return event.text if named else f"{event.host}: {event.text}"
