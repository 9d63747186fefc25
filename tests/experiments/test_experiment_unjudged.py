"""What has become an iteration when an experiment ends before it is judged does not count."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from experimental import Done, at_step, done, plan_of, sysctl

from fwdtui.core.experiment import DURING, Action, Hook, Plan
from fwdtui.core.model import Iteration
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.experiment.run import ExperimentRun
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store import read_session


async def _saved(
    lab: SimulatedLab, plan: Plan, into: Path, during: Callable[[ExperimentRun, Waiter], None]
) -> tuple[Done, Iteration]:
    """The experiment and its one iteration; once more if a busy machine starved it: then it has no value."""
    for number in range(4):
        found = await done(lab.lab_toml, plan, into / str(number), during=during)
        (one,) = read_session(found.folder).cases[0].iterations
        if "gave no counters for" not in one.incomplete:
            break
    return found, one


async def test_a_blast_that_was_over_when_the_experiment_was_stopped_in_a_hook_does_not_count(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    """The hook takes longer than the blast, so that there is an iteration with a value already."""
    tasks: list[asyncio.Task[None]] = []

    def during(run: ExperimentRun, waiter: Waiter) -> None:
        async def stop() -> None:
            await waiter.wait(60.0, lambda: any(one.saved for one in waiter.seen.iterations))
            waiter.stop.set()

        at_step(run, "tools", lambda: tasks.append(asyncio.create_task(stop())))

    hooks = (Hook(DURING, Action("gen", "sleep 60", 90.0)),)
    plan = plan_of([sysctl("deferred")], (0,), hooks=hooks)
    found, one = await _saved(lab, plan, tmp_path, during)
    assert not found.complete and found.view.stopped
    assert one.value is not None and one.dropped == "The experiment was stopped during this blast."
    assert found.trials == {}, "nobody has judged it"


async def test_a_blast_after_which_nothing_more_could_be_written_down_does_not_count(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    def during(run: ExperimentRun, waiter: Waiter) -> None:
        def full() -> None:
            device = os.open("/dev/full", os.O_WRONLY)
            os.dup2(device, run.book.journal._descriptor)
            os.close(device)

        at_step(run, "stopped", full)

    plan = plan_of([sysctl("deferred")], (0,))
    found, one = await _saved(lab, plan, tmp_path, during)
    assert found.view.problem.startswith(f"{found.folder}: No space left on device")
    assert one.value is not None and one.dropped == "It could not be checked: No space left on device."
    assert found.trials == {}
