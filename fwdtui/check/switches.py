"""A feature that one set has off and the other on, and what a sentence says of it.

"Without pf" and "no pf" are a switch that is off; "without tuning", "no doubt" and the "no" of
"no regression" are not. Where the names do not say what is switched ("off", "on"), words that may mean it
leave it open.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from fwdtui.check.topics import stem, stems

_OFF = re.compile(r"(?<![a-z])(?:off|disabl\w+|without|no|none|not|remov\w+)(?![a-z])|=0(?![0-9])")
_ON = re.compile(r"(?<![a-z])(?:on|enabl\w+|with)(?![a-z])|=1(?![0-9])")
_LACKS = re.compile(r"(?<![a-z])(?:without|no|not)[ _.-](?:the |any )?([a-z0-9]+)")
_VALUE = r"([01])(?!\.?[0-9]| ?%| ?[kmg]?pps\b)"
_SIGN = re.compile(
    rf"\s?=\s?{_VALUE}|\b(?:set|sets|setting|chang(?:es|ed|ing)|turn(?:s|ed|ing)|switch(?:es|ed|ing))"
    rf"(?: (?!to\b)[^\s,;:]+){{0,3}} to {_VALUE}"
)
"""The values that stand for off and on: "x=0", "setting x to 0"."""
_FROM_TO = re.compile(r"\bfrom ([01]) to ([01])(?!\.?[0-9]| ?%| ?[kmg]?pps\b)")
_NOT_ON = re.compile(r"\bnot (?:enabled|on|active|activated|loaded|set|used|in use)\b")
_TOKEN = re.compile(r"[a-z0-9]+|[,;:()]")
_PIECE = re.compile(r"[a-z0-9]+|[^a-z0-9]+")
_IS_OFF = frozenset(("off", "disabled", "removed", "inactive", "unloaded", "deactivated"))
_IS_ON = frozenset(("on", "enabled", "active", "loaded"))
_TURNS_OFF = frozenset(
    ("disabling", "disable", "disables", "removing", "remove", "removes", "unloading", "deactivating")
)
_BEFORE_A_FEATURE = frozenset(("with", "without", "no", "not", *_TURNS_OFF, "enabling", "enable"))
_LACKING = frozenset(("without", "no", "not"))
_FILLERS = frozenset(("the", "a", "an", "any", "this", "that", "its", "enabling", "using", "loading"))
_ANY_FEATURE = re.compile("it|them|feature|option|setting|switch|tunable|sysctl|knob|patch|change|diff")
_NO_FEATURE = re.compile("doubt|question|exception|surprise|regression|loss|impact|effect")
_BETWEEN = frozenset(
    ("is", "was", "are", "were", "being", "been", "turned", "switched", "set", "to", "now", "left", "leaving",
     "kept", "keeping", "stays", "remains", "still", "always", "again", "currently")
)  # fmt: skip
_NO_NAME_OF_ONE = frozenset(
    ("if", "when", "whenever", "while", "once", "unless", "until", "because", "since", "although", "though",
     "as", "the", "a", "an", "in", "at", "by", "for", "of", "than",
     "slower", "faster", "better", "worse", "higher", "lower")
)  # fmt: skip
"""Words right before "off" that name no other feature: "slower when off", "in the off case"."""
_NO_NAME = re.compile(r"[rn]?[0-9]+|pps|inet[46]?|ipv?[46]|v[46]")
_NEAR = 4  # words before "off" or "disabled" in which the feature is
_BREAKS = frozenset(("and", "or", "but", "with", *_IS_ON, *_IS_OFF))
_JOINTS = frozenset(" _-.")
_BOTH = re.compile(
    r"\boff (?:and|or|vs|versus|as|nor)(?: \S+)? on\b|\bon (?:and|or|vs|versus|as|nor)(?: \S+)? off\b"
    r"|\bwith (?:or|and) without\b"
)
_STATE_OF = {"0": "off", "1": "on"}
_OFF_TO_ON, _ON_TO_OFF = re.compile(r"\boff to (?:\S+ )?on\b"), re.compile(r"\bon to (?:\S+ )?off\b")
SURELY, PERHAPS, NEVER = "surely", "perhaps", ""


@dataclass(frozen=True, slots=True)
class Switch:
    """`off_later`: the second set is the one without it. `feature`: the words by which the names call it.

    `known` are their stems.
    """

    off_later: bool
    feature: frozenset[str]
    known: frozenset[str]

    def is_off(self, text: str) -> str:
        """Whether a part of a clause is about the set that has it off: SURELY, PERHAPS or NEVER."""
        tokens = _tokens(text)
        said = [self._off_at(tokens, at) for at in range(len(tokens))]
        return SURELY if SURELY in said else PERHAPS if PERHAPS in said else NEVER

    def named(self, text: str) -> bool:
        """Whether a text names the feature."""
        return self._named(_tokens(text))

    def _off_at(self, tokens: Sequence[str], at: int) -> str:
        token, before = tokens[at], tokens[at - 1] if at else ""
        ahead = [one for one in tokens[at + 1 : at + 5] if one not in _FILLERS]
        if token in _IS_OFF:
            turned = before.startswith(("turn", "switch")) and self._begins(ahead)
            near = _up_to(tokens, at)
            if turned or self._named(near):
                return SURELY
            what = [one for one in near if one not in _BETWEEN][-1:]
            names = what and what[0] not in _NO_NAME_OF_ONE and not what[0].isdigit()
            return self._perhaps(what if names else [])
        if token not in _TURNS_OFF and token not in _LACKING:
            return NEVER
        if self._begins(ahead):
            return SURELY
        denies = token == "not" or (token == "no" and before != "with")
        return NEVER if denies else self._perhaps(ahead[:1])

    def _perhaps(self, what: Sequence[str]) -> str:
        """Whether it may be the feature that is off, if it is called by a word that the names do not have."""
        if what and _NO_FEATURE.fullmatch(what[0]):
            return NEVER
        return PERHAPS if not self.feature or not what or _ANY_FEATURE.fullmatch(what[0]) else NEVER

    def _begins(self, tokens: Sequence[str]) -> bool:
        """Whether some words begin with the feature."""
        return bool(tokens) and (self._is_feature(tokens, 0) or "".join(tokens[:2]) in self.feature)

    def _named(self, tokens: Sequence[str]) -> bool:
        return any(self._is_feature(tokens, at) for at in range(len(tokens)))

    def _is_feature(self, tokens: Sequence[str], at: int) -> bool:
        return stem(tokens[at]) in self.known or (at > 0 and tokens[at - 1] + tokens[at] in self.feature)


@lru_cache(maxsize=512)  # each sentence asks again for each block that it may be about
def switch_of(first: str, later: str) -> Switch | None:
    """The switch by which two names (in lower case) differ, if they differ by one."""
    off = [_OFF.search(name) is not None for name in (first, later)]
    if off[0] == off[1]:
        return None
    without, having = (later, first) if off[1] else (first, later)
    lacked = {stem(match[1]) for match in _LACKS.finditer(without)}
    if not (_ON.search(having) or lacked & stems(having)):
        return None
    feature = frozenset(_feature(first) | _feature(later))
    return Switch(off[1], feature, frozenset(map(stem, feature)))


def step(text: str) -> int:
    """+1 where a text says "from off to on", -1 for "from on to off", 0 for neither."""
    plain = " ".join(_tokens(text))
    return (_OFF_TO_ON.search(plain) is not None) - (_ON_TO_OFF.search(plain) is not None)


def says_both(text: str) -> bool:
    """Whether a text says "on and off", "with or without"."""
    return _BOTH.search(" ".join(_tokens(text))) is not None


def says_on_or_off(text: str) -> bool:
    """Whether the first words of what something is compared with are a state: "than off", not "on head"."""
    tokens = _tokens(text)
    return any(
        token in _IS_OFF or (token in _IS_ON and (token != "on" or not tokens[at + 1 : at + 2]))
        for at, token in enumerate(tokens[:_NEAR])
    )


def _up_to(tokens: Sequence[str], at: int) -> Sequence[str]:
    """The few words before "off" that it may be said of: "pf is turned off"."""
    start = at
    while start and at - start < _NEAR and tokens[start - 1].isalnum() and tokens[start - 1] not in _BREAKS:
        start -= 1
    return tokens[start:at]


def _tokens(text: str) -> list[str]:
    text = _FROM_TO.sub(lambda match: f"from {_STATE_OF[match[1]]} to {_STATE_OF[match[2]]}", text)
    return _TOKEN.findall(_NOT_ON.sub("off", _SIGN.sub(_spelled_out, text)))


def _spelled_out(match: re.Match[str]) -> str:
    """The state that a value stands for, after the words before it: "setting x off" for "setting x to 0"."""
    before = "" if match[1] else match[0][: match.start(2) - match.start()].removesuffix("to ")
    return f"{before} {_STATE_OF[match[1] or match[2]]} "


def _feature(name: str) -> set[str]:
    """The words right beside "on" and "off" in a name: of "tx_abdicate_off", abdicate and txabdicate."""
    pieces = _PIECE.findall(_SIGN.sub(lambda match: "_" + _spelled_out(match).strip(), name))
    found: set[str] = set()
    for at, piece in enumerate(pieces):
        if piece in _BEFORE_A_FEATURE:
            found |= {one for one in pieces[at + 2 : at + 3] if pieces[at + 1] in _JOINTS}
        elif piece in _IS_OFF or piece in _IS_ON:
            if at >= 2 and pieces[at - 1] in _JOINTS and _names(pieces[at - 2]):
                found.add(pieces[at - 2])
                if at >= 4 and pieces[at - 3] in ("_", "-"):
                    found.add(pieces[at - 4] + pieces[at - 2])
            else:
                found |= {one for one in pieces[at + 2 : at + 3] if pieces[at + 1] in _JOINTS}
    return {word for word in found if _names(word)}


def _names(word: str) -> bool:
    """Whether a word beside "on" or "off" can be what is switched: no revision, no address family."""
    return _NO_NAME.fullmatch(word) is None and bool(stems(word))
