"""Hands what a thread has read to its screen, unless it is no longer wanted."""

from collections.abc import Callable

from textual.message_pump import MessagePump
from textual.worker import get_current_worker


def from_thread(screen: MessagePump, do: Callable[..., object], *arguments: object) -> None:
    """Call `do(*arguments)` on the event loop, unless the worker that this thread runs was cancelled before.

    Whether it was cancelled is certain only there, where workers are cancelled. A thread that looks by itself
    may be held up between its look and the call: what it has read would replace what was read after it.
    """
    worker = get_current_worker()

    def unless_cancelled() -> object:
        # an app that shuts down takes its screens apart before it cancels their workers
        wanted = screen.app.is_running and not worker.is_cancelled
        return do(*arguments) if wanted else None

    if not worker.is_cancelled:  # else it would wait for an app that may be closing
        screen.app.call_from_thread(unless_cancelled)
