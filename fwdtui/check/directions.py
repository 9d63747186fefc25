"""Words that say faster, slower or the same, with a number or without one.

All patterns expect the text of `inline.readable` in lower case. Without a number, a word must be tied to the
performance: "the improved patch" and "reduced to one queue" claim nothing.
"""

import re

from fwdtui.check.words import BASELINE, WITHIN, one_of, word

# what a packet benchmark measures
_THING = one_of(
    "performances?|throughput|bandwidth|packets[- ]per[- ]seconds?|speeds?|inet ?[46]|ipv[46]|ipfw|pf",
    "(?:forwarding|packets?|pps|routing|firewall(?:ing)?)(?: (?:rates?|speeds?))?",
)
# good or bad, whichever way the number goes (a latency improves by falling)
_BETTER = one_of(
    "improv(?:es?|ed|ements?|ing)|faster|quicker|speed-?ups?|sped up|speeds up|benefits?|better",
    "gain(?:s|ed)?|uplifts?",
)
_WORSE = one_of(
    "slower|slow(?:s|ed|ing)(?: down)?|slow-?downs?|regress(?:es|ed|ions?)?|degrad(?:es?|ed|ations?)",
    "worse|penalty|overhead|costs?|deteriorat(?:es?|ed|ions?)|loses?|losing",
    "(?:performance|throughput|speed|forwarding) loss(?:es)?",
    "loss(?:es)? (?:of|in) (?:performance|throughput|speed)",
)
# up or down, good or bad
_GOES = "(?:go|goes|going|went|is|are|was|were)"
_MORE = one_of(
    f"{_GOES} up",
    "increas(?:es?|ed|ing)|higher|greater|rises?|rose|raise[sd]?|boost(?:s|ed)?|jump(?:s|ed)?|climb(?:s|ed)?",
)
_LESS = one_of(
    f"{_GOES} down",
    "decreas(?:es?|ed|ing)|reduc(?:es?|ed|tions?|ing)|drop(?:s|ped)?|lower|falls?|fell|declin(?:es?|ed)",
)
BETTER, WORSE, MORE, LESS = (word(words) for words in (_BETTER, _WORSE, _MORE, _LESS))
LOSS = word("slow-?downs?|regressions?|degradations?|deteriorations?|penalty|overhead|costs?|loss(?:es)?")
"""Words for a loss, which a plus beside them makes larger: "an overhead of +10 %" is no gain."""
RIGHTED = word(
    "fix(?:es|ed)?|gone|removed?|removing|recover(?:s|ed)?|cured?|revert(?:s|ed)?|avoid(?:s|ed)?|eliminate[sd]?|undone",
    "without|less|lower|smaller|reduce[sd]?|vanish(?:es|ed)?|disappear(?:s|ed)?|halved?|no more|no longer",
)
"""Beside a loss: that it is over."""
_CHANGE = one_of(
    "improvements?|speed-?ups?|gains?|uplifts?|benefits?|slow-?downs?|regressions?|degradations?|deteriorations?",
    "penalt(?:y|ies)|overheads?|costs?|loss(?:es)?|drops?|decreases?|increases?|reductions?",
)
_EXCLUDES = (
    r"\b(?:exclud(?:es?|ed|ing)|rul(?:es?|ed|ing) out|(?:not|cannot|n't) (?:be )?reproduc(?:e|ed|ible)"
    r"|(?:no|any) (?:sign|trace|evidence) of)\b"
)
_ENDS = one_of(
    "fix(?:es|ed|ing)|cur(?:es|ed|ing)|recover(?:s|ed|ing)|avoid(?:s|ed|ing)|eliminat(?:es|ed|ing)|undoes|undoing",
    "remov(?:es|ed|ing)|revert(?:s|ed|ing)|resolv(?:es|ed|ing)|solv(?:es|ed|ing)",
)
_SIZED = one_of(
    r"the|a|an|this|that|its|our|any|of|about|~?\d[\d.,]*(?: ?%)?|%|performance|throughput|forwarding|speed",
    "small|slight|large|big|whole|remaining|ipv[46]|inet[46]",
)
EXCLUDED = re.compile(_EXCLUDES)
"""Before a change: that it is not there."""
OVER = re.compile(
    rf"{_EXCLUDES}|\b{_ENDS} (?:{_SIZED} ){{0,5}}{_CHANGE}\b"
    rf"|\b{_CHANGE} (?:[^\s,;]+ ){{0,4}}(?:gone|undone|vanish(?:es|ed)|disappear(?:s|ed)"
    r"|(?<!with )(?<!the )(?<!a )(?:fix|cur|eliminat|resolv|solv|recover)ed"
    r"|(?:is|are|was|were|been) (?:now )?(?:remov|revert|avoid)ed)\b"
)
"""Of a change that is over or excluded: "the 5 % regression is fixed", "a loss of 1 % is ruled out"."""
AHEAD_AFTER = re.compile(r"\s*(?:up|down|ahead|behind)\b(?! to\b)")
AHEAD_BEFORE = re.compile(
    r"\b(?:wins?|won|up|down|ahead|behind)(?: (?:by|about|around|some|only))* $"
    r"|^(?:(?:only|just|merely) )?by (?:(?:only|just|about|around) )?$"
)
"""Beside a percentage: that it is a change, though these are not read: "12 % up", "though only by 12 %"."""
_PACKETS = r"(?<!packet )(?<!packets )(?<!frame )(?<!frames )"
PERHAPS_CHANGED = re.compile(
    rf"\b{_PACKETS}(?:loss(?:es)?|hit|dip(?:s|ped)?|grows?|grew|grown|shrinks?|shrank|shrunk|sinks?|sank)\b"
    r"(?! (?:rate|ratio)\b)"
    r"|\b(?:beats?|outperform(?:s|ed)?|outpaces?|surpass(?:es|ed)?|trails?|trailed|lags?|lagged|lifts?|lifted)\b"
    r"|\b(?:(?:a|the|its) lead of|(?:leads?|led)(?: [^\s,;]+){0,3} by|yields?|forfeits?)\b"
    r"|^(?:plus|minus)\b"
)
"""That it may be a change, though these are not read either: "a 20 % loss" may also be one of packets."""
PERHAPS_AFTER = re.compile(
    r"\s*(?:(?:performance|throughput|forwarding|speed) )?(?:hit|dip)\b(?! (?:rate|ratio)\b)"
)
SIZE = word("differences?|differs?|changes?|changed|deltas?|gaps?")

LINKED = re.compile(r"(?:\b(?:by|of|is|was|with)|[:=(])\s*(?:(?:only|just|exactly|a|an|another|about)\s+)*$")
"""Between a direction word and its number: "improved by 3%", "a gain of 3%", "reduced (3%)"."""

_ADVERB = one_of(
    "a|an|the|now|also|even|still|always|only|well|very|much|far|really|bit|little|lot|slightly|clearly",
    "significantly|noticeably|strongly|greatly|considerably|massively|dramatically|marginally|small|big|huge|large",
    "clear|nice|good|slight|minor|major|real|great|significant|strong|important|noticeable|measurable|visible",
    "severe|heavy|impressive|performance|forwarding|throughput|ipv[46]|inet[46]",
)
_IS = one_of(
    "is|are|was|were|been|gets?|got|becomes?|became|runs?|ran|performs?|performed|forwards?|forwarded",
    "it's|that's",
)
_GIVES = one_of(
    "brings?|brought|gives?|gave|shows?|showed|provides?|provided|yields?|yielded|introduces?|introduced",
    "causes?|caused|adds?|added|delivers?|delivered|we (?:see|get|have)|there (?:is|was)|it is|it's",
    "(?:this|that) (?:is|was)|that's",
)
# after an adjective: "is faster than", not "is a faster machine"
_NO_NOUN = (
    rf"(?=$|[^\w\s]|\s+[^\w\s]|\s+(?:{_ADVERB}|than|with|when|whenever|while|once|by|for|on|if|using|without|"
    r"under|after|here|again|too|as|and|or|at|from|compared|vs|in|of|to|is|was|over|due|because|thanks|relative|"
    r"brought|seen|measured|observed)\b)"
)
AFTER_NUMBER = re.compile(
    r"\s*(?:of )?(?:(?:overall|net|relative|performance|throughput|forwarding|speed|pps|packets?) )*"
    rf"(?:(?P<better>{_BETTER})|(?P<worse>{_WORSE})|(?P<more>{_MORE}|more)|(?P<less>{_LESS}|less|fewer))"
    rf"(?: (?:of |in )?(?:the )?{_THING}\b|{_NO_NOUN})"
)
"""Right after a percentage: "24.8% faster", "-30% performance drop", "3% more packets"."""
_SUBJECT = rf"\b{_THING}(?: (?:of|for|with|on|in|under) [^ ,;:]+){{0,2}}"


_HAS = one_of(
    "has|have|had|gets?|got|gives?|gave|shows?|showed|reach(?:es|ed)?|delivers?|delivered|brings?|brought",
    "provides?|provided|yields?|yielded|achieves?|achieved|there (?:is|was)|it is|it's|we (?:see|get|have)",
)
_BESIDE = r"\s+(?:than|with|when|if|by|using|on|in|for|at|once|while|after|over|compared)\b"


def _says(sure: str, maybe: str, noun: str, verb: str, past: str, packets: str) -> re.Pattern[str]:
    """A direction without a number. `sure` adjectives mean performance by themselves, `maybe` do not.

    `packets`: what is said of their number.
    """
    return re.compile(
        rf"\b{_IS} (?:{_ADVERB} )*(?:{sure}){_NO_NOUN}"
        rf"|{_SUBJECT} {_IS} (?:{_ADVERB} )*(?:{maybe}){_NO_NOUN}"
        rf"|\b{_GIVES} (?:{_ADVERB} )*(?:{noun})\b(?! tests?\b)"
        rf"|^(?:{_ADVERB} )*(?:{noun}) (?:with|when|if|by|using)\b"
        rf"|\b(?:{verb}) (?:{_ADVERB} )*{_THING}\b"
        rf"|{_SUBJECT} (?:(?:has|have|{_ADVERB}) )*(?:{past})(?=$|[ .,:;!)])"
        r"(?! (?:to|from|test|below|above|under|over)\b)"
        rf"|^(?:{_ADVERB} )*(?:{sure}|{maybe}) (?:with|when|if|than|on|in|by|using)\b"
        rf"|^(?:=> ?)?(?:{_ADVERB} )*(?:{sure})[.!]?$"
        rf"|\b{_HAS} (?:{_ADVERB} )*(?:{sure}|{maybe}) {_THING}\b(?=$|[^\w\s]|{_BESIDE})"
        rf"|^(?:{_ADVERB} )*(?:{sure}|{maybe}) {_THING}\b(?={_BESIDE})"
        rf"|\b(?:forwards?|forwarded) (?:{_ADVERB} )*(?:{packets}) packets\b(?=$|[^\w\s]|{_BESIDE})"
    )


SAYS_UP = _says(
    sure="improved|faster|quicker",
    maybe="increased|higher|better",
    noun="improvements?|speed-?ups?|gains?|boost|benefits?",
    verb="improves?|improved|increases?|speeds up|sped up|boosts?",
    past="improves|improved|increases|increased|rises|rose|grows|grew|(?:goes|went) up",
    packets="more",
)
SAYS_DOWN = _says(
    sure="slower|slowed down|degraded",
    maybe="decreased|reduced|lower|worse",
    noun="regressions?|slow-?downs?|degradations?|performance (?:drop|loss|penalty)",
    verb="degrades?|decreases?|reduces?|slows down",
    past="degrades|degraded|decreases|decreased|drops|dropped|regresses|regressed|falls|fell"
    "|(?:goes|went) down",
    packets="fewer|less",
)

_KIND = (
    "(?:(?:real|visible|measurable|noticeable|notable|statistically|significant|meaningful|clear|performance|"
    "forwarding|throughput|statistical|observable|proven|important|big|major|longer|more|any|at all|"
    "operational|operationally|practical|practically|discernible|appreciable|substantial|relevant) )*"
)
_SURELY = "(?:(?:really|at all|significantly|measurably|visibly|negatively|noticeably) )*"
_STILL = "(?:(?:the|about|almost|still|exactly|nearly|statistically) )*"
_EQUAL = "(?:same|identical|equal|equivalent|unchanged)"
_HERE = "(?:this|these|our|that) (?:platforms?|hardware|machines?|boxes?|setups?|systems?|cpus?|nics?|duts?)"
_ON_PERFORMANCE = (
    rf"(?= (?:on|in|to|for)(?: \S+){{0,4}} {_THING}\b| (?:on|with) {_HERE}\b| (?!on|in|to|between)|[^ \w]|$)"
)
# "same performance as pf" compares with something else
_AS_BEFORE = "(?! as (?!before|without|stock|unpatched|(?:the )?(?:base|reference|original)|r[0-9]))"
SAYS_SAME = re.compile(
    rf"\b{_EQUAL} {_KIND}(?:performances?|throughput|speed|pps|forwarding rate)\b"
    rf"(?! (?:governor|settings?|profile|mode|counters?|tests?|tuning|script|bench)){_AS_BEFORE}"
    rf"|\b{_THING} (?:(?:{_IS}|stays?|remains?) )?{_STILL}{_EQUAL}\b{_AS_BEFORE}"
    rf"|(?:{_SUBJECT} (?:{_IS} )?|^)(?:not|isn't|aren't|wasn't) {_SURELY}(?:impacted|affected)\b"
    rf"|(?:{_SUBJECT} (?:{_IS} )?|^)(?:unaffected|unimpacted)\b"
    rf"|\b(?:no|without|zero) {_KIND}(?:impacts?|effects?|differences?){_ON_PERFORMANCE}"
    rf"|\b(?:no|without) {_KIND}(?:(?:performance|throughput) changes?|changes? (?:in|of) {_THING})\b"
    rf"|{_SUBJECT} (?:does|do|did)(?: not|n't) {_SURELY}change\b"
    rf"|\b(?:does|do|did)(?: not|n't) {_SURELY}(?:change|impact|affect) (?:the )?{_THING}\b"
    r"|^equivalent\b"
)
_WORDS = r"(?:[^\s,;:()]+ ){1,5}"
_LAST_WORDS = r"(?:[^\s,;:()]+ ){0,4}[^\s,;:()]*[^\s,;:().]"
_TWO = (
    "(?:the|these) two(?: (?:kernels|builds|versions|images|revisions|releases|configurations|sets))?"
    r"(?=[^ \w]|$)"
)
SAYS_SAME_OF_TWO = re.compile(
    rf"\b(?:no|without|zero) {_KIND}differences? (?:(?:in|of) (?:the )?{_THING} )?between "
    rf"(?:{_TWO}|(?:the )?(?P<one>{_WORDS})and (?:the )?(?P<two>{_LAST_WORDS}))"
    rf"|\b(?P<first>{_WORDS})and (?:the )?(?P<second>{_WORDS})(?:(?:perform|forward|behave)s? {_STILL}"
    rf"(?:the same|equally|identically|alike)|(?:are|were) {_STILL}(?:the same|equal|equivalent|identical)|"
    rf"(?:have|had|show|showed|give|gave) {_STILL}(?:the )?{_STILL}{_EQUAL} {_KIND}{_THING})\b"
)
"""That two sets are the same: those that it names, or the only two."""
SAYS_NOT_SIGNIFICANT = re.compile(
    r"\b(?:differences?|changes?|effects?|impacts?) (?:is|are|was|were) "
    r"(?:not (?:statistically )?significant|(?:statistically )?insignificant)\b"
)
"""What a test said."""
SAYS_NOT_DOWN = re.compile(
    rf"\b(?:no|without|zero) {_KIND}(?:regressions?|slow-?downs?|degradations?|penalty|drop|loss)\b"
    rf"|\b(?:not|n't) (?:{_ADVERB} )*(?:slower|degraded|worse|reduced|decreased|slow(?:ed)? down)\b"
    r"|\b(?:does|do|did)(?: not|n't) (?:regress|degrade|reduce|decrease|slow)\b"
)
SAYS_NOT_UP = re.compile(
    rf"\b(?:no|without|zero) {_KIND}(?:improvements?|speed-?ups?|gains?|benefits?|boost)\b"
    rf"|\b(?:not|n't) (?:{_ADVERB} )*(?:faster|improved|better|increased|quicker)\b"
    r"|\b(?:does|do|did)(?: not|n't) (?:improve|increase|help|speed)\b"
)
_OF_BASELINE = rf" of (?:the )?{BASELINE.pattern}"
WITHIN_AFTER = re.compile(
    rf"(?: as (?:the )?{BASELINE.pattern})?"
    rf"(?: (?:on|in|to|for|of|with)(?: (?:{_THING}|{_HERE}|{_ADVERB}|and|or)\b){{1,6}})?"
    r"(?: |[,:] |,? \()(?:(?:the |any )?(?:differences?|changes?)(?: (?:is|are|was|were|stays?))? |to )?"
    rf"{WITHIN}(?:{_OF_BASELINE}| of each other|(?! of\b))"
)
WITHIN_BEFORE = re.compile(
    rf"{WITHIN}(?:{_OF_BASELINE})?,? "
    r"(?:(?:there (?:is|was)|it (?:is|has)|this (?:is|has)|we (?:see|have)|the) )?$"
)
"""Right after and right before the words of a claim of no change: the margin up to which it means this."""


_HOW = re.compile(r"\s*(?:faster|quicker|slower|better|worse|more|less|fewer|higher|lower)\b")


def says_speed(after: str) -> bool:
    """Whether right after a percentage "faster", "worse" or the like follows, and not "more" or "higher"."""
    match = AFTER_NUMBER.match(after)
    return match is not None and match.lastgroup in ("better", "worse")


def says_how(after: str) -> bool:
    """Whether right after a percentage an adjective follows ("faster", "lower"), and not "regression"."""
    return AFTER_NUMBER.match(after) is not None and _HOW.match(after) is not None


def names_a_loss(heading: str) -> bool:
    """Whether a heading is "overhead" or "regression", and not "gain/loss"."""
    text = heading.lower()
    return LOSS.search(text) is not None and BETTER.search(text) is None
