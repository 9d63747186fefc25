"""Cells: iterations by factors. What differs in another factor, or is not known, is never pooled."""

from collections.abc import Mapping

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import FactorValue
from fwdtui.core.model import Case, Iteration, Session
from fwdtui.report.cells_of import Trial, cells, filtered, trials


def session(label: str, factors: Mapping[str, FactorValue], **cases: Mapping[str, FactorValue]) -> Session:
    """A session of two iterations a case; a keyword is a case with its factors."""
    made = [Case(name, (Iteration(1, 1.0), Iteration(2, 2.0)), given) for name, given in cases.items()]
    return Session(f"/s/{label}", label, "", cases=made, factors=factors)


@pytest.fixture
def patch() -> list[Trial]:
    """The 2x2 of a patch and a setting: two sessions, two cases each."""
    cases: dict[str, Mapping[str, FactorValue]] = {"off": {"config": "off"}, "on": {"config": "on"}}
    return trials([session("old", {"image": "old"}, **cases), session("new", {"image": "new"}, **cases)])


def shown(found: list[Trial], split: list[str]) -> list[str]:
    """Every cell as ``image=new config=off``."""
    return [
        " ".join(f"{name}={one.shown}" for name, one in cell.levels.items()) for cell in cells(found, split)
    ]


def test_cells_are_in_natural_order_and_hold_one_case_each(patch: list[Trial]) -> None:
    assert shown(patch, ["image", "config"]) == [
        "image=new config=off",
        "image=new config=on",
        "image=old config=off",
        "image=old config=on",
    ]
    one = cells(patch, ["image", "config"])[0]
    assert (one.session.label, one.case.name, len(one.case.iterations)) == ("new", "off", 2)


def test_iterations_that_differ_in_another_factor_are_not_pooled(patch: list[Trial]) -> None:
    with pytest.raises(
        FwdtuiError, match=r"with image=old differ in config \(config: off, on\).*--within config"
    ):
        cells(patch, ["image"])


def test_a_filter_leaves_one_level(patch: list[Trial]) -> None:
    assert shown(filtered(patch, {"config": "on"}), ["image"]) == ["image=new", "image=old"]
    with pytest.raises(FwdtuiError, match="no iteration has config=maybe; there are off, on"):
        filtered(patch, {"config": "maybe"})
    with pytest.raises(FwdtuiError, match="no iteration has config=off; there is only on"):
        filtered(filtered(patch, {"config": "on"}), {"config": "off"})


def test_a_factor_that_nothing_has_is_named_with_those_there_are(patch: list[Trial]) -> None:
    with pytest.raises(FwdtuiError, match="no iteration has the factor queues; there are image, config"):
        cells(patch, ["queues"])


def test_a_quantity_is_filtered_by_its_size() -> None:
    found = trials([session("s", {}, a={"rate": "300 kpps"}, b={"rate": "1 Mpps"})])
    assert [trial.case.name for trial in filtered(found, {"rate": "300000"})] == ["a", "a"]


def test_equal_factors_in_two_sessions_are_not_pooled() -> None:
    found = trials([session("monday", {"image": "x"}, a={}), session("tuesday", {"image": "x"}, a={})])
    with pytest.raises(FwdtuiError, match="are in monday a, tuesday a, and are not pooled"):
        cells(found, ["image"])
    assert shown(found, ["image", "session"]) == ["image=x session=monday", "image=x session=tuesday"]


def test_what_is_not_known_is_named() -> None:
    found = trials([session("s", {"image": "x"}, a={"af": ""}, b={"af": "inet6"})])
    with pytest.raises(FwdtuiError, match=r"^af is not known in s a: set it"):
        cells(found, ["af"])
    assert shown(filtered(found, {"af": "inet6"}), ["af"]) == ["af=inet6"]


def test_what_is_not_known_of_a_case_does_not_split_it() -> None:
    found = trials([session("s", {"image": "x"}, a={"af": ""})])
    assert shown(found, ["image"]) == ["image=x"]


def test_a_factor_that_some_lack_may_differ_there() -> None:
    found = trials([session("s", {"image": "x"}, a={"config": "on"}, b={})])
    with pytest.raises(FwdtuiError, match="differ in config"):
        cells(found, ["image"])


def test_sessions_without_factors_are_split_by_session_and_case() -> None:
    found = trials([session("r1", {}, a={}, b={}), session("r2", {}, a={}, b={})])
    assert len(shown(found, ["session", "case"])) == 4
    with pytest.raises(FwdtuiError, match="differ in case"):
        cells(found, ["session"])


def test_many_places_are_counted() -> None:
    found = trials([session(f"s{n}", {"image": "x"}, a={}) for n in range(6)])
    with pytest.raises(FwdtuiError, match="s0 a, s1 a, s2 a, s3 a and 2 more"):
        cells(found, ["image"])


def test_iterations_of_their_own_factor_are_split_within_a_case() -> None:
    case = Case("a", (Iteration(1, 1.0, factors={"rate": 1}), Iteration(2, 2.0, factors={"rate": 2})))
    found = trials([Session("/s", "s", "", cases=[case])])
    assert [cell.case.iterations[0].index for cell in cells(found, ["rate"])] == [1, 2]
