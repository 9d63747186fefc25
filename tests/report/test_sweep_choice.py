"""Which sweeps some iterations offer: three levels or more, numbers first, and lines that are lines."""

import pytest
from swept import around, case, queues, session

from fwdtui.core.errors import FwdtuiError
from fwdtui.report.cells_of import trials
from fwdtui.report.sweep import Sweeps, Wanted, sweeps
from fwdtui.report.sweep_choice import axes, first, first_series, series

THREE = {1: 1e6, 2: 2e6, 4: 4e6}


def test_factors_with_three_levels_or_more_are_offered_numbers_first() -> None:
    cases = [
        case(f"{q}.{c}", around(1e6), config=c, queues=q, af=af)
        for q in (1, 2, 4)
        for c in ("a", "b", "c")
        for af in ("inet4",)
    ]
    assert axes(trials([session("s", *cases)])) == ["queues", "config"]
    assert axes(trials([queues("s", {1: 1e6, 2: 2e6})])) == []


def test_lines_can_be_drawn_for_factors_and_sessions_whose_levels_were_swept() -> None:
    found = trials([queues("a", THREE, image="old"), queues("b", THREE, image="new")])
    assert series(found, "queues") == ["", "image", "session"]
    assert first_series(found, "queues") == "image"


def test_sessions_of_one_level_each_make_no_lines() -> None:
    found = trials([queues(f"q{q}", {q: 1e6}) for q in (1, 2, 4)])
    assert series(found, "queues") == [""]
    assert first_series(found, "queues") == ""


def test_where_two_factors_vary_each_combination_is_a_chart_at_first() -> None:
    cases = [
        case(f"{q}.{c}.{af}", around(1e6), config=c, queues=q, af=af)
        for q in (1, 2, 4)
        for c in ("a", "b")
        for af in ("inet4", "inet6")
    ]
    assert first_series(trials([session("s", *cases)]), "queues") == ""


def test_dozens_of_levels_of_the_only_other_factor_are_neither_charts_nor_lines() -> None:
    cases = [case(f"{q}.{f}", around(1e6), queues=q, flows=f) for q in (1, 2, 4) for f in range(13)]
    found = trials([session("s", *cases)])
    assert series(found, "queues") == [""]
    assert first_series(found, "queues") == ""


def test_what_would_make_too_many_charts_is_drawn_by_lines_or_over_another_factor() -> None:
    cases = [
        case(f"{q}.{f}.{r}", around(1e6 * q), queues=q, flows=f, rate=r)
        for q in (1, 2, 4, 8)
        for f in (1, 10, 100, 1000)
        for r in (100, 200, 300, 400)
    ]
    found = trials([session("s", *cases)])

    def drawn(x: str, name: str) -> Sweeps:
        return sweeps(found, Wanted(x, name))

    x = axes(found)[0]
    with pytest.raises(FwdtuiError, match="would make 16 charts"):
        drawn(x, first_series(found, x))
    made, *chosen = first(found, drawn)
    assert chosen == [x, series(found, x)[1]] and len(made.charts) == 4

    many = [case(f"{q}.{f}", around(1e6), queues=q, flows=f) for q in (1, 2, 4) for f in range(13)]
    found = trials([session("s", *many)])
    made, x, name = first(found, drawn)
    assert (x, name) == ("flows", "queues") and len(made.charts) == 1


def test_where_no_sweep_is_possible_the_first_reason_is_told() -> None:
    found = trials([queues("s", {1: 1e6, 2: 2e6})])
    with pytest.raises(FwdtuiError, match="no factor has three levels or more here"):
        first(found, lambda x, name: sweeps(found, Wanted(x, name)))

    def refused(x: str, name: str) -> Sweeps:
        raise FwdtuiError(f"not over {x} with {name or 'one line'}")

    found = trials([queues("a", THREE, image="old"), queues("b", THREE, image="new")])
    with pytest.raises(FwdtuiError, match="not over queues with image"):
        first(found, refused)
