"""Hands what a thread has read to its screen, unless it is no longer wanted."""

from collections.abc import Callable

from textual.message_pump import MessagePump
from textual.worker import get_current_worker


def from_thread(screen: MessagePump, do: Callable[..., object], *arguments: object) -> None:
    """Call `do(*arguments)` on the event loop, unless the worker that this thread runs has been cancelled.

    This is checked on the event loop, where workers are cancelled. A thread that only checked by itself might
    be held up between its check and the call: what it has read would replace what was read later.
    """
    worker = get_current_worker()

    def unless_cancelled() -> object:
        # an app that shuts down takes its screens apart before it cancels their workers
        wanted = screen.app.is_running and not worker.is_cancelled
        return do(*arguments) if wanted else None

    if not worker.is_cancelled:  # else it would wait for an app that may be closing
        screen.app.call_from_thread(unless_cancelled)
