"""Detects a terminal that goes away without SIGHUP: under nohup, script or a parent that passes none on.

The kernel reports it as POLLHUP on the descriptor (poll(2)). Reading then gives an end of file at once, again
and again, which an input thread takes for no input; or EIO if the process group is orphaned (setpgid(2)).
"""

import select
import threading
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from textual.driver import Driver

_LOOK = 500  # milliseconds between checks whether to go on watching
_GONE = select.POLLHUP | select.POLLERR | select.POLLNVAL


def gone(descriptor: int, wait: int = 0) -> bool:
    """Whether the terminal or pipe behind `descriptor` has lost its other end, within `wait` milliseconds."""
    poll = select.poll()
    poll.register(descriptor, 0)  # an error and a hang-up are reported without being asked for
    return any(event & _GONE for _, event in poll.poll(wait))


class Unbroken:
    """A text stream whose writes never fail: what cannot be written is dropped, and `broken` called once."""

    def __init__(self, stream: TextIO, broken: Callable[[], None]) -> None:
        self._stream: TextIO | None = stream
        self._broken = broken
        self._descriptor = stream.fileno()

    def write(self, text: str) -> int:
        """Write the text, or drop it."""
        self._unless_broken(lambda stream: stream.write(text))
        return len(text)

    def flush(self) -> None:
        """Hand over what was written."""
        self._unless_broken(lambda stream: stream.flush())

    def fileno(self) -> int:
        """The stream's descriptor."""
        return self._descriptor

    def _unless_broken(self, do: Callable[[TextIO], object]) -> None:
        if self._stream is not None:
            try:
                do(self._stream)
            except (OSError, ValueError):  # ValueError: it was closed
                self._stream = None
                self._broken()


class HangupWatch:
    """Calls `hung_up` once, from a thread of its own, when one of `descriptors` is gone; until `stop`."""

    def __init__(self, descriptors: Iterable[int], hung_up: Callable[[], None]) -> None:
        self._hung_up = hung_up
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._input: threading.Event | None = None
        for descriptor in descriptors:
            threading.Thread(target=self._watch, args=(descriptor,), daemon=True, name="hangup").start()

    def stop(self) -> None:
        """Stop watching: `hung_up` is no longer called."""
        with self._lock:
            self._over.set()

    def report(self) -> None:
        """Report the hang-up, once."""
        with self._lock:
            if not self._over.is_set():
                self._over.set()
                if self._input is not None:
                    self._input.set()  # reading an end of file again and again takes a whole core
                self._hung_up()

    def _watch(self, descriptor: int) -> None:
        while not self._over.is_set():
            if gone(descriptor, _LOOK):
                self.report()

    def reading(self, driver: type[Driver]) -> type[Driver]:
        """A subclass of `driver` that reports a terminal that can no longer be read or written.

        Textual's input thread would panic. Its output thread would end, and after thirty more writes the app
        would wait for that thread for ever: a hang-up comes with SIGCONT, which makes it draw everything.
        """
        watch = self

        class Watched(driver):  # type: ignore[misc, valid-type]
            def __init__(self, *args: Any, **options: Any) -> None:
                super().__init__(*args, **options)
                stream = getattr(self, "_file", None)
                if stream is not None:  # there is none without a terminal
                    self._file: Any = Unbroken(stream, watch.report)

            def run_input_thread(self) -> None:
                watch._input = getattr(self, "exit_event", None)
                try:
                    super().run_input_thread()
                except OSError:
                    watch.report()

        return Watched
