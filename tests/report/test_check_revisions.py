"""References to files of another revision than the text's, and above all what is none."""

from pathlib import Path

import pytest
from fixtures import Agree
from ministat_samples import report

from fwdtui.check import Finding, check_text


def found(text: str) -> list[Finding]:
    return [one for one in check_text("x", report(text)).findings if one.kind == "revision"]


# the line that is flagged comes first, then what its message says
FLAGGED = {
    "a block of another revision": (
        3,
        "The text mentions revision 368287, but this block is from revision 368606.",
        "FreeBSD 13-head r368287\n\n[[up3 | r368606: IPv4 | r368606 with D1: IPv4]]\n",
    ),
    "a revision without its letter": (
        3,
        "The text mentions revision 317849, but this block is from revision 320657.",
        "FreeBSD 12-head 317849\n\n[[up3 | r320657 | r320657 with D1]]\n",
    ),
    "the sets are named by files": (
        3,
        "The text mentions revision 317849, but this block is from revision 296935.",
        "FreeBSD 12-head r317849\n\n[[up3 | 296935.forwarding | 296935D4306.forwarding]]\n",
    ),
    "a label of another revision": (
        5,
        "The label mentions revision 368287, but this block is from revision 368606.",
        "FreeBSD 13-head r368606\n\nr368287:\n\n[[up3 | r368606 | r368606 with D1]]\n",
    ),
    "a heading of another revision": (
        5,
        "The label mentions revision 311215, but this block is from revision 311216.",
        "FreeBSD n311216\n\n## n311215\n\n[[up3 | n311216 | n311216 with D1]]\n",
    ),
    "a link whose file is of another": (
        3,
        "The link names revision 368287, but its file is from revision 368606: 'bench.r368606.svg'.",
        "FreeBSD r368606\n\n- [r368287: inet4](bench.r368606.svg)\n",
    ),
    "a link in a sentence": (
        3,
        "The text mentions revision 368287, but its file is from revision 368606: 'bench.r368606.svg'.",
        "FreeBSD r368287\n\nSee the [flame graph](bench.r368606.svg) of it.\n",
    ),
    "an image": (
        3,
        "The text mentions revision 368287, but its file is from revision 368606: 'r368606/graph.png'.",
        "FreeBSD r368287\n\n![graph](r368606/graph.png)\n",
    ),
    "a file in a command": (
        4,
        "The text mentions revision 317849, but 'bench.312905.1.pmc.graph' is from revision 312905.",
        "FreeBSD 12-head r317849\n\n```\nstackcollapse-pmc.pl bench.312905.1.pmc.graph > a.svg\n```\n",
    ),
}


@pytest.mark.parametrize(("line", "message", "text"), FLAGGED.values(), ids=FLAGGED.keys())
def test_a_reference_to_another_revision_is_flagged(line: int, message: str, text: str) -> None:
    [one] = found(text)
    assert one.text == report(text).split("\n")[one.line - 1].strip()
    assert (one.message, one.line) == (message, line if "this block" not in message else line + 1)


NOT_FLAGGED = {
    "the same revision": "FreeBSD 13-head r368606\n\n[[up3 | r368606 | r368606 with D1]]\n",
    "without its letter": "FreeBSD 11 head r296935\n\n[[up3 | "
    "296935.forwarding | 296935 with D4306.forwarding]]\n",
    "no revision in the text": "FreeBSD 14.1\n\n[[up3 | r368606 | r368606 with D1]]\n",
    "no revision in the block": "FreeBSD 13-head r368606\n\n[[up3 | stock | D1]]\n",
    "two revisions compared, one named": "Since r368606 it is slower:\n\n[[up3 | r368606 | r368700]]\n",
    "named further below": "FreeBSD r368287\n\n[[up3 | r368606 | r368606D1]]\n\nThe block is of r368606.\n",
    "a link to another, which says so": "FreeBSD r368606\n\n[before, r368287](bench.r368287.svg)\n",
    "a sentence about another": "FreeBSD r368606\n\nOf r368287 see the [graph](bench.r368287.svg).\n",
    "a link elsewhere": "FreeBSD r368606\n\n[r368606](https://svnweb.example.org/base?revision=368287)\n",
    "a file of the block's revision": "FreeBSD 12-head 317849, r320657\n\n[[up3 | r320657 | D1]]\n\n"
    "[a](b.r320657.svg)\n",
    "a date": "FreeBSD r368606\n\n[graph](bench.201231.svg)\n",
    "a date with a century": "FreeBSD r368606\n\n[graph](bench.20201231.svg)\n",
    "a count of flows": "FreeBSD r368606\n\n[graph](flows.250000.svg) [graph](flows.262144.svg)\n",
    "a size": "FreeBSD r368606\n\n[graph](bench.524288.svg)\n",
    "a review and its diff": "FreeBSD r368606 with D27401\n\n[graph](bench.r368606D27401v3.svg)\n",
    "a review alone": "FreeBSD r368606\n\n[Diff 80654](D27402.diff)\n",
    "a file in prose": "FreeBSD r368606\n\nIt replaces bench.r368287.svg.\n",
    "a system's own words in code": (
        "FreeBSD head r368606\n\n```\nFreeBSD 13.0-CURRENT r368700M\n```\n\n[graph](bench.r368700.svg)\n"
    ),
}


@pytest.mark.parametrize("text", NOT_FLAGGED.values(), ids=NOT_FLAGGED.keys())
def test_what_may_well_be_meant_is_not_flagged(text: str) -> None:
    assert found(text) == []


def test_blocks_of_one_other_revision_are_told_once() -> None:
    block = "[[up3 | r320657 | r320657D1]]\n"
    [one] = found(f"FreeBSD 12-head 317849\n\n{block}\n{block}")
    assert one.sources[0].first_line == 4
    assert len(found(f"FreeBSD 12-head 317849\n\n{block}\n[[up3 | r320658 | r320658D1]]\n")) == 2


def test_what_a_link_says_is_cleaned() -> None:
    [one] = found("FreeBSD r368287\n\nSee [graph](a\x1b[31m\u202eb.r368606.svg) of it.\n")
    assert "\x1b" not in one.message + one.text and "\u202e" not in one.message + one.text


def real_references_in_published_reports(seeds: Path, archive: Path) -> None:
    flagged = [
        (file.name[:3], one.line)
        for file in sorted([*seeds.glob("*.txt"), *archive.rglob("README.md")])
        for one in check_text(file.name, file.read_text()).findings
        if one.kind == "revision"
    ]
    assert flagged == [
        ("001", 48), ("001", 49), ("001", 50), ("001", 51), ("002", 13), ("002", 53),
    ]  # fmt: skip


def test_published_reports_say_the_same(agree: Agree) -> None:
    agree(real_references_in_published_reports)
