"""A profile's functions: what they did themselves adds up to all that is not idle, on each side."""

from pathlib import Path

import pytest

from fwdtui.core.parse.profile_text import read_profile
from fwdtui.core.profile.folded import Folded
from fwdtui.core.profile.functions import Functions, Row, by_difference, by_size, functions, listed, rows
from fwdtui.core.profile.idle import Idle
from fwdtui.core.profile.scale import per_million, share


def profile(**stacks: int) -> Functions:
    return functions(Folded({tuple(name.split("__")): n for name, n in stacks.items()}), Idle())


def test_own_samples_add_up_and_inclusive_ones_count_each_stack_once():
    found = profile(loop__input__ip__forward=3, loop__input=2, input__input__forward=1, loop__cpu_idle=10)
    assert found.own == {"forward": 4, "input": 2}
    assert found.inclusive == {"loop": 5, "input": 6, "ip": 3, "forward": 4}, (
        "a function that calls itself counts once"
    )
    assert (found.busy, found.idle, found.idle_share) == (6, 10, 0.625)
    assert sum(found.own.values()) == found.busy


def test_a_profile_without_samples_has_no_idle_share():
    assert profile().idle_share is None


def test_what_one_side_does_not_have_is_none_of_it():
    found = rows([{"a": 3, "b": 1}, {"b": 2, "c": 4}])
    assert sorted((row.name, row.samples) for row in found) == [("a", (3, 0)), ("b", (1, 2)), ("c", (0, 4))]


def test_the_order_is_by_what_moved_in_the_unit_that_is_shown():
    found = [Row("twice", (10, 20)), Row("same", (80, 80)), Row("gone", (9, 0))]
    as_share = share((100, 100))
    assert [row.name for row in by_difference(found, as_share)] == ["twice", "gone", "same"]
    per_packet = per_million((100, 100), (1e6, 2e6))  # the other side forwarded twice as much meanwhile
    assert [row.name for row in by_difference(found, per_packet)] == ["same", "gone", "twice"]
    assert [row.name for row in by_size(found, as_share)] == ["same", "twice", "gone"]


def test_what_is_not_listed_is_one_row_so_that_the_sums_stay():
    found = [Row("a", (5, 1)), Row("b", (3, 2)), Row("c", (1, 4))]
    first, others = listed(found, 1)
    assert first == found[:1] and others == Row("", (4, 6), 2)
    assert listed(found, None) == (found, None) == listed(found, 3)


def seed_002(netbenches: Path, name: str) -> Functions:
    (path,) = netbenches.rglob(f"bench.{name}.1.pmc.graph")
    return functions(read_profile(path.read_bytes()).folded, Idle())


@pytest.mark.parametrize("af", ["inet4", "inet6"])
def test_the_two_kernels_of_seed_002_add_up_to_100_percent_on_each_side(netbenches: Path, af: str) -> None:
    base, other = (seed_002(netbenches, f"{name}.{af}") for name in ("320657", "320657D11476"))
    scale = share((base.busy, other.busy))
    ordered = by_difference(rows([base.own, other.own]), scale)
    moved = [scale.difference(row.samples) for row in ordered]
    assert abs(moved[0]) > 1.0 and abs(sum(moved)) < 1e-9
    for side in range(2):
        assert sum(scale.values(row.samples)[side] for row in ordered) == pytest.approx(100, abs=1e-9)
    first, others = listed(ordered, 10)
    assert others is not None and len(first) + others.others == len(ordered)
    assert [sum(row.samples[side] for row in (*first, others)) for side in range(2)] == [
        base.busy,
        other.busy,
    ]
