"""Puts the trials of an experiment in order.

A drift of the lab (temperature, other users, memory that fragments) must not look like a difference between
cells. In blocks, each of which has every cell once, it affects all cells equally:

- *interleaved*: odd blocks forwards, even blocks backwards (ABBA): over an even number of blocks every cell
  has the same mean position, so that a linear drift adds nothing to any difference.
- *random*: each block in an order of its own. The cells of block B are sorted by SHA-256 of the ASCII text
  ``SEED B CELL`` (decimal; cells count from 0), so that the order depends on no program's random numbers, and
  more blocks change nothing about those that have been measured.
- *sequential*: all trials of one cell, then all of the next. A drift of two standard deviations over ten
  trials makes 28 % false claims in this order, and none beyond the promised 5 % in ABBA, paired by block.
"""

import hashlib

import msgspec

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment.cells import cells, profile_of, variables
from fwdtui.core.experiment.model import (
    BLOCKS,
    FIRST_PRECISE,
    INTERLEAVED,
    PRECISION,
    RANDOM,
    SEQUENTIAL,
    Cell,
    Experiment,
    Plan,
    StopRule,
    Trial,
)
from fwdtui.core.experiment.staying import stays
from fwdtui.core.experiment.variables import filled, names
from fwdtui.core.factors import FIELD
from fwdtui.core.model import Caution

AA = "aa"
"""The factor of an A/A experiment: two names for the same cell."""
_SAME = ("A", "B")
_FEWEST = 3  # blocks: with fewer there is no verdict


def plan(experiment: Experiment, digest: str = "") -> Plan:
    """All trials in order. Raises FwdtuiError if two cells would have one name."""
    all_cells = cells(experiment)
    rebooting = _rebooting(experiment)
    trials: list[Trial] = []
    before: Cell | None = None
    for block, number in _visits(experiment, len(all_cells)):
        cell = all_cells[number]
        entered = before is None or any(before.levels[name] != cell.levels[name] for name in rebooting)
        boot = experiment.reboot or bool(rebooting and entered)
        for repeat in range(1, experiment.iterations + 1):
            trials.append(Trial(len(trials) + 1, block, number, repeat, boot and repeat == 1))
        before = cell
    return Plan(experiment, digest, all_cells, tuple(trials))


def _rebooting(experiment: Experiment) -> list[str]:
    """The factors whose levels reboot the DUT: either all levels of a factor do, or none."""
    return [factor.name for factor in experiment.factors if factor.levels[0].reboot]


def _visits(experiment: Experiment, count: int) -> list[tuple[int, int]]:
    """Block and cell, in order: each visit is `iterations` trials."""
    blocks = range(1, experiment.blocks + 1)
    if experiment.order == SEQUENTIAL:
        return [(block, cell) for cell in range(count) for block in blocks]
    visits: list[tuple[int, int]] = []
    for block in blocks:
        row = list(range(count))
        if experiment.order == RANDOM:
            row.sort(key=lambda cell: shuffled(experiment.seed, block, cell))
        elif block % 2 == 0:
            row.reverse()
        visits += [(block, cell) for cell in row]
    return visits


def shuffled(seed: int, block: int, cell: int) -> bytes:
    """The key by which the cells of a block are sorted in random order."""
    return hashlib.sha256(f"{seed} {block} {cell}".encode("ascii")).digest()


def aa_plan(plan: Plan) -> Plan:
    """The A/A experiment: the baseline's cell alone, under two names, in turns (ABBA).

    It measures the lab's own spread: a difference that it shows is not a real one. If the cells differ in a
    level that reboots, no two of them share a boot, so A and B do not either: what differs between boots is
    part of every difference. Raises FwdtuiError if there are fewer blocks than a comparison needs.
    """
    experiment, first = plan.experiment, plan.cells[0]
    rebooting = _rebooting(experiment)
    apart = any(cell.levels[name] != first.levels[name] for cell in plan.cells for name in rebooting)
    if experiment.blocks < _FEWEST:
        raise FwdtuiError(f"--aa needs at least {_FEWEST} blocks: it compares A and B within each")
    pair = tuple(
        msgspec.structs.replace(
            first, number=number, name=f"{first.name} {name}", factors={**first.factors, AA: name}
        )
        for number, name in enumerate(_SAME)
    )
    trials: list[Trial] = []
    for block in range(1, experiment.blocks + 1):
        own = [one for one in plan.trials if one.cell == first.number and one.block == block]
        for cell in (0, 1) if block % 2 else (1, 0):
            for one in own:
                entered = apart or (bool(rebooting) and not trials)
                boot = (experiment.reboot or entered) and one.repeat == 1
                trials.append(msgspec.structs.replace(one, cell=cell, number=len(trials) + 1, boot=boot))
    return Plan(
        msgspec.structs.replace(experiment, order=INTERLEAVED, stop=StopRule()),
        aa_digest(plan.digest),
        pair,
        tuple(trials),
    )


def aa_digest(digest: str) -> str:
    """The digest of an experiment's A/A experiment; it differs, so that neither is resumed as the other."""
    return hashlib.sha256(f"{digest} {AA}".encode()).hexdigest()


def is_aa(plan: Plan) -> bool:
    """Whether both cells are the same one, to show the lab's own spread.

    A plan from before the name AA was refused may have a factor of the user's with this name.
    """
    return [cell.factors.get(AA) for cell in plan.cells] == list(_SAME)


def boots(plan: Plan) -> int:
    """How often the DUT reboots: before trials, and once more if leaving its last level needs a reboot."""
    return sum(trial.boot for trial in plan.trials) + bool(_rebooting(plan.experiment))


def share_boots(plan: Plan) -> bool:
    """Whether a cell has several boots, but fewer than blocks: a level that stays is not booted again."""
    return 1 < _fewest_boots(plan) < plan.experiment.blocks


def _fewest_boots(plan: Plan) -> int:
    """The number of boots of the cell that has the fewest."""
    return min(map(len, _boots_of(plan)))


def _boots_of(plan: Plan) -> list[set[int]]:
    """The boots of each cell, by their numbers in the plan's order."""
    number = 0
    seen: dict[int, set[int]] = {}
    for trial in plan.trials:
        number += trial.boot
        seen.setdefault(trial.cell, set()).add(number)
    return list(seen.values())


def cautions(plan: Plan) -> tuple[Caution, ...]:
    """Warnings about this design's weaknesses, as far as they are known before anything is measured."""
    experiment = plan.experiment
    weaknesses: list[Caution] = []
    if len(plan.cells) == 1:
        weaknesses.append(Caution("one-cell", "There is one cell, so nothing can be compared."))
    elif experiment.order == SEQUENTIAL:
        weaknesses.append(
            Caution(
                "sequential",
                "Sequential order: a drift of the lab looks like a difference between cells. A drift of 2"
                " standard deviations over ten iterations causes 28 % false claims in sequential order, but"
                " no more than the promised 5 % in interleaved order.",
            )
        )
    if experiment.blocks < _FEWEST:
        weaknesses.append(
            Caution(
                "few-blocks",
                f"Fewer than {_FEWEST} blocks: no difference can be proven. Measure {BLOCKS}, the default,"
                " or more.",
            )
        )
    if experiment.order == INTERLEAVED and experiment.blocks % 2 and len(plan.cells) > 1:
        weaknesses.append(
            Caution(
                "odd-blocks",
                f"An odd number of blocks in ABBA order ({experiment.blocks}): a steady drift does not cancel"
                f" completely: 1/{experiment.blocks} of its change within a block remains. Take"
                f" {experiment.blocks + 1}.",
            )
        )
    weaknesses += _about_looks(plan)
    if long := experiment.run.long_warmup:
        weaknesses.append(Caution("long-warm-up", long))
    if experiment.seed and experiment.order != RANDOM and not is_aa(plan):
        weaknesses.append(
            Caution(
                "unused-seed",
                f'The seed {experiment.seed} is not used: it applies only to `order = "{RANDOM}"`, but'
                f" the order here is {experiment.order}.",
            )
        )
    if experiment.stop.rule == PRECISION and experiment.blocks <= FIRST_PRECISE:
        weaknesses.append(
            Caution(
                "no-look",
                f"The precision is judged from block {FIRST_PRECISE} on, so that with {experiment.blocks}"
                f" blocks nothing ends early. Take {FIRST_PRECISE + 1} or more.",
            )
        )
    weaknesses += _about_boots(plan)
    weaknesses += _about_levels(experiment)
    weaknesses += _about_variables(plan)
    weaknesses += _about_profiles(plan)
    return tuple(weaknesses)


def _about_looks(plan: Plan) -> list[Caution]:
    experiment, looks = plan.experiment, plan.experiment.stop.looks
    weaknesses: list[Caution] = []
    swung = experiment.order == INTERLEAVED and len(plan.cells) > 1
    first = _FEWEST + 1 if swung else _FEWEST
    if looks and looks[0] < _FEWEST:
        instead = (
            f"Look from block {first} on" if first < experiment.blocks else "Plan more blocks, or no look"
        )
        weaknesses.append(
            Caution(
                "no-look",
                f"The look after block {looks[0]} cannot prove a difference, because fewer than {_FEWEST}"
                " blocks give no verdict, yet it uses up part of the error rate of the looks after it."
                f" {instead}.",
            )
        )
    odd = [look for look in looks if look % 2 and look >= _FEWEST]
    if odd and swung:
        weaknesses.append(
            Caution(
                "odd-blocks",
                f"A look after an odd number of blocks in ABBA order ({', '.join(map(str, odd))}): a steady"
                " drift does not cancel completely there. Look after an even number.",
            )
        )
    return weaknesses


def _about_variables(plan: Plan) -> list[Caution]:
    """Warnings about variables and factors that the traffic's commands do not use, perhaps by mistake."""
    weaknesses: list[Caution] = []
    for traffic in plan.experiment.traffic:
        used = {name for one in (*traffic.generators, traffic.receiver or "") for name in names(one)}
        weaknesses += [
            Caution(
                "unused-variable",
                f"The variable `{name}` of the traffic {traffic.name} does nothing: none of its commands has"
                f" {{{name}}}.",
            )
            for name in traffic.variables
            if name not in used and name not in FIELD  # the usual names describe what is sent
        ]
        mine = [cell for cell in plan.cells if cell.traffic == traffic.name]
        for factor in plan.experiment.factors:
            levels = [factor.levels[index] for index in {cell.levels[factor.name] for cell in mine}]
            if factor.name not in used and sum(not (one.uploads or one.apply) for one in levels) > 1:
                weaknesses.append(
                    Caution(
                        "unused-factor",
                        f"With the traffic {traffic.name} the levels of {factor.name} do not differ:"
                        f" none of its commands has {{{factor.name}}}.",
                    )
                )
    return weaknesses


def _about_profiles(plan: Plan) -> list[Caution]:
    experiment = plan.experiment
    if experiment.profile is None or experiment.profile.rate is None:
        return []
    sent: set[tuple[str, ...]] = set()
    for cell in plan.cells:
        if traffic := profile_of(experiment, cell):
            values = variables(experiment, cell)
            sent.add(tuple(filled(command, values) for command in traffic.generators))
    if len(sent) < 2:
        return []
    return [
        Caution(
            "profile-traffic",
            "With `rate` in [profile], every cell is profiled under lab.toml's `at_rate` command, whatever"
            " its own traffic is, so comparing the profiles of two cells does not show the effect of their"
            " traffic. Without `rate`, each cell is profiled under its own traffic.",
        )
    ]


def _about_boots(plan: Plan) -> list[Caution]:
    if len(set().union(*_boots_of(plan))) == 1:
        once = "The DUT reboots once, before all iterations" if boots(plan) else "The DUT does not reboot"
        more = "more `boots`" if plan.experiment.reboot else "`boots` instead of `blocks`"
        return [
            Caution(
                "no-boots",
                f"{once}, so differences between boots (memory layout, where interrupts go) are not"
                f" measured: the result holds for one boot. With {more} they are.",
            )
        ]
    fewest, blocks = _fewest_boots(plan), plan.experiment.blocks
    if fewest == 1 and len(plan.cells) > 1:
        return [
            Caution(
                "one-boot",
                "One boot a side: a difference between two boots looks like one between the cells. If boots"
                " spread as much as iterations within one, five iterations make 36 % false claims, and ten"
                " 53 %.",
            )
        ]
    if fewest < blocks:
        nothing = f", and with fewer than {_FEWEST} no difference can be proven" if fewest < _FEWEST else ""
        return [
            Caution(
                "shared-boots",
                f"A cell has only {fewest} boots in {blocks} blocks, since the DUT does not reboot while its"
                f" level stays the same; what counts is the number of boots{nothing}. With `boots` instead"
                " of `blocks`, each block has its own.",
            )
        ]
    return []


def _about_levels(experiment: Experiment) -> list[Caution]:
    weaknesses: list[Caution] = []
    for factor in experiment.factors:
        for level in factor.levels:
            name = f"{factor.name}={level.value}"
            if (level.apply or level.uploads) and not level.verify:
                weaknesses.append(
                    Caution(
                        "not-verified",
                        f"{name} has no `verify`: whether it took effect is not checked beyond the commands'"
                        " exit status.",
                    )
                )
            if level.apply and stays(level):
                only = " of its own commands" if level.undo or level.restore else ""
                weaknesses.append(
                    Caution(
                        "not-undone",
                        f"{name} has no `undo`{only}: what its commands changed stays after the level is"
                        " left.",
                    )
                )
    return weaknesses
