"""How many channels of a connection may be open at a time."""

import asyncio


class ChannelGate:
    """A counter with a queue; `freed` also tells those that the server has turned away."""

    def __init__(self, limit: int) -> None:
        self._slots = asyncio.Semaphore(limit)
        self._freed = asyncio.Event()

    async def acquire(self) -> None:
        await self._slots.acquire()

    def release(self) -> None:
        self._slots.release()
        self._freed.set()

    async def freed(self, seconds: float) -> None:
        """Wait until another channel has closed, or `seconds`."""
        self._freed.clear()
        try:
            async with asyncio.timeout(seconds):
                await self._freed.wait()
        except TimeoutError:
            pass
