"""The order of an experiment's trials: what each order balances, and where the DUT reboots."""

from collections import Counter, defaultdict
from itertools import groupby, pairwise
from statistics import mean

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core.errors import FwdtuiError
from fwdtui.core.experiment import (
    INTERLEAVED,
    ORDERS,
    RANDOM,
    SEQUENTIAL,
    Action,
    CellProfile,
    Check,
    DesignFactor,
    Experiment,
    LevelSetup,
    Plan,
    StopRule,
    Traffic,
)
from fwdtui.core.experiment.order import aa_plan, boots, cautions, is_aa, plan
from fwdtui.core.experiment.steps import Change, Entry, change, last_change, steps
from fwdtui.core.lab import Run


def factor(name: str, count: int, reboot: bool = False) -> DesignFactor:
    levels = (
        LevelSetup(number, apply=(Action("dut", f"set {name} {number}"),), reboot=reboot)
        for number in range(count)
    )
    return DesignFactor(name, tuple(levels))


def experiment(cells: int = 2, **given) -> Experiment:
    return Experiment("x", "lab.toml", (factor("f", cells),), **given)


def cells_by_block(found: Plan) -> dict[int, list[int]]:
    """The cells of each block, in order, each visit once."""
    rows: dict[int, list[int]] = defaultdict(list)
    for trial in found.trials:
        if trial.repeat == 1:
            rows[trial.block].append(trial.cell)
    return rows


designs = st.builds(
    experiment,
    cells=st.integers(1, 7),
    blocks=st.integers(1, 9),
    iterations=st.integers(1, 3),
    reboot=st.booleans(),
    order=st.sampled_from(ORDERS),
    seed=st.integers(0, 2**64 - 1),
)


@given(designs)
def test_every_block_has_every_cell_once_and_its_iterations_in_a_row(design):
    found = plan(design)
    assert [trial.number for trial in found.trials] == list(range(1, len(found.trials) + 1))
    for block, row in cells_by_block(found).items():
        assert 1 <= block <= design.blocks and sorted(row) == list(range(len(found.cells)))
    for trials in zip(*[iter(found.trials)] * design.iterations, strict=True):
        assert len({(trial.block, trial.cell) for trial in trials}) == 1
        assert [trial.repeat for trial in trials] == list(range(1, design.iterations + 1))


@given(designs)
def test_with_boots_the_dut_reboots_once_before_each_cell_of_each_block(design):
    found = plan(design)
    assert all(trial.boot == (design.reboot and trial.repeat == 1) for trial in found.trials)
    assert boots(found) == (design.blocks * len(found.cells) if design.reboot else 0)


@given(cells=st.integers(2, 9), half=st.integers(1, 6), iterations=st.integers(1, 3))
def test_over_an_even_number_of_blocks_abba_gives_all_cells_the_same_mean_position(cells, half, iterations):
    found = plan(experiment(cells, blocks=2 * half, iterations=iterations))
    positions = defaultdict(list)
    for trial in found.trials:
        positions[trial.cell].append(trial.number)
    assert len({mean(one) for one in positions.values()}) == 1


def test_two_cells_interleaved_are_abba():
    rows = cells_by_block(plan(experiment(2, blocks=4)))
    assert rows == {1: [0, 1], 2: [1, 0], 3: [0, 1], 4: [1, 0]}


def test_three_cells_interleaved_go_forwards_and_backwards():
    assert cells_by_block(plan(experiment(3, blocks=2))) == {1: [0, 1, 2], 2: [2, 1, 0]}


def test_sequential_finishes_a_cell_before_the_next():
    found = plan(experiment(3, blocks=2, order=SEQUENTIAL))
    assert [cell for cell, _ in groupby(trial.cell for trial in found.trials)] == [0, 1, 2]
    assert [trial.block for trial in found.trials] == [1, 2] * 3


def test_the_random_order_is_that_of_the_documented_digests():
    # printf '7 1 0' | sha256sum begins with 2382, '7 1 1' with 991f, '7 1 2' with f1e8, '7 1 3' with d925
    rows = cells_by_block(plan(experiment(4, blocks=3, order=RANDOM, seed=7)))
    assert rows == {1: [0, 1, 3, 2], 2: [2, 3, 0, 1], 3: [2, 1, 0, 3]}


@given(st.integers(0, 2**64 - 1), st.integers(1, 6))
def test_more_blocks_leave_the_random_order_of_the_earlier_ones(seed, blocks):
    short, long = (plan(experiment(5, blocks=n, order=RANDOM, seed=seed)) for n in (blocks, blocks + 3))
    assert long.trials[: len(short.trials)] == short.trials


def test_in_random_order_each_cell_is_at_each_place_about_equally_often():
    rows = cells_by_block(plan(experiment(3, blocks=900, order=RANDOM, seed=1)))
    found = Counter((place, cell) for row in rows.values() for place, cell in enumerate(row))
    assert all(250 <= found[place, cell] <= 350 for place in range(3) for cell in range(3)), found
    assert len({tuple(row) for row in rows.values()}) == 6


def test_a_factor_that_reboots_does_so_only_when_its_level_is_entered():
    design = Experiment("x", "lab.toml", (factor("image", 2, reboot=True), factor("rules", 2)), blocks=2)
    found = plan(design)
    names = [found.cells[trial.cell].name for trial in found.trials]
    assert [name for name, trial in zip(names, found.trials, strict=True) if trial.boot] == [
        "image=0 rules=0",
        "image=1 rules=0",
        "image=0 rules=1",
    ]
    assert names[3:5] == ["image=1 rules=1", "image=1 rules=1"] and not found.trials[4].boot


def verified(factor: DesignFactor) -> DesignFactor:
    levels = (
        msgspec.structs.replace(one, verify=(Check("dut", "get", str(one.value)),)) for one in factor.levels
    )
    return DesignFactor(factor.name, tuple(levels))


def elsewhere(factor: DesignFactor) -> DesignFactor:
    levels = (msgspec.structs.replace(one, apply=(Action("gen", "set"),)) for one in factor.levels)
    return DesignFactor(factor.name, tuple(levels))


def test_what_nothing_verifies_is_left_before_a_change_above_it_on_its_host_and_entered_after_it():
    a, b, c = (factor(name, 2) for name in "abc")

    def changed(*factors: DesignFactor, name: str = "b", boot: bool = False) -> tuple[str, str]:
        """What is left, and what is entered, where this factor changes."""
        start = {"a": 0, "b": 0, "c": 0}
        found = plan(Experiment("x", "lab.toml", factors, cells=(start, start | {name: 1}), reboot=boot))
        told = change(found, *found.trials[:2], "dut")
        left, entered = ("".join(one.factor for one in entries) for entries in (told.leave, told.enter))
        return left, entered

    assert changed(a, b, c) == ("cb", "bc"), "not what is above the change"
    assert changed(a, b, c, name="a") == ("cba", "abc")
    assert changed(a, verified(b), c, name="a") == ("ca", "ac"), "what is verified is not"
    assert changed(a, b, elsewhere(c)) == ("b", "b")
    assert changed(a, b, factor("c", 2, reboot=True)) == ("b", "b"), "a boot puts it in force"
    assert changed(factor("a", 2, reboot=True), b, c, name="a") == ("a", "bc"), "the boot ends both"
    assert changed(a, b, c, boot=True) == ("b", "abc"), "the boot ends all of them"


def test_between_trials_only_what_differs_is_left_and_entered():
    corners = ({"a": 0, "b": 0}, {"a": 1, "b": 0}, {"a": 1, "b": 1})
    design = Experiment("x", "lab.toml", (factor("a", 2), verified(factor("b", 2))), cells=corners, blocks=2)
    found = plan(design)
    first, second, third, fourth = found.trials[:4]
    start = change(found, None, first, "dut")
    assert start.leave == () and start.enter == (Entry("a", 0), Entry("b", 0)) and not start.reboots
    one = change(found, first, second, "dut")
    assert one.leave == (Entry("a", 0),) and one.enter == (Entry("a", 1),)
    assert change(found, third, fourth, "dut") == Change(), "the same cell: nothing to do"
    assert last_change(found, third).leave == (Entry("b", 1), Entry("a", 1))


def test_what_was_set_at_run_time_is_entered_again_after_a_reboot_and_what_chooses_it_before():
    design = Experiment(
        "x", "lab.toml", (factor("rules", 2), factor("image", 1, reboot=True)), blocks=2, reboot=True
    )
    found = plan(design)
    changed = change(found, found.trials[1], found.trials[2], "dut")
    assert found.trials[1].cell == found.trials[2].cell and changed.reboots and changed.leave == ()
    assert changed.boot == (Entry("image", 0),) and changed.enter == (Entry("rules", 1),)
    kinds = [(step.kind, step.text) for step in steps(found, "dut") if step.trial == 3]
    assert kinds[1:4] == [
        ("enter", "image=0"),
        ("reboot", "until a new boot identity and a forwarding check"),
        ("enter", "rules=1"),
    ]


def test_a_reboot_of_the_dut_ends_nothing_on_another_host():
    there = DesignFactor("mtu", (LevelSetup(1500, apply=(Action("gen", "set mtu"),)),))
    found = plan(Experiment("x", "lab.toml", (there, factor("rules", 1)), blocks=2, reboot=True))
    assert change(found, found.trials[0], found.trials[1], "dut") == Change(
        reboots=True, enter=(Entry("rules", 0),)
    )


def test_what_chooses_a_boot_on_another_host_runs_before_every_reboot():
    there = (LevelSetup("a", apply=(Action("gen", "bootdev a"),), reboot=True),)
    found = plan(Experiment("x", "lab.toml", (DesignFactor("image", there),), blocks=2, reboot=True))
    assert change(found, found.trials[0], found.trials[1], "dut") == Change(
        boot=(Entry("image", 0),), reboots=True
    )


@given(designs)
def test_the_steps_follow_each_other_without_gaps_and_every_trial_is_measured_once(design):
    found = steps(plan(design), "dut")
    for before, after in pairwise(found):
        assert after.at == before.at + before.seconds and after.seconds >= 0
    measured = [step.trial for step in found if step.kind == "measure"]
    assert measured == list(range(1, len(plan(design).trials) + 1))


def test_an_aa_experiment_is_the_baseline_under_two_names_in_turns():
    found = aa_plan(plan(experiment(3, blocks=3, iterations=2, order=SEQUENTIAL, reboot=True), "d"))
    assert [cell.name for cell in found.cells] == ["f=0 A", "f=0 B"]
    assert [dict(cell.factors) for cell in found.cells] == [{"f": 0, "aa": "A"}, {"f": 0, "aa": "B"}]
    assert [trial.cell for trial in found.trials] == [0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1]
    assert [trial.number for trial in found.trials] == list(range(1, 13))
    assert [trial.boot for trial in found.trials] == [True, False] * 6
    assert found.experiment.order == INTERLEAVED and found.digest not in ("", "d")
    with pytest.raises(FwdtuiError, match="at least 3 blocks"):
        aa_plan(plan(experiment(2, blocks=2)))


def test_where_a_level_reboots_the_dut_a_and_b_of_an_aa_experiment_share_no_boot():
    """As the cells that it stands for: in ABBA these are booted when their level is entered."""
    images = Experiment("x", "lab.toml", (factor("image", 2, reboot=True),), blocks=6, iterations=2)
    found = aa_plan(plan(images, "d"))
    assert [trial.boot for trial in found.trials] == [True, False] * 12
    assert boots(found) == 13 and sum(step.kind == "reboot" for step in steps(found, "dut")) == 13, (
        "one more leaves the last level"
    )
    assert "shared-boots" not in [one.code for one in cautions(found)]
    quick = msgspec.structs.replace(images, factors=(factor("rules", 2),))
    assert boots(aa_plan(plan(quick))) == 0
    always = msgspec.structs.replace(images, factors=(factor("image", 1, reboot=True), factor("rules", 2)))
    assert boots(aa_plan(plan(always))) == boots(plan(always)) == 2, "its cells share that boot, too"


def codes(design: Experiment) -> list[str]:
    return [one.code for one in cautions(plan(design))]


def test_what_is_weak_in_a_design_is_told_before_anything_is_measured():
    sound = Experiment(
        "x", "lab.toml", (DesignFactor("f", (LevelSetup(0), LevelSetup(1))),), blocks=4, reboot=True
    )
    assert codes(sound) == []
    assert codes(msgspec.structs.replace(sound, reboot=False)) == ["no-boots"]
    assert codes(msgspec.structs.replace(sound, order=SEQUENTIAL)) == ["sequential"]
    assert codes(msgspec.structs.replace(sound, blocks=2)) == ["few-blocks"]
    assert codes(msgspec.structs.replace(sound, blocks=5)) == ["odd-blocks"], "ABBA is not balanced"
    assert codes(msgspec.structs.replace(sound, blocks=5, order=RANDOM)) == []
    assert codes(msgspec.structs.replace(sound, factors=())) == ["one-cell"]
    assert codes(msgspec.structs.replace(sound, seed=7)) == ["unused-seed"]
    assert codes(msgspec.structs.replace(sound, seed=7, order=RANDOM)) == []
    long = msgspec.structs.replace(sound, run=Run(warmup=30.0, duration=30.0))
    assert codes(long) == ["long-warm-up"], "a half of it would be in the values"
    precise = StopRule("precision", 0.5)
    assert codes(msgspec.structs.replace(sound, stop=precise)) == ["no-look"], "the fifth is the first"
    assert codes(msgspec.structs.replace(sound, blocks=6, stop=precise)) == []
    early, later = StopRule("looks", looks=(2,)), StopRule("looks", looks=(4,))
    assert codes(msgspec.structs.replace(sound, stop=early)) == ["no-look"], "two blocks prove nothing"
    for blocks, advice in ((4, "Plan more blocks, or no look."), (6, "Look from block 4 on.")):
        looked = msgspec.structs.replace(sound, blocks=blocks, stop=early)
        [told] = [one.text for one in cautions(plan(looked)) if one.code == "no-look"]
        assert told.endswith(advice), "the last block is no look"
    assert codes(msgspec.structs.replace(sound, blocks=6, stop=later)) == []
    odd = msgspec.structs.replace(sound, blocks=6, stop=StopRule("looks", looks=(3, 4)))
    assert codes(odd) == ["odd-blocks"], "ABBA is not balanced at the first look"
    assert codes(msgspec.structs.replace(odd, order=RANDOM)) == []
    assert codes(experiment(2, reboot=True)) == ["not-verified", "not-undone"] * 2
    images = Experiment("x", "lab.toml", (factor("image", 2, reboot=True),), order=SEQUENTIAL)
    assert codes(images)[:2] == ["sequential", "one-boot"]
    own = Experiment("x", "lab.toml", (factor("image", 1, reboot=True), factor("rules", 2)))
    assert codes(own)[0] == "no-boots", "both cells run on one and the same boot"
    [told] = [one.text for one in cautions(plan(own)) if one.code == "no-boots"]
    assert told.startswith("The DUT reboots once, before all iterations, so differences between boots")
    assert told.endswith("With `boots` instead of `blocks` they are.")
    alone = msgspec.structs.replace(sound, factors=(), blocks=1)
    [told] = [one.text for one in cautions(plan(alone)) if one.code == "no-boots"]
    assert told.endswith("With more `boots` they are."), "it has `boots = 1`"
    assert codes(msgspec.structs.replace(images, order=INTERLEAVED))[0] == "shared-boots"
    # of fewer than three boots there is no verdict (stats/pairs.py)
    for blocks, said in (
        (4, "A cell has only 2 boots in 4 blocks"),
        (6, "A cell has only 3 boots in 6 blocks"),
    ):
        four = msgspec.structs.replace(images, order=INTERLEAVED, blocks=blocks)
        [told] = [one.text for one in cautions(plan(four)) if one.code == "shared-boots"]
        assert told.startswith(said)
        assert ("with fewer than 3 no difference can be proven" in told) is (blocks == 4)
    booted = msgspec.structs.replace(images, order=INTERLEAVED, reboot=True)
    assert codes(booted) == ["not-verified"] * 2
    [told] = [one.text for one in cautions(plan(images)) if one.code == "sequential"]
    # blocks are compared in pairs, where interleaved order keeps what is promised (design_rates.py: 4.9 %)
    assert "28 %" in told and "the promised 5 %" in told and "less than" not in told


def test_a_variable_that_no_command_has_is_told_unless_it_only_says_what_is_sent():
    """Else a misspelt one does nothing, and nobody hears of it."""
    sends = Traffic("v4", ("send -l {length}",), variables={"length": 60, "lenght": 60, "af": "inet4"})
    (told,) = [
        one for one in cautions(plan(experiment(2, reboot=True, traffic=(sends,)))) if "lenght" in one.text
    ]
    assert told.code == "unused-variable"
    assert (
        told.text
        == "The variable `lenght` of the traffic v4 does nothing: none of its commands has {lenght}."
    )
    assert "length" not in told.text.replace("lenght", "")


def test_levels_that_are_the_same_with_one_of_several_profiles_are_told():
    """With v6 all sizes are one cell, measured several times: `no difference` would say nothing of sizes."""
    sizes = DesignFactor("size", (LevelSetup(64), LevelSetup(128)))
    v4, v6 = Traffic("v4", ("send {size}",)), Traffic("v6", ("send",))
    both = Experiment("x", "lab.toml", (sizes,), traffic=(v4, v6), blocks=4, reboot=True)
    (told,) = cautions(plan(both))
    assert (told.code, told.text) == (
        "unused-factor",
        "With the traffic v6 the levels of size do not differ: none of its commands has {size}.",
    )
    applied = DesignFactor("size", (LevelSetup(64), LevelSetup(128, apply=(Action("dut", "x"),))))
    assert "unused-factor" not in codes(msgspec.structs.replace(both, factors=(applied,)))
    listed = ({"size": 64, "traffic": "v4"}, {"size": 128, "traffic": "v4"}, {"size": 64, "traffic": "v6"})
    assert codes(msgspec.structs.replace(both, cells=listed)) == []


def test_profiles_at_one_rate_are_said_not_to_be_of_the_cells_own_traffic():
    """lab.toml's `at_rate` knows neither IPv6 nor the frames of a cell."""
    sends = tuple(Traffic(name, (f"send -{name} {{f}}",)) for name in ("4", "6"))
    both = experiment(2, reboot=True, traffic=sends, profile=CellProfile(300e3))
    assert "profile-traffic" in codes(both)
    by_level = msgspec.structs.replace(both, traffic=sends[:1])
    assert "profile-traffic" in codes(by_level), "{f} is in the command"
    alike = msgspec.structs.replace(both, traffic=(Traffic("4", ("send -4",)),))
    own = msgspec.structs.replace(both, profile=CellProfile())
    of_lab = msgspec.structs.replace(both, traffic=())
    for sound in (alike, own, of_lab, msgspec.structs.replace(both, profile=None)):
        assert "profile-traffic" not in codes(sound)


def test_only_a_and_b_make_an_aa_experiment_and_not_a_factor_of_that_name():
    """experiment.toml may not have one, but a session that is there already may."""
    own = plan(Experiment("x", "lab.toml", (factor("aa", 2),)))
    assert not is_aa(own) and is_aa(aa_plan(own)) and is_aa(aa_plan(plan(experiment())))
