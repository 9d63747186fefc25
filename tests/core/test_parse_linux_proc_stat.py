"""/proc/stat."""

from pathlib import Path

import pytest

from fwdtui.core.counters import CpuTicks
from fwdtui.core.parse.proc_stat import parse_proc_stat


def test_each_core_has_its_ticks_and_their_sum_is_left_out(captures: Path) -> None:
    parsed = parse_proc_stat((captures / "linux/proc_stat-2cpu-6.18.txt").read_text())
    assert parsed.skipped == ()
    assert parsed.value.boot_time == 1795185574
    assert parsed.value.cpus == (
        CpuTicks(0, 23890, 0, 59222, 286232, irq=0, softirq=26516, iowait=220, steal=54),
        CpuTicks(1, 40869, 0, 13479, 315661, irq=0, softirq=24622, iowait=1258, steal=49),
    )


def test_the_7_columns_of_old_kernels_have_no_steal_rather_than_none_of_it(captures: Path) -> None:
    parsed = parse_proc_stat((captures / "linux/proc_stat-8cpu-7fields-jc.txt").read_text())
    assert parsed.skipped == ()
    assert len(parsed.value.cpus) == 8
    assert parsed.value.cpus[7] == CpuTicks(
        7, 18544, 0, 1550, 14831395, irq=0, softirq=3447, iowait=1589, steal=None
    )
    one = parse_proc_stat((captures / "linux/proc_stat-1cpu-7fields-jc.txt").read_text())
    assert one.value.cpus[0].softirq == 0
    assert one.value.boot_time == 1093631447


def test_the_very_long_intr_row_is_passed_over(captures: Path) -> None:
    text = (captures / "linux/proc_stat-8cpu-procfs.txt").read_text()
    assert max(map(len, text.split("\n"))) > 2000
    parsed = parse_proc_stat(text)
    assert parsed.skipped == ()
    assert [core.cpu for core in parsed.value.cpus] == list(range(8))
    assert parsed.value.cpus[3].user == 47054


def test_offline_cores_leave_gaps_in_the_numbering() -> None:
    parsed = parse_proc_stat("cpu 9 9 9 9 9 9 9\ncpu0 1 2 3 4 5 6 7 8 9 10\ncpu64 1 2 3 4 5 6 7 8 9 10\n")
    assert [core.cpu for core in parsed.value.cpus] == [0, 64]


def test_fewer_than_7_columns_and_negative_ticks_are_skipped_with_a_reason() -> None:
    parsed = parse_proc_stat("cpu0 1 2 3 4\ncpu1 1 2 -3 4 5 6 7\nbtime soon\n")
    assert parsed.value.cpus == ()
    assert parsed.value.boot_time is None
    assert len(parsed.skipped) == 3


def test_this_machine_s_own_file_is_read_completely() -> None:
    file = Path("/proc/stat")
    if not file.exists():
        pytest.skip("not Linux")
    parsed = parse_proc_stat(file.read_text())
    assert parsed.skipped == ()
    assert parsed.value.cpus
