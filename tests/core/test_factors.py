"""Factors: names, levels and their merging. What is not known equals nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import (
    CASE,
    SESSION,
    FactorValue,
    Level,
    accepted,
    assignment,
    factor_name,
    in_order,
    level,
    levels_of,
    may_differ,
    merged,
    natural,
    of_iteration,
    plain,
    unit_of,
    varying,
)


@pytest.mark.parametrize(
    ("name", "value", "number", "unit", "shown"),
    [
        ("queues", 24, 24.0, "", "24"),
        ("queues", "24", 24.0, "", "24"),
        ("queues", 2.5, 2.5, "", "2.5"),
        ("queues", 24.0, 24.0, "", "24"),
        ("frame_size", 64, 64.0, "B", "64 B"),
        ("frame_size", "1518 B", 1518.0, "B", "1518 B"),
        ("frame_size", "1518 bytes", 1518.0, "B", "1518 bytes"),
        ("rate", "300 kpps", 300_000.0, "pps", "300 kpps"),
        ("rate", "14.88Mpps", 14_880_000.0, "pps", "14.88Mpps"),
        ("rate", 300000, 300_000.0, "pps", "300000 pps"),
        ("limit", "1.5 Gb/s", 1.5e9, "b/s", "1.5 Gb/s"),
        ("timer", "50 us", 50e-6, "s", "50 us"),
        ("load", "10 %", 10.0, "%", "10 %"),
        ("load", -3, -3.0, "", "-3"),
        ("queues", 0, 0.0, "", "0"),
    ],
)
def test_a_quantity_has_a_number_and_a_unit(
    name: str, value: FactorValue, number: float, unit: str, shown: str
) -> None:
    found = level(name, value)
    assert (found.number, found.unit, found.shown) == (pytest.approx(number), unit, shown)


@pytest.mark.parametrize(
    "value", ["6.10", "007", "1.0", "1 banana", "1234567890123456789", "x1", "1e3", "- 1"]
)
def test_what_may_be_an_identifier_is_a_name(value: str) -> None:
    assert level("kernel", value) == Level(value)


@pytest.mark.parametrize("name", ["image", "config", "af", "order", SESSION, CASE])
def test_an_image_is_never_a_number(name: str) -> None:
    assert level(name, "6.1") == Level("6.1")
    assert level(name, 6) == Level("6")


def test_one_quantity_in_two_units_is_one_level() -> None:
    assert level("rate", "300 kpps").identity == level("rate", 300_000).identity
    assert level("rate", "300 kpps").identity != level("rate", "300 kb/s").identity
    assert level("kernel", "6.10").identity != level("kernel", "6.1").identity


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("rate", "1.005 kpps", "1005 pps"),
        ("rate", "2.01 Mpps", "2010 kpps"),
        ("timer", "0.1 ms", "100 us"),
        ("limit", "0.000007 Gb/s", "7 kb/s"),
    ],
)
def test_a_unit_costs_no_digit(name: str, one: str, other: str) -> None:
    """As floats these differ in the last bit, which would make two levels of one."""
    assert level(name, one).identity == level(name, other).identity


def test_identifiers_longer_than_a_float_are_names() -> None:
    """15 digits are kept by a float; of two that are longer, both may be the same float."""
    assert level("build", "999999999999999").number == 999999999999999.0
    assert level("build", "0.12345678901234").number == 0.12345678901234
    for one, other in [
        ("999999999999999999", "999999999999999998"),
        ("1.000000000000001", "1.0000000000000012"),
        ("99999999999999999 pps", "99999999999999998 pps"),
    ]:
        assert level("build", one) == Level(one)
        assert level("build", one).identity != level("build", other).identity


def test_a_later_layer_replaces_the_value_and_keeps_the_place() -> None:
    found = merged({"image": "a", "af": "inet4"}, {"queues": 4}, {"image": "b"})
    assert list(found) == ["image", "af", "queues"]
    assert [one.shown for one in found.values()] == ["b", "inet4", "4"]


def test_without_factors_there_are_session_and_case() -> None:
    assert of_iteration("r1", "inet4") == {SESSION: Level("r1"), CASE: Level("inet4")}
    assert of_iteration("r1", "inet4", {"af": "inet4"}) == {"af": Level("inet4")}


def test_an_unknown_level_equals_nothing_not_even_another_unknown_one() -> None:
    unknown = merged({"af": ""})
    assert not unknown["af"].known
    assert unknown["af"].shown == "unknown"
    assert len(levels_of("af", [unknown, unknown])) == 2
    assert len(levels_of("af", [merged({"af": "inet4"}), {}])) == 2
    assert len(levels_of("af", [merged({"af": "inet4"})] * 2)) == 1


def test_what_varies_is_named_in_the_usual_order() -> None:
    runs = [merged({"odd": 1, "queues": q, "image": i, "af": "inet4"}) for q in (1, 2) for i in ("a", "b")]
    assert varying(runs) == ["image", "queues"]
    assert varying(runs[:1]) == []
    assert varying([]) == []


def test_the_fields_names_come_first() -> None:
    assert in_order(["zeta", "order", "alpha", "image", "zeta"]) == ["image", "order", "zeta", "alpha"]


def test_levels_sort_as_people_count() -> None:
    names = ["r10", "r9", "", "R1", "r9a", "12", "2"]
    assert [one.text for one in sorted((level("image", name) for name in names), key=natural)] == [
        "2",
        "12",
        "R1",
        "r9",
        "r9a",
        "r10",
        "",
    ]
    sizes = [level("frame_size", size) for size in ("1518", "64", "128", "jumbo")]
    assert [one.shown for one in sorted(sizes, key=natural)] == ["64 B", "128 B", "1518 B", "jumbo"]


@pytest.mark.parametrize(
    ("text", "name"), [("Frame-Size", "frame_size"), (" af ", "af"), ("dev.mce.conf", "dev.mce.conf")]
)
def test_names_are_written_in_one_way(text: str, name: str) -> None:
    assert factor_name(text) == name


@pytest.mark.parametrize("text", ["", "4q", "a=b", "a,b", "é", "a" * 65])
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(FwdtuiError, match="not the name of a factor"):
        factor_name(text)


def test_the_longest_name() -> None:
    assert factor_name("a" * 64) == "a" * 64


def test_assignments() -> None:
    assert assignment("AF = inet4") == ("af", "inet4")
    assert assignment("cmd=a=b") == ("cmd", "a=b")
    for text in ("af", "af=", "=x", "4=x"):
        with pytest.raises(FwdtuiError):
            assignment(text)


def test_a_files_odd_names_are_told_and_the_rest_is_used() -> None:
    good, problems = accepted({"AF": " inet4\x1b[2J ", "4q": 1, "queues": 2}, "session.toml")
    assert good == {"af": "inet4[2J", "queues": 2}
    assert problems == [
        "session.toml: '4q' is not the name of a factor: write it as frame_size; it is not used"
    ]


def test_of_one_factor_under_two_spellings_the_first_counts_and_the_other_is_told() -> None:
    good, problems = accepted({"frame-size": 64, "Frame_Size": 1518}, "session.toml")
    assert good == {"frame_size": 64}
    assert problems == [
        "session.toml: 'Frame_Size' is another spelling of frame_size, which is already given; it is not used"
    ]


def test_json_has_numbers_for_bare_quantities() -> None:
    found = merged({"queues": 4, "load": 2.5, "frame_size": 64, "af": "inet4", "x": ""})
    assert [plain(one) for one in found.values()] == [4, 2.5, "64 B", "inet4", None]


@given(st.text(max_size=40) | st.integers(-(2**63), 2**64 - 1) | st.floats())
def test_no_value_is_refused_and_any_two_sort(value: FactorValue) -> None:
    one, other = level("queues", value), level("queues", "24")
    assert sorted([one, other], key=natural)
    assert one.known or (isinstance(value, str) and one.text == "")


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("5 pps", 5.0, "pps"), ("5 kpps", 5e3, "pps"), ("5 Mpps", 5e6, "pps"), ("5 Gpps", 5e9, "pps"),
        ("5 b/s", 5.0, "b/s"), ("5 kb/s", 5e3, "b/s"), ("5 Mb/s", 5e6, "b/s"), ("5 Gb/s", 5e9, "b/s"),
        ("5 us", 5e-6, "s"), ("5 ms", 5e-3, "s"), ("5 s", 5.0, "s"), ("5 B", 5.0, "B"), ("5 %", 5.0, "%"),
    ],
)  # fmt: skip
def test_a_unit_is_scaled_by_its_prefix(text: str, number: float, unit: str) -> None:
    found = level("other", text)
    assert (found.number, found.unit) == (pytest.approx(number), unit)


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        ("5 minutes", "minutes"), ("5 s", "s"), ("5s", "s"), ("2.5Mpps", "Mpps"), ("-1 %", "%"),
        ("82599ES", ""), ("5", ""), ("", ""), ("minutes", ""), ("5 s s", ""), (5, ""), (2.5, ""),
    ],
)  # fmt: skip
def test_a_unit_may_have_been_meant_where_a_blank_or_a_known_unit_follows_a_number(
    value: FactorValue, unit: str
) -> None:
    assert unit_of(value) == unit


@pytest.mark.parametrize(
    ("values", "differs"),
    [
        (["inet4", "inet4"], False),
        (["inet4", "inet6"], True),
        (["inet4", ""], True),
        (["", ""], False),  # unknown in all: nothing says that it was varied
        ([""], False),
        ([], False),
    ],
)
def test_a_factor_may_differ_where_two_levels_are_known_or_one_and_an_unknown(
    values: list[str], differs: bool
) -> None:
    assert may_differ("af", [merged({"af": value}) for value in values]) is differs


def test_quantities_come_before_names_and_names_before_what_is_not_known() -> None:
    found = [level("queues", value) for value in ("", "-5 s", "many", "-1", "2 queues", "10")]
    assert [one.text for one in sorted(found, key=natural)] == ["-1", "10", "-5 s", "2 queues", "many", ""]


def test_numbers_in_names_come_before_letters() -> None:
    names = ["ab", "a1", "a", "1a", "a01"]
    found = sorted((level("image", name) for name in names), key=natural)
    assert [one.text for one in found] == ["1a", "a", "a01", "a1", "ab"]
