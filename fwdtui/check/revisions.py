"""References to files of another revision than the text's: a link, block or command that was copied along.

Revisions are those of FreeBSD: r368606 (Subversion), n311215 (git's count), and bare six digits after "head"
in a text or between dots in a name. A reference is reported only if it names revisions and none of them is
one that the text names where it belongs: a link beside its own words, a block beside the label above it,
everything else beside all of the text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from fwdtui.check.markdown import Element, Opaque, Table, Unit
from fwdtui.core.text import clean

Other = tuple[int, str, int, int]
"""The line of a reference, what is wrong with it, and the first and last line of what it is in."""

_NUMBERED = re.compile(r"(?<![a-z0-9])(?:r([1-9][0-9]{4,6})|n([1-9][0-9]{5,6}))(?![0-9])", re.I)
_OF_A_BRANCH = re.compile(
    r"\b(?:head|stable|current|releng)(?:[ :@/-]|-r| r)#?([1-9][0-9]{5})(?![0-9])", re.I
)
_BARE = re.compile(r"(?:^|(?<=[./_ -]))([1-9][0-9]{5})(?![0-9])(?=[a-z]?[0-9]{0,6}(?:[.:,_ -]|$))", re.I)
_SUBVERSION = range(180_000, 370_000)  # 2008 to 2020; lower and higher bare numbers are counts of something
_DIGITS = re.compile(r"(?<![0-9])[1-9][0-9]{4,6}(?![0-9])")
_DATE = re.compile(r"[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])")
# possessive and of limited length: what is never closed is not searched again and again
_LINK = re.compile(r"!?\[([^\[\]]*+)\]\(\s?+<?([^)\s>]{1,2000}+)")
# from its first character only: else each character of a long word would be a start, with 400 behind it
_FILE = re.compile(r"(?<![\w./+-])[\w./+-]{3,400}\.[a-z][a-z0-9]{1,8}(?![\w.])", re.I)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]{0,20}:", re.I)
_SHOWN = 80
_NAMED = 3


def other_revisions(parts: Sequence[Element], lines: Sequence[str]) -> Iterator[Other]:
    """Every reference to another revision. `lines` are those of the text, `parts` what is in them."""
    text, loose = _of_the_text(parts, lines)
    blocks = [part for part in parts if isinstance(part, Table)]
    measured = frozenset[str]().union(*(_in_names(" ".join(part.block.names)) for part in blocks))
    known = _Known(text, text | loose, text | loose | measured)
    yield from _blocks(parts, known)
    # links that stand alone are no prose, and so in no part
    code = dict.fromkeys(range(1, len(lines) + 1), False)
    for part in parts:
        for line in range(part.first_line, part.last_line + 1):
            if isinstance(part, Table):
                del code[line]
            elif isinstance(part, Opaque):
                code[line] = part.table is None
    for line, is_code in code.items():
        if others := _line(lines[line - 1], known, is_code):
            yield line, others, line, line


@dataclass(frozen=True, slots=True)
class _Known:
    """The revisions of a text, put together once, as there may be very many.

    `or_loose`: with numbers that may be one; `or_measured`: with those and the revisions of its blocks.
    """

    text: frozenset[str]
    or_loose: frozenset[str]
    or_measured: frozenset[str]


def _of_the_text(parts: Sequence[Element], lines: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The revisions that prose, tables and code name, without file names in code; and what may be one."""
    revisions: set[str] = set()
    loose: set[str] = set()
    for part in parts:
        if isinstance(part, Unit):
            texts = [part.text]
        elif isinstance(part, Opaque):
            texts = [_FILE.sub(" ", line) for line in lines[part.first_line - 1 : part.last_line]]
        else:
            continue
        for text in texts:
            revisions |= _in_prose(text)
            loose.update(_DIGITS.findall(text))
    return frozenset(revisions), frozenset(loose)


def _blocks(parts: Sequence[Element], known: _Known) -> Iterator[Other]:
    """Blocks of another revision than their label's, or than the text's: each revision once."""
    told: set[frozenset[str]] = set()
    above: Element | None = None
    for part in parts:
        if isinstance(part, Table):
            block = part.block
            measured = _in_names(" ".join(block.names))
            label = _label(above, part)
            said = label or known.text
            any_of = label or known.or_loose
            if measured and said and not measured & any_of and (label or measured not in told):
                told.add(measured)
                whose = "label" if label else "text"
                yield (
                    block.first_line,
                    f"The {whose} mentions {_listed(said)}, but this block is from {_listed(measured)}.",
                    block.first_line,
                    block.last_line,
                )
        above = part


def _label(above: Element | None, table: Table) -> frozenset[str]:
    """The revisions of a heading, or of a paragraph that ends with a colon, right above a block."""
    if not isinstance(above, Unit) or above.section != table.section:
        return frozenset()
    introduces = above.kind == "heading" or above.text.endswith(":")
    return _in_prose(above.text) if introduces else frozenset()


def _line(line: str, known: _Known, code: bool) -> str:
    """What is wrong with the first wrong reference of a line; "" where nothing is."""
    for match in _LINK.finditer(line):
        if _ELSEWHERE.match(match[2]):
            continue
        of_file, said = _in_names(match[2]), _in_prose(match[1])
        meant = said or known.text
        if of_file and meant and not of_file & (said or known.or_measured):
            says = f"The {'link names' if said else 'text mentions'} {_listed(meant)}"
            return f"{says}, but its file is from {_listed(of_file)}: {clean(match[2])[:_SHOWN]!r}."
    for match in _FILE.finditer(line) if code else ():
        of_file = _in_names(match[0])
        if of_file and known.text and not of_file & known.or_measured:
            name = repr(clean(match[0])[:_SHOWN])
            return f"The text mentions {_listed(known.text)}, but {name} is from {_listed(of_file)}."
    return ""


def _in_prose(text: str) -> frozenset[str]:
    revisions = {one or other for one, other in _NUMBERED.findall(text)}
    return frozenset(revisions | set(_OF_A_BRANCH.findall(text)))


def _in_names(text: str) -> frozenset[str]:
    """The revisions in names of files and sets: also bare numbers, but no round ones, powers of 2, dates."""
    bare = {
        number
        for number in _BARE.findall(text)
        if int(number) in _SUBVERSION and not number.endswith("000") and int(number).bit_count() > 1
        if not _DATE.fullmatch(number)
    }
    return _in_prose(text) | bare


@lru_cache(maxsize=16)  # those of the text are listed again for every reference
def _listed(revisions: frozenset[str]) -> str:
    named = " and ".join(sorted(revisions)[:_NAMED]) + (" and others" if len(revisions) > _NAMED else "")
    return f"revision{'s' if len(revisions) > 1 else ''} {named}"
