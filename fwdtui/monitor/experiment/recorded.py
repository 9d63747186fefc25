"""What a session still has of an experiment: the values that count, and the profiles."""

from fwdtui.core.experiment import LevelSetup, Plan
from fwdtui.core.experiment.booting import Booting, Rebooted
from fwdtui.core.experiment.steps import Begun
from fwdtui.core.model import Iteration, Session
from fwdtui.core.profiled import newest
from fwdtui.core.text import clean
from fwdtui.monitor.experiment.known import Known, rebooted_since

_ANOTHER = "another"
"""Stands for the identity of a boot that the journal does not name."""


def planned_by(plan: Plan, session: Session) -> list[tuple[str, Iteration]]:
    """The iterations of this very experiment's trials, each with the name of its case."""
    mine = plan.digest[:16]
    return [
        (case.name, one)
        for case in session.cases
        for one in case.iterations
        if one.planned is not None and one.planned.experiment == mine
    ]


def counting(plan: Plan, session: Session, known: Known) -> dict[int, Iteration]:
    """Trial -> its iteration that counts: judged sound, with a value, and not dropped since."""
    found = {}
    for _, one in planned_by(plan, session):
        assert one.planned is not None
        sound = known.sound.get(one.planned.trial) == one.planned.attempt
        if sound and one.value is not None and not one.dropped:
            found[one.planned.trial] = one
    return found


def profiled(plan: Plan, session: Session, known: Known) -> set[int]:
    """The trials after which a profile was taken that a report of the session would find."""
    there = {case.name for case in session.cases if newest(case.iterations) is not None}
    cell_of = {trial.number: plan.cells[trial.cell].name for trial in plan.trials}
    return {number for number in known.profiled if clean(cell_of.get(number, "")) in there}


def so_far(plan: Plan, session: Session, known: Known, touched: bool, dut: str) -> Begun:
    """What an experiment goes on with: what is in the journal and still in the session.

    `touched`: whether anything was done before, so that there is something to settle. `dut`: the host that
    reboots; it is taken to be in the boot that the journal named last, unless a reboot is awaited.
    """
    there = frozenset(counting(plan, session, known))
    setups = {one: _levels(plan)[one][standing.level] for one, standing in known.levels.items()}
    awaited = known.rebooting is not None
    boot = known.boot_of(dut)
    now = {} if awaited or not boot else {dut: boot}
    return Begun(
        there,
        frozenset(profiled(plan, session, known)),
        {factor: standing.level for factor, standing in known.levels.items()},
        known.begun,
        known.looks[-1].text if known.decided else "",
        known.last if known.boot and known.boot == boot else 0,
        touched,
        known.lost(plan, there),
        frozenset(
            one
            for one, standing in known.levels.items()
            if not standing.sure or (setups[one].reboot and known.is_chosen_only(one))
        ),
        frozenset(
            one for one, standing in known.levels.items() if rebooted_since(standing, setups[one], now, dut)
        ),
        known.rebooted if known.rebooted.boot == boot else Rebooted(),
        awaited,
        _back(plan, known, boot),
    )


def _levels(plan: Plan) -> dict[str, tuple[LevelSetup, ...]]:
    return {factor.name: factor.levels for factor in plan.experiment.factors}


def _back(plan: Plan, known: Known, now: str) -> Booting:
    """What is done about the DUT's boot at the end if no trial's turn comes before it; `now`: its boot."""
    choosing = {name for name, levels in _levels(plan).items() if levels[0].reboot}

    def runs(boot: str) -> bool:
        return not choosing.isdisjoint(known.may_run(boot))

    if not runs(now):
        return Booting.NOTHING
    return Booting.REBOOT if known.rebooting is None or runs(_ANOTHER) else Booting.AWAITED
