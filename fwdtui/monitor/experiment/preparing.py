"""Brings the hosts into the state in which a cell is measured, and says whether they are still in it."""

from collections.abc import Mapping

from fwdtui.core.experiment import BEFORE, Cell, Plan, Trial
from fwdtui.core.experiment.booting import Booting, Rebooted, booting_for
from fwdtui.core.experiment.visits import boots_before
from fwdtui.monitor.experiment.actions import Interrupted, StepFailed
from fwdtui.monitor.experiment.book import Book
from fwdtui.monitor.experiment.boots import Boots, Rebooting
from fwdtui.monitor.experiment.hooks import Hooks
from fwdtui.monitor.experiment.levels import Levels
from fwdtui.monitor.experiment.links import Links
from fwdtui.monitor.experiment.tools import Tools
from fwdtui.monitor.run.blasting import DRAIN, Blasting, Enter
from fwdtui.monitor.run.waiting import BEGIN, Waiter
from fwdtui.transport.errors import HostError

_TRIES = 3  # how often to wait for hosts whose connections come and go
LINKS = 60.0  # seconds for a link that is down to come up
STOPPED = "The experiment was stopped during this blast."


class Preparing:
    """Prepares one trial after another. Raises StepFailed for what ends the experiment; Interrupted."""

    def __init__(
        self,
        plan: Plan,
        waiter: Waiter,
        book: Book,
        hooks: Hooks,
        levels: Levels,
        rebooting: Rebooting,
        tools: Tools,
        blasting: Blasting,
        enter: Enter,
        links: Links,
        boots: Boots,
    ) -> None:
        self._plan = plan
        self._waiter = waiter
        self._bench = waiter.bench
        self._book = book
        self._hooks = hooks
        self._levels = levels
        self._rebooting = rebooting
        self._tools = tools
        self._blasting = blasting
        self._enter = enter
        self._links = links
        self._boots = boots
        self._lab = self._bench.lab  # as lab.toml has it
        self._boot = ""  # the DUT's boot when its levels were verified last
        self._before: Mapping[str, str] = {}  # host -> its boot then
        self._learnt = self._changes  # `_changes` when the facts were collected; -1: that was before a boot
        # whether there is anything to settle; `core.experiment.steps` decides it the same way
        self._touched = bool(book.journal.steps)

    async def linked(self) -> None:
        """Wait until all links of the test path are up. Raises StepFailed, Interrupted."""
        if not await self._waiter.wait(LINKS, lambda: not self._links.down):
            self.goes_on(False, self._links.text)

    async def sampled(self) -> bool:
        """Wait until every host is sampled over its present connection; see `Blasting.sampled`.

        What is done next depends on the boot in which each host is. Returns False if it was told to stop, or
        gave up.
        """
        hosts = [await self._bench.host(name) for name in self._lab.hosts()]
        for _ in range(_TRIES):
            if not await self._blasting.sampled():
                return False
            if await self._waiter.wait(BEGIN, lambda: all(map(self._boots.is_current, hosts))):
                break
        return not self._blasting.stopped

    async def prepare(self, trial: Trial, cell: Cell, where: Mapping[str, int]) -> str:
        """Bring the hosts into the state that is measured; returns what went wrong in a hook, or ""."""
        known = self._book.known
        here = known.last and self._rebooting.is_since(known.boot)
        boots = boots_before(self._plan, trial, self._plan.trials[known.last - 1] if here else None)
        await self._bring_about(trial, cell, where, boots)
        if problems := await self._hooks.run(BEFORE, where):
            return problems[0]
        await self._learn()
        return ""

    async def prepare_levels(self, trial: Trial, cell: Cell) -> None:
        """Prepare for a profile: with a reboot only if levels need it, and without the hooks of trials."""
        await self._bring_about(trial, cell, {"trial": trial.number}, boots=False)
        await self._learn()

    async def _bring_about(self, trial: Trial, cell: Cell, where: Mapping[str, int], boots: bool) -> None:
        """Bring about the cell's levels, with a reboot if needed, and verify them.

        `boots`: the DUT reboots for the trial in any case, unless it has just done so.
        """
        self._enter("applying levels")
        self._bench.monitor.between = True
        right = self._rebooting.boot  # the boot in which this cell is measured
        if lost := bool(self._boot) and right != self._boot:
            self._levels.lost()
        booting = self._booting(trial, boots) is not Booting.NOTHING
        chosen = await self._levels.enter(cell, booting)
        how = self._booting(trial, boots, chosen)
        if boot := how is not Booting.NOTHING:
            self._touched = True
            if how is not Booting.CHECK:
                await self._levels.before_boot(cell)
            right = await self._rebooting.reboot(
                how,
                lambda: self._tools.start(probe=True, **where),
                lambda: self._tools.stop(probe=True, **where),
                **where,
            )
        self.goes_on(await self.sampled())  # after this it is known which hosts have just booted
        now, before = self._rebooting.boot, dict(self._boots.now)
        if right and now != right and self._levels.need_boot(cell):
            raise HostError(self._lab.dut.host, "it has booted by itself, so its levels need another boot")
        self._enter("verifying levels")
        await self._levels.settle(cell, boot or lost)
        if boot or lost or (self._before and self.rebooted()):
            self._touched, self._learnt = True, -1
        self._boot, self._before = now, before  # as they were when it was verified: a host may boot later

    def _booting(self, trial: Trial, boots: bool, chosen: bool = False) -> Booting:
        """What is done about the DUT's boot before the trial; see `_bring_about` and `booting_for`."""
        known = self._book.known
        rebooted = known.rebooted if self._rebooting.is_since(known.rebooted.boot) else Rebooted()
        awaited = known.rebooting is not None
        return booting_for(trial.number, rebooted, planned=boots, chosen=chosen, awaited=awaited)

    def rebooted(self) -> list[str]:
        """A sentence for each host that has booted since the levels were verified: they may not have held."""
        now = self._boots.now
        rebooted = [
            host for host in self._bench.lab.hosts() if now.get(host, "") != self._before.get(host, "")
        ]
        return [f"{host} has rebooted during this trial" for host in rebooted]

    @property
    def _changes(self) -> int:
        """How many commands of the experiment were run that may have changed a host."""
        return self._levels.changes + self._hooks.count

    async def _learn(self) -> None:
        """Collect the facts again if they may have changed, for example because a sysctl was set."""
        if self._learnt != self._changes:
            changes = self._changes
            await self._bench.learn()
            self._learnt = changes

    async def settled(self) -> None:
        """Pause before a blast, unless nothing was done on the hosts before it.

        A command may have reset a card. `ethtool -L` and attaching XDP do that with many drivers: links go
        down for some seconds, which is seen with the next slow tick.
        """
        pause = self._plan.experiment.run.settle if self._touched or self._changes else 0.0
        self.goes_on(await self._blasting.settled(pause))
        if self._links.down:
            self._enter("waiting for links")
            await self.linked()
            self.goes_on(await self._blasting.settled(pause))

    async def begin(self) -> None:
        """Begin to measure: from now on a blast counts. Traffic of a hook, or of other people, ends first."""
        monitor, self._touched = self._bench.monitor, True
        await self._waiter.wait(DRAIN, lambda: not monitor.in_blast)
        monitor.between = False

    def goes_on(self, well: bool, why: str = "") -> None:
        """Raise Interrupted if told to stop, else StepFailed if a wait did not end `well`, with `why`."""
        if self._waiter.stop.is_set():
            raise Interrupted(STOPPED)
        if not well:
            raise StepFailed(why or self._blasting.problem or "it cannot go on")
