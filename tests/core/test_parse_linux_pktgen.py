"""/proc/net/pktgen/DEVICE."""

from pathlib import Path

import pytest
from fixtures import Agree, linux

from fwdtui.core.parse.linux_pktgen import PktgenResult, PktgenStatus, parse_pktgen_device


def status(captures: Path, name: str) -> PktgenStatus:
    parsed = parse_pktgen_device((captures / "linux" / f"pktgen-finished-{name}.txt").read_text())
    assert parsed.skipped == ()
    return parsed.value


def ours(name: str) -> PktgenStatus:
    parsed = parse_pktgen_device(linux(f"pktgen-finished-{name}"))
    assert parsed.skipped == ()
    return parsed.value


def test_a_result_spans_two_lines() -> None:
    found = ours("eth1")
    # 500000 packets in 2 s, of 1800 bytes
    assert found.result == PktgenResult(2_000_000, 700_000, 500_000, 1800, 250_000, 250_000 * 1800 * 8, 0)
    assert (found.interface, found.sofar, found.errors) == ("eth1", 500_000, 0)
    assert (found.started, found.stopped, found.idle) == (9_000_000, 11_000_000, 700_000)


def test_a_device_may_carry_its_thread_and_lines_may_be_indented() -> None:
    found = ours("eth4at0")
    assert found.interface == "eth4@0"
    assert found.settings is not None
    assert found.settings["flags"] == "UDPSRC_RND NO_TIMESTAMP QUEUE_MAP_CPU"
    assert found.settings["clone_skb"] == "16"


def test_the_run_time_is_the_result_s_and_not_stop_minus_start() -> None:
    found = ours("eth4at0")
    assert found.result is not None
    assert found.started is not None
    assert found.stopped is not None
    assert found.stopped - found.started == 40_001
    assert found.result.microseconds == 40_000


def test_nsec_of_old_kernels_is_microseconds() -> None:
    found = ours("wlan1-nsec")
    assert found.result is not None
    assert (found.result.microseconds, found.result.packets, found.result.pps) == (10_000_000, 80_000, 8_000)


def test_a_device_whose_port_is_down_ends_at_once_with_minus_one_fragments() -> None:
    # as Linux 6.1 prints it
    said = "OK: 87(c87+d0) usec, 0 (58byte,-1frags)\n  0pps 0Mb/sec (0bps) errors: 0"
    parsed = parse_pktgen_device(RUNNING.format(0, said))
    assert parsed.value.result == PktgenResult(87, 0, 0, 58, 0, 0, 0)
    assert parsed.skipped == ()


RUNNING = (
    "Params: count 0  min_pkt_size: 60  max_pkt_size: 60\n"
    "     frags: 0  delay: 0  clone_skb: 0  ifname: eth0\n"
    "Current:\n     pkts-sofar: {}  errors: 7\n"
    "     started: 100us  stopped: 1000100us idle: 0us\nResult: {}\n"
)


def test_while_it_runs_there_is_a_count_and_no_result() -> None:
    found = parse_pktgen_device(RUNNING.format(123456, "Starting")).value
    assert (found.sofar, found.errors, found.result, found.state) == (123456, 7, None, "Starting")
    assert found.stopped == 1000100


def test_an_ok_after_a_setting_is_no_result() -> None:
    parsed = parse_pktgen_device(RUNNING.format(0, "OK: flag=NO_TIMESTAMP"))
    assert parsed.value.result is None
    assert parsed.value.state == "OK: flag=NO_TIMESTAMP"
    assert parsed.skipped == ()


def test_a_result_without_its_second_line_is_no_result_and_is_said() -> None:
    parsed = parse_pktgen_device(RUNNING.format(5, "OK: 5(c4+d1) usec, 5 (60byte,0frags)"))
    assert parsed.value.result is None
    assert len(parsed.skipped) == 1


def test_something_else_is_said_to_be_no_pktgen_device() -> None:
    parsed = parse_pktgen_device("cat: /proc/net/pktgen/eth0: No such file or directory\n")
    assert parsed.value.sofar is None
    assert len(parsed.skipped) == 1
    negative = parse_pktgen_device(RUNNING.format(-5, "Idle"))
    assert negative.value.sofar is None
    assert len(negative.skipped) == 1


SETTINGS = "Params: count 5  min_pkt_size: 60  max_pkt_size: 60\n"
CURRENT = "Current:\n     pkts-sofar: 5  errors: 0\n"
DONE = "Result: OK: 2000(c1500+d500) usec, 5 (60byte,0frags)"


@pytest.mark.parametrize("end", ["", "\n", "\nodd\n"])
def test_a_result_that_ends_with_its_first_line_is_none_and_that_is_said(end: str) -> None:
    parsed = parse_pktgen_device(SETTINGS + CURRENT + DONE + end)
    assert parsed.value.result is None and parsed.value.sofar == 5
    assert "a result without its second line" in parsed.skipped[0]


def test_what_has_settings_or_counters_is_a_device() -> None:
    assert not parse_pktgen_device(SETTINGS).skipped
    assert not parse_pktgen_device(CURRENT).skipped
    assert "not a pktgen device" in parse_pktgen_device("odd\n").skipped[0]


# the same in real results


def real_a_result_spans_two_lines(captures: Path) -> None:
    found = status(captures, "ens4-1800B")
    assert found.result == PktgenResult(9973157, 4065685, 2992248, 1800, 300030, 4320432000, 0)
    assert (found.interface, found.sofar, found.errors) == ("ens4", 2992248, 0)
    assert (found.started, found.stopped, found.idle) == (1809049280014, 1809059253172, 4065685)


def real_a_device_may_carry_its_thread_and_lines_may_be_indented(captures: Path) -> None:
    found = status(captures, "eth4at0-kerneldoc")
    assert found.interface == "eth4@0"
    assert found.result is not None
    assert (found.result.pps, found.result.bps) == (6480562, 3110669760)
    assert found.settings is not None
    assert found.settings["flags"] == "UDPSRC_RND NO_TIMESTAMP QUEUE_MAP_CPU"
    assert found.settings["clone_skb"] == "64"


def real_the_run_time_is_the_result_s_and_not_stop_minus_start(captures: Path) -> None:
    found = status(captures, "eth4at0-kerneldoc")
    assert found.result is not None
    assert found.started is not None
    assert found.stopped is not None
    assert found.stopped - found.started == 15431
    assert found.result.microseconds == 15430


def real_nsec_of_old_kernels_is_microseconds(captures: Path) -> None:
    found = status(captures, "wlan1-nsec-hexaddr-old")
    assert found.result is not None
    assert found.result.microseconds == 15449550
    assert found.result.packets * 1_000_000 // found.result.microseconds == found.result.pps == 6472


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_a_result_spans_two_lines,
        real_a_device_may_carry_its_thread_and_lines_may_be_indented,
        real_the_run_time_is_the_result_s_and_not_stop_minus_start,
        real_nsec_of_old_kernels_is_microseconds,
    )
