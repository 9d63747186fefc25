"""Planned looks: what each may spend, against published boundaries and counted crossings."""

from statistics import NormalDist

import numpy as np
import pytest

from fwdtui.stats.looks import LEAST, boundaries, in_words, levels, look_at, schedule, share_of, spent


def two_sided(share: float, alpha: float) -> float:
    """Half of the error on each side, each spent by Lan and DeMets's function for one side."""
    return 2.0 * spent(share, alpha / 2.0)


@pytest.mark.parametrize(
    ("looks", "published"),
    [  # Reboussin, DeMets, Kim and Lan's program (ld98), alpha 0.05 on two sides, equally spaced
        (2, (2.9626, 1.9686)),
        (3, (3.7103, 2.5114, 1.9930)),
        (5, (4.8769, 3.3569, 2.6803, 2.2898, 2.0310)),
    ],
)
def test_the_boundaries_are_the_published_ones(looks, published):
    shares = [(number + 1) / looks for number in range(looks)]
    assert boundaries(shares, 0.05, two_sided) == pytest.approx(published, abs=2e-3)


def test_a_single_look_spends_everything_and_two_a_fifth_and_the_rest():
    assert levels((10,)) == (0.05,)
    assert levels((5, 10)) == pytest.approx((0.01, 0.04))
    assert levels((3, 10), 0.01) == pytest.approx((0.002, 0.008))


def test_more_looks_together_spend_the_error_rate_whatever_their_places():
    rng = np.random.default_rng(1)
    for looks in ((2, 4, 6), (3, 4, 9, 10), (1, 2, 3, 4, 5, 6)):
        steps = rng.normal(size=(200_000, looks[-1])).cumsum(axis=1)
        crossed = np.zeros(len(steps), dtype=bool)
        for look, level in zip(looks, levels(looks), strict=True):
            limit = -NormalDist().inv_cdf(level / 2.0)
            crossed |= np.abs(steps[:, look - 1]) > limit * look**0.5
        assert crossed.mean() == pytest.approx(0.05, abs=0.0016)


def test_what_is_spent_rises_to_the_whole_and_no_level_is_below_a_millionth():
    assert [spent(share) for share in (0.25, 0.5, 1.0)] == pytest.approx([0.0000886, 0.00557, 0.05], rel=1e-3)
    assert levels(tuple(range(1, 21)))[0] == LEAST
    assert levels((3, 6, 9)) == (0.000686, 0.016, 0.0438)  # three digits, rounded down


def test_the_last_look_is_the_end_whatever_was_asked_for():
    assert schedule((6, 3, 3, 0, 12), 9) == (3, 6, 9)
    assert schedule((), 5) == (5,)


def test_a_look_that_is_not_planned_is_none_and_gets_the_level_of_the_last_one():
    second = look_at((3, 6, 9), 6)
    assert (second.number, second.planned, second.on_time) == (2, 3, True)
    between = look_at((3, 6, 9), 7)
    assert (between.number, between.on_time, between.confidence) == (2, False, second.confidence)
    first, before = look_at((3, 6, 9), 3), look_at((3, 6, 9), 1)
    assert (before.number, before.on_time, before.confidence) == (0, False, first.confidence)
    assert look_at((3, 6, 9), 9).confidence < second.confidence < first.confidence


def test_looks_in_words():
    assert in_words(look_at((5, 10), 5)) == "looked 1 of 2 times; this look used 99 %"
    assert in_words(look_at((5, 10), 7)) == "between planned looks (1 of 2 taken), at 99 %"
    assert share_of(98.62) == "98.6 %"
    assert share_of(99.99988) == "99.9999 %"
