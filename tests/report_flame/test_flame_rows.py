"""Rows of a tree: folded and open, sorted, searched, and the small ones in one row."""

from fwdtui.core.profile import Folded
from fwdtui.core.profile.call_tree import CallTree, call_tree
from fwdtui.core.profile.scale import Scale, share
from fwdtui.report.flame import rows as listing
from fwdtui.report.flame.rows import MOVED, Row, hot, matched, rows

A = Folded({("main", "rx", "lookup"): 300, ("main", "rx"): 100, ("main", "tx"): 500, ("irq",): 100})
B = Folded({("main", "rx", "lookup"): 600, ("main", "tx"): 300, ("irq",): 100})


def made(*profiles: Folded, leaves: bool = False) -> tuple[CallTree, Scale]:
    tree = call_tree(profiles, lambda stack: False, from_leaves=leaves)
    return tree, share(tree.root.samples)


def names(found: list[Row]) -> list[str]:
    return [" " * row.depth + row.name for row in found]


def test_what_is_folded_hides_what_is_below_it():
    assert names(rows(*made(A), opened=set())) == ["main", "irq"]
    assert names(rows(*made(A), opened={("main",)})) == ["main", " tx", " rx", "irq"]
    opened = {("main",), ("main", "rx")}
    assert names(rows(*made(A), opened=opened)) == ["main", " tx", " rx", "  lookup", "irq"]


def test_a_row_says_whether_it_folds():
    found = rows(*made(A), opened={("main",)})
    assert [(row.name, row.folds, row.open) for row in found] == [
        ("main", True, True),
        ("tx", False, False),
        ("rx", True, False),
        ("irq", False, False),
    ]


def test_from_the_leaves_callers_are_below():
    found = rows(*made(A, leaves=True), opened={("lookup",)})
    assert names(found) == ["tx", "lookup", " rx", "irq", "rx"]


def test_the_order_is_by_a_profile_or_by_what_moved():
    tree, scale = made(A, B, leaves=True)
    assert names(rows(tree, scale, set(), 0)) == ["tx", "lookup", "irq", "rx"]
    assert names(rows(tree, scale, set(), 1)) == ["lookup", "tx", "irq", "rx"]
    assert names(rows(tree, scale, set(), MOVED)) == ["lookup", "tx", "rx", "irq"]


def test_small_frames_are_one_row_with_their_number_and_sum():
    small = {("main", f"f{n}"): n for n in range(1, 4)}
    *_, last = rows(*made(Folded({("main", "rx"): 10_000, **small})), opened={("main",)})
    assert (last.name, last.many, last.samples, last.depth) == ("", 3, (6,), 1)


def test_a_search_shows_what_matches_and_what_leads_there():
    found = rows(*made(A), opened=set(), wanted="LOOK")
    assert names(found) == ["main", " rx", "  lookup"]
    assert [row.found for row in found] == [False, False, True]


def test_a_search_finds_what_is_too_small_to_be_listed():
    folded = Folded({("main", "rx"): 100_000, ("main", "rare"): 1})
    assert names(rows(*made(folded), opened=set(), wanted="rare")) == ["main", " rare"]


def test_below_a_match_all_can_be_opened():
    found = rows(*made(A), opened={("main",)}, wanted="main")
    assert names(found) == ["main", " tx", " rx"]


def test_a_search_without_a_match_lists_nothing():
    assert rows(*made(A), opened={("main",)}, wanted="nowhere") == []


def test_what_matches_twice_in_a_stack_counts_once():
    folded = Folded({("rx", "ip", "rx_copy"): 5, ("tx",): 5})
    tree, _ = made(folded, folded)
    assert matched(tree, "RX") == (5, 5)
    assert matched(tree, "none") == (0, 0)


def test_at_first_the_path_of_most_samples_is_open():
    assert hot(*made(A)) == {("main",), ("main", "rx"), ("main", "rx", "lookup"), ("main", "tx"), ("irq",)}
    assert hot(*made(Folded())) == set()


def test_the_rows_are_bounded_and_the_rest_is_counted(monkeypatch):
    monkeypatch.setattr(listing, "MOST", 10)
    found = rows(*made(Folded({(f"f{n}",): 10 for n in range(50)})), opened=set())
    assert len(found) == 11
    assert (found[-1].many, found[-1].samples) == (40, ())


def test_deep_stacks_need_no_recursion():
    deep = tuple(f"f{n}" for n in range(3000))
    tree, scale = made(Folded({deep: 1}))
    assert len(rows(tree, scale, set(), wanted="f")) <= listing.MOST + 1
