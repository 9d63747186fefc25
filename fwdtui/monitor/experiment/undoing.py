"""Undoes a level on its hosts, as far as possible: each part once, however often it is tried."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial

from fwdtui.core.experiment import LevelSetup
from fwdtui.monitor.experiment.actions import Hands, StepFailed
from fwdtui.transport.errors import HostError, TimedOut


class Undoing:
    """Remembers, for each factor, which parts of its level are undone.

    `note` is called with what no step of the journal says. `told` waits until what is known of the boots of
    these hosts is current.
    """

    def __init__(
        self,
        hands: Hands,
        note: Callable[[str], None],
        told: Callable[[Collection[str]], Awaitable[None]],
    ) -> None:
        self._hands = hands
        self._note = note
        self._told = told
        # factor -> which of the steps that undo its level were done since it was entered, or cannot be done
        self._undone: dict[str, set[int]] = {}
        self._stuck: dict[str, set[int]] = {}

    def forget(self, factor: str) -> None:
        """The level is entered again, so all of it will have to be undone."""
        self._undone.pop(factor, None)
        self._stuck.pop(factor, None)

    async def undo(
        self,
        factor: str,
        setup: LevelSetup,
        old: Sequence[str],
        certain: Callable[[], bool],
        booted: Collection[str],
        gone: set[str],
    ) -> None:
        """Undo the level on all hosts; what an earlier try has undone is not undone again.

        `old`: the values to put back. `certain`: whether the whole level was in force, as far as is known
        when it is called. `booted`: hosts on which a boot has ended what was set at run time. `gone`: hosts
        that do not answer, which are not waited for again; more may be added. Raises StepFailed, or a
        HostError if the only problem is that a host does not answer; then the level still has to be undone.
        """
        undone, stuck = self._undone.setdefault(factor, set()), self._stuck.setdefault(factor, set())
        silent: list[HostError | StepFailed] = []
        refused: dict[int, str] = {}
        refusing: set[str] = set()
        for number, (host, act) in enumerate(self._steps(setup, old)):
            if number in undone:
                continue
            if number >= len(setup.undo) and host in booted:
                continue  # the boot has put its own value there, which may be another one
            if host in gone:
                silent.append(StepFailed(f"{host} does not answer"))
                continue
            try:
                await act()
                undone.add(number)
            except StepFailed as error:
                refused[number] = str(error)
                refusing.add(host)
            except HostError as error:
                silent.append(error)
                if not (isinstance(error, TimedOut) and await self._hands.answers(host)):
                    gone.add(host)  # else only this command takes too long
        if refused:
            await self._told(refusing)  # a host may answer after a boot before a sample shows the boot
        if certain():
            stuck.update(refused)
        # what was not entered completely, or was ended by a boot, may not be there any more
        doubtful = refused.keys() - stuck
        if doubtful and not (stands := await self._stands(setup)):
            if stands is None:
                silent.append(StepFailed("nobody knows whether it is still in force"))
            else:
                undone.update(doubtful)
                told = "; ".join(refused.pop(number) for number in sorted(doubtful))
                self._note(f"{factor} = {setup.value} may have been undone before: {told}")
        elif doubtful:
            stuck.update(doubtful)
        if refused or silent:
            lost = next((one for one in silent if isinstance(one, HostError)), None)
            if lost is not None and not stuck & refused.keys():
                raise lost
            raise StepFailed("; ".join(dict.fromkeys([*refused.values(), *map(str, silent)])))
        self.forget(factor)

    def _steps(
        self, setup: LevelSetup, old: Sequence[str]
    ) -> list[tuple[str, Callable[[], Awaitable[object]]]]:
        """The steps that undo a level, in order: the host, and a function that does the step."""
        undoing: list[tuple[str, Callable[[], Awaitable[object]]]]
        undoing = [(one.host, partial(self._hands.act, one)) for one in setup.undo]
        back = list(zip(setup.restore, old, strict=False))
        undoing += [(one.host, partial(self._hands.put_back, one, value)) for one, value in reversed(back)]
        return undoing

    async def _stands(self, setup: LevelSetup) -> bool | None:
        """Whether checks show that a level is in force (no checks: False); None if a host does not answer."""
        try:
            return bool(setup.verify) and not [one for one in setup.verify if await self._hands.differs(one)]
        except HostError:
            return None
