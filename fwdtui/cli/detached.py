"""What is measured without a screen goes on without its terminal: what ends it, and how progress is told.

A terminal that is gone (EIO), a log on a full disk and a pipe that nobody reads are no reason to stop
measuring, and even less to leave what was begun on the hosts.
"""

import contextlib
import signal
import sys

from fwdtui.core.text import clean


def ending() -> tuple[signal.Signals, ...]:
    """The signals to be heeded. SIGHUP is not among them where nohup(1) has it ignored."""
    ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    hangup = () if ignored else (signal.SIGHUP,)
    return (signal.SIGINT, signal.SIGTERM, *hangup)


def tell(*lines: str) -> None:
    """Lines on stderr."""
    for line in lines:
        with contextlib.suppress(OSError):
            print(clean(line), file=sys.stderr, flush=True)


def draw(text: str) -> None:
    """Text of our own on stderr as it is, terminal controls and all."""
    stream = getattr(sys.stderr, "bare", sys.stderr)
    with contextlib.suppress(OSError):
        stream.write(text)
        stream.flush()
