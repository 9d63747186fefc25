"""The names of the kernel's drop reasons: events/skb/kfree_skb/format in tracefs.

Its last line is the format in which the kernel prints an event (include/trace/events/skb.h):

    print fmt: "... reason: %s", ..., __print_symbolic(REC->reason, { 2, "NOT_SPECIFIED" }, ...

The numbers are those of the running kernel: they differ between versions (NOT_SPECIFIED is 1 in 6.1 and
2 since 6.3). Reasons of subsystems (since 6.4, the upper 16 bits of a reason) have no names there.
"""

import re
from collections.abc import Mapping

from fwdtui.core.parse.fields import Parsed, Skipped, lines, whole

_REASONS = re.compile(r"__print_symbolic\(REC->reason,")
_PAIR = re.compile(r'\{ *(0x[0-9a-fA-F]{1,8}|[0-9]{1,10}) *, *"([A-Za-z0-9_]{1,64})" *\}')
_MOST = 4096


def parse_skb_drop_format(text: str) -> Parsed[Mapping[int, str]]:
    """Reason -> its name, ``{2: "NOT_SPECIFIED"}``; empty if the kernel has no reasons (before 5.17)."""
    skipped = Skipped()
    reasons: dict[int, str] = {}
    for line in lines(text):
        start = _REASONS.search(line)
        if start is None or not line.startswith("print fmt:"):
            continue
        for pair in _PAIR.finditer(line, start.end()):
            number = int(pair[1], 16) if pair[1].startswith("0x") else whole(pair[1])
            if number is not None and len(reasons) < _MOST:
                reasons.setdefault(number, pair[2])
    if not reasons:
        skipped.note("no drop reasons are named")
    return Parsed(reasons, skipped.done())
