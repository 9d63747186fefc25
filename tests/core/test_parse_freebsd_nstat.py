"""nstat lines as netbenches recorded them beside a run."""

from pathlib import Path

from fwdtui.core.parse.nstat import parse

TEXT = """\
DURING_CMD on dut.example: stdbuf -oL nstat -I igb1 1
  InMpps OMpps  InGbs  OGbs err TCP Est %CPU syscalls csw     irq GBfree
  0.85   0.00   0.41   0.00  0      0   82.28     12  15552  74174  3.65
"""


def test_tcp_est_is_one_column_so_that_the_rest_is_not_shifted() -> None:
    (row,) = parse(TEXT).value.rows
    assert (row.in_pps, row.out_pps, row.in_bps) == (850_000, 0, 410_000_000)
    assert (row.cpu_percent, row.syscalls, row.context_switches, row.interrupts) == (82.28, 12, 15552, 74174)
    assert row.free_bytes == 3_650_000_000


def test_the_first_line_names_host_and_command() -> None:
    log = parse(TEXT).value
    assert (log.host, log.command) == ("dut.example", "stdbuf -oL nstat -I igb1 1")


def test_a_column_that_is_not_there_is_unknown() -> None:
    text = TEXT.replace(" GBfree", "").replace("  3.65", "")
    assert parse(text).value.rows[0].free_bytes is None


def test_torn_lines_are_skipped() -> None:
    parsed = parse(TEXT + "  0.85   0.00   0.41\n")
    assert len(parsed.value.rows) == 1
    assert "3 fields, 11 expected" in parsed.skipped[0]


def test_the_recorded_runs(netbenches: Path) -> None:
    folder = netbenches / "captures"
    off = parse((folder / "fbsd16-n311215_bench.simple_tx_off_default.rate850k.during").read_text())
    on = parse((folder / "fbsd16-n311215_bench.simple_tx_on.rate380k.during").read_text())
    assert (len(off.value.rows), len(on.value.rows), off.skipped, on.skipped) == (14, 14, (), ())
    assert {row.in_pps for row in off.value.rows} == {850_000}
    assert {row.in_pps for row in on.value.rows} == {380_000}
    assert off.value.rows[-1].cpu_percent == 83.86
    assert off.value.host == "apu2-2.lab.cochard.me"
