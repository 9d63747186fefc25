"""What ssh_config says about a destination."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import asyncssh

from fwdtui.core.errors import FwdtuiError
from fwdtui.transport.destination import Destination
from fwdtui.transport.errors import BadSshConfig
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.wire import identities, ssh_config
from fwdtui.transport.wire.ssh_config import SYSTEM_CONFIG, fill

_SYSTEM_KNOWN_HOSTS = ("/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2")
_USER_KNOWN_HOSTS = ("~/.ssh/known_hosts", "~/.ssh/known_hosts2")


@dataclass(frozen=True, slots=True)
class Resolved:
    """A destination after ssh_config was applied: where to connect, and with which options."""

    options: asyncssh.SSHClientConnectionOptions  # from the files; asyncssh itself reads none
    host: str
    port: int
    user: str
    jump: str | None
    proxy_command: str | None
    bind_address: str | None
    bind_interface: str | None
    host_key_alias: str | None
    host_key_algorithms: bool  # whether ssh_config names them
    ciphers: bool  # whether ssh_config names them
    connect_timeout: float | None
    known_hosts: tuple[Path, ...]
    known_hosts_command: bool  # whether ssh_config names one
    revoked_keys: tuple[Path, ...]
    identity_files: tuple[Path, ...] | None  # as named, including missing ones; None: none is named
    identities_only: bool
    private_keys: tuple[Path, ...]  # of `identity_files`, those that can be loaded
    agent_keys: tuple[bytes, ...] | None  # the only keys of the agent to offer; None: all of them
    certificates: tuple[Path, ...]
    identity_agent: str | None  # "" for "no agent"
    compression: bool  # whether ssh_config says anything about it
    variables: tuple[str, ...]  # of SetEnv

    @property
    def key(self) -> tuple[object, ...]:
        """A value that is equal for destinations that can share one connection.

        Depending on the key, an accepted variable or the client's address, a server may lead to a different
        jail or network namespace (``command=`` in authorized_keys, ForceCommand): two aliases that differ in
        them are two hosts. So are two whose host keys are looked up in different files.
        """
        way = self.host, self.port, self.user, self.jump, self.proxy_command, self.host_key_alias
        trust = self.known_hosts, self.revoked_keys
        login = self.identity_files, self.identities_only, self.certificates, self.identity_agent
        return (*way, *trust, *login, self.variables, self.bind_address)

    @property
    def address(self) -> str:
        return f"{self.host} port {self.port}"


def resolve(destination: Destination, settings: SshSettings) -> Resolved:
    """Read the configuration for `destination`. Blocking: `Match exec` runs commands. Raises BadSshConfig."""
    label = str(destination)
    paths = _config_paths(label, settings)
    if settings.known_hosts is not None and not settings.known_hosts.is_file():
        raise BadSshConfig(label, f"known_hosts: no such file: {settings.known_hosts}")
    if settings.guard is not None:
        try:
            settings.guard()
        except FwdtuiError as problem:
            raise BadSshConfig(label, str(problem)) from None
    try:
        return _resolved(destination, settings, paths)
    except (ValueError, OSError, asyncssh.Error) as problem:
        raise BadSshConfig(label, f"ssh configuration: {problem}") from problem


def _resolved(destination: Destination, settings: SshSettings, paths: tuple[Path, ...]) -> Resolved:
    # client_keys=None: keys are loaded when connecting. x509: OpenSSH has no such host certificates.
    base = asyncssh.SSHClientConnectionOptions(
        config=None, client_keys=None, known_hosts=b"", x509_trusted_certs=None, proxy_command=None
    )
    config = ssh_config.read(paths, destination, base.client_username)
    base.config = config
    options = asyncssh.SSHClientConnectionOptions(base)  # checks the values
    if not 0 < options.port < 65_536:
        raise ValueError(f"Port {options.port}: expected 1 to 65535")
    tokens = config.tokens()

    def files(names: object) -> tuple[Path, ...]:
        listed = names if isinstance(names, (list, tuple)) else ()
        return tuple(dict.fromkeys(_expand(str(name), tokens) for name in listed))

    def text(option: str) -> str | None:
        value = config.get(option)
        return value if isinstance(value, str) and value else None

    # "none" is an empty list here: then only the other files count, but the host key is always checked
    user_files = (
        files(config.get("UserKnownHostsFile", _USER_KNOWN_HOSTS))
        if settings.known_hosts is None
        else (settings.known_hosts,)
    )
    system_files = files(config.get("GlobalKnownHostsFile", _SYSTEM_KNOWN_HOSTS))
    jump, command, timeout = text("ProxyJump"), text("ProxyCommand"), config.get("ConnectTimeout")
    named = files(names) if (names := config.get("IdentityFile")) is not None else None
    certificates = files(config.get("CertificateFile"))
    only = config.get("IdentitiesOnly") is True
    return Resolved(
        options=options,
        host=options.host,
        port=options.port,
        user=options.username,
        jump=fill(jump, tokens) if jump else None,
        proxy_command=fill(command, tokens) if command else None,
        bind_address=text("BindAddress"),
        bind_interface=text("BindInterface"),
        host_key_alias=options.host_key_alias,
        host_key_algorithms=config.get("HostKeyAlgorithms") is not None,
        ciphers=config.get("Ciphers") is not None,
        connect_timeout=float(timeout) if isinstance(timeout, int) and timeout > 0 else None,
        known_hosts=(*user_files, *system_files, settings.accepted_file),
        known_hosts_command=text("KnownHostsCommand") is not None,
        revoked_keys=files(config.get("RevokedHostKeys")),
        identity_files=named,
        identities_only=only,
        private_keys=identities.private(named or ()),
        agent_keys=identities.of_agent(named, certificates) if only else None,
        certificates=certificates,
        identity_agent=_agent(config.get("IdentityAgent", ()), tokens),
        compression=config.get("Compression") is not None,
        variables=tuple(map(str, variables)) if isinstance(variables := config.get("SetEnv"), list) else (),
    )


def _config_paths(label: str, settings: SshSettings) -> tuple[Path, ...]:
    if settings.config_file is not None:
        if not settings.config_file.is_file():
            raise BadSshConfig(label, f"config_file: no such file: {settings.config_file}")
        return (settings.config_file,)
    return tuple(p for p in (Path.home() / ".ssh" / "config", SYSTEM_CONFIG) if os.access(p, os.R_OK))


def _expand(name: str, tokens: dict[str, str]) -> Path:
    """Expands ~, ${VARIABLE} and % tokens in a file name. Raises ValueError if one has no value."""

    def variable(found: re.Match[str]) -> str:
        if found[1] not in os.environ:
            raise ValueError(f"{name}: the environment variable {found[1]} is not set")
        return os.environ[found[1]]

    try:
        return Path(re.sub(r"\$\{([^}]*)\}", variable, fill(name, tokens))).expanduser()
    except RuntimeError as problem:
        raise ValueError(f"{name}: {problem}") from None


def _agent(value: object, tokens: dict[str, str]) -> str | None:
    """IdentityAgent as a path: ssh also allows "SSH_AUTH_SOCK" and "$VARIABLE"."""
    if not isinstance(value, str):
        return "" if value is None else None
    if value == "SSH_AUTH_SOCK":
        return os.environ.get("SSH_AUTH_SOCK", "")
    if value.startswith("$"):
        return os.environ.get(value[1:].strip("{}"), "")
    return str(_expand(value, tokens))
