"""When an experiment ends."""

import numpy as np
import pytest
from msgspec.structs import replace

from fwdtui.core.experiment import StopRule
from fwdtui.stats.interaction_verdict import Cross
from fwdtui.stats.results import Placed, ResultSet
from fwdtui.stats.stopping import StopDecision, stop_now


def pairs(blocks: int, gain: float, spread: float = 0.002, seed: int = 1):
    rng = np.random.default_rng(seed)
    where = tuple(range(1, blocks + 1))
    placed = Placed("x", "interleaved", where, (4, 8))
    values = [
        tuple(float(1e6 * mean * (1.0 + spread * rng.normal())) for _ in where) for mean in (1.0, 1.0 + gain)
    ]
    sides = [ResultSet(label, side, placed=placed) for label, side in zip(("r1", "r2"), values, strict=True)]
    return [("inet4", *sides)]


def sent(measured):
    """All that was offered was forwarded."""
    return [(case, *(replace(side, offered=side.values) for side in sides)) for case, *sides in measured]


def asked(rule: StopRule, done: int, looks_done: int = 0, gain: float = 0.0, spread: float = 0.002):
    return stop_now(pairs(done, gain, spread), rule, looks_done, done=done, blocks=8)


def test_a_fixed_number_of_blocks_ends_when_they_are_measured():
    assert asked(StopRule(), 7).reason == "7 of 8 blocks are measured."
    end = asked(StopRule(), 8)
    assert (end.ends, end.reason, end.look) == (True, "All 8 blocks are measured.", 0)


def test_a_planned_look_ends_what_is_decided_at_its_own_level():
    rule = StopRule("looks", looks=(4,))
    early = asked(rule, 3)
    assert (early.ends, early.look, early.reason) == (
        False,
        0,
        "The next look is after block 4; 3 are measured.",
    )
    loss = asked(rule, 4, gain=-0.05)
    assert (loss.ends, loss.look, loss.planned, loss.verdicts) == (True, 1, 2, ("slower",))
    assert loss.confidence == pytest.approx(99.0)
    assert loss.reason == "Everything is decided at look 1 of 2, at 99 %."
    alike = asked(rule, 4, spread=0.0005)
    assert (alike.ends, alike.verdicts) == (True, ("equivalent",))


def test_what_is_open_goes_on_until_the_last_look():
    rule = StopRule("looks", looks=(4,))
    first = asked(rule, 4, spread=0.05)
    assert (first.ends, first.reason) == (False, "Still open at look 1 of 2, at 99 %: inet4.")
    assert not asked(rule, 5, looks_done=1, spread=0.05).look
    last = asked(rule, 8, looks_done=1, spread=0.05)
    assert (last.ends, last.look) == (True, 2)
    assert last.confidence == pytest.approx(96.0)
    assert last.reason == "All 8 blocks are measured; still open at look 2 of 2, at 96 %: inet4."


def test_what_forwarded_all_that_was_offered_is_not_decided_and_not_measured_on_either():
    rule = StopRule("looks", looks=(4,))
    for spread in (0.0005, 0.05):  # alike, and open
        capped = stop_now(sent(pairs(4, 0.0, spread)), rule, 0, done=4, blocks=8)
        assert (capped.ends, capped.verdicts) == (True, ("capped",))
        assert capped.reason.startswith("Nothing more can be decided at look 1 of 2, at 99 %: inet4 reached ")


def test_a_precision_ends_when_every_interval_is_narrow_enough_but_not_before_five_blocks():
    rule = StopRule("precision", precision=1.0)
    assert not asked(rule, 4, spread=0.0001).ends
    assert asked(rule, 5).reason == "Every interval is within ±1 % after 5 blocks."
    wide = asked(rule, 6, spread=0.05)
    assert (wide.ends, wide.reason) == (False, "Wider than ±1 % after 6 of 8 blocks: inet4.")
    assert asked(rule, 8, spread=0.05).ends


def test_where_nothing_is_compared_nothing_is_decided_early():
    for rule in (StopRule("looks", looks=(3,)), StopRule("precision", precision=1.0)):
        assert stop_now([], rule, 0, done=6, blocks=8) == StopDecision(False, "6 of 8 blocks are measured.")


def test_interactions_that_the_report_shows_share_the_error_of_a_look():
    """p is 0.015 and 0.039: enough among two at 96 %, and not among two and their interaction."""
    found = [
        (case, *sides)
        for case, seed in (("inet4", 1), ("inet6", 5))
        for _, *sides in pairs(8, 0.0025, 0.002, seed)
    ]
    cross = Cross(0, 1, ("image",), "af", ("inet4", "inet6"), {}, "", ("r2", "inet4", "inet6"))
    rule = StopRule("looks", looks=(4,))
    alone = stop_now(found, rule, 1, done=8, blocks=8, margin_percent=0.0)
    crossed = stop_now(found, rule, 1, crosses=[cross], done=8, blocks=8, margin_percent=0.0)
    assert (alone.verdicts, crossed.verdicts) == (("faster", "faster"), ("inconclusive", "inconclusive"))
