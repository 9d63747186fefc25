"""Cells that are not checked, and why: nothing is guessed."""

import pytest
from checking_cells import FAMILIES, checked

# why a cell is not checked; the cell comes first
LEFT = {
    "two blocks fit": (
        "-7 %", "It may be about the block at lines 6–17 and the block at lines 21–32.",
        "| AF | change |\n|---|---|\n| IPv4 | -7 % |\n\n[[up3 | pf inet4 | pf inet4 D1]]\n\n"
        "[[down3 | ipfw inet4 | ipfw inet4 D1]]\n",
    ),
    "no block is called so": (
        "-7 %", "No ministat block is called 'pf'.", "| AF | change |\n|---|---|\n| pf | -7 % |\n" + FAMILIES,
    ),
    "a row on a setting": (
        "+5 %", "No ministat block is called 'flows'.", "| what | change |\n|---|---|\n| flows | +5 % |\n"
        "\n[[up3]]\n",
    ),
    "no block is called both": (
        "-7 %", "No ministat block has 'D2' and 'IPv4' together in its name.",
        "| AF | change |\n|---|---|\n| IPv4 D2 | -7 % |\n\n[[up3 | r1 inet4 | D1 inet4]]\n\n"
        "[[down3 | r1 inet6 | D2 inet6]]\n",
    ),
    "no block at all": (
        "-7 %", "The text has no ministat block.", "| AF | change |\n|---|---|\n| IPv4 | -7 % |\n",
    ),
    "a share": ("6.37 %", "A percentage that names no difference.", "| frame | IPv4 |\n|---|---|\n"
    "| a | 6.37 % |\n" + FAMILIES),
    "the CPU": (
        "+12 %", "It is about 'cpu usage'.", "| AF | CPU usage |\n|---|---|\n| IPv4 | +12 % |\n" + FAMILIES,
    ),
    "a row on the CPU": (
        "+12 %", "It is about 'cpu load'.", "| | change |\n|---|---|\n| IPv4 CPU load | +12 % |\n" + FAMILIES,
    ),
    "a caption on the CPU": (
        "+12 %", "It is about 'cpu usage'.",
        "CPU usage of both:\n\n| AF | change |\n|---|---|\n| IPv4 | +12 % |\n" + FAMILIES,
    ),
    "another quantity without a unit": (
        "35", "It is not clear what the cell measures, and the values in the ministat blocks are of another "
        "magnitude.",
        "| AF | before |\n|---|---|\n| IPv4 | 35 |\n" + FAMILIES,
    ),
    "another quantity with a unit": (
        "1000500 us", "The cell is in us, but the ministat block does not say that its values are.",
        "| AF | before |\n|---|---|\n| IPv4 | 1000500 us |\n" + FAMILIES,
    ),
    "a ratio": ("1.03", "A ratio is not read.", "| AF | speedup |\n|---|---|\n| IPv4 | 1.03 |\n" + FAMILIES),
    "a ratio with its sign": (
        "1.03x", "A ratio is not read.", "| AF | r2 |\n|---|---|\n| IPv4 | 1.03x |\n" + FAMILIES,
    ),
    "a ratio in words": (
        "1.03x faster", "A ratio is not read.",
        "| AF | change |\n|---|---|\n| IPv4 | 1.03x faster |\n" + FAMILIES,
    ),
    "a remark beside a value": (
        "1000500 (best)", "It has words beside its number.",
        "| AF | before |\n|---|---|\n| IPv4 | 1000500 (best) |\n" + FAMILIES,
    ),
    "a difference in packets": (
        "+29880", "A difference that is not in percent is not read.",
        "| AF | difference |\n|---|---|\n| IPv4 | +29880 |\n" + FAMILIES,
    ),
    "two numbers": (
        "998000/1003000", "It is not one number.", "| AF | before |\n|---|---|\n"
        "| IPv4 | 998000/1003000 |\n" + FAMILIES,
    ),
    "a set that could be either": (
        "1000500", "It may be about the block at lines 7–18 (x "
        "r1) and the block at lines 7–18 (+ r1 with D1).",
        "| AF | median |\n|---|---|\n| IPv4 | 1000500 |\n" + FAMILIES,
    ),
    "the caption is about something else": (
        "-7 %", "The text above the table mentions 'Xeon', but no ministat block does.",
        "On the Xeon:\n\n| AF | change |\n|---|---|\n| IPv4 | -7 % |\n" + FAMILIES,
    ),
    "a section about something else": (
        "-7 %", "No ministat block is called 'IPv4'.",
        "# A\n\n## Xeon\n\n[[up3 | inet4 r1 | inet4 D1]]\n\n## APU\n\n| AF | change |\n|---|---|\n"
        "| IPv4 | -7 % |\n",
    ),
    "a caption on drops": (
        "1200", "It is about 'dropped'.",
        "Packets dropped per second, the median of five iterations, "
        "with both kernels on the same machine.\n\n"
        "| AF | before |\n|---|---|\n| IPv4 | 1200 |\n" + FAMILIES,
    ),
    "a loss, perhaps of packets": (
        "7 %", "It is not clear what this difference is relative to.", "| AF | loss |\n|---|---|\n"
        "| IPv4 | 7 % |\n" + FAMILIES,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("cell", "why", "text"), LEFT.values(), ids=LEFT.keys())
def test_what_cannot_be_matched_is_not_checked_and_says_why(cell: str, why: str, text: str) -> None:
    found = checked(text)
    assert found.findings == ()
    assert [(one.cell, one.message) for one in found.unchecked] == [(cell, why)]
    assert found.cells == 0


NO_CLAIM = {
    "words": "| fact | value |\n|---|---|\n| CPU | Xeon E5-2650 |\n| NIC | T540-CR |\n" + FAMILIES,
    "nothing measured": "| AF | change |\n|---|---|\n| IPv4 | n/a |\n| IPv6 | - |\n" + FAMILIES,
    "counts and p": "| AF | n | p |\n|---|---|---|\n| IPv4 | 5/5 | <0.001 |\n" + FAMILIES,
    "in a fence": "```\n| AF | change |\n|---|---|\n| IPv4 | -7 % |\n```\n" + FAMILIES,
    "in a comment": "<!--\n| AF | change |\n|---|---|\n| IPv4 | -7 % |\n-->\n" + FAMILIES,
}


@pytest.mark.parametrize("text", NO_CLAIM.values(), ids=NO_CLAIM.keys())
def test_what_claims_nothing_is_left_alone(text: str) -> None:
    found = checked(text)
    assert (found.findings, found.unchecked, found.cells) == ((), (), 0)


def test_a_sentence_right_below_a_table_is_still_one() -> None:
    text = "| AF | r1 |\n|---|---|\n| IPv4 | 1000500 |\n=> It is 3 % slower:\n[[up3 | r1 inet4 | D1 inet4]]\n"
    assert [one.kind for one in checked(text).findings] == ["claim"]


OURS, THEIRS = "[[up3 | inet4 r1 | inet4 D1]]\n", "[[down3 | inet4 r1 | inet4 D2]]\n"
XEON = f"\n## Xeon\n\n{THEIRS}"
TABLE = "| AF | change |\n|---|---|\n| IPv4 {} | {} |\n\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # of its own section, and of no other
        ("## Results\n\n" + TABLE.format("D2", "-7 %") + OURS + XEON, (0, 1)),
        ("## Results\n\n" + TABLE.format("D1", "-7 %") + OURS + XEON, (1, 0)),
        (
            "## Results\n\n" + TABLE.format("D1", "-7 %") + "### APU\n\n" + OURS + XEON,
            (1, 0),
        ),
        # without any, of what is below the heading above it
        (
            f"## APU\n\n### Results\n\n{TABLE.format('', '-7 %')}### ministat\n\n{OURS}{XEON}",
            (1, 0),
        ),
        (f"## Results\n\n{TABLE.format('D1', '-7 %')}## ministat\n\n{OURS}{XEON}", (1, 0)),
    ],
    ids=["another section", "its own", "below it", "its chapter", "any"],
)
def test_a_table_below_a_heading_that_names_nothing(text: str, found: tuple[int, int]) -> None:
    one = checked(f"# t\n\n{text}")
    assert (len(one.findings), len(one.unchecked)) == found
