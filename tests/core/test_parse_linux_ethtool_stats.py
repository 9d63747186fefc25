"""`ethtool -S` of many drivers: queues, drops by stage, and what is not there."""

from pathlib import Path

import pytest
from fixtures import Agree, cases, linux

from fwdtui.core.counters import QueueCounters, StageCounter
from fwdtui.core.parse.ethtool_names import DEVICE, OFFERED
from fwdtui.core.parse.ethtool_stats import EthtoolStats, offered, parse_ethtool_stats


def stats(captures: Path, name: str) -> EthtoolStats:
    parsed = parse_ethtool_stats((captures / "linux" / f"ethtool-S-{name}.txt").read_text(), "eth0")
    assert parsed.skipped == ()
    return parsed.value


def queue(found: EthtoolStats, direction: str, index: int) -> QueueCounters:
    return next(item for item in found.queues if (item.direction, item.index) == (direction, index))


def device(found: EthtoolStats) -> dict[str, int]:
    return {item.name: item.value for item in found.stages}


def ours(driver: str) -> EthtoolStats:
    parsed = parse_ethtool_stats(linux(f"ethtool-S-{driver}"), "eth0")
    assert parsed.skipped == ()
    return parsed.value


def test_enetc_counts_what_it_discards_of_more_rings_than_it_has() -> None:
    """enetc_si_counters of enetc_ethtool.c lists 16; enetc_get_stats() has none of what they discard."""
    discarded = "".join(f"     Rx ring {n:2d} discarded frames: {n + 3}\n" for n in range(16))
    rings = "".join(f"     {way} ring {n:2d} frames: {n + 50}\n" for way in ("Tx", "Rx") for n in range(2))
    text = f"NIC statistics:\n{discarded}{rings}     Rx ring  0 alloc errors: 0\n"
    found = parse_ethtool_stats(text, "eno0").value
    assert [(one.direction, one.index, one.packets, one.drops) for one in found.queues] == [
        ("rx", 0, 50, 3),
        ("rx", 1, 51, 4),
        ("tx", 0, 50, None),
        ("tx", 1, 51, None),
    ]


@pytest.mark.parametrize(
    ("driver", "direction", "index", "packets", "size", "drops"),
    [
        ("ixgbe", "tx", 1, 22, 23, None),
        ("ixgbe", "rx", 0, 30, 31, None),
        ("igb", "tx", 1, 130, 140, None),
        ("igb", "rx", 1, 230, 240, 250),
        ("ice", "rx", 1, 402, 403, None),
        ("i40e-2", "rx", 10, 602, 603, None),
        ("i40e", "tx", 9, 702, 703, None),
        ("iavf", "rx", 1, 952, 953, None),
        ("mlx5_core", "rx", 1, 43, 44, None),
        ("mlx5_core", "tx", 1, 63, 64, 65),
        ("mlx4_en", "rx", 2, 74, 75, None),
        ("ena", "tx", 3, 84, 85, None),
        ("ena", "rx", 0, 82, 83, None),
        ("virtio_net-old", "rx", 1, 113, 114, 115),
        ("veth-napi", "rx", 0, 180, 10800, 0),
        ("be2net", "rx", 1, 125, 124, 126 + 127),
        ("be2net", "tx", 0, 141, 140, 142),
        ("bnxt_en", "rx", 1, 1700 + 1800 + 1900, 2100 + 2200 + 2300, 2000),
        ("bnx2x", "rx", 2, 16 + 17 + 18, 15, 19),
        ("vmxnet3", "tx", 0, 50 + 6 + 1, 5000 + 600 + 100, 2 + 3),
        ("vmxnet3", "rx", 0, 57 + 13 + 8, 5007 + 607 + 107, 4 + 1),
        # of the VM lab's guest: 1000 packets of 60 bytes, and a few of the lab's own
        ("vm-virtio", "rx", 0, 482, 29070, 0),
        ("vm-virtio", "rx", 1, 525, 31520, 0),
        ("vm-virtio-out", "tx", 1, 526, 31720, None),
        ("vm-vmxnet3", "rx", 0, 1002, 60140, 0),
        ("vm-vmxnet3-out", "tx", 0, 1002 + 2, 60140 + 260, 0),
    ],
)
def test_each_driver_s_queues_are_found(
    driver: str, direction: str, index: int, packets: int, size: int, drops: int | None
) -> None:
    found = queue(ours(driver), direction, index)
    assert (found.interface, found.packets, found.bytes, found.drops) == ("eth0", packets, size, drops)


def test_e1000e_counts_the_check_sequence_on_input_and_not_on_output() -> None:
    """1000 frames of 60 bytes and two of 74, then as many out and two of 130: recorded in the VM lab."""
    arrived, left = ours("vm-e1000e").raw, ours("vm-e1000e-out").raw
    assert (arrived["rx_packets"], arrived["rx_bytes"]) == (1002, 1000 * 64 + 2 * 74)
    assert (left["tx_packets"], left["tx_bytes"]) == (1004, 1000 * 60 + 2 * 70 + 2 * 130)
    assert ours("vm-e1000e").queues == ()


@pytest.mark.parametrize(
    ("driver", "queues"), [("ixgbe", 4), ("i40e", 6), ("e1000e", 0), ("tg3", 0), ("sfc", 0), ("r8169", 0)]
)
def test_every_counter_is_kept_by_its_own_name(driver: str, queues: int) -> None:
    lines = [line for line in linux(f"ethtool-S-{driver}").splitlines() if not line.startswith("NIC")]
    found = ours(driver)
    assert (len(found.queues), len(found.raw)) == (queues, len(lines))
    assert all(
        line.strip() == f"{name}: {value}"
        for line, (name, value) in zip(lines, found.raw.items(), strict=True)
    )


def test_the_loss_of_ixgbe_is_in_rx_no_dma_resources() -> None:
    found = ours("ixgbe")
    assert [
        item for item in found.stages if item.direction == "rx" and item.kind == "drops" and item.value
    ] == [
        StageCounter("eth0", "rx", "mac", "drops", "rx_missed_errors", 45),
        StageCounter("eth0", "rx", "rx-ring", "drops", "rx_no_dma_resources", 900_005),
    ]
    assert found.raw["rx_packets"] == 12
    assert found.raw["VF 0 Tx Packets"] == 17, "a name may hold spaces"


def test_mlx5_counts_more_packets_at_the_port_than_it_delivers() -> None:
    found = ours("mlx5_core")
    assert found.raw["rx_packets"] == 1000
    assert device(found)["rx_packets_phy"] == 1075
    assert device(found)["rx_out_of_buffer"] == 60


def test_discards_by_priority_do_not_count_twice() -> None:
    found = ours("mlx5_core")
    assert [item.name for item in found.stages if "prio" in item.name] == []
    assert (device(found)["rx_discards_phy"], device(found)["rx_steer_missed_packets"]) == (8, 7)


def test_ice_counts_the_same_name_again_with_a_suffix() -> None:
    found = ours("ice")
    assert (found.raw["rx_multicast"], device(found)["rx_multicast.nic"]) == (4, 20)
    assert (device(found)["rx_dropped"], device(found)["rx_dropped.nic"]) == (2, 77)


def test_i40e_drops_for_want_of_descriptors() -> None:
    assert device(ours("i40e-2"))["rx_dropped"] == 31


def test_ena_limits_may_bite_without_any_drop_counter() -> None:
    found = ours("ena")
    assert device(found) == {"bw_in_allowance_exceeded": 12, "pps_allowance_exceeded": 5}
    assert {item.kind for item in found.stages} == {"events"}, "held back or dropped: it does not say"


def test_sfc_drops_by_place() -> None:
    stages = {item.name: (item.stage, item.value) for item in ours("sfc").stages}
    assert stages["port_rx_dp_di_dropped_packets"] == ("mac", 2)
    assert stages["port_rx_nodesc_drops"] == ("rx-ring", 11)
    assert stages["rx_noskb_drops"] == ("rx-queue", 1)


def test_busy_and_restart_are_occasions_and_not_packets() -> None:
    kinds = {item.name: item.kind for item in ours("ixgbe").stages}
    assert kinds["tx_busy"] == kinds["tx_restart_queue"] == kinds["rx_no_buffer_count"] == "events"
    assert kinds["rx_missed_errors"] == "drops"


def test_what_the_wire_offered_has_the_dropped_packets_with_it() -> None:
    assert offered(ours("ixgbe").raw) == 7_000_100 + 45
    assert offered(ours("mlx5_core").raw) == 1075
    assert offered(ours("ice").raw) == 1000 + 20 + 3
    assert offered(ours("i40e").raw) == 40 + 5 + 6
    assert offered(ours("sfc").raw) == 250
    assert offered(ours("virtio_net").raw) is None
    assert offered({"rx_pkts_nic": 10}) is None, "half of a sum is not the sum"


def test_virtio_of_today_has_no_packet_counters_rather_than_zero_packets() -> None:
    found = ours("virtio_net")
    assert [(item.direction, item.packets, item.bytes) for item in found.queues] == [
        ("rx", None, None),
        ("tx", None, None),
    ]
    assert queue(found, "rx", 0).drops == 3
    assert queue(found, "rx", 0).extra["kicks"] == 15
    assert queue(found, "tx", 0).drops is None
    assert found.raw["tx_tx_timeouts"] == 0


def test_veth_outside_napi_mode_shows_zeros_that_are_no_counts() -> None:
    found = ours("veth")
    assert len(found.queues) == 4
    assert all(
        (item.packets, item.bytes, item.drops) == (None, None, None)
        for item in found.queues
        if item.direction == "rx"
    )
    assert found.raw["peer_ifindex"] == 2


def test_the_same_name_in_every_queue_of_vmxnet3_belongs_to_its_queue() -> None:
    found = ours("vmxnet3")
    assert queue(found, "tx", 1).extra["ucast pkts tx"] == 51
    assert queue(found, "tx", 0).extra["giant hdr"] == 9
    assert queue(found, "tx", 0).extra["drv dropped tx total/giant hdr"] == 3
    assert found.raw["Rx Queue#: 0/ucast pkts rx"] == 57
    assert found.raw["tx timeout count"] == 0, "below the last queue, but not of it"


def test_a_truncated_queue_has_only_what_was_printed() -> None:
    whole = linux("ethtool-S-ice")
    found = parse_ethtool_stats(whole[: whole.index("rx_queue_1_bytes")], "eth0").value
    last = queue(found, "rx", 1)
    assert (last.packets, last.bytes) == (402, None)


def test_trailing_spaces_and_a_missing_header_do_not_matter() -> None:
    assert all(line.endswith("    ") for line in linux("ethtool-S-mlx4_en").splitlines())
    assert len(ours("mlx4_en").queues) == 3


@pytest.mark.parametrize(("name", "words"), [("lo", "no stats available"), ("absent", "No such device")])
def test_an_error_line_gives_nothing_and_is_said(name: str, words: str) -> None:
    parsed = parse_ethtool_stats(linux(f"ethtool-S-{name}"), "lo")
    assert parsed.value == EthtoolStats()
    assert words in parsed.skipped[0]


def test_queue_numbers_sort_as_numbers() -> None:
    assert [item.index for item in ours("i40e").queues if item.direction == "tx"] == [0, 9, 10]


def test_one_busy_veth_queue_makes_the_zero_of_another_true() -> None:
    text = "peer_ifindex: 2\n" + "".join(
        f"rx_queue_{number}_xdp_packets: {packets}\nrx_queue_{number}_drops: 0\n"
        for number, packets in ((0, 5), (1, 0))
    )
    found = parse_ethtool_stats(text, "eth0").value
    assert [item.packets for item in found.queues] == [5, 0]
    assert [item.drops for item in found.queues] == [0, 0]


def test_a_sum_of_casts_needs_all_of_its_parts() -> None:
    found = parse_ethtool_stats("[0]: rx_ucast_packets: 5\n[0]: rx_mcast_packets: 6\n", "eth0").value
    assert found.queues[0].packets is None


def test_negative_and_other_values_are_no_counters() -> None:
    parsed = parse_ethtool_stats("rx_queue_0_packets: -5\nrx_queue_0_bytes: 1e9\nrx_dropped: n/a\n", "eth0")
    assert parsed.value == EthtoolStats()
    assert len(parsed.skipped) == 3


def test_a_name_with_a_number_in_front_is_not_a_queue_by_itself() -> None:
    assert parse_ethtool_stats("rx64_octets: 5\nrx_64_bytes_phy: 6\n", "eth0").value.queues == ()


def test_the_table_of_device_counters_uses_the_common_words() -> None:
    assert {stage for _, stage, _ in DEVICE.values()} == {"mac", "rx-ring", "rx-queue", "tx-ring"}
    assert {kind for _, _, kind in DEVICE.values()} == {"packets", "drops", "errors", "events"}
    assert all(name in DEVICE for names in OFFERED for name in names)


@pytest.mark.parametrize(("length", "kept"), [(80, 80), (119, 119), (120, 120), (121, 120), (180, 120)])
def test_a_name_has_up_to_120_characters(length: int, kept: int) -> None:
    assert list(parse_ethtool_stats(f"{'a' * length}: 5\n", "eth0").value.raw) == ["a" * kept]


def test_indents_nest_names_only_within_a_queue_and_four_deep() -> None:
    flat = parse_ethtool_stats("NIC statistics:\n  a: 1\n    b: 2\n      c: 3\n", "eth0").value.raw
    assert flat == {"a": 1, "b": 2, "c": 3}
    steps = "".join(f"{'  ' * depth}{name}: {depth}\n" for depth, name in enumerate("abcdef", 1))
    nested = parse_ethtool_stats(f"Tx Queue#: 0\n{steps}", "eth0").value.raw
    assert list(nested) == [
        f"Tx Queue#: 0/{path}" for path in ("a", "a/b", "a/b/c", "a/b/c/d", "a/b/c/e", "a/b/c/f")
    ]


def test_what_ends_with_the_same_indent_is_no_part_of_the_line_above() -> None:
    shown = "Tx Queue#: 0\n  total: 5\n    giant: 3\n  other: 4\nRx Queue#: 0\n  total: 6\nlast: 7\n"
    assert parse_ethtool_stats(shown, "eth0").value.raw == {
        "Tx Queue#: 0/total": 5,
        "Tx Queue#: 0/total/giant": 3,
        "Tx Queue#: 0/other": 4,
        "Rx Queue#: 0/total": 6,
        "last": 7,
    }


def test_the_parts_of_a_sum_are_also_told_one_by_one_and_a_plain_counter_is_not_told_twice() -> None:
    casts = "".join(f"[0]: rx_{kind}_packets: {n}\n" for n, kind in enumerate(("ucast", "mcast", "bcast"), 1))
    found = parse_ethtool_stats(casts, "eth0").value.queues[0]
    assert found.packets == 6
    assert sorted(found.extra.values()) == [1, 2, 3]
    plain = parse_ethtool_stats("rx_queue_0_packets: 5\nrx_queue_0_bytes: 6\n", "eth0").value.queues[0]
    assert (plain.packets, plain.bytes, plain.extra) == (5, 6, {})


# the same in real results


@cases(
    ("name", "direction", "index", "packets", "size", "drops"),
    [
        ("ixgbe-nonzero-netmap79", "rx", 0, 40, 3656, None),
        ("igb-insights", "tx", 1, 935473, 181899495, None),
        ("igb-insights", "rx", 0, 912398, 92856542, 0),
        ("ice-ethq-head", "tx", 9, 2032857, 3077738770, None),
        ("ice-ethq-tail", "rx", 127, 0, 0, None),
        ("i40e-ethq", "tx", 0, 27274035294, 4256212322334, None),
        ("i40e-ethq", "rx", 9, 13144345355, 1028093096771, None),
        ("i40e-v2.3.2k-ethq", "rx", 8, 36079924566, 2805059288404, None),
        ("iavf-ethq", "tx", 14, 69040, 6765832, None),
        ("mlx5_core-ethq-part2", "rx", 0, 53947906, 146815482364, None),
        ("mlx5_core-ethq-tx0", "tx", 1, 88553947, 279717042611, 0),
        ("mlx4_en-ethq21", "rx", 5, 17373290830, 2261358567251, None),
        ("ena-ethq", "rx", 0, 9300271, 64430725908, None),
        ("ena-ethq", "tx", 3, 4647398, 537327783, None),
        ("virtio_net-ethq", "rx", 1, 10401806, 4819127125, None),
        ("veth-after-xdp-trafficgen", "rx", 0, 17728640, 1099175680, 0),
        ("be2net-ethq", "rx", 1, 6697989, 2882162456, 0),
        ("bnxt_en-ethq-head", "rx", 0, 10326938311, 8935296709791, 11763190),
        ("bnxt_en-ethq-head", "tx", 1, 2944476622, 1537274134211, 0),
        ("bnx2x-ethq", "rx", 2, 201407945, 212140089057, 0),
        ("vmxnet3-ethq", "rx", 0, 232295, 124008205, 0),
        ("vmxnet3-ethq", "tx", 0, 54162, 9338077, 0),
    ],
)
def real_each_driver_s_queues_are_found(
    captures: Path, name: str, direction: str, index: int, packets: int, size: int, drops: int | None
) -> None:
    found = queue(stats(captures, name), direction, index)
    assert (found.interface, found.packets, found.bytes, found.drops) == ("eth0", packets, size, drops)


@cases(
    ("name", "queues", "raw"),
    [
        ("ixgbe-x540-ethq1-head", 0, 37),
        ("igb-insights", 8, 79),
        ("i40e-ethq", 21, 60),
        ("iavf-ethq", 32, 76),
        ("ena-ethq", 7, 80),
        ("e1000e-ethq", 0, 53),
        ("tg3-ethq", 0, 60),
        ("sfc-ethq", 0, 59),
        ("r8169-ethq", 0, 13),
        ("vmxnet3-ethq", 4, 67),
        ("mlx5_core-ethq-part1", 0, 80),
    ],
)
def real_every_counter_is_kept_by_its_own_name(captures: Path, name: str, queues: int, raw: int) -> None:
    found = stats(captures, name)
    assert (len(found.queues), len(found.raw)) == (queues, raw)


def real_the_loss_of_ixgbe_is_in_rx_no_dma_resources(captures: Path) -> None:
    found = stats(captures, "ixgbe-nonzero-netmap79")
    assert [item for item in found.stages if item.direction == "rx"] == [
        StageCounter("eth0", "rx", "mac", "packets", "rx_pkts_nic", 1658520803),
        StageCounter("eth0", "rx", "rx-ring", "drops", "rx_no_dma_resources", 529324299),
    ]
    assert found.raw["rx_packets"] == 40
    assert found.raw["VF 0 Tx Packets"] == 1, "a name may hold spaces"


def real_mlx5_counts_more_packets_at_the_port_than_it_delivers(captures: Path) -> None:
    found = stats(captures, "mlx5_core-ethq-part1")
    assert found.raw["rx_packets"] == 845320277
    assert device(found)["rx_packets_phy"] == 845715962
    assert device(found)["rx_out_of_buffer"] == 0


def real_discards_by_priority_do_not_count_twice(captures: Path) -> None:
    found = stats(captures, "mlx5-grep-cx4lx")
    assert [item.name for item in found.stages if "prio" in item.name] == []
    assert device(found)["rx_steer_missed_packets"] == 24627
    assert found.queues == ()


def real_ice_counts_the_same_name_again_with_a_suffix(captures: Path) -> None:
    tail = stats(captures, "ice-ethq-tail")
    assert device(tail)["rx_multicast.nic"] == 197
    assert stats(captures, "ice-ethq-head").raw["rx_multicast"] == 4


def real_i40e_drops_for_want_of_descriptors(captures: Path) -> None:
    assert device(stats(captures, "i40e-v2.3.2k-ethq"))["rx_dropped"] == 179160


def real_ena_limits_may_bite_without_any_drop_counter(captures: Path) -> None:
    found = stats(captures, "ena-grep-allowance")
    assert device(found) == {
        "bw_in_allowance_exceeded": 481,
        "bw_out_allowance_exceeded": 0,
        "pps_allowance_exceeded": 105,
        "conntrack_allowance_exceeded": 0,
    }
    assert {item.kind for item in found.stages} == {"events"}, "held back or dropped: it does not say"


def real_sfc_drops_by_place(captures: Path) -> None:
    found = stats(captures, "sfc-ethq")
    assert device(found)["port_rx_dp_di_dropped_packets"] == 27
    assert [item.stage for item in found.stages if item.name == "port_rx_nodesc_drops"] == ["rx-ring"]


def real_busy_and_restart_are_occasions_and_not_packets(captures: Path) -> None:
    kinds = {item.name: item.kind for item in stats(captures, "ixgbe-x540-ethq1-head").stages}
    assert kinds["tx_busy"] == kinds["tx_restart_queue"] == kinds["rx_no_buffer_count"] == "events"
    assert kinds["rx_missed_errors"] == "drops"


def real_what_the_wire_offered_has_the_dropped_packets_with_it(captures: Path) -> None:
    assert offered(stats(captures, "ixgbe-x540-ethq1-head").raw) == 22054047
    assert offered(stats(captures, "mlx5_core-ethq-part1").raw) == 845715962
    assert offered(stats(captures, "ice-ethq-tail").raw) == 12117448 + 197
    assert offered(stats(captures, "sfc-ethq").raw) == 1653
    assert offered(stats(captures, "virtio_net").raw) is None
    assert offered({"rx_pkts_nic": 10, "rx_missed_errors": 3}) == 13
    assert offered({"rx_pkts_nic": 10}) is None, "half of a sum is not the sum"


def real_virtio_of_today_has_no_packet_counters_rather_than_zero_packets(captures: Path) -> None:
    found = stats(captures, "virtio_net")
    assert [(item.direction, item.packets, item.bytes) for item in found.queues] == [
        ("rx", None, None),
        ("tx", None, None),
    ]
    assert queue(found, "rx", 0).drops == 0
    assert queue(found, "rx", 0).extra["kicks"] == 1561
    assert queue(found, "tx", 0).drops is None
    assert found.raw["tx_tx_timeouts"] == 0


def real_veth_outside_napi_mode_shows_zeros_that_are_no_counts(captures: Path) -> None:
    found = stats(captures, "veth")
    assert len(found.queues) == 4
    assert all(
        (item.packets, item.bytes, item.drops) == (None, None, None)
        for item in found.queues
        if item.direction == "rx"
    )
    assert found.raw["peer_ifindex"] == 2


def real_the_same_name_in_every_queue_of_vmxnet3_belongs_to_its_queue(captures: Path) -> None:
    found = stats(captures, "vmxnet3-ethq")
    assert queue(found, "tx", 1).extra["ucast pkts tx"] == 64809
    assert queue(found, "tx", 0).extra["giant hdr"] == 0
    assert queue(found, "tx", 0).extra["drv dropped tx total/giant hdr"] == 0
    assert found.raw["Rx Queue#: 1/ucast pkts rx"] == 143523
    assert found.raw["tx timeout count"] == 0, "below the last queue, but not of it"


def real_a_truncated_queue_has_only_what_was_printed(captures: Path) -> None:
    last = queue(stats(captures, "ice-ethq-head"), "tx", 11)
    assert (last.packets, last.bytes) == (0, None)


def real_trailing_spaces_and_a_missing_header_do_not_matter(captures: Path) -> None:
    text = (captures / "linux/ethtool-S-mlx4_en-ethq21.txt").read_text()
    assert any(line.endswith("    ") for line in text.split("\n"))
    assert len(stats(captures, "mlx4_en-ethq21").queues) == 12


@cases(("name", "words"), [("lo-nostats", "no stats available"), ("nosuchdev", "No such device")])
def real_an_error_line_gives_nothing_and_is_said(captures: Path, name: str, words: str) -> None:
    parsed = parse_ethtool_stats((captures / "linux" / f"ethtool-S-{name}.txt").read_text(), "lo")
    assert parsed.value == EthtoolStats()
    assert words in parsed.skipped[0]


def real_queue_numbers_sort_as_numbers(captures: Path) -> None:
    indices = [item.index for item in stats(captures, "i40e-ethq").queues if item.direction == "tx"]
    assert indices == list(range(11))


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_each_driver_s_queues_are_found,
        real_every_counter_is_kept_by_its_own_name,
        real_the_loss_of_ixgbe_is_in_rx_no_dma_resources,
        real_mlx5_counts_more_packets_at_the_port_than_it_delivers,
        real_discards_by_priority_do_not_count_twice,
        real_ice_counts_the_same_name_again_with_a_suffix,
        real_i40e_drops_for_want_of_descriptors,
        real_ena_limits_may_bite_without_any_drop_counter,
        real_sfc_drops_by_place,
        real_busy_and_restart_are_occasions_and_not_packets,
        real_what_the_wire_offered_has_the_dropped_packets_with_it,
        real_virtio_of_today_has_no_packet_counters_rather_than_zero_packets,
        real_veth_outside_napi_mode_shows_zeros_that_are_no_counts,
        real_the_same_name_in_every_queue_of_vmxnet3_belongs_to_its_queue,
        real_a_truncated_queue_has_only_what_was_printed,
        real_trailing_spaces_and_a_missing_header_do_not_matter,
        real_an_error_line_gives_nothing_and_is_said,
        real_queue_numbers_sort_as_numbers,
    )
