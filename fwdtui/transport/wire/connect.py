"""Opens a connection: jump hosts, host key and login, each with its own timeout and error messages."""

import asyncio
import contextlib
import logging
import os
import threading
from typing import cast

import asyncssh

from fwdtui.transport.destination import Destination, parse_destination
from fwdtui.transport.errors import BadSshConfig, HostKeyError, LedElsewhere, TimedOut
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.wire import identities, proxy
from fwdtui.transport.wire.config import Resolved, resolve
from fwdtui.transport.wire.connection import Connection
from fwdtui.transport.wire.explain import connect_error
from fwdtui.transport.wire.trust import Trust, revoked_keys

# without a handler, Python would print asyncssh's warnings over the screen
logging.getLogger("asyncssh").addHandler(logging.NullHandler())

_HOPS = 8
_COMPRESSED = ("zlib@openssh.com", "none")
"""The compression that a host is asked for unless ssh_config decides. A host without it sends uncompressed.

Compressed counters of a router with 32 cores and 64 queues took an eighth of their files' bytes, for 0.2 ms
of the server's CPU time per plain tick (benchmarks/sampling_bytes.py). Sending differences of the numbers
instead was tried: it took the same CPU time and more bytes in mawk, and two to six times that CPU time in
other awks. Compression begins only after the login, so a peer that has not logged in cannot reach the
decompressor. Jump hosts are not asked for it: what they pass on is encrypted.
"""
_CIPHERS = "^aes256-gcm@openssh.com,aes128-gcm@openssh.com"
"""The ciphers to prefer if ssh_config names none. sshd has had them since 6.2.

For a packet of 1 KiB, asyncssh needs 7 us with them, and 42 us with its own first choice, ChaCha20, for which
it makes three cipher objects per packet.
"""


async def resolve_later(destination: Destination, settings: SshSettings) -> Resolved:
    """`resolve` in a thread: it reads files, may run the commands of `Match exec`, and ask the name server.

    Raises TimedOut if that takes longer than `settings.config_timeout`.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Resolved] = loop.create_future()

    def settle(result: Resolved | None, problem: BaseException | None) -> None:
        if not done.done():
            done.set_exception(problem) if problem else done.set_result(cast(Resolved, result))

    def read() -> None:
        result, problem = None, None
        try:
            result = resolve(destination, settings)
        except Exception as error:
            problem = error
        with contextlib.suppress(RuntimeError):  # the loop has ended in the meantime
            loop.call_soon_threadsafe(settle, result, problem)

    # a daemon thread: unlike one of the loop's pool, it cannot keep the program from exiting
    threading.Thread(target=read, daemon=True, name="ssh_config").start()
    try:
        async with asyncio.timeout(settings.config_timeout):
            return await done
    except TimeoutError:
        raise TimedOut(
            str(destination),
            f"the ssh configuration was not read within {settings.config_timeout:g} s:"
            " does a command of Match exec hang? CanonicalizeHostname waits for the name server, too",
        ) from None


async def connect(destination: Destination, settings: SshSettings, key: tuple[object, ...]) -> Connection:
    """Make one attempt. Raises a HostError whose message names `destination`.

    `key`: `Resolved.key` of the destination when it was opened; another one is refused (LedElsewhere).
    """
    label = str(destination)
    resolved = await resolve_later(destination, settings)
    if resolved.key != key:
        raise LedElsewhere(label, resolved.address)
    async with contextlib.AsyncExitStack() as way:
        connection, client = await _connect(label, resolved, settings, way, [])
        release = way.pop_all().aclose
    return Connection(label, settings, connection, client.lost, release)


async def _connect(
    label: str,
    resolved: Resolved,
    settings: SshSettings,
    way: contextlib.AsyncExitStack,
    passed: list[tuple[object, ...]],
) -> "tuple[asyncssh.SSHClientConnection, _Client]":
    """Connect through the jump hosts that the configuration names. `way` later closes all that is opened.

    asyncssh could do the jumps itself, but it would check jump hosts by its own rules, including
    `UserKnownHostsFile none`, and would loop if the configuration of a jump host itself has a ProxyJump.
    """
    passed = [*passed, resolved.key]
    if len(passed) > _HOPS:
        raise BadSshConfig(label, "ProxyJump: more than 8 jump hosts in a row")
    tunnel: asyncssh.SSHClientConnection | None = None
    for hop in resolved.jump.split(",") if resolved.jump else ():
        target = await resolve_later(parse_destination(hop.strip()), settings)
        if (target.host, target.port, target.user) in [key[:3] for key in passed]:
            continue  # ssh also skips a jump over the host itself
        tunnel, _ = await _login(f"{label} via {hop.strip()}", target, settings, way, tunnel, passed)
    return await _login(label, resolved, settings, way, tunnel, passed, jumps=False)


async def _login(
    label: str,
    resolved: Resolved,
    settings: SshSettings,
    way: contextlib.AsyncExitStack,
    tunnel: asyncssh.SSHClientConnection | None,
    passed: list[tuple[object, ...]],
    jumps: bool = True,
) -> "tuple[asyncssh.SSHClientConnection, _Client]":
    """Make one connection: directly, through `tunnel` or through a ProxyCommand."""
    if jumps and tunnel is None and resolved.jump:
        return await _connect(label, resolved, settings, way, passed)  # the first jump host has jumps itself
    if resolved.bind_interface and tunnel is None and not resolved.proxy_command:
        raise BadSshConfig(
            label,
            f"BindInterface {resolved.bind_interface}: fwdtui cannot choose an interface;"
            " write its address as BindAddress",
        )
    client = _Client(label, resolved, settings)
    options = identities.options(
        resolved.identity_files, resolved.private_keys, resolved.agent_keys, resolved.certificates
    )
    if not resolved.host_key_algorithms:
        options["server_host_key_algs"] = client.trust.algorithms(resolved.host, resolved.port)
    if not resolved.ciphers:
        options["encryption_algs"] = _CIPHERS
    if resolved.identity_agent is not None:
        options["agent_path"] = resolved.identity_agent
    if not jumps and len(passed) == 1 and not resolved.compression:
        options["compression_algs"] = _COMPRESSED
    try:
        async with asyncio.timeout(resolved.connect_timeout or settings.connect_timeout) as client.clock:
            if tunnel is None and resolved.proxy_command:
                options["sock"] = await proxy.open_proxy(resolved.proxy_command, way)
            connection = await asyncssh.connect(
                resolved.host,
                resolved.port,
                username=resolved.user,
                config=None,
                options=resolved.options,
                canonicalize_hostname=False,  # already done: `resolved.host` is the name to look up
                tunnel=tunnel,
                proxy_command=None,
                client_factory=lambda: client,
                known_hosts=client.trust.lookup,
                x509_trusted_certs=None,
                ignore_encrypted=True,
                agent_forwarding=False,
                encoding=None,
                connect_timeout=None,
                login_timeout=0,
                keepalive_interval=settings.keepalive_interval,
                keepalive_count_max=settings.keepalive_count,
                **options,
            )
    except asyncssh.HostKeyNotVerifiable as problem:
        raise client.refused or connect_error(label, resolved, client.phase, problem) from None
    except (OSError, ValueError, asyncssh.Error) as problem:
        late = isinstance(problem, TimeoutError) and client.phase == "auth"
        if late and (path := await silent_agent(resolved.identity_agent)):
            text = f"the ssh-agent at {path} does not answer, and the login is waiting for it"
            raise TimedOut(label, text) from None
        raise connect_error(label, resolved, client.phase, problem) from problem
    way.push_async_callback(_close, connection)
    return connection, client


async def silent_agent(path: str | None) -> str:
    """The socket of the agent for logins, if the agent does not list its keys within a second; else "".

    `path`: IdentityAgent; None is SSH_AUTH_SOCK. The request is number 11 of draft-ietf-sshm-ssh-agent.
    """
    path = os.environ.get("SSH_AUTH_SOCK", "") if path is None else path
    if not path:
        return ""
    try:
        async with asyncio.timeout(1.0):
            reader, writer = await asyncio.open_unix_connection(path)
            try:
                writer.write(b"\0\0\0\1\x0b")
                await reader.read(1)
            finally:
                writer.close()
    except TimeoutError:
        return path
    except OSError:
        return ""
    return ""


async def _close(connection: asyncssh.SSHClientConnection) -> None:
    connection.abort()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(1.0):
            await connection.wait_closed()


class _Client(asyncssh.SSHClient):
    """Follows a login: how far it has got, and which host key was shown."""

    def __init__(self, label: str, resolved: Resolved, settings: SshSettings) -> None:
        self.label = label
        self.resolved = resolved
        self.settings = settings
        revoked = [key for file in resolved.revoked_keys for key in revoked_keys(label, file)]
        self.trust = Trust(resolved.known_hosts, resolved.host_key_alias, revoked)
        self.phase = "tcp"
        self.clock: asyncio.Timeout | None = None
        self.refused: HostKeyError | None = None
        self.lost: asyncio.Future[BaseException | None] = asyncio.get_running_loop().create_future()

    def connection_made(self, conn: asyncssh.SSHClientConnection) -> None:
        self.phase = "ssh"
        if self.clock is not None:
            self.clock.reschedule(asyncio.get_running_loop().time() + self.settings.login_timeout)

    def begin_auth(self, username: str) -> None:
        self.phase = "auth"

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        self.refused = self.trust.refusal(
            self.label, self.resolved.host, port, key, self.resolved.known_hosts_command
        )
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.lost.done():
            self.lost.set_result(exc)
