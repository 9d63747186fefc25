"""Numbers in groups of three digits in value files: read whole, or refused where they may be columns."""

import io
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import forked
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.units import grouped
from fwdtui.store.valuefile import read_value_file, read_values


def read(text: str | bytes, monkeypatch: pytest.MonkeyPatch, **options: object) -> list[float]:
    data = text if isinstance(text, bytes) else text.encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    return list(read_values("-", **options))  # type: ignore[arg-type]


def refused(text: str | bytes, monkeypatch: pytest.MonkeyPatch, **options: object) -> str:
    with pytest.raises(FwdtuiError) as caught:
        read(text, monkeypatch, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_it_names_line_and_both_readings_and_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused("# pps\n1 000 100\n", monkeypatch) == (
        "<stdin>:2: '1 000 100' may be 1000100, one number, or 1 and other columns, as ministat reads it: "
        "remove the blanks, or take the first column with compare -C 1"
    )


def test_our_own_figures_are_such_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = grouped(1000100.0)
    assert refused(f"{shown}\n", monkeypatch).startswith(f"<stdin>:1: {shown!r} may be 1000100")


@pytest.mark.parametrize(
    ("line", "one", "first"),
    [
        ("1 000", "1000", "1"),
        ("100 200 300", "100200300", "100"),
        ("-12 500", "-12500", "-12"),
        ("+1 000 000.25", "+1000000.25", "+1"),
        ("1 000 100,5", "1000100.5", "1"),
        ("  1 000 100  ", "1000100", "1"),
        ("\t1 000 100\r", "1000100", "1"),
        ("1 000 100 # one of them", "1000100", "1"),
        ("1 000 100 pps", "1000100", "1"),
        ("1 000 100\tpackets/s", "1000100", "1"),
        ("1 000\u202f100", "1000100", "1"),
        ("1\u202f000 100", "1000100", "1000"),
        ("1 000 100\0garbage 5 5", "1000100", "1"),
    ],
)
def test_whatever_reads_like_one_number_is_refused(
    line: str, one: str, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = refused(f"{line}\n", monkeypatch)
    assert f" may be {one}, one number, or {first} and other columns" in said


@pytest.mark.parametrize(
    "other", ["500", "1000100", "1e6", "1000100 pps", "", "# 5 5", "  ", "5 # 1 2", "1\u202f000"]
)
def test_lines_with_one_value_do_not_make_it_columns(other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (f"1 000 100\n{other}\n", f"{other}\n1 000 100\n"):
        assert "may be 1000100" in refused(text, monkeypatch)


@pytest.mark.parametrize(
    "other",
    [
        "100 2000",
        "100 20",
        "100  200",
        "100\t200",
        "1000 100",
        "100 0.5",
        "0 100",
        "7 x1",
        "5 000 pps 3",
        "5 6 # 7",
    ],
)
def test_one_line_that_no_grouped_number_can_be_makes_the_file_columns(
    other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = float(other.split()[0])
    assert read(f"100 200\n{other}\n300 400\n", monkeypatch) == [100.0, first, 300.0]
    assert read(f"{other}\n100 200\n", monkeypatch) == [first, 100.0]


def test_a_column_that_is_asked_for_is_read_by_ministats_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read("1 000 100\n2 000 200\n", monkeypatch, column=1) == [1.0, 2.0]
    assert read("1 000 100\n2 000 200\n", monkeypatch, column=3) == [100.0, 200.0]
    assert "not a number" in refused("1\u202f000\n", monkeypatch, column=1)


def test_where_no_blank_separates_columns_nothing_is_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read("100,200,300\n", monkeypatch, delimiters=",") == [100.0]
    assert "not a number: '1 000'" in refused("1 000,5\n", monkeypatch, delimiters=",")
    assert read("1 000,2 000\n", monkeypatch, delimiters=" ,") == [1.0]


@pytest.mark.parametrize("blank", ["\u00a0", "\u202f", "\u2009", "\u2007"])
def test_no_break_blanks_make_one_number(blank: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "1 000 100\n-12 345\n999\n1 000.5 # five\n+1 000 000\t7\n".replace(" 0", f"{blank}0")
    text = text.replace("12 345", f"12{blank}345").replace(" 100", f"{blank}100")
    assert read(text, monkeypatch) == [1000100.0, -12345.0, 999.0, 1000.5, 1000000.0]


@pytest.mark.parametrize(
    "token", ["1000\u202f000", "1\u202f00", "0\u202f100", "1\u202f\u202f000", "1\u202f000\u202f", "\u202f100"]
)
def test_no_break_blanks_elsewhere_make_no_number(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "not a number" in refused(f"{token}\n", monkeypatch)


def write(path: Path, lines: list[str]) -> str:
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_big_files_are_held_to_the_same(tmp_path: Path) -> None:
    plain = ["1488095"] * 300_000
    with pytest.raises(FwdtuiError, match=r"/late:300001: '1 488 095' may be 1488095"):
        read_values(write(tmp_path / "late", [*plain, "1 488 095"]))
    with pytest.raises(FwdtuiError, match=r"/early:1: '1 488 095' may be 1488095"):
        read_values(write(tmp_path / "early", ["1 488 095", *plain]))
    with pytest.raises(FwdtuiError, match=r"/all:1: '488 095' may be 488095"):
        read_values(write(tmp_path / "all", ["488 095"] * 300_000))
    columns = read_values(write(tmp_path / "columns", [*["488 095"] * 300_000, "488 5"]))
    assert set(columns) == {488.0}
    whole = read_values(write(tmp_path / "whole", [*plain, "1\u202f488\u202f095"]))
    assert set(whole) == {1488095.0}


LINES = st.lists(
    st.sampled_from(["100 200", "1 000 100", "5", "", "# x", "1000 100", "1\u202f000", "7 pps", "7 us"]),
    max_size=12,
)


@settings(deadline=None, max_examples=300)
@given(lines=LINES, block_bytes=st.integers(1, 60))
def test_blocks_of_any_size_lead_to_the_same_answer(lines: list[str], block_bytes: int) -> None:
    def answer(size: int) -> object:
        stdin = sys.stdin
        sys.stdin = SimpleNamespace(buffer=io.BytesIO("\n".join(lines).encode()))  # type: ignore[assignment]
        try:
            return read_value_file("-", block_bytes=size)
        except FwdtuiError as error:
            return str(error)
        finally:
            sys.stdin = stdin

    assert answer(block_bytes) == answer(1 << 20)


def fwdtui(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return forked.run(*arguments, cwd=folder, env={**os.environ, "COLUMNS": "80"})


def test_compare_and_report_refuse_it_with_status_2_and_ministats_format_reads_it_as_ministat(
    tmp_path: Path,
) -> None:
    write(tmp_path / "base", ["1 000 100", "1 000 200", "1 000 400", "1 000 300"])
    write(tmp_path / "other", ["1000100", "1000200", "1000400", "1000300"])
    said = "fwdtui: base:1: '1 000 100' may be 1000100, one number, or 1 and other columns"
    for command in (("compare",), ("compare", "--format", "json"), ("report", "-o", "r.md")):
        done = fwdtui(tmp_path, *command, "base", "other")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(said)
        assert done.stderr.count("\n") == 1
    assert not (tmp_path / "r.md").exists()
    assert fwdtui(tmp_path, "compare", "-C", "1", "base", "other").returncode == 0
    ministat = fwdtui(tmp_path, "compare", "--format", "ministat", "base", "other")
    assert ministat.returncode == 0
    assert (
        ministat.stdout
        == fwdtui(tmp_path, "compare", "--format", "ministat", "-C", "1", "base", "other").stdout
    )
    assert "x   4             1             1             1             1             0" in ministat.stdout
