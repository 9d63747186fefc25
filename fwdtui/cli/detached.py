"""For commands that measure without a screen: the signals that end them, and how they print progress.

They go on without their terminal. A terminal that is gone (EIO), a log on a full disk and a pipe that no one
reads are no reason to stop measuring, and even less to leave behind what was begun on the hosts.
"""

import contextlib
import signal
import sys

from fwdtui.core.text import clean


def ending() -> tuple[signal.Signals, ...]:
    """The signals that end a command. SIGHUP is not one of them if it is ignored, as under nohup(1)."""
    ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    hangup = () if ignored else (signal.SIGHUP,)
    return (signal.SIGINT, signal.SIGTERM, *hangup)


def tell(*lines: str) -> None:
    """Print lines on stderr, if it can be written to."""
    for line in lines:
        with contextlib.suppress(OSError):
            print(clean(line), file=sys.stderr, flush=True)


def draw(text: str) -> None:
    """Write our own text to stderr unchanged, with its terminal controls."""
    stream = getattr(sys.stderr, "bare", sys.stderr)
    with contextlib.suppress(OSError):
        stream.write(text)
        stream.flush()
