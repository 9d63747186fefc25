"""/proc/net/softnet_stat, from 9 columns to 15."""

from pathlib import Path

import pytest
from fixtures import Agree, cases, linux

from fwdtui.core.counters import SoftnetRow
from fwdtui.core.parse.softnet import WIDTH, on_cores, parse_softnet_stat


def row(*values: int) -> str:
    return " ".join(f"{value:08x}" for value in values) + "\n"


def test_numbers_are_hexadecimal_and_the_cpu_is_column_13() -> None:
    (found,) = parse_softnet_stat(linux("softnet_stat-15col")).value
    assert found == SoftnetRow(
        cpu=1,
        cpu_known=True,
        processed=0x600,
        dropped=1_234_567,
        time_squeeze=8,
        received_rps=0x30,
        flow_limit=0,
        backlog=1000,
        input_qlen=600,
        process_qlen=400,
    )
    recorded = parse_softnet_stat(linux("softnet_stat-15col-6.18"))
    assert recorded.skipped == ()
    assert [(item.cpu, item.processed, item.received_rps) for item in recorded.value] == [
        (0, 0x1FAB8, 0x99C),
        (1, 0x4542B, 0x93E4),
    ]


def test_below_13_columns_the_cpu_is_only_the_position() -> None:
    first, second = parse_softnet_stat(linux("softnet_stat-11col")).value
    assert [(item.cpu, item.cpu_known) for item in (first, second)] == [(0, False), (1, False)]
    assert (first.dropped, first.flow_limit, first.backlog) == (0x2A, 6, None)


@pytest.mark.parametrize(
    ("width", "rows", "processed", "rps"),
    [("9", 1, 0xABC, None), ("10", 2, 0x100, 21), ("11", 2, 0x300, 9), ("13", 2, 0x500, 0x55)],
)
def test_each_width_gives_what_it_has_and_none_for_the_rest(
    width: str, rows: int, processed: int, rps: int | None
) -> None:
    parsed = parse_softnet_stat(linux(f"softnet_stat-{width}col"))
    assert parsed.skipped == ()
    assert len(parsed.value) == rows
    assert (parsed.value[0].processed, parsed.value[0].received_rps) == (processed, rps)
    assert all(item.input_qlen is None for item in parsed.value)


def test_13_columns_know_their_cpus() -> None:
    first, second = parse_softnet_stat(linux("softnet_stat-13col")).value
    assert [(item.cpu, item.cpu_known) for item in (first, second)] == [(0, True), (2, True)]
    assert (first.backlog, second.dropped, second.processed) == (0xDC, 0x10000, 2**32 - 1)


def test_rows_of_different_widths_are_each_read_for_what_they_are() -> None:
    text = linux("softnet_stat-13col") + linux("softnet_stat-11col") + linux("softnet_stat-9col")
    parsed = parse_softnet_stat(text)
    assert parsed.skipped == ()
    assert [item.cpu_known for item in parsed.value] == [True, True, False, False, False]
    assert [item.time_squeeze for item in parsed.value] == [0, 0x1F, 5, 0, 2]


def test_an_offline_cpu_leaves_a_gap_that_13_columns_show() -> None:
    text = row(1, 2, 3, 0, 0, 0, 0, 0, 0, 4, 5, 6, 0) + row(7, 8, 9, 0, 0, 0, 0, 0, 0, 1, 2, 3, 3)
    assert [item.cpu for item in parse_softnet_stat(text).value] == [0, 3]


def test_rows_without_cpu_numbers_are_those_of_the_cpus_online() -> None:
    rows = parse_softnet_stat(row(*range(11)) * 3).value
    named = on_cores(rows, [0, 2, 3])
    assert [(item.cpu, item.cpu_known) for item in named.value] == [(0, True), (2, True), (3, True)]
    assert on_cores(rows, []).value == rows


def test_rows_whose_cpus_cannot_be_told_are_left_out() -> None:
    """A CPU came or went between the two files: the same row would be another core's in the next sample."""
    found = on_cores(parse_softnet_stat(row(*range(11)) * 3).value, [0, 1, 2, 3])
    assert found.value == () and found.skipped == ("softnet: 3 rows without CPU numbers, 4 CPUs online",)


def test_numbers_that_the_file_has_count() -> None:
    rows = parse_softnet_stat(row(*range(12), 3)).value
    assert on_cores(rows, [0, 1]).value == rows


def test_columns_12_14_and_15_are_gauges_of_their_own() -> None:
    item = parse_softnet_stat(row(1, 2, 3, 0, 0, 0, 0, 0, 0, 4, 5, 1000, 1, 600, 400)).value[0]
    assert (item.backlog, item.input_qlen, item.process_qlen) == (1000, 600, 400)


def test_counters_are_32_bits_wide() -> None:
    assert WIDTH == 32
    assert parse_softnet_stat(row(*[2**32 - 1] * 9)).value[0].processed == 4294967295
    assert parse_softnet_stat("123456789" + " 00000000" * 8).value == ()


def test_fewer_than_9_columns_and_other_numbers_are_skipped_with_a_reason() -> None:
    parsed = parse_softnet_stat("00000001 00000002\n" + "0000000g " * 9 + "\n" + "0x000001 " * 9 + "\n")
    assert parsed.value == ()
    assert len(parsed.skipped) == 3


def test_this_machine_s_own_file_is_read_completely() -> None:
    file = Path("/proc/net/softnet_stat")
    if not file.exists():
        pytest.skip("not Linux")
    parsed = parse_softnet_stat(file.read_text())
    assert parsed.skipped == ()
    assert parsed.value


@pytest.mark.parametrize("columns", range(7, 17))
def test_each_kernels_columns_are_read_for_what_they_are(columns: int) -> None:
    """Nine since 2.5; then received_rps, flow_limit, backlog, the core and the backlog's two parts."""
    parsed = parse_softnet_stat(" ".join(f"{n:08x}" for n in range(1, columns + 1)) + "\n")
    if columns < 9:
        assert parsed.value == () and parsed.skipped
        return
    names = {10: "received_rps", 11: "flow_limit", 12: "backlog", 14: "input_qlen", 15: "process_qlen"}
    known = {name: place for place, name in names.items() if place <= columns}
    cpu = (13, True) if columns >= 13 else (0, False)
    assert parsed.value == (SoftnetRow(*cpu, 1, 2, 3, **known),)


@pytest.mark.parametrize("digits", [7, 9])
def test_a_column_has_eight_digits(digits: int) -> None:
    parsed = parse_softnet_stat(" ".join(["0" * 8] * 8 + ["0" * digits]) + "\n")
    assert parsed.value == () and parsed.skipped


# the same in real results


def real_numbers_are_hexadecimal_and_the_cpu_is_column_13(captures: Path) -> None:
    parsed = parse_softnet_stat((captures / "linux/softnet_stat-15col-6.18-2cpu.txt").read_text())
    assert parsed.skipped == ()
    first, second = parsed.value
    assert (first.processed, first.dropped, first.time_squeeze) == (0x3B36442F, 0, 0x37)
    assert second == SoftnetRow(
        cpu=1,
        cpu_known=True,
        processed=0x27322D84,
        dropped=79342982,
        time_squeeze=17,
        received_rps=0x30AE7,
        flow_limit=0,
        backlog=0,
        input_qlen=0,
        process_qlen=0,
    )


def real_below_13_columns_the_cpu_is_only_the_position(captures: Path) -> None:
    parsed = parse_softnet_stat((captures / "linux/softnet_stat-11col-4cpu-node_exporter.txt").read_text())
    assert [item.cpu for item in parsed.value] == [0, 1, 2, 3]
    assert not any(item.cpu_known for item in parsed.value)
    assert parsed.value[1].dropped == 0x29
    assert parsed.value[1].flow_limit == 0
    assert parsed.value[1].backlog is None


@cases(
    ("name", "rows", "rps"),
    [
        ("softnet_stat-9col-2.5.66-real.txt", 1, None),
        ("softnet_stat-9col-insights.txt", 1, None),
        ("softnet_stat-10col-insights.txt", 4, 5),
        ("softnet_stat-10col-tg3-11cpu-real.txt", 11, 0),
        ("softnet_stat-11col-4cpu-node_exporter.txt", 4, 0),
        ("softnet_stat-13col-5cpu-insights.txt", 5, 0x855FC),
    ],
)
def real_each_width_gives_what_it_has_and_none_for_the_rest(
    captures: Path, name: str, rows: int, rps: int | None
) -> None:
    parsed = parse_softnet_stat((captures / "linux" / name).read_text())
    assert parsed.skipped == ()
    assert len(parsed.value) == rows
    assert parsed.value[0].received_rps == rps
    assert all(item.input_qlen is None for item in parsed.value)


def real_13_columns_know_their_cpus(captures: Path) -> None:
    parsed = parse_softnet_stat((captures / "linux/softnet_stat-13col-5cpu-insights.txt").read_text())
    assert [(item.cpu, item.cpu_known) for item in parsed.value] == [(n, True) for n in range(5)]
    assert parsed.value[4].dropped == 0x2DB94


def real_rows_of_different_widths_are_each_read_for_what_they_are(captures: Path) -> None:
    parsed = parse_softnet_stat((captures / "linux/softnet_stat-mixed-width-procfs.txt").read_text())
    assert [item.cpu_known for item in parsed.value] == [True, True, False, False, False]
    assert parsed.value[1].backlog == 0xDC
    assert parsed.value[2].time_squeeze == 0xF0000769


def test_real_results_say_the_same(agree: Agree) -> None:
    agree(
        real_numbers_are_hexadecimal_and_the_cpu_is_column_13,
        real_below_13_columns_the_cpu_is_only_the_position,
        real_each_width_gives_what_it_has_and_none_for_the_rest,
        real_13_columns_know_their_cpus,
        real_rows_of_different_widths_are_each_read_for_what_they_are,
    )
