"""ministat's output as people publish it: pasted into Markdown, mails and plain text.

A block is recognised by its content, never by the fence around it: fences are often missing, unbalanced or
joined to the last line. What ministat prints (usr.bin/ministat/ministat.c, FreeBSD):

    SYMBOL NAME                  one line per set, not with -q
    +-----+ |...| +-----+        the plot, not with -A or -n
        N   Min   Max ...        the header, not with -q
    x   5   ...                  "%c %3d" and five times " %13.8g"
    Difference at 95.0% confidence            (or: No difference proven at 95.0% confidence)
    <tab>DIFFERENCE +/- ERROR                 "%g", and the same again in percent of the first set
    <tab>(Student's t, pooled s = S)          each row after the first has its verdict below it, not with -n
"""

import math
import re
from dataclasses import dataclass, replace

from fwdtui.core.parse.fields import Parsed
from fwdtui.core.text import clean

SYMBOLS = "x+*%#@O"  # ministat's own, in the order of the sets
ROW_DIGITS = 8  # significant digits of a row's numbers: %.8g
VERDICT_DIGITS = 6  # significant digits of a verdict's numbers: %g

# possessive, here and below: a hostile line takes time in proportion to its length
_NUMBER = r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?(?:[eE][+-]?[0-9]++)?|inf|nan)"
_PREFIX = re.compile(r"^(?:[ ]{0,3}>)+")  # a quoted mail or a block quote
_BLANK = re.compile(r"[\t\u00a0\u2007\u2009\u202f]")
_ROW = re.compile(rf"\s*\\?([{re.escape(SYMBOLS)}])\s+([0-9]{{1,9}})((?:\s+{_NUMBER}){{5}})(?=[\s`~]|$)")
_HEADER = re.compile(r"\s*N\s+Min\s+Max\s+Median\s+Avg\s+Stddev\b")
_VERDICT = re.compile(r"\s*(No difference proven|Difference) at ([0-9]{1,3}(?:\.[0-9]{1,4})?)\s*% confidence")
_PERCENT = re.compile(rf"\s*({_NUMBER})\s?%\s*(?:\+/-|±)\s*({_NUMBER})\s?%")
_ABSOLUTE = re.compile(rf"\s*({_NUMBER})\s*(?:\+/-|±)\s*({_NUMBER})(?=[\s`~]|$)(?!\s?%)")
_POOLED = re.compile(rf"\s*\(?Student['’]s t, pooled s = ({_NUMBER})(?=[\s)`~]|$)\)?")
_DETAIL = re.compile(r"\s*[+-]?[0-9]\S*\s*(?:\+/-|±)|\s*\(?Student['’]s t|.*pooled s =")
_NAME = re.compile(rf"\s*\\?([{re.escape(SYMBOLS)}])\s+(\S.*)")
_FRAME = re.compile(r"\+*+-[+-]*+$|\[no plot, span is zero width\]$")
_BLANKS = 2  # blank lines within a block: what a paste through a mail program leaves
_PLOT_LINES = 400  # a plot is as high as its tallest stack
LONGEST_LINE = 4096  # characters of a line; the rest of a longer line is not read
_SHOWN = 60  # characters of a skipped line that a note repeats


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as written in the text: `value` may be inf or nan, `line` counts from 1."""

    text: str
    value: float
    line: int

    @property
    def digits(self) -> int:
        """How many significant digits are printed; %g omits trailing zeros."""
        mantissa = self.text.lower().lstrip("+-").partition("e")[0].replace(".", "")
        return len(mantissa.lstrip("0"))

    def half_unit(self, digits: int) -> float:
        """Half a unit of the last of `digits` significant digits: what rounding to them can hide.

        More digits than that in the text are believed; zero is printed only for exactly zero.
        """
        if not self.value or not math.isfinite(self.value):
            return 0.0
        last = math.floor(math.log10(abs(self.value))) + 1 - max(digits, self.digits)
        return 0.5 * 10.0**last if last > -300 else 0.0


@dataclass(frozen=True, slots=True)
class PrintedVerdict:
    """What ministat says about one set against the first; a part that is missing or damaged is None.

    `absolute` is in the unit of the values, `percent` of the first set's average.
    """

    line: int
    differs: bool
    confidence: float  # percent, as printed: 80 90 95 98 99 or 99.5 from ministat itself
    absolute: Printed | None = None
    absolute_error: Printed | None = None
    percent: Printed | None = None
    percent_error: Printed | None = None
    pooled_s: Printed | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One set: `symbol` is one of SYMBOLS; stddev is the sample standard deviation."""

    line: int
    symbol: str
    n: int
    min: Printed
    max: Printed
    median: Printed
    avg: Printed
    stddev: Printed
    verdict: PrintedVerdict | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """One run of ministat. Lines count from 1 and include the names and the plot, never the fence.

    `names` maps by position: the first set's name first; empty where the text has none (-q, stdin).
    `rows` holds the readable rows; `whole` is False if a row or a number was skipped.
    """

    first_line: int
    last_line: int
    names: tuple[str, ...]
    rows: tuple[Row, ...]
    whole: bool = True

    def name(self, row: Row) -> str:
        """The name of a row's set, or "" if the text gives none."""
        place = SYMBOLS.index(row.symbol)
        return self.names[place] if place < len(self.names) else ""


def parse_ministat_blocks(text: str) -> Parsed[tuple[Block, ...]]:
    """Every ministat block of a text, in order. Lines end with LF, CRLF or CR; never raises."""
    lines = [plain(line) for line in split_lines(text)]
    blocks: list[Block] = []
    skipped: list[str] = []
    at = 0
    while at < len(lines):
        if not (_HEADER.match(lines[at]) or _starts_rows(lines[at])):
            at += 1
            continue
        block, at = _read(lines, at, blocks[-1].last_line if blocks else 0, skipped)
        if block is not None:
            blocks.append(block)
    return Parsed(tuple(blocks), tuple(skipped))


def split_lines(text: str) -> list[str]:
    """The lines of a text with any line ends; form feeds and Unicode separators do not end a line."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def plain(line: str) -> str:
    """A line as the parser reads it: no control characters, no quote marks, every blank a space."""
    return _PREFIX.sub("", _BLANK.sub(" ", clean(line[:LONGEST_LINE]).replace("\u2212", "-")))


def _starts_rows(line: str) -> bool:
    # without a header (-q) only the first set's own row begins a block
    row = _ROW.match(line)
    return row is not None and row[1] == SYMBOLS[0]


def _read(lines: list[str], start: int, after: int, skipped: list[str]) -> tuple[Block | None, int]:
    """One block from its header or first row at `start`; returns it and the line to continue with."""
    first, names = _names(lines, start, after)
    rows: list[Row] = []
    seen: list[str] = []
    notes: list[str] = []
    blanks = 0
    at = start + 1 if _HEADER.match(lines[start]) else start
    last = at - 1
    while at < len(lines) and blanks <= _BLANKS:
        line = lines[at]
        verdict = _VERDICT.match(line)
        if not line.strip():
            blanks += 1
        elif verdict:
            read, last = _verdict(lines, at, verdict, notes)
            if rows and rows[-1].symbol == seen[-1] and len(seen) > 1 and rows[-1].verdict is None:
                rows[-1] = replace(rows[-1], verdict=read)
            else:
                notes.append(f"line {at + 1}: a verdict without its row: {_shown(line)}")
            at, blanks = last, 0
        elif symbol := _row_symbol(line):
            if symbol in seen or (symbol == SYMBOLS[0] and seen):
                break
            seen.append(symbol)
            row = _row(line, at + 1)
            if row is not None:
                rows.append(row)
            else:
                notes.append(f"line {at + 1}: a row with a damaged number: {_shown(line)}")
            last, blanks = at, 0
        else:
            break
        at += 1
    skipped += notes
    if not rows:
        if not notes:
            skipped.append(f"line {start + 1}: a header without rows")
        return None, max(last, start) + 1
    return Block(first + 1, last + 1, names, tuple(rows), not notes), last + 1


def _row_symbol(line: str) -> str:
    """The symbol if the line looks like a row, readable or not, else ""."""
    if row := _ROW.match(line):
        return row[1]
    fields = line.strip().removeprefix("\\").split()
    if not 5 <= len(fields) <= 9 or len(fields[0]) != 1 or fields[0] not in SYMBOLS:
        return ""
    numeric = sum(field.lstrip("+-.")[:1].isdigit() for field in fields[1:])
    return fields[0] if numeric >= len(fields) - 3 else ""


def _row(line: str, number: int) -> Row | None:
    match = _ROW.match(line)
    if not match:
        return None
    low, high, median, avg, stddev = (Printed(text, float(text), number) for text in match[3].split())
    return Row(number, match[1], int(match[2]), low, high, median, avg, stddev)


def _verdict(lines: list[str], at: int, match: re.Match[str], notes: list[str]) -> tuple[PrintedVerdict, int]:
    """The verdict that begins at line `at`, and its last line."""
    verdict = PrintedVerdict(at + 1, match[1] == "Difference", float(match[2]))
    last = at
    if not verdict.differs:
        return verdict, last
    rest, line = lines[at][match.end() :], at
    while line <= last + _BLANKS and verdict.pooled_s is None:
        verdict, left = _details(verdict, rest, line)
        if _DETAIL.match(left):
            notes.append(f"line {line + 1}: a verdict with a damaged number: {_shown(left)}")
            last = line
        elif len(left) < len(rest):
            last = line
        elif rest.strip() and line > at:
            break
        line += 1
        if line >= len(lines):
            break
        rest = lines[line]
    return verdict, last


def _details(verdict: PrintedVerdict, text: str, line: int) -> tuple[PrintedVerdict, str]:
    """The verdict with what a line adds (all parts, if a paste joined lines), and the rest of the line."""
    while True:
        if match := _PERCENT.match(text):
            percent, error = (Printed(match[i], float(match[i]), line + 1) for i in (1, 2))
            verdict = replace(verdict, percent=percent, percent_error=error)
        elif match := _ABSOLUTE.match(text):
            absolute, error = (Printed(match[i], float(match[i]), line + 1) for i in (1, 2))
            verdict = replace(verdict, absolute=absolute, absolute_error=error)
        elif match := _POOLED.match(text):
            verdict = replace(verdict, pooled_s=Printed(match[1], float(match[1]), line + 1))
        else:
            return verdict, text
        text = text[match.end() :]


def _names(lines: list[str], start: int, after: int) -> tuple[int, tuple[str, ...]]:
    """The first line of the block whose header is at `start`, and its names; line `after` ends the search."""
    at, first, blank = start - 1, start, False
    while at >= max(after, start - _PLOT_LINES):
        line = lines[at].strip()
        # within the frame anything goes: Debian's ministat prints stray bytes into some cells
        if _FRAME.match(line) or (line.startswith("|") and first < start):
            first, blank = at, False
        elif line or blank:
            break
        else:
            blank = True
        at -= 1
    names: dict[int, str] = {}
    while at >= after:
        match = _NAME.match(lines[at])
        if match:
            place = SYMBOLS.index(match[1])
            # read from the bottom up, the symbols are in ministat's reverse order without gaps
            if names and place != min(names) - 1:
                break
            names[place] = clean(match[2].rstrip())
            if place == 0:
                return at, tuple(names[known] for known in sorted(names))
        elif lines[at].strip() or not lines[at - 1].strip():
            break
        at -= 1
    return first, ()


def _shown(line: str) -> str:
    text = " ".join(line.split())
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")
