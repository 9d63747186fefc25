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
    """One line. `when` is the time of day, or ""; `kind` is a key of SIGNS; `day` the date, or ""."""

    when: str
    kind: str
    text: str
    day: str = ""


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
    placed += [
        (after, _line(datetime.datetime.fromtimestamp(when), NOTE, clean(text)))
        for after, when, text in notes
    ]
    return [line for _, line in sorted(placed, key=lambda one: one[0])][-MOST:]


def with_days(lines: Iterable[LogLine]) -> list[LogLine]:
    """The lines, with the date before the first one of each day if they are of several days."""
    known = list(lines)
    if len({line.day for line in known if line.day}) < 2:
        return known
    told, day = [], ""
    for line in known:
        if line.day and line.day != day:
            day = line.day
            told.append(LogLine("", NOTE, day))
        told.append(line)
    return told


def line_now(kind: str, text: str) -> LogLine:
    """A line of this moment."""
    return _line(datetime.datetime.now(), kind, text)


def _line(when: datetime.datetime | None, kind: str, text: str) -> LogLine:
    return LogLine("", kind, text) if when is None else LogLine(f"{when:%H:%M:%S}", kind, text, f"{when:%F}")


def _lines(step: Step, plan: Plan, values: Mapping[int, float]) -> Iterable[LogLine]:
    """The lines of a step. `values`: by step, as a trial whose value was dropped may be measured again."""
    if not step.done:
        return
    when, text = _clock(step.when), clean(step.text)
    if step.what == JUDGED:
        place = f"trial {step.trial}, {_cell(plan, step.trial)}"
        if step.sound:
            value = values.get(step.number)
            yield _line(when, SOUND, f"{place}: {'measured' if value is None else pps(value)}")
        else:
            yield _line(when, REPEATED, f"{place}, attempt {step.attempt} does not count: {text}")
    elif step.what == LOOK:
        yield _line(when, LOOKED, f"after block {step.index}: {text}")
    elif step.what in (BEGUN, RESUMED):
        yield _line(when, NOTE, "begun" if step.what == BEGUN else "resumed")
    elif step.what == ENDED:
        yield _line(when, NOTE, f"ended: {text}")
    elif step.what == PROFILE:
        why = f": {clean(step.failed)}" if step.failed else ""
        yield _line(when, TROUBLE if why else NOTE, f"{'no ' if why else ''}profile of {text}{why}")
    elif step.failed and step.what in (LEVEL, UNDO, REBOOT, FORWARDS):
        on = f"{step.host}: " if step.host else ""
        yield _line(when, TROUBLE, f"{on}{clean(step.failed)}")
    elif step.what == REBOOT:
        yield _line(when, NOTE, "the DUT has rebooted")


def _cell(plan: Plan, trial: int) -> str:
    planned = next((one for one in plan.trials if one.number == trial), None)
    return plan.cells[planned.cell].name if planned is not None else ""


def _clock(when: str) -> datetime.datetime | None:
    """The moment in this computer's time zone; None if it cannot be shown."""
    try:
        return datetime.datetime.fromisoformat(when).astimezone()
    except (ValueError, OverflowError):
        return None
