"""The tabs' texts: one pure function per tab."""

from collections.abc import Sequence
from itertools import zip_longest

from rich.style import Style
from rich.text import Text

from fwdtui.core.metrics import bounded_by_load
from fwdtui.core.model import Iteration
from fwdtui.report import bearing, limits
from fwdtui.report.cells import columns_of, pad, shorten, shorten_apart, whole, wrap
from fwdtui.report.comparison import Compared, Unpaired
from fwdtui.report.grouping import Warned
from fwdtui.report.iterations import CaseSet
from fwdtui.report.merging import numbered
from fwdtui.report.table import number
from fwdtui.stats import figures, wording
from fwdtui.stats.figures import NONE
from fwdtui.stats.interaction_verdict import figures as interaction_figures
from fwdtui.stats.interaction_verdict import shared
from fwdtui.stats.looks import share_of
from fwdtui.stats.results import DEPENDS, Description, Judged
from fwdtui.ui.compare import charts
from fwdtui.ui.compare.keys import tab_key
from fwdtui.ui.draw.styles import MARKS, NOT_COMPARABLE, Styles

_WIDEST = 120  # the most columns of the two lists of iterations together
_STRIP = 20  # the most rows of the chart above them
_SIDE_BY_SIDE = 96


def heading(compared: Compared, width: int, styles: Styles, *, legend: bool) -> Text:
    """The sides, the two settings with arrows to click, and the result.

    `legend`: also what the marks mean.
    """
    base, *others = compared.labels
    room = max((width - 26) // 2, 12)
    text = Text()
    if compared.view.by:
        text.append("by ", style=styles["dim"]).append(", ".join(compared.view.by), style=styles["bold"])
        text.append("  ")
    if compared.view.metric:
        text.append(f"{compared.view.metric}  ", style=styles["bold"])
    room = max((width - 26 - columns_of(text.plain)) // 2, 12)
    text.append("baseline ", style=styles["dim"])
    many = len(others) > 1
    shown = [shorten(base, room), ""] if many else shorten_apart([base, *others], room)
    text.append(shown[0], style=styles.bold("base"))
    text.append(f"  {len(others)} candidates " if many else "  candidate ", style=styles["dim"])
    left = max(width - 4 - columns_of(text.plain), room)
    text.append(_together(others, left) if many else shown[1], style=styles.bold("other"))
    text.append("\n")
    settings = (
        ("margin", figures.margin(compared.margin)),
        ("confidence", figures.in_percent(compared.confidence)),
    )
    for name, value in settings:
        text.append(f"{name} ", style=styles["dim"])
        for sign, step in (("‹", -1), ("›", 1)):
            text.append(sign, style=Style(meta={"@click": f"screen.{name}({step})"}))
            text.append(f" {value} " if step < 0 else "   ", style=styles["bold"])
    if compared.at_look is not None:
        text.append(f"{share_of(compared.at_look)} at this look   ", style=styles["dim"])
    if compared.view.filters:
        only = f"only {compared.view.only()}"
        fits = len(text.plain.rpartition("\n")[2]) + len(only) <= width - 2
        text.append(f"{only}   " if fits else f"\n{shorten(only, width - 4)}   ", style=styles["dim"])
    missing = len(compared.unpaired)
    summary = f"{compared.counts()}{f', {missing} not comparable' if missing else ''}"
    fits = len(text.plain.rpartition("\n")[2]) + len(summary) <= width - 2
    text.append(summary if fits else f"\n{summary}")
    notes = [note.text for note in compared.all_notes if note.code != "unpaired-case"]  # they have rows
    if notes:
        where = f", see {tab_key('warnings')}" if compared.judged else ""
        more = f" (and {len(notes) - 1} more{where})" if len(notes) > 1 else ""
        text.append(f"\n! {shorten(notes[0], width - 6 - len(more))}{more}", style=styles["warning"])
    if legend:
        summary = "  ".join(f"{mark} {verdict}" for verdict, mark in MARKS.items())
        text.append(f"\n{summary}  {NOT_COMPARABLE} not comparable", style=styles["dim"])
    return text


def _together(names: Sequence[str], columns: int) -> str:
    """All names; if they do not fit, each is shortened so that they stay distinct."""
    whole = ", ".join(names)
    if columns_of(whole) <= columns:
        return whole
    return shorten(", ".join(shorten_apart(names, max(columns // len(names) - 2, 8))), columns)


def headline(entry: Judged | Unpaired, omitted: Sequence[str] | None, width: int, styles: Styles) -> Text:
    """What the row of the selected case does not show, in at most three lines.

    `omitted`: what the table leaves out (Grid.dropped); None: the whole table is hidden.
    """
    if isinstance(entry, Unpaired):
        text = Text().append(f"{NOT_COMPARABLE} {shorten(entry.case, width - 4)}", style=styles["bold"])
        return text.append(f"\nnot comparable: {entry.reason}")
    comparison = entry.comparison
    room = max(width // 2 - 12, 12)
    text = Text(no_wrap=False)
    line = explained(entry) if omitted is None or "interval" in omitted else remarked(entry)
    text.append(shorten(comparison.case, max(width - len(line) - 2, 24)), style=styles["bold"])
    text.append(f"  {line}" if line else "", style=styles["bold"])
    values = _values(entry, "median" if omitted is None or "medians" in omitted else "spread", room, styles)
    apart = columns_of(text.plain) + 2 + columns_of(values.plain) <= width
    text.append("  " if apart else "\n").append_text(values)
    if comparison.warnings:
        some = len(comparison.warnings)
        codes = bearing.codes(comparison)
        named = f"{bearing.MARK} {figures.listing(codes)}; " if codes else ""
        told = f"{named}{some} warning{'s' * (some > 1)}"
        last = columns_of(text.plain.rpartition("\n")[2])
        text.append("   " if last + 3 + len(told) <= width else "\n")
        text.append(told, style=styles.bold("warning"))
    return text


def _values(entry: Judged, what: str, room: int, styles: Styles) -> Text:
    """``median n311215: 883 000  →  n311215-UDP2: 481 000``, or the spread of each.

    Names may be numbers, such as revisions and levels.
    """
    both = entry.comparison.base, entry.comparison.other
    names = shorten_apart([one.label for one in both], max(room - 12, 8))
    text = Text().append(f"{what} ", style=styles["dim"])
    for place, one in enumerate(both):
        figure = number(one.median, entry.comparison.unit) if what == "median" else _spread(one)
        text.append("  →  " if place else "", style=styles["dim"])
        text.append(f"{names[place]}: ", style=styles["base" if not place else "other"])
        text.append(figure, style=styles["bold"])
    return text


def explained(entry: Judged) -> str:
    """The verdict's sentence without its word, which the table shows."""
    return entry.sentence.removeprefix(f"{entry.comparison.verdict}: ")


def remarked(entry: Judged) -> str:
    """The same without the difference, for a table that shows that, too."""
    return wording.remark(entry.sentence, entry.comparison)


def _spread(one: Description) -> str:
    """The range from least to greatest value, in percent of the median, as in the list of sessions."""
    if one.n < 2 or not one.median or one.max is None or one.min is None:
        return NONE
    return f"{(one.max - one.min) / one.median * 100:.2f} %"


def why(entry: Judged | Unpaired, compared: Compared, styles: Styles) -> Text:
    """What limited each side, and what bears on the verdict; the sentence itself is above the tabs."""
    if isinstance(entry, Unpaired):
        text = Text().append(f"{entry.case}: {entry.reason}.\n\n", style=styles["bold"])
        rest = "Record this case in the other session too, under the same name, and compare again."
        return text.append(rest)
    text = Text()
    both = limits.limits(compared, entry)
    if change := limits.changed(*both):
        text.append(f"{change}\n\n", style=styles["bold"])
    crossed = _interactions(entry, compared, styles)
    if not any(one.counts for one in both):
        if crossed:  # what is known comes first
            text.append_text(crossed[1:]).append("\n")
            crossed = Text()
        text.append("No bottleneck was recorded for either side.\n")
        text.append(f"{tab_key('facts')} says which settings and facts differ.\n", style=styles["dim"])
    else:
        for one, style in zip(both, ("base", "other"), strict=True):
            text.append(one.label, style=styles.bold(style))
            text.append(f"  {one.in_words()}\n")
            for sentence in filter(None, (one.sentence, one.why_lost)):
                text.append(f"{sentence}\n", style=styles["dim"])
        shows = f"{tab_key('profile')} shows queues, cores and drops of both.\n"
        text.append(shows, style=styles["dim"])
    text.append(f"{tab_key('statistics')} has the statistics, step by step.\n", style=styles["dim"])
    text.append_text(crossed)
    for code in bearing.codes(entry.comparison):
        text.append(f"\n{bearing.MARK} {code}", style=styles.bold("warning"))
        text.append(f": {bearing.MEANING[code]}\n")
    return text


def _interactions(entry: Judged, compared: Compared, styles: Styles) -> Text:
    """Whether the effect in this case depends on another factor."""
    text = Text()
    for interaction in compared.interactions:
        if entry.comparison.case in interaction.cases and entry.other.label == interaction.other:
            where = f"{interaction.case}: " if interaction.case else ""
            text.append(
                f"\n{where}{interaction.sentence}",
                style=styles["bold" if interaction.verdict == DEPENDS else "text"],
            )
            told = interaction_figures(interaction)
            marks = (
                f" {bearing.MARK} {figures.listing(interaction.marked_by)}" if interaction.marked_by else ""
            )
            text.append(f"{f' ({told})' if told else ''}{marks}\n")
    if text and (several := shared(compared.interactions)):
        text.append(f"\n{several}\n", style=styles["dim"])
    return text


def statistics(entry: Judged) -> Text:
    """The numbers behind the verdict, step by step; the sentence itself is above the tabs."""
    said = f"Verdict: {entry.comparison.verdict}. "
    steps = [line.removeprefix(said) for line in entry.explanation if not line.startswith("In words: ")]
    return Text("\n".join(steps))


def iterations(judged: Judged, compared: Compared, width: int, rows: int, styles: Styles) -> Text:
    """The iterations in order, drawn and listed, with those left out."""
    case = judged.comparison.case
    text = Text(no_wrap=True)
    for label in _labels(judged):
        side = compared.side(label)
        # said here, too, as the list may be below the window's end
        if dropped := [one.index for one in side.case(case).dropped]:
            notice = f"dropped by hand, and not drawn: {numbered(dropped)} of {label}"
            text.append(f"! {shorten(notice, width - 3)}\n", style=styles["warning"])
    text.append_text(charts.strip(judged, compared, width, min(rows // 2, _STRIP), styles))
    text.append("\n")
    beside = width >= _SIDE_BY_SIDE
    each = min(width, _WIDEST) // 2 - 1 if beside else width - 1
    columns = [
        _listed(result.label, side.case(case), result.excluded, each, styles)
        for result, side in (
            (judged.base, compared.sides[0]),
            (judged.other, compared.side(judged.other.label)),
        )
    ]
    text.append("\n")
    if not beside:
        for line, style in (pair for lines in columns for pair in lines):
            text.append(line, style=style).append("\n")
        return text
    for left, right in zip_longest(*columns, fillvalue=("", Style())):
        text.append(left[0], style=left[1]).append(" " * (each + 2 - columns_of(left[0])))
        text.append(right[0], style=right[1]).append("\n")
    return text


def _listed(
    label: str, case_set: CaseSet, excluded: Sequence[str], width: int, styles: Styles
) -> list[tuple[str, Style]]:
    """A side's iterations, in a line each: those that count, then those dropped and those left out."""
    lines = [(shorten(label, width), styles["bold"])]
    lines += [(_iteration(one, width), Style()) for one in case_set.used]
    for one in case_set.dropped:
        lines.append((_iteration(one, width), styles["dim"] + Style(strike=True)))
        lines.append((shorten(f"      dropped: {one.dropped}", width), styles["dim"]))
    return lines + [(shorten(f"left out: {reason}", width), styles["dim"]) for reason in excluded]


def _iteration(one: Iteration, width: int) -> str:
    rate_unit = one.unit if bounded_by_load(one.unit) else ""
    load = "" if one.offered is None else f"  offered {number(one.offered, rate_unit)}"
    told = f"{one.index:>4}  {number(one.value, one.unit):>13}{load}"
    codes = [f"{bearing.MARK} {caution.code}" for caution in one.warnings]
    named = f"  {whole(codes, width - columns_of(told) - 2)}" if codes else ""
    return shorten(told + named, width)


def ministat(judged: Judged, compared: Compared) -> Text:
    """The comparison of a case as `fwdtui compare --format ministat` prints it."""
    return Text(compared.block(judged.comparison.case), no_wrap=True)


def facts(judged: Judged, compared: Compared, width: int, styles: Styles) -> Text:
    """The facts that differ, and how many are equal."""
    facts_of_both = compared.facts(judged)
    alike = len(facts_of_both.shared)
    equal = f"{alike} recorded fact{' is' if alike == 1 else 's are'} equal"
    if not facts_of_both.differing:
        line = (
            f"The recorded facts of these two do not differ ({equal})."
            if facts_of_both.shared
            else "No facts"
        )
        return Text(line if facts_of_both.shared else f"{line} of these two were recorded.")
    some = len(facts_of_both.differing)
    line = f"{some} fact{'s' * (some > 1)} differ{'s' * (some == 1)}; {equal}.\n"
    text = Text().append(line, style=styles["bold"])
    if width < _SIDE_BY_SIDE:
        wide = min(max(len(label) for label in facts_of_both.labels), 20)
        labels = shorten_apart(facts_of_both.labels, wide)
        for name, values in facts_of_both.differing:
            text.append(f"\n{name}\n", style=styles["bold"])
            for place, (label, value) in enumerate(zip(labels, values, strict=True)):
                lines = wrap(value or NONE, width - 1, first=f"  {pad(label, wide)}  ", rest=" " * (wide + 4))
                _add(text, "\n".join(lines) + "\n", place, styles)
        return text
    name_wide = min(max(len(name) for name, _ in facts_of_both.differing), 40)
    each = (width - name_wide - 6) // 2
    heads = [pad(label, each) for label in shorten_apart(facts_of_both.labels, each)]
    text.append(f"\n{' ' * name_wide}  {heads[0]}  {heads[-1]}\n", style=styles["bold"])
    for name, values in facts_of_both.differing:
        broken = [_broken(value or NONE, each) for value in (values[0], values[-1])]
        for row in range(max(map(len, broken))):
            text.append(pad(name if not row else "", name_wide) + "  ", style=styles["dim"])
            for place, lines in enumerate(broken):
                _add(text, pad(lines[row] if row < len(lines) else "", each) + "  ", place, styles)
            text.append("\n")
    return text


def _add(text: Text, value: str, place: int, styles: Styles) -> None:
    text.append(value, style=styles["base" if place == 0 else "other"])


def _broken(value: str, width: int) -> list[str]:
    """The value in lines of at most `width` columns; long words (commands, paths) are broken."""
    lines = []
    for line in wrap(value, width):
        lines += [line[start : start + width] for start in range(0, max(len(line), 1), width)]
    return lines


def warnings(found: Sequence[Warned]) -> Text:
    """The warnings, in a paragraph each; the mark is before those that bear on the verdict."""
    text = Text()
    for one in found:
        text.append(one.sign).append(one.code, style="bold").append(f": {one.text}\n\n")
    return text if found else Text("No warnings for this case.")


def _labels(judged: Judged) -> tuple[str, str]:
    return judged.base.label, judged.other.label
