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
from decimal import Decimal, localcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.parse.valuefile import ValueFile, parse_values
from fwdtui.store import valuefile, valuefile_fast
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


def test_msgspec_is_loaded_for_big_files_only(tmp_path: Path) -> None:
    (tmp_path / "small").write_text("1488095\n" * 1000)
    (tmp_path / "big").write_text("1488095\n" * 200_000)
    program = (
        "import sys; from fwdtui.store.valuefile import read_values\n"
        "for name in ('small', 'big'): read_values(name); print('msgspec' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]


# which lines are read as an array of JSON, several times as fast


@pytest.mark.parametrize(
    "text",
    [
        "1", "12", "-3", "0", "-0.0", "1\n22\n333", "1.5\n2\n-33.25", "1e5\n2E+3\n-2.5e-3", "123456789012345",
        "12345678901234.5", "123456789012345678", "1.23456789012345678", "9007199254740993",
        "18446744073709551617", "1.7976931348623158e308", "4.9e-324", "2.4e-324",
        "9007199254740993.000000000000000000000000001",
    ],
)  # fmt: skip
def test_numbers_of_json_are_read_as_such_and_rounded_once(text: str) -> None:
    found = valuefile_fast._json_numbers(text.encode() + b"\n")
    assert found is not None
    expected = [float(line) for line in text.split()]
    assert [struct.pack("d", one) for one in found] == [struct.pack("d", one) for one in expected]


@pytest.mark.parametrize(
    "text",
    [
        "-0",
        "+1",
        ".5",
        "5.",
        "007",
        "",
        "1\n\n2",
        "-",
        "1-2",
        "--1",
        "1.2.3",
        "1e",
        "1e999",
        "1,2",
        "1],[2",
        "null",
    ],
)
@pytest.mark.parametrize("more", ["", "\n7\n8"])
def test_other_lines_are_not(text: str, more: str) -> None:
    found = valuefile_fast._json_numbers(f"{text}{more}\n".encode())
    assert found is None


def test_a_number_midway_between_two_doubles_is_rounded_to_the_even_one_and_beside_it_to_the_nearer() -> None:
    chance = random.Random(754)
    lines = []
    for _ in range(2000):
        low = math.ldexp(1.0 + chance.random(), chance.randrange(-60, 50))
        with localcontext(prec=200):
            midway = (Decimal(low) + Decimal(math.nextafter(low, math.inf))) / 2
        text = format(midway, "f")
        lines += [
            text,
            f"{text}{'' if '.' in text else '.'}0000000000000000000001",
            text[:-1] + str(int(text[-1]) - 1),
        ]
    found = valuefile_fast._json_numbers(("\n".join(lines) + "\n").encode())
    assert found is not None
    assert list(found) == [float(line) for line in lines]


@pytest.mark.parametrize(
    ("data", "column", "delimiters", "quick"),
    [
        (b"\n1\n", 1, b" \t", True),
        (b"1", 1, b" \t", False),  # its line may go on
        (b"1_0\n", 1, b" \t", False),  # 10 to Python alone
        (b"nan\n", 1, b" \t", False),
        (b"1e999\n", 1, b" \t", False),
        (b"1\v2\n", 1, b" \t", False),
        (b"1\n", 1, b"\n", False),
        (b"1 " * 99 + b"7\n", 100, b" \t", True),
        (b"1 " * 100 + b"7\n", 101, b" \t", False),
        (b"\n" + b" " * 8189 + b"7\n", 1, b" \t", True),  # as much as fgets(3) returns at once
        (b"\n" + b" " * 8190 + b"7\n", 1, b" \t", False),
    ],
)
def test_what_the_plain_rules_might_treat_in_another_way_is_left_to_them(
    data: bytes, column: int, delimiters: bytes, quick: bool
) -> None:
    found = parse_plain(data, column, delimiters)
    assert (found is not None) is quick
    if found is not None:
        assert same(found, parse_values(data, column=column, delimiters=delimiters))


# how much is read of a file, and in what pieces


class Source:
    """Standard input that gives as much of one byte as is asked for, and never ends."""

    def __init__(self, byte: bytes, most: int = 1 << 40) -> None:
        self.buffer, self.asked = self, list[int]()
        self._byte, self._left = byte, most

    def read(self, size: int) -> bytes:
        self.asked.append(size)
        given = min(size, self._left)
        self._left -= given
        return self._byte * given


def test_what_holds_no_value_is_read_for_sixteen_mebibytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """One block first, then pieces that stay in the processor's cache."""
    source = Source(b"#")
    monkeypatch.setattr(sys, "stdin", source)
    assert refused("-") == "<stdin>: not a value file: no value in its first 16 MiB"
    assert source.asked == [1 << 20] + [1 << 17] * (15 << 3)
    monkeypatch.setattr(sys, "stdin", Source(b"#", (16 << 20) - 1))
    assert refused("-").startswith("<stdin>: no values (")


@pytest.mark.parametrize(
    ("size", "values", "wrong"),
    [
        (1 << 24, 0, "not a value file: no value in its first 16 MiB"),
        (1 << 24, 1, ""),
        (1 << 31, 100_000_000, ""),
        ((1 << 31) + 1, 1, "larger than the 100,000,000 values or 2 GiB that fwdtui reads of a file"),
        (1 << 24, 100_000_001, "larger than the 100,000,000 values or 2 GiB that fwdtui reads of a file"),
    ],
)
def test_there_is_a_bound_on_bytes_and_on_values(size: int, values: int, wrong: str) -> None:
    assert valuefile._endless(size, values) == wrong


def test_a_file_beyond_the_bound_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(valuefile, "NOTHING_BYTES", 8)
    monkeypatch.setattr(valuefile, "MOST_VALUES", 5)
    (tmp_path / "few").write_text("1\n" * 5)
    (tmp_path / "many").write_text("1\n" * 6)
    assert list(read_values(str(tmp_path / "few"))) == [1.0] * 5
    assert refused(tmp_path / "many").startswith(f"{tmp_path}/many: larger than the 5 values or ")


@pytest.mark.parametrize(
    ("length", "told"), [(7, []), (8, [8]), (10, [8, 10]), (20, [8, 16, 20])], ids=["small", "", "", ""]
)
def test_from_one_block_on_a_file_is_read_quickly_and_its_progress_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int, told: list[int]
) -> None:
    path = str(tmp_path / "values")
    Path(path).write_bytes(b"1\n2\n3\n4\n5\n6\n7\n8\n9\n0\n"[:length])
    quick, progress = list[bytes](), list[tuple[str, int]]()
    real = valuefile_fast.parse_plain
    monkeypatch.setattr(
        valuefile_fast, "parse_plain", lambda data, *more: quick.append(data) or real(data, *more)
    )
    found = read_value_file(path, block_bytes=8, progress=lambda *one: progress.append(one))
    assert len(found.values) == (length + 1) // 2
    assert progress == [(path, size) for size in told] and bool(quick) == bool(told)


def test_of_what_is_not_finite_the_first_is_named_and_ten_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "odd"
    path.write_text("1\n" + "inf\n-inf\n" * 8)
    assert refused(path) == f"{path}:2: not a finite number: 'inf'"
    for block_bytes in (1, 7, 20, 1000):
        odd = read_value_file(str(path), block_bytes=block_bytes).not_finite
        assert [(one.line, one.token) for one in odd] == [
            (n, "-inf" if n % 2 else "inf") for n in range(2, 12)
        ]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\xef\xbb\xbf1\n", "1: begins with a byte order mark, not a number: save it as UTF-8 without one"),
        (b"\xff\xfe1\0\n\0", "1: UTF-16 text, not a value file: save it as UTF-8"),
        (b"\xfe\xff\x001\0\n", "1: UTF-16 text, not a value file: save it as UTF-8"),
        (b"12\n\xef\xbb\xbf1\n", "2: not a number: "),
        (b"12\n\xff\xfe1\n", "2: not a number: "),
        (b"12\n1\0\n", None),  # what follows a NUL is not there to ministat
        (b"12\nx\0\n", "2: not a value file: it holds binary data"),
    ],
)
@pytest.mark.parametrize("block_bytes", [3, 1 << 20])
def test_text_of_another_encoding_is_named_where_the_file_begins(
    tmp_path: Path, data: bytes, told: str | None, block_bytes: int
) -> None:
    path = tmp_path / "values"
    path.write_bytes(data)
    if told is None:
        assert list(read_value_file(str(path), block_bytes=block_bytes).values) == [12.0, 1.0]
    else:
        with pytest.raises(FwdtuiError) as caught:
            read_value_file(str(path), block_bytes=block_bytes)
        assert str(caught.value).startswith(f"{path}:{told}")


@pytest.mark.parametrize(
    ("text", "column", "told"),
    [
        ("", None, "no values (0 lines read)"),
        ("#\n", None, "no values (1 line read)"),
        ("#\n\n", 1, "no values (2 lines read)"),
        ("1\n2\n", 2, "no values in column 2 (2 lines read)"),
    ],
)
def test_a_file_without_values_says_in_which_column(
    tmp_path: Path, text: str, column: int, told: str
) -> None:
    (tmp_path / "values").write_text(text)
    assert refused(tmp_path / "values", column=column) == f"{tmp_path}/values: {told}"
