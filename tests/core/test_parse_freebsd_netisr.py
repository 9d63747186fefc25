"""netstat -Q: settings, policy per protocol, workstreams."""

from pathlib import Path

from fixtures import Agree, freebsd

from fwdtui.core.counters import NetisrRow
from fwdtui.core.parse.netisr import NetisrConfig, parse

NOW = """\
Configuration:
Setting                        Current        Limit
Thread count                         2            2
Default queue limit                256        10240
Dispatch policy                 direct          n/a
Threads bound to CPUs          enabled          n/a

Protocols:
Name   Proto QLimit Policy Dispatch Flags
ip         1    256    cpu   hybrid   C--
igmp       2    256 source  default   ---
ether      5    256    cpu   direct   C--

Workstreams:
WSID CPU   Name     Len WMark   Disp'd  HDisp'd   QDrops   Queued  Handled
   0   0   ip         0   256        0     3651 181210251  8681903  8685554
   0   0   ether      0     0 47512660        0        0        0 47512660
   1   1   ip         3    12        0       17        0       20       37
"""
# up to 9: other settings, no Dispatch column, blanks for a repeated workstream
OLD = """\
Configuration:
Setting                          Value      Maximum
Thread count                         1            1
Default queue limit                256        10240
Direct dispatch                enabled          n/a
Forced direct dispatch        disabled          n/a
Threads bound to CPUs         disabled          n/a

Protocols:
Name   Proto QLimit Policy Flags
ip         1    256   flow   ---
arp        7    256 source   ---

Workstreams:
WSID CPU   Name     Len WMark   Disp'd  HDisp'd   QDrops   Queued  Handled
   0   0   ip         0     7     1200        5        0       80     1285
           arp        0     0       10        0        0        0       10
"""


def test_all_three_blocks_are_read() -> None:
    parsed = parse(NOW)
    assert parsed.value.config == NetisrConfig(2, 2, 256, 10240, "direct", True)
    assert [item.name for item in parsed.value.protocols] == ["ip", "igmp", "ether"]
    assert parsed.value.rows[0] == NetisrRow(0, 0, "ip", 0, 256, 0, 3651, 181210251, 8681903, 8685554)
    assert parsed.value.rows[2].workstream == 1
    assert parsed.skipped == ()


def test_a_protocol_has_its_own_policy_before_the_default() -> None:
    report = parse(NOW).value
    assert (report.dispatch("ip"), report.dispatch("ether")) == ("hybrid", "direct")
    assert report.dispatch("igmp") == "direct"  # "default"
    assert report.dispatch("ip6") == "direct"  # no row: the default


def test_blank_workstreams_of_old_releases_continue_the_one_before() -> None:
    parsed = parse(OLD)
    assert [(row.workstream, row.cpu, row.protocol, row.handled) for row in parsed.value.rows] == [
        (0, 0, "ip", 1285),
        (0, 0, "arp", 10),
    ]
    assert parsed.skipped == ()


def test_the_two_switches_of_old_releases_are_a_policy() -> None:
    assert parse(OLD).value.dispatch("ip") == "hybrid"
    forced = OLD.replace("Forced direct dispatch        disabled", "Forced direct dispatch        enabled")
    assert parse(forced).value.dispatch("ip") == "direct"
    off = OLD.replace("Direct dispatch                enabled", "Direct dispatch                disabled")
    assert parse(off).value.dispatch("ip") == "deferred"


def test_a_continuation_without_a_workstream_before_it_is_skipped() -> None:
    header, _, rest = OLD.partition("   0   0   ip")
    parsed = parse(header + rest.partition("\n")[2])
    assert parsed.value.rows == ()
    assert "not a workstream row" in parsed.skipped[0]


def test_a_row_that_lost_a_number_is_skipped() -> None:
    parsed = parse(NOW.replace("        0     3651 181210251", "        0     3651"))
    assert [row.protocol for row in parsed.value.rows] == ["ether", "ip"]
    assert "not a workstream row" in parsed.skipped[0]


def test_a_row_that_lost_two_numbers_is_no_continuation() -> None:
    whole = "   0   0   ether      0     0 47512660"
    assert whole in NOW
    parsed = parse(NOW.replace(whole, "   0   0   ether 47512660"))
    assert [row.protocol for row in parsed.value.rows] == ["ip", "ip"]
    assert "not a workstream row" in parsed.skipped[0]


def test_a_row_that_lost_its_name_and_a_number_is_no_continuation() -> None:
    whole = "   1   1   ip         3    12"
    assert whole in NOW
    parsed = parse(NOW.replace(whole, "   1   1              3"))
    assert [row.protocol for row in parsed.value.rows] == ["ip", "ether"]


def test_nothing_is_unknown_and_not_zero() -> None:
    report = parse("").value
    assert report.config == NetisrConfig()
    assert report.dispatch("ip") is None


def test_the_default_policy_is_hybrid_here() -> None:
    report = parse(freebsd("netstat-Q-config-hybrid")).value
    assert report.config == NetisrConfig(4, 4, 256, 10240, "hybrid", True)


def test_rss_makes_ip_hybrid_while_the_policy_says_direct() -> None:
    report = parse(freebsd("netstat-Q-one-thread")).value
    assert report.config.policy == "direct"
    assert (report.dispatch("ip"), report.dispatch("ip6"), report.dispatch("ether")) == (
        "hybrid",
        "hybrid",
        "direct",
    )


def test_one_thread_takes_all_and_drops_most() -> None:
    report = parse(freebsd("netstat-Q-one-thread")).value
    assert (report.config.threads, report.config.max_threads, report.config.bound) == (1, 1, False)
    assert {row.workstream for row in report.rows} == {0}
    ip = report.rows[0]
    assert (ip.watermark, ip.queue_drops, ip.queued, ip.handled) == (256, 181_000_251, 8_681_900, 8_685_500)
    assert report.rows[1].dispatched == 47_000_060


def test_columns_that_were_cut_out_are_unknown() -> None:
    rows = parse(freebsd("netstat-Q-cut-columns")).value.rows
    assert [
        (row.workstream, row.cpu, row.hybrid_dispatched, row.queue_drops, row.handled) for row in rows
    ] == [(n, n, 7_800_000 + n, n, 7_800_000 + n) for n in range(4)]
    assert {(row.length, row.dispatched, row.queued) for row in rows} == {(None, None, None)}


def test_a_row_whose_numbers_are_none_is_said() -> None:
    for row in ("ip  x  256  cpu hybrid C--", "ip  1  x  cpu hybrid C--"):
        parsed = parse(f"Name Proto QLimit Policy Dispatch Flags\n{row}\n")
        assert parsed.value.protocols == () and "not a protocol row" in parsed.skipped[0]
    for row in ("x 0 ip 1", "0 x ip 1", "0 0 ip", "0 0 ip 1 2", "ip 1"):
        parsed = parse(f"WSID CPU Name Len\n{row}\n")
        assert parsed.value.rows == () and "not a workstream row" in parsed.skipped[0]


# the same in real results


def real_the_default_policy_is_hybrid_here(captures: Path) -> None:
    report = parse((captures / "freebsd/netstat-Q-config-block-hybrid.txt").read_text()).value
    assert report.config == NetisrConfig(8, 8, 256, 10240, "hybrid", True)


def real_rss_makes_ip_hybrid_while_the_policy_says_direct(captures: Path) -> None:
    report = parse((captures / "freebsd/netstat-Q-hybrid-QDrops-EDITED.txt").read_text()).value
    assert report.config.policy == "direct"
    assert (report.dispatch("ip"), report.dispatch("ip6"), report.dispatch("ether")) == (
        "hybrid",
        "hybrid",
        "direct",
    )


def real_one_thread_takes_all_and_drops_most(captures: Path) -> None:
    report = parse((captures / "freebsd/netstat-Q-hybrid-QDrops-EDITED.txt").read_text()).value
    assert (report.config.threads, report.config.max_threads, report.config.bound) == (1, 1, False)
    assert {row.workstream for row in report.rows} == {0}
    ip = report.rows[0]
    assert (ip.watermark, ip.queue_drops, ip.queued, ip.handled) == (256, 181210251, 8681903, 8685554)
    assert report.rows[1].dispatched == 47512660


def real_columns_that_were_cut_out_are_unknown(captures: Path) -> None:
    rows = parse((captures / "freebsd/netstat-Q-4workstreams-EDITED.txt").read_text()).value.rows
    assert [
        (row.workstream, row.cpu, row.hybrid_dispatched, row.queue_drops, row.handled) for row in rows
    ] == [
        (0, 0, 7847143, 0, 7847143),
        (1, 1, 7911149, 0, 7911149),
        (2, 2, 7875880, 0, 7875880),
        (3, 3, 7803516, 0, 7803516),
    ]
    assert {(row.length, row.dispatched, row.queued) for row in rows} == {(None, None, None)}


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_the_default_policy_is_hybrid_here,
        real_rss_makes_ip_hybrid_while_the_policy_says_direct,
        real_one_thread_takes_all_and_drops_most,
        real_columns_that_were_cut_out_are_unknown,
    )
