"""What has become an iteration when an experiment ends before it is judged does not count."""

import asyncio
import os
from pathlib import Path

from experimental import at_step, done, plan_of, sysctl

from fwdtui.core.experiment import DURING, Action, Hook
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.experiment.run import ExperimentRun
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store import read_session


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
    found = await done(lab.lab_toml, plan, tmp_path / "into", during=during)
    assert not found.complete and found.view.stopped
    (one,) = read_session(found.folder).cases[0].iterations
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
    found = await done(lab.lab_toml, plan, tmp_path / "into", during=during)
    assert found.view.problem.startswith(f"{found.folder}: No space left on device")
    (one,) = read_session(found.folder).cases[0].iterations
    assert one.value is not None and one.dropped.startswith("It was not judged any more: ")
    assert found.trials == {}
