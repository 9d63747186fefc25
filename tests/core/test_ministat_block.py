"""ministat's output as it is pasted: what is found, and what is said to have been skipped."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core.parse.ministat_block import ROW_DIGITS, VERDICT_DIGITS, Block, parse_ministat_blocks

TWO = """\
x r1: IPv4 pps
+ r1 with D2: IPv4 pps
+--------------------+
|x                   |
|x xx  x        ++ ++|
||_A_|          |AM| |
+--------------------+
    N           Min           Max        Median           Avg        Stddev
x   5        998000       1003000       1000500       1000400     1850.6756
+   5       1028000       1032500       1030400       1030280      1728.294
Difference at 95.0% confidence
\t29880 +/- 2611.39
\t2.98681% +/- 0.261034%
\t(Student's t, pooled s = 1790.53)
"""
THREE = (
    TWO.replace("+ r1 with D2: IPv4 pps\n", "+ r1 with D2: IPv4 pps\n* third\n")
    + """\
*   5        994500       1012000       1001000       1001900     6551.7173
No difference proven at 95.0% confidence
"""
)


def only(text: str) -> Block:
    parsed = parse_ministat_blocks(text)
    assert parsed.skipped == ()
    [block] = parsed.value
    return block


def numbers(block: Block) -> list[object]:
    """All that is in a block but its place."""
    rows = []
    for row in block.rows:
        verdict = row.verdict
        parts = (row.min, row.max, row.median, row.avg, row.stddev)
        said = verdict and (
            verdict.absolute, verdict.absolute_error, verdict.percent, verdict.percent_error, verdict.pooled_s
        )  # fmt: skip
        texts = [part and part.text for part in (*parts, *(said or ()))]
        rows.append((row.symbol, row.n, verdict and (verdict.differs, verdict.confidence), *texts))
    return [block.names, *rows]


def test_a_block_has_names_rows_and_a_verdict_with_their_lines() -> None:
    block = only(TWO)
    assert (block.first_line, block.last_line, block.whole) == (1, 14, True)
    assert block.names == ("r1: IPv4 pps", "r1 with D2: IPv4 pps")
    first, second = block.rows
    assert (first.symbol, first.n, first.line, first.verdict) == ("x", 5, 9, None)
    assert (second.avg.value, second.stddev.value) == (1030280.0, 1728.294)
    verdict = second.verdict
    assert verdict is not None
    assert (verdict.differs, verdict.confidence, verdict.line) == (True, 95.0, 11)
    assert verdict.absolute is not None and verdict.percent_error is not None and verdict.pooled_s is not None
    assert (verdict.absolute.value, verdict.absolute.line) == (29880.0, 12)
    assert (verdict.percent_error.text, verdict.percent_error.digits) == ("0.261034", 6)
    assert (verdict.pooled_s.value, verdict.pooled_s.line) == (1790.53, 14)


def test_each_set_after_the_first_has_its_own_verdict() -> None:
    block = only(THREE)
    assert block.names[2] == "third"
    assert [row.symbol for row in block.rows] == ["x", "+", "*"]
    assert [row.verdict and row.verdict.differs for row in block.rows] == [None, True, False]


@pytest.mark.parametrize(
    ("value", "digits"),
    [("9860697.6", 8), ("2.44792e+06", 6), ("-0.0612947", 6), ("5", 1), ("0", 0), ("1e-05", 1)],
)
def test_printed_digits_are_the_significant_ones(value: str, digits: int) -> None:
    row = only(TWO.replace("1850.6756", value)).rows[0]
    assert row.stddev.digits == digits


def test_what_rounding_can_hide_is_half_a_unit_of_the_last_digit() -> None:
    row = only(TWO).rows[0]
    assert row.avg.half_unit(8) == pytest.approx(0.05)
    assert row.stddev.half_unit(8) == pytest.approx(0.00005)
    assert row.stddev.half_unit(6) == pytest.approx(0.00005)  # more digits are printed than asked for
    assert only(TWO.replace("1850.6756", "0")).rows[0].stddev.half_unit(8) == 0.0
    assert only(TWO.replace("1850.6756", "-nan")).rows[0].stddev.half_unit(8) == 0.0


WRAPPED = {
    "a fence": f"```\n{TWO}```\n",
    "a fence with a language": f"```console\n{TWO}```\n",
    "tildes": f"~~~\n{TWO}~~~\n",
    "no closing fence": f"```\n{TWO}\nAnd so on.\n",
    "no opening fence": f"{TWO}```\n",
    "the closing fence glued to the last line": f"```\n{TWO.rstrip()}```\n",
    "the next report glued to the last line": f"```\n{TWO.rstrip()}x r368606: inet6 packets\n```\n",
    "indented": "".join(f"    {line}\n" for line in TWO.splitlines()),
    "in a list": "- IPv4:\n" + "".join(f"  {line}\n" for line in f"```\n{TWO}```".splitlines()),
    "quoted": "".join(f"> {line}\n" for line in f"```\n{TWO}```".splitlines()),
    "quoted twice": "".join(f"> > {line}\n" for line in TWO.splitlines()),
    "tabs pasted as blanks": TWO.replace("\t", "        "),
    "tabs lost": TWO.replace("\t", ""),
    "blanks collapsed": "\n".join(" ".join(line.split()) for line in TWO.splitlines()),
    "no-break spaces": TWO.replace("  ", "\u00a0 "),
    "CRLF": TWO.replace("\n", "\r\n"),
    "CR": TWO.replace("\n", "\r"),
    "a byte order mark": "\ufeff" + TWO,
    "trailing blanks": TWO.replace("\n", "   \n"),
    "a blank line between all lines": TWO.replace("\n", "\n\n"),
    "a blank line between names and plot": TWO.replace("+-----", "\n+-----", 1),
    "plus-minus as one character": TWO.replace("+/-", "±"),
    "a minus as a character of its own": TWO.replace("-nan", "−nan"),
    "blanks before percent signs": TWO.replace("2.98681% +/- 0.261034%", "2.98681 % +/- 0.261034 %"),
    "the verdict on one line": TWO.replace("confidence\n\t", "confidence ").replace("\n\t", " "),
    "escaped symbols": TWO.replace("\n+   5", "\n\\+   5"),
    "text around it": f"IPv4:\n{TWO}=> 3% faster\n",
}  # fmt: skip


@pytest.mark.parametrize("text", WRAPPED.values(), ids=WRAPPED.keys())
def test_neither_fences_nor_blanks_nor_quotes_change_what_is_read(text: str) -> None:
    assert numbers(only(text)) == numbers(only(TWO))


def test_without_the_plot() -> None:
    lines = TWO.splitlines(keepends=True)
    assert numbers(only("".join(lines[:2] + lines[7:]))) == numbers(only(TWO))


def test_without_names_and_header_a_block_begins_at_its_first_row() -> None:
    block = only("Result:\n" + "".join(TWO.splitlines(keepends=True)[8:]))
    assert (block.first_line, block.names) == (2, ())
    assert numbers(block)[1:] == numbers(only(TWO))[1:]


def test_vitals_only() -> None:
    text = "".join(TWO.splitlines(keepends=True)[:10])
    assert [row.verdict for row in only(text).rows] == [None, None]


def test_vitals_without_names_twice_are_two_blocks() -> None:
    rows = "".join(TWO.splitlines(keepends=True)[8:10])
    assert [len(block.rows) for block in parse_ministat_blocks(rows + rows).value] == [2, 2]


def test_a_list_item_above_the_header_is_no_name() -> None:
    block = only("+ an item\n" + "".join(TWO.splitlines(keepends=True)[7:]))
    assert (block.names, block.first_line) == ((), 2)


def test_names_like_a_plot_or_a_row_are_names() -> None:
    text = TWO.replace("x r1: IPv4 pps", "x A").replace("+ r1 with D2: IPv4 pps", "+ 5 4 3 2 1 0")
    assert only(text).names == ("A", "5 4 3 2 1 0")


def test_a_damaged_row_is_said_and_its_verdict_with_it() -> None:
    parsed = parse_ministat_blocks(THREE.replace("1030280", "10302B0"))
    [block] = parsed.value
    assert [row.symbol for row in block.rows] == ["x", "*"]
    assert not block.whole
    assert [note.partition(":")[0] for note in parsed.skipped] == ["line 11", "line 12"]
    assert "damaged" in parsed.skipped[0]


def test_a_row_that_lacks_a_number_is_said() -> None:
    parsed = parse_ministat_blocks(TWO.replace("       1000500", ""))
    assert "line 9: a row with a damaged number" in parsed.skipped[0]


@pytest.mark.parametrize(
    "damage", [("29880 +/-", "29B80 +/-"), ("2.98681%", "2.9B681%"), ("1790.53)", "17q0.53)")]
)
def test_a_damaged_verdict_keeps_what_is_readable(damage: tuple[str, str]) -> None:
    parsed = parse_ministat_blocks(TWO.replace(*damage))
    [block] = parsed.value
    assert len(parsed.skipped) == 1 and "damaged" in parsed.skipped[0]
    verdict = block.rows[1].verdict
    assert verdict is not None and verdict.differs
    assert [verdict.absolute, verdict.percent, verdict.pooled_s].count(None) == 1


def test_nan_and_infinities_are_numbers_that_ministat_prints() -> None:
    text = TWO.replace("1850.6756", "-nan").replace("2.98681% +/- 0.261034%", "-inf% +/- inf%")
    block = only(text)
    assert block.rows[0].stddev.value != block.rows[0].stddev.value
    assert block.rows[1].verdict and block.rows[1].verdict.percent
    assert block.rows[1].verdict.percent.value == float("-inf")


def test_a_header_without_rows_is_said_and_a_sentence_is_no_verdict() -> None:
    text = "    N  Min  Max  Median  Avg  Stddev\n\nNo difference proven at 95.0% confidence\n"
    parsed = parse_ministat_blocks(text)
    assert parsed.value == () and parsed.skipped
    assert parse_ministat_blocks("No difference proven at 95.0% confidence\n").skipped == ()


def test_control_characters_do_not_reach_a_name() -> None:
    assert only(TWO.replace("x r1", "x \x1b[31mr1\u202e")).names[0] == "[31mr1: IPv4 pps"


@given(st.text(alphabet=st.sampled_from("x+*%#@O0159.e-|A_M \t\n\r`~>NaDfinity±/%()'ts"), max_size=400))
def test_no_text_makes_the_parser_raise(text: str) -> None:
    for block in parse_ministat_blocks(text).value:
        assert 1 <= block.first_line <= block.last_line <= text.count("\n") + text.count("\r") + 1
        assert block.rows


@given(st.data())
def test_no_damage_to_a_block_makes_the_parser_raise(data: st.DataObject) -> None:
    text = THREE
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text)))
        end = min(len(text), at + data.draw(st.integers(0, 12)))
        text = text[:at] + data.draw(st.text(max_size=4)) + text[end:]
    parsed = parse_ministat_blocks(text)
    assert all("\n" not in note for note in parsed.skipped)


def test_every_genuine_output_is_read_whole(tmp_path: Path) -> None:
    """Debian's ministat with all its options, one to seven sets."""
    ministat = shutil.which("ministat")
    if ministat is None:
        pytest.skip("Debian's ministat is not installed")
    chance = random.Random(20260731)
    for round_ in range(150):
        names = []
        for place in range(chance.randint(1, 7)):
            file = tmp_path / chance.choice(
                ["A", "x", "+", "| M |", "-----", f"inet{place}.pps", "N Min Max"]
            )
            centre = chance.choice([0.0, 1.0, 1e6, -3.0, 1e-9])
            values = [chance.gauss(centre, abs(centre) * 0.01) for _ in range(chance.randint(3, 120))]
            file.write_text("".join(f"{value!r}\n" for value in values))
            names.append(file.name)
        options = chance.sample(["-A", "-s", "-n"], chance.randint(0, 2))
        options += [
            "-w",
            str(chance.randint(4, 200)),
            "-c",
            chance.choice(["80", "90", "95", "98", "99", "99.5"]),
        ]
        run = subprocess.run([ministat, *options, "--", *names], cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == 0, (round_, run.stderr)
        block = only(run.stdout)
        assert block.names == tuple(names)
        assert len(block.rows) == len(names)
        assert (block.first_line, block.last_line) == (1, run.stdout.count("\n"))
        assert all((row.verdict is None) == ("-n" in options) for row in block.rows[1:])


# limits: just below, at and above


HEAD = "    N           Min           Max        Median           Avg        Stddev\n"


def a_row(symbol: str, n: int = 5) -> str:
    return f"{symbol}   {n}             1             3             2             2             1\n"


def test_a_row_is_printed_with_eight_digits_and_a_verdict_with_six() -> None:
    assert (ROW_DIGITS, VERDICT_DIGITS) == (8, 6)


@pytest.mark.parametrize(("blanks", "rows"), [(0, 2), (1, 2), (2, 2), (3, 1), (4, 1)])
def test_two_blank_lines_do_not_end_a_block_and_three_do(blanks: int, rows: int) -> None:
    found = parse_ministat_blocks(HEAD + a_row("x") + "\n" * blanks + a_row("+")).value
    assert [row.symbol for row in found[0].rows] == ["x", "+"][:rows]


@pytest.mark.parametrize(("blanks", "read"), [(0, True), (1, True), (2, False)])
def test_nor_does_a_blank_line_end_a_verdict(blanks: int, read: bool) -> None:
    text = HEAD + a_row("x") + a_row("+") + "Difference at 95.0% confidence\n" + "\n" * blanks + "\t5 +/- 2\n"
    verdict = parse_ministat_blocks(text).value[0].rows[1].verdict
    assert verdict is not None and (verdict.absolute is not None) is read


@pytest.mark.parametrize(
    ("high", "named"), [(267, True), (397, True), (398, True), (399, False), (500, False)]
)
def test_names_are_looked_for_above_a_plot_of_four_hundred_lines(high: int, named: bool) -> None:
    frame = "+" + "-" * 20 + "+\n"
    plot = frame + "|x                   |\n" * high + frame
    block = parse_ministat_blocks("x one\n+ two\n" + plot + HEAD + a_row("x") + a_row("+")).value[0]
    assert block.names == (("one", "two") if named else ())


@pytest.mark.parametrize(
    ("length", "read"), [(2730, True), (4095, True), (4096, True), (4097, False), (6144, False)]
)
def test_four_thousand_characters_of_a_line_are_read(length: int, read: bool) -> None:
    line = a_row("x").rstrip("\n")
    found = parse_ministat_blocks(HEAD + line[:-1].ljust(length - 1) + "1\n").value
    assert bool(found) is read


@pytest.mark.parametrize(("length", "shown"), [(40, True), (59, True), (60, True), (61, False), (90, False)])
def test_sixty_characters_of_a_damaged_line_are_shown(length: int, shown: bool) -> None:
    line = "+ 5 1 2 x" + " 3" * ((length - 9) // 2) + "4" * ((length - 9) % 2)
    row = "+ 5 1 2 3 4 x" + "y" * (length - 13)
    assert len(row) == length and len(line) == length
    skipped = parse_ministat_blocks(HEAD + a_row("x") + row + "\n").skipped
    assert skipped[0].endswith(repr(row) if shown else repr(row[:59] + "…"))


@pytest.mark.parametrize(
    ("row", "damaged"),
    [
        ("+ 5 1 3 2", True),  # a symbol and four fields
        ("+ 5 1 3", False),
        ("+ 5 1 3 2 x 1 x 4", True),  # eight, of them two no numbers
        ("+ 5 1 3 2 x 1 x x", False),
        ("+ 5 1 3 2 2 1 x x x", False),
        ("+ 5 1 3 2 x x", True),
        ("+ 5 1 3 x x x", False),
    ],
)
def test_what_looks_like_a_row_is_one_that_was_damaged(row: str, damaged: bool) -> None:
    parsed = parse_ministat_blocks(HEAD + a_row("x") + row + "\n")
    assert parsed.value[0].whole is not damaged
    assert any("a row with a damaged number" in note for note in parsed.skipped) is damaged


def test_a_set_after_the_last_name_has_none() -> None:
    block = parse_ministat_blocks("x one\n" + HEAD + a_row("x") + a_row("+")).value[0]
    assert [block.name(row) for row in block.rows] == ["one", ""]


def test_a_second_verdict_of_one_set_is_said_and_does_not_replace_the_first() -> None:
    text = HEAD + a_row("x") + a_row("+") + "No difference proven at 95.0% confidence\n"
    parsed = parse_ministat_blocks(text + "Difference at 80.0% confidence\n")
    verdict = parsed.value[0].rows[1].verdict
    assert verdict is not None and not verdict.differs and verdict.confidence == 95.0
    assert "a verdict without its row" in parsed.skipped[0]


def test_a_verdict_of_the_first_set_has_no_row() -> None:
    parsed = parse_ministat_blocks(HEAD + a_row("x") + "Difference at 95.0% confidence\n")
    assert parsed.value[0].rows[0].verdict is None and "a verdict without its row" in parsed.skipped[0]


def test_a_symbol_that_comes_again_begins_another_block() -> None:
    for symbols, sizes in (("x+x", [2, 1]), ("x++", [2]), ("xx", [1, 1])):
        found = parse_ministat_blocks(HEAD + "".join(map(a_row, symbols))).value
        assert [len(block.rows) for block in found] == sizes
