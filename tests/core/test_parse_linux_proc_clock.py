"""A Linux host's clock and boot."""

from pathlib import Path

import pytest

from fwdtui.core.parse.proc_clock import ClockReading, parse_boot_id, parse_timer_list, parse_uptime


def test_the_third_line_of_timer_list_is_nanoseconds() -> None:
    text = "Timer List Version: v0.10\nHRTIMER_MAX_CLOCK_BASES: 8\nnow at 970940099181 nsecs\n\ncpu: 0\n"
    assert parse_timer_list(text).value == ClockReading("timer_list", 970940099181, 1)


def test_uptime_is_exact_in_hundredths_of_a_second() -> None:
    assert parse_uptime("970.94 1807.85\n").value == ClockReading("uptime", 970940000000, 10000000)
    assert parse_uptime("123456789.07 0.00\n").value.nanoseconds == 123456789070000000


def test_a_torn_clock_is_no_clock() -> None:
    for torn in ("", "970", "970.", "970.9", "-1.00 2.00", "nan inf", "970.94 1807.85 junk"):
        parsed = parse_uptime(torn)
        assert parsed.value.nanoseconds is None
        assert len(parsed.skipped) == 1
    for torn in ("", "now at 12", "now at -5 nsecs", "now at x nsecs"):
        parsed = parse_timer_list(torn)
        assert parsed.value.nanoseconds is None
        assert len(parsed.skipped) == 1


def test_the_boot_id_is_a_uuid_or_empty() -> None:
    assert parse_boot_id("26908785-f042-4a20-be90-feacc4870340\n").value == (
        "26908785-f042-4a20-be90-feacc4870340"
    )
    assert parse_boot_id("26908785-f042-4a20-be90-feacc48703").value == ""
    assert parse_boot_id("cat: /proc/sys/kernel/random/boot_id: No such file").skipped != ()


def test_this_machine_s_clocks_agree() -> None:
    if not Path("/proc/uptime").exists():
        pytest.skip("not Linux")
    uptime = parse_uptime(Path("/proc/uptime").read_text()).value.nanoseconds
    assert uptime is not None
    assert parse_boot_id(Path("/proc/sys/kernel/random/boot_id").read_text()).value
    try:
        text = Path("/proc/timer_list").read_text()
    except PermissionError:
        pytest.skip("/proc/timer_list is for root only")
    precise = parse_timer_list(text).value.nanoseconds
    assert precise is not None
    assert abs(precise - uptime) < 5_000_000_000


@pytest.mark.parametrize(("line", "read"), [(1, True), (4, True), (8, True), (9, False), (12, False)])
def test_the_time_is_in_the_first_eight_lines(line: int, read: bool) -> None:
    parsed = parse_timer_list("\n" * (line - 1) + "now at 5 nsecs\n")
    assert (
        parsed.value == ClockReading("timer_list", 5 if read else None) and bool(parsed.skipped) is not read
    )


def test_a_reading_is_exact_to_a_nanosecond_unless_it_says_otherwise() -> None:
    assert ClockReading("timer_list").resolution == 1
    assert parse_uptime("0.01 0.00\n").value == ClockReading("uptime", 10_000_000, 10_000_000)
