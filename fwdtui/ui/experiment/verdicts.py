"""What was decided when an experiment is over: its comparisons in a few lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.text import Text

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Plan
from fwdtui.core.factors import level
from fwdtui.core.shell_words import quote
from fwdtui.core.units import in_full
from fwdtui.report import bearing, comparison
from fwdtui.report.comparison import Compared
from fwdtui.report.experiment_view import by_design
from fwdtui.report.factor_view import AS_GIVEN, FactorView
from fwdtui.report.next_command import command
from fwdtui.stats.interaction_verdict import told_once
from fwdtui.stats.wording import designs, difference_parts
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.draw.styles import MARKS, Styles
from fwdtui.ui.experiment.cell_text import Verdict
from fwdtui.ui.experiment.design import Design


@dataclass(frozen=True)
class Outcome:
    """The comparisons, the first factor's first. `problems` say for which factors there is none, and why."""

    compared: tuple[Compared, ...]
    problems: tuple[str, ...]
    verdicts: dict[int, Verdict]  # those of the first comparison, by the number of the cell
    publish: str  # the command that writes the report
    floor: str = ""  # for an A/A experiment: which differences its lab cannot tell apart


def view_by(plan: Plan, factor: str) -> FactorView:
    """The comparison by this factor, with its first level in the file as the baseline."""
    values: list[str] = []
    for cell in plan.cells:
        if factor in cell.factors and (text := level(factor, cell.factors[factor]).text) not in values:
            values.append(text)
    return FactorView(by=(factor,), baseline=((factor, values[0]),))


def views(plan: Plan, factors: Sequence[str]) -> list[FactorView]:
    """The comparisons that the screen shows: by each factor, or by all of them together.

    The latter is for a list of cells that varies one factor at a time, as in the report: a comparison by one
    factor alone would leave cells out.
    """
    own = by_design(plan, AS_GIVEN)
    return [own] if len(own.by) > 1 else [view_by(plan, factor) for factor in factors]


def outcome(folder: Path, plan: Plan, layout: Design, floor: str = "") -> Outcome:
    """Judge what was measured. This takes long: call it in a thread."""
    judged: list[Compared] = []
    problems: list[str] = []
    shown = [] if floor else views(plan, layout.factors)
    for view in shown:
        try:
            loaded = comparison.load([folder])
            margin = plan.experiment.margin
            judged.append(comparison.judge(loaded, margin, comparison.CONFIDENCE, view))
        except (FwdtuiError, OSError) as error:
            problems.append(f"by {', '.join(view.by)}: {error}")
    if not layout.factors:
        problems.append("There is one cell, so nothing is compared.")
    first = judged[0] if judged and judged[0].view.by == shown[0].by else None
    verdicts = {} if first is None else _of_cells(first, plan, layout)
    publish = _publish(folder, judged, plan.experiment.margin)
    return Outcome(tuple(judged), tuple(problems), verdicts, publish, floor)


def _publish(folder: Path, judged: Sequence[Compared], margin: float) -> str:
    line = command("report", [folder])
    options = list(judged[0].view.options()) if judged else []
    if margin != comparison.MARGIN:
        options += ["--margin", f"{in_full(margin)}%"]
    return " ".join([line, *map(quote, options), "-o", "README.md"])


def _of_cells(compared: Compared, plan: Plan, layout: Design) -> dict[int, Verdict]:
    """The verdict on each cell, if just one comparison has its levels."""
    verdicts: dict[int, Verdict] = {}
    for cell in plan.cells:
        mine = {
            name: level(name, cell.factors[name]).identity for name in layout.factors if name in cell.factors
        }
        fitting = [
            one.comparison
            for one in compared.judged
            if all(
                (value := one.comparison.factors.other.get(name)) is not None
                and level(name, value).identity == identity
                for name, identity in mine.items()
            )
        ]
        if len(fitting) == 1:
            word = "cannot say" if fitting[0].cannot_say else fitting[0].verdict
            parts = difference_parts(fitting[0].difference, fitting[0].unit)
            verdicts[cell.number] = Verdict(word, parts.value, str(parts), bearing.mark(fitting[0]))
    return verdicts


def text(outcome: Outcome, styles: Styles) -> Text:
    """What was decided, and how to look at it and publish it."""
    drawn = Text()
    if outcome.floor:  # there is no verdict
        return drawn.append(outcome.floor)
    doubts: dict[str, None] = {}
    for compared in outcome.compared:
        base = compared.labels[0]
        drawn.append(f"by {', '.join(compared.view.by)}", style=styles["bold"])
        drawn.append(f", against {base}: {compared.counts()}\n")
        for judged in compared.judged:
            result = judged.comparison
            word = "cannot say" if result.cannot_say else result.verdict
            mark = MARKS.get(result.verdict, "?")
            word += bearing.mark(result)
            doubts.update(dict.fromkeys(bearing.codes(result)))
            drawn.append(f"  {mark} {word:<14}", style=styles.bold(f"verdict-{result.verdict}"))
            case = "" if len(compared.cases) == 1 else f" {result.case}"
            drawn.append(f" {judged.other.label}{case}: ", style=styles["bold"])
            drawn.append(f"{judged.sentence.removeprefix(f'{result.verdict}: ')}\n")
        for design in designs([one.comparison for one in compared.judged]):
            drawn.append(f"  {design}\n")
        for crossed, more in told_once(compared.interactions) if compared is outcome.compared[0] else ():
            where = f"{crossed.case}: " if crossed.case else ""
            doubt = f" {bearing.MARK} ({', '.join(crossed.marked_by)})" if crossed.marked_by else ""
            drawn.append(f"  {where}{crossed.sentence}{more}{doubt}\n")
            doubts.update(dict.fromkeys(crossed.marked_by))
    if doubts:
        told = f"! a warning bears on the verdict ({', '.join(doubts)}): for details press "
        told += f"{key('experiment.compare', 'c')}, then {key('compare.tab_warnings', '8')}\n"
        drawn.append(told, style=styles.bold("warning"))
    for problem in outcome.problems:
        drawn.append(f"! {problem}\n", style=styles.bold("warning"))
    if outcome.compared:
        drawn.append(key("experiment.compare", "c"), style=styles["bold"]).append(" shows the evidence, ")
        drawn.append(key("experiment.report", "e"), style=styles["bold"])
        drawn.append(" previews the report and writes it; or: ")
        drawn.append(outcome.publish, style=styles["bold"])
    return drawn
