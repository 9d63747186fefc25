"""Checks host keys by OpenSSH's rules, with its files and fwdtui's own."""

import contextlib
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import asyncssh

from fwdtui.transport.errors import BadSshConfig, ChangedHostKey, HostKeyError, UnknownHostKey

_FILE_LIMIT = 32 * 1024 * 1024
# the first lists of asyncssh's match: host keys, CA keys, revoked keys. Four lists for X.509 are unused here
_Keys = tuple[list[asyncssh.SSHKey], list[asyncssh.SSHKey], list[asyncssh.SSHKey]]

# A server may have keys of several types. Types of known keys come first, or a host that is known by its RSA
# key would look changed; the others must be offered too, or a changed host would only fail the key exchange.
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
    """The known keys of one host. `alias` is HostKeyAlias, which is looked up without the port.

    `revoked`: keys and certificate authorities that are refused whatever the files say.
    """

    def __init__(
        self, files: Iterable[Path], alias: str | None, revoked: Iterable[asyncssh.SSHKey] = ()
    ) -> None:
        self._entries = [entry for file in files for entry in _read(file)]
        self._alias = alias
        self._revoked = list(revoked)

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
        return (trusted[0], trusted[1], [*self._revoked, *exact[2], *general[2]], [], [], [], [])

    def algorithms(self, host: str, port: int | None) -> list[str]:
        """Host key algorithms to ask for, those of known keys first; certificates only with a known CA."""
        keys, authorities, _ = self.lookup(host, "", port)[:3]
        known = [name.decode() for key in keys for name in key.sig_algorithms]  # type: ignore[attr-defined]
        plain = list(dict.fromkeys(n for n in (*known, *_HOST_KEY_ALGORITHMS) if n != "ssh-rsa"))
        if not authorities:
            return plain
        return [n + _CERTIFICATE_SUFFIX for n in _HOST_KEY_ALGORITHMS] + plain

    def refusal(
        self, label: str, host: str, port: int, key: asyncssh.SSHKey, more_is_known: bool = False
    ) -> HostKeyError:
        """Why `key` was not accepted, as an error to raise.

        `more_is_known`: ssh_config has a KnownHostsCommand, which may know more keys.
        """
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
        note = "ssh_config's KnownHostsCommand was not asked: fwdtui does not run it" if more_is_known else ""
        return UnknownHostKey(label, host, port, key_type, fingerprint, pattern, public, note)

    def _match(self, pattern: str) -> _Keys:
        keys: _Keys = ([], [], [])
        for entry in self._entries:
            # the pattern includes the port, so no port is given; no address either, see `lookup`
            for matching, into in zip(entry.hosts.match(pattern, "", None)[:3], keys, strict=True):
                into.extend(matching)
        return keys


def _read(file: Path) -> list[_Entry]:
    """The entries of a file, line by line. An unreadable line is skipped, but not the whole file."""
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
            hosts = asyncssh.import_known_hosts(_in_lower_case(line))
        except ValueError:
            continue
        entries.append(_Entry(file, number, hosts))
    return entries


def _in_lower_case(line: str) -> str:
    """The line with its names in lower case, as OpenSSH compares them; hashed names stay."""
    words = line.split(None, 2)
    place = 1 if words[0].startswith("@") else 0
    if len(words) > place and not words[place].startswith("|"):
        words[place] = words[place].lower()
    return " ".join(words)


def revoked_keys(label: str, file: Path) -> list[asyncssh.SSHKey]:
    """The keys of RevokedHostKeys. Raises BadSshConfig if the file cannot be read, since ssh then refuses."""
    try:
        data = file.read_bytes()
    except OSError as problem:
        raise BadSshConfig(label, f"RevokedHostKeys: {file}: {problem.strerror or problem}") from None
    if data.startswith(b"SSHKRL\n"):
        raise BadSshConfig(
            label,
            f"RevokedHostKeys: {file} is a KRL, which fwdtui cannot read:"
            " name a text file with one public key per line",
        )
    keys = []
    for line in data.splitlines():
        try:
            keys.append(asyncssh.import_public_key(line))
        except ValueError:
            with contextlib.suppress(ValueError):  # perhaps a comment
                keys.append(asyncssh.import_certificate(line).key)
    return keys
