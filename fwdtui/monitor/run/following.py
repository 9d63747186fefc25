"""One run of a lab: its samples are recorded, then shown; nothing here knows a screen."""

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
    """Until the source ends or the task is cancelled: record each sample, push it, tell the watchers.

    A long run of samples that are ready at once still lets the screen draw.
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
