"""What several tests of the simulated lab ask of the operating system."""

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path

from processes import processes

from fwdtui.labs.simulated.dut import Line

# the Unix shells of this machine, as words of a command
SHELLS = [
    [path]
    for path in (
        *("/bin/dash", "/bin/bash", "/bin/ksh", "/bin/mksh", "/usr/bin/zsh", "/bin/sh"),
        "/usr/lib/klibc/bin/sh",
    )
    if os.access(path, os.X_OK)
] + ([["/bin/busybox", "sh"]] if os.access("/bin/busybox", os.X_OK) else [])


def processes_of(folder: Path) -> list[str]:
    """Processes that run in a lab's folder or from it (their arguments or their environment name it)."""
    return [
        f"{one.pid} {one.arguments}"
        for one in processes()
        if one.state != "Z" and (str(folder) in one.arguments or _runs_for(one.pid, folder))
    ]


async def none_left(folder: Path) -> bool:
    """Whether a closed lab has no process any more: each was killed, which a busy machine does later."""
    for _ in range(100):
        if not processes_of(folder):
            return True
        await asyncio.sleep(0.05)
    return False


def _runs_for(pid: int, folder: Path) -> bool:
    try:
        return f"FWDTUI_HOST={folder}".encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


def dropped(lines: Iterable[Line]) -> int:
    """Packets that these queues of the model had no room for."""
    return sum(line.dropped for line in lines)


def contents(folder: Path) -> list[str]:
    """Names of what is in it."""
    return sorted(path.name for path in folder.iterdir())
