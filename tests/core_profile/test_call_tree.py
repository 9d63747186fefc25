"""Stacks become a tree; samples become shares or samples per million packets."""

import pytest

from fwdtui.core.profile import Folded
from fwdtui.core.profile import call_tree as call_tree_module
from fwdtui.core.profile.call_tree import TOO_MANY, CallTree, call_tree
from fwdtui.core.profile.scale import PER_MILLION, SHARE, per_million, share

A = Folded({("main", "rx", "lookup"): 30, ("main", "rx"): 20, ("main", "tx"): 50, ("idle",): 300})
B = Folded({("main", "rx", "lookup"): 10, ("main", "poll"): 10})


def tree(*profiles: Folded, from_leaves: bool = False) -> CallTree:
    return call_tree(profiles, lambda stack: "idle" in stack, from_leaves=from_leaves)


def test_a_frame_has_its_own_samples_and_those_of_what_it_calls():
    main = tree(A).root.children["main"]
    rx = main.children["rx"]
    assert (main.samples, main.own) == ([100], [0])
    assert (rx.samples, rx.own) == ([50], [20])
    assert rx.children["lookup"].own == [30]


def test_idle_stacks_are_counted_apart():
    found = tree(A, B)
    assert found.root.samples == [100, 20]
    assert found.idle == (300, 0)
    assert found.idle_share(0) == 0.75
    assert tree(Folded()).idle_share(0) is None


def test_two_profiles_share_a_tree_and_what_one_lacks_is_zero():
    main = tree(A, B).root.children["main"]
    assert main.children["tx"].samples == [50, 0]
    assert main.children["poll"].samples == [0, 10]


def test_from_the_leaves_a_function_stands_once_with_its_callers_below():
    stacks = Folded({("a", "copy"): 3, ("b", "copy"): 4, ("b",): 1})
    copy = tree(stacks, from_leaves=True).root.children["copy"]
    assert copy.samples == [7]
    assert {name: frame.samples for name, frame in copy.children.items()} == {"a": [3], "b": [4]}


def test_the_frames_below_are_all_of_them_however_deep():
    deep = Folded({tuple(f"f{n}" for n in range(5000)): 1})
    assert sum(1 for _ in tree(deep).root.below()) == 5000


def test_the_frames_are_bounded_and_the_rarest_stacks_are_put_together(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(call_tree_module, "MOST", 4)
    folded = Folded({("a", "b"): 9, ("c", "d"): 8, ("c", "e", "f"): 2, ("g",): 1, ("a", "b", "h"): 1})
    root = tree(folded).root
    assert root.samples == [21]
    assert {frame.name: frame.samples for frame in root.children.values()} == {
        "a": [10],
        "c": [10],
        TOO_MANY: [1],
    }
    assert root.children["c"].children[TOO_MANY].own == [2]
    assert root.children["a"].children["b"].children[TOO_MANY].own == [1]


def test_shares_are_of_what_is_not_idle():
    scale = share(tree(A, B).root.samples)
    assert scale.unit == SHARE
    assert scale.values([50, 10]) == (50.0, 50.0)
    assert scale.mean([50, 0]) == 25.0
    assert scale.difference([30, 10]) == pytest.approx(20.0)


def test_samples_per_million_packets():
    scale = per_million([100, 20], [2e6, 1e6])
    assert scale.unit == PER_MILLION
    assert scale.values([100, 20]) == (50.0, 20.0)


@pytest.mark.parametrize(
    ("samples", "differs"),
    [([500, 500], False), ([500, 560], False), ([500, 600], True), ([0, 8], False), ([0, 10], True)],
)
def test_what_counting_explains_is_no_difference(samples: list[int], differs: bool):
    """Of 10 000 samples 500 vary by 22: three standard errors of the difference of two are 92."""
    assert share([10_000, 10_000]).differs(samples) is differs


def test_without_samples_there_is_no_share():
    assert share([0, 5]).values([0, 5]) == (0.0, 100.0)
