"""When the data are looked at, and how long an experiment still takes."""

import asyncio
import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from experimental import plan_of, step, sysctl

from fwdtui.core.experiment import (
    Abort,
    CellProfile,
    StopRule,
)
from fwdtui.core.experiment.steps import Begun, profile_seconds, seconds_of
from fwdtui.core.model import Iteration, Session
from fwdtui.monitor.experiment.actions import Interrupted
from fwdtui.monitor.experiment.book import Book
from fwdtui.monitor.experiment.duration import Durations, left
from fwdtui.monitor.experiment.known import Known
from fwdtui.monitor.experiment.looks import Look, Measured, is_due, measured
from fwdtui.monitor.experiment.progress import Progress
from fwdtui.monitor.experiment.run import ExperimentRun
from fwdtui.monitor.experiment.values import Values
from fwdtui.monitor.run import work_clock
from fwdtui.monitor.run.blasting import CANNOT_SAVE
from fwdtui.store.experiment_journal import Step

# what it still takes


def test_the_time_left_is_that_of_the_dry_run_until_trials_were_measured() -> None:
    plan = plan_of([sysctl("direct")], (0, 0, 0), boots=(2, 3), reboot_time=200.0)
    durations, planned = Durations(plan, "dut"), seconds_of(plan, "dut")
    assert [durations.of(trial) for trial in plan.trials] == [planned[1], planned[2], planned[3]]
    assert planned[2] - planned[1] == pytest.approx(200.0), "a boot; each has its pause"
    durations.take(plan.trials[0], 30.0)
    assert [durations.of(trial) for trial in plan.trials] == [30.0, 230.0, 230.0]
    durations.take(plan.trials[1], 100.0)
    assert [durations.of(trial) for trial in plan.trials] == [30.0, 100.0, 100.0]


def test_a_resumed_experiment_takes_as_long_as_its_earlier_trials_did() -> None:
    def at(second: int, what: str, **more: Any) -> Step:
        when = (
            datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(0, second)
        ).isoformat()
        return msgspec.structs.replace(step(what, done=True, **more), when=when)

    plan = plan_of([sysctl("direct")], (0, 0, 0, 0))
    steps = [
        at(-3600, "begun"),
        msgspec.structs.replace(at(-3599, "hook"), done=False),
        at(0, "hook"),  # it has built a kernel, and belongs to no trial
        at(2, "hook", trial=1, attempt=1),
        at(40, "judged", trial=1, attempt=1, sound=True),
        at(60, "judged", trial=2, attempt=1),
        at(3000, "resumed"),  # what was in between was no trial
        at(3030, "judged", trial=2, attempt=2, sound=True),
        at(2000, "resumed"),  # our clock was set back meanwhile
        msgspec.structs.replace(at(0, "judged", trial=3, attempt=1), when="not a date"),
        at(4000, "resumed"),
        msgspec.structs.replace(at(0, "judged", trial=3, attempt=2), when="2026-01-01T02:00:00"),  # where?
    ]
    assert Durations(plan, "dut", steps).of(plan.trials[3]) == pytest.approx((40 + 20 + 30) / 3)
    assert left(plan, "dut", steps, Begun(frozenset({1, 2}))) == pytest.approx(2 * 30.0)
    dropped = Begun(frozenset({2}))
    assert left(plan, "dut", steps, dropped) == pytest.approx(3 * 30.0), "the first was dropped by hand"


def test_a_disk_that_was_full_for_an_hour_makes_no_trial_longer_and_no_time_left_shorter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was said that 0 s are left while it waited, and later that each trial takes an hour."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(work_clock, "time", SimpleNamespace(monotonic=lambda: clock.now))
    plan, known = plan_of([sysctl("direct")], (0, 0)), Known()
    durations, book = Durations(plan, "dut"), SimpleNamespace(known=known)
    values = Values(plan, known, Session("/s", "s", "", {}, ()))
    told = Progress(plan, book, values, durations, {}, lambda text: None)  # type: ignore[arg-type]
    told.attempt(plan.trials[0], 1)
    whole, clock.now = told.left, 1.0
    told.enter(CANNOT_SAVE)
    clock.now = 3601.0
    assert told.left == pytest.approx(whole - 1.0)
    told.enter("settle", 2.0)
    clock.now = 3604.0
    assert told.left == pytest.approx(whole - 4.0)
    told.attempted()
    assert durations.of(plan.trials[1]) == pytest.approx(4.0)


def test_what_a_killed_run_had_left_to_be_judged_is_no_attempt_of_three_seconds() -> None:
    """The next run writes it down as judged, a moment after it has begun."""

    def at(second: int, what: str, **more: Any) -> Step:
        minute, second = divmod(second, 60)
        when = f"2026-01-01T00:{minute:02d}:{second:02d}.000+00:00"
        return msgspec.structs.replace(step(what, done=True, **more), when=when)

    plan = plan_of([sysctl("direct")], (0, 0, 0))
    steps = [
        at(0, "begun"),
        at(90, "judged", trial=1, attempt=1, sound=True),
        at(95, "tools", trial=2, attempt=1),
        at(175, "saved", trial=2, attempt=1),
        at(1000, "resumed"),
        at(1003, "judged", trial=2, attempt=1),
        at(1010, "tools", trial=2, attempt=2),
        at(1091, "saved", trial=2, attempt=2),
        at(1800, "resumed"),
        at(1802, "judged", trial=2, attempt=2),
        at(1902, "judged", trial=2, attempt=3, sound=True),
    ]
    assert Durations(plan, "dut", steps[:-1]).of(plan.trials[2]) == pytest.approx(90.0)
    assert Durations(plan, "dut", steps).of(plan.trials[2]) == pytest.approx((90 + 100) / 2)


def test_the_profiles_that_are_missing_are_in_the_time_left() -> None:
    chosen = plan_of([sysctl("direct"), sysctl("deferred")], (0, 1, 1, 0), profile=CellProfile(None, 10.0))
    durations, planned = Durations(chosen, "dut"), seconds_of(chosen, "dut")
    one = profile_seconds(chosen)
    assert one > 10.0 and durations.profile == one
    assert [durations.of(trial) for trial in chosen.trials[2:]] == [planned[3] - one, planned[4] - one]
    assert durations.of_profiles((), (), False) == 2 * one
    assert durations.of_profiles((1, 2), {4}, False) == one
    assert durations.of_profiles((1,), (), True) == one, "of the cell that was measured"
    assert durations.of_profiles((), (), True) == durations.of_profiles((1, 2, 3, 4), {3, 4}, False) == 0.0
    assert Durations(plan_of([sysctl("direct")], (0,)), "dut").of_profiles((), (), False) == 0.0

    def at(second: int, what: str, **more: Any) -> Step:
        return msgspec.structs.replace(step(what, **more), when=f"2026-01-01T00:{second:02d}:00.000+00:00")

    steps = [
        at(0, "begun", done=True),
        at(1, "judged", done=True, trial=1, attempt=1, sound=True),
        at(2, "judged", done=True, trial=2, attempt=1, sound=True),
        at(3, "judged", done=True, trial=3, attempt=1, sound=True),
        at(3, "profile", trial=3),
        at(50, "profile", done=True, trial=3),  # which no attempt took
    ]
    three = Begun(frozenset({1, 2, 3}), frozenset({3}))
    assert left(chosen, "dut", steps, three) == pytest.approx(60.0 + one)
    steps.append(at(51, "judged", done=True, trial=4, attempt=1))
    assert left(chosen, "dut", steps, three) == pytest.approx(60.0 + one)
    decided = msgspec.structs.replace(three, decided="slower")
    assert left(chosen, "dut", steps, decided) == pytest.approx(one), "no trial is left"


# looks


def looking(looker: Any, waits: list[float]) -> Any:
    """A run that has measured two of three blocks; `waits`: how long it was told to wait."""

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    async def nothing() -> None:
        pass

    run: Any = object.__new__(ExperimentRun)
    run.plan = plan_of([sysctl("direct")], (0, 0, 0), stop=StopRule("looks", looks=(2,)))
    run.book = Book(SimpleNamespace(steps=[], write=lambda one: one))  # type: ignore[arg-type]
    run._bench = SimpleNamespace(recorder=SimpleNamespace(folder=Path("s")))
    run._values = SimpleNamespace(of={}, decided="")
    run._progress = SimpleNamespace(say=lambda text: None)
    run._looker, run._take_dropped = looker, nothing
    run._waiter = SimpleNamespace(wait=wait, stop=asyncio.Event())
    return run


async def test_a_look_at_data_that_cannot_be_read_for_a_moment_is_taken_a_moment_later() -> None:
    answers = [Look(False, "Nothing is decided: gone.", failed=True), Look(True, "slower")]
    waits: list[float] = []
    run = looking(lambda *of: answers.pop(0), waits)
    assert await run._looked(2) and run._values.decided == "slower"
    assert ([one.text for one in run.book.known.looks], waits) == (["slower"], [2.0])


async def test_data_that_stay_unreadable_decide_nothing_and_hold_nothing_up() -> None:
    waits: list[float] = []
    run = looking(lambda *of: Look(False, "Nothing is decided: damaged.", failed=True), waits)
    assert not await run._looked(2)
    assert [one.text for one in run.book.known.looks] == ["Nothing is decided: damaged."]
    assert sum(waits) < 10.0


async def test_a_look_that_was_stopped_before_its_data_could_be_read_is_still_to_be_taken() -> None:
    run = looking(lambda *of: Look(False, "Nothing is decided: gone.", failed=True), [])
    run._waiter.stop.set()
    with pytest.raises(Interrupted):
        await run._looked(2)
    assert run.book.known.looks == []


def test_looks_are_due_where_the_rule_says_and_never_after_the_last_block() -> None:
    def due(rule: StopRule) -> list[int]:
        plan = plan_of([sysctl("direct")], [0] * 8, stop=rule)
        return [block for block in range(1, 9) if is_due(plan, block)]

    assert due(StopRule()) == []
    assert due(StopRule("looks", looks=(2, 8))) == [2]
    assert due(StopRule("precision", precision=1.0)) == [5, 6, 7]


def test_abort_has_defaults_that_give_up() -> None:
    assert Abort().attempts == 3 and Abort().failed == 3


def test_a_value_that_was_dropped_is_none() -> None:
    (trial,) = plan_of([sysctl("direct")], (0,)).trials
    assert measured(trial, Iteration(1, 1e6)) == Measured(trial.number, trial.block, trial.cell, 1e6)
    assert measured(trial, Iteration(1, None)) is measured(trial, Iteration(1, 1e6, dropped="spoilt")) is None
