"""A channel of a simulated host: what happens when its shell no longer reads what the client sends."""

import asyncio
import gc
from pathlib import Path
from typing import Any

from fwdtui.labs.simulated.channel import Channel


class Client:
    """A client that sends more than is read; a stand-in for SSHServerProcess."""

    command = "sleep 0.2"  # it reads nothing, so that the pipe is full when it ends

    def __init__(self) -> None:
        self.stdin = self.stdout = self.stderr = self
        self.status: int | None = None

    async def read(self, size: int) -> bytes:
        await asyncio.sleep(0.01)
        return b"x" * size

    def write(self, data: bytes) -> None:
        pass

    async def drain(self) -> None:
        pass

    async def wait_closed(self) -> None:
        await asyncio.Event().wait()

    def exit(self, status: int) -> None:
        self.status = status


class Still:
    """Snapshots that are never looked at, and the host that they are of."""

    held_up = False

    def present(self) -> Any:
        return None

    def write(self, view: Any) -> None:
        pass

    def remove(self) -> None:
        pass


async def test_a_shell_that_goes_away_leaves_no_exception_that_nobody_took(tmp_path: Path) -> None:
    told: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: told.append(context))
    client: Any = Client()
    still: Any = Still()
    await Channel(client, still, still, {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}).run()
    gc.collect()
    await asyncio.sleep(0)
    assert client.status == 0 and told == []
