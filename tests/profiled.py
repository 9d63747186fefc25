"""Folded stacks for tests: of files, and small ones made up."""

from pathlib import Path
from typing import Any

from fwdtui.core.profile import Folded, Profile, Stack
from fwdtui.store import profiles

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


def forwarding(lookup: int, tx: int, idled: int, *, scale: int = 10) -> Folded:
    """A small router: receive, look up, send; so many samples of looking up, sending and being idle."""
    rx = ("fork_exit", "ithread_loop", "igb_rxeof", "ether_input", "ip_input", "ip_tryforward")
    counts = {
        rx[:3]: 9,
        rx[:4]: 7,
        rx[:5]: 12,
        rx: 14,
        (*rx, "fib4_lookup"): 8,
        (*rx, "fib4_lookup", "rn_match"): lookup,
        (*rx, "ether_output", "igb_transmit"): tx,
        (*rx, "ether_output", "igb_transmit", "bus_dmamap_load"): 6,
        (*rx, "in_localip", "memcmp"): 3,
        ("lapic_handle_timer", "hardclock"): 2,
        ("fork_exit", "sched_idletd", "cpu_idle"): idled,
    }
    return Folded({stack: scale * samples for stack, samples in counts.items()})


def add(session: Path, case: str, folded: Folded, **known: Any) -> int:
    """Add a profile to a session on disk."""
    profile = Profile(folded.samples, tool="pmcstat", event="cpu_clk_unhalted.thread", **known)
    return profiles.add(session, case, folded, profile)
