"""fwdtui as a process in a pseudo terminal: the bytes that reach the terminal, as they are."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Sequence
from pathlib import Path

from forked import Forked


def _open(size: tuple[int, int]) -> tuple[int, int]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    return ours, theirs


def _read(ours: int, seconds: float) -> bytes | None:
    """What comes within a time; None at the end."""
    if not select.select([ours], [], [], seconds)[0]:
        return b""
    try:
        return os.read(ours, 1 << 16) or None
    except OSError:  # EIO: nobody has it open any more
        return None


def run(
    *arguments: str | bytes,
    cwd: Path,
    keys: Sequence[tuple[str, bytes]] = (),
    size: tuple[int, int] = (100, 30),
    seconds: float = 60.0,
    again: bool = False,
) -> tuple[int, bytes]:
    """Exit status and everything that was written. `keys`: once this text is there, type that.

    `again`: type it once more each second until the next text is there, as a question takes no key at first.
    """
    ours, theirs = _open(size)
    environment = {**os.environ, "TERM": "xterm-256color"}
    process = Forked(arguments, (theirs,) * 3, cwd, environment, session=True)
    os.close(theirs)
    written, waiting, since = b"", list(keys), 0
    typed, next_time = b"", 0.0
    end = time.monotonic() + seconds
    try:
        while (data := _read(ours, 0.2)) is not None:
            written += data
            if waiting and waiting[0][0].encode() in written[since:]:
                since = len(written)
                typed, next_time = waiting.pop(0)[1], time.monotonic() + 1.0
                os.write(ours, typed)
            elif again and waiting and typed and time.monotonic() > next_time:
                next_time = time.monotonic() + 1.0
                os.write(ours, typed)
            assert time.monotonic() < end, (waiting, written[-2000:])
        status = process.wait(10)
        assert status is not None, "it closed its terminal and goes on"
        return status, written
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)
        os.close(ours)
