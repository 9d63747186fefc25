"""How long an experiment still takes: by what its trials took so far, else by what is planned."""

from fwdtui.core.experiment import Plan, Trial

_AROUND = 12.0  # seconds of a trial beside warm-up, duration and settle: starting, detecting, draining
_BOOT = 90.0  # seconds that a boot is taken to last before one was seen


class Durations:
    """Take the seconds of each attempt; `left` is what the remaining trials take."""

    def __init__(self, plan: Plan) -> None:
        run = plan.experiment.run
        self._first = {False: run.warmup + run.duration + run.settle + _AROUND}
        self._first[True] = self._first[False] + _BOOT
        self._taken: dict[bool, list[float]] = {False: [], True: []}

    def take(self, trial: Trial, seconds: float) -> None:
        """An attempt at `trial` took so long."""
        self._taken[trial.boot].append(seconds)

    def of(self, trial: Trial) -> float:
        """Seconds that one such trial is expected to take."""
        taken = self._taken[trial.boot][-20:]
        return sum(taken) / len(taken) if taken else self._first[trial.boot]
