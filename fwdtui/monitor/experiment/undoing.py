"""Undoes a level on its hosts, as far as possible: each part once, however often it is tried."""

import enum
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import LevelSetup
from fwdtui.monitor.experiment.actions import Hands, StepFailed
from fwdtui.transport.errors import HostError, TimedOut


class _State(enum.Enum):
    """What the checks of a level say together."""

    IN_FORCE = enum.auto()
    GONE = enum.auto()
    """Each of them answers that the level is not in force."""
    IN_DOUBT = enum.auto()
    """There are none, they disagree, one of them could not run, or they say nothing of what was refused."""
    SILENT = enum.auto()
    """A host did not answer."""


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
        self._whole: set[str] = set()  # factors whose level was certain, but whose state is in doubt
        self._lost: set[str] = set()  # factors whose level was not in force before any of it was undone
        self._doubts: dict[str, list[str]] = {}  # what was refused, and perhaps because it was done before

    def forget(self, factor: str) -> None:
        """The level is entered again, so all of it will have to be undone."""
        self._undone.pop(factor, None)
        self._stuck.pop(factor, None)
        self._whole.discard(factor)
        self._lost.discard(factor)
        self._doubts.pop(factor, None)

    def is_parted(self, factor: str) -> bool:
        """Whether some steps that undo the level were done, and others cannot be done."""
        return bool(self._undone.get(factor) and self._stuck.get(factor))

    async def undo(
        self,
        factor: str,
        setup: LevelSetup,
        old: Sequence[str],
        certain: Callable[[], bool],
        booted: Collection[str],
        gone: set[str],
        lost: bool = False,
    ) -> str:
        """Undo the level on all hosts; what an earlier try has undone is not undone again.

        `old`: the values to put back. `certain`: whether the whole level was in force, as far as is known
        when it is called. `booted`: hosts on which a boot has ended what was set at run time. `gone`: hosts
        that do not answer, which are not waited for again; more may be added. `lost`: a check has shown that
        the level is not in force; if something of it was undone by an earlier try, that proves nothing.
        Returns why it is in doubt whether the level is undone, "" if it is not. Raises StepFailed, or a
        HostError if the only problem is that a host does not answer; then the level still has to be undone.
        """
        undone, stuck = self._undone.setdefault(factor, set()), self._stuck.setdefault(factor, set())
        if lost and not undone:
            self._lost.add(factor)
        lost = factor in self._lost
        silent: list[HostError | StepFailed] = []
        refused: dict[int, str] = {}
        refusing: set[str] = set()
        steps = self._steps(setup, old)
        for number, (host, act) in enumerate(steps):
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
        for number in [*refused]:
            if await self._is_back(setup, old, number):
                undone.add(number)
                told = refused.pop(number)
                self._note(f"{factor} = {setup.value}: what was to be put back was there already: {told}")
        whole = certain() or factor in self._whole
        if whole and not (lost or factor in self._whole):
            stuck.update(refused)
        # what was not entered completely, or was ended since, may not be there any more
        if doubtful := refused.keys() - stuck:
            told = "; ".join(refused[number] for number in sorted(doubtful))
            state = await self._state(setup)
            told_of = {check.host for check in setup.verify}
            if state is _State.GONE and not (lost and all(steps[one][0] in told_of for one in doubtful)):
                state = _State.IN_DOUBT  # it may only be gone where something else was undone just now
            if state is _State.SILENT:
                silent.append(StepFailed("nobody knows whether it is still in force"))
            elif state is _State.IN_FORCE:
                stuck.update(doubtful)
            elif state is _State.IN_DOUBT and whole:
                self._whole.add(factor)  # a failed try makes it uncertain, which must not end the doubt
                silent.append(StepFailed("it is in doubt whether it is still in force"))
            else:
                undone.update(doubtful)
                for number in doubtful:
                    del refused[number]
                if state is _State.GONE:
                    self._note(f"{factor} = {setup.value} was no longer in force, as its checks say: {told}")
                else:
                    self._doubts.setdefault(factor, []).append(told)
                    self._note(f"it is in doubt whether {factor} = {setup.value} is undone: {told}")
        if refused or silent:
            unanswered = next((one for one in silent if isinstance(one, HostError)), None)
            if unanswered is not None and not stuck & refused.keys():
                raise unanswered
            raise StepFailed("; ".join(dict.fromkeys([*refused.values(), *map(str, silent)])))
        doubts = "; ".join(self._doubts.get(factor, ()))
        self.forget(factor)
        return doubts

    def _steps(
        self, setup: LevelSetup, old: Sequence[str]
    ) -> list[tuple[str, Callable[[], Awaitable[object]]]]:
        """The steps that undo a level, in order: the host, and a function that does the step."""
        undoing: list[tuple[str, Callable[[], Awaitable[object]]]]
        undoing = [(one.host, partial(self._hands.act, one)) for one in setup.undo]
        back = list(zip(setup.restore, old, strict=False))
        undoing += [(one.host, partial(self._hands.put_back, one, value)) for one, value in reversed(back)]
        return undoing

    async def _is_back(self, setup: LevelSetup, old: Sequence[str], number: int) -> bool:
        """Whether a step that was refused would put back a value that is there already."""
        place = number - len(setup.undo)
        if place < 0:
            return False
        restore, value = list(zip(setup.restore, old, strict=False))[-1 - place]
        try:
            return bool(value) and await self._hands.value(restore) == value
        except FwdtuiError:
            return False

    async def _state(self, setup: LevelSetup) -> _State:
        """What the level's checks say."""
        try:
            wrong = [one for one in setup.verify if await self._hands.differs(one)]
            if setup.verify and not wrong:
                return _State.IN_FORCE
            gone = wrong == list(setup.verify) and all([await self._hands.refutes(one) for one in wrong])
        except HostError:
            return _State.SILENT
        return _State.GONE if wrong and gone else _State.IN_DOUBT
