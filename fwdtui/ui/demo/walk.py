"""The walk through the demo, step by step, independent of any screen. It waits for the user at each step."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Iteration
from fwdtui.ui.common.own_keys import key
from fwdtui.ui.demo.demo_control import DemoControl
from fwdtui.ui.demo.demo_plan import WANTED, Part

_TICK = 0.05
_REACH = 30.0  # seconds within which the lab has to answer
_CUT = 25.0  # seconds within which a blast has to become an iteration after its end


class Walk:
    """The walk. Call `run` once; the keys use `go`, `skip` and `automatic`.

    `wanted`: how many iterations each session gets.
    """

    def __init__(self, control: DemoControl, wanted: int = WANTED) -> None:
        self.control = control
        self.plan = control.stage.plan
        self.step = 1
        self.text = "The lab is being brought up."
        self.problem = ""
        self.automatic = False
        self.finished = False
        """Whether the comparison is to be shown; it is set back once that is under way."""
        self.over = False
        """Whether the walk has come to its end: only a new one leads on."""
        self.wanted = wanted
        self._answer = ""
        self._stands = False

    @property
    def waiting(self) -> bool:
        """Whether the walk waits for a key."""
        return self._stands and not self.automatic

    def go(self) -> None:
        """Do this step."""
        if self._stands:
            self._answer = "go"

    def skip(self) -> None:
        """Skip to the next session, or to the comparison."""
        self._answer = "skip"

    async def run(self) -> None:
        """Run until the user asks for the comparison; then `finished` is True."""
        parts = self.plan.parts
        for number, part in enumerate(parts):
            self.step = 2 * number + 1
            before = self.plan.before(number, self._kept, self.wanted) if number else ""
            await self._tried(partial(self._session, part, before))
        measured = [path.name for path in self.control.measured]
        self.step, self.text = self.plan.steps, self.plan.end(measured, str(self.control.into))
        await self._asked()
        self.over = self.finished = True

    async def _tried(self, doing: Callable[[], Awaitable[None]]) -> None:
        """Call `doing`. If it fails, say why, and try again if the user wants to."""
        while True:
            try:
                await doing()
                return
            except (FwdtuiError, OSError) as error:
                self.problem = str(error)
                self.automatic = False
                self.text = (
                    f"{key('demo.go', 'Enter')} tries again, {key('demo.skip', 'n')} goes on without it."
                )
                again = await self._asked()
                self.problem = ""
                if not again:
                    return

    async def _session(self, part: Part, before: str) -> None:
        control, first = self.control, not before
        if first and not await self._open(part):
            return
        self.text = before + part.first_words
        running = (lambda: control.generator_running) if first else (lambda: False)
        if not await self._asked(running):
            return
        self.step += self.step % 2
        if not first:
            self.text = "Closing this session and opening the next."
            if not await self._open(part):
                return
        while (kept := self._kept) < self.wanted:
            self.text = f"{part.look} Iteration {kept + 1} of {self.wanted} is running."
            if not await self._iteration():
                return

    async def _open(self, part: Part) -> bool:
        """Open the session of `part`, and wait until the lab is quiet. False: skipped."""
        control = self.control
        await control.play(part)
        if not await self._until(lambda: control.ready, _REACH, "the lab does not answer: see the events"):
            return False
        quiet = time.monotonic() + 2 * control.lab.interval
        return await self._until(lambda: time.monotonic() >= quiet, _REACH, "")

    @property
    def _made(self) -> list[Iteration]:
        """The saved iterations with a value, whether taken back or not."""
        return [one for one in self.control.snapshot(0).iterations if one.value is not None and one.saved]

    @property
    def _kept(self) -> int:
        return sum(not one.dropped for one in self._made)

    async def _iteration(self) -> bool:
        """Wait until a blast has become an iteration; start one if none is running. False: skipped."""
        control, made = self.control, len(self._made)
        if not control.generator_running:
            await control.start_generator()
        lasts = control.part.blast + _CUT
        if not await self._until(lambda: not control.generator_running, lasts, "the generator does not stop"):
            return False
        return await self._until(lambda: len(self._made) > made, _CUT, "this blast produced no iteration")

    async def _asked(self, also: Callable[[], bool] = lambda: False) -> bool:
        """Wait for a key, for `automatic`, or until `also` returns True. Returns False to skip."""
        self._answer = ""
        self._stands = True
        try:
            while not (self._answer or self.automatic or also()):  # noqa: ASYNC110 - `also` has no event
                await asyncio.sleep(_TICK)
        finally:
            self._stands = False
        return not self._skipped()

    async def _until(self, true: Callable[[], bool], seconds: float, problem: str) -> bool:
        """Wait until `true` returns True. False: skipped. After `seconds`, raises FwdtuiError(`problem`)."""
        end = time.monotonic() + seconds
        while not true():
            if self._skipped():
                return False
            if time.monotonic() > end:
                raise FwdtuiError(problem)
            await asyncio.sleep(_TICK)
        return True

    def _skipped(self) -> bool:
        """Whether a key asked to skip, also while nothing waited for one; it counts once."""
        answer, self._answer = self._answer, ""
        return answer == "skip"
