"""How far an experiment with planned looks is, according to its journal: the values do not say it.

A trial that was given up leaves no value. Its block is over nevertheless, and the run looked at the data
then.
"""

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from fwdtui.core.experiment import Plan
from fwdtui.core.model import Session
from fwdtui.report.iterations import CaseSet
from fwdtui.report.sides import Side
from fwdtui.store.experiment_journal import JUDGED, LOOK, Step


def with_blocks_over(sides: Sequence[Side]) -> list[Side]:
    """The sides; where looks are planned, their sets say how many blocks are over."""
    over: dict[str, int] = {}
    for side in sides:
        for session in side.sessions:
            if session.path not in over:
                over[session.path] = _of_session(session)
    return [
        replace(side, cases={name: _with(one, over) for name, one in side.cases.items()}) for side in sides
    ]


def _with(one: CaseSet, over: dict[str, int]) -> CaseSet:
    placed, session = one.result.placed, one.session
    if placed is None or session is None or not placed.looks:
        return one
    placed = msgspec.structs.replace(placed, over=over.get(session.path, 0))
    return replace(one, result=msgspec.structs.replace(one.result, placed=placed))


def _of_session(session: Session) -> int:
    from fwdtui.store.experiment_record import Record, recorded

    record = recorded(session)
    return blocks_over(record.plan, record.steps) if isinstance(record, Record) else 0


def blocks_over(plan: Plan, steps: Sequence[Step]) -> int:
    """How many blocks, counted from the first one, are over.

    Each of their trials is sound or given up, or the data were looked at after them.
    """
    from fwdtui.report.experiment_summary import without_value

    done = {one.trial for one in steps if one.what == JUDGED and one.sound} | without_value(plan, steps)
    open_blocks = [trial.block for trial in plan.trials if trial.number not in done]
    last = max((trial.block for trial in plan.trials), default=0)
    looked = [min(one.index, last) for one in steps if one.what == LOOK and one.done and not one.failed]
    return max([min(open_blocks) - 1 if open_blocks else last, *looked])
