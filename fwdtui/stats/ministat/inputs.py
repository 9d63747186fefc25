"""What ministat is given: sets of values, options, and the version to imitate."""

from collections.abc import Sequence
from typing import NamedTuple

SYMBOLS = " x+*%#@O"
"""Indexed by set number, from 1; a plot cell is the bitwise or of the numbers of the sets that fall on it."""

MOST_SETS = len(SYMBOLS) - 1
FEWEST_VALUES = 3
DEFAULT_WIDTH = 74


class Flavour(NamedTuple):
    """How one version of ministat computes."""

    name: str
    middle_two: bool  # the median of an even number is the mean of the middle two, else the upper one
    two_pass: bool  # variance from deviations, else from sums of squares (which cancel)
    propagated: bool  # the percent error takes the baseline's own spread into account
    nan: str  # how its C library prints a NaN that the processor (amd64) made
    stdin: str  # what it calls the file "-"


FLAVOURS = {
    flavour.name: flavour
    for flavour in (
        Flavour("current", True, True, True, "nan", "-"),
        Flavour("classic", True, False, False, "nan", "<stdin>"),
        Flavour("debian", False, False, False, "-nan", "<stdin>"),
    )
}
"""FreeBSD of today; FreeBSD until the percent error was fixed in November 2016; Debian's port of 2015."""


class NamedSet(NamedTuple):
    """One set of values in file order. The name is printed as it is: clean it first."""

    name: str
    values: Sequence[float]


class MinistatOptions(NamedTuple):
    """ministat's own options; `confidence` is percent, one of tables.CONFIDENCES, `width` in characters."""

    flavour: str = "current"
    confidence: float = 95.0
    plot: bool = True  # -A: no
    relative: bool = True  # -n: no (and no plot)
    quiet: bool = False  # -q
    separate_bars: bool = False  # -s
    width: int = DEFAULT_WIDTH  # -w
