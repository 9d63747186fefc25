"""Which set a sentence speaks of: "+ is faster than x" or "x is slower than +"."""

import re

from fwdtui.check import words
from fwdtui.check.claims import Claim
from fwdtui.check.results import Result
from fwdtui.check.stems import stems

FORWARD, BACKWARD, EITHER, ELSEWHERE = "forward", "backward", "either", "elsewhere"
_TARGET_WORDS = 4
_OFF = re.compile(r"(?<![a-z])(?:off|disabl\w+|without|no|none|not|remov\w+)(?![a-z])|=0(?![0-9])")
_ON = re.compile(r"(?<![a-z])(?:on|enabl\w+|with)(?![a-z])|=1(?![0-9])")


def orientation(claim: Claim, result: Result) -> str:
    """FORWARD (the later set changed by so much against the first), BACKWARD, or EITHER where it is open.

    ELSEWHERE where the sentence compares with what neither set is ("slower than line rate").
    """
    if _switched_back(claim.clause, *(name.lower() for name in result.names)):
        return EITHER
    first, later = (stems(name.lower()) for name in result.names)
    only_first, only_later = first - later, later - first
    compared = words.COMPARED.search(claim.clause, claim.split)
    subject = stems(claim.clause[: compared.start()] if compared else claim.clause)
    target = stems(claim.clause[compared.end() :]) if compared else set()
    forward = len(subject & only_later) + len(target & only_first)
    backward = len(subject & only_first) + len(target & only_later)
    if compared and words.BASELINE.search(claim.clause, compared.end()):
        forward += 1
    elif compared and not _named_first(claim.clause[compared.end() :], first | later):
        return ELSEWHERE
    elif words.BASELINE.search(claim.clause[: compared.start()] if compared else claim.clause):
        backward += 1
    if backward <= forward:
        return FORWARD
    return BACKWARD if compared else EITHER


def _named_first(target: str, names: set[str]) -> bool:
    """Whether one of the first words behind "than" is of the names."""
    return bool(stems(" ".join(target.split()[:_TARGET_WORDS])) & names)


def _switched_back(clause: str, first: str, later: str) -> bool:
    """Whether the sets are a feature on and off, and the clause speaks of the step from later to first."""
    off_later = _OFF.search(later) is not None and _ON.search(first) is not None and not _OFF.search(first)
    on_later = _ON.search(later) is not None and _OFF.search(first) is not None and not _OFF.search(later)
    says_off = _OFF.search(clause) is not None
    return (off_later and not says_off) or (on_later and says_off)
