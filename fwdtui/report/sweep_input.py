"""The iterations that a sweep is made of: those of whole sessions or of chosen cases, each once."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Caution, Session
from fwdtui.report.by_factor import left_by
from fwdtui.report.cells_of import Trial, told_apart, trials
from fwdtui.report.factor_view import FactorView
from fwdtui.report.in_metric import in_metric
from fwdtui.report.iterations import iteration_folder
from fwdtui.report.pairing import damage, simulated
from fwdtui.report.sides import Side, load_sides
from fwdtui.store.names import is_of_experiment


@dataclass(frozen=True, slots=True)
class Loaded:
    """`trials` are what the filters leave of the `sides`; `notes`: damage, and sessions that were simulated.

    `missing`: what experiments planned but have no value of.
    """

    trials: tuple[Trial, ...]
    sides: tuple[Side, ...]
    notes: tuple[Caution, ...]
    missing: tuple[Caution, ...] = ()


def load(specs: Sequence[str], view: FactorView, sessions: Path | None) -> Loaded:
    """Read what `specs` name: sessions, or SESSION:CASE. Raises FwdtuiError for anything else.

    `sessions`: see `load_sides`.
    """
    sides = load_sides(specs, sessions=sessions)
    for side in sides:
        if not side.sessions:
            raise FwdtuiError(f"{side.spec}: a value file has no factors: --x takes sessions")
    return of_sides(sides, view)


def of_sides(sides: Sequence[Side], view: FactorView) -> Loaded:
    """As `load`, of sessions that are read already. A session or case that is named twice counts once."""
    as_recorded = sides
    sides = in_metric(sides, view.metric)
    chosen: dict[str, tuple[Session, dict[str, None]]] = {}
    for side in sides:
        for session in side.sessions:
            own = msgspec.structs.replace(session, label=side.label.removesuffix(_chosen(side)))
            _, names = chosen.setdefault(os.path.realpath(session.path), (own, {}))
            names |= dict.fromkeys(side.cases)
    sessions = [
        msgspec.structs.replace(session, cases=tuple(case for case in session.cases if case.name in names))
        for session, (_, names) in zip(
            told_apart([session for session, _ in chosen.values()]), chosen.values(), strict=True
        )
    ]
    left = left_by(trials(sessions), view)
    told = {iteration_folder(one.session, one.case, one.iteration) for one in left}
    notes: tuple[Caution, ...] = (*simulated(sides), *damage(sides, told))
    lacking: tuple[Caution, ...] = ()
    if any(is_of_experiment(session) for side in sides for session in side.sessions):
        from fwdtui.report import experiment_summary, unmeasured  # late: most sessions have none

        notes = experiment_summary.without_repetition(notes, experiment_summary.unreadable(sides))
        labels = {os.path.realpath(session.path): session.label for session in sessions}
        lacking = tuple(unmeasured.missing(as_recorded, view, labels))
    return Loaded(tuple(left), tuple(sides), notes, lacking)


def _chosen(side: Side) -> str:
    """The end of a chosen case's label, which tells it from others of its session; "" if none was chosen."""
    return f":{next(iter(side.cases))}" if side.chosen else ""
