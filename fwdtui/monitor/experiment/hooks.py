"""The hooks of an experiment: commands before, during and after its trials, or the whole experiment."""

from collections.abc import Mapping

from fwdtui.core.experiment import AFTER, BEFORE, Experiment, Hook
from fwdtui.monitor.experiment.actions import Hands, StepFailed
from fwdtui.monitor.experiment.book import Book
from fwdtui.monitor.run.bench import Bench
from fwdtui.store.experiment_journal import HOOK, LEFT_OUT
from fwdtui.transport.errors import HostError


class Hooks:
    """Runs the hooks, each as a step of the journal. `count`: how many this process has run."""

    def __init__(self, experiment: Experiment, bench: Bench, book: Book, hands: Hands) -> None:
        self.count = 0
        self._hooks = experiment.hooks
        self._bench = bench
        self._book = book
        self._hands = hands
        self._after: int | None = None  # how many of those after the experiment this process has run

    @property
    def left(self) -> list[str]:
        """The hooks after the whole experiment that have not run; none if no hook before it has run, either.

        A hook that was broken off has not run.
        """
        if self._after is None and not self._book.known.begun:
            return []
        mine = [one.action for one in self._hooks if one.whole and one.when == AFTER]
        return [f"{one.run} on {one.host}" for one in mine[self._after or 0 :]]

    async def run(self, when: str, where: Mapping[str, int]) -> list[str]:
        """Run the hooks of a trial at `when`; returns what went wrong. `where`: fields of the steps."""
        mine = [one for one in self._hooks if one.when == when and not one.whole]
        return [why for one in mine if (why := await self._one(one, where))]

    async def _one(self, hook: Hook, where: Mapping[str, int]) -> str:
        action = hook.action
        told = f"{hook.when}: {action.run}"
        self.count += 1
        try:
            with self._book.taking(HOOK, host=action.host, text=told[:1000], **where) as outcome:
                printed = await self._hands.act(action)
                if not self._book.journal.is_long:
                    outcome["text"] = f"{told}\n{printed}"
                elif printed and len(told) <= 1000:
                    outcome["text"] = f"{told}\n{LEFT_OUT}"
        except (StepFailed, HostError) as error:
            return f"a hook failed: {error}"
        return ""

    async def whole(self, when: str) -> None:
        """Run the hooks before or after the whole experiment.

        A hook before it runs only once, unless a hook after it was begun, which may have put things back.
        Raises StepFailed, Interrupted.
        """
        mine = [one for one in self._hooks if one.whole and one.when == when]
        self._after = 0
        with self._bench.changing():
            for hook in mine[self._book.known.begun if when == BEFORE else 0 :]:
                why = await self._one(hook, {})  # a hook that is broken off has not run
                self._after += when == AFTER
                if why:
                    raise StepFailed(why)
