"""/proc/net/dev and sysfs statistics."""

from pathlib import Path

import pytest
from fixtures import Agree, linux

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.parse.proc_net_dev import parse_proc_net_dev, parse_sysfs_statistics

HEADER = (
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast"
    "|bytes    packets errs drop fifo colls carrier compressed\n"
)


def test_a_number_glued_to_the_colon_is_the_first_counter() -> None:
    parsed = parse_proc_net_dev(linux("proc_net_dev-glued"))
    assert parsed.skipped == ()
    assert list(parsed.value) == ["lo", "eth0", "dummy0"]
    assert parsed.value["eth0"] == InterfaceCounters(
        "eth0",
        rx_bytes=5_000_000_123,
        rx_packets=40_000_001,
        rx_errors=12,
        rx_dropped=3400,
        tx_bytes=6_000_000_456,
        tx_packets=50_000_002,
        tx_errors=8,
        tx_dropped=0,
    )


def test_names_of_15_characters_and_with_dots_are_kept_whole() -> None:
    """They push their numbers to the right."""
    parsed = parse_proc_net_dev(linux("proc_net_dev-6.18"))
    assert parsed.skipped == ()
    assert list(parsed.value) == ["lo", "west0", "west0.100", "averyverylong15", "many1", "many0"]
    assert parsed.value["averyverylong15"] == InterfaceCounters("averyverylong15", 8, 656, 0, 0, 8, 656, 0, 0)
    assert parsed.value["west0.100"].rx_packets == 8


def test_a_glued_row_needs_no_capture() -> None:
    parsed = parse_proc_net_dev(HEADER + "  eth0:123 2 0 4 0 0 0 0 50 6 0 8 0 0 0 0\n")
    assert parsed.value["eth0"] == InterfaceCounters("eth0", 2, 123, 0, 4, 6, 50, 0, 8)


def test_the_old_alias_with_a_colon_in_its_name_is_a_row_of_its_own() -> None:
    parsed = parse_proc_net_dev(HEADER + "eth0:1:123 2 0 4 0 0 0 0 50 6 0 8 0 0 0 0\n")
    assert list(parsed.value) == ["eth0:1"]


def test_a_column_that_the_kernel_does_not_print_is_missing_and_not_zero() -> None:
    text = " face |bytes packets errs|bytes packets errs\n eth0: 1 2 3 4 5 6\n"
    assert parse_proc_net_dev(text).value["eth0"].rx_dropped is None


def test_a_row_of_another_width_than_the_header_is_skipped_with_a_reason() -> None:
    parsed = parse_proc_net_dev(HEADER + "  eth0: 1 2 3\n")
    assert parsed.value == {}
    assert parsed.skipped == ("line 3: 3 counters, 16 expected: 'eth0: 1 2 3'",)


@pytest.mark.parametrize("bad", ["-5", "x", "1_0", "٣", "1e3", "9" * 60])
def test_what_is_no_counter_is_missing_and_noted(bad: str) -> None:
    parsed = parse_proc_net_dev(HEADER + f"  eth0: 1 {bad} 0 4 0 0 0 0 50 6 0 8 0 0 0 0\n")
    assert parsed.value["eth0"].rx_packets is None
    assert parsed.value["eth0"].rx_bytes == 1
    assert len(parsed.skipped) == 1


def test_a_name_cannot_carry_escape_sequences() -> None:
    parsed = parse_proc_net_dev(HEADER + "\x1b[31meth0\x00: 1 2 0 4 0 0 0 0 50 6 0 8 0 0 0 0\n")
    assert list(parsed.value) == ["[31meth0"]


def test_a_second_row_of_an_interface_does_not_replace_the_first() -> None:
    row = "eth0: {} 2 0 4 0 0 0 0 50 6 0 8 0 0 0 0\n"
    parsed = parse_proc_net_dev(HEADER + row.format(1) + row.format(9))
    assert parsed.value["eth0"].rx_bytes == 1
    assert len(parsed.skipped) == 1


def test_a_64_bit_counter_keeps_every_digit() -> None:
    parsed = parse_proc_net_dev(HEADER + f"eth0: {2**64 - 1} 2 0 4 0 0 0 0 50 6 0 8 0 0 0 0\n")
    assert parsed.value["eth0"].rx_bytes == 18446744073709551615


def test_sysfs_tells_missed_frames_from_dropped_ones() -> None:
    pairs = [("rx_packets", "5\n"), ("rx_dropped", "1"), ("rx_missed_errors", 7), ("tx_carrier_errors", "2")]
    parsed = parse_sysfs_statistics("eth0", pairs)
    assert parsed.value == InterfaceCounters("eth0", rx_packets=5, rx_dropped=1, rx_missed=7)
    assert parsed.skipped == ()


def test_sysfs_values_that_are_no_counters_are_missing_and_noted() -> None:
    parsed = parse_sysfs_statistics(
        "eth0", [("rx_packets", "-1"), ("tx_packets", 10**5000), ("rx_bytes", "")]
    )
    assert parsed.value == InterfaceCounters("eth0")
    assert len(parsed.skipped) == 3


def test_this_machine_s_own_file_is_read_completely() -> None:
    file = Path("/proc/net/dev")
    if not file.exists():
        pytest.skip("not Linux")
    parsed = parse_proc_net_dev(file.read_text())
    assert parsed.skipped == ()
    assert parsed.value["lo"].rx_packets is not None


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("0", 0),
        (0, 0),
        (2**64 - 1, 2**64 - 1),
        (2**64, None),
        (-1, None),
        (True, None),
        ("-1", None),
        (" 7\n", 7),
    ],
)
def test_a_statistic_is_a_counter_of_64_bits(value: str | int, read: int | None) -> None:
    parsed = parse_sysfs_statistics("eth0", [("rx_packets", value)])
    assert parsed.value == InterfaceCounters("eth0", rx_packets=read)
    assert bool(parsed.skipped) is (read is None)


@pytest.mark.parametrize(
    "head", ["Inter-|   Receive  |  Transmit", " face |bytes", " odd |a b|c d", "a|b|c|d"]
)
def test_another_line_with_bars_does_not_name_the_columns(head: str) -> None:
    row = "eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
    assert parse_proc_net_dev(f"{head}\n{row}") == parse_proc_net_dev(row)


# the same in real results


def real_a_number_glued_to_the_colon_is_the_first_counter(captures: Path) -> None:
    parsed = parse_proc_net_dev((captures / "linux/proc_net_dev-glued-errs.txt").read_text())
    assert parsed.skipped == ()
    assert list(parsed.value) == ["lo", "eth0", "dummy0"]
    assert parsed.value["eth0"] == InterfaceCounters(
        "eth0",
        rx_bytes=3819100380,
        rx_packets=3890841662,
        rx_errors=38,
        rx_dropped=14235233,
        tx_bytes=3708614056,
        tx_packets=4206786443,
        tx_errors=40,
        tx_dropped=0,
    )


def real_the_glued_sample_of_rhel_6_is_read(captures: Path) -> None:
    parsed = parse_proc_net_dev((captures / "linux/proc_net_dev-glued-rhel6.4.txt").read_text())
    assert parsed.value["eth0"].rx_bytes == 3563180668
    assert parsed.value["lo"].rx_packets == 626313


def real_names_of_15_characters_and_with_dots_are_kept_whole(captures: Path) -> None:
    long = parse_proc_net_dev((captures / "linux/proc_net_dev-veth-longname.txt").read_text())
    assert long.value["verylongname123"].tx_packets == 3012384
    dotted = parse_proc_net_dev((captures / "linux/proc_net_dev-veth-named-eth0.100.txt").read_text())
    assert dotted.value["eth0.100"].rx_dropped == 1
    assert dotted.value["br.100"].rx_packets == 0


def real_a_name_longer_than_its_field_pushes_the_numbers_right(captures: Path) -> None:
    parsed = parse_proc_net_dev((captures / "linux/proc_net_dev-veth-docker-procfs.txt").read_text())
    assert parsed.value["vethf345468"].rx_packets == 8
    assert parsed.value["eth0"].tx_packets == 732147


def real_packets_that_came_by_xdp_are_counted(captures: Path) -> None:
    parsed = parse_proc_net_dev(
        (captures / "linux/proc_net_dev-rx-side-after-xdp-trafficgen.txt").read_text()
    )
    assert parsed.value["vethB"].rx_packets == 17728647


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_a_number_glued_to_the_colon_is_the_first_counter,
        real_the_glued_sample_of_rhel_6_is_read,
        real_names_of_15_characters_and_with_dots_are_kept_whole,
        real_a_name_longer_than_its_field_pushes_the_numbers_right,
        real_packets_that_came_by_xdp_are_counted,
    )
