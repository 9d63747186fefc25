"""What a journal adds up to."""

from experimental import plan_of, step
from msgspec.structs import replace

from fwdtui.core.experiment import LevelSetup
from fwdtui.monitor.experiment.known import Known


def test_a_level_is_in_force_from_its_first_record_until_it_is_undone_to_the_end() -> None:
    begun = step("level", factor="f", level=1, old=("0",))
    known = Known.of([begun])
    assert (known.levels["f"].level, known.levels["f"].sure, known.levels["f"].old) == (1, False, ("0",))
    known.take(replace(begun, done=True))
    assert known.levels["f"].sure
    known.take(step("undo", factor="f", level=1))
    assert not known.levels["f"].sure
    known.take(step("undo", factor="f", level=1, done=True, failed="no"))
    assert "f" in known.levels
    known.take(step("undo", factor="f", level=1, done=True))
    assert known.levels == {}


def test_tools_may_run_until_they_were_stopped() -> None:
    known = Known.of([step("tools", mark="m", hosts=("gen", "sink"))])
    assert known.marks == {"m": ("gen", "sink")}
    known.take(step("stopped", mark="m"))
    assert known.marks, "asked, but not known to have ended"
    known.take(step("stopped", mark="m", done=True))
    assert known.marks == {}


def test_attempts_are_known_from_their_first_step() -> None:
    known = Known.of([step("begun"), step("judged", trial=1, attempt=2, done=True)])
    assert (known.attempts, known.repeated) == ({1: 2}, {1: 1})
    known.take(step("tools", trial=1, attempt=3, mark="m"))
    assert (known.attempts, known.repeated) == ({1: 3}, {1: 1})
    known.take(step("judged", trial=1, attempt=3, done=True, sound=True))
    assert known.sound == {1: 3}


def test_a_decided_experiment_has_lost_what_its_look_had_and_does_not_count_any_more() -> None:
    plan = plan_of([LevelSetup("x")], (0, 0, 0, 0))  # a trial is a block
    judged = [step("judged", trial=trial, attempt=1, done=True, sound=True) for trial in (1, 2, 3)]
    look = step("look", index=2, done=True, decided=True, without=(1,))
    known = Known.of([*judged, look])
    assert known.lost(plan, ()) == {2}, "not what was gone before, nor what came later"
    assert known.lost(plan, (2,)) == set()
    assert Known.of([*judged, replace(look, decided=False)]).lost(plan, ()) == set()


def test_a_reboot_is_awaited_until_it_was_seen() -> None:
    known = Known.of([step("level", factor="f", level=0, done=True), step("reboot", boot="one")])
    assert known.rebooting == "one" and known.levels["f"].booted
    known.take(step("reboot", boot="one", done=True, failed="not back"))
    assert known.rebooting == "one", "it may come back later, and is not rebooted again then"
    known.take(step("reboot", boot="two", done=True))
    assert known.rebooting is None


def test_what_the_dut_runs_is_what_it_has_booted_in_also_once_that_is_undone() -> None:
    """A kernel that was chosen for one boot is undone in a moment, and runs on until the next boot."""
    known = Known.of([step("level", factor="f", level=1, done=True), step("reboot", boot="one")])
    assert known.booted == {}
    known.take(step("reboot", boot="two", done=True))
    known.take(step("undo", factor="f", level=1, done=True))
    assert (known.levels, known.booted) == ({}, {"f": 1})
    known.take(step("reboot", boot="two"))
    known.take(step("reboot", boot="three", done=True))
    assert known.booted == {}


def test_a_boot_that_nobody_of_us_asked_for_ends_what_the_dut_has_booted_in() -> None:
    known = Known.of([step("level", factor="f", level=1, done=True), step("reboot", boot="one")])
    known.take(step("reboot", boot="two", done=True))
    assert known.may_run("two") == known.may_run("") == {"f": 1}
    assert known.may_run("by hand") == {"f": 1}, "its choice may be for every boot"
    known.take(step("undo", factor="f", level=1, done=True))
    assert known.may_run("two") == known.may_run("") == {"f": 1}
    assert known.may_run("by hand") == {}, "nothing was chosen for that boot"


def test_a_reboot_that_is_awaited_may_lead_to_what_is_in_force() -> None:
    known = Known.of([step("level", factor="f", level=1, done=True)])
    assert known.may_run("one") == {}, "it was only chosen"
    known.take(step("reboot", boot="one"))
    assert known.may_run("one") == known.may_run("two") == known.may_run("") == {"f": 1}


def test_hooks_before_the_experiment_are_counted_one_by_one_until_one_after_it_is_begun() -> None:
    before, after = (step("hook", text=f"{when}: service powerd") for when in ("before", "after"))
    known = Known.of([replace(before, done=True), replace(after, trial=1, done=True), before])
    assert known.begun == 1
    known.take(replace(before, done=True, failed="no"))
    assert known.begun == 1
    known.take(after)
    assert known.begun == 0, "it may have put back what the others had set up, also if it was not seen to end"
    known.take(replace(after, done=True))
    assert known.begun == 0
    known.take(replace(before, done=True))
    assert known.begun == 1
