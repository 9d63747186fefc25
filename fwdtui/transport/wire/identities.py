"""Which keys a login offers: those that ssh would offer, and no others.

A server may lead each key to a different jail or namespace, so with one key too many, another host may be
measured. asyncssh (2.24) takes an empty list of key files to mean "the default keys", and an empty list of
the agent's keys to mean "all of them".
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import asyncssh

_DEFAULTS = ("id_ed25519_sk", "id_ecdsa_sk", "id_ed25519", "id_ed448", "id_ecdsa", "id_rsa")
_NONE_OF_THE_AGENT = [b""]


def options(
    named: Sequence[Path] | None,
    private_keys: Sequence[Path],
    agent_keys: Sequence[bytes] | None,
    certificates: Sequence[Path],
) -> dict[str, Any]:
    """asyncssh's options for the keys. `named`: IdentityFile; None is ssh's default files."""
    chosen: dict[str, Any] = {
        # an empty list would mean the default keys; an iterator, even an empty one, does not
        "client_keys": () if named is None else [str(path) for path in private_keys] or iter(()),
        "client_certs": [str(path) for path in certificates if path.is_file()],
    }
    if agent_keys is not None:
        chosen["agent_identities"] = list(agent_keys) or _NONE_OF_THE_AGENT
    return chosen


def private(files: Iterable[Path]) -> tuple[Path, ...]:
    """The files to load: as in ssh, without missing ones. A public key only selects the agent's key."""
    return tuple(path for path in files if path.is_file() and (_is_private(path) or not _public(path)))


def of_agent(named: Sequence[Path] | None, certificates: Iterable[Path]) -> tuple[bytes, ...]:
    """The agent's keys that may be used with IdentitiesOnly: those whose public part is in a file."""
    files = defaults() if named is None else named
    found = [key for path in files for key in parts(path)]
    return tuple(dict.fromkeys([*found, *(key for path in certificates for key in _public(path))]))


def parts(path: Path) -> list[bytes]:
    """The public part of a key file, and its certificate, as far as they exist."""
    beside = Path(f"{path}.pub")
    return [*(_public(beside) or _public(path)), *_public(Path(f"{path}-cert.pub"))]


def defaults() -> tuple[Path, ...]:
    """The key files that ssh uses if ssh_config names none."""
    return tuple(Path.home() / ".ssh" / name for name in _DEFAULTS)


def on_disk(files: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """The private key files that were tried, and those skipped because a passphrase protects them."""
    tried: list[Path] = []
    locked: list[Path] = []
    for path in files:
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


def _is_private(path: Path) -> bool:
    try:
        return b"PRIVATE KEY" in path.read_bytes()
    except OSError:
        return True  # the login then reports what is wrong with it


def _public(path: Path) -> list[bytes]:
    """The public key or certificate in a file; empty if it has neither or does not exist."""
    if not path.is_file():
        return []
    for read in (asyncssh.read_certificate, asyncssh.read_public_key):
        try:
            return [read(path).public_data]
        except (OSError, ValueError, asyncssh.Error):
            continue
    return []
