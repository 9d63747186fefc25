"""Drop reasons by a histogram of the DUT's own kernel, a virtual machine with nothing installed for it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kernel_lab_use import LabUnderTest, fwdtui, running, wait_for
from lossy_dut import DROPS, UNDO, counters

from fwdtui.collectors.drop_reasons_script import PREFIX

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
    before = dropped(lossy)
    into = ("--into", tmp_path, "--session", "s", "--case", "c")
    done = fwdtui("run", file, "--headless", "--drop-reasons", *into)
    assert done.status == 0, done.err
    lost = {name: count - before[name] for name, count in dropped(lossy).items()}
    said: dict[str, Any] = json.loads(next(tmp_path.glob("s/c/001/iteration.json")).read_text())
    packets, reasons = said["packets"], said["packets"]["reasons"]
    assert (reasons["means"], reasons["scope"], reasons["whole"]) == ("tracefs", "host", True)
    rows = {f"{row['reason']} {row['location']}": row["count"] for row in reasons["rows"] if row.get("stage")}
    assert set(rows) >= set(lost)
    for name, count in lost.items():
        assert count > 100, f"{name}: too little was dropped to show anything"
        assert rows[name] == pytest.approx(count, rel=0.01)
    assert reasons["explained"]["input queue"] == pytest.approx(packets["drops"]["input queue"], rel=0.01)
    assert lossy.ssh("dut", INSTANCES) == ""


def test_what_a_killed_shell_leaves_is_removed_by_the_next_counting(vm: LabUnderTest, tmp_path: Path) -> None:
    into = ("--into", tmp_path, "--session", "s", "--case", "c")

    def file(duration: str) -> Path:
        return vm.quick_file("--rate", "1k", interval="1s", duration=f'"{duration}"', iterations="1")

    with running("run", file("8s"), "--headless", "--drop-reasons", *into) as process:
        wait_for(lambda: vm.ssh("dut", INSTANCES), "the kernel counts", 60)
        (left,) = vm.ssh("dut", INSTANCES).split()
        vm.ssh("dut", f"kill -KILL {left.rsplit('-', 2)[1]}")
        _, err = process.communicate(timeout=180)
    assert process.returncode == 0, err
    assert "Drop reasons are not counted: its program was ended by signal 9" in err
    assert vm.ssh("dut", INSTANCES).split() == [left]
    said = json.loads((tmp_path / "s/c/001/iteration.json").read_text())
    assert "no-drop-reasons" in {one["code"] for one in said["warnings"]}
    again = fwdtui("run", file("1s"), "--headless", "--drop-reasons", *into)
    assert again.status == 0, again.err
    assert "1 left over from a counting that was killed: removed" in again.err
    assert vm.ssh("dut", INSTANCES) == ""
