"""What surrounds a figure: words that say how it is meant, and words that say it is about something else.

All patterns expect the text of `inline.readable` in lower case. Where a word is not surely about forwarding
performance it is left out: a check that cries wolf is not used twice.
"""

import re


def one_of(*alternatives: str) -> str:
    """A group of alternatives; each argument may hold several, divided by bars."""
    return f"(?:{'|'.join(alternatives)})"


def word(*alternatives: str) -> re.Pattern[str]:
    """One of the alternatives, as whole words."""
    return re.compile(rf"\b{one_of(*alternatives)}\b")


NEGATED = re.compile(
    r"(?:\b(?:no|not|never|without|neither|nor|none|cannot|isn't|any)\b|n't\b)(?: \S+){0,3}\s*$"
)
"""After this, a direction is denied."""
HEDGED = word(
    "inconclusive|insignificant|noise|unproven|undecided|margin of error|cannot say|tends?|seems?|appears?",
    "trend|maybe|perhaps|probably|apparently|chance|looks? like",
    "not (?:statistically )?(?:significant|proven)",
)
TENTATIVE = word(
    "inconclusive|unproven|undecided|cannot say|tends?|seems?|appears?|maybe|perhaps|probably|apparently",
    "looks? like",
)
"""With these words it is no claim of a fact."""
UNREAL = word(
    "should|shouldn't|would|could|might|may|can|will|unless|whether|needs? to|try|trying|todo",
    "expect(?:s|ed|ing)?|hop(?:es?|ed|ing)|goals?|targets?|aims?|predict(?:s|ed)?|want(?:s|ed)?",
    "plan(?:s|ned)?|suppos(?:e|ed)|hypothes[ie]s|theor(?:y|etical(?:ly)?)|assum(?:es?|ed|ing)",
    "claim(?:s|ed)?|reported|announced|promis(?:es|ed)|says?|said|states|stated|according to",
    "commit (?:message|log)|release notes?|changelog",
)
"""A hope, a condition or the words of others."""
ELSEWHERE = word(
    "previous(?:ly)?|earlier|former(?:ly)?|ago|used to|so far|until now|in the past|elsewhere",
    "historical(?:ly)?",
    "last (?:time|bench(?:mark)?|run|week|month|year|result|version|diff)",
    "old(?:er)? (?:diff|patch|version|results?|bench|measurements?|numbers?|figures?)",
    "other (?:bench(?:mark)?s?|tests?|machines?|platforms?|hardware|results?)|on another",
    "(?:first|second|initial) (?:version|diff|revision|attempt|patch)",
    "minim(?:um|al)|maxim(?:um|al)|peaks?|worst|best case|slowest|fastest|outliers?",
)
"""Figures of another measurement, quoted, or of single iterations."""
NOT_OF_ITERATIONS = re.compile(r"\((?:paired )?by (?:boot|block)\)")
"""Figures of boots or of pairs of blocks (`stats.wording.of_what`): no block of iterations has them."""
EXPLAINED = re.compile(
    r"\bno difference proven is not the same as no difference\b|% interval reaches beyond the margin\b"
    r"|\bis real, but inside the margin of\b"
    r"|\bthe rate moves by \S+ (?:to \S+ )?% from the first to the last third of the run\b"
    r"|\bthe level changes (?:more than once )?within the run\b"
    r"|\bmore than the [^;:]{1,40} that were offered, which is impossible\b"
)
"""Sentences of our own reports that are no claims: on what words mean (`report.method`,
`stats.wording.footnotes`), a warning that repeats a figure (`small-but-real`), and warnings about single
iterations (`in-run-drift`, `level-shift`, `received-above-offered`).
"""
ALL_OF_THEM = word(
    "both|each|every|respectively|overall|on average|average of|in total|cumulated|everywhere",
    "all (?:the |these |of the |my |our )?(?:tests?|cases?|bench(?:e?s|marks?)?|results?|configurations?)",
    "all (?:the |these |of the |my |our )?(?:modes?|setups?|platforms?|systems?|machines?|measurements?)",
)
"""Said of several measurements at once."""

CONFIDENCE_AFTER = re.compile(
    r"\s*\)?\s*(?:confidence|ci\b|level|welch|interval|significance|probability|certain)"
)
MARGIN_AFTER = re.compile(r"\s*(?:equivalence |relevance )?margin\b(?! of error)")
MARGIN_BEFORE = re.compile(r"\bmargin (?:of|is|was) ±? ?$")
SIZE = r"(\d{1,2}(?:\.\d{1,12})?) ?%"
WITHIN = rf"\b(?:within|inside) (?:the |a )?±? ?{SIZE}"
"""A margin where it touches a claim; elsewhere it may be said of the iterations, or of the load."""
_OTHER = one_of(
    "cpus?|cores?|idle|busy|cache|memory|mem|ram|usage|utili[sz]ation|interrupts?|irqs?|cycles?|samples?",
    "(?:packet|frame) loss|loss (?:rate|ratio)|drops?:|dropped packets|packets? drop(?:s|ped)?",
    "drop rate",
    "latency|jitter|rtt|delay|locks?|lock_delay|mutex|contention|power|energy|temperature|buffers?|queues?|ring",
    "errors?|noise|stddev|deviation|variance|coefficient of variation|threshold|percentiles?|quantiles?",
)
_OTHER_OF = one_of(
    "load(?:ed)?|lost|hits?|miss(?:es)?|used|flows?|line[- ]?rate|line|link|wire|time|user|sys(?:tem)?",
    r"kernel|chance|sure|complete|done|full|duty|traffic|\w+ (?:packets|frames|traffic)$|packets$|frames",
    "states?|sessions?|rules?|baseline",
)
OTHER_AFTER = re.compile(
    r"(?!\s*(?:more|fewer|less) packets$)"
    r"\s*\)?\s*(?:of (?:the )?(?:packets|frames|traffic|runs)\b|(?:(?:of|in|for) )?"
    r"(?:(?:the|its|their|this|all|total|more|less|lower|higher|fewer) )*"
    rf"(?:{_OTHER}|{_OTHER_OF})\b)"
)
_OTHER_FIRST = one_of(
    _OTHER,
    "load|loaded|confidence|level|margin|decide|cv|rate of|mtu|compile|boot|sizes?|number of|count|threads?",
    "timeout|frequency|clock|burst|batch|limit|length",
)
OTHER_BEFORE = word(_OTHER_FIRST)
"""A percentage that is not of the throughput."""
CONDITION = re.compile(
    rf"\b(?:with|at|on|under|using) (?:(?!{_OTHER_FIRST}\b)[^\s,]+ ){{0,3}}{_OTHER_FIRST}\b"
)
"""Under what it was measured: "with four queues", "at 95 % confidence", "under load"."""
OTHER_METRIC = word(
    "cpus? (?:usage|load|time|cycles)|(?:packet|frame) loss|loss (?:rate|ratio)|latency|jitter|rtt|delay",
    "memory|cache|interrupts?|contention|power|energy|temperature|compile|compilation|boot|build",
)
"""What else a sentence without a number may be about."""

LEVEL = re.compile(r"\b(?:at|with|to|from|of up to|under|until|reach(?:es|ed)?)\s*$")
"""Before a number: how much there is, not by how much it changed ("drops to 43 %")."""
MORE_THAN = re.compile(r"\b(?:more than|over|above|at least|beyond|exceeds?|greater than)\s*$|[>≥]=?\s*$")
LESS_THAN = re.compile(r"\b(?:less than|below|under|at most|up to|within|smaller than)\s*$|[<≤]=?\s*$")
AT_MOST = re.compile(r"\bat most\s*$|(?:≤|<=)\s*$")
"""Right before a number: the bound alone is claimed. "Less than 1 % slower" also says that it is slower."""
UP_TO = re.compile(r"\bup to\s*$")
NO_BOUND = re.compile(r"(?:\b(?:no|not|never|nor|cannot)|n't)(?: (?:be|by|any|ever|even|much))?\s*$")
"""Right before the words above: "not more than 2 %" is no figure above 2, nor one in the other direction."""
DENIED = re.compile(
    r"(?:\b(?:no|not|never|neither|nor|cannot|without)\b|n't\b)"
    r"(?: (?:longer|even|really|quite|exactly|just|only|merely|actually|yet|ever|any|be|been|by|between"
    r"|a|an|the|of|about|around|roughly|nearly|almost|some|bring|give|show|provide|yield|introduce|cause|add|deliver"
    r"|see|get|have|gain|lose|cost|find|measure))*\s*$"
)
"""Right before a number: that it is not so large."""
ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|circa|ca\.?|nearly|almost|some|close to)|~)\s*$"
)
COMPARED = word(r"than|vs|versus|over|against|compared (?:to|with)|relative to")
_BASELINE = one_of(
    "baseline|base|stock|unpatched|vanilla|reference|before|original|unmodified|without|default",
    "stable|head|main|master|release|generic|old(?:er)? (?:kernel|build|image|code|driver|module|stack|one)",
)
BASELINE = word(_BASELINE)
