"""Ends what was started on a lab's hosts when the lab is left."""

import asyncio
import contextlib
from collections.abc import Sequence

from fwdtui.collectors.tools.running import RunningTool

_LIMIT = 8.0  # seconds for all stop commands together, so that leaving never takes for ever


async def end(tools: Sequence[RunningTool]) -> None:
    """End the tools that still run: by lab.toml's stop command if there is one, else at once.

    A tool that runs as another user can only be ended by its stop command. A tool that has ended by itself is
    left alone: its stop command might end what another person started.
    """
    for tool in tools:
        tool.expect_end()
    stopping = [tool.stop() for tool in tools if tool.ended is None and tool.endpoint.stop]
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_LIMIT):
            await asyncio.gather(*stopping, return_exceptions=True)
    for tool in tools:
        with contextlib.suppress(Exception):  # a host that is gone cannot be cleaned up, but the others can
            await tool.aclose()
