"""The processes of this machine, from /proc: ps is not everywhere, and costs a process."""

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
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text(errors="replace")
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            continue
        name, _, rest = stat.partition("(")[2].rpartition(")")  # proc(5): the name may have parentheses
        state, parent, group = rest.split()[:3]
        yield Process(int(entry.name), int(parent), int(group), state, name, words)


def _of_ps() -> Iterator[Process]:
    columns = ["ps", "-axww", "-o", "pid=,ppid=,pgid=,stat=,ucomm=,args="]
    for line in subprocess.run(columns, capture_output=True, text=True, check=True).stdout.splitlines():
        pid, parent, group, state, name, *words = line.split(None, 5)
        yield Process(int(pid), int(parent), int(group), state[:1], name, " ".join(words))
