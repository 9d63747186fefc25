"""How long an experiment still takes: by what its trials took so far, else by what the dry run says."""

import datetime
from collections import deque
from collections.abc import Collection, Iterable

from fwdtui.core.experiment import Plan, Trial
from fwdtui.core.experiment.steps import Begun, profile_seconds, seconds_of
from fwdtui.store.experiment_journal import BEGUN, HOOK, JUDGED, PROFILE, RESUMED, Step

_ENDS = (BEGUN, RESUMED, JUDGED, PROFILE)
_RECENT = 20  # attempts: what a trial takes may change in the course of a night


class Durations:
    """Take the seconds of each attempt; `of` is what such a trial takes."""

    def __init__(self, plan: Plan, dut: str, steps: Iterable[Step] = ()) -> None:
        """`steps`: those of earlier runs, from which the times of their attempts are taken."""
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
        """An attempt took until it was judged, from the end of what was done before it.

        That is an attempt, a profile, or a hook before all of them, which may build a kernel.
        """
        began: datetime.datetime | None = None
        begun: set[tuple[int, int]] = set()  # trial, attempt
        left: frozenset[tuple[int, int]] = frozenset()  # by a run that ended before they were judged
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
                began = None
                continue
            if step.what == JUDGED and began is not None and attempt not in left:
                seconds = (now - began).total_seconds()
                if seconds > 0.0 and 1 <= step.trial <= len(plan.trials):
                    self.take(plan.trials[step.trial - 1], seconds)
            began = now

    def take(self, trial: Trial, seconds: float) -> None:
        """An attempt at `trial` took so long."""
        self._taken[trial.boot].append(seconds)

    def of(self, trial: Trial) -> float:
        """Seconds that such a trial is expected to take, without the profile after it.

        It has a boot as it needs one now, which need not be as planned.
        """
        if taken := self._taken[trial.boot]:
            return sum(taken) / len(taken)
        if trial.boot and (taken := self._taken[False]):
            return sum(taken) / len(taken) + self._reboot
        more = trial.boot - self._boots[trial.number]
        return max(self._planned[trial.number] + more * self._reboot, 0.0)

    def of_profiles(self, done: Collection[int], taken: Collection[int], decided: bool) -> float:
        """Seconds of the profiles that are still to be had.

        `done`: trials with a value that counts, `taken`: those after which a profile was taken. `decided`: no
        trial is left, so cells that were not measured get none.
        """
        measured = {self._cells.get(number) for number in done}
        cells = [cell for cell, last in self._profiled.items() if last not in taken]
        return self.profile * sum(cell in measured or not decided for cell in cells)


def left(plan: Plan, dut: str, steps: Iterable[Step], begun: Begun) -> float:
    """Seconds that an experiment which was begun still takes, at the pace of its journal."""
    durations = Durations(plan, dut, steps)
    profiles = durations.of_profiles(begun.done, begun.profiled, bool(begun.decided))
    return sum(map(durations.of, begun.left(plan))) + profiles
