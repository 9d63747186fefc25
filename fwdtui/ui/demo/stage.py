"""The labs of the demo: they are brought up in the background, switched between sessions, and taken down."""

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
_LONG = {"link-bounce": 12.0, "starved-dut": 14.0}  # seconds until the scenario's event has happened


class Stage(Protocol):
    """A lab with a plan. `lab` is known before the lab is up."""

    lab: Lab
    plan: Plan
    more: bool
    """Whether there are scenarios outside the plan."""

    async def up(self) -> Path:
        """Bring the lab up; returns its lab.toml. Raises FwdtuiError or OSError."""
        ...

    async def prepare(self, part: Part) -> None:
        """Switch the lab to this session's setting."""
        ...

    async def down(self) -> None:
        """Take the lab down. May be called again, and without `up`."""
        ...

    def others(self) -> tuple[Part, ...]:
        """The scenarios outside the plan."""
        ...


class SimulatedStage:
    """The simulated lab, which runs on any Unix within this process.

    `interval` is written as in lab.toml; `blast` is in seconds.
    """

    more = True

    def __init__(self, interval: str = "500ms", blast: float = 7.0) -> None:
        from fwdtui.labs.simulated import labfile

        self.lab = parse(labfile.text(interval, _WAIT))
        self.plan = demo_plan.simulated(blast)
        self._interval = interval
        self._blast = blast
        self._lab: Any = None

    async def up(self) -> Path:
        """Bring the lab up in its folder. Its code is loaded in a thread, so that keys work meanwhile."""
        module = await asyncio.to_thread(importlib.import_module, "fwdtui.labs.simulated.lab")
        lab = module.SimulatedLab(self.plan.parts[0].setting, interval=self._interval, wait=_WAIT)
        await lab.__aenter__()
        self._lab = lab
        return Path(lab.lab_toml)

    async def prepare(self, part: Part) -> None:
        """Switch to the part's scenario."""
        if self._lab is not None:
            self._lab.switch(part.setting)

    async def down(self) -> None:
        """Take the lab down: none of its processes, ports and files is left."""
        if self._lab is not None:
            await self._lab.aclose()

    def others(self) -> tuple[Part, ...]:
        """The built-in scenarios that are not in the plan."""
        from fwdtui.labs.simulated import scenario

        ours = {part.setting for part in self.plan.parts}
        scenarios = (scenario.load(name) for name in scenario.names() if name not in ours)
        return tuple(
            demo_plan.free(one.name, one.title, one.see.split(), max(self._blast, _LONG.get(one.name, 0.0)))
            for one in scenarios
        )


class KernelStage:
    """The kernel lab with its own name and folder. Raises FwdtuiError if it cannot run here."""

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
        """Allow one demo at a time. A lab that is up while the lock is free was left by a crash."""
        folder = self._where.folder.parent
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(folder / "demo-kernel.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            self._lock = -1
            raise FwdtuiError("another fwdtui demo --kernel is running; quit that one first") from None

    async def up(self) -> Path:
        """Bring the lab up, after taking down what a crash left."""
        from fwdtui.labs.kernel.down import take_down
        from fwdtui.labs.kernel.up import bring_up

        await asyncio.to_thread(take_down, self._where)
        await asyncio.to_thread(bring_up, self._where)
        return self._where.lab_file

    async def prepare(self, part: Part) -> None:
        """Set the part's number of rules in the DUT."""
        from fwdtui.labs.kernel.use import set_rules

        await asyncio.to_thread(set_rules, self._where, int(part.setting))

    async def down(self) -> None:
        """Remove exactly what `up` made."""
        if self._lock < 0:
            return
        from fwdtui.labs.kernel.down import take_down

        await asyncio.to_thread(take_down, self._where)
        os.close(self._lock)
        self._lock = -1

    def others(self) -> tuple[Part, ...]:
        """None: the kernel lab has no scenarios."""
        return ()
