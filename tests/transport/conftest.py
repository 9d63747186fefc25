"""Servers and pools that are ended with the test that wanted them."""

import time
from collections.abc import AsyncIterator, Callable

import pytest
import transport_sshd
from transport_sshd import Sshd

from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshHost, SshPool

make_sshd = transport_sshd.make_sshd


@pytest.fixture
def sshd(make_sshd: Callable[..., Sshd]) -> Sshd:
    """A server with nothing special."""
    return make_sshd()


@pytest.fixture
async def pools() -> AsyncIterator[Callable[[SshSettings], SshPool]]:
    """A function that makes a pool; all are closed at the end, and none waits for a silent host.

    Each step of closing gives a host one or two seconds; a login or a command would be given thirty.
    """
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
