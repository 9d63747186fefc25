"""How long a tool waits for its link before it sends or receives.

Only netmap's pkt-gen does, since opening a card resets it.
"""

import getopt
import re
import shlex
from collections.abc import Iterable
from functools import lru_cache

from fwdtui.core.lab import Endpoint
from fwdtui.core.sent_frames import PKT_GEN_OPTIONS

DEFAULT = 2.0
"""Seconds that pkt-gen waits without -w (pkt-gen.c, main(): wait_link)."""

_SEPARATED = re.compile(r"[;&|\n]+")  # commands of a shell
_PKT_GEN = re.compile(r"(?:^|\s)(?:\S*/)?pkt-gen(?:\s+(.*))?$", re.DOTALL)


@lru_cache(maxsize=64)
def wait_of(command: str) -> float:
    """Seconds that a start command waits for the link; 0 for other tools than pkt-gen.

    ``pkt-gen -f tx -i ix0 -w 35`` waits 35 before it says "Ready..." and sends. If a command starts several
    pkt-gens, the longest wait counts.
    """
    parts = _SEPARATED.split(command.replace("\\\n", " "))
    calls = [match for part in parts if (match := _PKT_GEN.search(part))]
    return max((_of_options(call[1] or "") for call in calls), default=0.0)


def further(command: str) -> float:
    """Seconds that a start command waits beyond DEFAULT, the wait of pkt-gen without -w."""
    return max(wait_of(command) - DEFAULT, 0.0)


def longest(ends: Iterable[Endpoint]) -> float:
    """The longest wait of these tools, in seconds."""
    return max((wait_of(end.start) for end in ends if end.start), default=0.0)


def _of_options(text: str) -> float:
    try:
        options, _ = getopt.getopt(shlex.split(text), PKT_GEN_OPTIONS)
    except (getopt.GetoptError, ValueError):
        return DEFAULT
    given = [value for option, value in options if option == "-w"]
    return float(given[-1]) if given and re.fullmatch("[0-9]{1,4}", given[-1], re.ASCII) else DEFAULT
