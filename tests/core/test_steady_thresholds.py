"""The steady window at each of its limits: just below, at and above, on series of which all is known."""

import math

import pytest

from fwdtui.core.model import RateSample
from fwdtui.core.steady import Steady, find

LEVEL = 1e6


def run(*rates: float, begin: float = 0.0) -> list[RateSample]:
    """Sample i is the second before `begin` + i."""
    return [RateSample("receiver", begin + i, 1.0, float(rate)) for i, rate in enumerate(rates)]


def known(samples: list[RateSample]) -> Steady:
    """The window if the generator is known to have sent throughout."""
    return find(samples, (samples[0].t - samples[0].interval, samples[-1].t))


def texts(found: Steady, code: str) -> list[str]:
    return [caution.text for caution in found.cautions if caution.code == code]


def told(rates: list[float], code: str) -> bool:
    return bool(texts(known(run(*rates)), code))


# what is left out at the ends


@pytest.mark.parametrize(("odd", "left_out"), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 0), (5, 0)])
def test_a_run_in_of_three_samples_is_left_out_and_a_longer_one_is_part_of_the_run(odd: int, left_out: int):
    found = known(run(*[0.9 * LEVEL] * odd, *[LEVEL] * 30))
    assert (found.window.head, found.window.tail) == (left_out, 0)
    # that the generator sends to the end is known: nothing is left out there
    found = known(run(*[LEVEL] * 30, *[0.9 * LEVEL] * odd))
    assert (found.window.head, found.window.tail) == (0, 0)


@pytest.mark.parametrize(("odd", "left_out"), [(0, 0), (1, 1), (2, 2), (3, 0), (4, 0)])
def test_where_nobody_knows_when_it_sent_one_sample_of_the_three_straddles_the_start(odd: int, left_out: int):
    ends = [0.9 * LEVEL] * (odd + 1)
    found = find(run(*ends, *[LEVEL] * 30, 0.9 * LEVEL))
    assert (found.window.head, found.window.tail) == (1 + left_out, 1)
    found = find(run(0.9 * LEVEL, *[LEVEL] * 30, *ends))
    assert (found.window.head, found.window.tail) == (1, 1 + left_out)


@pytest.mark.parametrize(
    ("rate", "near"),
    [(972_000, False), (979_900, False), (980_000, True), (985_000, True), (1_020_100, False)],
)
def test_within_two_percent_of_the_level_a_sample_is_steady_however_small_the_noise(rate: float, near: bool):
    assert known(run(rate, *[LEVEL] * 30)).window.head == (0 if near else 1)


@pytest.mark.parametrize(("deviations", "near"), [(3.4, True), (4.98, True), (5.02, False), (7.4, False)])
def test_so_is_one_within_five_scaled_median_absolute_deviations(deviations: float, near: bool):
    odd = LEVEL - deviations * 1.4826 * 10_000
    noisy = [
        LEVEL + 10_000 * (1, -1)[i % 2] for i in range(21)
    ]  # one more above than below, as `odd` is below
    assert known(run(odd, *noisy, LEVEL)).window.head == (0 if near else 1)


@pytest.mark.parametrize(("n", "kept"), [(3, 3), (4, 4), (5, 3), (6, 4), (12, 10)])
def test_a_run_of_fewer_than_five_samples_has_none_to_spare(n: int, kept: int):
    found = find(run(0.0, 0.0, *[LEVEL] * n, 0.0))
    assert found.window.kept == kept


@pytest.mark.parametrize(("seconds", "kept"), [(4.0, 18), (5.0, 5), (6.0, 6)])
def test_fewer_than_five_samples_within_what_was_sent_are_no_run(seconds: float, kept: int):
    assert find(run(*[LEVEL] * 20), (3.0, 3.0 + seconds)).window.kept == kept


@pytest.mark.parametrize(
    ("start", "stop", "first", "last"),
    [(4.0, 30.0, 5, 31), (4.009, 29.991, 5, 31), (4.011, 29.991, 6, 31), (4.009, 29.989, 5, 30)],
)
def test_a_sample_may_reach_over_start_and_stop_by_a_hundredth_of_itself(start, stop, first, last):
    found = find(run(*[LEVEL] * 40), (start, stop))
    assert (found.first, found.last) == (first, last)
    # the same with samples of two seconds
    long = [RateSample("receiver", 2.0 * i, 2.0, LEVEL) for i in range(40)]
    found = find(long, (2 * start, 2 * stop))
    assert (found.first, found.last) == (first, last)


def test_the_window_names_its_ends_on_the_axis_of_the_log():
    samples = run(*[LEVEL] * 30, begin=5.0)
    whole = known(samples).window
    assert (whole.start, whole.end) == (4.0, 34.0)
    inner = find(samples).window
    assert (inner.start, inner.end) == (5.0, 33.0)
    # nothing was before the first line of a log: its interval begins at 0 at the earliest
    assert known(run(*[LEVEL] * 30)).window.start == 0.0


@pytest.mark.parametrize(
    ("begin", "end", "notes"),
    [
        ((LEVEL,), (LEVEL,), ("1 leading sample dropped (start-up).", "1 trailing sample dropped (stop).")),
        (
            (0.0, 0.0, 0.5e6),
            (0.25e6, 0.0),
            (
                "3 leading samples dropped (start-up: 2 of them zero, 1 below the level).",
                "2 trailing samples dropped (stop: the last one partial at 0 pps).",
            ),
        ),
        (
            (979_000.0,),
            (979_000.0,),
            (
                "1 leading sample dropped (start-up: 1 below the level).",
                "1 trailing sample dropped (stop: the last one partial at 979000 pps).",
            ),
        ),
        (
            (985_000.0,),
            (985_000.0,),
            ("1 leading sample dropped (start-up).", "1 trailing sample dropped (stop)."),
        ),
    ],
)
def test_what_was_left_out_is_named_for_what_it_was(begin, end, notes):
    assert find(run(*begin, *[LEVEL] * 30, *end)).window.notes == notes


# what is odd about the window


@pytest.mark.parametrize(
    ("spread", "flagged"), [(6_800, False), (9_900, False), (10_000, False), (10_100, True), (14_000, True)]
)
def test_a_coefficient_of_variation_above_one_percent_is_flagged(spread: float, flagged: bool):
    rates = [LEVEL + spread * (1, -1)[i % 2] for i in range(40)]  # SD of the run: `spread`
    found = texts(known(run(*rates)), "in-run-variation")
    assert bool(found) is flagged
    assert all(f"varies by {spread / 1e4:.1f} % within" in text for text in found)


def test_an_outage_is_not_told_once_more_as_variation_level_or_drift():
    rates = [LEVEL * (1 + i * 0.002) for i in range(40)]
    assert told(rates, "in-run-drift") and told(rates, "in-run-variation")
    rates[20:26] = [0.0] * 6
    codes = {caution.code for caution in known(run(*rates)).cautions}
    assert "outage" in codes and not codes & {"in-run-drift", "in-run-variation", "level-shift"}
    # one second is no noise that would hide a steep climb
    rates = [LEVEL * (1 + i * 0.02) for i in range(40)]
    rates[20] = 0.6 * LEVEL
    codes = {caution.code for caution in known(run(*rates)).cautions}
    assert "outage" in codes and not codes & {"in-run-drift", "in-run-variation", "level-shift"}


def test_the_level_is_that_of_the_traffic_even_if_it_is_out_for_longer_than_it_lasts():
    (text,) = texts(known(run(*[LEVEL] * 18, *[0.0] * 22)), "outage")
    assert "for 22.0 s (first at sample 19)" in text


def test_an_outage_lasts_as_long_as_its_samples_do():
    samples = [RateSample("receiver", 2.0 * i, 2.0, 0.0 if i in (7, 9) else LEVEL) for i in range(20)]
    (text,) = texts(known(samples), "outage")
    assert "for 4.0 s (first at sample 8)" in text


def dips(rate: float) -> list[float]:
    """A tenth of the samples at `rate`, never two in a row: the mean is off by a tenth of the difference."""
    return [rate if i % 10 == 5 else LEVEL for i in range(100)]


@pytest.mark.parametrize(
    ("rate", "flagged"),
    [
        (932_000, False),
        (901_000, False),
        (900_000, False),
        (899_000, True),
        (860_000, True),
        (1_101_000, True),
    ],
)
def test_a_mean_further_than_one_percent_from_the_median_is_flagged(rate: float, flagged: bool):
    assert told(dips(rate), "mean-differs") is flagged


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        (800_000, "The mean of the whole run, 980.0 kpps, is 2.0 % below the median of its window, 1.000 M"),
        (
            1_300_000,
            "The mean of the whole run, 1.030 Mpps, is 3.0 % above the median of its window, 1.000 M",
        ),
    ],
)
def test_the_mean_is_told_with_its_distance_from_the_median(rate: float, words: str):
    (text,) = texts(known(run(*dips(rate))), "mean-differs")
    assert text.startswith(words)


def test_a_long_sample_counts_for_its_length_in_the_mean():
    samples = run(*[LEVEL] * 20, 800_000.0, *[LEVEL] * 20)
    assert not texts(known(samples), "mean-differs")  # 0.5 %
    long = [RateSample("receiver", s.t * 5.0, 5.0 if s.pps < LEVEL else 1.0, s.pps) for s in samples]
    (text,) = texts(find(long, (-2.0, 300.0)), "mean-differs")
    assert "977.8 kpps, is 2.2 % below" in text  # (40 * 1e6 + 5 * 8e5) / 45


def lopsided(deviation: float, more: float) -> list[float]:
    """The median is a million, its absolute deviation `deviation`, and the mean `more` above the median."""
    high = deviation + more * 25 / 12
    return [LEVEL + (-deviation if i % 2 else high) * (i != 24) for i in range(25)]


@pytest.mark.parametrize(("errors", "flagged"), [(1.9, False), (2.95, False), (3.05, True), (4.4, True)])
def test_in_noise_the_mean_may_be_three_standard_errors_away(errors: float, flagged: bool):
    """For normal data the difference of mean and median has sqrt(pi / 2 - 1) times the mean's own error."""
    error = math.sqrt(math.pi / 2 - 1) * 1.4826 * 30_000 / math.sqrt(25)
    assert told(lopsided(30_000, errors * error), "mean-differs") is flagged


@pytest.mark.parametrize(
    ("more", "flagged"), [(20_500, False), (29_900, False), (30_100, True), (44_000, True)]
)
def test_however_noisy_a_run_is_three_percent_are_told(more: float, flagged: bool):
    assert told(lopsided(100_000, more), "mean-differs") is flagged


def climb(n: int, by: float, noise: float = 0.0) -> list[float]:
    """`by` per sample; the noise is as often above as below, and not alike from one second to the next."""
    return [LEVEL + i * by + noise * (1, -1, -1, 1)[i % 4] for i in range(n)]


@pytest.mark.parametrize(("share", "flagged"), [(0.68, False), (0.99, False), (1.01, True), (1.4, True)])
def test_more_than_one_percent_between_the_first_and_the_last_third_is_drift(share: float, flagged: bool):
    """The medians of the thirds of thirty samples are twenty samples apart; the level is after 14.5."""
    by = share * 0.01 * LEVEL / (20 - 14.5 * share * 0.01)
    assert told(climb(30, by), "in-run-drift") is flagged


@pytest.mark.parametrize(("n", "flagged"), [(14, False), (15, True), (17, True), (18, True)])
def test_a_third_of_fewer_than_five_samples_says_nothing_of_drift(n: int, flagged: bool):
    assert told(climb(n, 5_000), "in-run-drift") is flagged


@pytest.mark.parametrize(
    ("by", "words"),
    [(2_000, "moves by +4.0 % from the first"), (-2_000, "moves by −4.0 % from the first")],
)
def test_drift_is_told_with_its_direction_in_percent_of_the_first_third(by: float, words: str):
    (text,) = texts(known(run(*climb(30, by))), "in-run-drift")
    assert words in text


@pytest.mark.parametrize(("n", "errors"), [(60, 4 + 60 / 60), (36, 4 + 60 / 36)])
@pytest.mark.parametrize(("share", "flagged"), [(0.85, False), (0.98, False), (1.02, True), (1.15, True)])
def test_in_noise_drift_takes_four_standard_errors_and_sixty_divided_by_the_samples(
    n: int, errors: float, share: float, flagged: bool
):
    noise, third = 20_000.0, n // 3
    error = math.sqrt(math.pi / 2) * noise * math.sqrt(n / (n - 2)) * math.sqrt(2 / third)
    by = share * errors * error / (n - third)
    assert errors * error > 0.01 * LEVEL and by * third < 2 * noise, "the noise decides, and spans each third"
    assert told(climb(n, by, noise), "in-run-drift") is flagged


@pytest.mark.parametrize(
    ("long", "short", "words"),
    [
        (1_000_000, 800_000, "800.0 kpps for 30.0 s, 1.000 Mpps for the rest (−20.0 %)"),
        (800_000, 1_000_000, "1.000 Mpps for 30.0 s, 800.0 kpps for the rest (+25.0 %)"),
    ],
)
@pytest.mark.parametrize("first", ["long", "short"])
def test_the_level_that_lasted_longer_is_the_usual_one(long: float, short: float, words: str, first: str):
    rates = [long] * 31 + [short] * 30
    (text,) = texts(known(run(*rates[:: 1 if first == "long" else -1])), "level-shift")
    assert words in text
