"""Text from files shows in Markdown as it is and does nothing: no heading, link, HTML, cell or fence."""

import html
import re
import shutil
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from fwdtui.report.escape import code, fence, inline

EXTENSIONS = ("table", "autolink", "strikethrough", "tasklist")
PARSER = MarkdownIt("gfm-like")  # tables, strikethrough, and links made of bare addresses

NASTY = [
    "# heading",
    "heading ##",
    "- item",
    "+ item",
    "* item",
    "1. item",
    "2) item",
    "---",
    "===",
    "> quote",
    "```sh",
    "~~~",
    "    indented",
    "a | b | c",
    "| --- |",
    "a\\|b",
    "\\",
    "a\\",
    "`code`",
    "``",
    "a` b @c | `d\\|e`",
    "*bold* __under__ ~~gone~~",
    "[text](http://evil.example)",
    "![image](x.png)",
    "[ref]: http://evil.example",
    "<script>alert(1)</script>",
    "<!-- comment",
    "&lt;b&gt; &copy;",
    "http://evil.example/",
    "https://evil.example",
    "www.evil.example",
    "mailto:root@evil.example",
    "root@evil.example",
    "evil.com",
    "see evil.com/path",
    "README.md",
    ".AL",
    "a.xn--p1ai",
    "пример.рф",
    "@somebody",
    "line\nbreak\r\n\r\n# heading",
    "tab\there",
    "$x^2$",
    "-",
    "+",
    "=",
    "1.",
    "- [ ] task",
    "[^1]: note",
    "| a\\",
    "b0:de:ad:4a:47:ce",
    "2001:db8:100::1",
]

HOSTILE = {
    "\x1b[31mred\x1b[0m": "[31mred[0m",
    "\u202eright to left": "right to left",
    "\u2028# x": "# x",
    "\u2066a\u2069|\ufeff": "a|",
    "a\x00\x7f\x9b2J": "a2J",
    "zero\u200bwidth": "zero\\u200bwidth",
    "soft\u00adhyphen\ufe0f": "soft\\xadhyphen\\ufe0f",
    "\U000e0001": "\\U000e0001",
}
"""Text with characters that are not plain, and what a reader is to see of it (core/text.py has the rule)."""

PLAIN = st.characters(exclude_categories=("Cc", "Cf", "Cs", "Cn", "Zl", "Zp", "Mn", "Lo"))
"""Characters without those that act or are not seen (fillers are Lo, variation selectors Mn)."""


def same(text: str) -> tuple[str, str]:
    return text, text


def joined(pieces: list[tuple[str, str]]) -> tuple[str, str]:
    return "".join(text for text, _ in pieces), "".join(seen for _, seen in pieces)


nasty = st.sampled_from([*map(same, NASTY), *HOSTILE.items()])
texts = st.one_of(
    nasty,
    st.text(st.sampled_from("#-+*_=~`|<>[]()!\\&@:/.wh 1a\n\t$^%"), max_size=25).map(same),
    st.text(PLAIN | st.sampled_from("漢한שमé"), max_size=25).map(same),
    st.lists(nasty, max_size=3).map(joined),
)
"""What is written into a document, and its characters as a reader is to see them."""


def shown(token: Token) -> str:
    """What a reader sees of an inline token."""
    return "".join(child.content for child in token.children or ())


def expected(seen: str) -> str:
    """One line: white space within it is one space, and nothing at all is a dash."""
    return " ".join(seen.split()) or "–"


def harmless(token: Token) -> bool:
    return all(child.type in ("text", "text_special", "code_inline") for child in token.children or ())


@settings(max_examples=400, deadline=None)
@given(texts)
@example(same("a\\|b@c"))
def test_in_a_paragraph_list_item_and_heading(written: tuple[str, str]) -> None:
    text, seen = written
    for before, types in (
        ("", ["paragraph_open", "inline", "paragraph_close"]),
        ("# ", ["heading_open", "inline", "heading_close"]),
        ("- ", ["bullet_list_open", "list_item_open", "paragraph_open", "inline"]),
        ("- key: ", ["bullet_list_open", "list_item_open", "paragraph_open", "inline"]),
    ):
        tokens = PARSER.parse(f"{before}{inline(text)}\n\nafter\n")
        assert [token.type for token in tokens][: len(types)] == types
        assert [token.content for token in tokens if token.type == "inline"][1:] == ["after"]
        (first, _) = [token for token in tokens if token.type == "inline"]
        assert harmless(first)
        assert shown(first) == ("key: " if "key" in before else "") + expected(seen)


@settings(max_examples=400, deadline=None)
@given(texts, texts)
@example(same("a\\"), same("b"))
@example(same("a\\|@"), same("`|`"))
def test_in_a_table_cell(one: tuple[str, str], other: tuple[str, str]) -> None:
    for write in (inline, code):
        row = f"| {write(one[0], cell=True)} | {write(other[0], cell=True)} |"
        source = f"| a | b |\n| --- | --- |\n{row}\n\nafter\n"
        tokens = PARSER.parse(source)
        cells = [tokens[i + 1] for i, token in enumerate(tokens) if token.type == "td_open"]
        assert len(cells) == 2
        assert all(map(harmless, cells))
        assert shown(cells[0]) == expected(one[1])
        assert shown(cells[1]) == expected(other[1])
        assert tokens[-2].content == "after"


@settings(max_examples=200, deadline=None)
@given(texts)
def test_as_code(written: tuple[str, str]) -> None:
    text, seen = written
    (paragraph,) = [token for token in PARSER.parse(f"see {code(text)} here") if token.type == "inline"]
    assert shown(paragraph) == f"see {expected(seen)} here"


@settings(max_examples=200, deadline=None)
@given(st.lists(texts, max_size=4))
@example([same("```"), same("````"), same("# heading")])
def test_nothing_inside_closes_a_fence(lines: list[tuple[str, str]]) -> None:
    text = "\n".join(text for text, _ in lines)
    seen = "\n".join(seen for _, seen in lines).replace("\r", "")  # only ever before a line end
    tokens = PARSER.parse(f"{fence(text)}\nafter\n")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert tokens[0].content.rstrip("\n") == seen.rstrip("\n")


@pytest.mark.parametrize(
    "text",
    [
        "r368287.inet4",
        "Intel Xeon E5-2650 @ 2.60GHz",
        "0.0249",
        "-45.2 %",
        "forwarding (UDP), 1.488 Mpps",
        "a-b",
    ],
)
def test_ordinary_text_stays_readable_in_the_source(text: str) -> None:
    assert inline(text) in (text, f"`{text}`")


@pytest.mark.parametrize(
    "text", [":smile:", "b0:de:ad:4a:47:ce", "2001:db8:100::1", "fd00::a:b", ":+1:", "at 1:1234:2"]
)
def test_what_github_would_make_a_picture_of_is_code(text: str) -> None:
    """A backslash before a colon does not stop it."""
    assert inline(text) == f"`{text}`"


@pytest.mark.parametrize("text", ["14:03:11", "dut: up: 3", "fd00::1", "c++::x"])
def test_other_colons_are_left_alone(text: str) -> None:
    assert inline(text) == text


@pytest.mark.skipif(not shutil.which("cmark-gfm"), reason="cmark-gfm, GitHub's parser, is not installed")
def test_githubs_own_parser_sees_it_the_same_way() -> None:
    cases = [*map(same, NASTY), *HOSTILE.items()]
    for number, (text, seen) in enumerate(cases):
        other, _ = cases[(number * 7 + 3) % len(cases)]
        source = (
            f"# {inline(text)}\n\n- {inline(other)}\n\n{inline(text)}\n\n"
            f"| a | b |\n| --- | --- |\n| {inline(text, cell=True)} | {code(other, cell=True)} |\n\n"
            + fence(f"{text}\n{other}")
        )
        done = subprocess.run(
            ["cmark-gfm", "--unsafe", *(o for e in EXTENSIONS for o in ("-e", e))],
            input=source.encode(),
            capture_output=True,
            check=True,
        )
        page = re.sub(r"</?code>|\n", "", done.stdout.decode())
        assert re.sub(r">[^<]+<", "><", page) == (
            "<h1></h1><ul><li></li></ul><p></p>"
            "<table><thead><tr><th></th><th></th></tr></thead><tbody><tr><td></td><td></td></tr></tbody></table>"
            "<pre></pre>"
        )
        assert html.unescape(re.findall(r"<h1>([^<]*)</h1>", page)[0]) == expected(seen)
