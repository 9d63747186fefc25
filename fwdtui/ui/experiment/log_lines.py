"""The journal of an experiment as lines to read: what was measured, what was repeated and why."""

import datetime
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from fwdtui.core.experiment import Plan
from fwdtui.core.text import clean
from fwdtui.core.units import pps
from fwdtui.store.experiment_journal import (
    BEGUN,
    ENDED,
    FORWARDS,
    JUDGED,
    LEVEL,
    LOOK,
    PROFILE,
    REBOOT,
    RESUMED,
    UNDO,
    Step,
)

MOST = 300
"""The most lines that are kept."""
SOUND, REPEATED, LOOKED, TROUBLE, NOTE = "sound", "repeated", "looked", "trouble", "note"
SIGNS = {SOUND: "✓", REPEATED: "↻", LOOKED: "◆", TROUBLE: "✕", NOTE: "·"}


class LogLine(msgspec.Struct, frozen=True):
    """One line. `when` is the time of day, or ""; `kind` is a key of SIGNS."""

    when: str
    kind: str
    text: str


def log_lines(
    steps: Sequence[Step],
    plan: Plan,
    values: Mapping[int, float],
    notes: Iterable[tuple[int, float, str]] = (),
) -> list[LogLine]:
    """The newest lines, oldest first. `values`: those of sound trials, by trial, in packets per second.

    `notes`: what no step says, in order: (number of the step before, seconds since 1970, text).
    """
    newest = {step.trial: step.number for step in steps if step.what == JUDGED and step.sound}
    known = {newest[trial]: value for trial, value in values.items() if trial in newest}
    placed = [(step.number, line) for step in steps for line in _lines(step, plan, known)]
    placed += [(after, LogLine(_at(when), NOTE, clean(text))) for after, when, text in notes]
    return [line for _, line in sorted(placed, key=lambda one: one[0])][-MOST:]


def _lines(step: Step, plan: Plan, values: Mapping[int, float]) -> Iterable[LogLine]:
    """The lines of a step. `values`: by step, as a trial whose value was dropped may be measured again."""
    if not step.done:
        return
    when, text = _clock(step.when), clean(step.text)
    if step.what == JUDGED:
        place = f"trial {step.trial}, {_cell(plan, step.trial)}"
        if step.sound:
            value = values.get(step.number)
            yield LogLine(when, SOUND, f"{place}: {'measured' if value is None else pps(value)}")
        else:
            yield LogLine(when, REPEATED, f"{place}, attempt {step.attempt} does not count: {text}")
    elif step.what == LOOK:
        yield LogLine(when, LOOKED, f"after block {step.index}: {text}")
    elif step.what in (BEGUN, RESUMED):
        yield LogLine(when, NOTE, "begun" if step.what == BEGUN else "resumed")
    elif step.what == ENDED:
        yield LogLine(when, NOTE, f"ended: {text}")
    elif step.what == PROFILE:
        why = f": {clean(step.failed)}" if step.failed else ""
        yield LogLine(when, TROUBLE if why else NOTE, f"{'no ' if why else ''}profile of {text}{why}")
    elif step.failed and step.what in (LEVEL, UNDO, REBOOT, FORWARDS):
        on = f"{step.host}: " if step.host else ""
        yield LogLine(when, TROUBLE, f"{on}{clean(step.failed)}")
    elif step.what == REBOOT:
        yield LogLine(when, NOTE, "the DUT has rebooted")


def _cell(plan: Plan, trial: int) -> str:
    planned = next((one for one in plan.trials if one.number == trial), None)
    return plan.cells[planned.cell].name if planned is not None else ""


def _at(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds).strftime("%H:%M:%S")


def _clock(when: str) -> str:
    try:
        return datetime.datetime.fromisoformat(when).astimezone().strftime("%H:%M:%S")
    except (ValueError, OverflowError):
        return ""
