"""Follows one run of a lab: each sample is recorded, then pushed to the monitor. It depends on no screen."""

import asyncio
from collections.abc import Callable, Sequence

from fwdtui.collectors.base import Source
from fwdtui.core.model import Sample
from fwdtui.monitor.live.monitor import Monitor
from fwdtui.monitor.run.recorder import Recorder

Watcher = Callable[[Sample], None]


async def follow(
    source: Source,
    monitor: Monitor,
    recorder: Recorder | None = None,
    *,
    watchers: Sequence[Watcher] = (),
) -> None:
    """Record each sample, push it and call the watchers, until the source ends or the task is cancelled.

    Yields after each sample, so that the screen can draw even if many are ready at once.
    """
    async for sample in source:
        if recorder is not None:
            recorder.take(sample)
        monitor.push(sample)
        for watcher in watchers:
            watcher(sample)
        if recorder is not None:
            for event in recorder.taken_news():
                monitor.push(event)
                for watcher in watchers:
                    watcher(event)
        await asyncio.sleep(0)
