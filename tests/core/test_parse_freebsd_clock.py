"""The clock of a FreeBSD host: wall clock minus boot time, whatever steps the wall clock."""

from pathlib import Path

from fixtures import Agree, freebsd
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core.parse.freebsd_clock import ClockReading, parse

BOOT = "{ sec = 1789900651, usec = 837885 } Sun Sep 20 10:37:31 2026"


def test_a_time_with_nanoseconds_and_the_boot_time_are_an_uptime() -> None:
    reading = parse(f"1789900700.415050400\n{BOOT}\n").value
    assert reading == ClockReading(1789900700_415050400, 1789900651_837885000)
    assert reading.uptime_ns == 48_577165400


def test_order_and_the_name_of_the_sysctl_do_not_matter() -> None:
    expected = parse(f"1789900700.415050400\n{BOOT}\n").value
    assert parse(f"kern.boottime: {BOOT}\n1789900700.415050400\n").value == expected
    assert parse(f"kern.boottime={BOOT}\r\n1789900700.415050400\r\n").value == expected


def test_a_literal_n_of_an_old_date_is_no_fraction() -> None:
    for text in ("1789900700.N\n", "1789900700\n"):
        reading = parse(text).value
        assert (reading.wall_ns, reading.coarse, reading.uptime_ns) == (1789900700_000000000, True, None)


def test_a_pipe_time_of_stat_has_a_fraction_too() -> None:
    assert parse("1558333479.574284000\n").value == ClockReading(wall_ns=1558333479_574284000)


def test_what_is_no_time_is_skipped() -> None:
    parsed = parse("date: illegal option -- x\n1789900700.4150\n{ sec = x }\n")
    assert parsed.value == ClockReading()
    assert len(parsed.skipped) == 3


def test_a_reading_before_the_boot_is_no_uptime() -> None:
    assert parse(f"1.000000000\n{BOOT}\n").value.uptime_ns is None


@given(
    boot=st.integers(1, 2**40),
    uptime=st.integers(0, 2**60),
    step=st.integers(-(2**39), 2**60),
)
def test_no_step_of_the_wall_clock_changes_the_uptime(boot: int, uptime: int, step: int) -> None:
    boot = boot + 2**39
    assert ClockReading(boot + uptime, boot).uptime_ns == uptime
    assert ClockReading(boot + step + uptime, boot + step).uptime_ns == uptime


def test_boottime_among_other_sysctls() -> None:
    assert parse(freebsd("sysctl-a-kern")).value.boot_ns == 1789000123_456789000


# the same in real results


def real_boottime_of_a_capture(captures: Path) -> None:
    text = (captures / "freebsd/sysctl-fbsd14.5-hw-kern-cp_times.txt").read_text()
    assert parse(text).value.boot_ns == 1789900651_837885000


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_boottime_of_a_capture,
    )
