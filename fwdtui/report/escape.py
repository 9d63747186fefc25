"""Text from files and hosts as Markdown that shows it and does nothing else.

CommonMark 0.31 and GitHub's extensions: a label cannot become a heading, list, link, image, HTML, emphasis,
table cell or fence. https://spec.commonmark.org/0.31.2/#backslash-escapes and https://github.github.com/gfm/
"""

import re

from fwdtui.core.text import clean, clean_lines

_ALWAYS = re.compile(r"([\\`*_\[\]<>&|~$#!^])")
_AT_START = re.compile(r"^(?:([-+](?![^\s-])|=)|(\d{1,9})([.)])(?!\S))")
# what GitHub turns into a link or a mention without any mark-up; a backslash does not stop all of it
_AUTOLINK = re.compile(r"@|://|www\.|(?:mailto|xmpp):", re.IGNORECASE)
# linkify, which other renderers use, also links what ends like a host name: evil.com, README.md, пример.рф.
# It does not join what an escape has split, so a backslash before the dot is enough there. Its list:
# https://github.com/markdown-it/linkify-it/blob/master/index.mjs
_TOP_LEVELS = "biz|com|edu|gov|net|org|pro|web|xxx|aero|asia|coop|info|museum|name|shop|рф"
_HOST_NAME = re.compile(rf"\.(?:xn--|(?:[^\W\d_]{{2}}|{_TOP_LEVELS})(?![\w-]))", re.IGNORECASE)
# GitHub makes a picture of an emoji's name between colons, in addresses too (b0:de:ad, 2001:db8:100::1), and
# no escape stops it (https://github.com/github/markup/issues/1153). Only two names are all digits: times stay
_EMOJI = re.compile(r":(?:100|1234|[+-]1|(?=[0-9_+-]*[^\W\d_A-Z])[\w+-]+):")
_RUN = re.compile(r"`+")


def inline(text: str, *, cell: bool = False) -> str:
    """One line of text inside a paragraph, heading, list item or (`cell`) table cell."""
    text = " ".join(clean(text.replace("\n", " ").replace("\r", " ")).split())
    if not text:
        return "–"
    if _AUTOLINK.search(text) or _EMOJI.search(text):
        return code(text, cell=cell)
    text = _HOST_NAME.sub(r"\\\g<0>", _ALWAYS.sub(r"\\\1", text))
    return _AT_START.sub(lambda match: f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}", text)


def code(text: str, *, cell: bool = False) -> str:
    """Text as a code span: literal, without links and pictures. In a `cell`, a table still splits at bars."""
    text = " ".join(clean(text.replace("\n", " ").replace("\r", " ")).split())
    if not text:
        return "–"
    ticks = "`" * (_longest_run(text) + 1)
    space = " " if text[0] == "`" or text[-1] == "`" else ""
    spanned = f"{ticks}{space}{text}{space}{ticks}"
    return spanned.replace("|", "\\|") if cell else spanned


def fence(text: str, info: str = "") -> str:
    """A fenced block with a fence that nothing inside can close. Ends with a line end."""
    text = clean_lines(text)
    marks = "`" * max(_longest_run(text) + 1, 3)
    body = text if text.endswith("\n") or not text else f"{text}\n"
    return f"{marks}{info}\n{body}{marks}\n"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _RUN.findall(text)), default=0)
