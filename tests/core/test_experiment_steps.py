"""What the dry run says will be done, in which order and for how long: what is left is counted once."""

from typing import Any

import pytest

from fwdtui.core.experiment import Action, CellProfile, DesignFactor, Experiment, LevelSetup, Plan
from fwdtui.core.experiment.booting import Booting
from fwdtui.core.experiment.model import AFTER, BEFORE, DURING, Check, Hook, Restore
from fwdtui.core.experiment.order import aa_plan, boots, plan
from fwdtui.core.experiment.steps import Begun, Step, profile_seconds, seconds_of, steps
from fwdtui.core.lab import Run

RUN = Run(iterations=1, warmup=2.0, duration=10.0, settle=4.0)


def level(number: int, name: str, host: str = "dut", reboot: bool = False) -> LevelSetup:
    """Two commands to enter it, three to leave it, two to verify it."""
    return LevelSetup(
        number,
        apply=(Action(host, f"set {name} {number}"),),
        verify=(Check(host, f"get {name}", str(number)), Check(host, f"get {name} again", str(number))),
        undo=(Action(host, f"unset {name}"), Action(host, f"unset {name} again")),
        restore=(Restore(host, f"read {name}", f"put {name}"),),
        reboot=reboot,
    )


def factor(name: str, host: str = "dut", reboot: bool = False) -> DesignFactor:
    return DesignFactor(name, tuple(level(number, name, host, reboot) for number in range(2)))


def planned(*factors: DesignFactor, **given: object) -> Plan:
    return plan(
        Experiment(
            "x", "lab.toml", factors or (factor("f"),), run=RUN, blocks=1, order="sequential", **given
        ),
        "d",
    )


def kinds(found: tuple[Step, ...]) -> list[tuple[int, str, float]]:
    return [(one.trial, one.kind, one.seconds) for one in found]


def test_each_trial_takes_its_steps_in_order_and_settles_after_a_blast_or_a_level() -> None:
    found = steps(planned(), "dut")
    one = [("check", 2.0), ("enter", 2.0), ("verify", 2.0), ("settle", 4.0), ("start", 3.0)]
    one += [("warm-up", 2.0), ("measure", 10.0), ("drain", 5.0), ("verify", 2.0)]
    two = [("check", 2.0), ("leave", 3.0), *one[1:]]
    assert kinds(found) == [*((1, *row) for row in one), *((2, *row) for row in two), (0, "leave", 3.0)]
    assert [one.at for one in found[:4]] == [0.0, 2.0, 4.0, 6.0]
    assert seconds_of(planned(), "dut") == {1: 32.0, 2: 35.0, 0: 3.0}


def test_hooks_run_around_every_trial_or_around_all_and_take_no_time_of_the_traffics() -> None:
    hooks = tuple(
        Hook(when, Action("gen", f"{when} {whole}"), whole)
        for when, whole in ((BEFORE, True), (BEFORE, False), (DURING, False), (AFTER, False), (AFTER, True))
    )
    found = [one for one in steps(planned(hooks=hooks), "dut") if one.kind == "hook"]
    each = [(BEFORE, 1.0), (DURING, 0.0), (AFTER, 1.0)]
    expected = [(0, f"{BEFORE}: {BEFORE} True", 1.0)]
    expected += [(trial, f"{when}: {when} False", took) for trial in (1, 2) for when, took in each]
    expected += [(0, f"{AFTER}: {AFTER} True", 1.0)]
    assert [(one.trial, one.text, one.seconds) for one in found] == expected
    again = steps(planned(hooks=hooks), "dut", Begun(frozenset({1, 2}), hooks=1))
    assert [one.text for one in again if one.kind == "hook"] == [f"{AFTER}: {AFTER} True"]


def test_what_is_gone_on_with_begins_from_the_levels_that_are_in_force() -> None:
    found = steps(planned(), "dut", Begun(frozenset({1}), levels={"f": 0}))
    assert [one.kind for one in found][:4] == ["check", "leave", "enter", "verify"]
    assert [one.kind for one in found].count("settle") == 1, "nothing was measured before, but a level is new"
    over = steps(planned(), "dut", Begun(frozenset({1}), levels={"f": 1}, decided="enough"))
    assert [(one.trial, one.kind, one.text) for one in over] == [(0, "leave", "f=1")]
    lost = Begun(frozenset(), levels={"f": 1}, decided="enough", lost=frozenset({1}))
    assert {one.trial for one in steps(planned(), "dut", lost)} == {1, 0}, "what the look decided by, no more"


TOUCH = Action("gen", "touch")


@pytest.mark.parametrize(
    ("given", "settled"),
    [
        ({}, [2]),
        ({"reboot": True}, [1, 2]),
        ({"hooks": (Hook(BEFORE, TOUCH),)}, [1, 2]),
        ({"hooks": (Hook(BEFORE, TOUCH, whole=True),)}, [1, 2]),
        ({"hooks": (Hook(DURING, TOUCH), Hook(AFTER, TOUCH))}, [2]),
    ],
    ids=["nothing", "reboot", "hook", "hook before all", "hooks that come later"],
)
def test_a_first_blast_gets_its_pause_if_anything_was_done_before_it(
    given: dict[str, Any], settled: list[int]
) -> None:
    """Without it a DUT that has just booted would be measured cold, and only in one of its trials."""
    design = planned(DesignFactor("f", (LevelSetup(0), LevelSetup(1))), **given)
    assert [one.trial for one in steps(design, "dut") if one.kind == "settle"] == settled


@pytest.mark.parametrize("levels", [{"f": 1}, {}], ids=["in force", "undone"])
def test_what_is_gone_on_with_is_settled_for_since_nobody_knows_what_was_done_just_before(
    levels: dict[str, int],
) -> None:
    found = steps(planned(), "dut", Begun(frozenset({1}), levels=levels))
    assert [one.trial for one in found if one.kind == "settle"] == [2]


def test_levels_are_left_in_the_reverse_of_the_order_of_the_factors() -> None:
    found = steps(planned(factor("f"), factor("g")), "dut")
    assert [one.text for one in found if one.trial == 0] == ["g=1", "f=1"]
    design = planned(factor("f"), factor("g"), cells=({"f": 0, "g": 0}, {"f": 1, "g": 1}))
    both = [(one.kind, one.text) for one in steps(design, "dut") if one.trial == 2]
    assert both[1:5] == [("leave", "g=0"), ("leave", "f=0"), ("enter", "f=1"), ("enter", "g=1")]


def test_a_profile_is_taken_after_the_last_trial_of_its_cell_and_later_if_it_is_missing() -> None:
    design = planned(profile=CellProfile(seconds=20.0))
    assert profile_seconds(design) == 4.0 + 3.0 + 2.0 + 2 * 3.0 + 20.0 + 5.0
    assert profile_seconds(planned()) == 0.0
    taken = [one for one in steps(design, "dut") if one.kind == "profile"]
    assert [(one.trial, one.seconds) for one in taken] == [(1, 40.0), (2, 40.0)]
    left = steps(design, "dut", Begun(frozenset({1}), levels={"f": 1}))
    assert [one.kind for one in left if one.trial == 1] == ["leave", "enter", "verify", "profile"]
    assert [one.kind for one in left if one.trial == 2][:2] == ["check", "leave"], "from the profiled levels"
    kept = steps(design, "dut", Begun(frozenset({1}), frozenset({1}), levels={"f": 0}))
    assert [one.trial for one in kept if one.kind == "profile"] == [2]
    again = steps(design, "dut", Begun(frozenset({1}), frozenset({1, 2})))
    assert "measure" in {one.kind for one in again} and "profile" not in {one.kind for one in again}
    decided = Begun(frozenset({1}), levels={"f": 0}, decided="enough")
    assert [one.number for one in decided.profiles_left(design)] == [1], "the other cell was never measured"


def test_a_missing_profile_reboots_only_for_a_level_that_needs_it() -> None:
    design = planned(factor("kernel", reboot=True), profile=CellProfile(), reboot=True)
    there = steps(design, "dut", Begun(frozenset({1, 2}), frozenset({2}), levels={"kernel": 0}))
    assert "reboot" not in [one.kind for one in there if one.trial == 1]
    other = steps(design, "dut", Begun(frozenset({1, 2}), frozenset({2}), levels={"kernel": 1}))
    assert "reboot" in [one.kind for one in other if one.trial == 1]


def test_a_level_that_takes_a_boot_takes_one_more_to_be_left_at_the_end() -> None:
    hooks = (Hook(AFTER, Action("gen", "back"), whole=True),)
    design = planned(factor("kernel", reboot=True), hooks=hooks)
    found = steps(design, "dut")
    end = [(one.kind, one.seconds) for one in found if not one.trial]
    assert end == [("hook", 1.0), ("leave", 3.0), ("reboot", 90.0)], "hooks run before anything is undone"
    assert boots(design) == sum(one.kind == "reboot" for one in found) == 3
    none = steps(design, "dut", Begun(frozenset({1, 2})))
    assert "reboot" not in [one.kind for one in none], "none is in force"
    runs = Begun(frozenset({1, 2}), levels={"kernel": 1}, back=Booting.REBOOT)
    assert [one.kind for one in steps(design, "dut", runs)] == ["hook", "leave", "reboot"]


def test_without_a_reboot_nothing_that_stays_is_entered_again() -> None:
    found = steps(planned(factor("f"), factor("g")), "dut")
    entered = {
        number: [one.text for one in found if (one.trial, one.kind) == (number, "enter")] for number in (1, 2)
    }
    assert entered == {1: ["f=0", "g=0"], 2: ["g=1"]}


def test_a_further_iteration_of_a_boot_that_is_gone_gets_a_boot_of_its_own() -> None:
    """With `boots` the DUT reboots before each cell of each block, also where only a part of it is left."""
    design = plan(Experiment("x", "lab.toml", (factor("f"),), run=RUN, iterations=3, blocks=2, reboot=True))
    numbers = frozenset(one.number for one in design.trials)

    def rebooted(*left: int, last: int = 0) -> list[int]:
        found = steps(design, "dut", Begun(numbers - {*left}, last=last))
        return [one.trial for one in found if one.kind == "reboot"]

    assert rebooted(*numbers) == [1, 4, 7, 10]
    assert rebooted(2, 3, last=1) == [], "it was measured until now, in this boot"
    assert rebooted(2, 3, last=4) == [2], "another cell was measured since; the third follows the second"
    assert rebooted(2, 3) == [2], "the DUT has been rebooted since, or nobody knows"
    assert rebooted(2, 8, last=7) == [2, 8], "the boot of trial 7 is ended by that of trial 2"
    assert rebooted(8, last=4) == [8], "the same cell in another block"
    again = steps(design, "dut", Begun(numbers - {2}, last=4))
    assert [one.text for one in again if one.kind == "enter"] == ["f=0"]


def test_without_boots_in_the_file_a_further_iteration_needs_none() -> None:
    design = plan(Experiment("x", "lab.toml", (factor("f", reboot=True),), run=RUN, iterations=2))
    numbers = frozenset(one.number for one in design.trials)
    there = Begun(numbers - {2}, levels={"f": 0})
    assert "reboot" not in [one.kind for one in steps(design, "dut", there) if one.trial == 2]
    pair = aa_plan(design)
    assert [one.boot for one in pair.trials[:4]] == [True, False, True, False], "A and B share no boot"
    there = Begun(numbers - {2}, levels={"f": 0}, last=3)
    assert "reboot" in [one.kind for one in steps(pair, "dut", there) if one.trial == 2]


@pytest.mark.parametrize(
    ("begun", "booted"),
    [
        (Begun(frozenset({1, 2}), levels={"image": 1}), [4, 6]),
        (Begun(frozenset({1, 2})), [3, 4, 6]),
        (Begun(frozenset({1, 2, 4}), levels={"image": 1}), [5, 6]),
        (Begun(frozenset({1, 2, 3, 4, 5}), frozenset({6}), levels={"image": 0}), [6]),
    ],
    ids=["in force", "undone at an early end", "the one in between is done", "last"],
)
def test_what_is_gone_on_with_boots_wherever_another_image_is_in_force_by_then(
    begun: Begun, booted: list[int]
) -> None:
    """In ABBA a level that stays from block to block shares its boot, but only if the plan is followed."""
    design = plan(Experiment("x", "lab.toml", (factor("image", reboot=True),), run=RUN, blocks=3), "d")
    assert [one.number for one in design.trials if one.boot] == [1, 2, 4, 6]
    assert [one.number for one in begun.left(design) if one.boot] == booted
    reboots = [one.trial for one in steps(design, "dut", begun) if one.kind == "reboot"]
    assert reboots == [*booted, 0], "the last one leaves the last image"


def test_an_image_in_force_that_nothing_verifies_is_booted_again_when_it_is_gone_on_with() -> None:
    images = DesignFactor("image", tuple(LevelSetup(n, apply=(TOUCH,), reboot=True) for n in range(2)))
    design = plan(Experiment("x", "lab.toml", (images,), run=RUN, blocks=2), "d")
    begun = Begun(frozenset({1, 2}), levels={"image": 1})
    assert [(one.number, one.boot) for one in begun.left(design)] == [(3, True), (4, True)]
    kinds = [one.kind for one in steps(design, "dut", begun) if one.trial == 3]
    assert kinds[:4] == ["check", "enter", "reboot", "settle"]
