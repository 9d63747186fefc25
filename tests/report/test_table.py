"""The table of `compare`: one line a case and candidate, honest without colour, usable at 80 columns."""

import random
import re

import pytest
from hand_made import judged
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core.model import Caution
from fwdtui.core.text import clean
from fwdtui.report.cells import columns_of, pad, shorten, wrap
from fwdtui.report.table import number, render
from fwdtui.stats.results import Interaction, ResultSet
from fwdtui.stats.verdict import judge

DRIFT = Caution("drift", "r368287: the values fall from iteration to iteration: warm up longer.")
FEW = Caution("few-iterations", "r368287: 3 iterations say little: measure at least 5.")


def test_one_line_a_case_with_numbers_in_columns() -> None:
    results = [
        judged("inet4", warnings=(FEW, DRIFT)),
        judged(
            "inet6", (1.0, 2.0, 3.0), (2.0, 3.5), percent=-45.2, arm=1.0, verdict="slower", warnings=(FEW,)
        ),
        judged("pf", percent=0.9, arm=2.2, verdict="inconclusive", needed=19),
        judged("ipfw", (), (1.0,), percent=None, verdict="inconclusive"),
    ]
    notes = [Caution("unpaired-case", "only in a, not in b, so not compared: x")]
    assert render(results, notes) == (
        "baseline r368287   candidate r368287 with D27401   margin 1 %   confidence 95 %\n"
        "\n"
        "case     n  base median  other median       mean diff.  verdict\n"
        "inet4  5/5    9 909 120    10 047 306   +1.8 % ± 1.4 %  faster !\n"
        "inet6  3/2            2          2.75  −45.2 % ± 1.0 %  slower\n"
        "pf     5/5    9 909 120    10 047 306   +0.9 % ± 2.2 %  inconclusive: about 14 more iterations\n"
        "ipfw   0/1            –             1        –          inconclusive\n"
        "\n"
        "! after a verdict: a warning bears on it (drift); see below.\n"
        "\n"
        "More iterations: adding them to a set and testing again raises the rate of false claims. "
        "Record new\n"
        "    sets of that size, or plan two looks beforehand: --confidence 99 at the first, "
        "96 at the second.\n"
        "\n"
        "! drift (inet4): r368287: the values fall from iteration to iteration: warm up longer.\n"
        "- few-iterations (inet4, inet6): r368287: 3 iterations say little: measure at least 5.\n"
        "- unpaired-case: only in a, not in b, so not compared: x\n"
    )


@pytest.mark.parametrize(
    ("verdict", "crossed", "line"),
    [
        ("faster", (), "! drift (inet4)"),
        ("inconclusive", (), "- drift (inet4)"),  # it claims nothing, and has no mark
        ("inconclusive", ("drift",), "! drift (inet4)"),  # an interaction that is shown has it
    ],
)
def test_a_warning_has_the_mark_only_if_a_verdict_shown_has_it_because_of_it(
    verdict: str, crossed: tuple[str, ...], line: str
) -> None:
    result = judged("inet4", verdict=verdict, warnings=(DRIFT,))
    labels = (result.base.label, result.other.label)
    interaction = Interaction(
        *(("image",), *labels, "af", ("inet4", "inet6"), {}, "", ("inet4", "inet6")),
        *((1.0, 9.0), 1.08, (1.05, 1.1), 95.0, 0.001, 0.002, "Welch", 2, "depends", 1.0, "it depends"),
        marked_by=crossed,
    )
    below = render([result], interactions=[interaction] if crossed else []).split("\n\n")[-1]
    assert below.startswith(line)


def test_several_candidates_are_grouped_by_case() -> None:
    results = [
        judged(case, labels=("base", candidate), verdict=verdict)
        for case in ("inet4", "inet6")
        for candidate, verdict in (("D1", "faster"), ("日本", "slower"))
    ]
    assert render(results) == (
        "baseline base   margin 1 %   confidence 95 %\n"
        "\n"
        "case, candidate    n  base median  other median      mean diff.  verdict\n"
        "inet4\n"
        "  D1             5/5    9 909 120    10 047 306  +1.8 % ± 1.4 %  faster\n"
        "  日本           5/5    9 909 120    10 047 306  +1.8 % ± 1.4 %  slower\n"
        "inet6\n"
        "  D1             5/5    9 909 120    10 047 306  +1.8 % ± 1.4 %  faster\n"
        "  日本           5/5    9 909 120    10 047 306  +1.8 % ± 1.4 %  slower\n"
    )


def test_a_narrow_terminal_first_shortens_words_then_numbers_then_names() -> None:
    results = [judged("ipfw-stateful.inet6", percent=0.9, arm=2.2, verdict="inconclusive", needed=19)]

    def row(columns: int | None) -> str:
        (line,) = [line for line in render(results, columns=columns).splitlines() if "5/5" in line]
        return line

    wide = "ipfw-stateful.inet6  5/5    9 909 120    10 047 306  +0.9 % ± 2.2 %  inconclusive: "
    assert row(None) == wide + "about 14 more iterations"
    assert row(110) == wide + "about 14 more iterations"
    assert row(95) == wide + "14 more"
    assert row(87) == "ipfw-stateful.inet6  5/5  9 909 120  10 047 306  +0.9 % ± 2.2 %  inconclusive: 14 more"
    assert row(80) == "ipfw-stateful.inet6  5/5  9 909 120  10 047 306  +0.9 % ± 2.2 %  inconclusive"
    assert row(72) == "ipfw-stateful.inet6  5/5  9.909 M  10.05 M  +0.9 % ± 2.2 %  inconclusive"
    assert row(64) == "ipfw-…inet6  5/5  9.909 M  10.05 M  +0.9 % ± 2.2 %  inconclusive"
    results += [judged(f"a-case-with-a-long-name-{n}-and-much-more") for n in (1, 2)]
    shown = [line.split()[0] for line in render(results, columns=80).splitlines() if "5/5" in line]
    assert len(set(shown)) == 3, "shortened names stay different"


def test_without_colour_there_is_no_escape_sequence_and_with_it_the_text_is_the_same() -> None:
    results = [
        judged(case, verdict=case, warnings=(DRIFT,)) for case in ("faster", "slower", "equivalent", "capped")
    ]
    plain, coloured = render(results, colour=False), render(results, colour=True)
    assert "\x1b" not in plain
    assert "\x1b[31mslower !\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9]+m", "", coloured) == plain


def test_explain_tells_how_each_verdict_came_about() -> None:
    shown = render([judged(explanation=("Welch: t = 3.4", "Verdict: faster."))], explain=True)
    assert "\ninet4\n  Welch: t = 3.4\n  Verdict: faster.\n" in shown


def test_the_verdict_that_explain_tells_has_the_mark_of_the_table() -> None:
    """It read as a verdict without doubt, beside `slower !` in the table above it."""
    base = (1000.0, 1004.0, 998.0, 1002.0, 996.0)
    other = ResultSet("r2", tuple(0.9 * one for one in base), cautions=(DRIFT,))
    (slower,) = judge([("inet4", ResultSet("r1", base), other)])
    assert slower.comparison.verdict == "slower"
    shown = render([slower], explain=True, columns=None)
    row, verdict = (line for line in shown.splitlines() if "slower" in line and "In words" not in line)
    assert row.endswith("  slower !")
    assert verdict.startswith("  Verdict: slower ! (drift). The difference: adjusted p ")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (9909120.0, "9 909 120"),
        (829670.5, "829 670.5"),
        (31974666.5, "31 974 666.5"),
        (12.0, "12"),
        (12.345678, "12.3457"),
        (0.00123, "0.00123"),
        (-1500.25, "−1 500.25"),
        (1e15, "1e+15"),
    ],
)
def test_medians_are_in_full(value: float | None, shown: str) -> None:
    assert number(value) == shown


hostile = st.text(st.characters(exclude_categories=["Cs"]), max_size=60).map(clean)


@given(hostile, hostile, hostile, st.integers(66, 200))
def test_rows_never_exceed_the_terminal_whatever_the_names(
    case: str, base: str, other: str, columns: int
) -> None:
    shown = render([judged(case, labels=(base, other)), judged("x", labels=(base, "third"))], columns=columns)
    table = shown.split("\n\n")[1] if "\n\n" in shown else shown
    assert all(columns_of(line) <= columns for line in table.splitlines())


@given(hostile, st.integers(0, 40))
def test_a_cell_is_exactly_as_wide_as_it_should_be(text: str, columns: int) -> None:
    assert columns_of(shorten(text, columns)) <= columns
    assert columns_of(pad(text, columns)) == columns
    assert shorten(text, columns) == text or "…" in shorten(text, columns) or columns == 0


def test_a_number_is_not_torn_from_its_unit_at_a_line_end() -> None:
    assert wrap("the spread is SD 113.1 k here", 22) == ["the spread is SD", "113.1 k here"]
    assert wrap("inside the margin of 1 % indeed", 21) == ["inside the margin of", "1 % indeed"]


def test_no_row_contradicts_itself_unexplained() -> None:
    """Random families: a claim's interval is on its side of zero, an open row's only with a word on it."""
    generator = random.Random(5)
    explained = 0
    for _ in range(150):
        family = []
        for case in "abcdefg":
            shift, spread = generator.choice([0.0, 4.0, 9.0]), generator.choice([2.0, 6.0])
            sides = [
                ResultSet(
                    name,
                    tuple(generator.gauss(1000.0 + move, spread) for _ in range(generator.choice([2, 3, 5]))),
                )
                for name, move in (("old", 0.0), ("new", shift))
            ]
            family.append((case, *sides))
        rows = render(results := judge(family)).splitlines()
        for one in results:
            (row,) = [row for row in rows if row.startswith(f"{one.comparison.case}  ")]
            verdict = one.comparison.verdict
            found = re.search(r"([+−]?[\d.]+) % (?:± ([\d.]+) %|\[(\S+), (\S+)\])", row)
            if not found:
                continue
            value, arm, low, high = found.groups()
            if arm:
                middle = float(value.replace("−", "-"))
                sign = (middle > float(arm)) - (middle < -float(arm))
            else:
                sign = low.startswith(("+", ">")) - high.startswith(("−", "<"))
            if verdict in ("faster", "slower"):
                assert sign == (1 if verdict == "faster" else -1), row
            elif verdict == "inconclusive" and sign:
                explained += 1
                assert "among 7" in row or "cannot say" in row, row
                assert "cannot say" in row or any(line.startswith("among 7: ") for line in rows)
    assert explained > 20, "else nothing was tried"
