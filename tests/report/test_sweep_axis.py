"""The axis of a sweep: when it is logarithmic, what its levels are called, and which have room for a name."""

import pytest

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.factors import level
from fwdtui.report.factor_view import AS_GIVEN, LevelTexts
from fwdtui.report.sweep_axis import Axis, axis_of, logarithmic, thinned


def axis(name: str, *values: str | int | float, scale: str | None = None) -> Axis:
    levels = [level(name, value) for value in values]
    return axis_of(name, levels, LevelTexts(AS_GIVEN, {name: levels}), scale)


@pytest.mark.parametrize(
    ("numbers", "log"),
    [
        ([64, 128, 256, 512, 1024, 1280, 1518], True),
        ([1, 2, 4, 8, 16], True),
        ([1, 100, 10_000], True),
        (list(range(1, 25)), False),
        ([1, 2, 4, 8, 10], False),
        ([1, 2, 4, 8, 10.001], True),
        ([0, 1, 10, 100], False),
        ([-5, 1, 10, 100], False),
        ([1, 100], False),
        ([1, 500, 1000], False),
    ],
)
def test_it_is_logarithmic_over_more_than_a_decade_of_levels_that_are_spaced_so(
    numbers: list[float], log: bool
) -> None:
    assert logarithmic(numbers) is log


def test_the_user_decides_otherwise_but_zero_has_no_logarithm() -> None:
    assert axis("queues", 1, 2, 3, scale="log").log
    assert not axis("queues", 1, 2, 4, 8, 16, scale="linear").log
    with pytest.raises(FwdtuiError, match="--x-scale log: rate has the level 0 pps, which has no logarithm"):
        axis("rate", 0, 1000, scale="log")
    with pytest.raises(FwdtuiError, match="--x-scale linear: the levels of config are names"):
        axis("config", "a", "b", scale="linear")


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("value", [4, "999999999999999 Gpps"])
def test_an_axis_with_a_single_level_has_room_on_both_sides_of_it(scale: str, value: int | str) -> None:
    """One of several charts may have one."""
    only = axis("rate", value, scale=scale)
    low, high = only.ends
    assert low < only.places[0] < high
    assert only.named(80) == list(only.labels)


def test_a_unit_that_all_labels_have_is_said_once() -> None:
    assert axis("frame_size", 64, 1518).labels == ("64", "1518")
    assert axis("frame_size", 64, 1518).title == "frame_size (B)"
    assert axis("rate", "300 kpps", "1 Mpps").labels == ("300 kpps", "1 Mpps")
    assert axis("rate", "300 kpps", "1 Mpps").title == "rate"
    assert axis("queues", 1, 2).title == "queues"


def test_levels_in_different_units_are_drawn_as_names_and_it_says_why() -> None:
    found = axis("rate", "1 Mpps", "1 Mb/s")
    assert not found.numeric
    assert found.names_why == "rate is drawn as names, since its levels have different units: b/s, pps"
    assert axis("config", "a", "b").names_why == "", "names are nothing odd"


def test_a_level_in_a_sentence() -> None:
    queues, sizes = axis("queues", 1, 7), axis("frame_size", 64, 128)
    assert [queues.phrase(one) for one in queues.levels] == ["1 queue", "7 queues"]
    assert sizes.phrase(sizes.levels[0]) == "frame_size 64 B"
    assert axis("config", "on", "off").phrase(level("config", "on")) == "on"


def test_labels_that_would_overlap_are_left_out() -> None:
    assert axis("queues", *range(1, 25)).named(110) == [str(q) for q in range(1, 25)]
    assert axis("queues", 1, 2, 3, 100, scale="linear").named(40) == ["1", "", "", "100"]


@pytest.mark.parametrize(("count", "room", "named"), [(5, 5, 5), (6, 5, 3), (53, 64, 53), (65, 64, 33)])
def test_names_are_thinned_evenly_where_there_are_too_many(count: int, room: int, named: int) -> None:
    labels = thinned([f"r{number}" for number in range(count)], room)
    assert len(labels) == count
    assert labels[0] == "r0"
    assert sum(map(bool, labels)) == named
