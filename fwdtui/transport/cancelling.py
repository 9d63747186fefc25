"""Cancels a task and waits for its end, without losing a cancellation of whoever waits."""

import asyncio
from typing import Any


async def cancelled(task: "asyncio.Future[Any]") -> None:
    """Cancel `task` and wait until it has ended. Raises what it raises, but not that it was cancelled.

    Not ``await task`` with its CancelledError suppressed: a cancellation of the caller that comes meanwhile
    would be taken for the task's own, so that the caller goes on, and who waits for its end does so forever.
    """
    task.cancel()
    await asyncio.wait((task,))
    if not task.cancelled():
        task.result()
