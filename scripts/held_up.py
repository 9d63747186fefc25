"""Holds up the processes of a test run, one after another, as a machine does that has no processor for them.

    python scripts/held_up.py PID [MOST [GAP]]

PID is that of ``pytest --beside N``, which is left alone. Every GAP seconds (0.4) one of its descendants,
drawn at random, is stopped for 0.2 to MOST seconds (1.2): a process of the tests, an ssh server, a sampler, a
tool. It ends with PID, or with SIGTERM, and prints how many were held up. In a single run it finds what busy
loops find in many: tests and programs that wait by the clock in place of a condition.

Nothing is stopped that somebody else has stopped. A test that looks at the state of a process may see it
stopped, and an app that is continued sets its terminal up anew and forgets the keys that it has not read yet.
"""

import heapq
import os
import random
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

_LEAST = 0.2  # seconds
_LOOK = 0.02


def _processes() -> dict[int, tuple[int, str]]:
    """Each one's parent and state. The name before them may have blanks and brackets (proc_pid_stat(5))."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
                found[int(entry.name)] = int(parent), state
    return found


def _descendants(of: int) -> list[int]:
    """The descendants of a process that are running or sleeping."""
    processes = _processes()
    children: dict[int, list[int]] = {}
    for pid, (parent, _) in processes.items():
        children.setdefault(parent, []).append(pid)
    found: list[int] = []
    todo = [of]
    while todo:
        mine = children.get(todo.pop(), [])
        found += mine
        todo += mine
    return [pid for pid in found if processes[pid][1] in "RS" and pid != os.getpid()]


def _hold_up(first: int, most: float, gap: float) -> int:
    held: list[tuple[float, int]] = []
    count = 0
    try:
        while Path("/proc", str(first)).exists():
            if ready := _descendants(first):
                pid = random.choice(ready)
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
                    heapq.heappush(held, (time.monotonic() + random.uniform(_LEAST, most), pid))
                    count += 1
            end = time.monotonic() + gap
            while (now := time.monotonic()) < end:
                while held and held[0][0] <= now:
                    _let_go(heapq.heappop(held)[1])
                time.sleep(_LOOK)
    except SystemExit:
        pass
    finally:
        for _, pid in held:
            _let_go(pid)
    return count


def _let_go(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


def main() -> int:
    """Hold processes up until the test run ends."""
    if not 2 <= len(sys.argv) <= 4:
        print(__doc__)
        return 2
    first, *more = sys.argv[1:]
    most, gap = map(float, [*more, *("1.2", "0.4")[len(more) :]])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    print(f"{_hold_up(int(first), most, gap)} processes held up")
    return 0


if __name__ == "__main__":
    sys.exit(main())
