"""Counts how often the verdicts err: the promises of docs/statistics.md beside the results of seeded draws.

    python benchmarks/error_rates.py [--draws 20000] [--seed 1] [--table families] ...

Every number comes from the functions that the product runs. A row without a promise is a known limit: data
that no test of two means is made for. Takes half an hour at full length, minutes with 2000 draws.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from fwdtui.stats.cautions import set_cautions, unequal_spread
from fwdtui.stats.describe import describe
from fwdtui.stats.gate import Gate, gate
from fwdtui.stats.interaction import RatioOfRatios, Square, ratio_of_ratios
from fwdtui.stats.moments import Moments
from fwdtui.stats.moments import moments as moments_of_one
from fwdtui.stats.pair_cautions import pair_cautions
from fwdtui.stats.power import TOO_MANY, iterations_needed, to_decide
from fwdtui.stats.ratio import percent_interval
from fwdtui.stats.results import ResultSet
from fwdtui.stats.same_data import same_data

ALPHA, MARGIN, MEAN = 0.05, 0.01, 1e6
SD = 5e3  # half of the margin: quiet enough that equivalence is decided at ten iterations
Values = np.ndarray
Draw = Callable[[np.random.Generator, int, int], Values]  # (rng, sets, n) -> sets x n; mean 0, SD about 1


class Row(NamedTuple):
    """A counted rate, and what the documentation promises for it (None: a known limit)."""

    what: str
    rate: float
    draws: int
    most: float | None = None
    least: float | None = None

    @property
    def kept(self) -> bool:
        """Whether the promise is kept, allowing for three standard errors of the count."""
        error = 3.0 * (max(self.rate * (1.0 - self.rate), 1e-9) / self.draws) ** 0.5
        above = self.most is not None and self.rate - error > self.most
        below = self.least is not None and self.rate + error < self.least
        return not (above or below)


def moments(values: Values) -> Moments:
    return Moments(values.shape[-1], values.mean(axis=-1), values.var(axis=-1, ddof=1))


def claims(base: Values, other: Values, alpha: float = ALPHA) -> Gate:
    return gate(moments(base), moments(other), MARGIN, alpha)


# --- data


def normal(rng: np.random.Generator, sets: int, n: int) -> Values:
    return rng.normal(size=(sets, n))


def lognormal(rng: np.random.Generator, sets: int, n: int) -> Values:
    mean, sd = np.exp(0.5), np.sqrt((np.e - 1.0) * np.e)
    return (rng.lognormal(size=(sets, n)) - mean) / sd


def two_modes(rng: np.random.Generator, sets: int, n: int) -> Values:
    return np.where(rng.random((sets, n)) < 0.5, -1.0, 1.0) + 0.1 * rng.normal(size=(sets, n))


def outlying(rng: np.random.Generator, sets: int, n: int) -> Values:
    return rng.normal(size=(sets, n)) * np.where(rng.random((sets, n)) < 0.1, 10.0, 1.0) / 3.3


def autocorrelated(rho: float) -> Draw:
    def draw(rng: np.random.Generator, sets: int, n: int) -> Values:
        noise, found = rng.normal(size=(sets, n)), np.empty((sets, n))
        found[:, 0] = noise[:, 0]
        for at in range(1, n):
            found[:, at] = rho * found[:, at - 1] + np.sqrt(1.0 - rho * rho) * noise[:, at]
        return found

    return draw


def one_boot(rng: np.random.Generator, sets: int, n: int) -> Values:
    return rng.normal(size=(sets, n)) + rng.normal(size=(sets, 1))


DATA: dict[str, tuple[Draw, float, bool]] = {  # draw, spread of the base : other, whether promised
    "normal": (normal, 1.0, True),
    "normal, SD 5:1": (normal, 5.0, False),
    "lognormal, sigma 1": (lognormal, 1.0, False),
    "two modes": (two_modes, 1.0, False),
    "10 % outliers of 10 SD": (outlying, 1.0, False),
    "AR(1), rho 0.3": (autocorrelated(0.3), 1.0, False),
    "AR(1), rho 0.6": (autocorrelated(0.6), 1.0, False),
    "one boot a set, boot SD = within SD": (one_boot, 1.0, False),
}


# --- tables


def single(rng: np.random.Generator, draws: int) -> Iterator[Row]:
    """One comparison: false differences, coverage of the interval, false equivalence at the margin."""
    for name, (draw, ratio, promised) in DATA.items():
        for n in (3, 5, 10):
            base = MEAN + ratio * SD * draw(rng, draws, n)[:, None]
            other = MEAN + SD * draw(rng, draws, n)[:, None]
            found = claims(base, other)
            most = ALPHA if promised else None
            where = f"{name}, n = {n}"
            yield Row(f"{where}: difference claimed", float(found.different.mean()), draws, most)
            low, high = percent_interval(moments(base), moments(other), ALPHA)
            covered = (low <= 0.0) & (high >= 0.0)
            yield Row(
                f"{where}: interval holds", float(covered.mean()), draws, None, 0.95 if promised else None
            )
            at_margin = claims(base, other + MARGIN * MEAN)
            yield Row(f"{where}: equal at the margin", float(at_margin.equivalent.mean()), draws, most)


SIZES = ((5, 5), (10, 10), (5, 20), (3, 10), (3, 20), (5, 50), (20, 5), (8, 10))


def families(rng: np.random.Generator, draws: int) -> Iterator[Row]:
    """A report of many cases: any false claim, for different sizes of the sets."""
    for cases in (7, 30):
        some = max(draws * 7 // cases // 4, 200)
        for n1, n2 in SIZES:
            for ratio in (1.0, 2.0, 5.0):
                base = MEAN + ratio * SD * rng.normal(size=(some, cases, n1))
                other = MEAN + SD * rng.normal(size=(some, cases, n2))
                where = f"{cases} cases, {n1}/{n2}, SD {ratio:g}:1"
                most = ALPHA if ratio == 1.0 else None
                any_of = claims(base, other).different.any(axis=-1)
                yield Row(f"{where}: any false difference", float(any_of.mean()), some, most)
                if ratio > 1.0:
                    continue
                lost = claims(base, other - MARGIN * MEAN)
                yield Row(
                    f"{where}: any false equivalence", float(lost.equivalent.any(axis=-1).mean()), some, most
                )
                yield Row(
                    f"{where}: any false not-slower", float(lost.not_slower.any(axis=-1).mean()), some, most
                )


def together(rng: np.random.Generator, draws: int) -> Iterator[Row]:
    """Differences and equivalence are two families: any false claim of either, at the worst mixture."""
    for n1, n2 in ((5, 5), (10, 10), (5, 20)):
        worst, at = 0.0, 0
        for null in range(8):
            shift = np.where(np.arange(7) < null, 0.0, MARGIN * MEAN)
            base = MEAN + 0.4 * SD * rng.normal(size=(draws, 7, n1))
            found = claims(base, MEAN + shift[:, None] + 0.4 * SD * rng.normal(size=(draws, 7, n2)))
            wrong = (found.different & (shift == 0.0)) | (found.equivalent & (shift > 0.0))
            rate = float(wrong.any(axis=-1).mean())
            worst, at = max((worst, at), (rate, null))
        what = (
            f"7 cases, {n1}/{n2}, {at} without and {7 - at} with a difference of the margin: any false claim"
        )
        yield Row(what, worst, draws, 2 * ALPHA)


def topping(rng: np.random.Generator, draws: int) -> Iterator[Row]:
    """A second look after adding iterations as advised: at 5 % twice, and planned at 1 % and 4 %."""
    some = max(draws // 5, 100)
    for spread in (0.01, 0.02, 0.05):
        for first, second, most in ((0.05, 0.05, None), (0.01, 0.04, 0.055)):
            different = equal = 0
            for shift in (0.0, MARGIN * MEAN):
                base = MEAN + spread * MEAN * rng.normal(size=(some, 1, 5))
                other = MEAN + shift + spread * MEAN * rng.normal(size=(some, 1, 5))
                found = claims(base, other, first)
                decided = (found.different | found.equivalent)[:, 0]
                wrong = (found.equivalent if shift else found.different)[:, 0]
                count = int(wrong.sum())
                for at in np.flatnonzero(~decided):
                    count += _second_look(rng, base[at, 0], other[at, 0], shift, spread, first, second)
                if shift:
                    equal = count
                else:
                    different = count
            looks = f"spread {100 * spread:g} %, looks at {100 * first:g} and {100 * second:g} %"
            yield Row(f"{looks}: false difference", different / some, some, most)
            yield Row(f"{looks}: false equivalence at the margin", equal / some, some, most)


def _second_look(
    rng: np.random.Generator,
    base: Values,
    other: Values,
    shift: float,
    spread: float,
    first: float,
    second: float,
) -> bool:
    sides = [moments_of_one(side.tolist()) for side in (base, other)]
    absolute = MARGIN * sides[0].mean
    needed = iterations_needed(absolute, *sides, first)
    plan = None if needed is None else to_decide(needed, absolute, *sides, first)
    if plan is None or plan[0] > TOO_MANY or plan[0] <= len(base):
        return False
    more = max(plan[0], 5) - len(base)
    base = np.append(base, MEAN + spread * MEAN * rng.normal(size=more))
    other = np.append(other, MEAN + shift + spread * MEAN * rng.normal(size=more))
    found = claims(base[None, None], other[None, None], second)
    return bool((found.equivalent if shift else found.different).any())


CV = SD / MEAN
CORNERS = ((3, 20, 20, 3), (3, 20, 20, 20), (3, 3, 20, 20), (5, 20, 5, 20), (8, 10, 10, 8), (3, 10, 10, 10))


def squares(
    rng: np.random.Generator,
    draws: int,
    sizes: Sequence[int],
    spreads: Sequence[float],
    ratio: float = 1.0,
    draw: Draw = normal,
) -> RatioOfRatios:
    """Four sets with a loss of 45 % at the first level. `spreads`: SD over mean; `ratio`: of the ratios."""
    means = (MEAN, 0.55 * MEAN, MEAN, 0.55 * MEAN * ratio)
    corners = zip(means, sizes, spreads, strict=True)
    sets = [moments(mean * (1.0 + spread * draw(rng, draws, n))) for mean, n, spread in corners]
    return ratio_of_ratios(Square(*sets))


def interaction(rng: np.random.Generator, draws: int) -> Iterator[Row]:
    """Ratios of ratios: claimed without an interaction, coverage, called the same at the margin."""

    def rows(where: str, promised: bool, **more: Any) -> Iterator[Row]:
        most, least = (ALPHA, 1.0 - ALPHA) if promised else (None, None)
        found = squares(rng, draws, **more)
        yield Row(f"{where}: it depends, claimed", float((found.p() < ALPHA).mean()), draws, most)
        low, high = found.interval(ALPHA)
        holds = float(((low <= 0.0) & (high >= 0.0)).mean())
        yield Row(f"{where}: interval holds", holds, draws, None, least)
        same = squares(rng, draws, ratio=1.0 + MARGIN, **more).same_p(MARGIN) < ALPHA
        yield Row(f"{where}: the same at the margin", float(same.mean()), draws, most)

    for name, (draw, odd, promised) in DATA.items():
        for n in (3, 5, 10):
            spreads = (odd * CV, CV, CV, CV)
            yield from rows(f"{name}, n = {n}", promised, sizes=(n,) * 4, spreads=spreads, draw=draw)
    for sizes in CORNERS:
        where = "/".join(map(str, sizes))
        yield from rows(where, True, sizes=sizes, spreads=(CV,) * 4)
    for spread in (0.05, 0.2):
        where = f"normal, n = 5, spread {100 * spread:g} %"
        yield from rows(where, spread < 0.1, sizes=(5,) * 4, spreads=(spread,) * 4)
    for n in (3, 5, 10):
        yield from _of_a_report(rng, max(draws // 2, 200), n)


PLACES = ((0, 2), (1, 3), (0, 1), (2, 3))  # the crossed pairs among the four comparisons of a 2x2x2


def _of_a_report(rng: np.random.Generator, draws: int, n: int) -> Iterator[Row]:
    """Four comparisons and their four interactions, which share the error rate."""
    for what, change in (("without a difference", 1.0), ("with a loss of 45 % each", 0.55)):
        sides = [mean * (1.0 + CV * rng.normal(size=(draws, 4, n))) for mean in (MEAN, change * MEAN)]
        base, other = map(moments, sides)
        corners = [moments(side[:, list(of), :]) for of in zip(*PLACES, strict=True) for side in sides]
        found = gate(base, other, MARGIN, ALPHA, interactions=ratio_of_ratios(Square(*corners)))
        assert found.interactions is not None
        wrong = found.interactions.depends.any(axis=-1)
        if change == 1.0:
            wrong |= found.different.any(axis=-1)
        where = f"4 comparisons {what} and 4 interactions, n = {n}"
        yield Row(f"{where}: any false claim", float(wrong.mean()), draws, ALPHA)


CLEAN = {"few-iterations", "tiny-set", "unequal-n"}  # about the number of values, not about the values


def warnings(rng: np.random.Generator, draws: int) -> Iterator[Row]:
    """Clean, normal data: each kind of warning, all of them, and any in a report of thirty cases."""
    for shown in (1, 30):
        for n in (3, 4, 5, 6, 7, 8, 10, 15, 20, 30, 50):
            pairs = max(draws // (2 if n <= 15 else 8), 200)
            counted: dict[str, int] = {}
            some = 0
            for values in (MEAN + SD * rng.normal(size=(pairs, 2, n))).tolist():
                base, other = (ResultSet(name, tuple(side)) for name, side in zip("ab", values, strict=True))
                ends = describe(base), describe(other)
                told = set_cautions(base, ends[0], 1.0, shown) + set_cautions(other, ends[1], 1.0, shown)
                told += unequal_spread(*ends, shown) + pair_cautions(base, other, shown)
                codes = {one.code for one in told} - CLEAN
                some += bool(codes)
                for code in codes:
                    counted[code] = counted.get(code, 0) + 1
            if shown == 1:
                for code, count in sorted(counted.items()):
                    yield Row(f"n = {n}: {code}", count / pairs, pairs, 0.01)
                yield Row(f"n = {n}: any warning", some / pairs, pairs, 0.05)
            else:
                reports = pairs // shown
                rate = 1.0 - (1.0 - some / pairs) ** shown
                yield Row(f"n = {n}: any warning in a report of {shown}", rate, reports, 0.05)


def three_digits(values: Values) -> Values:
    step = 10.0 ** (np.floor(np.log10(np.abs(values))) - 2)
    return np.round(values / step) * step


WRITTEN: dict[str, Callable[[Values], Values]] = {  # what makes values of different measurements equal
    "1 pps": np.round,
    "SD of 2 pps, to 1 pps": lambda values: np.round((values - MEAN) / SD * 2.0 + MEAN),
    "1000 pps": lambda values: np.round(values, -3),
    "a third of the SD": lambda values: np.round(values / SD * 3.0) * SD / 3.0,
    "three digits": three_digits,
    "half at a cap": lambda values: np.minimum(np.round(values), MEAN),
    "a fifth at a cap": lambda values: np.minimum(np.round(values), round(MEAN + 0.84 * SD)),
    "nine tenths at a cap": lambda values: np.minimum(np.round(values), round(MEAN - 1.28 * SD)),
}


def alike(rng: np.random.Generator, draws: int) -> Iterator[Row]:
    """Rounded or capped values repeat by chance: how often that is called the same data."""
    for name, write in WRITTEN.items():
        for n1, n2 in ((3, 3), (4, 4), (5, 5), (6, 6), (10, 10), (20, 20), (3, 5), (5, 10), (5, 20), (9, 10)):
            pairs = max(draws // 4, 200)
            sides = [write(MEAN + SD * rng.normal(size=(pairs, n))).tolist() for n in (n1, n2)]
            told = sum(
                bool(same_data(ResultSet("a", tuple(base)), ResultSet("b", tuple(other))))
                for base, other in zip(*sides, strict=True)
            )
            yield Row(f"{name}, {n1}/{n2}: same-data", told / pairs, pairs, 0.01)


TABLES: dict[str, Callable[[np.random.Generator, int], Iterator[Row]]] = {
    "single": single,
    "families": families,
    "together": together,
    "topping": topping,
    "warnings": warnings,
    "alike": alike,
    "interaction": interaction,
}


def promised(row: Row) -> str:
    if row.most is not None:
        return f"at most {100 * row.most:.3g} %"
    return "known limit" if row.least is None else f"at least {100 * row.least:.3g} %"


Tables = dict[str, Callable[[np.random.Generator, int], Iterator[Row]]]


def main(tables: Tables | None = None) -> int:
    """Print the tables; returns 1 if a promise is broken."""
    tables = TABLES if tables is None else tables
    parser = argparse.ArgumentParser(
        description=sys.modules["__main__"].__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", action="append", choices=tables, help="only this; may be repeated")
    args = parser.parse_args()
    broken = 0
    for place, (name, table) in enumerate(tables.items()):
        if args.table and name not in args.table:
            continue
        print(f"\n## {name}: {(table.__doc__ or '').strip()}\n")
        print("| what | counted | promised | draws |\n| --- | ---: | --- | ---: |")
        for row in table(np.random.default_rng([args.seed, place]), args.draws):
            broken += not row.kept
            mark = "" if row.kept else " **broken**"
            print(
                f"| {row.what} | {100 * row.rate:.2f} % | {promised(row)}{mark} | {row.draws} |", flush=True
            )
    print(f"\n{broken} promises broken" if broken else "\nall promises kept")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
