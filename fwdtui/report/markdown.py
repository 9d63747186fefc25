"""The Markdown report: what users write by hand today, from the results alone.

The same input gives the same bytes. Every text that came from a file or host goes through `escape`.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence

from fwdtui.core.findings import Finding
from fwdtui.report import (
    bearing,
    drop_reasons,
    dropped,
    experiment_markdown,
    facts,
    hygiene_of,
    ministat_block,
    moved,
    settings_markdown,
    textchart,
)
from fwdtui.report.comparison import Compared
from fwdtui.report.document import Document
from fwdtui.report.escape import code, fence, inline
from fwdtui.report.grouping import by_case, counts, sets_of, warnings
from fwdtui.report.iterations import REPEATED
from fwdtui.report.markup import link as _link
from fwdtui.report.markup import table as _table
from fwdtui.report.method import method
from fwdtui.report.sides import Side, sessions_of
from fwdtui.report.table import number
from fwdtui.stats.figures import in_percent, listing, p_value
from fwdtui.stats.interaction_verdict import figures as interaction_figures
from fwdtui.stats.interaction_verdict import shared, told_once
from fwdtui.stats.results import Judged
from fwdtui.stats.wording import difference_cell, footnotes, of_what, verdict_cell

_BASE, _LATER = (re.compile(rf"\b{word}\b", re.I) for word in ("base(?:line)?", "candidate"))
_MARKER = re.compile(r"<!-- written by fwdtui report, sha256 ([0-9a-f]{16}) -->\n\Z")


def render(document: Document) -> str:
    """The whole document, ending with a line end."""
    parts = [*_head(document), *experiment_markdown.section(document)]
    if document.has("cases"):
        for case, results in by_case(document.compared.judged).items():
            parts += _case(document, case, results)
    # what qualifies a verdict comes before what is only for reference
    parts += _warnings(document)
    parts += _lab_differs(document)
    parts += settings_markdown.section(document)
    parts += method(document)
    parts += _lab_alike(document)
    parts += _data(document)
    return signed("\n".join([*parts, ""]))


def signed(text: str) -> str:
    """A document with a last line by which `is_untouched` knows it."""
    return f"{text}<!-- written by fwdtui report, sha256 {_digest(text)} -->\n"


def is_untouched(text: str) -> bool:
    """Whether `text` is a report as `render` wrote it, byte for byte: nobody has edited it."""
    marker = _MARKER.search(text)
    return marker is not None and marker[1] == _digest(text[: marker.start()])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _head(document: Document) -> Iterator[str]:
    """What the reader came for: how each comparison came out."""
    yield f"# {inline(document.choices.title or own_title(document.compared))}\n"
    if document.compared.view.filters:
        yield f"Only iterations with {inline(document.compared.view.only())} are compared.\n"
    verdict_counts = counts(document.compared.judged)
    summary = listing([f"{count} {verdict}" for verdict, count in verdict_counts.items()])
    shown = len(document.compared.judged)
    if not shown:
        yield "Nothing was compared.\n"
    else:
        yield f"{shown} comparison{'' if shown == 1 else 's'}: {summary}.\n"
        yield _verdicts(document)
        yield from _bearing(document)
        yield from _interactions(document)
        notes = footnotes(
            [one.comparison for one in document.compared.judged], len(document.compared.interactions)
        )
        yield from (f"{inline(note)}\n" for note in notes)
    yield from (f"**{inline(note.text)}**\n" for note in document.compared.notes if note.code == "simulated")
    yield from dropped.sentence(document)
    yield from _notes(document)
    attachments = document.attachments
    if attachments is not None and document.has("charts"):
        units = dict.fromkeys(one.comparison.unit or "pps" for one in document.compared.judged)
        if len(units) > 1:
            yield f"No chart of all cases: their values are in {listing([inline(unit) for unit in units])}.\n"
        elif attachments.overview:
            yield f"![Medians and differences of every case]({_link(attachments.overview)})\n"
            if attachments.bars:
                yield f"![Medians beside each other, by level]({_link(attachments.bars)})\n"
            if attachments.bars_data:
                table, script, data = map(_link, attachments.bars_data)
                yield f"Data: [CSV]({table}), [gnuplot script]({script}) and [its data]({data}).\n"


def _bearing(document: Document) -> Iterator[str]:
    """What the mark after a verdict stands for, so that nobody reads the verdict without it."""
    cases_of = bearing.by_code(document.compared.judged)
    if not cases_of:
        return
    yield f"{bearing.MARK} A warning bears on this verdict:\n"
    yield "".join(
        f"- {', '.join(inline(case) for case in cases)}: {bearing.MEANING[name]} ({code(name)})\n"
        for name, cases in cases_of.items()
    )


def _interactions(document: Document) -> Iterator[str]:
    """Whether the effect depends on another factor, a line each; a report is never without them."""
    lines = []
    for one, more in told_once(document.compared.interactions):
        where = f"{inline(one.case)}: " if one.case else ""
        sentence, _, verdict = one.sentence.rpartition(": ")
        told = f"{inline(sentence)}: **{inline(verdict)}**" if not one.cannot_say else inline(one.sentence)
        figures = interaction_figures(one)
        marks = f" {bearing.MARK} {listing([code(name) for name in one.marked_by])}" if one.marked_by else ""
        lines.append(f"- {where}{told}{f' ({inline(figures)})' if figures else ''}{more}{marks}\n")
    if lines:
        confidence = document.compared.interactions[0].confidence
        yield (
            "Does one factor's effect depend on another? The ratio of the ratios of the means, with its "
            f"{in_percent(confidence)} interval:\n"
        )
        if several := shared(document.compared.interactions):
            yield f"{inline(several)}\n"
        yield "".join(lines)


def _notes(document: Document) -> Iterator[str]:
    """The notes that people wrote on the sessions, one quotation each; a session named twice has one."""
    quoted: set[str] = set()
    for label, session in sessions_of(document.compared.sides):
        if not session.note or session.path in quoted:
            continue
        quoted.add(session.path)
        first, *rest = session.note.split("\n")
        lines = [f"{inline(label)}: {inline(first)}", *(inline(line) if line else "" for line in rest)]
        yield "\\\n".join(f"> {line}" for line in lines) + "\n"


def _lab_differs(document: Document) -> Iterator[str]:
    """What differs between the sessions besides the results."""
    common = facts.compare(document.compared.compared_sides)
    if common.differing and document.has("differences"):
        yield "## Lab: what differs\n"
        yield _table(
            ["differs", *(inline(label, cell=True) for label in common.labels)],
            [
                [inline(key, cell=True), *(fact(key, value, cell=True) for value in values)]
                for key, values in common.differing
            ],
        )


def _lab_alike(document: Document) -> Iterator[str]:
    """The facts that the sessions share: a recorded session has a hundred, for reference."""
    shared = facts.compare(document.compared.compared_sides).shared
    seen = list(hygiene_of.by_host(document.compared.compared_sides))
    if (shared or seen) and document.has("facts"):
        yield "## Lab\n"
        if document.tells_experiments:
            yield (
                "Facts were collected when the experiment began, and again before each iteration that "
                "followed a boot, a level or a hook. Only facts that were the same every time are listed. "
                "Lab hygiene is as read before the iterations. What the levels set is in the section on "
                "the experiment.\n"
            )
        if shared:
            yield "".join(f"- {inline(key)}: {fact(key, value)}\n" for key, value in shared)
        yield from _hygiene(seen)


def _hygiene(seen: Sequence[tuple[str, Sequence[tuple[Finding, Sequence[str]]]]]) -> Iterator[str]:
    """What on the hosts may falsify the results: by host, worst first; with its sessions if not in all."""
    if not seen:
        return
    yield "### Lab hygiene\n"
    for host, findings in seen:
        yield f"{inline(host)}:\n"
        yield "".join(map(_finding, findings))


def _finding(told: tuple[Finding, Sequence[str]]) -> str:
    one, labels = told
    only = f" (only {listing([inline(label) for label in labels])})" if labels else ""
    why = f": {inline(one.why)}" if one.why else ""
    where = f"{inline(one.where)}: " if one.where else ""
    return f"- **{inline(one.severity)}** {where}{inline(one.seen)}{only}{why}\n"


def fact(key: str, value: str, *, cell: bool = False) -> str:
    """A fact's value in Markdown.

    Commands and ``uname`` are literal, including those of a single case, such as ``receiver.command.v6``.
    """
    verbatim = not {"command", "uname"}.isdisjoint(key.split("."))
    return code(value, cell=cell) if verbatim else inline(value, cell=cell)


def own_title(compared: Compared) -> str:
    """The default heading; that of one experiment begins with its name."""
    text = default_title(compared.sides, compared.view.metric or "forwarding performance")
    if len(compared.experiments) == 1 and len(compared.given) == 1:
        return f"{compared.experiments[0].name}: {text[:1].lower()}{text[1:]}"
    return text


def default_title(sides: Sequence[Side], what: str) -> str:
    """The default heading: the title that the sessions share, else what is compared."""
    titles = {str(session.facts.get("title", "")) for _, session in sessions_of(sides)}
    if len(titles) == 1 and all(titles):
        return titles.pop()
    base, *others = [side.label for side in sides]
    bare = [name for name, one in sides[0].levels.items() if one.number is not None and not one.unit]
    by = f"{bare[0]} " if len(sides[0].levels) == len(bare) == 1 else ""  # 24 alone says nothing
    return f"Comparing {by}{listing(others)} with {base}: {what}"


def _case(document: Document, case: str, results: Sequence[Judged]) -> Iterator[str]:
    yield f"## {inline(case)}\n"
    for one in results:
        yield _verdict(one, named=len(results) > 1)
    if document.has("ministat"):
        yield fence(ministat_block.of_case(results, results[0].comparison.unit))
    yield from drop_reasons.of_case(document.compared, results)
    yield from _chart(document, case, results)
    if document.has("profiles"):
        yield from moved.of_case(document.compared, results)
        yield from _flames(document, case)


def _chart(document: Document, case: str, results: Sequence[Judged]) -> Iterator[str]:
    """The iterations in their order; in plain characters where there is no file beside the document."""
    attachments = document.attachments
    if not document.has("charts"):
        return
    if attachments is None:
        for one in results:
            labels = one.base.label, one.other.label
            unit = one.comparison.unit or ""
            yield fence(textchart.strip(one.base.values, one.other.values, labels, unit=unit))
    elif case in attachments.charts:
        yield f"![Iterations in the order measured]({_link(attachments.charts[case])})\n"


def _flames(document: Document, case: str) -> Iterator[str]:
    """Links to the flame graphs of a case, for readers who can open an SVG in a browser."""
    attachments = document.attachments
    if attachments is None or not (flames := attachments.flames.get(case, ())):
        return
    yield "Flame graphs (open one in a browser to zoom and search; idle time is left out):\n"
    yield "".join(
        f"- [{inline(title)}]({_link(path)})\n" if path else f"- {inline(title)}\n" for title, path in flames
    )


def _verdict(one: Judged, *, named: bool) -> str:
    comparison = one.comparison
    who = f"{inline(comparison.other.label)}: " if named else ""
    sentences = [_without_verdict(one), ministat_block.figure(comparison)]
    told = " ".join(inline(text if text.endswith(".") else f"{text}.") for text in sentences if text)
    if codes := bearing.codes(comparison):
        told += f" Affected by {listing([code(name) for name in codes])}."
    return f"{who}**{comparison.verdict}{bearing.mark(comparison)}**: {told}\n"


def _without_verdict(one: Judged) -> str:
    """The sentence without the verdict's name, with which some begin."""
    return one.sentence.removeprefix(f"{one.comparison.verdict}: ")


def _verdicts(document: Document) -> str:
    compared = document.compared
    many = len({one.other.label for one in compared.judged}) > 1
    medians = ["median, baseline", "median, candidate"]
    first = compared.judged[0]  # of several candidates it may be the only one with a case in common
    named = [f"{inline(one.label, cell=True)}, median" for one in (first.base, first.other)]
    if not many and (compared.view.by or len(compared.sides) > 2):
        medians = named
    elif _LATER.search(first.base.label) or any(_BASE.search(one.other.label) for one in compared.judged):
        # "median, baseline" would be taken for that of a candidate that is called "baseline"
        medians = [named[0], medians[1] if many else named[1]]
    head = [*(compared.within or ["case"]), *(["candidate"] if many else []), "n", *medians]
    head += ["change of the mean" if compared.view.by else "difference of means", "p, adjusted", "verdict"]
    rows = []
    for one in compared.judged:
        c = one.comparison
        row = [inline(text, cell=True) for text in compared.cell(c.case)]
        row += [inline(c.other.label, cell=True)] if many else []
        unit = c.unit and inline(c.unit, cell=True)  # it is text from a file
        row += [f"{c.base.n}/{c.other.n}", number(c.base.median, unit), number(c.other.median, unit)]
        row += [
            difference_cell(c.difference, unit) + of_what(c),
            inline(p_value(c.difference.p_adjusted), cell=True),
            f"{verdict_cell(c, in_full=True)}{bearing.mark(c)}",
        ]
        rows.append(row)
    return _table(head, rows, right=range(len(head) - 6, len(head) - 1))


def _warnings(document: Document) -> Iterator[str]:
    all_warnings = [
        one
        for one in warnings(document.compared.judged, document.compared.notes)
        if not (one.code == REPEATED and document.tells_experiments)  # told there, attempt by attempt
    ]
    if not all_warnings:
        return
    if not document.has("warnings"):
        yield f"{len(all_warnings)} warning{'' if len(all_warnings) == 1 else 's'} left out of this report.\n"
        return
    yield "## Warnings\n"
    lines = []
    for one in all_warnings:
        where = f" ({', '.join(inline(case) for case in one.cases)})" if one.cases else ""
        lines.append(f"- {code(one.code)}{where}: {inline(one.text)}\n")
    yield "".join(lines)


def _data(document: Document) -> Iterator[str]:
    attachments = document.attachments
    if attachments is None or not attachments.values or not document.has("data"):
        return
    yield "## Data\n"
    yield "One value per iteration, in ministat's input format:\n"
    yield "".join(
        f"- [{inline(label)}: {inline(case)}]({_link(path)})\n"
        for (case, label), path in attachments.values.items()
    )
    commands = []
    for case, results in by_case(document.compared.judged).items():
        level = ministat_block.level(results)
        options = [] if level == ministat_block.DEFAULT_CONFIDENCE else ["-c", f"{level:g}"]
        for part in ministat_block.at_once(sets_of(results)):
            files = dict.fromkeys(attachments.values[case, one.label] for one in part)
            commands.append(" ".join(["ministat", *options, *(_shell(path) for path in files)]))
    yield fence("\n".join(commands), "sh")


def _shell(path: str) -> str:
    from fwdtui.core.shell_words import quote as shell_quote

    return shell_quote(path)
