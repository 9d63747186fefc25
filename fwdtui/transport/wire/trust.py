"""Checks host keys by OpenSSH's rules, with its files and fwdtui's own."""

import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import asyncssh

from fwdtui.transport.errors import ChangedHostKey, HostKeyError, UnknownHostKey

_FILE_LIMIT = 32 * 1024 * 1024
# what asyncssh's match returns: host keys, CA keys, revoked keys, and four lists for X.509, unused here
_Keys = tuple[list[asyncssh.SSHKey], list[asyncssh.SSHKey], list[asyncssh.SSHKey]]

# A server may hold keys of several types. Those we know come first, or a host known by its RSA key would
# look changed; the others must be offered too, or a changed host would only fail the key exchange.
_HOST_KEY_ALGORITHMS = (
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "rsa-sha2-512",
    "rsa-sha2-256",
)
_CERTIFICATE_SUFFIX = "-cert-v01@openssh.com"


@dataclass(frozen=True, slots=True)
class _Entry:
    file: Path
    line: int
    hosts: asyncssh.SSHKnownHosts


class Trust:
    """The known keys of one host. `alias` is HostKeyAlias, which is looked up without the port."""

    def __init__(self, files: Iterable[Path], alias: str | None) -> None:
        self._entries = [entry for file in files for entry in _read(file)]
        self._alias = alias

    def pattern(self, host: str, port: int | None) -> str:
        """The name of a host in known_hosts: [host]:port unless it is port 22."""
        if self._alias:
            return self._alias.lower()
        return f"[{host.lower()}]:{port}" if port not in (None, 22) else host.lower()

    def lookup(self, host: str, _address: str, port: int | None) -> tuple[Sequence[object], ...]:
        """The callback for asyncssh's known_hosts: which keys to trust and which not.

        The address is ignored on purpose (ssh's CheckHostIP=no): keys belong to names. As in ssh, a key
        known without a port is valid on any port, but a different key there is unknown, not changed.
        """
        exact, general = self._match(self.pattern(host, port)), self._match(host.lower())
        trusted = exact if exact[0] or exact[1] or self._alias else general
        return (trusted[0], trusted[1], [*exact[2], *general[2]], [], [], [], [])

    def algorithms(self, host: str, port: int | None) -> list[str]:
        """Host key algorithms to ask for, those of known keys first; certificates only with a known CA."""
        keys, authorities, _ = self.lookup(host, "", port)[:3]
        known = [name.decode() for key in keys for name in key.sig_algorithms]  # type: ignore[attr-defined]
        plain = list(dict.fromkeys(n for n in (*known, *_HOST_KEY_ALGORITHMS) if n != "ssh-rsa"))
        if not authorities:
            return plain
        return [n + _CERTIFICATE_SUFFIX for n in _HOST_KEY_ALGORITHMS] + plain

    def refusal(self, label: str, host: str, port: int, key: asyncssh.SSHKey) -> HostKeyError:
        """Why `key` was not accepted, as an error to raise."""
        pattern = self.pattern(host, port)
        key_type, fingerprint = key.get_algorithm(), key.get_fingerprint()
        known = self._match(pattern)[0]
        if known:
            entry = next(e for e in self._entries if e.hosts.match(pattern, "", None)[0])
            text = ", ".join(f"{k.get_algorithm()} {k.get_fingerprint()}" for k in known)
            where = f"{text} ({entry.file} line {entry.line})"
            return ChangedHostKey(
                label, host, port, key_type, fingerprint, where, pattern, file=str(entry.file)
            )
        public = " ".join(key.export_public_key().decode().split()[:2])
        return UnknownHostKey(label, host, port, key_type, fingerprint, pattern, public)

    def _match(self, pattern: str) -> _Keys:
        keys: _Keys = ([], [], [])
        for entry in self._entries:
            # the name is complete with its port, so none is given; no address, see lookup
            for matching, into in zip(entry.hosts.match(pattern, "", None)[:3], keys, strict=True):
                into.extend(matching)
        return keys


def _read(file: Path) -> list[_Entry]:
    """The entries of a file, line by line: an unreadable line is skipped, not the file."""
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _FILE_LIMIT:
            return []
        text = file.read_bytes().decode("utf-8", "replace")
    except OSError:
        return []  # like ssh: a missing file knows no hosts
    entries = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            hosts = asyncssh.import_known_hosts(line)
        except ValueError:
            continue
        entries.append(_Entry(file, number, hosts))
    return entries
