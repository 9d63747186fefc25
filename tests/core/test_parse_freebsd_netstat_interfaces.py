"""netstat -i of FreeBSD 11 to 16 and macOS."""

from pathlib import Path

import pytest
from fixtures import Agree, freebsd

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.parse.netstat_interfaces import find, parse

HEADER = (
    "Name    Mtu Network       Address           "
    "   Ipkts Ierrs Idrop     Ibytes    Opkts Oerrs     Obytes  Coll"
)
IGB0 = (
    "igb0   1500 <Link#1>      00:0d:b9:41:ca:3c "
    "    1000     2     3     640000      900     4     576000     5"
)


def test_a_link_row_gives_packets_errors_drops_and_bytes() -> None:
    parsed = parse(f"{HEADER}\n{IGB0}\n")
    assert parsed.value == (
        InterfaceCounters(
            "igb0",
            rx_packets=1000,
            rx_bytes=640000,
            rx_errors=2,
            rx_dropped=3,
            tx_packets=900,
            tx_bytes=576000,
            tx_errors=4,
            link=1,
            up=True,
        ),
    )
    assert parsed.skipped == ()


def test_the_drops_of_the_output_queue_need_d_and_are_unknown_without_it() -> None:
    without, with_d = parse(f"{HEADER}\n{IGB0}\n"), parse(f"{HEADER}  Drop\n{IGB0}     7 \n")
    assert without.value[0].tx_dropped is None
    assert with_d.value[0].tx_dropped == 7


def test_address_rows_hold_their_own_counts_and_are_never_added() -> None:
    row = "igb0      - 10.0.0.0/24   10.0.0.1      999     -     -     999999      999     -     999999     -"
    assert parse(f"{HEADER}\n{IGB0}\n{row}\n").value == parse(f"{HEADER}\n{IGB0}\n").value


@pytest.mark.parametrize("pad", [12, 13, 14, 15, 16])
def test_numbers_are_found_whatever_the_width_of_the_columns(pad: int) -> None:
    big = 98_765_432_109
    numbers = "".join(f"{number:>{pad}}" for number in (big, 0, 0, big, 7, 0, 70, 0))
    header = HEADER.partition("Ipkts")[0] + "Ipkts Ierrs Idrop Ibytes Opkts Oerrs Obytes Coll"
    row = parse(f"{header}\nvtnet0  1500 <Link#1>          52:54:00:12:34:56   {numbers}\n").value[0]
    assert (row.rx_packets, row.rx_bytes, row.tx_packets, row.tx_bytes) == (big, big, 7, 70)


def test_the_largest_counter_fits() -> None:
    biggest = 2**64 - 1
    assert parse(f"{HEADER}\n{IGB0.replace(' 1000 ', f' {biggest} ')}\n").value[0].rx_packets == biggest


def test_a_row_that_lost_a_number_is_skipped_and_not_shifted() -> None:
    parsed = parse(f"{HEADER}\n{IGB0.replace('    1000     2', '    1000')}\n")
    assert parsed.value == ()
    assert "not a number" in parsed.skipped[0]


def test_rows_before_any_header_cannot_be_read() -> None:
    assert parse(IGB0).value == ()
    assert "no header" in parse(IGB0).skipped[0]


def test_a_rounded_count_is_unknown_and_not_a_number_of_its_own() -> None:
    parsed = parse(f"{HEADER}\n{IGB0.replace('    1000 ', '     46M ')}\n")
    assert parsed.value[0].rx_packets is None
    assert parsed.value[0].tx_packets == 900
    assert "rounded" in parsed.skipped[0]


def test_of_two_rows_with_one_link_number_the_first_is_kept() -> None:
    parsed = parse(f"{HEADER}\n{IGB0}\n{IGB0.replace('1000', '2000')}\n")
    assert [row.rx_packets for row in parsed.value] == [1000]
    assert "a second row for Link#1" in parsed.skipped[0]


def test_a_complaint_of_netstat_is_told() -> None:
    assert "no such interface" in parse("netstat: igb9: no such interface\n").skipped[0]


def test_a_name_with_escapes_comes_out_clean() -> None:
    assert parse(f"{HEADER}\n\x1b[31m\u202e{IGB0}\n").value[0].name == "[31migb0"


def test_widths_of_fbsd16_with_d_end_in_a_space() -> None:
    parsed = parse(freebsd("netstat-ndi-fbsd16"))
    assert [(row.name, row.link) for row in parsed.value] == [
        ("igb0", 1), ("igb1", 2), ("igb2", 3), ("enc0", 4), ("lo0", 5),
    ]  # fmt: skip
    assert parsed.value[1] == InterfaceCounters(
        "igb1",
        rx_packets=77_000_001,
        rx_errors=3,
        rx_dropped=4000,
        tx_packets=2,
        tx_errors=5,
        tx_dropped=6,
        link=2,
        up=True,
    )
    assert parsed.value[2].tx_packets == 76_996_000
    assert parsed.skipped == (), "not even the remark above the table"


def test_a_star_means_down() -> None:
    rows = parse(freebsd("netstat-ndi-fbsd16")).value
    assert [row.name for row in rows if row.up is False] == ["enc0"]


def test_wider_columns_of_14_without_w() -> None:
    rows = parse(freebsd("netstat-ib-fbsd14-wide")).value
    assert [(row.name, row.rx_packets, row.rx_bytes, row.tx_bytes) for row in rows] == [
        ("vtnet0", 155, 30_010, 27_020),
        ("lo0", 0, 0, 0),
    ]


def test_two_cut_names_stay_apart_by_their_link_number() -> None:
    rows = parse(freebsd("netstat-ibn-cut")).value
    assert [(row.name, row.link, row.rx_packets) for row in rows] == [
        ("vtnet", 1, 2005),
        ("vtnet", 2, 1002),
        ("em0", 3, 114),
    ]
    assert find(rows, "vtnet0") is None  # either could be meant
    assert find(rows, "vtnet") is None  # two rows print just that
    assert find(rows, "em0") is rows[2]
    assert rows[0].up is None  # the star may have been cut off


def test_a_cut_name_is_found_where_only_one_can_be_meant() -> None:
    rows = parse(freebsd("netstat-ibn-cut")).value
    assert find(rows[1:], "vtnet1") is rows[1]
    assert find(rows, "igb0") is None


def test_macos_has_no_idrop_and_blank_addresses() -> None:
    rows = parse(freebsd("netstat-ibn-darwin")).value
    assert [row.link for row in rows] == [1, 2, 3]
    assert {row.rx_dropped for row in rows} == {None}
    assert (rows[0].rx_packets, rows[2].rx_bytes, rows[2].tx_packets) == (4001, 18_000_000_009, 17_000_007)
    assert [row.name for row in rows if row.up is False] == ["gif0"]


def test_drop_of_fbsd11_is_the_last_column() -> None:
    (row,) = parse(freebsd("netstat-idbn-fbsd11")).value
    assert (row.rx_packets, row.rx_bytes, row.tx_dropped) == (44_001, 14_002, 9)


def test_without_b_there_are_no_bytes() -> None:
    (row,) = parse(freebsd("netstat-i-fbsd12")).value
    assert (row.rx_packets, row.rx_bytes, row.tx_packets) == (180_009, None, 210_010)


@pytest.mark.parametrize(("more", "fields"), [(-1, 7), (0, 8), (1, 9), (2, 10)])
def test_a_row_has_its_counters_and_at_most_an_address_before_them(more: int, fields: int) -> None:
    counters = ["1000", "2", "3", "640000", "900", "4", "576000", "5"]
    rest = ["aa:bb"] * more + counters if more >= 0 else counters[1:]
    parsed = parse(f"{HEADER}\nigb0 1500 <Link#1> {' '.join(rest)}\n")
    assert [row.rx_packets for row in parsed.value] == ([1000] if more in (0, 1) else [])
    assert all(f"{fields} fields, 8 or 9 expected" in note for note in parsed.skipped)
    assert bool(parsed.skipped) is (more not in (0, 1))


@pytest.mark.parametrize(
    ("printed", "found"),
    [("vlan1", True), ("vlan100", True), ("vlan10", False), ("vlan1000", True), ("vlan", False)],
)
def test_a_name_is_cut_to_five_characters_or_to_seven(printed: str, found: bool) -> None:
    row = InterfaceCounters(printed)
    assert (find([row], "vlan1000") is row) is found
    assert find([row, row], "vlan1000") is None, "two of them"


@pytest.mark.parametrize(("printed", "name"), [("lagg0", "lagg0.100"), ("vlan1", "vlan12")])
def test_a_whole_name_is_not_that_of_a_longer_one_that_is_gone(printed: str, name: str) -> None:
    """As `netstat -W` prints them since FreeBSD 12: the column is as wide as the longest name, or wider."""
    longest = "vm-public"
    table = f"{'Name':9}    Mtu Network       Address    {HEADER[HEADER.index('Ipkts') :]}\n"
    for number, one in enumerate((printed, longest), 1):
        table += f"{one:9}   1500 <Link#{number}>      aa:bb:cc:dd:ee:ff 1000 2 3 640000 900 4 576000 5\n"
    rows = parse(table).value
    assert [(row.name, row.up) for row in rows] == [(printed, True), (longest, True)]
    assert find(rows, name) is None
    assert find(rows, printed) is rows[0]


# the same in real results


def real_widths_of_fbsd16_with_d_end_in_a_space(captures: Path) -> None:
    before = parse((captures / "freebsd/netstat-ndi-fbsd16-before.txt").read_text())
    after = parse((captures / "freebsd/netstat-ndi-fbsd16-after.txt").read_text())
    assert [row.name for row in after.value] == ["igb0", "igb1", "igb2", "enc0", "lo0"]
    assert [row.link for row in after.value] == [1, 2, 3, 4, 5]
    assert after.value[1] == InterfaceCounters(
        "igb1",
        rx_packets=77816389,
        rx_errors=0,
        rx_dropped=0,
        tx_packets=2,
        tx_errors=0,
        tx_dropped=0,
        link=2,
        up=True,
    )
    assert after.value[2].tx_packets == 77816389
    assert before.value[1].rx_packets == 20004846
    assert before.skipped == after.skipped == ()


def real_a_star_means_down(captures: Path) -> None:
    rows = parse((captures / "freebsd/netstat-ndi-fbsd16-after.txt").read_text()).value
    assert [row.name for row in rows if row.up is False] == ["enc0"]


def real_wider_columns_of_14_5_without_w(captures: Path) -> None:
    rows = parse((captures / "freebsd/netstat-ib-fbsd14.5-widths.txt").read_text()).value
    assert [(row.name, row.rx_packets, row.rx_bytes, row.tx_bytes) for row in rows] == [
        ("vtnet0", 155, 30412, 27564),
        ("lo0", 0, 0, 0),
    ]


def real_two_cut_names_stay_apart_by_their_link_number(captures: Path) -> None:
    rows = parse((captures / "freebsd/netstat-ibn-truncated-vtnet.txt").read_text()).value
    assert [(row.name, row.link, row.rx_packets) for row in rows[:2]] == [
        ("vtnet", 1, 2023),
        ("vtnet", 2, 1022),
    ]
    assert find(rows, "vtnet0") is None  # either could be meant
    assert find(rows, "vtnet") is None  # two rows print just that
    assert find(rows, "em0") is rows[2]
    assert rows[0].up is None  # the star may have been cut off


def real_a_cut_name_is_found_where_only_one_can_be_meant(captures: Path) -> None:
    rows = parse((captures / "freebsd/netstat-ibn-truncated-vtnet.txt").read_text()).value
    assert find(rows[1:], "vtnet1") is rows[1]
    assert find(rows, "igb0") is None


def real_macos_has_no_idrop_and_blank_addresses(captures: Path) -> None:
    rows = parse((captures / "freebsd/netstat-ibn-darwin-no-idrop-contrast.txt").read_text()).value
    assert [row.link for row in rows] == [1, 2, 3, 4, 5, 6]
    assert {row.rx_dropped for row in rows} == {None}
    assert (rows[0].rx_packets, rows[3].rx_bytes, rows[3].tx_packets) == (1758927, 18096041919, 17727990)
    assert [row.name for row in rows if row.up is False] == ["gif0", "stf0"]


def real_drop_of_fbsd11_is_the_last_column(captures: Path) -> None:
    row = parse((captures / "freebsd/netstat-idbn-I-ue0-fbsd11.txt").read_text()).value[0]
    assert (row.rx_packets, row.rx_bytes, row.tx_dropped) == (44204928, 14682148, 0)


def real_fbsd12_with_and_without_bytes(captures: Path) -> None:
    plain = parse((captures / "freebsd/netstat-i-fbsd12.txt").read_text()).value[0]
    with_b = parse((captures / "freebsd/netstat-ib-fbsd12.txt").read_text()).value[0]
    assert (plain.rx_packets, plain.rx_bytes, plain.tx_packets) == (189449, None, 211310)
    assert (with_b.rx_packets, with_b.rx_bytes, with_b.tx_bytes) == (372717, 372538087, 198573339)


def real_a_published_run_forwarded_every_packet_that_its_dut_received(netbenches: Path) -> None:
    folder = netbenches / "captures"
    before = parse((folder / "fbsd16-n311215_PMC_netstat.on.before.txt").read_text()).value
    after = parse((folder / "fbsd16-n311215_PMC_netstat.on.after.txt").read_text()).value
    assert [row.name for row in before] == [row.name for row in after]
    # between the two the counters were reset: a difference would be negative
    assert (before[1].rx_packets, after[1].rx_packets, after[2].tx_packets) == (77816389, 28762392, 28762392)
    during = parse((folder / "fbsd16-n311215.D58513_PMC_netstat.off.during.txt").read_text()).value
    assert [(row.name, row.link, row.rx_packets, row.tx_packets) for row in during] == [
        ("igb1", 2, 98431769, 2),
        ("igb2", 3, 2, 98431769),
    ]


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_widths_of_fbsd16_with_d_end_in_a_space,
        real_a_star_means_down,
        real_wider_columns_of_14_5_without_w,
        real_two_cut_names_stay_apart_by_their_link_number,
        real_a_cut_name_is_found_where_only_one_can_be_meant,
        real_macos_has_no_idrop_and_blank_addresses,
        real_drop_of_fbsd11_is_the_last_column,
        real_fbsd12_with_and_without_bytes,
        real_a_published_run_forwarded_every_packet_that_its_dut_received,
    )
