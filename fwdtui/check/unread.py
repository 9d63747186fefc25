"""Claims in words that are not read: beside a block they are named, so that they do not pass for checked."""

import re
from collections.abc import Iterator, Mapping, Sequence

from fwdtui.check import directions, words
from fwdtui.check.claims import LONGEST, unread_in
from fwdtui.check.judge import comparable
from fwdtui.check.nearest import Document
from fwdtui.check.sentences import Sentence
from fwdtui.stats.figures import listing

_THING = words.one_of("performances?|throughput|forwarding(?: rate)?|speed|pps|packet rate|bandwidth")
_NUMBER = words.one_of("two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty")
_THAN = words.one_of(
    "faster|quicker|slower|higher|lower|better|worse|more packets|fewer packets|less packets"
)
_BOUND = re.compile(
    r"(?:\b(?:no|not|never|nor|cannot)|n't)(?: (?!but\b|and\b)[a-z]{1,12}){0,3} "
    r"(?:more than|less than|fewer than|over|above|below|under|at least|at most|up to) "
    r"~?\d{1,3}(?:[.,]\d{1,3})? ?(?:%|percent)(?: (?:of )?[a-z]+)?"
)
_FACTOR = re.compile(
    rf"\b{_NUMBER} times (?:{_THAN}|as (?:fast|many packets)|the (?:\w+ )?{_THING})\b"
    rf"|\b\d{{1,3}}(?:\.\d{{1,3}})? ?(?:x|times) (?:as (?:fast|many packets)|the (?:\w+ )?{_THING})\b"
    rf"|\btwice as many packets\b|\b(?:a|one|two) (?:half|third|quarter|fifth|tenth)s? {_THAN}\b"
)
_PERCENT = re.compile(rf"\b{_NUMBER} ?(?:%|percent|per cent) {_THAN}\b")
_EQUAL = re.compile(
    rf"\b(?:comparable|similar) (?:forwarding )?{_THING}\b"
    rf"|\b{_THING} (?:(?:is|are|was|were|stays?|remains?) )?(?:comparable|similar|on (?:a )?par)\b"
    rf"|\bas fast as (?!possible)|\bon (?:a )?par with\b"
    r"|\b(?:negligible|minimal) (?:impact|effect|overhead|cost|penalty|loss)\b"
    r"|\b(?:impact|effect|overhead|cost|penalty|loss) (?:is|was) (?:negligible|minimal)\b"
    rf"|\b(?:does|do|did)(?: not|n't) (?:hurt|harm) (?:the )?{_THING}\b"
)
_NAMED = 3  # figures of a sentence that are named
_DIRECTIONS = (directions.BETTER, directions.WORSE, directions.MORE, directions.LESS)
_INSTEAD = (
    (_BOUND, '"at most 5 % slower" is'),
    (_FACTOR, '"1.5x faster" is'),
    (_PERCENT, '"10 % faster" is'),
    (_EQUAL, '"same performance" and "no impact" are'),
)


def unread_claims(document: Document, read: Mapping[int, Sequence[Sentence]]) -> Iterator[tuple[int, str]]:
    """The line of each such claim that belongs to a block, and the message about it.

    Words are reported only in sentences in which nothing else is read, figures also beside one that is read.
    """
    for at, sentences in read.items():
        for sentence in sentences:
            said = None if sentence.claims else _said(sentence.text.lower())
            tables = document.blocks_of(at, sentence, sentence.text.lower()) if said else []
            if said and any(comparable(table.block) for table in tables):
                yield sentence.line, f"{said[0]!r} is not read; {said[1]}."
            figures = [] if said else list(dict.fromkeys(unread_in(sentence.text)))
            if figures and any(comparable(table.block) for table in document.blocks_near(at, sentence)):
                yield sentence.line, _unread(figures)


def _unread(figures: Sequence[str]) -> str:
    named = listing([repr(one) for one in figures[:_NAMED]])
    more = f" and {len(figures) - _NAMED} more" if len(figures) > _NAMED else ""
    are = "is" if len(figures) == 1 else "are"
    return f"{named}{more} {are} not read; write one claim per sentence."


def _said(text: str) -> tuple[str, str] | None:
    """The words that claim something, and which words would be read instead."""
    others = (words.ELSEWHERE, words.ALL_OF_THEM, words.UNREAL, words.OTHER_METRIC)
    for pattern, instead in _INSTEAD if len(text) <= LONGEST else ():
        match = pattern.search(text)
        if match is None or "?" in text[-3:] or any(one.search(text) for one in others):
            continue
        if pattern is _BOUND and not any(one.search(text) for one in _DIRECTIONS):
            continue
        return match[0].strip(), instead
    return None
