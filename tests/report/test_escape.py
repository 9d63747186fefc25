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

from fwdtui.core.text import clean
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
    "\x1b[31mred\x1b[0m",
    "\u202eright to left",
    "$x^2$",
    "-",
    "+",
    "=",
    "1.",
    "\u2028# x",
    "- [ ] task",
    "[^1]: note",
    "| a\\",
]

texts = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.sampled_from("#-+*_=~`|<>[]()!\\&@:/.wh 1a\n\t$^%"), max_size=25),
    st.text(max_size=25),
    st.builds("".join, st.lists(st.sampled_from(NASTY), max_size=3)),
)


def shown(token: Token) -> str:
    """What a reader sees of an inline token."""
    return "".join(child.content for child in token.children or ())


def expected(text: str) -> str:
    return " ".join(clean(text.replace("\n", " ").replace("\r", " ")).split()) or "–"


def harmless(token: Token) -> bool:
    return all(child.type in ("text", "text_special", "code_inline") for child in token.children or ())


@settings(max_examples=400, deadline=None)
@given(texts)
@example("a\\|b@c")
def test_in_a_paragraph_list_item_and_heading(text: str) -> None:
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
        assert shown(first) == ("key: " if "key" in before else "") + expected(text)


@settings(max_examples=400, deadline=None)
@given(texts, texts)
@example("a\\", "b")
@example("a\\|@", "`|`")
def test_in_a_table_cell(one: str, other: str) -> None:
    for write in (inline, code):
        source = (
            f"| a | b |\n| --- | --- |\n| {write(one, cell=True)} | {write(other, cell=True)} |\n\nafter\n"
        )
        tokens = PARSER.parse(source)
        cells = [tokens[i + 1] for i, token in enumerate(tokens) if token.type == "td_open"]
        assert len(cells) == 2
        assert all(map(harmless, cells))
        assert shown(cells[0]) == expected(one)
        assert shown(cells[1]) == expected(other)
        assert tokens[-2].content == "after"


@settings(max_examples=200, deadline=None)
@given(texts)
def test_as_code(text: str) -> None:
    (paragraph,) = [token for token in PARSER.parse(f"see {code(text)} here") if token.type == "inline"]
    assert shown(paragraph) == f"see {expected(text)} here"


@settings(max_examples=200, deadline=None)
@given(st.lists(texts.map(clean), max_size=4).map("\n".join))
@example("```\n````\n# heading")
def test_nothing_inside_closes_a_fence(text: str) -> None:
    tokens = PARSER.parse(f"{fence(text)}\nafter\n")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert tokens[0].content.rstrip("\n") == text.rstrip("\n")


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


@pytest.mark.skipif(not shutil.which("cmark-gfm"), reason="cmark-gfm, GitHub's parser, is not installed")
def test_githubs_own_parser_sees_it_the_same_way() -> None:
    for number, text in enumerate(NASTY):
        other = NASTY[(number * 7 + 3) % len(NASTY)]
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
        assert html.unescape(re.findall(r"<h1>([^<]*)</h1>", page)[0]) == expected(text)
