"""What a sentence or a block is about: significant words, address family, firewall, protocol, patch."""

import re
from functools import lru_cache

_WORD = re.compile(r"[0-9]+(?:\.[0-9]+)+|[a-z]+[0-9][a-z0-9]*|[0-9]{3,}[a-z0-9]*|[a-z]+")
# from its first digit only: else each digit of a long row would be a start
_PERCENTAGE = re.compile(r"(?<![0-9.,])[0-9.,]++\s?(?:%|percent)")
_COMMON = frozenset(
    re.findall(
        r"\w+", "the a an of in on at with and to for is was than as by it pps packets per second forwarded"
    )
)
_LETTERS = 5  # by which two forms of a word are recognized as the same
_ALIASES = {"inet4": "ipv4", "inet6": "ipv6", "v4": "ipv4", "v6": "ipv6"}
_TOPICS = (
    {
        "4": re.compile(r"\binet ?4\b|\bipv4\b|\bv4\b|\binet\b(?! ?[46])"),
        "6": re.compile(r"\binet ?6\b|\bipv6\b|\bv6\b"),
    },
    {
        name: re.compile(rf"(?<![a-z0-9]){name}(?![a-z0-9])")
        for name in ("pf", "ipfw", "ipf", "nftables", "iptables")
    },
    {name: re.compile(rf"\b{name}\b") for name in ("tcp", "udp")},
    {name: re.compile(rf"\b{name}\b") for name in ("linux", "freebsd", "openbsd", "netbsd", "vpp", "dpdk")},
)
_OTHERS = frozenset(("linux", "openbsd", "netbsd", "vpp", "dpdk"))  # meant only where a block names them
_IDENTIFIERS = (
    re.compile(r"(?<![a-z0-9])d(\d{4,6})(?!\d)"),  # a review
    re.compile(r"(?<![a-z])diff[ :#]*(\d{4,7})(?!\d)"),  # a version of it
    re.compile(r"(?<![a-z0-9])d(\d{4,6}v\d+)(?!\d)"),  # the same
    re.compile(r"(?<![a-z0-9])[rn](\d{5,7})(?!\d)"),  # a revision
)


@lru_cache(maxsize=1024)  # the names of a block are compared with each sentence on it
def stems(text: str) -> frozenset[str]:
    """The significant words of a text in lower case: identifiers and versions whole, of others the stem.

    "enabling" is "enabled", so that a sentence and the name of a set can be compared.
    """
    text = _PERCENTAGE.sub(" ", text).replace("inet ", "inet")
    telling = {_ALIASES.get(word, word) for word in _WORD.findall(text)} - _COMMON
    return frozenset(stem(word) for word in telling)


def stem(word: str) -> str:
    """What two forms of a word in lower case have in common; a word with a digit is whole."""
    return word if any(c.isdigit() for c in word) else word[:_LETTERS]


def topics_agree(clause: str, sentence: str, about: tuple[str, str], title: str = "") -> bool | None:
    """True where they name the same thing, False where they name different ones, None if that is not known.

    A clause that names nothing inherits from its sentence; a sentence on both IPv4 and IPv6 is not about a
    block on one of them. `about` is the names of a block and the label above it, which counts where the names
    are silent; identifiers are also looked for in the `title` of the text.
    """
    clause, sentence, names, label = (part.lower() for part in (clause, sentence, *about))
    agree: bool | None = None
    for of_clause, of_sentence, of_names, of_label in zip(
        *map(_named, (clause, sentence, names, label)), strict=True
    ):
        said, meant = of_clause or of_sentence, of_names or of_label
        if (meant or len(said) > 1 or said & _OTHERS) and not said <= meant:
            return False
        if said and meant:
            agree = True
    for identifiers, of_block, of_title in zip(
        *map(_identifiers, (sentence, names, title.lower())), strict=True
    ):
        known = of_block or of_title
        if identifiers and known:
            if not identifiers & known:
                return False
            agree = True if agree is None else agree
    return agree


@lru_cache(maxsize=512)  # each sentence is compared with several blocks, and each block with many sentences
def _named(text: str) -> tuple[frozenset[str], ...]:
    """What a text names of each kind of topics."""
    return tuple(
        frozenset(topic for topic, pattern in topics.items() if pattern.search(text)) for topics in _TOPICS
    )


@lru_cache(maxsize=512)
def _identifiers(text: str) -> tuple[frozenset[str], ...]:
    """The identifiers of each kind that a text has."""
    return tuple(frozenset(pattern.findall(text)) for pattern in _IDENTIFIERS)
