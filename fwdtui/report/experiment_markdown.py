"""The report's section on an experiment: its design, its order, what was repeated, and why it ended."""

from collections.abc import Iterator
from pathlib import Path

from fwdtui.core.experiment import DesignFactor
from fwdtui.core.experiment.model import LOOKS
from fwdtui.core.experiment.order import is_aa
from fwdtui.core.factors import level as level_of
from fwdtui.core.shell_words import quote
from fwdtui.report import experiment_words as words
from fwdtui.report.document import Document
from fwdtui.report.escape import code, fence, inline
from fwdtui.report.experiment_summary import Attempt, ExperimentSummary
from fwdtui.report.experiment_undone import IN_DOUBT
from fwdtui.report.markup import link, table
from fwdtui.store.experiment_journal import JOURNAL

_ROWS = 20
"""The most rows of a table that is not folded."""
_BLOCKS = 60
"""The most blocks whose order is written out."""
_ROWS_MOST = 500
"""The most rows of any table: the rest is in the file of steps."""


def section(document: Document) -> Iterator[str]:
    """A section for each experiment; nothing if there is none, or if it is left out."""
    summaries = document.compared.experiments
    if not document.has("experiment"):
        return
    for one in summaries:
        yield f"## Experiment{f' {inline(one.name)} ({inline(one.session)})' if len(summaries) > 1 else ''}\n"
        yield from _design(document, one)
        yield from _levels(document, one)
        yield from _cells(one)
        yield from _looks(one)
        yield from _repeated(one)
        yield from _beside(document, one)


def _design(document: Document, summary: ExperimentSummary) -> Iterator[str]:
    plan = summary.plan
    ended = inline(words.end(summary))
    if summary.ended and not summary.running:
        # a reason with an address in it is a code span, the rest is not
        ended = f"It ended: {inline(summary.ended.removesuffix('.'))}."
    ended = f"{ended} {words.bearing(summary)}".rstrip()
    yield f"Experiment {inline(summary.name)}: {inline(words.trials(summary))}. {ended}\n"
    if is_aa(plan):
        yield (
            "This is an A/A experiment: A and B are the same cell under two names. Any difference between "
            "them is the lab's own spread, and any claimed difference is a false one.\n"
        )
    items = [
        ("Design", words.size(plan)),
        ("Order", words.order(plan)),
        ("Boots", words.rebooted(summary)),
        ("Each trial", words.run_times(plan)),
        ("Repetition", words.repeats(plan)),
        ("Stop rule", words.stop_rule(plan)),
    ]
    items += [("The lab's floor", words.floor(summary.floor, plan))] if summary.floor else []
    lines = [f"- {name}: {inline(text)}.\n" for name, text in items]
    if plan.experiment.reboot or summary.reboots:
        lines.append(f"- Reboot command: {code(plan.experiment.reboot_command)}\n")
    for profile in plan.experiment.traffic:
        sent = ", ".join(code(one) for one in profile.generators)
        received = f"; received by {code(profile.receiver)}" if profile.receiver else ""
        lines.append(f"- Traffic {inline(profile.name)}: {sent}{received}\n")
    lines += [
        f"- Hook {inline(words.hook(hook))}: {code(words.short(hook.run))}, {inline(words.ran(hook))}\n"
        for hook in summary.hooks
    ]
    if summary.begun:
        until = f" to {inline(summary.ended_at)}" if summary.ended_at else ""
        lines.append(f"- Measured from {inline(summary.begun)}{until}.\n")
    lines += [f"- Resumed at {inline(one.when)}; {inline(one.after)}.\n" for one in summary.resumed]
    lines.append(_undone(summary))
    if summary.hooks_left:
        left = "; ".join(inline(words.short(one)) for one in summary.hooks_left)
        lines.append(f"- **Not run at the end**: hooks after the experiment: {left}\n")
    lines += _others(document, summary)
    yield "".join(line for line in lines if line)


def _undone(summary: ExperimentSummary) -> str:
    if summary.not_undone:
        told = [": ".join(map(inline, one.split(": ", 1))) for one in summary.not_undone]
        doubt = ", or perhaps" if any(IN_DOUBT in one for one in summary.not_undone) else ""
        return f"- **Still set on hosts{doubt}**: {'; '.join(told)}\n"
    changes = any(
        one.apply or one.uploads for factor in summary.plan.experiment.factors for one in factor.levels
    )
    if not changes or summary.running:
        return ""
    if not summary.ended:
        return "- Whether the last level was undone is not recorded.\n"
    if any(problem.startswith(JOURNAL) for problem in summary.problems):  # it may have named others
        return f"- Whether all levels were undone is not known, because {JOURNAL} is damaged.\n"
    return "- All levels were undone at the end.\n"


def _others(document: Document, summary: ExperimentSummary) -> list[str]:
    """The commands that compare the levels of the factors which this report does not compare."""
    others = [name for name in summary.factors if name not in document.compared.view.by]
    if not document.compared.view.by or len(summary.factors) < 2:
        return []
    by = ", ".join(inline(name) for name in document.compared.view.by)
    session = quote(Path(summary.path).name)
    told = [code(f"fwdtui report {session} --by {name} -o by-{name}.md") for name in others]
    return [f"- Compared by {by}; other factors: {', '.join(told)}\n"] if told else []


def _levels(document: Document, summary: ExperimentSummary) -> Iterator[str]:
    """What sets each level, by host; a command that is too long for a table is in full below it."""
    rows: list[list[str]] = []
    long: list[str] = []
    for factor in summary.plan.experiment.factors:
        baseline = _baseline(document, summary, factor)
        for place, level in enumerate(factor.levels):
            name = f"{level.value}{' (baseline)' if place == baseline else ''}"
            made = [*words.level(level)]
            told = "; ".join(_step(*parts) for parts in made) or "nothing is run"
            rows.append([inline(factor.name, cell=True), inline(name, cell=True), told])
            for host, what, text, how, more in made:
                if not (words.is_short(text) and words.is_short(more)):
                    second = f"\n{how}:\n{more}" if how else ""
                    where = ", ".join(part for part in (host, what) if part)
                    long.append(f"{factor.name}={level.value}, {where}:\n{text}{second}")
    if rows:
        yield table(["factor", "level", "how it is set"], rows)
    if long:
        yield _folded("Commands in full", fence("\n\n".join(long)))


def _baseline(document: Document, summary: ExperimentSummary, factor: DesignFactor) -> int | None:
    """The place of the level that the others are compared with: in this report, else in the design.

    None if it is not among the levels, or if the filters leave it out.
    """
    identities = [level_of(factor.name, one.value).identity for one in factor.levels]
    compared = document.compared.sides[0].levels.get(factor.name)
    if compared is not None:
        return identities.index(compared.identity) if compared.identity in identities else None
    place = summary.plan.cells[0].levels.get(factor.name)  # in a list of cells the first one has it
    filters = document.compared.view.filters
    left = {level_of(name, value).identity for name, value in filters if name == factor.name}
    return place if not left or place is None or identities[place] in left else None


def _step(host: str, what: str, text: str, how: str, more: str) -> str:
    where = ", ".join([*([inline(host, cell=True)] if host else []), *([what] if what else [])])
    parts = [where + (":" if text else "")]
    parts += [code(words.short(text), cell=True)] if text else []
    parts += [how, code(words.short(more), cell=True)] if how else []
    return " ".join(parts)


def _cells(summary: ExperimentSummary) -> Iterator[str]:
    head = ["cell", "name", "trials planned", "measured", "given up"]
    head += ["attempts without a sound value", "boots"]
    rows = [
        [
            str(one.number + 1),
            inline(one.name, cell=True),
            str(one.planned),
            str(one.done),
            str(one.failed),
            str(one.repeated),
            "not known" if one.boots is None else str(one.boots),
        ]
        for one in summary.cells
    ]
    yield _table(head, rows, "Cells", right=(0, 2, 3, 4, 5, 6))
    if len(summary.order) <= _BLOCKS and summary.planned <= _ROWS_MOST:
        blocks = [" ".join(str(cell + 1) for cell in block) for block in summary.order]
        yield f"Cells in the planned order, block by block: {' | '.join(blocks)}\n".replace("|", "\\|")
    if summary.missing and not summary.running:
        yield f"Not measured: trial{'s' if len(summary.missing) > 1 else ''} {_numbers(summary.missing)}.\n"


def _looks(summary: ExperimentSummary) -> Iterator[str]:
    if not summary.looks:
        return
    yield "Looks at the data, each between two blocks:\n"
    rows = [
        [
            str(one.number),
            str(one.block),
            inline(one.text, cell=True),
            "ended it" if one.decided else "went on",
        ]
        for one in summary.looks
    ]
    yield _table(["look", "after block", "result", "then"], rows, "Looks", right=(0, 1))
    decided = any(one.decided for one in summary.looks)
    if summary.plan.experiment.stop.rule == LOOKS and summary.ended and not (summary.missing or decided):
        yield f"The last look, after all {len(summary.order)} blocks, is this report.\n"


def _repeated(summary: ExperimentSummary) -> Iterator[str]:
    if not summary.repeated:
        return
    yield "Attempts without a sound value, kept and not counted:\n"
    rows = [
        [
            str(one.trial),
            str(one.block),
            inline(one.cell, cell=True),
            str(one.attempt),
            code(one.iteration, cell=True) if one.iteration else "nothing saved",
            inline(one.reason, cell=True),
            _then(one, summary),
        ]
        for one in summary.repeated[:_ROWS_MOST]
    ]
    head = ["trial", "block", "cell", "attempt", "saved as", "why it does not count", "then"]
    yield _table(head, rows, "Attempts that do not count", right=(0, 1, 3))
    if len(summary.repeated) > _ROWS_MOST:
        yield f"{len(summary.repeated) - _ROWS_MOST} more are in the session's journal.\n"


def _then(one: Attempt, summary: ExperimentSummary) -> str:
    if one.trial in summary.given_up:
        return "given up"
    if one.trial in summary.missing:
        return "no value"
    return "repeated" if one.judged else "interrupted, repeated"


def _beside(document: Document, summary: ExperimentSummary) -> Iterator[str]:
    beside = document.attachments.experiments.get(summary.path) if document.attachments else None
    if not beside:
        return
    digest = summary.plan.digest[:16]
    named = [f"[{name}]({link(path)})" for name, path in beside]
    yield f"In full: {' and '.join(named)}; digest of the file and what it uploads {code(digest)}.\n"


def _numbers(numbers: tuple[int, ...]) -> str:
    """``3 to 5, 8``"""
    parts: list[str] = []
    first = before = numbers[0]
    for number in (*numbers[1:], None):
        if number is not None and number == before + 1:
            before = number
            continue
        parts.append(f"{first}" if first == before else f"{first} to {before}")
        if number is not None:
            first = before = number
    return ", ".join(parts)


def _table(head: list[str], rows: list[list[str]], title: str, right: tuple[int, ...]) -> str:
    text = table(head, rows, right=right)
    return text if len(rows) <= _ROWS else _folded(title, text)


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{body}\n</details>\n"
