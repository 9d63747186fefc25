"""The steady window: what is left out at both ends, and what is flagged instead of hidden."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core.model import RateSample
from fwdtui.core.steady import find, summary


def run(*rates: float) -> list[RateSample]:
    return [RateSample("receiver", float(i), 1.0, float(rate)) for i, rate in enumerate(rates)]


def wobble(n: int, level: float = 1_000_000, amplitude: float = 0.001) -> list[float]:
    return [level * (1 + amplitude * math.sin(i * 2.4)) for i in range(n)]


def codes(samples: list[RateSample]) -> set[str]:
    return {caution.code for caution in find(samples).cautions}


def test_ramp_and_partial_last_second_are_left_out_and_named():
    samples = run(0, 0, 300_000, 800_000, *wobble(40), 310_000)
    found = find(samples)
    assert (found.window.head, found.window.tail, found.window.kept) == (4, 1, 40)
    assert "2 of them zero" in found.window.notes[0] and "2 below the level" in found.window.notes[0]
    assert "partial at 310000 pps" in found.window.notes[1]
    assert codes(samples) == set()


def test_first_and_last_interval_never_count_because_they_straddle_start_and_stop():
    found = find(run(*wobble(40)))
    assert (found.first, found.last) == (1, 39)


def test_an_outage_in_the_middle_stays_in_the_window_and_is_flagged():
    samples = run(*wobble(20), 0, 0, 0, *wobble(20))
    found = find(samples)
    assert found.window.kept == 41
    (caution,) = found.cautions
    assert caution.code == "outage" and "3.0 s" in caution.text


def test_an_all_zero_log_has_no_value_and_says_so():
    found = find(run(0, 0, 0, 0, 0, 0))
    assert found.window.kept == 0 and codes(run(0, 0, 0)) == {"no-traffic"}


def test_an_empty_log_has_no_value_and_says_so():
    assert find([]).cautions[0].code == "no-traffic"


def test_variation_above_one_percent_is_flagged():
    assert "in-run-variation" in codes(run(*wobble(60, amplitude=0.03)))
    assert "in-run-variation" not in codes(run(*wobble(60, amplitude=0.005)))


def test_a_slow_climb_is_flagged_as_drift_and_noise_is_not():
    assert "in-run-drift" in codes(run(*[1e6 * (1 + i * 0.0005) for i in range(60)]))
    assert "in-run-drift" not in codes(run(*wobble(60, amplitude=0.02)))


def test_a_window_of_few_samples_is_flagged():
    assert "short-window" in codes(run(*wobble(8)))


def test_a_run_that_never_settles_counts_whole_and_says_so():
    samples = run(*[1e6 if i % 2 else 5e5 for i in range(41)], 2e6)
    assert "unsteady" in codes(samples) or find(samples).window.kept > 0


@given(st.lists(st.floats(0, 1e9), max_size=80))
def test_every_sample_is_either_kept_or_counted_as_left_out(rates):
    found = find(run(*rates))
    window = found.window
    assert window.head + window.kept + window.tail + window.inside == len(rates)
    assert window.kept == found.last - found.first


@given(st.lists(st.floats(0, 1e9), min_size=1))
def test_a_summary_is_ordered(rates):
    result = summary(rates)
    assert result is not None
    assert result.min <= result.median <= result.max
    assert result.n == len(rates)


def test_no_samples_have_no_summary():
    assert summary([]) is None


def test_real_runs_lose_two_or_three_samples_not_a_third_of_the_run(netbenches):
    from fwdtui.core.parse.netmap_pktgen import parse

    for path in sorted(netbenches.rglob("*.receiver")):
        window = find(parse(path.read_text()).samples()).window
        assert window.head == 1 and window.tail in (1, 2), path.name


def test_the_steady_median_stays_within_the_noise_of_the_published_one(netbenches):
    from fwdtui.core import netbenches as published
    from fwdtui.core.parse.netmap_pktgen import parse

    for path in sorted(netbenches.rglob("*.receiver")):
        log = parse(path.read_text())
        samples = log.samples()
        found = find(samples)
        mine = summary([s.pps for s in samples[found.first : found.last]])
        rates, _ = published.kept(log)
        theirs = published.value(rates)
        assert mine is not None and theirs is not None
        assert mine.median == pytest.approx(theirs, rel=0.006), path.name
