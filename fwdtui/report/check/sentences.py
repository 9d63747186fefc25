"""A unit of prose as sentences with their line numbers, and the claims in them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from fwdtui.report.check.claims import Claim, claims_in
from fwdtui.report.check.markdown import Unit

_ABBREVIATED = "".join(rf"(?<!\b{word})" for word in ("approx", "ca", "vs", r"e\.g", r"i\.e", "cf", "resp"))
_END = re.compile(rf"{_ABBREVIATED}[.!?]+[)\"']*\s+(?=[^a-z\s])|(?<=%)\.\s+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """`last`: it ends its unit, so what its colon introduces stands below the unit."""

    line: int
    text: str
    last: bool
    claims: tuple[Claim, ...]


def sentences(unit: Unit) -> Iterator[Sentence]:
    """The sentences of a unit, in order. A line that ends with a colon ends a sentence."""
    for group_last, pieces in _groups(unit):
        text = " ".join(piece for _, piece in pieces)
        starts = [0, *(match.end() for match in _END.finditer(text))]
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
            part = text[start:end].strip()
            line = _line_at(pieces, start)
            found = tuple(
                replace(claim, line=_line_of(pieces, start, end, claim.shown) or line)
                for claim in claims_in(line, part)
            )
            yield Sentence(line, part, group_last and end == len(text), found)


def _groups(unit: Unit) -> Iterator[tuple[bool, list[tuple[int, str]]]]:
    group: list[tuple[int, str]] = []
    for place, piece in enumerate(unit.pieces):
        group.append(piece)
        last = place == len(unit.pieces) - 1
        if last or piece[1].endswith(":"):
            yield last, group
            group = []


def _line_at(pieces: list[tuple[int, str]], offset: int) -> int:
    for line, text in pieces:
        if offset <= len(text):
            return line
        offset -= len(text) + 1
    return pieces[-1][0]


def _line_of(pieces: list[tuple[int, str]], start: int, end: int, shown: str) -> int | None:
    """The line that holds the claimed words within a part of the text."""
    text = " ".join(piece for _, piece in pieces).lower()
    at = text.find(shown.replace("−", "-"), start, end)
    return _line_at(pieces, at) if at >= 0 else None
