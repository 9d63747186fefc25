"""Which results of a block with several sets a claim is about: those of the sets that its words name.

A clause may compare two later sets with each other ("r3 is slower than r2"). A block compares each set only
with the first, so these two are compared here.
"""

import re
from collections.abc import Sequence, Set

from fwdtui.check import words
from fwdtui.check.claims import Claim
from fwdtui.check.orientation import sides
from fwdtui.check.results import Result, between, labelled, names_of, results, that_are_named
from fwdtui.check.topics import stems
from fwdtui.core.parse.ministat_block import Block

_TARGET = re.compile(r"(?: ?[^\s,;:()]+){1,4}")
"""The first words after "than", up to the end of their phrase."""


def meant(claim: Claim, block: Block) -> tuple[Sequence[Result], bool]:
    """The results that a claim may be about, and whether it is about each of them: its words name the sets.

    The sets that its clause names count, else those that its sentence names. A claim that names none may be
    about any of the block.
    """
    every = results(block)
    if claim.of_two is not None:
        return [one for one in every if says_of(claim, one)], True
    if len(every) < 2:
        return every, False
    named = labelled(block, claim.text) or that_are_named(block, claim.text)
    subject, rest = sides(claim, frozenset().union(*(stems(name.lower()) for name in names_of(block))))
    phrase = _TARGET.match(rest)
    target = phrase[0] if phrase else ""
    about = labelled(block, claim.text) or that_are_named(block, subject)
    against, with_base = that_are_named(block, target), _names_base(block, target)
    if not about and not _names_base(block, subject):
        about = tuple(one for one in named if one not in against)
    if len(about) == len(against) == 1 and about != against:
        of_two = _of_two(about[0], against[0], every)
        if of_two is not None:
            return ([*about, of_two], True) if with_base else ([of_two], False)
    if with_base and about:
        return about, True
    chosen = labelled(block, claim.text) or that_are_named(block, claim.clause) or named
    return (chosen, True) if chosen else (every, False)


def says_of(claim: Claim, result: Result) -> bool:
    """Whether a claim that two sets are the same is about the two of a result; true of any other claim."""
    if claim.of_two is None:
        return True
    if not any(claim.of_two):
        return len(results(result.block)) == 1
    first, later = (stems(name.lower()) for name in result.names)
    one, two = map(stems, claim.of_two)
    return one != two and any(
        (words.BASELINE.search(text) or _calls(said, first, later)) and _calls(other, later, first)
        for text, said, other in zip(claim.of_two, (one, two), (two, one), strict=True)
    )


def _calls(said: Set[str], name: Set[str], beside: Set[str]) -> bool:
    """Whether words are about the set of this name, and not the one `beside` it: "r1" beside "r1 D1"."""
    known = said & (name | beside)
    return bool(known) and known <= name and (bool(known - beside) or not name - beside)


def _of_two(one: Result, other: Result, every: Sequence[Result]) -> Result | None:
    """The comparison of two later sets, the earlier one as its base; None if they cannot be compared."""
    base, later = sorted((one, other), key=every.index)
    return between(base.other, later.other, (base.names[1], later.names[1]), confidence=base.confidence)


def _names_base(block: Block, text: str) -> bool:
    """Whether a text names the first set, by a word that no other set has or as the baseline."""
    base, *later = (stems(name.lower()) for name in names_of(block))
    return bool(stems(text) & base.difference(*later)) or words.BASELINE.search(text) is not None
