"""A session against the baseline: a cell of the list, and the lines beside it."""

from rich.text import Text

from fwdtui.core.text import clean
from fwdtui.report import bearing
from fwdtui.report.against import Against
from fwdtui.report.cells import columns_of, fitting, pad
from fwdtui.stats import wording
from fwdtui.ui.draw.styles import MARKS, Styles
from fwdtui.ui.draw.view import NONE

_PENDING = "…"
_NAME = 28  # cells of the longest name of a case


def verdict_cell(verdict: Against | None, room: int, styles: Styles) -> Text:
    """``▼ −66.1 %, 2 more``: the worst verdict, its difference, and how many more cases there are.

    A dash if no case can be compared; an ellipsis if `verdict` is None, that is, not judged yet.
    """
    if verdict is None:
        return Text(_PENDING, style=styles["dim"])
    worst = verdict.worst
    if worst is None:
        return Text(NONE)
    mark = f"{MARKS[worst.verdict]}"
    value = f" {wording.difference_parts(worst.difference, worst.unit).value}"
    warned = bearing.mark(worst)
    others = len(verdict.judged) - 1
    more, short = (f", {others} more", f" (+{others})") if others else ("", "")
    figure = f"{mark}{value}{warned}"
    whole = fitting([figure + more, figure + short, figure, mark + warned, mark], room)
    return Text(whole, style=styles.bold(f"verdict-{worst.verdict}"))


def verdict_lines(against: Against, styles: Styles) -> Text:
    """A line for each case, then the cases that cannot be compared; or why none can."""
    text = Text("against ", style="bold").append(clean(against.base), style="bold")
    if against.reason:
        return text.append(f"  {clean(against.reason)}\n", style="not bold")
    text.append("\n")
    names = min(max(columns_of(one.comparison.case) for one in against.judged), _NAME)
    for one in against.judged:
        comparison = one.comparison
        text.append(f"{pad(clean(comparison.case), names)} ", style="not bold")
        verdict = f"{MARKS[comparison.verdict]} {wording.verdict_cell(comparison)}{bearing.mark(comparison)}"
        text.append(verdict, style=styles.bold(f"verdict-{comparison.verdict}"))
        text.append(
            f"   {wording.difference_parts(comparison.difference, comparison.unit)}", style="not bold"
        )
        if codes := bearing.codes(comparison):
            text.append(f"   {bearing.MARK} {', '.join(codes)}", style="not bold")
        text.append("\n")
    if against.alone:
        text.append(
            f"not compared, only in one of the two: {clean(', '.join(against.alone))}\n", style="not bold"
        )
    return text
