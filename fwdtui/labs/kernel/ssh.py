"""A real OpenSSH server in each host, with its own host key, one user key, and a complete known_hosts."""

import os
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.text import clean, decode
from fwdtui.labs.kernel import needs, topology
from fwdtui.labs.kernel.commands import Commands
from fwdtui.labs.kernel.files import write
from fwdtui.labs.kernel.network import management
from fwdtui.labs.kernel.place import Place

# Debian's sshd does not start without this folder. Its service makes the folder, but may not have run yet
_PRIVILEGE_SEPARATION = Path("/run/sshd")
_READY = 10.0  # seconds until a server greets

Keep = Callable[[str], Path]
"""Records a file of the lab in the journal before it is written, and returns its path."""


def make_keys(commands: Commands, keep: Keep, hosts: Sequence[str] = topology.HOSTS) -> None:
    """Makes the host keys of these hosts, and the user key. They are new at every start."""
    for name in ("user_key", *(f"host_key_{host}" for host in hosts)):
        keep(f"{name}.pub")
        commands.run(
            "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", f"fwdtui-lab {name}", "-f", str(keep(name))
        )


def write_client_files(place: Place, slot: int, keep: Keep) -> None:
    """Writes an ssh_config for the hosts gen, dut and sink, and a known_hosts with their keys."""
    config, known = [], []
    for host in topology.HOSTS:
        address = management(slot, host)[1]
        config.append(
            f"Host {host}\n"
            f"  HostName {address}\n"
            "  User root\n"
            f"  IdentityFile {place.folder}/user_key\n"
            "  IdentitiesOnly yes\n"
            f"  UserKnownHostsFile {place.folder}/known_hosts\n"
            "  GlobalKnownHostsFile /dev/null\n"
            "  StrictHostKeyChecking yes\n"
        )
        kind, key = (place.folder / f"host_key_{host}.pub").read_text().split()[:2]
        known.append(f"{address} {kind} {key}\n")
    write(keep("ssh_config"), "\n".join(config))
    write(keep("known_hosts"), "".join(known))
    write(keep("authorized_keys"), (place.folder / "user_key.pub").read_text())


def start(
    commands: Commands, place: Place, slot: int, keep: Keep, hosts: Sequence[str] = topology.HOSTS
) -> None:
    """Start the servers of these hosts and wait until each answers.

    Raises FwdtuiError with the host and sshd's error.
    """
    if not _PRIVILEGE_SEPARATION.is_dir():
        _PRIVILEGE_SEPARATION.mkdir(mode=0o755)
    sshd = needs.find("sshd") or "sshd"  # it must be called by its full path
    for host in hosts:
        keep(f"sshd_{host}.pid")
        log = keep(f"sshd_{host}.log")
        config = write(keep(_config_name(host)), _server_config(place, slot, host))
        # Sessions inherit the CPU: generators send from theirs, and sampling the DUT loads the DUT's CPU.
        cpu = topology.GENERATOR_CPU if host == "gen" else _dut_cpu()
        pinned = ("taskset", "-c", str(cpu))
        commands.inside(place.namespace(host), *pinned, sshd, "-f", str(config), "-E", str(log))
    for host in hosts:
        _await_greeting(management(slot, host)[1], host, place.folder / f"sshd_{host}.log")


def server_pid(place: Place, host: str, inode: int | None) -> int | None:
    """The process ID of a host's server, from its pid file; None unless it runs our configuration there."""
    try:
        pid = int((place.folder / f"sshd_{host}.pid").read_text())
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        namespace = Path(f"/proc/{pid}/ns/net").stat().st_ino
    except (OSError, ValueError):
        return None
    ours = str(place.folder / _config_name(host)).encode() in command
    return pid if ours and namespace == inode else None


def _config_name(host: str) -> str:
    return f"sshd_config_{host}"


def _server_config(place: Place, slot: int, host: str) -> str:
    folder = place.folder
    return (
        f"ListenAddress {management(slot, host)[1]}:22\n"
        f"HostKey {folder}/host_key_{host}\n"
        f"PidFile {folder}/sshd_{host}.pid\n"
        f"AuthorizedKeysFile {folder}/authorized_keys\n"
        "AllowUsers root\n"
        "PermitRootLogin prohibit-password\n"
        "AuthenticationMethods publickey\n"
        "PasswordAuthentication no\n"
        "KbdInteractiveAuthentication no\n"
        # We check the lab's folder ourselves; the folders above it are the user's business.
        "StrictModes no\n"
        # sshd refuses a locked account unless PAM judges it.
        f"UsePAM {'yes' if _root_is_locked() else 'no'}\n"
        # bash reads ~/.bashrc under sshd: what the user's own one does (prompts, version managers with locks)
        # would slow down each command of a lab, or make it hang
        f'SetEnv "HOME={folder}"\n'
        "UseDNS no\n"
        "AllowTcpForwarding no\n"
        "X11Forwarding no\n"
        "MaxStartups 100:30:200\n"
    )


def _root_is_locked() -> bool:
    """Whether sshd considers root locked: shadow(5), a password field that begins with "!"."""
    try:
        accounts = Path("/etc/shadow").read_text(errors="replace").split("\n")
    except OSError:
        return False
    return any(line.startswith("root:!") for line in accounts)


def _dut_cpu() -> int:
    return topology.DUT_CPU if topology.DUT_CPU in os.sched_getaffinity(0) else topology.GENERATOR_CPU


def _await_greeting(address: str, host: str, log: Path) -> None:
    """Waits until a server greets. Raises FwdtuiError with the last line of its log."""
    until = time.monotonic() + _READY
    while time.monotonic() < until:
        if greets(address):
            return
        time.sleep(0.02)
    try:
        said = decode(log.read_bytes()).strip().split("\n")[-1]
    except OSError:
        said = ""
    raise FwdtuiError(
        f"kernel lab: {host}: sshd at {address} does not answer: {clean(said) or 'its log is empty'}"
    )


def greets(address: str) -> bool:
    """Whether an ssh server answers there now."""
    try:
        with socket.create_connection((address, 22), timeout=1) as connection:
            connection.settimeout(2)
            return connection.recv(4) == b"SSH-"
    except OSError:
        return False
