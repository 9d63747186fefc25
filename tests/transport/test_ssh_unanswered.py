"""A server that closes a session in place of an answer, as dropbear on a slow machine does now and then."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from asyncssh.process import SSHServerProcess
from transport_helpers import generate_key

from fwdtui.transport.errors import RemoteShellFailed, TimedOut
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshPool

Pools = Callable[[SshSettings], SshPool]
Serve = Callable[[Callable[[int], bool]], Any]


async def run(process: "asyncssh.SSHServerProcess[bytes]") -> None:
    """Does what a login shell does."""
    pipe = asyncio.subprocess.PIPE
    shell = await asyncio.create_subprocess_shell(
        process.command or "exit 1", stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
    )
    assert shell.stdin and shell.stdout and shell.stderr

    async def copy(source: Any, sink: Any) -> None:
        while data := await source.read(4096):
            sink.write(data)

    reading = asyncio.create_task(copy(process.stdin, shell.stdin))
    await asyncio.gather(copy(shell.stdout, process.stdout), copy(shell.stderr, process.stderr))
    reading.cancel()
    process.exit(await shell.wait())


class Closed(asyncssh.SSHServerSession[bytes]):
    """Is closed by the request for its command, which is neither run nor refused."""

    def connection_made(self, chan: "asyncssh.SSHServerChannel[bytes]") -> None:
        self._channel = chan

    def exec_requested(self, command: str) -> bool:
        self._channel.abort()
        return False


class Server(asyncssh.SSHServer):
    """`answers` is asked for each session, the first of which is number 0."""

    def __init__(self, answers: Callable[[int], bool]) -> None:
        self._answers = answers
        self._numbers = itertools.count()

    def connection_made(self, conn: "asyncssh.SSHServerConnection") -> None:
        self._connection = conn

    def session_requested(self) -> Any:
        answered = self._answers(next(self._numbers))
        session = SSHServerProcess(run, None, 0, False) if answered else Closed()
        return self._connection.create_server_channel(encoding=None), session


@pytest.fixture
async def serve(tmp_path: Path) -> AsyncIterator[Serve]:
    """serve(answers) -> settings that lead to such a server as "dut"."""
    key, host_key = generate_key(tmp_path / "id"), generate_key(tmp_path / "host_key")
    listening: list[asyncssh.SSHAcceptor] = []

    async def start(answers: Callable[[int], bool]) -> SshSettings:
        server = await asyncssh.listen(
            "127.0.0.1",
            0,
            server_factory=lambda: Server(answers),
            server_host_keys=[str(host_key)],
            authorized_client_keys=str(key.with_suffix(".pub")),
        )
        listening.append(server)
        port = server.get_port()
        public = host_key.with_suffix(".pub").read_text()
        (tmp_path / "known_hosts").write_text(f"[127.0.0.1]:{port} {public}")
        (tmp_path / "config").write_text(
            f"Host dut\n HostName 127.0.0.1\n Port {port}\n User root\n"
            f" IdentityFile {key}\n IdentityAgent none\n"
        )
        return SshSettings(
            config_file=tmp_path / "config",
            known_hosts=tmp_path / "known_hosts",
            accepted=tmp_path / "accepted",
        )

    yield start
    for server in listening:
        server.close()
        await server.wait_closed()


async def test_another_session_is_asked_for_the_command(serve: Serve, pools: Pools) -> None:
    host = await pools(await serve(lambda number: number % 3 == 2)).open("dut", "dut")
    results = await asyncio.gather(*(host.run(f"echo {number}", timeout=30) for number in range(4)))
    assert [result.stdout for result in results] == [b"0\n", b"1\n", b"2\n", b"3\n"]


async def test_a_server_that_never_answers_is_given_up_and_not_said_to_refuse_commands(
    serve: Serve, pools: Pools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fwdtui.transport.wire.connection._AGAIN_MAX", 0.01)
    asked: list[int] = []
    host = await pools(await serve(lambda number: bool(asked.append(number)))).open("dut", "dut")
    with pytest.raises(RemoteShellFailed, match="closes sessions before it has run a command"):
        await host.run("echo in", timeout=30)
    assert len(asked) == 20


async def test_what_its_time_is_up_for_says_so_too(serve: Serve, pools: Pools) -> None:
    host = await pools(await serve(lambda number: False)).open("dut", "dut")
    with pytest.raises(Exception, match="closes sessions before it has run a command") as caught:
        await host.run("echo in", timeout=0.5)
    assert not isinstance(caught.value, TimedOut)
