"""trafgen's closing report."""

from pathlib import Path

import pytest
from fixtures import Agree, linux

from fwdtui.core.parse.trafgen import TrafgenCpu, TrafgenReport, parse_trafgen


def report(captures: Path, name: str) -> TrafgenReport:
    parsed = parse_trafgen((captures / "linux" / f"trafgen-{name}.txt").read_text())
    assert parsed.skipped == ()
    return parsed.value


def ours(name: str) -> TrafgenReport:
    parsed = parse_trafgen(linux(f"trafgen-{name}"))
    assert parsed.skipped == ()
    return parsed.value


def test_the_report_is_on_stdout_below_the_complaints_about_sysctls() -> None:
    # 4000 frames of 60 bytes
    assert ours("n4000-one-cpu") == TrafgenReport(4000, 240_000, (TrafgenCpu(0, 0.002857, 4000),), planned=1)


def test_each_cpu_has_its_line() -> None:
    found = ours("n4000-all-cpus")
    assert found.packets == 4000
    assert found.cpus == (TrafgenCpu(0, 0.001404, 2000), TrafgenCpu(1, 0.002496, 2000))


def test_the_microseconds_are_not_padded() -> None:
    assert "1 sec, 463 usec" in linux("trafgen-b-1000pps")
    assert ours("b-1000pps").cpus[0].seconds == pytest.approx(1.000463)


def test_an_interrupted_run_still_reports() -> None:
    assert ours("sigint").packets == 2000


def test_a_rate_limit_is_spent_in_bursts_so_the_time_is_no_measure_of_it() -> None:
    found = ours("b-1000pps")
    assert found.packets == 1500
    assert found.cpus[0].seconds < 1.4, "1500 packets in a second, though 1000 a second were asked for"


def test_a_failure_is_an_error_and_no_report() -> None:
    assert ours("absent-device.stdout") == TrafgenReport()
    assert ours("absent-device.stderr").error == "No networking device or pcap file: absent0"
    assert ours("absent-config.stderr").error == "Cannot access absent.cfg: No such file or directory!"


def test_carriage_returns_and_other_lines() -> None:
    parsed = parse_trafgen("\r   10 packets outgoing\r\n\r  x packets outgoing\n\r -5 bytes outgoing\n")
    assert parsed.value == TrafgenReport(packets=10)
    assert len(parsed.skipped) == 2


# the same in real results


def real_the_report_is_on_stdout_below_the_complaints_about_sysctls(captures: Path) -> None:
    assert report(captures, "n10000-cpus1.stdout") == TrafgenReport(
        10000, 600000, (TrafgenCpu(0, 0.060015, 10000),), planned=1
    )


def real_each_cpu_has_its_line(captures: Path) -> None:
    found = report(captures, "n10000-allcpus.stdout")
    assert found.packets == 10000
    assert found.cpus == (TrafgenCpu(0, 0.005076, 5000), TrafgenCpu(1, 0.008886, 5000))


def real_the_microseconds_are_not_padded(captures: Path) -> None:
    assert report(captures, "b-1000pps.stdout").cpus[0].seconds == pytest.approx(3.000609)
    assert report(captures, "sigint.stdout").cpus[0].seconds == pytest.approx(2.991366)


def real_an_interrupted_run_still_reports(captures: Path) -> None:
    assert report(captures, "sigint.stdout").packets == 2981376
    assert report(captures, "verbose-sigint.stdout").packets == 3000


def real_a_rate_limit_is_spent_in_bursts_so_the_time_is_no_measure_of_it(captures: Path) -> None:
    found = report(captures, "b-10Mbit.stdout")
    assert found.packets == 3000
    assert found.cpus[0].seconds < 0.01, "3000 packets in 3 ms, though 10 Mbit/s were asked for"


def real_a_failure_is_an_error_and_no_report(captures: Path) -> None:
    assert report(captures, "nosuchdev.stdout") == TrafgenReport()
    assert report(captures, "nosuchdev.stderr").error == "No networking device or pcap file: nosuch0"
    assert report(captures, "badconf.stderr").error == (
        "Cannot access /etc/nosuch.cfg: No such file or directory!"
    )


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_the_report_is_on_stdout_below_the_complaints_about_sysctls,
        real_each_cpu_has_its_line,
        real_the_microseconds_are_not_padded,
        real_an_interrupted_run_still_reports,
        real_a_rate_limit_is_spent_in_bursts_so_the_time_is_no_measure_of_it,
        real_a_failure_is_an_error_and_no_report,
    )
