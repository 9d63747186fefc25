"""The live screen's control over unattended iterations, with the plan of `fwdtui run --headless`."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fwdtui.core.factors import FactorValue
from fwdtui.core.model import Iteration
from fwdtui.core.units import counted
from fwdtui.transport.cancelling import cancelled
from fwdtui.ui.live.bench_control import BenchControl

if TYPE_CHECKING:
    from fwdtui.monitor.run.bench import Bench
    from fwdtui.monitor.run.unattended import Unattended


class RunControl(BenchControl):
    """Starts to iterate once the hosts are sampled, without asking: the command asked for the generator."""

    unattended = True

    def __init__(
        self,
        path: Path,
        into: Path,
        session: str,
        case: str,
        iterations: int | None,
        factors: Mapping[str, FactorValue] | None = None,
        count: tuple[str, ...] | None = None,
        drop_reasons: bool = False,
    ) -> None:
        """`iterations` None: as many as lab.toml says. The others are as in BenchControl.

        Raises FwdtuiError if lab.toml cannot be used.
        """
        super().__init__(path, into, session, case, factors, count, drop_reasons)
        self._asked_for = iterations
        self.wanted = iterations or self.lab.run.iterations
        self._plan: Unattended | None = None
        self._iterating: asyncio.Task[None] | None = None
        self._by_hand = False

    @property
    def doing(self) -> str:
        """The plan's progress: ``iteration 3 of 5 · settle 4 s left · run 46 s left``."""
        if self._plan is None:
            over = self._opening is not None and self._opening.done()
            now = "not begun: see the events" if over else "reaching the hosts"
            return f"{counted(self.wanted, 'iteration')} · {now}"
        if self._by_hand:
            more = f", {self.besides} more recorded" if self.besides else ""
            return f"{self._plan.kept} of {counted(self.wanted, 'iteration')} · stopped by hand{more}"
        return self._plan.doing

    @property
    def kept(self) -> int:
        """The number of iterations of the plan that were recorded."""
        return self._plan.kept if self._plan else 0

    @property
    def besides(self) -> int:
        """The number of recorded iterations with a value that the plan does not count.

        They were saved by hand, or belong to a blast that was cut short.
        """
        return max(_valued(self.snapshot(0).iterations) - self.kept, 0)

    def told(self) -> str:
        """What was recorded, in a line for the terminal."""
        are = "is" if self.kept == 1 else "are"
        line = f"{self.kept} of {counted(self.wanted, 'iteration')} {are} recorded in {self.folder}"
        if not (besides := self.besides):
            return line
        blasts = max(_valued(self._monitor.of_blasts()) - self.kept, 0)
        by_kind = {
            "saved by hand": besides - blasts,
            "from blasts that were stopped or started by hand": blasts,
        }
        more = [(what, count) for what, count in by_kind.items() if count]
        told = ", ".join(f"{count} {what}" for what, count in more) if len(more) > 1 else more[0][0]
        return f"{line}, and {besides} more: {told}"

    @property
    def finished(self) -> bool:
        """Whether the plan is over, however it ended."""
        return self._iterating is not None and self._iterating.done()

    @property
    def generator_running(self) -> bool:
        """True during the whole plan, which restarts the generator: leaving asks, and `g` offers to stop."""
        return super().generator_running or (self._iterating is not None and not self._iterating.done())

    @property
    def only_receiver(self) -> bool:
        """Whether only the receiver still runs; False during the plan, which starts the generator again."""
        return super().only_receiver and self.finished

    def _began(self, bench: "Bench", following: "asyncio.Task[None]") -> None:
        from fwdtui.monitor.run.unattended import Unattended
        from fwdtui.monitor.run.waiting import Waiter

        self.wanted = self._asked_for or bench.lab.run.iterations
        self._plan = Unattended(Waiter(bench, following), self.wanted)
        self._iterating = asyncio.create_task(self._iterate(self._plan))

    async def _iterate(self, plan: "Unattended") -> None:
        try:
            await plan.run()
        except Exception as error:
            self._say("tool-failed", self._told(error))
        else:
            if plan.problem:
                self._say("tool-failed", plan.problem)
        finally:
            if self._bench is not None:  # the screen stays open
                self._bench.iterated()

    async def stop_generator(self) -> None:
        """End the plan; the current blast becomes the last iteration."""
        await self._end_plan()
        await super().stop_generator()

    async def _end_plan(self) -> None:
        if self._iterating is not None and not self._iterating.done():
            self._by_hand = True
            await cancelled(self._iterating)

    async def close(self) -> None:
        """Close the run: the generator is stopped, and its blast so far is saved."""
        await self._end_plan()
        await super().close()


def _valued(iterations: Sequence[Iteration]) -> int:
    """How many are recorded with a value that counts."""
    return sum(one.saved and not one.dropped and one.value is not None for one in iterations)
