"""What happens at each trial of a plan: which levels are left and entered, and when everything is done."""

from collections.abc import Collection, Iterator, Mapping

import msgspec

from fwdtui.core.experiment.beneath import beneath
from fwdtui.core.experiment.booting import Booting, Rebooted, booting_for
from fwdtui.core.experiment.model import AFTER, BEFORE, DURING, Hook, LevelSetup, Plan, Trial
from fwdtui.core.experiment.visits import boots_before

COMMAND = 1.0
"""Seconds that a command on a host is assumed to take."""
CHECK = 2.0
"""Seconds for the check of links, routes and receiver before each iteration."""
START = 3.0
"""Seconds from the start of the generator until its traffic is seen."""
AROUND = 3.0
"""Seconds of traffic around a profile, before it and after it."""
DRAIN = 5.0
"""Seconds from the end of the traffic until the last counters are read."""


class Entry(msgspec.Struct, frozen=True):
    """One level of one factor."""

    factor: str
    level: int  # index in `DesignFactor.levels`


class Change(msgspec.Struct, frozen=True):
    """What has to be done before a trial, in this order.

    Leave `leave`; enter the levels of `boot`, whose `apply` prepares a reboot; reboot, if `reboots`; enter
    `enter`; verify the levels of all factors.
    """

    leave: tuple[Entry, ...] = ()
    boot: tuple[Entry, ...] = ()
    reboots: bool = False
    enter: tuple[Entry, ...] = ()


def change(plan: Plan, before: Trial | None, trial: Trial, dut: str) -> Change:
    """The change from the levels of `before` (None: none is in force) to those of `trial`. `dut`: its host.

    Levels that this may undo (beneath.py) are left before it and entered again after it. A reboot ends what
    was set on the DUT at run time, so that is entered again. What chooses the next boot, on any host, may
    work only once, so it runs before each reboot.
    """
    return _change(plan, plan.cells[before.cell].levels if before is not None else {}, trial, dut)


def _change(
    plan: Plan,
    then: Mapping[str, int],
    trial: Trial,
    dut: str,
    doubted: Collection[str] = (),
    ended: Collection[str] = (),
    has_booted: bool = False,
) -> Change:
    """See `change`; `then`: the levels in force. `doubted`: factors whose level is left and entered again,
    even if it stays the same. `ended`: those whose level an earlier boot has ended, so it is entered again.
    `has_booted`: the DUT has booted for this trial already, and only what comes after the boot is left."""
    rebooting = _rebooting(plan)
    booted = trial.boot or has_booted
    now = plan.cells[trial.cell].levels
    changed = [name for name in now if then.get(name) != now[name] or name in doubted]
    ended = [
        factor.name
        for factor in plan.experiment.factors
        if factor.name in ended
        or (
            booted
            and (hosts := factor.levels[now[factor.name]].hosts)
            and ((trial.boot and factor.name in rebooting) or (dut in hosts and factor.name not in rebooting))
        )
    ]
    setups = {factor.name: factor.levels for factor in plan.experiment.factors}
    anew = beneath(setups, then, now, changed, {dut} if booted else ()).anew
    left = [name for name in now if (name in changed or name in anew) and name in then]
    entered = [name for name in now if name in changed or name in anew or name in ended]
    return Change(
        leave=tuple(Entry(name, then[name]) for name in reversed(left)),
        boot=tuple(Entry(name, now[name]) for name in entered if name in rebooting),
        reboots=trial.boot,
        enter=tuple(Entry(name, now[name]) for name in entered if name not in rebooting),
    )


def last_change(plan: Plan, before: Trial) -> Change:
    """What has to be undone after the last trial."""
    return _all_left(plan.cells[before.cell].levels)


def _all_left(levels: Mapping[str, int]) -> Change:
    return Change(leave=tuple(Entry(name, levels[name]) for name in reversed(list(levels))))


class Step(msgspec.Struct, frozen=True):
    """One thing that is done. `at` and `seconds` are estimates."""

    at: float  # seconds since the experiment began
    seconds: float
    trial: int  # 0: before the first or after the last
    kind: str  # hook, leave, enter, verify, reboot, check, start, warm-up, measure, drain, settle, profile
    text: str
    host: str = ""


class Turn(msgspec.Struct, frozen=True):
    """A trial whose turn comes once more: to be `measured`, or else only for the profile of its cell.

    `trial` has a boot if the DUT is rebooted, or may have to be; `booting` says which.
    """

    trial: Trial
    measured: bool
    booting: Booting


class Begun(msgspec.Struct, frozen=True):
    """An experiment that is resumed. `done`: the trials with a value that counts.

    `levels`: the index of the level in force, by factor.
    `last`: the trial that was measured last, if the DUT has not been rebooted since; else 0. `hooks`: how
    many of the hooks before the whole experiment need not run again. `decided`: what a look has decided; then
    the only trials left are `lost`, whose values the look had and which no longer count. `profiled`: trials
    after which the profile of their cell was taken. `touched`: whether anything was done before: then it is
    not known how long ago the hosts got traffic, booted or were changed.

    `doubted`: factors whose level may not be in force, or only in part. `ended`: factors whose level was set
    on the DUT before its last boot. `rebooted`: the last reboot. `awaited`: a reboot was asked for, and it is
    not known whether it happened. `back`: what is done at the end if no trial's turn comes before it, so that
    the DUT no longer runs what it was booted for.
    """

    done: frozenset[int] = frozenset()
    profiled: frozenset[int] = frozenset()
    levels: Mapping[str, int] = {}
    hooks: int = 0
    decided: str = ""
    last: int = 0
    touched: bool = True
    lost: frozenset[int] = frozenset()
    doubted: frozenset[str] = frozenset()
    ended: frozenset[str] = frozenset()
    rebooted: Rebooted = Rebooted()
    awaited: bool = False
    back: Booting = Booting.NOTHING

    def left(self, plan: Plan) -> tuple[Trial, ...]:
        """The trials that are still to be measured, each with a boot if it needs one when its turn comes.

        It may need one where the plan has none, if a factor that needs boots then has another level in force,
        or none: because the trial in between is done already, or because everything was undone when the
        experiment ended early. And it needs none that has happened already.
        """
        return tuple(turn.trial for turn in self.turns(plan) if turn.measured)

    def turns(self, plan: Plan) -> tuple[Turn, ...]:
        """The trials whose turn comes, in order, with what is done about the DUT's boot before each."""
        unverified, rebooting = self.unverified(plan), _rebooting(plan)
        levels: Mapping[str, int] = {
            name: level for name, level in self.levels.items() if name not in unverified
        }
        last = plan.trials[self.last - 1] if self.last else None
        rebooted, awaited = self.rebooted, self.awaited
        measured = {one.number for one in self._left(plan)}
        found: list[Turn] = []
        for trial in self._in_turn(plan):
            now, is_measured = plan.cells[trial.cell].levels, trial.number in measured
            how = booting_for(
                trial.number,
                rebooted,
                planned=is_measured and boots_before(plan, trial, last),
                chosen=any(levels.get(name) != now[name] for name in rebooting),
                awaited=awaited,
            )
            boots = how in (Booting.AWAITED, Booting.REBOOT)
            found.append(Turn(msgspec.structs.replace(trial, boot=boots), is_measured, how))
            levels, awaited, rebooted = now, awaited and not boots, Rebooted()
            last = trial if is_measured else None if boots else last
        return tuple(found)

    def _in_turn(self, plan: Plan) -> list[Trial]:
        """The trials whose turn comes, in the plan's order; once a look has decided, profiles are last."""
        left, profiles = self._left(plan), self.profiles_left(plan)
        if self.decided:
            return [*left, *profiles]
        return sorted((*left, *profiles), key=lambda one: one.number)

    def is_in_doubt(self, plan: Plan) -> bool:
        """Whether a reboot among the steps is not needed if one that was asked for has happened."""
        turns = self.turns(plan)
        return Booting.AWAITED in ([one.booting for one in turns] if turns else [self.back])

    def _left(self, plan: Plan) -> list[Trial]:
        """The trials that are still to be measured, as they are in the plan."""
        return [
            one
            for one in plan.trials
            if (one.number in self.lost if self.decided else one.number not in self.done)
        ]

    def unverified(self, plan: Plan) -> frozenset[str]:
        """Factors whose level is not known to be in force: it is left, and entered again if needed."""
        setups = {factor.name: factor.levels for factor in plan.experiment.factors}
        unverified = {name for name, level in self.levels.items() if not setups[name][level].verify}
        return frozenset(unverified | self.doubted)

    def profiles_left(self, plan: Plan) -> tuple[Trial, ...]:
        """Trials that need no measuring, but after which the profile of their cell is still to be taken."""
        if plan.experiment.profile is None:
            return ()
        measured = {one.cell for one in plan.trials if one.number in self.done}
        left = {one.number for one in self._left(plan)} | self.profiled
        over = [one for one in plan.trials if one.number not in left and one.cell in measured]
        return tuple(filter(plan.is_profiled, over))


def steps(plan: Plan, dut: str, begun: Begun | None = None) -> tuple[Step, ...]:
    """Every step in order, with its time. `dut`: the host that reboots. `begun`: only what is left."""
    timed: list[Step] = []
    at = 0.0
    for trial, kind, seconds, text, host in _all(plan, dut, begun or Begun(touched=False)):
        timed.append(Step(at, seconds, trial, kind, text, host))
        at += seconds
    return tuple(timed)


def seconds_of(plan: Plan, dut: str) -> dict[int, float]:
    """The seconds that each trial is expected to take, by its number; under 0, what belongs to no trial."""
    seconds: dict[int, float] = {}
    for step in steps(plan, dut):
        seconds[step.trial] = seconds.get(step.trial, 0.0) + step.seconds
    return seconds


def profile_seconds(plan: Plan) -> float:
    """The seconds that a cell's profile is expected to take once its levels are in force; 0: no profile."""
    run, profile = plan.experiment.run, plan.experiment.profile
    if profile is None:
        return 0.0
    return run.settle + START + run.warmup + 2 * AROUND + profile.seconds + DRAIN


_Row = tuple[int, str, float, str, str]
_UNLESS = {
    Booting.AWAITED: " (not if the DUT has booted since an earlier run asked it to)",
    Booting.REBOOT: "",
}


def _all(plan: Plan, dut: str, begun: Begun) -> Iterator[_Row]:
    hooks, run = plan.experiment.hooks, plan.experiment.run
    first = [hook for hook in hooks if hook.when == BEFORE and hook.whole]
    yield from _hooks(tuple(first[begun.hooks :]), BEFORE, 0, whole=True)
    levels, doubted = begun.levels, begun.unverified(plan)
    # whether there is something to settle: `Preparing` of monitor/experiment decides it in the same way
    touched = begun.touched or bool(first[begun.hooks :])
    ended, back = begun.ended, begun.back
    for turn in begun.turns(plan):
        trial, number = turn.trial, turn.trial.number
        has_booted = turn.booting is Booting.CHECK
        change = _change(plan, levels, trial, dut, doubted, ended, has_booted)
        changed = list(_changed(plan, change, number, dut, turn.booting))
        ended, back = frozenset(), Booting.REBOOT
        if not turn.measured:
            yield from changed
            yield from _verified(plan, trial)
            yield from _profiled(plan, number, dut)
            levels, touched, doubted = plan.cells[trial.cell].levels, True, frozenset()
            continue
        yield number, "check", CHECK, "links, routes, receiver; no stray generator", ""
        yield from changed
        yield from _verified(plan, trial)
        prepared = list(_hooks(hooks, BEFORE, number))
        yield from prepared
        if run.settle and (touched or changed or prepared):
            yield number, "settle", run.settle, "", ""
        yield number, "start", START, "receiver and generator", ""
        yield from _hooks(hooks, DURING, number)
        if run.warmup:
            yield number, "warm-up", run.warmup, "", ""
        yield number, "measure", run.duration, "", ""
        yield number, "drain", DRAIN, "stop the generator, read the last counters", ""
        yield from _hooks(hooks, AFTER, number)
        yield from _verified(plan, trial)
        if plan.is_profiled(trial) and number not in begun.profiled:
            yield from _profiled(plan, number, dut)
        levels, touched, doubted = plan.cells[trial.cell].levels, True, frozenset()
    yield from _hooks(hooks, AFTER, 0, whole=True)
    yield from _changed(plan, _all_left(levels), 0)
    if _rebooting(plan) and back is not Booting.NOTHING:
        text = f"to leave the last level, until a new boot identity{_UNLESS[back]}"
        yield 0, "reboot", plan.experiment.reboot_time, text, ""


def _rebooting(plan: Plan) -> set[str]:
    """The factors whose levels need a reboot."""
    return {factor.name for factor in plan.experiment.factors if factor.levels[0].reboot}


def _profiled(plan: Plan, trial: int, dut: str) -> Iterator[_Row]:
    text = "of the DUT, in a blast that does not count as a value"
    yield trial, "profile", profile_seconds(plan), text, dut


def _hooks(hooks: tuple[Hook, ...], when: str, trial: int, whole: bool = False) -> Iterator[_Row]:
    for hook in hooks:
        if hook.when == when and hook.whole == whole:
            seconds = (
                0.0 if when == DURING else COMMAND
            )  # while the traffic flows, it takes no time of its own
            yield trial, "hook", seconds, f"{when}: {hook.action.run}", hook.action.host


def _changed(
    plan: Plan, changes: Change, trial: int, dut: str = "", booting: Booting = Booting.NOTHING
) -> Iterator[_Row]:
    for entry in changes.leave:
        name, setup = _named(plan, entry)
        if count := len(setup.undo) + len(setup.restore):
            yield trial, "leave", count * COMMAND, name, ", ".join(setup.hosts)
    for entry in changes.boot:
        yield from _entered(plan, entry, trial)
    if changes.reboots:
        text = f"until a new boot identity{_UNLESS[booting]} and a forwarding check"
        yield trial, "reboot", plan.experiment.reboot_time, text, ""
    if booting is Booting.CHECK:
        yield (
            trial,
            "check",
            START + DRAIN,
            "whether the DUT forwards after the reboot that has happened",
            dut,
        )
    for entry in changes.enter:
        yield from _entered(plan, entry, trial)


def _entered(plan: Plan, entry: Entry, trial: int) -> Iterator[_Row]:
    name, setup = _named(plan, entry)
    if count := len(setup.uploads) + len(setup.apply) + len(setup.restore):
        yield trial, "enter", count * COMMAND, name, ", ".join(setup.hosts)


def _verified(plan: Plan, trial: Trial) -> Iterator[_Row]:
    """The levels that hold during a trial are verified before and after it."""
    levels = plan.cells[trial.cell].levels
    named = [_named(plan, Entry(factor, index)) for factor, index in levels.items()]
    checked = [(name, setup) for name, setup in named if setup.verify]
    if checked:
        hosts = dict.fromkeys(check.host for _, setup in checked for check in setup.verify)
        seconds = COMMAND * sum(len(setup.verify) for _, setup in checked)
        yield trial.number, "verify", seconds, ", ".join(name for name, _ in checked), ", ".join(hosts)


def _named(plan: Plan, entry: Entry) -> tuple[str, LevelSetup]:
    factor = next(one for one in plan.experiment.factors if one.name == entry.factor)
    setup = factor.levels[entry.level]
    return f"{factor.name}={setup.value}", setup
