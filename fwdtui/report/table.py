"""`compare`'s table: a line per case and candidate, warnings below; readable without colour at 80 columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from fwdtui.core.model import Caution
from fwdtui.core.units import grouped
from fwdtui.report import bearing
from fwdtui.report.cells import columns_of, pad, shorten_alike, wrap
from fwdtui.report.factor_view import AS_GIVEN, FactorView
from fwdtui.report.grouping import Warned, by_case, marked_first, warnings
from fwdtui.stats.figures import MINUS, NONE, amount, in_percent, in_words, margin
from fwdtui.stats.interaction_verdict import figures as interaction_figures
from fwdtui.stats.interaction_verdict import shared, told_once
from fwdtui.stats.results import DEPENDS, Comparison, Interaction, Judged
from fwdtui.stats.wording import difference_parts, footnotes, verdict_cell, verdict_word

_GAP = "  "
_NAME_LEAST = 8
_LINE = 100  # where prose is wrapped if the width of the reader's window is not known
_DIFFERENCE = "mean diff."
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_COLOURS = {
    "faster": "\x1b[32m",
    "slower": "\x1b[31m",
    "equivalent": "\x1b[36m",
    "inconclusive": "\x1b[33m",
    "capped": "\x1b[35m",
}


class _Layout(NamedTuple):
    short_heads: bool = True
    verdicts: str = "word"  # or "cell", "in full": how much they say about missing iterations
    short_numbers: bool = True


_LAYOUTS = (
    _Layout(False, "in full", False),
    _Layout(False, "cell", False),
    _Layout(True, "cell", False),
    _Layout(True, "word", False),
    _Layout(),
)
"""From the widest to the narrowest; the first that leaves the names uncut is taken."""


class _Row(NamedTuple):
    name: str
    n: str
    base: str
    other: str
    difference: str
    arm: str  # " ± 1.42 %" or " [+0.35, +3.19]"
    verdict: str
    kind: str | None  # the verdict; None: a heading


def render(
    judged: Sequence[Judged],
    notes: Sequence[Caution] = (),
    *,
    interactions: Sequence[Interaction] = (),
    view: FactorView = AS_GIVEN,
    within: Sequence[str] = (),
    columns: int | None = None,
    colour: bool = False,
    explain: bool = False,
) -> str:
    """The table as text. `columns` None: nothing is shortened. `explain`: adds how verdicts came about.

    `view`: what was asked for by factors; `within`: the factors whose levels are the cases.
    """
    cases = by_case(judged)
    many = len({one.other.label for one in judged}) > 1
    lines = _heading(judged, many, columns, view)
    lines += _table(cases, many, columns, colour, ", ".join(within) or "case")
    if several := shared(interactions):
        lines += ["", *wrap(several, columns or _LINE, rest="    ")]
    for one, more in told_once(interactions):
        lines += ["", *_interaction(one, more, columns, colour)]
    if explain:
        lines += _explanations(cases, many, columns)
    all_warnings = marked_first(warnings(judged, notes, interactions))
    if codes := bearing.by_code(judged):
        sentence = f"{bearing.MARK} after a verdict: a warning bears on it ({', '.join(codes)}); see below."
        lines += ["", *wrap(sentence, columns or _LINE, rest="    ")]
    for note in footnotes([one.comparison for one in judged], len(interactions)):
        lines += ["", *wrap(note, columns or _LINE, rest="    ")]
    if all_warnings:
        lines += ["", *_warnings(all_warnings, columns, colour)]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def prose(sentences: Iterable[str], *, columns: int | None = None) -> str:
    """Sentences to go below the table, wrapped as the table's own are."""
    lines = [line for text in sentences for line in wrap(text, columns or _LINE, rest="    ")]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def number(value: float | None, unit: str | None = None) -> str:
    """A median in full, its digits in groups of three; short if it would be too long to read.

    The unit follows, unless it is pps, which goes without saying.
    """
    if value is None:
        return NONE
    if not 1.0 <= abs(value) < 1e13:
        return amount(value, unit=unit or "")
    whole = value == int(value) or abs(value) >= 1e8
    digits = 0 if whole else max(6 - len(str(int(abs(value)))), 1)  # a median may lie halfway
    text = grouped(value, digits)
    text = text.rstrip("0").removesuffix(".") if digits else text  # 31.5 us were not measured as 31.5000
    return text.replace("-", MINUS) + in_words(unit or "")


def _interaction(one: Interaction, more: str, columns: int | None, colour: bool) -> list[str]:
    """``inet4: n311215-UDP2 costs 44.6 % with off and gains 10.2 % with on: it depends (ratio ...)``"""
    where = f"{one.case}: " if one.case else ""
    told = interaction_figures(one)
    text = f"{where}{one.sentence}{f' ({told})' if told else ''}{more}"
    if one.marked_by:
        text += f" {bearing.MARK} ({', '.join(one.marked_by)})"
    lines = wrap(text, columns or _LINE, rest="    ")
    return [f"{_BOLD}{line}{_PLAIN}" for line in lines] if colour and one.verdict == DEPENDS else lines


def _heading(judged: Sequence[Judged], many: bool, columns: int | None, view: FactorView) -> list[str]:
    if not judged:
        return []
    first = judged[0].comparison
    asked = [f"by {', '.join(view.by)}"] if view.by else []
    asked += [f"only {view.only()}"] if view.filters else []
    asked += [f"metric {view.metric}"] if view.metric else []
    head = f"baseline {first.base.label}" + ("" if many else f"   candidate {first.other.label}")
    limits = f"margin {margin(first.margin_percent)}   confidence {in_percent(first.difference.confidence)}"
    whole = "   ".join([*asked, head, limits])
    if columns is None or columns_of(whole) <= columns:
        return [whole, ""]
    above = [line for part in asked for line in wrap(part, columns)]
    return [*above, *wrap(head, columns), limits, ""]


def _rows(cases: Mapping[str, Sequence[Judged]], many: bool, layout: _Layout) -> list[_Row]:
    rows = []
    for case, results in cases.items():
        if many:
            rows.append(_Row(case, "", "", "", "", "", "", None))
        rows += [_row(f"  {one.other.label}" if many else case, one.comparison, layout) for one in results]
    return rows


def _row(name: str, comparison: Comparison, layout: _Layout) -> _Row:
    unit = comparison.unit
    value, spread = difference_parts(comparison.difference, unit)
    if layout.verdicts == "word":
        verdict = verdict_word(comparison, short=True)
    else:
        verdict = verdict_cell(comparison, in_full=layout.verdicts == "in full")
    return _Row(
        name,
        f"{comparison.base.n}/{comparison.other.n}",
        _median(comparison.base.median, unit, layout),
        _median(comparison.other.median, unit, layout),
        value,
        spread,
        verdict + bearing.mark(comparison),
        comparison.verdict,
    )


def _median(value: float | None, unit: str | None, layout: _Layout) -> str:
    return amount(value, unit=unit or "") if layout.short_numbers else number(value, unit)


def _table(
    cases: Mapping[str, Sequence[Judged]], many: bool, columns: int | None, colour: bool, what: str
) -> list[str]:
    name = f"{what}, candidate" if many else what
    head = _Row(name, "n", "base median", "other median", "", "", "verdict", None)
    for layout in _LAYOUTS:
        rows = _rows(cases, many, layout)
        shown = head._replace(base="base", other="other") if layout.short_heads else head
        widths = [
            max(map(columns_of, cells)) for cells in zip(*(row[:7] for row in [shown, *rows]), strict=True)
        ]
        widths[5] = max(widths[5], len(_DIFFERENCE) - widths[4])
        rest = sum(widths[1:]) + len(_GAP) * 5
        if columns is None or widths[0] + rest <= columns:
            break
    if columns is not None:
        widths[0] = min(widths[0], max(columns - rest, _NAME_LEAST))
        names = shorten_alike([row.name for row in rows], widths[0])
        rows = [row._replace(name=name) for row, name in zip(rows, names, strict=True)]
    lines = [_line(shown, widths, _BOLD if colour else "", heading=True)]
    for row in rows:
        code = _BOLD if row.kind is None else _COLOURS.get(row.kind, "")
        lines.append(_line(row, widths, code if colour else ""))
    return lines


def _line(row: _Row, widths: Sequence[int], code: str, *, heading: bool = False) -> str:
    name = pad(row.name, widths[0])
    if heading:
        difference = pad(_DIFFERENCE, widths[4] + widths[5], right=True)
    else:
        difference = pad(row.difference, widths[4], right=True) + pad(row.arm, widths[5])
    numbers = [pad(text, size, right=True) for text, size in zip(row[1:4], widths[1:4], strict=True)]
    whole = heading or row.kind is None
    verdict = row.verdict if whole or not code else f"{code}{row.verdict}{_PLAIN}"
    line = _GAP.join([name, *numbers, difference, verdict]).rstrip()
    return f"{code}{line}{_PLAIN}" if whole and code else line


def _explanations(cases: Mapping[str, Sequence[Judged]], many: bool, columns: int | None) -> list[str]:
    lines: list[str] = []
    for case, results in cases.items():
        for one in results:
            lines += ["", f"{case}: {one.other.label}" if many else case]
            for step in _steps(one):
                lines += wrap(step, columns or _LINE, first="  ", rest="    ")
    return lines


def _steps(one: Judged) -> Iterator[str]:
    """How a verdict came about. The verdict gets its mark here: `stats` does not know what bears on it."""
    comparison = one.comparison
    verdict = f"Verdict: {comparison.verdict}"
    for step in one.explanation:
        if step.startswith(f"{verdict}.") and (codes := bearing.codes(comparison)):
            step = f"{verdict}{bearing.mark(comparison)} ({', '.join(codes)}){step.removeprefix(verdict)}"
        yield step


def _warnings(all_warnings: Sequence[Warned], columns: int | None, colour: bool) -> list[str]:
    lines = []
    for one in all_warnings:
        code = f"\x1b[33m{one.code}{_PLAIN}" if colour else one.code
        where = f" ({', '.join(one.cases)})" if one.cases else ""
        wrapped = wrap(f"{one.code}{where}: {one.text}", columns or _LINE, first=one.sign, rest="    ")
        lines += [wrapped[0].replace(one.code, code, 1), *wrapped[1:]]
    return lines
