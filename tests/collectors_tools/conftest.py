"""A host over a real sshd, and a network namespace for what sends raw frames."""

import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
import transport_sshd
from transport_helpers import run_tool
from transport_sshd import Sshd

from fwdtui.transport.ssh import SshHost, SshPool

shared_sshd = transport_sshd.shared_sshd


@pytest.fixture
async def tool_pool(shared_sshd: Sshd) -> AsyncIterator[SshPool]:
    async with SshPool(shared_sshd.settings()) as pool:
        yield pool


@pytest.fixture
async def gen(tool_pool: SshPool) -> SshHost:
    """A connected host."""
    host = await tool_pool.open("gen", "dut")
    await host.connect()
    return host


@pytest.fixture
def namespace() -> Iterator[str]:
    """A network namespace with a veth pair ft0 - ft1 in it; both up, nobody else's traffic on them."""
    if os.geteuid() != 0 or not shutil.which("ip"):
        pytest.skip("needs root and iproute2 to make a network namespace")
    name = f"fwdtui-tools-{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode:
        pytest.skip("network namespaces cannot be made here")
    try:
        run_tool("ip", "-n", name, "link", "add", "ft0", "type", "veth", "peer", "name", "ft1")
        for interface in ("ft0", "ft1"):
            run_tool("ip", "-n", name, "link", "set", interface, "addrgenmode", "none", "up")
        yield name
    finally:
        subprocess.run(["ip", "netns", "del", name], check=False)


@pytest.fixture
def program() -> Callable[[str], str]:
    """A function that skips where a program is missing and else gives its name."""

    def need(name: str) -> str:
        if not shutil.which(name):
            pytest.skip(f"{name} is not installed")
        return name

    return need
