"""Which factors, other than those that the user named, make charts; and which trials have no place in one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import SESSION, Level
from fwdtui.core.model import Caution
from fwdtui.core.text import clean
from fwdtui.report.cells_of import Trial, all_levels, conditions_of

MOST_CHARTS = 12
NOT_DRAWN = "not-drawn"
"""The code of the note on trials that have no place in a chart."""
_MOST_NAMED = 4  # the most places in a message

Identity = tuple[str, float | str]


class NotDrawnError(FwdtuiError):
    """A sweep that cannot be drawn. `why` is the reason alone; the message adds the options that help."""

    def __init__(self, why: str, way: str) -> None:
        super().__init__(f"{why}: {way}")
        self.why = why


@dataclass(frozen=True, slots=True)
class Split:
    """`trials` are those that have a place; `charts`: the factors that make a chart for each of their levels.

    `along` are factors that change together with x, each level with one level of x. `notes`: what was left
    out.
    """

    trials: tuple[Trial, ...]
    charts: tuple[str, ...]
    along: tuple[str, ...]
    notes: tuple[Caution, ...]


def split_of(all_trials: Sequence[Trial], x: str, series: str) -> Split:
    """Leave out trials whose place is not known, and find what would otherwise be pooled or mixed in a line.

    A factor that differs at one point, or changes along a line in another way than x, makes charts of its
    own. Raises FwdtuiError if no level is known, and NotDrawnError, which is one, if trials cannot be told
    apart or there would be too many charts.
    """
    line = [series] if series else []
    trials, notes = list(all_trials), []
    for name in (x, *line):
        trials, note = _known(trials, name)
        notes += note
    charts: list[str] = []
    while (other := _differing(trials, [*charts, *line], x)) is not None:
        trials, note = _known(trials, other)
        notes += note
        charts.append(other)
    _refuse_pooling(trials, [*charts, *line, x])
    along, unsure = _along(trials, [*charts, *line], x)
    notes += unsure
    if SESSION not in (*charts, *line, x) and any(
        _against(group, SESSION, x) for group in _groups(trials, [*charts, *line])
    ):
        text = f"the points of a line are from several sessions: {_sessions(trials)}"
        notes.append(Caution("several-sessions", text))
    count = len(_groups(trials, charts))
    if count > MOST_CHARTS:
        raise NotDrawnError(
            f"{' and '.join(charts)} would make {count} charts",
            f"choose with --filter {charts[0]}=..., or draw a line for each with --series {charts[0]}",
        )
    return Split(tuple(trials), tuple(charts), tuple(along), tuple(notes))


def placed(levels: Mapping[str, Level]) -> str:
    """``af=inet4, queues=3``, for messages."""
    return ", ".join(f"{name}={clean(one.shown)}" for name, one in levels.items())


def _known(trials: Sequence[Trial], name: str) -> tuple[list[Trial], list[Caution]]:
    """The trials whose level of a factor is known, and a note on the others. Raises FwdtuiError if none."""
    known = [trial for trial in trials if trial.level(name).known]
    unknown = [trial for trial in trials if not trial.level(name).known]
    if not known:
        raise FwdtuiError(f"{name} is not known in {_places(trials)}: set it in annotations.toml")
    if not unknown:
        return known, []
    text = f"not drawn, since {name} is not known there: {_places(unknown)}; set it in annotations.toml"
    return known, [Caution(NOT_DRAWN, text)]


def _differing(trials: Sequence[Trial], line: Sequence[str], x: str) -> str | None:
    """A factor that makes charts: one that differs within a point, or within a line but not as x does."""
    others = [name for name in conditions_of(trials) if name not in (*line, x)]
    points = _groups(trials, [*line, x])
    for name in others:
        if any(_differs(group, name) for group in points):
            return name
    lines = _groups(trials, line)
    for name in others:
        if any(_against(group, name, x) for group in lines):
            return name
    if SESSION in (*line, x) or not any(len(_homes(group, by_case=False)) > 1 for group in points):
        return None
    # only sessions that are sweeps by themselves make charts: with one level each, charts would have no line
    return SESSION if any(_against(group, SESSION, x) for group in lines) else None


def _differs(group: Sequence[Trial], name: str) -> bool:
    levels = all_levels(group, name)
    return sum(one.known for one in levels) + any(not one.known for one in levels) > 1


def _against(group: Sequence[Trial], name: str, x: str) -> bool:
    """Whether a factor has several known levels in a line, one of them at more than one level of x."""
    met: dict[Identity, set[Identity]] = defaultdict(set)
    for trial in group:
        if trial.level(name).known:
            met[trial.level(name).identity].add(trial.level(x).identity)
    return len(met) > 1 and any(len(levels) > 1 for levels in met.values())


def _along(trials: Sequence[Trial], line: Sequence[str], x: str) -> tuple[list[str], list[Caution]]:
    """The factors that change with x, level by level; and a note on those known at some levels only."""
    along: list[str] = []
    unsure: list[str] = []
    for name in [name for name in conditions_of(trials) if name not in (*line, x)]:
        by_group = [all_levels(group, name) for group in _groups(trials, line)]
        if any(sum(one.known for one in levels) > 1 for levels in by_group):
            along.append(name)
        elif any(len({one.known for one in levels}) > 1 for levels in by_group):
            unsure.append(name)
    notes = [Caution("level-unknown", f"{name} is known at some levels of {x} only") for name in unsure]
    return along, notes


def _refuse_pooling(trials: Sequence[Trial], names: Sequence[str]) -> None:
    for group in _groups(trials, names):
        if len(_homes(group, by_case=True)) > 1:
            where = placed({name: group[0].level(name) for name in names})
            raise NotDrawnError(
                f"iterations with {where} are in {_places(group)}, and are not pooled",
                "give them a factor that tells them apart (annotations.toml), or use --series session",
            )


def _homes(group: Sequence[Trial], *, by_case: bool) -> set[tuple[str, str]]:
    return {(trial.session.path, trial.case.name if by_case else "") for trial in group}


def _groups(trials: Sequence[Trial], names: Sequence[str]) -> list[list[Trial]]:
    groups: dict[tuple[Identity, ...], list[Trial]] = {}
    for trial in trials:
        groups.setdefault(tuple(trial.level(name).identity for name in names), []).append(trial)
    return list(groups.values())


def _sessions(trials: Sequence[Trial]) -> str:
    return _some([clean(trial.session.label) for trial in trials])


def _places(group: Sequence[Trial]) -> str:
    return _some([trial.place for trial in group])


def _some(texts: Sequence[str]) -> str:
    every = list(dict.fromkeys(texts))
    more = f" and {len(every) - _MOST_NAMED} more" if len(every) > _MOST_NAMED else ""
    return ", ".join(every[:_MOST_NAMED]) + more
