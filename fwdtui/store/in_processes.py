"""Work on many items in several processes, with the results in the items' order.

The processes are forked, so they have all items already, and nothing needs to be copied to them. A fork of
a program with several threads may deadlock, so there everything is done in the calling process.
"""

import contextlib
import gc
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from fwdtui.core.errors import FwdtuiError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")

_MOST = 8  # processes
_AHEAD = 2  # orders that a process is given at once: the next one is there when it has finished one
_ORDER = 4  # most items of an order: sending it and its results takes as long as an item of some milliseconds
_ORDERS = 8  # for each process at least, so that all end at about the same time


def count() -> int:
    """How many processes are worth it: one for each CPU that this process may use, 1 if it must not fork."""
    # macOS: its own libraries start threads that Python does not know
    if not hasattr(os, "fork") or sys.platform == "darwin" or threading.active_count() > 1:
        return 1
    affinity = getattr(os, "sched_getaffinity", None)
    return min(len(affinity(0)) if affinity else os.cpu_count() or 1, _MOST)


def in_order(work: Callable[[_Item], _Result], items: Sequence[_Item], processes: int) -> Generator[_Result]:
    """`work(item)` of each item in turn, done in `processes` processes; with one, in this process.

    What `work` raises is raised here when it is the item's turn. Close the iterator to end the processes.
    """
    if processes < 2 or len(items) < 2:
        yield from map(work, items)
        return
    workers: dict[Connection, int] = {}  # our end of each process's pipe -> its pid
    try:
        for _ in range(min(processes, len(items))):
            _start(work, items, workers)
        yield from _results(workers, len(items))
    finally:
        for end, pid in workers.items():
            end.close()
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in workers.values():
            os.waitpid(pid, 0)


def _start(work: Callable[[Any], object], items: Sequence[object], workers: "dict[Connection, int]") -> None:
    from multiprocessing.connection import Pipe

    ours, theirs = Pipe()
    pid = os.fork()
    if pid:
        theirs.close()
        workers[ours] = pid
        return
    status = 1
    try:
        # Ctrl-C reaches the whole group: the process that started us decides what becomes of it
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        gc.freeze()  # collecting what was inherited would copy it
        for end in (*workers, ours):  # else we would keep each other alive when that process is killed
            end.close()
        _serve(work, items, theirs)
        status = 0
    finally:
        os._exit(status)  # nothing that was inherited is flushed or cleaned up twice


def _serve(work: Callable[[Any], object], items: Sequence[object], pipe: "Connection") -> None:
    """Work on the items whose places are asked for, until the other end is closed."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            pipe.send([_answer(work, items, place) for place in pipe.recv()])


def _answer(
    work: Callable[[Any], object], items: Sequence[object], place: int
) -> tuple[int, object, Exception | None]:
    try:
        return place, work(items[place]), None
    except Exception as error:
        return place, None, _portable(error)


def _portable(error: Exception) -> Exception:
    """The error if it can be sent to another process, else one with its text."""
    with contextlib.suppress(Exception):
        pickle.loads(pickle.dumps(error))
        return error
    return RuntimeError(f"{type(error).__name__}: {error}")


def _results(workers: "dict[Connection, int]", total: int) -> Iterator[Any]:
    from multiprocessing.connection import wait

    size = max(1, min(_ORDER, total // (_ORDERS * len(workers))))
    orders = iter([range(first, min(first + size, total)) for first in range(0, total, size)])
    for _ in range(_AHEAD):
        for end in workers:
            _ask(end, orders)
    waiting: dict[int, tuple[Any, Exception | None]] = {}
    for turn in range(total):
        while turn not in waiting:
            for ready in wait(list(workers)):
                end = cast("Connection", ready)
                try:
                    answers = end.recv()
                except (EOFError, OSError):
                    raise FwdtuiError(
                        "a process that worked on this was killed; is there enough memory?"
                    ) from None
                waiting |= {place: (result, error) for place, result, error in answers}
                _ask(end, orders)
        result, error = waiting.pop(turn)
        if error is not None:
            raise error
        yield result


def _ask(end: "Connection", orders: Iterator[range]) -> None:
    if (order := next(orders, None)) is not None:
        with contextlib.suppress(OSError):  # reported when its result is waited for
            end.send(order)
