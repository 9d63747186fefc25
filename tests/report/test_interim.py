"""The difference so far is that of iterations in one unit."""

import msgspec
import pytest
from factored import case, session, values

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.model import Case, Fact, Iteration, Summary
from fwdtui.report.against import against
from fwdtui.report.interim import baseline_median, interim_difference
from fwdtui.stats.wording import difference_cell

BASE = session("old", {}, case("inet4", {}, values(1e6)))


def so_far(unit: str, mean: float = 1.2e6) -> list[Iteration]:
    return [Iteration(number, value, unit) for number, value in enumerate(values(mean), 1)]


def test_it_is_judged_as_a_comparison_is() -> None:
    text = interim_difference(BASE, "inet4", so_far("pps"))
    assert text.startswith("so far +20.0") and text.endswith(" %, faster; against old")


def test_boots_that_differ_are_no_difference_of_the_builds_as_in_a_comparison() -> None:
    levels = {"a": 0.99e6, "b": 1.00e6, "c": 1.01e6}
    numbers = [(boot, value) for boot, level in levels.items() for value in values(level)]
    iterations = [Iteration(n, value, boot=boot) for n, (boot, value) in enumerate(numbers, 1)]
    base = session("old", {}, Case("inet4", tuple(iterations)))
    now = [msgspec.structs.replace(one, boot="d") for one in so_far("pps", 1.02e6)]
    text = interim_difference(base, "inet4", now)
    assert "(by boot), inconclusive" in text
    saved = session("new", {}, Case("inet4", tuple(now)))
    (judged,) = against(base, saved).judged
    assert text.startswith(f"so far {difference_cell(judged.comparison.difference)} (by boot), ")


def test_in_other_units_there_is_none() -> None:
    assert interim_difference(BASE, "inet4", so_far("Mb/s")) == (
        "pps and Mb/s cannot be compared: old and this run are in different units"
    )


def test_a_baseline_in_other_units_has_no_median_beside_packets_per_second() -> None:
    assert baseline_median(BASE, "inet4") == pytest.approx(1e6)
    megabits = case("inet4", {}, values(874.0), "Mb/s")
    assert baseline_median(session("vpn", {}, megabits), "inet4") is None
    both = Case("inet4", (*BASE.cases[0].iterations, *megabits.iterations))
    assert baseline_median(session("mixed", {}, both), "inet4") is None


def test_where_there_is_no_verdict_nothing_is_told_against_the_baselines_median() -> None:
    base = session("old", {"af": "inet4", "frame_size": 64}, BASE.cases[0])
    same = {"af": "inet4", "frame_size": "64 B"}
    assert baseline_median(base, "inet4", so_far("pps"), same) == pytest.approx(1e6)
    longer = {**same, "frame_size": 1518}
    assert "is not shown: it is" in interim_difference(base, "inet4", so_far("pps"), factors=longer)
    assert baseline_median(base, "inet4", so_far("pps"), longer) is None
    of_queues = [
        msgspec.structs.replace(one, factors={"queues": 1 + one.index % 2})
        for one in BASE.cases[0].iterations
    ]
    assert baseline_median(session("two", {}, Case("inet4", tuple(of_queues))), "inet4") is None


def offered(iterations: list[Iteration], load: float) -> list[Iteration]:
    return [
        msgspec.structs.replace(one, metrics={"offered": Summary(load, load, load, load, 9)})
        for one in iterations
    ]


def test_other_loads_mark_the_verdict_as_in_a_comparison() -> None:
    base = session("old", {}, Case("inet4", tuple(offered(so_far("pps", 1e6), 2e6))))
    assert "faster; against" in interim_difference(base, "inet4", offered(so_far("pps"), 2e6))
    assert "faster ! (loads-differ); against old" in interim_difference(
        base, "inet4", offered(so_far("pps"), 3e6)
    )


def test_factors_of_another_test_mark_the_verdict_and_other_frames_have_none() -> None:
    base = session("old", {"af": "inet4", "frame_size": 64}, case("inet4", {}, values(1e6)))
    same = {"af": "inet4", "frame_size": 64}
    assert "faster; against old" in interim_difference(base, "inet4", so_far("pps"), factors=same)
    other = interim_difference(base, "inet4", so_far("pps"), factors={**same, "af": "inet6"})
    assert "faster ! (factors-differ); against old" in other
    longer = interim_difference(base, "inet4", so_far("pps"), factors={**same, "frame_size": 1518})
    assert longer.startswith(
        "the difference to old is not shown: it is not the same test: frame_size is 64 B in the baseline "
    )


def test_frames_that_only_the_recorded_labs_know_are_another_test_too() -> None:
    def lab(frame: int) -> dict[str, Fact]:
        return {"generator.host": "gen", "generator.command": "send", "generator.frame": frame}

    base = msgspec.structs.replace(BASE, facts=lab(64))
    assert "faster; against old" in interim_difference(base, "inet4", so_far("pps"), facts=lab(64))
    longer = interim_difference(base, "inet4", so_far("pps"), facts=lab(1518))
    assert longer.startswith(
        "the difference to old is not shown: it is not the same test: according to the recorded labs, frames "
    )
    assert baseline_median(base, "inet4", so_far("pps"), facts=lab(64)) == pytest.approx(1e6)
    assert baseline_median(base, "inet4", so_far("pps"), facts=lab(1518)) is None


def test_a_baseline_of_several_tests_is_not_pooled() -> None:
    mixed = [msgspec.structs.replace(one, factors={"flows": one.index % 2 + 1}) for one in so_far("pps")]
    base = session("old", {}, Case("inet4", tuple(mixed)))
    with pytest.raises(FwdtuiError, match="differ in flows, and are not pooled"):
        interim_difference(base, "inet4", so_far("pps"))
