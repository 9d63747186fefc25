"""What a look says is what the report says: of the same sets, limits, baselines and interactions."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

from fwdtui.core.experiment import DesignFactor, Experiment, LevelSetup, Plan, StopRule, Traffic
from fwdtui.core.experiment.order import plan
from fwdtui.core.factors import FactorValue
from fwdtui.core.model import Case, Fact, Iteration, Planned, Session, Summary
from fwdtui.report.comparison import Compared, judge_sides
from fwdtui.report.experiment_view import by_design, margin_of
from fwdtui.report.factor_view import AS_GIVEN
from fwdtui.report.looking import look_now
from fwdtui.report.sides import of_session
from fwdtui.stats.looks import planned_looks

LOOKS = StopRule("looks", looks=(5,))
LINE: Mapping[str, Fact] = {"generator.host": "gen", "generator.line_rate": 1_000_000}


def design(*factors: tuple[str, Sequence[FactorValue]], **more: Any) -> Plan:
    named = tuple(DesignFactor(name, tuple(map(LevelSetup, levels))) for name, levels in factors)
    return plan(Experiment("night", "lab.toml", named, **{"blocks": 10, "stop": LOOKS} | more), "ab" * 32)


def session(
    of: Plan, values: Sequence[Sequence[float]], facts: Mapping[str, Fact] = {}, **more: Any
) -> Session:
    """The session after as many blocks as each cell has values."""
    looks, cases = planned_looks(of), []
    for cell, mine in zip(of.cells, values, strict=True):
        trials = [trial for trial in of.trials if trial.cell == cell.number]
        places = [Planned(of.digest[:16], one.number, one.block, looks=looks) for one in trials]
        iterations = tuple(
            Iteration(number, float(value), planned=place, **more)
            for number, (value, place) in enumerate(zip(mine, places, strict=False), 1)
        )
        cases.append(Case(cell.name, iterations, cell.factors))
    return Session("/s/night", "night", "2026-01-02T03:04:05+00:00", facts, cases)


def reported(of: Plan, measured: Session) -> Compared:
    return judge_sides(
        [of_session(measured)], view=by_design(of, AS_GIVEN), margin=margin_of(of), settings=False
    )


def verdicts(compared: Compared) -> tuple[str, ...]:
    return tuple(one.comparison.verdict for one in compared.judged)


def against(compared: Compared) -> list[tuple[Mapping[str, FactorValue | None], ...]]:
    return [(one.base.factors, one.other.factors) for one in compared.judged]


def test_at_line_rate_neither_says_equivalent() -> None:
    made = design(("rules", (0, 100)))
    near = [1e6 * (0.9990 + 0.0001 * n) for n in (3, 1, 4, 2, 5)]
    measured = session(made, [near, near[::-1]], LINE)
    found = look_now(measured, made, 5, 1)
    assert found.verdicts == verdicts(reported(made, measured)) == ("capped",)
    assert found.reason.startswith("Nothing more can be decided at look 1 of 2, at 99 %: rules=100 reached ")
    assert look_now(session(made, [near, near[::-1]]), made, 5, 1).verdicts == ("equivalent",)


def test_at_the_offered_load_neither_does() -> None:
    made = design(("rules", (0, 100)))
    load = Summary(1e6, 1e6, 1e6, 1e6, 9)
    near = [1e6 * (0.9990 + 0.0001 * n) for n in (3, 1, 4, 2, 5)]
    measured = session(made, [near, near[::-1]], metrics={"offered": load})
    assert look_now(measured, made, 5, 1).verdicts == verdicts(reported(made, measured)) == ("capped",)


def test_interactions_share_the_error_of_a_look_as_they_do_in_the_report() -> None:
    made = design(("tx", (0, 1)), ("rules", (0, 100)))
    differing = 0
    for seed in range(40):
        values = 1e6 * (1.0 + 0.004 * np.random.default_rng(seed).normal(size=(4, 5)))
        values[2:] *= 1.022
        measured = session(made, values.tolist())
        compared = reported(made, measured)
        assert len(compared.interactions) == 1
        found = look_now(measured, made, 5, 1)
        assert found.verdicts == verdicts(compared)
        assert found.confidence == compared.judged[0].comparison.difference.confidence == 99.0
        differing += "inconclusive" in found.verdicts and "faster" in found.verdicts
    assert differing, "else the interaction decides nothing here"


LISTED: list[tuple[list[tuple[int, int]], list[tuple[tuple[int, int], tuple[int, int]]]]] = [
    ([(1, 100), (0, 0), (0, 200)], [((1, 100), (0, 0)), ((1, 100), (0, 200))]),
    ([(0, 100), (0, 0), (1, 0)], [((0, 100), (0, 0)), ((0, 100), (1, 0))]),
    ([(0, 200), (0, 0), (0, 100)], [((0, 200), (0, 0)), ((0, 200), (0, 100))]),
    ([(0, 0), (0, 100), (1, 0)], [((0, 0), (0, 100)), ((0, 0), (1, 0))]),
    ([(1, 0), (0, 0)], [((1, 0), (0, 0))]),
    ([(1, 0), (1, 100), (0, 0), (0, 100)], [((1, 0), (0, 0)), ((1, 100), (0, 100))]),
    (list(product((0, 1), (0, 100, 200))), [((0, rules), (1, rules)) for rules in (0, 100, 200)]),
]


@pytest.mark.parametrize(("listed", "expected"), LISTED)
def test_of_listed_cells_the_first_is_the_baseline_of_both(
    listed: list[tuple[int, int]], expected: list[tuple[tuple[int, int], tuple[int, int]]]
) -> None:
    cells = tuple({"tx": tx, "rules": rules} for tx, rules in listed)
    made = design(("tx", (0, 1)), ("rules", (0, 100, 200)), cells=cells)
    spread = np.array([0.3, -0.1, 0.2, 0.0, -0.4])
    values = [(1e6 * (1.0 - 0.03 * n) * (1.0 + spread / 100.0)).tolist() for n in range(len(cells))]
    measured = session(made, values)
    compared = reported(made, measured)
    told = sorted((tuple(base.values()), tuple(other.values())) for base, other in against(compared))
    assert told == sorted(expected)
    assert look_now(measured, made, 5, 1).verdicts == verdicts(compared)


def test_traffic_is_a_factor_and_each_profile_has_its_own_baseline() -> None:
    profiles = tuple(Traffic(name, (f"send {name}",)) for name in ("udp4", "udp6"))
    values = [[1e6, 1.001e6, 0.999e6, 1.002e6, 0.998e6]] * 4
    made = design(("image", ("a", "b")), traffic=profiles)
    compared = reported(made, session(made, values))
    assert [(base["traffic"], other["traffic"]) for base, other in against(compared)] == [
        (name, name) for name in ("udp4", "udp6")
    ]
    made = design(("image", ("a",)), traffic=profiles)
    compared = reported(made, session(made, values[:2]))
    assert [(base["traffic"], other["traffic"]) for base, other in against(compared)] == [("udp4", "udp6")]


def test_a_look_names_what_is_open_by_its_cell() -> None:
    made = design(("tx", (0, 1)), ("rules", (0, 100)))
    wild = [[1e6 * (1.0 + 0.05 * n) for n in (0, 3, -2, 1, -1)], [1e6, 1.1e6, 0.9e6, 1.05e6, 1.2e6]]
    measured = session(made, [wild[0], [1e6] * 5, wild[1], [0.5e6 + 10.0 * n for n in range(5)]])
    found = look_now(measured, made, 5, 1)
    assert found.reason == "Still open at look 1 of 2, at 99 %: tx=1 rules=0."


def test_a_precision_is_that_of_the_intervals_of_the_report() -> None:
    made = design(("rules", (0, 100)), stop=StopRule("precision", precision=0.5))
    values = [
        [1e6 * (1.0 + 0.001 * n) for n in (0, 2, -1, 1, -2)],
        [1e6 * (1.01 + 0.001 * n) for n in (1, 1, -1, 0, -2)],
    ]
    measured = session(made, values)
    found, (judged,) = look_now(measured, made, 5, 1), reported(made, measured).judged
    assert judged.comparison.difference.ci_percent is not None
    low, high = judged.comparison.difference.ci_percent
    assert found.ends == (high - low <= 2 * 0.5) is True
    assert found.verdicts == (judged.comparison.verdict,)


def test_nothing_is_decided_without_a_value_of_each_cell() -> None:
    made = design(("rules", (0, 100, 200)))
    clear = [[1e6, 1.001e6, 0.999e6, 1.002e6, 0.998e6], [2e6, 2.001e6, 1.999e6, 2.002e6, 1.998e6], []]
    found = look_now(session(made, clear), made, 5, 1)
    assert (found.ends, found.reason) == (False, "Nothing is decided without a value of rules=200.")


def test_where_nothing_is_compared_nothing_is_decided() -> None:
    one = design(("rules", (0,)))
    found = look_now(session(one, [[1e6] * 5]), one, 5, 1)
    assert (found.ends, found.reason) == (False, "5 of 10 blocks are measured.")
    made = design(("rules", (0, 100)))
    mixed = session(made, [[1e6] * 5, [2e6] * 5])
    other = tuple(
        Iteration(n, 1e6, unit="Mb/s", planned=i.planned) for n, i in enumerate(mixed.cases[1].iterations, 1)
    )
    mixed = Session(
        mixed.path, "", mixed.created, cases=(mixed.cases[0], Case("rules=100", other, {"rules": 100}))
    )
    found = look_now(mixed, made, 5, 1)
    assert not found.ends and found.reason.startswith("Nothing can be compared: ")
