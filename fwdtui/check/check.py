"""Checks one text: its blocks against themselves, its sentences against their blocks."""

from collections.abc import Iterator, Mapping, Sequence

from fwdtui.check.claims import Claim
from fwdtui.check.findings import Checked, Finding
from fwdtui.check.judge import comparable, contradiction
from fwdtui.check.markdown import Unit, elements
from fwdtui.check.nearest import MOST_TABLES, Document
from fwdtui.check.sentences import Sentence, sentences
from fwdtui.check.table import check_block
from fwdtui.core.parse.ministat_block import parse_ministat_blocks, split_lines
from fwdtui.core.text import clean

_SIZES = ("number", "ratio")


def check_text(file: str, text: str) -> Checked:
    """Check a text (Markdown, mail, plain) that is called `file` in the findings; never raises."""
    parsed = parse_ministat_blocks(text)
    lines = split_lines(text)

    def shown(line: int) -> str:
        return clean(lines[line - 1]).strip()

    findings = [
        Finding(file, line, "table", shown(line), f"{reason[0].upper()}{reason[1:]}.")
        for block in parsed.value
        for line, reason in check_block(block)
    ]
    parts = elements(text, parsed.value)
    read = {at: tuple(sentences(part)) for at, part in enumerate(parts) if isinstance(part, Unit)}
    document = Document(parts, read)
    judged = list(_judge(document, read))
    findings += [
        Finding(
            file, claim.line, "claim", shown(claim.line), f"The sentence says {_said(claim)}, but {reason}."
        )
        for claim, reason in judged
        if reason
    ]
    findings.sort(key=lambda finding: finding.line)
    claiming = {(claim.line, claim.text) for claim, _ in judged}
    unread = [
        f"line {line}: more than {MOST_TABLES} blocks up to the next heading: no list is checked against them"
        for line in document.unread()
    ]
    return Checked(tuple(findings), len(parsed.value), len(claiming), (*parsed.skipped, *unread))


def _said(claim: Claim) -> str:
    """The claimed figure, and its direction if words elsewhere give it: '1.7%' (worse)."""
    if claim.kind != "number" or not claim.sign or claim.shown.lstrip("~ ").startswith(("+", "−", "-")):
        return repr(claim.shown)
    better, worse = ("better", "worse") if claim.judging else ("more", "less")
    return f"{claim.shown!r} ({better if claim.sign > 0 else worse})"


def _judge(document: Document, read: Mapping[int, Sequence[Sentence]]) -> Iterator[tuple[Claim, str | None]]:
    """Every claim that can be checked against a block, and why it is false (None: it is not)."""
    for at, found in read.items():
        held = [
            (place, *one) for place, sentence in enumerate(found) for one in _held(document, at, sentence)
        ]
        right = {place for place, claim, reason in held if claim.kind in _SIZES and reason is None}
        for place, claim, reason in held:
            # beside a sentence of the same paragraph with the right figure, this one is about something else
            aside = claim.kind in _SIZES and not claim.precise and len(right) > (place in right)
            yield claim, None if aside else reason


def _held(document: Document, at: int, sentence: Sentence) -> list[tuple[Claim, str | None]]:
    held: list[tuple[Claim, str | None]] = []
    for claim in sentence.claims:
        tables = document.blocks_of(at, sentence, claim.clause)
        blocks = [table.block for table in tables if comparable(table.block)]
        if not blocks:
            continue
        reasons = [contradiction(claim, block) for block in blocks]
        wrong = None if None in reasons else " and ".join(reason for reason in reasons if reason)
        if wrong and any(reason for _, reason in held):
            continue  # one reason per sentence is enough
        held.append((claim, wrong))
    return held
