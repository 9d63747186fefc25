"""A real OpenSSH server on loopback with keys and configuration of its own, ended by its pid."""

import contextlib
import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from processes import processes
from transport_helpers import children, free_port, generate_key

from fwdtui.transport.settings import SshSettings

SSHD = shutil.which("sshd") or "/usr/sbin/sshd"


def need_sshd() -> None:
    """Skip where no server can run."""
    if not Path(SSHD).exists() or not shutil.which("ssh-keygen"):
        pytest.skip("needs the Debian package openssh-server")
    if os.geteuid() == 0 and not os.access("/run", os.W_OK):
        pytest.skip("sshd needs /run/sshd, and /run cannot be written")


class Sshd:
    """One server: `folder` has its files, `config` an ssh_config with the alias "dut" for it."""

    def __init__(self, folder: Path, **options: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.options = options
        folder.mkdir(parents=True, exist_ok=True)
        self.user_key = folder / "id"
        for key in (folder / "host_key", self.user_key):
            if not key.exists():
                generate_key(key)
        (folder / "authorized_keys").write_bytes((folder / "id.pub").read_bytes())
        (folder / "authorized_keys").chmod(0o600)
        self.home = folder / "home"
        self.home.mkdir(exist_ok=True)
        self.config = folder / "ssh_config"
        self.known_hosts = folder / "known_hosts"
        self.write_config()
        self.know_host()
        self._process: subprocess.Popen[bytes] | None = None

    def write_config(self, extra: str = "", key: Path | None = None) -> None:
        self.config.write_text(
            f"Host dut\n HostName 127.0.0.1\n Port {self.port}\n User {getpass.getuser()}\n"
            f" IdentityFile {key or self.user_key}\n IdentitiesOnly yes\n IdentityAgent none\n {extra}\n"
        )

    def know_host(self) -> None:
        public = (self.folder / "host_key.pub").read_text()
        self.known_hosts.write_text(f"[127.0.0.1]:{self.port} {public}")

    def start(self) -> None:
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd's privilege separation wants it
        lines = {
            "Port": str(self.port),
            "ListenAddress": "127.0.0.1",
            "HostKey": str(self.folder / "host_key"),
            "AuthorizedKeysFile": str(self.folder / "authorized_keys"),
            "PidFile": "none",
            "UsePAM": "no",
            "StrictModes": "no",
            "PermitRootLogin": "prohibit-password",
            "PasswordAuthentication": "no",
            "MaxStartups": "100:30:200",
            "SetEnv": f"HOME={self.home}",  # start-up files of the login shell are the test's own
            **self.options,
        }
        configuration = self.folder / "sshd_config"
        configuration.write_text("".join(f"{key} {value}\n" for key, value in lines.items()))
        with (self.folder / "sshd.log").open("ab") as log:
            # -r: forked for each connection, not started anew, which takes a quarter of its processor time
            self._process = subprocess.Popen(
                [SSHD, "-D", "-e", "-r", "-f", configuration], stderr=log, stdin=subprocess.DEVNULL
            )
        deadline = time.monotonic() + 5
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1) as probe:
                if probe.recv(4) == b"SSH-":
                    return
            assert self._process.poll() is None and time.monotonic() < deadline, (
                self.folder / "sshd.log"
            ).read_text()
            time.sleep(0.02)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def sessions(self) -> list[int]:
        """The server processes of live connections."""
        servers = {one.pid for one in processes() if one.name.startswith("sshd")}
        return [pid for pid in children(self.pid) if pid in servers]

    def signal_sessions(self, number: int) -> None:
        for pid in self.sessions():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def stop(self, sessions: bool = True) -> None:
        """End the listener, and the connections unless they are to go on."""
        if self._process is None:
            return
        below = children(self.pid) if sessions else []
        self._process.terminate()
        self._process.wait(5)
        self._process = None
        for pid in below:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
                os.kill(pid, signal.SIGKILL)

    def settings(self, **changes: object) -> SshSettings:
        values: dict[str, object] = {
            "config_file": self.config,
            "known_hosts": self.known_hosts,
            "accepted": self.folder / "state" / "accepted",
            "backoff_first": 0.1,
            "backoff_max": 0.5,
            **changes,
        }
        return SshSettings(**values)  # type: ignore[arg-type]


@pytest.fixture
def make_sshd(tmp_path: Path) -> Iterator[Callable[..., Sshd]]:
    """A function that starts a server of the test's own; options are those of sshd_config."""
    need_sshd()
    servers: list[Sshd] = []

    def make(**options: str) -> Sshd:
        server = Sshd(tmp_path / f"sshd{len(servers)}", **options)
        servers.append(server)
        server.start()
        return server

    yield make
    for server in servers:
        server.stop()


@pytest.fixture(scope="module")
def shared_sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """A server with nothing special for the tests of a module; a test leaves no connection to it."""
    need_sshd()
    server = Sshd(tmp_path_factory.mktemp("shared") / "sshd")
    server.start()
    yield server
    server.stop()
