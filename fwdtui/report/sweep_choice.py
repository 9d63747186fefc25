"""Which sweeps a set of iterations offers: factors for the axis, and factors for the lines."""

from collections.abc import Callable, Sequence

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import SESSION, Level
from fwdtui.report.cells_of import Trial, all_levels, compared_of
from fwdtui.report.sweep import Sweeps, Wanted, sweeps

FEWEST_LEVELS = 3
"""The fewest levels of a sweep: two are a comparison."""
_MOST_LINES = 12


def axes(all_trials: Sequence[Trial]) -> list[str]:
    """The factors with three known levels or more: numeric ones first, each kind in the usual order."""
    levels = {name: _known(all_trials, name) for name in compared_of(all_trials)}
    swept = [name for name, those in levels.items() if len(those) >= FEWEST_LEVELS]
    return [name for name in swept if _numeric(levels[name])] + [
        name for name in swept if not _numeric(levels[name])
    ]


def series(all_trials: Sequence[Trial], x: str) -> list[str]:
    """What lines can be drawn for: nothing (""), then other factors, or session, with several levels."""
    names = [name for name in dict.fromkeys([*compared_of(all_trials), SESSION]) if name != x]
    several = [name for name in names if 2 <= len(_known(all_trials, name)) <= _MOST_LINES]
    return ["", *(name for name in several if _has_lines(all_trials, name, x))]


def first_series(all_trials: Sequence[Trial], x: str) -> str:
    """The factor that would otherwise make several charts, if there is exactly one; else none ("")."""
    try:
        charts = sweeps(all_trials, Wanted(x)).charts
    except FwdtuiError:  # such as too many charts
        offered = series(all_trials, x)[1:]
        return offered[0] if len(offered) == 1 else ""
    fixed = charts[0].fixed
    return next(iter(fixed)) if len(charts) > 1 and len(fixed) == 1 else ""


def all_series(all_trials: Sequence[Trial], x: str) -> list[str]:
    """As `series`, but `first_series` comes first."""
    return list(dict.fromkeys([first_series(all_trials, x), *series(all_trials, x)]))


def first(all_trials: Sequence[Trial], make: Callable[[str, str], Sweeps]) -> tuple[Sweeps, str, str]:
    """The first sweep that these trials offer and that `make(x, series)` can draw, with its x and series.

    Raises FwdtuiError if no factor can be on the axis or, if none can be drawn, the one of the first attempt.
    """
    first_problem: FwdtuiError | None = None
    for x in axes(all_trials):
        for name in all_series(all_trials, x):
            try:
                return make(x, name), x, name
            except FwdtuiError as error:  # such as too many charts
                first_problem = first_problem or error
    raise first_problem or FwdtuiError(
        "no factor has three levels or more here. Factors such as queues or frame_size come with an "
        "import or --factor while recording, or are added in annotations.toml"
    )


def _has_lines(all_trials: Sequence[Trial], name: str, x: str) -> bool:
    """Whether a level of the factor was measured at several levels of x: else each line would be a point."""
    places: dict[object, set[object]] = {}
    for trial in all_trials:
        if trial.level(name).known and trial.level(x).known:
            places.setdefault(trial.level(name).identity, set()).add(trial.level(x).identity)
    return any(len(levels) > 1 for levels in places.values())


def _known(all_trials: Sequence[Trial], name: str) -> list[Level]:
    return [one for one in all_levels(all_trials, name) if one.known]


def _numeric(levels: Sequence[Level]) -> bool:
    return all(one.number is not None for one in levels) and len({one.unit for one in levels}) == 1
