"""Which two value files a sentence without a ministat block is about: exactly two, or the reason why none.

Nothing is guessed: of all pairs of files exactly one has to fit.

- Each telling word of the sentence is in the path of one of the two at least; a condition ("with tx_abdicate
  off", "without pf") holds for both.
- What tells the two apart is said: in the sentence, in a heading or in the title. A switch that is named
  ("tx_abdicate has no impact") tells its "on" from its "off".
- Of several pairs that differ in the same words, the one in the report's own folder is meant.
- "With D1, X is faster with tx_abdicate on" may compare D1 with what is without it, or on with off: either.

A sentence with an address family, a firewall, a patch or a revision that no value file is called by is about
other data, and so is one about what was measured "before" or "without" something that no file is called.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from fwdtui.check.cells.candidates import Candidate, Pool
from fwdtui.check.cells.files import Data, compared, in_order, named_by
from fwdtui.check.cells.labels import (
    BASE,
    EXCLUSIVE,
    FAMILIES,
    LATER,
    SAYS_NOTHING,
    label_words,
    spelled,
    words,
)
from fwdtui.check.results import Result
from fwdtui.check.words import BASELINE
from fwdtui.stats.figures import listing

_IDENTIFIER = re.compile(r"(?<![a-z0-9])(?:[rn][0-9]{5,7}|d[0-9]{4,6}(?:v[0-9]+)?)(?![a-z0-9])")
_FIREWALLS = "pf ipfw ipf nftab iptab"
_TOPICS = frozenset(f"ipv4 ipv6 tcp udp linux openb netbs vpp dpdk {_FIREWALLS}".split())
"""Words, as labels have them, that say what was measured wherever they stand."""
_SWITCH = frozenset(("on", "off"))
_CONDITION = re.compile(
    r"(?:\b(?:with|when|if|while|under|for)\b[^,;()]{0,60}?|\([^()]{0,40}?)"
    r"(?:\b(?:on|off|enabled|disabled)|= ?[01])(?![a-z0-9])"
)
_SAYS_ON = re.compile(
    r"\b(?:enabled|enabling|on(?= (?:as|than|and|or|nor|vs|versus|over|against|compared)\b|[^\w ]|$))"
    r"|= ?1(?![0-9])"
)
_SAYS_OFF = re.compile(r"\b(?:off|disabled|disabling)\b|= ?0(?![0-9])")
_UNDER = r"\b(?:with|using|under|on|in) (?:the |a )?(?:patch |review |diff )?"
_WITHOUT = re.compile(r"\bwithout (?:any |the |a )?([a-z0-9_]+)")
_JUDGING = re.compile(
    r"regress|degrad|loss|penalt|slowdown|drop|impact|effect|chang|signific|measur|notic|visib|perform|throughput"
)
"""How the words begin that deny a change after "without"."""
_DENIED = re.compile(r"\b(?:no|not|zero)\b")
_TARGET = re.compile(r"\b(?:than|to|over|against|with|from|vs\.?|versus) (?:the |a )?(?:[a-z]+)")
_STATE = re.compile(
    r"\b(?:before|after|stock|vanilla|baseline|unpatched|patched|original|unmodified|modified|reference"
    r"|(?:pre|post)-?patch|with (?:the|this|that) (?:patch|change|diff|commit))\b"
)
_COMPARED = re.compile(
    r"\b(?:than|versus|vs\.?|against|(?:compared|relative) (?:to|with)) "
    r"(?:(?:the|a|with|without|on|in|when|if|it|this|them) )*([a-z0-9_]+)"
)
_MOST = 60  # files of which two may be meant, and pairs that are told apart
_NAMED = 3  # pairs that a reason names


@dataclass(frozen=True, slots=True)
class Around:
    """What is above a sentence: the headings, the nearest first, and the title."""

    headings: Sequence[str]
    title: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two value files; `base` is the first one if `ordered`, else either may be it.

    `rival`: two others that the sentence may be about just as well.
    """

    first: Candidate
    second: Candidate
    ordered: bool
    rival: "Pair | None" = None

    @property
    def results(self) -> list[Result]:
        """The later one against the first; also the reverse where nothing says which is which."""
        ways = [(self.first, self.second), (self.second, self.first)][: 1 if self.ordered else 2]
        results = [compared(base, other) for base, other in ways]
        return [one for one in results if isinstance(one, Result)]

    @property
    def shown(self) -> str:
        """The two as a reason names them: "r2.pps against r1.pps"."""
        return f"{self.second.where} against {self.first.where}"

    @property
    def why_not(self) -> str:
        """Why they have no results; "" where they have some."""
        one = compared(self.first, self.second)
        return one if isinstance(one, str) else ""


def pair_of(data: Data, sentence: str, around: Around) -> Pair | str:
    """The two files, or why that cannot be decided: a clause that can follow "and"."""
    pool, low = data.pool, sentence.lower()
    if len(pool.candidates) < 2:
        return "the folder has fewer than two value files"
    paths = [token.rstrip(".") for token in sentence.split() if "." in token or "/" in token]
    named = {file.name: file for path in paths if (file := named_by(data, path)) is not None}
    if named:
        files = list(named.values())
        return (
            _ordered(*files) if len(files) == 2 else f"it names {_count(len(files), 'value file')}, not two"
        )
    if strange := _strange(pool, low, around):
        return f"it is about {strange!r}, but no value file has that name"
    said = _said(low, pool)
    both_states = bool(_SAYS_ON.search(low) and _SAYS_OFF.search(low)) and pool.known >= _SWITCH
    said = said | _SWITCH if both_states else said  # "twice as fast with it on as with it off"
    conditions = said & _SWITCH
    both = conditions if len(conditions) == 1 and _CONDITION.search(low) else frozenset[str]()
    lacking = {word for match in _WITHOUT.finditer(low) for word in words(match[1]) if word in pool.known}
    fitting = _some(pool, said, both, lacking)
    if len(fitting) > _MOST:
        return "too many value files fit"
    of_both = {word for group in EXCLUSIVE if group <= said for word in group}  # one of each side
    above = frozenset[str]().union(
        *(label_words(text, pool.known, prose=True) for text in (*around.headings, around.title))
    )
    pairs = [
        (one, other)
        for one, other in combinations(fitting, 2)
        if said - of_both <= one.words | other.words
        and one.numbers != other.numbers
        and one.unit == other.unit
        and _told_apart(one, other, said, above)
    ]
    # like with like: two that differ in more than two others do are not what is compared
    if len(pairs) <= _MOST:
        pairs = [pair for pair in pairs if not any(_differing(*other) < _differing(*pair) for other in pairs)]
    if len(pairs) > 1 and len({_differing(*pair) for pair in pairs}) == 1:
        pairs = [pair for pair in pairs if all(one.folder == data.report for one in pair)] or pairs
    if both_states:
        pairs = [pair for pair in pairs if _differing(*pair) == _SWITCH] or pairs
    if len(pairs) == 1:
        pair = _ordered(*pairs[0])
        return replace(pair, rival=_of_the_switch(pool, low, pair, said, lacking) if both else None)
    shown = [Pair(*pair, ordered=False).shown for pair in pairs[:_NAMED]]
    more = [f"{len(pairs) - _NAMED} more"] if len(pairs) > _NAMED else []
    if pairs:
        return f"it may be about {listing([*shown, *more])}"
    return "it is not clear which two value files the sentence compares"


def _of_the_switch(pool: Pool, low: str, pair: Pair, said: frozenset[str], lacking: set[str]) -> Pair | None:
    """The two files that differ only in the switch, if a sentence may compare its states instead.

    That is if it names what tells the files of `pair` apart as a condition, before the state of the switch.
    """
    state = _CONDITION.search(low)
    told = [word for word in _differing(pair.first, pair.second) & said if word.isalnum()]
    if state is None or not any(
        re.search(rf"{_UNDER}{re.escape(word)}", low[: state.end()]) for word in told
    ):
        return None
    fitting = _some(pool, said - _SWITCH, frozenset(), lacking)
    pairs = [
        (one, other)
        for one, other in combinations(fitting[:_MOST], 2)
        if _differing(one, other) == _SWITCH
        and said - _SWITCH <= one.words & other.words
        and one.unit == other.unit
    ]
    return _ordered(*pairs[0]) if len(pairs) == 1 else None


def _said(low: str, pool: Pool) -> frozenset[str]:
    """The telling words of a sentence that value files have."""
    plain = _WITHOUT.sub(" ", _DENIED.sub(" ", low))
    return frozenset(word for word in label_words(plain, pool.known, prose=True) if word in pool.known)


def _some(pool: Pool, said: frozenset[str], both: frozenset[str], lacking: set[str]) -> list[Candidate]:
    """The files that may be a side: under all conditions, and with the family, firewall and build named.

    Two firewalls may be compared: then each file has one of them. Beside one build the other side may be any.
    """
    bits = pool.all
    for word in both:
        bits &= pool.having(word)
    for word in lacking:
        bits &= ~pool.having(word)
    builds = frozenset(word for word in said - _TOPICS if any(map(str.isdigit, word)))
    groups = [FAMILIES, frozenset(_FIREWALLS.split()), *([builds] if len(builds) > 1 else [])]
    for group in groups:
        if named := said & group:
            having = 0
            for word in named:
                having |= pool.having(word)
            bits &= having
    return pool.chosen(bits, _MOST + 1)


def _told_apart(one: Candidate, other: Candidate, said: frozenset[str], above: frozenset[str]) -> bool:
    """Whether the text says what it compares in two files; a switch or a topic has to be said outright."""
    differing = _differing(one, other)
    if not differing:  # only in words that tell nothing, such as "test": it cannot be said which is meant
        return False
    switched = differing >= _SWITCH
    if switched and not (said & _SWITCH or said & one.words & other.words - _TOPICS - _SWITCH):
        return False
    if differing & _TOPICS and not differing & _TOPICS <= said:
        return False
    # a text's words are whole where a file has them so: "lowlatency", "r1-D1"
    whole = (one.words ^ other.words) - SAYS_NOTHING
    # of files that are called "before" and "after", whatever changed is meant
    return switched or differing <= BASE | LATER or bool(whole & (said | above))


def _differing(one: Candidate, other: Candidate) -> frozenset[str]:
    return one.own ^ other.own


def _ordered(first: Candidate, second: Candidate) -> Pair:
    """The base first, if the names say which one it is."""
    base_first = in_order(first, second)
    return Pair(*(base_first or (first, second)), base_first is not None)


def _strange(pool: Pool, low: str, around: Around) -> str:
    """What a sentence or a heading is about, but no value file is called. What the title names is known."""
    of_title = words(around.title, prose=True)
    title = around.title.lower()
    for text in (low, *(heading.lower() for heading in around.headings)):
        for word in sorted((words(text, prose=True) & _TOPICS) - pool.known - of_title):
            return spelled(word, text).rstrip(".")
        for match in _IDENTIFIER.finditer(text):
            if match[0] not in pool.known and match[0] not in title:
                return match[0]
    for match in _WITHOUT.finditer(low):
        if not words(match[1]) & (pool.known | SAYS_NOTHING) and not _JUDGING.match(match[1]):
            return match[0]
    for match in _COMPARED.finditer(low):
        target = words(match[1], prose=True)
        if not target & (pool.known | of_title | BASE | LATER) and not BASELINE.match(match[1]):
            return match[1]
    # "before" and "patched" are conditions, unless they are what it is compared with
    conditions = _STATE.finditer(_TARGET.sub(" ", low))
    return next((match[0] for match in conditions if not words(match[0]) & pool.known), "")


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"
