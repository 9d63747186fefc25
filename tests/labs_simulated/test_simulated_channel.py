"""A channel of a simulated host: in which pieces its client gets what, and a shell that no longer reads."""

import asyncio
import gc
from pathlib import Path
from typing import Any

import pytest

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
    until_step = 0.0

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


class Listener(Client):
    """A client that sends nothing, and notes each piece that it gets."""

    def __init__(self, command: str, file: Path) -> None:
        super().__init__()
        self.command = command
        self.pieces: list[bytes] = []
        self._file = file

    async def read(self, size: int) -> bytes:
        await asyncio.Event().wait()
        return b""

    def write(self, data: bytes) -> None:
        self.pieces.append(data)
        self._file.touch()


async def pieces(command: str, folder: Path) -> list[bytes]:
    """What the client gets of a command; the file "heard" in its folder is made with the first piece."""
    client: Any = Listener(command, folder / "heard")
    still: Any = Still()
    await Channel(client, still, still, {"PATH": "/usr/bin:/bin", "HOME": str(folder)}).run()
    assert client.status == 0
    found: list[bytes] = client.pieces
    return found


async def test_a_frame_is_passed_on_in_one_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fwdtui.labs.simulated.channel._GATHERS", 60.0)
    command = "echo '@t B 1 P'; sleep 0.1; echo 5; echo '@t E 1'; sleep 0.1; echo other"
    assert await pieces(command, tmp_path) == [b"@t B 1 P\n5\n@t E 1\n", b"other\n"]


async def test_a_part_of_a_frame_does_not_wait_for_long_for_the_rest(tmp_path: Path) -> None:
    command = "echo '@t B 1 P'; while [ ! -e heard ]; do sleep 0.02; done; echo '@t E 1'"
    assert await pieces(command, tmp_path) == [b"@t B 1 P\n", b"@t E 1\n"]
