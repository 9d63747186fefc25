"""What the client reads: keys, ssh_config, known_hosts and lab.toml, as for any other lab."""

from collections.abc import Mapping
from pathlib import Path

import asyncssh
import tomli_w

from fwdtui.labs.simulated.view import DUT, GENERATOR

USER = "fwdtui"
_ADDRESS = "127.0.0.1"


def make_keys(folder: Path, hosts: tuple[str, ...]) -> tuple[asyncssh.SSHKey, dict[str, asyncssh.SSHKey]]:
    """The user's key, written to `folder`/user_key, and the hosts' own, which stay in memory."""
    user = asyncssh.generate_private_key("ssh-ed25519", comment="fwdtui simulated lab")
    target = folder / "user_key"
    target.touch(mode=0o600)
    user.write_private_key(target)
    return user, {host: asyncssh.generate_private_key("ssh-ed25519") for host in hosts}


def write(
    folder: Path, keys: Mapping[str, asyncssh.SSHKey], ports: Mapping[str, int], interval: str, wait: int
) -> Path:
    """ssh_config, known_hosts and lab.toml; returns the last one's path."""
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
    target.write_text(_lab(interval, wait), encoding="utf-8")
    return target


def _lab(interval: str, wait: int) -> str:
    flows = "-s 198.18.10.1:2000-198.18.10.20 -d 198.19.10.1:2000-198.19.10.100 -D 00:1b:21:00:00:01"
    content = {
        "name": "simulated-lab",
        "ssh": {"config_file": "ssh_config", "known_hosts": "known_hosts"},
        "sampling": {"interval": interval},
        "generator": {
            "host": GENERATOR,
            "interface": "ix0",
            "tool": "netmap-pkt-gen",
            "start": f"pkt-gen -N -f tx -i ix0 -l 60 -4 {flows} -w {wait}",
            "line_rate": "14.88M",
        },
        "dut": {"host": DUT, "in": "ix0", "out": "ix1", "os": "freebsd"},
        "receiver": {
            "host": GENERATOR,
            "interface": "ix1",
            "tool": "netmap-pkt-gen",
            "start": f"pkt-gen -N -f rx -i ix1 -w {wait}",
        },
        "run": {"iterations": 5, "warmup": "2s", "duration": "10s", "settle": "2s"},
    }
    heading = "# A simulated lab: its numbers are a model's. Written by fwdtui; gone when the demo ends.\n"
    return heading + tomli_w.dumps(content)
