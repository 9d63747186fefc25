"""Verdicts in words, of made comparisons: each limit just below, at and above."""

import msgspec
import pytest

from fwdtui.stats import wording
from fwdtui.stats.results import Comparison, Description, Difference, MinistatResult, Plan


def difference(percent, interval=None, absolute=None, absolute_interval=None) -> Difference:
    return Difference(absolute, percent, absolute_interval, interval, 95.0, None, None, "")


def made(plan: Plan | None, n: int = 5, m: int = 5, **more: object) -> Comparison:
    base, other = (
        Description(name, size, 1.0, 3.0, 2.0, 2.0, 1.0) for name, size in (("old", n), ("new", m))
    )
    nothing = MinistatResult(None, None, None, None, None, None)
    plain = Comparison(
        "case", base, other, difference(0.6, (-0.5, 1.7)), nothing, "inconclusive", 1.0, None, None, ()
    )
    return msgspec.structs.replace(plain, to_decide=plan, **more)


@pytest.mark.parametrize(
    ("needed", "noisy"), [(200, False), (299, False), (300, False), (301, True), (450, True)]
)
def test_beyond_three_hundred_iterations_a_bench_is_too_noisy(needed, noisy):
    found = made(Plan(needed, 100, 900))
    assert wording.too_noisy(found) is noisy
    assert wording.verdict_cell(found) == (
        "inconclusive: too noisy" if noisy else "inconclusive: 95 to 900 more"
    )
    assert not wording.too_noisy(msgspec.structs.replace(found, verdict="equivalent"))


def test_what_is_too_noisy_to_count_iterations_is_too_noisy_in_the_row_as_in_the_sentence():
    found = made(None, detectable_percent=20.0)
    assert wording.verdict_cell(found) == "inconclusive: too noisy"
    assert NOISY in wording.sentence(found, cannot_say=None, limit="", shown=1)
    exact = made(None, detectable_percent=20.0, margin_percent=0.0)
    assert wording.verdict_cell(exact) == "inconclusive", "no number of iterations proves a margin of 0"


@pytest.mark.parametrize(
    ("plan", "n", "m", "more"),
    [
        (Plan(20, 12, 40), 5, 5, (7, 35)),
        (Plan(20, 12, 40), 5, 9, (7, 35)),  # what the smaller set needs
        (Plan(20, 12, 40), 9, 5, (7, 35)),
        (Plan(20, 3, 40), 3, 3, (2, 37)),  # never so few that the set stays below five
        (Plan(6, 3, 9), 5, 5, (1, 4)),
        (Plan(6, 5, 9), 5, 5, (1, 4)),
        (Plan(6, 4, 5), 5, 5, (1, 1)),
        (Plan(4, 3, 4), 3, 3, (2, 2)),
        (Plan(5, 3, 9), 5, 5, None),  # it has enough already
        (Plan(4, 3, 9), 5, 5, None),
        (None, 5, 5, None),
    ],
)
def test_what_is_missing_is_what_the_smaller_set_has_not(plan, n, m, more):
    assert wording.iterations_more(made(plan, n, m)) == more
    assert wording.iterations_more(made(plan, n, m, verdict="faster")) is None


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (1, 1, "about 1 more iteration"),
        (2, 2, "about 2 more iterations"),
        (1, 2, "about 1 to 2 more iterations"),
        (99, 100, "about 99 to 100 more iterations"),
        (98, 104, "about 98 to 100 more iterations"),  # beyond a hundred in two digits
        (98, 106, "about 98 to 110 more iterations"),
        (149, 1460, "about 150 to 1500 more iterations"),
        (148, 152, "about 150 more iterations"),
    ],
)
def test_how_many_are_missing_is_told_in_two_digits(low, high, text):
    found = made(Plan(200, low + 5, high + 5))
    assert wording.verdict_cell(found, in_full=True) == f"inconclusive: {text}"


@pytest.mark.parametrize(
    ("p", "adjusted", "family", "alone"),
    [
        (0.04, 0.08, 2, True),
        (0.04, 0.05, 2, True),  # not below it
        (0.04, 0.049, 2, False),
        (0.05, 0.1, 2, False),
        (0.04, 0.08, 1, False),
        (None, None, 2, False),
    ],
)
def test_a_difference_is_proven_alone_if_only_the_correction_takes_it_away(p, adjusted, family, alone):
    own = msgspec.structs.replace(difference(0.6, (0.1, 1.1)), p=p, p_adjusted=adjusted, family=family)
    found = made(None, difference=own)
    assert wording.proven_alone(found) is alone
    assert wording.verdict_word(found) == (f"inconclusive among {family}" if alone else "inconclusive")
    assert not wording.proven_alone(msgspec.structs.replace(found, verdict="capped"))
    silent = msgspec.structs.replace(found, cannot_say="cannot say, because ...")
    assert wording.verdict_word(silent) == "inconclusive: cannot say"
    assert wording.verdict_word(silent, short=True) == "cannot say"
    assert len(wording.footnotes([found, silent])) == alone and wording.footnotes([silent]) == []


@pytest.mark.parametrize(
    ("ends", "explained"),
    [((-0.9, 0.9), False), ((-1.0, 1.0), False), ((-1.01, 0.9), True), ((-0.9, 1.01), True), (None, False)],
)
def test_an_interval_beyond_the_margin_is_explained_beside_equivalence(ends, explained):
    found = made(None, verdict="equivalent", difference=difference(0.0, ends))
    assert bool(wording.footnotes([found])) is explained
    assert not wording.footnotes([msgspec.structs.replace(found, verdict="faster")])


MORE = "per set would decide at the 1 % margin with 80 % power"
NOISY = "too noisy for a margin of 1 %: reduce the spread or widen the margin"
CLOSE = (
    "5 iterations per set usually decide at the 1 % margin, so the difference may be close to it: record a "
)


@pytest.mark.parametrize(
    ("plan", "n", "more", "end"),
    [
        (Plan(20, 12, 40), 5, {}, f"about 7 to 35 more iterations {MORE}"),
        (Plan(20, 12, 40), 9, {}, f"about 12 to 40 iterations {MORE}"),  # the sets have unlike numbers
        (Plan(6, 4, 5), 9, {}, f"about 6 iterations {MORE}"),
        (Plan(301, 12, 400), 5, {}, NOISY),
        (None, 5, {}, NOISY),
        (
            None,
            5,
            {"margin_percent": 0.0},
            "with a margin of 0 % no number of iterations can prove equivalence",
        ),
        (Plan(5, 3, 9), 5, {}, f"{CLOSE}larger set"),
        (
            None,
            5,
            {"difference": difference(None, None, 3.0, (-1.0, 7.0))},
            "there is no percentage to compare with a margin",
        ),
    ],
)
def test_an_open_verdict_says_what_would_decide_it(plan, n, more, end):
    found = made(plan, 5, n, **more)
    text = wording.sentence(found, cannot_say=None, limit="", shown=3)
    assert text == f"inconclusive: {wording.difference_cell(found.difference)}; {end}"


@pytest.mark.parametrize(
    ("verdict", "of", "text"),
    [
        ("slower", difference(-5.0, (-8.0, -2.0)), "slowed down by 5.0 % ± 3.0 %"),
        ("slower", difference(-5.0, (-9.0, -2.0)), "slowed down by 5.0 % [2.0, 9.0]"),
        ("faster", difference(5.0, (2.0, 9.0)), "improved by 5.0 % [2.0, 9.0]"),
        ("slower", difference(None, None, -500.0, (-900.0, -200.0)), "slowed down by 500 [200, 900]"),
        ("faster", difference(None, None, 500.0, (200.0, 900.0)), "improved by 500 [200, 900]"),
        ("faster", difference(None), "improved by an amount too large for a number"),
    ],
)
def test_a_claim_is_told_without_a_sign_and_the_nearer_end_first(verdict, of, text):
    found = made(None, verdict=verdict, difference=of)
    assert wording.sentence(found, cannot_say=None, limit="", shown=1) == text
    lower = wording.sentence(found, cannot_say=None, limit="new is at line rate", shown=1)
    assert lower == f"{text.replace(' by ', ' by at least ', 1)}: new is at line rate"
    both = wording.sentence(found, cannot_say=None, limit="both are", shown=1, at_least=False)
    assert both == f"{text} at this offered load: both are"


@pytest.mark.parametrize(
    ("absolute", "words"), [(1.0, ", a proven gain, but"), (-1.0, ", a proven loss, but")]
)
def test_a_proven_difference_inside_the_margin_is_a_gain_or_a_loss(absolute, words):
    own = msgspec.structs.replace(difference(absolute, None, absolute), p_adjusted=0.049)
    found = made(None, verdict="equivalent", difference=own)
    assert words in wording.sentence(found, cannot_say=None, limit="", shown=1)
    chance = made(None, verdict="equivalent", difference=msgspec.structs.replace(own, p_adjusted=0.05))
    assert "proven" not in wording.sentence(chance, cannot_say=None, limit="", shown=1)
