"""ethtool -i, -g, -l, -k and without options."""

from pathlib import Path

import pytest
from fixtures import Agree, cases, linux

from fwdtui.core.parse.ethtool_info import (
    Channels,
    DriverInfo,
    LinkSettings,
    Offload,
    RingSizes,
    parse_channels,
    parse_driver_info,
    parse_link_settings,
    parse_offloads,
    parse_ring_sizes,
)
from fwdtui.core.parse.fields import Parsed


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ixgbe", DriverInfo("ixgbe", "6.1.0", "0x800008f1", "0000:41:00.1")),
        ("ena", DriverInfo("ena", "6.1.0", None, "0000:00:05.0")),
        ("veth", DriverInfo("veth", "1.0", None, None)),
        ("vm-virtio", DriverInfo("virtio_net", "1.0.0", None, "0000:00:02.0")),
        ("vm-vmxnet3", DriverInfo("vmxnet3", "1.7.0.0-k-NAPI", None, "0000:00:02.0")),
    ],
)
def test_a_field_without_a_value_is_missing(name: str, expected: DriverInfo) -> None:
    parsed = parse_driver_info(linux(f"ethtool-i-{name}"))
    assert parsed.value == expected
    assert parsed.skipped == ()


def test_ring_sizes_in_use_and_possible() -> None:
    parsed = parse_ring_sizes(linux("ethtool-g-ixgbe"))
    assert parsed.value == RingSizes(rx=2048, tx=1024, rx_max=8192, tx_max=8160)
    assert parsed.skipped == (), "n/a and on/off rows are no numbers and no mistakes"


def test_sizes_and_channels_of_the_vm_lab_s_cards() -> None:
    assert parse_ring_sizes(linux("ethtool-g-vm-virtio")).value == RingSizes(256, 256, 256, 256)
    assert parse_ring_sizes(linux("ethtool-g-vm-e1000e")).value == RingSizes(256, 256, 4096, 4096)
    vmxnet3 = parse_channels(linux("ethtool-l-vm-vmxnet3")).value
    assert (vmxnet3.combined, vmxnet3.combined_max, vmxnet3.other) == (2, 2, 1)
    none = parse_channels(linux("ethtool-l-vm-e1000e"))
    assert none.value == Channels()
    assert "Operation not supported" in none.skipped[0]


def test_a_device_without_rings_says_so() -> None:
    parsed = parse_ring_sizes(linux("ethtool-g-veth"))
    assert parsed.value == RingSizes()
    assert "Operation not supported" in parsed.skipped[0]


def test_channels_repeat_each_name_and_n_a_is_missing() -> None:
    assert parse_channels(linux("ethtool-l-i40e")).value == Channels(0, 0, 1, 12, 0, 0, 1, 48)
    assert parse_channels(linux("ethtool-l-veth")).value == Channels(2, 2, None, None, 2, 2, None, None)


def test_offloads_know_what_is_fixed_and_what_was_asked_for() -> None:
    bond = parse_offloads(linux("ethtool-k-bond0"))
    assert bond.skipped == ()
    assert bond.value["rx-checksumming"] == Offload(active=False, fixed=True)
    assert bond.value["generic-segmentation-offload"] == Offload(active=False, requested=True)
    assert bond.value["tx-checksum-unneeded"] == Offload(active=True, fixed=True)
    assert bond.value["large-receive-offload"].active


def test_offloads_as_text_and_as_json_are_the_same() -> None:
    text, document = parse_offloads(linux("ethtool-k-veth")), parse_offloads(linux("ethtool-json-k-veth"))
    assert text.skipped == document.skipped == ()
    assert len(text.value) == linux("ethtool-k-veth").count("\n") - 1, "a header, and a feature a line"
    assert {name: (one.active, one.fixed) for name, one in text.value.items() if one.fixed is not None} == {
        name: (document.value[name].active, document.value[name].fixed)
        for name, one in text.value.items()
        if one.fixed is not None
    }


def test_a_truncated_json_document_gives_nothing_and_is_said() -> None:
    parsed = parse_offloads(linux("ethtool-json-k-veth")[:300])
    assert parsed.value == {}
    assert parsed.skipped[0].startswith("not JSON")


def test_an_ethtool_that_does_not_know_json_prints_its_usage() -> None:
    parsed = parse_ring_sizes(linux("ethtool-json-S-veth"))
    assert parsed.value == RingSizes()
    assert "bad command line" in parsed.skipped[0]


def test_link_settings_of_a_veth() -> None:
    parsed = parse_link_settings(linux("ethtool-veth"))
    assert parsed.value == LinkSettings(10_000_000_000, "full", False, True)
    assert parsed.skipped == ()


def test_an_unknown_speed_is_missing() -> None:
    unknown = linux("ethtool-veth").replace("10000Mb/s", "Unknown!").replace("Full", "Unknown! (255)")
    parsed = parse_link_settings(unknown)
    assert parsed.value == LinkSettings(speed=None, duplex=None, autonegotiation=False, link=True)
    assert parsed.skipped == ()


def test_offloads_as_json_are_the_same_where_the_document_is_whole() -> None:
    text = (
        '[{"ifname":"eth0","rx-checksumming":{"active":true,"fixed":true,"requested":false},'
        '"scatter-gather":{"active":false,"fixed":false,"requested":true},"x":{"active":null}}]'
    )
    parsed = parse_offloads(text)
    assert parsed.value == {
        "rx-checksumming": Offload(active=True, fixed=True),
        "scatter-gather": Offload(active=False, requested=True),
    }
    assert len(parsed.skipped) == 1


def test_speed_is_in_bits_per_second() -> None:
    text = (
        "Settings for eth0:\n\tSupported link modes:   1000baseT/Full\n\t                        "
        "10000baseT/Full\n\tSpeed: 10000Mb/s\n\tDuplex: Full\n\tAuto-negotiation: on\n\tLink detected: no\n"
    )
    parsed = parse_link_settings(text)
    assert parsed.value == LinkSettings(10_000_000_000, "full", True, False)
    assert parsed.skipped == ()


@pytest.mark.parametrize("read", [parse_driver_info, parse_offloads, parse_link_settings])
def test_an_error_of_the_tool_is_said(read) -> None:
    parsed = read("netlink error: Operation not supported\n")
    assert parsed.value in (DriverInfo(), {}, LinkSettings()) and "netlink error" in parsed.skipped[0]


def test_a_line_before_the_first_section_is_said_unless_it_is_a_title() -> None:
    title = "Ring parameters for eth0:\n"
    sizes = "Pre-set maximums:\nRX: 4096\nCurrent hardware settings:\nRX: 512\n"
    assert parse_ring_sizes(title + sizes) == Parsed(RingSizes(rx=512, rx_max=4096))
    for odd in ("odd\n", "odd: 5\n"):
        parsed = parse_ring_sizes(odd + title + sizes)
        assert parsed.value == RingSizes(rx=512, rx_max=4096) and "odd" in parsed.skipped[0]


def test_modes_over_several_lines_are_no_settings() -> None:
    text = (
        "Settings for eth0:\n\tSupported link modes:   100baseT/Full\n"
        "\t                        1000baseT/Full\n"
        "\tSpeed: 1000Mb/s\n\tLink detected: yes\n"
    )
    assert parse_link_settings(text) == Parsed(LinkSettings(speed=10**9, link=True))


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ('{"active": true, "fixed": false, "requested": true}', Offload(True)),
        ('{"active": true, "fixed": false, "requested": false}', Offload(True, requested=False)),
        ('{"active": false, "fixed": true, "requested": true}', Offload(False, fixed=True)),
        ('{"active": false}', Offload(False)),
    ],
)
def test_what_was_asked_for_is_told_where_it_could_be_had_and_was_not(shown, expected) -> None:
    if '"requested"' not in shown:
        shown = shown.replace("}", ', "requested": false}')
    assert parse_offloads(f'[{{"ifname": "eth0", "lro": {shown}}}]') == Parsed({"lro": expected})


# the same in real results


@cases(
    ("name", "expected"),
    [
        ("ixgbe-x540-ethq1", DriverInfo("ixgbe", "5.1.0-k", "0x80000389", "0000:03:00.0")),
        ("mlx4_en-ethq21", DriverInfo("mlx4_en", "4.0-0", "2.42.5000", "0000:83:00.0")),
        ("ena-5.19-amzn268", DriverInfo("ena", "5.19.0-1022-aws", None, "0000:00:03.0")),
        ("veth", DriverInfo("veth", "1.0", None, None)),
        ("virtio_net", DriverInfo("virtio_net", "1.0.0", None, "0000:00:03.0")),
    ],
)
def real_a_field_without_a_value_is_missing(captures: Path, name: str, expected: DriverInfo) -> None:
    parsed = parse_driver_info((captures / "linux" / f"ethtool-i-{name}.txt").read_text())
    assert parsed.value == expected
    assert parsed.skipped == ()


def real_ring_sizes_in_use_and_possible(captures: Path) -> None:
    parsed = parse_ring_sizes((captures / "linux/ethtool-g-extended-insights.txt").read_text())
    assert parsed.value == RingSizes(rx=1024, tx=512, rx_max=4096, tx_max=4096)
    assert parsed.skipped == (), "n/a and on/off rows are no numbers and no mistakes"
    virtio = parse_ring_sizes((captures / "linux/ethtool-g-virtio_net.txt").read_text())
    assert virtio.value == RingSizes(256, 256, 256, 256)


def real_a_device_without_rings_says_so(captures: Path) -> None:
    parsed = parse_ring_sizes((captures / "linux/ethtool-g-veth-unsupported.txt").read_text())
    assert parsed.value == RingSizes()
    assert "Operation not supported" in parsed.skipped[0]


def real_channels_repeat_each_name_and_n_a_is_missing(captures: Path) -> None:
    i40e = parse_channels((captures / "linux/ethtool-l-i40e-64.txt").read_text())
    assert i40e.value == Channels(0, 0, 1, 64, 0, 0, 1, 64)
    veth = parse_channels((captures / "linux/ethtool-l-veth.txt").read_text())
    assert veth.value == Channels(2, 2, None, None, 2, 2, None, None)
    virtio = parse_channels((captures / "linux/ethtool-l-virtio_net.txt").read_text())
    assert virtio.value == Channels(combined=1, combined_max=1)


def real_offloads_know_what_is_fixed_and_what_was_asked_for(captures: Path) -> None:
    bond = parse_offloads((captures / "linux/ethtool-k-bond0-insights.txt").read_text())
    assert bond.skipped == ()
    assert bond.value["rx-checksumming"] == Offload(active=False, fixed=True)
    assert bond.value["generic-segmentation-offload"] == Offload(active=False, requested=True)
    assert bond.value["tx-tcp-segmentation"] == Offload(active=True, fixed=True)
    veth = parse_offloads((captures / "linux/ethtool-k-veth.txt").read_text())
    assert len(veth.value) == 63
    assert veth.value["generic-receive-offload"] == Offload(active=False)
    assert veth.value["tx-tcp-mangleid-segmentation"] == Offload(active=True)


def real_a_truncated_json_document_gives_nothing_and_is_said(captures: Path) -> None:
    parsed = parse_offloads((captures / "linux/ethtool-json-k-virtio_net.txt").read_text())
    assert parsed.value == {}
    assert parsed.skipped[0].startswith("not JSON")


def real_an_ethtool_that_does_not_know_json_prints_its_usage(captures: Path) -> None:
    for name in ("ethtool-json-S-veth.txt", "ethtool-json-g-virtio_net.txt"):
        parsed = parse_ring_sizes((captures / "linux" / name).read_text())
        assert parsed.value == RingSizes()
        assert "bad command line" in parsed.skipped[0]


def real_an_unknown_speed_is_missing(captures: Path) -> None:
    parsed = parse_link_settings((captures / "linux/ethtool-virtio_net.txt").read_text())
    assert parsed.value == LinkSettings(speed=None, duplex=None, autonegotiation=False, link=True)
    assert parsed.skipped == ()


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_a_field_without_a_value_is_missing,
        real_ring_sizes_in_use_and_possible,
        real_a_device_without_rings_says_so,
        real_channels_repeat_each_name_and_n_a_is_missing,
        real_offloads_know_what_is_fixed_and_what_was_asked_for,
        real_a_truncated_json_document_gives_nothing_and_is_said,
        real_an_ethtool_that_does_not_know_json_prints_its_usage,
        real_an_unknown_speed_is_missing,
    )
