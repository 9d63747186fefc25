"""What goes into a comparison and what comes out: the contract's JSON is these structs, field by field."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from fwdtui.core.factors import FactorValue
from fwdtui.core.metrics import MORE
from fwdtui.core.model import Caution

EXCLUDED = "iteration-excluded"
"""The code of the warning about iterations that have no value to count."""
VERDICTS = ("faster", "slower", "equivalent", "inconclusive", "capped")


ITERATION, BOOT, BLOCK = "iteration", "boot", "block"
"""What one value of the tests is: an iteration, or the mean of the iterations of a boot or of a block."""


class Attempt(NamedTuple):
    """One attempt of an experiment's trial, whether it counts or not; `began` in seconds since 1970."""

    began: float
    block: int
    trial: int


class Placed(msgspec.Struct, frozen=True):
    """Where the values of a set are in an experiment (core/experiment/model.py), and when each began.

    `attempts`: all of the session, other cells' too: they say what was measured between two values.
    """

    experiment: str
    order: str  # one of core.experiment.ORDERS
    blocks: tuple[int, ...]  # the block of each value, from 1
    looks: tuple[int, ...] = ()  # after how many blocks the data are looked at, the end too; empty: only then
    over: int = 0  # blocks that are over, trials that were given up included; 0: not known
    began: tuple[float, ...] = ()  # when each value was measured, as in `attempts`; empty: not known
    attempts: tuple[Attempt, ...] = ()


class ResultSet(msgspec.Struct, frozen=True):
    """The values of one side of one case: one value per iteration, in the order they were measured.

    `offered` is the offered load of each iteration (same length as `values`, None where unknown), or empty.
    `values` is a tuple, or a values.LargeValues for files with very many values.
    `cautions` are warnings that the iterations themselves carry (in-run variation, ended early ...).
    """

    label: str
    values: Sequence[float]
    offered: Sequence[float | None] = ()
    line_rate: float | None = None  # pps, where the lab says so
    cautions: tuple[Caution, ...] = ()
    boots: tuple[str | None, ...] = ()  # the DUT's boot of each iteration (as `offered`), or empty: unknown
    excluded: tuple[str, ...] = ()  # iterations left out of the statistics: which and why, a sentence each
    unit: str = ""  # of the values; "": a file that names none
    factors: Mapping[str, FactorValue | None] = {}  # of all its iterations; None: not known
    unlike: str = ""  # why a verdict on it against the baseline would mean nothing; "": it may mean something
    placed: Placed | None = None  # None: not all its values belong to one experiment


class Description(msgspec.Struct, frozen=True):
    """One set: numbers in the unit of the values. stddev is the sample standard deviation (n - 1)."""

    label: str
    n: int
    min: float | None
    max: float | None
    median: float | None
    mean: float | None
    stddev: float | None


class Difference(msgspec.Struct, frozen=True):
    """other - base. Percent is of the base's mean. Intervals are two-sided at `confidence` percent."""

    absolute: float | None
    percent: float | None
    ci_absolute: tuple[float, float] | None
    ci_percent: tuple[float, float] | None
    confidence: float
    p: float | None
    p_adjusted: float | None
    method: str
    family: int = 1  # comparisons that share the error rate: what p_adjusted allows for, the intervals do not


class MinistatResult(msgspec.Struct, frozen=True):
    """The same pair as ministat's current flavour decides it (pooled Student's t)."""

    differs: bool | None
    absolute: float | None
    error: float | None
    percent: float | None
    percent_error: float | None
    pooled_s: float | None


class NotSlower(msgspec.Struct, frozen=True):
    """The one-sided test that a loss as large as the margin is ruled out (non-inferiority).

    `p` and `p_adjusted` (Holm over everything shown) are None where no test is possible; `proven` is then
    False and `why_not` says why. They are None and False too where the base's values are lower bounds: a
    faster base would have made a loss of any size.
    """

    proven: bool = False
    p: float | None = None
    p_adjusted: float | None = None
    why_not: str | None = None  # a clause; None where it is proven


class Plan(msgspec.Struct, frozen=True):
    """Iterations per set that decide at the margin with 80 % power: a difference as large, or equality.

    `low` to `high` contains the true need eight times in ten: the spread is known only from the sample.
    """

    needed: int
    low: int
    high: int


class Look(msgspec.Struct, frozen=True):
    """One look at the data of an experiment. `confidence` is in percent."""

    number: int  # of this look, from 1; 0: before the first
    planned: int
    blocks: int  # that were complete
    confidence: float  # at which it claims something
    on_time: bool = True  # False: it is none of the planned ones, and the error rate is not kept


class Analysis(msgspec.Struct, frozen=True):
    """What the tests compared: values that are iterations, or means of the iterations of a boot or block.

    `paired`: the logarithms of the two values of each block were compared (docs/statistics.md). `base` and
    `other` have the number of iterations in each value, in their order; the test has one value for each. They
    are empty where values are iterations.
    """

    unit: str = ITERATION  # or BOOT, BLOCK
    paired: bool = False
    rebooted: bool = False  # no two values of a side come from the same boot
    base: tuple[int, ...] = ()
    other: tuple[int, ...] = ()
    order: str | None = None  # of the experiment that both sides belong to; None: there is none
    left_out: tuple[int, ...] = ()  # blocks that only one side has, or not measured together (sittings.py)
    to_decide: Plan | None = None  # as Comparison.to_decide, in `unit`s, which may be several iterations
    look: Look | None = None  # of the planned ones; None: none were planned
    text: str = ""  # all of it in words; "": each value is an iteration, and nothing is paired


class Factors(msgspec.Struct, frozen=True):
    """The factors of both sets; a plain value file has none."""

    base: Mapping[str, FactorValue | None] = {}
    other: Mapping[str, FactorValue | None] = {}


class Comparison(msgspec.Struct, frozen=True):
    """One case of one candidate against the baseline."""

    case: str
    base: Description
    other: Description
    difference: Difference
    ministat: MinistatResult
    verdict: str  # one of VERDICTS
    margin_percent: float
    detectable_percent: float | None  # the difference that this n finds with 80 % power
    iterations_needed: int | None  # per set, to find a difference as large as the margin with 80 % power
    warnings: tuple[Caution, ...]
    not_slower: NotSlower = NotSlower()
    to_decide: Plan | None = None  # None: no number of iterations decides, or none can be computed
    cannot_say: str | None = None  # why no verdict is possible, a sentence; None where one is
    unit: str | None = None  # of all values; None: no side names one
    better: str = MORE  # or LESS: "faster" is then a smaller value
    factors: Factors = Factors()
    analysis: Analysis = Analysis()
    metric: str | None = None  # what the values are, if not the rate: "cpu-per-packet"


class Judged(msgspec.Struct, frozen=True):
    """A comparison and what people need with it: the raw sets, one sentence, and how it came about."""

    comparison: Comparison
    base: ResultSet
    other: ResultSet
    sentence: str  # the verdict in words: "improved by 1.77 % ± 1.42 %"
    explanation: Sequence[str]  # how the verdict came about, a line each, for --explain


DEPENDS, SAME, INCONCLUSIVE = "depends", "same", "inconclusive"
"""The verdicts on an interaction."""


class Interaction(msgspec.Struct, frozen=True):
    """Whether the effect of what is compared depends on another factor: the ratio of two ratios of means.

    `effects_percent` are the effects at the first and the second of `levels`: those of the comparisons of
    `cases`, unless `sentence` says what else they are. `within` are the levels of all other factors. `ratio`
    is the second ratio over the first: 1 if the effects are equal.
    """

    by: tuple[str, ...]  # the factors that are compared
    base: str  # labels
    other: str
    factor: str
    levels: tuple[str, str]  # of `factor`, as shown
    within: Mapping[str, FactorValue | None]
    case: str  # the name of `within`; "" if there are no other factors
    cases: tuple[str, str]
    effects_percent: tuple[float | None, float | None]
    ratio: float | None
    ci_ratio: tuple[float, float] | None
    confidence: float
    p: float | None
    p_adjusted: float | None  # by Holm, over everything shown
    method: str
    family: int
    verdict: str  # DEPENDS, SAME or INCONCLUSIVE
    margin_percent: float
    sentence: str
    cannot_say: str | None = None  # why no verdict is possible, a sentence; None where one is
    marked_by: tuple[str, ...] = ()  # warnings on the two comparisons that bear on the verdict
