"""However the terminal goes away, the app goes too, and leaves nothing behind."""

import os
import pty
import signal
import subprocess
import sys
import time

import pytest


def started(*arguments: str) -> tuple[subprocess.Popen[bytes], int]:
    """The app on a terminal of its own; (process, the terminal's other end)."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "fwdtui", *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"},
        start_new_session=True,
        preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0),
    )
    os.close(slave)
    return process, master


def drawn(master: int, words: bytes, seconds: float = 30.0) -> None:
    """Read the terminal until `words` have been drawn."""
    seen, end = b"", time.monotonic() + seconds
    while words not in seen:
        assert time.monotonic() < end, seen[-2000:]
        seen += os.read(master, 65536)


@pytest.mark.parametrize("arguments", [("demo", "--examples"), ("demo",)], ids=["examples", "simulated lab"])
def test_a_terminal_that_is_closed_ends_the_app(arguments):
    process, master = started(*arguments)
    try:
        drawn(master, b"sessions" if arguments[1:] else b"Simulated")
        time.sleep(1.0)
        os.close(master)
        assert process.wait(20) == 128 + signal.SIGHUP
    finally:
        process.kill()
        process.wait()


def test_sigterm_ends_the_app_and_gives_the_terminal_back():
    process, master = started("demo", "--examples")
    try:
        drawn(master, b"sessions")
        time.sleep(1.0)
        process.send_signal(signal.SIGTERM)
        drawn(master, b"\x1b[?1049l")  # the alternate screen is left
        assert process.wait(20) in (0, 128 + signal.SIGTERM)
    finally:
        process.kill()
        process.wait()
        os.close(master)
