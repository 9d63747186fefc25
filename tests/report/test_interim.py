"""The difference so far is that of iterations in one unit."""

from factored import case, session, values

from fwdtui.core.model import Iteration
from fwdtui.report.interim import interim_difference

BASE = session("old", {}, case("inet4", {}, values(1e6)))


def so_far(unit: str) -> list[Iteration]:
    return [Iteration(number, value, unit) for number, value in enumerate(values(1.2e6), 1)]


def test_it_is_judged_as_a_comparison_is() -> None:
    text = interim_difference(BASE, "inet4", so_far("pps"))
    assert text.startswith("so far +20.0") and text.endswith(" %, faster; against old")


def test_in_other_units_there_is_none() -> None:
    assert interim_difference(BASE, "inet4", so_far("Mb/s")) == (
        "pps and Mb/s cannot be compared: old and this run are in different units"
    )
