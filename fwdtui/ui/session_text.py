"""One session in words: facts, then each case with its iterations."""

from statistics import median

from rich.text import Text

from fwdtui.core.model import Session
from fwdtui.core.units import grouped
from fwdtui.store import Damaged

_LONG = 100


def session_text(entry: Session | Damaged) -> Text:
    """What the detail pane shows."""
    text = Text()
    if isinstance(entry, Damaged):
        text.append("This session cannot be read.\n", style="bold")
        text.append(entry.reason)
        return text
    for case in entry.cases:
        values = [i.value for i in case.iterations if i.value is not None]
        text.append(case.name, style="bold")
        if values:
            spread = (max(values) - min(values)) / median(values) * 100 if median(values) else 0.0
            text.append(f"  median {grouped(median(values))} pps, spread {spread:.2f} %, n {len(values)}")
        text.append("\n")
        for iteration in case.iterations:
            value = "–" if iteration.value is None else grouped(iteration.value)
            codes = ", ".join(caution.code for caution in iteration.warnings)
            state = codes or ("" if iteration.complete else "unfinished or damaged")
            text.append(f"  {iteration.index:>3}  {value:>14}  {state}\n")
    for problem in entry.problems:
        text.append(f"damage: {problem}\n")
    text.append("\nrecorded ", style="bold")
    text.append(f"{entry.created}\n")
    for name, fact in sorted(entry.facts.items()):
        shown = ", ".join(fact) if isinstance(fact, list) else str(fact)
        text.append(f"{name} ", style="bold")
        text.append(f"{shown[:_LONG]}{'…' if len(shown) > _LONG else ''}\n")
    return text
