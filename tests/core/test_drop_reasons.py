"""Drop reasons beside a packet account: they explain its losses, add nothing, and leave the rest named."""

import msgspec
import pytest

from fwdtui.core.drop_reasons import REST, ROWS, UNACCOUNTED, counted, joined, stage_of, unexplained
from fwdtui.core.drop_reasons_text import remarks, where, why_lost
from fwdtui.core.model import REASONS, EventSample, Packets
from fwdtui.core.reason_counts import MACHINE, NOWHERE, OTHER, DropReasons, ReasonCounts, ReasonRow

BACKLOG = ReasonRow("CPU_BACKLOG", "enqueue_to_backlog", 0, "dut0")
RULE = ReasonRow("NETFILTER_DROP", "nft_do_chain", 0, "dut0")
ROUTE = ReasonRow("NOT_SPECIFIED", "ip_error", 0)
OWN = ReasonRow("TCP_OLD_DATA", "tcp_rcv_established", 0, place=NOWHERE)
SINK = ReasonRow("NETFILTER_DROP", "nft_do_chain", 0, "sink0", OTHER)

PORTS = ("dut0",), ("dut1",)


def times(row: ReasonRow, count: int) -> ReasonRow:
    return msgspec.structs.replace(row, count=count)


def taken(at: float, *rows: ReasonRow, since: float = 1.0, missed: int = 0) -> EventSample:
    return EventSample(at, REASONS, "", "dut", ReasonCounts("bpftrace", "namespace", since, rows, missed))


def of_a_blast(*rows: ReasonRow) -> DropReasons:
    """Counted from the quiet before a blast from 2 s to 12 s to the quiet after it."""
    found = counted([taken(1.0), taken(13.0, *rows)], 2.0, 12.0, *PORTS)
    assert found is not None
    return found


PACKETS = Packets(
    offered=100_000,
    forwarded=58_000,
    drops={"rx ring": 500, "input queue": 40_000, "output": 0},
    unaccounted=1_500,
)


@pytest.mark.parametrize(
    ("row", "stage"),
    [
        (BACKLOG, "input queue"),
        (ReasonRow("UNHANDLED_PROTO", "__netif_receive_skb_core", 1), "input queue"),
        (ReasonRow("TC_INGRESS", "__netif_receive_skb_core", 1), UNACCOUNTED),  # sch_handle_ingress, inlined
        (ReasonRow("TC_INGRESS", "__netif_receive_skb_core", 1, "dut0"), UNACCOUNTED),
        (ReasonRow("QDISC_OVERLIMIT", "fq_codel_enqueue", 1), "tx soft queue"),
        (ReasonRow("FQ_FLOW_LIMIT", "fq_enqueue", 1), "tx soft queue"),
        (ReasonRow("NOT_SPECIFIED", "veth_xmit", 1, "dut1"), "output"),
        (ReasonRow("NOT_SPECIFIED", "veth_xmit", 1, "dut0"), "input queue"),  # the ring of its NAPI was full
        (ReasonRow("NOT_SPECIFIED", "veth_xdp_rx", 1, "dut0"), "input queue"),
        (ReasonRow("NOT_SPECIFIED", "veth_xmit", 1, "mgmt0"), ""),  # in that interface's own counter
        (ReasonRow("NOT_SPECIFIED", "veth_xmit", 1), UNACCOUNTED),
        (ReasonRow("CPU_BACKLOG", "enqueue_to_backlog", 1), "input queue"),  # a histogram knows no interfaces
        (ReasonRow("CPU_BACKLOG", "enqueue_to_backlog", 1, "mgmt0"), ""),
        (ReasonRow("UNHANDLED_PROTO", "__netif_receive_skb_core", 1, "dut1"), ""),  # frames of the far end
        (ReasonRow("QDISC_DROP", "__dev_xmit_skb", 1, "mgmt0"), ""),
        (ReasonRow("NETFILTER_DROP", "nft_do_chain", 1, "mgmt0"), ""),
        (ReasonRow("NETFILTER_DROP", "nft_do_chain", 1, "dut0.7"), UNACCOUNTED),  # a VLAN on a port
        (ReasonRow("CPU_BACKLOG", "enqueue_to_backlog", 1, "dut0.7"), UNACCOUNTED),  # no counter of dut0
        (RULE, UNACCOUNTED),
        (ROUTE, UNACCOUNTED),  # a blackhole route has no other reason: its function names it
        (ReasonRow("NO_SOCKET", "__udp4_lib_rcv", 1), UNACCOUNTED),
        (OWN, ""),
        (SINK, ""),
        (ReasonRow("NO_SOCKET", "__udp4_lib_rcv", 1, "lo"), ""),
        (ReasonRow("CONSUMED", "ip_rcv", 1, "dut0"), ""),  # not a drop: the buffer was used up
        (ReasonRow("NOT_SPECIFIED", "unix_release_sock", 1), ""),
    ],
)
def test_each_reason_explains_one_stage_or_none(row: ReasonRow, stage: str) -> None:
    assert stage_of(row, *PORTS) == stage


def test_reasons_explain_the_stages_and_what_they_cannot_explain_stays_named() -> None:
    found = joined(PACKETS, of_a_blast(times(BACKLOG, 40_000), times(RULE, 1_200), times(SINK, 58_000)))
    assert found.reasons is not None
    assert found.reasons.explained == {"input queue": 40_000, UNACCOUNTED: 1_200}
    assert unexplained(found) == {"rx ring": 500, UNACCOUNTED: 300}
    assert (found.drops, found.unaccounted) == (PACKETS.drops, PACKETS.unaccounted)
    assert why_lost(found) == (
        "42.0 % lost: 95.2 % of it CPU_BACKLOG at enqueue_to_backlog, 2.9 % NETFILTER_DROP at nft_do_chain, "
        "1.2 % at the rx ring without a reason, 0.7 % in no counter and without a reason."
    )


def test_other_traffic_never_explains_more_than_was_lost() -> None:
    found = joined(PACKETS, of_a_blast(times(BACKLOG, 50_000), times(RULE, 1_500), times(ROUTE, 1_500)))
    assert found.reasons is not None
    assert found.reasons.explained == {"input queue": 40_000, UNACCOUNTED: 1_500}
    assert unexplained(found) == {"rx ring": 500}
    assert "95.2 % of it CPU_BACKLOG at enqueue_to_backlog" in why_lost(found)
    assert "1.8 % NOT_SPECIFIED at ip_error, 1.8 % NETFILTER_DROP at nft_do_chain" in why_lost(found)


NOISE = ReasonRow("NO_SOCKET", "__udp4_lib_rcv", 0, "mgmt0")
LLDP = ReasonRow("UNHANDLED_PROTO", "__netif_receive_skb_core", 0, "mgmt0")
FEW = Packets(offered=10_000_000, forwarded=9_998_900, drops={"input queue": 100}, unaccounted=1_000)


def test_what_a_management_port_drops_explains_nothing_and_hides_nothing() -> None:
    found = joined(FEW, of_a_blast(times(RULE, 300), times(NOISE, 5_000), times(LLDP, 30)))
    assert found.reasons is not None
    assert found.reasons.explained == {UNACCOUNTED: 300}
    assert unexplained(found) == {"input queue": 100, UNACCOUNTED: 700}
    assert why_lost(found) == (
        "<0.1 % lost: 27.3 % of it NETFILTER_DROP at nft_do_chain, "
        "9.1 % at the input queue without a reason, 63.6 % in no counter and without a reason. "
        "On interfaces that are not ports of the lab: "
        "5 000 NO_SOCKET at __udp4_lib_rcv on mgmt0, 30 UNHANDLED_PROTO at __netif_receive_skb_core on mgmt0."
    )
    assert {row.device: where(row) for row in found.reasons.rows} == {
        "dut0": UNACCOUNTED,
        "mgmt0": "unknown traffic",
    }
    assert remarks(found.reasons) == [
        "Drops on interfaces that are not ports of the lab explain nothing: it is not known whose they are."
    ]


def test_drops_elsewhere_are_not_named_where_they_are_too_few_for_what_has_no_reason() -> None:
    assert "no ports" not in why_lost(joined(FEW, of_a_blast(times(RULE, 300), times(NOISE, 50))))


def test_what_was_counted_before_the_blast_is_not_its_own() -> None:
    before, after = times(RULE, 1_000), times(RULE, 1_400)
    found = counted([taken(1.5, before), taken(6.0, before), taken(12.5, after)], 2.0, 12.0, *PORTS)
    assert found is not None and found.whole
    assert [(row.reason, row.count) for row in found.rows] == [("NETFILTER_DROP", 400)]


def test_a_counting_that_began_late_or_ended_early_is_not_held_against_the_counters() -> None:
    late = counted([taken(4.0, since=4.0), taken(13.0, times(RULE, 90), since=4.0)], 2.0, 12.0, *PORTS)
    early = counted([taken(1.0), taken(9.0, times(RULE, 90))], 2.0, 12.0, *PORTS)
    assert late is not None and early is not None
    assert (late.whole, late.seconds) == (False, 8.0)
    assert (early.whole, early.seconds) == (False, 7.0)
    found = joined(PACKETS, late)
    assert found.reasons is not None and found.reasons.explained == {} == unexplained(found)
    assert why_lost(found) == (
        "42.0 % lost. In the 8.0 s of the blast in which drop reasons were counted: "
        "100.0 % NETFILTER_DROP at nft_do_chain of 90 drops."
    )
    assert remarks(late) == ["Counted during only 8.0 s of the blast, so not compared with the counters."]


def test_of_two_countings_the_newer_one_counts() -> None:
    samples = [taken(1.0, times(RULE, 7)), taken(3.0, since=3.0), taken(13.0, times(ROUTE, 5), since=3.0)]
    found = counted(samples, 2.0, 12.0, *PORTS)
    assert found is not None
    assert [row.location for row in found.rows] == ["ip_error"]


def test_without_counts_there_are_no_reasons_and_nothing_lost_is_said_so() -> None:
    assert counted([], 2.0, 12.0, *PORTS) is None
    assert counted([taken(1.0)], 2.0, 12.0, *PORTS) is None
    assert joined(PACKETS, None) is PACKETS
    assert why_lost(PACKETS) == ""
    kept = Packets(offered=10, forwarded=10, drops={"input queue": 0}, unaccounted=0)
    assert why_lost(joined(kept, of_a_blast())) == "Nothing was lost."


@pytest.mark.parametrize(
    ("offered", "attack", "unaccounted", "lost"),
    [
        (100_000, 20_000, 100, "25.1 % lost"),
        (None, 20_000, None, "At least 30 000 packets lost"),  # the host of a generator was lost
        (
            100_000,
            None,
            None,
            "At least 30 000 packets lost",
        ),  # so was the attacker's: its packets are among the lost
    ],
)
def test_a_loss_is_a_share_only_of_all_that_was_sent(
    offered: int | None, attack: int | None, unaccounted: int | None, lost: str
) -> None:
    """What the DUT dropped may be anybody's: of one generator alone it would be 150 %."""
    packets = Packets(
        offered, forwarded=90_000, drops={"input queue": 30_000}, unaccounted=unaccounted, attack=attack
    )
    told = why_lost(joined(packets, of_a_blast(times(BACKLOG, 30_000))))
    assert told.startswith(lost) and "CPU_BACKLOG at enqueue_to_backlog" in told


@pytest.mark.parametrize(
    ("drops", "told"),
    [
        ({}, ""),
        ({"input queue": 0}, ""),
        ({"input queue": 1_000}, "At least 1 000 packets lost. "),  # and what the rule dropped
    ],
)
def test_what_is_not_known_is_not_called_nothing(drops: dict[str, int], told: str) -> None:
    """The DUT's counters do not see what it forwards, but the kernel counted what a rule dropped."""
    packets = Packets(100_000, forwarded=10, received=49_000, drops=drops)
    assert why_lost(joined(packets, of_a_blast(times(RULE, 50_000)))) == (
        f"{told}In the 10.0 s of the blast in which drop reasons were counted: "
        "100.0 % NETFILTER_DROP at nft_do_chain of 50 000 drops."
    )


@pytest.mark.parametrize(
    ("forwarded", "drops", "told"),
    [
        # a switch that floods what the DUT has sent sends it back to the DUT's input as well
        (100_000, {"card filter": 100_000}, "Nothing was lost."),
        (
            90_000,
            {"card filter": 90_000, "rx ring": 10_000},
            "10.0 % lost: 100.0 % of it at the rx ring without a reason.",
        ),
        (100_000, {"frame check": 500, "card filter": 20_000}, "Nothing was lost."),
        # the generator sends to another MAC address
        (0, {"card filter": 100_000}, "100.0 % lost: 100.0 % of it at the card filter without a reason."),
        (
            70_000,
            {"card filter": 100_000},
            "30.0 % lost: 100.0 % of it at the card filter without a reason.",
        ),
    ],
)
def test_frames_of_others_that_the_card_refuses_are_no_loss(
    forwarded: int, drops: dict[str, int], told: str
) -> None:
    unaccounted = 100_000 - forwarded - sum(drops.values())
    packets = Packets(offered=100_000, forwarded=forwarded, drops=drops, unaccounted=unaccounted)
    assert why_lost(joined(packets, of_a_blast())) == told


def test_many_reasons_are_bounded_and_none_gets_lost() -> None:
    rows = [ReasonRow("NOT_SPECIFIED", f"f{n}", n + 1) for n in range(100)]
    found = of_a_blast(*rows)
    assert len(found.rows) == ROWS
    assert found.rows[-1].reason == REST
    assert sum(row.count for row in found.rows) == 5050


def test_the_smallest_reasons_explain_the_stages_that_they_are_of() -> None:
    """100 functions drop 10 packets each by a rule, 20 drop 1 each of other traffic, and the backlog 2."""
    rules = [ReasonRow("NETFILTER_DROP", f"f{n:03}", 10) for n in range(100)]
    others = [ReasonRow("TCP_OLD_DATA", f"g{n}", 1, place=NOWHERE) for n in range(20)]
    found = joined(PACKETS, of_a_blast(*rules, *others, times(BACKLOG, 2)))
    assert found.reasons is not None
    assert found.reasons.explained == {UNACCOUNTED: 1_000, "input queue": 2}
    assert len(found.reasons.rows) == ROWS
    rest = {row.stage: (row.count, where(row)) for row in found.reasons.rows if row.reason == REST}
    assert rest == {
        UNACCOUNTED: (430, UNACCOUNTED),
        "": (20, "not of the forwarded traffic"),
        "input queue": (2, "input queue"),
    }
    assert unexplained(found) == {"rx ring": 500, "input queue": 39_998, UNACCOUNTED: 500}


def test_the_reader_is_told_what_the_figures_do_not_tell() -> None:
    reasons = DropReasons("tracefs", MACHINE, 10.0, whole=True, missed=40)
    assert remarks(reasons) == [
        "Counted on the whole machine: drops in its other network namespaces cannot be told apart.",
        "40 drops found no room in the kernel's table.",
    ]
    found = joined(PACKETS, of_a_blast(times(BACKLOG, 40_000)))
    assert found.reasons is not None and "machine" not in why_lost(found)
    machine = msgspec.structs.replace(found.reasons, scope=MACHINE)
    told = why_lost(msgspec.structs.replace(found, reasons=machine))
    assert told == f"{why_lost(found)} {remarks(reasons)[0]}", "wherever the sentence is"
    assert where(SINK) == "in another network namespace"
    assert where(OWN) == "not of the forwarded traffic"
