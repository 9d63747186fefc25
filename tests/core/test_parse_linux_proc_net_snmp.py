"""/proc/net/snmp and snmp6."""

from pathlib import Path

import pytest
from fixtures import Agree, linux

from fwdtui.core.parse.proc_net_snmp import (
    IpCounters,
    ip_counters,
    parse_proc_net_snmp,
    parse_proc_net_snmp6,
)


def test_values_stand_under_the_names_of_the_line_before() -> None:
    """Four pings through a router that is asked for nothing itself."""
    parsed = parse_proc_net_snmp(linux("proc_net_snmp-6.18"))
    assert parsed.skipped == ()
    assert (
        parsed.value["IpInReceives"],
        parsed.value["IpForwDatagrams"],
        parsed.value["IpOutTransmits"],
    ) == (
        4,
        4,
        4,
    )
    assert parsed.value["UdpNoPorts"] == 0


def test_settings_in_the_same_table_are_no_counters() -> None:
    parsed = parse_proc_net_snmp(linux("proc_net_snmp-6.18"))
    assert "IpForwarding" not in parsed.value
    assert "TcpMaxConn" not in parsed.value, "-1 there means no limit"


def test_the_forwarding_part_of_ipv4() -> None:
    parsed = parse_proc_net_snmp(linux("proc_net_snmp-6.18"))
    assert ip_counters(parsed.value) == IpCounters(
        received=4,
        forwarded=4,
        delivered=0,
        in_header_errors=0,
        in_address_errors=0,
        in_no_routes=None,
        in_discards=0,
        out_discards=0,
        out_no_routes=0,
    )


def test_a_whole_snmp6_is_read() -> None:
    parsed = parse_proc_net_snmp6(linux("proc_net_snmp6-6.18"))
    assert parsed.skipped == ()
    assert parsed.value["Ip6OutForwDatagrams"] == 0


def test_ipv6_calls_forwarded_packets_out_forw_datagrams() -> None:
    parsed = parse_proc_net_snmp6(
        "Ip6InReceives                   \t9\nIp6OutForwDatagrams             \t8\nIp6InNoRoutes   1\n"
    )
    assert parsed.skipped == ()
    found = ip_counters(parsed.value, 6)
    assert (found.received, found.forwarded, found.in_no_routes, found.out_discards) == (9, 8, 1, None)


def test_names_without_values_and_values_of_another_number_are_skipped_with_a_reason() -> None:
    parsed = parse_proc_net_snmp("Ip: InReceives ForwDatagrams\nIp: 5\nUdp: InDatagrams\n")
    assert parsed.value == {}
    assert len(parsed.skipped) == 2
    assert parse_proc_net_snmp("Ip: InReceives InDiscards\nIp: 5 -1\n").value == {"IpInReceives": 5}


def test_this_machine_s_own_files_are_read_completely() -> None:
    if not Path("/proc/net/snmp").exists():
        pytest.skip("not Linux")
    parsed = parse_proc_net_snmp(Path("/proc/net/snmp").read_text())
    assert parsed.skipped == ()
    assert ip_counters(parsed.value).forwarded is not None
    if Path("/proc/net/snmp6").exists():
        assert parse_proc_net_snmp6(Path("/proc/net/snmp6").read_text()).skipped == ()


def test_a_line_of_more_or_less_than_a_name_and_a_value_is_said() -> None:
    parsed = parse_proc_net_snmp6("Ip6InReceives 5\nIp6InDelivers 6 7\nIp6OutRequests\n\n")
    assert parsed.value == {"Ip6InReceives": 5}
    assert [note.split(":")[0] for note in parsed.skipped] == ["line 2", "line 3"]


def test_names_without_values_are_said_with_their_own_line() -> None:
    parsed = parse_proc_net_snmp("Ip: InReceives\nUdp: InErrors\nUdp: 5\n")
    assert parsed.value == {"UdpInErrors": 5}
    assert parsed.skipped[0].startswith("line 1: names without values")


# the same in real results


def real_values_stand_under_the_names_of_the_line_before(captures: Path) -> None:
    parsed = parse_proc_net_snmp((captures / "linux/proc_net_snmp-6.18.txt").read_text())
    assert parsed.skipped == ()
    assert parsed.value["IpInReceives"] == 7296
    assert parsed.value["IcmpOutRateLimitHost"] == 4994
    assert parsed.value["UdpNoPorts"] == 5000
    assert parsed.value["IcmpMsgInType8"] == 2


def real_settings_in_the_same_table_are_no_counters(captures: Path) -> None:
    parsed = parse_proc_net_snmp((captures / "linux/proc_net_snmp-6.18.txt").read_text())
    assert "IpForwarding" not in parsed.value
    assert "TcpMaxConn" not in parsed.value, "-1 there means no limit"


def real_the_forwarding_part_of_ipv4(captures: Path) -> None:
    parsed = parse_proc_net_snmp((captures / "linux/proc_net_snmp-6.18.txt").read_text())
    assert ip_counters(parsed.value) == IpCounters(
        received=7296,
        forwarded=0,
        delivered=7296,
        in_header_errors=0,
        in_address_errors=0,
        in_no_routes=None,
        in_discards=0,
        out_discards=0,
        out_no_routes=0,
    )


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_values_stand_under_the_names_of_the_line_before,
        real_settings_in_the_same_table_are_no_counters,
        real_the_forwarding_part_of_ipv4,
    )
