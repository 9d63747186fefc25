"""When drop reasons are counted: within blasts, begun before a generator of ours, and ended after it."""

import asyncio
from collections.abc import Awaitable, Callable

from benches import quickly

from fwdtui.collectors.clock import Axis
from fwdtui.collectors.drop_reasons import ReasonCounter
from fwdtui.core.model import NO_REASONS, REASONS, Sample
from fwdtui.monitor.run.reasons_watch import PATIENCE, ReasonsWatch
from fwdtui.transport.base import Exit, Host


class Script:
    """A process that answers as the script does, and counts until it is stopped."""

    stderr = b""
    oversize = 0
    truncated = False

    def __init__(self, token: str, answers: list[str], takes: float) -> None:
        self._token, self._answers, self._takes = token, answers, takes
        self._over = asyncio.Event()
        self.exit: Exit | None = None

    async def __aiter__(self):
        for answer in self._answers:
            await asyncio.sleep(self._takes)
            for line in answer.split("\n"):
                yield line.replace("@T", f"@{self._token}").encode()
        await self._over.wait()

    async def wait(self) -> Exit:
        self.exit = self.exit or Exit(0)
        return self.exit

    async def stop(self, signal: str = "INT", grace: float = 2.0) -> Exit:
        self._over.set()
        return await self.wait()

    async def close(self) -> Exit:
        self._over.set()
        return await self.wait()


HELLO = (
    "@T B 0 H\n@T host\nbpftrace namespace 7 0\n@T format\n"
    'print fmt: "", __print_symbolic(REC->reason, { 2, "NOT_SPECIFIED" })\n@T E 0'
)
COUNTS = "@T B 1 P\n@T counts\n@all: 5\n@[2, ip_error, d0, 7]: 5\n@T E 1"


class Dut:
    """A host on which the script runs, and the watch over it."""

    name = "dut"

    def __init__(self, *answers: str, takes: float = 0.5) -> None:
        self.answers, self.takes = list(answers), takes
        self.begun: list[Script] = []
        self.samples: list[Sample] = []
        self.running: list[asyncio.Task[None]] = []
        self.axis = Axis()
        self.watch = ReasonsWatch(self.counter, self.run)

    async def start(self, script: str, **_: object) -> Script:
        token = script.split("printf '\\n@%s %s\\n' ", 1)[1].split()[0]
        self.begun.append(Script(token, self.answers, self.takes))
        return self.begun[-1]

    async def counter(self) -> ReasonCounter:
        host: Host = self  # type: ignore[assignment]
        return ReasonCounter(host, self.axis.now)

    def run(self, counter: ReasonCounter) -> None:
        self.running.append(asyncio.create_task(counter.run(self.samples.append, self.axis)))

    def codes(self) -> list[str]:
        return [one.code for one in self.samples]  # type: ignore[union-attr]


def played(scene: Callable[[Dut], Awaitable[None]], *answers: str, takes: float = 0.5) -> Dut:
    async def main() -> Dut:
        dut = Dut(*answers, takes=takes)
        try:
            await scene(dut)
        finally:
            await dut.watch.aclose()
            for task in dut.running:
                task.cancel()
            await asyncio.gather(*dut.running, return_exceptions=True)
        return dut

    return quickly(main)


def test_a_generator_waits_until_the_kernel_counts_and_a_sample_came_after_it() -> None:
    asked: list[float] = []

    def sampled(since: float) -> bool:
        asked.append(since)
        return len(asked) == 3

    async def scene(dut: Dut) -> None:
        await dut.watch.before_blast(sampled)
        assert dut.codes() == [REASONS]
        dut.watch.measuring(on=False)  # no tool runs yet
        assert dut.begun[0].exit is None
        dut.watch.release()
        dut.watch.measuring(on=True)
        dut.watch.measuring(on=False)
        await asyncio.sleep(0.1)
        assert dut.begun[0].exit == Exit(0)

    dut = played(scene, HELLO, COUNTS)
    assert len(asked) == 3 and len(dut.begun) == 1


def test_a_blast_of_others_begins_it_and_each_blast_has_a_counting_of_its_own() -> None:
    async def scene(dut: Dut) -> None:
        for _ in range(2):
            for _ in range(3):
                dut.watch.measuring(on=True)
                await asyncio.sleep(1)
            dut.watch.measuring(on=False)
            await asyncio.sleep(1)

    dut = played(scene, HELLO, COUNTS)
    assert len(dut.begun) == 2
    assert dut.codes() == [REASONS, REASONS]


def test_what_cannot_be_counted_is_said_once_in_a_blast_and_holds_nobody_up() -> None:
    async def scene(dut: Dut) -> None:
        await dut.watch.before_blast(lambda since: False)
        dut.watch.release()
        for _ in range(5):
            dut.watch.measuring(on=True)
            await asyncio.sleep(0.1)

    dut = played(scene, "@T B 0 H\n@T no\nthis kernel tells none\n@T E 0")
    assert [(one.code, one.text) for one in dut.samples] == [  # type: ignore[union-attr]
        (NO_REASONS, "Drop reasons are not counted: this kernel tells none")
    ]


def test_a_host_that_does_not_answer_in_time_is_not_waited_for() -> None:
    async def scene(dut: Dut) -> None:
        begun = asyncio.get_running_loop().time()
        await dut.watch.before_blast(lambda since: True)
        assert asyncio.get_running_loop().time() - begun == PATIENCE
        dut.watch.release()

    assert played(scene, HELLO, takes=2 * PATIENCE).codes() == []


def test_a_counting_that_is_killed_says_so_and_is_not_repeated_in_this_blast() -> None:
    async def scene(dut: Dut) -> None:
        dut.watch.measuring(on=True)
        await asyncio.sleep(2)
        dut.begun[0].exit = Exit(137)
        await dut.begun[0].close()
        for _ in range(3):
            dut.watch.measuring(on=True)
            await asyncio.sleep(1)

    dut = played(scene, HELLO, COUNTS)
    assert dut.codes() == [REASONS, NO_REASONS]
    assert dut.samples[-1].text.endswith("its program was ended by signal 9")  # type: ignore[union-attr]
    assert len(dut.begun) == 1
