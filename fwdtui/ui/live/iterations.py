"""The iterations of this session so far: median, spread, trend, and the difference to the baseline."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import ClassVar

from rich.cells import cell_len
from textual.geometry import Size
from textual.strip import Strip

from fwdtui.core.model import Iteration
from fwdtui.core.units import counted, grouped
from fwdtui.monitor.live.snapshot import Snapshot
from fwdtui.report.cells import whole
from fwdtui.ui.draw.palette import Palette
from fwdtui.ui.draw.panel import Line, Panel, length, wrapped
from fwdtui.ui.draw.sparkline import sparkline
from fwdtui.ui.draw.view import NONE, View

_SPARK = 24


class Iterations(Panel):
    """A summary, the difference if a baseline is chosen, then the newest iterations, all of the same case."""

    TITLE: ClassVar[str] = "iterations"

    def part(self, snapshot: Snapshot, view: View) -> object:
        """What is drawn. An iteration saved later (after a full disk) or taken back is another object."""
        none = _none(snapshot, view)
        return snapshot.iterations, snapshot.cases, none, view.interim, view.other(snapshot.case)

    def wanted_rows(self, snapshot: Snapshot, view: View, width: int) -> int:
        """The summary, the difference to the baseline, and a row for each iteration."""
        return 1 + len(wrapped(view.interim, width - 2)) + len(snapshot.of_case)

    def cells(self, snapshot: Snapshot, view: View) -> Iterable[Sequence[str]]:
        """The summary, the difference to the baseline, and every iteration, the newest first."""
        iterations = snapshot.of_case
        values = known(iterations)
        if _names_case(snapshot, view):
            yield "case", snapshot.case
        if not values:
            yield (no_median(iterations, _none(snapshot, view)),)
        else:
            yield "median, pps", grouped(median(values))
            yield "spread", _spread(values)
            yield "n", str(len(values))
        if view.interim:
            yield (view.interim,)
        if iterations:
            yield "iteration", "value, pps", "to median", "limit", "remarks"
        middle = median(values) if values else None
        for one in reversed(iterations):
            limit = one.limit.code if one.limit is not None else ""
            remarks = "does not count" if one.dropped else ", ".join(_remarks(one))
            yield _number(one), _value(one), _to_median(one, middle), limit, remarks

    def draw(self, snapshot: Snapshot, view: View, size: Size, colors: Palette) -> Iterable[Strip | Line]:
        """Draw the panel; in a single row, only the difference if there is one, else the summary."""
        iterations = snapshot.of_case
        label = " iterations  " if size.height == 1 else " "
        if size.height == 1 and view.interim:
            head = f"{label}{len(known(iterations))}  "
            if len(head) + cell_len(view.interim) > size.width:
                head = " "  # the verdict matters more than the label
            yield [(head, colors["dim"]), (view.interim, colors["bold"])]
            return
        summary = _summary(iterations, _none(snapshot, view), colors)
        case: Line = [(f"{snapshot.case}  ", colors["dim"])] if _names_case(snapshot, view) else []
        yield [(label, colors["dim"]), *case, *summary]  # if the row is too long, its bars are cut
        if view.interim:
            for row in wrapped(view.interim, size.width - 2):
                yield [(" ", colors["dim"]), (row, colors["bold"])]
        middle = median(known(iterations)) if known(iterations) else None
        for iteration in reversed(iterations):
            yield _row(iteration, middle, colors, size.width)


def _none(snapshot: Snapshot, view: View) -> str:
    return view.no_iteration(snapshot.automatic, snapshot.blast is not None)


def _names_case(snapshot: Snapshot, view: View) -> bool:
    """Whether these iterations could be taken for those of another case."""
    return snapshot.several or bool(view.other(snapshot.case))


def known(iterations: Sequence[Iteration]) -> list[float]:
    """The values that count."""
    return [one.value for one in iterations if one.value is not None and one.saved and not one.dropped]


def no_median(iterations: Sequence[Iteration], none: str) -> str:
    """Why there is no median. `none`: the text to use if there are no iterations.

    In a panel of one row nothing else says that they exist, so their number is given.
    """
    if not iterations:
        return none
    if not any(one.saved for one in iterations):
        return f"{counted(len(iterations), 'blast')}, not saved"
    return f"{counted(len(iterations), 'iteration')}, but no value that counts"


def _summary(iterations: Sequence[Iteration], none: str, colors: Palette) -> Line:
    values = known(iterations)
    if not values:
        return [(f"{NONE} {no_median(iterations, none)}", colors["dim"])]
    return [
        ("median ", colors["dim"]),
        (grouped(median(values)), colors["bold"]),
        (" pps  spread ", colors["dim"]),
        (_spread(values), colors["text"]),
        ("  n ", colors["dim"]),
        (f"{len(values)}  ", colors["text"]),
        (sparkline(values, _SPARK), colors["received"]),
    ]


def _spread(values: Sequence[float]) -> str:
    middle = median(values)
    return f"{(max(values) - min(values)) / middle * 100:.2f} %" if middle and len(values) > 1 else NONE


def _number(iteration: Iteration) -> str:
    return str(iteration.index) if iteration.saved else NONE


def _value(iteration: Iteration) -> str:
    return NONE if iteration.value is None else grouped(iteration.value)


def _to_median(iteration: Iteration, middle: float | None) -> str:
    """The difference to the median, ``+0.52 %``; "" if one of the two is not known, or it does not count."""
    if iteration.dropped or iteration.value is None or not middle:
        return ""
    difference = (iteration.value / middle - 1) * 100
    return (f"{difference:+.2f} %" if abs(difference) >= 0.005 else "0.00 %").replace("-", "−")


def _remarks(iteration: Iteration) -> list[str]:
    remarks = ["! not saved"] if not iteration.saved else []
    if not iteration.complete and not iteration.incomplete:
        remarks.append("! unfinished")
    return [*remarks, *(f"! {caution.code}" for caution in iteration.warnings)]


def _row(iteration: Iteration, middle: float | None, colors: Palette, columns: int) -> Line:
    line: Line = [
        (f" {_number(iteration):>3}  ", colors["dim"]),
        (f"{_value(iteration):>13}", colors["bold"]),
    ]
    if iteration.dropped:
        return [*line, ("  does not count", colors["warning"])]
    if difference := _to_median(iteration, middle):
        line.append((f"  {difference:>8}", colors["text"]))
    if iteration.limit is not None:
        line.append((f"  {iteration.limit.code}", colors["dim"]))
    if remarks := _remarks(iteration):
        line.append((f"  {whole(remarks, columns - length(line) - 3)}", colors["warning"]))
    return line
