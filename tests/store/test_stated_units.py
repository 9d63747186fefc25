"""A unit after a value in a value file: refused, since the number alone would be read in the wrong unit."""

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from fwdtui.cli import main
from fwdtui.core.errors import FwdtuiError
from fwdtui.store.valuefile import read_values


def read(text: str | bytes, monkeypatch: pytest.MonkeyPatch, **options: object) -> list[float]:
    data = text if isinstance(text, bytes) else text.encode()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    return list(read_values("-", **options))  # type: ignore[arg-type]


def said(text: str, unit: str, line: int = 1) -> str:
    return (
        f"<stdin>:{line}: {text!r}: the unit {unit} is not read: write plain numbers, all in one unit, or "
        "take the first column with compare -C 1"
    )


@pytest.mark.parametrize(
    "unit",
    [
        *("k", "K", "M", "G", "kpps", "Mpps", "MPPS", "Gpps", "Mpkt/s", "kpackets/s"),
        *("bps", "b/s", "Mb/s", "Gbps", "Gbit/s", "Mbits/sec", "MB/s", "MiB/s"),
        *("s", "sec", "ms", "us", "usec", "µs", "μs", "ns", "nanoseconds", "min"),
        *("%", "percent", "ns/packet", "cycles/packet", "packets/s/core"),
    ],
)
def test_a_rate_a_time_or_a_share_is_refused_with_the_way_out(
    unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(FwdtuiError) as caught:
        read(f"# latency\n10\n10.1 {unit}\n10.2\n", monkeypatch)
    assert str(caught.value) == said(f"10.1 {unit}", unit, 3)
    assert read(f"10.1 {unit}\n", monkeypatch, column=1) == [10.1], "the user has decided"


@pytest.mark.parametrize("line", ["7\tus", "  7  us", "7 us\r", "7 us # x", "7 us 5 6", "7 us\0x"])
def test_wherever_ministat_sees_the_next_column(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FwdtuiError, match="the unit us is not read"):
        read(f"{line}\n", monkeypatch)


@pytest.mark.parametrize(
    "line",
    [
        *("7", "7 pps", "7 packets/s", "7 # us", "7 #us", "7\0 us", "7 use", "7 us-east", "7 m", "7 x us"),
        *("7 5 us", "7 run1", "7 1e6", "7 G1", "7 inet4"),
    ],
)
def test_other_columns_and_plain_pps_are_as_ministat_reads_them(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read(f"{line}\n", monkeypatch) == [7.0]


def test_the_delimiters_are_those_given(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FwdtuiError, match=r"'10\.1 ms': the unit ms is not read"):
        read("10.1,ms\n", monkeypatch, delimiters=",")
    assert read("10.1,m s\n5\n", monkeypatch, delimiters=",") == [10.1, 5.0]


def test_big_files_are_held_to_the_same(tmp_path: Path) -> None:
    path = tmp_path / "big"
    path.write_text("1488095 pps\n" * 150_000 + "1.49 Mpps\n")
    with pytest.raises(FwdtuiError, match=r"/big:150001: '1\.49 Mpps': the unit Mpps is not read"):
        read_values(str(path))


def test_compare_refuses_it_with_status_2_and_ministats_format_reads_it_as_ministat(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sides = [str(tmp_path / name) for name in ("base", "other")]
    for path, values in zip(sides, ((10.1, 10.2, 10.0), (12.1, 12.0, 12.2)), strict=True):
        Path(path).write_text("".join(f"{value} us\n" for value in values))
    assert main(["compare", *sides]) == 2
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1) and "/base:1: '10.1 us': the unit us is not read" in error
    for options in (("-C", "1"), ("--format", "ministat")):
        assert main(["compare", *options, *sides]) == 0
        assert capsys.readouterr().out
