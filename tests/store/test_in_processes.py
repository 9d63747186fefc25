"""Work in several processes: results in order, errors in their turn, and no process is left."""

import errno
import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.store import in_processes
from fwdtui.store.in_processes import in_order

NUMBERS = [1, 2, 3]


def alive(pid: int) -> bool:
    """Whether there is such a process that still does anything."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def gone(pids: set[int]) -> bool:
    """Whether all these processes end, within a time that no machine is too busy for."""
    until = time.monotonic() + 30
    while any(map(alive, pids)) and time.monotonic() < until:
        time.sleep(0.01)
    return not any(map(alive, pids))


@pytest.mark.parametrize("processes", NUMBERS)
def test_results_come_in_the_order_of_the_items_however_long_each_takes(processes: int) -> None:
    def work(number: int) -> tuple[int, int]:
        hashlib.pbkdf2_hmac("sha256", b"", b"", 1 + 1000 * (number % 7))  # some take longer than others
        return number, os.getpid()

    found = list(in_order(work, range(100), processes))
    assert [number for number, _ in found] == list(range(100))
    pids = {pid for _, pid in found}
    assert pids == {os.getpid()} if processes == 1 else os.getpid() not in pids and len(pids) <= processes


@pytest.mark.parametrize("processes", NUMBERS)
def test_an_error_is_raised_in_its_turn_with_what_it_says(processes: int) -> None:
    def work(number: int) -> int:
        if number == 22:
            raise OSError(errno.ENOSPC, "No space left on device", "a/file")
        return number

    found = []
    with pytest.raises(OSError, match="No space left on device: 'a/file'") as told:
        found += (one for one in in_order(work, range(100), processes))
    assert told.value.errno == errno.ENOSPC
    given = in_order(work, range(100), processes)
    with pytest.raises(OSError, match="No space left"), closing(given):
        found = [next(given) for _ in range(22)]
        next(given)
    assert found == list(range(22))


def test_an_error_that_cannot_be_sent_is_told_in_its_words() -> None:
    class OddError(Exception):
        def __init__(self, one: str, two: str) -> None:
            super().__init__(f"{one} and {two}")

    def work(number: int) -> int:
        raise OddError("this", "that")

    with pytest.raises(RuntimeError, match="OddError: this and that"):
        list(in_order(work, [1, 2], 2))


def test_a_process_that_is_killed_is_told() -> None:
    def work(number: int) -> int:
        if number == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    with pytest.raises(FwdtuiError, match="was killed"):
        list(in_order(work, range(100), 2))


def test_closing_it_early_ends_the_processes() -> None:
    with closing(in_order(lambda _: os.getpid(), range(1000), 3)) as given:
        pids = {next(given) for _ in range(100)}
    assert pids and not any(map(alive, pids))


ENDLESS = """
import os, sys, time
from fwdtui.store.in_processes import in_order
def work(number):
    os.write(1, b"%d\\n" % os.getpid())  # in one piece: others write to the same pipe
    return number
for number in in_order(work, range(10**6), 2):
    time.sleep(0.01)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_stays_when_the_first_one_is_ended(how: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout is not None
        assert first.stderr is not None
        pids: set[int] = set()
        while len(pids) < 2:
            pids.add(int(first.stdout.readline()))
        first.send_signal(how)
        assert gone({*pids, first.pid})
        said = first.stderr.read()
    # Ctrl-C is one traceback of the first process, which the command line turns into a line
    assert said.count("Traceback") == (how == signal.SIGINT)


def test_beside_other_threads_nothing_is_forked() -> None:
    ended = threading.Event()
    beside = threading.Thread(target=ended.wait)
    beside.start()
    try:
        assert in_processes.count() == 1
    finally:
        ended.set()
        beside.join()
