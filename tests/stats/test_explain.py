"""The lines of --explain, made of figures that are set here, so that each is known."""

import msgspec
import pytest

from fwdtui.stats.explain import Steps, decimals_of, explanation, held_against
from fwdtui.stats.results import Comparison, Description, Difference, MinistatResult, NotSlower, Plan

REPLACE = msgspec.structs.replace
BASE = Description("old", 5, 990.0, 1010.0, 1000.0, 1000.0, 7.9)
OTHER = Description("new", 5, 1000.0, 1030.0, 1015.0, 1016.0, 11.0)
DIFFERENCE = Difference(16.0, 1.6, (2.0, 30.0), (0.2, 3.0), 95.0, 0.031, 0.062, "", family=2)
COMPARISON = Comparison(
    "inet4", BASE, OTHER, DIFFERENCE, MinistatResult(None, None, None, None, None, None), "inconclusive", 1.0,
    detectable_percent=2.02, iterations_needed=17, warnings=(),
    not_slower=NotSlower(True, 0.001, 0.002), to_decide=Plan(19, 11, 40),
)  # fmt: skip
STEPS = Steps(
    2, t=2.345, df=7.25, welch_p=0.021, factor=2, tost_p=0.4, tost_p_adjusted=0.41, margin_absolute=10.0
)


def lines(comparison: Comparison = COMPARISON, steps: Steps = STEPS) -> list[str]:
    return explanation(comparison, steps, "in words")


def line(begin: str, comparison: Comparison = COMPARISON, steps: Steps = STEPS) -> str:
    (found,) = (one for one in lines(comparison, steps) if one.startswith(begin))
    return found


def differing(**more: object) -> Comparison:
    return REPLACE(COMPARISON, difference=REPLACE(DIFFERENCE, **more))


def test_all_steps_are_told_in_the_order_of_the_decision() -> None:
    begins = [one.split(":")[0] for one in lines()]
    assert begins == [
        *("base old", "other new", "Welch", "Percent of the base's mean", "Holm"),
        *("Equivalence within ±1 % (±10)", "Power", "More iterations", "Verdict", "In words"),
    ]
    without = differing(p=None, p_adjusted=None)
    assert [one.split(":")[0] for one in lines(without)][:2] == ["base old", "other new"]
    assert "Holm" not in "\n".join(lines(without))


def test_where_there_is_no_verdict_nothing_is_said_of_looking_again_with_more() -> None:
    silent = REPLACE(COMPARISON, cannot_say="cannot say, because old has only 2 values: measure at least 5.")
    assert not [one for one in lines(silent) if one.startswith("More iterations")]


def test_a_set_is_told_with_its_coefficient_of_variation_if_it_has_one() -> None:
    assert lines()[0] == "base old: n = 5, mean 1.000 k, SD 7.9 (CV 0.79 %)"
    below = REPLACE(COMPARISON, base=REPLACE(BASE, mean=-1000.0))
    assert lines(below)[0] == "base old: n = 5, mean −1.000 k, SD 7.9 (CV 0.79 %)"
    for mean, stddev, text in (
        (0.0, 7.9, "mean 0, SD 7.9"),
        (5.0, None, "mean 5, SD –"),
        (None, None, "mean –, SD –"),
    ):
        odd = REPLACE(COMPARISON, base=REPLACE(BASE, mean=mean, stddev=stddev))
        assert lines(odd)[0] == f"base old: n = 5, {text}"


def test_welchs_own_p_is_told_beside_the_larger_one_where_the_sets_differ_in_size() -> None:
    assert line("Welch") == (
        "Welch: difference of the means +16, t = 2.345, df = 7.25 (Satterthwaite), p = 0.031, "
        "95 % interval +2 to +30"
    )
    unequal = REPLACE(COMPARISON, other=REPLACE(OTHER, n=9))
    assert "p = 0.021; n differs, so the pooled test must agree: the larger p = 0.031, 95 %" in line(
        "Welch", unequal
    )


def test_the_percentage_has_one_decimal_more_than_in_the_table() -> None:
    # the larger arm is 1.4: one decimal in the table
    assert line("Percent") == (
        "Percent of the base's mean: +1.60 %, interval +0.20 % to +3.00 % (Fieller, agrees with Welch at 0 %)"
    )
    none = STEPS._replace(no_percent="none, because ...")
    for without in (differing(percent=None), differing(ci_percent=None)):
        assert line("Percent", without, none) == "Percent of the base's mean: none, because ..."
        assert not [one for one in lines(without) if one.startswith("Percent")]


def test_holms_step_names_the_family_and_the_factor() -> None:
    assert line("Holm").startswith("Holm: 2 comparisons share the error rate; this p times 2, and at least ")
    assert line("Holm").endswith("adjusted p = 0.062")
    alone = line("Holm", differing(p_adjusted=0.031), STEPS._replace(shown=1))
    assert alone == "Holm: one comparison shown, so p = 0.031 stays as it is"


def test_equivalence_is_told_with_the_margin_in_the_values_unit_and_the_test_of_a_loss() -> None:
    assert line("Equivalence") == (
        "Equivalence within ±1 % (±10): two one-sided tests, p = 0.40, adjusted p = 0.41; "
        "no loss of 1 % or more: p = 0.001, adjusted p = 0.002"
    )
    unknown = REPLACE(COMPARISON, not_slower=NotSlower(why_not="old is capped"))
    assert line("Equivalence", unknown).endswith("no loss of 1 % or more: not tested, old is capped")
    assert line("Equivalence", COMPARISON, STEPS._replace(tost_p=None)).endswith(
        "not tested, the base's mean is not above zero"
    )


FINDS = "Power: these iterations detect 2.02 % with 80 % power at level 0.05"
DECIDES = "detecting 1 % takes 17 iterations per set"
BOTH = "either verdict 19 (11 to 40, because the spread is itself estimated)"


@pytest.mark.parametrize(
    ("changed", "shown", "text"),
    [
        ({}, 2, f"{FINDS}/2; {DECIDES}, {BOTH}"),
        ({}, 1, f"{FINDS}; {DECIDES}, {BOTH}"),
        ({"to_decide": None}, 1, f"{FINDS}; {DECIDES}, proving equivalence more than 100000"),
        (
            {"iterations_needed": None},
            1,
            f"{FINDS}; detecting 1 % would take more than 100000 iterations per set",
        ),
        (
            {"detectable_percent": None},
            7,
            "Power: no figure at level 0.05/7, because the spreads or the base's mean do not allow one",
        ),
        (
            {"verdict": "capped", "detectable_percent": None, "iterations_needed": None, "to_decide": None},
            1,
            "Power: no figure at level 0.05, because the spread of capped values says nothing of the DUT's",
        ),
    ],
)
def test_what_the_iterations_could_find_is_told_with_the_level(changed, shown: int, text: str) -> None:
    assert line("Power", REPLACE(COMPARISON, **changed), STEPS._replace(shown=shown)) == text


@pytest.mark.parametrize(
    ("value", "decimals"),
    [
        (150.0, 1),
        (10.0, 1),
        (9.99, 2),
        (0.1, 2),
        (0.0999, 4),
        (0.001, 4),
        (0.00099, 5),
        (0.0000312, 6),
        (-0.0000312, 6),
        (0.0, 4),
        (-20.0, 1),
    ],
)
def test_a_detectable_difference_has_two_or_three_digits(value: float, decimals: int) -> None:
    assert decimals_of(value) == decimals


@pytest.mark.parametrize(
    ("p", "equal_p", "text"),
    [
        (0.062, 0.41, "p = 0.062 is not below 0.05; equivalence: adjusted p = 0.41 is not below 0.05."),
        (0.05, 0.05, "p = 0.05 is not below 0.05; equivalence: adjusted p = 0.05 is not below 0.05."),
        (0.049, 0.41, "p = 0.049 is below 0.05; equivalence: adjusted p = 0.41 is not below 0.05."),
        (0.062, 0.049, "p = 0.062 is not below 0.05; equivalence: adjusted p = 0.049 is below 0.05."),
        (0.01, 0.02, "p = 0.01 is below 0.05; equivalence: adjusted p = 0.02 is below 0.05. "
         "Equivalence wins where both are proven."),
        (0.01, None, "p = 0.01 is below 0.05."),
    ],
)  # fmt: skip
def test_the_verdict_is_told_with_both_adjusted_p(p: float, equal_p: float | None, text: str) -> None:
    found = line("Verdict", differing(p_adjusted=p), STEPS._replace(tost_p_adjusted=equal_p))
    assert found == f"Verdict: inconclusive. The difference: adjusted {text}"


@pytest.mark.parametrize("side", ["base_cap", "other_cap"])
def test_a_lower_bound_is_told_and_takes_the_meaning_from_equivalence(side: str) -> None:
    steps = STEPS._replace(tost_p_adjusted=0.01, **{side: "every iteration is within 0.5 % of line rate"})
    label = "old" if side == "base_cap" else "new"
    expected = f"Censored: {label}: every iteration is within 0.5 % of line rate. Its mean is a lower bound."
    assert line("Censored", differing(p_adjusted=0.01), steps) == expected
    found = line("Verdict", differing(p_adjusted=0.01), steps)
    assert found.endswith("is below 0.05. Equivalence against a lower bound means nothing.")
    capped = REPLACE(COMPARISON, verdict="capped")
    assert line("Verdict", capped, steps).startswith("Verdict: capped. A lower bound may really be higher, ")
    assert not [one for one in lines() if one.startswith("Censored")]


def test_without_a_test_the_verdict_says_so() -> None:
    assert (
        line("Verdict", differing(p=None, p_adjusted=None)) == "Verdict: inconclusive. No test is possible."
    )


def test_an_interval_that_just_leaves_out_zero_is_not_shown_from_zero() -> None:
    just = differing(percent=1.6, ci_percent=(0.0004, 3.2))
    assert "+1.60 %, interval +0.0004 % to +3.2000 %" in line("Percent of", just)


@pytest.mark.parametrize(
    ("p", "level", "told"),
    [
        (0.04, 0.05, "p = 0.04 is below 0.05"),
        (0.06, 0.05, "p = 0.06 is not below 0.05"),
        (0.029621, 0.029639, "p = 0.02962 is below 0.02964"),
        (0.029639, 0.029621, "p = 0.02964 is not below 0.02962"),
        (0.02964, 0.02964, "p = 0.0296 is not below 0.0296"),
        (0.00005, 0.0001, "p < 0.0001 is below 0.0001"),
        (0.1981, 0.2, "p = 0.198 is below 0.2"),
        (0.2003, 0.2, "p = 0.2003 is not below 0.2"),
        (0.2, 0.2, "p = 0.20 is not below 0.2"),
        (0.1266, 0.1268, "p = 0.1266 is below 0.1268"),
        (0.00000052, 0.00000051, "p = 5.2e-07 is not below 5.1e-07"),
    ],
)
def test_a_p_and_its_level_are_told_apart(p: float, level: float, told: str) -> None:
    assert held_against(p, level) == told
