"""Servers and pools that are ended with the test that wanted them."""

import os
import shutil
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
from transport_sshd import SSHD, Sshd

from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshHost, SshPool


@pytest.fixture
def make_sshd(tmp_path: Path) -> Iterator[Callable[..., Sshd]]:
    """A function that starts a server; options are those of sshd_config."""
    if not Path(SSHD).exists() or not shutil.which("ssh-keygen"):
        pytest.skip("needs the Debian package openssh-server")
    if os.geteuid() == 0 and not os.access("/run", os.W_OK):
        pytest.skip("sshd needs /run/sshd, and /run cannot be written")
    servers: list[Sshd] = []

    def make(**options: str) -> Sshd:
        server = Sshd(tmp_path / f"sshd{len(servers)}", **options)
        servers.append(server)
        server.start()
        return server

    yield make
    for server in servers:
        server.stop()


@pytest.fixture
def sshd(make_sshd: Callable[..., Sshd]) -> Sshd:
    """A server with nothing special."""
    return make_sshd()


@pytest.fixture
async def pools() -> AsyncIterator[Callable[[SshSettings], SshPool]]:
    """A function that makes a pool; all are closed at the end, and that is quick."""
    made: list[SshPool] = []

    def make(settings: SshSettings) -> SshPool:
        made.append(SshPool(settings))
        return made[-1]

    yield make
    began = time.monotonic()
    for pool in made:
        await pool.aclose()
    assert time.monotonic() - began < 4


@pytest.fixture
async def dut(sshd: Sshd, pools: Callable[[SshSettings], SshPool]) -> SshHost:
    """A connected host."""
    host = await pools(sshd.settings()).open("dut", "dut")
    await host.connect()
    return host
