"""Small routers run dropbear, where a session shares the process group of its connection's server."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from transport_helpers import free_port, generate_key, processes_with, run_tool, until

from fwdtui.transport.base import Completed, Phase
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshPool


@pytest.fixture
def dropbear(tmp_path: Path) -> Iterator[SshSettings]:
    """A server that sees a home folder of its own for root; settings that lead to it as "dut"."""
    if os.geteuid() != 0:
        pytest.skip("a home folder of its own for the server needs root")
    for tool, package in (
        ("dropbear", "dropbear-bin"),
        ("dropbearkey", "dropbear-bin"),
        ("ssh-keygen", "openssh-client"),
        ("unshare", "util-linux"),
    ):
        if not shutil.which(tool):
            pytest.skip(f"needs the Debian package {package}")
    port = free_port()
    key = generate_key(tmp_path / "id")
    listing = run_tool("dropbearkey", "-t", "ed25519", "-f", tmp_path / "host_key")
    public = next(line for line in listing.splitlines() if line.startswith("ssh-"))
    (tmp_path / "known_hosts").write_text(f"[127.0.0.1]:{port} {public}\n")
    (tmp_path / "config").write_text(
        f"Host dut\n HostName 127.0.0.1\n Port {port}\n User root\n IdentityFile {key}\n IdentityAgent none\n"
    )
    script = tmp_path / "serve"
    script.write_text(
        f"mount -t tmpfs none /root && mkdir -m 700 /root/.ssh && chmod 700 /root\n"
        f"cp {key}.pub /root/.ssh/authorized_keys && chmod 600 /root/.ssh/authorized_keys\n"
        f"exec dropbear -F -E -r {tmp_path}/host_key -p 127.0.0.1:{port} -P {tmp_path}/pid\n"
    )
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(["unshare", "--mount", "sh", script], stderr=log)
    deadline = time.monotonic() + 5
    while not (tmp_path / "pid").exists():
        if server.poll() is not None:
            pytest.skip(f"dropbear does not run here: {(tmp_path / 'log').read_text().strip()}")
        assert time.monotonic() < deadline
        time.sleep(0.02)
    yield SshSettings(
        config_file=tmp_path / "config", known_hosts=tmp_path / "known_hosts", accepted=tmp_path / "accepted"
    )
    server.send_signal(signal.SIGTERM)
    server.wait(5)


async def test_scripts_run_and_end_without_ending_the_connection(
    dropbear: SshSettings, pools: Callable[[SshSettings], SshPool]
) -> None:
    number = f"61.{time.monotonic_ns()}"
    host = await pools(dropbear).open("dut", "dut")
    assert await host.run("echo out; echo err >&2; exit 3") == Completed(b"out\n", b"err\n", 3)
    stays = await host.start("while read -r x; do echo got $x; done", stdin=True)
    ends = await host.start(f"trap '' TERM INT; while :; do sleep 0.1; done # {number}")
    await ends.close()
    await until(lambda: not processes_with(number), 3)
    assert stays.send(b"tick") and await stays.readline() == b"got tick"
    assert host.state.phase is Phase.UP
