"""/proc/stat."""

from pathlib import Path

import pytest
from fixtures import Agree, linux

from fwdtui.core.counters import CpuTicks
from fwdtui.core.parse.proc_stat import parse_proc_stat


def test_each_core_has_its_ticks_and_their_sum_is_left_out() -> None:
    """As awk '/^cpu[01]/ {print $2,$3,$4,$5,$6,$7,$8,$9} /^btime/' has them."""
    parsed = parse_proc_stat(linux("proc_stat-6.18"))
    assert parsed.skipped == ()
    assert parsed.value.boot_time == 1795354507
    assert parsed.value.cpus == (
        CpuTicks(0, 58147, 0, 5756, 26388, irq=0, softirq=82, iowait=23, steal=51),
        CpuTicks(1, 65472, 0, 5283, 18843, irq=0, softirq=187, iowait=589, steal=51),
    )


def test_the_7_columns_of_old_kernels_have_no_steal_rather_than_none_of_it() -> None:
    parsed = parse_proc_stat(linux("proc_stat-7col"))
    assert parsed.skipped == (), "not even by the very long intr row"
    assert parsed.value.cpus == (
        CpuTicks(0, 70, 0, 30, 500, irq=0, softirq=9, iowait=40, steal=None),
        CpuTicks(1, 70, 0, 30, 600, irq=0, softirq=4, iowait=40, steal=None),
    )
    assert parsed.value.boot_time == 1090000000


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


@pytest.mark.parametrize(
    ("columns", "steal", "read"),
    [(6, None, False), (7, None, True), (8, 17, True), (9, 17, True), (10, 17, True)],
)
def test_a_core_has_seven_columns_of_ticks_or_more(columns: int, steal: int | None, read: bool) -> None:
    parsed = parse_proc_stat("cpu0 " + " ".join(str(10 + n) for n in range(columns)) + "\n")
    expected = CpuTicks(0, user=10, nice=11, system=12, idle=13, iowait=14, irq=15, softirq=16, steal=steal)
    assert parsed.value.cpus == ((expected,) if read else ()) and bool(parsed.skipped) is not read


# the same in real results


def real_each_core_has_its_ticks_and_their_sum_is_left_out(captures: Path) -> None:
    parsed = parse_proc_stat((captures / "linux/proc_stat-2cpu-6.18.txt").read_text())
    assert parsed.skipped == ()
    assert parsed.value.boot_time == 1795185574
    assert parsed.value.cpus == (
        CpuTicks(0, 23890, 0, 59222, 286232, irq=0, softirq=26516, iowait=220, steal=54),
        CpuTicks(1, 40869, 0, 13479, 315661, irq=0, softirq=24622, iowait=1258, steal=49),
    )


def real_the_7_columns_of_old_kernels_have_no_steal_rather_than_none_of_it(captures: Path) -> None:
    parsed = parse_proc_stat((captures / "linux/proc_stat-8cpu-7fields-jc.txt").read_text())
    assert parsed.skipped == ()
    assert len(parsed.value.cpus) == 8
    assert parsed.value.cpus[7] == CpuTicks(
        7, 18544, 0, 1550, 14831395, irq=0, softirq=3447, iowait=1589, steal=None
    )
    one = parse_proc_stat((captures / "linux/proc_stat-1cpu-7fields-jc.txt").read_text())
    assert one.value.cpus[0].softirq == 0
    assert one.value.boot_time == 1093631447


def real_the_very_long_intr_row_is_passed_over(captures: Path) -> None:
    text = (captures / "linux/proc_stat-8cpu-procfs.txt").read_text()
    assert max(map(len, text.split("\n"))) > 2000
    parsed = parse_proc_stat(text)
    assert parsed.skipped == ()
    assert [core.cpu for core in parsed.value.cpus] == list(range(8))
    assert parsed.value.cpus[3].user == 47054


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_each_core_has_its_ticks_and_their_sum_is_left_out,
        real_the_7_columns_of_old_kernels_have_no_steal_rather_than_none_of_it,
        real_the_very_long_intr_row_is_passed_over,
    )
