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

_SYSTEM_CONFIG = Path("/etc/ssh/ssh_config")
_SYSTEM_KNOWN_HOSTS = ("/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2")
_USER_KNOWN_HOSTS = ("~/.ssh/known_hosts", "~/.ssh/known_hosts2")
_DEFAULT_KEYS = ("id_ed25519_sk", "id_ecdsa_sk", "id_ed25519", "id_ed448", "id_ecdsa", "id_rsa")


@dataclass(frozen=True, slots=True)
class Resolved:
    """A destination after ssh_config: where to go, and with what."""

    destination: Destination
    config: tuple[Path, ...]
    host: str
    port: int
    user: str
    jump: str | None
    proxy_command: str | None
    host_key_alias: str | None
    host_key_algorithms: bool  # whether ssh_config names them
    ciphers: bool  # whether ssh_config names them
    connect_timeout: float | None
    known_hosts: tuple[Path, ...]
    identity_files: tuple[Path, ...] | None  # those that exist; None: ssh_config names none
    identity_agent: str | None  # "" for "no agent"
    compression: bool  # whether ssh_config says anything of it
    variables: tuple[str, ...]  # of SetEnv

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for destinations that can share one connection.

        A server may give each key, or each variable that it accepts, another jail or network namespace
        (``command=`` in authorized_keys, ForceCommand): two aliases that differ in them are two hosts.
        """
        way = self.host, self.port, self.user, self.jump, self.proxy_command, self.host_key_alias
        return (*way, self.identity_files, self.identity_agent, self.variables)

    @property
    def address(self) -> str:
        return f"{self.host} port {self.port}"


def resolve(destination: Destination, settings: SshSettings) -> Resolved:
    """Read the configuration for `destination`. Blocking: `Match exec` runs commands. Raises BadSshConfig."""
    label = str(destination)
    paths = _config_paths(label, settings)
    if settings.guard is not None:
        try:
            settings.guard()
        except FwdtuiError as problem:
            raise BadSshConfig(label, str(problem)) from None
    try:
        # client_keys=None: keys are loaded when connecting. x509: OpenSSH knows no such host certificates.
        options = asyncssh.SSHClientConnectionOptions(
            config=list(paths),
            host=destination.host,
            port=destination.port if destination.port is not None else (),
            username=destination.user if destination.user is not None else (),
            client_keys=None,
            known_hosts=b"",
            x509_trusted_certs=None,
        )
    except (ValueError, OSError, asyncssh.Error) as problem:
        raise BadSshConfig(label, f"ssh configuration: {problem}") from problem
    config = options.config
    resolved = {
        "%": "%",
        "d": str(Path.home()),
        "h": options.host,
        "k": options.host_key_alias or destination.host,
        "n": destination.host,
        "p": str(options.port),
        "r": options.username,
        "u": options.client_username,
    }

    def files(names: object) -> tuple[Path, ...]:
        listed = names if isinstance(names, (list, tuple)) else ()
        return tuple(_expand(str(name), resolved) for name in listed)

    if settings.known_hosts is not None:
        if not settings.known_hosts.is_file():
            raise BadSshConfig(label, f"known_hosts: no such file: {settings.known_hosts}")
        user_files: tuple[Path, ...] = (settings.known_hosts,)
    else:
        # "none" is an empty list here: then only the other files count, but the key is always checked
        user_files = files(config.get("UserKnownHostsFile", _USER_KNOWN_HOSTS))
    system_files = files(config.get("GlobalKnownHostsFile", _SYSTEM_KNOWN_HOSTS))
    identities = config.get("IdentityFile")
    timeout = config.get("ConnectTimeout")
    command = config.get("ProxyCommand")
    jump = options.tunnel
    return Resolved(
        destination=destination,
        config=paths,
        host=options.host,
        port=options.port,
        user=options.username,
        jump=jump if isinstance(jump, str) and jump else None,
        proxy_command=command if isinstance(command, str) and command else None,
        host_key_alias=options.host_key_alias,
        host_key_algorithms=config.get("HostKeyAlgorithms") is not None,
        ciphers=config.get("Ciphers") is not None,
        connect_timeout=float(timeout) if isinstance(timeout, int) and timeout > 0 else None,
        known_hosts=(*user_files, *system_files, settings.accepted_file),
        # ssh ignores missing identity files; asyncssh would give up
        identity_files=None if identities is None else tuple(p for p in files(identities) if p.is_file()),
        identity_agent=_agent(config.get("IdentityAgent")),
        compression=config.get("Compression") is not None,
        variables=tuple(map(str, variables)) if isinstance(variables := config.get("SetEnv"), list) else (),
    )


def _config_paths(label: str, settings: SshSettings) -> tuple[Path, ...]:
    if settings.config_file is not None:
        if not settings.config_file.is_file():
            raise BadSshConfig(label, f"config_file: no such file: {settings.config_file}")
        return (settings.config_file,)
    return tuple(p for p in (Path.home() / ".ssh" / "config", _SYSTEM_CONFIG) if os.access(p, os.R_OK))


def _expand(name: str, tokens: dict[str, str]) -> Path:
    """Expands ~, ${VARIABLE} and the % tokens that ssh_config(5) allows in file names."""
    name = re.sub(r"\$\{([^}]*)\}", lambda m: os.environ.get(m[1], m[0]), name)
    name = re.sub(r"%(.)", lambda m: tokens.get(m[1], m[0]), name)
    return Path(name).expanduser()


def _agent(value: object) -> str | None:
    """IdentityAgent as a path: ssh also allows "SSH_AUTH_SOCK" and "$VARIABLE"."""
    if not isinstance(value, str):
        return None
    if value == "SSH_AUTH_SOCK":
        return os.environ.get("SSH_AUTH_SOCK", "")
    if value.startswith("$"):
        return os.environ.get(value[1:].strip("{}"), "")
    return str(Path(value).expanduser())


def keys_on_disk(resolved: Resolved) -> tuple[list[Path], list[Path]]:
    """The private key files that were tried, and those skipped because a passphrase protects them."""
    candidates = resolved.identity_files
    if not candidates:
        candidates = tuple(Path.home() / ".ssh" / name for name in _DEFAULT_KEYS)
    tried: list[Path] = []
    locked: list[Path] = []
    for path in candidates:
        try:
            asyncssh.read_private_key(path)
        except OSError:
            continue
        except (ValueError, asyncssh.Error) as problem:
            if "passphrase" in str(problem).lower():
                locked.append(path)
            continue
        tried.append(path)
    return tried, locked
