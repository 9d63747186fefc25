"""A value that somebody drops in the browser while its experiment still runs."""

from pathlib import Path

from experimental import at_step, done, plan_of

from fwdtui.core.experiment import LevelSetup, Plan, StopRule
from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.experiment.looks import Look
from fwdtui.monitor.experiment.run import ExperimentRun
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store import drop
from fwdtui.store.experiment_journal import Step


async def test_a_value_that_is_dropped_while_it_runs_counts_neither_at_a_look_nor_at_the_end(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    runs: list[ExperimentRun] = []
    at_looks: list[list[int]] = []

    def during(run: ExperimentRun, waiter: Waiter) -> None:
        runs.append(run)
        before = run.book.journal.written

        def written(step: Step) -> None:
            before(step)
            if step.what == "judged" and step.sound and step.trial == 1:
                drop(run.recorder.folder, *run.book.known.places[1, step.attempt], "somebody walked by")

        run.book.journal.written = written

    def looker(plan: Plan, folder: Path, block: int, number: int) -> Look:
        at_looks.append(sorted(runs[-1].values))
        return Look(False, "Still open.")

    plan = plan_of([LevelSetup("x")], (0, 0), stop=StopRule("looks", looks=(1,)))
    into = tmp_path / "into"
    found = await done(lab.lab_toml, plan, into, during=during, looker=looker)
    assert not found.complete
    assert at_looks == [[]], "as the look itself sees it"
    told = "1 trial whose value no longer counts: --resume measures it again"
    assert found.view.problem == told, found.said
    (cell,) = found.view.cells
    assert (found.view.done, cell.done, cell.values) == (1, 1, tuple(one.value for one in found.counted))
    assert "trials whose value no longer counts: 1" in found.said
    found = await done(lab.lab_toml, plan, into, resume=True, looker=looker)
    assert found.complete and sorted(found.trials) == [1, 2], found.view.problem


async def test_a_value_by_which_a_look_decided_is_measured_again_if_it_is_dropped_afterwards(
    lab: SimulatedLab, tmp_path: Path
) -> None:
    def during(run: ExperimentRun, waiter: Waiter) -> None:
        def dropped() -> None:
            known = run.book.known
            drop(run.recorder.folder, *known.places[1, known.sound[1]], "somebody walked by")

        at_step(run, "look", dropped)

    def looker(plan: Plan, folder: Path, block: int, number: int) -> Look:
        return Look(True, "Everything is decided.")

    plan = plan_of([LevelSetup("x")], (0, 0), stop=StopRule("looks", looks=(1,)))
    into = tmp_path / "into"
    found = await done(lab.lab_toml, plan, into, during=during, looker=looker)
    assert not found.complete
    told = "1 trial whose value no longer counts: --resume measures it again"
    assert found.view.problem == told, found.said
    found = await done(lab.lab_toml, plan, into, resume=True, looker=looker)
    assert found.complete and sorted(found.trials) == [1], (found.view.problem, found.said)
    assert len(found.taken("look")) == 1, "what was decided stays so"
