"""The commands that go on with imported sessions: by the factor that was varied, and over a numeric one."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import Level
from fwdtui.core.shell_words import quote
from fwdtui.report.by_factor import seen
from fwdtui.report.cells_of import Trial, all_levels, compared_of, trials
from fwdtui.report.factor_view import FactorView
from fwdtui.report.next_command import command
from fwdtui.report.pairing import pair
from fwdtui.report.shell_words import argument
from fwdtui.report.sides import Side, load_sides
from fwdtui.report.sweep_choice import axes, first_series

_MOST_SIDES = 8
"""The most levels that are compared side by side; more are a sweep."""
_MOST_SESSIONS = 200  # the most that are read to find this out: the user waits


def after_import(paths: Sequence[Path]) -> list[str]:
    """Commands, the most useful first: a comparison by a factor, or else of two sessions; and a sweep.

    A comparison by a factor has been tried, so it is no error. What cannot be read is no reason to fail here.
    """
    two = [command("compare", paths[:2])] if len(paths) > 1 else []
    if len(paths) > _MOST_SESSIONS:
        return two
    try:
        sides = load_sides([str(path) for path in paths])
    except (FwdtuiError, OSError):
        return two
    all_trials = trials([session for side in sides for session in side.sessions])
    specs = _specs(paths)
    sweep = _sweep(all_trials, specs)
    if view := next(_comparisons(sides, all_trials), None):
        return [" ".join(["fwdtui", "compare", *specs, *map(quote, view.options())]), *sweep]
    numeric = any(_numeric(all_levels(all_trials, name)) for name in axes(all_trials)[:1])
    return sweep if numeric else [*two, *sweep]


def _sweep(all_trials: Sequence[Trial], specs: Sequence[str]) -> list[str]:
    """The command of a sweep over a factor that is numeric, or has too many levels for a comparison."""
    for name in axes(all_trials)[:1]:
        levels = all_levels(all_trials, name)
        if _numeric(levels) or len(levels) > _MOST_SIDES:
            line = first_series(all_trials, name)
            options = ["--x", name, *(["--series", line] if line else [])]
            return [" ".join(["fwdtui", "report", *specs, *options])]
    return []


def _specs(paths: Sequence[Path]) -> list[str]:
    """The sessions as arguments: ``sessions/*`` if the folder has nothing else."""
    folder = paths[0].parent
    there = {entry.name for entry in folder.iterdir() if not entry.name.startswith(".")}
    if len(paths) > 1 and there == {path.name for path in paths}:
        return [f"{quote(argument(folder))}/*"]
    return [quote(argument(path)) for path in paths]


def _comparisons(sides: Sequence[Side], all_trials: Sequence[Trial]) -> Iterator[FactorView]:
    """Comparisons by one factor that raise no error, in the usual order of factors."""
    for name in compared_of(all_trials):
        levels = [one for one in all_levels(all_trials, name) if one.known]
        if not 2 <= len(levels) <= _MOST_SIDES or (len(levels) > 2 and _numeric(levels)):
            continue
        for one in levels:  # the baseline is the first one that has cells in common with another
            view = FactorView(by=(name,), baseline=((name, one.text),))
            try:
                pairs = pair(seen(sides, view)).pairs
            except FwdtuiError:
                continue
            if pairs:
                yield view
                break


def _numeric(levels: Sequence[Level]) -> bool:
    return all(one.number is not None for one in levels if one.known)
