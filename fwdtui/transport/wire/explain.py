"""Turns asyncssh's and the system's exceptions into errors that a user can act on.

asyncssh raises the same HostKeyNotVerifiable for unknown and changed keys, ValueError for bad keys, and
ConnectionLost or a TimeoutError without text for a silent server. So what is known about the attempt has to
decide.
"""

import errno
import os
import socket
from pathlib import Path

import asyncssh

from fwdtui.core.text import clean
from fwdtui.transport.errors import (
    AuthFailed,
    BadSshConfig,
    HostError,
    HostKeyRefused,
    Incompatible,
    RemoteShellFailed,
    TimedOut,
    Unreachable,
)
from fwdtui.transport.wire import identities
from fwdtui.transport.wire.config import Resolved
from fwdtui.transport.wire.sinks import Preamble

_CHATTER = 100_000  # bytes: no greeting is that long
# asyncio's wording when a name has several addresses
_REFUSED = f"[Errno {errno.ECONNREFUSED}]"


def connect_error(label: str, resolved: Resolved, phase: str, problem: BaseException) -> HostError:
    """The error for a connection that failed. `phase`: "tcp", "ssh" (no key exchange yet) or "auth"."""
    address = resolved.address
    match problem:
        case HostError():
            return problem
        case asyncssh.PermissionDenied():
            return auth_failed(label, resolved)
        case asyncssh.HostKeyNotVerifiable():
            return HostKeyRefused(label, f"the host key of {address} is refused: {problem.reason}")
        case asyncssh.KeyExchangeFailed():
            return Incompatible(label, f"the key exchange with {address} failed: {problem.reason}")
        case asyncssh.ProtocolNotSupported() | asyncssh.ProtocolError() | asyncssh.MACError():
            return Unreachable(label, f"{address} does not speak SSH as expected: {problem.reason}")
        case asyncssh.DisconnectError() if "authentication failures" in problem.reason:
            more = "" if resolved.identities_only else ": set IdentitiesOnly in ssh_config"
            return auth_failed(label, resolved, f"too many keys offered{more}")
        case asyncssh.ConnectionLost() | ConnectionError() if phase == "ssh" and resolved.proxy_command:
            return Unreachable(
                label,
                f"the connection through the ProxyCommand ended before login: does `{resolved.proxy_command}`"
                f" work in a shell, and does {address} accept connections?",
            )
        case asyncssh.ConnectionLost() | ConnectionError() if phase == "ssh":
            return Unreachable(
                label,
                f"{address} closed the connection before login:"
                " is it an sshd, and does it accept connections from here (MaxStartups, firewall)?",
            )
        case asyncssh.DisconnectError():
            return Unreachable(label, f"{address} closed the connection: {problem.reason}")
        case asyncssh.ChannelOpenError():
            return Unreachable(label, f"the jump host cannot reach {address}: {problem.reason}")
        case socket.gaierror():
            return Unreachable(
                label, f"no address for {resolved.host!r}: check the name, or HostName in ssh_config"
            )
        case TimeoutError():
            return timed_out(label, resolved, phase)
        case OSError() if isinstance(problem, ConnectionRefusedError) or _REFUSED in str(problem):
            return Unreachable(label, f"connection refused at {address}: is sshd running, on that port?")
        case ConnectionError():
            return Unreachable(label, f"{address} closed the connection: {_os_text(problem)}")
        case OSError() if problem.filename is not None:
            return BadSshConfig(label, f"{problem.filename}: {_os_text(problem)}")
        case OSError():
            return Unreachable(label, f"cannot reach {address}: {_os_text(problem)}")
        case asyncssh.KeyImportError() | asyncssh.KeyEncryptionError():
            return auth_failed(label, resolved, f"a key file cannot be used ({problem})")
        case ValueError() | asyncssh.Error():
            return BadSshConfig(label, f"ssh configuration: {problem}")
    raise problem


def timed_out(label: str, resolved: Resolved, phase: str) -> TimedOut:
    """The error for a connection whose step `phase` got no answer in time."""
    if resolved.proxy_command and phase in ("tcp", "ssh"):
        return TimedOut(label, f"the ProxyCommand delivered no SSH greeting from {resolved.address}")
    if phase == "tcp":
        return TimedOut(label, f"no answer from {resolved.address}: is it up, or does a firewall drop this?")
    if phase == "ssh":
        return TimedOut(
            label, f"{resolved.address} accepted the connection but sent no SSH greeting: is it an sshd?"
        )
    return TimedOut(
        label,
        f"{resolved.address} accepted the connection but did not finish the login: is the host overloaded,"
        " or does its PAM, LDAP or AuthorizedKeysCommand hang?",
    )


def auth_failed(label: str, resolved: Resolved, why: str = "") -> AuthFailed:
    """An error that names the user and the keys, and any key that was skipped as it needs a passphrase."""
    files = identities.defaults() if resolved.identity_files is None else resolved.identity_files
    tried, locked = identities.on_disk(files)
    sources = [str(path) for path in tried]
    agent = resolved.identity_agent
    if agent is None:
        agent = os.environ.get("SSH_AUTH_SOCK", "")
    asked = bool(agent) and resolved.agent_keys != ()
    if asked and Path(agent).is_socket():
        sources.append("ssh-agent")
    text = f"{resolved.address} rejects the login of {resolved.user!r}"
    text += f" with {', '.join(sources)}" if sources else ": there is no key to offer"
    if asked and not Path(agent).is_socket():
        of = "SSH_AUTH_SOCK" if resolved.identity_agent is None else "IdentityAgent"
        text += f"; {of} is {agent}, where there is no ssh-agent"
    if why:
        text += f"; {why}"
    for path in resolved.identity_files or ():
        if not path.is_file() and not identities.parts(path):
            text += f"; IdentityFile {path}: no such file"
    for path in locked:
        text += f"; {path} needs its passphrase: run ssh-add {path}"
        if resolved.identities_only and not identities.parts(path):  # then the agent's key is not offered
            text += f", and ssh-keygen -y -f {path} >{path}.pub"
    if not locked and sources:
        text += "; check the user name and authorized_keys (only keys are used, never passwords)"
    elif not locked:
        text += "; ssh-keygen makes one, and ssh-copy-id allows it on the host (passwords are never used)"
    return AuthFailed(label, text)


def lost_text(problem: BaseException | None) -> str:
    """Why an established connection ended, in words."""
    match problem:
        case None:
            return "the host closed the connection"
        case asyncssh.ConnectionLost() if "keepalive" in problem.reason:
            return "connection lost: no answer to keepalives"
        case asyncssh.ConnectionLost():
            return "connection lost"
        case asyncssh.DisconnectError():
            return clean(f"connection lost: {problem.reason}")
        case OSError():
            return clean(f"connection lost: {_os_text(problem)}")
    return clean(f"connection lost: {problem}")


def shell_failed(label: str, noise: bytes, status: int | None) -> RemoteShellFailed:
    """The error if the login shell ended without running /bin/sh.

    It may be nologin, a restricted shell or a forced command.
    """
    said = next((line.strip() for line in noise.splitlines() if line.strip()), b"")
    text = "the login shell did not run /bin/sh"
    if status is not None:
        text += f" (exit status {status})"
    if said:
        text += f": it printed {said[:200].decode('utf-8', 'backslashreplace')!r}"
    return RemoteShellFailed(label, text)


def shell_stuck(label: str, door: Preamble, stderr: bytes) -> RemoteShellFailed:
    """The error if the login shell executes no command: it asks something, is silent, or prints endlessly."""
    if door.found:
        return RemoteShellFailed(
            label, "/bin/sh answered but then did not run the script: is the host overloaded?"
        )
    said = next((line.strip() for line in reversed(door.newest.splitlines()) if line.strip()), b"")
    if door.size > _CHATTER:
        return RemoteShellFailed(
            label,
            f"the login shell has printed {door.size / 1e6:.1f} MB and still executes no command:"
            f" look for a loop in its start-up files (last line: {_quoted(said)})",
        )
    if not said:
        said = next((line.strip() for line in reversed(stderr.splitlines()) if line.strip()), b"")
    if said:
        return RemoteShellFailed(
            label,
            f"the login shell executes no command; it printed {_quoted(said)} and seems to wait for an "
            "answer: its start-up files must ask only when they run on a terminal ([ -t 0 ])",
        )
    return RemoteShellFailed(
        label,
        "the login shell prints nothing and executes no command: do its start-up files wait for something "
        "(input, a dead mount, a lookup)?",
    )


def _quoted(said: bytes) -> str:
    return repr(clean(said[:100].decode("utf-8", "backslashreplace")))


def _os_text(problem: BaseException) -> str:
    code = getattr(problem, "errno", None)
    # for several addresses, asyncio joins the failures into one text without an errno
    return (getattr(problem, "strerror", None) or str(problem)) if code in errno.errorcode else str(problem)
