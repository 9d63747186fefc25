"""Which set a sentence compares with which: "+ is faster than x", or "x is slower than +"."""

import re
from collections.abc import Set

from fwdtui.check import words
from fwdtui.check.claims import Claim
from fwdtui.check.results import Result
from fwdtui.check.switches import NEVER, PERHAPS, SURELY, Switch, says_both, says_on_or_off, step, switch_of
from fwdtui.check.topics import stems

FORWARD, BACKWARD, EITHER, ELSEWHERE = "forward", "backward", "either", "elsewhere"
REVERSED = "reversed"
"""Backward for certain: the number of the other way round is not accepted."""
_TARGET_WORDS = 4
_DENIES = frozenset(("no", "not", "none", "witho"))
_STATES = frozenset(("off", "disab", "enabl", "remov"))
_BUILD = r"(?: (?:kernel|build|version|image|code|driver|one))?"
_IS = words.one_of(
    "is|isn't|are|was|wasn't|were|has|had|does|did|forwards?|forwarded|gives?|gave|runs?|ran|performs?|performed",
    "loses?|lost|gains?|gained|gets?|got|delivers?|delivered|reaches|reached|shows?|showed|drops?|dropped",
)
_BASE = words.one_of("baseline|base|stock|unpatched|vanilla|reference|original|unmodified")
_AS_SUBJECT = re.compile(rf"^(?:(?:and|here|=>|-) )*(?:the |our )?{_BASE}{_BUILD} {_IS}\b")
"""The baseline is what the sentence is about: "the baseline is 3 % slower"."""
_PERHAPS = words.one_of(
    r"\b(?:baseline|stock|unpatched|vanilla|unmodified|before)\b|\b(?:the|our) old(?:er)?\b",
    rf"\b{_BASE} (?:kernel|build|version|image|code)\b",
    rf"^(?:the |our )?(?:default|stable|head|main|master|release|generic){_BUILD} {_IS}\b",
)
_AS_BASE = re.compile(_PERHAPS)
"""The same, or only where something was measured: "on the stock kernel it is 3 % slower"."""
_UNDONE = "(?:reverted|removed|backed out|undone)"
_WITHOUT = re.compile(
    r"\b(?:without|before|reverting|reverts|removing|backing out|undoing|dropping"
    r"|(?:reversal|revert|removal) of) (?:the |any |this |that )?(?P<what>[a-z0-9_.-]+)"
    r"|\bbacking (?P<pronoun>it|this|that) out\b"
    rf"|\bwith (?:the |this |that )?(?P<lacked>[a-z0-9_.-]+) {_UNDONE}\b"
    rf"|\b(?P<undone>[a-z0-9_.-]+) (?:(?:is|was|being) {_UNDONE}\b|{_UNDONE}(?=[,.:;)]|$))"
)
_PATCH = frozenset(("patch", "chang", "commi", "diff"))
_PRONOUN = frozenset(("it", "this", "that", "them"))
_REVIEW = re.compile(r"d[0-9]{4,6}(?:v[0-9]+)?")
_AHEAD = re.compile(r"(?:compared (?:to|with)|relative to)(?P<target> [^,;:]+),")
"""What it is compared with comes first: "compared to stable, it is slower"."""
_FROM_TO = re.compile(
    r"\bfrom (?P<old>(?:(?!from\b|to\b)[^\s,;:]+ ){1,4})to (?P<new>[^\s,;:]+(?: [^\s,;:]+)?)"
)
_AS_WITH = re.compile(r"\bas (?=(?:with|without|when|if|on|off)\b)")
"""What "twice as fast" is compared with: "as with it off"."""
_FIRST_WORDS = re.compile(r"(?: (?:the|a|an|it|that|what|is|was|one|on|in|with|at|without|by)\b)* ?\S*")
_NOT_OVER = re.compile(
    r" (?:(?:all|the|these|its|our|many|several|\w+) ){0,2}"
    r"(?:runs|iterations|boots|samples|seconds|minutes|hours|days|ipv[46]|inet ?[46]|udp|tcp)\b"
)
_AT_LIMIT = re.compile(r":[^:]* (?:is|are) at (?:(?:its|their) offered load|line rate)\b")
"""As our own sentences go on: "slowed down by at least 3 % ± 1 %: r1 is at its offered load"."""
_CONDITION = re.compile(r" (?:on|in|at|with|without|for|under|when|if|while) ")


def orientation(claim: Claim, result: Result) -> str:
    """FORWARD (the later set changed by so much against the first), BACKWARD, or EITHER where it is open.

    ELSEWHERE where the sentence compares with something that is neither set ("slower than line rate").
    """
    first_name, later_name = (name.lower() for name in result.names)
    first, later = stems(first_name), stems(later_name)
    clause, compared = _read(claim)
    subject, target = sides(claim, first | later)
    switch = switch_of(first_name, later_name)
    with_base = _is_baseline(target)
    named = with_base or _named_first(target, first | later) or (switch and says_on_or_off(target))
    if compared and not named:
        return ELSEWHERE
    turned = _switched(claim, switch, clause, subject, target) if switch is not None else ""
    if not turned:
        states = _DENIES if switch is None else _DENIES | _STATES  # the switch knows these better
        only_first, only_later = (first - later) - states, (later - first) - states
        turned = _by_names(claim, only_first, only_later, subject, target, with_base)
    # the label of a cell is no sentence
    return EITHER if turned == BACKWARD and not (target or claim.split) else turned


def sides(claim: Claim, names: Set[str]) -> tuple[str, str]:
    """What a clause is about, and what it compares that with ("" if it does not say): "+", "x" of "+ than x".

    `names`: the stems of the names of the sets that it may compare.
    """
    clause, compared = _read(claim)
    if compared:
        return clause[: compared.start()], clause[compared.end() :]
    ahead = _AHEAD.match(clause)
    if ahead and (_is_baseline(ahead["target"]) or _named_first(ahead["target"], names)):
        return clause[ahead.end() :].strip(), ahead["target"]
    for step_taken in _FROM_TO.finditer(clause):
        old, new = (stems(step_taken[side]) & names for side in ("old", "new"))
        if old - new and new - old:
            return clause[: step_taken.start()] + clause[step_taken.start("new") :], step_taken["old"]
    return clause, ""


def _read(claim: Claim) -> tuple[str, re.Match[str] | None]:
    """The clause as far as it says which sets are meant, and the word in it that compares."""
    clause = _without_own_words(claim)
    compared = _compared(clause, claim.split)
    if compared is None and claim.shown.endswith("as fast"):
        compared = _AS_WITH.search(clause, claim.split)
    if claim.precise and compared is None and (limit := _AT_LIMIT.search(clause, claim.split)):
        clause = clause[: limit.start()]  # this explains "at least", and does not say which set is meant
    return clause, compared


def _by_names(
    claim: Claim, only_first: Set[str], only_later: Set[str], subject: str, target: str, with_base: bool
) -> str:
    """The way that words say that only one of the sets is called by, and words for a baseline."""
    without = NEVER if says_both(subject) else _without(subject, only_first, only_later)
    if without:
        subject = _WITHOUT.sub(" ", subject)
    said, compared_to = stems(subject), stems(target)
    forward = len(said & only_later) + len(compared_to & only_first) + with_base
    backward = len(said & only_first) + len(compared_to & only_later)
    of_base = _AS_SUBJECT.search(subject) is not None
    if not with_base and (without or of_base or _AS_BASE.search(subject)):
        backward += 1
    if backward <= forward:
        return FORWARD
    surely = target or (
        (without == SURELY or of_base) and claim.kind != "not" and "even without" not in claim.clause
    )
    return BACKWARD if surely else EITHER


def _switched(claim: Claim, switch: Switch, clause: str, subject: str, target: str) -> str:
    """The way between the two states of a switch; "" where its words say nothing of it."""
    if way := step(clause):
        return FORWARD if (way > 0) != switch.off_later else BACKWARD
    if says_both(subject):
        return EITHER
    off, off_target = switch.is_off(subject), switch.is_off(target)
    if target and off_target != NEVER and off == NEVER:
        return BACKWARD if switch.off_later else FORWARD
    if target and off_target != NEVER:
        return EITHER
    if target and off == NEVER and switch.named(target) and not switch.named(subject):
        return FORWARD if switch.off_later else BACKWARD  # "slower than with pf"
    if not switch.off_later:
        if off == NEVER:
            return ""
        # a denial would nearly always be true one way round
        return BACKWARD if off == SURELY and (target or claim.kind != "not") else EITHER
    if off != NEVER:
        return FORWARD
    if claim.precise and claim.split and not switch.named(subject):
        return ""  # a sentence that quotes the block with its ±
    signed = claim.kind == "number" and not claim.in_words
    sure = switch.named(subject) and not signed and (target or claim.kind != "not")
    return BACKWARD if sure else EITHER


def _without_own_words(claim: Claim) -> str:
    """The clause with blanks for a denial: the "no" of "no regression" is no state of a switch."""
    if claim.kind != "not":
        return claim.clause
    start = claim.clause.rfind(claim.shown, 0, claim.split)
    if start < 0:
        return claim.clause
    return claim.clause[:start] + " " * (claim.split - start) + claim.clause[claim.split :]


def _compared(clause: str, start: int) -> re.Match[str] | None:
    """The first word from `start` on that compares: "than", or "over" if that is not "over ten runs"."""
    found = words.COMPARED.finditer(clause, start)
    return next((one for one in found if one[0] != "over" or not _NOT_OVER.match(clause, one.end())), None)


def _is_baseline(target: str) -> bool:
    """Whether "than" is followed by a word for the first set, and not by "line rate on head"."""
    found = words.BASELINE.search(target)
    if found is None:
        return False
    if re.fullmatch(_BASE, found[0]):
        return True
    first = _FIRST_WORDS.match(target)
    condition = _CONDITION.search(target, first.end() if first else 0)
    return condition is None or found.start() <= condition.start()


def _named_first(target: str, names: Set[str]) -> bool:
    """Whether one of the first words after "than" is in the names."""
    return bool(stems(" ".join(target.split()[:_TARGET_WORDS])) & names)


def _without(subject: str, only_first: Set[str], only_later: Set[str]) -> str:
    """Whether a clause is about the set that lacks what the later one has: "without D1", "D1 reverted".

    PERHAPS for "it", and for a review that neither name has while the later name has no other one.
    """
    found = NEVER
    reviewed = any(map(_REVIEW.fullmatch, only_later))
    for match in _WITHOUT.finditer(subject):
        what = next(filter(None, match.groups())).rstrip(".")
        if stems(what) & (only_later | _PATCH):
            return SURELY
        unnamed = _REVIEW.fullmatch(what) is not None and what not in only_first and not reviewed
        if unnamed or what in _PRONOUN:
            found = PERHAPS
    return found
