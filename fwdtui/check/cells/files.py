"""Value files as data that cells and blocks are checked against."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from statistics import median

from fwdtui.check.cells.candidates import Candidate, Pool, telling
from fwdtui.check.cells.labels import BASE, LATER, path_words
from fwdtui.check.findings import Source
from fwdtui.check.interval import Interval
from fwdtui.check.results import Result, between
from fwdtui.core.parse.ministat_block import ROW_DIGITS, Block, Printed, Row
from fwdtui.stats.moments import moments
from fwdtui.store.value_folder import NamedValues, ValueFolder

_NUMBER = re.compile(r"[0-9]+")
_SPREAD_SLACK = 1e-5  # of a standard deviation: Debian's ministat computes it in one pass


@dataclass(frozen=True, slots=True)
class Data:
    """Value files and where they are.

    `folder`: as the user named it. `parts`: the names of the folders down to it, from the root. `report`: the
    report's own folder below it ("" is the folder itself), None where the report lies elsewhere.
    """

    folder: str
    files: Sequence[NamedValues]
    parts: tuple[str, ...] = ()
    report: str | None = None
    pool: Pool = field(default_factory=lambda: Pool(()))
    by_name: Mapping[str, Sequence[Candidate]] = field(default_factory=dict)  # the last part of the path


def data_of(values: ValueFolder, folder: str, parts: tuple[str, ...], report: str | None) -> Data:
    """Value files, ready for cells to be checked against them."""
    candidates = [_candidate(file, folder) for file in values.files]
    by_name: dict[str, list[Candidate]] = {}
    for one in candidates:
        by_name.setdefault(one.name.rpartition("/")[2], []).append(one)
    return Data(folder, values.files, parts, report, Pool(candidates), by_name)


def _candidate(file: NamedValues, folder: str) -> Candidate:
    words = path_words(file.path)
    inside = file.path.rpartition("/")[0]
    source = Source(f"{folder}/{file.path}", None, None)
    return Candidate(
        file.path, file.path, source, words, words, telling(words), _row(file), folder=inside, unit=file.unit
    )


def _row(file: NamedValues) -> Row:
    of_values = moments(file.values)
    low, high, middle = min(file.values), max(file.values), float(median(file.values))
    numbers = (low, high, middle, of_values.mean, math.sqrt(of_values.variance))
    least, most, mid, average, spread = (Printed(f"{one:.12g}", one, 0) for one in numbers)
    return Row(0, "x", len(file.values), least, most, mid, average, spread)


def compared(base: Candidate, other: Candidate) -> Result | str:
    """The comparison of two value files, or why there is none."""
    if base.unit != other.unit:
        units = " and ".join(f"in {one.unit}" if one.unit else "without a unit" for one in (base, other))
        return f"the two value files are {units}"
    result = None
    if base.row is not None and other.row is not None:
        result = between(base.row, other.row, (base.where, other.where), base.unit)
    return result or "the two value files cannot be compared: too few values, or an average of zero"


def in_order(first: Candidate, second: Candidate) -> tuple[Candidate, Candidate] | None:
    """Two value files, the base first, if their names say which one it is; else None.

    The base is "off" of a switch, "before", or "r1" beside "r1-D1".
    """
    for base, other in ((first, second), (second, first)):
        more, less = other.own - base.own, base.own - other.own
        if ("off" in less and "on" in more) or (less & BASE and not more & BASE):
            return base, other
        if (more & LATER and not less & LATER) or (more and not less):
            return base, other
    return None


def by_spelling(first: Candidate, second: Candidate) -> tuple[Candidate, Candidate] | None:
    """Two value files that differ in one word, in the order of these: "r1" and "r2", "r1" and "r1D1".

    None if it is not a number in the word, or what is appended to it, that differs.
    """
    one, two = sorted(first.own - second.own), sorted(second.own - first.own)
    if len(one) != 1 or len(two) != 1:
        return None
    for (base, word), (other, longer) in permutations(((first, one[0]), (second, two[0]))):
        same = _NUMBER.sub("0", word) == _NUMBER.sub("0", longer)
        if longer.startswith(word) or (same and _numbers(word) < _numbers(longer)):
            return base, other
    return None


def _numbers(word: str) -> list[int]:
    return [*map(int, _NUMBER.findall(word))]


def named_by(data: Data, name: str) -> Candidate | None:
    """The one value file that the name of a set points to, as "pre-patch fbsd16/off.inet4.pps" does.

    The end of its path has to be in the name; of several, the one in the report's own folder is meant.
    """
    last = name.split()[-1].strip("()[],;:'\"`") if name.split() else ""
    return at_path(data, last)


def at_path(data: Data, path: str) -> Candidate | None:
    """The one value file whose path ends in this one; see `named_by`."""
    wanted = tuple(part for part in path.split("/") if part not in ("", "."))
    if not wanted or ".." in wanted:
        return None
    fitting = [
        one
        for one in data.by_name.get(wanted[-1], ())
        if (*data.parts, *one.name.split("/"))[-len(wanted) :] == wanted
    ]
    if len(fitting) > 1 and data.report is not None:
        fitting = [one for one in fitting if one.name == "/".join(filter(None, (data.report, *wanted)))]
    return fitting[0] if len(fitting) == 1 else None


def against_files(
    data: Data, block: Block, linked: Callable[[Block, Row], Candidate | None]
) -> Iterator[tuple[int, str, str, Source]]:
    """The rows of a block that differ from the value file that they name, or that a link gives (`linked`).

    Each is (line, what the row says, what the file has, where the file is).
    """
    for row in block.rows:
        file = named_by(data, block.name(row)) or linked(block, row)
        if file is None or file.row is None:
            continue
        told = [
            (name, mine, theirs)
            for name, mine, theirs in _pairs(row, file.row)
            if not Interval.of(mine, ROW_DIGITS).wider(_slack(name, theirs)).holds(theirs.value)
        ]
        if row.n != file.row.n:
            told.insert(0, ("number of values", _count(row), _count(file.row)))
        if told:
            says, has = (", ".join(f"{name} {pair[at].text}" for name, *pair in told) for at in (0, 1))
            yield row.line, says, f"{file.where} has {has}", file.source


def _pairs(row: Row, other: Row) -> Iterator[tuple[str, Printed, Printed]]:
    for name, part in (
        ("minimum", "min"), ("maximum", "max"), ("average", "avg"), ("standard deviation", "stddev"),
    ):  # fmt: skip
        yield name, getattr(row, part), getattr(other, part)
    if row.n % 2:  # of an even number Debian's ministat takes the upper of the two in the middle
        yield "median", row.median, other.median


def _slack(name: str, theirs: Printed) -> float:
    return _SPREAD_SLACK * abs(theirs.value) if name == "standard deviation" else 0.0


def _count(row: Row) -> Printed:
    return Printed(str(row.n), float(row.n), row.line)
