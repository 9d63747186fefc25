"""`ip -j -s link`."""

from pathlib import Path

from fwdtui.core.counters import InterfaceCounters
from fwdtui.core.parse.ip_link import Link, parse_ip_link


def test_counters_and_settings_of_each_link(captures: Path) -> None:
    parsed = parse_ip_link((captures / "linux/ip-s-s-j-link-veth.txt").read_text())
    assert parsed.skipped == ()
    assert list(parsed.value) == ["lo", "vethA"]
    assert parsed.value["vethA"] == Link(
        "vethA",
        2,
        InterfaceCounters("vethA", 23, 1948, 0, 0, 3012384, 180743188, 0, 0, rx_missed=0),
        mtu=1500,
        state="UP",
        address="ba:b3:0f:57:6a:95",
        qdisc="noqueue",
    )


def test_a_single_s_does_not_tell_missed_frames(captures: Path) -> None:
    parsed = parse_ip_link((captures / "linux/ip-s-j-link-veth.txt").read_text())
    assert parsed.value["vethA"].counters.rx_missed is None
    assert parsed.value["vethA"].counters.tx_packets == 3012384


def test_without_s_there_are_no_counters_rather_than_zeros(captures: Path) -> None:
    parsed = parse_ip_link((captures / "linux/ip-j-d-link-veth.txt").read_text())
    assert parsed.value["vethA"].counters == InterfaceCounters("vethA")
    assert parsed.value["vethA"].kind == "veth"


def test_text_instead_of_json_gives_nothing_and_is_said(captures: Path) -> None:
    parsed = parse_ip_link((captures / "linux/ip-s-s-link-veth.txt").read_text())
    assert parsed.value == {}
    assert parsed.skipped[0].startswith("not JSON")


def test_the_empty_objects_of_a_filter_are_no_links() -> None:
    parsed = parse_ip_link('[{},{"ifname":"eth0","ifindex":2},{},{"ifname":"eth0"},{"ifname":"a b"}]')
    assert list(parsed.value) == ["eth0"]
    assert len(parsed.skipped) == 2


def test_an_escaped_control_character_does_not_come_through() -> None:
    parsed = parse_ip_link(
        '[{"ifname":"eth0\\u001b[31m\\u0000","operstate":"\\u202eUP","stats64":{"rx":{"packets":-1}}}]'
    )
    (link,) = parsed.value.values()
    assert (link.name, link.state, link.counters.rx_packets) == ("eth0[31m", "UP", None)
    assert len(parsed.skipped) == 1
