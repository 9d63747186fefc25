"""Cancels a task and waits for its end, without losing a cancellation of the caller."""

import asyncio
from typing import Any


async def cancelled(task: "asyncio.Future[Any]") -> None:
    """Cancel `task` and wait until it has ended. Raises what the task raises, except its CancelledError.

    This is not ``await task`` with CancelledError suppressed. If the caller were cancelled in the meantime,
    that would be mistaken for the task's own cancellation: the caller would go on, and code that waits for
    the caller's end would wait forever.
    """
    task.cancel()
    await asyncio.wait((task,))
    if not task.cancelled():
        task.result()
