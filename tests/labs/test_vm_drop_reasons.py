"""Drop reasons by a histogram of the DUT's own kernel, a virtual machine with nothing installed for it."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from kernel_lab_use import LabUnderTest, fwdtui, wait_for
from lossy_dut import DROPS, UNDO, counters

from fwdtui.collectors.drop_reasons_script import PREFIX, script

pytestmark = pytest.mark.root

BACKLOG = "CPU_BACKLOG enqueue_to_backlog"
INSTANCES = f"ls -d /sys/kernel/tracing/instances/{PREFIX}* 2>/dev/null || true"
STEERED = """\
sysctl -qw net.core.netdev_max_backlog=5
for q in /sys/class/net/dut0/queues/rx-*/rps_cpus; do echo 2 >$q; done
"""
STRAIGHT = """\
sysctl -qw net.core.netdev_max_backlog=1000
for q in /sys/class/net/dut0/queues/rx-*/rps_cpus; do echo 0 >$q; done
"""


@pytest.fixture
def lossy(vm: LabUnderTest) -> Iterator[LabUnderTest]:
    """A quarter of what gets through its backlog, which is nearly always full, is forwarded."""
    vm.ssh("dut", DROPS + STEERED)
    yield vm
    vm.ssh("dut", STRAIGHT + UNDO)


def dropped(lab: LabUnderTest) -> dict[str, int]:
    softnet = lab.ssh("dut", "cat /proc/net/softnet_stat").splitlines()
    return counters(lab) | {BACKLOG: sum(int(row.split()[1], 16) for row in softnet)}


def test_the_kernel_s_own_histogram_names_every_drop(lossy: LabUnderTest, tmp_path: Path) -> None:
    file = lossy.quick_file("--rate", "2k", interval="1s", duration='"4s"', iterations="1")
    for session in ("first", "second", "third"):  # again if a busy machine kept the counting from its begin
        before = dropped(lossy)
        into = ("--into", tmp_path, "--session", session, "--case", "c")
        done = fwdtui("run", file, "--headless", "--drop-reasons", *into)
        assert done.status == 0, done.err
        lost = {name: count - before[name] for name, count in dropped(lossy).items()}
        said: dict[str, Any] = json.loads((tmp_path / session / "c/001/iteration.json").read_text())
        packets, reasons = said["packets"], said["packets"]["reasons"]
        if reasons["whole"]:
            break
    assert (reasons["means"], reasons["scope"], reasons["whole"]) == ("tracefs", "host", True)
    rows = {f"{row['reason']} {row['location']}": row["count"] for row in reasons["rows"] if row.get("stage")}
    assert set(rows) >= set(lost)
    for name, count in lost.items():
        assert count > 100, f"{name}: too little was dropped to show anything"
        assert rows[name] == pytest.approx(count, rel=0.01)
    assert reasons["explained"]["input queue"] == pytest.approx(packets["drops"]["input queue"], rel=0.01)
    assert lossy.ssh("dut", INSTANCES) == ""


@contextmanager
def counting(lab: LabUnderTest, said: Path) -> Iterator[subprocess.Popen[str]]:
    """The script as fwdtui sends it, by plain ssh; it has printed its first totals."""
    ssh = [*lab.ssh_command("dut"), "sh -s"]
    with (
        said.open("w") as out,
        subprocess.Popen(ssh, stdin=subprocess.PIPE, stdout=out, text=True) as process,
    ):
        assert process.stdin
        try:
            process.stdin.write(script("x"))
            process.stdin.flush()
            wait_for(lambda: "@x E 1" in said.read_text(), "the kernel counts", 60)
            yield process
        finally:
            process.kill()


def test_what_a_killed_shell_leaves_is_removed_by_the_next_counting(vm: LabUnderTest, tmp_path: Path) -> None:
    with counting(vm, tmp_path / "killed") as process:
        (left,) = vm.ssh("dut", INSTANCES).split()
        vm.ssh("dut", f"kill -KILL {left.rsplit('-', 2)[1]}")
        process.wait(30)
    assert vm.ssh("dut", INSTANCES).split() == [left]
    with counting(vm, tmp_path / "next"):
        (mine,) = vm.ssh("dut", INSTANCES).split()
        assert mine != left
        # another one's that counts is left alone
        with counting(vm, tmp_path / "beside"):
            assert len(vm.ssh("dut", INSTANCES).split()) == 2
            vm.ssh("dut", f"kill -INT {mine.rsplit('-', 2)[1]}")
            wait_for(lambda: mine not in vm.ssh("dut", INSTANCES).split(), "it is removed", 30)
            (other,) = vm.ssh("dut", INSTANCES).split()
            vm.ssh("dut", f"kill -TERM {other.rsplit('-', 2)[1]}")
            wait_for(lambda: vm.ssh("dut", INSTANCES) == "", "that is removed", 30)
    texts = {name: (tmp_path / name).read_text() for name in ("next", "beside")}
    removed = {name: text.split("@x host\n")[1].split()[3] for name, text in texts.items()}
    assert removed == {"next": "1", "beside": "0"}
