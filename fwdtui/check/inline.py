"""A line of Markdown as words: no emphasis, links or images, one kind of blank, minus and plus-minus."""

import html
import re

# possessive, and with targets of this length at most: what is never closed is not searched again and again
_TARGET = 2000
_IMAGE = re.compile(rf"!\[[^\[\]]*+\](?:\([^)]{{0,{_TARGET}}}+\)|\[[^\]]{{0,{_TARGET}}}+\])?")
_LINK = re.compile(
    rf"\[([^\[\]]*+)\]\s?\(\s*+(?=[^)\s]{{0,{_TARGET}}}[/.#:])[^)]{{0,{_TARGET}}}+\)"
    r"|\[([^\[\]]*+)\]\[[^\[\]]*+\]"
)
_URL = re.compile(r"<?\b(?:https?|ftp)://[^\s>)]+>?")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*+>|<!--(?:(?!<!--|-->).)*-->")
_EMPHASIS = re.compile(r"`+|\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<![\w])_{1,3}(?=\S)|(?<=\S)_{1,3}(?![\w])")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,40}\]")
_ESCAPED = re.compile(r"\\([%+~<>-])")
_WORD = re.compile(r"\w")
_BLANK = re.compile(r"[\s\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_PLUS_MINUS = re.compile(r"\+/-|\+/−|\+-")
_MINUS = re.compile(r"[\u2212\ufe63\uff0d]|(?<![\w%)])[\u2012\u2013](?=\d)")
_UNSEEN = r"(?:\\(?:xad|u200[b-d]|u2060)|[\u00ad\u200b-\u200d\u2060]){1,4}"
"""Invisible characters, as `core.text.clean` spells them or from entities.

Few at once: a long row would take quadratic time.
"""
_BESIDE_PERCENT = re.compile(
    rf"(?<=%){_UNSEEN}|(?<=% ){_UNSEEN}|{_UNSEEN}(?=\d[\d.,]{{0,10}} ?%)|{_UNSEEN}(?= ?[%\uff05\ufe6a\u066a])"
)
_SAME = str.maketrans(
    {
        "×": "x",
        "≈": "~",
        "≃": "~",
        "≅": "~",
        "∼": "~",
        "％": "%",
        "﹪": "%",
        "٪": "%",
        "’": "'",
        "‘": "'",
        "＋": "+",
    }
)


def readable(line: str) -> str:
    """The words of a line. Minus is "-", plus-minus "±", any sign of approximation "~", a percent sign "%".

    Empty for a line of links and images only.
    """
    text = _IMAGE.sub(" ", _BESIDE_PERCENT.sub("", html.unescape(line)))
    if not _WORD.search(_LINK.sub(" ", text)):
        return ""  # nothing but links: a list of graphs
    text = _LINK.sub(lambda match: match[1] if match[1] is not None else match[2], text)
    text = _TAG.sub(" ", _URL.sub(" ", _FOOTNOTE.sub("", text)))
    text = _ESCAPED.sub(r"\1", text)
    text = _PLUS_MINUS.sub("±", _MINUS.sub("-", text.translate(_SAME)))
    return _BLANK.sub(" ", _EMPHASIS.sub("", text)).strip()
