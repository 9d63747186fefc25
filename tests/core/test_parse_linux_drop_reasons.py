"""The kernel's drop reasons: their names in the event's format, and the counts of both means."""

import pytest
from fixtures import linux

from fwdtui.core.drop_reasons import rows_of, stage_of
from fwdtui.core.parse.bpftrace_drops import parse_bpftrace_drops
from fwdtui.core.parse.hist_trigger import DropRow, parse_hist_trigger
from fwdtui.core.parse.skb_drop_format import parse_skb_drop_format
from fwdtui.core.reason_counts import NOWHERE, OTHER, ReasonRow


def test_numbers_are_the_kernel_s_own_and_move_between_versions() -> None:
    old = parse_skb_drop_format(linux("kfree_skb-format-6.1"))
    new = parse_skb_drop_format(linux("kfree_skb-format-6.18"))
    assert old.skipped == new.skipped == ()
    assert (old.value[1], new.value[2]) == ("NOT_SPECIFIED", "NOT_SPECIFIED")
    assert (len(old.value), len(new.value)) == (66, 127)
    moved = {name for number, name in old.value.items() if new.value.get(number) != name}
    assert moved >= {"NETFILTER_DROP", "CPU_BACKLOG", "IP_INHDR"}


def test_a_kernel_before_5_17_has_no_reasons() -> None:
    text = 'print fmt: "skbaddr=%p protocol=%u location=%p", REC->skbaddr, REC->protocol, REC->location\n'
    found = parse_skb_drop_format(text)
    assert (found.value, found.skipped) == ({}, ("no drop reasons are named",))


def test_a_histogram_has_a_row_for_each_reason_and_address() -> None:
    found = parse_hist_trigger(linux("kfree_skb-hist-6.1"))
    assert found.skipped == ()
    assert found.value.rows == (
        DropRow(1, "nfnetlink_rcv_batch", 1),
        DropRow(7, "nft_do_chain", 79_730),
        DropRow(46, "ffffffff9a4c1f2e", 40),  # no name: its address
        DropRow(46, "enqueue_to_backlog", 3_000_000_000),
        DropRow(46, "enqueue_to_backlog", 500),  # of another place in the same function
    )
    assert found.value.missed == 12


def test_bpftrace_tells_interface_and_namespace_and_what_its_map_had_no_room_for() -> None:
    found = parse_bpftrace_drops(linux("kfree_skb-bpftrace"))
    assert found.skipped == ()
    assert found.value.rows[1:3] == (
        DropRow(33, "tcp_rcv_established", 7, "", 0),
        DropRow(71, "enqueue_to_backlog", 145_655, "dut0", 4_026_532_900),
    )
    assert found.value.missed == 30


def test_a_function_has_the_name_that_it_has_in_the_sources() -> None:
    """A compiler's suffix would keep it from its stage, and is another one in another kernel."""
    row = "{ reason: 62, location: [ffffffff821f2c2b] __netif_receive_skb_core.constprop.0 } hitcount: 7"
    assert parse_hist_trigger(row).value.rows == (DropRow(62, "__netif_receive_skb_core", 7),)
    line = "@[62, __netif_receive_skb_core.constprop.0, dut0, 4026531840]: 7"
    (found,) = parse_bpftrace_drops(line).value.rows
    assert found.location == "__netif_receive_skb_core"
    assert stage_of(ReasonRow("UNHANDLED_PROTO", found.location, 7), ["dut0"], ["dut1"]) == "input queue"


@pytest.mark.parametrize(
    "line", ["{ reason: 1, location: x } hitcount: 5", "@[1, a]: 5", "@[71, a, b, c, d]: 1"]
)
def test_what_is_no_row_is_told(line: str) -> None:
    assert parse_hist_trigger(line).skipped
    assert parse_bpftrace_drops(line).skipped


def test_rows_have_names_and_one_row_for_each_function() -> None:
    names = parse_skb_drop_format(linux("kfree_skb-format-6.1")).value
    rows = rows_of(parse_hist_trigger(linux("kfree_skb-hist-6.1")).value, names, None)
    assert rows[0] == ReasonRow("CPU_BACKLOG", "enqueue_to_backlog", 3_000_000_500)
    assert rows[1] == ReasonRow("NETFILTER_DROP", "nft_do_chain", 79_730)


def test_a_reason_without_a_name_keeps_its_number_and_other_namespaces_are_told_apart() -> None:
    names = parse_skb_drop_format(linux("kfree_skb-format-6.18")).value
    rows = rows_of(parse_bpftrace_drops(linux("kfree_skb-bpftrace")).value, names, 4_026_532_900)
    assert rows == (
        ReasonRow("NETFILTER_DROP", "nft_do_chain", 1_683_893, "sink0", OTHER),
        ReasonRow("CPU_BACKLOG", "enqueue_to_backlog", 145_655, "dut0"),
        ReasonRow("TCP_OLD_DATA", "tcp_rcv_established", 7, "", NOWHERE),
        ReasonRow("reason 196609", "ieee80211_rx", 3, "dut0"),
    )
