"""Small experiments on the simulated lab: as short as a blast can be and still be seen."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fwdtui.core.experiment import (
    Abort,
    Action,
    Cell,
    Check,
    DesignFactor,
    Experiment,
    LevelSetup,
    Plan,
    Restore,
    Trial,
)
from fwdtui.core.lab import Dut, Endpoint, Lab, Run
from fwdtui.core.model import Iteration
from fwdtui.monitor.experiment.opening import opened
from fwdtui.monitor.experiment.run import ExperimentRun
from fwdtui.monitor.experiment.subject import Subject
from fwdtui.monitor.experiment.view import ExperimentView
from fwdtui.store import read_session
from fwdtui.store.experiment_journal import Step, read

DISPATCH = "net.isr.dispatch"
QUICK = Run(warmup=0.2, duration=1.2, settle=0.2)
# for parts that need no lab that answers
LAB = Lab(
    "l",
    (Endpoint("gen", "g0", "trafgen", "send"),),
    Dut("dut", ("d0",), ("d1",)),
    Endpoint("sink", "s0"),
    interval=0.5,
    run=Run(warmup=1.0, duration=10.0),
)


def step(what: str, **more: Any) -> Step:
    return Step(0, "", what, **more)


def sysctl(value: str, host: str = "dut") -> LevelSetup:
    """A level that sets netisr's dispatch on the DUT, verifies it and puts it back."""
    read = f"sysctl -n {DISPATCH}"
    return LevelSetup(
        value=value,
        apply=(Action(host, f"sysctl {DISPATCH}={value}"),),
        verify=(Check(host, read, value),),
        restore=(Restore(host, read, f"sysctl {DISPATCH}={{value}}"),),
    )


def plan_of(
    levels: Sequence[LevelSetup],
    order: Iterable[int] = (0, 1),
    boots: Iterable[int] = (),
    digest: str = "d" * 64,
    **more: Any,
) -> Plan:
    """One factor, one cell for each of its levels, and trials in this order; `boots`: trials after a boot.

    A machine that is kept busy may starve a host, which is right to spoil an attempt: some are to spare.
    """
    more = {"run": QUICK, "abort": Abort(attempts=4, failed=2, boot=40.0)} | more
    experiment = Experiment("e", "lab.toml", (DesignFactor("dispatch", tuple(levels)),), **more)
    cells = tuple(
        Cell(number, f"dispatch={one.value}", {"dispatch": number}, {"dispatch": one.value})
        for number, one in enumerate(levels)
    )
    order, boots = list(order), set(boots)
    trials = tuple(
        Trial(number, (number - 1) // len(cells) + 1, cell, 1, number in boots)
        for number, cell in enumerate(order, 1)
    )
    return Plan(experiment, digest, cells, trials)


@dataclass
class Done:
    """What an experiment did, and what it left in its session."""

    complete: bool
    view: ExperimentView
    folder: Path
    said: list[str] = field(default_factory=list)

    @property
    def steps(self) -> tuple[Step, ...]:
        return read(self.folder)[1]

    def taken(self, what: str) -> list[Step]:
        """The steps of this kind that were done."""
        return [step for step in self.steps if step.what == what and step.done and not step.failed]

    @property
    def spoilt(self) -> list[str]:
        """Why attempts did not count, but for a machine that was kept busy."""
        judged = [step for step in self.taken("judged") if not step.sound]
        return [step.text for step in judged if "gave no counters for" not in step.text]

    @property
    def repeated(self) -> int:
        """How many attempts did not count, whatever for."""
        return len([step for step in self.taken("judged") if not step.sound])

    @property
    def counted(self) -> list[Iteration]:
        """The iterations that count, in order: a machine that is kept busy may have spoiled others."""
        found = (one for case in read_session(self.folder).cases for one in case.iterations)
        return [one for one in found if one.planned and one.value is not None and not one.dropped]

    @property
    def trials(self) -> dict[int, list[str]]:
        """Trial -> the cases of its iterations that count."""
        found: dict[int, list[str]] = {}
        for case in read_session(self.folder).cases:
            for one in case.iterations:
                if one.planned and one.value is not None and not one.dropped:
                    found.setdefault(one.planned.trial, []).append(case.name)
        return found


async def done(
    lab: Path,
    plan: Plan,
    into: Path,
    *,
    resume: bool = False,
    during: Any = None,
    uploads: Mapping[str, bytes] | None = None,
    **more: Any,
) -> Done:
    """Run it to its end; `during` is called with the run and its waiter once it is open."""
    said: list[str] = []
    subject = Subject(
        lab,
        plan,
        "# an experiment\n",
        {name: lambda data=data: data for name, data in (uploads or {}).items()},
    )
    async with opened(subject, into, "s", resume=resume, say=said.append, **more) as (run, waiter):
        if during is not None:
            during(run, waiter)
        complete = await run.run()
        return Done(complete, run.view, run.recorder.folder, said)


def at_step(run: ExperimentRun, what: str, do: Any, done: bool = True, nth: int = 1) -> None:
    """Call `do` when the nth step of this kind is in the journal."""
    seen = []
    before = run.book.journal.written

    def written(step: Step) -> None:
        before(step)
        if step.what == what and step.done == done:
            seen.append(step)
            if len(seen) == nth:
                do()

    run.book.journal.written = written
