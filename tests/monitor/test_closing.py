"""Leaving a lab ends what was started there, also as another user, and takes no longer than it must."""

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest
from benches import PLAN, SampledBench, quickly

from fwdtui.collectors.tools.base import ToolSample
from fwdtui.collectors.tools.running import RunningTool
from fwdtui.core.errors import FwdtuiError
from fwdtui.core.lab import Endpoint
from fwdtui.core.model import EventSample
from fwdtui.monitor.run.bench import Bench
from fwdtui.transport.base import Completed, Exit
from fwdtui.transport.errors import Unreachable
from fwdtui.transport.remote_shell import SIGNALS

SUDO = "sudo trafgen -o igb2 -c x"
KILL = "sudo pkill -INT trafgen"


class Shell:
    """What runs a start command. Its end is not that of what another user runs under it."""

    oversize = 0
    truncated = False
    host = "gen"
    stderr = b""

    def __init__(self) -> None:
        self.exit: Exit | None = None
        self._over = asyncio.Event()

    @property
    def ending(self) -> bool:
        return self.exit is not None

    def end(self, exit: Exit) -> None:
        self.exit = self.exit or exit
        self._over.set()

    async def readline(self) -> bytes | None:
        await self._over.wait()
        return None

    async def wait(self) -> Exit:
        await self._over.wait()
        assert self.exit is not None
        return self.exit

    async def close(self) -> Exit:
        self.end(Exit(143))
        return await self.wait()

    async def stop(self, signal: str = "INT", grace: float = 2.0) -> Exit:
        assert signal in SIGNALS
        return await self.close()


class Gen:
    """The generator's host. `answers`: what its stop command does."""

    name = destination = "gen"

    def __init__(self, answers: str = "ends it") -> None:
        self.answers = answers
        self.shells: list[Shell] = []
        self.ran: list[str] = []

    async def start(self, *_: object, **__: object) -> Shell:
        self.shells.append(Shell())
        return self.shells[-1]

    async def run(self, script: str, **_: object) -> Completed:
        self.ran.append(script)
        if self.answers == "nothing":
            await asyncio.sleep(1000.0)
        if self.answers == "is gone":
            raise Unreachable("gen", "connection lost")
        if self.answers == "ends it":
            for shell in self.shells:
                shell.end(Exit(143))
        return Completed(b"", b"", 0 if self.answers == "ends it" else 1)


async def tool(host: Gen, start: str = SUDO, stop: str | None = KILL) -> RunningTool:
    endpoint = Endpoint("gen", "igb2", "counters", start, stop)
    return await RunningTool.start(host, endpoint, "generator", lambda: 0.0)  # type: ignore[arg-type]


async def events(of: RunningTool) -> list[tuple[str, str]]:
    samples: list[ToolSample] = [sample async for sample in of]
    return [(one.code, one.text) for one in samples if isinstance(one, EventSample)]


def test_the_stop_command_of_what_runs_is_run_when_the_lab_is_left() -> None:
    async def main() -> None:
        host = Gen()
        async with SampledBench() as bench:
            bench.tools.running = [await tool(host)]
        assert host.ran == [KILL]
        assert bench.left == []
        assert (await events(bench.tools.running[0]))[-1] == (
            "tool-ended",
            "the start command on gen was stopped",
        )

    quickly(main)


def test_what_has_ended_by_itself_is_left_alone() -> None:
    """Its stop command might end what somebody else has started since."""

    async def main() -> None:
        host = Gen()
        async with SampledBench() as bench:
            bench.tools.running = [await tool(host)]
            host.shells[0].end(Exit(0))
            await bench.tools.running[0].wait()
        assert host.ran == [] and bench.left == []

    quickly(main)


def test_what_a_signal_reaches_is_ended_by_it_at_once() -> None:
    async def main() -> None:
        host = Gen()
        async with SampledBench() as bench:
            bench.tools.running = [await tool(host, "pktgen -x", None)]
            began = time.monotonic()
        assert time.monotonic() - began < 1 and host.ran == [] and bench.left == []

    quickly(main)


@pytest.mark.parametrize(
    ("answers", "seconds"), [("nothing", 8.0), ("is gone", 0.0), ("does not end it", 5.0)]
)
def test_leaving_waits_for_a_limited_time_and_says_what_may_still_run(answers: str, seconds: float) -> None:
    async def main() -> None:
        host = Gen(answers)
        async with SampledBench() as bench:
            bench.tools.running = [await tool(host), await tool(host)]
            began = time.monotonic()
        assert time.monotonic() - began == pytest.approx(seconds, abs=0.5), "both at the same time"
        assert host.ran == [KILL, KILL]
        assert (
            bench.left == [f"the start command on gen may still run: run its stop command on gen: {KILL}"] * 2
        )
        code, text = (await events(bench.tools.running[0]))[-1]
        assert code == "not-stopped" and "was told to stop and may still run: run its stop command" in text

    quickly(main)


def test_what_runs_as_another_user_without_a_stop_command_is_not_said_to_be_stopped() -> None:
    async def main() -> None:
        host = Gen()
        async with SampledBench() as bench:
            bench.tools.running = [await tool(host, stop=None)]
        assert "may still run: our signals reach what runs through sudo only if the login is" in bench.left[0]
        code, text = (await events(bench.tools.running[0]))[-1]
        assert code == "tool-ended" and "was told to stop and may still run" in text

    quickly(main)


@pytest.mark.parametrize(
    ("start", "stop", "then"),
    [
        ("pkt-gen -f tx", None, "the host ends it on its own within 60 s"),
        (SUDO, KILL, f"it may still run: run its stop command on gen: {KILL}"),
        (SUDO, None, "it may still run: our signals reach what runs through sudo only"),
    ],
)
def test_a_lost_connection_ends_only_what_a_signal_reaches(start: str, stop: str | None, then: str) -> None:
    async def main() -> None:
        host = Gen()
        running = await tool(host, start, stop)
        host.shells[0].end(Exit(None, lost=True, reason="connection lost: no answer to keepalives"))
        ended = await running.wait()
        assert ended.text.startswith(
            f"the start command on gen was cut off: connection lost: no answer to keepalives; {then}"
        )
        assert bool(running.doubt) is ("may still run" in then)

    quickly(main)


def test_a_stop_command_that_fails_is_told_when_it_fails() -> None:
    async def main() -> None:
        host = Gen("does not end it")
        running = await tool(host)
        await running.stop(grace=1.0)
        notes = [text for code, text in await events(running) if code == "note"]
        assert notes == [
            "the start command on gen: the stop command ended with status 1",
            "the start command on gen: it kept running after the stop command: it is sent SIGINT",
        ]

    quickly(main)


def a_bench(host: Gen) -> SampledBench:
    """Its generator is started on this host, and has a stop command."""
    bench = SampledBench(PLAN.replace("[generator]\n", f"[generator]\nstart = {SUDO!r}\nstop = {KILL!r}\n"))
    source: Any = bench.source
    source.axis, source.add = SimpleNamespace(now=time.monotonic), lambda tool: None

    async def machine(destination: str) -> str:
        return destination

    async def opened(*_: object) -> Gen:
        return host

    bench._pool.open = opened  # type: ignore[method-assign,assignment]
    bench._pool.machine = machine  # type: ignore[method-assign]
    return bench


def test_what_waits_to_be_started_is_not_once_the_lab_is_left() -> None:
    """Before a start the hosts' settings are read, which takes seconds: somebody may leave meanwhile."""

    async def main() -> None:
        host, read = Gen(), asyncio.Event()
        bench = a_bench(host)
        bench._settings.before_blast = read.wait  # type: ignore[method-assign,assignment]
        starting = asyncio.ensure_future(Bench.start_tools(bench))
        await asyncio.sleep(0.1)
        await bench.aclose()
        read.set()
        with pytest.raises(FwdtuiError, match="not started: the lab is being left"):
            await starting
        assert host.shells == [] and bench.tools.running == []

    quickly(main)


@pytest.mark.parametrize("end", [RunningTool.stop, RunningTool.aclose], ids=["stopped", "given up"])
def test_what_has_ended_and_whose_last_lines_are_late_is_not_said_to_have_kept_running(end: Any) -> None:
    """Over a slow link they come after its exit status; it is sent no signal, which would leave a doubt.

    Nor does it leave one that nobody waits for them any longer, as when the lab is left.
    """

    class Late(Shell):
        ending = True  # type: ignore[assignment]

        async def close(self) -> Exit:
            self.end(Exit(0))
            return await self.wait()

    async def main() -> None:
        host = Gen("ends nothing")
        running = await tool(host)
        shell = Late()
        running = RunningTool(host, running.endpoint, running.tool, "generator", shell, lambda: 0.0)  # type: ignore[arg-type]
        ended = await end(running)
        assert running.doubt == "" and not any("kept running" in note for note in ended.notes)

    quickly(main)


@pytest.mark.parametrize("end", [RunningTool.stop, RunningTool.aclose], ids=["stopped", "given up"])
def test_what_our_signal_has_ended_may_still_run_also_if_nobody_waited_for_its_last_lines(end: Any) -> None:
    """Only its shell has ended by then, and not what another user runs under it."""

    class Signalled(Shell):
        ending = False  # type: ignore[assignment]

        async def stop(self, signal: str = "INT", grace: float = 2.0) -> Exit:
            if not self.ending:
                self.ending = True
                await asyncio.sleep(1000.0)
            return await self.close()

    async def main() -> None:
        host = Gen("does not end it")
        running = await tool(host)
        shell = Signalled()
        running = RunningTool(host, running.endpoint, running.tool, "generator", shell, lambda: 0.0)  # type: ignore[arg-type]
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(running.stop(grace=0.1), 1.0)
        assert shell.ending
        await end(running)
        assert running.doubt == MAY

    quickly(main)


MAY = f"the start command on gen may still run: run its stop command on gen: {KILL}"


def test_what_may_still_run_is_told_also_if_the_lab_is_left_while_the_next_start_waits_for_drop_reasons() -> (
    None
):
    """They take seconds, in which somebody may leave; what was to be started is nothing that may run."""

    async def main() -> None:
        counting = asyncio.Event()

        async def waits(*_: object) -> None:
            await counting.wait()

        bench = a_bench(Gen())
        bench._reasons = SimpleNamespace(before_blast=waits, release=lambda: None, aclose=counting.wait)  # type: ignore[assignment]
        bench.tools.running = [await tool(Gen("does not end it"))]
        await bench.stop_tools()
        starting = asyncio.ensure_future(Bench.start_tools(bench))
        await asyncio.sleep(0.1)
        asyncio.get_running_loop().call_later(0.1, counting.set)
        await bench.aclose()
        with pytest.raises(FwdtuiError, match="not started: the lab is being left"):
            await starting
        assert bench.left == [MAY]

    quickly(main)


def test_what_may_still_run_of_an_earlier_blast_is_told_once_and_what_has_ended_is_not() -> None:
    async def main() -> None:
        host = Gen("does not end it")
        bench = a_bench(host)
        for answers in ("does not end it", "does not end it", "ends it"):
            host.answers = answers
            await Bench.start_tools(bench)
            await Bench.stop_tools(bench)
        await bench.aclose()
        assert len(host.shells) == 3 and bench.left == [MAY]

    quickly(main)


def test_what_is_just_being_started_is_ended_as_all_that_runs() -> None:
    class Slow(Gen):
        async def start(self, *_: object, **__: object) -> Shell:
            await asyncio.sleep(1.0)
            return await super().start()

    async def main() -> None:
        host = Slow()
        bench = a_bench(host)
        starting = asyncio.ensure_future(Bench.start_tools(bench))
        await asyncio.sleep(0.5)
        await bench.aclose()
        (tool,) = await starting
        assert host.ran == [KILL] and tool.ended is not None

    quickly(main)
