"""After a boot it is waited for that packets pass: those of the experiment, not what others send there."""

import asyncio
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from experimental import LAB

from fwdtui.monitor.experiment.actions import StepFailed
from fwdtui.monitor.experiment.boots import Rebooting

Rates = tuple[float | None, float | None]
"""Packets per second at the receiver, and at the DUT's outputs; None: nothing counts them."""


async def forwards(before: Rates, sending: Rates) -> bool:
    """Whether the DUT is taken to forward, if so much is seen before anything is sent, and while it is."""

    def seen(rates: Rates) -> Any:
        received, forwarded = (SimpleNamespace(now=one) for one in rates)
        return SimpleNamespace(received=received, forwarded=forwarded)

    waiter: Any = SimpleNamespace(stop=asyncio.Event(), seen=seen(before))

    async def wait(seconds: float, until: Callable[[], bool] = lambda: False) -> bool:
        return until()

    async def start() -> None:
        waiter.seen = seen(sending)

    async def stop() -> None:
        waiter.seen = seen(before)

    waiter.wait = wait
    rebooting: Any = object.__new__(Rebooting)
    rebooting._dut, rebooting._enter = "dut", lambda *phase: None
    rebooting._bench = SimpleNamespace(lab=LAB, monitor=SimpleNamespace(in_blast=False))
    rebooting._waiter = waiter
    try:
        await rebooting._forwards(time.monotonic(), start, stop)
    except StepFailed:
        return False
    return True


@pytest.mark.parametrize(
    ("before", "sending", "passed"),
    [
        ((0.0, 0.0), (9000.0, 9000.0), True),
        ((None, None), (150.0, None), True),  # slow traffic, where nothing counts the DUT's packets
        ((0.0, 0.0), (9000.0, 0.0), False),  # they come by another way
        ((150.0, None), (150.0, None), False),  # broadcasts of the switch
        ((150.0, 120.0), (150.0, 120.0), False),
        ((150.0, 120.0), (1150.0, 1120.0), True),
    ],
)
async def test_packets_pass_if_more_arrive_than_before_they_were_sent(
    before: Rates, sending: Rates, passed: bool
) -> None:
    assert await forwards(before, sending) is passed
