"""What `fwdtui experiment FILE --dry-run` shows: everything that would be done, where, and when.

The text is for people, with control characters visible; the plain values are for JSON.
"""

from collections.abc import Iterator, Sequence

import msgspec

from fwdtui.core.experiment.cells import doubtful_frames, lab_of
from fwdtui.core.experiment.model import (
    BEFORE,
    FIRST_PRECISE,
    INTERLEAVED,
    RANDOM,
    Cell,
    Experiment,
    LevelSetup,
    Plan,
)
from fwdtui.core.experiment.order import boots, cautions
from fwdtui.core.experiment.steps import COMMAND, Begun, Step, steps
from fwdtui.core.lab import Endpoint, Lab
from fwdtui.core.model import Caution
from fwdtui.core.text import visible, visible_lines
from fwdtui.core.units import counted, in_full

_WIDTH = 10  # of the words at the beginning of a line


def dry_run(plan: Plan, lab: Lab, resumed: "Resumed | None" = None) -> str:
    """The whole dry run as text; for an experiment that is resumed, what is left to do."""
    sections = [_head(plan, lab), *([_resumed(plan, resumed)] if resumed else [])]
    sections += [_cells(plan, lab), _levels(plan), _hooks(plan, lab), _rules(plan)]
    sections += [_steps(plan, lab, resumed), _left(plan, lab, resumed) if resumed else _totals(plan, lab)]
    return "\n\n".join("\n".join(visible_lines(line) for line in lines) for lines in sections if lines)


class Resumed(msgspec.Struct, frozen=True):
    """What is resumed: the session's name, what was done, and the expected seconds of the rest."""

    session: str
    begun: Begun
    seconds: float


def plain(plan: Plan, lab: Lab, resumed: Resumed | None = None) -> dict[str, object]:
    """The same for JSON: `schema` is 1, times are seconds since the beginning.

    With `resumed` the steps are those that are left, and `resume` says what was done; everything else is
    about the whole plan.
    """
    all_steps = steps(plan, lab.dut.host, resumed.begun if resumed else None)
    resume = {}
    if resumed is not None:
        begun = resumed.begun
        resume["resume"] = {
            "session": resumed.session,
            "done": sorted(begun.done),
            "left": [trial.number for trial in begun.left(plan)],
            "profiles": [plan.cells[trial.cell].name for trial in begun.profiles_left(plan)],
            "levels": dict(begun.levels),
            "decided": begun.decided,
            "awaited": begun.is_in_doubt(plan),
            "seconds": resumed.seconds,
        }
    return {
        "schema": 1,
        "name": plan.experiment.name,
        "digest": plan.digest,
        "order": plan.experiment.order,
        "seed": plan.experiment.seed,
        "blocks": plan.experiment.blocks,
        "cells": [
            {
                "number": cell.number,
                "name": cell.name,
                "factors": dict(cell.factors),
                "commands": [{"host": end.host, "run": end.start} for end in _ends(plan, lab, cell)],
            }
            for cell in plan.cells
        ],
        "trials": [
            {
                "number": trial.number,
                "block": trial.block,
                "cell": trial.cell,
                "repeat": trial.repeat,
                "boot": trial.boot,
            }
            for trial in plan.trials
        ],
        "steps": [
            {key: getattr(step, key) for key in ("at", "seconds", "trial", "kind", "text", "host")}
            for step in all_steps
        ],
        "iterations": len(plan.trials),
        "boots": boots(plan),
        "seconds": _end(steps(plan, lab.dut.host)),
        **resume,
        "warnings": [{"code": one.code, "text": one.text} for one in weaknesses(plan, lab)],
    }


def weaknesses(plan: Plan, lab: Lab) -> tuple[Caution, ...]:
    """Warnings before anything is measured: about the design, and about what its cells send."""
    doubts = doubtful_frames(plan.experiment, lab, plan.cells)
    return (*cautions(plan), *(Caution("doubtful-frame", text) for text in doubts))


def clock(seconds: float) -> str:
    """``0:02:05``: hours, minutes and seconds."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def _head(plan: Plan, lab: Lab) -> list[str]:
    experiment = plan.experiment
    order = {
        INTERLEAVED: "interleaved (ABBA)",
        RANDOM: f"in random order within each block, seed {experiment.seed}",
    }.get(experiment.order, "one cell after another")
    blocks = counted(experiment.blocks, "block")
    if experiment.reboot:
        blocks += ", each cell of each after a reboot"
    each = "" if experiment.iterations == 1 else f", {experiment.iterations} iterations in a row"
    lines = [
        f"Experiment {experiment.name} on lab {visible(lab.name)}:"
        f" {counted(len(plan.cells), 'cell')}, {order}",
        f"{blocks}{each}: {counted(len(plan.trials), 'iteration')}",
    ]
    return [*lines, f"digest {plan.digest}"] if plan.digest else lines


def _cells(plan: Plan, lab: Lab) -> list[str]:
    lines = ["Cells, and what is started for each"]
    for cell in plan.cells:
        lines.append(f"  {cell.name}{'   (baseline)' if cell.number == 0 and len(plan.cells) > 1 else ''}")
        lines += [_line(end.host, end.start or "") for end in _ends(plan, lab, cell)]
    return lines


def _ends(plan: Plan, lab: Lab, cell: Cell) -> list[Endpoint]:
    """The receiver and the generators that are started for a cell, in this order."""
    cell_lab = lab_of(plan.experiment, lab, cell)
    receiver = [cell_lab.receiver] if cell_lab.receiver is not None and cell_lab.receiver.start else []
    return [*receiver, *cell_lab.generators]


def _levels(plan: Plan) -> list[str]:
    """The levels of the plan's cells: what an A/A run or a list of cells leaves out is never set."""
    factors = plan.experiment.factors
    lines = ["Levels, and the commands that set them"] if factors else []
    for factor in factors:
        used = {cell.levels[factor.name] for cell in plan.cells}
        for one in (level for place, level in enumerate(factor.levels) if place in used):
            lines.append(f"  {factor.name}={one.value}")
            lines += list(_setup(one)) or ["    nothing is run"]
    return lines


def _setup(level: LevelSetup) -> Iterator[str]:
    for restore in level.restore:
        yield _line("keep", f"{restore.host}: {restore.read}")
    for upload in level.uploads:
        yield _line("upload", f"{upload.host}: {upload.source} to {upload.target}")
    for action in level.apply:
        yield _line("apply", f"{action.host}: {action.run}")
    if level.reboot:
        yield _line("reboot", "the DUT")
    for check in level.verify:
        yield _line("verify", f"{check.host}: {check.run} prints {check.expect!r}")
    for action in level.undo:
        yield _line("undo", f"{action.host}: {action.run}")
    for restore in reversed(level.restore):
        yield _line("put back", f"{restore.host}: {restore.write}")


def _hooks(plan: Plan, lab: Lab) -> list[str]:
    hooks = plan.experiment.hooks
    lines = ["Hooks"] if hooks else []
    for hook in hooks:
        around = "the experiment" if hook.whole else "each iteration"
        lines.append(_line(hook.when, f"{around}, on {hook.action.host}: {hook.action.run}"))
    first = [one for one in hooks if one.when == BEFORE and one.whole and one.action.host == lab.dut.host]
    if first and plan.trials[0].boot:
        lines.append(
            "  The DUT reboots after the hooks that run before the experiment: only what survives the reboot"
            " stays in force."
        )
    return lines


def _rules(plan: Plan) -> list[str]:
    experiment = plan.experiment
    abort, stop = experiment.abort, experiment.stop
    ends = {
        "precision": f"Ends when every difference is known to ±{stop.precision:g} %, judged after block"
        f" {FIRST_PRECISE} and each later one; at the latest after the planned blocks"
        if stop.precision is not None
        else "",
        "looks": f"May end after {_blocks(stop.looks)}, by planned looks at the data",
    }.get(stop.rule, "Ends after the planned blocks")
    return [
        *([f"The DUT reboots by: {experiment.reboot_command}"] if boots(plan) else []),
        f"{ends}. A difference of less than {in_full(experiment.margin)} % does not matter.",
        *_profile(experiment),
        f"A bad iteration is repeated: {counted(abort.attempts, 'attempt')} at most.",
        f"Gives up after {counted(abort.failed, 'iteration')} in a row without a sound value, or if the DUT"
        f" does not forward again within {clock(abort.boot)} of a reboot.",
    ]


def _resumed(plan: Plan, resumed: Resumed) -> list[str]:
    begun = resumed.begun
    done = f"{len(begun.done)} of {counted(len(plan.trials), 'iteration')} done"
    lines = [f"Resumes {visible(resumed.session)}: {done}"]
    if begun.decided:
        lines.append(f"It was decided by a look at the data: {begun.decided}")
    unverified = begun.unverified(plan)
    verified = begun.levels.keys() - unverified
    for which, text in (
        (verified, "In force according to its journal, and verified first"),
        (
            unverified - begun.doubted,
            "In force according to its journal, and undone first, since nothing verifies it",
        ),
        (begun.doubted, "Perhaps in force, or only in part, and undone first"),
    ):
        named = ", ".join(
            f"{factor.name}={factor.levels[begun.levels[factor.name]].value}"
            for factor in plan.experiment.factors
            if factor.name in which
        )
        lines += [f"{text}: {named}"] if named else []
    return lines


def _left(plan: Plan, lab: Lab, resumed: Resumed) -> list[str]:
    trials, profiles = resumed.begun.left(plan), resumed.begun.profiles_left(plan)
    missing = [plan.cells[trial.cell].name for trial in profiles]
    also = [f"Left: the profile of {', '.join(missing)}."] if missing else []
    if resumed.begun.is_in_doubt(plan):
        also.append(
            "An earlier run asked for a reboot: if the DUT has booted since, there is one reboot less."
        )
    if not trials:
        return ["No iteration is left.", *also]
    count = sum(step.kind == "reboot" for step in steps(plan, lab.dut.host, resumed.begun))
    total = f"{counted(len(trials), 'iteration')}, {counted(count, 'reboot')}"
    return [f"Left: {total}, {clock(resumed.seconds)} at the pace of its iterations so far.", *also]


def _profile(experiment: Experiment) -> list[str]:
    if (profile := experiment.profile) is None:
        return []
    load = "the cell's own traffic" if profile.rate is None else f"{profile.rate:,.0f} packets per second"
    return [f"After its last iteration each cell gets a profile of the DUT, {profile.seconds:g} s at {load}."]


def _steps(plan: Plan, lab: Lab, resumed: Resumed | None = None) -> list[str]:
    what = "Steps that are left" if resumed else "Steps"
    lines = [f"{what}: when they begin and how long they take, estimated"]
    told = 0
    all_steps = steps(plan, lab.dut.host, resumed.begun if resumed else None)
    if not all_steps:
        return []
    for step in all_steps:
        if step.trial != told:
            told = step.trial
            lines.append(_place(plan, told))
        on = f"{step.host}: " if step.host else ""
        text = visible(step.text.rstrip())  # in one line
        lines.append(f"{clock(step.at):>11} {clock(step.seconds):>8}  {step.kind:<9}{on}{text}".rstrip())
    return lines


def _place(plan: Plan, number: int) -> str:
    if not number:
        return "  at the end"
    trial = plan.trials[number - 1]
    return f"  iteration {number} of {len(plan.trials)}, block {trial.block}: {plan.cells[trial.cell].name}"


def _totals(plan: Plan, lab: Lab) -> list[str]:
    count = boots(plan)
    assumed = f"assuming {COMMAND:g} s for each command on a host"
    if count:
        assumed += f" and {clock(plan.experiment.reboot_time)} for each reboot (`reboot_time`)"
    total = f"{counted(len(plan.trials), 'iteration')}, {counted(count, 'reboot')}"
    lines = [
        f"Total: {total}, {clock(_end(steps(plan, lab.dut.host)))} without repeated iterations ({assumed}).",
        "How small a difference this can prove depends on the lab's own spread: `--aa` measures that.",
    ]
    return lines + [f"! {one.text}" for one in weaknesses(plan, lab)]


def _end(all_steps: Sequence[Step]) -> float:
    return all_steps[-1].at + all_steps[-1].seconds if all_steps else 0.0


def _line(word: str, text: str) -> str:
    """One entry; a command of several lines has a bar before each further line."""
    return f"    {word:<{_WIDTH}}{text.rstrip()}".replace("\n", f"\n{' ' * (_WIDTH + 4)}| ")


def _blocks(numbers: Sequence[int]) -> str:
    return f"block{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers))}"
