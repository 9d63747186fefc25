"""A real sshd on loopback to sample over, and stand-ins for FreeBSD's programs behind another."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
import transport_sshd
from collectors_helpers import FREEBSD_BIN, FreebsdState, Lab, Wire, gone
from transport_helpers import free_port as a_free_port
from transport_sshd import Sshd

from fwdtui.transport.ssh import SshPool

make_sshd = transport_sshd.make_sshd
shared_sshd = transport_sshd.shared_sshd


@pytest.fixture
async def labs(shared_sshd: Sshd, make_sshd: Callable[..., Sshd]) -> AsyncIterator[Callable[..., Lab]]:
    """A function that makes a lab with one host, "dut"; all is closed at the end, before any server."""
    made: list[Lab] = []

    def make(
        *interfaces: str, interval: str = "100ms", server: Sshd | None = None, **settings: object
    ) -> Lab:
        sshd = server or shared_sshd
        lab = Lab(sshd, SshPool(sshd.settings(**settings)), interfaces, interval)
        made.append(lab)
        return lab

    yield make
    await asyncio.gather(*(lab.aclose() for lab in made))
    assert await gone(lab_process for lab in made for lab_process in lab.processes())


@pytest.fixture
def wire() -> Iterator[Wire]:
    """A veth pair without any traffic but what the test sends."""
    if os.geteuid() != 0 or not shutil.which("ip"):
        pytest.skip("needs root and iproute2 to make a veth pair")
    made = Wire()
    yield made
    made.remove()


@pytest.fixture
def freebsd(tmp_path: Path, make_sshd: Callable[..., Sshd]) -> FreebsdState:
    """What a FreeBSD machine would tell, and a server whose PATH begins with its programs."""
    folder = tmp_path / "freebsd"
    home = tmp_path / "sshd0" / "home"
    environment = f"HOME={home} FREEBSD_STATE={folder} PATH={FREEBSD_BIN}:{os.environ['PATH']}"
    return FreebsdState(folder, make_sshd(SetEnv=environment))


@pytest.fixture
def free_port() -> int:
    """Nobody listens there."""
    return a_free_port()
