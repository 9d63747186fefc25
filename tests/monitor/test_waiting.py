"""Waiting for something in a lab: for how long, and what ends it."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest
from benches import PLAN, SampledBench, quickly

from fwdtui.core.errors import FwdtuiError
from fwdtui.monitor.run.waiting import Waiter

Waits = Callable[[Waiter, SampledBench], Awaitable[None]]


def waiting(told: Waits, tick: Callable[[], None] = lambda: None, lab: str = PLAN) -> None:
    async def main() -> None:
        async with SampledBench(lab) as bench:
            waiter = Waiter(bench, bench.start(), tick)
            await told(waiter, bench)

    quickly(main)


@pytest.mark.parametrize(("seconds", "held"), [(5.0, False), (10.0, True), (None, True)])
def test_it_ends_when_the_condition_holds_or_the_time_is_over(seconds: float | None, held: bool) -> None:
    async def told(waiter: Waiter, bench: SampledBench) -> None:
        began = time.monotonic()
        assert await waiter.wait(seconds, lambda: time.monotonic() >= began + 7.0) is held
        assert time.monotonic() - began == pytest.approx(7.0 if held else 5.0, abs=0.25)

    waiting(told)


def test_what_holds_already_takes_no_time_and_no_time_is_no_wait() -> None:
    async def told(waiter: Waiter, bench: SampledBench) -> None:
        began = time.monotonic()
        assert await waiter.wait(0.0, lambda: True) and not await waiter.wait(0.0)
        assert not await waiter.wait(-1.0) and time.monotonic() == began

    waiting(told)


def test_while_waiting_it_ticks_four_times_a_second() -> None:
    ticks: list[float] = []

    async def told(waiter: Waiter, bench: SampledBench) -> None:
        await waiter.wait(10.0)
        assert len(ticks) == pytest.approx(40, abs=1)

    waiting(told, lambda: ticks.append(time.monotonic()))


def test_stopping_ends_it_at_once_and_every_later_wait() -> None:
    async def told(waiter: Waiter, bench: SampledBench) -> None:
        began = time.monotonic()
        asyncio.get_running_loop().call_later(3.0, waiter.stop.set)
        assert not await waiter.wait(60.0)
        assert time.monotonic() == began + 3.0
        assert not await waiter.wait(60.0) and time.monotonic() == began + 3.0
        assert await waiter.wait(60.0, lambda: True), "what had happened by then has happened"

    waiting(told)


def test_the_end_of_the_samples_ends_it_with_their_error() -> None:
    async def told(waiter: Waiter, bench: SampledBench) -> None:
        bench.source.over.set()
        with pytest.raises(FwdtuiError, match=r"^the hosts send no more samples$"):
            await waiter.wait(60.0)

    waiting(told)

    async def broken(waiter: Waiter, bench: SampledBench) -> None:
        def refuse(sample: object) -> None:
            raise OSError("a broken sampler")

        bench.monitor.push = refuse  # type: ignore[method-assign]
        with pytest.raises(OSError, match="a broken sampler"):
            await waiter.wait(60.0)

    waiting(broken)


def test_a_run_that_is_given_up_ends_it_without_an_error() -> None:
    async def told(waiter: Waiter, bench: SampledBench) -> None:
        assert bench._following is not None
        bench._following.cancel()
        assert not await waiter.wait(60.0)

    waiting(told)


# the quiet before the first blast


@pytest.mark.parametrize("interval", [1.0, 4.0])
def test_the_quiet_is_two_intervals_after_every_host_has_been_sampled_twice(interval: float) -> None:
    async def told(waiter: Waiter, bench: SampledBench) -> None:
        await waiter.quiet()
        # the receiver's second sample comes in the second second
        assert bench.source.now == pytest.approx(1.83 + 2 * interval, abs=0.3)

    waiting(told, lab=f'{PLAN}[sampling]\ninterval = "{interval:g}s"\n')


def test_a_host_without_samples_is_waited_for_for_twenty_seconds_and_named() -> None:
    async def told(waiter: Waiter, bench: SampledBench) -> None:
        bench.source.silent = {"gen", "sink"}
        with pytest.raises(FwdtuiError, match=r"^gen, sink: no samples after 20 s, so nothing was started$"):
            await waiter.quiet()
        assert bench.source.now == pytest.approx(20.0, abs=0.25)

    waiting(told)


@pytest.mark.parametrize(("interval", "told"), [("5s", 20), ("6s", 24), ("10s", 40)])
def test_where_samples_are_rare_the_second_one_is_waited_for(interval: str, told: int) -> None:
    """At 10 s a sample it comes up to twenty seconds after the host has begun to answer."""
    lab = f'{PLAN}[sampling]\ninterval = "{interval}"\n'

    async def late(waiter: Waiter, bench: SampledBench) -> None:
        bench.source.silent = {"dut"}
        asyncio.get_running_loop().call_later(told - 3.0, bench.source.silent.clear)
        await waiter.quiet()

    async def never(waiter: Waiter, bench: SampledBench) -> None:
        bench.source.silent = {"dut"}
        with pytest.raises(FwdtuiError, match=f"^dut: no samples after {told} s, so nothing was started$"):
            await waiter.quiet()
        assert bench.source.now == pytest.approx(told, abs=0.25)

    waiting(late, lab=lab)
    waiting(never, lab=lab)


def test_one_sample_is_not_enough() -> None:
    """Rates need two."""

    async def told(waiter: Waiter, bench: SampledBench) -> None:
        await waiter.wait(1.0)
        bench.source.silent = {"dut"}
        with pytest.raises(FwdtuiError, match=r"^dut: no samples"):
            await waiter.quiet()

    waiting(told)


def test_stopping_in_the_quiet_is_no_error() -> None:
    async def told(waiter: Waiter, bench: SampledBench) -> None:
        bench.source.silent = {"dut"}
        asyncio.get_running_loop().call_later(5.0, waiter.stop.set)
        await waiter.quiet()
        assert bench.source.now == pytest.approx(5.0, abs=0.1)

    waiting(told)


# what has been measured when it is stopped


@pytest.mark.parametrize(
    ("lasted", "became", "iterations"),
    [
        (None, "", 0),  # there is none
        (0.0, "the blast has no whole sample yet, so none of it is saved", 0),
        (10.0, "the blast is still on: what was recorded so far becomes an iteration", 1),
    ],
)
def test_what_a_blast_that_is_broken_off_becomes(lasted: float | None, became: str, iterations: int) -> None:
    async def told(waiter: Waiter, bench: SampledBench) -> None:
        await waiter.quiet()
        if lasted is not None:
            await bench.start_tools()
            assert await waiter.wait(20.0, lambda: bench.monitor.snapshot(0).blast is not None)
            await waiter.wait(lasted)
        assert waiter.save_early() == became
        assert len(bench.monitor.snapshot(0).iterations) == iterations

    waiting(told)
