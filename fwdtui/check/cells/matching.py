"""Which set or comparison a cell is about: exactly one, or none with the reason.

Nothing is guessed. Every telling word of the row's label and of the column's heading has to be in the name of
what the cell is checked against, or in the heading and the caption above that. If several are left, words
that spell out one name in full decide, if the table has further words for the other names; then the words
around the table (its caption, its headings from the nearest on, the title), then the section, then the folder
of the report. If several are still left, none is taken.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fwdtui.check.cells.candidates import Candidate, Pool, Words
from fwdtui.check.cells.labels import spelled
from fwdtui.stats.figures import listing

_MOST_LEFT = 50  # candidates that are told apart: a table of thousands costs no more than a table
_NAMED = 3  # candidates that a reason names
_SHORT = 40  # characters of a word that a reason repeats


@dataclass(frozen=True, slots=True)
class Asked:
    """What is said of the subject of a cell.

    `required` are words that must fit, `role` is "base" or "later" where a heading says no more than that,
    `text` is where the words are from. `hints` are the words around, the nearest first. `said` are all
    words of the cell's own label and heading, `table` those of all labels and headings.
    """

    required: frozenset[str]
    text: str
    hints: tuple[frozenset[str], ...] = ()
    role: str = ""
    section: int = 0
    folder: str | None = None
    said: frozenset[str] = frozenset()
    table: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Match:
    """`one` is the only candidate that fits; where there is none or several, `why_not` says so."""

    one: Candidate | None
    why_not: str = ""
    of: Words = "words"  # the set of its words that has those of the cell


def find(pool: Pool, asked: Asked, allowed: int, what: str, stages: Sequence[Words] = ("words",)) -> Match:
    """The candidate of `allowed` (bits) that a cell is about. `what` names the kind: "ministat block".

    `stages`: the sets of a candidate's words that must have the cell's words, tried in this order.
    """
    best: list[Candidate] = []
    for of in stages:
        bits = _fitting(pool, asked, allowed, of)
        if not bits:
            continue
        for left in _narrowed(pool, asked, bits):
            if len(left) == 1:
                return Match(left[0], of=of)
            best = left
        break
    if not best:
        return Match(None, _why_none(pool, asked, allowed, what))
    several = [one.where for one in best]
    named = several[:_NAMED] + ([f"{len(several) - _NAMED} more"] if len(several) > _NAMED else [])
    return Match(None, f"it may be about {listing(named)}")


def fitting(pool: Pool, asked: Asked, allowed: int) -> list[Candidate]:
    """All candidates that the required words fit, each set of data once."""
    return _chosen(pool, _fitting(pool, asked, allowed, "words"))


def _fitting(pool: Pool, asked: Asked, allowed: int, of: Words) -> int:
    bits = allowed
    for word in asked.required:
        bits &= pool.having(word, of)
    return bits & pool.roles.get(asked.role, 0) if asked.role else bits


def _narrowed(pool: Pool, asked: Asked, bits: int) -> Iterator[list[Candidate]]:
    """What is left after each kind of evidence, from the best on."""
    left = _chosen(pool, bits)
    yield left
    if len(left) > _MOST_LEFT:
        return
    # "r1" beside another row or column for "r1 with D1"
    left = [one for one in left if _in_full(one, left, asked)] or left
    yield left
    for hint in asked.hints:
        left = _hinted(left, hint)
        yield left
    left = [one for one in left if one.section is not None and one.section == asked.section] or left
    yield left
    yield [one for one in left if one.section is None and one.folder == asked.folder] or left


def _in_full(one: Candidate, left: Sequence[Candidate], asked: Asked) -> bool:
    """Whether the label spells out the whole name, and the table has words for what others have besides."""
    own = one.own
    # beside "baseline", and in a comparison, words that all candidates have need not be said again
    if asked.role or one.result is not None:
        own = own - frozenset.intersection(*(other.own for other in left))
    if not one.own or not own <= asked.said:
        return False
    further = [(other.own - one.own, one.own - other.own) for other in left if other is not one]
    return all(
        (more & asked.table and not more & asked.said) if more else bool(less) for more, less in further
    )


def _hinted(candidates: list[Candidate], hint: frozenset[str]) -> list[Candidate]:
    """Those that the words around name, if they do not name others too: "D1 and D2" decides nothing."""
    every = frozenset.intersection(*(one.words for one in candidates))
    some = frozenset[str]().union(*(one.words for one in candidates)) - every
    named = [one for one in candidates if hint & some <= one.words]
    others = [one for one in candidates if not hint & some <= one.words]
    return candidates if not named or any(one.words - every <= hint for one in others) else named


def _chosen(pool: Pool, bits: int) -> list[Candidate]:
    """The candidates of a set of bits; of several with the same data, the first. Of very many, only some."""
    candidates = pool.chosen(bits, _MOST_LEFT + 1)
    if len(candidates) > _MOST_LEFT:
        return candidates
    return list({one.numbers: one for one in reversed(candidates)}.values())[::-1]


def _why_none(pool: Pool, asked: Asked, allowed: int, what: str) -> str:
    if not pool.candidates:
        return f"no {what} compares two sets"
    unknown = [word for word in sorted(asked.required) if not pool.having(word) & allowed]
    if unknown:
        return f"no {what} is called {spelled(unknown[0], asked.text)[:_SHORT]!r}"
    words = list(dict.fromkeys(repr(spelled(word, asked.text)[:_SHORT]) for word in sorted(asked.required)))
    if not words:
        return f"nothing says which {what} is meant"
    return f"no {what} has {listing(words)}{' together' if len(words) > 1 else ''} in its name"
