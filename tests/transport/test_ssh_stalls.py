"""What stalls before a command runs is named: the agent, the configuration, a proxy, the login."""

import getpass
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from transport_sshd import Sshd

from fwdtui.transport.errors import HostError
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshPool

Pools = Callable[[SshSettings], SshPool]
LIMIT = 3.0


async def failure(pools: Pools, server: Sshd) -> HostError:
    """What a user reads instead of a connection, within the limits that are set."""
    limits = {"config_timeout": LIMIT, "connect_timeout": LIMIT, "login_timeout": LIMIT}
    began = time.monotonic()
    with pytest.raises(HostError) as caught:
        host = await pools(server.settings(**limits)).open("dut", "dut")
        await host.connect()
    assert time.monotonic() - began < 10 * LIMIT
    return caught.value


async def test_an_agent_that_does_not_answer(sshd: Sshd, pools: Pools, tmp_path: Path) -> None:
    path = tmp_path / "agent"
    with socket.socket(socket.AF_UNIX) as agent:
        agent.bind(str(path))
        agent.listen(5)
        text = sshd.config.read_text().replace("IdentityAgent none", f"IdentityAgent {path}")
        sshd.config.write_text(text.replace(f" IdentityFile {sshd.user_key}\n", ""))
        assert f"the ssh-agent at {path} does not answer" in (await failure(pools, sshd)).text


async def test_a_command_of_the_configuration_that_hangs(sshd: Sshd, pools: Pools) -> None:
    sshd.config.write_text('Match exec "sleep 12"\n' + sshd.config.read_text())
    assert "does a command of Match exec hang?" in (await failure(pools, sshd)).text


async def test_a_proxy_command_that_brings_nothing(sshd: Sshd, pools: Pools) -> None:
    sshd.write_config("ProxyCommand sleep 12")
    assert "the ProxyCommand delivered no SSH greeting" in (await failure(pools, sshd)).text


async def test_a_login_that_the_host_does_not_finish(make_sshd: Callable[..., Sshd], pools: Pools) -> None:
    server = make_sshd(
        AuthorizedKeysFile="none",
        AuthorizedKeysCommand="/bin/sleep 12",
        AuthorizedKeysCommandUser=getpass.getuser(),
    )
    assert "did not finish the login" in (await failure(pools, server)).text
