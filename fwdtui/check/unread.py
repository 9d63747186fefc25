"""Claims in words that are not read: beside a block they are named, so that they do not pass for checked."""

import re
from collections.abc import Iterator, Mapping, Sequence

from fwdtui.check import directions, words
from fwdtui.check.claims import LONGEST, clauses_of, of_a_test, unread_in
from fwdtui.check.judge import comparable
from fwdtui.check.markdown import Table
from fwdtui.check.nearest import Document
from fwdtui.check.percentages import PERCENT
from fwdtui.check.results import results
from fwdtui.check.sentences import Sentence
from fwdtui.check.topics import stems
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
_SHARE = re.compile(
    rf"\b(?:half|a third|a quarter) (?:as (?:fast|many packets)|the (?:\w+ )?(?:{_THING}|rate))\b"
    r"|\bcut(?:s|ting)? (?:[^\s,;]+ ){1,4}in half\b"
)
_PERCENT = re.compile(rf"\b{_NUMBER} ?(?:%|percent|per cent) {_THAN}\b")
_COUNT = words.one_of(f"one|{_NUMBER}|(?:a |one )?hundred")
_IN_WORDS = re.compile(
    rf"\b(?:half an?|an?|{_COUNT}) (?:%|percent|per cent)(?! (?:of|confidence|margin|level)\b)"
    r"|\bby (?:an?|one|two|three) (?:half|third|quarter|fifth|tenth)s?\b"
    rf"|\b(?:\d{{1,3}}(?:\.\d{{1,3}})?|{_COUNT})[- ]?fold\b"
    rf"|\bby {_COUNT} times\b|\bhundred times {_THAN}\b"
    r"|\bby \d{1,3}(?:\.\d{1,3})? ?(?:x|times)(?![\w])"
    rf"|(?:[¼½¾]|\b\d{{1,2}}/\d{{1,2}}) ?(?:%|percent\b|{_THAN}\b)"
)
"""A size in words, which may stand beside a direction that is read: "faster by a third"."""
_OF_A_SET = re.compile(
    r"\s*(?:of|above|below|over|under)\s+(?:the |a )?(?P<what>[^\s,;:]+(?: [^\s,;:]+){0,2})"
)
"""Right after a percentage: that it is a share of a set, or how far it is from one: "99 % of r1"."""
_EQUAL = re.compile(
    rf"\b(?:comparable|similar) (?:forwarding )?{_THING}\b"
    rf"|\b{_THING} (?:(?:is|are|was|were|stays?|remains?) )?(?:comparable|similar|on (?:a )?par)\b"
    rf"|\bas fast as (?!possible)|\bon (?:a )?par with\b"
    r"|\b(?:negligible|minimal) (?:impact|effect|overhead|cost|penalty|loss)\b"
    r"|\b(?:impact|effect|overhead|cost|penalty|loss) (?:is|was) (?:negligible|minimal)\b"
    rf"|\b(?:does|do|did)(?: not|n't) (?:hurt|harm) (?:the )?{_THING}\b"
    r"|\b(?:within|inside|lost in|below|under) (?:the )?(?:(?:measurement|run-to-run) )?noise"
    r"(?: (?:floor|level))?\b"
)
_AHEAD = re.compile(
    r"\b(?:beats|outperforms|outperformed|outpaces|surpasses|trails|lags behind)\b"
    r"|\b(?:is|are|was|were) (?:(?:much|far|slightly|clearly|even|a bit) )*(?:better|worse) than\b"
    rf"|\b(?:hurts?|harms?|costs?) (?:the )?{_THING}\b"
)
_RATE = re.compile(r"(?<![\w.,])~?\d[\d.,]*(?: ?[kmg] ?pps| ?pps| ?[kmg]?packets(?:/s| per second))\b")
_GIVEN = re.compile(
    r"\b(?:at|with|under|for|of up to|limit(?:ed)?(?: (?:to|of))?|load (?:of|is|was)) (?:an? |about )?$"
)
"""Before a rate: that it was set."""
_OF_A_COST = words.word(
    "(?:no|without|zero) (?:[a-z]+ )?(?:impacts?|effects?|differences?|changes?)",
    "(?:no|without|zero) (?:[a-z]+ )?(?:regressions?|improvements?|increases?)",
    "same|unchanged|unaffected|not (?:affected|impacted)|doubles?|doubled|halves|halved|more|less",
)
_NAMED = 3  # figures of a sentence that are named
_DIRECTIONS = (directions.BETTER, directions.WORSE, directions.MORE, directions.LESS)
_INSTEAD = (
    (_BOUND, '"at most 5 % slower" is'),
    (_FACTOR, '"1.5x faster" is'),
    (_SHARE, '"50 % slower" is'),
    (_PERCENT, '"10 % faster" is'),
    (_EQUAL, '"same performance" and "no impact" are'),
    (_AHEAD, '"A is faster than B" is'),
)


def unread_claims(document: Document, read: Mapping[int, Sequence[Sentence]]) -> Iterator[tuple[int, str]]:
    """The line of each such claim that belongs to a block, and the message about it.

    Words are reported only in sentences in which nothing else is read, figures also beside one that is read.
    Beside a block on a latency, a cost or a loss this includes what is said of it by its name.
    """
    for at, sentences in read.items():
        for sentence in sentences:
            said = None if sentence.claims else _said(sentence.text.lower())
            tables = document.blocks_of(at, sentence, sentence.text.lower()) if said else []
            if said and any(comparable(table.block) for table in tables):
                yield sentence.line, f"{said[0]!r} is not read; {said[1]}."
            near = [table for table in document.blocks_near(at, sentence) if comparable(table.block)]
            told: set[str] = set()
            for found, instead in _partly(sentence, near) if near and not said else ():
                if figures := [one for one in dict.fromkeys(found) if one not in told]:
                    yield sentence.line, _unread(figures, instead)
                told.update(figures)


def _partly(sentence: Sentence, near: Sequence[Table]) -> Iterator[tuple[Iterator[str], str]]:
    """What a sentence beside blocks says without being read, and what to write instead."""
    yield unread_in(sentence.text), "write one claim per sentence"
    yield _of_sets(sentence, near), '"1 % slower" is'
    yield _in_words(sentence), '"10 % faster" is'
    yield _rates(sentence), '"10 % faster" is'
    if any(result.less_is_better for table in near for result in results(table.block)):
        yield _of_costs(sentence), '"20 % slower" and "no regression" are'


def _of_sets(sentence: Sentence, near: Sequence[Table]) -> Iterator[str]:
    """The percentages of a set, or above or below one: "99 % of r1", "3 % above the baseline"."""
    read = {claim.clause for claim in sentence.claims if claim.kind in ("number", "ratio")}
    names = frozenset[str]().union(*(stems(name.lower()) for table in near for name in table.block.names))
    for clause, bare in clauses_of(sentence.text):
        if bare in read or words.OTHER_METRIC.search(clause):
            continue
        for match in PERCENT.finditer(bare):
            beside = _OF_A_SET.match(bare, match.end())
            if beside and (stems(beside["what"]) & names or words.BASELINE.match(beside["what"])):
                yield match[0].strip()


def _in_words(sentence: Sentence) -> Iterator[str]:
    """The sizes in words in clauses that say that something changed, and of which no figure is read."""
    read = {claim.clause for claim in sentence.claims if claim.kind in ("number", "ratio")}
    for clause, bare in clauses_of(sentence.text):
        if bare in read or words.OTHER_METRIC.search(clause):
            continue
        if any(one.search(clause) for one in _DIRECTIONS):
            yield from (match[0].strip() for match in _IN_WORDS.finditer(bare))


def _rates(sentence: Sentence) -> Iterator[str]:
    """The rates in clauses that say that something changed: "slower by 300 Kpps"."""
    for clause, bare in clauses_of(sentence.text):
        if any(one.search(clause) for one in _DIRECTIONS) and not words.OTHER_METRIC.search(clause):
            for match in _RATE.finditer(bare):
                if not _GIVEN.search(bare[: match.start()]):
                    yield match[0]


def _of_costs(sentence: Sentence) -> Iterator[str]:
    """What clauses of which nothing is read say of a latency and the like: the figures, else the words."""
    read = {claim.clause for claim in sentence.claims}
    for clause, bare in clauses_of(sentence.text):
        if bare in read or not words.OTHER_METRIC.search(clause):
            continue
        said = [match for one in (_OF_A_COST, *_DIRECTIONS) if (match := one.search(clause))]
        figures = [
            match[0]
            for match in PERCENT.finditer(clause)
            if (said or match["sign"]) and not of_a_test(clause[: match.start()], clause[match.end() :])
        ]
        yield from figures or [match[0] for match in said[:1]]


def _unread(figures: Sequence[str], instead: str) -> str:
    named = listing([repr(one) for one in figures[:_NAMED]])
    more = f" and {len(figures) - _NAMED} more" if len(figures) > _NAMED else ""
    are = "is" if len(figures) == 1 else "are"
    return f"{named}{more} {are} not read; {instead}."


def _said(text: str) -> tuple[str, str] | None:
    """The words that claim something, and which words would be read instead."""
    others = (words.ELSEWHERE, words.ALL_OF_THEM, words.UNREAL, words.OTHER_METRIC)
    for pattern, instead in _INSTEAD if len(text) <= LONGEST else ():
        match = pattern.search(text)
        if match is None or "?" in text[-3:] or any(one.search(text) for one in others):
            continue
        if pattern is _AHEAD and PERCENT.search(text):
            continue  # the figure is told
        if pattern is _BOUND and not any(one.search(text) for one in _DIRECTIONS):
            continue
        return match[0].strip(), instead
    return None
