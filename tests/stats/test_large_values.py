"""Millions of values give the numbers that a few give: the passes with numpy against the plain functions."""

import itertools
import math
import random
import subprocess
import sys
import tracemalloc
from array import array
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fwdtui.stats import outliers
from fwdtui.stats.blocks import blocks, exact_sum
from fwdtui.stats.caps import cap_of
from fwdtui.stats.large import digest, far_from_median, side_of
from fwdtui.stats.ministat import FLAVOURS, NamedSet, block, pair
from fwdtui.stats.order import Order
from fwdtui.stats.outliers import MOST_ITERATIONS, far, groups
from fwdtui.stats.results import ResultSet
from fwdtui.stats.values import LARGE, LargeValues, contained
from fwdtui.stats.verdict import judge

RATES = st.lists(st.floats(9e5, 1.1e6), min_size=1, max_size=60)
WHOLE = st.lists(st.integers(0, 20).map(float), min_size=1, max_size=60)
LIKELY = st.one_of(RATES, WHOLE, st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=60))
ANY = st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=20)
EXTREME = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=40)


@pytest.fixture(autouse=True)
def short_blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """So short that a few values are many blocks, with runs that are cut."""
    few = hasattr(request.function, "hypothesis")
    monkeypatch.setattr("fwdtui.stats.blocks._BLOCK", 7 if few else 997)
    monkeypatch.setattr("fwdtui.stats.order._RUN", 3)


def held(values: Sequence[float]) -> LargeValues:
    return LargeValues(array("d", values))


def both(base: Sequence[float], other: Sequence[float], **more: object) -> tuple[list, list]:
    """The same comparison of tuples, and of large values."""
    plain, big = (
        judge([("case", ResultSet("old", one, **more), ResultSet("new", two))])  # type: ignore[arg-type]
        for one, two in ((tuple(base), tuple(other)), (held(base), held(other)))
    )
    return plain, big


@settings(deadline=None, max_examples=100)
@given(base=LIKELY, other=LIKELY)
@example(base=[5.0, 5.0, 5.0, 7.0, 5.0], other=[1.0, 1.0, 1.0, 2.0, 2.0, 2.0])
@example(base=[1e9 + 0.1, 1e9 + 0.2, 1e9 + 0.3] * 4, other=[-0.0, 0.0, 1.0, 3.0])
def test_a_comparison_has_the_same_numbers_and_words(base: list[float], other: list[float]) -> None:
    plain, big = both(base, other)
    assert big[0].comparison == plain[0].comparison
    assert big[0].sentence == plain[0].sentence
    assert big[0].explanation == plain[0].explanation


@settings(deadline=None, max_examples=100)
@given(base=ANY, other=ANY)
def test_values_that_are_no_numbers_are_told_the_same(base: list[float], other: list[float]) -> None:
    plain, big = both(base, other)
    assert big[0].comparison == plain[0].comparison


@pytest.mark.parametrize("kind", ["normal", "whole", "two", "tower", "heavy", "skewed"])
@pytest.mark.parametrize("count", [MOST_ITERATIONS - 1, 5_001])
def test_thousands_of_values_are_judged_the_same(kind: str, count: int) -> None:
    plain, big = both(drawn(kind, count, 1), drawn(kind, count + 2, 2))
    assert big[0].comparison == plain[0].comparison
    assert big[0].explanation == plain[0].explanation


def drawn(kind: str, count: int, seed: int) -> list[float]:
    chance = random.Random(seed)
    draw = {
        "normal": lambda: chance.gauss(1e6, 1e4),
        "whole": lambda: float(round(chance.gauss(1e6, 50.0))),
        "two": lambda: chance.gauss(1e6 if chance.random() < 0.6 else 1.4e6, 1e4),
        "tower": lambda: 1e6 if chance.random() < 0.99 else chance.gauss(1e6, 1e5),
        "heavy": lambda: 1e6 * chance.paretovariate(1.2),
        "skewed": lambda: math.exp(chance.gauss(0.0, 30.0)),
    }[kind]
    return [draw() for _ in range(count)]


@settings(deadline=None, max_examples=150)
@given(values=EXTREME)
@example(values=[1e308, 1e308, -1e308])
@example(values=[5e-324, 1e308, -5e-324])
@example(values=[1.0, 1e-30, -1.0, 2.0**-1074])
def test_a_sum_is_exact_and_rounded_once(values: list[float]) -> None:
    scaled = [math.ldexp(value, -1024) for value in values]
    assert exact_sum(blocks(np.array(scaled)), 0) == math.fsum(scaled)


@settings(deadline=None, max_examples=100)
@given(values=st.one_of(LIKELY, EXTREME))
def test_the_order_is_that_of_sorted(values: list[float]) -> None:
    data = np.array(values)
    order, plain = Order(lambda: blocks(data), len(values)), sorted(values)
    assert [value for part in order.ascending() for value in part.tolist()] == plain
    assert [order.at(rank) for rank in range(len(values))] == plain


def test_whole_numbers_below_zero_too_come_in_order() -> None:
    data = np.round(np.array(drawn("whole", 9_000, 6)) - 1e6)
    order = Order(lambda: blocks(data), len(data))
    assert [value for part in order.ascending() for value in part.tolist()] == sorted(data.tolist())


@settings(deadline=None, max_examples=100)
@given(values=st.one_of(LIKELY, EXTREME), margin=st.sampled_from([0.0, 1.0, 5.0]))
def test_outliers_and_groups_are_the_same(values: list[float], margin: float) -> None:
    assert far(held(values), margin, 3) == far(values, margin, 3)
    assert groups(held(values), margin) == groups(values, margin)


@settings(deadline=None, max_examples=100)
@given(base=LIKELY, other=LIKELY, flavour=st.sampled_from(sorted(FLAVOURS)))
def test_ministats_numbers_are_the_same_in_every_flavour(
    base: list[float], other: list[float], flavour: str
) -> None:
    assert pair(held(base), held(other), 95.0, flavour) == pair(base, other, 95.0, flavour)


@settings(deadline=None, max_examples=100)
@given(
    values=st.lists(st.sampled_from([990.0, 996.0, 1000.0, 1005.0, 700.0]), min_size=1, max_size=30),
    line=st.sampled_from([None, 1000.0, 0.0, math.inf]),
    load=st.sampled_from([None, 700.0, 1000.0, math.nan]),
)
def test_caps_are_the_same(values: list[float], line: float | None, load: float | None) -> None:
    more = {"line_rate": line, "offered": (load,) * (len(values) - 1) + (None,)}
    for offered in (more, more | {"offered": ()}, more | {"offered": (load,)}):
        assert cap_of(ResultSet("a", held(values), **offered)) == cap_of(  # type: ignore[arg-type]
            ResultSet("a", tuple(values), **offered)  # type: ignore[arg-type]
        )


def test_whole_numbers_close_together_are_no_groups() -> None:
    """Of so many values the average gap is below 1, and the step from one whole number to the next wide."""
    values = sorted(drawn("whole", 60_000, 3))
    steps = [after - before for before, after in itertools.pairwise(values[12_000:48_000])]
    assert max(steps) > outliers.GAP_LIMIT * (values[-1] - values[0]) / len(values)
    assert groups(values, 1.0) is None
    assert groups(held(values), 1.0) is None


@pytest.mark.parametrize("count", [500, 50_000])
def test_two_modes_of_the_dut_are_told_however_many_values_there_are(count: int) -> None:
    found = groups(held(drawn("two", count, 4)), 1.0)
    assert found is not None
    assert found.low / count == pytest.approx(0.6, abs=0.1)
    assert found.below < 1.1e6 < 1.3e6 < found.above


def test_the_plot_and_text_of_ministat_are_those_of_a_tuple(monkeypatch: pytest.MonkeyPatch) -> None:
    values = drawn("whole", 500, 5)
    few = block([NamedSet("set", values)])
    monkeypatch.setattr("fwdtui.stats.ministat.vitals.BIG", 3)
    monkeypatch.setattr("fwdtui.stats.ministat.plot.BIG", 3)
    one = held(values)
    assert block([NamedSet("set", one)]) == few
    assert list(one) == values


def test_few_values_of_a_file_stay_a_tuple() -> None:
    assert contained(array("d", [1.0, 2.0])) == (1.0, 2.0)
    many = array("d", bytes(8 * LARGE))
    found = contained(many)
    assert isinstance(found, LargeValues)
    assert found.data is many


def test_equal_values_are_equal_sets() -> None:
    assert held([1.0, 2.0]) == held([1.0, 2.0]) != held([2.0, 1.0])
    assert len({held([1.0, 2.0]), held([1.0, 2.0])}) == 1


def test_describing_small_sets_needs_no_numpy() -> None:
    program = (
        "import sys; from array import array\n"
        "from fwdtui.stats import cautions, describe, pairs; from fwdtui.stats.results import ResultSet\n"
        "from fwdtui.stats.ministat import pair; from fwdtui.stats.values import contained\n"
        "one = ResultSet('a', contained(array('d', (1, 2, 3, 4, 9))))\n"
        "pairs.prepare('case', one, one); pair(one.values, one.values)\n"
        "cautions.set_cautions(one, describe.describe(one), 1.0)\n"
        "print(sorted({'numpy', 'scipy'} & {name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_score_at_the_limit_is_no_outlier_and_the_next_number_above_is() -> None:
    """0, 1, 2, 3, 4: MAD is 1, so the modified z of both ends is 2 * 0.6745."""
    values = array("d", [0, 1, 2, 3, 4])
    z = 0.6745 * 2.0
    assert far_from_median(values, 2.0, z, 0.0, 3) == (0, [])
    assert far_from_median(values, 2.0, math.nextafter(z, 0.0), 0.0, 3) == (2, [(0, z), (4, z)])
    assert far_from_median(values, 2.0, math.nextafter(z, 0.0), 0.0, 1) == (2, [(0, z)])


def test_where_most_values_are_equal_the_deviation_is_bounded_instead() -> None:
    values = array("d", [5, 5, 5, 5, 7, 5, 2])
    assert far_from_median(values, 5.0, 0.0, 2.0, 3) == (1, [(6, None)])
    assert far_from_median(values, 5.0, 0.0, 1.999, 3) == (2, [(4, None), (6, None)])


@pytest.mark.parametrize(("n", "side"), [(1, 2), (5, 2), (10, 2), (11, 3), (15, 3), (16, 4), (1000, 200)])
def test_a_group_has_a_fifth_of_the_values_and_at_least_two(n: int, side: int) -> None:
    assert side_of(n) == side


def test_the_order_is_made_of_parts_of_about_an_eighth() -> None:
    """So that no part takes more memory than that: the pivots are an eighth of a sample apart."""
    n = 1 << 16
    values = np.random.default_rng(1).permutation(n).astype(float)
    order = Order(lambda: blocks(values), n)
    parts = [len(part) for part in order.ascending() if len(part) > 1]
    assert len(parts) == 8 and all(0.7 * n / 8 < part < 1.3 * n / 8 for part in parts)
    assert [order.at(rank) for rank in (0, 1, n // 2, n - 1)] == [0.0, 1.0, n / 2, n - 1.0]


def test_a_digest_takes_less_than_a_quarter_of_the_memory_of_the_values() -> None:
    """An eighth is in order at a time. With the one before it still there, two million values took 0.29."""
    data = array("d", np.random.default_rng(2).normal(1e7, 1e5, 1 << 21))
    tracemalloc.start()
    try:
        digest(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * len(data) / 4
