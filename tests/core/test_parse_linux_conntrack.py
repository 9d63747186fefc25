"""Connection tracking counters."""

from pathlib import Path

from fwdtui.core.parse.conntrack import (
    ConntrackStats,
    parse_conntrack_count,
    parse_conntrack_statistics,
    parse_nf_conntrack_stat,
)


def test_every_row_repeats_the_number_of_entries_and_it_is_taken_once(captures: Path) -> None:
    text = (captures / "linux/proc_net_stat_nf_conntrack-6.18.txt").read_text()
    parsed = parse_nf_conntrack_stat(text)
    assert parsed.skipped == ()
    assert parsed.value.entries == 1
    assert list(parsed.value.cores) == [0, 1]
    assert parsed.value.cores[1]["early_drop"] == 0
    assert "entries" not in parsed.value.cores[0]


def test_the_file_is_hexadecimal() -> None:
    parsed = parse_nf_conntrack_stat("entries  found drop\n0000001f  0000000a ffffffff\n")
    assert parsed.value == ConntrackStats(31, {0: {"found": 10, "drop": 4294967295}})


def test_names_of_two_generations(captures: Path) -> None:
    new = parse_conntrack_statistics((captures / "linux/conntrack-S-2cpu-6.18.txt").read_text())
    assert new.skipped == ()
    assert new.value.cores[1]["clash_resolve"] == 0
    assert "ignore" not in new.value.cores[1]
    old = parse_conntrack_statistics((captures / "linux/conntrack-S-old-ignore-7cpu.txt").read_text())
    assert old.skipped == ()
    assert list(old.value.cores) == list(range(7))
    assert old.value.cores[6]["ignore"] == 0


def test_the_count_is_a_gauge(captures: Path) -> None:
    parsed = parse_conntrack_count((captures / "linux/conntrack-C.txt").read_text())
    assert parsed.value == ConntrackStats(1)
    assert parse_conntrack_count("conntrack: command not found").value == ConntrackStats()


def test_torn_rows_are_skipped_with_a_reason() -> None:
    assert len(parse_nf_conntrack_stat("entries found\n00000001\nx y\n").skipped) == 2
    assert len(parse_conntrack_statistics("cpu=0 drop=-1 found\nfound=5\n").skipped) == 3
