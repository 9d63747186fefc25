"""The lines above the design: how far the experiment is, what is done now, and when a verdict comes."""

from rich.text import Text

from fwdtui.core.experiment import Plan, StopRule
from fwdtui.core.experiment.model import LOOKS, PRECISION
from fwdtui.core.experiment.order import is_aa
from fwdtui.core.text import clean
from fwdtui.report.cells import columns_of, shorten
from fwdtui.ui.draw.styles import Styles
from fwdtui.ui.draw.view import lasting
from fwdtui.ui.experiment.design import Design
from fwdtui.ui.experiment.given import Shown

_BAR = 20  # columns of the bar of progress
_ONE_LINE, _PLACE = 110, 46  # columns from which trial and block fit in the same line, and what they take


def progress(shown: Shown, where: str, width: int, styles: Styles) -> Text:
    """The first line: ``rules ▸ session   ███████·····  7 of 20 trials · 12 min 05 s left``."""
    view = shown.view
    share = view.done / view.planned if view.planned else 0.0
    bar = round(share * _BAR)
    right = f"{view.done} of {view.planned} trials"
    if view.left is not None and not view.over:
        right += f" · {lasting(view.left)} left"
    long = width >= columns_of(right) + _BAR + 24
    shown_bar = "█" * bar + "·" * (_BAR - bar) + "  " if long else ""
    room = max(width - columns_of(right) - columns_of(shown_bar) - 2, 8)
    text = Text(no_wrap=True, overflow="ellipsis")
    name = shorten(clean(where), room)
    text.append(name, style=styles["bold"])
    text.append(" " * max(width - columns_of(name) - columns_of(shown_bar) - columns_of(right), 1))
    text.append(shown_bar, style=styles["accent"])
    return text.append(right)


def now(shown: Shown, plan: Plan, width: int, styles: Styles) -> Text:
    """What is being done now, and for which trial of which block, in two lines if one has no room."""
    view = shown.view
    text = Text(no_wrap=True, overflow="ellipsis")
    if not shown.begun:
        if shown.aside:
            return text.append(f"✕ not begun: {shown.aside}", style=styles.bold("drops"))
        return text.append(f"■ {view.doing}", style=styles["bold"])
    if view.over:
        doubt = f"in doubt whether undone: {', '.join(view.in_doubt)}" if view.in_doubt else ""
        if why := view.problem or shown.aside:
            told = "; ".join(filter(None, (clean(why), doubt)))
            return text.append(f"✕ ended: {told}", style=styles.bold("drops"))
        if view.stopped or (view.done < view.planned and not view.decided):
            told = "; ".join(filter(None, ("stopped", doubt, "to continue: fwdtui experiment FILE --resume")))
            return text.append(f"■ {told}", style=styles["bold"])
        if doubt:
            return text.append(f"! over: {doubt}; check the hosts", style=styles.bold("warning"))
        if view.decided:
            return text.append(f"✓ over: {clean(view.decided)}", style=styles["bold"])
        return text.append("✓ over: all trials are done", style=styles["bold"])
    sign = "■" if shown.stopping else "▶"
    if view.trial:
        trial = plan.trials[view.trial - 1]
        apart = width < _ONE_LINE
        room = max(width - columns_of(view.doing) - 4 - (0 if apart else _PLACE), 12)
        text.append(f"{sign} {shorten(clean(plan.cells[trial.cell].name), room)}: ", style=styles["bold"])
        text.append(view.doing, style=styles.bold("accent"))
        text.append("\n  " if apart else "   ")
        text.append(f"trial {view.trial}, block {view.block} of {plan.experiment.blocks}")
        if view.attempt > 1:
            text.append(f", attempt {view.attempt}", style=styles["bold"])
    else:
        text.append(f"{sign} {view.doing}", style=styles.bold("accent"))
    if shown.stopping:
        text.append("   stopping: undoing the changes on the hosts", style=styles.bold("warning"))
    return text


def rule(shown: Shown, plan: Plan, layout: Design) -> Text:
    """The line that says when verdicts come, as figures before that are no verdicts."""
    text = Text()
    view = shown.view
    if layout.against:
        text.append(f"differences of means, against {layout.against}; ")
    if is_aa(plan):  # there is no difference to find
        floor = "the lab's floor"
        after = f"no verdict, only {floor} after the last block ({plan.experiment.blocks})"
        return text.append(f"{floor} below" if view.over else after)
    if view.over:
        return text.append("verdicts below" if layout.against else "over")
    return text.append(_ends(plan.experiment.stop, view.looks, plan.experiment.blocks))


def _ends(stop: StopRule, looks: tuple[str, ...], blocks: int) -> str:
    if looks:
        return f"look {len(looks)}: {clean(looks[-1])}"
    if stop.rule == LOOKS:
        planned = ", ".join(map(str, stop.looks))
        return f"no verdict before the looks after block{'s' * (len(stop.looks) > 1)} {planned}"
    if stop.rule == PRECISION:
        return f"ends when every difference is known to ±{stop.precision:g} %"
    return f"verdict after the last block ({blocks})"
