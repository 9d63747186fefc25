"""Programs that stand still: nothing of them is left on the host, whoever of them was stopped."""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from processes import processes
from transport_helpers import children, processes_with, until
from transport_sshd import Sshd

from fwdtui.transport import remote_shell
from fwdtui.transport.base import Phase
from fwdtui.transport.settings import SshSettings
from fwdtui.transport.ssh import SshPool

Pools = Callable[[SshSettings], SshPool]
PROGRAM = "while :; do echo {tag}; sleep 0.1; done"


def group_of(tag: str) -> list[int]:
    """The process group of the program that has `tag` in its arguments, its leader first."""
    pids = [int(line.split()[1]) for line in processes_with(tag)]
    group = os.getpgid(pids[0])
    same = [one.pid for one in processes() if one.group == group]
    return sorted(same, key=lambda pid: pid != group)


def stop_group(tag: str) -> None:
    """Stop all of them at once: the watch for heartbeats begins a new process every second."""
    os.killpg(group_of(tag)[0], signal.SIGSTOP)


@pytest.mark.parametrize("who", ["the program", "every process of it"])
async def test_a_stopped_program_is_ended_when_it_is_closed(who: str, sshd: Sshd, pools: Pools) -> None:
    tag = f"stopped{os.getpid()}x{len(who)}"
    host = await pools(sshd.settings()).open("dut", "dut")
    process = await host.start(PROGRAM.format(tag=tag), stdin=True)
    assert await process.readline() == tag.encode()
    group = group_of(tag)
    assert len(group) >= 4  # the leader, the reader of stdin, the watch for heartbeats, the program
    if who.startswith("every"):
        stop_group(tag)
    else:
        os.kill(int(processes_with(tag)[0].split()[1]), signal.SIGSTOP)
    try:
        began = time.monotonic()
        await process.close()
        assert time.monotonic() - began < 8.0
        await until(lambda: not processes_with(tag))
        assert host.state.phase is Phase.UP
    finally:
        for pid in group:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


async def test_what_a_lost_connection_left_standing_is_ended_by_the_next_one(
    sshd: Sshd, pools: Pools
) -> None:
    tag = f"left{os.getpid()}x"
    host = await pools(sshd.settings(backoff_first=0.1, backoff_max=0.2)).open("dut", "dut")
    process = await host.start(PROGRAM.format(tag=tag), stdin=True)
    assert await process.readline() == tag.encode()
    stop_group(tag)
    sshd.signal_sessions(signal.SIGKILL)
    await process.wait()
    assert processes_with(tag)
    await until(lambda: not processes_with(tag), 15.0)


async def test_another_program_on_the_host_is_left_alone(sshd: Sshd, pools: Pools) -> None:
    host = await pools(sshd.settings()).open("dut", "dut")
    mine, other = f"mine{os.getpid()}x", f"other{os.getpid()}x"
    stopped = await host.start(PROGRAM.format(tag=mine), stdin=True)
    alive = await host.start(PROGRAM.format(tag=other), stdin=True)
    await stopped.readline()
    await alive.readline()
    stop_group(mine)
    await stopped.close()
    await until(lambda: not processes_with(mine))
    alive.read_ready()
    async with asyncio.timeout(5):
        assert await alive.readline() == other.encode()
    await alive.close()


@pytest.mark.parametrize("shell", ["dash", "bash", "ksh", "busybox"])
@pytest.mark.parametrize("system", ["with /proc", "with ps"])
def test_the_script_that_ends_them_finds_them_under_any_shell(
    shell: str, system: str, tmp_path: Path
) -> None:
    if not shutil.which(shell):
        pytest.skip(f"needs the Debian package {shell}")
    if system == "with ps" and not shutil.which("ps"):
        pytest.skip("needs the Debian package procps")
    mark = remote_shell.new_mark()
    victim = subprocess.Popen(
        ["/bin/sh", "-c", f": {mark}; while :; do sleep 1; done"], start_new_session=True
    )
    try:
        victim.send_signal(signal.SIGSTOP)
        script = remote_shell.ending([remote_shell.new_mark(), mark])
        if system == "with ps":
            script = script.replace("/proc/self/stat", "/nowhere")
        command = [shell, "sh"] if shell == "busybox" else [shell]
        done = subprocess.run([*command, "-c", script], capture_output=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        assert victim.wait(5) < 0
    finally:
        victim.kill()
        victim.wait()
    assert children(victim.pid) == []
