"""Which trials of an experiment have a value that counts, according to its session as it is now."""

from collections.abc import Collection, Mapping

from fwdtui.core.experiment import Plan
from fwdtui.core.model import Iteration, Session
from fwdtui.core.units import counted
from fwdtui.monitor.experiment.known import Known
from fwdtui.monitor.experiment.looks import Measured, measured
from fwdtui.monitor.experiment.recorded import counting


class Values:
    """The values that count.

    `take` iterations as they are judged sound, and `reread` the session whenever it may have been annotated.
    """

    def __init__(self, plan: Plan, known: Known, session: Session) -> None:
        self.decided = known.looks[-1].text if known.decided else ""
        """Why nothing more has to be measured, if a look said so; else ""."""
        self._plan = plan
        self._known = known
        self._of: dict[int, Measured] = {}
        for number, iteration in counting(plan, session, known).items():
            self.take(number, iteration)

    @property
    def of(self) -> Mapping[int, Measured]:
        """Trial -> its value that counts."""
        return self._of

    def take(self, number: int, iteration: Iteration) -> None:
        """Take the iteration of a trial that was judged sound, or whose annotations were read again."""
        if (found := measured(self._plan.trials[number - 1], iteration)) is not None:
            self._of[number] = found

    def reread(self, session: Session, before: Collection[int]) -> list[int]:
        """Count only what the session has now; returns the trials of `before` that have lost their value."""
        there = counting(self._plan, session, self._known)
        for number in [*self._of.keys() - there.keys()]:
            del self._of[number]
        for number, iteration in there.items():
            self.take(number, iteration)
        return sorted(set(before) - self._of.keys())

    @property
    def lost(self) -> frozenset[int]:
        """The trials by which a look decided, but whose values no longer count."""
        return self._known.lost(self._plan, self._of)

    @property
    def complete(self) -> bool:
        """Whether all trials have a value, or, if a look decided, those by which it decided."""
        if self.decided:
            return not self.lost
        return all(one.number in self._of for one in self._plan.trials)

    @property
    def gone(self) -> str:
        """A sentence about trials without a value that counts, if there are any; "" if it is complete."""
        if self.complete:
            return ""
        count = len(self.lost) if self.decided else len(self._plan.trials) - len(self._of)
        them = "it" if count == 1 else "them"
        return f"{counted(count, 'trial')} whose value no longer counts: --resume measures {them} again"
