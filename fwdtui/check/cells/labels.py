"""What a heading, a caption or the name of a set says, as words that can be compared.

"tx_abdicate off" in a row and "txabdicate_off.inet4.pps" in a block have the words "=txabdicate" and "off" in
common. Words are cut to five letters, as `topics.stems` does, so that "patched" is "patch"; those with digits
are whole, since "64" is not "640".
"""

import re
from functools import lru_cache

from fwdtui.check.topics import stem

_NAME_MOST = 400  # characters of a label that are read
_TOKEN = re.compile(r"~?(?:[a-z]*[0-9]+(?:\.[0-9]+)+(?![a-z0-9])|[a-z0-9]+)")
_COMPOUND = re.compile(r"(?<![a-z0-9])[a-z0-9]++(?:[_-][a-z0-9]++)+")
_FAMILY = re.compile(r"(?<![a-z])(?:inet|ip) ?v? ?([46])(?![0-9a-z])")
_SWITCH = re.compile(r"\s?=\s?([01])(?!\.?[0-9])")
_LACKS = re.compile(r"(?<![a-z0-9-])(?:without|no|not) (?:any |the )?(?=[a-z0-9])")
_PLACE = re.compile(r"(?<![a-z0-9_])on (?=(?:the|a|an|this|that|these|our|all|both|each|one) )|^on (?=\w)")
_PLACE_IN_PROSE = re.compile(r"(?<![a-z0-9_])on (?=\w)")
_COUNTED = re.compile(r"(?<![a-z0-9.])\d+ ?x? ?(?:iterations?|runs|values|samples|boots)(?: each)?(?![a-z])")
_ALIASES = {
    **dict.fromkeys(("inet", "inet4", "v4", "ip4"), "ipv4"),
    **dict.fromkeys(("inet6", "v6", "ip6"), "ipv6"),
    **dict.fromkeys(("enabled", "enable", "enabling", "enables"), "on"),
    **dict.fromkeys(("disabled", "disable", "disabling", "disables"), "off"),
}
_WHOLE = 6  # letters from which a word is also kept whole, for names that are written apart elsewhere


def _stems(*lists: str) -> frozenset[str]:
    return frozenset(form for one in lists for word in one.split() for form in (stem(word), f"={word}"))


SAYS_NOTHING = _stems(
    "a an and are as at be been both by case cases config configuration configurations during each for",
    "from here if in into is it its of only or other per that the their them then these this to under",
    "used using was were when where which will with within avg average averages mean means median medians",
    "min minimum max maximum stddev deviation standard statistic pps kpps mpps gpps packets packet frames",
    "second seconds sec mbps gbps kbps bps mbit gbit kbit mb gb kb s bits bit rate rates value values",
    "result results measured measure measurement figure figures received change changed changes",
    "difference diff delta gain impact effect improvement improved regression speedup slowdown",
    "gains improvements regressions overhead cost costs penalty",
    "faster slower verdict vs versus compared relative against percent percentage af family address inet",
    "benchmark bench test tests name set sets label ministat table below above column row",
)
"""Words of a heading that never tell one set of values from another."""
SAYS_LITTLE = _stems("forwarding performance throughput routing mode patch")
"""Words that tell sets apart only if the sets' own names have them."""
FAMILIES = frozenset(("ipv4", "ipv6"))
EXCLUSIVE = (FAMILIES, frozenset(("on", "off")))
"""Groups of words of which a set can only have one."""
BASE = _stems("base baseline before stock reference unpatched vanilla original unmodified old pre")
LATER = _stems("candidate after patched new modified later post")
"""Words for the first set of a block and for one of the others, where the names themselves say nothing."""
_PATCHED = "=patched"


def words(text: str, *, prose: bool = False) -> frozenset[str]:
    """The words of a label. "~x" stands for "without x", "=xy" for the whole of "x_y" and of "xy".

    "on" is the state of a switch; in `prose` only where no word follows, as in "tx_abdicate on (IPv4)".
    """
    return _words(text[:_NAME_MOST], prose)


@lru_cache(maxsize=1024)  # the rows and headings of a report's tables have the same names again and again
def _words(text: str, prose: bool) -> frozenset[str]:
    low = (_PLACE_IN_PROSE if prose else _PLACE).sub("", text.lower())
    low = _COUNTED.sub(" ", low)
    low = _FAMILY.sub(lambda match: f" ipv{match[1]} ", low)
    low = _SWITCH.sub(lambda match: " on " if match[1] == "1" else " off ", low)
    low = _LACKS.sub("~", low)
    tokens: set[str] = set()
    for token in _TOKEN.findall(low):
        lacks, token = token.startswith("~"), token.lstrip("~")
        token = _ALIASES.get(token, token)
        if token == "forwarded":  # said of a rate, and not the case "forwarding"
            continue
        tokens.add(("~" if lacks else "") + stem(token))
        if token.isalpha() and len(token) >= _WHOLE and not lacks:
            tokens.add(f"={token}")
    return frozenset(tokens)


def compounds(text: str) -> dict[str, frozenset[str]]:
    """Words that are written with an underscore or a hyphen: the whole, and the words that are its parts."""
    low = text[:_NAME_MOST].lower()
    return {"=" + re.sub("[_-]", "", whole): words(whole) for whole in _COMPOUND.findall(low)}


def name_words(text: str, *, prose: bool = False) -> frozenset[str]:
    """The words of a set's name, and those that are in it in another spelling: `fbsd10.3` is `fbsd10` too."""
    names = set(words(text, prose=prose)) | set(compounds(text))
    names |= {word.partition(".")[0] for word in names if "." in word and not word[0].isdigit()}
    return frozenset(names)


def path_words(path: str) -> frozenset[str]:
    """The words of a file's path: dots separate words in its name; in folders they may be a version's."""
    folder, _, name = path.removesuffix(".pps").rpartition("/")
    return name_words(folder).union(name_words(name), *map(name_words, name.split(".")))


def label_words(text: str, known: frozenset[str], *, prose: bool = False) -> frozenset[str]:
    """The telling words of a heading. `known` are those that the sets' names have.

    A word with an underscore is one word if a name has it so; a word kept whole counts only in that case.
    "patched" at the head of a column or a row is one of LATER; in prose it says as little as "patch".
    """
    tokens = set(words(text, prose=prose))
    for whole, parts in compounds(text).items():
        if whole in known:
            tokens -= parts
            tokens.add(whole)
    plain = {word for word in tokens if not word.startswith("=")}
    whole_words = {word for word in tokens if word in known and word.startswith("=")}
    # a word that is known whole needs no stem beside it, which other words may share
    plain -= {stem(word[1:]) for word in whole_words}
    telling = known if prose or _PATCHED not in tokens else known | {stem(_PATCHED[1:])}
    return frozenset(
        word
        for word in plain | whole_words
        if word not in SAYS_NOTHING and (word not in SAYS_LITTLE or word in telling)
    )


def spelled(word: str, text: str) -> str:
    """A word as `text`, the label that it is from, spells it."""
    lacks, bare = word.startswith("~"), word.lstrip("~=")
    if lacks:
        return f"without {spelled(bare, text)}"
    for token in re.findall(r"[\w.]+(?:-[\w.]+)*", text[:_NAME_MOST]):
        if word in words(token) or word in compounds(token):
            return str(token)
    return bare
