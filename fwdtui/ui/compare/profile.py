"""The DUT's cores, queues and drop stages in two iterations, side by side, with the bottlenecks."""

from collections.abc import Sequence
from itertools import zip_longest

from rich.text import Text

from fwdtui.core.drop_stages import listed
from fwdtui.core.host_rates import CpuShare
from fwdtui.core.model import Iteration
from fwdtui.core.units import counted, si
from fwdtui.monitor.replay.iteration_series import IterationSeries
from fwdtui.report.cells import shorten_apart, wrap
from fwdtui.report.merging import numbered
from fwdtui.stats.figures import NONE
from fwdtui.ui.compare.reasons import reasons
from fwdtui.ui.compare.time_chart import BASE, OTHER, Trace
from fwdtui.ui.draw.heat import bar, heat, stacked
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.live.cores import KINDS, kinds_of, shares
from fwdtui.ui.live.queue_groups import Group

_MOST_BARS = 16  # the most cores or queues with a bar each; if there are more, they have a cell each
_FULL = 0.95  # busy share from which a core is full, as in the diagnosis
_GAP = 3
_BESIDE = 64


def bottleneck(base: Iteration, other: Iteration) -> str:
    """What limited each of the two, as recorded, in one sentence."""
    before, now = base.limit, other.limit
    if before is None and now is None:
        return "No bottleneck was recorded for these two iterations."
    if before is None or now is None:
        known, missing = ("candidate", "baseline") if now else ("baseline", "candidate")
        limit = now or before
        return f"No bottleneck was recorded for the {missing}. The {known}: {limit.text if limit else ''}"
    if before.code == now.code:
        kind = now.text.partition(":")[0].rstrip(".")
        return f"These two iterations have the same kind of bottleneck: {kind}."
    head, _, rest = now.text.partition(":")
    was = before.text.partition(":")[0]
    return f"The bottleneck changed from “{was}” to “{head}”{':' if rest else '.'}{rest}"


def profile(traces: Sequence[Trace], sets: Sequence[Sequence[Iteration]], width: int, styles: Styles) -> Text:
    """The tab's text. `traces`: the baseline's and the candidate's; `sets`: all iterations of each side."""
    chosen = [iterations[trace.place] for trace, iterations in zip(traces, sets, strict=True)]
    text = Text().append("\n".join(wrap(bottleneck(*chosen), width - 1)) + "\n", style=styles["bold"])
    beside = width >= _BESIDE
    each = (width - _GAP) // 2 if beside else width - 1
    which = [f"  iteration {trace.index}" for trace in traces]
    labels = shorten_apart([trace.label for trace in traces], max(each - max(map(len, which)), 8))
    heads = [label + one for label, one in zip(labels, which, strict=True)]
    columns = [
        [Text(head, style=styles.bold(name)), *_side(trace, iterations, each, styles)]
        for name, head, trace, iterations in zip((BASE, OTHER), heads, traces, sets, strict=True)
    ]
    text.append("\n")
    if beside:
        for left, right in zip_longest(*columns, fillvalue=Text()):
            left = left.copy()
            left.truncate(each, overflow="ellipsis", pad=True)
            right = right.copy()
            right.truncate(each, overflow="ellipsis")
            text.append_text(left).append(" " * _GAP).append_text(right).append("\n")
    else:
        for column in columns:
            for line in column:
                text.append_text(line).append("\n")
            text.append("\n")
    why = reasons([trace.label for trace in traces], sets, width, styles)
    if why is not None:
        text.append("\n").append_text(why)
    if not any(trace.series.cpus for trace in traces):
        return text
    text.append("\n")
    for name, texture, _ in kinds_of(cpu for trace in traces for cpu in trace.series.cpus):
        text.append(texture * 2, style=styles[name]).append(f" {name}  ", style=styles["dim"])
    return text.append("! a full core   ✕ packets dropped per second", style=styles["dim"])


def _side(trace: Trace, iterations: Sequence[Iteration], width: int, styles: Styles) -> list[Text]:
    """One side's lines: cores, drops, queues, what limited it."""
    return [
        *_cores(trace.series.cpus, width, styles),
        *_drops(trace.series, styles),
        *_queues(trace.series, width, styles),
        Text(),
        *(Text(line) for line in wrap(_limit(iterations, trace.place), width)),
    ]


def _limit(iterations: Sequence[Iteration], place: int) -> str:
    """The limit of the iteration shown, and the iterations with other limits."""
    limit = iterations[place].limit
    if limit is None:
        return "no bottleneck was recorded"
    others: dict[str, list[Iteration]] = {}
    for one in iterations:
        if one.limit is not None and one.limit.code != limit.code:
            others.setdefault(one.limit.code, []).append(one)
    others_text = "; ".join(
        f"in {numbered([one.index for one in same])}: {_kind(same[0])}" for same in others.values()
    )
    return f"{limit.text} (But {others_text}.)" if others_text else limit.text


def _kind(one: Iteration) -> str:
    """What limited an iteration: the part of its limit's sentence before the colon."""
    return one.limit.text.partition(":")[0].rstrip(".") if one.limit else ""


def _cores(cpus: Sequence[CpuShare], width: int, styles: Styles) -> list[Text]:
    if not cpus:
        return [Text(f"cores {NONE} the DUT was not sampled", style=styles["dim"])]
    full = sum(cpu.busy >= _FULL for cpu in cpus)
    busiest = max(cpu.busy for cpu in cpus) * 100
    load = f"{full} full" if full else f"busiest {busiest:.0f} %"
    lines = [Text(f"{counted(len(cpus), 'core')}, {load}", style=styles["bold"])]
    if len(cpus) > _MOST_BARS:
        room = max(width - 6, 8)
        blocks, each = heat([cpu.busy for cpu in cpus], room)
        lines.append(Text().append("cores ", style=styles["dim"]).append(blocks, style=styles["sys"]))
        if each > 1:
            lines.append(Text(f"{each} cores per cell, busiest shown", style=styles["dim"]))
        return lines
    room = max(width - 11, 4)
    for cpu in cpus:
        line = Text().append(f"{cpu.cpu:>4} ", style=styles["dim"])
        runs = stacked([(share, KINDS[n][1]) for n, share in enumerate(shares(cpu))], room)
        for piece, kind in runs:
            line.append(piece, style=styles[KINDS[kind][0]])
        line.append("·" * (room - sum(len(piece) for piece, _ in runs)), style=styles["dim"])
        line.append(f" {cpu.busy * 100:>3.0f}", style=styles["bold"])
        lines.append(line.append("!" if cpu.busy >= _FULL else "", style=styles.bold("warning")))
    return lines


def _queues(series: IterationSeries, width: int, styles: Styles) -> list[Text]:
    names = dict.fromkeys((queue.interface, queue.direction) for queue in series.queues)
    groups = [
        Group(f"{name} {way}", tuple(q for q in series.queues if (q.interface, q.direction) == (name, way)))
        for name, way in sorted(names, key=lambda pair: (pair[1] != "rx", pair[0]))
    ]
    moved = [group for group in groups if any(queue.pps or queue.drops for queue in group.queues)]
    if not moved:
        told = wrap(f"queues {NONE} {_why_no_queues(series)}", width)
        return [Text(line, style=styles["dim"]) for line in told]
    lines = []
    for group in moved:
        known = NONE if group.imbalance is None else f"{group.imbalance:.2f}"
        drops = f"  ✕ {si(group.drops, 3)}" if group.drops else ""
        head = f"{group.name}: {counted(len(group.queues), 'queue')}, imbalance {known}"
        # a drop is never cut off: if the names are long, it gets a line of its own
        told = [head] if len(head) + len(drops) <= width else wrap(head, width, rest="  ")
        lines += [Text(line, style=styles["bold"]) for line in told]
        if len(told[-1]) + len(drops) > width:
            lines.append(Text())
        lines[-1].append(drops, style=styles.bold("drops"))
        top = max(queue.pps or 0.0 for queue in group.queues) or 1.0
        parts = [None if queue.pps is None else queue.pps / top for queue in group.queues]
        if len(parts) > _MOST_BARS:
            blocks, _ = heat(parts, max(width - 1, 8))
            lines.append(Text(blocks, style=styles["sys"]))
            continue
        for queue, part in zip(group.queues, parts, strict=True):
            line = Text().append(f"{f'q{queue.index}':>4} ", style=styles["dim"])
            line.append(bar(part, max(width - 24, 4)), style=styles["sys"])
            line.append(f" {NONE if queue.pps is None else si(queue.pps, 3)}")
            lost = f"  ✕ {si(queue.drops, 3)}" if queue.drops else ""
            lines.append(line.append(lost, style=styles.bold("drops")))
    return lines


def _why_no_queues(series: IterationSeries) -> str:
    if not series.cpus:
        return "the DUT was not sampled"
    if any(queue.pps is not None for queue in series.queues):
        return "no packet passed through any of them"
    if series.counts_queues:  # a slow host may take seconds to read a driver's counters
        return "fewer than two readings in the window"
    return "this driver does not " + ("count their packets" if series.queues else "report its queues")


def _drops(series: IterationSeries, styles: Styles) -> list[Text]:
    """The drop stages in the order in which a packet passes them, each with its mean rate.

    A stage that the host does not report has a dash. If not all its counters were read, the rate is a lower
    bound, or not known. Even one packet in many seconds is shown as a drop.
    """
    if not series.cpus and not series.drops and not series.unread:
        return []
    lines = [Text("drops by stage, pps", style=styles["bold"])]
    for stage in listed(series.drops, series.unread):
        lost, why = series.drops.get(stage), series.unread.get(stage, "")
        line = Text().append(f"  {stage:<14}", style=styles["dim"])
        if lost:
            line.append(f"✕ {'≥ ' if why else ''}{si(lost)}", style=styles.bold("drops"))
        elif lost is None or why:
            line.append(NONE).append(f" {why}" if why else "", style=styles["warning"])
        else:
            line.append("0")
        lines.append(line)
    return lines
