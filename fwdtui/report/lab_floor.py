"""The floor of an experiment's lab, if there is the session of an A/A experiment on it beside its own."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Plan
from fwdtui.core.experiment.order import aa_digest, is_aa
from fwdtui.core.model import Session, moment
from fwdtui.report.attempts import attempts, began
from fwdtui.report.iterations import counts
from fwdtui.report.sides import case_on_boots
from fwdtui.store.experiment_journal import is_experiment, read_plan
from fwdtui.store.listing import Header, list_headers
from fwdtui.store.reader import read_session

if TYPE_CHECKING:
    from fwdtui.stats.aa import Floor

_OWN = ("name", "run")
"""Keys of lab.toml in which two recordings of one lab may differ: the plan has the times."""
_MOST = 1000
"""The most sessions in one folder that are looked at."""


class LabFloor(msgspec.Struct, frozen=True):
    """The smallest effect that A/A trials on the same lab could prove; see `stats.aa.Floor`.

    `session`: the name of the A/A experiment's folder, `measured`: when it was created, ISO 8601. `same`: it
    was made for the very experiment beside it, and so with the cell of its baseline.
    """

    session: str
    measured: str
    cell: str
    same: bool
    values: int
    unit: str
    paired: bool
    difference: float
    low: float
    high: float
    provable: float
    proves: str


class _Value(NamedTuple):
    block: int
    cell: int
    value: float
    boot: str
    offered: float | None
    began: float | None


def floor_of(session: Session, plan: Plan) -> LabFloor | None:
    """The floor of a session's lab, as an A/A experiment on the same lab gives it that is in the same folder.

    One that was made for this very experiment comes first, then the newest. None: there is no such A/A
    experiment, or none that says anything. What cannot be read is passed over.
    """
    if session.lab is None or is_aa(plan):
        return None
    folder = Path(session.path)
    experiments: list[tuple[bool, float, Header, Plan]] = []
    try:
        for number, header in enumerate(list_headers(folder.parent)):
            if number >= _MOST:
                break
            if not isinstance(header, Header) or header.recording or not _same_lab(session, header):
                continue
            place = Path(header.path)
            if place == folder or not is_experiment(place):
                continue
            try:
                other = read_plan(place)
            except FwdtuiError:
                continue
            if is_aa(other):
                same = other.digest == aa_digest(plan.digest)
                experiments.append((same, moment(header.created), header, other))
    except FwdtuiError:
        return None
    for same, _, header, other in sorted(experiments, key=lambda one: one[:2], reverse=True):
        if told := _floor(header, other, same):
            return told
    return None


def _same_lab(session: Session, header: Header) -> bool:
    mine, theirs = session.lab, header.lab
    if mine is None or theirs is None:
        return False
    return all(mine.get(key) == theirs.get(key) for key in (mine.keys() | theirs.keys()) - {*_OWN})


def _floor(header: Header, plan: Plan, same: bool) -> LabFloor | None:
    try:
        session = read_session(Path(header.path))
    except FwdtuiError:
        return None
    proven, _ = own_floor(session, plan)
    if proven is None:
        return None
    return LabFloor(
        Path(header.path).name, header.created, plan.cells[0].name.removesuffix(" A"), same,
        proven.values, proven.unit, proven.paired,
        proven.difference, proven.low, proven.high, proven.provable, proven.proves,
    )  # fmt: skip


def own_floor(session: Session, plan: Plan) -> "tuple[Floor | None, str]":
    """The floor that the session of an A/A experiment gives, and that in words; or None, and why not."""
    from fwdtui.stats.aa import floor, why_none  # late: loads scipy

    trials = {trial.number: trial for trial in plan.trials}
    mine = plan.digest[:16]
    values = [
        _Value(trial.block, trial.cell, one.value, one.boot, one.offered, next(iter(began([one])), None))
        for case in session.cases
        for one in case.iterations
        if one.planned is not None
        and one.planned.experiment == mine
        and (trial := trials.get(one.planned.trial)) is not None
        and counts(one)
        and one.value is not None
        and one.judged is not None  # else it may have been unsound: a part of the journal cannot be read
    ]
    cell = next((case for case in session.cases if case.name == plan.cells[0].name), None)
    rate = None if cell is None else case_on_boots(session, cell, cell.name).result.line_rate
    every = attempts(session, (), mine)
    found = floor(plan, values, rate, every)
    return found, why_none(plan, values, rate, every) if found is None else found.text
