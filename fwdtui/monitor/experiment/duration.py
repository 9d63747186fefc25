"""How long an experiment still takes: by what its trials took so far, else by what the dry run says."""

import datetime
from collections import deque
from collections.abc import Iterable

from fwdtui.core.experiment import Plan, Trial
from fwdtui.core.experiment.steps import seconds_of
from fwdtui.store.experiment_journal import BEGUN, JUDGED, RESUMED, Step

_RECENT = 20  # attempts: what a trial takes may change in the course of a night


class Durations:
    """Take the seconds of each attempt; `of` is what such a trial takes."""

    def __init__(self, plan: Plan, dut: str, steps: Iterable[Step] = ()) -> None:
        """`steps`: those of earlier runs, from which the times of their attempts are taken."""
        self._planned = seconds_of(plan, dut)
        self._reboot = plan.experiment.reboot_time
        self._taken: dict[bool, deque[float]] = {boot: deque(maxlen=_RECENT) for boot in (False, True)}
        self._recall(plan, steps)

    def _recall(self, plan: Plan, steps: Iterable[Step]) -> None:
        """An attempt took from the end of the one before it, or from the run's begin, until it was judged."""
        began: datetime.datetime | None = None
        for step in steps:
            if step.what not in (BEGUN, RESUMED, JUDGED):
                continue
            try:
                now = datetime.datetime.fromisoformat(step.when)
            except ValueError:
                began = None
                continue
            if step.what == JUDGED and began is not None and 1 <= step.trial <= len(plan.trials):
                seconds = (now - began).total_seconds()
                if seconds > 0.0:
                    self.take(plan.trials[step.trial - 1], seconds)
            began = now

    def take(self, trial: Trial, seconds: float) -> None:
        """An attempt at `trial` took so long."""
        self._taken[trial.boot].append(seconds)

    def of(self, trial: Trial) -> float:
        """Seconds that such a trial is expected to take."""
        if taken := self._taken[trial.boot]:
            return sum(taken) / len(taken)
        if trial.boot and (taken := self._taken[False]):
            return sum(taken) / len(taken) + self._reboot
        return self._planned[trial.number]


def left(plan: Plan, dut: str, steps: Iterable[Step]) -> float:
    """Seconds that an experiment which was begun still takes, by its journal."""
    steps = tuple(steps)
    sound = {step.trial for step in steps if step.what == JUDGED and step.sound}
    durations = Durations(plan, dut, steps)
    return sum(durations.of(trial) for trial in plan.trials if trial.number not in sound)
