"""Errors in reaching a host. Each message is one line that names the host and says what to do."""

# ruff: noqa: N818  - the names say what happened; HostError is the base

from typing import ClassVar

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean


class HostError(FwdtuiError):
    """A problem with one host. `retry`: whether trying again may help without the user doing anything."""

    retry: ClassVar[bool] = True

    def __init__(self, host: str, text: str) -> None:
        self.host = host
        self.text = clean(text)  # parts of it come from the other side
        super().__init__(clean(f"{host}: {self.text}"))


class Unreachable(HostError):
    """Refused, no route, no such name, or the connection was lost."""


class TimedOut(HostError):
    """The host, or a command on it, did not answer in time."""


class RemoteShellFailed(HostError):
    """The login worked, but /bin/sh did not start."""


class ChannelsBusy(HostError):
    """The server allows no further session on this connection (MaxSessions)."""


class BadSshConfig(HostError):
    """A destination, ssh_config or known_hosts file that cannot be used."""

    retry = False


class LedElsewhere(HostError):
    """ssh_config leads to another machine, or there in another way, than when the destination was opened.

    It is retried: the file may be restored, and what Match exec and the name server say may pass.
    """

    def __init__(self, host: str, address: str) -> None:
        super().__init__(
            host,
            "ssh_config now leads to another machine, login or way than at the beginning"
            f" ({address}): refused; restore it, or begin again",
        )


class AuthFailed(HostError):
    """The host accepted none of our keys."""

    retry = False


class Incompatible(HostError):
    """Client and server share no key exchange, cipher or key type."""

    retry = False


class HostKeyError(HostError):
    """The host's identity could not be verified. `address` is where the key was offered."""

    retry = False

    def __init__(
        self, host: str, text: str, address: str, port: int, key_type: str, fingerprint: str
    ) -> None:
        super().__init__(host, text)
        self.address = address
        self.port = port
        self.key_type = key_type
        self.fingerprint = fingerprint  # "SHA256:..." as ssh-keygen -l prints it


class UnknownHostKey(HostKeyError):
    """First contact. Show the fingerprint, ask, then `known_hosts.accept(error)` and connect again."""

    def __init__(
        self,
        host: str,
        address: str,
        port: int,
        key_type: str,
        fingerprint: str,
        pattern: str,
        public_key: str,
        note: str = "",
    ) -> None:
        super().__init__(
            host,
            f"unknown host key {key_type} {fingerprint} at {address} port {port}:"
            " compare it with the host's own (ssh-keygen -lf on it) and accept it in `fwdtui live`,"
            " or connect once with ssh" + (f"; {note}" if note else ""),
            address,
            port,
            key_type,
            fingerprint,
        )
        self.pattern = pattern  # the host field of the known_hosts line
        self.public_key = public_key  # the rest of that line: "ssh-ed25519 AAAA..."
        self.note = note  # says what may know the key but was not asked


class ChangedHostKey(HostKeyError):
    """The host's key differs from the known one. Not an UnknownHostKey: it can never be accepted."""

    def __init__(
        self,
        host: str,
        address: str,
        port: int,
        key_type: str,
        fingerprint: str,
        known: str,
        pattern: str,
        file: str = "",
    ) -> None:
        mend = f"ssh-keygen -R '{pattern}'" + (f" -f '{file}'" if file else "")
        super().__init__(
            host,
            f"THE HOST KEY HAS CHANGED at {address} port {port}: offered {key_type} {fingerprint},"
            f" known {known}; refused, since this may be another machine."
            f" If the host was reinstalled, remove the old key: {mend}",
            address,
            port,
            key_type,
            fingerprint,
        )
        self.known = known


class HostKeyRefused(HostError):
    """The key is marked @revoked, or its certificate is not signed by the known authority."""

    retry = False
