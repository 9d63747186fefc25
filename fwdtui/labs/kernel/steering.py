"""Decides which CPU does the DUT's work. There are three modes:

- ``rps`` (default): receive packet steering (Documentation/networking/scaling.rst) passes what arrives at
  dut0 to CPU 1, through a backlog of net.core.netdev_max_backlog packets that really overflows.
- ``inline``: the DUT forwards within the sender's system call, on the sender's CPU. It cannot drop.
- ``napi``: veth's own NAPI runs in kernel threads on CPU 1. It shows as system time, and packets that do not
  fit into its ring are counted only at the sender (tx_dropped of gen0).
"""

import contextlib
import os
from pathlib import Path

from fwdtui.core.errors import FwdtuiError
from fwdtui.labs.kernel import topology
from fwdtui.labs.kernel.commands import Commands
from fwdtui.labs.kernel.network import root_side, write_sysfs
from fwdtui.labs.kernel.place import Place


def require_cpus(mode: str) -> None:
    """Raises FwdtuiError if a mode needs CPUs that we may not use."""
    wanted = {topology.GENERATOR_CPU} if mode == "inline" else {topology.GENERATOR_CPU, topology.DUT_CPU}
    lacking = sorted(wanted - os.sched_getaffinity(0))
    if lacking:
        other = "" if mode == "inline" else "; try --mode inline"
        raise FwdtuiError(f"kernel lab: mode {mode} needs CPU {lacking[0]}, which is not available{other}")


def steer(commands: Commands, place: Place, slot: int, mode: str) -> None:
    """Apply a mode, and keep the management links off the DUT's CPU in every mode."""
    gen, dut, sink = map(place.namespace, topology.HOSTS)
    # Without this, ssh would share the overloaded CPU's backlog with the traffic, and lose packets there.
    for host in topology.HOSTS:
        _rps(commands, None, root_side(slot, host), 1, topology.GENERATOR_CPU)
        _rps(commands, place.namespace(host), topology.MANAGEMENT, 1, topology.GENERATOR_CPU)
    # On this path one frame must be one packet: nothing is merged, nothing is split.
    for namespace, port in (
        (gen, topology.GEN0),
        (dut, topology.DUT0),
        (dut, topology.DUT1),
        (sink, topology.SINK0),
    ):
        commands.inside(namespace, "ethtool", "-K", port.name, "tso", "off", "gso", "off", "gro", "off")
    if mode == "rps":
        _rps(commands, dut, topology.DUT0.name, topology.QUEUES, topology.DUT_CPU)
        _rps(commands, sink, topology.SINK0.name, topology.QUEUES, topology.DUT_CPU)
    elif mode == "napi":
        commands.inside(dut, "ethtool", "-K", topology.DUT0.name, "gro", "on")  # this turns veth's NAPI on
        before = _napi_threads()
        write_sysfs(commands, dut, f"/sys/class/net/{topology.DUT0.name}/threaded", "1")
        for pid in sorted(_napi_threads() - before):
            commands.run("taskset", "-p", "-c", str(topology.DUT_CPU), str(pid))


def changed(commands: Commands, place: Place, mode: str) -> str:
    """How the DUT's port differs from what `steer` made of it, in words; "" if it does not."""
    dut, port = place.namespace("dut"), f"/sys/class/net/{topology.DUT0.name}"
    masks = [f"{port}/queues/rx-{queue}/rps_cpus" for queue in range(topology.QUEUES)]
    read = f"cat {port}/threaded 2>/dev/null || echo 0; cat {' '.join(masks)}"  # threaded since Linux 5.12
    threaded, *masks = commands.inside(dut, "sh", "-c", read).split()
    told = [int(mask.replace(",", ""), 16) for mask in masks]
    wanted = 1 << topology.DUT_CPU if mode == "rps" else 0
    wrong = [f"threaded is {threaded}"] if (threaded != "0") != (mode == "napi") else []
    if any(mask != wanted for mask in told):
        shown = " and ".join(f"{mask:x}" for mask in told)
        wrong.append(f"rps_cpus of its queues is {shown} instead of {wanted:x}")
    return f"{topology.DUT0.name}: {'; '.join(wrong)}" if wrong else ""


def _rps(commands: Commands, namespace: str | None, port: str, queues: int, cpu: int) -> None:
    for queue in range(queues):
        path = f"/sys/class/net/{port}/queues/rx-{queue}/rps_cpus"
        write_sysfs(commands, namespace, path, f"{1 << cpu:x}")


def _napi_threads() -> set[int]:
    """Process IDs of the threads napi/<device>-<napi id> of every lab on the machine: each has a dut0."""
    threads = set()
    for entry in Path("/proc").glob("[0-9]*/comm"):
        with contextlib.suppress(OSError):  # the process ended while we looked
            if entry.read_text().startswith(f"napi/{topology.DUT0.name}-"):
                threads.add(int(entry.parent.name))
    return threads
