"""`check` takes time in proportion to what it reads, however hostile the text is."""

import gc
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.check import check_text

BLOCK = """\
x a
+ b
    N           Min           Max        Median           Avg        Stddev
x   5             1             2           1.5           1.5          0.45
+   5             1             2           1.5           1.5          0.45
No difference proven at 95.0% confidence
"""
HEADER = "    N           Min           Max        Median           Avg        Stddev\n"
HEAD = "| AF | r1 |\n|---|---|\n"


def named(name: str) -> str:
    """Claims on a block of whose sets one has a long name."""
    return BLOCK.replace("x a", f"x {name}") + "It is 5 % faster.\n" * 40


# one long line; of a line 4096 characters are read
LINES: dict[str, Callable[[int], str]] = {
    "digits": lambda n: "1" * n,
    "digits of a claim": lambda n: f"It is faster by {'1' * n} %",
    "digits of a row": lambda n: f"x 5 {'1' * n}z 1 1 1 1",
    "claims": lambda n: ", ".join(["5 %"] * (n // 5)),
    "blanks of a heading": lambda n: f"# a{' ' * n}b",
    "marks of a heading": lambda n: f"# {'#' * n}b",
    "question marks": lambda n: f"{'?' * n}x",
    "full stops": lambda n: f"vs{'.' * n} x",
    "links that are not closed": lambda n: "[a](." * (n // 5),
    "a link of dots": lambda n: f"[a]({'.' * n}",
    "images that are not closed": lambda n: "![a](" * (n // 5),
    "comments that are not closed": lambda n: "&lt;!--" * (n // 7),
    "tags that are not closed": lambda n: "<a" * (n // 2),
    "backquotes": lambda n: f"x{'`' * n}y",
    "backquotes behind a row": lambda n: f"{BLOCK}+ 5 1 2 1.5 1.5 0.3 {'`' * n}y",
    "a frame": lambda n: f"{'-' * n}x\n{HEADER}",
    "asterisks": lambda n: "*a" * (n // 2),
    "pipes": lambda n: f"{'|' * n}\n{'|-' * 1000}|\n{'|' * n}",
    "a heading of a table": lambda n: f"| {'a_' * n} | b |\n|-|-|\n| {'a_' * n} | +5 % |",
    "a figure": lambda n: f"| a | b |\n|-|-|\n| x | {'1,234' * (n // 5)} |",
    "revisions": lambda n: "r12345 " * (n // 7),
    "a file name": lambda n: f"```\n{'a/' * (n // 2)}.x{'.a' * n}\n```",
    "words": lambda n: "performance " * (n // 12),
    "digits of a name": lambda n: named(f"a{'1' * n}"),
    "blanks of a name": lambda n: named(f"a{' ' * n}b"),
    "costs of a name": lambda n: named(f"{'latency ' * (n // 8)}pps"),
}
# many lines
TEXTS: dict[str, Callable[[int], str]] = {
    "list items": lambda n: "- It is 5 % faster.\n" * n,
    "list items apart": lambda n: "- It is 5 % faster.\n\n" * n,
    "sentences": lambda n: "It is 5 % faster.\n" * n,
    "paragraphs": lambda n: "It is 5 % faster.\n\n" * n,
    "headings": lambda n: "# It is 5 % faster.\n" * n,
    "digits": lambda n: f"{'1' * 80}\n" * n,
    "comments": lambda n: "<!-- a\n" * n,
    "fences": lambda n: "```\n" * n,
    "headers": lambda n: HEADER * n,
    "frames": lambda n: "+---+\n" * n + HEADER,
    "blocks": lambda n: f"{BLOCK}\n- It is 5 % faster.\n" * (n // 8),
    "rows of values": lambda n: "| AF | after |\n|---|---|\n" + "| b | 1500 |\n" * n,
    "rows of changes": lambda n: "| AF | change |\n|---|---|\n" + "| b | +5 % |\n" * n,
    "tables": lambda n: "| AF | change |\n|---|---|\n| b | +5 % |\n\n" * n,
    "tables and blocks": lambda n: f"| AF | change |\n|---|---|\n| b | +5 % |\n\n{BLOCK}\n" * (n // 8),
    "rows of dashes": lambda n: "|---|---|\n" * n,
    "headings and tables": lambda n: "## a\n| b | c |\n|---|---|\n| b | 1500 |\n" * (n // 4),
    "claims of no change": lambda n: "Same performance.\n\n" * n,
    "claims above blocks": lambda n: (
        "# t\n## a\n" + "No impact of b.\n\n" * (n // 8) + f"### b\n{BLOCK}\n" * (n // 8)
    ),
    "revisions": lambda n: "".join(
        f"r{at + 100_000} [a](b.svg) {' '.join(str(at * 40 + one + 100_000) for one in range(40))}\n"
        for at in range(n)
    ),
    "a long caption": lambda n: "# a\n\n" + "performance\n" * n + "\n" + HEAD + "| b | 1500 |\n" * n,
    "a long heading": lambda n: "# a\n\n" + "performance\n" * n + "---\n\n" + HEAD + "| b | 1500 |\n" * n,
    "links": lambda n: "r123456 [r123456](a.r123457.svg)\n" * n,
    "blocks below a list": lambda n: "- b is 5 % faster.\n" * (n // 8) + f"\n{BLOCK}" * (n // 8),
}


def seconds(text: str) -> float:
    """Of the processor: what else the machine does counts little. No circles are looked for meanwhile."""
    gc.disable()
    try:
        start = time.process_time()
        check_text("report.md", text)
        return time.process_time() - start
    finally:
        gc.enable()


def grows_in_proportion(make: Callable[[int], str], size: int, head: str) -> None:
    few, many = (head + make(n) + "\n" for n in (size, 4 * size))
    # four times as much takes four times as long, its square sixteen; what is this quick cannot be told apart
    if (large := seconds(many)) < 0.05:
        return
    small = seconds(few)
    for _ in range(5):  # a part of the square hides in half as much again; what others do, in the best look
        if large < max(6.0 * small, 0.05):
            return
        small, large = min(small, seconds(few)), min(large, seconds(many))
    assert large < max(6.0 * small, 0.05)


@pytest.mark.parametrize("head", ["", BLOCK], ids=["alone", "below a block"])
@pytest.mark.parametrize("kind", LINES)
def test_a_long_line(kind: str, head: str) -> None:
    grows_in_proportion(LINES[kind], 1000, head)


@pytest.mark.parametrize("head", ["", BLOCK], ids=["alone", "below a block"])
@pytest.mark.parametrize("kind", TEXTS)
def test_many_lines(kind: str, head: str) -> None:
    grows_in_proportion(TEXTS[kind], 500, head)


def test_a_list_on_more_blocks_than_are_compared_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fwdtui.check.nearest.MOST_TABLES", 3)
    claims = "- IPv4 is 5 % faster.\n- IPv4 is 90 % faster.\n\n"
    block = BLOCK.replace("x a", "x inet4 before").replace("+ b", "+ inet4 after")
    few, many = (check_text("f", claims + f"{block}\n" * count) for count in (3, 4))
    assert [finding.kind for finding in few.findings] == ["claim", "claim"]
    assert not few.skipped
    assert not many.findings
    assert len(many.skipped) == 1
    assert many.skipped[0].startswith("line 4: more than ")


def test_more_tables_or_cells_than_are_read_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    table = "| AF | change |\n|---|---|\n| b | +5 % |\n\n"
    for name in ("MOST_GRIDS", "MOST_CELLS"):
        with monkeypatch.context() as patched:
            patched.setattr(f"fwdtui.check.check.{name}", 2 if name == "MOST_GRIDS" else 4)
            few, many = (check_text("f", table * count + BLOCK) for count in (2, 3))
        assert (few.skipped, len(few.findings)) == ((), 2)
        assert len(many.findings) == 2
        [told] = many.skipped
        assert told.startswith("line 9: more than ") and told.endswith("those below are not checked")


@pytest.mark.parametrize(
    ("filler", "told"),
    [
        ("and again " * 120, "line 1: a sentence of more than 1000 characters is not read"),
        ("This is said. " * 300, "line 1: only its first 4096 characters are read"),
    ],
    ids=["sentence", "line"],
)
def test_text_that_is_too_long_to_be_read_is_told(filler: str, told: str) -> None:
    claim = "b is 90 % faster:\n\n"
    short, long = check_text("f", claim + BLOCK), check_text("f", filler + claim + BLOCK)
    assert ([one.kind for one in short.findings], short.skipped) == (["claim"], ())
    assert (long.findings, long.skipped) == ((), (told,))


def test_a_caption_and_a_heading_that_are_too_long_are_told() -> None:
    long = "And again.\n" * 500
    told = check_text("f", f"{long}---\n\n{long}\n{HEAD}| b | 1500 |\n\n{BLOCK}").skipped
    assert [one.partition(":")[0] for one in told] == ["line 1", "line 503"]
    assert "only the first 4096 characters of this are read as a heading or a caption" in told[0]


def test_a_claim_about_more_blocks_than_are_compared_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fwdtui.check.nearest.MOST_BELOW", 3)
    block = BLOCK.replace("x a", "x tx_abdicate off").replace("+ b", "+ tx_abdicate on")
    head = "# Report\n\n## All\n\nabdicate has no impact.\n\n"
    bodies = ["".join(f"### Case {n}\n\n{block}\n" for n in range(count)) for count in (3, 4)]
    few, many = (check_text("f", head + body) for body in bodies)
    assert [one.line for one in few.findings] == [5]
    assert (few.skipped, many.findings) == ((), ())
    [told] = many.skipped
    assert told.startswith("line 5: more than ") and told.endswith("not checked against them")


SIZES = st.sampled_from(
    ["0", "1", "-1", "1e-308", "1e155", "1e300", "-1e308", "1e308", "1.7e308", "-1.7e308"]
)


@given(st.lists(SIZES, min_size=9, max_size=9))
def test_numbers_at_the_ends_of_a_double_are_no_error(sizes: list[str]) -> None:
    low, high, median, average, spread, other, difference, error, pooled = sizes
    check_text(
        "f",
        f"x a\n+ b\n{HEADER}x 5 {low} {high} {median} {average} {spread}\n"
        f"+ 5 {low} {high} {median} {other} {spread}\nDifference at 95.0% confidence\n"
        f"\t{difference} +/- {error}\n\t{difference}% +/- {error}%\n\t(Student's t, pooled s = {pooled})\n\n"
        "It is 5 % faster.\n\nIt is 5 % ± 2 % faster (Welch).\n\nThe throughput doubles.\n\n"
        "Same performance.\n",
    )


def test_what_a_double_cannot_hold_is_no_finding() -> None:
    row = "1e308 1.7e308 1.5e308 1.5e308 1e307"
    assert not check_text("f", f"x a\n{HEADER}x 50 {row}\n").findings
