"""When an experiment ends, and what is compared until then."""

import dataclasses
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from msgspec.structs import replace

from fwdtui.core.experiment import Cell, DesignFactor, Experiment, LevelSetup, Plan, StopRule, Traffic
from fwdtui.core.experiment.cells import cells
from fwdtui.stats.results import Placed, ResultSet
from fwdtui.stats.so_far import pairs_of, planned_looks
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


@dataclass(frozen=True)
class Measured:
    block: int
    cell: int
    value: float
    boot: str = ""
    offered: float | None = None


def design(rule: StopRule = StopRule(), blocks: int = 6) -> Plan:  # noqa: B008 - frozen
    """Two images, each with two settings."""
    factors = [DesignFactor(name, (LevelSetup("a"), LevelSetup("b"))) for name in ("image", "config")]
    cells = [
        Cell(number, f"image={'ab'[image]} config={'ab'[config]}", {"image": image, "config": config}, {})
        for number, (image, config) in enumerate(product((0, 1), (0, 1)))
    ]
    experiment = Experiment("night", "lab.toml", tuple(factors), blocks=blocks, stop=rule)
    return Plan(experiment, "0123456789abcdef" * 4, tuple(cells), ())


def test_each_cell_is_compared_with_the_one_that_differs_in_the_first_factor_alone():
    found = pairs_of(design(), [Measured(block, cell, 1e6) for block in (1, 2) for cell in range(4)])
    assert [(case, base.label) for case, base, _ in found] == [
        ("image=b config=a", "image=a config=a"),
        ("image=b config=b", "image=a config=b"),
    ]


def test_traffic_is_a_factor_and_each_profile_has_its_own_baseline():
    image = DesignFactor("image", (LevelSetup("a"), LevelSetup("b")))
    profiles = tuple(Traffic(name, ("send",)) for name in ("udp4", "udp6"))
    plain = Experiment("night", "lab.toml", (image,), traffic=profiles)
    for experiment, expected in (
        (plain, {f"image=b traffic={one}": f"image=a traffic={one}" for one in ("udp4", "udp6")}),
        (replace(plain, factors=()), {"traffic=udp6": "traffic=udp4"}),
        (replace(plain, factors=(replace(image, levels=image.levels[:1]),)),
         {"image=a traffic=udp6": "image=a traffic=udp4"}),
    ):  # fmt: skip
        pairs = pairs_of(Plan(experiment, "d" * 64, cells(experiment), ()), [])
        assert {case: base.label for case, base, _ in pairs} == expected


def test_every_listed_cell_but_the_first_is_compared_even_if_it_varies_another_factor():
    plan = design()
    for listed, expected in (
        ((0, 1, 2), [(1, 0), (2, 0)]),  # one factor at a time
        ((2, 3), [(3, 2)]),  # without the baseline's level
        ((0,), []),
    ):
        chosen = tuple(replace(plan.cells[old], number=new) for new, old in enumerate(listed))
        pairs = pairs_of(replace(plan, cells=chosen), [])
        names = [(plan.cells[other].name, plan.cells[base].name) for other, base in expected]
        assert [(case, base.label) for case, base, _ in pairs] == names


def test_where_nothing_is_compared_nothing_is_decided_early():
    for rule in (StopRule("looks", looks=(3,)), StopRule("precision", precision=1.0)):
        assert stop_now([], rule, 0, done=6, blocks=8) == StopDecision(False, "6 of 8 blocks are measured.")


def test_what_was_measured_so_far_is_paired_and_decided_as_the_report_will():
    rng = np.random.default_rng(9)
    plan = design(StopRule("looks", looks=(3,)))
    gain = (1.0, 1.0, 0.9, 0.9)
    assert planned_looks(plan) == (3, 6)
    measured = [
        Measured(block, cell, 1e6 * gain[cell] * float(np.exp(0.002 * rng.normal())), f"{block}-{cell}")
        for block in (1, 2, 3)
        for cell in range(4)
    ]
    found = pairs_of(plan, measured)
    assert found[0][1].placed == Placed("0123456789abcdef", "interleaved", (1, 2, 3), (3, 6))
    assert found[0][1].boots == ("1-0", "2-0", "3-0")
    decision = stop_now(found, plan.experiment.stop, 0, done=3, blocks=6)
    assert (decision.ends, decision.verdicts) == (True, ("slower", "slower"))
    assert decision.confidence == pytest.approx(99.0)  # of this look, spent once
    loaded = [dataclasses.replace(one, offered=one.value / 0.9) for one in measured]
    assert pairs_of(plan, loaded)[0][1].offered == tuple(one.offered for one in loaded[::4])
    nothing = pairs_of(plan, measured[:2])
    assert not stop_now(nothing, plan.experiment.stop, 0, done=3, blocks=6).ends
