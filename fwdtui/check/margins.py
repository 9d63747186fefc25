"""Up to which difference a text calls two sets equal, in percent: its own words for the margin.

A margin of error, or that of a power supply, is not meant. For the whole text a margin counts only if its
sentence is about differences or says that it is the one that is used.
"""

import re
from collections.abc import Iterable, Iterator

from fwdtui.check.words import SIZE, word

_MARGIN = re.compile(
    rf"(?<![\d.]){SIZE} (?P<kind>equivalence |relevance )?margin\b(?! of error)"
    rf"|\b(?P<kind_before>equivalence |relevance )?margin (?:of|is|was) ±? ?{SIZE}"
)
_OF_BASELINE = re.compile(rf"\binside ± ?{SIZE} of the baseline")
"""As our own reports say it."""
_OTHERS = word(
    "cpus?|cores?|counters?|power|supply|psus?|voltage|temperatures?|thermal|memory|cache|clocks?|timers?",
    "latency|jitter|errors?|sampling|samples?|headroom|safety|generators?|rings?|buffers?|load",
)
_CLAUSE_MOST = 200  # characters to either side of a margin
_CLAUSE_ENDS = re.compile(r"[;:,]|\band\b")
_OF_CLAIMS = word(
    "differences?|impact(?:s|ed)?|(?:un)?affected|effects?|changes?|unchanged|regress(?:es|ed|ions?)?|slower|faster",
    "degrad(?:es?|ed|ations?)|equivalen(?:t|ce)|equal|same",
    "relevan(?:t|ce)|verdicts?|inconclusive|judged?|claims?|compar(?:e|ed|ing|isons?)|baseline|decide",
    "(?:we|i) (?:use|used|take|took|set|chose|choose|assume|assumed|apply|applied|allow|allowed)|our margin",
)
_ALONE = re.compile(r"^(?:the |a )?margin (?:of|is|was)\b")


def of_sentence(sentence: str) -> float | None:
    """The margin that a sentence in lower case names for what it claims; None if it names none."""
    return next((_size(match) for match in _margins(sentence)), None)


def of_text(sentences: Iterable[str]) -> float | None:
    """The first margin that a sentence of a text (in lower case) names for all of it."""
    for sentence in sentences:
        if own := _OF_BASELINE.search(sentence):
            return float(own[1])
        found = list(_margins(sentence))
        on_claims = bool(found) and (_OF_CLAIMS.search(sentence) or _ALONE.match(sentence))
        for match in found:
            if on_claims or match["kind"] or match["kind_before"]:
                return _size(match)
    return None


def _margins(sentence: str) -> Iterator[re.Match[str]]:
    """The margins in a sentence whose clause is not about something else."""
    for match in _MARGIN.finditer(sentence):
        start, stop = max(match.start() - _CLAUSE_MOST, 0), match.end() + _CLAUSE_MOST
        begins = max(
            (end.end() for end in _CLAUSE_ENDS.finditer(sentence, start, match.start())), default=start
        )
        end = _CLAUSE_ENDS.search(sentence, match.end(), stop)
        clause = sentence[begins : end.start() if end else stop]
        if not _OTHERS.search(clause) or _OF_CLAIMS.search(clause):
            yield match


def _size(match: re.Match[str]) -> float:
    return float(match[1] or match[4])
