"""However the terminal goes away, the app goes too, and leaves nothing behind."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from forked import Forked


def started(*arguments: str, controlling: bool = True) -> tuple[Forked, int]:
    """The app on a terminal of its own; (process, the terminal's other end).

    `controlling`: whether the kernel sends SIGHUP when the terminal is closed.
    """
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
    process = Forked(arguments, (slave,) * 3, environment=environment, session=True, controlling=controlling)
    os.close(slave)
    return process, master


def end(process: Forked) -> None:
    """Kill it, if it has not ended."""
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)
        process.wait(20)


def drawn(master: int, words: bytes, seen: bytes = b"", seconds: float = 30.0) -> bytes:
    """Read the terminal until `words` have been drawn; what was drawn, beginning with what was `seen`."""
    end = time.monotonic() + seconds
    while words not in seen:
        ready, _, _ = select.select([master], [], [], max(0.0, end - time.monotonic()))
        assert ready, seen[-2000:]
        seen += os.read(master, 65536)
    return seen


@pytest.mark.parametrize("arguments", [("demo", "--examples"), ("demo",)], ids=["examples", "simulated lab"])
def test_a_terminal_that_is_closed_ends_the_app(arguments):
    process, master = started(*arguments)
    try:
        drawn(master, b"sessions" if arguments[1:] else b"Simulated")
        time.sleep(1.0)
        os.close(master)
        assert process.wait(20) == 128 + signal.SIGHUP
    finally:
        end(process)


@pytest.mark.parametrize("arguments", [("demo", "--examples"), ("demo",)], ids=["examples", "simulated lab"])
def test_a_terminal_that_is_closed_without_a_signal_ends_the_app_too(arguments):
    process, master = started(*arguments, controlling=False)
    try:
        drawn(master, b"sessions" if arguments[1:] else b"Simulated")
        os.close(master)
        assert process.wait(30) == 128 + signal.SIGHUP
    finally:
        end(process)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_an_app_that_may_not_read_its_terminal_any_more_ends():
    """As below a make that was killed: the shell takes the terminal back, and the app is an orphan."""
    code = (
        "import os, subprocess, sys; subprocess.run([sys.executable, '-m', 'fwdtui', 'demo', '--examples'])"
    )
    shell = f"""
import fcntl, os, signal, subprocess, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
make = subprocess.Popen([sys.executable, "-c", {code!r}], process_group=0)
os.tcsetpgrp(0, make.pid)
print("make", make.pid, flush=True)
make.wait()
os.tcsetpgrp(0, os.getpgrp())
signal.pause()
"""
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color"}
    process = subprocess.Popen(
        [sys.executable, "-c", shell], stdin=slave, stdout=slave, stderr=slave, env=environment,
        start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    try:
        make = int(drawn(master, b"\r\n").split()[1])
        drawn(master, b"sessions")
        (app,) = (int(pid) for pid in Path(f"/proc/{make}/task/{make}/children").read_text().split())
        os.kill(make, signal.SIGKILL)
        seen, end = b"", time.monotonic() + 30
        while Path(f"/proc/{app}").exists() and "Z" not in Path(f"/proc/{app}/stat").read_text().split():
            assert time.monotonic() < end, "the app lives on"
            os.write(master, b"x")  # what the user types to the shell: the app is refused it
            if select.select([master], [], [], 0.1)[0]:  # a terminal that nobody reads would hold the app up
                seen += os.read(master, 65536)
        drawn(master, b"\x1b[?1049l", seen)  # the shell gets its screen back
    finally:
        process.kill()
        process.wait()
        os.close(master)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_app_and_gives_the_terminal_back(number):
    process, master = started("demo", "--examples")
    try:
        drawn(master, b"sessions")
        os.kill(process.pid, number)
        drawn(master, b"\x1b[?1049l")  # the alternate screen is left
        assert process.wait(20) == 128 + number
    finally:
        end(process)
        os.close(master)
