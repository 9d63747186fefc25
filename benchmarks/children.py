"""What a program used that was run as a child: CPU time and memory, as the kernel counted them."""

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
FWDTUI = (sys.executable, "-m", "fwdtui")


class Used(NamedTuple):
    """CPU seconds of the child and the children that it waited for, wall seconds, peak resident memory."""

    cpu: float
    wall: float
    megabytes: float


def used(command: Sequence[str], output: Path | None = None) -> Used:
    """Run `command`, with standard output into `output`, and count what it used. Exits if the command fails.

    Until a program has been loaded, the kernel counts the memory of the process that starts it as its own. So
    the caller must not be larger than what it measures, and must import neither numpy nor fwdtui.
    """
    to = os.open(output or os.devnull, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    start = time.perf_counter()
    pid = os.posix_spawnp(
        command[0],
        list(command),
        os.environ | {"PYTHONPATH": str(HERE.parent), "OPENBLAS_NUM_THREADS": "1"},
        file_actions=[(os.POSIX_SPAWN_DUP2, to, 1), (os.POSIX_SPAWN_CLOSE, to)],
    )
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    os.close(to)
    if status:
        sys.exit(f"{' '.join(command)}: wait status {status}")
    return Used(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def in_turns(
    commands: dict[str, Sequence[str]], rounds: int, folder: Path | None = None
) -> dict[str, list[Used]]:
    """What each command used in each of `rounds` rounds. In a round they run one after another.

    Their outputs go to `folder`. An additional first round, which fills the caches, does not count.
    """
    found: dict[str, list[Used]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            one = used(command, folder / name if folder else None)
            if turn:
                found[name].append(one)
    return found
