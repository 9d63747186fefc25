"""Reading value files: what is refused, in one line that names file and line; and big files read quickly."""

import array
import io
import math
import os
import random
import struct
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.parse.valuefile import ValueFile, parse_values
from fwdtui.store.valuefile import read_value_file, read_values
from fwdtui.store.valuefile_fast import parse_plain

SETTINGS = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def refused(path: Path | str, **options: object) -> str:
    with pytest.raises(FwdtuiError) as caught:
        read_values(str(path), **options)  # type: ignore[arg-type]
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_the_values_come_as_doubles_in_file_order(tmp_path: Path) -> None:
    (tmp_path / "r368287").write_text("3\n1\n2\n")
    assert read_values(str(tmp_path / "r368287")) == array.array("d", [3.0, 1.0, 2.0])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert refused(tmp_path / "gone") == f"{tmp_path}/gone: No such file or directory"


def test_a_folder_is_no_value_file(tmp_path: Path) -> None:
    assert refused(tmp_path) == f"{tmp_path}: a folder, not a value file"


def test_a_name_with_a_nul_byte_is_refused() -> None:
    assert "null byte" in refused("a\0b")


def test_a_file_without_permission_is_named(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("1\n")
    (tmp_path / "secret").chmod(0)
    if os.geteuid() == 0:  # root may read everything
        os.seteuid(65534)
    try:
        said = refused(tmp_path / "secret")
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
    assert said == f"{tmp_path}/secret: Permission denied"


def test_an_empty_file_has_no_values(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("")
    assert refused(tmp_path / "empty") == f"{tmp_path}/empty: no values (0 lines read)"


def test_a_column_that_is_not_there_has_no_values(tmp_path: Path) -> None:
    (tmp_path / "narrow").write_text("1 2\n")
    assert refused(tmp_path / "narrow", column=3) == f"{tmp_path}/narrow: no values in column 3 (1 line read)"


def test_a_token_that_is_no_number_is_named_with_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("1\n# no\n1,5\n")
    assert refused(tmp_path / "bad") == f"{tmp_path}/bad:3: not a number: '1,5'"


def test_a_binary_file_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "core").write_bytes(b"\x7fELF\x02\x01\x01\0\0\0\n")
    assert refused(tmp_path / "core") == f"{tmp_path}/core:1: not a value file: it holds binary data"


@pytest.mark.parametrize("odd", ["nan", "inf", "1e999"])
def test_what_is_not_finite_is_named_with_file_and_line(odd: str, tmp_path: Path) -> None:
    (tmp_path / "odd").write_text(f"1\n{odd}\n")
    assert refused(tmp_path / "odd") == f"{tmp_path}/odd:2: not a finite number: {odd!r}"


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"1\n2\n")))
    assert list(read_values("-")) == [1.0, 2.0]


def test_messages_call_it_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"x\n")))
    assert refused("-") == "<stdin>:1: not a number: 'x'"


def test_a_named_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = b"".join(b"%d\n" % number for number in range(300_000))
    writer = threading.Thread(target=pipe.write_bytes, args=(text,))
    writer.start()
    try:
        assert list(read_values(str(pipe))) == list(range(300_000))
    finally:
        writer.join(10)


# what big files look like, and what almost looks like that
FIELDS = st.one_of(
    st.integers(-99, 10**20).map(str),
    st.floats(-1e9, 1e9).map(repr),
    st.floats(-1e9, 1e9).map("{:.3f}".format),
    st.from_regex(r"\A-?[0-9]{0,19}\.?[0-9]{0,19}\Z"),
    st.text("0123456789.-+eE", max_size=6),
    st.sampled_from(["", "-0", "-0.0", "#", "#1", "nan", "1e999", "0x10", "1\r", "5\0", "1-2", "1.2.3", "."]),
)
PLAIN = st.one_of(
    st.integers(0, 20_000_000).map(str),
    st.floats(-1e9, 1e9).map(repr),
    st.decimals(-(10**12), 10**12, places=3).map(str),
)
LINES = st.one_of(
    st.lists(PLAIN, max_size=60),
    st.lists(FIELDS, max_size=30),
    st.lists(st.lists(PLAIN, max_size=4).map(" ".join), max_size=30),
    st.lists(st.lists(st.one_of(FIELDS, PLAIN), max_size=4).map(" ".join), max_size=30),
    st.lists(st.lists(PLAIN, max_size=4).map(",".join), max_size=30),
)


def same(first: ValueFile, second: ValueFile) -> bool:
    """To the last bit, the sign of zero and NaN included."""
    bits = [struct.pack(f"{len(found.values)}d", *found.values) for found in (first, second)]
    return bits[0] == bits[1] and first[1:] == second[1:]


@settings(SETTINGS, max_examples=500)
@given(
    lines=LINES,
    ending=st.sampled_from(["\n", "\n", "\r\n", " \n", "\n\n"]),
    column=st.sampled_from([1, 1, 2, 3]),
    delimiters=st.sampled_from([b" \t", b" \t", b",", b", ", b"#", b"1", b"."]),
)
def test_the_quick_way_gives_what_the_plain_rules_give_or_leaves_it_to_them(
    lines: list[str], ending: str, column: int, delimiters: bytes
) -> None:
    data = "".join(line + ending for line in lines).encode()
    quick = parse_plain(data, column, delimiters)
    event("left to the plain rules" if quick is None else "quick")
    if quick is not None:
        assert same(quick, parse_values(data, column=column, delimiters=delimiters))


@settings(SETTINGS, max_examples=150)
@given(lines=LINES, block_bytes=st.integers(1, 400), column=st.sampled_from([1, 1, 2]))
def test_a_file_read_in_blocks_of_any_size_gives_what_the_plain_rules_give(
    lines: list[str], block_bytes: int, column: int, tmp_path: Path
) -> None:
    data = "\n".join(lines).encode()
    (tmp_path / "values").write_bytes(data)
    expected = parse_values(data, column=column)
    if expected.bad:
        with pytest.raises(FwdtuiError, match=rf"/values:{expected.bad.line}: not a "):
            read_value_file(str(tmp_path / "values"), column=column, block_bytes=block_bytes)
    else:
        found = read_value_file(str(tmp_path / "values"), column=column, block_bytes=block_bytes)
        assert same(found, expected)


@pytest.mark.parametrize("length", [8189, 8190, 8191, 8192, 16382, 20000])
@pytest.mark.parametrize("block_bytes", [1000, 8191, 1 << 20])
def test_long_lines_are_cut_alike_wherever_the_blocks_end(
    length: int, block_bytes: int, tmp_path: Path
) -> None:
    data = b"1\n" * 700 + b" " * length + b"2\n3\n" + b"0" * length + b"\n4"
    (tmp_path / "long").write_bytes(data)
    assert same(read_value_file(str(tmp_path / "long"), block_bytes=block_bytes), parse_values(data))


def test_plain_numbers_do_go_the_quick_way() -> None:
    for data in (
        b"1\n22\n\n-3\n",
        b"1.5\n.25\r\n-7.\n",
        b"10034558.419206478\n0.1\n",
        b"1e5\n+2\n",
        b" 1\n2 # x\n",
    ):
        assert parse_plain(data, 1, b" \t") is not None, data
    assert parse_plain(b"a 1 x\nb 2\n# 3\n", 2, b" \t") is not None


def test_numbers_of_sixteen_to_eighteen_digits_are_rounded_once() -> None:
    chance = random.Random(754)
    digits = [str(chance.randrange(10**15, 10**18)) for _ in range(200_000)]
    lines = [f"{text[:place]}.{text[place:]}" for text in digits for place in (chance.randrange(1, 16),)]
    found = parse_plain(("\n".join(lines) + "\n").encode(), 1, b" \t")
    assert found is not None
    assert list(found.values) == [float(line) for line in lines]


def test_a_big_file_of_every_kind_of_line_is_read_as_by_the_plain_rules(tmp_path: Path) -> None:
    kinds = (
        [str(14_880_000 + number % 997) for number in range(100_000)],
        [repr(1e7 * (1 + math.sin(number))) for number in range(60_000)],
        [f"{number / 8:.3f}" for number in range(-50_000, 50_000)],
        [f"{number}e-3" for number in range(50_000)],
        ["# a comment", "", "0x1F", " 7 8"],
    )
    data = "\n".join("\n".join(kind) for kind in kinds * 2).encode()
    assert len(data) > 4 << 20
    (tmp_path / "big").write_bytes(data)
    assert same(read_value_file(str(tmp_path / "big")), parse_values(data))


def test_a_bad_token_deep_in_a_big_file_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "big").write_text("1488095\n" * 300_000 + "1488095 pps\n1.488,095\n")
    assert refused(tmp_path / "big") == f"{tmp_path}/big:300002: not a number: '1.488,095'"


def test_infinity_deep_in_a_big_file_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "big").write_text("1488095\n" * 300_000 + "1e999\n")
    assert refused(tmp_path / "big") == f"{tmp_path}/big:300001: not a finite number: '1e999'"


def test_numpy_is_loaded_for_big_files_only(tmp_path: Path) -> None:
    (tmp_path / "small").write_text("1488095\n" * 1000)
    (tmp_path / "big").write_text("1488095\n" * 200_000)
    program = (
        "import sys; from fwdtui.store.valuefile import read_values\n"
        "for name in ('small', 'big'): read_values(name); print('numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]
