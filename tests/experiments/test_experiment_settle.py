"""The pause before the first blast of a run, in which what was done before it settles; the dry run has it."""

from pathlib import Path
from typing import Any

import pytest
from experimental import DISPATCH, done, plan_of

from fwdtui.core.experiment import BEFORE, Action, Hook, LevelSetup, Plan
from fwdtui.core.experiment.steps import Begun, steps
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.experiment.run import ExperimentRun
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store import drop

SET = Action("dut", f"sysctl {DISPATCH}=deferred")
SETTLE = 0.2


def said(plan: Plan, begun: Begun | None = None) -> list[float]:
    """The pauses that the dry run has."""
    return [step.seconds for step in steps(plan, "dut", begun) if step.kind == "settle"]


@pytest.mark.parametrize(
    ("given", "first"),
    [
        ({}, []),
        ({"boots": (1,)}, [SETTLE]),
        ({"hooks": (Hook(BEFORE, SET),)}, [SETTLE]),
        ({"hooks": (Hook(BEFORE, SET, whole=True),)}, [SETTLE]),
    ],
    ids=["nothing", "boot", "hook", "hook before all"],
)
async def test_the_first_blast_has_its_pause_and_its_facts_where_something_was_done_before_it(
    lab: SimulatedLab, tmp_path: Path, given: dict[str, Any], first: list[float]
) -> None:
    pauses: list[float] = []

    def during(run: ExperimentRun, waiter: Waiter) -> None:
        blasting = run._attempts._blasting
        enter = blasting._enter

        def entered(phase: str, seconds: float | None = None) -> None:
            if phase == "settle" and seconds:
                pauses.append(seconds)
            enter(phase, seconds)

        blasting._enter = entered

    plan = plan_of([LevelSetup("x")], (0,), **given)
    found = await done(lab.lab_toml, plan, tmp_path / "into", during=during)
    assert found.complete, (found.view.problem, found.said)
    attempts = len(found.taken("judged"))  # a busy machine may spoil one, and what is repeated has its pause
    assert pauses == first + [SETTLE] * (attempts - 1) and said(plan) == first
    (counted,) = found.counted
    assert counted.facts.get(f"dut.sysctl.{DISPATCH}") == ("deferred" if "hooks" in given else None)
    if given:
        return
    drop(found.folder, "dispatch=x", counted.index, "an outlier")
    pauses.clear()
    found = await done(lab.lab_toml, plan, tmp_path / "into", resume=True, during=during)
    assert found.complete, (found.view.problem, found.said)
    assert pauses[:1] == said(plan, Begun()) == [SETTLE], "nobody knows how long ago it was sent to"
