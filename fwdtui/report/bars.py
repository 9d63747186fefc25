"""Grouped bars: the medians of several variants beside each other, with the range of their values."""

from collections.abc import Sequence
from dataclasses import dataclass

from fwdtui.core.text import clean
from fwdtui.report import sweep_words as words
from fwdtui.report.cells import columns_of, pad, shorten_apart
from fwdtui.report.grouping import by_case
from fwdtui.report.sweep import Point, Sweep
from fwdtui.stats.caps import cap_of
from fwdtui.stats.figures import NONE, amount, in_words
from fwdtui.stats.results import Description, Judged, ResultSet

MOST_GROUPS, MOST_BARS = 8, 32
"""If there are more, they are drawn as points on lines: bars would be too thin to tell apart."""

_NAME, _SHORTEST = 30, 8  # columns of a label: the most, and the fewest to which a long one is shortened
_LEAST = 10  # columns of the longest bar
_AROUND = 2 + 2 + 2  # columns before a label in a group, and before and after the bar


@dataclass(frozen=True, slots=True)
class Bar:
    """One median with its range; `described` has no numbers if no iteration counts."""

    described: Description
    capped: bool = False


@dataclass(frozen=True, slots=True)
class Bars:
    """A chart of grouped bars. `groups`: a label and, in order of `series`, a bar for each; None: no bar.

    `about` is its title, `unit` the unit of the bars, and `metric` what they show, if not rates.
    """

    about: str
    series: tuple[str, ...]
    groups: tuple[tuple[str, tuple[Bar | None, ...]], ...]
    unit: str
    metric: str = ""

    @property
    def every(self) -> list[Bar]:
        """All bars, group by group."""
        return [bar for _, bars in self.groups for bar in bars if bar is not None]

    @property
    def fits(self) -> bool:
        """Whether there are few enough to tell apart."""
        count = len(self.groups)
        return count <= MOST_GROUPS and count * len(self.series) <= MOST_BARS

    @property
    def highest(self) -> float:
        """The greatest value; 0 if there is none."""
        return max((bar.described.max or 0.0 for bar in self.every), default=0.0)


def suits(sweep: Sweep) -> bool:
    """Whether a sweep is drawn as bars: if its levels are few, and names.

    Levels that are numbers have places on an axis, which bars would hide.
    """
    return not sweep.axis.numeric and of_sweep(sweep).fits


def of_sweep(sweep: Sweep) -> Bars:
    """A group for each level of the axis, in its order, with a bar for each line."""
    by_level = [{point.level.identity: point for point in line.points} for line in sweep.lines]
    groups: list[tuple[str, tuple[Bar | None, ...]]] = []
    for level, label in zip(sweep.axis.levels, sweep.axis.labels, strict=True):
        at_level = [points.get(level.identity) for points in by_level]
        groups.append((label, tuple(_bar_of(point) for point in at_level)))
    series = tuple(words.series_label(sweep, line) for line in sweep.lines)
    return Bars(words.title(sweep), series, tuple(groups), sweep.unit, sweep.metric)


def of_judged(judged: Sequence[Judged]) -> Bars:
    """A group for each case of a comparison, with a bar for each label, the baseline's first."""
    labels = list(dict.fromkeys(label for one in judged for label in (one.base.label, one.other.label)))
    groups: list[tuple[str, tuple[Bar | None, ...]]] = []
    for case, results in by_case(judged).items():
        first = results[0]
        bars = {first.base.label: _of_set(first.base, first.comparison.base)}
        bars |= {one.other.label: _of_set(one.other, one.comparison.other) for one in results}
        groups.append((case, tuple(bars.get(label) for label in labels)))
    unit = next((one.comparison.unit for one in judged if one.comparison.unit), None)
    metric = next((one.comparison.metric for one in judged if one.comparison.metric), "")
    about = "Medians beside each other, by level"
    return Bars(about, tuple(labels), tuple(groups), unit or "pps", metric)


def _of_set(one: ResultSet, described: Description) -> Bar:
    return Bar(described, cap_of(one) is not None)


def _bar_of(point: Point | None) -> Bar | None:
    return None if point is None else Bar(point.described, point.cap is not None)


def text(bars: Bars, width: int) -> str:
    """Bars in plain characters: up to the least value, then the range, with the median in it."""
    figures = max((len(_figure(bar, bars.unit)) for bar in bars.every), default=0)
    names = min(_NAME, max(width - figures - _LEAST - _AROUND, _SHORTEST))  # figures are never cut
    labels = shorten_apart([clean(one) for one in bars.series], names)
    heads = shorten_apart([clean(label) for label, _ in bars.groups], names)
    if len(bars.series) == 1 and not bars.series[0]:
        labels, heads = heads, []
    margin = max(map(columns_of, labels)) + (2 if heads else 0)
    room = max(width - margin - 2 - 2 - figures, _LEAST)
    lines = ["= to the least value, - least to greatest, | median"]
    for place, (_, group) in enumerate(bars.groups):
        if heads:
            lines.append(heads[place])
        for number, bar in enumerate(group):
            label = labels[number] if heads else labels[place]
            lines.append(
                f"{'  ' if heads else ''}{pad(label, margin - (2 if heads else 0))}  {_bar(bar, room, bars)}"
            )
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _bar(bar: Bar | None, room: int, bars: Bars) -> str:
    if bar is None or bar.described.median is None:
        return f"{NONE} no values"
    ends = [_column(value, room, bars.highest) for value in _range(bar)]
    least, middle, greatest = ends
    drawn = ["="] * least + ["-"] * (greatest - least)
    drawn = drawn or ["|"]
    drawn[min(max(middle - 1, 0), len(drawn) - 1)] = "|"
    return f"{''.join(drawn)}  {_figure(bar, bars.unit)}"


def figure(bar: Bar, unit: str) -> str:
    """The median as a table has it, without its unit: ``208.4 k``, ``≥ 14.88 M``, ``9 412`` of Mb/s."""
    return _figure(bar, unit).removesuffix(in_words(unit))


def _figure(bar: Bar, unit: str) -> str:
    return f"{'≥ ' if bar.capped else ''}{amount(bar.described.median, unit=unit)}"


def _range(bar: Bar) -> Sequence[float]:
    return bar.described.min or 0.0, bar.described.median or 0.0, bar.described.max or 0.0


def _column(value: float, room: int, highest: float) -> int:
    return round(max(value, 0.0) / highest * room) if highest > 0 else 0
