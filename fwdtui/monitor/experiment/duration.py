"""How long an experiment still takes, according to its trials so far, or else to the dry run."""

import datetime
from collections import deque
from collections.abc import Collection, Iterable

from fwdtui.core.experiment import Plan, Trial
from fwdtui.core.experiment.steps import Begun, profile_seconds, seconds_of
from fwdtui.store.experiment_journal import BEGUN, HOOK, JUDGED, PROFILE, RESUMED, Step

_ENDS = (BEGUN, RESUMED, JUDGED, PROFILE)
_RECENT = 20  # attempts: how long a trial takes may change in the course of a night


class Durations:
    """Estimates from the attempts so far: `take` their seconds; `of` says how long a trial will take."""

    def __init__(self, plan: Plan, dut: str, steps: Iterable[Step] = ()) -> None:
        """`steps`: the journal of earlier runs, from which the times of their attempts are taken."""
        self.profile = profile_seconds(plan)
        """Seconds that the profile of a cell is expected to take."""
        self._cells = {trial.number: trial.cell for trial in plan.trials}
        self._profiled = {trial.cell: trial.number for trial in plan.trials}  # cell -> its last trial
        self._planned = seconds_of(plan, dut)
        for number in self._profiled.values():
            self._planned[number] -= self.profile
        self._reboot = plan.experiment.reboot_time
        self._boots = {trial.number: trial.boot for trial in plan.trials}  # as planned
        self._taken: dict[bool, deque[float]] = {boot: deque(maxlen=_RECENT) for boot in (False, True)}
        self._recall(plan, steps)

    def _recall(self, plan: Plan, steps: Iterable[Step]) -> None:
        """Take the times of earlier attempts from the journal.

        An attempt lasts from the end of what was done before it until it is judged. Before it came another
        attempt, a profile, or a hook before the whole experiment, which may have built a kernel.
        """
        began: datetime.datetime | None = None
        begun: set[tuple[int, int]] = set()  # trial, attempt
        left: frozenset[tuple[int, int]] = frozenset()  # those that an earlier run did not get to judge
        for step in steps:
            if step.what == RESUMED:
                left = frozenset(begun)
            attempt = step.trial, step.attempt
            begun.add(attempt)
            if not (step.done and (step.what in _ENDS or (step.what == HOOK and not step.trial))):
                continue
            try:
                now = datetime.datetime.fromisoformat(step.when)
            except ValueError:
                now = datetime.datetime.min
            if now.tzinfo is None:  # not written by fwdtui: how long ago it was is not known
                began = None
                continue
            if step.what == JUDGED and began is not None and attempt not in left:
                seconds = (now - began).total_seconds()
                if seconds > 0.0 and 1 <= step.trial <= len(plan.trials):
                    self.take(plan.trials[step.trial - 1], seconds)
            began = now

    def take(self, trial: Trial, seconds: float) -> None:
        """An attempt at `trial` took this many seconds."""
        self._taken[trial.boot].append(seconds)

    def of(self, trial: Trial) -> float:
        """Seconds that this trial is expected to take, without the profile after it.

        `trial.boot` says whether it needs a boot now, which may differ from the plan.
        """
        if taken := self._taken[trial.boot]:
            return sum(taken) / len(taken)
        if trial.boot and (taken := self._taken[False]):
            return sum(taken) / len(taken) + self._reboot
        more = trial.boot - self._boots[trial.number]
        return max(self._planned[trial.number] + more * self._reboot, 0.0)

    def of_profiles(self, done: Collection[int], taken: Collection[int], decided: bool) -> float:
        """Seconds of the profiles that are still to be taken.

        `done`: trials with a value that counts; `taken`: trials after which a profile was taken. `decided`:
        no trial is left, so cells that were not measured get no profile.
        """
        measured = {self._cells.get(number) for number in done}
        cells = [cell for cell, last in self._profiled.items() if last not in taken]
        return self.profile * sum(cell in measured or not decided for cell in cells)


def left(plan: Plan, dut: str, steps: Iterable[Step], begun: Begun) -> float:
    """Seconds that a begun experiment will still take, at the pace of its journal."""
    durations = Durations(plan, dut, steps)
    profiles = durations.of_profiles(begun.done, begun.profiled, bool(begun.decided))
    return sum(map(durations.of, begun.left(plan))) + profiles
