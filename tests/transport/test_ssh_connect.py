"""What stands between us and a login, and what the user is told about each of it."""

import asyncio
import getpass
import os
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from transport_helpers import free_port, generate_key, run_tool
from transport_sshd import Sshd

from fwdtui.transport.base import Phase
from fwdtui.transport.destination import parse_destination
from fwdtui.transport.errors import (
    AuthFailed,
    BadSshConfig,
    ChangedHostKey,
    HostError,
    HostKeyRefused,
    TimedOut,
    UnknownHostKey,
    Unreachable,
)
from fwdtui.transport.known_hosts import accept
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshPool
from fwdtui.transport.wire.config import resolve

Pools = Callable[[SshSettings], SshPool]


async def failure(pools: Pools, settings: SshSettings, destination: str = "dut") -> HostError:
    """The error of one attempt to connect; it is one printable line that names the host."""
    host = await pools(settings).open("dut", destination)
    with pytest.raises(HostError) as caught:
        await host.connect()
    text = str(caught.value)
    assert text.startswith(destination) and text.isprintable()
    assert host.state.phase is (Phase.LOST if caught.value.retry else Phase.FAILED)
    assert host.state.error is caught.value
    return caught.value


@pytest.fixture
def settings(tmp_path: Path) -> SshSettings:
    """For addresses without an sshd."""
    config = tmp_path / "config"
    config.write_text("Host *\n IdentityAgent none\n")
    return SshSettings(config_file=config, accepted=tmp_path / "accepted")


@pytest.fixture
async def serve() -> AsyncIterator[Callable[..., object]]:
    """A function that starts a server on loopback which says `greeting` and then nothing; gives the port."""
    servers: list[asyncio.Server] = []
    writers: list[asyncio.StreamWriter] = []

    async def start(greeting: bytes, hang_up: bool = False) -> int:
        async def talk(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writers.append(writer)
            writer.write(greeting)
            if hang_up:
                writer.close()

        servers.append(await asyncio.start_server(talk, "127.0.0.1", 0))
        return int(servers[-1].sockets[0].getsockname()[1])

    yield start
    for writer in writers:
        writer.close()
    for server in servers:
        server.close()


async def test_a_refused_connection_says_so_at_once(pools: Pools, settings: SshSettings) -> None:
    began = time.monotonic()
    error = await failure(pools, settings, f"127.0.0.1:{free_port()}")
    assert time.monotonic() - began < 1
    assert isinstance(error, Unreachable) and "connection refused" in error.text


async def test_a_name_that_does_not_exist_is_named(pools: Pools, settings: SshSettings) -> None:
    error = await failure(pools, settings, "no-such-host.invalid")
    assert isinstance(error, Unreachable) and "no address for 'no-such-host.invalid'" in error.text


async def test_an_address_that_does_not_answer_times_out_with_our_text(
    pools: Pools, settings: SshSettings
) -> None:
    with socket.socket() as full:
        # a listener whose queue is full leaves further SYNs unanswered
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = full.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(address)
        error = await failure(pools, replace(settings, connect_timeout=0.5), f"127.0.0.1:{address[1]}")
        for one in waiting:
            one.close()
    assert isinstance(error, TimedOut) and "no answer from 127.0.0.1 port" in error.text


async def test_a_mute_server_is_not_an_sshd(pools: Pools, settings: SshSettings, serve) -> None:
    brief = replace(settings, login_timeout=0.5)
    error = await failure(pools, brief, f"127.0.0.1:{await serve(b'')}")
    assert isinstance(error, TimedOut) and "sent no SSH greeting" in error.text


async def test_a_web_server_is_not_an_sshd(pools: Pools, settings: SshSettings, serve) -> None:
    port = await serve(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 600)
    error = await failure(pools, settings, f"127.0.0.1:{port}")
    assert isinstance(error, Unreachable) and "does not speak SSH" in error.text


async def test_a_server_that_hangs_up_may_have_reasons(pools: Pools, settings: SshSettings, serve) -> None:
    error = await failure(pools, settings, f"127.0.0.1:{await serve(b'', hang_up=True)}")
    assert isinstance(error, Unreachable) and "closed the connection before login" in error.text


async def test_an_sshd_of_another_age_is_told_from_a_broken_line(
    pools: Pools, settings: SshSettings, serve
) -> None:
    error = await failure(pools, settings, f"127.0.0.1:{await serve(b'SSH-1.5-old' + bytes([13, 10]))}")
    assert isinstance(error, Unreachable) and "does not speak SSH" in error.text


async def test_a_key_that_the_host_does_not_know_is_named(sshd: Sshd, pools: Pools, tmp_path: Path) -> None:
    sshd.write_config(key=generate_key(tmp_path / "other_key"))
    error = await failure(pools, sshd.settings())
    assert isinstance(error, AuthFailed)
    assert str(tmp_path / "other_key") in error.text and repr(getpass.getuser()) in error.text


async def test_an_encrypted_key_asks_for_ssh_add(sshd: Sshd, pools: Pools, tmp_path: Path) -> None:
    key = generate_key(tmp_path / "locked", "secret")
    sshd.write_config(key=key)
    error = await failure(pools, sshd.settings())
    assert isinstance(error, AuthFailed) and f"{key} needs its passphrase: run ssh-add {key}" in error.text


async def test_an_encrypted_key_works_from_the_agent(sshd: Sshd, pools: Pools, tmp_path: Path) -> None:
    key = generate_key(tmp_path / "locked", "secret")
    (sshd.folder / "authorized_keys").write_bytes(key.with_suffix(".pub").read_bytes())
    agent = run_tool("ssh-agent", "-s", "-a", tmp_path / "agent")
    pid = int(agent.split("SSH_AGENT_PID=")[1].split(";")[0])
    try:
        ask = tmp_path / "askpass"
        ask.write_text("#!/bin/sh\necho secret\n")
        ask.chmod(0o700)
        environment = {"SSH_AUTH_SOCK": str(tmp_path / "agent"), "SSH_ASKPASS": str(ask)}
        run_tool("ssh-add", "-q", key, SSH_ASKPASS_REQUIRE="force", **environment)
        sshd.write_config(key=key)
        text = sshd.config.read_text().replace("IdentityAgent none", f"IdentityAgent {tmp_path / 'agent'}")
        sshd.config.write_text(text)
        host = await pools(sshd.settings()).open("dut", "dut")
        assert (await host.run("echo in")).stdout == b"in\n"
    finally:
        os.kill(pid, 15)


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """A function that gives keys to an ssh-agent of the test's own, and its socket."""
    path = tmp_path / "agent"
    pid = int(run_tool("ssh-agent", "-s", "-a", path).split("SSH_AGENT_PID=")[1].split(";")[0])

    def add(*keys: Path) -> Path:
        run_tool("ssh-add", "-q", *keys, SSH_AUTH_SOCK=str(path))
        return path

    yield add
    os.kill(pid, 15)


@pytest.mark.parametrize(
    ("named", "login"),
    [
        ("IdentityFile {0}/lab\n IdentitiesOnly yes", "lab"),  # its private key is in the agent only
        ("IdentityFile {0}/lab.pub\n IdentitiesOnly yes", "lab"),
        ("IdentityFile {0}/lab.pub", "first"),  # any key of the agent, in its order
        ("IdentityFile {0}/mistyped\n IdentitiesOnly yes", ""),
        ("IdentityFile none\n IdentitiesOnly yes", ""),
        ("IdentitiesOnly yes", "default"),
        ("IdentityFile none", "first"),
    ],
)
async def test_only_the_keys_that_ssh_would_offer_are_offered(
    sshd: Sshd, pools: Pools, tmp_path: Path, agent: Callable[..., Path], named: str, login: str
) -> None:
    """A server may give each key another jail or namespace: another key can be another host."""
    (Path.home() / ".ssh").mkdir()
    keys = {"first": tmp_path / "first", "lab": tmp_path / "lab", "default": Path.home() / ".ssh/id_ed25519"}
    public = [generate_key(key).with_suffix(".pub").read_text() for key in keys.values()]
    (sshd.folder / "authorized_keys").write_text("".join(public))
    socket_path = agent(keys["first"], keys["lab"])
    keys["first"].unlink()
    keys["lab"].unlink()
    sshd.config.write_text(
        f"Host dut\n HostName 127.0.0.1\n Port {sshd.port}\n User {getpass.getuser()}\n"
        f" IdentityAgent {socket_path}\n {named.format(tmp_path)}\n"
    )
    if login:
        await (await pools(sshd.settings()).open("dut", "dut")).connect()
        accepted = (sshd.folder / "sshd.log").read_text().split("Accepted publickey")[1].splitlines()[0]
        assert run_tool("ssh-keygen", "-lf", f"{keys[login]}.pub").split()[1] in accepted
        return
    error = await failure(pools, sshd.settings())
    assert isinstance(error, AuthFailed) and "ssh-agent" not in error.text
    if "mistyped" in named:
        assert f"IdentityFile {tmp_path / 'mistyped'}: no such file" in error.text


async def test_identity_files_that_are_not_there_are_passed_over_as_ssh_does(
    sshd: Sshd, pools: Pools, tmp_path: Path
) -> None:
    sshd.write_config(extra=f"IdentityFile {tmp_path / 'missing'}")
    host = await pools(sshd.settings()).open("dut", "dut")
    assert (await host.run("echo in")).stdout == b"in\n"


async def test_an_unknown_host_shows_the_fingerprint_that_ssh_keygen_shows(sshd: Sshd, pools: Pools) -> None:
    sshd.known_hosts.write_text("")
    error = await failure(pools, sshd.settings())
    assert isinstance(error, UnknownHostKey)
    listing = run_tool("ssh-keygen", "-lf", sshd.folder / "host_key.pub")
    assert error.fingerprint == listing.split()[1] and error.fingerprint in error.text
    assert (error.address, error.port, error.key_type) == ("127.0.0.1", sshd.port, "ssh-ed25519")


async def test_an_accepted_host_is_known_from_then_on(sshd: Sshd, pools: Pools) -> None:
    sshd.known_hosts.write_text("")
    settings = sshd.settings()
    host = await pools(settings).open("dut", "dut")
    with pytest.raises(UnknownHostKey) as caught:
        await host.connect()
    with pytest.raises(UnknownHostKey):
        await host.run("echo in")  # nothing gets round the question
    accept(caught.value, settings.accepted_file)
    await host.connect()
    assert host.state.phase is Phase.UP
    assert sshd.known_hosts.read_text() == ""  # the user's file is not ours to write
    assert (await (await pools(settings).open("again", "dut")).run("echo in")).stdout == b"in\n"


async def test_a_changed_key_is_refused_in_other_words_and_is_not_asked_about(
    sshd: Sshd, pools: Pools, tmp_path: Path
) -> None:
    other = generate_key(tmp_path / "other").with_suffix(".pub").read_text()
    sshd.known_hosts.write_text(f"[127.0.0.1]:{sshd.port} {other}")
    error = await failure(pools, sshd.settings())
    assert isinstance(error, ChangedHostKey) and not isinstance(error, UnknownHostKey)
    assert "HOST KEY HAS CHANGED" in error.text
    assert f"ssh-keygen -R '[127.0.0.1]:{sshd.port}' -f '{sshd.known_hosts}'" in error.text


async def test_a_key_of_another_type_than_the_known_one_is_changed(
    sshd: Sshd, pools: Pools, tmp_path: Path
) -> None:
    generate_key(tmp_path / "ecdsa", kind="ecdsa")
    sshd.known_hosts.write_text(f"[127.0.0.1]:{sshd.port} {(tmp_path / 'ecdsa.pub').read_text()}")
    error = await failure(pools, sshd.settings())
    assert isinstance(error, ChangedHostKey) and "ecdsa-sha2-nistp256" in error.known


async def test_of_several_keys_of_the_host_the_known_one_is_asked_for(
    make_sshd, pools: Pools, tmp_path: Path
) -> None:
    generate_key(tmp_path / "ecdsa", kind="ecdsa")
    server = make_sshd(Include=str(tmp_path / "more"))
    server.stop()
    (tmp_path / "more").write_text(f"HostKey {tmp_path / 'ecdsa'}\n")
    server.start()
    server.known_hosts.write_text(f"[127.0.0.1]:{server.port} {(tmp_path / 'ecdsa.pub').read_text()}")
    host = await pools(server.settings()).open("dut", "dut")
    await host.connect()


async def test_a_host_certificate_of_a_known_authority_is_enough(
    make_sshd, pools: Pools, tmp_path: Path
) -> None:
    authority = generate_key(tmp_path / "ca")
    server = make_sshd(Include=str(tmp_path / "more"))
    server.stop()
    host_key = server.folder / "host_key"
    run_tool("ssh-keygen", "-q", "-s", authority, "-h", "-I", "dut", "-n", "127.0.0.1", f"{host_key}.pub")
    (tmp_path / "more").write_text(f"HostCertificate {host_key}-cert.pub\n")
    server.start()
    plain = server.known_hosts.read_text()
    settings = server.settings()
    server.known_hosts.write_text(f"@cert-authority * {(tmp_path / 'ca.pub').read_text()}")
    await (await pools(settings).open("dut", "dut")).connect()
    server.known_hosts.write_text(plain)  # the key itself, as before the certificate was made
    await (await pools(settings).open("dut", "dut")).connect()
    other = generate_key(tmp_path / "other").with_suffix(".pub").read_text()
    server.known_hosts.write_text(f"@cert-authority * {other}")
    error = await failure(pools, settings)
    assert isinstance(error, HostKeyRefused) and "CA key is not trusted" in error.text


async def test_a_revoked_key_is_refused(sshd: Sshd, pools: Pools) -> None:
    public = (sshd.folder / "host_key.pub").read_text()
    sshd.known_hosts.write_text(sshd.known_hosts.read_text() + f"@revoked * {public}")
    error = await failure(pools, sshd.settings())
    assert isinstance(error, HostKeyRefused) and "revoked" in error.text


@pytest.mark.parametrize("of", ["host_key", "ca"])
async def test_a_key_or_authority_that_ssh_config_revokes_is_refused_although_it_is_known(
    make_sshd, pools: Pools, tmp_path: Path, of: str
) -> None:
    authority = generate_key(tmp_path / "ca")
    server = make_sshd(Include=str(tmp_path / "more"))
    server.stop()
    host_key = server.folder / "host_key"
    run_tool("ssh-keygen", "-q", "-s", authority, "-h", "-I", "dut", "-n", "127.0.0.1", f"{host_key}.pub")
    if of == "ca":
        (tmp_path / "more").write_text(f"HostCertificate {host_key}-cert.pub\n")
        server.known_hosts.write_text(f"@cert-authority * {(tmp_path / 'ca.pub').read_text()}")
    server.start()
    revoked = tmp_path / "revoked"
    server.write_config(extra=f"RevokedHostKeys {revoked}")
    revoked.write_text("# none of ours\n" + generate_key(tmp_path / "other").with_suffix(".pub").read_text())
    await (await pools(server.settings()).open("dut", "dut")).connect()
    key = (host_key if of == "host_key" else authority).with_suffix(".pub").read_text()
    revoked.write_text(f"# stolen\n\n{key}not a key\n")
    error = await failure(pools, server.settings())
    assert isinstance(error, HostKeyRefused) and "revoked" in error.text


@pytest.mark.parametrize("what", ["nothing", "a KRL"])
async def test_keys_that_may_be_revoked_are_not_trusted_when_that_cannot_be_read(
    sshd: Sshd, pools: Pools, tmp_path: Path, what: str
) -> None:
    revoked = tmp_path / "revoked"
    if what == "a KRL":
        run_tool("ssh-keygen", "-q", "-k", "-f", revoked, sshd.folder / "id.pub")
    sshd.write_config(extra=f"RevokedHostKeys {revoked}")
    error = await failure(pools, sshd.settings())
    assert isinstance(error, BadSshConfig) and f"RevokedHostKeys: {revoked}" in error.text


async def test_an_unknown_key_that_a_command_may_know_says_that_it_was_not_asked(
    sshd: Sshd, pools: Pools
) -> None:
    sshd.write_config(extra="KnownHostsCommand /bin/echo %H")
    await (await pools(sshd.settings()).open("dut", "dut")).connect()
    sshd.known_hosts.write_text("")
    error = await failure(pools, sshd.settings())
    assert isinstance(error, UnknownHostKey) and "KnownHostsCommand was not asked" in error.text


async def test_a_way_by_an_interface_is_refused_and_not_another_one_gone(sshd: Sshd, pools: Pools) -> None:
    sshd.write_config(extra="BindInterface lo")
    error = await failure(pools, sshd.settings())
    assert isinstance(error, BadSshConfig) and "write its address as BindAddress" in error.text
    sshd.write_config(extra="BindInterface none\n BindAddress 127.0.0.9")
    host = await pools(sshd.settings()).open("dut", "dut")
    assert (await host.run("echo $SSH_CONNECTION")).stdout.startswith(b"127.0.0.9 ")


async def test_a_key_is_known_by_what_a_final_pass_says_of_the_host(sshd: Sshd, pools: Pools) -> None:
    final = sshd.config.read_text().replace(f" Port {sshd.port}\n", "")
    sshd.config.write_text(f"{final}Match final host 127.0.0.1\n Port {sshd.port}\n HostKeyAlias router\n")
    public = (sshd.folder / "host_key.pub").read_text()
    sshd.known_hosts.write_text(f"router {public}")
    await (await pools(sshd.settings()).open("dut", "dut")).connect()
    sshd.known_hosts.write_text(f"[127.0.0.1]:{sshd.port} {public}")
    error = await failure(pools, sshd.settings())
    assert isinstance(error, UnknownHostKey) and (error.pattern, error.port) == ("router", sshd.port)


@pytest.mark.parametrize("how", ["UserKnownHostsFile none", "UserKnownHostsFile /dev/null"])
@pytest.mark.parametrize("more", ["", "StrictHostKeyChecking no", "GlobalKnownHostsFile none"])
async def test_no_configuration_turns_the_check_off(sshd: Sshd, pools: Pools, how: str, more: str) -> None:
    sshd.write_config(extra=f"{how}\n {more}")
    error = await failure(pools, sshd.settings(known_hosts=None))
    assert isinstance(error, UnknownHostKey)


async def test_known_hosts_files_of_ssh_config_are_used(sshd: Sshd, pools: Pools, tmp_path: Path) -> None:
    home = Path.home()  # the test's own
    (home / "known").write_text(sshd.known_hosts.read_text())
    for line in (
        "UserKnownHostsFile ~/known",
        "UserKnownHostsFile /missing %d/known",
        "GlobalKnownHostsFile ~/known",
    ):
        sshd.write_config(extra=line)
        await (await pools(sshd.settings(known_hosts=None)).open("dut", "dut")).connect()


async def test_the_users_own_files_are_the_default(sshd: Sshd, pools: Pools) -> None:
    folder = Path.home() / ".ssh"
    folder.mkdir()
    (folder / "config").write_text(sshd.config.read_text())
    (folder / "known_hosts").write_text(sshd.known_hosts.read_text())
    settings = sshd.settings(config_file=None, known_hosts=None)
    assert (await (await pools(settings).open("dut", "dut")).run("echo in")).stdout == b"in\n"


async def test_host_key_alias_is_respected(sshd: Sshd, pools: Pools) -> None:
    sshd.known_hosts.write_text(f"router {(sshd.folder / 'host_key.pub').read_text()}")
    sshd.write_config(extra="HostKeyAlias router")
    await (await pools(sshd.settings()).open("dut", "dut")).connect()
    sshd.known_hosts.write_text("")
    error = await failure(pools, sshd.settings())
    assert isinstance(error, UnknownHostKey) and error.pattern == "router"


async def test_a_configuration_that_cannot_be_read_names_file_and_line(sshd: Sshd, pools: Pools) -> None:
    sshd.config.write_text("Host *\n Port many\n")
    with pytest.raises(BadSshConfig, match=rf"^dut: ssh configuration: {sshd.config} line 2: "):
        await pools(sshd.settings()).open("dut", "dut")


@pytest.mark.parametrize("field", ["config_file", "known_hosts"])
async def test_files_that_the_lab_names_must_exist(
    sshd: Sshd, pools: Pools, tmp_path: Path, field: str
) -> None:
    with pytest.raises(BadSshConfig, match=f"^dut: {field}: no such file: {tmp_path / 'nowhere'}$"):
        await pools(sshd.settings(**{field: tmp_path / "nowhere"})).open("dut", "dut")


async def test_two_roles_of_one_machine_share_a_connection(sshd: Sshd, pools: Pools) -> None:
    pool = pools(sshd.settings())
    generator = await pool.open("generator", "dut")
    receiver = await pool.open("receiver", f"{getpass.getuser()}@dut:{sshd.port}")
    await asyncio.gather(generator.connect(), receiver.connect())
    log = (sshd.folder / "sshd.log").read_text()
    assert log.count("Accepted publickey") == 1
    assert (generator.name, receiver.name) == ("generator", "receiver")


@pytest.mark.parametrize(
    "by",
    [
        "IdentityFile {0}/key_{1}",
        "IdentityFile {0}/missing_{1}",
        "IdentityAgent {0}/agent_{1}",
        "CertificateFile {0}/certificate_{1}",
        "SetEnv JAIL={1}",
        "BindAddress {1}",
        "UserKnownHostsFile {0}/known_{1}",  # else the second one's key would not be checked
        "RevokedHostKeys {0}/revoked_{1}",
    ],
)
def test_two_aliases_that_a_server_may_tell_apart_are_two_hosts(tmp_path: Path, by: str) -> None:
    """By ``command="jexec gen sh -c ..."`` in authorized_keys, say: counters would be of the other jail."""
    config = tmp_path / "ssh_config"
    for name in ("gen", "dut"):
        (tmp_path / f"key_{name}").touch()

    def keys(*names: str) -> set[tuple[object, ...]]:
        config.write_text(
            "".join(f"Host {name}\n HostName 192.0.2.1\n {by.format(tmp_path, name[:3])}\n" for name in names)
        )
        settings = SshSettings(config_file=config, accepted=tmp_path / "accepted")
        return {resolve(parse_destination(name), settings).key for name in names}

    assert len(keys("gen", "dut")) == 2
    assert len(keys("gen", "gen-too")) == 1


async def test_nothing_is_forwarded_and_no_terminal_is_asked_for(sshd: Sshd, pools: Pools) -> None:
    sshd.write_config(
        extra="ForwardAgent yes\n ForwardX11Trusted yes\n RequestTTY force\n RemoteCommand false"
    )
    host = await pools(sshd.settings()).open("dut", "dut")
    result = await host.run('echo "[$SSH_AUTH_SOCK$DISPLAY$SSH_TTY]"; tty')
    assert result.stdout == b"[]\nnot a tty\n"


@pytest.mark.parametrize(
    ("of_the_server", "of_the_user", "agreed"),
    [
        ({}, "", "aes256-gcm@openssh.com"),  # the cheapest for asyncssh
        ({}, "Ciphers aes128-ctr,aes256-gcm@openssh.com", "aes128-ctr"),
        ({"Ciphers": "chacha20-poly1305@openssh.com"}, "", "chacha20-poly1305@openssh.com"),
        ({"Ciphers": "aes192-ctr"}, "", "aes192-ctr"),
    ],
    ids=["usual", "the user's choice", "a server without AES-GCM", "only an old one"],
)
async def test_the_cipher_is_the_cheapest_that_the_server_and_the_users_configuration_allow(
    make_sshd: Callable[..., Sshd],
    pools: Pools,
    of_the_server: dict[str, str],
    of_the_user: str,
    agreed: str,
) -> None:
    sshd = make_sshd(LogLevel="DEBUG", **of_the_server)
    sshd.write_config(extra=of_the_user)
    host = await pools(sshd.settings()).open("dut", "dut")
    await host.connect()
    assert f"kex: client->server cipher: {agreed} " in (sshd.folder / "sshd.log").read_text()
