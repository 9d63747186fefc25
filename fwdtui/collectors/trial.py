"""Runs a producer for a moment, and collects the samples that a recording would get from it."""

import asyncio
from collections.abc import Callable, Sequence

from fwdtui.collectors.base import Producer
from fwdtui.collectors.clock import Axis
from fwdtui.core.model import Sample

LONGEST = 15.0  # seconds for a sample of each kind


async def taken(producer: Producer, enough: Callable[[Sequence[Sample]], bool]) -> list[Sample]:
    """Runs `producer` until `enough` accepts its samples, until it ends by itself, or for LONGEST seconds.

    It is stopped in any case. Raises what the producer raises; with the existing ones, that is a HostError.
    """
    samples: list[Sample] = []
    done = asyncio.Event()

    def keep(sample: Sample) -> None:
        samples.append(sample)
        if enough(samples):
            done.set()

    running = asyncio.create_task(producer.run(keep, Axis()))
    waiting = asyncio.create_task(done.wait())
    try:
        await asyncio.wait({running, waiting}, timeout=LONGEST, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (running, waiting):
            task.cancel()
        ended = await asyncio.gather(running, waiting, return_exceptions=True)
    for error in ended:
        if isinstance(error, Exception):
            raise error
    return samples
