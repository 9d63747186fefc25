"""The running number of an iteration: recorded with each, it is no condition of the test."""

from collections.abc import Mapping, Sequence

import msgspec
import pytest
from factored import cube, session

from fwdtui.core.factors import FactorValue
from fwdtui.core.model import Session
from fwdtui.report.cells_of import compared_of, trials
from fwdtui.report.comparison import Compared, judge_sides
from fwdtui.report.factor_view import AS_GIVEN, FactorView
from fwdtui.report.factors_there import varying
from fwdtui.report.json_format import render
from fwdtui.report.sides import of_session
from fwdtui.report.sweep import Wanted, sweeps

IMAGE = FactorView(("image",))


def ordered(made: Session, start: int = 1) -> Session:
    """The same session with a running number through all its cases."""
    number = start
    cases = []
    for case in made.cases:
        iterations = []
        for one in case.iterations:
            iterations.append(msgspec.structs.replace(one, factors={**one.factors, "order": number}))
            number += 1
        cases.append(msgspec.structs.replace(case, iterations=tuple(iterations)))
    return msgspec.structs.replace(made, cases=tuple(cases))


def with_factors(made: Session, factors: Mapping[str, FactorValue]) -> Session:
    return msgspec.structs.replace(made, factors={**made.factors, **factors})


def judged(sessions: Sequence[Session], view: FactorView) -> Compared:
    return judge_sides([of_session(one) for one in sessions], view=view)


@pytest.mark.parametrize("view", [IMAGE, AS_GIVEN, FactorView(("config", "image"))])
def test_rows_and_verdicts_are_what_they_are_without_it(view: FactorView) -> None:
    plain = judged(cube(), view)
    # the second image ran after the first: its numbers go on, so the two have none in common
    found = judged([ordered(one, 1 + 100 * place) for place, one in enumerate(cube())], view)
    assert [one.comparison for one in found.judged] == [one.comparison for one in plain.judged]
    texts = [render([one.comparison for one in made.judged], made.interactions) for made in (found, plain)]
    assert texts[0] == texts[1]


def test_a_sweep_has_the_same_charts() -> None:
    def charts(sessions: Sequence[Session]) -> list[tuple[str, ...]]:
        found = sweeps(trials(sessions), Wanted("config")).charts
        return [tuple(one.fixed) for one in found]

    assert charts([ordered(one) for one in cube()]) == charts(cube())


def test_it_is_offered_for_nothing_but_can_be_asked_for() -> None:
    sessions = [ordered(one) for one in cube()]
    assert [one.name for one in varying([of_session(one) for one in sessions])] == ["image", "config", "af"]
    assert compared_of(trials(sessions)) == ["image", "config", "af"]
    only = FactorView(("image",), filters=(("order", "1"),))
    assert [len(side.cases) for side in judged(sessions, only).sides] == [1, 1]


def test_an_order_of_whole_sessions_is_one_that_the_difference_may_be_due_to() -> None:
    def codes(orders: Sequence[Mapping[str, FactorValue]]) -> set[str]:
        made = [with_factors(one, order) for one, order in zip(cube(), orders, strict=True)]
        found = judged(made, IMAGE)
        return {warning.code for one in found.judged for warning in one.comparison.warnings}

    assert "confounded" in codes([{"order": "first"}, {"order": "second"}])
    assert not {"confounded", "factor-unknown"} & codes([{"order": "first"}, {}])
    named = session("s", {}, *cube()[0].cases)
    assert "order" in compared_of(trials([with_factors(named, {"order": "a"}), cube()[1]]))
