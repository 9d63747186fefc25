"""A unit of prose as sentences with their line numbers, and the claims in them."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

from fwdtui.check.claims import Claim, claims_in
from fwdtui.check.markdown import Unit

_ABBREVIATED = "".join(rf"(?<!\b{word})" for word in ("approx", "ca", "vs", r"e\.g", r"i\.e", "cf", "resp"))
_END = re.compile(  # starts at one of the first two marks of a row, or a long row would take quadratic time
    rf"(?<![.!?][.!?]){_ABBREVIATED}[.!?]++[)\"']*+\s++(?=[^a-z\s])"
    rf"|{_ABBREVIATED}(?:(?<=[%\]])|(?<=[a-z]{{5}}))\.\s+"
    r"|(?<![.!?])\.\s+(?=ministat \()"  # as our own reports go on, whatever word is before it
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """`last`: it ends its unit, so what its colon introduces is below the unit."""

    line: int
    text: str
    last: bool
    claims: tuple[Claim, ...]


def sentences(unit: Unit) -> Iterator[Sentence]:
    """The sentences of a unit, in order. A line that ends with a colon ends a sentence."""
    for group_last, pieces in _groups(unit):
        text = " ".join(piece for _, piece in pieces)
        lower = text.lower()
        lines = _Lines(pieces)
        starts = [0, *(match.end() for match in _END.finditer(text))]
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
            part = text[start:end].strip()
            line = lines.at(start)
            claims = []
            for claim in claims_in(line, part):
                at = lower.find(claim.shown.replace("−", "-"), start, end) if claim.shown else -1
                claims.append(replace(claim, line=lines.at(at)) if at >= 0 else claim)
            yield Sentence(line, part, group_last and end == len(text), tuple(claims))


class _Lines:
    """Which line a place in the joined lines is on."""

    def __init__(self, pieces: list[tuple[int, str]]) -> None:
        self._numbers = [number for number, _ in pieces]
        self._ends = list(accumulate(len(text) + 1 for _, text in pieces))

    def at(self, offset: int) -> int:
        return self._numbers[min(bisect_right(self._ends, offset), len(self._numbers) - 1)]


def _groups(unit: Unit) -> Iterator[tuple[bool, list[tuple[int, str]]]]:
    group: list[tuple[int, str]] = []
    for place, piece in enumerate(unit.pieces):
        group.append(piece)
        last = place == len(unit.pieces) - 1
        if last or piece[1].endswith(":"):
            yield last, group
            group = []
