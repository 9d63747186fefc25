"""The Markdown report: in the shape of what people publish by hand, and safe whatever the names are."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hand_made import BASE, FASTER, judged, recorded
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from fwdtui.core.model import Case, Caution, Fact, Iteration, Session, Window
from fwdtui.report import table
from fwdtui.report.comparison import Compared, judge_sides
from fwdtui.report.document import Attachments, Choices, Document
from fwdtui.report.facts import compare
from fwdtui.report.grouping import warnings
from fwdtui.report.iterations import case_set
from fwdtui.report.markdown import is_untouched, render
from fwdtui.report.method import value_of
from fwdtui.report.sides import Side, load_sides
from fwdtui.ui.compare import tab_texts

PARSER = MarkdownIt("gfm-like")


def side(
    label: str, values: Sequence[float], facts: dict[str, Fact], case: str = "inet4", note: str = "cut"
) -> Side:
    window = Window("steady", 5.0, 55.0, kept=50, head=5, tail=2, notes=(note,))
    iterations = [Iteration(index=i, value=v, window=window) for i, v in enumerate(values, 1)]
    session = Session(f"sessions/{label}", label, "", facts, (Case(case, iterations),))
    return Side(session.path, label, {case: case_set(session, session.cases[0], label)}, False, (session,))


FACTS: tuple[dict[str, Fact], ...] = (
    {"cpu": "Intel Xeon E5-2650", "flows": 5000, "nics": ["cxl0", "cxl1"], "image": "r368287", "tso": False},
    {"cpu": "Intel Xeon E5-2650", "flows": 5000, "nics": ["cxl0", "cxl1"], "image": "D27401", "lro": True},
)


def document(attachments: Attachments | None = None, title: str = "") -> Document:
    sides = [side("r368287", BASE, FACTS[0]), side("r368287 with D27401", FASTER, FACTS[1])]
    return Document(judge_sides(sides), Choices(title), attachments)


BESIDE = Attachments(
    "r.d/medians.svg",
    {"inet4": "r.d/iterations.inet4.svg"},
    {("inet4", "r368287"): "r.d/a.pps", ("inet4", "r368287 with D27401"): "r.d/b c.pps"},
)


def section(text: str, heading: str) -> str:
    start = text.index(f"\n## {heading}\n") + 1
    end = text.find("\n## ", start)
    return text[start : end if end > 0 else len(text)]


def test_a_unit_is_text_from_a_file() -> None:
    """Of a recording that somebody else made it may be anything."""
    unit = "a|<img src=x>"
    sides = []
    for label, values in (("r1", BASE), ("r2", FASTER)):
        some = tuple(Iteration(n, value, unit=unit) for n, value in enumerate(values, 1))
        session = Session(f"sessions/{label}", label, "", cases=(Case("inet4", some),))
        cases = {"inet4": case_set(session, session.cases[0], label)}
        sides.append(Side(session.path, label, cases, False, (session,)))
    tokens = PARSER.parse(render(Document(judge_sides(sides))))
    inner = [one for token in tokens for one in (token, *(token.children or ()))]
    assert not [one for one in inner if one.type in ("html_inline", "image")]
    rows = [one for one in tokens if one.type == "inline" and unit in one.content.replace("\\", "")]
    assert rows, "it is shown as it is"


def test_what_was_compared_and_how_it_came_out_is_told_first() -> None:
    head = render(document(BESIDE)).partition("\n## ")[0]
    assert head == (
        "# Comparing r368287 with D27401 with r368287: forwarding performance\n"
        "\n"
        "1 comparison: 1 faster.\n"
        "\n"
        "| case | n | median, baseline | median, candidate | difference of means | p, adjusted | verdict |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n"
        "| inet4 | 5/5 | 9 909 120 | 10 047 306 | +1.8 % [+0.3, +3.2] | 0.0252 | faster |\n"
        "\n"
        "![Medians and differences of every case](r.d/medians.svg)\n"
    )


def test_the_lab_is_told_by_what_differs_and_what_is_alike_comes_last() -> None:
    assert section(render(document(BESIDE)), "Lab: what differs") == (
        "## Lab: what differs\n"
        "\n"
        "| differs | r368287 | r368287 with D27401 |\n"
        "| --- | --- | --- |\n"
        "| image | r368287 | D27401 |\n"
        "| tso | no | – |\n"
        "| lro | – | yes |\n"
    )
    assert section(render(document(BESIDE)), "Lab") == (
        "## Lab\n\n- cpu: Intel Xeon E5-2650\n- flows: 5000\n- nics: cxl0, cxl1\n"
    )


def test_a_case_has_the_verdict_ministats_own_figure_its_block_and_a_chart() -> None:
    text = section(render(document(BESIDE)), "inet4")
    assert text == (
        "## inet4\n"
        "\n"
        "**faster**: improved by 1.8 % \\[0.3, 3.2\\]. "
        "ministat (pooled Student's t): 1.75917% +/- 1.22245%.\n"
        "\n"
        "```\n"
        "x r368287: inet4 packets-per-second\n"
        "+ r368287 with D27401: inet4 packets-per-second\n"
        "+--------------------------------------------------------------------------+\n"
        "|                                                                        + |\n"
        "|                                              x                         + |\n"
        "|x                                            xx x               +  +    + |\n"
        "|                |____________________A________M___________|               |\n"
        "|                                                                 |___A__M||\n"
        "+--------------------------------------------------------------------------+\n"
        "    N           Min           Max        Median           Avg        Stddev\n"
        "x   5       9658584       9920131       9909120       9860467     112994.55\n"
        "+   5      10003670      10049670      10047306      10033929     20996.919\n"
        "Difference at 95.0% confidence\n"
        "\t173462 +/- 118523\n"
        "\t1.75917% +/- 1.22245%\n"
        "\t(Student's t, pooled s = 81267)\n"
        "```\n"
        "\n"
        "![Iterations in the order measured](r.d/iterations.inet4.svg)\n"
    )


def test_the_method_tells_what_was_dropped_and_how_it_was_decided() -> None:
    text = section(render(document(BESIDE)), "Method")
    assert "| r368287 | inet4 | steady | 1 to 5 | 50 | 5 | 2 | 0 |\n" in text
    assert "- cut (10 iterations)\n" in text
    for word in (
        "of the means",
        "Welch's t",
        "Holm",
        "inside ±1 %",
        "flavour current",
        "95 %",
        "Written by fwdtui",
    ):
        assert word in text


@pytest.mark.parametrize(
    ("methods", "told"),
    [
        (["steady", "netbenches", ""], "median rate of its measured window"),
        (["equilibrium"], "One iteration is one value: the highest load that a search found "),
        (["published"], "One iteration is one value: what was published, where no log is left."),
        (["steady", "published"], "at the DUT's output; or what was published, where no log is left."),
    ],
)
def test_the_method_says_of_a_search_and_of_a_published_figure_that_it_is_one(
    methods: list[str], told: str
) -> None:
    windows = [Window(method, None, None, 0) if method else None for method in methods]
    text = value_of(Iteration(index=i, value=1.0, window=one) for i, one in enumerate(windows, 1))
    assert told in text
    assert ("median rate" in text) == ("samples" in text) == ("steady" in methods)


def test_the_data_files_are_linked_and_ministats_command_is_given() -> None:
    text = section(render(document(BESIDE)), "Data")
    assert "- [r368287: inet4](r.d/a.pps)\n- [r368287 with D27401: inet4](r.d/b%20c.pps)\n" in text
    assert "```sh\nministat r.d/a.pps 'r.d/b c.pps'\n```\n" in text


@pytest.mark.parametrize(
    ("asked", "option"), [(95.0, ""), (99.0, "-c 99 "), (99.5, "-c 99.5 "), (97.0, "")], ids=str
)
def test_the_command_is_at_the_level_of_the_block(asked: float, option: str) -> None:
    sides = [side("r368287", BASE, FACTS[0]), side("r368287 with D27401", FASTER, FACTS[1])]
    text = render(Document(judge_sides(sides, confidence=asked), Choices(), BESIDE))
    assert f"```sh\nministat {option}r.d/a.pps 'r.d/b c.pps'\n```\n" in section(text, "Data")
    level = float(option.removeprefix("-c ") or 95)
    assert re.search(rf"(at|proven at) {level:.1f}% confidence", section(text, "inet4"))


def test_more_sets_than_ministat_takes_have_a_command_for_each_of_their_blocks() -> None:
    labels = [f"k{number}" for number in range(9)]
    sides = [side(label, BASE if label == "k0" else FASTER, {}) for label in labels]
    beside = Attachments("", {}, {("inet4", label): f"r.d/{label}.pps" for label in labels})
    text = render(Document(judge_sides(sides), Choices(), beside))
    assert section(text, "inet4").count("x k0: inet4") == 2
    assert judge_sides(sides).block("inet4").count("x k0: inet4") == 2, "nor does the app's tab refuse them"
    first, second = (
        " ".join(f"r.d/{label}.pps" for label in part) for part in (labels[:7], ["k0", *labels[7:]])
    )
    assert f"```sh\nministat {first}\nministat {second}\n```\n" in section(text, "Data")


def test_on_its_own_it_has_charts_in_plain_characters_and_links_to_nothing() -> None:
    text = render(document())
    assert "iterations  x r368287 (5)   + r368287 with D27401 (5)" in text
    tokens = flat(PARSER.parse(text))
    assert not [token for token in tokens if token.type in ("image", "link_open")]
    assert "## Data" not in text


def test_the_same_input_gives_the_same_bytes() -> None:
    assert render(document(BESIDE)) == render(document(BESIDE))


def test_a_report_knows_whether_a_single_byte_of_it_was_changed() -> None:
    text = render(document(BESIDE))
    assert is_untouched(text)
    for changed in (text + "\n", text.replace("faster", "slower", 1), text[1:], text[:-1], "", text * 2):
        assert not is_untouched(changed)


def test_the_title_is_the_given_one_else_the_sessions_own() -> None:
    assert render(document(title="Impact of *D27401*")).startswith("# Impact of \\*D27401\\*\n")
    titled = {"title": "Impact of D11476"}
    sides = [side("a", BASE, titled), side("b", FASTER, titled)]
    assert render(Document(judge_sides(sides))).startswith("# Impact of D11476\n")


def test_what_was_left_out_is_listed(tmp_path: Path) -> None:
    base = recorded(tmp_path / "r1", "r1", {"inet4": [*BASE, None], "pf": [1.0]})
    other = recorded(tmp_path / "r2", "r2", {"inet4": [*FASTER]})
    sides = load_sides([str(base), str(other)])
    text = render(Document(judge_sides(sides)))
    assert "- r1, inet4: iteration 6: unfinished: it has no iteration.json\n" in section(text, "Method")
    assert "`unpaired-case`: only in r1, not in r2, so not compared: pf" in section(text, "Warnings")


def test_of_several_candidates_the_only_one_with_a_case_in_common_is_named() -> None:
    sides = [side("a", BASE, FACTS[0]), side("b", FASTER, FACTS[1], case="pf"), side("c", FASTER, FACTS[1])]
    head = render(Document(judge_sides(sides)))
    assert "| case | n | a, median | c, median | difference of means |" in head


def test_several_candidates_share_the_block_and_are_named() -> None:
    results = tuple(judged(labels=("base", name), unit="pps") for name in ("D1", "D2"))
    sides = (side("base", BASE, {}), side("D1", FASTER, {}), side("D2", FASTER, {}))
    text = render(Document(Compared(sides, results)))
    assert "D1: **faster**: improved by" in text
    assert "D2: **faster**: improved by" in text
    assert "\n* D2: inet4 packets-per-second\n" in text
    assert "| case | candidate | n |" in text


@pytest.mark.parametrize(("n", "told"), [(2, "too few in a\n"), (0, "too few in a\n")])
def test_sets_too_small_for_ministat_are_said_to_be(n: int, told: str) -> None:
    results = (judged(base=BASE[:n], labels=("a", "b")),)
    text = render(Document(Compared((side("a", BASE[:n], {}), side("b", FASTER, {})), results)))
    assert f"no ministat table: it needs 3 or more finite values per set; {told}" in text


def test_a_confidence_that_ministat_lacks_is_said() -> None:
    sides = [side("a", BASE, {}), side("b", FASTER, {})]
    text = render(Document(judge_sides(sides, confidence=97.0)))
    assert "a pooled Student's t at 95 % (ministat has no 97 %)" in text


def test_without_ministats_blocks_no_table_is_said_to_be_ministats() -> None:
    compared = judge_sides([side("a", BASE, {}), side("b", FASTER, {})])
    assert "The tables are ministat's" in render(Document(compared))
    for section_left_out in ("ministat", "cases"):
        text = render(Document(compared, Choices(without=frozenset({section_left_out}))))
        assert "The tables are ministat's" not in text and "Written by fwdtui" in text


def flat(tokens: Sequence[Token]) -> list[Token]:
    return [one for token in tokens for one in (token, *(token.children or ()))]


def structure(text: str) -> list[str]:
    """The document's blocks in order, without what stands in them."""
    return [f"{token.type} {token.tag} {token.level}" for token in PARSER.parse(text)]


NASTY = ["# x", "- x", "|", "a | b\\", "```\n# x", "<b>x</b>", "<!--", "[x](http://e)", "![x](y)",
         "http://e.org", "root@e.org", "www.e.org", "\n\n# x", "`", "``", "~~~", "---", "===", "1. x",
         "    x", "\\", "*x*", "_x_", "| --- |", "&lt;", "\x1b[2J", "x\u2028# y", "", " ", "--title",
         "$(rm)", "'", '"']  # fmt: skip
texts = st.one_of(
    st.sampled_from(NASTY),
    st.text(max_size=12),
    st.builds("".join, st.lists(st.sampled_from(NASTY), max_size=3)),
)


def written(label: str, case: str, key: str, value: str, warning: str) -> str:
    """A document in which every text that can come from a file is given."""
    facts: list[dict[str, Fact]] = [
        {"shared": value, key + "1": "x", "differs": value},
        {"shared": value, key + "1": "x", "differs": "y", "command": value},
    ]
    sides = [side(label, BASE, facts[0], case, warning), side("other", FASTER, facts[1], case, warning)]
    cautions = (Caution("code", f"w{warning}"),)
    results = [judged(case, labels=(label, "other"), warnings=cautions, sentence=f"improved, says {label}")]
    beside = Attachments(
        "r.d/m.svg", {case: "r.d/i.svg"}, {(case, label): "r.d/a.pps", (case, "other"): "r.d/b.pps"}
    )
    compared = Compared(tuple(sides), tuple(results), (Caution("note", f"n{warning}"),))
    return render(Document(compared, Choices(f"t{label}"), beside))


@settings(max_examples=250, deadline=None)
@given(texts, texts, texts, texts, texts)
@example("```", "````", "`````", "|", "\\")
def test_no_text_from_a_file_changes_the_shape_of_the_document(
    label: str, case: str, key: str, value: str, warning: str
) -> None:
    assume(label != "other")  # two sets of one label are another document
    text = written(label or "x", case, key, value, warning)
    assert structure(text) == structure(written("r1", "inet4", "k", "v", "w"))
    tokens = flat(PARSER.parse(text))
    links = [token.attrs["href"] for token in tokens if token.type == "link_open"]
    images = [token.attrs["src"] for token in tokens if token.type == "image"]
    assert links == ["r.d/a.pps", "r.d/b.pps"]
    assert images == ["r.d/m.svg", "r.d/i.svg"]
    assert not [token for token in tokens if token.type == "html_inline"]
    assert [token.content[:29] for token in tokens if token.type == "html_block"] == [
        "<!-- written by fwdtui report"
    ]
    assert "\x1b" not in text


def test_facts_of_one_session_named_twice_count_once() -> None:
    one = side("a", BASE, {"x": "1"})
    found = compare([one, one])
    assert found.shared == (("x", "1"),)
    assert found.differing == ()


def test_warnings_come_before_everything_that_is_only_looked_up() -> None:
    whole = document(BESIDE)
    damaged = replace(whole.compared, notes=(Caution("damage", "a log has no end"),))
    text = render(replace(whole, compared=damaged))
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    wanted = ["## inet4", "## Warnings", "## Lab: what differs", "## Method", "## Lab", "## Data"]
    assert headings == wanted


@pytest.mark.parametrize("name", ["A", "No rules"])
def test_a_warning_about_a_side_writes_its_name_as_it_is(name: str) -> None:
    """Beside its code, "A spreads 6.1 times as much as B" had become "a spreads"."""
    text = f"{name} spreads 6.1 times as much as B."
    one = judged(warnings=(Caution("unequal-spread", text),))
    compared = replace(document().compared, judged=(one,))
    assert f"`unequal-spread` (inet4): {text}\n" in render(Document(compared))
    assert f"unequal-spread (inet4): {text}\n" in table.render([one])
    assert f"unequal-spread: {text}\n" in tab_texts.warnings(warnings([one])).plain
