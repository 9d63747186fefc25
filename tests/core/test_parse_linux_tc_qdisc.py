"""`tc -s qdisc`, text and JSON."""

from pathlib import Path

import pytest
from fixtures import Agree, cases, linux

from fwdtui.core.counters import QdiscRow
from fwdtui.core.parse.tc_qdisc import parse_tc_qdisc


def rows(captures: Path, name: str, interface: str = "") -> tuple[QdiscRow, ...]:
    parsed = parse_tc_qdisc((captures / "linux" / f"tc-s-{name}.txt").read_text(), interface)
    assert parsed.skipped == ()
    return parsed.value


def ours(name: str, interface: str = "") -> tuple[QdiscRow, ...]:
    parsed = parse_tc_qdisc(linux(f"tc-s-{name}"), interface)
    assert parsed.skipped == ()
    return parsed.value


def test_root_and_leaf_repeat_the_same_drops() -> None:
    root, leaf = ours("qdisc-htb", "west0")
    assert root == QdiscRow("west0", "htb", "1:", "root", 1001, 60_042, 1_886_088, 0, 0, 0)
    assert leaf == QdiscRow("west0", "pfifo", "20:", "1:20", 1001, 60_042, 1_886_088, 0, 0, 0)


@pytest.mark.parametrize("name", ["htb", "mq", "noqueue", "all"])
def test_text_and_json_say_the_same(name: str) -> None:
    assert ours(f"qdisc-{name}") == ours(f"j-qdisc-{name}")


def test_a_row_names_its_interface_where_none_was_asked_for() -> None:
    assert [row.interface for row in ours("qdisc-all")] == [
        "lo", "west0", "west0", "west0.100", "averyverylong15", "many0",
    ]  # fmt: skip


def test_noqueue_counts_nothing_and_its_zeros_are_missing() -> None:
    assert ours("qdisc-noqueue", "west0.100") == (QdiscRow("west0.100", "noqueue", "0:", "root"),)


def test_each_queue_below_mq_is_a_row_with_its_parent() -> None:
    assert [row.parent for row in ours("qdisc-mq")] == ["root", *(f"a:{n:x}" for n in range(16, 0, -1))]
    mq, tenth, fifteenth = ours("qdisc-mq-fq_codel")
    assert mq == QdiscRow("eth0", "mq", "0:", "root", 75, 7500, 6, 8, 0, 0)
    assert (tenth.parent, tenth.dropped) == (":10", 4)
    assert (fifteenth.parent, fifteenth.dropped) == (":f", 2)


def test_a_standing_backlog_is_a_gauge_in_bytes_and_packets() -> None:
    root, leaf = ours("qdisc-backlog")
    assert (root.backlog_bytes, root.backlog_packets) == (228 * 60, 228)
    assert (leaf.backlog_bytes, leaf.backlog_packets, leaf.dropped) == (228 * 60, 228, 0)


def test_json_that_tc_left_as_text_is_read_as_text() -> None:
    parsed = parse_tc_qdisc(linux("tc-s-j-class-htb"))
    assert parsed.value == ()
    assert len(parsed.skipped) == 1, "a class is no qdisc, and that is said"


def test_an_error_gives_nothing_and_is_said() -> None:
    parsed = parse_tc_qdisc(linux("tc-error"))
    assert parsed.value == ()
    assert "Specified qdisc kind is unknown" in parsed.skipped[0]


def test_a_large_backlog_is_printed_in_rounded_units() -> None:
    text = (
        "qdisc pfifo 1: dev e root\n Sent 1 bytes 2 pkt (dropped 3, overlimits 4 requeues 5)\n"
        " backlog {} 7p requeues 5\n"
    )
    assert parse_tc_qdisc(text.format("12Kb")).value[0].backlog_bytes == 12 * 1024
    assert parse_tc_qdisc(text.format("3Mb")).value[0].backlog_bytes == 3 * 1024 * 1024


def test_an_ingress_qdisc_has_its_own_parent() -> None:
    text = (
        "qdisc clsact ffff: dev eth0 parent ffff:fff1 \n"
        " Sent 9 bytes 1 pkt (dropped 0, overlimits 0 requeues 0) \n backlog 0b 0p requeues 0\n"
    )
    assert parse_tc_qdisc(text).value[0].parent == "ffff:fff1"


def test_a_torn_row_has_only_what_was_printed() -> None:
    parsed = parse_tc_qdisc("qdisc mq 0: dev eth0 root\n Sent 1310050 bytes 28")
    assert parsed.value == (QdiscRow("eth0", "mq", "0:", "root"),)
    assert len(parsed.skipped) == 1


# the same in real results


def real_root_and_leaf_repeat_the_same_drops(captures: Path) -> None:
    root, leaf = rows(captures, "qdisc-veth-htb", "vethA")
    assert root == QdiscRow("vethA", "htb", "1:", "root", 2000, 120000, 613770, 0, 0, 0)
    assert leaf == QdiscRow("vethA", "pfifo", "20:", "1:20", 2000, 120000, 613770, 0, 0, 0)
    assert [row.dropped for row in rows(captures, "qdisc-htb-fq_codel-sqm37")] == [213, 0, 213]


@cases("name", ["veth-htb", "veth-mq", "veth-noqueue", "virtio-host"])
def real_text_and_json_say_the_same(captures: Path, name: str) -> None:
    assert rows(captures, f"qdisc-{name}") == rows(captures, f"j-qdisc-{name}")


def real_noqueue_counts_nothing_and_its_zeros_are_missing(captures: Path) -> None:
    assert rows(captures, "qdisc-veth-noqueue", "vethA") == (QdiscRow("vethA", "noqueue", "0:", "root"),)


def real_each_queue_below_mq_is_a_row_with_its_parent(captures: Path) -> None:
    found = rows(captures, "qdisc-mq-fq_codel-qosmate54")
    assert [row.parent for row in found] == ["root", "root", ":10", ":f"]
    assert found[1] == QdiscRow("eth0", "mq", "0:", "root", 2841, 1310050, 0, 8, 0, 0)


def real_a_standing_backlog_is_a_gauge_in_bytes_and_packets(captures: Path) -> None:
    found = rows(captures, "qdisc-htb-atm-backlog-sqm82")
    assert (found[1].backlog_bytes, found[1].backlog_packets) == (8003, 6)
    assert found[1].dropped == 1414


def real_an_interface_with_a_dot_and_a_tbf_without_dev(captures: Path) -> None:
    assert rows(captures, "qdisc-htb-fq_codel-sqm37")[0].interface == "eth0.2"
    assert rows(captures, "qdisc-tbf-drops", "vethA") == (
        QdiscRow("vethA", "tbf", "8002:", "root", 223, 259857, 314, 0, 0, 0),
    )


def real_one_json_object_without_its_array_is_a_row(captures: Path) -> None:
    assert rows(captures, "j-qdisc-fq_codel-one-object-libreqos") == (
        QdiscRow("", "fq_codel", "0:", "7fff:a", 8, 560, 0, 0, 0, 0),
    )


def real_json_that_tc_left_as_text_is_read_as_text(captures: Path) -> None:
    parsed = parse_tc_qdisc((captures / "linux/tc-s-j-class-veth-htb.txt").read_text())
    assert parsed.value == ()
    assert len(parsed.skipped) == 3, "classes are no qdiscs, and that is said"


def real_an_error_gives_nothing_and_is_said(captures: Path) -> None:
    parsed = parse_tc_qdisc((captures / "linux/tc-fq_codel-missing-module.txt").read_text())
    assert parsed.value == ()
    assert "Specified qdisc kind is unknown" in parsed.skipped[0]


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_root_and_leaf_repeat_the_same_drops,
        real_text_and_json_say_the_same,
        real_noqueue_counts_nothing_and_its_zeros_are_missing,
        real_each_queue_below_mq_is_a_row_with_its_parent,
        real_a_standing_backlog_is_a_gauge_in_bytes_and_packets,
        real_an_interface_with_a_dot_and_a_tbf_without_dev,
        real_one_json_object_without_its_array_is_a_row,
        real_json_that_tc_left_as_text_is_read_as_text,
        real_an_error_gives_nothing_and_is_said,
    )


def test_the_table_of_cake_is_of_parts_and_nothing_in_it_is_odd() -> None:
    """As sqm-scripts and OpenWrt print it, shortened."""
    parsed = parse_tc_qdisc("""\
qdisc cake 8002: dev eth1 root refcnt 2 bandwidth 50Mbit diffserv4 dual-srchost nat nowash no-ack-filter
 Sent 99999999 bytes 88888 pkt (dropped 200, overlimits 500 requeues 0)
 backlog 1500b 3p requeues 0
 memory used: 54321b of 4Mb
 capacity estimate: 50Mbit

                   Tin 0            Tin 1            Tin 2            Tin 3
  thresh        50Mbit           50Mbit           50Mbit           50Mbit
  backlog            0b            1500b              0b               2Kb
  pkts             1000            87888               0                0
  drops               0              200               0                0
""")
    (row,) = parsed.value
    assert parsed.skipped == ()
    assert (row.sent_packets, row.dropped, row.backlog_bytes, row.backlog_packets) == (88888, 200, 1500, 3)
