"""A terminal that goes away in the middle: nobody waits for it."""

import os
import pty
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from typing import Any, ClassVar, TextIO

from textual.drivers._writer_thread import MAX_QUEUED_WRITES, WriterThread

from fwdtui.ui.shell.hangup import HangupWatch, Unbroken


@contextmanager
def terminal() -> Iterator[tuple[FileIO, TextIO]]:
    """The end that a terminal emulator has, and the one that a program writes to."""
    master, slave = pty.openpty()
    emulator, stream = FileIO(master, "r+"), os.fdopen(slave, "w", buffering=1 << 16)
    try:
        yield emulator, stream
    finally:
        emulator.close()
        with suppress(OSError):  # it writes what nobody reads any more
            stream.close()


def test_textual_s_output_thread_outlives_its_terminal_and_no_write_waits() -> None:
    told: list[str] = []
    with terminal() as (emulator, stream):
        output = WriterThread(Unbroken(stream, lambda: told.append("gone")))  # type: ignore[arg-type]
        output.start()
        output.write("before")
        while not emulator.read(100):
            pass
        emulator.close()

        def much() -> None:
            for _ in range(3 * MAX_QUEUED_WRITES):
                output.write("after" * 100)
            output.stop()

        writing = threading.Thread(target=much, daemon=True)
        writing.start()
        writing.join(20.0)
        assert not writing.is_alive() and not output.is_alive()
    assert told == ["gone"]


def test_a_driver_that_cannot_write_reports_it_as_a_hang_up() -> None:
    hung_up: list[bool] = []

    with terminal() as (emulator, stream):

        class Driver:
            made: ClassVar[list[Any]] = []

            def __init__(self, app: str, *, debug: bool) -> None:
                self._file: Any = stream
                self.made.append((app, debug))

        watch = HangupWatch((), lambda: hung_up.append(True))
        driver: Any = watch.reading(Driver)("app", debug=True)  # type: ignore[arg-type]
        assert Driver.made == [("app", True)] and driver._file.fileno() == stream.fileno()
        driver._file.write("seen")
        driver._file.flush()
        assert emulator.read(100) == b"seen" and hung_up == []
        emulator.close()
        for _ in range(2):
            driver._file.write("unseen")
            driver._file.flush()
        assert hung_up == [True]
