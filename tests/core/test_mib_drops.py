"""FreeBSD's drops by mib counter: what dtrace prints, and that no packet is counted by two counters.

The texts are written after dtrace(1), dtrace_mib(4) and libdtrace's sources: no FreeBSD host was at hand.
"""

import pytest

from fwdtui.core.drop_reasons import UNACCOUNTED, counted, joined, stage_of
from fwdtui.core.drop_reasons_text import remarks, why_lost
from fwdtui.core.mib_drops import MIB_DROPS, mib_rows
from fwdtui.core.model import REASONS, EventSample, Packets
from fwdtui.core.parse.dtrace_drops import MibRow, parse_dtrace_drops, parse_dtrace_list
from fwdtui.core.reason_counts import MACHINE, ReasonCounts, ReasonRow

PRINTED = """\
drop ips_odropped 7
kernel`ip_tryforward+0x3a2

drop ips_noroute 40
kernel`ip_findroute+0x4c

drop ips_cantforward 50
kernel`ip_findroute+0x58

drop ips_badsum 3
              0xffffffff81094b8b
all 105
"""


def test_a_row_has_the_function_that_counted_and_what_has_no_row_is_missed() -> None:
    found = parse_dtrace_drops(PRINTED)
    assert found.skipped == ()
    assert found.value.rows == (
        MibRow("ips_odropped", "ip_tryforward", 7),
        MibRow("ips_noroute", "ip_findroute", 40),
        MibRow("ips_cantforward", "ip_findroute", 50),
        MibRow("ips_badsum", "0xffffffff81094b8b", 3),
    )
    assert found.value.missed == 5


def test_a_function_may_stand_in_the_same_line_or_be_missing() -> None:
    found = parse_dtrace_drops("drop ips_badsum 3 kernel`ip_input+0x1\ndrop ips_badlen 2\nall 5\nnonsense!\n")
    assert found.value.rows == (MibRow("ips_badsum", "ip_input", 3), MibRow("ips_badlen", "", 2))
    assert len(found.skipped) == 1


def test_only_the_line_after_a_drop_without_a_function_names_one() -> None:
    drops = "drop ips_badsum 3 kernel`ip_input+0x1\nkernel`other+0x2\ndrop ips_badlen 2\n"
    found = parse_dtrace_drops(drops + "all 5\nkernel`late+0x3\n")
    assert found.value.rows == (MibRow("ips_badsum", "ip_input", 3), MibRow("ips_badlen", "", 2))
    assert len(found.skipped) == 2


def test_probes_are_named_by_the_list() -> None:
    text = (
        "   ID   PROVIDER            MODULE                          FUNCTION NAME\n"
        "98784        mib                ip                             count ips_noroute\n"
        "98785        mib               ip6                             count ip6s_noroute\n"
    )
    assert parse_dtrace_list(text).value == ("ip6s_noroute", "ips_noroute")
    assert parse_dtrace_list("dtrace: failed to match mib:::: No probe matches description").value == ()


def test_a_packet_without_a_route_is_not_counted_as_cantforward_again() -> None:
    rows = mib_rows(parse_dtrace_drops(PRINTED).value.rows)
    assert rows == (
        ReasonRow("ips_noroute", "ip_findroute", 40),
        ReasonRow("ips_cantforward", "ip_findroute", 10),
        ReasonRow("ips_odropped", "ip_tryforward", 7),
        ReasonRow("ips_badsum", "0xffffffff81094b8b", 3),
    )


def test_inlined_functions_count_the_same() -> None:
    rows = mib_rows(
        [MibRow("ips_noroute", "ip_tryforward", 40), MibRow("ips_cantforward", "ip_tryforward", 40)]
    )
    assert rows == (ReasonRow("ips_noroute", "ip_tryforward", 40),)


@pytest.mark.parametrize(
    ("again", "whole"),
    [
        (MibRow("ips_noroute", "ip_output", 9), MibRow("ips_cantforward", "ip_forward", 9)),
        (MibRow("ips_cantfrag", "ip_fragment", 9), MibRow("ips_cantforward", "ip_forward", 9)),
        (MibRow("ip6s_badscope", "ip6_forward", 9), MibRow("ip6s_cantforward", "ip6_forward", 9)),
    ],
)
def test_what_the_slow_path_counts_twice_is_counted_once(again: MibRow, whole: MibRow) -> None:
    assert mib_rows([again, whole]) == (ReasonRow(whole.counter, whole.function, 9),)


def test_ip6_forward_counts_a_missing_route_in_one_counter_only() -> None:
    rows = mib_rows([MibRow("ip6s_noroute", "ip6_forward", 4), MibRow("ip6s_cantforward", "ip6_forward", 9)])
    assert {row.reason: row.count for row in rows} == {"ip6s_noroute": 4, "ip6s_cantforward": 9}


def test_a_counter_that_is_no_loss_in_forwarding_is_not_counted() -> None:
    assert (
        mib_rows([MibRow("ips_fragdropped", "ip_reass", 9), MibRow("udps_fullsock", "udp_append", 9)]) == ()
    )
    assert not {"ips_total", "ips_forward", "ips_noproto", "ips_notmember"} & MIB_DROPS.keys()


@pytest.mark.parametrize(
    ("reason", "function", "stage"),
    [
        ("ips_noroute", "ip_findroute", UNACCOUNTED),
        ("ips_badsum", "ip_input", UNACCOUNTED),
        ("ips_odropped", "ip_tryforward", "output"),
        ("ip6s_cantforward", "ip6_tryforward", "output"),
        ("ip6s_cantforward", "ip6_findroute", UNACCOUNTED),
    ],
)
def test_each_counter_explains_one_stage(reason: str, function: str, stage: str) -> None:
    assert stage_of(ReasonRow(reason, function, 1), ("ix0",), ("ix1",)) == stage


def test_they_explain_an_account_as_linux_s_reasons_do() -> None:
    rows = mib_rows(parse_dtrace_drops(PRINTED).value.rows)
    counts = [
        EventSample(at, REASONS, "", "dut", ReasonCounts("dtrace", MACHINE, 1.0, some))
        for at, some in ((1.0, ()), (13.0, rows))
    ]
    reasons = counted(counts, 2.0, 12.0, ("ix0",), ("ix1",))
    packets = joined(Packets(offered=1000, forwarded=900, drops={"output": 5}, unaccounted=95), reasons)
    assert packets.reasons is not None and packets.reasons.whole
    assert packets.reasons.explained == {UNACCOUNTED: 53, "output": 5}  # never more than the stage lost
    assert why_lost(packets) == (
        "10.0 % lost: 40.0 % of it ips_noroute at ip_findroute, 10.0 % ips_cantforward at ip_findroute, "
        "5.0 % ips_odropped at ip_tryforward, 3.0 % 1 other reason, "
        "42.0 % in no counter and without a reason. "
        "Counted on the whole machine: drops in its jails cannot be told apart."
    )
    assert remarks(packets.reasons) == [
        "Counted on the whole machine: drops in its jails cannot be told apart."
    ]
