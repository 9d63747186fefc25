"""What an experiment has left set on its hosts, as far as its journal says."""

from collections.abc import Sequence

from fwdtui.core.experiment import AFTER, LevelSetup, Plan
from fwdtui.core.experiment.staying import stays
from fwdtui.core.text import clean
from fwdtui.store.experiment_journal import (
    BROKEN_OFF,
    ENDED,
    HOOK,
    JUDGED,
    LEVEL,
    REBOOT,
    UNDO,
    Step,
    in_doubt,
)

_STAYS = ", so what its commands changed stays"
_MAY_STAY = "; the DUT has booted since, which may have ended it"
IN_DOUBT = "it is in doubt whether it is undone"
_RUNS, _MAY_RUN = "the DUT runs it until its next boot", "the DUT may run it until its next boot"


def not_undone(plan: Plan, steps: Sequence[Step]) -> tuple[str, ...]:
    """The levels that still hold, as ``name=value``, with the reason if one is recorded.

    They were entered and not left again, or only a boot that did not follow would end them, or nothing undoes
    them. Those whose undoing is in doubt are among them.
    """
    levels = {factor.name: factor.levels for factor in plan.experiment.factors}
    standing: dict[str, tuple[int, str]] = {}
    staying: dict[str, tuple[int, str]] = {}
    runs: dict[str, tuple[int, str]] = {}  # what the DUT was booted for last
    boot = ""  # the DUT's boot that this led to
    for step in steps:
        name = step.factor
        if step.what == LEVEL:
            standing[name] = step.level, ""
            staying.pop(name, None)
        elif step.what == UNDO and step.done and not step.failed:
            left = standing.pop(name, None)
            if left is not None and stays(setup := levels[name][left[0]]):
                staying[name] = left[0], f"{_without(setup)}{_STAYS}"
        elif step.what == UNDO and step.failed and name in standing:
            standing[name] = standing[name][0], step.failed
        elif step.what == REBOOT and step.done:
            chosen = {one: n for one, (n, _) in standing.items() if levels[one][n].reboot}
            if step.failed:
                asked = {one: (n, _MAY_RUN) for one, n in chosen.items() if (n, _RUNS) != runs.get(one)}
                runs = runs | asked
            else:
                runs, boot = {one: (n, _RUNS) for one, n in chosen.items()}, step.boot
            for one, (n, _) in staying.items() if not step.failed else ():
                if step.host in levels[one][n].hosts:
                    staying[one] = n, f"{_without(levels[one][n])}{_MAY_STAY}"
        elif step.what == ENDED and step.boot not in ("", boot):
            runs = {}  # it was booted by hand, or has booted by itself
        elif step.what == ENDED and boot and not step.boot:
            runs = {one: (n, _MAY_RUN) for one, (n, _) in runs.items()}  # it is not known what it runs
    doubts = [(one, f"{IN_DOUBT}: {why}") for one, why in in_doubt(plan, steps).items()]
    found = [*doubts, *(((name, n), why) for name, (n, why) in (runs | staying | standing).items())]
    order = list(levels)
    found.sort(key=lambda one: order.index(one[0][0]))
    return tuple(
        clean(f"{name}={levels[name][n].value}{f': {why}' if why else ''}") for (name, n), why in found
    )


def hooks_left(plan: Plan, steps: Sequence[Step]) -> tuple[str, ...]:
    """The hooks after the whole experiment that have not run since things were last set up.

    They were set up when a hook before the whole experiment ran, or a trial was judged.
    """
    begun, ran = False, 0
    for step in steps:
        if step.what == HOOK and not step.trial and step.done:
            after = step.text.startswith(f"{AFTER}: ")
            ran = ran + (step.failed != BROKEN_OFF) if after else 0
            begun = True
        elif step.what == JUDGED:
            begun, ran = True, 0
    mine = [one.action for one in plan.experiment.hooks if one.whole and one.when == AFTER]
    return tuple(clean(f"{one.run} on {one.host}") for one in mine[ran:]) if begun else ()


def _without(level: LevelSetup) -> str:
    """What a level lacks if some of its changes stay: any undo, or one for all but its files and sysctls."""
    return "its own commands have no undo" if level.undo or level.restore else "it has no undo"
