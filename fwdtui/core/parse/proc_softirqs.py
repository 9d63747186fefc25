"""/proc/softirqs: how often each kind of softirq ran on each core.

Source: show_softirqs() in fs/proc/softirqs.c. Machine-wide. Each count is an unsigned int, so it wraps at
2**32 (WIDTH).
"""

import re

from fwdtui.core.parse.fields import Skipped, lines, whole
from fwdtui.core.parse.result import Parsed
from fwdtui.core.parse.words import identifier

WIDTH = 32  # bits of every counter in this file
_CPU = re.compile(r"CPU([0-9]{1,6})")


def parse_proc_softirqs(text: str) -> Parsed[dict[str, dict[int, int]]]:
    """Softirq name (NET_RX, NET_TX ...) -> CPU -> times run.

    The header lists every possible CPU, so a machine may show 128 columns and run 4 of them.
    """
    skipped = Skipped()
    cpus: list[int] | None = None
    found: dict[str, dict[int, int]] = {}
    for number, line in enumerate(lines(text), 1):
        tokens = line.split()
        if not tokens:
            continue
        heads = [_CPU.fullmatch(token) for token in tokens]
        if cpus is None and all(heads):
            cpus = [int(head[1]) for head in heads if head]
            continue
        before, colon, after = line.partition(":")
        name = identifier(before)
        if not colon or name is None:
            skipped.line(number, "no softirq name", line)
            continue
        if cpus is None:
            skipped.line(number, "no header: counts are not mapped to cores", line)
            continue
        values = [whole(token) for token in after.split()]
        counts = [value for value in values if value is not None]
        if len(counts) != len(values):
            skipped.line(number, "not all counts are numbers", line)
        elif len(counts) != len(cpus):
            skipped.line(number, f"{len(counts)} counts, {len(cpus)} expected", line)
        elif name in found:
            skipped.line(number, "a second row of this softirq", line)
        else:
            found[name] = dict(zip(cpus, counts, strict=True))
    return Parsed(found, skipped.done())
