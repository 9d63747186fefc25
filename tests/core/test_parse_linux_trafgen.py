"""trafgen's closing report."""

from pathlib import Path

import pytest

from fwdtui.core.parse.trafgen import TrafgenCpu, TrafgenReport, parse_trafgen


def report(captures: Path, name: str) -> TrafgenReport:
    parsed = parse_trafgen((captures / "linux" / f"trafgen-{name}.txt").read_text())
    assert parsed.skipped == ()
    return parsed.value


def test_the_report_is_on_stdout_below_the_complaints_about_sysctls(captures: Path) -> None:
    assert report(captures, "n10000-cpus1.stdout") == TrafgenReport(
        10000, 600000, (TrafgenCpu(0, 0.060015, 10000),), planned=1
    )


def test_each_cpu_has_its_line(captures: Path) -> None:
    found = report(captures, "n10000-allcpus.stdout")
    assert found.packets == 10000
    assert found.cpus == (TrafgenCpu(0, 0.005076, 5000), TrafgenCpu(1, 0.008886, 5000))


def test_the_microseconds_are_not_padded(captures: Path) -> None:
    assert report(captures, "b-1000pps.stdout").cpus[0].seconds == pytest.approx(3.000609)
    assert report(captures, "sigint.stdout").cpus[0].seconds == pytest.approx(2.991366)


def test_an_interrupted_run_still_reports(captures: Path) -> None:
    assert report(captures, "sigint.stdout").packets == 2981376
    assert report(captures, "verbose-sigint.stdout").packets == 3000


def test_a_rate_limit_is_spent_in_bursts_so_the_time_is_no_measure_of_it(captures: Path) -> None:
    found = report(captures, "b-10Mbit.stdout")
    assert found.packets == 3000
    assert found.cpus[0].seconds < 0.01, "3000 packets in 3 ms, though 10 Mbit/s were asked for"


def test_a_failure_is_an_error_and_no_report(captures: Path) -> None:
    assert report(captures, "nosuchdev.stdout") == TrafgenReport()
    assert report(captures, "nosuchdev.stderr").error == "No networking device or pcap file: nosuch0"
    assert report(captures, "badconf.stderr").error == (
        "Cannot access /etc/nosuch.cfg: No such file or directory!"
    )


def test_carriage_returns_and_other_lines() -> None:
    parsed = parse_trafgen("\r   10 packets outgoing\r\n\r  x packets outgoing\n\r -5 bytes outgoing\n")
    assert parsed.value == TrafgenReport(packets=10)
    assert len(parsed.skipped) == 2
