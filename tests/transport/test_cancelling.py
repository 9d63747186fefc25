"""Tasks that are cancelled by another one, which may be cancelled itself meanwhile."""

import asyncio
import re
from pathlib import Path

import pytest

import fwdtui
from fwdtui.transport.cancelling import cancelled


async def slow_to_end(seconds: float) -> None:
    try:
        await asyncio.sleep(60)
    finally:
        await asyncio.sleep(seconds)


async def begun(seconds: float) -> "asyncio.Task[None]":
    task = asyncio.create_task(slow_to_end(seconds))
    await asyncio.sleep(0)
    return task


async def test_it_returns_once_the_task_has_ended() -> None:
    task = await begun(0.05)
    await cancelled(task)
    assert task.cancelled()
    await cancelled(task)


async def test_what_the_task_raises_is_raised() -> None:
    async def failing() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            raise ValueError("it went wrong")

    task = asyncio.create_task(failing())
    await asyncio.sleep(0)
    with pytest.raises(ValueError, match="it went wrong"):
        await cancelled(task)


async def test_a_cancellation_of_the_one_who_waits_is_its_own() -> None:
    went_on = []

    async def waiting() -> None:
        await cancelled(task)
        went_on.append(True)

    task = await begun(0.2)
    waiter = asyncio.create_task(waiting())
    await asyncio.sleep(0.05)
    assert not task.done()
    waiter.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiter
    await asyncio.wait((task,))
    assert task.cancelled() and not went_on


def test_nobody_swallows_a_cancellation() -> None:
    swallowing = re.compile(r"suppress\([^)]*(CancelledError|BaseException)")
    files = Path(fwdtui.__file__).parent.rglob("*.py")
    assert [str(one) for one in files if swallowing.search(one.read_text())] == []
