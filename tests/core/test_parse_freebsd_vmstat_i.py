"""vmstat -i: the total per interrupt, and the queue that its name tells."""

from pathlib import Path

import pytest
from fixtures import Agree, freebsd

from fwdtui.core.counters import InterruptRow
from fwdtui.core.parse.vmstat_i import devices, parse

TEXT = """\
interrupt                          total       rate
irq1: atkbd0                           6          0
cpu0:timer                        749022        583
irq273: igb1:que 3                  1291          1
irq274: igb0:rxq12           12759545998      95334
irq283: t5nex0:evt                     4          0
irq284: t5nex0:1a1f               608689        474
irq17: em0 bge1                  2555941       2745
Total                           11978149       9318
"""


def total(row: InterruptRow) -> int:
    (count,) = row.totals.values()
    return count


def read(text: str) -> dict[str, tuple[int, str | None, int | None, str | None]]:
    return {row.label: (total(row), row.interface, row.queue, row.direction) for row in parse(text).value}


def test_the_last_two_fields_are_total_and_rate_and_the_rest_is_the_name() -> None:
    rows = read(TEXT)
    assert rows["igb1:que 3"] == (1291, "igb1", 3, "rxtx")
    assert rows["igb0:rxq12"] == (12759545998, "igb0", 12, "rx")
    assert rows["cpu0:timer"] == (749022, None, None, None)
    assert "Total" not in rows and "interrupt" not in rows


def test_the_number_of_an_irq_is_kept_apart_from_its_label() -> None:
    assert [row.irq for row in parse(TEXT).value] == ["1", "cpu0:timer", "273", "274", "283", "284", "17"]


def test_a_shared_interrupt_belongs_to_no_single_interface() -> None:
    assert read(TEXT)["em0 bge1"] == (2555941, None, None, None)
    assert devices("irq17: em0 bge1") == ("em0", "bge1")
    assert devices("em0 uhci3+") == ("em0", "uhci3")
    assert read("irq16: em0+              5          0\n")["em0+"][1] is None


def test_a_name_of_arm64_and_riscv_has_the_interrupt_controller_in_place_of_an_irq() -> None:
    """What isrc_update_name() of subr_intr.c prints: the source's name, as gicv3_its.c or plic.c gives it."""
    text = (
        "gic0,p14: generic_timer0          6546471        511\n"
        "gic0,s33: uart0                       214          0\n"
        "its0,4: ix0:rxq1                   870123         68\n"
        "its0,5: ix0:aq                          2          0\n"
        "plic0,10: em0 re0                    1245          1\n"
        "stray its0,4: ix0:rxq1                  1          0\n"
    )
    assert read(text) == {
        "generic_timer0": (6546471, "generic_timer0", None, None),
        "uart0": (214, "uart0", None, None),
        "ix0:rxq1": (870123, "ix0", 1, "rx"),
        "ix0:aq": (2, "ix0", None, None),
        "em0 re0": (1245, None, None, None),
        "stray its0,4: ix0:rxq1": (1, None, None, None),
    }
    assert parse(text).value[2].irq == "its0,4"
    assert devices("its0,4: ix0:rxq1") == ("ix0",)


def test_a_mellanox_vector_belongs_to_the_mce_of_its_number() -> None:
    """mlx5_en_main.c names the interface after the device's unit; all vectors have the device's name."""
    text = "irq264: mlx5_core0            8123        6\nirq290: mlx5_core1          412345      322\n"
    rows = parse(text).value
    assert [(row.irq, row.interface, row.queue) for row in rows] == [
        ("264", "mce0", None),
        ("290", "mce1", None),
    ]


def test_a_chelsio_vector_gets_its_interface_from_the_port_and_its_queue_in_hex() -> None:
    row = parse(TEXT, {("t5nex0", 1): "cxl1"}).value[5]
    assert (row.label, row.interface, row.queue) == ("t5nex0:1a1f", "cxl1", 31)
    assert parse(TEXT).value[5].interface is None


def test_the_vector_of_a_chelsio_ports_second_interface_is_not_the_firsts() -> None:
    """hw.cxgbe.num_vis=2: port 0 has cxl0 and vcxl0, each with a queue 0."""
    text = "irq284: t5nex0:0a0   600  4\nirq292: t5nex0:0b0   700  5\n"
    rows = parse(text, {("t5nex0", 0): "cxl0"}).value
    assert [(row.interface, row.queue) for row in rows] == [("cxl0", 0), (None, 0)]


@pytest.mark.parametrize(
    ("label", "queue", "direction"),
    [
        ("ixl0:q7", 7, "rxtx"),
        ("ix0:que 0", 0, "rxtx"),
        ("ix0:rxq63", 63, "rx"),
        ("vmx0:tq1", 1, "tx"),
        ("vmx0:rq1", 1, "rx"),
        ("virtio_pci0:rx2", 2, "rx"),
        ("igb0:link", None, None),
        ("igb0:aq", None, None),
        ("nvme0:io29", None, None),
    ],
)
def test_queue_labels_of_the_drivers(label: str, queue: int | None, direction: str | None) -> None:
    row = parse(f"irq9: {label}              77          1\n").value[0]
    assert (row.interface, row.queue, row.direction) == (label.partition(":")[0], queue, direction)


def test_without_a_rate_the_queue_number_is_not_taken_for_the_total() -> None:
    parsed = parse("irq273: igb1:que 0                  1291\n")
    assert parsed.value == ()
    assert "no total and rate" in parsed.skipped[0]


def test_later_reports_of_w_are_differences_and_are_left_out() -> None:
    parsed = parse(freebsd("vmstat-iw-ixl-q"))
    assert [(row.queue, total(row)) for row in parsed.value] == [(0, 54), (1, 30), (2, 117)]
    assert "second report" in parsed.skipped[0]


def test_names_with_a_space_and_t5nex() -> None:
    ports = {("t5nex0", 0): "cxl0", ("t5nex0", 1): "cxl1"}
    parsed = parse(freebsd("vmstat-i-que-t5nex"), ports)
    assert len(parsed.value) == 12
    rows = {(row.interface, row.queue): total(row) for row in parsed.value if row.queue is not None}
    assert rows == {
        ("igb1", 0): 1301, ("igb1", 1): 1302, ("igb1", 2): 1303,
        ("cxl0", 0): 600_089, ("cxl0", 1): 630_055, ("cxl1", 0): 100_069, ("cxl1", 1): 100_077,
    }  # fmt: skip
    assert parsed.skipped == ()


def test_counts_pass_two_to_the_32() -> None:
    rows = read(freebsd("vmstat-i-que-big"))
    assert rows["igb2:que 0"] == (5_759_545_998, "igb2", 0, "rxtx")
    assert rows["igb2:que 1"][0] == 5_318_777_087
    assert rows["igb2:link"] == (2, "igb2", None, None)


def test_iflib_names_and_devices_that_are_no_cards() -> None:
    rows = read(freebsd("vmstat-i-rxq-aq"))
    assert [rows[f"igb0:rxq{queue}"][0] for queue in range(2)] == [34, 6]
    assert rows["igb0:aq"] == (2, "igb0", None, None)
    assert rows["nvme0:io1"] == (703, "nvme0", None, None)


def test_one_line_for_two_devices() -> None:
    assert read(freebsd("vmstat-i-shared-fbsd9")) == {
        "em0 bge1": (2_500_041, None, None, None),
        "em1 uhci2": (2_500_079, None, None, None),
    }


def test_chelsios_ports_and_queues_are_hexadecimal() -> None:
    parsed = parse("irq300: t5nex0:aa1f                  100          1\n", {("t5nex0", 10): "cxl10"})
    (row,) = parsed.value
    assert (row.interface, row.queue, row.direction) == ("cxl10", 31, "rxtx")


@pytest.mark.parametrize("line", ["irq1:", "irq1: 5", "irq1: atkbd0  5", "irq1: atkbd0 5 1"])
def test_a_line_without_total_and_rate_is_said(line: str) -> None:
    parsed = parse(line + "\n")
    assert parsed.value == () and "no total and rate at the end" in parsed.skipped[0]


# the same in real results


def real_later_reports_of_w_are_differences_and_are_left_out(captures: Path) -> None:
    parsed = parse((captures / "freebsd/vmstat-iw-ixl-q-TESTDATA.txt").read_text())
    assert [(row.queue, total(row)) for row in parsed.value] == [
        (None, 54), (0, 54), (1, 30), (2, 117), (3, 118), (4, 3), (5, 3), (6, 4), (7, 3),
    ]  # fmt: skip
    assert "second report" in parsed.skipped[0]


def real_names_with_a_space_and_t5nex(captures: Path) -> None:
    ports = {("t5nex0", 0): "cxl0", ("t5nex0", 1): "cxl1"}
    parsed = parse((captures / "freebsd/vmstat-i-igb-que-t5nex.txt").read_text(), ports)
    assert len(parsed.value) == 38
    rows = {(row.interface, row.queue): total(row) for row in parsed.value if row.queue is not None}
    assert [rows["igb1", queue] for queue in range(8)] == [1291, 1245, 1245, 1246, 1245, 2435, 1245, 1245]
    assert (rows["cxl0", 0], rows["cxl0", 7], rows["cxl1", 0], rows["cxl1", 7]) == (
        608689,
        638755,
        102669,
        102177,
    )
    assert parsed.skipped == ()


def real_counts_pass_two_to_the_31(captures: Path) -> None:
    rows = read((captures / "freebsd/vmstat-i-igb-que-bigcounts.txt").read_text())
    assert rows["igb2:que 0"] == (2759545998, "igb2", 0, "rxtx")
    assert rows["igb3:que 0"][0] == 3318777087
    assert rows["igb3:link"] == (2, "igb3", None, None)


def real_ix_before_iflib(captures: Path) -> None:
    rows = read((captures / "freebsd/vmstat-i-ix-que-link.txt").read_text())
    assert len(rows) == 10
    assert rows["ix1:que 3"] == (18708007, "ix1", 3, "rxtx")


def real_iflib_names_and_devices_that_are_no_cards(captures: Path) -> None:
    rows = read((captures / "freebsd/vmstat-i-igb-rxq-tail.txt").read_text())
    assert [rows[f"igb0:rxq{queue}"][0] for queue in range(4)] == [8981148, 2330775, 5936007, 4836605]
    assert rows["nvme1:io29"] == (1249480, "nvme1", None, None)
    desktop = read((captures / "freebsd/vmstat-i-igb-rxq-aq-desktop.txt").read_text())
    assert (desktop["igb0:rxq0"][0], desktop["igb0:aq"][2]) == (34, None)
    ixl = read((captures / "freebsd/vmstat-ia-ixl-rxq-aq.txt").read_text())
    assert (len(ixl), ixl["ixl0:rxq7"]) == (9, (2080628, "ixl0", 7, "rx"))


def real_one_line_for_two_devices(captures: Path) -> None:
    rows = read((captures / "freebsd/vmstat-i-shared-irq-em-fbsd9.txt").read_text())
    assert rows == {"em0 bge1": (2555941, None, None, None), "em1 uhci2": (2555879, None, None, None)}


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_later_reports_of_w_are_differences_and_are_left_out,
        real_names_with_a_space_and_t5nex,
        real_counts_pass_two_to_the_31,
        real_ix_before_iflib,
        real_iflib_names_and_devices_that_are_no_cards,
        real_one_line_for_two_devices,
    )
