"""Folded stacks for tests: of files, and small ones made up."""

from pathlib import Path

from fwdtui.core.profile import Folded, Stack

FIREWALLS = "Xeon_E5-2650_8Cores/Chelsio_T540-CR/firewalls/results/fbsd13-r368287.D27401v2"
"""Under netbenches: two kernels, one of which looks routes up in another way."""
TXABDICATE = "AMD_GX-412TC_4Cores/Intel_i210AT/txabdicate/results/fbsd16-n311215.D58513/PMC"
"""Under archive: a setting off and on, with idle shares and depths that differ."""


def stacks_of(path: Path) -> Folded:
    """The folded stacks of a .stack file."""
    rows = (line.rpartition(" ") for line in path.read_text().splitlines())
    return Folded.of((tuple(stack.split(";")), int(samples)) for stack, _, samples in rows if stack)


def idle(stack: Stack) -> bool:
    """Of those files: FreeBSD's idle thread."""
    return "sched_idletd" in stack or "sched_ule_idletd" in stack
