"""HTML in a report: what is only shown as code, or is never closed, hides nothing of what follows."""

import pytest
from ministat_samples import block

from fwdtui.check import Checked, check_text
from fwdtui.check.markup import without_markup

BARE = block("up3", fence="")
FALSE = "Forwarding loses 3%:\n" + block("up3")


def lines_of(checked: Checked) -> list[int]:
    return [one.line for one in checked.findings]


ABOVE = {
    "a tag in a code span": "Use `<pre>` for output.\n\n",
    "the same in the paragraph itself": "Use `<pre>` for output.\n",
    "a comment in a code span": "Leave it out with `<!--` for now.\n\n",
    "two backquotes": "Write `` `<pre>` `` here.\n\n",
    "a tag in a heading": "# The `<pre>` tag\n\n",
    "a tag in a link": "[the `<pre>` tag](x.md)\n\n",
    "a tag in a fence": "```html\n<pre>\n```\n\n",
    "a comment in a fence": "~~~\n<!--\n~~~\n\n",
    "other tags": "Use `<script>`, `<details>` or <details>.\n\n",
    "an escaped tag": "Use \\<pre> here.\n\n",
    "a tag that is never closed": "Use <pre> here.\n\n",
    "a comment that is never closed": "<!-- To do\n\n",
    "another tag that begins so": "<pre-release>\n\n",
    "code in three backquotes on one line": "```<pre>``` is a tag.\n\n",
    "a closing tag behind the last line of a block": f"<pre>\n{BARE.rstrip()}</pre>\n\n# Next\n\n",
    "a fence in a comment": "<!--\n```\n-->\n\n",
    "a fence in preformatted text": "<pre>\n```\n</pre>\n\n",
    "a comment on one line": "<!-- a --> <!--> <!-- b -->\n\n",
    "a comment of the fewest characters, and no other": "<!-->\n\n",
    "words behind it": "<!--> Measured twice.\n\n",
    "the end of a comment right before": "<!-- a\nb --> ",
}


@pytest.mark.parametrize("above", ABOVE.values(), ids=ABOVE.keys())
def test_what_follows_is_read(above: str) -> None:
    assert lines_of(check_text("x", above + FALSE)) == [above.count("\n") + 1]


# in each, the false sentence is not shown as prose
HIDDEN = {
    "a comment behind code": "Use `<pre>` and `<!--`. <!--\n{}-->\n",
    "a comment with code in it": "<!-- `\n{}` -->\n",
    "preformatted text behind code": "The tag `</pre>` ends <pre>\n{}</pre>\n",
    "an attribute": "<PRE class=x>\n{}</pre >\n",
    "backquotes that are no code": "A ` and <!-- another ``\n{}-->\n",
    "escaped backquotes": "\\`<!--\\`\n{}-->\n",
}


@pytest.mark.parametrize("hidden", HIDDEN.values(), ids=HIDDEN.keys())
def test_comments_and_preformatted_text_are_still_no_prose(hidden: str) -> None:
    text = hidden.format("Forwarding loses 3%:\n")
    assert not lines_of(check_text("x", text + block("up3")))


@pytest.mark.parametrize("comment", ["<!-->", "<!--->", "<!---->"])
def test_a_short_comment_is_no_part_of_a_sentence(comment: str) -> None:
    [line] = without_markup([f"a {comment} b"], ())
    assert line.outside.split() == ["a", "b"]


def test_what_stands_beside_preformatted_text_is_read() -> None:
    text = f"Forwarding loses 3%: <pre>\n{block('up3', fence='')}</pre>\n"
    assert lines_of(check_text("x", text)) == [1]
