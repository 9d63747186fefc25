"""`compare --format json`: the keys of the contract in its order, null for what does not exist, never NaN."""

import json
import math

from hand_made import judged
from hypothesis import given, settings
from hypothesis import strategies as st

from fwdtui.core.model import Caution
from fwdtui.report.json_format import render
from fwdtui.stats.results import ResultSet
from fwdtui.stats.verdict import judge


def keys(value: object) -> object:
    """The document's shape: keys in order, without the values."""
    if isinstance(value, dict):
        return [(key, keys(inner)) if isinstance(inner, dict) else key for key, inner in value.items()]
    return None


def test_the_document_has_the_contracts_keys_in_the_contracts_order() -> None:
    document = json.loads(render([judged(warnings=(Caution("drift", "it falls"),)).comparison]))
    assert list(document) == [
        "schema",
        "comparisons",
        "interactions",
        "settings",
        "settings_between",
        "experiments",
        "drop_reasons",
    ]
    assert document["settings"] == []
    assert document["schema"] == 1
    side = ["label", "n", "min", "max", "median", "mean", "stddev"]
    difference = [
        "absolute",
        "percent",
        "ci_absolute",
        "ci_percent",
        "confidence",
        "p",
        "p_adjusted",
        "method",
        "family",
    ]
    analysis = ["unit", "paired", "rebooted", "base", "other", "order", "left_out", "to_decide"]
    analysis += ["look", "text"]
    ministat = ["differs", "absolute", "error", "percent", "percent_error", "pooled_s"]
    assert keys(document["comparisons"][0]) == [
        "case",
        ("base", side),
        ("other", side),
        ("difference", difference),
        ("ministat", ministat),
        "verdict",
        "margin_percent",
        "detectable_percent",
        "iterations_needed",
        "warnings",
        ("not_slower", ["proven", "p", "p_adjusted", "why_not"]),
        "to_decide",
        "cannot_say",
        "unit",
        "better",
        ("factors", [("base", []), ("other", [])]),
        ("analysis", analysis),
        "metric",
        "marked_by",
    ]
    assert document["comparisons"][0]["warnings"] == [{"code": "drift", "text": "it falls"}]


def test_a_number_that_does_not_exist_is_null() -> None:
    document = json.loads(render([judged(other=(), percent=None).comparison]))
    (comparison,) = document["comparisons"]
    assert comparison["other"] == {
        "label": "r368287 with D27401",
        "n": 0,
        "min": None,
        "max": None,
        "median": None,
        "mean": None,
        "stddev": None,
    }
    assert comparison["difference"]["ci_percent"] == [None, None]


def test_it_ends_with_a_line_end_and_keeps_other_scripts_readable() -> None:
    text = render([judged("日本").comparison])
    assert text.endswith("}\n")
    assert "日本" in text


values = st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=8).map(tuple)


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(max_size=10), values, values), max_size=4))
def test_any_values_give_strict_json(cases: list[tuple[str, tuple[float, ...], tuple[float, ...]]]) -> None:
    pairs = [(case, ResultSet("a", base), ResultSet("b", other)) for case, base, other in cases]
    text = render([one.comparison for one in judge(pairs)])

    def refuse(constant: str) -> float:
        raise AssertionError(f"{constant} in the document")

    document = json.loads(text, parse_constant=refuse)
    assert len(document["comparisons"]) == len(cases)
    numbers = [n for c in document["comparisons"] for n in c["difference"].values() if isinstance(n, float)]
    assert all(map(math.isfinite, numbers))
