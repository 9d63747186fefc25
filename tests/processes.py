"""The processes of this machine, from /proc: ps is not everywhere, and costs a process."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Process(NamedTuple):
    pid: int
    parent: int
    group: int
    state: str  # "Z" is a zombie
    name: str
    arguments: str  # empty for threads of the kernel, and for zombies


def processes() -> list[Process]:
    """All that can be seen; one that ends meanwhile is left out."""
    return list(_of_proc() if Path("/proc/self/stat").exists() else _of_ps())


def _of_proc() -> Iterator[Process]:
    for number in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 - asked for again and again
        try:
            stat, words = _read(f"/proc/{number}/stat"), _read(f"/proc/{number}/cmdline")
        except OSError:
            continue
        name, _, rest = stat.partition("(")[2].rpartition(")")  # proc(5): the name may have parentheses
        state, parent, group = rest.split(None, 3)[:3]
        arguments = words.replace("\0", " ").strip()
        yield Process(int(number), int(parent), int(group), state, name, arguments)


def _read(path: str) -> str:
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - a Path for each costs more than the file
        return file.read().decode(errors="replace")


def _of_ps() -> Iterator[Process]:
    columns = ["ps", "-axww", "-o", "pid=,ppid=,pgid=,stat=,ucomm=,args="]
    for line in subprocess.run(columns, capture_output=True, text=True, check=True).stdout.splitlines():
        pid, parent, group, state, name, *words = line.split(None, 5)
        yield Process(int(pid), int(parent), int(group), state[:1], name, " ".join(words))
