"""The labs that a demo plays on: brought up from behind the picture, changed between sessions, taken away."""

import asyncio
import fcntl
import importlib
import os
from pathlib import Path
from typing import Any, Protocol

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Lab, parse
from fwdtui.ui.demo import demo_plan
from fwdtui.ui.demo.demo_plan import Part, Plan

_WAIT = 1  # pkt-gen's -w in seconds
_LONG = {"link-bounce": 12.0, "starved-dut": 14.0}  # until what they are about has happened


class Stage(Protocol):
    """A lab with a plan. `lab` is its shape, known before it is up."""

    lab: Lab
    plan: Plan
    more: bool
    """Whether there is something to see beside the plan."""

    async def up(self) -> Path:
        """Bring it up; returns its lab.toml. Raises FwdtuiError or OSError."""
        ...

    async def prepare(self, part: Part) -> None:
        """Change it to what this session is about."""
        ...

    async def down(self) -> None:
        """Take it away; may be called again, and without `up`."""
        ...

    def others(self) -> tuple[Part, ...]:
        """It, by its parts."""
        ...


class SimulatedStage:
    """On any Unix, within this process. `interval` as lab.toml writes it, `blast` in seconds."""

    more = True

    def __init__(self, interval: str = "500ms", blast: float = 7.0) -> None:
        from fwdtui.labs.simulated import labfile

        self.lab = parse(labfile.text(interval, _WAIT))
        self.plan = demo_plan.simulated(blast)
        self._interval = interval
        self._blast = blast
        self._lab: Any = None

    async def up(self) -> Path:
        """Bring it up in its folder; its programs are loaded beside the event loop, so that keys work."""
        module = await asyncio.to_thread(importlib.import_module, "fwdtui.labs.simulated.lab")
        lab = module.SimulatedLab(self.plan.parts[0].setting, interval=self._interval, wait=_WAIT)
        await lab.__aenter__()
        self._lab = lab
        return Path(lab.lab_toml)

    async def prepare(self, part: Part) -> None:
        """Another scenario."""
        if self._lab is not None:
            self._lab.switch(part.setting)

    async def down(self) -> None:
        """No process, port or file of it is left."""
        if self._lab is not None:
            await self._lab.aclose()

    def others(self) -> tuple[Part, ...]:
        """The scenarios that come with the program, without those of the plan."""
        from fwdtui.labs.simulated import scenario

        ours = {part.setting for part in self.plan.parts}
        found = (scenario.load(name) for name in scenario.names() if name not in ours)
        return tuple(
            demo_plan.free(one.name, one.title, one.see.split(), max(self._blast, _LONG.get(one.name, 0.0)))
            for one in found
        )


class KernelStage:
    """The kernel lab under a name and in a folder of its own. Raises FwdtuiError where it cannot run here."""

    NAME = "walk"
    more = False

    def __init__(self, blast: float = 8.0) -> None:
        from fwdtui.labs.kernel import labfile, needs, place, steering, topology

        needs.require()
        steering.require_cpus(topology.MODES[0])
        self._where = place.find(name=self.NAME)
        text = labfile.text(labfile.Load(), self._where.name, topology.MODES[0], self._where.folder)
        self.lab = parse(text)
        self.plan = demo_plan.kernel(blast)
        self._lock = -1
        self._take_lock()

    def _take_lock(self) -> None:
        """One at a time: a lab that stands while nobody holds this is what a crash has left."""
        folder = self._where.folder.parent
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(folder / "demo-kernel.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            self._lock = -1
            raise FwdtuiError("another fwdtui demo --kernel is running; leave that one first") from None

    async def up(self) -> Path:
        """What a crash left is taken away first."""
        from fwdtui.labs.kernel.down import take_down
        from fwdtui.labs.kernel.up import bring_up

        await asyncio.to_thread(take_down, self._where)
        await asyncio.to_thread(bring_up, self._where)
        return self._where.lab_file

    async def prepare(self, part: Part) -> None:
        """That many rules in the DUT."""
        from fwdtui.labs.kernel.use import set_rules

        await asyncio.to_thread(set_rules, self._where, int(part.setting))

    async def down(self) -> None:
        """Exactly what was made."""
        if self._lock < 0:
            return
        from fwdtui.labs.kernel.down import take_down

        await asyncio.to_thread(take_down, self._where)
        os.close(self._lock)
        self._lock = -1

    def others(self) -> tuple[Part, ...]:
        """Nothing: the kernel does what it does."""
        return ()
