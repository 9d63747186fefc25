"""The debian flavour is Debian's ministat, byte for byte: the same random files and options to both."""

import math
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from fwdtui.core.errors import FwdtuiError
from fwdtui.stats.ministat import CONFIDENCES, MinistatOptions, NamedSet, block
from fwdtui.store.valuefile import read_values

MINISTAT = shutil.which("ministat")
pytestmark = pytest.mark.skipif(MINISTAT is None, reason="Debian's ministat is not installed")


@dataclass(frozen=True)
class Call:
    """Options as given on the command line, and as our own."""

    arguments: tuple[str, ...]
    options: MinistatOptions
    column: int = 1
    delimiters: str = " \t"


def theirs(call: Call, paths: Sequence[str], folder: Path) -> "subprocess.CompletedProcess[bytes]":
    assert MINISTAT is not None
    return subprocess.run(
        [MINISTAT, *call.arguments, *paths], cwd=folder, capture_output=True, check=False, timeout=60
    )


def read(call: Call, paths: Sequence[str], folder: Path) -> list[NamedSet]:
    return [
        NamedSet(path, read_values(str(folder / path), column=call.column, delimiters=call.delimiters))
        for path in paths
    ]


def ours(call: Call, paths: Sequence[str], folder: Path) -> bytes | FwdtuiError:
    try:
        return block(read(call, paths, folder), call.options).encode()
    except FwdtuiError as error:
        return error


def subnormal(sets: Sequence[NamedSet]) -> bool:
    """Whether a plot's step is no normal double: theirs then writes wherever the rounding leads."""
    values = [value for each in sets for value in each.values]
    return (max(values) - min(values)) / 200 < sys.float_info.min


def write(texts: Sequence[bytes], folder: Path) -> list[str]:
    paths = [f"set{number}" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        (folder / path).write_bytes(text)
    return paths


def agree(call: Call, texts: Sequence[bytes], folder: Path) -> str:
    """Both print the same; where theirs refuses or is killed by a signal, ours refuses. Which it was."""
    paths = write(texts, folder)
    done = theirs(call, paths, folder)
    answer = ours(call, paths, folder)
    if done.returncode == 0 and isinstance(answer, FwdtuiError):
        assert subnormal(read(call, paths, folder)), answer
        return "a subnormal step"
    if done.returncode == 0:
        assert answer == done.stdout
        return "the same text"
    assert isinstance(answer, FwdtuiError)
    if found := re.search(rb"Invalid data on line (\d+) in (\w+)", done.stderr):
        assert str(answer).startswith(f"{folder}/{found[2].decode()}:{found[1].decode()}: not a ")
        return "the same line at fault"
    return "theirs was killed" if done.returncode < 0 else "theirs refused"


# what benchmarks give, and what breaks programs
NUMBERS = st.one_of(
    st.integers(0, 9),
    st.integers(-1000, 20_000_000),
    st.sampled_from([14_880_952, 1_488_095, 0, -0.0, 0.1, 1e9 + 0.1, 1e15, 1e16, 1e16 + 2, 5e-324, 1e-300]),
    st.floats(-1e6, 1e6),
    st.floats(9.9e6, 1.01e7).map(lambda number: round(number, 3)),
    st.floats(allow_nan=False, allow_infinity=False),
)
AROUND = st.builds(
    lambda centre, spread, parts: [centre + spread * part for part in parts],
    st.sampled_from([0.0, 1.0, 1e3, 14.88e6, -2e6, 1e15, 1e100]),
    st.sampled_from([1e-6, 1.0, 100.0, 5e5, 1e14]),
    st.lists(st.floats(-1, 1), min_size=3, max_size=200),
)
SETS = st.one_of(
    st.lists(NUMBERS, min_size=3, max_size=12),
    AROUND,
    AROUND.map(lambda values: [round(value) for value in values]),
    st.lists(st.integers(0, 6), min_size=3, max_size=200),  # ties: high stacks
    st.builds(lambda value, n: [value] * n, NUMBERS, st.integers(3, 40)),  # no spread at all
)
ONE_TO_SEVEN = st.lists(SETS, min_size=1, max_size=7)
CALLS = st.builds(
    lambda no_plot, vitals_only, separate, width, confidence: Call(
        tuple(
            (["-A"] if no_plot else [])
            + (["-n"] if vitals_only else [])
            + (["-s"] if separate else [])
            + (["-w", str(width)] if width else [])
            + (["-c", f"{confidence:g}"] if confidence else [])
        ),
        MinistatOptions(
            flavour="debian",
            plot=not no_plot,
            relative=not vitals_only,
            separate_bars=separate,
            width=width or 74,
            confidence=confidence or 95.0,
        ),
    ),
    st.sampled_from([False, False, False, True]),
    st.sampled_from([False] * 9 + [True]),
    st.booleans(),
    st.one_of(st.none(), st.integers(2, 200)),
    st.one_of(st.none(), st.sampled_from(CONFIDENCES)),
)
SETTINGS = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    print_blob=True,
)


def lines(values: Sequence[float]) -> bytes:
    return "".join(f"{value!r}\n" for value in values).encode()


@settings(SETTINGS, max_examples=500)
@given(sets=ONE_TO_SEVEN, call=CALLS)
def test_any_values_and_options_give_the_same_text(
    sets: list[list[float]], call: Call, tmp_path: Path
) -> None:
    event(agree(call, [lines(values) for values in sets], tmp_path))


def close_doubles(first: float, steps: Sequence[int]) -> list[float]:
    """Doubles that lie so many units in the last place above the first."""
    return [first + step * math.ulp(first) for step in steps]


@settings(SETTINGS, max_examples=120)
@given(
    first=st.sampled_from([1.0, 2.0, 1e16, 4503599627370497.0, 1e-310, 0.1, -1.0, 14.88e6]),
    steps=st.lists(st.lists(st.integers(0, 400), min_size=3, max_size=12), min_size=1, max_size=3),
    width=st.integers(2, 150),
)
def test_a_span_of_a_few_units_in_the_last_place_is_plotted_alike(
    first: float, steps: list[list[int]], width: int, tmp_path: Path
) -> None:
    call = Call(("-w", str(width)), MinistatOptions(flavour="debian", width=width))
    event(agree(call, [lines(close_doubles(first, each)) for each in steps], tmp_path))


@pytest.mark.parametrize(
    ("first", "steps", "width"),
    [
        (1.0, [73, 109, 117, 54, 31, 64, 174, 108], 144),
        (14.88e6, [6, 3, 17, 15, 14], 15),
        (14.88e6, [16, 9, 14, 22, 22, 26], 18),
        (1e16, [11, 84, 59, 24, 21], 74),
    ],
)
def test_a_point_that_rounding_puts_beyond_the_last_column_is_drawn_where_it_draws_it(
    first: float, steps: list[int], width: int, tmp_path: Path
) -> None:
    call = Call(("-w", str(width)), MinistatOptions(flavour="debian", width=width))
    assert agree(call, [lines(close_doubles(first, steps))], tmp_path) == "the same text"


@settings(SETTINGS, max_examples=120)
@given(sets=st.lists(st.lists(st.integers(0, 2), min_size=3, max_size=40), min_size=2, max_size=7))
def test_stacks_are_cut_and_regrown_alike(sets: list[list[int]], tmp_path: Path) -> None:
    call = Call(("-w", "5"), MinistatOptions(flavour="debian", width=5))
    event(agree(call, [lines(values) for values in sets], tmp_path))


TOKENS = st.one_of(
    st.integers(-9999, 9999).map(str),
    st.floats(-1e5, 1e5).map(repr),
    st.floats(-1e5, 1e5).map(float.hex),
    st.floats(-1e5, 1e5).map("{:.3e}".format),
    st.sampled_from(["1.", ".5", "+7", "-.25", "0x1p4", "0X.8", "1E3", "007", "1e-400"]),
)
ODD_TOKENS = st.sampled_from(
    [
        "#",
        "#5",
        "5#",
        "x",
        "1,5",
        "0x",
        "1e",
        "--1",
        ".",
        "1_0",
        "0b1",
        "٣",
        "",
        "5\0x",
        "1e5x",
        "infi",
        "nan(",
    ]
)
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", " \n", "\t \r\n", "\n\n", "\v\f\n"])
BEGINNINGS = st.sampled_from(["", "", "", " ", "\t", "# ", ","])


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[bytes], int, str | None]:
    """Files of columns with comments, blanks and now and then a token that is no number; -C and -d."""
    delimiters, between = draw(
        st.sampled_from(
            [
                *((None, " "), (None, " \t"), (" ", "  "), (",", ","), (",", ",,"), (", ", ", ")),
                *((";|", "|;"), ("#", "#"), ("e.", "e"), ("1", "1"), (",", " "), ("\t,", ", ")),
            ]
        )
    )
    odd = draw(st.sampled_from([False, False, True]))
    token = st.one_of(TOKENS, TOKENS, TOKENS, TOKENS, ODD_TOKENS) if odd else TOKENS
    files = []
    for _ in range(draw(st.integers(1, 2))):
        rows = draw(st.lists(st.lists(token, max_size=4), min_size=3, max_size=30))
        rows += [["1", "2", "3", "4"]] * 3
        text = "".join((draw(BEGINNINGS) if odd else "") + between.join(row) + draw(ENDS) for row in rows)
        files.append((text if draw(st.booleans()) else text.rstrip("\n")).encode())
    return files, draw(st.integers(1, 4)), delimiters


@settings(SETTINGS, max_examples=350)
@given(table=tables())
def test_any_file_is_read_alike(table: tuple[list[bytes], int, str | None], tmp_path: Path) -> None:
    files, column, delimiters = table
    arguments = ("-A", "-C", str(column), *(("-d", delimiters) if delimiters else ()))
    options = MinistatOptions(flavour="debian", plot=False)
    event(agree(Call(arguments, options, column, delimiters or " \t"), files, tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        b"1\n2\n3\n" + b" " * 9000 + b"4\n",
        b"1\n2\n3\n" + b"0" * 9000 + b"4\n",
        b"1\n2\n3\n" + b"5" + b" " * 8190 + b"\n6\n",
        b"1\n2\n3\n" + b"5" + b" " * 8189 + b"\n6\n",
        b"1\n2\n3\n" + b"5" + b" " * 8191 + b"6\n",
        b"1\n2\n3\n" + b" " * 8190 + b"77\n",
        b"1\n2\n3\n" + b"0" * 8190 + b"5x\n",
        b"1\n2\n3\0garbage\n\0\n4",
        b"1\n2\n3\n\0\0\0" * 4,
        b"\xa05\n1\n2\n3\n",
        b"1\n2\n3\xa0\n",
        b"\n" * 9 + b"1\n2\n3\n",
        b"",
        b"1\n2\n",
        b"1\n2",
    ],
)
def test_long_lines_and_bytes_that_are_no_text_are_read_alike(text: bytes, tmp_path: Path) -> None:
    agree(Call(("-A",), MinistatOptions(flavour="debian", plot=False)), [text], tmp_path)


@pytest.mark.parametrize("odd", ["nan", "-nan", "nan(12)", "inf", "-inf", "1e999", "INFINITY"])
@pytest.mark.parametrize("place", [0, 3])
def test_nan_and_infinity_kill_or_spoil_it_and_ours_refuses(odd: str, place: int, tmp_path: Path) -> None:
    values = ["1", "2", "3"]
    values.insert(place, odd)
    call = Call((), MinistatOptions(flavour="debian"))
    paths = write(["\n".join(values).encode()], tmp_path)
    done = theirs(call, paths, tmp_path)
    assert done.returncode < 0 or b"nan" in done.stdout
    answer = ours(call, paths, tmp_path)
    assert str(answer) == f"{tmp_path}/set0:{place + 1}: not a finite number: {odd!r}"


def test_a_plot_one_character_wide_kills_it_and_ours_refuses(tmp_path: Path) -> None:
    call = Call(("-w", "1"), MinistatOptions(flavour="debian", width=1))
    assert agree(call, [b"1\n2\n3\n"], tmp_path) == "theirs was killed"


@pytest.mark.parametrize("n", [99, 103, 1000, 100_000, 150_000])
def test_many_values_give_the_same_text(n: int, tmp_path: Path) -> None:
    first = [1e7 + 1e5 * math.sin(number * number) for number in range(n)]
    second = [1e7 + 1e5 * math.sin(number * number + 1) + 900 for number in range(n)]
    agree(Call((), MinistatOptions(flavour="debian")), [lines(first), lines(second)], tmp_path)


def test_many_equal_values_make_the_same_high_stack(tmp_path: Path) -> None:
    sets = [[5] * 120_000 + [9], [5] * 110_000 + [-0.0, 0.0] * 9, [0.0, -0.0] * 60_000 + [7]]
    for values in (sets, sets[::-1]):
        agree(Call((), MinistatOptions(flavour="debian")), [lines(each) for each in values], tmp_path)


def test_a_mean_of_zero_has_infinite_percents_in_both(tmp_path: Path) -> None:
    call = Call((), MinistatOptions(flavour="debian"))
    agree(call, [lines([-1, 0, 1]), lines([100, 101, 102])], tmp_path)
    assert b"inf% +/- inf%" in theirs(call, ["set0", "set1"], tmp_path).stdout


def test_sums_of_squares_that_cancel_give_nan_in_both(tmp_path: Path) -> None:
    call = Call((), MinistatOptions(flavour="debian"))
    agree(call, [lines([0.1, 0.1, 0.1])], tmp_path)
    assert b" -nan\n" in theirs(call, ["set0"], tmp_path).stdout
