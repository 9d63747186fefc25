"""One iteration in words: its warnings, limit, value and window, and where every packet went."""

from collections.abc import Iterable, Sequence

from rich.text import Text

from fwdtui.core.cost import MACHINE
from fwdtui.core.drop_reasons import unexplained
from fwdtui.core.drop_reasons_text import named, percent, remarks, where, why_lost
from fwdtui.core.model import Case, Iteration, Packets, Session
from fwdtui.core.rates import SAID
from fwdtui.core.reason_counts import DropReasons
from fwdtui.core.text import clean
from fwdtui.core.units import counted, grouped
from fwdtui.monitor.replay.iteration_series import IterationSeries
from fwdtui.monitor.replay.outage_places import outage_places, told
from fwdtui.report.cells import columns_of, pad, shorten
from fwdtui.report.iterations import iteration_folder
from fwdtui.stats.figures import amount
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.draw.view import NONE, when_text
from fwdtui.ui.sessions.text import figure

_HEADS = ("median", "mean", "min", "max")
_NAMES = 20
_NAMES_MOST = 30  # of an event that somebody else named
_NUMBER = 13
_REASON = 56  # columns of the longest reason
_REASONS = 15


def account_text(
    session: Session,
    case: Case,
    iteration: Iteration,
    series: IterationSeries | None = None,
    *,
    odd: str = "",
) -> Text:
    """Warnings first, then the value and its window, then the packets.

    `odd`: in what way it is an outlier; "": it is none. With a `series`, every time is in seconds since the
    blast began, as in the chart.
    """
    text = Text()
    folder = iteration_folder(session, case, iteration)
    if iteration.dropped:
        how = "by its experiment" if iteration.judged is False else f"{key('session.drop', 'd')} restores it"
        _line(text, "dropped", f"{clean(iteration.dropped)}   ({how})")
    for problem in session.problems:
        if problem.startswith((f"{folder}:", f"{folder}/")):
            _line(text, "! damage", clean(problem))
    if odd:
        _line(text, "! outlier", f"It is far from the other iterations of {clean(case.name)}: {odd}.")
    for caution in iteration.warnings:
        where = told(outage_places(series, iteration)) if series and caution.code == "outage" else ""
        place = f" In the chart: {where}, marked !." if where else ""
        _line(text, f"! {clean(caution.code)}", clean(caution.text) + place)
    if iteration.limit is not None:
        _line(text, "limit", clean(iteration.limit.text))
    value = NONE
    if iteration.value is not None:
        value = f"{figure(iteration.value, iteration.unit)} {clean(iteration.unit)}"
    _line(text, "value", value + (f"   from {clean(iteration.source)}" if iteration.source else ""))
    text.append_text(_window(iteration, series.began if series and series.flows else None))
    text.append_text(_metrics(iteration))
    text.append_text(_costs(iteration))
    if iteration.packets is not None:
        text.append_text(packets_text(iteration.packets))
    else:
        text.append("\nNo packet account was recorded.\n", style="dim")
    if iteration.origin:
        _line(text, "imported from", clean(iteration.origin))
    _line(text, "saved in", clean(folder))
    return text


def _line(text: Text, name: str, value: str) -> None:
    text.append(f"{name}  ", style="bold")
    text.append(f"{value}\n")


def _window(iteration: Iteration, began: float | None) -> Text:
    text = Text()
    window = iteration.window
    if window is None:
        return text
    place = ""
    if window.start is not None and window.end is not None:
        zero, clock = (began, "the blast") if began is not None else (0.0, "the recording")
        place = f" from {when_text(window.start - zero)} to {when_text(window.end - zero)} of {clock}"
    total = counted(window.head + window.kept + window.tail + window.inside, "sample")
    _line(text, "window", f"{window.kept} of {total}{place}, found by {clean(window.method)}")
    for note in window.notes:
        text.append(f"  {clean(note)}\n")
    return text


def _metrics(iteration: Iteration) -> Text:
    text = Text()
    if not iteration.metrics:
        return text
    figures = {
        name: [figure(getattr(summary, head), iteration.unit) for head in _HEADS]
        for name, summary in iteration.metrics.items()
    }
    wide = max(_NUMBER, *(len(shown) + 2 for of_one in figures.values() for shown in of_one))
    per_line = 4 if wide == _NUMBER else 2  # longer ones do not fit in one line, and would be broken

    def lines(cells: Sequence[str]) -> str:
        rows = [cells[at : at + per_line] for at in range(0, len(cells), per_line)]
        return f"\n{' ' * _NAMES}".join("".join(f"{cell:>{wide}}" for cell in row) for row in rows)

    text.append(f"\n{pad(clean(iteration.unit) + ' in the window', _NAMES)}", style="bold")
    text.append(f"{lines(_HEADS)}\n", style="dim")
    for name, summary in iteration.metrics.items():
        text.append(pad(clean(name), _NAMES) + lines(figures[name]))
        text.append(f"   {counted(summary.n, 'sample')}\n", style="dim")
    return text


def _costs(iteration: Iteration) -> Text:
    """What a forwarded packet cost, and the parts of that cost."""
    text = Text()
    if not iteration.costs:
        return text
    shared = any(cost.scope == MACHINE for cost in iteration.costs.values())
    names = _column(iteration.costs)
    text.append(f"\n{pad('cost of a packet', names)}", style="bold")
    text.append("".join(pad(head, _NUMBER, right=True) for head in ("in all", "min", "max")), style="dim")
    text.append("   the whole machine's, not the DUT's\n" if shared else "\n")
    for name, cost in iteration.costs.items():
        text.append(pad(clean(name), names))
        if cost.summary is None:
            text.append(f"{pad(NONE, _NUMBER, right=True)}   not counted: {clean(cost.why)}\n")
            continue
        for spent in (cost.summary.mean, cost.summary.min, cost.summary.max):
            text.append(pad(amount(spent), _NUMBER, right=True))
        parts = ", ".join(f"{clean(part)} {amount(spent)}" for part, spent in cost.parts.items() if spent)
        text.append(f"   {clean(cost.unit)}", style="dim").append(f"  {parts}\n", style="dim")
    return text


def _column(names: Iterable[str]) -> int:
    """The width of a column of names, so that those of this program are not cut."""
    return max(_NAMES, min(max(columns_of(clean(name)) for name in names) + 1, _NAMES_MOST))


def packets_text(packets: Packets) -> Text:
    """The packet account from offered to received, with the losses of each stage, and shares of offered."""
    text = Text("\n")
    rows: list[tuple[str, int | None]] = [("offered", packets.offered)]
    if packets.attack is not None:
        rows.append(("attack", packets.attack))
    if packets.at_nic is not None:
        rows.append(("at the DUT's NIC", packets.at_nic))
    rows.append(("into the DUT", packets.dut_in))
    rows += [(f"  lost: {clean(stage)}", lost) for stage, lost in packets.drops.items() if lost]
    if packets.drops and not any(packets.drops.values()):
        rows.append(("  lost in the DUT", 0))
    rows += [("forwarded", packets.forwarded), ("received", packets.received)]
    if packets.unaccounted is not None:
        rows.append(("  in no counter", packets.unaccounted))
    counts = [NONE if count is None else grouped(count).replace("-", "−") for _, count in rows]
    wide = max(_NUMBER, *(len(count) + 1 for count in counts))
    names = _column(name for name, _ in rows)
    text.append(pad("packets of the blast", names), style="bold")
    text.append(pad("packets", wide, right=True) + pad("of offered", 12, right=True) + "\n", style="dim")
    for (name, count), shown in zip(rows, counts, strict=True):
        share = percent(count / packets.offered, 3) if packets.offered and count is not None else ""
        text.append(pad(name, names) + pad(shown, wide, right=True))
        text.append(pad(share.replace("-", "−"), 12, right=True) + "\n")
    for stage, why in packets.unread.items():
        text.append(f"  ! {clean(stage)}: a lower bound, since {SAID.get(why, clean(why))}\n")
    if packets.reasons is not None:
        text.append_text(_reasons(packets, packets.reasons))
    if packets.nic:
        text.append("\n" + pad("the cards' counters", _NAMES), style="bold")
        text.append("  as named by the drivers; they repeat the losses above\n", style="dim")
        for name, count in packets.nic.items():
            text.append(f"  {clean(name)}  {grouped(count)}\n")
    return text


def _reasons(packets: Packets, reasons: DropReasons) -> Text:
    """The kernel's drop reasons: a sentence, and for each reason a row with what it explains."""
    text = Text("\n")
    why = why_lost(packets)
    if why:
        text.append(f"{clean(why)}\n", style="bold")
    wide = min(max((len(named(row)) for row in reasons.rows), default=0) + 2, _REASON)
    rest = reasons.rows[_REASONS:]
    more = grouped(sum(row.count for row in rest))
    without = unexplained(packets)
    counts = (more, *(grouped(one) for one in (*(row.count for row in reasons.rows), *without.values())))
    each = max(_NUMBER, *(len(count) + 1 for count in counts))
    text.append(pad("drop reason", wide) + pad("packets", each, right=True) + "  explains\n", style="dim")
    for row in reasons.rows[:_REASONS]:
        on = f" on {row.device}" if row.device else ""
        name = pad(shorten(clean(named(row)), wide - 1), wide)
        text.append(f"{name}{pad(grouped(row.count), each, right=True)}  {where(row)}{clean(on)}\n")
    if rest:
        text.append(pad(f"{len(rest)} more", wide) + pad(more, each, right=True) + "\n", style="dim")
    for stage, count in without.items():
        text.append(pad("no reason", wide) + pad(grouped(count), each, right=True) + f"  {clean(stage)}\n")
    for note in remarks(reasons):
        if note not in why:
            text.append(f"  {note}\n", style="dim")
    return text
