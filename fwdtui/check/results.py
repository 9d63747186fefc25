"""What a ministat block says of each set after the first: claims are checked against it."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from fwdtui.check.arithmetic import again
from fwdtui.check.interval import Interval
from fwdtui.check.topics import stems
from fwdtui.core.metrics import LESS, better, is_unit
from fwdtui.core.parse.ministat_block import ROW_DIGITS, VERDICT_DIGITS, Block, Printed, Row
from fwdtui.stats.figures import number

_CONFIDENCE = 95.0  # where a block prints no verdict (-n)
_COST = re.compile(
    r"(?:^|[\s.:_/])(?:latency|latencies|rtt|delays?|jitter|time|duration|elapsed|seconds?|cycles|loss|drops)"
    r"(?: ?\([^()]*\))?$",
    re.I,
)
_SURELY_A_COST = re.compile(
    r"(?<![\w-])(?:latency|latencies|rtt|jitter|cpu[ _](?:usage|load|time|cycles)|memory[ _]usage"
    r"|(?:packet|frame)[ _]loss|loss[ _]rate|(?:boot|build|compile|elapsed)[ _]time)(?![\w-])",
    re.I,
)
"""What was measured, at the end of a name or unmistakable. Elsewhere "cpu" or "drop" may say what was set."""
_RATE = re.compile(r"pps|/s|bps|packets.per.second|throughput|forward|bandwidth|inet|ipv[46]", re.I)


@dataclass(frozen=True, slots=True)
class Result:
    """One set against the first. Percentages are of the first set's average.

    `points` are the percentages that a sentence may quote: from the averages, as printed, from the medians.
    `backward` are the same with the roles swapped ("base is 2 % slower than other"). `errors` are all the ±
    in percent that a sentence may quote as ministat's.
    """

    block: Block
    base: Row
    other: Row
    points: tuple[Interval, ...]
    backward: tuple[Interval, ...]
    errors: tuple[Interval, ...]
    differs: bool | None
    confidence: float
    where: str = ""  # as a sentence says it
    of_medians: tuple[Interval, ...] = ()  # those of `points` that are from the medians
    unit: str = ""  # that the files of both sets name

    def of(self, statistic: str) -> "Result":
        """The result with the points of one statistic, "median" or "avg"; with all for any other text."""
        averages = tuple(point for point in self.points if point not in self.of_medians)
        wanted = {"median": self.of_medians, "avg": averages}.get(statistic)
        return replace(self, points=wanted) if wanted else self

    @property
    def names(self) -> tuple[str, str]:
        """The names of the first set and of this one."""
        return self.block.name(self.base), self.block.name(self.other)

    @property
    def error(self) -> float:
        """The largest ± of the difference, percent."""
        return max((abs(error).high for error in self.errors), default=0.0)

    @property
    def percent(self) -> float:
        """The difference of the averages, percent."""
        return self.points[0].middle

    @property
    def less_is_better(self) -> bool:
        """Whether less of what was measured is better: it is no rate, but a time, a cost or a loss.

        A unit that their files name, or at the end of both names as in fwdtui's own reports, decides it; else
        what both say that they measured, such as "latency".
        """
        units = {self.unit} if self.unit else {_last(name) for name in self.names}
        if len(units) == 1 and is_unit(unit := units.pop()):
            return better(unit) == LESS
        return all(map(_is_a_cost, self.names))

    @property
    def shown(self) -> str:
        decimals = 2 if abs(self.percent) >= 0.1 or not self.percent else 3
        error = abs(self.errors[-1]).middle if self.errors else 0.0
        text = f"{number(self.percent, decimals, sign=True)} % ± {number(error, decimals)} %"
        return text if self.differs else f"no difference proven, {text}"


@lru_cache(maxsize=512)  # a report asks again for every sentence, a summary for up to MOST_TABLES blocks each
def results(block: Block) -> tuple[Result, ...]:
    """A result for each set whose rows have numbers that give a percentage."""
    if not block.rows or block.rows[0].symbol != "x":
        return ()
    base = block.rows[0]
    where = f"the block at lines {block.first_line}–{block.last_line}"
    return tuple(result for row in block.rows[1:] if (result := _result(block, base, row, where)) is not None)


def between(
    base: Row, other: Row, names: tuple[str, str], unit: str = "", confidence: float = _CONFIDENCE
) -> Result | None:
    """What two sets that no block compares say of each other; None where they give no percentage."""
    first, later = (replace(row, symbol=symbol, verdict=None) for row, symbol in ((base, "x"), (other, "+")))
    where = f"{names[1]} against {names[0]}"
    result = _result(Block(0, 0, names, (first, later)), first, later, where, confidence)
    return result and replace(result, unit=unit)


def named(block: Block, text: str) -> tuple[Result, ...]:
    """The results whose sets a text names: it begins with their label, or has a word that no other set has.

    Else all of them.
    """
    every = results(block)
    return every if len(every) < 2 else labelled(block, text) or that_are_named(block, text) or every


def labelled(block: Block, text: str) -> tuple[Result, ...]:
    """The results with whose label a text begins: "r2 off: slower" in a report of our own.

    Each word of that label may be in the names of other sets, too.
    """
    return tuple(one for one in results(block) if text.startswith(f"{one.names[1].partition(':')[0]}: "))


def that_are_named(block: Block, text: str) -> tuple[Result, ...]:
    """The results of whose names a text has a word that no other set has."""
    base, *names = (stems(name.lower()) for name in names_of(block))
    said = stems(text.lower())
    return tuple(
        result
        for at, result in enumerate(results(block))
        if said & names[at].difference(base, *(names[:at] + names[at + 1 :]))
    )


def names_of(block: Block) -> list[str]:
    """The names of the first set and of those that have a result."""
    return [*map(block.name, block.rows[:1]), *(one.names[1] for one in results(block))]


@lru_cache(maxsize=256)
def _is_a_cost(name: str) -> bool:
    """Whether a name says that a time, a cost or a loss was measured, and names no rate after that."""
    if _COST.search(name):
        return True
    costs = list(_SURELY_A_COST.finditer(name))
    return bool(costs) and _RATE.search(name, costs[-1].end()) is None


def _last(name: str) -> str:
    """The last word of a name, without the brackets that it may be in: "time (s)"."""
    last = name.rpartition(" ")[2]
    return last[1:-1] if last.startswith("(") and last.endswith(")") else last


def _result(block: Block, base: Row, other: Row, where: str, unsaid: float = _CONFIDENCE) -> Result | None:
    """`unsaid`: the confidence where the block prints no verdict."""
    verdict = other.verdict
    confidence = verdict.confidence if verdict else unsaid
    rows = again(base, other, confidence)
    if rows is None or rows.percent is None or not rows.percent.finite:
        return None
    points, backward = [rows.percent], [*_change(other.avg, base.avg)]
    errors = [
        error for error in (rows.percent_error_classic, rows.percent_error_current) if error is not None
    ]
    if verdict and verdict.percent and verdict.percent_error:
        points.append(Interval.of(verdict.percent, VERDICT_DIGITS))
        errors.append(Interval.of(verdict.percent_error, VERDICT_DIGITS))
    of_medians = tuple(point for point in _change(base.median, other.median) if point.finite)
    points += of_medians
    backward += _change(other.median, base.median)
    errors = [error for error in errors if error.finite]
    return Result(
        block=block,
        base=base,
        other=other,
        points=tuple(point for point in points if point.finite),
        backward=tuple(point for point in backward if point.finite),
        errors=tuple(errors),
        differs=verdict.differs if verdict else rows.differs,
        confidence=confidence,
        where=where,
        of_medians=of_medians,
    )


def _change(base: Printed, other: Printed) -> tuple[Interval, ...]:
    """The change from base to other in percent of base; nothing where base may be zero."""
    before, after = Interval.of(base, ROW_DIGITS), Interval.of(other, ROW_DIGITS)
    if not (before.finite and after.finite) or before.holds(0.0):
        return ()
    return (((after - before) / before).scaled(100.0),)
