"""ministat as numbers: pairs for JSON and reports, refusals, and millions of values as if they were few."""

import math
import subprocess
import sys
from array import array
from statistics import mean, variance

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fwdtui.core.errors import FwdtuiError
from fwdtui.stats.ministat import CONFIDENCES, FLAVOURS, MinistatOptions, NamedSet, block, pair, render
from fwdtui.stats.ministat import vitals as vitals_module
from fwdtui.stats.ministat.render import WIDEST
from fwdtui.stats.results import MinistatResult

IGUANA = (50.0, 200.0, 150.0, 400.0, 750.0, 400.0, 150.0)
CHAMELEON = (150.0, 400.0, 720.0, 500.0, 930.0)
NOTHING = MinistatResult(None, None, None, None, None, None)

FEW = st.lists(st.floats(-1e9, 1e9), min_size=3, max_size=30)


def text(*sets: object, **options: object) -> str:
    named = [NamedSet(f"set{number}", values) for number, values in enumerate(sets)]  # type: ignore[arg-type]
    return block(named, MinistatOptions(**options))  # type: ignore[arg-type]


def test_the_pair_of_the_manual_page() -> None:
    found = pair(IGUANA, CHAMELEON, 80.0, "classic")
    assert found.differs is True
    assert (found.absolute, found.percent) == (240.0, 80.0)
    assert found.error == pytest.approx(212.215, abs=5e-4)
    assert found.percent_error == pytest.approx(70.7384, abs=5e-5)
    assert found.pooled_s == pytest.approx(264.159, abs=5e-4)
    assert pair(IGUANA, CHAMELEON, 95.0).differs is False


def test_the_current_percent_error_is_that_of_the_ratio_of_the_means() -> None:
    found = pair(IGUANA, CHAMELEON, 80.0)
    ratio = mean(CHAMELEON) / mean(IGUANA)
    spread = (4 * variance(CHAMELEON) + 6 * variance(IGUANA) * ratio**2) / 10 * (1 / 5 + 1 / 7)
    assert found.percent_error == pytest.approx(100 * 1.372 * math.sqrt(spread) / mean(IGUANA), rel=1e-12)


@pytest.mark.parametrize("flavour", FLAVOURS)
@settings(deadline=None, max_examples=150)
@given(base=FEW, other=FEW, confidence=st.sampled_from(CONFIDENCES))
def test_a_pair_has_the_numbers_of_the_text(
    flavour: str, base: list[float], other: list[float], confidence: float
) -> None:
    found = pair(base, other, confidence, flavour)
    printed = text(base, other, flavour=flavour, confidence=confidence, plot=False)
    if found.differs and found.percent is not None and found.percent_error is not None:
        sign = math.copysign(1, mean(base))
        assert (
            f"Difference at {confidence:.1f}% confidence\n\t{found.absolute:g} +/- {found.error:g}\n"
            f"\t{found.percent:g}% +/- {sign * found.percent_error:g}%\n"
            f"\t(Student's t, pooled s = {found.pooled_s:g})\n"
        ) in printed
    elif found.differs is False:
        assert f"No difference proven at {confidence:.1f}% confidence\n" in printed


@settings(deadline=None, max_examples=300)
@given(
    base=st.lists(st.floats(), max_size=8),
    other=st.lists(st.floats(), max_size=8),
    flavour=st.sampled_from(list(FLAVOURS)),
    confidence=st.sampled_from([95.0, 97.0]),
)
def test_no_values_make_a_pair_raise_or_give_nan_or_infinity(
    base: list[float], other: list[float], flavour: str, confidence: float
) -> None:
    found = pair(base, other, confidence, flavour)
    numbers = (found.absolute, found.error, found.percent, found.percent_error, found.pooled_s)
    assert all(number is None or math.isfinite(number) for number in numbers)
    assert found.percent_error is None or found.percent_error >= 0


@pytest.mark.parametrize("values", [(), (1.0,), (1.0, 2.0), (1.0, 2.0, math.nan), (1.0, 2.0, math.inf)])
def test_of_too_few_values_or_odd_ones_a_pair_says_nothing(values: tuple[float, ...]) -> None:
    assert pair(values, IGUANA) == pair(IGUANA, values) == NOTHING


def test_at_a_confidence_that_ministat_lacks_there_is_a_difference_and_no_verdict() -> None:
    found = pair(IGUANA, CHAMELEON, 97.0)
    assert (found.differs, found.error, found.percent_error) == (None, None, None)
    assert (found.absolute, found.percent) == (240.0, 80.0)
    assert found.pooled_s == pytest.approx(264.159, abs=5e-4)


def test_a_baseline_of_mean_zero_has_no_percent() -> None:
    found = pair((-1.0, 0.0, 1.0), (100.0, 101.0, 102.0))
    assert (found.differs, found.percent, found.percent_error) == (True, None, None)


def test_the_percent_error_of_a_negative_baseline_is_not_negative() -> None:
    found = pair((-1.0, -2.0, -3.0), (100.0, 101.0, 102.0))
    assert found.percent_error is not None
    assert found.percent_error > 0


def test_the_two_pass_variance_survives_what_sums_of_squares_cancel() -> None:
    values = (1e9 + 0.1, 1e9 + 0.2, 1e9 + 0.3)
    assert text(values, flavour="current", plot=False).splitlines()[2].split()[-1] == "0.099999964"
    assert text(values, flavour="classic", plot=False).splitlines()[2].split()[-1] == "nan"
    assert text(values, flavour="debian", plot=False).splitlines()[2].split()[-1] == "-nan"


def test_the_median_of_an_even_number_of_values_is_the_flavours() -> None:
    medians = {
        flavour: text((1, 2, 3, 10), flavour=flavour, plot=False).splitlines()[2].split()[4]
        for flavour in FLAVOURS
    }
    assert medians == {"current": "2.5", "classic": "2.5", "debian": "3"}


@pytest.mark.parametrize(
    ("sets", "options", "message"),
    [
        ([(1, 2)], {}, "set0: 2 values, and ministat needs at least 3"),
        ([(1,)], {}, "set0: 1 value, and ministat needs at least 3"),
        ([IGUANA] * 8, {}, "ministat takes 1 to 7 sets, not 8"),
        ([], {}, "ministat takes 1 to 7 sets, not 0"),
        ([IGUANA], {"flavour": "linux"}, "no ministat flavour 'linux'"),
        ([IGUANA], {"confidence": 97.0}, "ministat has no confidence level 97; it has 80, 90"),
        ([IGUANA], {"width": 1}, "a plot cannot be 1 characters wide"),
        ([IGUANA], {"width": WIDEST + 1}, "a plot cannot be 1000001 characters wide"),
        ([(1, 2, math.nan)], {}, "set0: holds a value that is not a finite number"),
        ([(1, 2, -math.inf)], {"relative": False}, "set0: holds a value that is not a finite number"),
        ([(-1.7e308, 0, 1.7e308)], {}, "the range of the values is too wide or too narrow to plot"),
        ([(0, 0, 5e-324)], {}, "the range of the values is too wide or too narrow to plot"),
    ],
)
def test_what_ministat_cannot_do_is_refused_before_anything_is_written(
    sets: list[tuple[float, ...]], options: dict[str, object], message: str
) -> None:
    written: list[str] = []
    named = [NamedSet(f"set{number}", values) for number, values in enumerate(sets)]
    with pytest.raises(FwdtuiError) as caught:
        render(named, MinistatOptions(**options), written.append)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)
    assert written == []


def test_a_plot_as_wide_as_allowed_is_written() -> None:
    lines = text(IGUANA, width=WIDEST).splitlines()
    assert lines[1] == f"+{'-' * WIDEST}+"


WAVES = [[1e7 + 1e5 * math.sin(step * n * n) for n in range(4000)] for step in (1, 2, 3)]


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize(
    "sets",
    [
        WAVES,
        [[round(value) for value in wave] for wave in WAVES],
        [[5.0] * 3000 + [7.0], [-0.0, 0.0] * 1000, [0.0, -0.0, 1.0] * 500],
        [[1e9 + 0.1] * 2000 + [1e9 + 0.3] * 1000],
        [[1e200, -1e200, 3e199] * 1000],
    ],
    ids=["waves", "whole", "ties", "close", "huge"],
)
def test_numpy_gives_the_same_text_to_the_last_digit(
    flavour: str, sets: list[list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    plot = abs(sets[0][0]) < 1e100
    few = text(*sets, flavour=flavour, plot=plot)
    monkeypatch.setattr("fwdtui.stats.ministat.vitals.BIG", 3)
    monkeypatch.setattr("fwdtui.stats.ministat.plot.BIG", 3)
    monkeypatch.setattr("fwdtui.stats.blocks._BLOCK", 1000)
    assert text(*sets, flavour=flavour, plot=plot) == few
    assert text(*(array("d", values) for values in sets), flavour=flavour, plot=plot) == few


def test_sums_are_added_one_by_one_whatever_the_size() -> None:
    from fwdtui.stats import blocks
    from fwdtui.stats.ministat import large

    values = [math.sin(n) * 10 ** (n % 17) for n in range(100_000)]
    assert blocks.add(large.doubles(values, copy=True)) == vitals_module.add(values)
    assert vitals_module.add([0.1] * 10) == 0.9999999999999999  # where a compensated sum is 1


def test_the_callers_values_stay_as_they_are() -> None:
    values = array("d", (math.sin(n) for n in range(vitals_module.BIG)))
    kept = array("d", values)
    text(values, (3.0, 2.0, 1.0), plot=False)
    assert values == kept


def test_the_text_of_small_sets_needs_neither_numpy_nor_msgspec() -> None:
    program = (
        "import sys; from fwdtui.stats.ministat import NamedSet, block\n"
        "block([NamedSet('a', (1, 2, 3)), NamedSet('b', (2, 3, 4))])\n"
        "print(sorted({'numpy', 'scipy', 'msgspec'} & {name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_up_to_seven_sets_are_printed_each_with_its_symbol() -> None:
    lines = text(*[IGUANA] * 7, plot=False).splitlines()
    assert [line[0] for line in lines[:7]] == ["x", "+", "*", "%", "#", "@", "O"]


def test_a_plot_is_as_narrow_as_two_columns() -> None:
    assert text(IGUANA, width=2).splitlines()[1] == "+--+"


@pytest.mark.parametrize(
    ("values", "rows"),
    [
        ((1, 1, 9, 9), ["|x      x|", "|x      x|"]),
        ((1, 1, 1, 9), ["| x      |", "| x      |", "| x     x|"]),
        ((1, 1, 5, 9), ["| x      |", "| x  x  x|"]),
    ],
)
def test_a_column_is_as_high_as_it_has_values(values: tuple[float, ...], rows: list[str]) -> None:
    lines = text(values, width=8).splitlines()
    assert lines[2 : 2 + len(rows)] == rows and "A" in lines[2 + len(rows)], "then the bar"
