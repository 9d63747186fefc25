"""A real sshd on loopback to sample over, and stand-ins for FreeBSD's programs behind another."""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "transport"))

from collectors_helpers import FREEBSD_BIN, FreebsdState, Lab, Wire, gone
from transport_helpers import free_port as a_free_port
from transport_sshd import SSHD, Sshd

from fwdtui.transport.ssh import SshPool


def _need_sshd() -> None:
    if not Path(SSHD).exists() or not shutil.which("ssh-keygen"):
        pytest.skip("needs the Debian package openssh-server")
    if os.geteuid() == 0 and not os.access("/run", os.W_OK):
        pytest.skip("sshd needs /run/sshd, and /run cannot be written")


@pytest.fixture(scope="module")
def shared_sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """A server with nothing special; a test leaves no connection to it."""
    _need_sshd()
    server = Sshd(tmp_path_factory.mktemp("shared") / "sshd")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def make_sshd(tmp_path: Path) -> Iterator[Callable[..., Sshd]]:
    """A function that starts a server of the test's own; options are those of sshd_config."""
    _need_sshd()
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
