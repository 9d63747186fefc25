"""A sweep in words and figures: the same in the terminal, in the report and in the app."""

from collections.abc import Callable, Iterable, Sequence

from fwdtui.core.sentences import after_colon
from fwdtui.core.text import clean
from fwdtui.core.units import si
from fwdtui.report import knee_words
from fwdtui.report.in_metric import meaning
from fwdtui.report.iterations import DROPPED
from fwdtui.report.knee_words import percent
from fwdtui.report.merging import in_ranges, without_figures
from fwdtui.report.sweep import AT_LEAST, Line, Point, Sweep, Sweeps, by_boots
from fwdtui.report.sweep_split import NOT_DRAWN
from fwdtui.stats.figures import listing

IMIX = "theoretical equity on simple IMIX"
_IMIX_MEANS = (
    "Theoretical equity on simple IMIX, as the netbenches archive draws it: packets per second times "
    "(7 (40 + 14) + 4 (576 + 14) + (1500 + 14)) / 12 bytes. It assumes that the DUT forwards packets of "
    "every size at the rate of the shortest ones, and it ignores the speed of the link."
)
_CAP_MEANS = "A value within 0.5 % of line rate or of its offered load is a lower bound: the DUT may do more."
_MOST_PLACES = 5
_MOST_RATES = 16  # line rates that are named


def title(sweep: Sweep) -> str:
    """``queues, by config: af=inet4``, ``cpu-per-packet over queues``"""
    text = (
        (f"{sweep.metric} over " if sweep.metric else "")
        + sweep.x
        + (f", by {sweep.series}" if sweep.series else "")
    )
    return f"{text}: {fixed(sweep)}" if sweep.fixed else text


def fixed(sweep: Sweep) -> str:
    """What distinguishes this chart from the others: ``af=inet4, image=r2``."""
    return ", ".join(f"{name}={text}" for name, text in sweep.fixed.items())


def series_label(sweep: Sweep, line: Line) -> str:
    """What the legend calls a line: ``txabdicate_on``, ``flows 2000``."""
    if line.level is None or line.level.number is None or line.label != clean(line.level.shown):
        return line.label
    return f"{sweep.series} {line.label}"


def at_least(point: Point) -> str:
    """What stands before a capped point's median: a lower bound, even if only some values are capped."""
    return AT_LEAST if point.cap is not None else ""


def efficiency(point: Point) -> str:
    """A point's share of linear scaling: ``93 %``, ``≥ 45 %``."""
    return percent(point.efficiency) if point.efficiency is None else point.bound + percent(point.efficiency)


def cap(point: Point) -> str:
    """``at line rate``, ``2 of 3 at the offered load``; empty if the point is not capped."""
    if point.cap is None:
        return ""
    limit = "line rate" if point.cap.kind == "line-rate" else "the offered load"
    return f"at {limit}" if point.cap.whole else f"{point.cap.pinned} of {point.cap.total} at {limit}"


def findings(sweep: Sweep, *, brief: bool = False) -> list[str]:
    """For each line that has linear scaling to refer to, a sentence without a full stop, or a `brief` one."""
    sentences = []
    for line in sweep.lines:
        if line.knee is not None and line.measured:
            name, told = series_label(sweep, line), knee_words.sentence(line, sweep.axis, brief=brief)
            sentences.append(f"{name}: {told}" if name else told)
    return sentences


def references(sweep: Sweep) -> list[str]:
    """What a reader must know about the reference lines, the second axis and the levels, a sentence each."""
    sentences = []
    # linear scaling also has a value at a level without a rate, but does not start from that level
    firsts = [
        next((p for p in line.points if p.linear is not None and p.described.median), None)
        for line in sweep.lines
    ]
    if starts := dict.fromkeys(sweep.axis.phrase(point.level) for point in firsts if point is not None):
        sentences.append(
            f"Linear: from zero through the rate at {listing(list(starts))}. {knee_words.KNEE_MEANS}"
        )
        if any(line.knee is not None and any(map(by_boots, line.measured)) for line in sweep.lines):
            sentences[-1] += f" {knee_words.BOOTS_MEAN}"
    if rates := line_rates(sweep):
        sentences.append(f"Line rate in pps: {rates}.")
    if any(point.line_rate is not None or point.cap for point in sweep.points):
        sentences.append(_CAP_MEANS)
    if sweep.has_imix:
        sentences.append(_IMIX_MEANS)
    if sweep.metric:
        sentences.append(meaning(sweep.metric))
    if sweep.along:
        verb = "changes" if len(sweep.along) == 1 else "change"
        sentences.append(f"{listing(sweep.along)} {verb} together with {sweep.x}, level by level.")
    if sweep.axis.names_why:
        sentences.append(f"{sweep.axis.names_why[0].upper()}{sweep.axis.names_why[1:]}.")
    return sentences


def line_rates(sweep: Sweep) -> str:
    """``1.488 M of 64 B, 844.6 k of 128 B``; empty if there is none.

    Line rates are told by frame length if that is known and decides them; else by level, else by line, else
    point by point.
    """
    rated = [(line, point) for line in sweep.lines for point in line.points if point.line_rate is not None]
    if len({point.line_rate for _, point in rated}) == 1 and rated[0][1].frame is None:
        return si(rated[0][1].line_rate or 0.0)
    ways: list[Callable[[Line, Point], str]] = [
        lambda _, point: "" if point.frame is None else f"of {point.frame} B",
        lambda _, point: f"at {sweep.axis.phrase(point.level)}",
        lambda line, _: f"of {series_label(sweep, line)}",
        lambda line, point: f"of {series_label(sweep, line)} at {sweep.axis.phrase(point.level)}",
    ]
    for where in ways:
        told = dict.fromkeys((where(line, point), point.line_rate) for line, point in rated)
        if "" not in (place for place, _ in told) and len({place for place, _ in told}) == len(told):
            break
    every = [f"{si(rate or 0.0)} {place}" for place, rate in told]
    more = f" and {len(every) - _MOST_RATES} more" if len(every) > _MOST_RATES else ""
    return ", ".join(every[:_MOST_RATES]) + more


def left_out(sweeps: Sweeps) -> list[str]:
    """What no median includes, a sentence each: trials without a place, and iterations that do not count."""
    told = [note.text for note in sweeps.notes if note.code == NOT_DRAWN]
    for point in (point for sweep in sweeps.charts for point in sweep.points):
        by_hand = [one.text for one in point.values.result.cautions if one.code == DROPPED]
        told += [
            f"{_where(point)}: {after_colon(text)}" for text in (*point.values.result.excluded, *by_hand)
        ]
    return told


def notes(sweeps: Sweeps) -> list[str]:
    """What else a reader must know about the origin of the points, a sentence each."""
    return [f"{note.text[0].upper()}{note.text[1:]}." for note in sweeps.notes if note.code != NOT_DRAWN]


def warnings(sweeps: Sweeps) -> list[tuple[str, str]]:
    """What qualifies the values: each code of a warning once, with what it says and about which points."""
    by_code: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for point in (point for sweep in sweeps.charts for point in sweep.points):
        carried = [one for iteration in point.values.used for one in iteration.warnings]
        own = {one.code for one in carried}
        of_set = [one for one in point.values.result.cautions if one.code not in (*own, DROPPED)]
        for caution in (*carried, *of_set, *point.own):
            text = clean(caution.text)
            alike = by_code.setdefault(clean(caution.code), {}).setdefault(without_figures(text), [])
            alike.append((_where(point), text))
    return [(code, _merged(kinds.values())) for code, kinds in by_code.items()]


def _merged(kinds: Iterable[Sequence[tuple[str, str]]]) -> str:
    first, *others = sorted(kinds, key=len, reverse=True)
    text = in_ranges([text for _, text in first]).removesuffix(".")
    told = f"{text} ({_some([where for where, _ in first])})"
    more = [where for kind in others for where, _ in kind]
    return f"{told}; other such warnings: {_some(more)}" if more else told


def _where(point: Point) -> str:
    return ", ".join(f"{name}={clean(one.shown)}" for name, one in point.cell.levels.items())


def _some(places: Sequence[str]) -> str:
    every = list(dict.fromkeys(places))
    if len(every) <= _MOST_PLACES:
        return "; ".join(every)
    return f"{'; '.join(every[: _MOST_PLACES - 1])} and {len(every) - _MOST_PLACES + 1} more"
