"""/proc/interrupts: counts by CPU, and which queue an interrupt belongs to."""

from pathlib import Path

import pytest
from fixtures import Agree, linux

from fwdtui.core.counters import ANY_CPU, InterruptRow
from fwdtui.core.parse.proc_interrupts import parse_proc_interrupts, queue_of


def rows(captures: Path, name: str, **owners: str) -> dict[str, InterruptRow]:
    text = (captures / "linux" / f"proc_interrupts-{name}.txt").read_text()
    return {item.irq: item for item in parse_proc_interrupts(text, owners).value}


def ours(name: str, **owners: str) -> dict[str, InterruptRow]:
    parsed = parse_proc_interrupts(linux(f"proc_interrupts-{name}"), owners)
    return {item.irq: item for item in parsed.value}


def test_counts_are_mapped_by_the_cpu_header_and_not_by_position() -> None:
    found = ours("cpu-gap")
    assert found["98"].totals == {0: 35, 1: 0, 15: 2_900_001}
    assert (found["98"].interface, found["98"].queue) == ("eth1", 0)
    assert found["106"].queue == 1


def test_a_row_without_text_is_a_row() -> None:
    found = ours("cpu-gap")
    assert found["NMI"].totals == {0: 76, 1: 29, 15: 31}
    assert found["NMI"].label == ""


@pytest.mark.parametrize(
    ("name", "irq"),
    [("cpu-gap", "ERR"), ("arm64-ena", "Err"), ("virtio-6.18", "ERR"), ("virtio-6.18", "MIS")],
)
def test_err_and_mis_have_one_value_for_the_whole_machine(name: str, irq: str) -> None:
    assert ours(name)[irq].totals == {ANY_CPU: 0}


def test_a_count_without_a_space_after_the_colon_is_a_count() -> None:
    found = ours("arm64-ena")
    assert found["IPI0"].totals == {0: 3_000_000_007, 1: 3_100_000_008}
    assert found["IPI0"].label == "Rescheduling interrupts"


def test_a_hardware_number_before_the_trigger_is_no_count() -> None:
    found = ours("arm64-ena")
    assert found["58"].label == "ITS-MSI 90113 Edge eth0-Tx-Rx-0"
    assert found["58"].totals == {0: 7, 1: 1_195_000_000}
    assert (found["58"].interface, found["58"].queue, found["58"].direction) == ("eth0", 0, "rxtx")
    assert found["57"].queue is None


def test_an_irq_that_is_absent_is_absent() -> None:
    assert "27" not in ours("virtio-6.18")


def test_virtio_numbers_are_not_interface_numbers() -> None:
    found = ours("virtio-6.18")
    assert found["38"].label.endswith("virtio2-input.0")
    assert (found["38"].interface, found["38"].queue, found["38"].direction) == (None, 0, "rx")
    known = ours("virtio-6.18", virtio2="eth0")
    assert (known["39"].interface, known["39"].queue, known["39"].direction) == ("eth0", 0, "tx")
    assert known["41"].label.endswith("virtio3-rx")
    assert known["41"].queue is None, "that is a socket device"


def test_interrupts_of_the_vm_lab_s_cards_belong_to_their_queues() -> None:
    virtio = ours("vm-virtio", virtio1="dut0", virtio2="dut1")
    assert (virtio["30"].interface, virtio["30"].queue, virtio["30"].direction) == ("dut0", 1, "rx")
    assert virtio["30"].totals == {0: 1, 1: 398}
    assert (virtio["36"].interface, virtio["36"].queue, virtio["36"].direction) == ("dut1", 1, "tx")
    assert virtio["27"].queue is None  # config
    vmxnet3 = ours("vm-vmxnet3")
    assert (vmxnet3["27"].interface, vmxnet3["27"].queue, vmxnet3["27"].direction) == ("dut0", 0, "rxtx")
    assert vmxnet3["29"].queue is None  # event
    e1000e = ours("vm-e1000e", **{"0000:00:02.0": "dut0"})
    assert (e1000e["27"].interface, e1000e["27"].queue, e1000e["27"].direction) == ("dut0", 0, "rx")
    assert (e1000e["31"].interface, e1000e["31"].queue, e1000e["31"].direction) == ("dut1", 0, "tx")
    assert (e1000e["29"].interface, e1000e["29"].queue) == ("dut0", None)  # the link's


def test_a_bare_interface_name_is_the_link_interrupt_and_no_queue() -> None:
    found = ours("igb")
    assert (found["47"].interface, found["47"].queue) == ("enp2s0", None)
    assert (found["49"].interface, found["49"].queue) == ("enp2s0", 1)
    assert found["48"].totals[0] == 1900


def test_drivers_that_put_their_own_name_first_do_not_change_the_interface() -> None:
    found = ours("i40e")
    assert (found["11"].interface, found["11"].queue) == ("enP1s15", 1)
    assert found["9"].queue is None


def test_a_control_interrupt_that_ends_in_txrx_is_no_queue() -> None:
    found = ours("ice")
    assert found["66"].label.endswith("ctrl-TxRx-0")
    assert found["66"].queue is None
    assert (found["80"].interface, found["80"].queue) == ("lan1", 2)


def test_mlx5_names_the_pci_device_and_two_ports_do_not_mix() -> None:
    owners = {"0000:01:00.0": "enp1s0f0", "0000:01:00.1": "enp1s0f1"}
    found = ours("mlx5", **owners)
    assert (found["99"].interface, found["99"].queue) == ("enp1s0f0", 0)
    assert (found["102"].interface, found["102"].queue) == ("enp1s0f1", 0)
    assert found["117"].queue == 9
    assert found["98"].queue is None, "async0 carries events, not packets"


def test_without_a_header_the_cores_are_unknown_and_only_the_total_is_given() -> None:
    parsed = parse_proc_interrupts(linux("proc_interrupts-ena-grep"))
    assert parsed.skipped == ("no header: counts are not mapped to cores",)
    assert parsed.value[0].totals == {ANY_CPU: 261 + 2}
    assert (parsed.value[0].interface, parsed.value[0].queue) == ("enp39s0", 0)
    assert (parsed.value[1].interface, parsed.value[1].queue) == (None, None), "it has no name yet"


def test_separate_rx_and_tx_interrupts() -> None:
    found = ours("rx-tx")
    assert [(item.direction, item.queue) for item in found.values()] == [
        ("rx", 0),
        ("rx", 1),
        ("tx", 0),
        ("tx", 1),
    ]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("IR-PCI-MSI 1-edge ixgbe eth0-TxRx-3", ("eth0", 3, "rxtx")),
        ("PCI-MSI 1-edge eth0-rxtx-2", ("eth0", 2, "rxtx")),
        ("PCI-MSI 1-edge eth0-fp-1", ("eth0", 1, "rxtx")),
        ("PCI-MSI 1-edge igb-eth2-rx-0", ("eth2", 0, "rx")),
        # the driver counts its asynchronous events as 0
        ("IR-PCI-MSIX-0000:04:00.0 0-edge mlx4-async@pci:0000:04:00.0", (None, None, None)),
        ("IR-PCI-MSIX-0000:04:00.0 1-edge mlx4-1@0000:04:00.0", ("ens1", 0, "rxtx")),
        ("PCI-MSI 1-edge mlx4-5@0000:04:00.0", ("ens1", 4, "rxtx")),
        ("ITS-MSI 65536001 Edge hns3-0000:04:00.0-TxRx-0", ("ens1", 0, "rxtx")),
        ("ITS-MSI 65538049 Edge hns3-0000:04:00.1-TxRx-3", (None, 3, "rxtx")),
        ("IR-PCI-MSI 2-edge eth4-Rx0", ("eth4", 0, "rx")),
        ("IR-PCI-MSI 1-edge eth4-FWeventq", (None, None, None)),
        # stmmac, of an S32G (linux-arm-kernel); i40e has a control interrupt with a colon, too
        ("GICv3  91 Level   eth0:rx-3", ("eth0", 3, "rx")),
        ("IR-PCI-MSI 477185-edge eth0:tx-0", ("eth0", 0, "tx")),
        ("GICv3  89 Level   eth0:mac", (None, None, None)),
        ("PCI-MSI 1-edge i40e-eth0:fdir-TxRx-0", (None, None, None)),
        # be2net, of a blog of 2015
        ("IR-PCI-MSI-edge eth0-q3", ("eth0", 3, "rxtx")),
        ("PCI-MSI 1-edge snd-q1", (None, None, None)),
        # Azure's (linux-hyperv)
        ("Hyper-V PCIe MSI 4138200989698-edge mana_q1@pci:0000:04:00.0", ("ens1", 1, "rxtx")),
        ("Hyper-V PCIe MSI 2147483648-edge mana_hwc@pci:0000:04:00.0", (None, None, None)),
        # Google's: those of transmission come first, so the number is no queue's
        # https://github.com/GoogleCloudPlatform/compute-virtual-ethernet-linux/issues/64
        ("PCI-MSIX-0000:04:00.0 30-edge gve-ntfy-blk1@pci:0000:04:00.0", ("ens1", None, None)),
        ("PCI-MSIX-0000:04:00.0 32-edge gve-mgmnt@pci:0000:04:00.0", (None, None, None)),
        ("PCI-MSI 1-edge ehci_hcd:usb1, eth0-TxRx-1", ("eth0", 1, "rxtx")),
        ("IO-APIC 2-edge timer", (None, None, None)),
        ("PCI-MSI 1-edge nvme0q1", (None, None, None)),
        ("PCI-MSI 1-edge snd-1", (None, None, None)),
        ("", (None, None, None)),
    ],
)
def test_action_names_tell_interface_queue_and_direction(
    label: str, expected: tuple[str | None, int | None, str | None]
) -> None:
    assert queue_of(label, {"0000:04:00.0": "ens1"}) == expected


def test_a_card_that_is_no_pci_device_is_known_by_the_name_of_its_device() -> None:
    """Of a Banana Pi R3, whose driver (mtk_eth_soc) has one interrupt to send and one to receive."""
    text = """\
           CPU0       CPU1       CPU2       CPU3
 81:        197          0          0          0   mt-eint  66 Level     mt7530
120:        694    3183777          0          0     GICv3 229 Level     15100000.ethernet
121:        898          0          0    6763107     GICv3 230 Level     15100000.ethernet
"""
    found = parse_proc_interrupts(text, {"15100000.ethernet": "eth0"})
    assert found.skipped == ()
    assert [(row.interface, row.queue) for row in found.value] == [(None, None), *[("eth0", None)] * 2]
    assert found.value[2].totals == {0: 898, 1: 0, 2: 0, 3: 6763107}
    # am65_cpsw_nuss_init_rx_chns() of the K3 family
    assert queue_of("GICv3 132 Level 8000000.ethernet-rx1", {"8000000.ethernet": "eth0"}) == ("eth0", 1, "rx")


def test_a_row_with_too_few_counts_is_skipped_because_its_last_count_may_be_torn() -> None:
    parsed = parse_proc_interrupts("  CPU0 CPU1 CPU2\n 9: 1 23\n 10: 5\n 11: 1 2 3 PCI-MSI eth0\n")
    assert [item.irq for item in parsed.value] == ["11"]
    assert len(parsed.skipped) == 2


def test_this_machine_s_own_file_is_read_completely() -> None:
    file = Path("/proc/interrupts")
    if not file.exists():
        pytest.skip("not Linux")
    parsed = parse_proc_interrupts(file.read_text())
    assert parsed.skipped == ()
    assert parsed.value


def test_a_header_is_the_first_line_or_none() -> None:
    parsed = parse_proc_interrupts(" 24:  5  eth0-rx-0\n      CPU0  CPU1\n 25:  6  eth0-rx-1\n")
    assert [row.totals for row in parsed.value] == [{ANY_CPU: 5}, {ANY_CPU: 6}]
    assert [note.split(": ")[0] for note in parsed.skipped] == ["no header", "line 2"]


@pytest.mark.parametrize("odd", ["no colon", "two words: 5 6 x", ": 5 6 x"])
def test_a_line_without_the_name_of_an_interrupt_is_said(odd: str) -> None:
    parsed = parse_proc_interrupts(f"      CPU0  CPU1\n{odd}\n 25:  6  7  eth0-rx-1\n")
    assert [row.irq for row in parsed.value] == ["25"]
    assert parsed.skipped[0].startswith("line 2: not an interrupt number")


@pytest.mark.parametrize(
    ("line", "totals"),
    [
        ("ERR:  5", {ANY_CPU: 5}),
        ("MIS:  5", {ANY_CPU: 5}),
        ("XYZ:  5", {ANY_CPU: 5}),  # one value of the machine, by its form
        ("NMI:  5  6  Non-maskable", {0: 5, 1: 6}),
        ("NMI:  5  Non-maskable", None),  # a core's count is missing
        ("24:  5", None),
        ("24:  5  6", {0: 5, 1: 6}),
    ],
)
def test_a_row_has_a_count_of_each_core_or_one_of_the_machine(line: str, totals) -> None:
    parsed = parse_proc_interrupts(f"      CPU0  CPU1\n{line}\n")
    assert [row.totals for row in parsed.value] == ([] if totals is None else [totals])
    assert bool(parsed.skipped) is (totals is None)


# the same in real results


def real_counts_are_mapped_by_the_cpu_header_and_not_by_position(captures: Path) -> None:
    found = rows(captures, "2.6.18-noncontiguous-cpu")
    assert found["98"].totals == {0: 35, 1: 0, 15: 2902361}
    assert (found["98"].interface, found["98"].queue) == ("eth1", 0)
    assert found["154"].queue == 7


def real_a_row_without_text_is_a_row(captures: Path) -> None:
    found = rows(captures, "2.6.18-noncontiguous-cpu")
    assert found["NMI"].totals == {0: 7615, 1: 2989, 15: 2931}
    assert found["NMI"].label == ""
    assert rows(captures, "8cpu-insights")["30"].label == "IR-PCI-MSI 524288-edge"


def real_err_and_mis_have_one_value_for_the_whole_machine(captures: Path) -> None:
    found = rows(captures, "8cpu-insights")
    assert found["ERR"].totals == {ANY_CPU: 0}
    assert found["MIS"].totals == {ANY_CPU: 0}
    assert rows(captures, "aarch64-ena-8cpu-node_exporter")["Err"].totals == {ANY_CPU: 0}
    assert rows(captures, "1cpu-insights")["ERR"].totals == {ANY_CPU: 0}


def real_a_count_without_a_space_after_the_colon_is_a_count(captures: Path) -> None:
    found = rows(captures, "aarch64-ena-8cpu-node_exporter")
    assert found["IPI0"].totals[0] == 2768808080
    assert found["IPI0"].totals[7] == 2154252810
    assert found["IPI0"].label == "Rescheduling interrupts"


def real_a_hardware_number_before_the_trigger_is_no_count(captures: Path) -> None:
    found = rows(captures, "aarch64-ena-8cpu-node_exporter")
    assert found["58"].label == "ITS-MSI 81921 Edge eth0-Tx-Rx-0"
    assert found["58"].totals == {0: 0, 1: 0, 2: 1195697946, 3: 437, 4: 0, 5: 0, 6: 0, 7: 0}
    assert (found["58"].interface, found["58"].queue, found["58"].direction) == ("eth0", 0, "rxtx")
    assert found["57"].queue is None


def real_an_irq_that_is_absent_is_absent(captures: Path) -> None:
    found = rows(captures, "virtio-2cpu-6.18")
    assert "27" not in found
    assert found["38"].totals == {0: 0, 1: 5065}


def real_virtio_numbers_are_not_interface_numbers(captures: Path) -> None:
    found = rows(captures, "virtio-2cpu-6.18")
    assert (found["38"].interface, found["38"].queue, found["38"].direction) == (None, 0, "rx")
    known = rows(captures, "virtio-2cpu-6.18", virtio2="eth0")
    assert (known["39"].interface, known["39"].queue, known["39"].direction) == ("eth0", 0, "tx")
    assert known["41"].queue is None, "virtio3-rx is a socket device"
    assert rows(captures, "virtio-multiqueue-16cpu-kata1195")["43"].queue == 2


def real_a_bare_interface_name_is_the_link_interrupt_and_no_queue(captures: Path) -> None:
    found = rows(captures, "i210-TxRx-4cpu")
    assert (found["47"].interface, found["47"].queue) == ("enp2s0", None)
    assert (found["51"].interface, found["51"].queue) == ("enp2s0", 3)
    assert found["51"].totals[0] == 1702


def real_drivers_that_put_their_own_name_first_do_not_change_the_interface(captures: Path) -> None:
    i40e = rows(captures, "i40e-vfio-4cpu-nemu82")
    assert (i40e["11"].interface, i40e["11"].queue) == ("enP1s15", 1)
    assert i40e["9"].queue is None


def real_a_control_interrupt_that_ends_in_txrx_is_no_queue(captures: Path) -> None:
    found = rows(captures, "ice-16cpu-grep")
    assert found["66"].label.endswith("ctrl-TxRx-0")
    assert found["66"].queue is None
    assert (found["80"].interface, found["80"].queue) == ("lan1", 2)


def real_mlx5_names_the_pci_device_and_two_ports_do_not_mix(captures: Path) -> None:
    text = (captures / "linux/proc_interrupts-mlx5-12cpu-grep.txt").read_text()
    owners = {"0000:01:00.0": "enp1s0f0", "0000:01:00.1": "enp1s0f1"}
    found = {item.irq: item for item in parse_proc_interrupts(text, owners).value}
    assert (found["99"].interface, found["99"].queue) == ("enp1s0f0", 0)
    assert (found["102"].interface, found["102"].queue) == ("enp1s0f1", 0)
    assert found["117"].queue == 9
    assert found["98"].queue is None, "async0 carries events, not packets"


def real_without_a_header_the_cores_are_unknown_and_only_the_total_is_given(captures: Path) -> None:
    text = (captures / "linux/proc_interrupts-ena-xen-pirq-16cpu-collapsed-amzn268.txt").read_text()
    parsed = parse_proc_interrupts(text)
    assert parsed.skipped == ("no header: counts are not mapped to cores",)
    assert parsed.value[1].totals == {ANY_CPU: 1079105381}
    assert (parsed.value[1].interface, parsed.value[1].queue) == ("eth0", 0)


def real_a_queue_row_with_an_empty_name_names_nothing(captures: Path) -> None:
    found = rows(captures, "ena-4cpu-emptynames-amzn316")
    assert found["66"].interface == "enp39s0"
    assert (found["67"].interface, found["67"].queue) == (None, None)


def real_separate_rx_and_tx_interrupts_and_an_ellipsis(captures: Path) -> None:
    text = (captures / "linux/proc_interrupts-split-rx-tx-4cpu.txt").read_text()
    parsed = parse_proc_interrupts(text)
    assert parsed.skipped == ("line 2: not an interrupt number: '...'",)
    assert [(item.direction, item.queue) for item in parsed.value] == [
        (None, None),
        ("rx", 0),
        ("rx", 1),
        ("rx", 2),
        ("rx", 3),
        ("tx", 0),
        ("tx", 1),
    ]


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_counts_are_mapped_by_the_cpu_header_and_not_by_position,
        real_a_row_without_text_is_a_row,
        real_err_and_mis_have_one_value_for_the_whole_machine,
        real_a_count_without_a_space_after_the_colon_is_a_count,
        real_a_hardware_number_before_the_trigger_is_no_count,
        real_an_irq_that_is_absent_is_absent,
        real_virtio_numbers_are_not_interface_numbers,
        real_a_bare_interface_name_is_the_link_interrupt_and_no_queue,
        real_drivers_that_put_their_own_name_first_do_not_change_the_interface,
        real_a_control_interrupt_that_ends_in_txrx_is_no_queue,
        real_mlx5_names_the_pci_device_and_two_ports_do_not_mix,
        real_without_a_header_the_cores_are_unknown_and_only_the_total_is_given,
        real_a_queue_row_with_an_empty_name_names_nothing,
        real_separate_rx_and_tx_interrupts_and_an_ellipsis,
    )
