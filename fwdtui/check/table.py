"""A ministat block against itself: do its verdicts follow from its rows, and can its rows be true at all?

No tolerance is chosen: each printed number stands for every number that prints like it, and a finding is
made only if no number of one side agrees with any of the other.
"""

import sys
from collections.abc import Iterator

from fwdtui.check.arithmetic import Again, again
from fwdtui.check.interval import Interval
from fwdtui.core.parse.ministat_block import ROW_DIGITS, VERDICT_DIGITS, Block, Printed, PrintedVerdict, Row
from fwdtui.core.units import counted

_SUBNORMAL = 1e-290
_LEAST = 3  # values of a set (ministat.c, ReadSet)

Fault = tuple[int, str]
"""A line number and why that line cannot be right."""


def check_block(block: Block) -> Iterator[Fault]:
    """Every contradiction within one block."""
    for row in block.rows:
        yield from _check_row(row)
    if not block.rows or block.rows[0].symbol != "x":
        return
    base = block.rows[0]
    for row in block.rows[1:]:
        if row.verdict is not None:
            result = again(base, row, row.verdict.confidence)
            if result is not None:
                yield from _check_verdict(row, row.verdict, result)


def _check_verdict(row: Row, verdict: PrintedVerdict, rows: Again) -> Iterator[Fault]:
    level = f"{verdict.confidence:g} %"
    if rows.differs is not None and rows.differs != verdict.differs:
        says = "a difference" if verdict.differs else "no difference proven"
        proof = "prove a difference: {} is" if rows.differs else "prove none: {} is not"
        yield (
            verdict.line,
            f"the verdict on {row.symbol!r} is {says} at {level}, but the rows "
            f"{proof.format(_shown(abs(rows.difference)))} beyond the error of {_shown(rows.error)}",
        )
    yield from _check_number("the difference", verdict.absolute, [rows.difference])
    yield from _check_number("the error", verdict.absolute_error, [rows.error])
    if rows.percent and rows.percent_error_classic and rows.percent_error_current:
        yield from _check_number("the difference in percent", verdict.percent, [rows.percent])
        yield from _check_number(
            "the error in percent",
            verdict.percent_error,
            [rows.percent_error_current, rows.percent_error_classic],
        )
    yield from _check_number("the pooled s", verdict.pooled_s, [rows.pooled_s])


def _check_number(name: str, printed: Printed | None, wanted: list[Interval]) -> Iterator[Fault]:
    if printed is None or not all(interval.finite for interval in wanted):
        return
    stands_for = Interval.of(printed, VERDICT_DIGITS)
    if not any(stands_for.meets(interval) for interval in wanted):
        options = " or ".join(dict.fromkeys(_shown(interval) for interval in wanted))
        yield printed.line, f"{name} is printed as {printed.text}, but the rows give {options}"


def _check_row(row: Row) -> Iterator[Fault]:
    if row.n < _LEAST:
        yield (
            row.line,
            f"the row of {row.symbol!r} is of {counted(row.n, 'value')}, but ministat refuses fewer than "
            f"{_LEAST}",
        )
        return
    parts = (row.min, row.max, row.median, row.avg, row.stddev)
    low, high, median, average, spread = (Interval.of(part, ROW_DIGITS) for part in parts)
    where = f"of {row.symbol!r}"
    if low.low > high.high:
        yield row.line, f"the minimum {where}, {row.min.text}, is above its maximum, {row.max.text}"
        return
    for name, part, value in (("median", row.median, median), ("average", row.avg, average)):
        if value.high < low.low or value.low > high.high:
            yield row.line, f"the {name} {where}, {part.text}, is not between its minimum and its maximum"
            return
    if not all(value.finite for value in (low, high, median, average)):
        return
    if max(abs(low.low), abs(high.high)) < _SUBNORMAL:
        return  # doubles lose their digits here, and what was printed is no longer what was computed
    possible = _possible_average(row.n, low, median, high)
    if not possible.finite:
        return  # sums beyond what a double holds
    if not average.meets(possible):
        yield (
            row.line,
            f"the average {where}, {row.avg.text}, is impossible: {row.n} values with this minimum, median "
            f"and maximum have one between {possible.low:.8g} and {possible.high:.8g}",
        )
    elif spread.finite:
        if spread.high < 0.0:
            yield row.line, f"the standard deviation {where}, {row.stddev.text}, is negative"
            return
        bounds = _possible_spread(row.n, low, high, average)
        if bounds.finite and not spread.meets(bounds):
            yield (
                row.line,
                f"the standard deviation {where}, {row.stddev.text}, is impossible: {row.n} values with this "
                f"minimum, maximum and average have one between {bounds.low:.8g} and {bounds.high:.8g}",
            )


def _possible_average(n: int, low: Interval, median: Interval, high: Interval) -> Interval:
    """Averages of n values with these extremes: half of the values lie on either side of the median.

    Of an even n, the median may be the mean of the two middle values or the upper one (Debian's ministat).
    """
    half = (n - 1) // 2  # values surely on each side of the middle one, or of the middle two
    if n % 2:
        least = half * low.low + half * median.low + high.low
        most = low.high + half * median.high + half * high.high
    else:
        middle_two = half * low.low + (half + 1) * median.low + high.low
        upper_one = (half + 1) * low.low + half * median.low + high.low
        least = min(middle_two, upper_one)
        most = low.high + (half + 1) * median.high + half * high.high
    return Interval(least / n, most / n).wider(0.0)


def _possible_spread(n: int, low: Interval, high: Interval, average: Interval) -> Interval:
    """Standard deviations of n values with these extremes and this average.

    At most n/(n-1) (high - A)(A - low) (Bhatia & Davis 2000), at least that of the two extremes with all
    others equal. Debian's one-pass variance loses digits where the spread is small beside the values, hence
    the last term.
    """
    above, below = high - average, average - low
    most = max(above.high, 0.0) * max(below.high, 0.0) * n / (n - 1)
    # products, not powers: those of large numbers are infinite where ** raises OverflowError
    least = max(above.low, 0.0) * max(above.low, 0.0) + max(below.low, 0.0) * max(below.low, 0.0)
    apart = abs(above - below).low  # the others must bring the sum of all deviations back to zero
    least += apart * apart / (n - 2)
    size = max(abs(low).high, abs(high).high)
    lost = 4.0 * sys.float_info.epsilon * n * n * size * size / (n - 1)
    return Interval(max(least / (n - 1) - lost, 0.0), most + lost).root()


def _shown(interval: Interval) -> str:
    return f"{interval.middle:.6g}"
