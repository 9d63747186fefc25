"""Words reduced so far that a sentence and the name of a set can be compared: "enabling" is "enabled"."""

import re

_WORD = re.compile(r"[0-9]+(?:\.[0-9]+)+|[a-z]+[0-9][a-z0-9]*|[0-9]{3,}[a-z0-9]*|[a-z]+")
_PERCENTAGE = re.compile(r"[0-9.,]+\s?(?:%|percent)")
_COMMON = frozenset(
    re.findall(
        r"\w+", "the a an of in on at with and to for is was than as by it pps packets per second forwarded"
    )
)
_LETTERS = 5  # that tell two forms of a word to be the same
_ALIASES = {"inet4": "ipv4", "inet6": "ipv6", "v4": "ipv4", "v6": "ipv6"}


def stems(text: str) -> set[str]:
    """The telling words of a text in lower case: identifiers and versions whole, words cut to their stem."""
    text = _PERCENTAGE.sub(" ", text).replace("inet ", "inet")
    found = {_ALIASES.get(word, word) for word in _WORD.findall(text)}
    return {word if any(c.isdigit() for c in word) else word[:_LETTERS] for word in found - _COMMON}
