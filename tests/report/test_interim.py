"""The difference so far is that of iterations in one unit."""

import msgspec
from factored import case, session, values

from fwdtui.core.model import Case, Iteration
from fwdtui.report.against import against
from fwdtui.report.interim import interim_difference
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
