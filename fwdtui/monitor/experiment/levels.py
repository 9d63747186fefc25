"""Brings levels about on the hosts, verifies them, and undoes them.

A level is left before another level of its factor is entered. The journal proves that a level is in force
only if it was entered completely; otherwise it is verified, or left and entered again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import Cell, Experiment, LevelSetup
from fwdtui.core.experiment.beneath import beneath
from fwdtui.monitor.experiment.actions import Hands, StepFailed
from fwdtui.monitor.experiment.book import Book
from fwdtui.monitor.experiment.known import Standing, rebooted_since
from fwdtui.monitor.experiment.undoing import Undoing
from fwdtui.store.experiment_journal import LEVEL, UNDO

RUNS, MAY_RUN = "still runs", "may still run"
"""What the DUT does, as far as is known, with a level that only its next boot ends."""


async def _at_once(hosts: Collection[str]) -> None:
    """Wait for nothing: what is known of the boots is current."""


class Levels:
    """The levels of one experiment's factors on the hosts of a lab; `dut` is the host that reboots."""

    def __init__(
        self,
        experiment: Experiment,
        dut: str,
        book: Book,
        hands: Hands,
        uploads: Mapping[str, Callable[[], bytes]],
        say: Callable[[str], None],
        boots: Mapping[str, str],
        note: Callable[[str], None] | None = None,
        told: Callable[[Collection[str]], Awaitable[None]] = _at_once,
    ) -> None:
        """`boots`: host -> the identity of its current boot, as far as it is known.

        `note` is called with what no step of the journal says; None: `say` is. `told` waits until `boots` is
        current for these hosts.
        """
        self._setups = {factor.name: factor.levels for factor in experiment.factors}
        self._dut = dut
        self._book = book
        self._hands = hands
        self._uploads = uploads
        self._say = say
        self._told = told
        self._undoing = Undoing(hands, note or say, told)
        self._boots = boots
        self.changes = 0
        """How often something was set or undone, since that may make what was known of the hosts wrong."""
        self._fresh: set[str] = set()  # factors whose level has chosen the next boot
        self._doubted: set[str] = set()  # factors whose level may have been undone by a change above it
        self._checked: set[str] = set()  # factors whose level was verified by this process

    def setup(self, factor: str, level: int) -> LevelSetup:
        """The commands, files and checks of a factor's level, by its number."""
        return self._setups[factor][level]

    def need_boot(self, cell: Cell) -> bool:
        """Whether this cell has levels that only a boot of the DUT puts in force."""
        return any(self.setup(factor, level).reboot for factor, level in cell.levels.items())

    def _does(self, factor: str, level: int) -> bool:
        """Whether the level is more than a value: whether it does anything on a host."""
        setup = self.setup(factor, level)
        return bool(setup.uploads or setup.apply or setup.undo or setup.restore or setup.reboot)

    async def enter(self, cell: Cell, boots: bool = False) -> bool:
        """Leave levels that are not this cell's, and levels that this may undo; enter those that need a boot.

        `boots`: the DUT boots afterwards in any case. Returns whether it has to reboot for the levels.
        Raises StepFailed, Interrupted, a HostError.
        """
        known = self._book.known.levels
        self._fresh.clear()  # an attempt may have ended before its boot
        other = [
            factor
            for factor, level in cell.levels.items()
            if factor not in known or known[factor].level != level or not await self._holds(factor, level)
        ]
        there = {factor: standing.level for factor, standing in known.items()}
        reboot = any(
            self.setup(factor, level).reboot
            for factor in other
            for level in {cell.levels[factor], there.get(factor, cell.levels[factor])}
        )
        booting = {self._dut} if reboot or boots else ()
        below = beneath(self._setups, there, cell.levels, other, booting)
        self._doubted = set(below.doubted)
        for factor in reversed(list(cell.levels)):  # a level may need what a level above it has set
            if factor in known and (factor in other or factor in below.anew):
                await self._leave(factor)
        if reboot:
            await self._choose(cell)
        return reboot

    async def before_boot(self, cell: Cell) -> None:
        """Choose the next boot once more, after `enter`: a choice may hold for one boot only.

        Raises StepFailed, Interrupted, a HostError.
        """
        await self._choose(cell)
        self._fresh.clear()

    async def _choose(self, cell: Cell) -> None:
        """Apply the levels that choose the next boot, in the file's order, each of them once before it."""
        for factor, level in cell.levels.items():
            setup = self.setup(factor, level)
            if not setup.reboot or factor in self._fresh:
                continue
            if factor not in self._book.known.levels:
                await self._apply(factor, level)
            elif setup.hosts:
                await self._again(factor, level, setup.hosts, "before a boot")
            self._fresh.add(factor)

    async def settle(self, cell: Cell, booted: bool) -> None:
        """Enter the rest of this cell's levels, and verify all of them. `booted`: the DUT has just booted.

        Raises StepFailed if a level does not hold; Interrupted, a HostError.
        """
        boots = dict(self._boots)  # taken now: a host that boots from here on has booted since
        for factor, level in cell.levels.items():
            if factor not in self._book.known.levels:
                await self._apply(factor, level)
            elif hosts := self._rebooted(factor, booted):
                # even if its checks hold, because they need not cover everything that its commands do
                await self._again(factor, level, hosts, "after a boot", booted)
        while wrong := await self._wrong(cell):
            lost = next((factor for factor in wrong if factor in self._doubted), None)
            if lost is None:
                told = "; ".join(one for differences in wrong.values() for one in differences)
                raise StepFailed(f"{cell.name} is not in force: {told}")
            await self._anew(lost, cell)
        for factor in cell.levels:
            if factor in self._book.known.levels:
                self._book.known.levels[factor].sure = True
                self._book.known.levels[factor].doubted = False
                self._book.known.levels[factor].booted = False
                changed = self.setup(factor, cell.levels[factor]).hosts
                self._book.known.levels[factor].boots = {host: boots.get(host, "") for host in changed}
            self._checked.add(factor)
        self._doubted.clear()  # they hold

    def _now(self, setup: LevelSetup) -> dict[str, str]:
        """The current boot of each host that the level changes."""
        return {host: self._boots.get(host, "") for host in setup.hosts}

    def _rebooted(self, factor: str, booted: bool) -> set[str]:
        """See `rebooted_since`; `booted`: the DUT has just booted."""
        standing = self._book.known.levels[factor]
        setup = self.setup(factor, standing.level)
        hosts = rebooted_since(standing, setup, self._boots, self._dut)
        if booted and not setup.reboot and self._dut in setup.hosts:
            hosts.add(self._dut)
        return hosts

    def _is_ended(self, standing: Standing, host: str, booted: bool) -> bool:
        """Whether a boot of the host has ended what the level had set there at run time.

        `booted`: the DUT has booted; it decides if the identity of a boot is not known.
        """
        then, now = standing.boots.get(host, ""), self._boots.get(host, "")
        return then != now if then and now else booted and host == self._dut

    async def differences(self, factors: Iterable[str], cell: Cell) -> list[str]:
        """Which checks of these factors' levels in `cell` do not hold. Raises Interrupted, a HostError."""
        checks = [check for factor in factors for check in self.setup(factor, cell.levels[factor]).verify]
        return [wrong for check in checks if (wrong := await self._hands.differs(check))]

    async def _wrong(self, cell: Cell) -> dict[str, list[str]]:
        """The factors whose level does not hold -> why."""
        found = {factor: await self.differences((factor,), cell) for factor in cell.levels}
        return {factor: differences for factor, differences in found.items() if differences}

    async def _anew(self, factor: str, cell: Cell) -> None:
        """Leave and enter a level that was lost to a change above it, together with the levels beneath it."""
        known, setup = self._book.known.levels, self.setup(factor, cell.levels[factor])
        standing = known[factor]
        self._say(f"{factor} = {setup.value} no longer holds, and is set again")
        below = beneath(self._setups, {one: known[one].level for one in known}, cell.levels, (factor,))
        self._doubted = (self._doubted | {*below.doubted}) - {factor}
        own = {(check.host, check.expect.strip()) for check in setup.verify}
        old = list(standing.old)
        for number, restore in enumerate(setup.restore[: len(old)]):
            value = await self._hands.value(restore)
            if (restore.host, value) not in own:  # the change above has put this value there
                old[number] = value
        standing.old = tuple(old)
        for one in (*reversed(below.anew), factor):
            known[one].sure = known[one].doubted = False  # parts of it may be gone, and need not be undone
            await self._leave(one)
        for one in (factor, *below.anew):
            await self._apply(one, cell.levels[one])

    def lost(self) -> None:
        """The DUT has booted by itself: what is not persistent there is gone."""
        for standing in self._book.known.levels.values():
            standing.booted = True

    def doubt(self, cell: Cell) -> None:
        """Something is not as it was: from now on no level of this cell is taken for granted."""
        for factor in cell.levels:
            if (standing := self._book.known.levels.get(factor)) is not None:
                standing.doubted, standing.sure = standing.doubted or standing.sure, False

    async def _holds(self, factor: str, level: int) -> bool:
        """Whether the level that was entered last is in force, which is either known or verified.

        After a boot that was not requested, the DUT runs whatever it boots by default.
        """
        standing = self._book.known.levels[factor]
        setup = self.setup(factor, level)
        if standing.sure and factor in self._checked and not (setup.reboot and standing.booted):
            return True
        if not standing.sure or not setup.verify:
            return False
        if setup.reboot and factor not in self._checked and self._book.known.is_chosen_only(factor):
            return False  # by an earlier run; its checks may read what chooses the boot
        for check in setup.verify:
            if await self._hands.differs(check):
                return False
        return True

    @property
    def booting(self) -> list[str]:
        """The factors with a level in which the DUT may have booted, or may boot in a moment."""
        known = self._book.known
        there = known.booted | {factor: standing.level for factor, standing in known.levels.items()}
        return [factor for factor, level in there.items() if self.setup(factor, level).reboot]

    async def runs_on(self, gone: Collection[str] = ()) -> str:
        """Whether the DUT runs a level that only its next boot ends: RUNS, MAY_RUN, or "" if it does not.

        After a boot that was not ours, only the checks of the levels in force can tell, so this must be
        called before they are undone. `gone`: hosts that do not answer.
        """
        if not self.booting:
            return ""
        if not gone:
            await self._told((self._dut,))  # it may have booted since
        known, boot = self._book.known, self._boots.get(self._dut, "")
        may_run = known.may_run(boot)
        runs = [factor for factor in self.booting if factor in may_run]
        # the other levels wait for a boot, which never comes if the reboot command has failed
        if boot == known.reached and any(known.booted.get(one) == may_run[one] for one in runs):
            return RUNS
        awaited = boot in ("", known.rebooting)  # the DUT may come up with these levels in a moment
        ended = not awaited and not gone and all([await self._is_refuted(one) for one in runs])
        return MAY_RUN if runs and not ended else ""

    async def _is_refuted(self, factor: str) -> bool:
        """Whether every check says that the level is not in force; False if one of them cannot tell.

        A single check does not suffice. It may be about something set at run time, which every boot ends,
        even one that the level has chosen.
        """
        try:
            checks = self.setup(factor, self._book.known.levels[factor].level).verify
            return bool(checks) and all([await self._hands.refutes(check) for check in checks])
        except FwdtuiError:
            return False

    async def _apply(self, factor: str, level: int) -> None:
        setup = self.setup(factor, level)
        if not self._does(factor, level):
            return
        self._undoing.forget(factor)
        for upload in setup.uploads:
            await self._hands.check_target(upload)
        old = tuple([await self._hands.value(restore) for restore in setup.restore])
        self._say(f"{factor} = {setup.value}")
        where = {"factor": factor, "level": level, "old": old, "boots": self._now(setup)}
        with self._book.taking(LEVEL, text=str(setup.value), **where):
            await self._run(setup, setup.hosts)

    async def _again(
        self, factor: str, level: int, hosts: Collection[str], when: str, booted: bool = False
    ) -> None:
        """Enter a level again on some hosts.

        The values to put back are known already, except on hosts where a boot has put its own value there
        since. `booted`: the DUT has booted.
        """
        setup, standing = self.setup(factor, level), self._book.known.levels[factor]
        self._undoing.forget(factor)
        ended = {host for host in hosts if self._is_ended(standing, host, booted)}
        old = list(standing.old)
        for number, restore in enumerate(setup.restore[: len(old)]):
            if restore.host in ended:
                old[number] = await self._hands.value(restore)
        boots = {**standing.boots, **{host: now for host, now in self._now(setup).items() if host in hosts}}
        where = {"factor": factor, "level": level, "old": tuple(old), "boots": boots}
        self._say(f"{factor} = {setup.value} on {', '.join(sorted(hosts))}, {when}")
        with self._book.taking(LEVEL, text=f"{setup.value}, {when}", **where):
            await self._run(setup, hosts)

    async def _run(self, setup: LevelSetup, hosts: Collection[str]) -> None:
        self.changes += bool(setup.uploads or setup.apply)
        for upload in setup.uploads:
            if upload.host in hosts:
                if upload.source not in self._uploads:
                    raise StepFailed(
                        f"{upload.source}: was not read, so it cannot be copied to {upload.host}"
                    )
                data = await asyncio.to_thread(self._uploads[upload.source])
                await self._hands.upload(upload, data)
        for action in setup.apply:
            if action.host in hosts:
                await self._hands.act(action)

    async def _leave(self, factor: str, gone: set[str] | None = None) -> None:
        """Undo the level of `factor` on all hosts. See `Undoing.undo` for `gone` and the errors."""
        standing = self._book.known.levels[factor]
        setup = self.setup(factor, standing.level)
        # a doubt alone undoes nothing: only a check can show that nothing is left to be undone
        entered = standing.sure or (standing.doubted and not setup.verify)

        def certain() -> bool:
            return entered and not standing.booted and not self._rebooted(factor, False)

        booted = {host for host in setup.hosts if self._is_ended(standing, host, standing.booted)}
        gone = set() if gone is None else gone
        lost = await self._is_lost(factor, setup, gone)
        self._checked.discard(factor)
        self.changes += bool(setup.undo or setup.restore)
        with self._book.taking(UNDO, factor=factor, level=standing.level, text=str(setup.value)) as outcome:
            try:
                doubt = await self._undoing.undo(factor, setup, standing.old, certain, booted, gone, lost)
            except FwdtuiError:
                if self._undoing.is_parted(factor):
                    outcome["parted"] = True
                raise
            if doubt:
                outcome["doubt"] = doubt

    async def _is_lost(self, factor: str, setup: LevelSetup, gone: Collection[str]) -> bool:
        """Whether a check says, before the level is undone, that it is no longer in force.

        A change above it may have ended it, or a boot, or an earlier process that was killed. That has to be
        known before anything is undone, since afterwards its checks do not hold in any case.
        """
        standing = self._book.known.levels[factor]
        booted = standing.booted or self._rebooted(factor, False)
        holds = standing.sure and factor in self._checked and factor not in self._doubted and not booted
        if holds or standing.parted:
            return False
        if any(check.host in gone for check in setup.verify):
            return False
        try:
            return any([await self._hands.refutes(check) for check in setup.verify])
        except FwdtuiError:
            return False

    async def undo_all(self, gone: Iterable[str] = ()) -> list[str]:
        """Undo all levels in force, the last factor's first; returns what could not be undone, and why.

        `gone`: hosts that are known not to answer, on which nothing is tried.
        """
        problems = []
        gone = set(gone)
        for factor in [one for one in reversed(self._setups) if one in self._book.known.levels]:
            try:
                await self._leave(factor, gone)
            except FwdtuiError as error:
                value = self.setup(factor, self._book.known.levels[factor].level).value
                problems.append(f"{factor} = {value}: {error}")
        return problems
