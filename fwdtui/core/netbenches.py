"""The trimming behind the published netbenches results, reproduced to the digit.

bench-lab's script drops the first 15 and last 10 *lines of the file* (not samples: headers take 9 to 17 of
them), keeps nonzero rates, and takes the median that ``ministat -n`` prints: the mean of the middle two, in
``%.8g``, so a rate above ten million loses its half packet.
"""

from collections.abc import Sequence
from statistics import median

from fwdtui.core.model import Window
from fwdtui.core.parse.netmap_pktgen import PktGenLog

HEAD_LINES = 15
TAIL_LINES = 10


def kept(log: PktGenLog) -> tuple[list[float], Window]:
    """The rates that count, in pps, and what was left out."""
    samples = log.samples()
    low, high = HEAD_LINES, log.lines - TAIL_LINES
    head = sum(item.line <= low for item in log.intervals)
    tail = sum(item.line > max(high, low) for item in log.intervals)
    inner = range(head, len(samples) - tail)
    rates = [samples[i].pps for i in inner if samples[i].pps > 0]
    zeros = len(inner) - len(rates)
    notes = [
        f"The first {HEAD_LINES} and last {TAIL_LINES} lines of the log dropped "
        f"({head} and {tail} samples), as netbenches does."
    ]
    if zeros:
        notes.append(
            f"{zeros} zero samples within the run dropped, as netbenches does: an outage does not show."
        )
    window = Window(
        method="netbenches",
        start=round(max(samples[head].t - samples[head].interval, 0.0), 6) if inner else None,
        end=samples[inner[-1]].t if inner else None,
        kept=len(rates),
        head=head,
        tail=tail,
        inside=zeros,
        notes=tuple(notes),
    )
    return rates, window


def value(rates: Sequence[float]) -> float | None:
    """The median as ministat prints it (%.8g); None without rates."""
    return float(f"{median(rates):.8g}") if rates else None
