"""Experiments for the screen's tests: planned, in the middle, and over, without a lab."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from live_rig import Rig

from fwdtui.core.experiment import (
    Abort,
    Action,
    Check,
    DesignFactor,
    Experiment,
    LevelSetup,
    Plan,
    StopRule,
)
from fwdtui.core.experiment.order import plan
from fwdtui.core.factors import FactorValue
from fwdtui.core.lab import Run
from fwdtui.core.model import Iteration, Planned, Summary
from fwdtui.monitor.experiment.subject import Subject
from fwdtui.store import SessionWriter
from fwdtui.store.experiment_journal import JUDGED, Journal, Step
from fwdtui.transport.ssh_files import TextFile
from fwdtui.ui.experiment.control import ExperimentControl
from fwdtui.ui.experiment.given import Given, Shown, planned
from fwdtui.ui.experiment.log_lines import LOOKED, NOTE, REPEATED, SOUND, LogLine

TEXT = """\
lab = "lab.toml"
blocks = 5

[[factor]]
name = "rules"
[[factor.level]]
value = "none"
[[factor.level]]
value = "100"
apply = [{ host = "dut", run = "nft -f /root/100.nft \x1b[2K# \u202egnihton" }]
"""


def experiment(
    factors: Mapping[str, Sequence[FactorValue]], blocks: int = 5, stop: StopRule | None = None
) -> Plan:
    """A full design over these levels, without a reboot."""
    made = [
        DesignFactor(
            name,
            tuple(
                LevelSetup(
                    value,
                    apply=(Action("dut", f"set {name} {value}"),),
                    verify=(Check("dut", f"get {name}", str(value)),),
                    undo=(Action("dut", f"unset {name}"),),
                )
                for value in values
            ),
        )
        for name, values in factors.items()
    ]
    return plan(
        Experiment(
            "rulesets", "lab.toml", tuple(made), blocks=blocks,
            run=Run(warmup=2.0, duration=20.0, settle=5.0),
            abort=Abort(attempts=3), stop=stop or StopRule(),
        ),
        "e" * 64,
    )  # fmt: skip


ONE = {"rules": ("none", "10", "100", "1000")}
TWO = {"rules": ("none", "100"), "af": ("inet4", "inet6")}
FORTY = {"image": ("r1", "r2"), "rules": (0, 10, 100, 1000), "queues": (1, 2, 4, 8, 16)}


class Still(ExperimentControl):
    """Always at the same moment; a rig is what its lab sends."""

    def __init__(self, plan: Plan, sessions: Path, shown: Shown | None = None, going: bool = True) -> None:
        rig = Rig(uneven=True)
        rig.run(70)
        subject = Subject(Path("lab.toml"), plan, TEXT)
        file = TextFile(Path("/home/me/experiment.toml"), TEXT.encode())
        super().__init__(Given(subject, rig.lab, file.path, (file,), sessions, "rulesets-1"))
        self._rig, self._still, self._going = rig, shown, going

    going = property(lambda self: self._going)  # type: ignore[assignment]

    doing = "trial 10 of 20 · measuring 12 s left"
    case = "rules=none af=inet6"

    def shown(self) -> Shown:
        return self._still or super().shown()

    def snapshot(self, points: int):
        return self._rig.monitor.snapshot(points)

    def stop(self) -> None:
        assert self._still is not None
        self._still = msgspec.structs.replace(self._still, stopping=True)

    async def close(self) -> None: ...


def mean_of(plan: Plan, cell: int) -> float:
    """Some rates: more rules, less forwarded; what else varies changes little."""
    factors = plan.cells[cell].factors
    rules = {"none": 0, 0: 0}.get(factors["rules"], factors["rules"])
    scale = float(factors.get("queues", 1)) ** 0.5 * (0.93 if factors.get("af") == "inet6" else 1.0)
    return scale * 883e3 / (1 + 0.15 * len(str(rules)) * (int(rules) > 0))


def values(plan: Plan, cell: int, count: int) -> tuple[float, ...]:
    """They differ by some thousandths, in each cell in another order."""
    parts = (-3, 1, 0, 4, -2)
    turned = [parts[(place + cell) % 5] for place in range(count)]
    return tuple(round(mean_of(plan, cell) * (1 + part / 1000)) for part in turned)


def running(plan: Plan, done: int, looks: tuple[str, ...] = ()) -> Shown:
    """After `done` trials: in the second cell a trial was repeated, in the last one given up."""
    view = planned(plan, "rebooting the DUT 12 s left")
    counts = [sum(one.cell == cell.number for one in plan.trials[:done]) for cell in plan.cells]
    last = len(plan.cells) - 1
    current = plan.trials[done] if done < len(plan.trials) else None
    cells = []
    for cell, count in zip(view.cells, counts, strict=True):
        failed = int(cell.number == last and count > 0)
        repeated = {1: 1, last: 3}.get(cell.number, 0) if count else 0
        cells.append(
            msgspec.structs.replace(
                cell, done=count - failed, failed=failed, repeated=repeated,
                running=current is not None and current.cell == cell.number,
                values=values(plan, cell.number, count - failed),
            )
        )  # fmt: skip
    dead = "The receiver ended during the blast: killed by SIGKILL."
    log = [
        LogLine("14:03:11", NOTE, "begun"),
        LogLine("14:03:52", SOUND, f"trial 1, {plan.cells[0].name}: 880.4 kpps"),
        LogLine("14:04:31", REPEATED, f"trial 2, {plan.cells[1].name}, attempt 1 does not count: {dead}"),
        LogLine("14:05:10", SOUND, f"trial 2, {plan.cells[1].name}: 612.1 kpps"),
        *(LogLine("14:21:40", LOOKED, f"after block 2: {look}") for look in looks),
    ]
    return Shown(
        msgspec.structs.replace(
            view, cells=tuple(cells), done=sum(one.done for one in cells), looks=looks,
            trial=current.number if current else 0, attempt=2 if current else 0,
            block=current.block if current else 0, left=1325.0 if current else None,
            over=current is None, problem="" if current else f"1 trial without a sound value: {dead}",
        ),
        tuple(log),
        begun=True,
    )  # fmt: skip


def write(plan: Plan, folder: Path, cells: Iterable[int] = (), *, journal: bool = False) -> None:
    """The session that the experiment has recorded: all iterations of these cells, or of all.

    `journal`: with the files that say it was an experiment.
    """
    with SessionWriter.create(folder, label=folder.name, created="2026-01-02T03:04:05+00:00") as writer:
        wanted = set(cells) or {cell.number for cell in plan.cells}
        place = dict.fromkeys(wanted, 0)
        steps = Journal.begin(folder, plan, "") if journal else None
        digest = plan.digest[:16] if journal else "e" * 16
        for trial in plan.trials:
            if trial.cell not in wanted:
                continue
            cell = plan.cells[trial.cell]
            known = values(plan, cell.number, 5)
            value = known[place[trial.cell] % 5]
            place[trial.cell] += 1
            one = Iteration(
                0, value, factors=cell.factors, source="receiver.log",
                metrics={"received": Summary(value, value, value, value, 60)},
                planned=Planned(digest, trial.number, trial.block, 1, plan.experiment.order, 0),
            )  # fmt: skip
            writer.begin(cell.name).commit(one)
            if steps is not None:
                steps.write(Step(0, "", JUDGED, True, trial=trial.number, attempt=1, sound=True))
        if steps is not None:
            steps.close()
