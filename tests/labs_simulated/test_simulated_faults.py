"""Unattended iterations of a DUT that is not seen: what was seen is kept, with the reason, and it goes on."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fwdtui.labs.simulated.lab import SimulatedLab
from fwdtui.monitor.run.bench import Bench
from fwdtui.monitor.run.unattended import ATTEMPTS, Unattended
from fwdtui.monitor.run.waiting import Waiter
from fwdtui.store import read_session

PLAN = '[run]\niterations = 2\nwarmup = "500ms"\nduration = "3s"\nsettle = "500ms"\n'


def plan_of(lab: SimulatedLab, receiver: bool) -> Path:
    """The lab's file with a short plan, with its receiver or without one."""
    path = Path(lab.lab_toml)
    text = path.read_text().partition("[run]")[0].replace('interval = "200ms"', 'interval = "500ms"')
    assert "500ms" in text
    if not receiver:
        text = text.partition("[receiver]")[0]
    path.write_text(text + PLAN)
    return path


def samplers(lab: SimulatedLab, host: str) -> Iterator[int]:
    """The shells that sample this host: they have been told its folder, and read the requests."""
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and b"mark netstat" in (entry / "cmdline").read_bytes():
                environment = (entry / "environ").read_bytes().split(b"\0")
                if f"FWDTUI_HOST={lab.folder}/{host}".encode() in environment:
                    yield int(entry.name)


async def lose_sampler(bench: Bench, lab: SimulatedLab, host: str) -> None:
    """Kill it until nobody starts it again."""
    while (view := bench.monitor.host(host)) is None or view.up:
        for pid in samplers(lab, host):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        await asyncio.sleep(0.1)


class Led(Waiter):
    """Before the plan measures for as long as it says, the sampler of the DUT is lost in the first blasts.

    However long a busy machine takes for that: no blast ends before, and none of them ends as soon as that.
    """

    def __init__(self, bench: Bench, lab: SimulatedLab, blasts: int) -> None:
        super().__init__(bench, bench.start())
        self._lab = lab
        self._blasts = blasts
        self.plan: Unattended | None = None

    async def wait(self, seconds: float | None, until: Callable[[], bool] = lambda: False) -> bool:
        if self._blasts and self.plan is not None and "measuring" in self.plan.doing:
            self._blasts -= 1
            assert self.bench.monitor.snapshot(0).blast is not None
            await lose_sampler(self.bench, self._lab, "dut")
        return await super().wait(seconds, until)


@pytest.mark.parametrize("receiver", [True, False], ids=["with a receiver", "without one"])
async def test_a_dut_whose_sampler_is_killed_four_times_in_a_blast(
    receiver: bool, lab: SimulatedLab, tmp_path_factory: pytest.TempPathFactory
) -> None:
    said: list[str] = []
    wanted = 2 if receiver else 1  # a blast follows that in which it is killed
    into = tmp_path_factory.mktemp("into")
    async with await Bench.open(plan_of(lab, receiver), unattended=True) as bench:
        bench.record(into, "s", "c")
        led = Led(bench, lab, blasts=1)
        led.plan = plan = Unattended(led, wanted, said.append)
        async with asyncio.timeout(240):
            whole = await plan.run()
    assert whole and plan.kept == wanted and plan.problem == ""
    assert not any("no blast was seen" in text for text in said), said
    iterations = read_session(into / "s").cases[0].iterations
    sound = [one for one in iterations if one.complete]
    assert len(sound) == wanted and all(one.value for one in sound) and len(iterations) >= 2
    told = " ".join(caution.text for caution in iterations[0].warnings)
    assert "dut" in told and "not restarted" in told
    if receiver:
        # its value is whole: the receiver was seen from begin to end
        assert iterations[0].complete
    else:
        assert not iterations[0].complete and iterations[0].value is None
        assert "No samples from dut for the last" in iterations[0].incomplete
        assert any(f"It is repeated, at most {ATTEMPTS - 1} more times" in text for text in said)
    assert any("waiting for samples from dut" in text for text in said)


async def test_the_plan_goes_on_without_an_iteration_that_never_comes_about(
    lab: SimulatedLab, tmp_path_factory: pytest.TempPathFactory
) -> None:
    said: list[str] = []
    into = tmp_path_factory.mktemp("into")
    path = plan_of(lab, receiver=False)
    async with await Bench.open(path, unattended=True) as bench:
        bench.record(into, "s", "c")
        led = Led(bench, lab, blasts=ATTEMPTS)
        led.plan = plan = Unattended(led, 2, said.append)
        async with asyncio.timeout(240):
            whole = await plan.run()
    assert not whole and plan.kept == 1
    assert plan.problem.startswith(f"no sound value after {ATTEMPTS} attempts: iteration 1: ")
    assert "no samples from dut for the last" in plan.problem
    iterations = read_session(into / "s").cases[0].iterations
    complete = [one.complete for one in iterations]
    # a busy machine may have spoiled an attempt at the second one, too
    assert complete == [False] * (len(complete) - 1) + [True], said
    assert ATTEMPTS < len(complete) <= 2 * ATTEMPTS
