"""Checks what a text's sentences claim against the block they belong to, else against two value files."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fwdtui.check.claims import Claim
from fwdtui.check.findings import Source
from fwdtui.check.judge import (
    UNDECIDED,
    about_another,
    against,
    comparable,
    contradiction,
    left_open,
    supported,
    undecided,
)
from fwdtui.check.markdown import Table
from fwdtui.check.meant import says_of
from fwdtui.check.nearest import Document
from fwdtui.check.results import results
from fwdtui.check.sentences import Sentence

if TYPE_CHECKING:
    from fwdtui.check.cells.files import Data
    from fwdtui.check.named_pair import Pair

_SIZES = ("number", "ratio")
_NO_CHANGE = ("same", "not")
_OF_FILES = (*_SIZES, *_NO_CHANGE, "direction")
"""The claims that value files can answer; a ± belongs to a test that the text's author made."""
_WAY_ONLY = ("not", "direction")
"""Claims that say nothing but which way the values went."""
_NO_BLOCK = "no ministat block belongs to it"
_ASIDE = "another sentence of its paragraph has the right figure, so this one may be about something else"
_BESIDE = "another sentence of its paragraph is about a ministat block, and this one names no value files"


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim, why it is false (`reason`; None: it is not), and what it was checked against (`sources`).

    Without sources it was not checked. `why_not`: why it was not checked, or not decided, if that is worth a
    line. `agrees`: what value files say, if they bear it out.
    """

    claim: Claim
    reason: str | None = None
    sources: tuple[Source, ...] = ()
    why_not: str = ""
    agrees: str = ""


def judged_claims(
    file: str,
    document: Document,
    read: Mapping[int, Sequence[Sentence]],
    margin: float,
    data: "Data | None",
    without: Container[int] = (),
) -> Iterator[JudgedClaim]:
    """Every claim that can be checked, and those that cannot although they ought to be.

    `read` are the sentences of the units of a text that is called `file`. Without `data`, a percentage far
    from any block is ignored; with it, those that could not be decided are reported. `without`: the sections
    that say that they have no block, as in a report of our own, whose sentences do not name the baseline.
    """
    claims = _Claims(file, document, margin, data, without)
    for at, sentences in read.items():
        held = [(place, one) for place, sentence in enumerate(sentences) for one in claims.of(at, sentence)]
        right = {place for place, one in held if one.claim.kind in _SIZES and _may_be_right(one)}
        # a paragraph about a block: which two files another sentence is about would only be a guess
        by_block = any(one.file == file for _, judged in held for one in judged.sources)
        for place, one in held:
            # beside a sentence of its paragraph with the right figure, this one may be about something else
            aside = one.claim.kind in _SIZES and not one.claim.precise and len(right) > (place in right)
            guessed = by_block and bool(one.sources) and all(source.file != file for source in one.sources)
            if one.reason and (aside or (guessed and _names_none(sentences[place], one.sources))):
                one = replace(one, reason=None, why_not=_ASIDE if aside else _BESIDE)
            yield one


class _Claims:
    def __init__(
        self, file: str, document: Document, margin: float, data: "Data | None", without: Container[int]
    ) -> None:
        self._file, self._document, self._margin, self._data = file, document, margin, data
        self._without = without

    def of(self, at: int, sentence: Sentence) -> list[JudgedClaim]:
        """The claims of one sentence of the unit at `at`; one reason per sentence is enough."""
        judged: list[JudgedClaim] = []
        for claim in sentence.claims:
            one = self._of_blocks(at, sentence, claim) or self._of_files(at, sentence, claim)
            if one is None or (one.reason and any(other.reason for other in judged)):
                continue
            if not (one.sources and one.why_not and any(other.why_not == one.why_not for other in judged)):
                judged.append(one)
        return judged

    def _of_blocks(self, at: int, sentence: Sentence, claim: Claim) -> JudgedClaim | None:
        tables = _comparable(self._document.blocks_of(at, sentence, claim.clause), claim)
        reasons = [contradiction(claim, table.block, self._margin) for table in tables]
        wrong = None if None in reasons else " and ".join(reason for reason in reasons if reason)
        fitting = [table for table, reason in zip(tables, reasons, strict=True) if reason is None]
        why_not = self._left_open(claim, fitting, any_is_enough=False)
        if not tables and claim.kind in _NO_CHANGE:
            # said of everything below its heading: each block has to show it
            tables = _comparable(self._document.blocks_below(at, sentence, claim.clause), claim)
            reasons = [contradiction(claim, table.block, self._margin) for table in tables]
            wrong = "; ".join(reason for reason in reasons if reason) or None
            why_not = "" if wrong else self._left_open(claim, tables, any_is_enough=True)
        sources = tuple(Source(self._file, one.block.first_line, one.block.last_line) for one in tables)
        return JudgedClaim(claim, wrong, sources, why_not) if tables else None

    def _left_open(self, claim: Claim, tables: Sequence[Table], *, any_is_enough: bool) -> str:
        """Why blocks that do not contradict a claim do not bear it out either; "" if they do.

        `any_is_enough`: one of the blocks that leaves it open is enough.
        """
        reasons = [left_open(claim, table.block, self._margin) for table in tables]
        return next(filter(None, reasons), "") if any_is_enough or all(reasons) else ""

    def _of_files(self, at: int, sentence: Sentence, claim: Claim) -> JudgedClaim | None:
        """What becomes of a claim that no block belongs to; None if nothing needs to be said of it."""
        weighty = claim.kind in _NO_CHANGE and not (claim.statistical or claim.tentative)
        if self._data is None or claim.kind not in _OF_FILES:
            return JudgedClaim(claim, why_not=_NO_BLOCK) if weighty else None
        from fwdtui.check.named_pair import Around, pair_of

        headings = self._document.headings
        section = self._document.section(at)
        if section in self._without:
            pair: Pair | str = "the text says that it has no ministat table for this"
        else:
            pair = pair_of(self._data, sentence.text, Around(headings.above(section), headings.title))
        if isinstance(pair, str) or not pair.results:
            why = pair if isinstance(pair, str) else pair.why_not
            told = weighty or claim.kind in _SIZES
            return JudgedClaim(claim, why_not=f"{_NO_BLOCK}, and {why}") if told else None
        one = self._of_pair(claim, pair)
        if pair.rival is None or not pair.rival.results:
            return one
        other = self._of_pair(claim, pair.rival)
        if (one.reason is None) == (other.reason is None) and not (one.why_not or other.why_not):
            return one
        return JudgedClaim(
            claim, why_not=f"{_NO_BLOCK}, and it may be about {pair.shown} or {pair.rival.shown}"
        )

    def _of_pair(self, claim: Claim, pair: "Pair") -> JudgedClaim:
        """What two value files say of a claim."""
        results = [one for one in pair.results if says_of(claim, one)]
        if not results:
            return JudgedClaim(claim, why_not=f"{_NO_BLOCK}, and it names others than two value files")
        sources = (pair.first.source, pair.second.source)
        if all(about_another(claim, result) for result in results):
            return JudgedClaim(claim, why_not=f"{_NO_BLOCK}, and it compares with neither of two value files")
        reasons = [against(claim, result, self._margin) for result in results]
        if None in reasons:
            fitting = [one for one, reason in zip(results, reasons, strict=True) if reason is None]
            either = claim.kind in _WAY_ONLY and len(fitting) < len(results)
            if either or all(undecided(claim, one, self._margin) for one in fitting):
                return JudgedClaim(claim, why_not=f"{_NO_BLOCK}; for two value files {UNDECIDED}")
            return JudgedClaim(claim, None, sources, agrees=supported(claim, fitting[0], self._margin))
        return JudgedClaim(claim, f"{results[0].where} {reasons[0]}", sources)


def _names_none(sentence: Sentence, files: Sequence[Source]) -> bool:
    """Whether a sentence has no word of the names of two value files."""
    from fwdtui.check.cells.labels import words  # late: only where there are such files

    return not any(words(sentence.text, prose=True) & words(one.file) for one in files)


def _may_be_right(one: JudgedClaim) -> bool:
    """Whether a figure is right, at least one way round."""
    return bool(one.sources) and one.reason is None and one.why_not in ("", UNDECIDED)


def _comparable(tables: Sequence[Table], claim: Claim) -> list[Table]:
    """The blocks with a result that a claim can be checked against, and that is about its two sets."""
    return [
        table
        for table in tables
        if comparable(table.block) and any(says_of(claim, one) for one in results(table.block))
    ]
