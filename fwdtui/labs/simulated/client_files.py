"""The files for the client: keys, ssh_config, known_hosts and lab.toml, as for any other lab."""

from collections.abc import Mapping
from pathlib import Path

import asyncssh

from fwdtui.labs.simulated import labfile

USER = "fwdtui"
_ADDRESS = "127.0.0.1"


def make_keys(folder: Path, hosts: tuple[str, ...]) -> tuple[asyncssh.SSHKey, dict[str, asyncssh.SSHKey]]:
    """Makes the user's key, which is written to `folder`/user_key, and the hosts' keys, kept in memory."""
    user = asyncssh.generate_private_key("ssh-ed25519", comment="fwdtui simulated lab")
    target = folder / "user_key"
    target.touch(mode=0o600)
    user.write_private_key(target)
    return user, {host: asyncssh.generate_private_key("ssh-ed25519") for host in hosts}


def write(
    folder: Path, keys: Mapping[str, asyncssh.SSHKey], ports: Mapping[str, int], interval: str, wait: int
) -> Path:
    """Writes ssh_config, known_hosts and lab.toml; returns the path of lab.toml."""
    path = str(folder).replace("%", "%%")
    config = []
    known = []
    for host, key in keys.items():
        config.append(
            f"Host {host}\n"
            f"  HostName {_ADDRESS}\n"
            f"  Port {ports[host]}\n"
            f"  User {USER}\n"
            f'  IdentityFile "{path}/user_key"\n'
            "  IdentitiesOnly yes\n"
            "  IdentityAgent none\n"
            f'  UserKnownHostsFile "{path}/known_hosts"\n'
            "  GlobalKnownHostsFile /dev/null\n"
            "  StrictHostKeyChecking yes\n"
        )
        public = " ".join(key.export_public_key().decode().split()[:2])
        known.append(f"[{_ADDRESS}]:{ports[host]} {public}\n")
    (folder / "ssh_config").write_text("\n".join(config), encoding="utf-8")
    (folder / "known_hosts").write_text("".join(known), encoding="ascii")
    target = folder / "lab.toml"
    target.write_text(labfile.text(interval, wait), encoding="utf-8")
    return target
