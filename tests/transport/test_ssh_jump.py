"""Hosts behind other hosts: every one of them is checked, and all of the way is taken down again."""

import asyncio
import getpass
import re
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from transport_helpers import free_port, processes_with, until
from transport_sshd import Sshd

from fwdtui.transport.errors import BadSshConfig, UnknownHostKey, Unreachable
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshPool

Pools = Callable[[SshSettings], SshPool]


@pytest.fixture
def bastion(make_sshd: Callable[..., Sshd]) -> Sshd:
    return make_sshd()


@pytest.fixture
def inner(make_sshd: Callable[..., Sshd], bastion: Sshd) -> Sshd:
    """A server whose configuration goes through `bastion`; both have keys of their own."""
    server = make_sshd()
    write_config(server, bastion, "")
    server.known_hosts.write_text(server.known_hosts.read_text() + bastion.known_hosts.read_text())
    return server


def write_config(inner: Sshd, bastion: Sshd, bastion_extra: str, first: str = "") -> None:
    inner.config.write_text(
        f"{first}\nHost bastion\n HostName 127.0.0.1\n Port {bastion.port}\n"
        f" IdentityFile {bastion.user_key}\n {bastion_extra}\n"
        f"Host dut\n HostName 127.0.0.1\n Port {inner.port}\n"
        f" IdentityFile {inner.user_key}\n ProxyJump bastion\n"
        f"Host *\n User {getpass.getuser()}\n IdentitiesOnly yes\n IdentityAgent none\n"
    )


def logins(server: Sshd) -> int:
    return (server.folder / "sshd.log").read_text().count("Accepted publickey")


async def test_a_jump_host_of_ssh_config_is_gone_through(inner: Sshd, bastion: Sshd, pools: Pools) -> None:
    pool = pools(inner.settings())
    host = await pool.open("dut", "dut")
    assert (await host.run("echo $SSH_CONNECTION")).stdout.split()[3] == b"%d" % inner.port
    assert (logins(bastion), logins(inner)) == (1, 1)
    await pool.aclose()
    await until(lambda: not bastion.sessions() and not inner.sessions())


async def test_the_jump_hosts_key_is_checked_whatever_its_block_says(
    inner: Sshd, bastion: Sshd, pools: Pools
) -> None:
    write_config(inner, bastion, "UserKnownHostsFile none\n StrictHostKeyChecking no")
    (Path.home() / ".ssh").mkdir()
    (Path.home() / ".ssh" / "known_hosts").write_text(inner.known_hosts.read_text().splitlines()[0] + "\n")
    host = await pools(inner.settings(known_hosts=None)).open("dut", "dut")
    with pytest.raises(UnknownHostKey, match=r"^dut via bastion: unknown host key") as caught:
        await host.connect()
    assert caught.value.port == bastion.port
    assert (logins(bastion), logins(inner)) == (0, 0)


async def test_a_bastion_to_which_all_hosts_jump_does_not_jump_to_itself(
    inner: Sshd, bastion: Sshd, pools: Pools
) -> None:
    write_config(inner, bastion, "", first="Host *\n ProxyJump bastion")
    host = await pools(inner.settings()).open("dut", "dut")
    await host.connect()
    assert (logins(bastion), logins(inner)) == (1, 1)


async def test_two_jump_hosts_in_a_row(inner: Sshd, bastion: Sshd, make_sshd, pools: Pools) -> None:
    middle = make_sshd()
    first = (
        f"Host middle\n HostName 127.0.0.1\n Port {middle.port}\n IdentityFile {middle.user_key}\n"
        f"Host dut\n ProxyJump bastion,middle"
    )
    write_config(inner, bastion, "", first=first)
    inner.known_hosts.write_text(inner.known_hosts.read_text() + middle.known_hosts.read_text())
    host = await pools(inner.settings()).open("dut", "dut")
    await host.connect()
    assert (logins(bastion), logins(middle), logins(inner)) == (1, 1, 1)


async def test_jumps_in_a_circle_are_an_error(inner: Sshd, bastion: Sshd, pools: Pools) -> None:
    hops = "".join(f"Host h{n}\n HostName 127.0.0.{n + 1}\n ProxyJump h{n + 1}\n" for n in range(1, 12))
    write_config(inner, bastion, "", first=f"{hops}Host dut\n ProxyJump h1")
    host = await pools(inner.settings()).open("dut", "dut")
    with pytest.raises(BadSshConfig, match="more than 8 jump hosts"):
        await host.connect()


async def test_a_host_that_the_bastion_cannot_reach_is_told_from_a_bastion_that_is_down(
    inner: Sshd, bastion: Sshd, pools: Pools
) -> None:
    pool = pools(inner.settings())
    host = await pool.open("dut", f"dut:{free_port()}")
    with pytest.raises(Unreachable, match=r"the jump host cannot reach 127\.0\.0\.1 port"):
        await host.connect()
    await until(lambda: not bastion.sessions())  # the way there is not left open
    bastion.stop()
    with pytest.raises(Unreachable, match=r"dut:[0-9]+ via bastion: connection refused"):
        await host.connect()


async def test_a_lost_bastion_is_a_lost_host(inner: Sshd, bastion: Sshd, pools: Pools) -> None:
    host = await pools(inner.settings()).open("dut", "dut")
    process = await host.start("sleep 60")
    bastion.stop()
    async with asyncio.timeout(3):
        assert (await process.wait()).lost
    bastion.start()
    assert (await host.run("echo back", timeout=5)).stdout == b"back\n"


RELAY = """
    import os, socket, sys, threading
    print("noise of the proxy", file=sys.stderr, flush=True)
    peer = socket.create_connection((sys.argv[1], int(sys.argv[2])))
    def up():
        while data := os.read(0, 65536):
            peer.sendall(data)
            print("more noise", file=sys.stderr, flush=True)
        peer.shutdown(socket.SHUT_WR)
    threading.Thread(target=up, daemon=True).start()
    while data := peer.recv(65536):
        os.write(1, data)
"""


async def test_a_proxy_command_may_talk_on_stderr_and_ends_with_the_connection(
    sshd: Sshd, pools: Pools, tmp_path: Path
) -> None:
    relay = tmp_path / "relay.py"
    relay.write_text(textwrap.dedent(RELAY))
    sshd.write_config(extra=f"ProxyCommand {sys.executable} '{relay}' %h %p")
    pool = pools(sshd.settings())
    host = await pool.open("dut", "dut")
    assert (await host.run("echo in")).stdout == b"in\n"
    assert processes_with(str(relay))
    await pool.aclose()
    assert not processes_with(str(relay))


async def test_a_proxy_command_that_fails_is_unreachable(sshd: Sshd, pools: Pools) -> None:
    sshd.write_config(extra="ProxyCommand no-such-relay %h")
    host = await pools(sshd.settings(login_timeout=2)).open("dut", "dut")
    with pytest.raises(Unreachable, match=r"does `no-such-relay 127\.0\.0\.1` work in a shell") as refused:
        await host.connect()
    assert "closed the connection" not in refused.value.text, "the host was never reached"


def compression(server: Sshd) -> set[str]:
    """What its connections agreed on for what it sends."""
    log = (server.folder / "sshd.log").read_text()
    return set(re.findall(r"kex: server->client .* compression: (\S+)", log))


@pytest.mark.parametrize(
    ("ours", "theirs", "agreed"),
    [("", {}, "zlib@openssh.com"), ("Compression no", {}, "none"), ("", {"Compression": "no"}, "none")],
    ids=["unless ssh_config decides", "ssh_config says no", "the host refuses"],
)
async def test_what_a_host_sends_is_compressed(
    ours: str, theirs: dict[str, str], agreed: str, make_sshd: Callable[..., Sshd], pools: Pools
) -> None:
    server = make_sshd(LogLevel="DEBUG1", **theirs)
    server.write_config(ours)
    host = await pools(server.settings()).open("dut", "dut")
    assert len((await host.run("seq 20000")).stdout.split()) == 20_000
    assert compression(server) == {agreed}


async def test_a_jump_host_passes_on_what_is_encrypted_and_compresses_nothing(
    make_sshd: Callable[..., Sshd], pools: Pools
) -> None:
    bastion, inner = make_sshd(LogLevel="DEBUG1"), make_sshd(LogLevel="DEBUG1")
    write_config(inner, bastion, "")
    inner.known_hosts.write_text(inner.known_hosts.read_text() + bastion.known_hosts.read_text())
    host = await pools(inner.settings()).open("dut", "dut")
    await host.run("exit 0")
    assert (compression(bastion), compression(inner)) == ({"none"}, {"zlib@openssh.com"})
