"""A ministat block against its own rows: nothing genuine is flagged, nothing beyond rounding gets through."""

import itertools
import math
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path

import pytest
from fixtures import Agree, cases, reports
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ministat_samples import SETS, block

from fwdtui.check import check_text
from fwdtui.stats import ministat as freebsd


def faults(text: str) -> list[tuple[int, str]]:
    return [(found.line, found.message) for found in check_text("x", text).findings if found.kind == "table"]


@pytest.mark.parametrize("name", SETS)
def test_a_genuine_block_is_not_flagged(name: str) -> None:
    assert faults(block(name)) == []


@pytest.mark.parametrize("text", [reports.today(), reports.old()], ids=["today", "old"])
def test_the_blocks_of_a_report_are_not_flagged(text: str) -> None:
    assert faults(text) == []


CHANGED = {
    "the verdict turned into a difference": (
        "none",
        "No difference proven",
        "Difference",
        "the rows prove none",
    ),
    "the verdict turned into none": (
        "up3",
        "Difference at",
        "No difference proven at",
        "the rows prove a difference",
    ),
    "the sign of the difference": ("up3", "\t29880", "\t-29880", "the difference is printed as -29880"),
    "the sign of the percentage": ("up3", "\t2.98681%", "\t-2.98681%", "in percent is printed as -2.98681"),
    "the error": ("up3", "2611.39", "2611.93", "the error is printed as 2611.93, but the rows give 2611.39"),
    "the error in percent": ("up3", "0.261034%", "0.261304%", "0.265227 or 0.261034"),
    "the pooled s": ("up3", "1790.53", "1970.53", "the pooled s is printed as 1970.53"),
    "another confidence": (
        "up3",
        "at 95.0%",
        "at 99.0%",
        "the error is printed as 2611.39, but the rows give",
    ),
    "a confidence that ministat does not have": ("up3", "at 95.0%", "at 85.0%", "the error is printed"),
    "the average": (
        "up3",
        "1030280",
        "1030820",
        "the difference is printed as 29880, but the rows give 30420",
    ),
    "the standard deviation": ("up3", "1728.294", "1782.294", "the pooled s is printed as 1790.53"),
    "a standard deviation beyond the range": (
        "none",
        "6551.7173",
        "16551.717",
        "the standard deviation of '+'",
    ),
    "a standard deviation below the extremes'": ("none", "6551.7173", "551.7173", "is impossible"),
    "the number of values": ("up3", "+   5", "+  50", "the error is printed"),
    "the median above the maximum": (
        "none",
        "1001000 ",
        "1901000 ",
        "the median of '+', 1901000, is not between",
    ),
    "the average below the minimum": (
        "none",
        "1001900",
        "901900",
        "the average of '+', 901900, is not between",
    ),
    "an average that these extremes forbid": (
        "none",
        "1001900",
        "1009900",
        "the average of '+', 1009900, is impossible",
    ),
    "the minimum above the maximum": ("none", " 994500 ", " 2994500 ", "is above its maximum"),
}


@pytest.mark.parametrize(("name", "old", "new", "reason"), CHANGED.values(), ids=CHANGED.keys())
def test_a_changed_number_is_flagged_at_its_line(name: str, old: str, new: str, reason: str) -> None:
    text = block(name)
    assert text.count(old) == 1
    changed = text.replace(old, new)
    line = changed[: changed.index(new)].count("\n") + 1
    found = faults(changed)
    assert any(reason in message.lower() for _, message in found), found
    if "rows give" not in reason and "printed" not in reason:
        assert line in [number for number, _ in found]


@pytest.mark.parametrize("error", ["0.261034%", "0.265227%"])
def test_the_percent_error_of_either_flavour_is_right(error: str) -> None:
    assert faults(block("up3").replace("0.261034%", error)) == []


def test_numbers_that_no_rounding_can_tell_apart_are_not_flagged() -> None:
    # 29880.0 +- 0.1 may have been printed as 29880.1 by a ministat that saw the whole values
    assert faults(block("up3").replace("\t29880 ", "\t29880.1 ")) == []
    assert faults(block("up3").replace("\t29880 ", "\t29880.3 ")) != []


def test_what_has_no_number_is_left_alone() -> None:
    assert faults(block("up3").replace("1850.6756", "-nan")) == []
    zero = (
        "x a\n+ b\n    N           Min           Max        Median           Avg        Stddev\n"
        "x   3            -1             1             0             0             1\n"
        "+   5             1             5             3             3     1.5811388\n"
        "Difference at 95.0% confidence\n\t3 +/- 2.52725\n\tinf% +/- inf%\n"
        "\t(Student's t, pooled s = 1.41421)\n"
    )
    assert faults(zero) == []


def test_a_damaged_row_is_not_held_against_the_others() -> None:
    checked = check_text("x", block("up3", "down3").replace("1030280", "10302B0"))
    assert checked.findings == ()
    assert len(checked.skipped) == 2


# --- one digit changed anywhere in the published blocks, against an enumeration of what rounding allows ---

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e[+-][0-9]+)?")
_T = {8: 2.306, 18: 2.101}


def ends(text: str, digits: int) -> tuple[float, float]:
    value = float(text)
    half = 0.5 * 10.0 ** (math.floor(math.log10(abs(value))) + 1 - digits)
    return value - half, value + half


def allowed(first: list[str], second: list[str]) -> list[list[float]]:
    """The verdict's numbers at all corners of what two rows (n, min, max, median, avg, stddev) stand for."""
    n2, n1 = int(first[0]), int(second[0])
    df = n1 + n2 - 2
    out = []
    for a2, s2, a1, s1 in itertools.product(*(ends(row[at], 8) for row in (first, second) for at in (4, 5))):
        pooled = math.sqrt(((n1 - 1) * s1**2 + (n2 - 1) * s2**2) / df)
        error = _T[df] * pooled * math.sqrt(1 / n1 + 1 / n2)
        spread = ((n1 - 1) * s1**2 + (n2 - 1) * s2**2 * a1**2 / a2**2) * (n1 + n2) / (n1 * n2 * df)
        difference = a1 - a2
        current = _T[df] * math.sqrt(spread)
        percents = (100 * part / a2 for part in (difference, error, current))
        out.append([difference, error, *percents, pooled])
    return out


def contradicts(rows: list[list[str]], verdict: list[str]) -> bool:
    """Whether some number of the verdict is out of reach of its rows, by more than a hair."""
    corners = list(zip(*allowed(*rows), strict=True))
    for place, text in zip((0, 1, 2, (3, 4), 5), verdict, strict=True):
        low, high = ends(text, 6)
        hair = 1e-9 * abs(high)
        reach = [corners[at] for at in (place if isinstance(place, tuple) else (place,))]
        if all(low - hair > max(corner) or high + hair < min(corner) for corner in reach):
            return True
    return False


def changes(text: str) -> Iterator[tuple[str, bool, bool]]:
    """The text with one digit changed, whether in a verdict, and whether that contradicts the block.

    In the rows only averages and deviations are changed: N would need another t, the rest is in no verdict.
    """
    lines = text.split("\n")
    for at in (at for at, line in enumerate(lines) if line.startswith("Difference at")):
        places = [at - 2, at - 1, at + 1, at + 2, at + 3]
        for place in places:
            numbers = list(_NUMBER.finditer(lines[place]))
            for number in numbers[4:6] if place < at else numbers:
                mantissa = number[0].partition("e")[0]
                for offset, digit in enumerate(mantissa, start=number.start()):
                    for step in (1, 5) if digit.isdigit() else ():
                        new = str((int(digit) + step) % 10)
                        changed = lines[place][:offset] + new + lines[place][offset + 1 :]
                        part = [changed if p == place else lines[p] for p in places]
                        rows = [_NUMBER.findall(row) for row in part[:2]]
                        verdict = _NUMBER.findall(" ".join(part[2:]))
                        whole = "\n".join([*lines[:place], changed, *lines[place + 1 :]])
                        yield whole, place > at, contradicts(rows, verdict)


def beyond_rounding(texts: Iterable[str]) -> tuple[int, int]:
    """How many changed digits are beyond rounding, and how many are not; only the former are flagged."""
    told = hidden = 0
    for whole in texts:
        for text, in_verdict, contradiction in changes(whole):
            found = bool(faults(text))
            # a changed row may also be impossible by itself
            assert found == contradiction if in_verdict else found or not contradiction, text
            told += contradiction
            hidden += not contradiction
    return told, hidden


def test_one_changed_digit_is_flagged_exactly_where_it_is_beyond_rounding() -> None:
    told, hidden = beyond_rounding([reports.block("up", "current"), reports.block("down", "old")])
    assert told > 200 and hidden < told / 3


# --- whatever Debian's ministat prints ---

values = st.one_of(
    st.integers(-(10**7), 10**7).map(float),
    st.floats(-1e9, 1e9, allow_nan=False, allow_subnormal=False),  # below 1e-307 a double has fewer digits
    st.sampled_from([0.0, 0.1, 1e9, 1e9 + 0.1, 1e-9, 5.0]),
)


@pytest.fixture(scope="module")
def ministat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    program = shutil.which("ministat")
    if program is None:
        pytest.skip("Debian's ministat is not installed")
    yield program, tmp_path_factory.mktemp("ministat")


def printed_by(ministat: tuple[str, Path], sets: list[list[float]], options: list[str]) -> str:
    program, folder = ministat
    for at, numbers in enumerate(sets):
        (folder / f"set{at}").write_text("".join(f"{number!r}\n" for number in numbers))
    names = [f"set{at}" for at in range(len(sets))]
    run = subprocess.run([program, *options, *names], cwd=folder, capture_output=True, text=True, check=True)
    return run.stdout


OPTIONS = st.tuples(
    st.lists(st.sampled_from(["-A", "-s", "-n"]), unique=True),
    st.sampled_from([[], ["-c", "80"], ["-c", "90"], ["-c", "98"], ["-c", "99"], ["-c", "99.5"]]),
    st.integers(2, 120).map(lambda width: ["-w", str(width)]),
).map(lambda parts: [*parts[0], *parts[1], *parts[2]])


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sets=st.lists(st.lists(values, min_size=3, max_size=12), min_size=1, max_size=7), options=OPTIONS)
def test_nothing_that_ministat_prints_is_flagged(
    ministat: tuple[str, Path], sets: list[list[float]], options: list[str]
) -> None:
    checked = check_text("x", printed_by(ministat, sets, options))
    assert checked.findings == () and checked.skipped == () and checked.blocks == 1


def test_nothing_that_ministat_prints_of_measurements_is_flagged(ministat: tuple[str, Path]) -> None:
    chance = random.Random(4306)
    for _ in range(400):
        level, spread = 10.0 ** chance.uniform(-3, 10), 10.0 ** chance.uniform(-9, 0)
        sets = [
            [
                chance.gauss(level * (1.0 + chance.choice([0.0, 0.0, spread])), level * spread)
                for _ in range(chance.choice([3, 4, 5, 5, 10, 51, 60, 120]))
            ]
            for _ in range(chance.choice([2, 2, 3, 7]))
        ]
        if chance.random() < 0.5:
            sets = [[float(round(value)) for value in one] for one in sets]
        options = [
            "-c",
            chance.choice(["80", "90", "95", "98", "99", "99.5"]),
            "-w",
            str(chance.randint(2, 100)),
        ]
        text = printed_by(ministat, sets, options)
        checked = check_text("x", text)
        assert checked.findings == () and checked.skipped == () and checked.blocks == 1, text


def test_nothing_that_any_flavour_prints_is_flagged() -> None:
    """FreeBSD's ministats, and -q, which Debian's lacks."""
    chance = random.Random(27401)
    for _ in range(600):
        level = chance.choice([1.0, -1.0]) * 10.0 ** chance.uniform(-9, 12)
        spread = abs(level) * 10.0 ** chance.uniform(-9, 1)
        sets = [
            freebsd.NamedSet(
                f"set {place}",
                [chance.gauss(level, spread) for _ in range(chance.choice([3, 4, 5, 10, 60, 120]))],
            )
            for place in range(chance.choice([1, 2, 2, 3, 7]))
        ]
        options = freebsd.MinistatOptions(
            flavour=chance.choice(["current", "classic", "debian"]),
            confidence=chance.choice(freebsd.CONFIDENCES),
            plot=chance.random() < 0.5,
            relative=chance.random() < 0.8,
            quiet=chance.random() < 0.3,
        )
        text = freebsd.block(sets, options)
        checked = check_text("x", text)
        assert checked.findings == () and checked.skipped == () and checked.blocks == 1, text


REWRITTEN = {
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "blanks for tabs": lambda text: text.expandtabs(8),
    "indented": lambda text: "".join(f"    {line}\n" for line in text.split("\n")),
    "quoted": lambda text: "".join(f"> {line}\n" for line in text.split("\n")),
    "trailing blanks": lambda text: text.replace("\n", "  \n"),
    "tildes": lambda text: text.replace("```", "~~~"),
    "no fences": lambda text: text.replace("```", ""),
    "no closing fence": lambda text: re.sub(r"(pooled s = [0-9.]+\)|No difference.*)\n+```", r"\1\n", text),
    "glued fences": lambda text: re.sub(r"(pooled s = [0-9.]+\))\n```", r"\1```", text),
    "no opening fence": lambda text: re.sub(r"```\n+x ", "x ", text),
    "one blank for many": lambda text: re.sub(r"(?<=\S) +", " ", text),
    "no-break spaces": lambda text: text.replace("  ", "\u00a0 "),
    "a byte order mark": lambda text: "\ufeff" + text,
}


as_it_is = cache(partial(check_text, "x"))
"""Of a text that is rewritten in many ways: it is checked once."""


def rewritten_alike(text: str, rewrite: Callable[[str], str]) -> None:
    before, after = as_it_is(text), check_text("x", rewrite(text))
    # file names in a command count only in a fence (test_check_revisions)
    was, found = (
        [(f.kind, f.text.strip("> ")) for f in one.findings if f.kind != "revision"]
        for one in (before, after)
    )
    assert found == was
    assert after.blocks == before.blocks
    assert after.claims >= before.claims


@pytest.mark.parametrize("text", [reports.today(), reports.old()], ids=["today", "old"])
@pytest.mark.parametrize("rewrite", REWRITTEN.values(), ids=REWRITTEN.keys())
def test_blanks_line_ends_indents_and_fences_change_no_finding(
    rewrite: Callable[[str], str], text: str
) -> None:
    rewritten_alike(text, rewrite)


# --- published reports ---


def real_blocks_are_not_flagged(seeds: Path) -> None:
    files = sorted(seeds.glob("*.txt"))
    assert len(files) == 5
    for file in files:
        assert faults(file.read_text()) == []


def real_changed_digits(seeds: Path) -> None:
    # each block in its fence: the prose around them has no part in it, and is slow to read a thousand times
    told, hidden = beyond_rounding(
        part for file in sorted(seeds.glob("*.txt")) for part in file.read_text().split("```")
    )
    assert told > 500 and hidden < told / 4


@cases("name", REWRITTEN)
def real_reports_rewritten(seeds: Path, name: str) -> None:
    for file in sorted(seeds.glob("*.txt")):
        rewritten_alike(file.read_text(), REWRITTEN[name])


def test_published_reports_say_the_same(agree: Agree) -> None:
    agree(real_blocks_are_not_flagged, real_changed_digits, real_reports_rewritten)
