"""/proc/softirqs."""

from pathlib import Path

from fwdtui.core.parse.proc_softirqs import parse_proc_softirqs


def test_each_softirq_has_its_count_on_each_core(captures: Path) -> None:
    parsed = parse_proc_softirqs((captures / "linux/proc_softirqs-2cpu-6.18.txt").read_text())
    assert parsed.skipped == ()
    assert list(parsed.value)[:4] == ["HI", "TIMER", "NET_TX", "NET_RX"]
    assert parsed.value["NET_RX"] == {0: 498427619, 1: 13495338}
    assert parsed.value["NET_TX"] == {0: 2000, 1: 33}


def test_the_header_lists_possible_cores_not_running_ones(captures: Path) -> None:
    parsed = parse_proc_softirqs((captures / "linux/proc_softirqs-128col-jc.txt").read_text())
    assert parsed.skipped == ()
    assert len(parsed.value["NET_RX"]) == 128
    assert parsed.value["NET_RX"][127] == 0


def test_counts_are_mapped_by_the_header() -> None:
    assert parse_proc_softirqs("   CPU0  CPU8\nNET_RX: 5 6\n").value == {"NET_RX": {0: 5, 8: 6}}


def test_rows_without_a_header_or_of_another_width_are_skipped_with_a_reason() -> None:
    assert len(parse_proc_softirqs("NET_RX: 5 6\n").skipped) == 1
    parsed = parse_proc_softirqs("   CPU0  CPU8\nNET_RX: 5\nNET_TX: 5 -6\nHI 5 6\n")
    assert parsed.value == {}
    assert len(parsed.skipped) == 3
