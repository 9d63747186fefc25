"""The trimming of the published netbenches results: lines of the file, and zeros."""

import pytest

from fwdtui.core.netbenches import kept, value
from fwdtui.core.parse.netmap_pktgen import IntervalLine, PktGenLog


def log(lines: int, first: int, *zeros: int) -> PktGenLog:
    """A file of so many lines, with one interval of half a second each from line `first` on."""
    intervals = tuple(
        IntervalLine(
            line, 100.0 + 0.5 * (line - first), 0.0 if line in zeros else float(line), 5, None, 500_000
        )
        for line in range(first, lines + 1)
    )
    return PktGenLog(intervals, lines=lines)


def test_fifteen_lines_of_the_file_are_dropped_before_and_ten_behind() -> None:
    rates, window = kept(log(40, 10, 20, 25))
    assert rates == [float(line) for line in range(16, 31) if line not in (20, 25)]
    assert (window.head, window.kept, window.inside, window.tail) == (6, 13, 2, 10)
    # the first interval that counts ends 3 s after the log's first and is half a second long
    assert (window.start, window.end) == (2.5, 10.0)
    assert "(6 and 10 samples)" in window.notes[0] and window.notes[1].startswith("2 zero samples")


def test_a_log_that_begins_later_is_dropped_from_its_own_begin() -> None:
    rates, window = kept(log(40, 18))
    assert (rates[0], window.head, window.start) == (18.0, 0, 0.0)
    assert len(window.notes) == 1


@pytest.mark.parametrize(("lines", "count"), [(26, 1), (25, 0), (24, 0), (16, 0), (12, 0)])
def test_of_a_short_log_nothing_is_left_and_no_line_is_dropped_twice(lines: int, count: int) -> None:
    rates, window = kept(log(lines, 1))
    assert len(rates) == count == window.kept
    assert window.head + window.kept + window.tail == lines
    assert (window.start is None) is (count == 0)


@pytest.mark.parametrize(
    ("rates", "median"),
    [
        ([], None),
        ([1.0, 2.0], 1.5),
        ([9_999_999.0, 10_000_000.0], 9_999_999.5),
        (
            [12_345_678.0, 12_345_679.0],
            12_345_678.0,
        ),  # eight digits: the half packet is lost, to the even one
        ([123_456_789.0], 123_456_790.0),
    ],
)
def test_the_value_has_ministats_eight_digits(rates: list[float], median: float | None) -> None:
    assert value(rates) == median
